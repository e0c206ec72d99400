/* Stream pools with many small tasks, of whose ends few are told to the pool: the order of the tasks, and
 * what is known when they have ended.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "kernels.h"
#include "stream_pools.h"

#include <pthread.h>
#include <stdatomic.h>

#define STREAMS 3u
#define WORDS 64u
#define CHAINS 6u
#define LINKS 80u
#define THREADS 3u

/* Launches of "affine" over words of their own, each after the one before. */
struct chain {
    struct trm_buffer *words;
    struct trm_argument arguments[4];
    struct trm_stream_task task;
    struct trm_point last;
    uint32_t expected;
};

static void chain_init(struct chain *chain, uint32_t addend)
{
    chain->words        = make_buffer(the.device, TRM_MEMORY_DEVICE, WORDS * sizeof(uint32_t));
    chain->expected     = 0;
    chain->arguments[0] = trm_arg_buffer(chain->words);
    chain->arguments[1] = trm_arg_u32(WORDS);
    chain->arguments[2] = trm_arg_u32(3);
    chain->arguments[3] = trm_arg_u32(addend);
    chain->task         = (struct trm_stream_task){
                .struct_size    = sizeof(chain->task),
                .kernel         = kernel("affine"),
                .grid           = trm_grid_1d(1, WORDS),
                .arguments      = chain->arguments,
                .argument_count = 4,
                .after          = &chain->last,
    };
    ck_ok(trm_fill(the.stream, trm_span_whole(chain->words), 0, 1));
    ck_ok(trm_stream_sync(the.stream));
}

static int32_t chain_submit(struct chain *chain, struct trm_stream_pool *pool)
{
    struct trm_point point = {NULL, 0};
    int32_t status         = trm_stream_pool_submit(pool, &chain->task, &point);
    if (status != TRM_OK)
        return status;
    chain->last             = point;
    chain->task.after_count = 1;
    chain->expected         = chain->expected * 3 + chain->arguments[3].value.u32;
    return TRM_OK;
}

static void chain_end(struct chain *chain)
{
    uint32_t words[WORDS];
    ck_ok(trm_point_wait(chain->last, TRM_FOREVER));
    get(the.stream, chain->words, 0, words, sizeof(words));
    ck_words(words, WORDS, chain->expected);
    trm_buffer_destroy(chain->words);
}

/* All streams can be had idle at once, and are. */
static void ck_all_idle(struct trm_stream_pool *pool)
{
    struct trm_stream *streams[STREAMS];
    for (uint32_t i = 0; i < STREAMS; i++) {
        ck_ok(trm_stream_pool_acquire(pool, TRM_STREAM_POOL_IDLE, TRM_FOREVER, &streams[i]));
        ck_ok(trm_stream_query(streams[i]));
    }
    for (uint32_t i = 0; i < STREAMS; i++)
        ck_ok(trm_stream_pool_release(pool, streams[i]));
    ck_assert_uint_eq(stats_of(pool).busy, 0);
}

START_TEST(many_short_kernels_run_in_their_order_and_leave_their_streams_idle)
{
    if (kernels_missing())
        return;
    for (int32_t strategy = TRM_STREAM_ROUND_ROBIN; strategy <= TRM_STREAM_WORKLOAD; strategy++) {
        struct trm_stream_pool *pool = make_pool(strategy, STREAMS);
        struct chain chains[CHAINS];
        for (uint32_t i = 0; i < CHAINS; i++)
            chain_init(&chains[i], i + 1);
        for (uint32_t link = 0; link < LINKS; link++)
            for (uint32_t i = 0; i < CHAINS; i++)
                ck_ok(chain_submit(&chains[i], pool));
        if (strategy != TRM_STREAM_PRIORITY)
            ck_all_idle(pool);
        for (uint32_t i = 0; i < CHAINS; i++)
            chain_end(&chains[i]);
        ck_assert_uint_eq(stats_of(pool).tasks, CHAINS * LINKS);
        trm_stream_pool_destroy(pool);
    }
}
END_TEST

START_TEST(a_pool_ends_while_many_short_kernels_run)
{
    if (kernels_missing())
        return;
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, STREAMS);
    struct chain chains[CHAINS];
    for (uint32_t i = 0; i < CHAINS; i++)
        chain_init(&chains[i], i + 1);
    for (uint32_t link = 0; link < LINKS; link++)
        for (uint32_t i = 0; i < CHAINS; i++)
            ck_ok(chain_submit(&chains[i], pool));
    trm_stream_pool_destroy(pool);
    for (uint32_t i = 0; i < CHAINS; i++) {
        uint32_t words[WORDS];
        get(the.stream, chains[i].words, 0, words, sizeof(words));
        ck_words(words, WORDS, chains[i].expected);
        trm_buffer_destroy(chains[i].words);
    }
}
END_TEST

START_TEST(loans_that_pile_up_on_a_stream_leave_it_idle)
{
    struct trm_stream_pool *pool = make_pool(TRM_STREAM_DEFAULT, 1);
    struct trm_buffer *buffer    = make_buffer(the.device, TRM_MEMORY_DEVICE, 4096);
    struct trm_stream *stream    = NULL;
    uint8_t bytes[4096];
    for (uint32_t round = 0; round < 4; round++) {
        for (uint32_t i = 0; i < LINKS; i++) {
            ck_ok(trm_stream_pool_acquire(pool, 0, TRM_FOREVER, &stream));
            ck_ok(trm_fill(stream, trm_span_whole(buffer), (uint8_t)(i + round), 1));
            ck_ok(trm_stream_pool_release(pool, stream));
        }
        ck_ok(trm_stream_pool_acquire(pool, TRM_STREAM_POOL_IDLE, TRM_FOREVER, &stream));
        ck_ok(trm_stream_query(stream));
        ck_ok(trm_stream_pool_release(pool, stream));
        get(the.stream, buffer, 0, bytes, sizeof(bytes));
        ck_bytes(bytes, sizeof(bytes), (uint8_t)(LINKS - 1 + round));
    }
    ck_assert_uint_eq(stats_of(pool).busy, 0);
    trm_stream_pool_destroy(pool);
    trm_buffer_destroy(buffer);
}
END_TEST

/* ---- threads -------------------------------------------------------------------------------- */

struct flood {
    struct trm_stream_pool *pool;
    struct chain chains[THREADS];
    atomic_uint next, failures;
};

static void *submit_many(void *user)
{
    struct flood *flood = user;
    struct chain *chain = &flood->chains[atomic_fetch_add(&flood->next, 1)];
    for (uint32_t i = 0; i < CHAINS * LINKS; i++)
        if (chain_submit(chain, flood->pool) != TRM_OK)
            atomic_fetch_add(&flood->failures, 1);
    return NULL;
}

static void *look_for_idle(void *user)
{
    struct flood *flood = user;
    for (uint32_t i = 0; i < LINKS; i++) {
        struct trm_stream *stream = NULL;
        uint64_t timeout          = i % 2 == 0 ? TRM_FOREVER : 0;
        int32_t status = trm_stream_pool_acquire(flood->pool, TRM_STREAM_POOL_IDLE, timeout, &stream);
        if (status == TRM_ERROR_TIMEOUT && timeout == 0)
            continue;
        if (status != TRM_OK || trm_stream_query(stream) != TRM_OK ||
            trm_stream_pool_release(flood->pool, stream) != TRM_OK)
            atomic_fetch_add(&flood->failures, 1);
    }
    return NULL;
}

START_TEST(threads_get_idle_streams_while_others_submit_many_short_kernels)
{
    if (kernels_missing())
        return;
    struct flood flood = {.pool = make_pool(TRM_STREAM_AUTO, STREAMS)};
    pthread_t threads[THREADS], waiter;
    for (uint32_t i = 0; i < THREADS; i++)
        chain_init(&flood.chains[i], i + 1);
    for (uint32_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, submit_many, &flood), 0);
    ck_assert_int_eq(pthread_create(&waiter, NULL, look_for_idle, &flood), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(waiter, NULL);
    ck_assert_uint_eq(atomic_load(&flood.failures), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        chain_end(&flood.chains[i]);
    ck_all_idle(flood.pool);
    trm_stream_pool_destroy(flood.pool);
}
END_TEST

void add_stream_pool_flood(Suite *suite)
{
    TCase *group = group_make(suite, "many small tasks of stream pools");
    CASE(group, many_short_kernels_run_in_their_order_and_leave_their_streams_idle);
    CASE(group, a_pool_ends_while_many_short_kernels_run);
    CASE(group, loans_that_pile_up_on_a_stream_leave_it_idle);
    CASE(group, threads_get_idle_streams_while_others_submit_many_short_kernels);
}
