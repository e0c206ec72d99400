/* Barriers: every stream waits for the work that all of them were given before.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"

#include <stdatomic.h>

#define MILLISECOND 1000000u

static void set_flag(void *user, int32_t status)
{
    (void)status;
    atomic_store((atomic_int *)user, 1);
}

START_TEST(a_barrier_of_no_streams_does_nothing)
{
    ck_ok(trm_stream_barrier(NULL, 0));
    ck_ok(trm_stream_barrier(&the.stream, 0));
}
END_TEST

START_TEST(a_barrier_of_one_stream_changes_nothing)
{
    struct trm_stream *twice[] = {the.stream, the.stream};
    struct trm_buffer *buffer  = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    ck_ok(trm_stream_barrier(&the.stream, 1));
    put_pattern(the.stream, buffer, 1000, 1);
    ck_ok(trm_stream_barrier(&the.stream, 1));
    ck_ok(trm_stream_barrier(twice, 2));
    ck_buffer_pattern(the.stream, buffer, 1000, 1);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(after_a_barrier_every_stream_waits_for_the_held_one)
{
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    enum {
        STREAMS = 6
    };
    struct trm_stream *streams[STREAMS];
    struct trm_point before[STREAMS], after[STREAMS];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    for (int i = 0; i < STREAMS; i++)
        streams[i] = make_stream(the.device);
    struct hold *hold = hold_begin(streams[2]);
    for (int i = 0; i < STREAMS; i++) {
        ck_ok(trm_fill(streams[i], trm_span_of(buffer, (uint64_t)i, 1), 1, 1));
        ck_ok(trm_stream_mark(streams[i], &before[i]));
    }
    ck_ok(trm_stream_barrier(streams, STREAMS));
    for (int i = 0; i < STREAMS; i++) {
        ck_ok(trm_fill(streams[i], trm_span_of(buffer, (uint64_t)i, 1), 2, 1));
        ck_ok(trm_stream_mark(streams[i], &after[i]));
    }
    for (int i = 0; i < STREAMS; i++) {
        if (i != 2)
            ck_ok(trm_point_wait(before[i], TRM_FOREVER)); /* what was before the barrier goes on */
        ck_status(trm_point_wait(after[i], MILLISECOND), TRM_ERROR_TIMEOUT);
    }
    hold_end(hold);
    ck_ok(trm_wait_all(after, STREAMS, TRM_FOREVER));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(after_a_barrier_of_two_streams_each_waits_for_the_other)
{
    struct trm_stream *streams[] = {make_stream(the.device), make_stream(the.device)};
    struct trm_point after[2];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    for (int held = 0; held < 2; held++) {
        if (!hold_works()) {
            skip("its streams cannot be held");
            break;
        }
        struct hold *hold = hold_begin(streams[held]);
        ck_ok(trm_stream_barrier(streams, 2));
        for (int i = 0; i < 2; i++) {
            ck_ok(trm_fill(streams[i], trm_span_of(buffer, (uint64_t)i * 4, 4), 2, 1));
            ck_ok(trm_stream_mark(streams[i], &after[i]));
        }
        for (int i = 0; i < 2; i++)
            ck_status(trm_point_wait(after[i], MILLISECOND), TRM_ERROR_TIMEOUT);
        hold_end(hold);
        ck_ok(trm_wait_all(after, 2, TRM_FOREVER));
    }
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_barrier_makes_all_earlier_work_of_all_streams_seen_by_all)
{
    enum {
        STREAMS = 8,
        BYTES   = 2000
    };
    struct trm_stream *streams[STREAMS];
    struct trm_buffer *from[STREAMS], *to[STREAMS];
    static uint8_t sent[STREAMS][BYTES], got[STREAMS][BYTES];
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = make_stream(the.device);
        from[i]    = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
        to[i]      = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    }
    for (uint32_t round = 0; round < scaled(300, 20); round++) {
        for (uint32_t i = 0; i < STREAMS; i++) {
            pattern_make(sent[i], BYTES, round * STREAMS + i);
            ck_ok(trm_upload(streams[i], trm_span_whole(from[i]), sent[i]));
        }
        ck_ok(trm_stream_barrier(streams, STREAMS));
        for (uint32_t i = 0; i < STREAMS; i++) /* of the neighbour's */
            ck_ok(trm_copy(streams[i], trm_span_whole(to[i]), trm_span_whole(from[(i + round) % STREAMS])));
        ck_ok(trm_stream_barrier(streams, STREAMS));
        for (uint32_t i = 0; i < STREAMS; i++) {
            ck_ok(trm_fill(streams[(i + 1) % STREAMS], trm_span_whole(from[i]), 0, 1));
            ck_ok(trm_download(streams[(i + 3) % STREAMS], got[i], trm_span_whole(to[i])));
        }
        ck_ok(trm_stream_barrier(streams, STREAMS));
        ck_ok(trm_stream_sync(streams[round % STREAMS])); /* any of them stands for all */
        for (uint32_t i = 0; i < STREAMS; i++)
            ck_pattern(got[i], BYTES, round * STREAMS + (i + round) % STREAMS);
    }
    for (int i = 0; i < STREAMS; i++) {
        trm_buffer_destroy(from[i]);
        trm_buffer_destroy(to[i]);
    }
}
END_TEST

START_TEST(a_barrier_spans_two_devices)
{
    struct trm_device *device    = second_device();
    struct trm_stream *streams[] = {make_stream(the.device), make_stream(device)};
    for (unsigned i = 0; i < scaled(20, 5); i++) {
        atomic_int flags[2] = {0, 0};
        ck_ok(trm_stream_callback(streams[0], set_flag, &flags[0]));
        ck_ok(trm_stream_callback(streams[1], set_flag, &flags[1]));
        ck_ok(trm_stream_barrier(streams, 2));
        ck_ok(trm_stream_sync(streams[i % 2]));
        ck_assert_int_eq(atomic_load(&flags[0]) + atomic_load(&flags[1]), 2);
        ck_ok(trm_stream_sync(streams[1 - i % 2]));
    }
}
END_TEST

START_TEST(a_barrier_of_a_hundred_streams)
{
    enum {
        STREAMS = 100
    };
    struct trm_stream *streams[STREAMS];
    atomic_int flags[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = make_stream(the.device);
        atomic_init(&flags[i], 0);
        ck_ok(trm_stream_callback(streams[i], set_flag, &flags[i]));
    }
    ck_ok(trm_stream_barrier(streams, STREAMS));
    ck_ok(trm_stream_sync(streams[STREAMS - 1]));
    for (int i = 0; i < STREAMS; i++)
        ck_assert_int_eq(atomic_load(&flags[i]), 1);
}
END_TEST

START_TEST(a_barrier_with_a_stale_stream_is_refused)
{
    struct trm_stream *streams[3] = {make_stream(the.device), NULL, make_stream(the.device)};
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &streams[1]));
    trm_stream_destroy(streams[1]);
    ck_status(trm_stream_barrier(streams, 3), TRM_ERROR_INVALID_HANDLE);
    streams[1] = NULL;
    ck_refused(trm_stream_barrier(streams, 3));
    ck_ok(trm_stream_sync(streams[0]));
    ck_ok(trm_stream_sync(streams[2]));
    streams[1] = streams[0];
    ck_ok(trm_stream_barrier(streams, 3));
    ck_ok(trm_stream_sync(streams[2]));
}
END_TEST

void add_barrier(Suite *suite)
{
    TCase *group = group_make(suite, "barriers");
    CASE(group, a_barrier_of_no_streams_does_nothing);
    CASE(group, a_barrier_of_one_stream_changes_nothing);
    CASE(group, after_a_barrier_every_stream_waits_for_the_held_one);
    CASE(group, after_a_barrier_of_two_streams_each_waits_for_the_other);
    CASE(group, a_barrier_makes_all_earlier_work_of_all_streams_seen_by_all);
    CASE(group, a_barrier_spans_two_devices);
    CASE(group, a_barrier_of_a_hundred_streams);
    CASE(group, a_barrier_with_a_stale_stream_is_refused);
}
