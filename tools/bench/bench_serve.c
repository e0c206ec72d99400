/* Trireme: the suite `serve`: small tokens that arrive one by one, as requests do.
 *
 *     SIZE_STRATEGY_LOAD_pN   from a token's arrival until its result is there, at LOAD % of the rate that
 *                             the pipeline reaches; arrivals do not wait for results (open loop)
 *     SIZE_STRATEGY_alone     a token at a time: from submit to result, the median
 *     SIZE_STRATEGY_full      a token's share of the time while all slots are in use
 *
 * One thread submits and takes the results.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_flow.h"

#include <stdlib.h>

#include "tools/output/output.h"

enum {
    SLOTS       = 8,
    TOKENS      = 40000,
    PERCENTILES = 3,
    LOADS       = 3,
    WAYS        = 6, /* three strategies at two sizes */
};

#define WAY(bytes, strategy)                                                      \
    {                                                                             \
        bytes, 1, SLOTS, strategy, false, TOKENS, BENCH_ON_DEVICE, 0, 0, 0, false \
    }

static const struct bench_flow_kind kinds[WAYS] = {
    WAY(4 << 10, TRM_STRATEGY_SLOT_GRAPHS), WAY(4 << 10, TRM_STRATEGY_ZERO_COPY),
    WAY(4 << 10, TRM_STRATEGY_RESIDENT),    WAY(64 << 10, TRM_STRATEGY_SLOT_GRAPHS),
    WAY(64 << 10, TRM_STRATEGY_ZERO_COPY),  WAY(64 << 10, TRM_STRATEGY_RESIDENT),
};

static const uint32_t loads[LOADS] = {10, 50, 90};

/* What the last round of each way and load gave, in ns; 0: nothing. A way's rate is found by its case
 * `full`. */
static double latencies[WAYS][LOADS][PERCENTILES];
static double periods[WAYS];

static int32_t setup(struct bench *bench, const struct bench_case *test)
{
    return bench_flow_begin(bench, &kinds[test->argument / LOADS], &bench->flow);
}

static int32_t submit(struct bench_flow *flow)
{
    struct trm_token *token;
    int32_t status = trm_pipeline_acquire(flow->pipeline, TRM_FOREVER, &token);

    if (status != TRM_OK)
        return status;
    if (!(flow->filled >> token->slot & 1)) {
        bench_flow_fill(token->data[0], flow->kind->bytes / sizeof(float));
        flow->filled |= (uint64_t)1 << token->slot;
    }
    return trm_pipeline_submit(flow->pipeline, token);
}

/* Takes the result of the oldest token; TIMEOUT: it is not there yet. */
static int32_t take(struct bench_flow *flow, uint64_t timeout_ns)
{
    struct trm_token *token;
    int32_t status = trm_pipeline_next(flow->pipeline, timeout_ns, &token);

    if (status != TRM_OK)
        return status;
    if (token->index == 1)
        bench_flow_look(flow, token->data[1]);
    return trm_pipeline_release(flow->pipeline, token);
}

static int32_t finish(struct bench *bench, int32_t status)
{
    if (status != TRM_OK || bench_flow_is_right(bench->flow))
        return status;
    bench->complaint = "a batch came out wrong";
    return TRM_ERROR_INTERNAL;
}

/* ---- all slots in use ---------------------------------------------------------------------------------- */

static int32_t run_full(struct bench_flow *flow, uint64_t tokens)
{
    int32_t status = TRM_OK;

    for (uint64_t i = 0; i < tokens + SLOTS && status == TRM_OK; i++) {
        if (i >= SLOTS)
            status = take(flow, TRM_FOREVER);
        if (status == TRM_OK && i < tokens)
            status = submit(flow);
    }
    return status;
}

static int32_t sample_full(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t tokens = bench_scale(bench, TOKENS) + SLOTS;
    int32_t status  = run_full(bench->flow, SLOTS);
    uint64_t begin  = bench_now();

    if (status == TRM_OK)
        status = run_full(bench->flow, tokens);
    *value                          = (double)(bench_now() - begin) / (double)tokens;
    periods[test->argument / LOADS] = *value;
    return finish(bench, status);
}

/* ---- one at a time ------------------------------------------------------------------------------------- */

static int32_t sample_alone(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t tokens = bench_scale(bench, TOKENS) + 1;
    uint64_t *times = output_allocate(tokens, sizeof(*times));
    int32_t status  = TRM_OK;

    (void)test;
    for (uint64_t i = 0; i < tokens && status == TRM_OK; i++) {
        uint64_t begin = bench_now();
        status         = submit(bench->flow);
        if (status == TRM_OK)
            status = take(bench->flow, TRM_FOREVER);
        times[i] = bench_now() - begin;
    }
    *value = bench_percentile(times, tokens, 50);
    free(times);
    return finish(bench, status);
}

/* ---- arrivals ------------------------------------------------------------------------------------------ */

/* Token i arrives at begin + i × period; `times` receives how long each took. */
static int32_t run_arrivals(struct bench_flow *flow, double period, uint64_t tokens, uint64_t *times)
{
    uint64_t begin = bench_now(), submitted = 0, taken = 0;
    int32_t status = TRM_OK;

    while (taken < tokens && status == TRM_OK) {
        uint64_t arrival = begin + (uint64_t)((double)submitted * period);
        if (submitted < tokens && submitted - taken < SLOTS && bench_now() >= arrival) {
            status = submit(flow);
            submitted++;
            continue;
        }
        if (taken == submitted)
            continue;
        status = take(flow, 0);
        if (status == TRM_OK) {
            times[taken] = bench_now() - (begin + (uint64_t)((double)taken * period));
            taken++;
        } else if (status == TRM_ERROR_TIMEOUT) {
            status = TRM_OK;
        }
    }
    return status;
}

static int32_t sample_arrivals(struct bench *bench, const struct bench_case *test, double *value)
{
    uint32_t way = (uint32_t)(test->argument / LOADS), load = (uint32_t)(test->argument % LOADS);
    uint64_t tokens = bench_scale(bench, TOKENS) + 1000;
    uint64_t *times = output_allocate(tokens, sizeof(*times));
    double period   = periods[way] * 100.0 / loads[load];
    int32_t status  = run_full(bench->flow, 2 * SLOTS);

    if (status == TRM_OK)
        status = run_arrivals(bench->flow, period, tokens, times);
    latencies[way][load][0] = bench_percentile(times, tokens, 50);
    latencies[way][load][1] = bench_percentile(times, tokens, 99);
    latencies[way][load][2] = (double)times[tokens * 999 / 1000]; /* sorted now */
    *value                  = latencies[way][load][0];
    free(times);
    return finish(bench, status);
}

/* The 99th percentile of the arrivals of the case before, in the same round; with a `user`, the 99.9th. */
static int32_t sample_percentile(struct bench *bench, const struct bench_case *test, double *value)
{
    uint32_t percentile = test->user != NULL ? 2 : 1;

    *value = latencies[test->argument / LOADS][test->argument % LOADS][percentile];
    if (*value > 0.0)
        return TRM_OK;
    bench->complaint = "no tokens were measured";
    return TRM_ERROR_UNSUPPORTED;
}

/* ---- the suite ----------------------------------------------------------------------------------------- */

#define ARRIVALS(way, load, name_, percent)                                                             \
    {                                                                                                   \
        .name     = name_ "_" percent "_p50",                                                           \
        .help     = "arrivals at " percent " % of the full rate",                                       \
        .follows  = true,                                                                               \
        .unit     = "ns",                                                                               \
        .argument = (way)*LOADS + (load),                                                               \
        .setup    = setup,                                                                              \
        .sample   = sample_arrivals,                                                                    \
    },                                                                                                  \
        {                                                                                               \
            .name     = name_ "_" percent "_p99",                                                       \
            .help     = "99th percentile",                                                              \
            .follows  = true,                                                                           \
            .unit     = "ns",                                                                           \
            .argument = (way)*LOADS + (load),                                                           \
            .sample   = sample_percentile,                                                              \
        },                                                                                              \
    {                                                                                                   \
        .name = name_ "_" percent "_p99.9", .help = "99.9th percentile", .unit = "ns", .follows = true, \
        .argument = (way)*LOADS + (load), .user = loads, .sample = sample_percentile,                   \
    }

#define SERVED(way, name_)                                    \
    {                                                         \
        .name     = name_ "_alone",                           \
        .help     = "from submit to result",                  \
        .unit     = "ns",                                     \
        .argument = (way)*LOADS,                              \
        .setup    = setup,                                    \
        .sample   = sample_alone,                             \
    },                                                        \
        {                                                     \
            .name     = name_ "_full",                        \
            .help     = "a token, while eight are in flight", \
            .unit     = "ns",                                 \
            .argument = (way)*LOADS,                          \
            .setup    = setup,                                \
            .sample   = sample_full,                          \
        },                                                    \
        ARRIVALS(way, 0, name_, "10"), ARRIVALS(way, 1, name_, "50"), ARRIVALS(way, 2, name_, "90")

static const struct bench_case cases[] = {
    SERVED(0, "4KiB_slot-graphs"),  SERVED(1, "4KiB_zero-copy"),  SERVED(2, "4KiB_resident"),
    SERVED(3, "64KiB_slot-graphs"), SERVED(4, "64KiB_zero-copy"), SERVED(5, "64KiB_resident"),
};

const struct bench_suite bench_serve_suite = {
    .name  = "serve",
    .cases = cases,
    .count = sizeof(cases) / sizeof(cases[0]),
};
