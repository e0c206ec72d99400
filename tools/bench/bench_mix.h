/* Trireme: the mixes of tasks of the suite `pools`.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_BENCH_BENCH_MIX_H
#define TRIREME_TOOLS_BENCH_BENCH_MIX_H

#include "tools/bench/bench.h"

struct bench_mix;

enum bench_mix_kind {
    BENCH_MIX_TINY,   /* many tiny tasks */
    BENCH_MIX_LONG,   /* long and short ones */
    BENCH_MIX_MEMORY, /* bound by memory, and bound by arithmetic */
    BENCH_MIX_BURSTS, /* of tasks of several sizes, each of which is waited for */
    BENCH_MIX_CHAIN,  /* each task comes after the one before, with side branches */
    BENCH_MIX_URGENT, /* of two priorities */
    BENCH_MIXES,
};

/* The argument of a case: a mix and enum trm_stream_strategy. */
#define BENCH_MIX(kind, strategy) ((uint64_t)(kind) << 8 | (uint64_t)(strategy))

/* How many times as fast a mix is by the strategy as by round-robin, in turns. */
int32_t bench_mix_setup(struct bench *bench, const struct bench_case *test);
int32_t bench_mix_sample(struct bench *bench, const struct bench_case *test, double *value);

/* How many times as fast a new pool of the strategy `auto` is as the best of the other strategies, by all
 * tasks but the first ten of each kind. */
int32_t bench_mix_sample_settled(struct bench *bench, const struct bench_case *test, double *value);

/* How long short tasks of high priority take, beside as many long ones of low priority as keep the device
 * busy: the 99th percentile by the strategy to that by round-robin. */
int32_t bench_mix_sample_urgent(struct bench *bench, const struct bench_case *test, double *value);

/* Run tasks of several kinds once on a pool, each in a range of its kind's name (bench_mix_names), and wait
 * for them. */
int32_t bench_mix_run_named(struct bench *bench, struct trm_stream_pool *pool);

enum {
    BENCH_MIX_NAMES = 4
};
extern const char *const bench_mix_names[BENCH_MIX_NAMES];

/* End a mix; NULL is fine. */
void bench_mix_end(struct bench_mix *mix);

#endif
