/* Typed arrays.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>
#include <trireme/trireme.h>

#include "tests/unit/runner.h"
#include "tests/unit/store.h"

static struct store store;
static struct trm_context *context;

static void open_store(void)
{
    memset(&store, 0, sizeof(store));
    store_prepare(&store, "store");
    context = store_context(NULL);
    store_open(&store, context);
}

static void close_store(void)
{
    store_close(&store);
    trm_context_destroy(context);
}

static struct trm_array *make(int32_t type, uint64_t count, const void *data)
{
    struct trm_array *array;

    ck_assert_int_eq(trm_array_create(store.device, type, count, TRM_MEMORY_DEVICE, data, &array), TRM_OK);
    return array;
}

START_TEST(an_array_knows_its_type_count_and_bytes)
{
    struct trm_array *array = make(TRM_TYPE_F64, 10, NULL);
    struct trm_buffer *buffer;
    int32_t type;
    uint64_t count, bytes, size;

    ck_assert_int_eq(trm_array_type(array, &type), TRM_OK);
    ck_assert_int_eq(trm_array_count(array, &count), TRM_OK);
    ck_assert_int_eq(trm_array_bytes(array, &bytes), TRM_OK);
    ck_assert_int_eq(trm_array_buffer(array, &buffer), TRM_OK);
    ck_assert_int_eq(trm_buffer_size(buffer, &size), TRM_OK);
    ck_assert_int_eq(type, TRM_TYPE_F64);
    ck_assert_uint_eq(count, 10);
    ck_assert_uint_eq(bytes, 80);
    ck_assert_uint_eq(size, 80);
    ck_assert_int_eq(trm_array_type(array, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_array_count(array, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_array_bytes(array, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_array_buffer(array, NULL), TRM_ERROR_INVALID_ARGUMENT);
    trm_array_destroy(array);
    ck_assert_int_eq(trm_array_type(array, &type), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_array_count(array, &count), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_array_bytes(array, &bytes), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_array_buffer(array, &buffer), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_buffer_size(buffer, &size), TRM_ERROR_INVALID_HANDLE);
    trm_array_destroy(array);
    trm_array_destroy(NULL);
}
END_TEST

START_TEST(arrays_that_cannot_be_are_refused)
{
    struct trm_array *array = NULL;

    ck_assert_int_eq(trm_array_create(store.device, 99, 1, TRM_MEMORY_DEVICE, NULL, &array),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_array_create(store.device, TRM_TYPE_U8, 1, TRM_MEMORY_IMPORTED, NULL, &array),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(
        trm_array_create(store.device, TRM_TYPE_U64, UINT64_MAX / 4, TRM_MEMORY_DEVICE, NULL, &array),
        TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(
        trm_array_create(store.device, TRM_TYPE_U8, UINT64_C(1) << 50, TRM_MEMORY_DEVICE, NULL, &array),
        TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_array_create(store.device, TRM_TYPE_U8, 1, TRM_MEMORY_DEVICE, NULL, NULL),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_array_create(NULL, TRM_TYPE_U8, 1, TRM_MEMORY_DEVICE, NULL, &array),
                     TRM_ERROR_INVALID_HANDLE);
    ck_assert_ptr_null(array);
}
END_TEST

START_TEST(an_array_begins_with_its_data_or_all_zero)
{
    static const uint32_t data[3] = {5, 6, 7}, zero[3] = {0, 0, 0};
    struct trm_array *a = make(TRM_TYPE_U32, 3, data), *b = make(TRM_TYPE_U32, 3, NULL);
    uint32_t back[3];

    ck_assert_int_eq(trm_array_download(a, TRM_TYPE_U32, 0, 3, back), TRM_OK);
    ck_assert_int_eq(memcmp(back, data, sizeof(data)), 0);
    ck_assert_int_eq(trm_array_download(b, TRM_TYPE_U32, 0, 3, back), TRM_OK);
    ck_assert_int_eq(memcmp(back, zero, sizeof(data)), 0);
    ck_assert_int_eq(trm_array_copy(b, a), TRM_OK);
    ck_assert_int_eq(trm_array_copy(b, b), TRM_OK);
    ck_assert_int_eq(trm_array_download(b, TRM_TYPE_U32, 1, 2, back), TRM_OK);
    ck_assert_uint_eq(back[0], 6);
    ck_assert_uint_eq(back[1], 7);
    trm_array_destroy(a);
    trm_array_destroy(b);
}
END_TEST

START_TEST(transfers_of_arrays_are_checked)
{
    struct trm_array *array = make(TRM_TYPE_U32, 4, NULL);
    uint32_t data[5]        = {1, 2, 3, 4, 5};

    ck_assert_int_eq(trm_array_upload(array, TRM_TYPE_F32, 0, 4, data), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "u32"));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "f32"));
    ck_assert_int_eq(trm_array_download(array, TRM_TYPE_I32, 0, 4, data), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_int_eq(trm_array_upload(array, TRM_TYPE_U32, 0, 5, data), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_array_upload(array, TRM_TYPE_U32, 5, 0, data), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_array_upload(array, TRM_TYPE_U32, 2, UINT64_MAX, data), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_array_download(array, TRM_TYPE_U32, UINT64_MAX, 2, data), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(trm_array_upload(array, TRM_TYPE_U32, 0, 4, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_array_upload(array, TRM_TYPE_U32, 4, 0, NULL), TRM_OK);
    ck_assert_int_eq(trm_array_upload(array, TRM_TYPE_U32, 1, 3, data), TRM_OK);
    ck_assert_int_eq(trm_array_download(array, TRM_TYPE_U32, 0, 4, data), TRM_OK);
    ck_assert_uint_eq(data[0], 0);
    ck_assert_uint_eq(data[3], 3);
    trm_array_destroy(array);
    ck_assert_int_eq(trm_array_upload(array, TRM_TYPE_U32, 0, 1, data), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_array_download(array, TRM_TYPE_U32, 0, 1, data), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(copies_of_arrays_need_the_same_type_and_count)
{
    struct trm_array *a = make(TRM_TYPE_U32, 4, NULL), *b = make(TRM_TYPE_F32, 4, NULL);
    struct trm_array *c = make(TRM_TYPE_U32, 5, NULL);

    ck_assert_int_eq(trm_array_copy(a, b), TRM_ERROR_TYPE_MISMATCH);
    ck_assert_int_eq(trm_array_copy(a, c), TRM_ERROR_OUT_OF_RANGE);
    trm_array_destroy(c);
    ck_assert_int_eq(trm_array_copy(a, c), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_array_copy(c, a), TRM_ERROR_INVALID_HANDLE);
    trm_array_destroy(a);
    trm_array_destroy(b);
}
END_TEST

START_TEST(transfers_of_arrays_wait_for_work_on_their_buffer)
{
    struct trm_array *array   = make(TRM_TYPE_U8, 100, NULL);
    struct trm_stream *stream = store_stream(&store);
    struct trm_buffer *buffer;
    unsigned char back;

    ck_assert_int_eq(trm_array_buffer(array, &buffer), TRM_OK);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 9, 1), TRM_OK);
    ck_assert_int_eq(trm_array_download(array, TRM_TYPE_U8, 99, 1, &back), TRM_OK);
    ck_assert_uint_eq(back, 9);
    ck_assert_int_eq(trm_fill(stream, trm_span_whole(buffer), 8, 1), TRM_OK);
    trm_array_destroy(array);
    trm_stream_destroy(stream);
}
END_TEST

START_TEST(arrays_in_memory_that_the_host_shares_hold_small_and_large_contents)
{
    static const uint64_t counts[] = {5, UINT64_C(5) << 20};
    unsigned char *data = calloc(counts[1], 1), *back = malloc(counts[1]);

    close_store();
    memset(&store, 0, sizeof(store));
    store.unified = 1;
    store_prepare(&store, "store");
    context = store_context(NULL);
    store_open(&store, context);
    for (size_t i = 0; i < 2; i++) {
        struct trm_array *array = make(TRM_TYPE_U8, counts[i], NULL);
        memset(data, 7, counts[i]);
        ck_assert_int_eq(trm_array_upload(array, TRM_TYPE_U8, 0, counts[i], data), TRM_OK);
        ck_assert_int_eq(trm_array_download(array, TRM_TYPE_U8, 0, counts[i], back), TRM_OK);
        ck_assert_int_eq(memcmp(data, back, counts[i]), 0);
        trm_array_destroy(array);
    }
    free(data);
    free(back);
}
END_TEST

START_TEST(the_buffer_of_an_array_cannot_be_destroyed)
{
    struct trm_array *array = make(TRM_TYPE_U8, 100, NULL);
    struct trm_buffer *buffer;
    unsigned char back;

    ck_assert_int_eq(trm_array_buffer(array, &buffer), TRM_OK);
    trm_buffer_destroy(buffer);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_array_download(array, TRM_TYPE_U8, 0, 1, &back), TRM_OK);
    trm_array_destroy(array);
    ck_assert_int_eq(trm_buffer_retain(buffer), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        an_array_knows_its_type_count_and_bytes,
        arrays_that_cannot_be_are_refused,
        an_array_begins_with_its_data_or_all_zero,
        transfers_of_arrays_are_checked,
        copies_of_arrays_need_the_same_type_and_count,
        transfers_of_arrays_wait_for_work_on_their_buffer,
        arrays_in_memory_that_the_host_shares_hold_small_and_large_contents,
        the_buffer_of_an_array_cannot_be_destroyed,
    };
    Suite *suite = suite_create("array");
    TCase *tests = tcase_create("array");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
