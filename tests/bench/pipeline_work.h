/* The work of the suite "pipeline", the same as in tools/bench/bench_flow.h: batches of floats go up, through
 * links fused multiply-adds an element, and down again. Also for C++.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TESTS_BENCH_PIPELINE_WORK_H
#define TRIREME_TESTS_BENCH_PIPELINE_WORK_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum {
    FLOW_SLOTS   = 3,
    FLOW_RING    = 8,        /* batches of host memory on each side, used in turn */
    FLOW_LARGE   = 16 << 20, /* bytes of a batch… */
    FLOW_SMALL   = 64 << 10,
    LARGE_TOKENS = 64, /* …and how many pass */
    SMALL_TOKENS = 8192,
};

#define FLOW_FACTOR 0.9990234375f
#define FLOW_TERM 0.0009765625f

struct flow {
    size_t bytes, count; /* of a batch: bytes, floats */
    int links, tokens;
    float *in[FLOW_RING], *out[FLOW_RING];
    float *slot[FLOW_RING]; /* what a device would have; FLOW_SLOTS of them, or one for each thread */
};

static inline float flow_element(size_t i)
{
    return (float)(i % 1021) * (1.0f / 1021.0f);
}

static inline void flow_open(struct flow *flow, size_t bytes)
{
    flow->bytes  = bytes;
    flow->count  = bytes / sizeof(float);
    flow->tokens = bytes == FLOW_LARGE ? LARGE_TOKENS : SMALL_TOKENS;
    for (int i = 0; i < FLOW_RING; i++) {
        flow->in[i]   = (float *)measure_memory(bytes);
        flow->out[i]  = (float *)measure_memory(bytes);
        flow->slot[i] = (float *)measure_memory(bytes);
        for (size_t k = 0; k < flow->count; k++)
            flow->in[i][k] = flow_element(k);
    }
}

/* Ends the program when a result is wrong: a fast wrong answer is no figure. */
static inline void flow_check(const struct flow *flow, const float *result)
{
    for (size_t i = 0; i < flow->count; i += 4099) {
        float v = flow_element(i);

        for (int link = 0; link < flow->links; link++)
            v = fmaf(v, FLOW_FACTOR, FLOW_TERM);
        if (!(fabsf(v - result[i]) <= 1e-4f))
            measure_fail("a batch came out wrong");
    }
}

static struct flow flow_of_size[2]; /* large, small; made when first used */

static inline struct flow *flow_get(size_t bytes, int links)
{
    struct flow *flow = &flow_of_size[bytes == FLOW_SMALL];

    if (!flow->bytes)
        flow_open(flow, bytes);
    flow->links = links;
    memset(flow->out[1], 0, bytes);
    return flow;
}

static inline void flow_close_all(void)
{
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < FLOW_RING; k++) {
            free(flow_of_size[i].in[k]);
            free(flow_of_size[i].out[k]);
            free(flow_of_size[i].slot[k]);
        }
    }
}

/* ---- the kernel, in plain C ------------------------------------------------------------------------- */

static __attribute__((noinline, unused)) void flow_one(float *__restrict target,
                                                       const float *__restrict source, size_t count)
{
    for (size_t i = 0; i < count; i++)
        target[i] = source[i] * FLOW_FACTOR + FLOW_TERM;
}

static __attribute__((noinline, unused)) void flow_many(float *__restrict target,
                                                        const float *__restrict source, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float v = source[i];
#pragma GCC unroll 32
        for (int link = 0; link < 32; link++)
            v = v * FLOW_FACTOR + FLOW_TERM;
        target[i] = v;
    }
}

static inline void flow_plain(float *target, const float *source, size_t count, int links)
{
    if (links == 1)
        flow_one(target, source, count);
    else
        flow_many(target, source, count);
}

/* In place, as a device's buffer allows. */
static __attribute__((noinline, unused)) void flow_one_in_place(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        values[i] = values[i] * FLOW_FACTOR + FLOW_TERM;
}

static __attribute__((noinline, unused)) void flow_many_in_place(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float v = values[i];
#pragma GCC unroll 32
        for (int link = 0; link < 32; link++)
            v = v * FLOW_FACTOR + FLOW_TERM;
        values[i] = v;
    }
}

static inline void flow_in_place(float *values, size_t count, int links)
{
    if (links == 1)
        flow_one_in_place(values, count);
    else
        flow_many_in_place(values, count);
}

/* ---- the same, and the time that it took ------------------------------------------------------------ */

typedef void (*flow_pass_fn)(struct flow *flow);

/* Batches a second. */
static inline double flow_rate(flow_pass_fn pass, size_t bytes, int links)
{
    struct flow *flow = flow_get(bytes, links);
    uint64_t spent    = measure_now();

    pass(flow);
    spent = measure_now() - spent;
    flow_check(flow, flow->out[1]);
    return measure_rate((uint64_t)flow->tokens, spent);
}

/* The four samples of one way to do it. */
#define FLOW_SAMPLES(way, pass)                 \
    static double way##_large_1(void)           \
    {                                           \
        return flow_rate(pass, FLOW_LARGE, 1);  \
    }                                           \
    static double way##_large_32(void)          \
    {                                           \
        return flow_rate(pass, FLOW_LARGE, 32); \
    }                                           \
    static double way##_small_1(void)           \
    {                                           \
        return flow_rate(pass, FLOW_SMALL, 1);  \
    }                                           \
    static double way##_small_32(void)          \
    {                                           \
        return flow_rate(pass, FLOW_SMALL, 32); \
    }                                           \
    struct way##_samples

/* Their cases. */
#define FLOW_CASES(way, name)                                         \
    {"pipeline", "16MiB_fma1_" name, "batch/s", way##_large_1},       \
        {"pipeline", "16MiB_fma32_" name, "batch/s", way##_large_32}, \
        {"pipeline", "64KiB_fma1_" name, "batch/s", way##_small_1},   \
    {                                                                 \
        "pipeline", "64KiB_fma32_" name, "batch/s", way##_small_32    \
    }

#endif
