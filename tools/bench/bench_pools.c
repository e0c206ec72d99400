/* Trireme: the suite `pools`: what it costs to borrow a stream and to give it back, and how fast mixes of
 * tasks are by each strategy.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_mix.h"

enum {
    STREAMS = 8,
    ROUNDS  = 20000,
};

/* Makes a pool with all of its streams, which are idle. */
static int32_t setup(struct bench *bench, const struct bench_case *test)
{
    const struct trm_stream_pool_desc desc = {
        .struct_size = sizeof(desc), .strategy = (int32_t)test->argument, .least = STREAMS, .most = STREAMS};
    struct trm_stream *streams[STREAMS];
    int32_t status = trm_stream_pool_create(bench->device, &desc, &bench->pool);

    for (uint32_t i = 0; i < STREAMS && status == TRM_OK; i++)
        status = trm_stream_pool_acquire(bench->pool, 0, 0, &streams[i]);
    for (uint32_t i = 0; i < STREAMS && status == TRM_OK; i++)
        status = trm_stream_pool_release(bench->pool, streams[i]);
    return status;
}

/* The times of borrowing all streams, and of giving them back. */
static int32_t sample(struct bench *bench, uint64_t *borrowed, uint64_t *returned, uint64_t rounds)
{
    struct trm_stream *streams[STREAMS];
    int32_t status = TRM_OK;

    for (uint64_t round = 0; round < rounds && status == TRM_OK; round++) {
        uint64_t begin = bench_now();
        for (uint32_t i = 0; i < STREAMS && status == TRM_OK; i++)
            status = trm_stream_pool_acquire(bench->pool, 0, 0, &streams[i]);
        uint64_t middle = bench_now();
        for (uint32_t i = 0; i < STREAMS && status == TRM_OK; i++)
            status = trm_stream_pool_release(bench->pool, streams[i]);
        *borrowed += middle - begin;
        *returned += bench_now() - middle;
    }
    return status;
}

static int32_t sample_borrow(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t rounds = bench_scale(bench, ROUNDS), borrowed = 0, returned = 0;
    int32_t status = sample(bench, &borrowed, &returned, rounds);

    (void)test;
    *value = (double)borrowed / (double)(rounds * STREAMS);
    return status;
}

static int32_t sample_return(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t rounds = bench_scale(bench, ROUNDS), borrowed = 0, returned = 0;
    int32_t status = sample(bench, &borrowed, &returned, rounds);

    (void)test;
    *value = (double)returned / (double)(rounds * STREAMS);
    return status;
}

static int32_t enqueue_nothing(void *user, struct trm_stream *stream)
{
    (void)user;
    (void)stream;
    return TRM_OK;
}

static int32_t sample_submit(struct bench *bench, const struct bench_case *test, double *value)
{
    const struct trm_stream_task task = {
        .struct_size = sizeof(task), .enqueue = enqueue_nothing, .bytes = 4096};
    uint64_t rounds = bench_scale(bench, ROUNDS * STREAMS), begin = bench_now();
    int32_t status = TRM_OK;
    struct trm_point point;

    (void)test;
    for (uint64_t i = 0; i < rounds && status == TRM_OK; i++)
        status = trm_stream_pool_submit(bench->pool, &task, &point);
    *value = (double)(bench_now() - begin) / (double)rounds;
    return status;
}

#define SUBMIT(strategy_name, strategy)                                                                \
    {                                                                                                  \
        .name = "submit_" strategy_name, .help = "submit a task that does nothing, by " strategy_name, \
        .unit = "ns", .argument = (strategy), .setup = setup, .sample = sample_submit,                 \
    }

#define MIX(its_name, its_help, kind, strategy_name, strategy)                                       \
    {                                                                                                \
        .name = its_name "_" strategy_name,                                                          \
        .help = its_help ": times as fast by " strategy_name " as by round-robin", .unit = "x",      \
        .argument = BENCH_MIX(kind, strategy), .setup = bench_mix_setup, .sample = bench_mix_sample, \
    }

#define SETTLED(its_name, its_help, kind)                                                         \
    {                                                                                             \
        .name = its_name "_settled",                                                              \
        .help = its_help ": times as fast by auto, after ten tasks of each kind, as by the best", \
        .unit = "x", .argument = BENCH_MIX(kind, TRM_STREAM_AUTO), .setup = bench_mix_setup,      \
        .sample = bench_mix_sample_settled,                                                       \
    }

#define STRATEGIES(its_name, its_help, kind)                                \
    MIX(its_name, its_help, kind, "least_loaded", TRM_STREAM_LEAST_LOADED), \
        MIX(its_name, its_help, kind, "auto", TRM_STREAM_AUTO), SETTLED(its_name, its_help, kind)

static const struct bench_case cases[] = {
    {
        .name     = "borrow_round_robin",
        .help     = "borrow an idle stream of a pool of eight by the strategy round-robin",
        .unit     = "ns",
        .argument = TRM_STREAM_ROUND_ROBIN,
        .setup    = setup,
        .sample   = sample_borrow,
    },
    {
        .name     = "borrow_least_loaded",
        .help     = "the same by the strategy least-loaded",
        .unit     = "ns",
        .argument = TRM_STREAM_LEAST_LOADED,
        .setup    = setup,
        .sample   = sample_borrow,
    },
    {
        .name     = "return",
        .help     = "give a stream without new work back to its pool",
        .unit     = "ns",
        .argument = TRM_STREAM_LEAST_LOADED,
        .setup    = setup,
        .sample   = sample_return,
    },
    SUBMIT("round_robin", TRM_STREAM_ROUND_ROBIN),
    SUBMIT("least_loaded", TRM_STREAM_LEAST_LOADED),
    SUBMIT("auto", TRM_STREAM_AUTO),
    SUBMIT("workload", TRM_STREAM_WORKLOAD),
    STRATEGIES("tiny", "many tiny tasks", BENCH_MIX_TINY),
    STRATEGIES("long_short", "long and short tasks", BENCH_MIX_LONG),
    STRATEGIES("memory_compute", "tasks bound by memory and by arithmetic", BENCH_MIX_MEMORY),
    MIX("memory_compute", "tasks bound by memory and by arithmetic", BENCH_MIX_MEMORY, "workload",
        TRM_STREAM_WORKLOAD),
    STRATEGIES("bursts", "bursts of tasks that are waited for", BENCH_MIX_BURSTS),
    STRATEGIES("chain", "a chain of tasks with side branches", BENCH_MIX_CHAIN),
    {
        .name     = "urgent_p99",
        .help     = "short urgent tasks beside long ones: the time by priority / that by round-robin",
        .unit     = "x",
        .argument = BENCH_MIX(BENCH_MIX_URGENT, TRM_STREAM_PRIORITY),
        .setup    = bench_mix_setup,
        .sample   = bench_mix_sample_urgent,
    },
};

const struct bench_suite bench_pools_suite = {
    .name  = "pools",
    .cases = cases,
    .count = sizeof(cases) / sizeof(cases[0]),
};
