/* The pools behind all device memory: statistics, trimming, the threshold, streams that end.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

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

/* ---- statistics, trimming ---- */

START_TEST(statistics_add_up_from_the_first_buffer_to_the_last)
{
    struct trm_pool_stats before = stats_of(the.device);
    struct trm_buffer *buffers[60];
    uint64_t asked = 0;
    for (unsigned i = 0; i < 60; i++) {
        uint64_t size = 100 + i * 777;
        buffers[i]    = i % 2 ? take(the.stream, size) : make_buffer(the.device, TRM_MEMORY_DEVICE, size);
        asked += size;
        ck_assert_uint_ge(stats_of(the.device).used_bytes, before.used_bytes + asked);
    }
    struct trm_pool_stats amid = stats_of(the.device);
    ck_assert_uint_eq(amid.allocations, before.allocations + 60);
    ck_assert_uint_ge(amid.driver_allocations, 1);
    ck_assert_msg(amid.used_bytes <= before.used_bytes + 2 * asked, "more is lost to rounding than is used");
    for (unsigned i = 0; i < 60; i++)
        trm_buffer_destroy(buffers[i]);
    ck_ok(trm_stream_sync(the.stream));

    struct trm_pool_stats after = stats_of(the.device);
    ck_assert_uint_eq(after.used_bytes, before.used_bytes);
    ck_assert_uint_eq(after.peak_used_bytes, amid.peak_used_bytes);
    ck_assert_uint_ge(after.peak_used_bytes, amid.used_bytes);
}
END_TEST

START_TEST(statistics_without_their_size_are_refused)
{
    struct trm_pool_stats stats = {.struct_size = 0};
    ck_status(trm_pool_get_stats(the.device, &stats), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_pool_get_stats(the.device, NULL), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(trimming_gives_cached_memory_back_and_leaves_live_buffers_alone)
{
    struct trm_buffer *live = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE), *dead[30];
    put_pattern(the.stream, live, SIZE, 4);
    for (unsigned i = 0; i < 30; i++)
        dead[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, 300000 + i * 10000);
    for (unsigned i = 0; i < 30; i++)
        trm_buffer_destroy(dead[i]);
    ck_ok(trm_pool_trim(the.device, 0));

    struct trm_pool_stats after = stats_of(the.device);
    uint64_t before_reserved    = after.reserved_bytes;
    ck_assert_uint_gt(after.driver_frees, 0);
    ck_assert_uint_ge(after.used_bytes, SIZE);
    ck_buffer_pattern(the.stream, live, SIZE, 4);
    trm_buffer_destroy(live);
    ck_ok(trm_pool_trim(the.device, 0));
    after = stats_of(the.device);
    ck_assert_uint_eq(after.cached_bytes, 0);
    ck_assert_uint_eq(after.used_bytes, 0);
    ck_assert_uint_lt(after.reserved_bytes, before_reserved);
}
END_TEST

START_TEST(trimming_keeps_at_most_what_it_is_told_to_keep)
{
    struct trm_buffer *buffers[16];
    for (unsigned i = 0; i < 16; i++)
        buffers[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, 1 << 20);
    for (unsigned i = 0; i < 16; i++)
        trm_buffer_destroy(buffers[i]);
    ck_ok(trm_pool_trim(the.device, 8 << 20));
    ck_assert_uint_le(stats_of(the.device).cached_bytes, 8 << 20);
    ck_ok(trm_pool_trim(the.device, UINT64_MAX));
    ck_ok(trm_pool_trim(the.device, 0));
    ck_assert_uint_eq(stats_of(the.device).cached_bytes, 0);
}
END_TEST

START_TEST(trimming_leaves_memory_that_work_still_uses)
{
    struct trm_buffer *kept = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    struct trm_buffer *source, *early;
    source = take(the.stream, SIZE);
    early  = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
    put_pattern(the.stream, source, SIZE, 5);
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_copy(the.stream, trm_span_whole(early), trm_span_whole(source)));
    ck_ok(trm_copy(the.stream, trm_span_whole(kept), trm_span_whole(early)));
    ck_ok(trm_stream_free(the.stream, source));
    trm_buffer_destroy(early);
    ck_ok(trm_pool_trim(the.device, 0));
    hold_end(hold);
    ck_buffer_pattern(the.stream, kept, SIZE, 5);
    trm_buffer_destroy(kept);
}
END_TEST

START_TEST(nothing_stays_cached_above_the_threshold)
{
    struct trm_buffer *buffers[8];
    ck_ok(trm_pool_set_threshold(the.device, 0));
    for (unsigned round = 0; round < 5; round++) {
        for (unsigned i = 0; i < 8; i++)
            buffers[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, 3 << 20);
        for (unsigned i = 0; i < 8; i++)
            trm_buffer_destroy(buffers[i]);
        ck_assert_uint_eq(stats_of(the.device).cached_bytes, 0);
        ck_assert_uint_eq(stats_of(the.device).used_bytes, 0);
    }
    ck_ok(trm_pool_set_threshold(the.device, UINT64_MAX));
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 3 << 20);
    trm_buffer_destroy(buffer);
    ck_assert_uint_ge(stats_of(the.device).cached_bytes, 3 << 20);
}
END_TEST

START_TEST(the_threshold_can_be_given_as_a_setting)
{
    struct trm_setting settings[] = {{"backend", backend_under_test()}, {"pool.threshold", "0"}};
    struct trm_context_desc desc  = {.struct_size   = sizeof(desc),
                                     .flags         = TRM_CONTEXT_NO_CONFIG,
                                     .settings      = settings,
                                     .setting_count = 2};
    struct trm_context *context   = NULL;
    ck_ok(trm_context_create(&desc, &context));
    struct trm_device *device = open_device(context);
    struct trm_buffer *buffer = make_buffer(device, TRM_MEMORY_DEVICE, 5 << 20);
    trm_buffer_destroy(buffer);
    ck_assert_uint_eq(stats_of(device).cached_bytes, 0);
    trm_device_destroy(device);
    trm_context_destroy(context);
}
END_TEST

/* ---- streams that end or fail ---- */

START_TEST(what_a_stream_cached_outlives_it)
{
    struct trm_pool_stats before = stats_of(the.device);
    for (unsigned i = 0; i < 20; i++) {
        struct trm_stream *stream = NULL;
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        struct trm_buffer *buffer = take(stream, 1 << 20), *live = take(stream, SIZE);
        ck_ok(trm_fill(stream, trm_span_whole(buffer), 1, 1));
        ck_ok(trm_fill(stream, trm_span_whole(live), i, 1));
        ck_ok(trm_stream_free(stream, buffer));
        trm_stream_destroy(stream);

        uint8_t first = 0xFF;
        get(the.stream, live, 0, &first, 1);
        ck_assert_uint_eq(first, i);
        trm_buffer_destroy(live);
    }
    struct trm_pool_stats stats = stats_of(the.device);
    uint64_t pieces             = stats.driver_allocations - before.driver_allocations;
    ck_assert_uint_eq(stats.used_bytes, before.used_bytes);
    ck_assert_msg(pieces < 20, "%u pieces were taken from the driver for one buffer at a time",
                  (unsigned)pieces);
}
END_TEST

START_TEST(memory_used_on_a_stream_that_failed_comes_back)
{
    if (functions_missing())
        return;
    struct trm_stream *doomed = make_stream(the.device);
    struct trm_buffer *buffers[4];
    uint64_t before = stats_of(the.device).used_bytes;
    for (int i = 0; i < 4; i++) {
        buffers[i] = make_buffer(the.device, TRM_MEMORY_DEVICE, SIZE);
        ck_ok(trm_fill(doomed, trm_span_whole(buffers[i]), 1, 1));
    }
    fail_stream(doomed, 3);
    ck_status(trm_stream_sync(doomed), TRM_ERROR_KERNEL);
    for (int i = 0; i < 4; i++) {
        if (i % 2)
            trm_stream_free(doomed, buffers[i]); /* may tell of the failure */
        trm_buffer_destroy(buffers[i]);
    }
    ck_assert_uint_eq(stats_of(the.device).used_bytes, before);
}
END_TEST

/* ---- much of it ---- */

struct walker {
    struct trm_buffer *buffer;
    uint64_t size;
    uint32_t seed;
};

START_TEST(a_long_random_walk_of_allocations_keeps_every_buffers_contents)
{
    enum {
        PLACES = 40,
        BYTES  = 30000
    };
    struct walker places[PLACES]  = {{NULL, 0, 0}};
    struct trm_stream *streams[3] = {the.stream, make_stream(the.device), make_stream(the.device)};
    static uint8_t data[BYTES];
    uint32_t random = 77, steps = scaled(4000, 800);
    for (uint32_t step = 0; step < steps; step++) {
        struct walker *walker     = &places[next_random(&random) % PLACES];
        struct trm_stream *stream = streams[next_random(&random) % 3];
        if (walker->buffer) {
            get(stream, walker->buffer, 0, data, walker->size);
            ck_pattern(data, walker->size, walker->seed);
            if (next_random(&random) % 2)
                trm_buffer_destroy(walker->buffer);
            else
                ck_ok(trm_stream_free(stream, walker->buffer));
            walker->buffer = NULL;
            continue;
        }
        walker->size   = 1 + next_random(&random) % BYTES;
        walker->seed   = step;
        walker->buffer = next_random(&random) % 2 ? take(stream, walker->size)
                                                  : make_buffer(the.device, TRM_MEMORY_DEVICE, walker->size);
        put_pattern(stream, walker->buffer, walker->size, step);
        if (step % 500 == 0)
            ck_ok(trm_pool_trim(the.device, 1 << 18));
    }
    for (int i = 0; i < PLACES; i++)
        trm_buffer_destroy(places[i].buffer);
    for (int i = 0; i < 3; i++)
        ck_ok(trm_stream_sync(streams[i]));
    ck_assert_uint_eq(stats_of(the.device).used_bytes, 0);
    ck_ok(trm_pool_trim(the.device, 0));
    ck_assert_uint_eq(stats_of(the.device).cached_bytes, 0);
}
END_TEST

void add_pool(Suite *suite)
{
    TCase *group = group_make(suite, "pool");
    CASE(group, statistics_add_up_from_the_first_buffer_to_the_last);
    CASE(group, statistics_without_their_size_are_refused);
    CASE(group, trimming_gives_cached_memory_back_and_leaves_live_buffers_alone);
    CASE(group, trimming_keeps_at_most_what_it_is_told_to_keep);
    CASE(group, trimming_leaves_memory_that_work_still_uses);
    CASE(group, nothing_stays_cached_above_the_threshold);
    CASE(group, the_threshold_can_be_given_as_a_setting);
    CASE(group, what_a_stream_cached_outlives_it);
    CASE(group, memory_used_on_a_stream_that_failed_comes_back);
    CASE(group, a_long_random_walk_of_allocations_keeps_every_buffers_contents);
}
