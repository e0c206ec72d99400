/* The work of the suite "gpu", the same for all programs. Batches of floats go up
 * from pinned memory, through a row of fused multiply-adds, and down into pinned memory; the host does
 * nothing with them. Also for CUDA C++.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TESTS_BENCH_GPU_WORK_H
#define TRIREME_TESTS_BENCH_GPU_WORK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

#define GPU_FACTOR 1.0001f
#define GPU_TERM 0.5f

struct gpu_batch {
    const char *name;
    size_t bytes;      /* of a batch, up and down */
    unsigned links;    /* multiply-adds an element */
    unsigned tokens;   /* batches of one measurement */
    unsigned launches; /* that depend on each other */
};

/* The long ones take about as long to compute as to copy. There are so many that filling and draining the
 * pipeline, when only one direction is copied, take less than a hundredth of the time. */
static const struct gpu_batch gpu_batches[] = {
    {"4KiB", (size_t)4 << 10, 8, 4000, 1},
    {"64KiB", (size_t)64 << 10, 8, 4000, 1},
    {"256KiB", (size_t)256 << 10, 8, 2000, 1},
    {"1MiB", MIB, 8, 1000, 1},
    {"16MiB", 16 * MIB, 8, 300, 1},
    {"16MiB_long", 16 * MIB, 1800, 200, 1},
    {"64MiB", 64 * MIB, 8, 120, 1},
};

/* Tokens of many small launches, of which each needs what the one before has written: what is between two
 * launches counts. */
static const struct gpu_batch gpu_chains[] = {
    {"4KiB_chain20", (size_t)4 << 10, 8, 2000, 20},
    {"128KiB_chain10", (size_t)128 << 10, 8, 2000, 10},
};

enum {
    GPU_CHAINS   = sizeof(gpu_chains) / sizeof(gpu_chains[0]),
    GPU_CHAIN    = 20, /* the most launches of one */
    GPU_BATCHES  = sizeof(gpu_batches) / sizeof(gpu_batches[0]),
    GPU_ROUNDS   = 5, /* of which the median counts, after one that does not */
    GPU_TRIES    = 20,
    GPU_REPEATS  = 5, /* likewise, where a sample is a pipeline's run */
    GPU_GROUP    = 256,
    GPU_LAUNCHES = 1000,
    GPU_TRIPS    = 500,
    GPU_PAIRS    = 2000,
    GPU_SIDE     = 4096, /* of square matrices */

    GPU_WAKE_COUNT    = 16 << 20, /* floats, for launches of some 300 us */
    GPU_WAKE_LINKS    = 1800,
    GPU_WAKE_LAUNCHES = 100,
};

#define GPU_WAKE_NS UINT64_C(2000000000)

/* What it takes is what the processor spends on it. */
static inline int gpu_is_all_calls(const struct gpu_batch *batch)
{
    return batch->bytes <= (size_t)256 << 10;
}

/* What it takes is what the copies take. */
static inline int gpu_is_all_copies(const struct gpu_batch *batch)
{
    return batch->bytes >= 16 * MIB && batch->links <= 8;
}

#define GPU_COPY_BYTES (256 * MIB)
#define GPU_KERNEL_COUNT ((size_t)128 << 20) /* floats of each array of a kernel that memory bounds */

static inline float gpu_element(size_t i)
{
    return (float)(i % 977) * (1.0f / 977.0f);
}

static inline void gpu_fill(float *floats, size_t count)
{
    for (size_t i = 0; i < count; i++)
        floats[i] = gpu_element(i);
}

/* Ends the program when a result is wrong: a fast wrong answer is no figure. */
static inline void gpu_check(const struct gpu_batch *batch, const float *result)
{
    for (size_t i = 0; i < batch->bytes / sizeof(float); i += 997) {
        float v = gpu_element(i);

        for (unsigned link = 0; link < batch->links * batch->launches; link++)
            v = fmaf(v, GPU_FACTOR, GPU_TERM);
        if (!(fabsf(v - result[i]) <= 1e-4f * fabsf(v)))
            measure_fail("a batch came out wrong");
    }
}

/* Was a program of the suite asked for its chains alone, or for everything on a device that is a GPU? */
static inline int gpu_wants_chains(const char *word)
{
    return word[0] == 'c' || word[0] == '\0';
}

/* What a program of the suite was asked for: "small" leaves out what would take minutes on a device that is
 * no GPU. */
static inline size_t gpu_most_bytes(const char *word)
{
    return word[0] == 's' ? MIB : SIZE_MAX;
}

/* Microseconds a piece. */
static inline double gpu_each(uint64_t begin, uint64_t pieces)
{
    return (double)(measure_now() - begin) / (double)pieces * 1e-3;
}

/* 1e9 bytes or operations a second. */
static inline double gpu_rate(uint64_t begin, double amount)
{
    return amount / (double)(measure_now() - begin);
}

static inline double gpu_least(double (*sample)(const void *what), const void *what, int tries)
{
    double least = sample(what);

    for (int i = 1; i < tries; i++) {
        double value = sample(what);
        least        = value < least ? value : least;
    }
    return least;
}

/* Takes GPU_ROUNDS values after a first one and prints a line. Blanks of the name become underlines. */
static inline void gpu_values(const char *title, const char *who, const char *unit,
                              double (*sample)(const void *what), const void *what, int tries)
{
    double values[GPU_ROUNDS];
    char name[80];

    snprintf(name, sizeof(name), "%s", title);
    for (char *c = name; *c; c++)
        *c = *c == ' ' ? '_' : *c;

    sample(what);
    for (int i = 0; i < GPU_ROUNDS; i++)
        values[i] = gpu_least(sample, what, tries);
    measure_print("gpu", name, who, unit, values, GPU_ROUNDS);
}

static inline void gpu_figure(const char *title, const char *who, const char *unit,
                              double (*sample)(const void *what), const void *what)
{
    gpu_values(title, who, unit, sample, what, 1);
}

/* Processor time in microseconds. Load on the other hyperthread of the core adds half as much again for
 * tenths of a second, which a virtual machine cannot see; so each value is the least of many samples. */
static inline void gpu_spent(const char *title, const char *who, double (*sample)(const void *what),
                             const void *what)
{
    gpu_values(title, who, "us", sample, what, GPU_TRIES);
}

/* A pipeline's microseconds a batch. */
static inline void gpu_flow(const char *title, const char *who, double (*sample)(const void *what),
                            const void *what, const struct gpu_batch *batch)
{
    gpu_values(title, who, "us", sample, what, gpu_is_all_calls(batch) ? GPU_REPEATS : 1);
}

#endif
