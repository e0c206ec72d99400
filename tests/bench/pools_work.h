/* Mixes of tasks for a scheduler, the same as in tools/bench/bench_mix.c: what each task computes, and which
 * earlier task of its run it comes after.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TESTS_BENCH_POOLS_WORK_H
#define TRIREME_TESTS_BENCH_POOLS_WORK_H

#include <stdlib.h>
#include <string.h>

#include "measure.h"

/* Elements of tasks, which are floats. */
enum {
    MIX_TINY   = 256,
    MIX_SHORT  = 1024,
    MIX_MEDIUM = 8192,
    MIX_LONG   = 65536,
    MIX_LARGE  = 1 << 19,
};

enum {
    MIX_PARTS     = 16, /* of the target: so many tasks in a row write memory of their own */
    MIX_TASKS     = 64, /* of a run, at most */
    MIX_LINKS     = 256,
    MIX_ALONE     = -1,   /* comes after no other task */
    MIX_GPU_LINKS = 4096, /* on a GPU instead of MIX_LINKS */
    MIX_BUSY   = 48, /* long tasks of low priority that have not ended, and short urgent ones beside them */
    MIX_URGENT = 200,
};

struct mix_task {
    int links; /* fused multiply-adds for an element: 1 is bound by memory, MIX_LINKS by arithmetic */
    uint32_t elements;
    int after; /* the number of a task of the run */
};

struct mix {
    uint32_t count, runs;
    int is_waited_for; /* after each run, else after the last one */
    struct mix_task tasks[MIX_TASKS];
};

static inline void mix_add(struct mix *mix, int links, uint32_t elements, int after)
{
    mix->tasks[mix->count++] = (struct mix_task){links, elements, after};
}

/* ---- the mixes ------------------------------------------------------------------------------ */

static inline void mix_tiny(struct mix *mix)
{
    mix->runs = 400;
    for (int i = 0; i < 64; i++)
        mix_add(mix, 1, MIX_TINY, MIX_ALONE);
}

static inline void mix_long_short(struct mix *mix)
{
    mix->runs = 200;
    for (int i = 0; i < 16; i++)
        mix_add(mix, MIX_LINKS, i % 8 == 0 ? MIX_LONG : MIX_SHORT, MIX_ALONE);
}

static inline void mix_memory_compute(struct mix *mix)
{
    mix->runs = 200;
    for (int i = 0; i < 4; i++) {
        mix_add(mix, 1, MIX_LARGE, MIX_ALONE);
        mix_add(mix, MIX_LINKS, MIX_MEDIUM, MIX_ALONE);
    }
}

static inline void mix_bursts(struct mix *mix)
{
    static const uint32_t sizes[] = {MIX_SHORT, MIX_MEDIUM, MIX_SHORT, MIX_TINY,
                                     MIX_LONG,  MIX_SHORT,  MIX_TINY,  MIX_MEDIUM};
    mix->runs                     = 100;
    mix->is_waited_for            = 1;
    for (int i = 0; i < 24; i++)
        mix_add(mix, MIX_LINKS, sizes[i % 8], MIX_ALONE);
}

static inline void mix_chain(struct mix *mix)
{
    int last  = MIX_ALONE;
    mix->runs = 200;
    for (int i = 0; i < 16; i++) {
        mix_add(mix, MIX_LINKS, MIX_MEDIUM, last);
        last = (int)mix->count - 1;
        mix_add(mix, MIX_LINKS, MIX_SHORT, last);
        mix_add(mix, 1, MIX_MEDIUM, last);
    }
}

/* ---- memory and the kernel ------------------------------------------------------------------ */

static float *mix_source, *mix_target;

static inline void mix_open(void)
{
    mix_source = (float *)measure_memory(MIX_LARGE * sizeof(float));
    mix_target = (float *)measure_memory((size_t)MIX_PARTS * MIX_LARGE * sizeof(float));
    for (size_t i = 0; i < MIX_LARGE; i++)
        mix_source[i] = 0.5f;
}

static inline void mix_close(void)
{
    free(mix_source);
    free(mix_target);
}

static inline float *mix_place(uint32_t part)
{
    return mix_target + (size_t)(part % MIX_PARTS) * MIX_LARGE;
}

static __attribute__((noinline, unused)) void mix_copy(float *__restrict target,
                                                       const float *__restrict source, size_t count)
{
    for (size_t i = 0; i < count; i++)
        target[i] = source[i] * 0.5f + 0.25f;
}

static __attribute__((noinline, unused)) void mix_compute(float *__restrict target,
                                                          const float *__restrict source, size_t count)
{
    enum {
        LANES = 32
    };
    for (size_t i = 0; i < count; i += LANES) {
        float v[LANES];
        memcpy(v, source + i, sizeof(v));
        for (int link = 0; link < MIX_LINKS; link++)
            for (int lane = 0; lane < LANES; lane++)
                v[lane] = v[lane] * 0.5f + 0.25f;
        memcpy(target + i, v, sizeof(v));
    }
}

static inline void mix_kernel(float *target, const float *source, size_t count, int links)
{
    if (links == 1)
        mix_copy(target, source, count);
    else
        mix_compute(target, source, count);
}

/* ---- what a scheduler does, and how fast ---------------------------------------------------- */

struct mix_scheduler {
    /* Submits the tasks of a run; `part` is that of the first one. */
    void (*run)(const struct mix *mix, uint32_t part);
    void (*wait)(void);
    /* Where tasks write memory of a device: set the first element of each part to 0, and tell whether all
     * are 0.5. NULL: mix_target has the parts. */
    void (*clear)(void);
    int (*is_right)(void);
};

static inline void mix_clear(const struct mix_scheduler *scheduler)
{
    if (scheduler->clear) {
        scheduler->clear();
        return;
    }
    for (uint32_t i = 0; i < MIX_PARTS; i++)
        mix_place(i)[0] = 0;
}

static inline int mix_is_right(const struct mix_scheduler *scheduler)
{
    if (scheduler->is_right)
        return scheduler->is_right();
    for (uint32_t i = 0; i < MIX_PARTS; i++)
        if (mix_place(i)[0] != 0.5f)
            return 0;
    return 1;
}

/* Tasks a second. A half times a half and a quarter is a half: what has been computed is not 0. */
static inline double mix_rate(const struct mix_scheduler *scheduler, void (*make)(struct mix *mix))
{
    struct mix mix = {.count = 0};
    uint32_t part  = 0;
    make(&mix);
    mix_clear(scheduler);
    uint64_t begin = measure_now();
    for (uint32_t i = 0; i < mix.runs; i++, part += mix.count) {
        scheduler->run(&mix, part);
        if (mix.is_waited_for)
            scheduler->wait();
    }
    scheduler->wait();
    uint64_t spent = measure_now() - begin;
    if (!mix_is_right(scheduler))
        measure_fail("a task was not run");
    return measure_rate((uint64_t)mix.runs * mix.count, spent);
}

static inline int mix_compare(const void *one, const void *other)
{
    uint64_t left = *(const uint64_t *)one, right = *(const uint64_t *)other;

    return (left > right) - (left < right);
}

/* Sorts the times. */
static inline double mix_percentile(uint64_t *times, size_t count, unsigned percent)
{
    qsort(times, count, sizeof(times[0]), mix_compare);
    return (double)times[(percent * (count - 1) + 50) / 100];
}

#define MIX_SAMPLE(name, scheduler)                \
    static double sample_##name(void)              \
    {                                              \
        return mix_rate(&(scheduler), mix_##name); \
    }                                              \
    struct mix_sample_##name

#define MIX_SAMPLES(scheduler)             \
    MIX_SAMPLE(tiny, scheduler);           \
    MIX_SAMPLE(long_short, scheduler);     \
    MIX_SAMPLE(memory_compute, scheduler); \
    MIX_SAMPLE(bursts, scheduler);         \
    MIX_SAMPLE(chain, scheduler)

#define MIX_CASE(name)                                 \
    {                                                  \
        "pools", "mix_" #name, "task/s", sample_##name \
    }

#define MIX_CASES \
    MIX_CASE(tiny), MIX_CASE(long_short), MIX_CASE(memory_compute), MIX_CASE(bursts), MIX_CASE(chain)

#endif
