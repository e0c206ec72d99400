/* Copies of rows.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>
#include <trireme/trireme.h>

#include "tests/unit/runner.h"
#include "tests/unit/store.h"

#define SIZE 400

static struct store store;
static struct trm_context *context;
static struct trm_stream *stream;
static struct trm_buffer *a, *b;

static void open_store_as(int32_t emulate)
{
    memset(&store, 0, sizeof(store));
    store_prepare(&store, "store");
    if (emulate)
        store.backend.stream.copy_2d = NULL;
    store_open(&store, context);
    stream = store_stream(&store);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, SIZE, &a), TRM_OK);
    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, SIZE, &b), TRM_OK);
    for (uint32_t i = 0; i < SIZE; i++) {
        store_bytes(a)[i] = (unsigned char)i;
        store_bytes(b)[i] = 0xee;
    }
}

static void open_store(void)
{
    context = store_context(NULL);
    open_store_as(0);
}

static void close_all(void)
{
    trm_stream_destroy(stream);
    trm_buffer_destroy(a);
    trm_buffer_destroy(b);
    store_close(&store);
}

static void close_store(void)
{
    close_all();
    trm_context_destroy(context);
}

static int32_t copy(struct trm_rows to, struct trm_rows from, uint64_t width, uint64_t height)
{
    return trm_copy_2d(stream, &to, &from, width, height);
}

static struct trm_rows rows(struct trm_buffer *buffer, uint64_t offset, uint64_t pitch)
{
    return (struct trm_rows){.buffer = buffer, .offset = offset, .pitch = pitch};
}

static struct trm_rows host_rows(void *host, uint64_t offset, uint64_t pitch)
{
    return (struct trm_rows){.host = host, .offset = offset, .pitch = pitch};
}

/* Compares the copy with one that is done by hand. */
static void check(const unsigned char *to, uint64_t to_offset, uint64_t to_pitch, const unsigned char *from,
                  uint64_t from_offset, uint64_t from_pitch, uint64_t width, uint64_t height)
{
    unsigned char expected[SIZE];

    memset(expected, 0xee, SIZE);
    for (uint64_t row = 0; row < height; row++)
        memcpy(expected + to_offset + row * to_pitch, from + from_offset + row * from_pitch, width);
    ck_assert_int_eq(memcmp(to, expected, SIZE), 0);
}

START_TEST(rows_are_copied_every_way_with_and_without_the_backends_help)
{
    unsigned char host[SIZE];

    for (int32_t emulate = 0; emulate < 2; emulate++) {
        close_all();
        open_store_as(emulate);
        ck_assert_int_eq(copy(rows(b, 5, 30), rows(a, 7, 20), 11, 9), TRM_OK);
        ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
        check(store_bytes(b), 5, 30, store_bytes(a), 7, 20, 11, 9);
        ck_assert_uint_eq(store.copies_2d, emulate ? 0 : 1);
        ck_assert_uint_eq(store.copies, emulate ? 9 : 0);

        memset(host, 0xee, SIZE);
        ck_assert_int_eq(copy(host_rows(host, 3, 40), rows(a, 0, 13), 13, 7), TRM_OK);
        ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
        check(host, 3, 40, store_bytes(a), 0, 13, 13, 7);

        memset(store_bytes(b), 0xee, SIZE);
        ck_assert_int_eq(copy(rows(b, 0, 21), host_rows(host, 3, 40), 13, 7), TRM_OK);
        ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
        check(store_bytes(b), 0, 21, host, 3, 40, 13, 7);

        struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
        ck_assert_int_eq(trm_stream_get_stats(stream, &stats), TRM_OK);
        ck_assert_uint_eq(stats.copies, 3);
        ck_assert_uint_eq(stats.bytes_copied, 11 * 9);
        ck_assert_uint_eq(stats.bytes_uploaded, 13 * 7);
        ck_assert_uint_eq(stats.bytes_downloaded, 13 * 7);
    }
}
END_TEST

START_TEST(rows_without_gaps_are_one_copy)
{
    ck_assert_int_eq(copy(rows(b, 4, 16), rows(a, 8, 16), 16, 20), TRM_OK);
    ck_assert_int_eq(copy(rows(b, 330, 40), rows(a, 330, 50), 16, 1), TRM_OK);
    ck_assert_uint_eq(store.copies, 2);
    ck_assert_uint_eq(store.copies_2d, 0);
    ck_assert_int_eq(trm_stream_sync(stream), TRM_OK);
    ck_assert_int_eq(memcmp(store_bytes(b) + 4, store_bytes(a) + 8, 320), 0);
}
END_TEST

START_TEST(rows_that_cannot_be_are_refused)
{
    unsigned char host[SIZE];
    struct trm_rows good = rows(a, 0, 20);

    ck_assert_int_eq(trm_copy_2d(stream, NULL, &good, 1, 1), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_copy_2d(stream, &good, NULL, 1, 1), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(copy(host_rows(host, 0, 20), host_rows(host, 200, 20), 5, 5),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(copy(rows(b, 0, 10), good, 11, 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(copy(good, rows(b, 0, 10), 11, 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(copy(rows(b, 0, 20), host_rows(NULL, 0, 20), 11, 2), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(copy(rows(b, 0, 20), host_rows(host, UINT64_MAX, 20), 11, 2), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(copy(rows(b, 0, 20), good, 20, 21), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(copy(rows(b, 1, 20), good, 20, 20), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(copy(rows(b, 0, UINT64_MAX / 2), good, 1, 4), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(copy(rows(b, 0, 20), good, 1, UINT64_MAX), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_int_eq(copy(rows(b, 0, 20), host_rows(host, 0, UINT64_MAX / 8), 1, 9), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(store.copies + store.copies_2d, 0);
    ck_assert_int_eq(copy(rows(b, 0, 20), good, 20, 20), TRM_OK);
}
END_TEST

START_TEST(rows_of_nothing_do_nothing_but_are_checked)
{
    ck_assert_int_eq(copy(rows(b, 0, 20), rows(a, 0, 20), 0, 5), TRM_OK);
    ck_assert_int_eq(copy(rows(b, SIZE, 20), rows(a, 0, 20), 5, 0), TRM_OK);
    ck_assert_int_eq(copy(rows(b, SIZE + 1, 20), rows(a, 0, 20), 0, 5), TRM_ERROR_OUT_OF_RANGE);
    ck_assert_uint_eq(store.copies + store.copies_2d, 0);
}
END_TEST

START_TEST(rows_of_one_buffer_may_lie_between_each_other_but_not_overlap)
{
    ck_assert_int_eq(copy(rows(a, 10, 20), rows(a, 0, 20), 10, 10), TRM_OK);
    ck_assert_int_eq(copy(rows(a, 9, 20), rows(a, 0, 20), 10, 10), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(copy(rows(a, 0, 20), rows(a, 9, 20), 10, 10), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(copy(rows(a, 11, 20), rows(a, 0, 20), 10, 10), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(copy(rows(a, 0, 20), rows(a, 0, 20), 1, 1), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(copy(rows(a, 0, 40), rows(a, 20, 40), 20, 9), TRM_OK);
    ck_assert_int_eq(copy(rows(a, 0, 30), rows(a, 10, 40), 10, 4), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(copy(rows(a, 200, 20), rows(a, 0, 20), 20, 10), TRM_OK);
    ck_assert_uint_eq(store.copies_2d, 2);
    ck_assert_uint_eq(store.copies, 1);
}
END_TEST

START_TEST(rows_of_buffers_that_are_gone_are_refused)
{
    struct trm_buffer *dead;

    ck_assert_int_eq(trm_buffer_create(store.device, TRM_MEMORY_DEVICE, SIZE, &dead), TRM_OK);
    trm_buffer_destroy(dead);
    ck_assert_int_eq(copy(rows(dead, 0, 20), rows(a, 0, 20), 1, 1), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(copy(rows(a, 0, 20), rows(dead, 0, 20), 0, 0), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(a_row_that_fails_ends_the_copy_and_what_was_enqueued_is_waited_for)
{
    close_all();
    open_store_as(1);
    store.fail_next = TRM_ERROR_BACKEND;
    ck_assert_int_eq(copy(rows(b, 0, 20), rows(a, 0, 20), 10, 10), TRM_ERROR_BACKEND);
    ck_assert_uint_eq(store.copies, 0);
    ck_assert_int_eq(copy(rows(b, 0, 20), rows(a, 0, 20), 10, 10), TRM_OK);
    ck_assert_int_eq(trm_buffer_wait(b, 0), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_buffer_wait(b, TRM_FOREVER), TRM_OK);
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *const all[] = {
        rows_are_copied_every_way_with_and_without_the_backends_help,
        rows_without_gaps_are_one_copy,
        rows_that_cannot_be_are_refused,
        rows_of_nothing_do_nothing_but_are_checked,
        rows_of_one_buffer_may_lie_between_each_other_but_not_overlap,
        rows_of_buffers_that_are_gone_are_refused,
        a_row_that_fails_ends_the_copy_and_what_was_enqueued_is_waited_for,
    };
    Suite *suite = suite_create("transfer 2d");
    TCase *tests = tcase_create("transfer 2d");

    tcase_add_checked_fixture(tests, open_store, close_store);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        tcase_add_test(tests, all[i]);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
