/* The arguments of launches: what is refused, and what arrives in the kernel.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "kernels.h"

#include <inttypes.h>

static struct trm_argument scalar_of(int32_t type)
{
    struct trm_argument argument;
    memset(&argument, 0, sizeof(argument));
    argument.kind = TRM_PARAMETER_SCALAR;
    argument.type = type;
    return argument;
}

static struct trm_buffer *zeroed(uint64_t size)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .flags = TRM_BUFFER_ZEROED, .size = size};
    struct trm_buffer *buffer   = NULL;
    ck_ok(trm_buffer_create_from(the.device, &desc, &buffer));
    return buffer;
}

/* ---- scalars and counts ---- */

START_TEST(a_scalar_of_every_type_arrives)
{
    if (kernels_missing())
        return;
    static const char *const names[] = {"u8",  "result", "i8",  "u16", "i16", "u32",
                                        "i32", "f32",    "u64", "v8",  "i64", "f64"};
    uint64_t out[12]                 = {0};
    struct trm_buffer *buffer        = zeroed(sizeof(out));
    struct trm_argument values[]     = {
            scalar_of(TRM_TYPE_U8),      trm_arg_buffer(buffer),  scalar_of(TRM_TYPE_I8), scalar_of(TRM_TYPE_U16),
            scalar_of(TRM_TYPE_I16),     trm_arg_u32(0xDEADBEEF), trm_arg_i32(-123456),   trm_arg_f32(-1.5f),
            trm_arg_u64(UINT64_MAX - 1), scalar_of(TRM_TYPE_U8),  trm_arg_i64(INT64_MIN), trm_arg_f64(1e300),
    };
    values[0].value.u8   = 200;
    values[2].value.i8   = -100;
    values[3].value.u16  = 60000;
    values[4].value.i16  = -30000;
    values[9].value.u8   = 77;
    struct trm_grid grid = trm_grid_1d(1, 1);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        values[i].name = names[i]; /* buffers come first in a portable kernel */
    ck_ok(trm_launch(the.stream, kernel("scalars"), &grid, values, 12));
    get(the.stream, buffer, 0, out, sizeof(out));
    static const size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8, 1, 8, 8};
    static const int places[]   = {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    for (int i = 0; i < 11; i++)
        ck_assert_msg(memcmp(&out[i], &values[places[i]].value, sizes[i]) == 0, "argument %d arrived wrong",
                      places[i]);
    ck_assert_msg(((uint8_t *)out)[88] == 0, "the block is not aligned to 16 bytes");
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_large_block_of_arguments_arrives_in_order)
{
    if (kernels_missing())
        return;
    uint64_t out[15];
    struct trm_buffer *buffer = zeroed(sizeof(out));
    struct trm_argument values[16];
    struct trm_grid grid = trm_grid_1d(1, 1);
    for (uint64_t round = 0; round < 50; round++) {
        values[0] = trm_arg_buffer(buffer);
        for (uint64_t i = 0; i < 15; i++)
            values[i + 1] = trm_arg_u64((round * 100 + i) * UINT64_C(0x9E3779B97F4A7C15));
        ck_ok(trm_launch(the.stream, kernel("many"), &grid, values, 16));
        memset(values, 0xFF, sizeof(values)); /* they were copied */
        get(the.stream, buffer, 0, out, sizeof(out));
        for (uint64_t i = 0; i < 15; i++)
            ck_assert(out[i] == (round * 100 + i) * UINT64_C(0x9E3779B97F4A7C15));
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_wrong_number_of_arguments_is_refused)
{
    if (kernels_missing())
        return;
    struct trm_buffer *buffer    = zeroed(400);
    struct trm_argument values[] = {trm_arg_buffer(buffer), trm_arg_u32(100), trm_arg_u32(1), trm_arg_u32(1),
                                    trm_arg_u32(1)};
    ck_status(launch_1d(the.stream, kernel("affine"), 100, values, 3), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(launch_1d(the.stream, kernel("affine"), 100, values, 5), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(launch_1d(the.stream, kernel("affine"), 100, values, 0), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(launch_1d(the.stream, kernel("affine"), 100, values, UINT32_MAX), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(launch_1d(the.stream, kernel("affine"), 100, NULL, 4), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(launch_1d(the.stream, kernel("count"), 1, values, 1), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(launch_1d(the.stream, kernel("affine"), 100, values, 4));
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_scalar_of_the_wrong_type_is_refused_naming_the_parameter_and_both_types)
{
    if (kernels_missing())
        return;
    struct trm_buffer *buffer = zeroed(400);
    for (int32_t type = TRM_TYPE_U8; type <= TRM_TYPE_F64; type++) {
        struct trm_argument values[] = {trm_arg_buffer(buffer), trm_arg_u32(10), trm_arg_u32(1),
                                        trm_arg_u32(1)};
        values[2]                    = scalar_of(type);
        if (type == TRM_TYPE_U32)
            continue;
        ck_status(launch_1d(the.stream, kernel("affine"), 10, values, 4), TRM_ERROR_TYPE_MISMATCH);
        ck_sentence_has("factor");
        ck_sentence_has("u32");
        ck_sentence_has(trm_type_name(type));
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_buffer_for_a_scalar_or_a_scalar_for_a_buffer_is_refused)
{
    if (kernels_missing())
        return;
    struct trm_buffer *buffer    = zeroed(400);
    struct trm_argument values[] = {trm_arg_u64(1), trm_arg_u32(10), trm_arg_u32(1), trm_arg_u32(1)};
    ck_status(launch_1d(the.stream, kernel("affine"), 10, values, 4), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("data");
    ck_sentence_has("u64");
    values[0] = trm_arg_buffer(buffer);
    values[3] = trm_arg_buffer(buffer);
    ck_status(launch_1d(the.stream, kernel("affine"), 10, values, 4), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("addend");
    values[3].kind = 99;
    ck_refused(launch_1d(the.stream, kernel("affine"), 10, values, 4));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_buffer_that_is_none_is_refused)
{
    if (kernels_missing())
        return;
    struct trm_buffer *buffer    = zeroed(400);
    struct trm_argument values[] = {trm_arg_buffer(NULL), trm_arg_u32(10), trm_arg_u32(1), trm_arg_u32(1)};
    ck_status(launch_1d(the.stream, kernel("affine"), 10, values, 4), TRM_ERROR_INVALID_HANDLE);
    values[0] = trm_arg_buffer(buffer);
    trm_buffer_destroy(buffer);
    ck_status(launch_1d(the.stream, kernel("affine"), 10, values, 4), TRM_ERROR_INVALID_HANDLE);
    values[0] = trm_arg_buffer((struct trm_buffer *)the.stream);
    ck_status(launch_1d(the.stream, kernel("affine"), 10, values, 4), TRM_ERROR_INVALID_HANDLE);
    ck_ok(trm_stream_sync(the.stream));
}
END_TEST

/* ---- spans ---- */

static int32_t launch_span(struct trm_buffer *out, struct trm_span span)
{
    struct trm_argument values[] = {trm_arg_buffer(out), trm_arg_span(span)};
    struct trm_grid grid         = trm_grid_1d(1, 1);
    return trm_launch(the.stream, kernel("span_size"), &grid, values, 2);
}

START_TEST(a_kernel_sees_its_span_and_not_the_buffer)
{
    if (kernels_missing())
        return;
    uint64_t alignment     = device_number(the.device, TRM_DEVICE_BUFFER_ALIGNMENT), found[2];
    uint64_t step          = alignment > 256 ? alignment : 256;
    struct trm_buffer *out = zeroed(16), *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 4 * step);
    for (uint64_t i = 0; i < 4; i++)
        ck_ok(trm_fill(the.stream, trm_span_of(buffer, i * step, step), i + 1, 1));
    for (uint64_t i = 0; i < 4; i++) {
        ck_ok(launch_span(out, trm_span_of(buffer, i * step, 10 + i)));
        get(the.stream, out, 0, found, sizeof(found));
        ck_assert_uint_eq(found[0], 10 + i);
        ck_assert_uint_eq(found[1], i + 1);
        ck_ok(launch_span(out, trm_span_of(buffer, i * step, TRM_WHOLE)));
        get(the.stream, out, 0, found, sizeof(found));
        ck_assert_uint_eq(found[0], (4 - i) * step);
    }
    trm_buffer_destroy(out);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(an_empty_span_is_a_legal_argument)
{
    if (kernels_missing())
        return;
    uint64_t found[2];
    struct trm_buffer *out = make_buffer(the.device, TRM_MEMORY_DEVICE, 16), *none = zeroed(0);
    struct trm_buffer *buffer     = zeroed(256);
    const struct trm_span spans[] = {trm_span_of(buffer, 0, 0), trm_span_of(buffer, 256, TRM_WHOLE),
                                     trm_span_whole(none)};
    for (int i = 0; i < 3; i++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(out), 0xFF, 1));
        int32_t status = launch_span(out, spans[i]);
        if (status == TRM_ERROR_UNSUPPORTED && !functions_there()) {
            skip("the device takes no empty span of bytes");
            break;
        }
        ck_ok(status);
        get(the.stream, out, 0, found, sizeof(found));
        ck_assert_uint_eq(found[0], 0);
    }
    trm_buffer_destroy(out);
    trm_buffer_destroy(none);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_span_past_the_end_or_wrapping_around_is_out_of_range)
{
    static const uint64_t bad[][2] = {
        {0, 4097},
        {4096, 1},
        {4352, 0},
        {4352, TRM_WHOLE},
        {256, 4096},
        {256, UINT64_MAX - 1},
        {UINT64_MAX - 255, 256},
        {UINT64_MAX - 255, TRM_WHOLE},
    };
    if (kernels_missing())
        return;
    struct trm_buffer *out = zeroed(16), *buffer = zeroed(4096);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_status(launch_span(out, trm_span_of(buffer, bad[i][0], bad[i][1])), TRM_ERROR_OUT_OF_RANGE);
        ck_sentence_has("span_size"); /* the kernel */
        ck_sentence_has("past the end");
    }
    trm_buffer_destroy(out);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_span_that_is_not_aligned_as_the_device_needs_it_is_refused)
{
    uint64_t alignment = device_number(the.device, TRM_DEVICE_BUFFER_ALIGNMENT);
    if (kernels_missing())
        return;
    ck_assert_uint_gt(alignment, 0);
    struct trm_buffer *out = zeroed(16), *buffer = zeroed(2 * alignment + 16);
    ck_ok(launch_span(out, trm_span_of(buffer, alignment, 8)));
    ck_ok(launch_span(out, trm_span_of(buffer, 2 * alignment, 8)));
    if (alignment > 1) {
        ck_refused(launch_span(out, trm_span_of(buffer, alignment / 2, 8)));
        ck_refused(launch_span(out, trm_span_of(buffer, alignment + 1, 8)));
    }
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(out);
    trm_buffer_destroy(buffer);
}
END_TEST

/* What is no whole number of elements is refused on every device, in the same words. */
START_TEST(a_span_that_begins_within_an_element_is_refused_naming_the_argument)
{
    if (kernels_missing())
        return;
    struct trm_buffer *buffer    = zeroed(1024);
    uint64_t alignment           = device_number(the.device, TRM_DEVICE_BUFFER_ALIGNMENT);
    uint64_t whole               = alignment > 4 ? alignment : 4;
    struct trm_argument values[] = {trm_arg_buffer(NULL), trm_arg_u32(1), trm_arg_u32(1), trm_arg_u32(0)};
    char words[128];
    for (uint64_t offset = 1; offset < 8; offset++) {
        values[0] = trm_arg_span(trm_span_of(buffer, offset, 8));
        if (offset % 4 == 0)
            continue;
        ck_status(launch_1d(the.stream, kernel("affine"), 1, values, 4), TRM_ERROR_INVALID_ARGUMENT);
        snprintf(words, sizeof(words), "argument 0 \"data\" of kernel \"affine\" begins at offset %" PRIu64,
                 offset);
        ck_sentence_has(words);
        ck_sentence_has("its elements' alignment, 4 bytes");
    }
    values[0] = trm_arg_span(trm_span_of(buffer, whole, 8));
    ck_ok(launch_1d(the.stream, kernel("affine"), 1, values, 4));
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(buffer);
}
END_TEST

void add_argument(Suite *suite)
{
    TCase *group = group_make(suite, "argument");
    CASE(group, a_scalar_of_every_type_arrives);
    CASE(group, a_large_block_of_arguments_arrives_in_order);
    CASE(group, a_wrong_number_of_arguments_is_refused);
    CASE(group, a_scalar_of_the_wrong_type_is_refused_naming_the_parameter_and_both_types);
    CASE(group, a_buffer_for_a_scalar_or_a_scalar_for_a_buffer_is_refused);
    CASE(group, a_buffer_that_is_none_is_refused);
    CASE(group, a_kernel_sees_its_span_and_not_the_buffer);
    CASE(group, an_empty_span_is_a_legal_argument);
    CASE(group, a_span_past_the_end_or_wrapping_around_is_out_of_range);
    CASE(group, a_span_that_is_not_aligned_as_the_device_needs_it_is_refused);
    CASE(group, a_span_that_begins_within_an_element_is_refused_naming_the_argument);
}
