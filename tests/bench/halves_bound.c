/* What bounds the halves of a cpu (64MiB_copies_split of `trireme bench devices`), without the library: two
 * threads, a loop that reads a batch and writes another, and the schedules of a divided and an undivided cpu.
 *
 *     halves_bound [MIB [ROUNDS [TOKENS [PART_KIB]]]]     64, 11, 8 and a sixteenth of a batch otherwise
 *
 *     one_shared     both threads take parts of one batch: the undivided cpu with one slot in use
 *     two_shared     the same with the memory of two batches by turns: two slots in use
 *     two_own        each thread has a batch of its own: the halves, with one slot each
 *     one_halved     each thread has its half of one batch: tokens that are spread
 *     …_streamed     the same with stores that pass the caches by, on processors with AVX-512
 *
 * Schedules have short turns within a round. A line tells the shortest and the median time of a batch, how
 * fast the schedule is beside one_shared (the median of the rounds), and the bytes that a batch moves a
 * second at best: it is read and written, and unless the stores are streamed, what is written is read before.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "measure.h"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#define HUGE_PAGE ((size_t)2 << 20)
#define KIB ((size_t)1 << 10)

enum {
    THREADS     = 2,
    ROUNDS      = 11,
    ROUNDS_MOST = 1000,
    TOKENS      = 8,
    WARM        = 4, /* batches at the beginning of a turn: each memory has been used */
    PARTS       = 16,
    LANES       = 16,
    IN_FLIGHT   = 8,
    STEP        = LANES * IN_FLIGHT,
};

typedef float lanes __attribute__((vector_size(LANES * sizeof(float)), aligned(4)));

enum way {
    SHARED, /* whichever thread is free takes the next part */
    HALVED, /* each thread has its half of each batch */
    OWN,    /* each thread has batches of its own */
};

struct schedule {
    const char *name;
    enum way way;
    int tokens; /* whose memory is used by turns */
    int is_streamed;
};

static const struct schedule schedules[] = {
    {"one_shared", SHARED, 1, 0},          {"two_shared", SHARED, 2, 0},    {"two_own", OWN, 2, 0},
    {"one_halved", HALVED, 1, 0},
#ifdef __AVX512F__
    {"one_shared_streamed", SHARED, 1, 1}, {"two_own_streamed", OWN, 2, 1},
#endif
};

enum {
    SCHEDULES = sizeof(schedules) / sizeof(schedules[0])
};

static float *sources[THREADS], *targets[THREADS];
static size_t floats, part; /* of a batch, and of a part */
static const struct schedule *current;
static int turn_tokens; /* of the turn, of both threads; 0: end */
static atomic_uint turns, turns_done, generation;
static atomic_int arrived;
static atomic_size_t next;

/* ---- the work --------------------------------------------------------------------------------------- */

static inline void relax(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

static inline void load(lanes v[IN_FLIGHT], const float *source)
{
    const lanes factor = (lanes){0} + 0.5f, term = (lanes){0} + 1.0f;

#pragma GCC unroll 8
    for (int k = 0; k < IN_FLIGHT; k++)
        v[k] = *(const lanes *)(source + (size_t)k * LANES) * factor + term;
}

static __attribute__((noinline)) void kernel(float *target, const float *source, size_t count)
{
    for (size_t i = 0; i < count; i += STEP) {
        lanes v[IN_FLIGHT];

        load(v, source + i);
#pragma GCC unroll 8
        for (int k = 0; k < IN_FLIGHT; k++)
            *(lanes *)(target + i + (size_t)k * LANES) = v[k];
    }
}

#ifdef __AVX512F__
static __attribute__((noinline)) void kernel_streamed(float *target, const float *source, size_t count)
{
    for (size_t i = 0; i < count; i += STEP) {
        lanes v[IN_FLIGHT];

        load(v, source + i);
#pragma GCC unroll 8
        for (int k = 0; k < IN_FLIGHT; k++)
            _mm512_stream_ps(target + i + (size_t)k * LANES, (__m512)v[k]);
    }
    _mm_sfence();
}
#else
#define kernel_streamed kernel
#endif

static void do_part(int token, size_t begin)
{
    size_t count = floats - begin < part ? floats - begin : part;

    if (current->is_streamed)
        kernel_streamed(targets[token] + begin, sources[token] + begin, count);
    else
        kernel(targets[token] + begin, sources[token] + begin, count);
}

/* ---- schedules -------------------------------------------------------------------------------------- */

/* Both threads; the last one to come makes the next batch's parts free. */
static void meet(void)
{
    unsigned own = atomic_load(&generation);

    if (atomic_fetch_add(&arrived, 1) == THREADS - 1) {
        atomic_store(&arrived, 0);
        atomic_store(&next, 0);
        atomic_store(&generation, own + 1);
        return;
    }
    while (atomic_load(&generation) == own)
        relax();
}

static void share(int token)
{
    for (size_t begin; (begin = atomic_fetch_add(&next, part)) < floats;)
        do_part(token, begin);
}

static void do_range(int token, size_t begin, size_t end)
{
    for (; begin < end; begin += part)
        do_part(token, begin);
}

static void work(int thread)
{
    if (current->way == OWN) {
        for (int i = 0; i < turn_tokens / THREADS; i++)
            do_range(thread, 0, floats);
        return;
    }
    for (int i = 0; i < turn_tokens; i++) {
        meet();
        if (current->way == SHARED)
            share(i % current->tokens);
        else
            do_range(0, floats / THREADS * (size_t)thread, floats / THREADS * (size_t)(thread + 1));
        meet();
    }
}

/* A thread that the system moved beside the other one would halve the speed. */
static void stay_on(int processor)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof(set), &set);
}

static void *second_thread(void *unused)
{
    stay_on(1);
    for (unsigned seen = 0;; seen++) {
        while (atomic_load(&turns) == seen)
            relax();
        if (turn_tokens == 0)
            return unused;
        work(1);
        atomic_fetch_add(&turns_done, 1);
    }
}

/* Milliseconds of a batch. */
static double take_turn(int tokens)
{
    unsigned before = atomic_load(&turns_done);
    uint64_t begin  = measure_now();

    turn_tokens = tokens;
    atomic_fetch_add(&turns, 1);
    work(0);
    while (atomic_load(&turns_done) == before)
        relax();
    return (double)(measure_now() - begin) * 1e-6 / tokens;
}

/* ---- the program ------------------------------------------------------------------------------------ */

static float *make_batch(void)
{
    size_t bytes = floats * sizeof(float);
    char *memory = mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        measure_fail("no memory");
    memory += HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE;
    madvise(memory, bytes, MADV_HUGEPAGE);
    memset(memory, 0, bytes);
    return (float *)memory;
}

static void print(const struct schedule *schedule, double *ms, double *ratios, size_t rounds)
{
    double median = measure_median(ms, rounds), bytes = (double)(floats * sizeof(float));

    printf("%-20s %8.3f ms at best, %8.3f in the median, %5.2f of one_shared, %5.1f GB/s\n", schedule->name,
           ms[0], median, measure_median(ratios, rounds),
           bytes * (schedule->is_streamed ? 2 : 3) / ms[0] * 1e-6);
}

static void measure(int rounds, int tokens)
{
    static double ms[SCHEDULES][ROUNDS_MOST], ratios[SCHEDULES][ROUNDS_MOST];

    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < SCHEDULES; i++) {
            current = &schedules[i];
            take_turn(WARM);
            ms[i][round]     = take_turn(tokens);
            ratios[i][round] = ms[0][round] / ms[i][round];
        }
    for (int i = 0; i < SCHEDULES; i++)
        print(&schedules[i], ms[i], ratios[i], (size_t)rounds);
}

static size_t argument(int argc, char **argv, int number, size_t otherwise)
{
    size_t value = argc > number ? strtoull(argv[number], NULL, 10) : otherwise;

    if (value == 0)
        measure_fail("halves_bound [MIB [ROUNDS [TOKENS [PART_KIB]]]]");
    return value;
}

int main(int argc, char **argv)
{
    size_t bytes  = argument(argc, argv, 1, 64) * MIB;
    size_t rounds = argument(argc, argv, 2, ROUNDS), tokens = argument(argc, argv, 3, TOKENS);
    pthread_t thread;

    floats = bytes / sizeof(float);
    part   = argument(argc, argv, 4, bytes / PARTS / KIB) * KIB / sizeof(float);
    if (rounds > ROUNDS_MOST || tokens % THREADS != 0)
        measure_fail("at most 1000 rounds, and an even number of tokens");
    for (int i = 0; i < THREADS; i++) {
        sources[i] = make_batch();
        targets[i] = make_batch();
    }
    stay_on(0);
    if (pthread_create(&thread, NULL, second_thread, NULL) != 0)
        measure_fail("no thread");
    measure((int)rounds, (int)tokens);
    turn_tokens = 0;
    atomic_fetch_add(&turns, 1);
    pthread_join(thread, NULL);
    return 0;
}
