/* Host callbacks: each runs once and in order, also after a failure; which functions they may call.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "hold.h"
#include "kernels.h"

#include <pthread.h>
#include <stdatomic.h>

/* What callbacks did, in the order in which they ran. */
struct record {
    atomic_uint count;
    uint32_t numbers[20000];
    int32_t statuses[20000];
};

struct entry {
    struct record *record;
    uint32_t number;
};

static struct record record;
static struct entry entries[20000];

static void note(void *user, int32_t status)
{
    struct entry *entry = user;
    unsigned at         = atomic_fetch_add(&entry->record->count, 1);
    if (at < 20000) {
        entry->record->numbers[at]  = entry->number;
        entry->record->statuses[at] = status;
    }
}

/* Runs before each case: without forks all cases share one record. */
static void forget(void)
{
    atomic_store(&record.count, 0);
}

static struct entry *entry(uint32_t number)
{
    entries[number] = (struct entry){&record, number};
    return &entries[number];
}

/* ---- once, in order, at its place ---- */

START_TEST(callbacks_run_once_each_in_order)
{
    unsigned count = scaled(20000, 1000);
    for (uint32_t i = 0; i < count; i++)
        ck_ok(trm_stream_callback(the.stream, note, entry(i)));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(atomic_load(&record.count), count);
    for (uint32_t i = 0; i < count; i++) {
        ck_assert_uint_eq(record.numbers[i], i);
        ck_assert_int_eq(record.statuses[i], TRM_OK);
    }
}
END_TEST

struct look {
    const uint8_t *memory;
    size_t size;
    uint32_t seed;
    size_t good;
    atomic_int done;
};

static void look_at_memory(void *user, int32_t status)
{
    struct look *look = user;
    look->good        = status == TRM_OK ? pattern_length(look->memory, look->size, look->seed) : 0;
    atomic_store(&look->done, 1);
}

START_TEST(a_callback_sees_what_was_done_before_it)
{
    enum {
        BYTES = 300000
    };
    static uint8_t sent[BYTES], got[BYTES];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    for (uint32_t i = 0; i < scaled(100, 10); i++) {
        struct look look = {.memory = got, .size = BYTES, .seed = i};
        pattern_make(sent, BYTES, i);
        ck_ok(trm_upload(the.stream, trm_span_whole(buffer), sent));
        ck_ok(trm_download(the.stream, got, trm_span_whole(buffer)));
        ck_ok(trm_stream_callback(the.stream, look_at_memory, &look));
        ck_ok(trm_stream_sync(the.stream));
        ck_assert_int_eq(atomic_load(&look.done), 1);
        ck_assert_uint_eq(look.good, BYTES);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

struct writing {
    uint8_t *memory;
    size_t size;
    uint32_t seed;
};

static void write_memory(void *user, int32_t status)
{
    struct writing *writing = user;
    (void)status;
    sleep_ms(1);
    pattern_make(writing->memory, writing->size, writing->seed);
}

START_TEST(what_comes_after_a_callback_waits_until_it_returns)
{
    enum {
        BYTES = 100000
    };
    static uint8_t sent[BYTES], got[BYTES];
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    for (uint32_t i = 0; i < scaled(100, 10); i++) {
        struct writing writing = {sent, BYTES, i};
        memset(sent, 0, BYTES);
        ck_ok(trm_stream_callback(the.stream, write_memory, &writing));
        ck_ok(trm_upload(the.stream, trm_span_whole(buffer), sent));
        ck_ok(trm_download(the.stream, got, trm_span_whole(buffer)));
        ck_ok(trm_stream_sync(the.stream));
        ck_pattern(got, BYTES, i);
    }
    trm_buffer_destroy(buffer);
}
END_TEST

static void keep_thread(void *user, int32_t status)
{
    (void)status;
    *(pthread_t *)user = pthread_self();
}

START_TEST(callbacks_run_on_a_thread_of_the_library)
{
    if (!hold_works()) {
        skip("its callbacks block the caller");
        return;
    }
    pthread_t thread = pthread_self();
    ck_ok(trm_stream_callback(the.stream, keep_thread, &thread));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert(!pthread_equal(thread, pthread_self()));
}
END_TEST

START_TEST(callbacks_of_many_streams_all_run)
{
    enum {
        STREAMS = 32,
        EACH    = 100
    };
    struct trm_stream *streams[STREAMS];
    uint32_t last[STREAMS];
    for (int i = 0; i < STREAMS; i++) {
        streams[i] = make_stream(the.device);
        last[i]    = 0;
    }
    for (uint32_t n = 0; n < EACH; n++)
        for (uint32_t i = 0; i < STREAMS; i++)
            ck_ok(trm_stream_callback(streams[i], note, entry(n * STREAMS + i)));
    ck_ok(trm_device_sync(the.device));
    ck_assert_uint_eq(atomic_load(&record.count), STREAMS * EACH);
    for (uint32_t at = 0; at < STREAMS * EACH; at++) {
        uint32_t stream = record.numbers[at] % STREAMS, number = record.numbers[at] / STREAMS;
        ck_assert_uint_eq(number, last[stream]); /* in the order of its stream */
        last[stream]++;
    }
}
END_TEST

/* The thread that runs the work after a callback is not the thread that other callbacks need. */
START_TEST(a_long_kernel_behind_a_callback_holds_up_no_other_callback)
{
    if (kernels_missing())
        return;
    if (!hold_works()) {
        skip("its callbacks block the caller");
        return;
    }
    struct trm_stream *other   = make_stream(the.device);
    struct trm_grid grid       = trm_grid_1d(1, 1);
    struct trm_argument moment = trm_arg_u32(1);
    int32_t status             = TRM_OK;
    for (unsigned i = 0; i < ATTEMPTS && status == TRM_OK; i++) {
        struct trm_argument ages = trm_arg_u32(dawdle_us(100, i));
        for (int k = 0; k < 20; k++) /* the shortest chain that has failed */
            ck_ok(trm_launch(the.stream, kernel("dawdle"), &grid, &moment, 1));
        ck_ok(trm_stream_callback(the.stream, note, entry(2 * i)));
        ck_ok(trm_launch(the.stream, kernel("dawdle"), &grid, &ages, 1));
        ck_ok(trm_stream_flush(the.stream));
        ck_ok(trm_stream_callback(other, note, entry(2 * i + 1)));
        ck_ok(trm_stream_sync(other));
        status = trm_stream_query(the.stream);
        ck_ok(trm_stream_sync(the.stream));
        ck_assert_uint_eq(atomic_load(&record.count), 2 * i + 2);
    }
    ck_assert_int_eq(status, TRM_ERROR_TIMEOUT);
}
END_TEST

/* ---- when the stream fails or ends ---- */

START_TEST(callbacks_before_and_after_a_failure_each_run_once)
{
    if (functions_missing())
        return;
    struct trm_stream *stream = NULL;
    unsigned accepted = 0, before = 0;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    struct hold *hold = hold_begin(stream);
    for (uint32_t i = 0; i < 100; i++) {
        if (i == 50) {
            before = accepted;
            fail_stream(stream, 61);
        }
        int32_t status = trm_stream_callback(stream, note, entry(i));
        ck_assert(status == TRM_OK || (i >= 50 && !hold && status == TRM_ERROR_KERNEL));
        accepted += status == TRM_OK;
    }
    hold_end(hold);
    ck_status(trm_stream_sync(stream), TRM_ERROR_KERNEL);
    trm_stream_destroy(stream);
    ck_assert_uint_eq(before, 50);
    ck_assert_uint_eq(atomic_load(&record.count), accepted);
    for (uint32_t i = 0; i < accepted; i++) {
        ck_assert_uint_eq(record.numbers[i], i);
        ck_assert_int_eq(record.statuses[i], i < 50 ? TRM_OK : TRM_ERROR_KERNEL);
    }
}
END_TEST

START_TEST(callbacks_have_run_when_their_stream_has_been_destroyed)
{
    for (unsigned round = 0; round < scaled(100, 10); round++) {
        struct trm_stream *stream = NULL;
        atomic_store(&record.count, 0);
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
        for (uint32_t i = 0; i < 20; i++)
            ck_ok(trm_stream_callback(stream, note, entry(i)));
        trm_stream_destroy(stream);
        ck_assert_uint_eq(atomic_load(&record.count), 20);
    }
}
END_TEST

START_TEST(a_refused_callback_does_not_run)
{
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    trm_stream_destroy(stream);
    ck_status(trm_stream_callback(stream, note, entry(0)), TRM_ERROR_INVALID_HANDLE);
    ck_status(trm_stream_callback(the.stream, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(atomic_load(&record.count), 0);
}
END_TEST

/* ---- re-entry ---- */

/* What a callback reports of its calls: the line of the first one that went wrong. */
struct inside {
    struct trm_stream *own;
    struct trm_stream *other;
    struct trm_buffer *buffer;
    struct trm_event *event;
    struct trm_point point;
    int32_t status;
    atomic_int wrong;
    atomic_int runs;
};

#define INSIDE(condition)                                     \
    do {                                                      \
        if (!(condition) && atomic_load(&inside->wrong) == 0) \
            atomic_store(&inside->wrong, __LINE__);           \
    } while (0)

static void check_inside(struct inside *inside)
{
    ck_assert_int_eq(atomic_load(&inside->runs), 1);
    ck_assert_msg(atomic_load(&inside->wrong) == 0,
                  "the call in line %d, inside of the callback, was answered wrongly",
                  atomic_load(&inside->wrong));
}

static struct inside make_inside(void)
{
    struct inside inside = {
        .own    = the.stream,
        .other  = make_stream(the.device),
        .buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 4096),
    };
    return inside;
}

static void enqueue_inside(void *user, int32_t status)
{
    struct inside *inside = user;
    INSIDE(status == TRM_OK);
    INSIDE(trm_fill(inside->other, trm_span_of(inside->buffer, 0, 64), 9, 1) == TRM_OK);
    INSIDE(trm_stream_mark(inside->other, &inside->point) == TRM_OK);
    INSIDE(trm_stream_flush(inside->other) == TRM_OK);
    INSIDE(trm_stream_get_stats(inside->other,
                                &(struct trm_stream_stats){.struct_size = sizeof(struct trm_stream_stats)}) ==
           TRM_OK);
    atomic_fetch_add(&inside->runs, 1);
}

START_TEST(a_callback_may_enqueue_on_another_stream)
{
    struct inside inside = make_inside();
    uint8_t got[64];
    ck_ok(trm_stream_callback(the.stream, enqueue_inside, &inside));
    ck_ok(trm_stream_sync(the.stream));
    check_inside(&inside);
    ck_ok(trm_point_wait(inside.point, TRM_FOREVER));
    get(inside.other, inside.buffer, 0, got, sizeof(got));
    ck_assert_uint_eq(got[0], 9);
    ck_assert_uint_eq(got[63], 9);
    trm_buffer_destroy(inside.buffer);
}
END_TEST

static void enqueue_on_own(void *user, int32_t status)
{
    struct inside *inside = user;
    (void)status;
    INSIDE(trm_fill(inside->own, trm_span_of(inside->buffer, 0, 64), 8, 1) == TRM_OK);
    atomic_fetch_add(&inside->runs, 1);
}

/* The caller does not touch the stream while the callback may run, as one thread at a time may enqueue. */
START_TEST(a_callback_may_enqueue_on_its_own_stream)
{
    struct inside inside = make_inside();
    uint8_t got[64];
    ck_ok(trm_stream_callback(the.stream, enqueue_on_own, &inside));
    ck_ok(trm_stream_sync(the.stream));
    check_inside(&inside);
    get(the.stream, inside.buffer, 0, got, sizeof(got));
    ck_assert_uint_eq(got[0], 8);
    trm_buffer_destroy(inside.buffer);
}
END_TEST

static void callback_again(void *user, int32_t status)
{
    struct inside *inside = user;
    (void)status;
    if (atomic_fetch_add(&inside->runs, 1) + 1 < 100)
        INSIDE(trm_stream_callback(inside->own, callback_again, inside) == TRM_OK);
}

START_TEST(a_callback_may_enqueue_a_callback)
{
    struct inside inside = make_inside();
    ck_ok(trm_stream_callback(the.stream, callback_again, &inside));
    for (uint64_t end = now_ns() + LONG_NS; atomic_load(&inside.runs) < 100 && now_ns() < end;) {
        ck_ok(trm_stream_sync(the.stream));
        sched_yield();
    }
    ck_assert_int_eq(atomic_load(&inside.runs), 100);
    ck_assert_int_eq(atomic_load(&inside.wrong), 0);
    ck_ok(trm_stream_sync(the.stream));
    trm_buffer_destroy(inside.buffer);
}
END_TEST

static void wait_inside(void *user, int32_t status)
{
    struct inside *inside = user;
    uint32_t which        = 99;
    (void)status;
    INSIDE(trm_point_wait(inside->point, TRM_FOREVER) == TRM_OK);
    INSIDE(trm_point_done(inside->point) == TRM_OK);
    INSIDE(trm_wait_all(&inside->point, 1, TRM_FOREVER) == TRM_OK);
    INSIDE(trm_wait_any(&inside->point, 1, TRM_FOREVER, &which) == TRM_OK && which == 0);
    INSIDE(trm_event_wait(inside->event, TRM_FOREVER) == TRM_OK);
    INSIDE(trm_stream_sync(inside->other) == TRM_OK);
    atomic_fetch_add(&inside->runs, 1);
}

START_TEST(a_callback_may_wait_for_what_does_not_wait_for_it)
{
    struct inside inside = make_inside();
    ck_ok(trm_event_create(the.device, 0, &inside.event));
    ck_ok(trm_fill(the.stream, trm_span_of(inside.buffer, 0, 2048), 1, 1));
    ck_ok(trm_event_record(inside.event, the.stream)); /* of its own stream, before it */
    ck_ok(trm_fill(inside.other, trm_span_of(inside.buffer, 2048, 2048), 2, 1));
    ck_ok(trm_stream_mark(inside.other, &inside.point));
    ck_ok(trm_stream_callback(the.stream, wait_inside, &inside));
    ck_ok(trm_stream_sync(the.stream));
    check_inside(&inside);
    trm_event_destroy(inside.event);
    trm_buffer_destroy(inside.buffer);
}
END_TEST

START_TEST(a_callback_may_wait_for_a_callback_of_another_stream)
{
    struct inside inside = make_inside();
    ck_ok(trm_event_create(the.device, 0, &inside.event));
    struct hold *hold = hold_begin(inside.other); /* so that both have been enqueued before either runs */
    ck_ok(trm_stream_callback(inside.other, note, entry(0)));
    ck_ok(trm_stream_mark(inside.other, &inside.point));
    ck_ok(trm_event_record(inside.event, inside.other));
    ck_ok(trm_stream_callback(the.stream, wait_inside, &inside));
    ck_ok(trm_stream_flush(the.stream));
    hold_end_after(hold, 10);
    ck_ok(trm_stream_sync(the.stream));
    check_inside(&inside);
    ck_assert_uint_eq(atomic_load(&record.count), 1);
    trm_event_destroy(inside.event);
    trm_buffer_destroy(inside.buffer);
}
END_TEST

static void wait_for_a_callback_of_its_own(void *user, int32_t status)
{
    struct inside *inside = user;
    (void)status;
    INSIDE(trm_stream_callback(inside->other, note, entry(0)) == TRM_OK);
    INSIDE(trm_stream_mark(inside->other, &inside->point) == TRM_OK);
    INSIDE(trm_point_wait(inside->point, TRM_FOREVER) == TRM_OK);
    INSIDE(atomic_load(&record.count) == 1);
    atomic_fetch_add(&inside->runs, 1);
}

/* A callback that waits inside the library lets other callbacks run meanwhile. */
START_TEST(a_callback_may_wait_for_a_callback_that_can_only_run_meanwhile)
{
    struct inside inside = make_inside();
    ck_ok(trm_stream_callback(the.stream, wait_for_a_callback_of_its_own, &inside));
    ck_ok(trm_stream_sync(the.stream));
    check_inside(&inside);
    trm_buffer_destroy(inside.buffer);
}
END_TEST

static void make_and_destroy_inside(void *user, int32_t status)
{
    struct inside *inside      = user;
    struct trm_device *device  = NULL;
    struct trm_stream *stream  = NULL;
    struct trm_event *event    = NULL;
    struct trm_buffer *buffer  = NULL;
    struct trm_array *array    = NULL;
    struct trm_context *fresh  = NULL;
    uint32_t numbers[4]        = {1, 2, 3, 4};
    struct trm_device *another = NULL;
    (void)status;
    INSIDE(trm_stream_device(inside->own, &device) == TRM_OK);
    INSIDE(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream) == TRM_OK);
    INSIDE(trm_event_create(device, 0, &event) == TRM_OK);
    INSIDE(trm_buffer_create(device, TRM_MEMORY_DEVICE, 100, &buffer) == TRM_OK);
    INSIDE(trm_array_create(device, TRM_TYPE_U32, 4, TRM_MEMORY_DEVICE, numbers, &array) == TRM_OK);
    INSIDE(trm_fill(stream, trm_span_whole(buffer), 1, 1) == TRM_OK);
    INSIDE(trm_event_record(event, stream) == TRM_OK);
    INSIDE(trm_context_create(NULL, &fresh) == TRM_OK);
    INSIDE(trm_device_open(the.context, NULL, &another) == TRM_OK);
    trm_event_destroy(event);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_array_destroy(array);
    trm_device_destroy(another);
    trm_context_destroy(fresh);
    trm_device_destroy(device);
    atomic_fetch_add(&inside->runs, 1);
}

START_TEST(a_callback_may_make_and_destroy_objects)
{
    struct inside inside = make_inside();
    ck_ok(trm_stream_callback(the.stream, make_and_destroy_inside, &inside));
    ck_ok(trm_stream_sync(the.stream));
    check_inside(&inside);
    trm_buffer_destroy(inside.buffer);
}
END_TEST

static void destroy_own_stream(void *user, int32_t status)
{
    struct inside *inside = user;
    (void)status;
    trm_stream_destroy(inside->own);
    atomic_fetch_add(&inside->runs, 1);
}

START_TEST(a_callback_may_destroy_its_own_stream)
{
    for (unsigned round = 0; round < scaled(100, 10); round++) {
        struct inside inside = {.buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 64)};
        ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &inside.own));
        struct hold *hold = hold_begin(inside.own); /* the handle must not die while this thread enqueues */
        ck_ok(trm_fill(inside.own, trm_span_whole(inside.buffer), 1, 1));
        ck_ok(trm_stream_callback(inside.own, destroy_own_stream, &inside));
        if (hold)
            ck_ok(trm_stream_flush(inside.own));
        hold_end(hold);
        for (uint64_t end = now_ns() + LONG_NS; !atomic_load(&inside.runs) && now_ns() < end;)
            sched_yield();
        ck_assert_int_eq(atomic_load(&inside.runs), 1);
        trm_buffer_destroy(inside.buffer);
    }
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    for (uint64_t end = now_ns() + LONG_NS; now_ns() < end; sleep_ms(1)) {
        ck_ok(trm_device_get_usage(the.device, &usage));
        if (usage.streams == 1) /* the fixture's own: all others have ended later */
            break;
    }
    ck_assert_uint_eq(usage.streams, 1);
}
END_TEST

/* ---- deadlocks ---- */

/* Where callbacks block the caller, nothing on the stream waits for them yet, so waiting for the stream may
 * succeed. */
static bool told_of_deadlock(int32_t status, bool may_succeed)
{
    if (status == TRM_OK)
        return may_succeed;
    return status == TRM_ERROR_DEADLOCK && trm_last_error().status == status && trm_last_error().sentence[0];
}

static void wait_for_itself(void *user, int32_t status)
{
    struct inside *inside     = user;
    struct trm_point own      = {NULL, 0};
    struct trm_device *device = NULL;
    bool blocked              = inside->status;
    (void)status;
    INSIDE(told_of_deadlock(trm_stream_sync(inside->own), blocked));
    INSIDE(trm_stream_mark(inside->own, &own) == TRM_OK);
    INSIDE(told_of_deadlock(trm_point_wait(own, TRM_FOREVER), blocked));
    INSIDE(told_of_deadlock(trm_point_wait(own, 1000000), blocked));
    INSIDE(told_of_deadlock(trm_wait_all(&own, 1, TRM_FOREVER), blocked));
    INSIDE(trm_stream_device(inside->own, &device) == TRM_OK);
    INSIDE(told_of_deadlock(trm_device_sync(device), false));
    trm_device_destroy(device);
    atomic_fetch_add(&inside->runs, 1);
}

START_TEST(a_callback_that_waits_for_itself_is_told_of_the_deadlock)
{
    struct inside inside = make_inside();
    inside.status        = !hold_works();
    ck_ok(trm_stream_callback(the.stream, wait_for_itself, &inside));
    ck_ok(trm_stream_sync(the.stream)); /* the stream has not failed */
    check_inside(&inside);
    trm_buffer_destroy(inside.buffer);
}
END_TEST

void add_callback(Suite *suite)
{
    TCase *group = group_make(suite, "callbacks");
    tcase_add_checked_fixture(group, forget, NULL);
    CASE(group, callbacks_run_once_each_in_order);
    CASE(group, a_callback_sees_what_was_done_before_it);
    CASE(group, what_comes_after_a_callback_waits_until_it_returns);
    CASE(group, callbacks_run_on_a_thread_of_the_library);
    CASE(group, callbacks_of_many_streams_all_run);
    CASE(group, a_long_kernel_behind_a_callback_holds_up_no_other_callback);
    CASE(group, callbacks_before_and_after_a_failure_each_run_once);
    CASE(group, callbacks_have_run_when_their_stream_has_been_destroyed);
    CASE(group, a_refused_callback_does_not_run);

    group = group_make(suite, "inside callbacks");
    tcase_add_checked_fixture(group, forget, NULL);
    CASE(group, a_callback_may_enqueue_on_another_stream);
    CASE(group, a_callback_may_enqueue_on_its_own_stream);
    CASE(group, a_callback_may_enqueue_a_callback);
    CASE(group, a_callback_may_wait_for_what_does_not_wait_for_it);
    CASE(group, a_callback_may_wait_for_a_callback_of_another_stream);
    CASE(group, a_callback_may_wait_for_a_callback_that_can_only_run_meanwhile);
    CASE(group, a_callback_may_make_and_destroy_objects);
    CASE(group, a_callback_may_destroy_its_own_stream);
    CASE(group, a_callback_that_waits_for_itself_is_told_of_the_deadlock);
}
