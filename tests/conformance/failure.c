/* Asynchronous failures: the first one stays on its stream and propagates along waits.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

#include <pthread.h>

/* What trm_last_error() said when the failure was first reported. */
struct cause {
    int32_t status;
    int64_t native_code;
    char sentence[1024];
};

static struct cause cause_now(void)
{
    struct trm_error error = trm_last_error();
    struct cause cause     = {.status = error.status, .native_code = error.native_code};
    snprintf(cause.sentence, sizeof(cause.sentence), "%s", error.sentence);
    return cause;
}

#define ck_cause(call, cause)                                                                                \
    do {                                                                                                     \
        ck_status(call, (cause).status);                                                                     \
        ck_assert_msg(trm_last_error().native_code == (cause).native_code, "%s: native code %lld, not %lld", \
                      #call, (long long)trm_last_error().native_code, (long long)(cause).native_code);       \
        ck_assert_msg(strcmp(trm_last_error().sentence, (cause).sentence) == 0,                              \
                      "%s says \"%s\" and not, as at first, \"%s\"", #call, trm_last_error().sentence,       \
                      (cause).sentence);                                                                     \
    } while (0)

/* A call that enqueues did not fail itself: it says so, and gives the cause. */
#define ck_earlier_cause(call, cause)                                                               \
    do {                                                                                            \
        struct cause earlier_ = (cause);                                                            \
        snprintf(earlier_.sentence, sizeof(earlier_.sentence), "the stream failed earlier: %.980s", \
                 (cause).sentence);                                                                 \
        ck_cause(call, earlier_);                                                                   \
    } while (0)

static struct cause fail_and_sync(struct trm_stream *stream, int32_t native_code)
{
    fail_stream(stream, native_code);
    ck_status(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    struct cause cause = cause_now();
    ck_assert_int_eq(cause.native_code, native_code);
    return cause;
}

static bool nothing_held(void)
{
    if (hold_works())
        return false;
    skip("its streams cannot be held");
    return true;
}

/* ---- the first failure stays ---- */

START_TEST(a_kernel_that_fails_fails_its_stream_with_its_code)
{
    if (functions_missing())
        return;
    static const int32_t codes[] = {1, -1, 42, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        fail_and_sync(make_stream(the.device), codes[i]);
}
END_TEST

START_TEST(a_kernel_that_succeeds_fails_nothing)
{
    if (functions_missing())
        return;
    struct trm_argument argument = trm_arg_i32(0);
    struct trm_grid grid         = trm_grid_1d(1, 1);
    ck_ok(trm_launch(the.stream, kernel("fail"), &grid, &argument, 1));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_stream_query(the.stream));
}
END_TEST

START_TEST(later_calls_give_the_first_failure_and_those_that_enqueue_say_that_it_came_earlier)
{
    if (functions_missing())
        return;
    static uint8_t host[64];
    struct trm_stream *stream = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_event *event   = NULL;
    struct trm_grid grid      = trm_grid_1d(1, 1);
    struct trm_kernel *count  = kernel("count");
    ck_ok(trm_event_create(the.device, 0, &event));
    struct cause cause = fail_and_sync(stream, 7);
    for (int round = 0; round < 3; round++) {
        ck_refused(trm_buffer_size(NULL, NULL)); /* so that the last error is another one */
        ck_cause(trm_stream_sync(stream), cause);
        ck_cause(trm_stream_query(stream), cause);
        ck_earlier_cause(trm_fill(stream, trm_span_whole(buffer), 1, 1), cause);
        ck_earlier_cause(trm_upload(stream, trm_span_whole(buffer), host), cause);
        ck_earlier_cause(trm_download(stream, host, trm_span_whole(buffer)), cause);
        ck_earlier_cause(trm_launch(stream, count, &grid, NULL, 0), cause);
        ck_earlier_cause(trm_event_record(event, stream), cause);
        ck_cause(trm_device_sync(the.device), cause);
    }
    trm_event_destroy(event);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_second_failure_does_not_replace_the_first)
{
    if (functions_missing())
        return;
    struct trm_stream *stream = make_stream(the.device);
    struct hold *hold         = hold_begin(stream);
    for (int32_t code = 101; code < 120; code++)
        fail_stream(stream, code);
    hold_end(hold);
    ck_status(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    struct cause cause = cause_now();
    ck_assert_int_eq(cause.native_code, 101);
    fail_stream(stream, 120);
    ck_cause(trm_stream_sync(stream), cause);
}
END_TEST

START_TEST(two_streams_fail_each_with_its_own_cause)
{
    if (functions_missing())
        return;
    struct trm_stream *first = make_stream(the.device), *second = make_stream(the.device);
    struct cause one = fail_and_sync(first, 1), two = fail_and_sync(second, 2);
    ck_cause(trm_stream_sync(first), one);
    ck_cause(trm_stream_sync(second), two);
    ck_cause(trm_stream_query(first), one);
}
END_TEST

START_TEST(points_and_events_after_a_failure_give_its_cause)
{
    if (functions_missing() || nothing_held())
        return;
    struct trm_stream *stream = make_stream(the.device);
    struct trm_event *event   = NULL;
    struct trm_point point;
    uint32_t which = 9;
    ck_ok(trm_event_create(the.device, 0, &event));
    struct hold *hold = hold_begin(stream);
    fail_stream(stream, 8);
    ck_ok(trm_stream_mark(stream, &point));
    ck_ok(trm_event_record(event, stream));
    hold_end(hold);
    ck_status(trm_point_wait(point, TRM_FOREVER), TRM_ERROR_KERNEL);
    struct cause cause = cause_now();
    ck_assert_int_eq(cause.native_code, 8);
    ck_cause(trm_point_done(point), cause);
    ck_cause(trm_point_wait(point, 0), cause);
    ck_cause(trm_event_wait(event, TRM_FOREVER), cause);
    ck_cause(trm_event_done(event), cause);
    ck_cause(trm_wait_all(&point, 1, TRM_FOREVER), cause);
    ck_cause(trm_wait_any(&point, 1, TRM_FOREVER, &which), cause);
    ck_assert_uint_eq(which, 0);
    trm_event_destroy(event);
}
END_TEST

struct waiter {
    pthread_t thread;
    struct trm_point point;
    struct cause cause;
    int32_t status;
};

static void *wait_in_thread(void *user)
{
    struct waiter *waiter = user;
    waiter->status        = trm_point_wait(waiter->point, TRM_FOREVER);
    waiter->cause         = cause_now();
    return NULL;
}

START_TEST(every_waiting_thread_is_told_of_the_same_cause)
{
    if (functions_missing() || nothing_held())
        return;
    struct trm_stream *stream = make_stream(the.device);
    static struct waiter waiters[8];
    struct hold *hold = hold_begin(stream);
    fail_stream(stream, 9);
    for (int i = 0; i < 8; i++) {
        ck_ok(trm_stream_mark(stream, &waiters[i].point));
        ck_assert_int_eq(pthread_create(&waiters[i].thread, NULL, wait_in_thread, &waiters[i]), 0);
    }
    hold_end_after(hold, 10);
    for (int i = 0; i < 8; i++) {
        pthread_join(waiters[i].thread, NULL);
        ck_assert_int_eq(waiters[i].status, TRM_ERROR_KERNEL);
        ck_assert_int_eq(waiters[i].cause.native_code, 9);
        ck_assert_str_eq(waiters[i].cause.sentence, waiters[0].cause.sentence);
    }
}
END_TEST

/* ---- along waits ---- */

START_TEST(a_failure_travels_along_a_chain_of_waits)
{
    if (functions_missing() || nothing_held())
        return;
    enum {
        STREAMS = 6
    };
    struct trm_stream *streams[STREAMS];
    struct trm_point point;
    for (int i = 0; i < STREAMS; i++)
        streams[i] = make_stream(the.device);
    struct hold *hold = hold_begin(streams[0]);
    fail_stream(streams[0], 11);
    for (int i = 1; i < STREAMS; i++) {
        ck_ok(trm_stream_mark(streams[i - 1], &point));
        ck_ok(trm_stream_wait(streams[i], point));
    }
    hold_end(hold);
    ck_status(trm_stream_sync(streams[STREAMS - 1]), TRM_ERROR_KERNEL);
    struct cause cause = cause_now();
    ck_assert_int_eq(cause.native_code, 11);
    for (int i = 0; i < STREAMS; i++)
        ck_cause(trm_stream_sync(streams[i]), cause);
}
END_TEST

START_TEST(a_failure_travels_along_events)
{
    if (functions_missing() || nothing_held())
        return;
    struct trm_stream *first = make_stream(the.device), *second = make_stream(the.device);
    struct trm_event *event = NULL;
    ck_ok(trm_event_create(the.device, 0, &event));
    struct hold *hold = hold_begin(first);
    fail_stream(first, 12);
    ck_ok(trm_event_record(event, first));
    ck_ok(trm_stream_wait_event(second, event));
    hold_end(hold);
    ck_status(trm_stream_sync(second), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_last_error().native_code, 12);
    trm_event_destroy(event);
}
END_TEST

START_TEST(a_failure_travels_to_another_device)
{
    if (functions_missing() || nothing_held())
        return;
    struct trm_stream *first = make_stream(the.device), *second = make_stream(second_device());
    struct trm_point point;
    struct hold *hold = hold_begin(first);
    fail_stream(first, 13);
    ck_ok(trm_stream_mark(first, &point));
    hold_end_after(hold, 20);
    int32_t status = trm_stream_wait(second, point); /* may block, and then may report the failure at once */
    ck_assert(status == TRM_OK || status == TRM_ERROR_KERNEL);
    ck_status(trm_stream_sync(second), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_last_error().native_code, 13);
}
END_TEST

START_TEST(waiting_for_a_stream_that_has_failed_already_fails_the_waiter)
{
    if (functions_missing() || nothing_held())
        return;
    struct trm_stream *first = make_stream(the.device), *second = make_stream(the.device);
    struct trm_point point;
    struct hold *hold = hold_begin(first);
    fail_stream(first, 14);
    ck_ok(trm_stream_mark(first, &point));
    hold_end(hold);
    ck_status(trm_point_wait(point, TRM_FOREVER), TRM_ERROR_KERNEL);
    struct cause cause = cause_now();
    int32_t status     = trm_stream_wait(second, point);
    ck_assert(status == TRM_OK || status == TRM_ERROR_KERNEL);
    ck_cause(trm_stream_sync(second), cause);
}
END_TEST

START_TEST(a_stream_that_failed_itself_keeps_its_own_cause)
{
    if (functions_missing() || nothing_held())
        return;
    struct trm_stream *first = make_stream(the.device), *second = make_stream(the.device);
    struct trm_point point;
    struct hold *hold = hold_begin(second);
    fail_stream(second, 21);
    hold_end(hold);
    ck_status(trm_stream_sync(second), TRM_ERROR_KERNEL);
    struct cause cause = cause_now();
    struct hold *again = hold_begin(first);
    fail_stream(first, 22);
    ck_ok(trm_stream_mark(first, &point));
    hold_end(again);
    ck_earlier_cause(trm_stream_wait(second, point), cause);
    ck_cause(trm_stream_sync(second), cause);
    ck_status(trm_stream_sync(first), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_last_error().native_code, 22);
}
END_TEST

START_TEST(a_failure_does_not_travel_without_a_wait)
{
    if (functions_missing())
        return;
    struct trm_stream *failing = make_stream(the.device), *sound = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 10000);
    struct trm_point before;
    ck_ok(trm_fill(sound, trm_span_whole(buffer), 1, 1));
    ck_ok(trm_stream_mark(sound, &before));
    ck_ok(trm_stream_wait(failing, before)); /* a failure does not propagate backwards */
    fail_and_sync(failing, 15);
    ck_ok(trm_point_wait(before, TRM_FOREVER));
    put_pattern(sound, buffer, 10000, 15);
    ck_buffer_pattern(sound, buffer, 10000, 15);
    put_pattern(the.stream, buffer, 10000, 16);
    ck_buffer_pattern(the.stream, buffer, 10000, 16);
    struct trm_stream *fresh = make_stream(the.device);
    put_pattern(fresh, buffer, 10000, 17);
    ck_buffer_pattern(fresh, buffer, 10000, 17);
    ck_ok(trm_stream_query(sound));
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_point_from_before_the_failure_does_not_fail_who_waits_for_it)
{
    if (functions_missing() || nothing_held())
        return;
    struct trm_stream *failing = make_stream(the.device), *sound = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64);
    struct trm_point before;
    ck_ok(trm_fill(failing, trm_span_whole(buffer), 1, 1));
    ck_ok(trm_stream_mark(failing, &before));
    ck_ok(trm_stream_wait(sound, before));
    ck_ok(trm_stream_sync(sound)); /* has passed */
    struct hold *hold = hold_begin(failing);
    fail_stream(failing, 16);
    hold_end(hold);
    ck_status(trm_stream_sync(failing), TRM_ERROR_KERNEL);
    ck_ok(trm_stream_sync(sound));
    ck_ok(trm_fill(sound, trm_span_whole(buffer), 2, 1));
    ck_ok(trm_stream_sync(sound));
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- the work of a failed stream ---- */

START_TEST(what_comes_after_a_failure_is_not_done)
{
    if (functions_missing())
        return;
    enum {
        BYTES = 4096
    };
    static uint8_t got[BYTES];
    struct trm_stream *stream = make_stream(the.device);
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_kernel *count  = kernel("count");
    struct trm_grid grid      = trm_grid_1d(10, 1);
    put_pattern(the.stream, buffer, BYTES, 3);
    unsigned runs     = count_runs();
    struct hold *hold = hold_begin(stream);
    ck_ok(trm_launch(stream, count, &grid, NULL, 0));
    fail_stream(stream, 17);
    int32_t launched = trm_launch(stream, count, &grid, NULL, 0);
    int32_t filled   = trm_fill(stream, trm_span_whole(buffer), 0, 1);
    int32_t read     = trm_download(stream, got, trm_span_whole(buffer));
    /* A held stream cannot fail between these calls; otherwise any of them may report the failure. */
    if (hold_works()) {
        ck_assert_int_eq(filled, launched);
        ck_assert_int_eq(read, launched);
    }
    ck_assert(launched == TRM_OK || launched == TRM_ERROR_KERNEL);
    ck_assert(filled == TRM_ERROR_KERNEL || (filled == TRM_OK && launched == TRM_OK));
    ck_assert(read == TRM_ERROR_KERNEL || (read == TRM_OK && filled == TRM_OK));
    hold_end(hold);
    ck_status(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    ck_assert_uint_eq(count_runs(), runs + 10);
    ck_buffer_pattern(the.stream, buffer, BYTES, 3);
    ck_bytes(got, BYTES, 0);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(memory_that_a_failed_stream_used_can_be_freed_and_used_again)
{
    if (functions_missing())
        return;
    for (unsigned i = 0; i < scaled(50, 5); i++) {
        struct trm_stream *stream = NULL;
        struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100000);
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        ck_ok(trm_fill(stream, trm_span_whole(buffer), 1, 1));
        fail_stream(stream, 18);
        int32_t status = trm_fill(stream, trm_span_whole(buffer), 2, 1);
        ck_assert(status == TRM_OK || status == TRM_ERROR_KERNEL);
        trm_buffer_destroy(buffer);
        trm_stream_destroy(stream);
        buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 100000);
        put_pattern(the.stream, buffer, 100000, i);
        ck_buffer_pattern(the.stream, buffer, 100000, i);
        trm_buffer_destroy(buffer);
    }
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_ok(trm_device_get_usage(the.device, &usage));
    ck_assert_uint_eq(usage.buffers, 0);
    ck_assert_uint_eq(usage.buffer_bytes, 0);
}
END_TEST

START_TEST(a_failed_stream_can_be_destroyed_with_work_on_it)
{
    if (functions_missing())
        return;
    for (unsigned i = 0; i < scaled(50, 5); i++) {
        struct trm_stream *stream = NULL;
        struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        struct hold *hold = hold_begin(stream);
        fail_stream(stream, 19);
        for (unsigned n = 0; n < 100; n++)
            (void)trm_fill(stream, trm_span_whole(buffer), n, 1); /* refused where the failure is known */
        hold_end(hold);
        trm_stream_destroy(stream);
        trm_buffer_destroy(buffer);
    }
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(trm_device_sync(the.device));
}
END_TEST

void add_failure(Suite *suite)
{
    TCase *group = group_make(suite, "failures");
    CASE(group, a_kernel_that_fails_fails_its_stream_with_its_code);
    CASE(group, a_kernel_that_succeeds_fails_nothing);
    CASE(group, later_calls_give_the_first_failure_and_those_that_enqueue_say_that_it_came_earlier);
    CASE(group, a_second_failure_does_not_replace_the_first);
    CASE(group, two_streams_fail_each_with_its_own_cause);
    CASE(group, points_and_events_after_a_failure_give_its_cause);
    CASE(group, every_waiting_thread_is_told_of_the_same_cause);

    group = group_make(suite, "failures that travel");
    CASE(group, a_failure_travels_along_a_chain_of_waits);
    CASE(group, a_failure_travels_along_events);
    CASE(group, a_failure_travels_to_another_device);
    CASE(group, waiting_for_a_stream_that_has_failed_already_fails_the_waiter);
    CASE(group, a_stream_that_failed_itself_keeps_its_own_cause);
    CASE(group, a_failure_does_not_travel_without_a_wait);
    CASE(group, a_point_from_before_the_failure_does_not_fail_who_waits_for_it);

    group = group_make(suite, "work of failed streams");
    CASE(group, what_comes_after_a_failure_is_not_done);
    CASE(group, memory_that_a_failed_stream_used_can_be_freed_and_used_again);
    CASE(group, a_failed_stream_can_be_destroyed_with_work_on_it);
}
