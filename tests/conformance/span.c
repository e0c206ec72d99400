/* Spans of buffers in copies: whole ones, empty ones, at and past the end, around the end of the numbers,
 * overlapping.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"

#define CAPACITY 80000u

/* ---- whole and empty spans ---- */

START_TEST(a_whole_span_reaches_from_its_offset_to_the_end)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
    struct trm_span span      = trm_span_whole(buffer);
    uint8_t found[100];
    ck_assert(span.buffer == buffer && span.offset == 0 && span.length == TRM_WHOLE);
    ck_ok(trm_fill(the.stream, span, 1, 1));
    ck_ok(trm_fill(the.stream, trm_span_of(buffer, 60, TRM_WHOLE), 2, 1));
    get(the.stream, buffer, 0, found, 100);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(found[i], i < 60 ? 1 : 2);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(the_span_at_the_very_end_is_empty_and_legal)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    uint8_t byte              = 3;
    put_pattern(the.stream, buffer, 64, 7);
    ck_ok(trm_upload(the.stream, trm_span_of(buffer, 64, 0), &byte));
    ck_ok(trm_upload(the.stream, trm_span_of(buffer, 64, TRM_WHOLE), &byte));
    ck_ok(trm_download(the.stream, &byte, trm_span_of(buffer, 64, TRM_WHOLE)));
    ck_ok(trm_fill(the.stream, trm_span_of(buffer, 64, TRM_WHOLE), 0, 1));
    ck_status(trm_upload(the.stream, trm_span_of(buffer, 65, 0), &byte), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_upload(the.stream, trm_span_of(buffer, 65, TRM_WHOLE), &byte), TRM_ERROR_OUT_OF_RANGE);
    ck_buffer_pattern(the.stream, buffer, 64, 7);
    ck_assert_uint_eq(byte, 3);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- one buffer, overlap ---- */

START_TEST(copies_within_one_buffer_that_do_not_overlap_arrive)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 2 * CAPACITY);
    uint8_t *wanted = malloc(2 * CAPACITY), *found = malloc(2 * CAPACITY);
    uint32_t random = 99;
    pattern_make(wanted, 2 * CAPACITY, 3);
    put_pattern(the.stream, buffer, 2 * CAPACITY, 3);
    for (unsigned i = 0; i < 300; i++) {
        uint64_t size = next_random(&random) % CAPACITY, low = next_random(&random) % (CAPACITY - size + 1);
        uint64_t high = CAPACITY + next_random(&random) % (CAPACITY - size + 1);
        uint64_t to = i % 2 ? low : high, from = i % 2 ? high : low;
        ck_ok(trm_copy(the.stream, trm_span_of(buffer, to, size), trm_span_of(buffer, from, size)));
        memcpy(wanted + to, wanted + from, size);
    }
    get(the.stream, buffer, 0, found, 2 * CAPACITY);
    ck_assert_int_eq(memcmp(found, wanted, 2 * CAPACITY), 0);
    trm_buffer_destroy(buffer);
    free(wanted);
    free(found);
}
END_TEST

START_TEST(a_copy_whose_sides_overlap_is_refused)
{
    static const uint64_t bad[][3] = {
        /* to, from, size */
        {0, 0, 1},      {0, 0, 1000},  {10, 0, 11},     {0, 10, 11},   {999, 0, 1000},
        {0, 999, 1000}, {500, 499, 2}, {1999, 1999, 1}, {64, 0, 4095}, {0, 4095, 4096},
    };
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 10000);
    put_pattern(the.stream, buffer, 10000, 4);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_status(trm_copy(the.stream, trm_span_of(buffer, bad[i][0], bad[i][2]),
                           trm_span_of(buffer, bad[i][1], bad[i][2])),
                  TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_copy(the.stream, trm_span_whole(buffer), trm_span_whole(buffer)),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_buffer_pattern(the.stream, buffer, 10000, 4);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_copy_whose_sides_only_touch_is_no_overlap)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 2000);
    uint8_t found[2000];
    put_pattern(the.stream, buffer, 2000, 5);
    ck_ok(trm_copy(the.stream, trm_span_of(buffer, 1000, 1000), trm_span_of(buffer, 0, 1000)));
    get(the.stream, buffer, 0, found, 2000);
    ck_pattern(found, 1000, 5);
    ck_pattern(found + 1000, 1000, 5);
    put(the.stream, buffer, 1, found, 1);
    ck_ok(trm_copy(the.stream, trm_span_of(buffer, 0, 1), trm_span_of(buffer, 1, 1)));
    ck_ok(trm_copy(the.stream, trm_span_of(buffer, 7, 0), trm_span_of(buffer, 7, 0)));
    get(the.stream, buffer, 0, found + 1, 2);
    ck_assert(found[1] == found[0] && found[2] == found[0]);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- ranges ---- */

struct bad_range {
    uint64_t offset;
    uint64_t length;
};

/* Of a buffer of 1000 bytes. UINT64_MAX as a length would be TRM_WHOLE. */
static const struct bad_range bad_ranges[] = {
    {1000, 1},
    {1001, 0},
    {1001, TRM_WHOLE},
    {999, 2},
    {0, 1001},
    {UINT64_MAX, 0},
    {UINT64_MAX, 1},
    {UINT64_MAX, TRM_WHOLE},
    {UINT64_MAX - 5, 6},
    {UINT64_MAX - 5, 16},
    {16, UINT64_MAX - 15},
    {16, UINT64_MAX - 8},
    {1, UINT64_MAX - 1},
    {UINT64_C(1) << 63, UINT64_C(1) << 63},
    {UINT64_C(1) << 32, 1},
    {0, (UINT64_C(1) << 32) + 1},
};

#define BAD_COUNT (sizeof(bad_ranges) / sizeof(bad_ranges[0]))

START_TEST(uploads_and_downloads_past_an_end_or_wrapping_around_are_out_of_range)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    uint8_t data[2000];
    memset(data, 9, sizeof(data));
    put_pattern(the.stream, buffer, 1000, 6);
    for (size_t i = 0; i < BAD_COUNT; i++) {
        struct trm_span span = trm_span_of(buffer, bad_ranges[i].offset, bad_ranges[i].length);
        ck_status(trm_upload(the.stream, span, data), TRM_ERROR_OUT_OF_RANGE);
        ck_status(trm_download(the.stream, data, span), TRM_ERROR_OUT_OF_RANGE);
    }
    ck_buffer_pattern(the.stream, buffer, 1000, 6);
    for (size_t i = 0; i < sizeof(data); i++)
        ck_assert_uint_eq(data[i], 9);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(copies_past_an_end_or_wrapping_around_are_out_of_range)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    struct trm_buffer *large  = make_buffer(the.device, TRM_MEMORY_DEVICE, 5000);
    put_pattern(the.stream, buffer, 1000, 7);
    put_pattern(the.stream, large, 5000, 8);
    for (size_t i = 0; i < BAD_COUNT; i++) {
        struct trm_span bad  = trm_span_of(buffer, bad_ranges[i].offset, bad_ranges[i].length);
        struct trm_span good = trm_span_of(large, 0, bad_ranges[i].length);
        ck_status(trm_copy(the.stream, bad, good), TRM_ERROR_OUT_OF_RANGE);
        ck_status(trm_copy(the.stream, good, bad), TRM_ERROR_OUT_OF_RANGE);
    }
    ck_buffer_pattern(the.stream, buffer, 1000, 7);
    ck_buffer_pattern(the.stream, large, 5000, 8);
    trm_buffer_destroy(buffer);
    trm_buffer_destroy(large);
}
END_TEST

START_TEST(the_whole_of_one_side_takes_the_length_of_the_other)
{
    struct trm_buffer *small = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
    struct trm_buffer *large = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    uint8_t found[1000];
    put_pattern(the.stream, small, 100, 1);
    put_pattern(the.stream, large, 1000, 2);
    ck_ok(trm_copy(the.stream, trm_span_of(large, 500, 50), trm_span_whole(small)));
    get(the.stream, large, 0, found, 1000);
    ck_pattern(found + 500, 50, 1);
    ck_pattern(found, 500, 2);

    ck_ok(trm_copy(the.stream, trm_span_of(large, 200, TRM_WHOLE), trm_span_of(small, 0, 80)));
    get(the.stream, large, 0, found, 1000);
    ck_pattern(found + 200, 80, 1);
    ck_pattern(found + 500, 50, 1);
    ck_status(trm_copy(the.stream, trm_span_whole(small), trm_span_of(large, 0, 101)),
              TRM_ERROR_OUT_OF_RANGE);
    ck_ok(trm_copy(the.stream, trm_span_whole(small), trm_span_of(large, 900, TRM_WHOLE)));
    trm_buffer_destroy(small);
    trm_buffer_destroy(large);
}
END_TEST

START_TEST(lengths_that_differ_are_refused)
{
    struct trm_buffer *one   = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
    struct trm_buffer *other = make_buffer(the.device, TRM_MEMORY_DEVICE, 101);
    ck_status(trm_copy(the.stream, trm_span_of(one, 0, 10), trm_span_of(other, 0, 11)),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_copy(the.stream, trm_span_of(one, 0, 10), trm_span_of(other, 0, 0)),
              TRM_ERROR_INVALID_ARGUMENT);
    ck_refused(trm_copy(the.stream, trm_span_whole(one), trm_span_whole(other)));
    ck_ok(trm_copy(the.stream, trm_span_of(one, 0, 10), trm_span_of(other, 91, 10)));
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(one);
    trm_buffer_destroy(other);
}
END_TEST

START_TEST(no_host_memory_is_refused_but_for_no_bytes)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100);
    ck_status(trm_upload(the.stream, trm_span_whole(buffer), NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_download(the.stream, NULL, trm_span_of(buffer, 3, 1)), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_upload(the.stream, trm_span_of(buffer, 3, 0), NULL));
    ck_ok(trm_download(the.stream, NULL, trm_span_of(buffer, 100, TRM_WHOLE)));
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(buffer);
}
END_TEST

void add_span(Suite *suite)
{
    TCase *group = group_make(suite, "span");
    CASE(group, a_whole_span_reaches_from_its_offset_to_the_end);
    CASE(group, the_span_at_the_very_end_is_empty_and_legal);
    CASE(group, copies_within_one_buffer_that_do_not_overlap_arrive);
    CASE(group, a_copy_whose_sides_overlap_is_refused);
    CASE(group, a_copy_whose_sides_only_touch_is_no_overlap);
    CASE(group, uploads_and_downloads_past_an_end_or_wrapping_around_are_out_of_range);
    CASE(group, copies_past_an_end_or_wrapping_around_are_out_of_range);
    CASE(group, the_whole_of_one_side_takes_the_length_of_the_other);
    CASE(group, lengths_that_differ_are_refused);
    CASE(group, no_host_memory_is_refused_but_for_no_bytes);
}
