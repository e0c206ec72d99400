/* Allocation in stream order: which memory is reused, by which stream and when.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"

#define SIZE 50000u

static struct trm_pool_stats stats_of(struct trm_device *device)
{
    struct trm_pool_stats stats = {.struct_size = sizeof(stats)};
    ck_ok(trm_pool_get_stats(device, &stats));
    ck_assert_uint_le(stats.used_bytes + stats.cached_bytes, stats.reserved_bytes);
    ck_assert_uint_le(stats.used_bytes, stats.peak_used_bytes);
    ck_assert_uint_le(stats.reuses, stats.allocations);
    ck_assert_uint_le(stats.driver_frees, stats.driver_allocations);
    return stats;
}

static struct trm_buffer *take(struct trm_stream *stream, uint64_t size)
{
    struct trm_buffer *buffer = NULL;
    ck_ok(trm_stream_alloc(stream, size, &buffer));
    ck_assert_ptr_nonnull(buffer);
    return buffer;
}

/* ---- in stream order ---- */

START_TEST(memory_allocated_in_stream_order_is_device_memory_of_that_size)
{
    static const uint64_t sizes[] = {1, 255, 256, 257, 4096, 100000, 3000000};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct trm_buffer *buffer = take(the.stream, sizes[i]);
        uint64_t size             = 0;
        int32_t kind              = -1;
        ck_ok(trm_buffer_size(buffer, &size));
        ck_ok(trm_buffer_kind(buffer, &kind));
        ck_assert_uint_eq(size, sizes[i]);
        ck_assert_int_eq(kind, TRM_MEMORY_DEVICE);
        put_pattern(the.stream, buffer, sizes[i], 1);
        ck_buffer_pattern(the.stream, buffer, sizes[i], 1);
        ck_ok(trm_stream_free(the.stream, buffer));
    }
}
END_TEST

START_TEST(no_bytes_can_be_allocated_and_freed_in_stream_order)
{
    struct trm_buffer *buffer = take(the.stream, 0);
    uint64_t size             = 1;
    ck_ok(trm_buffer_size(buffer, &size));
    ck_assert_uint_eq(size, 0);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 4));
    ck_ok(trm_stream_free(the.stream, buffer));
    ck_ok(trm_stream_sync(the.stream));
}
END_TEST

START_TEST(more_than_the_device_has_cannot_be_allocated_in_stream_order)
{
    uint64_t largest          = device_number(the.device, TRM_DEVICE_MAX_BUFFER_BYTES);
    struct trm_buffer *buffer = NULL;
    if (largest < UINT64_MAX)
        ck_status(trm_stream_alloc(the.stream, largest + 1, &buffer), TRM_ERROR_OUT_OF_RANGE);
    ck_refused(trm_stream_alloc(the.stream, UINT64_MAX, &buffer));
    ck_refused(trm_stream_alloc(the.stream, UINT64_MAX - 100, &buffer));
    ck_assert_ptr_null(buffer);
    ck_ok(trm_stream_sync(the.stream));
}
END_TEST

/* Each round's contents go to the host before the next round writes the same memory, all in the order of the
 * stream. */
START_TEST(memory_freed_on_a_stream_is_used_again_there_without_waiting)
{
    enum {
        ROUNDS = 50
    };
    static uint32_t found[ROUNDS][64];
    struct hold *hold            = hold_begin(the.stream);
    struct trm_pool_stats before = stats_of(the.device);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        struct trm_buffer *buffer = take(the.stream, SIZE);
        ck_ok(trm_fill(the.stream, trm_span_of(buffer, 0, 256), i * 3 + 1, 4));
        ck_ok(trm_download(the.stream, found[i], trm_span_of(buffer, 0, 256)));
        ck_ok(trm_stream_free(the.stream, buffer));
    }
    struct trm_pool_stats after = stats_of(the.device);
    if (hold_works())
        ck_status(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    for (uint32_t i = 0; i < ROUNDS; i++)
        for (uint32_t j = 0; j < 64; j++)
            ck_assert_uint_eq(found[i][j], i * 3 + 1);
    ck_assert_uint_eq(after.allocations, before.allocations + ROUNDS);
    ck_assert_uint_ge(after.reuses, before.reuses + ROUNDS - 1);
    ck_assert_uint_le(after.driver_allocations, before.driver_allocations + 1);
}
END_TEST

START_TEST(memory_freed_on_a_stream_is_not_given_to_another_while_work_uses_it)
{
    struct trm_stream *other = make_stream(the.device);
    struct trm_buffer *kept  = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *source, *thief[20];
    source = take(the.stream, SIZE);
    put_pattern(the.stream, source, SIZE, 2);
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_copy(the.stream, trm_span_whole(kept), trm_span_whole(source)));
    ck_ok(trm_stream_free(the.stream, source));
    for (int i = 0; i < 20; i++) {
        thief[i] = i % 2 ? take(other, SIZE) : make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
        ck_ok(trm_fill(other, trm_span_whole(thief[i]), 0xEE, 1));
    }
    ck_ok(trm_stream_sync(other)); /* which it does not wait for */
    if (hold_works())
        ck_status(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_buffer_pattern(the.stream, kept, SIZE, 2);
    for (int i = 0; i < 20; i++)
        trm_buffer_destroy(thief[i]);
    trm_buffer_destroy(kept);
}
END_TEST

/* The stream that frees has no dependency on the other's work: work in flight retains the memory that it
 * uses. */
START_TEST(memory_freed_on_one_stream_waits_for_the_work_of_the_others_on_it)
{
    struct trm_stream *other  = make_stream(the.device);
    struct trm_buffer *kept   = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE), *thief[10];
    struct trm_buffer *source = take(the.stream, SIZE);
    put_pattern(the.stream, source, SIZE, 6);
    struct hold *hold = hold_begin(other);
    ck_ok(trm_copy(other, trm_span_whole(kept), trm_span_whole(source)));
    ck_ok(trm_stream_free(the.stream, source));
    for (int i = 0; i < 10; i++) {
        thief[i] = take(the.stream, SIZE);
        ck_ok(trm_fill(the.stream, trm_span_whole(thief[i]), 0xEE, 1));
    }
    ck_ok(trm_stream_sync(the.stream));
    hold_end(hold);
    ck_buffer_pattern(other, kept, SIZE, 6);
    for (int i = 0; i < 10; i++)
        ck_ok(trm_stream_free(the.stream, thief[i]));
    trm_buffer_destroy(kept);
}
END_TEST

/* The stream reuses the memory while its earlier work still reads it; no other stream may. */
START_TEST(memory_used_again_early_is_not_given_on_before_the_earlier_work_is_done)
{
    struct trm_stream *other  = make_stream(the.device);
    struct trm_buffer *kept   = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE), *thief[10];
    struct trm_buffer *source = take(the.stream, SIZE);
    put_pattern(the.stream, source, SIZE, 7);
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_copy(the.stream, trm_span_whole(kept), trm_span_whole(source)));
    ck_ok(trm_stream_free(the.stream, source));
    trm_buffer_destroy(take(the.stream, SIZE));
    for (int i = 0; i < 10; i++) {
        thief[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
        ck_ok(trm_fill(other, trm_span_whole(thief[i]), 0xEE, 1));
    }
    ck_ok(trm_stream_sync(other));
    hold_end(hold);
    ck_buffer_pattern(the.stream, kept, SIZE, 7);
    for (int i = 0; i < 10; i++)
        trm_buffer_destroy(thief[i]);
    trm_buffer_destroy(kept);
}
END_TEST

START_TEST(memory_used_again_early_is_mapped_when_the_earlier_work_is_done)
{
    struct trm_buffer *kept   = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *source = take(the.stream, SIZE);
    void *pointer             = NULL;
    put_pattern(the.stream, source, SIZE, 8);
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_copy(the.stream, trm_span_whole(kept), trm_span_whole(source)));
    ck_ok(trm_stream_free(the.stream, source));
    struct trm_buffer *again = take(the.stream, SIZE);
    hold_end_after(hold, 20);
    ck_ok(trm_buffer_map(again, TRM_MAP_WRITE, &pointer));
    memset(pointer, 0xEE, SIZE);
    ck_ok(trm_buffer_unmap(again));
    ck_buffer_pattern(the.stream, kept, SIZE, 8);
    trm_buffer_destroy(again);
    trm_buffer_destroy(kept);
}
END_TEST

START_TEST(memory_freed_on_a_stream_is_given_to_another_when_the_work_is_done)
{
    struct trm_stream *other = make_stream(the.device);
    for (int i = 0; i < 10; i++) {
        struct trm_buffer *buffer = take(the.stream, SIZE);
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 1));
        ck_ok(trm_stream_free(the.stream, buffer));
        ck_ok(trm_stream_sync(the.stream));
        struct trm_pool_stats before = stats_of(the.device);
        buffer                       = take(other, SIZE);
        ck_ok(trm_stream_free(other, buffer));
        ck_ok(trm_stream_sync(other));
        struct trm_pool_stats after = stats_of(the.device);
        ck_assert_uint_eq(after.reuses, before.reuses + 1);
        ck_assert_uint_eq(after.driver_allocations, before.driver_allocations);
    }
}
END_TEST

START_TEST(another_stream_may_use_the_memory_after_waiting_for_a_point)
{
    struct trm_stream *other = make_stream(the.device);
    static uint8_t found[SIZE];
    struct trm_point allocated, used;
    for (uint32_t i = 0; i < 20; i++) {
        struct trm_buffer *buffer = take(the.stream, SIZE);
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 1));
        ck_ok(trm_stream_mark(the.stream, &allocated));
        ck_ok(trm_stream_wait(other, allocated));
        ck_ok(trm_download(other, found, trm_span_whole(buffer)));
        ck_ok(trm_stream_mark(other, &used));
        ck_ok(trm_stream_wait(the.stream, used));
        ck_ok(trm_stream_free(the.stream, buffer));
        ck_ok(trm_stream_sync(the.stream));
        for (size_t b = 0; b < SIZE; b++)
            if (found[b] != i)
                ck_abort_msg("byte %zu is %u in round %u", b, found[b], i);
    }
}
END_TEST

START_TEST(memory_may_be_freed_on_another_stream_than_it_was_allocated_on)
{
    struct trm_stream *other = make_stream(the.device);
    struct trm_buffer *keep  = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_point point;
    for (uint32_t i = 0; i < 20; i++) {
        struct trm_buffer *buffer = take(the.stream, SIZE);
        put_pattern(the.stream, buffer, SIZE, i);
        ck_ok(trm_stream_mark(the.stream, &point));
        ck_ok(trm_stream_wait(other, point));
        ck_ok(trm_copy(other, trm_span_whole(keep), trm_span_whole(buffer)));
        ck_ok(trm_stream_free(other, buffer));
        ck_buffer_pattern(other, keep, SIZE, i);
    }
    trm_buffer_destroy(keep);
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(stats_of(the.device).used_bytes, 0);
}
END_TEST

/* ---- handles ---- */

START_TEST(a_buffer_freed_in_stream_order_is_gone_at_once)
{
    struct trm_buffer *buffer = take(the.stream, SIZE);
    uint64_t size             = 0;
    uint8_t byte              = 0;
    ck_ok(trm_stream_free(the.stream, buffer));
    ck_status(trm_buffer_size(buffer, &size), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_upload(the.stream, trm_span_of(buffer, 0, 1), &byte), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_stream_free(the.stream, buffer), TRM_ERROR_INVALID_HANDLE);
    trm_buffer_destroy(buffer);
    ck_refused(trm_stream_free(the.stream, NULL));
}
END_TEST

START_TEST(a_retained_buffer_is_not_freed_in_stream_order)
{
    struct trm_buffer *buffer = take(the.stream, SIZE);
    put_pattern(the.stream, buffer, SIZE, 3);
    ck_ok(trm_buffer_retain(buffer));
    ck_status(trm_stream_free(the.stream, buffer), TRM_ERROR_BUSY);
    ck_buffer_pattern(the.stream, buffer, SIZE, 3);
    trm_buffer_destroy(buffer);
    ck_ok(trm_stream_free(the.stream, buffer));
}
END_TEST

START_TEST(buffers_of_both_makes_can_be_freed_both_ways)
{
    struct trm_buffer *ordered = take(the.stream, SIZE);
    ck_ok(trm_fill(the.stream, trm_span_whole(ordered), 1, 1));
    trm_buffer_destroy(ordered);
    for (int k = 0; k < 4; k++) {
        struct trm_buffer *plain = make_buffer(the.device, all_kinds[k], SIZE);
        if (!plain)
            continue;
        ck_ok(trm_fill(the.stream, trm_span_whole(plain), 1, 1));
        ck_ok(trm_stream_free(the.stream, plain));
    }
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(stats_of(the.device).used_bytes, 0);
}
END_TEST

void add_stream_memory(Suite *suite)
{
    TCase *group = group_make(suite, "stream_memory");
    CASE(group, memory_allocated_in_stream_order_is_device_memory_of_that_size);
    CASE(group, no_bytes_can_be_allocated_and_freed_in_stream_order);
    CASE(group, more_than_the_device_has_cannot_be_allocated_in_stream_order);
    CASE(group, memory_freed_on_a_stream_is_used_again_there_without_waiting);
    CASE(group, memory_freed_on_a_stream_is_not_given_to_another_while_work_uses_it);
    CASE(group, memory_freed_on_one_stream_waits_for_the_work_of_the_others_on_it);
    CASE(group, memory_used_again_early_is_not_given_on_before_the_earlier_work_is_done);
    CASE(group, memory_used_again_early_is_mapped_when_the_earlier_work_is_done);
    CASE(group, memory_freed_on_a_stream_is_given_to_another_when_the_work_is_done);
    CASE(group, another_stream_may_use_the_memory_after_waiting_for_a_point);
    CASE(group, memory_may_be_freed_on_another_stream_than_it_was_allocated_on);
    CASE(group, a_buffer_freed_in_stream_order_is_gone_at_once);
    CASE(group, a_retained_buffer_is_not_freed_in_stream_order);
    CASE(group, buffers_of_both_makes_can_be_freed_both_ways);
}
