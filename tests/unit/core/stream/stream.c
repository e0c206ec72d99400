/* Streams: progress, failures and their end.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/device_streams.h"
#include "tests/unit/stream_fixture.h"

START_TEST(a_stream_and_its_counters_are_small)
{
    ck_assert_uint_le(sizeof(struct core_stream) + sizeof(struct trm_stream_stats), 400);
}
END_TEST

START_TEST(the_mark_of_an_empty_stream_is_reached)
{
    struct trm_point point;
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(trm_stream_mark(stream, &point));
    ck_assert_uint_eq(point.value, 0);
    ck_assert_uint_eq(calls(FAKE_CALL_MARK), 0);
    OK(trm_point_done(point));
    OK(trm_point_wait(point, TRM_FOREVER));
    OK(trm_stream_sync(stream));
    OK(trm_stream_query(stream));
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(a_backend_is_asked_to_mark_a_place_once)
{
    struct trm_point point;
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_stream_mark(stream, &point));
    OK(trm_stream_mark(stream, &point));
    ck_assert_uint_eq(calls(FAKE_CALL_MARK), 1);
    OK(fake_enqueue(stream));
    fail_next(FAKE_CALL_MARK, TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(trm_stream_mark(stream, &point), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_uint_eq(point.value, 1);
    OK(trm_stream_mark(stream, &point));
    ck_assert_uint_eq(point.value, 2);
    ck_assert_uint_eq(calls(FAKE_CALL_MARK), 3);
    fake_let_run(&fake);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(a_point_is_reached_when_what_came_before_it_is_done)
{
    struct trm_point first, second;
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_stream_mark(stream, &first));
    OK(fake_enqueue(stream));
    OK(trm_stream_mark(stream, &second));
    ck_assert_int_eq(trm_point_done(first), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_point_wait(first, MILLISECOND), TRM_ERROR_TIMEOUT);
    fake_run(&fake, stream, first.value);
    OK(trm_point_done(first));
    OK(trm_point_wait(first, TRM_FOREVER));
    ck_assert_int_eq(trm_point_done(second), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_stream_query(stream), TRM_ERROR_TIMEOUT);
    fake_run(&fake, stream, UINT64_MAX);
    OK(trm_stream_query(stream));
    trm_stream_destroy(stream);
    ck_assert_int_eq(trm_point_done(second), TRM_ERROR_INVALID_HANDLE);
    end();
}
END_TEST

START_TEST(what_is_known_to_be_reached_is_not_asked_again)
{
    struct trm_point point;
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_stream_mark(stream, &point));
    fake_let_run(&fake);
    OK(trm_stream_sync(stream));
    uint32_t asked = calls(FAKE_CALL_QUERY) + calls(FAKE_CALL_WAIT);
    OK(trm_point_done(point));
    OK(trm_point_wait(point, TRM_FOREVER));
    OK(trm_stream_sync(stream));
    ck_assert_uint_eq(calls(FAKE_CALL_QUERY) + calls(FAKE_CALL_WAIT), asked);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(polling_submits_what_was_enqueued_once)
{
    struct trm_point point;
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_stream_mark(stream, &point));
    ck_assert_uint_eq(calls(FAKE_CALL_FLUSH), 0);
    ck_assert_int_eq(trm_point_done(point), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_point_done(point), TRM_ERROR_TIMEOUT);
    OK(trm_stream_flush(stream));
    ck_assert_uint_eq(calls(FAKE_CALL_FLUSH), 1);
    OK(fake_enqueue(stream));
    fail_next(FAKE_CALL_FLUSH, TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(trm_stream_flush(stream), TRM_ERROR_OUT_OF_HOST_MEMORY);
    OK(trm_stream_flush(stream));
    ck_assert_uint_eq(calls(FAKE_CALL_FLUSH), 3);
    fake_let_run(&fake);
    trm_stream_destroy(stream);
    end();
}
END_TEST

/* ---- failures -------------------------------------------------------------------------------------- */

static void has_failed(int32_t status, int32_t expected, const char *sentence, int64_t native_code)
{
    ck_assert_int_eq(status, expected);
    ck_assert_int_eq(trm_last_error().status, expected);
    ck_assert_str_eq(trm_last_error().sentence, sentence);
    ck_assert_int_eq(trm_last_error().native_code, native_code);
}

START_TEST(the_first_failure_of_a_stream_stays_and_later_operations_say_that_it_came_earlier)
{
    static const char words[]   = "the kernel fell over";
    static const char earlier[] = "the stream failed earlier: the kernel fell over";
    struct trm_point point;
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_stream_mark(stream, &point));
    fake_fail(&fake, stream, TRM_ERROR_KERNEL, 12, words);
    has_failed(trm_point_wait(point, TRM_FOREVER), TRM_ERROR_KERNEL, words, 12);
    trm_stream_sync(NULL); /* another last error */
    has_failed(trm_point_done(point), TRM_ERROR_KERNEL, words, 12);
    has_failed(trm_stream_query(stream), TRM_ERROR_KERNEL, words, 12);
    has_failed(trm_stream_sync(stream), TRM_ERROR_KERNEL, words, 12);
    has_failed(trm_stream_flush(stream), TRM_ERROR_KERNEL, earlier, 12);
    has_failed(trm_stream_mark(stream, &point), TRM_ERROR_KERNEL, earlier, 12);
    has_failed(fake_enqueue(stream), TRM_ERROR_KERNEL, earlier, 12);
    has_failed(trm_stream_wait(stream, point), TRM_ERROR_KERNEL, earlier, 12);
    has_failed(trm_device_sync(fake.device), TRM_ERROR_KERNEL, words, 12);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(an_enqueueing_call_that_fails_alone_is_not_the_streams_failure)
{
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    fake_let_run(&fake);
    fail_next(FAKE_CALL_COPY, TRM_ERROR_OUT_OF_HOST_MEMORY);
    has_failed(fake_enqueue(stream), TRM_ERROR_OUT_OF_HOST_MEMORY, "the fake backend was told to fail",
               1000 + FAKE_CALL_COPY);
    OK(fake_enqueue(stream));
    OK(trm_stream_sync(stream));
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(an_enqueueing_call_on_a_stream_that_has_failed_finds_the_failure)
{
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    fake_fail(&fake, stream, TRM_ERROR_KERNEL, 12, "the kernel fell over");
    has_failed(fake_enqueue(stream), TRM_ERROR_KERNEL, "the kernel fell over", 12);
    has_failed(trm_stream_query(stream), TRM_ERROR_KERNEL, "the kernel fell over", 12);
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(without_memory_the_status_of_a_failure_is_kept)
{
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    fake_fail(&fake, stream, TRM_ERROR_KERNEL, 12, "the kernel fell over");
    counting.fail_from = 1;
    ck_assert_int_eq(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    counting.fail_from = 0;
    ck_assert_int_eq(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "no memory"));
    trm_stream_destroy(stream);
    end();
}
END_TEST

START_TEST(a_lost_device_is_lost_for_all_its_streams)
{
    struct trm_stream *third;
    struct trm_event *event;
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    OK(fake_enqueue(stream));
    OK(fake_enqueue(other));
    fake_fail(&fake, stream, TRM_ERROR_DEVICE_LOST, 666, "it fell off the bus");
    has_failed(trm_stream_sync(stream), TRM_ERROR_DEVICE_LOST, "it fell off the bus", 666);
    has_failed(fake_enqueue(other), TRM_ERROR_DEVICE_LOST, "it fell off the bus", 666);
    has_failed(trm_stream_sync(other), TRM_ERROR_DEVICE_LOST, "it fell off the bus", 666);
    has_failed(trm_stream_query(other), TRM_ERROR_DEVICE_LOST, "it fell off the bus", 666);
    has_failed(trm_stream_create(fake.device, 0, 0, &third), TRM_ERROR_DEVICE_LOST, "it fell off the bus",
               666);
    has_failed(trm_event_create(fake.device, 0, &event), TRM_ERROR_DEVICE_LOST, "it fell off the bus", 666);
    has_failed(trm_device_sync(fake.device), TRM_ERROR_DEVICE_LOST, "it fell off the bus", 666);
    fake_let_run(&fake);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    end();
}
END_TEST

START_TEST(a_call_that_answers_device_lost_loses_the_device)
{
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    fail_next(FAKE_CALL_COPY, TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(fake_enqueue(stream), TRM_ERROR_DEVICE_LOST);
    ck_assert_int_eq(trm_stream_flush(other), TRM_ERROR_DEVICE_LOST);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    end();
}
END_TEST

/* ---- the loss of another device ------------------------------------------------------------------------ */

static void works(struct trm_stream *stream)
{
    OK(fake_enqueue(stream));
    OK(trm_stream_sync(stream));
}

START_TEST(a_stream_that_fails_with_another_device_leaves_its_own_sound)
{
    begin(FAKE_ALL | FAKE_CHECK_LOSS);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    OK(fake_enqueue(stream));
    fake_fail(&fake, stream, TRM_ERROR_DEVICE_LOST, 666, "far:1 fell off the bus");
    has_failed(trm_stream_sync(stream), TRM_ERROR_DEVICE_LOST, "far:1 fell off the bus", 666);
    has_failed(fake_enqueue(stream), TRM_ERROR_DEVICE_LOST,
               "the stream failed earlier: far:1 fell off the bus", 666);
    ck_assert_uint_eq(calls(FAKE_CALL_CHECK_LOSS), 1);
    fake_let_run(&fake);
    works(other);
    struct trm_stream *fresh = make_stream();
    works(fresh);
    has_failed(trm_stream_query(stream), TRM_ERROR_DEVICE_LOST, "far:1 fell off the bus", 666);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    trm_stream_destroy(fresh);
    end();
}
END_TEST

START_TEST(a_device_that_says_that_it_is_lost_gives_the_cause)
{
    begin(FAKE_ALL | FAKE_CHECK_LOSS);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    OK(fake_enqueue(stream));
    fake_fail(&fake, stream, TRM_ERROR_DEVICE_LOST, 666, "something fell off the bus");
    fail_next(FAKE_CALL_CHECK_LOSS, TRM_ERROR_DEVICE_LOST);
    has_failed(trm_stream_sync(stream), TRM_ERROR_DEVICE_LOST, "the fake backend was told to fail",
               1000 + FAKE_CALL_CHECK_LOSS);
    has_failed(trm_stream_query(other), TRM_ERROR_DEVICE_LOST, "the fake backend was told to fail",
               1000 + FAKE_CALL_CHECK_LOSS);
    ck_assert_uint_eq(calls(FAKE_CALL_CHECK_LOSS), 1); /* a device that is lost stays lost */
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    end();
}
END_TEST

/* As without the slot. */
START_TEST(a_device_that_cannot_say_whether_it_is_lost_is_lost)
{
    static const int32_t answers[] = {TRM_ERROR_UNSUPPORTED, TRM_ERROR_BACKEND, 7};
    begin(FAKE_ALL | FAKE_CHECK_LOSS);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    OK(fake_enqueue(stream));
    fake_fail(&fake, stream, TRM_ERROR_DEVICE_LOST, 666, "it fell off the bus");
    fail_next(FAKE_CALL_CHECK_LOSS, answers[_i]);
    has_failed(trm_stream_sync(stream), TRM_ERROR_DEVICE_LOST, "it fell off the bus", 666);
    has_failed(trm_stream_query(other), TRM_ERROR_DEVICE_LOST, "it fell off the bus", 666);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    end();
}
END_TEST

/* The stream has not failed, so what it has goes on. */
START_TEST(a_call_that_is_refused_for_another_device_fails_alone)
{
    begin(FAKE_ALL | FAKE_CHECK_LOSS);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    fail_next(FAKE_CALL_COPY, TRM_ERROR_DEVICE_LOST);
    has_failed(fake_enqueue(stream), TRM_ERROR_DEVICE_LOST, "the fake backend was told to fail",
               1000 + FAKE_CALL_COPY);
    ck_assert_int_eq(trm_stream_query(stream), TRM_ERROR_TIMEOUT);
    fake_let_run(&fake);
    works(stream);
    trm_stream_destroy(stream);
    end();
}
END_TEST

/* ---- holds ------------------------------------------------------------------------------------------ */

#define HELD 100000u

/* Holds whatever stream there is, and lets it go, until there is none. */
static void *hold_again(void *argument)
{
    _Atomic(struct trm_stream *) *shown = argument;
    struct trm_stream *stream, *held;
    while ((stream = atomic_load(shown)) != (struct trm_stream *)-1)
        if (stream != NULL && core_stream_hold(stream, &held) == TRM_OK)
            core_stream_end_hold(held);
    return NULL;
}

/* Submitting is the first step of closing a stream. */
START_TEST(the_last_hold_closes_a_destroyed_stream_whoever_tries_to_hold_it)
{
    _Atomic(struct trm_stream *) shown = NULL;
    struct trm_stream *held;
    pthread_t other;
    begin(FAKE_ALL);
    ck_assert_int_eq(pthread_create(&other, NULL, hold_again, &shown), 0);
    fake_let_run(&fake);
    for (uint32_t i = 0; i < HELD; i++) {
        struct trm_stream *stream = make_stream();
        OK(fake_enqueue(stream));
        OK(core_stream_hold(stream, &held));
        atomic_store(&shown, stream);
        for (volatile uint32_t turn = 0; turn < i % 64;)
            turn = turn + 1;
        trm_stream_destroy(stream);
        core_stream_end_hold(held);
        atomic_store(&shown, NULL);
    }
    atomic_store(&shown, (struct trm_stream *)-1);
    ck_assert_int_eq(pthread_join(other, NULL), 0);
    ck_assert_uint_eq(calls(FAKE_CALL_FLUSH), HELD);
    end();
}
END_TEST

/* ---- the core's own stream ---------------------------------------------------------------------------- */

START_TEST(the_cores_own_stream_is_replaced_after_a_failure)
{
    struct core_stream *stream;
    begin(FAKE_ALL);
    struct core_device *device = core_device_find(fake.device);
    fake_let_run(&fake);
    fail_next(FAKE_CALL_CREATE, TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(core_device_internal_lock(device, &stream), TRM_ERROR_OUT_OF_HOST_MEMORY);
    OK(core_device_internal_lock(device, &stream));
    OK(fake_enqueue(stream->object.handle));
    fail_next(FAKE_CALL_WAIT, TRM_ERROR_BACKEND);
    OK(fake_enqueue(stream->object.handle));
    ck_assert_int_eq(core_stream_wait_value(stream, 2, TRM_FOREVER), TRM_ERROR_BACKEND);
    core_device_internal_unlock(device);
    OK(core_device_internal_lock(device, &stream));
    OK(core_stream_check(stream));
    OK(fake_enqueue(stream->object.handle));
    OK(core_stream_wait_value(stream, 1, TRM_FOREVER));
    core_device_internal_unlock(device);
    ck_assert_uint_eq(atomic_load(&fake.streams), 1);
    /* It is not reported as a leak. */
    trm_device_destroy(fake.device);
    ck_assert_str_eq(logged, "");
    end();
}
END_TEST

/* ---- times ------------------------------------------------------------------------------------ */

static uint64_t told_begin, told_end;

static int32_t tell_times(struct trm_backend_stream *stream, uint64_t value, uint64_t *begin, uint64_t *end)
{
    (void)stream;
    (void)value;
    *begin = told_begin;
    *end   = told_end;
    return TRM_OK;
}

START_TEST(an_operation_that_ends_before_it_begins_has_no_times)
{
    struct core_backend backend = {.resident_times = tell_times};
    struct core_device device   = {.backend = &backend};
    struct core_stream stream   = {.device = &device, .ops = &backend.resident_stream};
    uint64_t first, last;
    told_begin = told_end = 7;
    OK(core_stream_resident_times(&stream, 1, &first, &last));
    ck_assert_uint_eq(last, 7);
    told_end = 6;
    ck_assert_int_eq(core_stream_resident_times(&stream, 1, &first, &last), TRM_ERROR_BACKEND);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("stream");
    TCase *state = tcase_create("state");
    tcase_add_test(state, a_stream_and_its_counters_are_small);
    tcase_add_test(state, the_mark_of_an_empty_stream_is_reached);
    tcase_add_test(state, a_backend_is_asked_to_mark_a_place_once);
    tcase_add_test(state, a_point_is_reached_when_what_came_before_it_is_done);
    tcase_add_test(state, what_is_known_to_be_reached_is_not_asked_again);
    tcase_add_test(state, polling_submits_what_was_enqueued_once);
    suite_add_tcase(suite, state);

    TCase *times = tcase_create("times");
    tcase_add_test(times, an_operation_that_ends_before_it_begins_has_no_times);
    suite_add_tcase(suite, times);

    TCase *holds = tcase_create("holds");
    tcase_add_test(holds, the_last_hold_closes_a_destroyed_stream_whoever_tries_to_hold_it);
    suite_add_tcase(suite, holds);

    TCase *failures = tcase_create("failures");
    tcase_add_test(failures,
                   the_first_failure_of_a_stream_stays_and_later_operations_say_that_it_came_earlier);
    tcase_add_test(failures, an_enqueueing_call_that_fails_alone_is_not_the_streams_failure);
    tcase_add_test(failures, an_enqueueing_call_on_a_stream_that_has_failed_finds_the_failure);
    tcase_add_test(failures, without_memory_the_status_of_a_failure_is_kept);
    tcase_add_test(failures, a_lost_device_is_lost_for_all_its_streams);
    tcase_add_test(failures, a_call_that_answers_device_lost_loses_the_device);
    tcase_add_test(failures, a_stream_that_fails_with_another_device_leaves_its_own_sound);
    tcase_add_test(failures, a_device_that_says_that_it_is_lost_gives_the_cause);
    tcase_add_loop_test(failures, a_device_that_cannot_say_whether_it_is_lost_is_lost, 0, 3);
    tcase_add_test(failures, a_call_that_is_refused_for_another_device_fails_alone);
    tcase_add_test(failures, the_cores_own_stream_is_replaced_after_a_failure);
    suite_add_tcase(suite, failures);
    return suite;
}

UNIT_SUITE(suite)
