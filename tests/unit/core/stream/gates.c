/* Host callbacks, and streams that wait for streams by gates.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <unistd.h>

#include "core/stream/stream_object.h"
#include "tests/unit/fake_backend.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

static struct fake fake;

/* Records the order of callbacks and their statuses. */
static struct {
    _Atomic int count;
    int order[16];
    int32_t statuses[16];
} seen;

static void note(void *user, int32_t status)
{
    int place            = atomic_load(&seen.count);
    seen.order[place]    = (int)(intptr_t)user;
    seen.statuses[place] = status;
    atomic_store(&seen.count, place + 1);
}

static void *number(int value)
{
    return (void *)(intptr_t)value;
}

static void begin(uint32_t slots)
{
    memset(&seen, 0, sizeof(seen));
    fake_init(&fake, slots, NULL);
    fake_open(&fake);
}

static struct trm_stream *make_stream(void)
{
    struct trm_stream *stream;
    OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &stream));
    return stream;
}

static uint32_t calls(enum fake_call call)
{
    return atomic_load(&fake.calls[call]);
}

START_TEST(callbacks_run_in_order_between_the_operations_of_their_stream)
{
    static const uint32_t slots[] = {FAKE_GATES | FAKE_NOTIFY, FAKE_GATES, FAKE_ALL};
    begin(slots[_i]);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    OK(trm_stream_callback(stream, note, number(1)));
    OK(fake_enqueue(stream));
    OK(trm_stream_callback(stream, note, number(2)));
    ck_assert_int_eq(atomic_load(&seen.count), 0);
    ck_assert_int_eq(trm_stream_query(stream), TRM_ERROR_TIMEOUT);
    fake_run(&fake, stream, UINT64_MAX);
    OK(trm_stream_sync(stream));
    ck_assert_int_eq(atomic_load(&seen.count), 2);
    ck_assert_int_eq(seen.order[0], 1);
    ck_assert_int_eq(seen.order[1], 2);
    ck_assert_int_eq(seen.statuses[0], TRM_OK);
    ck_assert_int_eq(seen.statuses[1], TRM_OK);
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    OK(trm_stream_get_stats(stream, &stats));
    ck_assert_uint_eq(stats.callbacks, 2);
    ck_assert_uint_eq(stats.host_waits, 0);
    trm_stream_destroy(stream);
    fake_fini(&fake);
}
END_TEST

START_TEST(a_callback_in_an_empty_stream_runs)
{
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    fake_let_run(&fake);
    OK(trm_stream_callback(stream, note, number(7)));
    OK(trm_stream_sync(stream));
    ck_assert_int_eq(seen.order[0], 7);
    trm_stream_destroy(stream);
    fake_fini(&fake);
}
END_TEST

START_TEST(without_gates_a_callback_makes_its_caller_wait)
{
    begin(FAKE_NOTIFY);
    struct trm_stream *stream = make_stream();
    fake_let_run(&fake);
    OK(fake_enqueue(stream));
    OK(trm_stream_callback(stream, note, number(1)));
    ck_assert_int_eq(atomic_load(&seen.count), 1);
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    OK(trm_stream_get_stats(stream, &stats));
    ck_assert_uint_eq(stats.host_waits, 1);
    trm_stream_destroy(stream);
    fake_fini(&fake);
}
END_TEST

START_TEST(callbacks_of_a_stream_that_fails_run_once_in_order_with_the_failure)
{
    begin(_i == 0 ? FAKE_ALL : FAKE_GATES);
    struct trm_stream *stream = make_stream();
    for (int i = 0; i < 4; i++) {
        OK(fake_enqueue(stream));
        OK(trm_stream_callback(stream, note, number(i)));
    }
    fake_fail(&fake, stream, TRM_ERROR_KERNEL, 77, "the kernel divided by zero");
    trm_stream_destroy(stream);
    ck_assert_int_eq(atomic_load(&seen.count), 4);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(seen.order[i], i);
        ck_assert_int_eq(seen.statuses[i], TRM_ERROR_KERNEL);
    }
    fake_fini(&fake);
}
END_TEST

START_TEST(a_callback_that_was_refused_never_runs)
{
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    atomic_store(&fake.fail_next[FAKE_CALL_GATE], TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(trm_stream_callback(stream, note, NULL), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_int_eq(trm_stream_callback(stream, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    /* Neither fails the stream. */
    OK(fake_enqueue(stream));
    fake_fail(&fake, stream, TRM_ERROR_BACKEND, 1, "broken");
    ck_assert_int_eq(trm_stream_sync(stream), TRM_ERROR_BACKEND);
    ck_assert_int_eq(trm_stream_callback(stream, note, NULL), TRM_ERROR_BACKEND);
    trm_stream_destroy(stream);
    ck_assert_int_eq(atomic_load(&seen.count), 0);
    fake_fini(&fake);
}
END_TEST

START_TEST(a_callback_runs_though_the_backend_cannot_notify_just_then)
{
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    OK(fake_enqueue(stream));
    atomic_store(&fake.fail_next[FAKE_CALL_NOTIFY], TRM_ERROR_OUT_OF_HOST_MEMORY);
    OK(trm_stream_callback(stream, note, number(3)));
    fake_let_run(&fake);
    OK(trm_stream_sync(stream));
    ck_assert_int_eq(atomic_load(&seen.count), 1);
    ck_assert_int_eq(seen.statuses[0], TRM_OK);
    trm_stream_destroy(stream);
    fake_fini(&fake);
}
END_TEST

static void sleep_and_note(void *user, int32_t status)
{
    usleep(20000);
    note(user, status);
}

START_TEST(destroying_a_stream_waits_for_its_callbacks)
{
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream();
    fake_let_run(&fake);
    OK(trm_stream_callback(stream, sleep_and_note, number(1)));
    trm_stream_destroy(stream);
    ck_assert_int_eq(atomic_load(&seen.count), 1);
    fake_fini(&fake);
}
END_TEST

/* ---- what a callback does ------------------------------------------------------------------------ */

struct inside {
    struct trm_stream *stream, *other;
    struct trm_point before, after, foreign;
    int32_t wait_before, wait_after, poll_after, sync, sync_device, any, all, nested, foreign_wait;
    _Atomic int done;
};

static void wait_inside(void *user, int32_t status)
{
    struct inside *inside = user;
    uint32_t which;
    (void)status;
    inside->wait_before = trm_point_wait(inside->before, TRM_FOREVER);
    inside->wait_after  = trm_point_wait(inside->after, TRM_FOREVER);
    inside->poll_after  = trm_point_done(inside->after);
    inside->sync        = trm_stream_sync(inside->stream);
    inside->sync_device = trm_device_sync(fake.device);
    inside->any         = trm_wait_any(&inside->after, 1, TRM_FOREVER, &which);
    inside->all         = trm_wait_all(&inside->after, 1, TRM_FOREVER);
    atomic_store(&inside->done, 1);
}

START_TEST(waiting_in_a_callback_for_what_comes_after_it_is_a_deadlock)
{
    begin(FAKE_ALL);
    struct inside inside = {.stream = make_stream()};
    OK(fake_enqueue(inside.stream));
    OK(trm_stream_mark(inside.stream, &inside.before));
    OK(trm_stream_callback(inside.stream, wait_inside, &inside));
    OK(fake_enqueue(inside.stream));
    OK(trm_stream_mark(inside.stream, &inside.after));
    fake_let_run(&fake);
    OK(trm_stream_sync(inside.stream));
    ck_assert_int_eq(atomic_load(&inside.done), 1);
    OK(inside.wait_before);
    ck_assert_int_eq(inside.wait_after, TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(inside.poll_after, TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(inside.sync, TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(inside.sync_device, TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(inside.any, TRM_ERROR_DEADLOCK);
    ck_assert_int_eq(inside.all, TRM_ERROR_DEADLOCK);
    trm_stream_destroy(inside.stream);
    fake_fini(&fake);
}
END_TEST

static void wait_foreign(void *user, int32_t status)
{
    struct inside *inside = user;
    (void)status;
    inside->foreign_wait = trm_point_wait(inside->foreign, TRM_FOREVER);
    atomic_store(&inside->done, 1);
}

START_TEST(a_callback_may_wait_for_the_callback_of_another_stream)
{
    begin(_i == 0 ? FAKE_ALL : FAKE_GATES);
    struct inside inside = {.stream = make_stream(), .other = make_stream()};
    OK(fake_enqueue(inside.other));
    OK(trm_stream_callback(inside.other, sleep_and_note, number(1)));
    OK(trm_stream_mark(inside.other, &inside.foreign));
    OK(trm_stream_callback(inside.stream, wait_foreign, &inside));
    fake_run(&fake, inside.stream, UINT64_MAX);
    usleep(10000); /* most likely the first callback is waiting by now */
    fake_let_run(&fake);
    OK(trm_stream_sync(inside.stream));
    OK(inside.foreign_wait);
    ck_assert_int_eq(atomic_load(&seen.count), 1);
    trm_stream_destroy(inside.stream);
    trm_stream_destroy(inside.other);
    fake_fini(&fake);
}
END_TEST

static void nest(void *user, int32_t status)
{
    struct inside *inside = user;
    (void)status;
    inside->nested = trm_stream_callback(inside->other, note, number(2));
    OK(trm_stream_sync(inside->other));
    atomic_store(&inside->done, 1);
}

START_TEST(a_callback_may_enqueue_a_callback_and_wait_for_it)
{
    static const uint32_t slots[] = {FAKE_ALL, FAKE_GATES, 0};
    begin(slots[_i]);
    fake_let_run(&fake);
    struct inside inside = {.stream = make_stream(), .other = make_stream()};
    OK(trm_stream_callback(inside.stream, nest, &inside));
    OK(trm_stream_sync(inside.stream));
    OK(inside.nested);
    ck_assert_int_eq(atomic_load(&inside.done), 1);
    ck_assert_int_eq(seen.order[0], 2);
    trm_stream_destroy(inside.stream);
    trm_stream_destroy(inside.other);
    fake_fini(&fake);
}
END_TEST

static atomic_int all_enqueued;

static void wait_and_note(void *user, int32_t status)
{
    while (!atomic_load(&all_enqueued))
        usleep(100);
    note(user, status);
}

static void destroy_itself(void *user, int32_t status)
{
    note(number(1), status);
    trm_stream_destroy(user);
    trm_stream_destroy(user);
}

START_TEST(a_stream_destroyed_in_its_own_callback_ends_after_its_work_is_done)
{
    static const uint32_t slots[] = {FAKE_ALL, FAKE_GATES, FAKE_NOTIFY};
    begin(slots[_i]);
    fake.ends_late            = 1;
    struct trm_stream *stream = make_stream();
    fake_let_run(&fake);
    if (_i < 2) {
        atomic_store(&all_enqueued, 0);
        OK(trm_stream_callback(stream, wait_and_note, number(0)));
        OK(trm_stream_callback(stream, destroy_itself, stream));
        OK(trm_stream_callback(stream, sleep_and_note, number(2)));
        atomic_store(&all_enqueued, 1);
    } else {
        OK(trm_stream_callback(stream, destroy_itself, stream));
    }
    while (atomic_load(&fake.streams) != 0)
        usleep(1000);
    ck_assert_int_eq(atomic_load(&seen.count), _i < 2 ? 3 : 1);
    ck_assert_int_eq(trm_stream_query(stream), TRM_ERROR_INVALID_HANDLE);
    fake_fini(&fake);
}
END_TEST

/* ---- streams that wait for streams -------------------------------------------------------------- */

static void wait_for_all_of(struct trm_stream *stream, struct trm_stream *other)
{
    struct trm_point point;
    OK(trm_stream_mark(other, &point));
    OK(trm_stream_wait(stream, point));
}

START_TEST(a_stream_waits_for_another_one_in_every_way_there_is)
{
    static const uint32_t slots[] = {FAKE_ALL, FAKE_GATES | FAKE_NOTIFY, FAKE_GATES};
    begin(slots[_i]);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    OK(fake_enqueue(other));
    wait_for_all_of(stream, other);
    OK(fake_enqueue(stream));
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT_STREAM), _i == 0);
    ck_assert_uint_eq(calls(FAKE_CALL_GATE), _i != 0);
    fake_run(&fake, stream, UINT64_MAX);
    usleep(5000);
    ck_assert_int_eq(trm_stream_query(stream), TRM_ERROR_TIMEOUT);
    fake_run(&fake, other, UINT64_MAX);
    OK(trm_stream_sync(stream));
    OK(trm_stream_query(other));
    /* A point that is reached needs no wait. */
    wait_for_all_of(stream, other);
    wait_for_all_of(stream, stream);
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT_STREAM) + calls(FAKE_CALL_GATE), 1);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    fake_fini(&fake);
}
END_TEST

START_TEST(without_gates_the_host_waits_for_another_stream)
{
    begin(0);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    fake_let_run(&fake);
    OK(fake_enqueue(other));
    wait_for_all_of(stream, other);
    /* It was reached: there was no wait. */
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    OK(trm_stream_get_stats(stream, &stats));
    ck_assert_uint_eq(stats.waits, 1);
    ck_assert_uint_eq(stats.host_waits, 0);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    fake_fini(&fake);
}
END_TEST

static void *run_once_waited_for(void *unused)
{
    while (calls(FAKE_CALL_WAIT) == 0)
        usleep(1000);
    fake_let_run(&fake);
    return unused;
}

START_TEST(a_wait_on_the_host_is_counted)
{
    begin(0);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    pthread_t thread;
    OK(fake_enqueue(other));
    pthread_create(&thread, NULL, run_once_waited_for, NULL);
    wait_for_all_of(stream, other);
    OK(trm_stream_query(other));
    pthread_join(thread, NULL);
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    OK(trm_stream_get_stats(stream, &stats));
    ck_assert_uint_eq(stats.host_waits, 1);
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    fake_fini(&fake);
}
END_TEST

START_TEST(a_stream_that_waits_for_a_stream_that_fails_fails_with_the_same_cause)
{
    static const uint32_t slots[] = {FAKE_ALL, FAKE_GATES | FAKE_NOTIFY | FAKE_ABANDON,
                                     FAKE_GATES | FAKE_NOTIFY, FAKE_GATES};
    begin(slots[_i]);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    OK(fake_enqueue(other));
    OK(fake_enqueue(stream));
    wait_for_all_of(stream, other);
    OK(fake_enqueue(stream));
    OK(trm_stream_callback(stream, note, number(5)));
    fake_run(&fake, stream, UINT64_MAX);
    fake_fail(&fake, other, TRM_ERROR_KERNEL, 42, "the kernel fell over");
    int32_t status = trm_stream_sync(stream);
    ck_assert_int_eq(status, TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, "the kernel fell over");
    ck_assert_int_eq(trm_last_error().native_code, 42);
    ck_assert_int_eq(fake_enqueue(stream), TRM_ERROR_KERNEL);
    trm_stream_destroy(stream);
    ck_assert_int_eq(atomic_load(&seen.count), 1);
    ck_assert_int_eq(seen.statuses[0], TRM_ERROR_KERNEL);
    trm_stream_destroy(other);
    fake_fini(&fake);
}
END_TEST

START_TEST(waiting_for_a_stream_that_has_failed_before_fails_the_stream_too)
{
    static const uint32_t slots[] = {FAKE_ALL, FAKE_GATES | FAKE_NOTIFY, 0};
    begin(slots[_i]);
    struct trm_stream *stream = make_stream(), *other = make_stream();
    struct trm_point point;
    fake_run(&fake, stream, UINT64_MAX);
    OK(fake_enqueue(other));
    OK(trm_stream_mark(other, &point));
    fake_fail(&fake, other, TRM_ERROR_KERNEL, 42, "the kernel fell over");
    ck_assert_int_eq(trm_stream_query(other), TRM_ERROR_KERNEL);
    OK(trm_stream_wait(stream, point));
    ck_assert_int_eq(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    ck_assert_str_eq(trm_last_error().sentence, "the kernel fell over");
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    fake_fini(&fake);
}
END_TEST

START_TEST(streams_of_two_backends_wait_for_each_other)
{
    struct fake second;
    begin(FAKE_ALL);
    struct trm_stream *stream = make_stream(), *other;
    fake_init(&second, FAKE_ALL, NULL);
    trm_context_destroy(second.context);
    second.context         = fake.context;
    second.backend.context = fake.backend.context;
    fake_open(&second);
    OK(trm_stream_create(second.device, TRM_STREAM_ANY, 0, &other));
    OK(fake_enqueue(other));
    wait_for_all_of(stream, other);
    ck_assert_uint_eq(calls(FAKE_CALL_GATE), 1);
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT_STREAM), 0);
    fake_let_run(&fake);
    ck_assert_int_eq(trm_stream_query(stream), TRM_ERROR_TIMEOUT);
    fake_let_run(&second);
    OK(trm_stream_sync(stream));
    trm_stream_destroy(stream);
    trm_stream_destroy(other);
    trm_device_destroy(second.device);
    ck_assert_uint_eq(atomic_load(&second.devices), 0);
    fake_fini(&fake);
}
END_TEST

START_TEST(gates_open_in_order_though_what_they_wait_for_comes_in_another)
{
    begin(FAKE_GATES | FAKE_NOTIFY);
    struct trm_stream *stream = make_stream(), *first = make_stream(), *second = make_stream();
    OK(fake_enqueue(first));
    OK(fake_enqueue(second));
    wait_for_all_of(stream, first);
    OK(trm_stream_callback(stream, note, number(1)));
    wait_for_all_of(stream, second);
    OK(trm_stream_callback(stream, note, number(2)));
    fake_run(&fake, stream, UINT64_MAX);
    fake_run(&fake, second, UINT64_MAX);
    usleep(5000);
    ck_assert_int_eq(atomic_load(&seen.count), 0);
    fake_run(&fake, first, UINT64_MAX);
    OK(trm_stream_sync(stream));
    ck_assert_int_eq(seen.order[0], 1);
    ck_assert_int_eq(seen.order[1], 2);
    trm_stream_destroy(stream);
    trm_stream_destroy(first);
    trm_stream_destroy(second);
    fake_fini(&fake);
}
END_TEST

/* Of three streams, or of two; on both kinds of backends. The last one comes late. */
START_TEST(after_a_barrier_no_stream_goes_on_before_all_have_come)
{
    const int count = _i / 2 == 0 ? 3 : 2;
    begin(_i % 2 == 0 ? FAKE_ALL : FAKE_GATES | FAKE_NOTIFY);
    struct trm_stream *streams[3] = {make_stream(), make_stream(), make_stream()};
    for (int i = 0; i < count; i++)
        OK(fake_enqueue(streams[i]));
    OK(trm_stream_barrier(streams, (uint32_t)count));
    for (int i = 0; i < count; i++)
        OK(fake_enqueue(streams[i]));
    for (int i = 0; i < count - 1; i++)
        fake_run(&fake, streams[i], UINT64_MAX);
    usleep(5000);
    for (int i = 0; i < count; i++)
        ck_assert_int_eq(trm_stream_query(streams[i]), TRM_ERROR_TIMEOUT);
    fake_run(&fake, streams[count - 1], UINT64_MAX);
    for (int i = 0; i < count; i++)
        OK(trm_stream_sync(streams[i]));
    OK(trm_stream_barrier(streams, 0));
    ck_assert_int_eq(trm_stream_barrier(NULL, 1), TRM_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 3; i++)
        trm_stream_destroy(streams[i]);
    fake_fini(&fake);
}
END_TEST

static uint32_t marks_before_waits;

static void note_marks(enum fake_call call)
{
    if (call == FAKE_CALL_WAIT_STREAM && calls(FAKE_CALL_WAIT_STREAM) <= 1)
        marks_before_waits = calls(FAKE_CALL_MARK);
}

START_TEST(of_two_streams_at_a_barrier_neither_waits_for_the_wait_of_the_other)
{
    begin(FAKE_ALL);
    struct trm_stream *streams[2] = {make_stream(), make_stream()};
    for (int i = 0; i < 2; i++)
        OK(fake_enqueue(streams[i]));
    marks_before_waits = 0;
    fake.hook          = note_marks;
    OK(trm_stream_barrier(streams, 2));
    fake.hook = NULL;
    ck_assert_uint_eq(marks_before_waits, 2);
    ck_assert_uint_eq(calls(FAKE_CALL_MARK), 2);
    ck_assert_uint_eq(calls(FAKE_CALL_WAIT_STREAM), 2);
    fake_let_run(&fake);
    for (int i = 0; i < 2; i++)
        OK(trm_stream_sync(streams[i]));
    for (int i = 0; i < 2; i++)
        trm_stream_destroy(streams[i]);
    fake_fini(&fake);
}
END_TEST

static Suite *suite(void)
{
    Suite *suite     = suite_create("gates");
    TCase *callbacks = tcase_create("callbacks");
    tcase_add_loop_test(callbacks, callbacks_run_in_order_between_the_operations_of_their_stream, 0, 3);
    tcase_add_test(callbacks, a_callback_in_an_empty_stream_runs);
    tcase_add_test(callbacks, without_gates_a_callback_makes_its_caller_wait);
    tcase_add_loop_test(callbacks, callbacks_of_a_stream_that_fails_run_once_in_order_with_the_failure, 0, 2);
    tcase_add_test(callbacks, a_callback_that_was_refused_never_runs);
    tcase_add_test(callbacks, a_callback_runs_though_the_backend_cannot_notify_just_then);
    tcase_add_test(callbacks, destroying_a_stream_waits_for_its_callbacks);
    tcase_add_test(callbacks, waiting_in_a_callback_for_what_comes_after_it_is_a_deadlock);
    tcase_add_loop_test(callbacks, a_callback_may_wait_for_the_callback_of_another_stream, 0, 2);
    tcase_add_loop_test(callbacks, a_callback_may_enqueue_a_callback_and_wait_for_it, 0, 3);
    tcase_add_loop_test(callbacks, a_stream_destroyed_in_its_own_callback_ends_after_its_work_is_done, 0, 3);
    suite_add_tcase(suite, callbacks);

    TCase *waits = tcase_create("waits");
    tcase_add_loop_test(waits, a_stream_waits_for_another_one_in_every_way_there_is, 0, 3);
    tcase_add_test(waits, without_gates_the_host_waits_for_another_stream);
    tcase_add_test(waits, a_wait_on_the_host_is_counted);
    tcase_add_loop_test(waits, a_stream_that_waits_for_a_stream_that_fails_fails_with_the_same_cause, 0, 4);
    tcase_add_loop_test(waits, waiting_for_a_stream_that_has_failed_before_fails_the_stream_too, 0, 3);
    tcase_add_test(waits, streams_of_two_backends_wait_for_each_other);
    tcase_add_test(waits, gates_open_in_order_though_what_they_wait_for_comes_in_another);
    tcase_add_loop_test(waits, after_a_barrier_no_stream_goes_on_before_all_have_come, 0, 4);
    tcase_add_test(waits, of_two_streams_at_a_barrier_neither_waits_for_the_wait_of_the_other);
    suite_add_tcase(suite, waits);
    return suite;
}

UNIT_SUITE(suite)
