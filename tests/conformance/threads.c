/* Many threads at once: sixteen threads create, use and destroy objects, and query them at any time.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "kernels.h"

#include <pthread.h>
#include <stdatomic.h>

#define THREADS 16

/* Check's assertions work in the thread of the case only. A worker records the line that went wrong. */
struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    uint32_t number;
    unsigned rounds;
    struct trm_device *device;
    struct trm_context *context;
    struct trm_kernel *kernel;
    struct trm_buffer *shared;
    int line;
    char sentence[600];
};

#define WORKER_CHECK(condition)                                                                         \
    do {                                                                                                \
        if (!(condition)) {                                                                             \
            worker->line = __LINE__;                                                                    \
            snprintf(worker->sentence, sizeof(worker->sentence), "%s (last error: %.200s)", #condition, \
                     trm_last_error().sentence);                                                        \
            return;                                                                                     \
        }                                                                                               \
    } while (0)

typedef void (*work_fn)(struct worker *worker);

struct job {
    struct worker worker;
    work_fn work;
};

static void *work(void *user)
{
    struct job *job = user;
    pthread_barrier_wait(job->worker.start);
    job->work(&job->worker);
    return NULL;
}

static void run_workers(work_fn function, struct worker pattern)
{
    static struct job jobs[THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        jobs[i].worker         = pattern;
        jobs[i].worker.number  = i;
        jobs[i].worker.start   = &start;
        jobs[i].worker.device  = pattern.device ? pattern.device : the.device;
        jobs[i].worker.context = the.context;
        jobs[i].work           = function;
        ck_assert_int_eq(pthread_create(&jobs[i].worker.thread, NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(jobs[i].worker.thread, NULL);
    pthread_barrier_destroy(&start);
    for (int i = 0; i < THREADS; i++)
        ck_assert_msg(jobs[i].worker.line == 0, "thread %d, line %d: %s", i, jobs[i].worker.line,
                      jobs[i].worker.sentence);
}

static struct trm_device_usage usage_now(void)
{
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    ck_ok(trm_device_get_usage(the.device, &usage));
    return usage;
}

static void check_nothing_left(struct trm_device_usage before)
{
    struct trm_device_usage after = usage_now();
    ck_assert_uint_eq(after.streams, before.streams);
    ck_assert_uint_eq(after.events, before.events);
    ck_assert_uint_eq(after.buffers, before.buffers);
    ck_assert_uint_eq(after.buffer_bytes, before.buffer_bytes);
    ck_assert_uint_eq(after.modules, before.modules);
}

/* ---- create, use, destroy ---- */

static void streams_come_and_go(struct worker *worker)
{
    for (unsigned i = 0; i < worker->rounds; i++) {
        struct trm_stream *stream = NULL;
        struct trm_point point    = {NULL, 0};
        uint64_t offset           = worker->number * 64;
        WORKER_CHECK(trm_stream_create(worker->device, (int32_t)(i % 4), 0, &stream) == TRM_OK);
        WORKER_CHECK(trm_fill(stream, trm_span_of(worker->shared, offset, 64), i, 1) == TRM_OK);
        WORKER_CHECK(trm_stream_mark(stream, &point) == TRM_OK);
        if (i % 16 == 0)
            WORKER_CHECK(trm_point_wait(point, TRM_FOREVER) == TRM_OK);
        trm_stream_destroy(stream);
        if (i % 16 == 1)
            WORKER_CHECK(trm_point_done(point) == TRM_ERROR_INVALID_HANDLE);
    }
}

START_TEST(sixteen_threads_create_use_and_destroy_streams)
{
    struct trm_device_usage before = usage_now();
    struct worker pattern          = {.rounds = scaled(10000, 100)};
    pattern.shared                 = make_buffer(the.device, TRM_MEMORY_DEVICE, THREADS * 64);
    run_workers(streams_come_and_go, pattern);
    uint8_t got[THREADS * 64];
    get(the.stream, pattern.shared, 0, got, sizeof(got));
    for (size_t i = 0; i < sizeof(got); i++)
        ck_assert_uint_eq(got[i], (pattern.rounds - 1) & 255);
    trm_buffer_destroy(pattern.shared);
    check_nothing_left(before);
}
END_TEST

static void buffers_come_and_go(struct worker *worker)
{
    static const uint64_t sizes[] = {1, 64, 4096, 5000, 100000};
    struct trm_stream *stream     = NULL;
    WORKER_CHECK(trm_stream_create(worker->device, TRM_STREAM_ANY, 0, &stream) == TRM_OK);
    for (unsigned i = 0; i < worker->rounds; i++) {
        struct trm_buffer *buffer = NULL;
        uint64_t size             = sizes[(i + worker->number) % 5];
        uint32_t sent = worker->number << 24 | i, got = ~sent;
        WORKER_CHECK(trm_buffer_create(worker->device, TRM_MEMORY_DEVICE, size, &buffer) == TRM_OK);
        if (size >= 4) {
            WORKER_CHECK(trm_upload(stream, trm_span_of(buffer, size - 4, 4), &sent) == TRM_OK);
            WORKER_CHECK(trm_download(stream, &got, trm_span_of(buffer, size - 4, 4)) == TRM_OK);
            if (i % 4 == 0)
                trm_buffer_destroy(buffer); /* in use */
            WORKER_CHECK(trm_stream_sync(stream) == TRM_OK);
            WORKER_CHECK(got == sent); /* no other thread has used it meanwhile */
        }
        if (i % 4 != 0 || size < 4)
            trm_buffer_destroy(buffer);
    }
    trm_stream_destroy(stream);
}

START_TEST(sixteen_threads_create_use_and_destroy_buffers)
{
    struct trm_device_usage before = usage_now();
    struct worker pattern          = {.rounds = scaled(10000, 100)};
    run_workers(buffers_come_and_go, pattern);
    check_nothing_left(before);
}
END_TEST

static void events_come_and_go(struct worker *worker)
{
    struct trm_stream *stream = NULL;
    WORKER_CHECK(trm_stream_create(worker->device, TRM_STREAM_ANY, 0, &stream) == TRM_OK);
    for (unsigned i = 0; i < worker->rounds; i++) {
        struct trm_event *event = NULL;
        uint32_t flags          = i % 8 == 0 ? (uint32_t)TRM_EVENT_TIMING : 0;
        WORKER_CHECK(trm_event_create(worker->device, flags, &event) == TRM_OK);
        WORKER_CHECK(trm_fill(stream, trm_span_of(worker->shared, worker->number * 64, 64), i, 1) == TRM_OK);
        WORKER_CHECK(trm_event_record(event, stream) == TRM_OK);
        WORKER_CHECK(trm_stream_wait_event(stream, event) == TRM_OK);
        if (i % 32 == 0)
            WORKER_CHECK(trm_event_wait(event, TRM_FOREVER) == TRM_OK);
        trm_event_destroy(event);
    }
    WORKER_CHECK(trm_stream_sync(stream) == TRM_OK);
    trm_stream_destroy(stream);
}

START_TEST(sixteen_threads_create_use_and_destroy_events)
{
    struct trm_device_usage before = usage_now();
    struct worker pattern          = {.rounds = scaled(10000, 100)};
    pattern.shared                 = make_buffer(the.device, TRM_MEMORY_DEVICE, THREADS * 64);
    run_workers(events_come_and_go, pattern);
    trm_buffer_destroy(pattern.shared);
    check_nothing_left(before);
}
END_TEST

static void memory_in_stream_order(struct worker *worker)
{
    struct trm_stream *stream = NULL;
    WORKER_CHECK(trm_stream_create(worker->device, TRM_STREAM_ANY, 0, &stream) == TRM_OK);
    for (unsigned i = 0; i < worker->rounds; i++) {
        struct trm_buffer *buffer = NULL;
        uint32_t sent = worker->number << 24 | i, got = ~sent;
        uint64_t size = 64u << (i % 8);
        WORKER_CHECK(trm_stream_alloc(stream, size, &buffer) == TRM_OK);
        WORKER_CHECK(trm_fill(stream, trm_span_whole(buffer), sent, 4) == TRM_OK);
        if (i % 16 == 0)
            WORKER_CHECK(trm_download(stream, &got, trm_span_of(buffer, size - 4, 4)) == TRM_OK);
        WORKER_CHECK(trm_stream_free(stream, buffer) == TRM_OK);
        if (i % 16 == 0) {
            WORKER_CHECK(trm_stream_sync(stream) == TRM_OK);
            WORKER_CHECK(got == sent);
        }
    }
    trm_stream_destroy(stream);
}

START_TEST(sixteen_threads_allocate_use_and_free_in_stream_order)
{
    struct trm_device_usage before = usage_now();
    struct worker pattern          = {.rounds = scaled(10000, 100)};
    run_workers(memory_in_stream_order, pattern);
    check_nothing_left(before);
}
END_TEST

static void kernels_come_and_go(struct worker *worker)
{
    struct trm_module_desc desc = kernels_desc(worker->device);
    struct trm_stream *stream   = NULL;
    struct trm_buffer *buffer   = NULL;
    WORKER_CHECK(trm_stream_create(worker->device, TRM_STREAM_ANY, 0, &stream) == TRM_OK);
    WORKER_CHECK(trm_buffer_create(worker->device, TRM_MEMORY_DEVICE, 400, &buffer) == TRM_OK);
    WORKER_CHECK(trm_fill(stream, trm_span_whole(buffer), worker->number, 4) == TRM_OK);
    uint32_t expected = worker->number, got = 0;
    for (unsigned i = 0; i < worker->rounds; i++) {
        struct trm_module *module = NULL;
        struct trm_kernel *affine = NULL;
        WORKER_CHECK(trm_module_load(worker->device, &desc, &module) == TRM_OK);
        WORKER_CHECK(trm_kernel_get(module, "affine", &affine) == TRM_OK);
        trm_module_destroy(module);
        WORKER_CHECK(launch_affine_with(stream, affine, buffer, 100, 3, i) == TRM_OK);
        trm_kernel_destroy(affine); /* in use */
        expected = expected * 3 + i;
    }
    WORKER_CHECK(trm_download(stream, &got, trm_span_of(buffer, 396, 4)) == TRM_OK);
    WORKER_CHECK(trm_stream_sync(stream) == TRM_OK);
    WORKER_CHECK(got == expected);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
}

START_TEST(sixteen_threads_load_launch_and_destroy_kernels)
{
    if (kernels_missing())
        return;
    struct trm_device_usage before = usage_now();
    struct worker pattern          = {.rounds = scaled(10000, 40)};
    run_workers(kernels_come_and_go, pattern);
    check_nothing_left(before);
}
END_TEST

static void devices_come_and_go(struct worker *worker)
{
    for (struct rounds rounds = rounds_of(worker->rounds, 1); rounds_left(&rounds); rounds.number++) {
        struct trm_device *device = NULL;
        struct trm_stream *stream = NULL;
        struct trm_buffer *buffer = NULL;
        WORKER_CHECK(trm_device_open(worker->context, NULL, &device) == TRM_OK);
        WORKER_CHECK(trm_device_thread_stream(device, &stream) == TRM_OK);
        WORKER_CHECK(trm_buffer_create(device, TRM_MEMORY_DEVICE, 1000, &buffer) == TRM_OK);
        WORKER_CHECK(trm_fill(stream, trm_span_whole(buffer), rounds.number, 1) == TRM_OK);
        WORKER_CHECK(trm_device_sync(device) == TRM_OK);
        trm_buffer_destroy(buffer);
        trm_device_destroy(device);
    }
}

START_TEST(sixteen_threads_open_use_and_destroy_devices)
{
    struct worker pattern = {.rounds = scaled(200, 5)};
    run_workers(devices_come_and_go, pattern);
}
END_TEST

static void contexts_come_and_go(struct worker *worker)
{
    for (struct rounds rounds = rounds_of(worker->rounds, 1); rounds_left(&rounds); rounds.number++) {
        struct trm_context *context = NULL;
        struct trm_device *device   = NULL;
        struct trm_stream *stream   = NULL;
        if (context_with(NULL, 0, &context) != TRM_OK)
            context = NULL;
        WORKER_CHECK(context != NULL);
        WORKER_CHECK(trm_device_open(context, NULL, &device) == TRM_OK);
        WORKER_CHECK(trm_stream_create(device, TRM_STREAM_ANY, 0, &stream) == TRM_OK);
        WORKER_CHECK(trm_stream_sync(stream) == TRM_OK);
        trm_context_destroy(context);
        trm_stream_destroy(stream);
        trm_device_destroy(device);
    }
}

START_TEST(sixteen_threads_have_contexts_of_their_own)
{
    struct worker pattern = {.rounds = scaled(30, 2)};
    run_workers(contexts_come_and_go, pattern);
}
END_TEST

/* ---- what any thread may do at any time ---- */

static atomic_int done;

static void ask_all_the_time(struct worker *worker)
{
    if (worker->number == 0) { /* the one that enqueues */
        for (unsigned i = 0; i < worker->rounds; i++) {
            WORKER_CHECK(trm_fill(the.stream, trm_span_whole(worker->shared), i, 1) == TRM_OK);
            if (i % 100 == 0)
                WORKER_CHECK(trm_stream_sync(the.stream) == TRM_OK);
        }
        atomic_store(&done, 1);
        return;
    }
    while (!atomic_load(&done)) {
        struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
        struct trm_device_usage usage = {.struct_size = sizeof(usage)};
        struct trm_device *device     = NULL;
        int32_t status                = trm_stream_query(the.stream);
        WORKER_CHECK(status == TRM_OK || status == TRM_ERROR_TIMEOUT);
        WORKER_CHECK(trm_stream_get_stats(the.stream, &stats) == TRM_OK);
        WORKER_CHECK(stats.fills <= worker->rounds);
        WORKER_CHECK(trm_device_get_usage(worker->device, &usage) == TRM_OK);
        WORKER_CHECK(trm_stream_device(the.stream, &device) == TRM_OK);
        trm_device_destroy(device);
        status = trm_buffer_wait(worker->shared, 1000);
        WORKER_CHECK(status == TRM_OK || status == TRM_ERROR_TIMEOUT);
    }
}

START_TEST(one_thread_enqueues_while_fifteen_ask)
{
    struct worker pattern = {.rounds = scaled(20000, 500)};
    atomic_store(&done, 0);
    pattern.shared = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    run_workers(ask_all_the_time, pattern);
    trm_buffer_destroy(pattern.shared);
}
END_TEST

static void fail_in_own_way(struct worker *worker)
{
    for (unsigned i = 0; i < worker->rounds; i++) {
        char name[32];
        struct trm_device *device = NULL;
        snprintf(name, sizeof(name), "no-backend-%u", worker->number);
        WORKER_CHECK(trm_device_open(worker->context, name, &device) == TRM_ERROR_NOT_FOUND);
        WORKER_CHECK(trm_last_error().status == TRM_ERROR_NOT_FOUND);
        WORKER_CHECK(strstr(trm_last_error().sentence, name) != NULL);
        WORKER_CHECK(trm_stream_flush(NULL) < 0);
        WORKER_CHECK(strstr(trm_last_error().sentence, name) == NULL);
    }
}

START_TEST(every_thread_has_a_last_error_of_its_own)
{
    struct worker pattern = {.rounds = scaled(2000, 50)};
    run_workers(fail_in_own_way, pattern);
}
END_TEST

static struct trm_event *_Atomic shared_event;

static void wait_for_what_others_destroy(struct worker *worker)
{
    for (unsigned i = 0; i < worker->rounds; i++) {
        if (worker->number == 0) {
            struct trm_event *event = NULL;
            WORKER_CHECK(trm_event_create(worker->device, 0, &event) == TRM_OK);
            WORKER_CHECK(trm_fill(the.stream, trm_span_whole(worker->shared), i, 1) == TRM_OK);
            WORKER_CHECK(trm_event_record(event, the.stream) == TRM_OK);
            struct trm_event *old = atomic_exchange(&shared_event, event);
            trm_event_destroy(old);
        } else {
            struct trm_event *event = atomic_load(&shared_event);
            int32_t status          = event ? trm_event_wait(event, TRM_FOREVER) : TRM_OK;
            WORKER_CHECK(status == TRM_OK || status == TRM_ERROR_INVALID_HANDLE);
        }
    }
}

START_TEST(threads_may_wait_for_an_event_that_another_destroys)
{
    struct worker pattern = {.rounds = scaled(5000, 200)};
    pattern.shared        = make_buffer(the.device, TRM_MEMORY_DEVICE, 1000);
    run_workers(wait_for_what_others_destroy, pattern);
    trm_event_destroy(atomic_exchange(&shared_event, NULL));
    trm_buffer_destroy(pattern.shared);
}
END_TEST

void add_threads(Suite *suite)
{
    TCase *group = group_make(suite, "threads");
    CASE(group, sixteen_threads_create_use_and_destroy_streams);
    CASE(group, sixteen_threads_create_use_and_destroy_buffers);
    CASE(group, sixteen_threads_create_use_and_destroy_events);
    CASE(group, sixteen_threads_allocate_use_and_free_in_stream_order);
    CASE(group, sixteen_threads_load_launch_and_destroy_kernels);
    CASE(group, sixteen_threads_open_use_and_destroy_devices);
    CASE(group, sixteen_threads_have_contexts_of_their_own);
    CASE(group, one_thread_enqueues_while_fifteen_ask);
    CASE(group, every_thread_has_a_last_error_of_its_own);
    CASE(group, threads_may_wait_for_an_event_that_another_destroys);
}
