/* Filling spans with a pattern.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"

#define CAPACITY 20000u

/* What the pattern repeated over plain memory gives. */
static void fill_plain(uint8_t *memory, uint64_t size, uint64_t pattern, uint32_t pattern_size)
{
    for (uint64_t i = 0; i < size; i++)
        memory[i] = (uint8_t)(pattern >> 8 * (i % pattern_size));
}

static void check_contents(struct trm_buffer *buffer, const uint8_t *wanted, uint64_t size)
{
    uint8_t *found = malloc(size);
    get(the.stream, buffer, 0, found, size);
    for (uint64_t i = 0; memcmp(found, wanted, size) != 0; i++)
        ck_assert_msg(found[i] == wanted[i], "byte %u is 0x%x instead of 0x%x", (unsigned)i, found[i],
                      wanted[i]);
    free(found);
}

static void sweep(int32_t kind)
{
    static const uint64_t offsets[] = {0, 1, 3, 8, 64, 4095, 4096};
    static const uint64_t sizes[]   = {0, 1, 2, 8, 63, 64, 1000, 4096, 9999, 10000};
    struct trm_buffer *buffer       = make_buffer(the.device, kind, CAPACITY);
    static uint8_t wanted[CAPACITY];
    unsigned filled = 0;
    if (!buffer) {
        skip("the device has no such memory");
        return;
    }
    put_pattern(the.stream, buffer, CAPACITY, 1);
    pattern_make(wanted, CAPACITY, 1);
    for (uint32_t pattern_size = 1; pattern_size <= 8; pattern_size *= 2)
        for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
            for (size_t j = 0; j < sizeof(sizes) / sizeof(sizes[0]); j++) {
                uint64_t offset = offsets[i], size = sizes[j];
                uint64_t pattern = UINT64_C(0x0123456789ABCDEF) * (2 * filled + 1);
                if (offset % pattern_size || size % pattern_size)
                    continue;
                ck_ok(trm_fill(the.stream, trm_span_of(buffer, offset, size), pattern, pattern_size));
                fill_plain(wanted + offset, size, pattern, pattern_size);
                check_contents(buffer, wanted, CAPACITY);
                filled++;
            }
    ck_assert_uint_gt(filled, 100);
    trm_buffer_destroy(buffer);
}

START_TEST(fills_of_device_memory_repeat_the_pattern_and_touch_nothing_else)
{
    sweep(TRM_MEMORY_DEVICE);
}
END_TEST

START_TEST(fills_of_pinned_memory_repeat_the_pattern_and_touch_nothing_else)
{
    sweep(TRM_MEMORY_PINNED);
}
END_TEST

START_TEST(fills_of_unified_memory_repeat_the_pattern_and_touch_nothing_else)
{
    sweep(TRM_MEMORY_UNIFIED);
}
END_TEST

START_TEST(fills_of_imported_memory_repeat_the_pattern_and_touch_nothing_else)
{
    sweep(TRM_MEMORY_IMPORTED);
}
END_TEST

START_TEST(only_the_low_bytes_of_a_pattern_count)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    uint8_t wanted[64];
    for (uint32_t size = 1; size <= 8; size *= 2) {
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), UINT64_C(0xF1E2D3C4B5A69788), size));
        fill_plain(wanted, 64, UINT64_C(0xF1E2D3C4B5A69788), size);
        check_contents(buffer, wanted, 64);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_pattern_of_an_odd_size_is_refused)
{
    static const uint32_t sizes[] = {0, 3, 5, 6, 7, 9, 16, UINT32_MAX, 1u << 31};
    struct trm_buffer *buffer     = make_buffer(the.device, TRM_MEMORY_DEVICE, 1440);
    put_pattern(the.stream, buffer, 1440, 2);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        ck_status(trm_fill(the.stream, trm_span_whole(buffer), 1, sizes[i]), TRM_ERROR_INVALID_ARGUMENT);
    ck_buffer_pattern(the.stream, buffer, 1440, 2);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(offsets_and_lengths_that_are_no_multiple_of_the_pattern_are_refused)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 101);
    put_pattern(the.stream, buffer, 101, 3);
    for (uint32_t size = 2; size <= 8; size *= 2) {
        ck_status(trm_fill(the.stream, trm_span_of(buffer, size / 2, size), 1, size),
                  TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_fill(the.stream, trm_span_of(buffer, 1, size), 1, size), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_fill(the.stream, trm_span_of(buffer, size, size + 1), 1, size),
                  TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_fill(the.stream, trm_span_of(buffer, 0, size / 2), 1, size),
                  TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_fill(the.stream, trm_span_whole(buffer), 1, size), TRM_ERROR_INVALID_ARGUMENT);
    }
    ck_buffer_pattern(the.stream, buffer, 101, 3);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(fills_past_the_end_or_wrapping_around_are_out_of_range)
{
    static const uint64_t bad[][2] = {
        {1000, 8},
        {1008, 0},
        {992, 16},
        {0, 1008},
        {UINT64_MAX - 7, 8},
        {UINT64_MAX - 7, 16},
        {UINT64_MAX - 7, TRM_WHOLE},
        {16, UINT64_MAX - 15},
        {8, UINT64_MAX - 7},
        {UINT64_C(1) << 63, UINT64_C(1) << 63},
        {UINT64_C(1) << 32, 8},
    };
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    put_pattern(the.stream, buffer, 1000, 4);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        for (uint32_t size = 1; size <= 8; size *= 2)
            ck_status(trm_fill(the.stream, trm_span_of(buffer, bad[i][0], bad[i][1]), 0, size),
                      TRM_ERROR_OUT_OF_RANGE);
    ck_buffer_pattern(the.stream, buffer, 1000, 4);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_fill_of_no_bytes_does_nothing)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    put_pattern(the.stream, buffer, 1000, 5);
    ck_ok(trm_fill(the.stream, trm_span_of(buffer, 0, 0), 0, 8));
    ck_ok(trm_fill(the.stream, trm_span_of(buffer, 504, 0), 0, 8));
    ck_ok(trm_fill(the.stream, trm_span_of(buffer, 1000, TRM_WHOLE), 0, 8));
    ck_buffer_pattern(the.stream, buffer, 1000, 5);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_large_fill_reaches_every_byte)
{
    uint64_t size             = (uint64_t)scaled(40, 3) << 20;
    uint64_t *found           = malloc(size + 24);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, size + 24);
    uint64_t pattern          = UINT64_C(0xFEDCBA9876543210);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 8));
    ck_ok(trm_fill(the.stream, trm_span_of(buffer, 8, size), pattern, 8));
    get(the.stream, buffer, 0, found, size + 24);
    ck_assert_uint_eq(found[0], 0);
    uint64_t reached = 1;
    while (reached <= size / 8 && found[reached] == pattern)
        reached++;
    ck_assert_msg(reached == size / 8 + 1, "element %u is not the pattern", (unsigned)reached);
    ck_assert_uint_eq(found[size / 8 + 1], 0);
    ck_assert_uint_eq(found[size / 8 + 2], 0);
    trm_buffer_destroy(buffer);
    free(found);
}
END_TEST

START_TEST(fills_happen_in_order_with_each_other_and_with_copies)
{
    enum {
        ROUNDS = 500
    };
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 4096);
    static uint16_t found[ROUNDS][3];
    static const uint16_t value = 0xBEEF;
    for (unsigned i = 0; i < ROUNDS; i++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 2));
        ck_ok(trm_upload(the.stream, trm_span_of(buffer, 100, 2), &value));
        ck_ok(trm_fill(the.stream, trm_span_of(buffer, 2048, TRM_WHOLE), i + 1, 2));
        ck_ok(trm_download(the.stream, &found[i][0], trm_span_of(buffer, 98, 2)));
        ck_ok(trm_download(the.stream, &found[i][1], trm_span_of(buffer, 100, 2)));
        ck_ok(trm_download(the.stream, &found[i][2], trm_span_of(buffer, 4094, 2)));
    }
    ck_ok(trm_stream_sync(the.stream));
    for (unsigned i = 0; i < ROUNDS; i++) {
        ck_assert_uint_eq(found[i][0], i);
        ck_assert_uint_eq(found[i][1], 0xBEEF);
        ck_assert_uint_eq(found[i][2], i + 1);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_stream_counts_its_fills)
{
    struct trm_stream *stream     = make_stream(the.device);
    struct trm_buffer *buffer     = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    for (unsigned i = 0; i < 5; i++)
        ck_ok(trm_fill(stream, trm_span_whole(buffer), i, 4));
    ck_refused(trm_fill(stream, trm_span_whole(buffer), 0, 3));
    ck_ok(trm_stream_sync(stream));
    ck_ok(trm_stream_get_stats(stream, &stats));
    ck_assert_uint_eq(stats.fills, 5);
    ck_assert_uint_eq(stats.launches, 0);
    ck_assert_uint_ge(stats.operations, 5);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(statistics_that_are_reset_count_from_0_again)
{
    struct trm_stream *stream     = make_stream(the.device);
    struct trm_buffer *buffer     = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 5; i++)
            ck_ok(trm_fill(stream, trm_span_whole(buffer), i, 4));
        ck_ok(trm_stream_get_stats(stream, &stats));
        ck_assert_uint_eq(stats.fills, 5);
        ck_ok(trm_stream_reset_stats(stream));
        ck_ok(trm_stream_get_stats(stream, &stats));
        ck_assert_uint_eq(stats.fills, 0);
        ck_assert_uint_eq(stats.operations, 0);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

void add_fill(Suite *suite)
{
    TCase *group = group_make(suite, "fill");
    CASE(group, fills_of_device_memory_repeat_the_pattern_and_touch_nothing_else);
    CASE(group, fills_of_pinned_memory_repeat_the_pattern_and_touch_nothing_else);
    CASE(group, fills_of_unified_memory_repeat_the_pattern_and_touch_nothing_else);
    CASE(group, fills_of_imported_memory_repeat_the_pattern_and_touch_nothing_else);
    CASE(group, only_the_low_bytes_of_a_pattern_count);
    CASE(group, a_pattern_of_an_odd_size_is_refused);
    CASE(group, offsets_and_lengths_that_are_no_multiple_of_the_pattern_are_refused);
    CASE(group, fills_past_the_end_or_wrapping_around_are_out_of_range);
    CASE(group, a_fill_of_no_bytes_does_nothing);
    CASE(group, a_large_fill_reaches_every_byte);
    CASE(group, fills_happen_in_order_with_each_other_and_with_copies);
    CASE(group, a_stream_counts_its_fills);
    CASE(group, statistics_that_are_reset_count_from_0_again);
}
