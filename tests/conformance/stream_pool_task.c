/* Tasks of stream pools: what they enqueue, their points, what they come after, their failures.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "hold.h"
#include "kernels.h"
#include "stream_pools.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define STREAMS 4u
#define WORDS 64u
#define TASKS 40u

/* ---- what a task enqueues ------------------------------------------------------------------- */

/* A kernel "affine", and a task that launches it over `words`, which begin as zeros. */
struct affine {
    struct trm_buffer *words;
    struct trm_argument arguments[4];
    struct trm_stream_task task;
};

static void affine_init(struct affine *affine, uint32_t factor, uint32_t addend)
{
    affine->words        = make_buffer(the.device, TRM_MEMORY_DEVICE, WORDS * sizeof(uint32_t));
    affine->arguments[0] = trm_arg_buffer(affine->words);
    affine->arguments[1] = trm_arg_u32(WORDS);
    affine->arguments[2] = trm_arg_u32(factor);
    affine->arguments[3] = trm_arg_u32(addend);
    affine->task         = (struct trm_stream_task){
                .struct_size    = sizeof(affine->task),
                .kernel         = kernel("affine"),
                .grid           = trm_grid_1d(1, WORDS),
                .arguments      = affine->arguments,
                .argument_count = 4,
    };
    ck_ok(trm_fill(the.stream, trm_span_whole(affine->words), 0, 1));
    ck_ok(trm_stream_sync(the.stream));
}

static void ck_affine(const struct affine *affine, uint32_t expected)
{
    uint32_t words[WORDS];
    get(the.stream, affine->words, 0, words, sizeof(words));
    ck_words(words, WORDS, expected);
}

START_TEST(a_task_launches_its_kernel)
{
    if (kernels_missing())
        return;
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, STREAMS);
    struct affine affine;
    affine_init(&affine, 3, 7);
    struct trm_point point = submit(pool, &affine.task);
    ck_ok(trm_point_wait(point, TRM_FOREVER));
    ck_affine(&affine, 7);
    ck_assert_uint_eq(stats_of(pool).tasks, 1);
    ck_assert_uint_eq(stats_of(pool).loans, 1);
    ck_assert_uint_eq(stats_of(pool).lent, 0);
    trm_stream_pool_destroy(pool);
    trm_buffer_destroy(affine.words);
}
END_TEST

START_TEST(a_task_enqueues_what_its_function_does)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, STREAMS);
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, TASKS * 256);
    struct filling fillings[TASKS];
    struct trm_point points[TASKS];
    uint8_t bytes[TASKS * 256];
    for (uint32_t i = 0; i < TASKS; i++) {
        fillings[i]                 = (struct filling){.span = trm_span_of(buffer, i * 256, 256), .byte = 5};
        struct trm_stream_task task = function_task(fill, &fillings[i]);
        points[i]                   = submit(pool, &task);
        ck_assert_ptr_eq(points[i].stream, fillings[i].stream);
    }
    ck_ok(trm_wait_all(points, TASKS, TRM_FOREVER));
    get(the.stream, buffer, 0, bytes, sizeof(bytes));
    ck_bytes(bytes, sizeof(bytes), 5);
    trm_stream_pool_destroy(pool);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_task_comes_after_its_points)
{
    if (kernels_missing())
        return;
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_ROUND_ROBIN, STREAMS);
    uint32_t expected            = 0;
    struct trm_point last;
    struct affine affine;
    affine_init(&affine, 3, 7);
    affine.task.after = &last;
    for (uint32_t i = 0; i < TASKS; i++) {
        affine.task.after_count = i == 0 ? 0 : 1;
        last                    = submit(pool, &affine.task);
        expected                = expected * 3 + 7;
    }
    ck_ok(trm_point_wait(last, TRM_FOREVER));
    ck_affine(&affine, expected);
    trm_stream_pool_destroy(pool);
    trm_buffer_destroy(affine.words);
}
END_TEST

/* A call on another thread. */
struct waiting {
    struct trm_stream_pool *pool;
    struct trm_point *points;
    uint32_t calls, count;
    int32_t status;
    atomic_bool is_done;
};

static int32_t count_calls(void *user, struct trm_stream *stream)
{
    uint32_t *calls = user;
    (void)stream;
    return ++*calls == 0 ? TRM_ERROR_CANCELLED : TRM_OK;
}

static void *submit_all_there(void *user)
{
    struct waiting *waiting     = user;
    struct trm_stream_task task = function_task(count_calls, &waiting->calls);
    waiting->status = trm_stream_pool_submit_all(waiting->pool, &task, waiting->points, &waiting->count);
    atomic_store(&waiting->is_done, true);
    return NULL;
}

START_TEST(a_task_is_enqueued_on_all_streams)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, STREAMS);
    struct trm_stream *streams[STREAMS];
    struct trm_point points[TRM_STREAM_POOL_MOST];
    uint32_t calls = 0, count = 7;
    struct trm_stream_task task = function_task(count_calls, &calls);
    ck_ok(trm_stream_pool_submit_all(pool, &task, points, &count));
    ck_assert_uint_eq(count, 0);
    for (uint32_t i = 0; i < STREAMS; i++)
        ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &streams[i]));
    for (uint32_t i = 0; i < STREAMS; i++)
        ck_ok(trm_stream_pool_release(pool, streams[i]));
    ck_ok(trm_stream_pool_submit_all(pool, &task, points, &count));
    ck_assert_uint_eq(count, STREAMS);
    ck_assert_uint_eq(calls, STREAMS);
    for (uint32_t i = 0; i < STREAMS; i++)
        for (uint32_t other = 0; other < i; other++)
            ck_assert_ptr_ne(points[i].stream, points[other].stream);
    ck_ok(trm_wait_all(points, count, TRM_FOREVER));
    calls = UINT32_MAX;
    ck_status(trm_stream_pool_submit_all(pool, &task, points, &count), TRM_ERROR_CANCELLED);
    ck_status(trm_stream_pool_submit_all(pool, &task, NULL, &count), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_pool_submit_all(pool, &task, points, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_pool_submit_all(pool, NULL, points, &count), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(count, STREAMS);
    trm_stream_pool_destroy(pool);
}
END_TEST

START_TEST(a_task_for_all_streams_waits_for_those_that_are_lent)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 1);
    struct trm_point points[TRM_STREAM_POOL_MOST];
    struct trm_stream *stream = NULL;
    struct waiting waiting    = {.pool = pool, .points = points};
    pthread_t thread;
    ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream));
    atomic_init(&waiting.is_done, false);
    ck_assert_int_eq(pthread_create(&thread, NULL, submit_all_there, &waiting), 0);
    while (stats_of(pool).waits == 0 && !atomic_load(&waiting.is_done))
        sched_yield();
    ck_assert(!atomic_load(&waiting.is_done));
    ck_ok(trm_stream_pool_release(pool, stream));
    pthread_join(thread, NULL);
    ck_assert_int_eq(waiting.status, TRM_OK);
    ck_assert_uint_eq(waiting.count, 1);
    trm_stream_pool_destroy(pool);
}
END_TEST

/* Of one stream more than there are queues, two share one; of two more, three do at least. */
START_TEST(streams_that_share_a_queue_are_counted)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, TRM_STREAM_POOL_MOST);
    uint64_t queues              = device_number(the.device, TRM_DEVICE_QUEUES);
    bool is_shared               = queues != 0 && queues + 2 <= TRM_STREAM_POOL_MOST;
    uint64_t alone               = is_shared ? queues : 4;
    struct trm_stream *stream;
    ck_assert_uint_eq(stats_of(pool).queues, queues);
    for (uint64_t i = 0; i < alone; i++)
        ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream));
    ck_assert_uint_eq(stats_of(pool).streams, alone);
    ck_assert_uint_eq(stats_of(pool).sharing, 0);
    ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream));
    ck_assert_uint_eq(stats_of(pool).sharing, is_shared ? 2 : 0);
    ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream));
    ck_assert_uint_eq(stats_of(pool).sharing, is_shared ? 3 : 0);
    trm_stream_pool_destroy(pool);
}
END_TEST

static int32_t begin_range(void *user, struct trm_stream *stream)
{
    (void)user;
    return trm_range_push(stream, "left open");
}

START_TEST(ranges_that_are_left_open_end_when_the_stream_is_given_back)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 1);
    struct trm_stream_task task  = function_task(begin_range, NULL);
    struct trm_stream *stream    = NULL;
    struct trm_point point       = {NULL, 0};
    ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream));
    ck_ok(trm_range_push(stream, "outer"));
    ck_ok(trm_range_push(stream, "inner"));
    ck_ok(trm_stream_pool_release(pool, stream));
    ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream));
    ck_status(trm_range_pop(stream), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_range_push(stream, "mine"));
    ck_ok(trm_range_pop(stream));
    ck_ok(trm_stream_pool_release(pool, stream));
    ck_ok(trm_stream_pool_submit(pool, &task, &point));
    ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream));
    ck_status(trm_range_pop(stream), TRM_ERROR_INVALID_ARGUMENT);
    ck_ok(trm_stream_pool_release(pool, stream));
    trm_stream_pool_destroy(pool);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------ */

START_TEST(a_task_without_what_it_needs_is_refused)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, STREAMS);
    struct trm_stream_task task  = function_task(NULL, NULL);
    struct trm_point point       = {NULL, 0};
    ck_status(trm_stream_pool_submit(pool, &task, &point), TRM_ERROR_INVALID_ARGUMENT);
    task.enqueue = fill;
    task.kernel  = (struct trm_kernel *)the.stream;
    ck_status(trm_stream_pool_submit(pool, &task, &point), TRM_ERROR_INVALID_ARGUMENT);
    task.enqueue = NULL;
    ck_status(trm_stream_pool_submit(pool, &task, &point), TRM_ERROR_INVALID_HANDLE);
    task.argument_count = 1;
    ck_status(trm_stream_pool_submit(pool, &task, &point), TRM_ERROR_INVALID_ARGUMENT);
    task             = function_task(fill, NULL);
    task.after_count = 1;
    ck_status(trm_stream_pool_submit(pool, &task, &point), TRM_ERROR_INVALID_ARGUMENT);
    task.after_count = 0;
    task.struct_size = 8;
    ck_status(trm_stream_pool_submit(pool, &task, &point), TRM_ERROR_INVALID_ARGUMENT);
    task.struct_size = sizeof(task);
    ck_status(trm_stream_pool_submit(pool, &task, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_pool_submit(pool, NULL, &point), TRM_ERROR_INVALID_ARGUMENT);
    task.workload = TRM_STREAM_WORKLOAD_COORDINATION + 1;
    ck_status(trm_stream_pool_submit(pool, &task, &point), TRM_ERROR_INVALID_ARGUMENT);
    task.workload = TRM_STREAM_WORKLOAD_COMPUTE;
    ck_assert_ptr_null(point.stream);
    trm_stream_pool_destroy(pool);
    ck_status(trm_stream_pool_submit(pool, &task, &point), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

START_TEST(a_task_is_refused_with_what_its_function_returns)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 1);
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, 256);
    struct filling filling       = {.span = trm_span_whole(buffer), .byte = 5};
    struct trm_stream_task task  = function_task(fill, &filling);
    struct trm_point point       = {NULL, 0};
    filling.answer               = TRM_ERROR_CANCELLED;
    ck_status(trm_stream_pool_submit(pool, &task, &point), TRM_ERROR_CANCELLED);
    filling.answer = 12;
    ck_status(trm_stream_pool_submit(pool, &task, &point), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(point.stream);
    filling.answer = TRM_OK;
    ck_ok(trm_point_wait(submit(pool, &task), TRM_FOREVER));
    trm_stream_pool_destroy(pool);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- points --------------------------------------------------------------------------------- */

static int32_t fail_there(void *user, struct trm_stream *stream)
{
    fail_stream(stream, *(const int32_t *)user);
    return TRM_OK;
}

START_TEST(the_point_of_a_failed_task_gives_the_cause_when_its_stream_has_been_replaced)
{
    if (functions_missing())
        return;
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 1);
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, 256);
    struct filling filling       = {.span = trm_span_whole(buffer), .byte = 5};
    int32_t codes[]              = {5, 6, 7};
    struct trm_stream_task good  = function_task(fill, &filling);
    struct trm_point points[3];
    for (uint32_t i = 0; i < 3; i++) {
        struct trm_stream_task bad = function_task(fail_there, &codes[i]);
        struct trm_stream *idle;
        points[i] = submit(pool, &bad);
        ck_ok(trm_stream_pool_acquire(pool, TRM_STREAM_POOL_IDLE, TRM_FOREVER, &idle));
        ck_assert_ptr_ne(idle, points[i].stream);
        ck_ok(trm_stream_pool_release(pool, idle));
        ck_ok(trm_point_wait(submit(pool, &good), TRM_FOREVER));
    }
    for (uint32_t i = 0; i < 3; i++) {
        ck_status(trm_point_wait(points[i], TRM_FOREVER), TRM_ERROR_KERNEL);
        ck_assert_int_eq(trm_last_error().native_code, codes[i]);
    }
    ck_assert_uint_eq(stats_of(pool).replaced, 3);
    trm_stream_pool_destroy(pool);
    ck_status(trm_point_wait(points[0], TRM_FOREVER), TRM_ERROR_INVALID_HANDLE);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(points_stay_valid_while_the_pool_shrinks)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, STREAMS);
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, 256);
    struct filling filling       = {.span = trm_span_whole(buffer), .byte = 5};
    struct trm_stream_task task  = function_task(fill, &filling);
    struct trm_point point       = submit(pool, &task);
    struct trm_stream *streams[STREAMS];
    for (uint32_t i = 0; i < STREAMS; i++)
        ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &streams[i]));
    for (uint32_t i = 0; i < STREAMS; i++)
        ck_ok(trm_stream_pool_release(pool, streams[i]));
    /* A stream that still works is not given up. */
    ck_ok(trm_point_wait(point, TRM_FOREVER));
    while (stats_of(pool).streams > 1) { /* the pool may hear of the task's end later */
        ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &streams[0]));
        ck_ok(trm_stream_pool_release(pool, streams[0]));
    }
    ck_ok(trm_point_wait(point, TRM_FOREVER));
    trm_stream_pool_destroy(pool);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(the_first_of_several_tasks_to_end_can_be_waited_for)
{
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 2);
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, 256);
    struct filling filling       = {.span = trm_span_whole(buffer), .byte = 5};
    struct trm_stream_task task  = function_task(fill, &filling);
    uint32_t which               = 9;
    struct trm_point points[2];
    struct trm_stream *held;
    ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &held));
    struct hold *hold = hold_begin(held);
    ck_ok(trm_stream_mark(held, &points[0]));
    ck_ok(trm_stream_pool_release(pool, held));
    points[1] = submit(pool, &task);
    ck_ok(trm_wait_any(points, 2, TRM_FOREVER, &which));
    ck_assert_uint_eq(which, 1);
    hold_end(hold);
    trm_stream_pool_destroy(pool);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- predictions ---------------------------------------------------------------------------- */

/* Submits a task behind a hold, so that the pool sees it begin and end. */
static void run_observed(struct trm_stream_pool *pool, const struct trm_stream_task *task)
{
    struct trm_stream *stream;
    ck_ok(trm_stream_pool_acquire(pool, TRM_STREAM_POOL_IDLE, TRM_FOREVER, &stream));
    struct hold *hold = hold_begin(stream);
    ck_ok(trm_stream_pool_release(pool, stream));
    submit(pool, task);
    hold_end(hold);
    ck_ok(trm_stream_pool_acquire(pool, TRM_STREAM_POOL_IDLE, TRM_FOREVER, &stream));
    ck_ok(trm_stream_pool_release(pool, stream));
}

START_TEST(a_pool_learns_how_long_tasks_of_a_size_take)
{
    if (!hold_works()) {
        skip("its streams cannot be held");
        return;
    }
    struct trm_stream_pool *pool            = make_pool(TRM_STREAM_DEFAULT, 1);
    struct trm_buffer *buffer               = make_buffer(the.device, TRM_MEMORY_DEVICE, 65536);
    struct filling filling                  = {.span = trm_span_whole(buffer), .byte = 5};
    struct trm_stream_task task             = function_task(fill, &filling), other;
    struct trm_stream_prediction prediction = {.struct_size = sizeof(prediction)};
    task.bytes                              = 65536;
    ck_status(trm_stream_pool_predict(pool, &task, &prediction), TRM_ERROR_NOT_FOUND);
    for (uint32_t i = 1; i <= 3; i++) {
        run_observed(pool, &task);
        ck_ok(trm_stream_pool_predict(pool, &task, &prediction));
        ck_assert_uint_eq(prediction.samples, i);
    }
    other       = task;
    other.bytes = 256;
    ck_status(trm_stream_pool_predict(pool, &other, &prediction), TRM_ERROR_NOT_FOUND);
    ck_status(trm_stream_pool_predict(pool, NULL, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_stream_pool_predict(pool, &task, NULL), TRM_ERROR_INVALID_ARGUMENT);
    prediction.struct_size = 4;
    ck_status(trm_stream_pool_predict(pool, &task, &prediction), TRM_ERROR_INVALID_ARGUMENT);
    trm_stream_pool_destroy(pool);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_pool_that_chooses_its_strategy_begins_with_least_loaded)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_AUTO, STREAMS);
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, 65536);
    struct filling filling       = {.span = trm_span_whole(buffer), .byte = 5};
    struct trm_stream_task task  = function_task(fill, &filling);
    struct trm_point points[TASKS];
    ck_assert_int_eq(stats_of(pool).strategy, TRM_STREAM_LEAST_LOADED);
    for (uint32_t round = 0; round < 10; round++) {
        for (uint32_t i = 0; i < TASKS; i++) {
            filling.span = trm_span_of(buffer, i * 256, 256); /* no two tasks write the same */
            points[i]    = submit(pool, &task);
        }
        ck_ok(trm_wait_all(points, TASKS, TRM_FOREVER));
    }
    int32_t strategy = stats_of(pool).strategy;
    ck_assert(strategy == TRM_STREAM_LEAST_LOADED || strategy == TRM_STREAM_ROUND_ROBIN ||
              strategy == TRM_STREAM_WORKLOAD);
    trm_stream_pool_destroy(pool);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- threads -------------------------------------------------------------------------------- */

#define THREADS 4u
#define ROUNDS 100u

struct sharing {
    struct trm_stream_pool *pool;
    struct trm_buffer *buffer;
    atomic_uint next, failures;
};

static void *share(void *user)
{
    struct sharing *sharing     = user;
    uint32_t own                = atomic_fetch_add(&sharing->next, 1);
    struct filling filling      = {.span = trm_span_of(sharing->buffer, own * 256, 256), .byte = 5};
    struct trm_stream_task task = function_task(fill, &filling);
    struct trm_point point      = {NULL, 0};
    task.after                  = &point;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        task.after_count = i == 0 ? 0 : 1;
        if (trm_stream_pool_submit(sharing->pool, &task, &point) != TRM_OK)
            atomic_fetch_add(&sharing->failures, 1);
    }
    if (trm_point_wait(point, TRM_FOREVER) != TRM_OK)
        atomic_fetch_add(&sharing->failures, 1);
    return NULL;
}

START_TEST(threads_submit_tasks_at_once)
{
    struct sharing sharing = {.pool   = make_pool(TRM_STREAM_LEAST_LOADED, 2),
                              .buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, THREADS * 256)};
    uint8_t bytes[THREADS * 256];
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, share, &sharing), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_uint_eq(atomic_load(&sharing.failures), 0);
    ck_assert_uint_eq(stats_of(sharing.pool).tasks, THREADS * ROUNDS);
    get(the.stream, sharing.buffer, 0, bytes, sizeof(bytes));
    ck_bytes(bytes, sizeof(bytes), 5);
    trm_stream_pool_destroy(sharing.pool);
    trm_buffer_destroy(sharing.buffer);
}
END_TEST

static void *submit_one(void *user)
{
    struct sharing *sharing     = user;
    struct filling filling      = {.span = trm_span_whole(sharing->buffer), .byte = 6};
    struct trm_stream_task task = function_task(fill, &filling);
    struct trm_point point;
    if (trm_stream_pool_submit(sharing->pool, &task, &point) != TRM_OK ||
        trm_point_wait(point, TRM_FOREVER) != TRM_OK)
        atomic_fetch_add(&sharing->failures, 1);
    return NULL;
}

START_TEST(a_task_waits_for_a_stream_that_is_lent)
{
    struct sharing sharing = {.pool   = make_pool(TRM_STREAM_DEFAULT, 1),
                              .buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, 256)};
    struct trm_stream *stream;
    uint8_t bytes[256];
    pthread_t thread;
    ck_ok(trm_stream_pool_acquire(sharing.pool, 0, TRM_FOREVER, &stream));
    ck_assert_int_eq(pthread_create(&thread, NULL, submit_one, &sharing), 0);
    while (stats_of(sharing.pool).waits == 0 && atomic_load(&sharing.failures) == 0)
        sched_yield();
    ck_ok(trm_stream_pool_release(sharing.pool, stream));
    pthread_join(thread, NULL);
    ck_assert_uint_eq(atomic_load(&sharing.failures), 0);
    get(the.stream, sharing.buffer, 0, bytes, sizeof(bytes));
    ck_bytes(bytes, sizeof(bytes), 6);
    trm_stream_pool_destroy(sharing.pool);
    trm_buffer_destroy(sharing.buffer);
}
END_TEST

void add_stream_pool_task(Suite *suite)
{
    TCase *group = group_make(suite, "tasks of stream pools");
    CASE(group, a_task_launches_its_kernel);
    CASE(group, a_task_enqueues_what_its_function_does);
    CASE(group, a_task_comes_after_its_points);
    CASE(group, a_task_is_enqueued_on_all_streams);
    CASE(group, a_task_for_all_streams_waits_for_those_that_are_lent);
    CASE(group, streams_that_share_a_queue_are_counted);
    CASE(group, ranges_that_are_left_open_end_when_the_stream_is_given_back);
    CASE(group, a_task_without_what_it_needs_is_refused);
    CASE(group, a_task_is_refused_with_what_its_function_returns);
    CASE(group, the_point_of_a_failed_task_gives_the_cause_when_its_stream_has_been_replaced);
    CASE(group, points_stay_valid_while_the_pool_shrinks);
    CASE(group, the_first_of_several_tasks_to_end_can_be_waited_for);
    CASE(group, a_pool_learns_how_long_tasks_of_a_size_take);
    CASE(group, a_pool_that_chooses_its_strategy_begins_with_least_loaded);
    CASE(group, threads_submit_tasks_at_once);
    CASE(group, a_task_waits_for_a_stream_that_is_lent);
}
