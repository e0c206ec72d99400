/* Coordinators that draw their streams from a pool.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "stream_pools.h"
#include "tasks.h"

#define STREAMS 3u
#define LONG_BYTES (UINT64_C(64) << 20) /* so many take a while to fill */

static struct trm_stream_pool *pool;

static void open_over(int32_t strategy, uint32_t most)
{
    pool                                   = make_pool(strategy, most);
    const struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .pool = pool};
    ck_ok(trm_coordinator_create(the.device, &desc, &coordinator));
}

static void close_all(void)
{
    trm_coordinator_destroy(coordinator);
    trm_stream_pool_destroy(pool);
    coordinator = NULL;
}

static int32_t add_fill_of(uint64_t id, struct trm_buffer *buffer, uint32_t value, const uint64_t *after,
                           uint32_t count)
{
    struct trm_task task = task_of(TRM_TASK_FILL, id, after, count);
    task.destination     = trm_span_whole(buffer);
    task.pattern         = value;
    task.pattern_size    = 4;
    return trm_coordinator_add(coordinator, &task);
}

START_TEST(tasks_run_on_streams_of_the_pool)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    uint32_t numbers[N];
    open_over(TRM_STREAM_DEFAULT, STREAMS);
    ck_ok(add_fill_of(1, buffer, 7, AFTER_NOTHING));
    ck_ok(add_nothing(2, NULL, AFTER(1)));
    ck_ok(add_download(3, numbers, buffer, AFTER(2)));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    ck_all(numbers, 7);
    ck_assert_uint_eq(stats_of(pool).tasks, 2);
    ck_assert_uint_eq(stats_of(pool).lent, 0);
    ck_assert_uint_ge(stats_of(pool).streams, 1);
    close_all();
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(many_tasks_make_do_with_few_streams)
{
    enum {
        CHAINS = 6,
        LENGTH = 20
    };
    struct trm_buffer *buffers[CHAINS];
    static uint32_t numbers[CHAINS][N];
    for (uint32_t most = 1; most <= 2; most++) {
        open_over(TRM_STREAM_ROUND_ROBIN, most);
        for (uint64_t chain = 0; chain < CHAINS; chain++) {
            buffers[chain] = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
            for (uint64_t i = 0; i < LENGTH; i++) {
                uint64_t id = 100 * chain + i + 1, before = id - 1;
                ck_ok(add_fill_of(id, buffers[chain], (uint32_t)id, &before, i == 0 ? 0 : 1));
            }
            ck_ok(add_download(100 * chain + LENGTH + 1, numbers[chain], buffers[chain],
                               AFTER(100 * chain + LENGTH)));
        }
        ck_ok(trm_coordinator_submit(coordinator));
        ck_ok(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
        ck_assert_uint_le(stats_of(pool).streams, most);
        close_all();
        for (uint32_t chain = 0; chain < CHAINS; chain++) {
            ck_all(numbers[chain], 100 * chain + LENGTH);
            trm_buffer_destroy(buffers[chain]);
        }
    }
}
END_TEST

START_TEST(a_task_waits_until_the_pool_has_a_stream)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    struct trm_stream *stream = NULL;
    open_over(TRM_STREAM_DEFAULT, 1);
    ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream));
    ck_ok(add_fill_of(1, buffer, 7, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_status(trm_coordinator_wait(coordinator, 1, 1000000), TRM_ERROR_TIMEOUT);
    ck_ok(trm_stream_pool_release(pool, stream));
    ck_ok(trm_coordinator_wait(coordinator, 1, TRM_FOREVER));
    ck_assert_uint_ge(stats_of(pool).waits, 1);
    close_all();
    trm_buffer_destroy(buffer);
}
END_TEST

struct borrowing {
    struct trm_buffer *buffer;
    int32_t status;
};

/* The task has the only stream of the pool, and gives it back on the thread that runs callbacks. */
static void borrow(void *user, int32_t status)
{
    struct borrowing *borrowing = user;
    struct trm_stream *stream   = NULL;
    if (status == TRM_OK)
        status = add_fill_of(1, borrowing->buffer, 7, AFTER_NOTHING);
    if (status == TRM_OK)
        status = trm_coordinator_submit(coordinator);
    if (status == TRM_OK)
        status = trm_stream_pool_acquire(pool, 0, LONG_NS, &stream);
    if (status == TRM_OK)
        status = trm_stream_pool_release(pool, stream);
    borrowing->status = status;
}

START_TEST(a_callback_may_wait_for_a_stream_that_a_task_has)
{
    struct borrowing borrowing = {.buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, LONG_BYTES)};
    open_over(TRM_STREAM_DEFAULT, 1);
    ck_ok(trm_stream_callback(the.stream, borrow, &borrowing));
    ck_ok(trm_stream_sync(the.stream));
    ck_ok(borrowing.status);
    close_all();
    trm_buffer_destroy(borrowing.buffer);
}
END_TEST

START_TEST(with_priorities_a_task_has_a_stream_of_its_priority)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    open_over(TRM_STREAM_PRIORITY, 1);
    for (int32_t priority = TRM_PRIORITY_LOW; priority <= TRM_PRIORITY_HIGH; priority++) {
        struct trm_task task = task_of(TRM_TASK_FILL, (uint64_t)(priority + 2), AFTER_NOTHING);
        task.destination     = trm_span_whole(buffer);
        task.pattern_size    = 4;
        task.priority        = priority;
        ck_ok(trm_coordinator_add(coordinator, &task));
        ck_ok(trm_coordinator_submit(coordinator));
        ck_ok(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    }
    ck_assert_uint_eq(stats_of(pool).streams, 3);
    close_all();
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_stream_on_which_a_task_has_failed_is_replaced_by_the_pool)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, BYTES);
    if (functions_missing()) {
        trm_buffer_destroy(buffer);
        return;
    }
    open_over(TRM_STREAM_DEFAULT, 1);
    ck_ok(add_failing(1, "bad", 5, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_status(trm_coordinator_wait(coordinator, 1, TRM_FOREVER), TRM_ERROR_KERNEL);
    ck_ok(add_fill_of(2, buffer, 7, AFTER_NOTHING));
    ck_ok(trm_coordinator_submit(coordinator));
    ck_ok(trm_coordinator_wait(coordinator, 2, TRM_FOREVER));
    ck_assert_uint_eq(stats_of(pool).replaced, 1);
    close_all();
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_pool_stays_while_a_coordinator_draws_from_it)
{
    open_over(TRM_STREAM_DEFAULT, 1);
    trm_stream_pool_destroy(pool);
    ck_assert_int_eq(trm_last_error().status, TRM_ERROR_BUSY);
    ck_assert_uint_eq(stats_of(pool).lent, 0);
    close_all();
}
END_TEST

START_TEST(a_pool_of_another_device_is_refused)
{
    pool                                   = make_pool(TRM_STREAM_DEFAULT, 1);
    const struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .pool = pool};
    struct trm_device *other               = NULL;
    struct trm_context *context            = open_context();
    other                                  = open_device(context);
    ck_refused(trm_coordinator_create(other, &desc, &coordinator));
    trm_device_destroy(other);
    trm_context_destroy(context);
    trm_stream_pool_destroy(pool);
    ck_status(trm_coordinator_create(the.device, &desc, &coordinator), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

void add_coordinator_pool(Suite *suite)
{
    TCase *group = group_make(suite, "coordinators over pools");
    CASE(group, tasks_run_on_streams_of_the_pool);
    CASE(group, many_tasks_make_do_with_few_streams);
    CASE(group, a_task_waits_until_the_pool_has_a_stream);
    CASE(group, a_callback_may_wait_for_a_stream_that_a_task_has);
    CASE(group, with_priorities_a_task_has_a_stream_of_its_priority);
    CASE(group, a_stream_on_which_a_task_has_failed_is_replaced_by_the_pool);
    CASE(group, a_pool_stays_while_a_coordinator_draws_from_it);
    CASE(group, a_pool_of_another_device_is_refused);
}
