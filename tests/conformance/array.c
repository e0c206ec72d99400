/* Typed arrays, and the types of their elements.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

struct type_fact {
    int32_t type;
    uint32_t size;
    const char *name;
};

static const struct type_fact types[] = {
    {TRM_TYPE_U8, 1, "u8"},   {TRM_TYPE_I8, 1, "i8"},   {TRM_TYPE_U16, 2, "u16"}, {TRM_TYPE_I16, 2, "i16"},
    {TRM_TYPE_F16, 2, "f16"}, {TRM_TYPE_U32, 4, "u32"}, {TRM_TYPE_I32, 4, "i32"}, {TRM_TYPE_F32, 4, "f32"},
    {TRM_TYPE_U64, 8, "u64"}, {TRM_TYPE_I64, 8, "i64"}, {TRM_TYPE_F64, 8, "f64"}, {TRM_TYPE_BF16, 2, "bf16"},
};

#define TYPE_COUNT (sizeof(types) / sizeof(types[0]))

static struct trm_array *make_array(int32_t type, uint64_t count, const void *data)
{
    struct trm_array *array = NULL;
    ck_ok(trm_array_create(the.device, type, count, TRM_MEMORY_DEVICE, data, &array));
    ck_assert_ptr_nonnull(array);
    return array;
}

static int32_t try_array(int32_t type, uint64_t count)
{
    struct trm_array *array = NULL;
    int32_t status          = trm_array_create(the.device, type, count, TRM_MEMORY_DEVICE, NULL, &array);
    ck_assert_msg(status == TRM_OK || array == NULL, "a creation that failed wrote its output");
    trm_array_destroy(array);
    return status;
}

/* ---- types ---- */

START_TEST(every_type_has_its_size_and_its_name)
{
    static const int32_t none[] = {TRM_TYPE_NONE, TRM_TYPE_BF16 + 1, -1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        ck_assert_uint_eq(trm_type_size(types[i].type), types[i].size);
        ck_assert_str_eq(trm_type_name(types[i].type), types[i].name);
    }
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        ck_assert_uint_eq(trm_type_size(none[i]), 0);
        ck_assert_str_eq(trm_type_name(none[i]), "none");
    }
}
END_TEST

/* ---- making ---- */

START_TEST(an_array_knows_its_type_count_and_bytes)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        struct trm_array *array = make_array(types[i].type, 101 + i, NULL);
        int32_t type            = 0;
        uint64_t count = 0, bytes = 0;
        ck_ok(trm_array_type(array, &type));
        ck_ok(trm_array_count(array, &count));
        ck_ok(trm_array_bytes(array, &bytes));
        ck_assert_int_eq(type, types[i].type);
        ck_assert_uint_eq(count, 101 + i);
        ck_assert_uint_eq(bytes, (101 + i) * types[i].size);
        trm_array_destroy(array);
    }
}
END_TEST

START_TEST(an_array_without_data_starts_as_all_zero)
{
    uint32_t found[5000];
    for (int round = 0; round < 20; round++) {
        struct trm_array *array   = make_array(TRM_TYPE_U32, 5000, NULL);
        struct trm_buffer *buffer = NULL;
        memset(found, 1, sizeof(found));
        ck_ok(trm_array_download(array, TRM_TYPE_U32, 0, 5000, found));
        ck_words(found, 5000, 0);
        ck_ok(trm_array_buffer(array, &buffer));
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0xCC, 1));
        trm_array_destroy(array);
    }
}
END_TEST

START_TEST(an_array_starts_with_the_data_given)
{
    uint8_t data[4000], found[4000];
    for (int k = 0; k < 4; k++) {
        struct trm_array *array = NULL;
        pattern_make(data, sizeof(data), (uint32_t)k);
        int32_t status = trm_array_create(the.device, TRM_TYPE_F32, 1000, all_kinds[k], data, &array);
        if (all_kinds[k] == TRM_MEMORY_IMPORTED) { /* an array has no parameter for imported memory */
            ck_assert_int_ne(status, TRM_OK);
            continue;
        }
        if (status == TRM_ERROR_UNSUPPORTED && all_kinds[k] != TRM_MEMORY_DEVICE)
            continue;
        ck_ok(status);
        memset(data, 0, sizeof(data));
        ck_ok(trm_array_download(array, TRM_TYPE_F32, 0, 1000, found));
        ck_pattern(found, sizeof(found), (uint32_t)k);
        trm_array_destroy(array);
    }
}
END_TEST

START_TEST(an_array_of_no_elements_is_legal)
{
    struct trm_array *array = make_array(TRM_TYPE_F64, 0, NULL);
    struct trm_array *other = make_array(TRM_TYPE_F64, 0, NULL);
    double value            = 1;
    uint64_t bytes          = 1;
    ck_ok(trm_array_bytes(array, &bytes));
    ck_assert_uint_eq(bytes, 0);
    ck_ok(trm_array_upload(array, TRM_TYPE_F64, 0, 0, &value));
    ck_ok(trm_array_download(array, TRM_TYPE_F64, 0, 0, &value));
    ck_ok(trm_array_copy(array, other));
    ck_status(trm_array_upload(array, TRM_TYPE_F64, 0, 1, &value), TRM_ERROR_OUT_OF_RANGE);
    trm_array_destroy(array);
    trm_array_destroy(other);
}
END_TEST

START_TEST(an_array_whose_bytes_overflow_or_exceed_the_device_is_out_of_range)
{
    uint64_t largest = device_number(the.device, TRM_DEVICE_MAX_BUFFER_BYTES);
    ck_status(try_array(TRM_TYPE_U16, UINT64_MAX / 2 + 2), TRM_ERROR_OUT_OF_RANGE);
    ck_status(try_array(TRM_TYPE_U32, UINT64_MAX / 4 + 2), TRM_ERROR_OUT_OF_RANGE);
    ck_status(try_array(TRM_TYPE_F64, UINT64_MAX / 8 + 2), TRM_ERROR_OUT_OF_RANGE);
    ck_status(try_array(TRM_TYPE_F64, UINT64_MAX), TRM_ERROR_OUT_OF_RANGE);
    ck_status(try_array(TRM_TYPE_U8, UINT64_MAX), TRM_ERROR_OUT_OF_RANGE);
    if (largest < UINT64_MAX - 8)
        ck_status(try_array(TRM_TYPE_U64, largest / 8 + 1), TRM_ERROR_OUT_OF_RANGE);
    ck_ok(try_array(TRM_TYPE_U64, 1));
}
END_TEST

START_TEST(an_array_of_no_such_type_is_refused)
{
    static const int32_t none[] = {TRM_TYPE_BF16 + 1, -1, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        ck_status(try_array(none[i], 10), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

/* ---- the type of the setting ---- */

static int32_t type_by_setting(const struct trm_setting *settings, uint32_t count)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_array *array;
    int32_t type = -1;
    ck_ok(context_with(settings, count, &context));
    device = open_device(context);
    ck_ok(trm_array_create(device, TRM_TYPE_NONE, 3, TRM_MEMORY_DEVICE, NULL, &array));
    ck_ok(trm_array_type(array, &type));
    trm_array_destroy(array);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return type;
}

START_TEST(an_array_of_no_type_has_the_type_of_the_setting)
{
    const struct trm_setting setting = {"array.type", "u16"}, unknown = {"array.type", "f31"};
    struct trm_context *context = NULL;
    ck_assert_int_eq(type_by_setting(NULL, 0), TRM_TYPE_F32);
    ck_assert_int_eq(type_by_setting(&setting, 1), TRM_TYPE_U16);
    ck_status(context_with(&unknown, 1, &context), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

/* ---- contents ---- */

START_TEST(a_part_of_an_array_can_be_written_and_read)
{
    struct trm_array *array = make_array(TRM_TYPE_I16, 1000, NULL);
    int16_t part[]          = {1, -2, 3, -4, 5}, found[1000];
    ck_ok(trm_array_upload(array, TRM_TYPE_I16, 0, 2, part));
    ck_ok(trm_array_upload(array, TRM_TYPE_I16, 995, 5, part));
    ck_ok(trm_array_upload(array, TRM_TYPE_I16, 333, 3, part));
    ck_ok(trm_array_download(array, TRM_TYPE_I16, 0, 1000, found));
    for (int i = 0; i < 1000; i++) {
        int16_t wanted = 0;
        if (i < 2)
            wanted = part[i];
        else if (i >= 333 && i < 336)
            wanted = part[i - 333];
        else if (i >= 995)
            wanted = part[i - 995];
        ck_assert_int_eq(found[i], wanted);
    }
    ck_ok(trm_array_download(array, TRM_TYPE_I16, 334, 2, found));
    ck_assert(found[0] == -2 && found[1] == 3);
    trm_array_destroy(array);
}
END_TEST

START_TEST(elements_past_the_end_are_out_of_range)
{
    struct trm_array *array        = make_array(TRM_TYPE_U32, 100, NULL);
    uint32_t data[4]               = {1, 2, 3, 4};
    static const uint64_t bad[][2] = {
        {100, 1},
        {97, 4},
        {101, 0},
        {0, 101},
        {UINT64_MAX, 1},
        {UINT64_MAX, 2},
        {4, UINT64_MAX - 2},
        {1, UINT64_MAX},
        {0, UINT64_MAX / 4 + 1},
        {UINT64_MAX / 4 + 1, 1},
        {UINT64_C(1) << 62, 4},
        {0, UINT64_C(1) << 62},
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_status(trm_array_upload(array, TRM_TYPE_U32, bad[i][0], bad[i][1], data), TRM_ERROR_OUT_OF_RANGE);
        ck_status(trm_array_download(array, TRM_TYPE_U32, bad[i][0], bad[i][1], data),
                  TRM_ERROR_OUT_OF_RANGE);
    }
    ck_ok(trm_array_upload(array, TRM_TYPE_U32, 96, 4, data));
    ck_ok(trm_array_upload(array, TRM_TYPE_U32, 100, 0, data));
    trm_array_destroy(array);
}
END_TEST

START_TEST(elements_of_another_type_are_refused_naming_both)
{
    double data[8] = {0};
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        struct trm_array *array = make_array(types[i].type, 8, NULL);
        for (size_t j = 0; j < TYPE_COUNT; j++) {
            int32_t wanted = i == j ? TRM_OK : TRM_ERROR_TYPE_MISMATCH;
            ck_status(trm_array_upload(array, types[j].type, 0, 8, data), wanted);
            ck_status(trm_array_download(array, types[j].type, 0, 8, data), wanted);
            if (i != j) {
                ck_sentence_has(types[i].name);
                ck_sentence_has(types[j].name);
            }
        }
        trm_array_destroy(array);
    }
}
END_TEST

START_TEST(copying_an_array_copies_all_elements)
{
    uint8_t data[8000], found[8000];
    pattern_make(data, sizeof(data), 9);
    struct trm_array *source = make_array(TRM_TYPE_U64, 1000, data);
    struct trm_array *target = make_array(TRM_TYPE_U64, 1000, NULL);
    ck_ok(trm_array_copy(target, source));
    ck_ok(trm_array_download(target, TRM_TYPE_U64, 0, 1000, found));
    ck_pattern(found, sizeof(found), 9);
    ck_ok(trm_array_download(source, TRM_TYPE_U64, 0, 1000, found));
    ck_pattern(found, sizeof(found), 9);
    trm_array_destroy(source);
    trm_array_destroy(target);
}
END_TEST

START_TEST(arrays_of_different_type_or_count_are_not_copied)
{
    struct trm_array *u32    = make_array(TRM_TYPE_U32, 64, NULL);
    struct trm_array *f32    = make_array(TRM_TYPE_F32, 64, NULL);
    struct trm_array *longer = make_array(TRM_TYPE_U32, 65, NULL);
    ck_status(trm_array_copy(u32, f32), TRM_ERROR_TYPE_MISMATCH);
    ck_status(trm_array_copy(f32, u32), TRM_ERROR_TYPE_MISMATCH);
    ck_refused(trm_array_copy(u32, longer));
    ck_refused(trm_array_copy(longer, u32));
    trm_array_destroy(u32);
    trm_array_destroy(f32);
    trm_array_destroy(longer);
}
END_TEST

START_TEST(no_host_memory_for_elements_is_refused)
{
    struct trm_array *array = make_array(TRM_TYPE_U32, 64, NULL);
    ck_status(trm_array_upload(array, TRM_TYPE_U32, 0, 64, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_array_download(array, TRM_TYPE_U32, 0, 64, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_array_upload(array, TRM_TYPE_U32, 64, 0, NULL));
    trm_array_destroy(array);
}
END_TEST

/* ---- the buffer behind ---- */

START_TEST(the_buffer_of_an_array_is_for_streams_and_kernels)
{
    uint32_t data[256], found[256];
    for (uint32_t i = 0; i < 256; i++)
        data[i] = i;
    struct trm_array *array   = make_array(TRM_TYPE_U32, 256, data);
    struct trm_buffer *buffer = NULL, *same = NULL;
    uint64_t size = 0;
    ck_ok(trm_array_buffer(array, &buffer));
    ck_ok(trm_array_buffer(array, &same));
    ck_assert_ptr_eq(buffer, same);
    ck_ok(trm_buffer_size(buffer, &size));
    ck_assert_uint_eq(size, sizeof(data));
    get(the.stream, buffer, 0, found, sizeof(found));
    ck_assert_mem_eq(found, data, sizeof(data));
    if (kernels_there()) {
        ck_ok(launch_affine(the.stream, buffer, 256, 3, 1));
        ck_ok(trm_stream_sync(the.stream));
        ck_ok(trm_array_download(array, TRM_TYPE_U32, 0, 256, found));
        for (uint32_t i = 0; i < 256; i++)
            ck_assert_uint_eq(found[i], i * 3 + 1);
    }
    trm_array_destroy(array);
}
END_TEST

START_TEST(reading_and_writing_an_array_wait_for_the_work_on_its_buffer)
{
    uint16_t data[100], found[100];
    for (int i = 0; i < 100; i++)
        data[i] = 0x4444;
    struct trm_array *array   = make_array(TRM_TYPE_U16, 100, NULL);
    struct trm_buffer *buffer = NULL;
    ck_ok(trm_array_buffer(array, &buffer));
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0x1111, 2));
    hold_end_after(hold, 20);
    ck_ok(trm_array_download(array, TRM_TYPE_U16, 0, 100, found));
    ck_assert(found[0] == 0x1111 && found[99] == 0x1111);

    hold = hold_begin(the.stream);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0x2222, 2));
    hold_end_after(hold, 20);
    ck_ok(trm_array_upload(array, TRM_TYPE_U16, 0, 100, data));
    get(the.stream, buffer, 0, found, sizeof(found));
    ck_assert(found[0] == 0x4444 && found[99] == 0x4444);
    trm_array_destroy(array);
}
END_TEST

START_TEST(a_program_cannot_destroy_the_buffer_of_an_array)
{
    struct trm_array *array   = make_array(TRM_TYPE_U32, 100, NULL);
    struct trm_buffer *buffer = NULL;
    uint32_t value            = 1;
    ck_ok(trm_array_buffer(array, &buffer));
    trm_buffer_destroy(buffer);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("destroy the array");
    ck_ok(trm_array_upload(array, TRM_TYPE_U32, 0, 1, &value));
    ck_ok(trm_array_download(array, TRM_TYPE_U32, 0, 1, &value));
    ck_ok(trm_array_copy(array, array));
    trm_array_destroy(array);

    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    struct trm_pool_stats stats   = {.struct_size = sizeof(stats)};
    ck_ok(trm_device_get_usage(the.device, &usage));
    ck_ok(trm_pool_get_stats(the.device, &stats));
    ck_assert_uint_eq(usage.buffers, 0);
    ck_assert_uint_eq(stats.used_bytes, 0);
}
END_TEST

START_TEST(the_buffer_of_an_array_dies_with_it)
{
    struct trm_array *array   = make_array(TRM_TYPE_U32, 256, NULL);
    struct trm_buffer *buffer = NULL;
    uint64_t size             = 0;
    ck_ok(trm_array_buffer(array, &buffer));
    trm_array_destroy(array);
    ck_status(trm_buffer_size(buffer, &size), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_array_count(array, &size), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_array_buffer(array, &buffer), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_array_upload(array, TRM_TYPE_U32, 0, 1, &size), TRM_ERROR_INVALID_HANDLE);
    trm_array_destroy(array);
    trm_array_destroy(NULL);

    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_ok(trm_device_get_usage(the.device, &usage));
    ck_assert_uint_eq(usage.buffers, 0);
}
END_TEST

START_TEST(a_large_array_goes_up_and_comes_back)
{
    size_t count            = scaled(3000001, 100001);
    uint8_t *data           = malloc(count * 4);
    struct trm_array *array = make_array(TRM_TYPE_F32, count, NULL);
    pattern_make(data, count * 4, 11);
    ck_ok(trm_array_upload(array, TRM_TYPE_F32, 0, count, data));
    memset(data, 0, count * 4);
    ck_ok(trm_array_download(array, TRM_TYPE_F32, 0, count, data));
    ck_pattern(data, count * 4, 11);
    trm_array_destroy(array);
    free(data);
}
END_TEST

void add_array(Suite *suite)
{
    TCase *group = group_make(suite, "array");
    CASE(group, every_type_has_its_size_and_its_name);
    CASE(group, an_array_knows_its_type_count_and_bytes);
    CASE(group, an_array_without_data_starts_as_all_zero);
    CASE(group, an_array_starts_with_the_data_given);
    CASE(group, an_array_of_no_elements_is_legal);
    CASE(group, an_array_whose_bytes_overflow_or_exceed_the_device_is_out_of_range);
    CASE(group, an_array_of_no_such_type_is_refused);
    CASE(group, an_array_of_no_type_has_the_type_of_the_setting);
    CASE(group, a_part_of_an_array_can_be_written_and_read);
    CASE(group, elements_past_the_end_are_out_of_range);
    CASE(group, elements_of_another_type_are_refused_naming_both);
    CASE(group, copying_an_array_copies_all_elements);
    CASE(group, arrays_of_different_type_or_count_are_not_copied);
    CASE(group, no_host_memory_for_elements_is_refused);
    CASE(group, the_buffer_of_an_array_is_for_streams_and_kernels);
    CASE(group, reading_and_writing_an_array_wait_for_the_work_on_its_buffer);
    CASE(group, a_program_cannot_destroy_the_buffer_of_an_array);
    CASE(group, the_buffer_of_an_array_dies_with_it);
    CASE(group, a_large_array_goes_up_and_comes_back);
}
