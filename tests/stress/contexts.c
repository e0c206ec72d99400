/* Whole contexts that come and go in eight threads, while every thread uses the handles of the others: live,
 * dead and invented ones. A dead or invented handle is refused; a live one works or is refused. Functions
 * that enqueue get dead handles only, since destroying an object under them is an error of the program.
 *
 * The work is bounded by rounds, not by time.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <trireme/trireme.h>

#include "tests/scale.h"

enum {
    THREADS = 8,
    BOARD   = 64,
    ASKS    = 24, /* calls of a thread in each round */
};

enum kind {
    CONTEXT,
    DEVICE,
    STREAM,
    EVENT,
    BUFFER,
    ARRAY,
    GRAPH,
    EXEC,
    PIPELINE,
    COORDINATOR,
    KINDS,
};

/* Check's assertions work in the thread of the case only. A worker records what went wrong. */
struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    uint32_t number;
    uint32_t random;
    unsigned rounds;
    void (*round)(struct worker *worker);
    int line;
    char sentence[300];
};

#define WORKER_CHECK(condition)                                                                         \
    do {                                                                                                \
        if (!(condition) && worker->line == 0) {                                                        \
            worker->line = __LINE__;                                                                    \
            snprintf(worker->sentence, sizeof(worker->sentence), "%s (last error: %.200s)", #condition, \
                     trm_last_error().sentence);                                                        \
        }                                                                                               \
    } while (0)

static uint32_t next_random(struct worker *worker)
{
    worker->random ^= worker->random << 13;
    worker->random ^= worker->random >> 17;
    worker->random ^= worker->random << 5;
    return worker->random;
}

/* ---- what the threads show each other ------------------------------------------------------- */

/* Handles of any thread: perhaps alive, and certainly dead. */
static _Atomic(void *) shown[KINDS][BOARD];
static _Atomic(void *) dead[KINDS][BOARD];

static void show(struct worker *worker, _Atomic(void *) board[KINDS][BOARD], void *const handles[KINDS])
{
    for (int kind = 0; kind < KINDS; kind++)
        atomic_store(&board[kind][next_random(worker) % BOARD], handles[kind]);
}

static void *look(struct worker *worker, _Atomic(void *) board[KINDS][BOARD], enum kind kind)
{
    return atomic_load(&board[kind][next_random(worker) % BOARD]);
}

/* A handle with the number of a context that may exist, and a generation that no object of this test
 * reaches. */
static void *invent(struct worker *worker, enum kind kind)
{
    static const uint64_t types[KINDS] = {1, 2, 3, 4, 5, 6, 10, 11, 12, 13};
    uint64_t context = 1 + next_random(worker) % (THREADS + 2), slot = next_random(worker) & 0xffffff;
    uint64_t generation = 0x4000000u | (next_random(worker) & 0xffffff);
    if (next_random(worker) % 2)
        slot %= 100;
    return (void *)(uintptr_t)(context << 56 | types[kind] << 51 | generation << 24 | slot);
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* Functions that wait, query and create: another thread may destroy the object meanwhile. */
static int32_t call_on_context(void *handle)
{
    struct trm_device *device = NULL;
    uint32_t count;
    int32_t status = trm_context_candidate_count(handle, &count);
    if (status == TRM_OK)
        status = trm_context_setting(handle, "backend", NULL, 0, NULL, NULL);
    if (status == TRM_OK)
        status = trm_device_open(handle, "cpu:0", &device);
    trm_device_destroy(device);
    return status;
}

static int32_t call_on_device(void *handle)
{
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    struct trm_event *event       = NULL;
    struct trm_stream *stream     = NULL;
    struct trm_buffer *buffer     = NULL;
    int32_t status                = trm_device_get_usage(handle, &usage);
    if (status == TRM_OK)
        status = trm_event_create(handle, 0, &event);
    if (status == TRM_OK)
        status = trm_stream_create(handle, TRM_STREAM_ANY, 0, &stream);
    if (status == TRM_OK)
        status = trm_buffer_create(handle, TRM_MEMORY_DEVICE, 64, &buffer);
    if (status == TRM_OK)
        status = trm_device_sync(handle);
    trm_event_destroy(event);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    return status;
}

static int32_t call_on_stream(void *handle)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    struct trm_device *device     = NULL;
    int32_t status                = trm_stream_sync(handle);
    if (status == TRM_OK)
        status = trm_stream_get_stats(handle, &stats);
    if (status == TRM_OK)
        status = trm_stream_device(handle, &device);
    trm_device_destroy(device);
    return status;
}

static int32_t call_on_event(void *handle)
{
    return trm_event_wait(handle, TRM_FOREVER);
}

static int32_t call_on_buffer(void *handle)
{
    uint64_t size;
    int32_t status = trm_buffer_size(handle, &size);
    if (status == TRM_OK)
        status = trm_buffer_wait(handle, TRM_FOREVER);
    if (status == TRM_OK)
        status = trm_buffer_retain(handle);
    if (status == TRM_OK)
        trm_buffer_destroy(handle);
    return status;
}

static int32_t call_on_array(void *handle)
{
    uint32_t data[4];
    return trm_array_download(handle, TRM_TYPE_U32, 0, 4, data);
}

static int32_t call_on_graph(void *handle)
{
    uint32_t count;
    return trm_graph_node_count(handle, &count);
}

static int32_t call_on_exec(void *handle)
{
    int32_t is_native;
    return trm_graph_exec_is_native(handle, &is_native);
}

static int32_t call_on_pipeline(void *handle)
{
    uint32_t count;
    return trm_pipeline_slots(handle, NULL, 0, &count);
}

static int32_t call_on_coordinator(void *handle)
{
    int32_t status = trm_coordinator_submit(handle);
    return status == TRM_ERROR_CANCELLED ? TRM_OK : status;
}

static int32_t (*const calls[KINDS])(void *handle) = {
    [CONTEXT] = call_on_context,   [DEVICE] = call_on_device,
    [STREAM] = call_on_stream,     [EVENT] = call_on_event,
    [BUFFER] = call_on_buffer,     [ARRAY] = call_on_array,
    [GRAPH] = call_on_graph,       [EXEC] = call_on_exec,
    [PIPELINE] = call_on_pipeline, [COORDINATOR] = call_on_coordinator,
};

/* Functions that enqueue. */
static void enqueue_dead(struct worker *worker, void *stream, void *buffer)
{
    uint32_t word = 0;
    WORKER_CHECK(trm_fill(stream, trm_span_of(buffer, 0, 4), 1, 4) == TRM_ERROR_INVALID_HANDLE);
    WORKER_CHECK(trm_download(stream, &word, trm_span_of(buffer, 0, 4)) == TRM_ERROR_INVALID_HANDLE);
    WORKER_CHECK(trm_stream_flush(stream) == TRM_ERROR_INVALID_HANDLE);
}

static void destroy(enum kind kind, void *handle)
{
    switch (kind) {
    case CONTEXT:
        trm_context_destroy(handle);
        break;
    case DEVICE:
        trm_device_destroy(handle);
        break;
    case STREAM:
        trm_stream_destroy(handle);
        break;
    case EVENT:
        trm_event_destroy(handle);
        break;
    case BUFFER:
        trm_buffer_destroy(handle);
        break;
    case ARRAY:
        trm_array_destroy(handle);
        break;
    case GRAPH:
        trm_graph_destroy(handle);
        break;
    case EXEC:
        trm_graph_exec_destroy(handle);
        break;
    case PIPELINE:
        trm_pipeline_destroy(handle);
        break;
    case COORDINATOR:
        trm_coordinator_destroy(handle);
        break;
    case KINDS:
        break;
    }
}

/* Uses what the other threads show. */
static void ask(struct worker *worker)
{
    for (int i = 0; i < ASKS; i++) {
        enum kind kind = next_random(worker) % KINDS;
        void *any = look(worker, shown, kind), *gone = look(worker, dead, kind);
        if (any != NULL) {
            int32_t status = calls[kind](any);
            WORKER_CHECK(status == TRM_OK || status == TRM_ERROR_INVALID_HANDLE);
        }
        if (gone == NULL)
            gone = invent(worker, kind);
        WORKER_CHECK(calls[kind](gone) == TRM_ERROR_INVALID_HANDLE);
        WORKER_CHECK(calls[kind](invent(worker, kind)) == TRM_ERROR_INVALID_HANDLE);
        destroy(kind, gone);
        WORKER_CHECK(trm_last_error().status == TRM_ERROR_INVALID_HANDLE);
        enqueue_dead(worker, invent(worker, STREAM), invent(worker, BUFFER));
        if ((gone = look(worker, dead, STREAM)) != NULL)
            enqueue_dead(worker, gone, look(worker, dead, BUFFER));
    }
}

/* ---- rounds --------------------------------------------------------------------------------- */

static struct trm_context *make_context(struct worker *worker)
{
    struct trm_setting settings[] = {{"backend", "cpu"}, {"cpu.workers", "1"}};
    struct trm_context_desc desc  = {.struct_size   = sizeof(desc),
                                     .flags         = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                     .settings      = settings,
                                     .setting_count = 2};
    struct trm_context *context   = NULL;
    WORKER_CHECK(trm_context_create(&desc, &context) == TRM_OK);
    return context;
}

static struct trm_pipeline *make_pipeline(struct worker *worker, struct trm_device *device)
{
    struct trm_port port          = trm_port_input("in", 64);
    struct trm_pipeline_desc desc = {
        .struct_size = sizeof(desc), .ports = &port, .port_count = 1, .depth = 1};
    struct trm_pipeline *pipeline = NULL;
    WORKER_CHECK(trm_pipeline_create(device, &desc, &pipeline) == TRM_OK);
    return pipeline;
}

static void make_objects(struct worker *worker, void *handles[KINDS])
{
    struct trm_device *device = NULL;
    struct trm_stream *stream = NULL;
    struct trm_event *event   = NULL;
    struct trm_buffer *buffer = NULL;
    struct trm_array *array   = NULL;
    struct trm_graph *graph   = NULL;
    struct trm_graph_exec *exec;
    struct trm_coordinator *coordinator;
    handles[CONTEXT] = make_context(worker);
    WORKER_CHECK(trm_device_open(handles[CONTEXT], "cpu:0", &device) == TRM_OK);
    WORKER_CHECK(trm_stream_create(device, TRM_STREAM_ANY, 0, &stream) == TRM_OK);
    WORKER_CHECK(trm_event_create(device, 0, &event) == TRM_OK);
    WORKER_CHECK(trm_buffer_create(device, TRM_MEMORY_DEVICE, 4096, &buffer) == TRM_OK);
    WORKER_CHECK(trm_array_create(device, TRM_TYPE_U32, 4, TRM_MEMORY_DEVICE, NULL, &array) == TRM_OK);
    WORKER_CHECK(trm_graph_create(device, &graph) == TRM_OK);
    WORKER_CHECK(trm_graph_instantiate(graph, &exec) == TRM_OK);
    WORKER_CHECK(trm_coordinator_create(device, NULL, &coordinator) == TRM_OK);
    handles[DEVICE]      = device;
    handles[STREAM]      = stream;
    handles[EVENT]       = event;
    handles[BUFFER]      = buffer;
    handles[ARRAY]       = array;
    handles[GRAPH]       = graph;
    handles[EXEC]        = exec;
    handles[PIPELINE]    = make_pipeline(worker, device);
    handles[COORDINATOR] = coordinator;
}

static void use_objects(struct worker *worker, void *const handles[KINDS])
{
    uint32_t sent = worker->random, got = 0;
    struct trm_span span = trm_span_of(handles[BUFFER], 0, 4);
    WORKER_CHECK(trm_upload(handles[STREAM], span, &sent) == TRM_OK);
    WORKER_CHECK(trm_download(handles[STREAM], &got, span) == TRM_OK);
    WORKER_CHECK(trm_event_record(handles[EVENT], handles[STREAM]) == TRM_OK);
    WORKER_CHECK(trm_event_wait(handles[EVENT], TRM_FOREVER) == TRM_OK);
    WORKER_CHECK(got == sent);
}

/* A context with one object of each kind, which go in any order. */
static void round_of_objects(struct worker *worker)
{
    void *handles[KINDS];
    make_objects(worker, handles);
    if (worker->line != 0)
        return;
    show(worker, shown, handles);
    use_objects(worker, handles);
    ask(worker);
    uint32_t first = next_random(worker), step = next_random(worker) % 2 ? 3 : 7; /* neither divides KINDS */
    for (uint32_t i = 0; i < KINDS; i++)
        destroy((first + i * step) % KINDS, handles[(first + i * step) % KINDS]);
    show(worker, dead, handles);
    ask(worker);
}

/* A context alone: they come and go much faster than with a device. */
static void round_of_contexts(struct worker *worker)
{
    static const uint64_t buffer_bits = UINT64_C(4)
                                        << 51; /* from the type of a context to that of a buffer */
    struct trm_context *context = make_context(worker);
    uint64_t size;
    atomic_store(&shown[CONTEXT][worker->number], context);
    trm_context_destroy(context);
    for (int i = 0; i < THREADS; i++) {
        void *other = atomic_load(&shown[CONTEXT][i]);
        if (other == NULL)
            continue;
        void *buffer = (void *)((uintptr_t)other ^ buffer_bits);
        WORKER_CHECK(trm_buffer_size(buffer, &size) == TRM_ERROR_INVALID_HANDLE);
        int32_t status = trm_context_setting(other, "backend", NULL, 0, NULL, NULL);
        WORKER_CHECK(status == TRM_OK || status == TRM_ERROR_INVALID_HANDLE);
        trm_context_destroy(other); /* perhaps before its own thread does */
    }
}

/* ---- cases ---------------------------------------------------------------------------------- */

static void *work(void *user)
{
    struct worker *worker = user;
    pthread_barrier_wait(worker->start);
    for (unsigned i = 0; i < worker->rounds && worker->line == 0; i++)
        worker->round(worker);
    return NULL;
}

static void run(void (*round)(struct worker *worker), unsigned rounds)
{
    static struct worker workers[THREADS];
    pthread_barrier_t start;
    pthread_barrier_init(&start, NULL, THREADS);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){
            .start = &start, .number = i, .random = 2463534242u + i, .rounds = rounds, .round = round};
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&start);
    for (int i = 0; i < THREADS; i++)
        ck_assert_msg(workers[i].line == 0, "thread %d, line %d: %s", i, workers[i].line,
                      workers[i].sentence);
}

START_TEST(contexts_come_and_go_under_look_ups)
{
    run(round_of_contexts, scaled(20000, 1000));
}
END_TEST

START_TEST(contexts_with_objects_come_and_go_under_calls)
{
    run(round_of_objects, scaled(300, 20));
}
END_TEST

/* As of a thread that is late: it asks with a handle of long ago, while contexts of the same number pass. */
START_TEST(a_handle_stays_dead_through_many_contexts)
{
    struct worker worker[1]   = {{.number = 0}};
    struct trm_context *first = make_context(worker);
    trm_context_destroy(first);
    for (unsigned i = 0; i < scaled(20000, 2000); i++) {
        struct trm_context *context = make_context(worker);
        ck_assert_ptr_ne(context, first);
        if (i % 64 == 0)
            ck_assert_int_eq(trm_context_setting(first, "backend", NULL, 0, NULL, NULL),
                             TRM_ERROR_INVALID_HANDLE);
        trm_context_destroy(context);
    }
    ck_assert_int_eq(worker->line, 0);
}
END_TEST

int main(void)
{
    Suite *suite  = suite_create("contexts");
    TCase *stress = tcase_create("stress");
    tcase_add_test(stress, contexts_come_and_go_under_look_ups);
    tcase_add_test(stress, contexts_with_objects_come_and_go_under_calls);
    tcase_add_test(stress, a_handle_stays_dead_through_many_contexts);
    suite_add_tcase(suite, stress);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
