/* Events: recording, moving, waiting, outliving their streams, and the time between two.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

#define MILLISECOND 1000000u

static struct trm_event *make_event(uint32_t flags)
{
    struct trm_event *event = NULL;
    ck_ok(trm_event_create(the.device, flags, &event));
    ck_assert_ptr_nonnull(event);
    return event;
}

static bool nothing_held(void)
{
    if (hold_works())
        return false;
    skip("its streams cannot be held");
    return true;
}

/* ---- never recorded ---- */

START_TEST(an_event_that_was_never_recorded_counts_as_reached)
{
    struct trm_event *event = make_event(0);
    struct trm_point point  = {NULL, 77};
    ck_ok(trm_event_done(event));
    ck_ok(trm_event_wait(event, 0));
    ck_ok(trm_event_wait(event, TRM_FOREVER));
    ck_ok(trm_stream_wait_event(the.stream, event));
    ck_ok(trm_stream_sync(the.stream));
    ck_status(trm_event_point(event, &point), TRM_ERROR_NOT_FOUND);
    ck_assert_uint_eq(point.value, 77);
    trm_event_destroy(event);
}
END_TEST

START_TEST(flags_of_an_event_that_mean_nothing_are_refused)
{
    struct trm_event *event = NULL;
    ck_status(trm_event_create(the.device, 1u << 31, &event), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_event_create(the.device, 2, &event), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(event);
    ck_ok(trm_event_create(the.device, TRM_EVENT_TIMING, &event));
    trm_event_destroy(event);
}
END_TEST

/* ---- recorded ---- */

START_TEST(an_event_holds_the_place_where_it_was_recorded)
{
    const uint32_t flags[] = {0, TRM_EVENT_TIMING};
    for (int i = 0; i < 2; i++) {
        struct trm_event *event = make_event(flags[i]);
        struct hold *hold       = hold_begin(the.stream);
        struct trm_point point  = {NULL, 0};
        ck_ok(trm_event_record(event, the.stream));
        ck_ok(trm_event_point(event, &point));
        ck_assert_ptr_eq(point.stream, the.stream);
        if (hold) {
            ck_status(trm_event_done(event), TRM_ERROR_TIMEOUT);
            ck_status(trm_event_wait(event, 0), TRM_ERROR_TIMEOUT);
            ck_status(trm_event_wait(event, MILLISECOND), TRM_ERROR_TIMEOUT);
            ck_status(trm_point_done(point), TRM_ERROR_TIMEOUT);
        }
        hold_end_after(hold, 20);
        ck_ok(trm_event_wait(event, TRM_FOREVER));
        ck_ok(trm_event_done(event));
        ck_ok(trm_point_done(point));
        trm_event_destroy(event);
    }
}
END_TEST

START_TEST(an_event_does_not_wait_for_what_comes_after_it)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_event *event   = make_event(0);
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 1));
    ck_ok(trm_event_record(event, the.stream));
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_event_wait(event, TRM_FOREVER));
    if (hold)
        ck_status(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_stream_sync(the.stream));
    trm_event_destroy(event);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(recording_again_moves_an_event)
{
    struct trm_event *event = make_event(0);
    struct trm_point first = {NULL, 0}, second = {NULL, 0};
    ck_ok(trm_event_record(event, the.stream));
    ck_ok(trm_event_point(event, &first));
    ck_ok(trm_event_wait(event, TRM_FOREVER));
    struct hold *hold = hold_begin(the.stream);
    if (hold)
        ck_ok(trm_event_done(event)); /* not moved yet */
    ck_ok(trm_event_record(event, the.stream));
    ck_ok(trm_event_point(event, &second));
    ck_assert_uint_ge(second.value, first.value);
    if (hold) {
        ck_status(trm_event_done(event), TRM_ERROR_TIMEOUT);
        ck_ok(trm_point_done(first));
    }
    hold_end(hold);
    ck_ok(trm_event_wait(event, TRM_FOREVER));
    trm_event_destroy(event);
}
END_TEST

START_TEST(recording_on_another_stream_moves_an_event_there)
{
    if (nothing_held())
        return;
    struct trm_stream *second = make_stream(the.device);
    struct trm_event *event   = make_event(0);
    struct hold *hold         = hold_begin(the.stream);
    ck_ok(trm_event_record(event, the.stream));
    ck_status(trm_event_done(event), TRM_ERROR_TIMEOUT);
    ck_ok(trm_event_record(event, second));
    ck_ok(trm_event_wait(event, TRM_FOREVER));
    ck_status(trm_stream_query(the.stream), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    trm_event_destroy(event);
}
END_TEST

START_TEST(a_stream_waits_for_the_place_that_an_event_held_when_it_was_asked)
{
    if (nothing_held())
        return;
    struct trm_stream *second = make_stream(the.device), *third = make_stream(the.device);
    struct trm_event *event = make_event(0);
    struct trm_point point;
    struct hold *hold = hold_begin(second);
    ck_ok(trm_event_record(event, second));
    ck_ok(trm_stream_wait_event(third, event));
    ck_ok(trm_stream_mark(third, &point));
    ck_ok(trm_event_record(event, the.stream)); /* the third stream goes on waiting for the second */
    ck_ok(trm_event_wait(event, TRM_FOREVER));
    ck_status(trm_point_wait(point, 10 * MILLISECOND), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_stream_sync(third));
    trm_event_destroy(event);
}
END_TEST

START_TEST(an_event_orders_two_streams)
{
    struct trm_stream *second = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 40000);
    struct trm_event *ping = make_event(0), *pong = make_event(0);
    static uint8_t sent[40000], got[40000];
    for (unsigned i = 0; i < scaled(500, 50); i++) {
        pattern_make(sent, sizeof(sent), i);
        ck_ok(trm_upload(the.stream, trm_span_whole(buffer), sent));
        ck_ok(trm_event_record(ping, the.stream));
        ck_ok(trm_stream_wait_event(second, ping));
        ck_ok(trm_download(second, got, trm_span_whole(buffer)));
        ck_ok(trm_event_record(pong, second));
        ck_ok(trm_stream_wait_event(the.stream, pong));
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 0, 1));
        ck_ok(trm_event_wait(pong, TRM_FOREVER));
        ck_pattern(got, sizeof(got), i);
    }
    trm_event_destroy(ping);
    trm_event_destroy(pong);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- lives ---- */

START_TEST(an_event_may_be_destroyed_before_it_is_reached)
{
    struct trm_stream *second = make_stream(the.device);
    for (unsigned i = 0; i < scaled(50, 10); i++) {
        struct trm_event *event = make_event(i % 2 ? TRM_EVENT_TIMING : 0);
        struct hold *hold       = hold_begin(the.stream);
        ck_ok(trm_event_record(event, the.stream));
        ck_ok(trm_stream_wait_event(second, event));
        trm_event_destroy(event);
        if (hold)
            ck_status(trm_stream_query(second), TRM_ERROR_TIMEOUT);
        hold_end(hold);
        ck_ok(trm_stream_sync(second));
    }
}
END_TEST

START_TEST(an_event_outlives_its_stream)
{
    struct trm_event *start = make_event(TRM_EVENT_TIMING), *end = make_event(TRM_EVENT_TIMING);
    struct trm_event *plain   = make_event(0);
    struct trm_stream *stream = NULL;
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    int64_t nanoseconds       = -1;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_event_record(start, stream));
    ck_ok(trm_fill(stream, trm_span_whole(buffer), 1, 1));
    ck_ok(trm_event_record(plain, stream));
    ck_ok(trm_event_record(end, stream));
    trm_stream_destroy(stream);
    ck_ok(trm_event_done(plain));
    ck_ok(trm_event_wait(plain, TRM_FOREVER));
    ck_ok(trm_stream_wait_event(the.stream, plain));
    ck_ok(trm_event_elapsed(start, end, &nanoseconds));
    ck_assert_int_ge(nanoseconds, 0);
    ck_ok(trm_event_record(plain, the.stream)); /* and can be used again */
    ck_ok(trm_event_wait(plain, TRM_FOREVER));
    trm_event_destroy(plain);
    trm_event_destroy(start);
    trm_event_destroy(end);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(an_event_of_a_failed_stream_gives_its_failure_even_when_the_stream_is_gone)
{
    if (functions_missing() || nothing_held())
        return;
    struct trm_event *event   = make_event(0);
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    struct hold *hold = hold_begin(stream);
    fail_stream(stream, 51);
    ck_ok(trm_event_record(event, stream));
    hold_end(hold);
    ck_status(trm_event_wait(event, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_last_error().native_code, 51);
    ck_status(trm_event_done(event), TRM_ERROR_KERNEL);
    trm_stream_destroy(stream);
    ck_status(trm_event_done(event), TRM_ERROR_KERNEL);
    ck_status(trm_event_wait(event, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_last_error().native_code, 51);
    ck_ok(trm_event_record(event, the.stream)); /* moved to a sound stream it is well again */
    ck_ok(trm_event_wait(event, TRM_FOREVER));
    trm_event_destroy(event);
}
END_TEST

START_TEST(tens_of_thousands_of_events_live_at_once)
{
    unsigned count            = scaled(50000, 2000);
    struct trm_event **events = calloc(count, sizeof(struct trm_event *));
    ck_assert_ptr_nonnull(events);
    for (unsigned i = 0; i < count; i++)
        ck_ok(trm_event_create(the.device, 0, &events[i]));
    struct hold *hold = hold_begin(the.stream);
    for (unsigned i = 0; i < count; i++)
        ck_ok(trm_event_record(events[i], the.stream));
    if (hold)
        ck_status(trm_event_done(events[count / 2]), TRM_ERROR_TIMEOUT);
    hold_end(hold);
    ck_ok(trm_event_wait(events[count - 1], TRM_FOREVER));
    for (unsigned i = 0; i < count; i++)
        ck_ok(trm_event_done(events[i]));
    for (unsigned i = 0; i < count; i++)
        trm_event_destroy(events[i]);
    free(events);
}
END_TEST

START_TEST(an_event_is_recorded_again_and_again)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_event *plain = make_event(0), *timed = make_event(TRM_EVENT_TIMING);
    for (unsigned i = 0; i < scaled(20000, 1000); i++) {
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), i, 1));
        ck_ok(trm_event_record(plain, the.stream));
        ck_ok(trm_event_record(timed, the.stream));
        if (i % 1000 == 0)
            ck_ok(trm_event_wait(timed, TRM_FOREVER));
    }
    ck_ok(trm_event_wait(timed, TRM_FOREVER));
    ck_ok(trm_event_done(plain));
    trm_event_destroy(plain);
    trm_event_destroy(timed);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- of two devices ---- */

START_TEST(an_event_without_timing_may_be_recorded_on_another_device)
{
    struct trm_device *device = second_device();
    struct trm_stream *second = make_stream(device);
    struct trm_event *plain = make_event(0), *timed = make_event(TRM_EVENT_TIMING);
    ck_ok(trm_event_record(plain, second));
    ck_ok(trm_stream_wait_event(the.stream, plain));
    ck_ok(trm_event_wait(plain, TRM_FOREVER));
    ck_ok(trm_stream_sync(the.stream));
    ck_status(trm_event_record(timed, second), TRM_ERROR_WRONG_DEVICE);
    ck_ok(trm_event_record(timed, the.stream));
    ck_ok(trm_event_wait(timed, TRM_FOREVER));
    trm_event_destroy(plain);
    trm_event_destroy(timed);
}
END_TEST

/* ---- the time between two ---- */

START_TEST(time_goes_on_between_two_events)
{
    struct trm_event *events[3];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1 << 20);
    int64_t first = -1, second = -1, both = -1, back = 1, none = 1;
    for (int i = 0; i < 3; i++) {
        events[i] = make_event(TRM_EVENT_TIMING);
        ck_ok(trm_event_record(events[i], the.stream));
        ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 1, 1));
    }
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_event_elapsed(events[0], events[1], &first));
    ck_ok(trm_event_elapsed(events[1], events[2], &second));
    ck_ok(trm_event_elapsed(events[0], events[2], &both));
    ck_ok(trm_event_elapsed(events[2], events[0], &back));
    ck_ok(trm_event_elapsed(events[1], events[1], &none));
    ck_assert_int_ge(first, 0);
    ck_assert_int_ge(second, 0);
    ck_assert_int_eq(first + second, both);
    ck_assert_int_eq(back, -both);
    ck_assert_int_eq(none, 0);
    ck_assert_int_lt(both, (int64_t)LONG_NS * 6);
    for (int i = 0; i < 3; i++)
        trm_event_destroy(events[i]);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(the_time_between_two_events_holds_what_the_stream_did)
{
    if (kernels_missing())
        return;
    struct trm_event *start = make_event(TRM_EVENT_TIMING), *end = make_event(TRM_EVENT_TIMING);
    struct trm_grid grid = trm_grid_1d(1, 1);
    int64_t nanoseconds = -1, least = 0;
    for (unsigned i = 0; i < ATTEMPTS && nanoseconds < least; i++) {
        struct trm_argument argument = trm_arg_u32(dawdle_us(20, i));
        least                        = dawdle_least_ns(20, i);
        ck_ok(trm_event_record(start, the.stream));
        ck_ok(trm_launch(the.stream, kernel("dawdle"), &grid, &argument, 1));
        ck_ok(trm_event_record(end, the.stream));
        ck_ok(trm_event_wait(end, TRM_FOREVER));
        ck_ok(trm_event_elapsed(start, end, &nanoseconds));
    }
    ck_assert_int_ge(nanoseconds, least); /* it slept so long at least */
    trm_event_destroy(start);
    trm_event_destroy(end);
}
END_TEST

START_TEST(there_is_no_time_between_events_that_are_not_timed)
{
    struct trm_event *plain = make_event(0), *timed = make_event(TRM_EVENT_TIMING);
    struct trm_event *fresh = make_event(TRM_EVENT_TIMING);
    int64_t nanoseconds     = 77;
    ck_ok(trm_event_record(plain, the.stream));
    ck_ok(trm_event_record(timed, the.stream));
    ck_ok(trm_stream_sync(the.stream));
    ck_status(trm_event_elapsed(plain, timed, &nanoseconds), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_event_elapsed(timed, plain, &nanoseconds), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_event_elapsed(timed, fresh, &nanoseconds), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_event_elapsed(fresh, timed, &nanoseconds), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_event_elapsed(timed, timed, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(nanoseconds, 77);
    trm_event_destroy(fresh);
    trm_event_destroy(plain);
    trm_event_destroy(timed);
}
END_TEST

START_TEST(there_is_no_time_yet_before_both_events_are_reached)
{
    if (nothing_held())
        return;
    struct trm_event *start = make_event(TRM_EVENT_TIMING), *end = make_event(TRM_EVENT_TIMING);
    int64_t nanoseconds = 77;
    ck_ok(trm_event_record(start, the.stream));
    ck_ok(trm_event_wait(start, TRM_FOREVER));
    struct hold *hold = hold_begin(the.stream);
    ck_ok(trm_event_record(end, the.stream));
    ck_status(trm_event_elapsed(start, end, &nanoseconds), TRM_ERROR_TIMEOUT);
    ck_status(trm_event_elapsed(end, start, &nanoseconds), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(nanoseconds, 77);
    sleep_ms(20);
    hold_end(hold);
    ck_ok(trm_event_wait(end, TRM_FOREVER));
    ck_ok(trm_event_elapsed(start, end, &nanoseconds));
    ck_assert_int_ge(nanoseconds,
                     19 * (int64_t)MILLISECOND); /* the stream stood still for so long at least */
    trm_event_destroy(start);
    trm_event_destroy(end);
}
END_TEST

START_TEST(there_is_no_time_between_events_of_two_devices)
{
    struct trm_device *device = second_device();
    struct trm_stream *second = make_stream(device);
    struct trm_event *here = make_event(TRM_EVENT_TIMING), *there = NULL;
    int64_t nanoseconds = 77;
    ck_ok(trm_event_create(device, TRM_EVENT_TIMING, &there));
    ck_ok(trm_event_record(here, the.stream));
    ck_ok(trm_event_record(there, second));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_stream_sync(second));
    ck_status(trm_event_elapsed(here, there, &nanoseconds), TRM_ERROR_WRONG_DEVICE);
    ck_assert_int_eq(nanoseconds, 77);
    trm_event_destroy(here);
    trm_event_destroy(there);
}
END_TEST

void add_event(Suite *suite)
{
    TCase *group = group_make(suite, "events");
    CASE(group, an_event_that_was_never_recorded_counts_as_reached);
    CASE(group, flags_of_an_event_that_mean_nothing_are_refused);
    CASE(group, an_event_holds_the_place_where_it_was_recorded);
    CASE(group, an_event_does_not_wait_for_what_comes_after_it);
    CASE(group, recording_again_moves_an_event);
    CASE(group, recording_on_another_stream_moves_an_event_there);
    CASE(group, a_stream_waits_for_the_place_that_an_event_held_when_it_was_asked);
    CASE(group, an_event_orders_two_streams);
    CASE(group, an_event_may_be_destroyed_before_it_is_reached);
    CASE(group, an_event_outlives_its_stream);
    CASE(group, an_event_of_a_failed_stream_gives_its_failure_even_when_the_stream_is_gone);
    CASE(group, tens_of_thousands_of_events_live_at_once);
    CASE(group, an_event_is_recorded_again_and_again);
    CASE(group, an_event_without_timing_may_be_recorded_on_another_device);

    group = group_make(suite, "time between events");
    CASE(group, time_goes_on_between_two_events);
    CASE(group, the_time_between_two_events_holds_what_the_stream_did);
    CASE(group, there_is_no_time_between_events_that_are_not_timed);
    CASE(group, there_is_no_time_yet_before_both_events_are_reached);
    CASE(group, there_is_no_time_between_events_of_two_devices);
}
