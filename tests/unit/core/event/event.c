/* Events: their points, and their timestamps.
 * SPDX-License-Identifier: MIT
 */
#include "core/event/event.h"

#include <string.h>
#include <unistd.h>

#include "base/futex.h"
#include "core/stream/stream_object.h"
#include "tests/unit/counting.h"
#include "tests/unit/fake_backend.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)
#define MILLISECOND 1000000u

static struct fake fake;
static struct counting counting;

/* Timestamps of the backend; by notifications; by watcher threads; timestamps without any other table. */
static const uint32_t ways[] = {FAKE_ALL, FAKE_NOTIFY, 0, FAKE_PROFILE};
#define WAYS 4

static void begin(int way)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {
          .struct_size = sizeof(desc),
          .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
          .allocator   = &allocator,
    };
    memset(&counting, 0, sizeof(counting));
    fake_init(&fake, ways[way], &desc);
    fake_open(&fake);
}

static void end(void)
{
    fake_fini(&fake);
    counting_is_balanced(&counting);
}

static struct trm_stream *make_stream(void)
{
    struct trm_stream *stream;
    OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &stream));
    return stream;
}

static struct trm_event *make_event(uint32_t flags)
{
    struct trm_event *event;
    OK(trm_event_create(fake.device, flags, &event));
    return event;
}

START_TEST(an_event_is_small)
{
    ck_assert_uint_le(sizeof(struct core_event) + 16, 128); /* with its slot among the handles */
}
END_TEST

START_TEST(an_event_that_was_never_recorded_counts_as_reached)
{
    struct trm_point point;
    int64_t time;
    begin(0);
    struct trm_event *event = make_event(0), *timing = make_event(TRM_EVENT_TIMING);
    struct trm_stream *stream = make_stream();
    OK(trm_event_done(event));
    OK(trm_event_wait(event, TRM_FOREVER));
    OK(trm_stream_wait_event(stream, event));
    ck_assert_int_eq(trm_event_point(event, &point), TRM_ERROR_NOT_FOUND);
    ck_assert_int_eq(trm_event_elapsed(timing, timing, &time), TRM_ERROR_INVALID_ARGUMENT);
    trm_event_destroy(event);
    trm_event_destroy(timing);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(an_event_holds_the_point_at_which_it_was_recorded_last)
{
    struct trm_point point;
    begin(0);
    struct trm_event *event   = make_event(0);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_event_record(event, stream));
    OK(fake_enqueue(stream));
    OK(trm_event_point(event, &point));
    ck_assert_ptr_eq(point.stream, stream);
    ck_assert_uint_eq(point.value, 1);
    ck_assert_int_eq(trm_event_done(event), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_event_wait(event, MILLISECOND), TRM_ERROR_TIMEOUT);
    fake_run(&fake, stream, 1);
    OK(trm_event_done(event));
    OK(fake_enqueue(other));
    OK(trm_event_record(event, other));
    ck_assert_int_eq(trm_event_done(event), TRM_ERROR_TIMEOUT);
    fake_let_run(&fake);
    OK(trm_event_wait(event, TRM_FOREVER));
    trm_event_destroy(event);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    end();
}
END_TEST

START_TEST(an_event_outlives_its_stream)
{
    begin(0);
    struct trm_event *good = make_event(0), *bad = make_event(0);
    struct trm_stream *stream = make_stream(), *broken = make_stream();
    fake_run(&fake, stream, UINT64_MAX);
    OK(fake_enqueue(stream));
    OK(trm_event_record(good, stream));
    OK(fake_enqueue(broken));
    OK(trm_event_record(bad, broken));
    fake_fail(&fake, broken, TRM_ERROR_KERNEL, 8, "the kernel fell over");
    trm_stream_destroy(stream);
    trm_stream_destroy(broken);
    OK(trm_event_done(good));
    OK(trm_event_wait(good, TRM_FOREVER));
    ck_assert_int_eq(trm_event_wait(bad, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_assert_int_eq(trm_event_done(bad), TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, "the kernel fell over");
    struct trm_stream *next = make_stream();
    OK(trm_stream_wait_event(next, good));
    OK(trm_stream_sync(next));
    OK(trm_stream_wait_event(next, bad));
    ck_assert_int_eq(trm_stream_sync(next), TRM_ERROR_KERNEL);
    trm_event_destroy(good);
    trm_event_destroy(bad);
    trm_stream_destroy(next);
    end();
}
END_TEST

START_TEST(what_an_event_cannot_be_is_refused)
{
    struct trm_event *event = NULL;
    struct fake second;
    begin(0);
    ck_assert_int_eq(trm_event_create(fake.device, 8, &event), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_event_create(fake.device, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    counting.fail_from = 1;
    ck_assert_int_eq(trm_event_create(fake.device, 0, &event), TRM_ERROR_OUT_OF_HOST_MEMORY);
    counting.fail_from = 0;
    ck_assert_ptr_null(event);
    event = make_event(0);
    ck_assert_int_eq(trm_event_point(event, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_event_record(event, NULL), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_event_record(NULL, NULL), TRM_ERROR_INVALID_HANDLE);

    fake_init(&second, FAKE_ALL, NULL);
    fake_open(&second);
    struct trm_stream *foreign;
    OK(trm_stream_create(second.device, TRM_STREAM_ANY, 0, &foreign));
    ck_assert_int_eq(trm_event_record(event, foreign), TRM_ERROR_INVALID_ARGUMENT);
    trm_stream_destroy(foreign);
    fake_fini(&second);

    trm_event_destroy(event);
    ck_assert_int_eq(trm_event_done(event), TRM_ERROR_INVALID_HANDLE);
    trm_event_destroy(event);
    trm_event_destroy(NULL);
    end();
}
END_TEST

START_TEST(many_events_come_and_go)
{
    struct trm_event *events[200];
    begin(0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 200; i++)
            events[i] = make_event(0);
        int64_t before = atomic_load(&counting.allocations);
        for (int i = 0; i < 200; i++)
            trm_event_destroy(events[i]);
        for (int i = 0; i < 200; i++)
            events[i] = make_event(0);
        ck_assert_int_eq(atomic_load(&counting.allocations), before);
        for (int i = 0; i < 200; i++)
            trm_event_destroy(events[i]);
    }
    end();
}
END_TEST

/* ---- times ------------------------------------------------------------------------------------------ */

START_TEST(the_time_between_two_events_is_that_between_what_they_stand_for)
{
    int64_t time = 0;
    begin(_i);
    struct trm_event *start = make_event(TRM_EVENT_TIMING), *stop = make_event(TRM_EVENT_TIMING);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_event_record(start, stream));
    struct trm_point first, second;
    OK(trm_event_point(start, &first));
    OK(fake_enqueue(stream));
    OK(trm_event_record(stop, stream));
    OK(trm_event_point(stop, &second));
    ck_assert_int_eq(trm_event_elapsed(start, stop, &time), TRM_ERROR_TIMEOUT);
    fake_run(&fake, stream, first.value);
    OK(trm_event_wait(start, TRM_FOREVER));
    OK(trm_event_elapsed(start, start, &time)); /* reads the clock now if no notification has */
    usleep(30000);
    ck_assert_int_eq(trm_event_elapsed(start, stop, &time), TRM_ERROR_TIMEOUT);
    fake_run(&fake, stream, second.value);
    OK(trm_event_wait(stop, TRM_FOREVER));
    OK(trm_event_elapsed(start, stop, &time));
    ck_assert_int_ge(time, 25 * (int64_t)MILLISECOND);
    int64_t again;
    OK(trm_event_elapsed(stop, start, &again));
    ck_assert_int_eq(again, -time);
    trm_event_destroy(start);
    trm_event_destroy(stop);
    trm_stream_destroy(stream);
    end();
}
END_TEST

/* The first event's notification may still be under way when the second event is known to be reached. */
START_TEST(time_does_not_go_backwards_along_a_stream)
{
    begin(_i);
    struct trm_event *one = make_event(TRM_EVENT_TIMING), *other = make_event(TRM_EVENT_TIMING);
    struct trm_stream *stream = make_stream();
    for (int i = 0; i < 200; i++) {
        struct trm_point point;
        int64_t time;
        OK(fake_enqueue(stream));
        OK(trm_event_record(one, stream));
        OK(trm_event_point(one, &point));
        fake_run(&fake, stream, point.value);
        OK(trm_event_record(other, stream));
        OK(trm_event_point(other, &point));
        fake_run(&fake, stream, point.value);
        OK(trm_event_wait(other, TRM_FOREVER));
        OK(trm_event_elapsed(one, other, &time));
        ck_assert_int_ge(time, 0);
    }
    trm_event_destroy(one);
    trm_event_destroy(other);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(an_event_may_be_recorded_again_while_its_time_is_still_to_be_taken)
{
    int64_t time;
    begin(_i);
    struct trm_event *event   = make_event(TRM_EVENT_TIMING);
    struct trm_stream *stream = make_stream();
    for (int i = 0; i < 5; i++) {
        OK(fake_enqueue(stream));
        OK(trm_event_record(event, stream));
    }
    ck_assert_int_eq(trm_event_elapsed(event, event, &time), TRM_ERROR_TIMEOUT);
    fake_let_run(&fake);
    OK(trm_event_wait(event, TRM_FOREVER));
    OK(trm_event_elapsed(event, event, &time));
    ck_assert_int_eq(time, 0);
    uint32_t stamps = atomic_load(&fake.stamps);
    for (int i = 0; i < 20; i++) {
        OK(trm_event_record(event, stream));
        OK(trm_event_wait(event, TRM_FOREVER));
    }
    ck_assert_uint_le(atomic_load(&fake.stamps), stamps);
    trm_event_destroy(event);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(an_event_may_be_destroyed_while_its_time_is_still_to_be_taken)
{
    begin(_i);
    struct trm_event *event   = make_event(TRM_EVENT_TIMING);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_event_record(event, stream));
    trm_event_destroy(event);
    fake_let_run(&fake);
    trm_stream_destroy(stream);
    trm_device_destroy(fake.device);
    ck_assert_uint_eq(atomic_load(&fake.devices), 0);
    end();
}
END_TEST

START_TEST(a_record_that_fails_leaves_the_event_as_it_was)
{
    struct trm_point point;
    int64_t time;
    begin(_i);
    struct trm_event *event   = make_event(TRM_EVENT_TIMING);
    struct trm_stream *stream = make_stream();
    fake_let_run(&fake);
    OK(fake_enqueue(stream));
    for (int64_t n = 1; n < 4; n++) {
        counting.fail_at = atomic_load(&counting.allocations) + n;
        int32_t status   = trm_event_record(event, stream);
        counting.fail_at = 0;
        if (status != TRM_OK) {
            ck_assert_int_eq(status, TRM_ERROR_OUT_OF_HOST_MEMORY);
            ck_assert_int_eq(trm_event_point(event, &point), TRM_ERROR_NOT_FOUND);
            continue;
        }
        break;
    }
    OK(trm_event_record(event, stream));
    OK(trm_event_point(event, &point));
    atomic_store(&fake.fail_next[FAKE_CALL_STAMP], TRM_ERROR_OUT_OF_HOST_MEMORY);
    if (trm_event_record(event, stream) != TRM_OK) {
        struct trm_point after;
        OK(trm_event_point(event, &after));
        ck_assert_uint_eq(after.value, point.value);
    }
    OK(trm_event_wait(event, TRM_FOREVER));
    OK(trm_event_elapsed(event, event, &time));
    trm_event_destroy(event);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(times_that_cannot_be_are_refused)
{
    int64_t time;
    begin(0);
    struct trm_event *plain = make_event(0), *timing = make_event(TRM_EVENT_TIMING);
    struct trm_stream *stream = make_stream();
    fake_run(&fake, stream, UINT64_MAX);
    OK(trm_event_record(plain, stream));
    OK(trm_event_record(timing, stream));
    ck_assert_int_eq(trm_event_elapsed(plain, timing, &time), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_event_elapsed(timing, plain, &time), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_event_elapsed(timing, timing, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(trm_event_elapsed(timing, NULL, &time), TRM_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(trm_event_elapsed(NULL, timing, &time), TRM_ERROR_INVALID_HANDLE);
    OK(fake_enqueue(stream));

    struct trm_device *first = fake.device;
    fake_open(&fake);
    struct trm_stream *elsewhere = make_stream();
    struct trm_event *other      = make_event(TRM_EVENT_TIMING);
    ck_assert_int_eq(trm_event_record(timing, elsewhere), TRM_ERROR_WRONG_DEVICE);
    OK(trm_event_record(plain, elsewhere));
    ck_assert_int_eq(trm_event_elapsed(timing, other, &time), TRM_ERROR_WRONG_DEVICE);
    trm_event_destroy(other);

    OK(trm_event_record(timing, stream));
    trm_stream_destroy(elsewhere);
    trm_event_destroy(plain);
    fake_run(&fake, stream, 1);
    trm_event_destroy(timing);
    fake_let_run(&fake);
    trm_stream_destroy(stream);
    trm_device_destroy(first);
    end();
}
END_TEST

START_TEST(the_time_of_a_stream_that_failed_is_its_failure)
{
    int64_t time;
    begin(_i);
    struct trm_event *event   = make_event(TRM_EVENT_TIMING);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_event_record(event, stream));
    fake_fail(&fake, stream, TRM_ERROR_KERNEL, 8, "the kernel fell over");
    ck_assert_int_eq(trm_event_elapsed(event, event, &time), TRM_ERROR_KERNEL);
    trm_stream_destroy(stream);
    trm_event_destroy(event);
    end();
}
END_TEST

static struct trm_event *shared;
static _Atomic int stop_asking;

static void *ask_about_shared(void *unused)
{
    int64_t time;
    (void)unused;
    while (!atomic_load(&stop_asking)) {
        OK(trm_event_wait(shared, TRM_FOREVER));
        int32_t status = trm_event_elapsed(shared, shared, &time);
        ck_assert(status == TRM_OK || status == TRM_ERROR_TIMEOUT);
    }
    return NULL;
}

START_TEST(others_may_ask_about_an_event_that_is_being_recorded)
{
    pthread_t threads[3];
    begin(_i);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    fake_let_run(&fake);
    shared = make_event(TRM_EVENT_TIMING);
    OK(trm_event_record(shared, stream));
    atomic_store(&stop_asking, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, ask_about_shared, NULL);
    for (int i = 0; i < 500; i++) {
        OK(fake_enqueue(stream));
        OK(trm_event_record(shared, i % 2 ? stream : other));
    }
    atomic_store(&stop_asking, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    trm_event_destroy(shared);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    end();
}
END_TEST

static Suite *suite(void)
{
    Suite *suite  = suite_create("event");
    TCase *points = tcase_create("points");
    tcase_add_test(points, an_event_is_small);
    tcase_add_test(points, an_event_that_was_never_recorded_counts_as_reached);
    tcase_add_test(points, an_event_holds_the_point_at_which_it_was_recorded_last);
    tcase_add_test(points, an_event_outlives_its_stream);
    tcase_add_test(points, what_an_event_cannot_be_is_refused);
    tcase_add_test(points, many_events_come_and_go);
    suite_add_tcase(suite, points);

    TCase *times = tcase_create("times");
    tcase_add_loop_test(times, the_time_between_two_events_is_that_between_what_they_stand_for, 0, WAYS);
    tcase_add_loop_test(times, time_does_not_go_backwards_along_a_stream, 0, WAYS);
    tcase_add_loop_test(times, an_event_may_be_recorded_again_while_its_time_is_still_to_be_taken, 0, WAYS);
    tcase_add_loop_test(times, an_event_may_be_destroyed_while_its_time_is_still_to_be_taken, 0, WAYS);
    tcase_add_loop_test(times, a_record_that_fails_leaves_the_event_as_it_was, 0, WAYS);
    tcase_add_test(times, times_that_cannot_be_are_refused);
    tcase_add_loop_test(times, the_time_of_a_stream_that_failed_is_its_failure, 0, WAYS);
    tcase_add_loop_test(times, others_may_ask_about_an_event_that_is_being_recorded, 0, WAYS);
    suite_add_tcase(suite, times);
    return suite;
}

UNIT_SUITE(suite)
