/* The C library: memcpy() on two threads, and malloc() in a process of its own, with its default thresholds.
 * memcpy() on one thread is part of `trireme bench copy`, so that it is measured in the same process.
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS = 2,
    COPIES  = 4
};

struct part {
    pthread_barrier_t *start;
    char *to;
    const char *from;
};

static char *from, *to;

static void *copy_part(void *argument)
{
    struct part *part = argument;

    pthread_barrier_wait(part->start);
    for (int i = 0; i < COPIES; i++) {
        memcpy(part->to, part->from, COPY_BYTES / THREADS);
        measure_use(part->to);
    }
    return NULL;
}

/* From the moment when all threads stand ready to the moment when all have ended. */
static double sample_memcpy_2t(void)
{
    pthread_barrier_t start;
    pthread_t threads[THREADS];
    struct part parts[THREADS];
    uint64_t begin;

    pthread_barrier_init(&start, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++) {
        size_t offset = (size_t)i * (COPY_BYTES / THREADS);

        parts[i] = (struct part){&start, to + offset, from + offset};
        if (pthread_create(&threads[i], NULL, copy_part, &parts[i]) != 0)
            measure_fail("no thread");
    }
    begin = measure_now();
    pthread_barrier_wait(&start);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    return (double)(COPY_BYTES * COPIES) / (double)(measure_now() - begin);
}

static void *get_block(void)
{
    void *block = malloc(MIB);

    if (!block)
        measure_fail("no memory");
    measure_use(block);
    return block;
}

static void write_block(void *block)
{
    memset(block, 1, MIB);
    measure_use(block);
}

static double sample_malloc(void)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < PAIRS; i++)
        free(get_block());
    return measure_rate(PAIRS, measure_now() - begin);
}

static double sample_malloc_write(void)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < WRITES; i++) {
        void *block = get_block();

        write_block(block);
        free(block);
    }
    return measure_rate(WRITES, measure_now() - begin);
}

static double sample_malloc_live(void)
{
    uint64_t begin = measure_now();

    for (int round = 0; round < LIVE_ROUNDS; round++) {
        void *blocks[LIVE];

        for (int i = 0; i < LIVE; i++)
            blocks[i] = get_block();
        for (int i = 0; i < LIVE; i++)
            write_block(blocks[i]);
        for (int i = LIVE; i-- > 0;)
            free(blocks[i]);
    }
    return measure_rate(LIVE_ROUNDS * LIVE, measure_now() - begin);
}

static int open_memory(void)
{
    from = measure_memory(COPY_BYTES);
    to   = measure_memory(COPY_BYTES);
    return 0;
}

static void first_copy(void)
{
    memcpy(to, from, MIB);
    measure_use(to);
}

static void close_memory(void)
{
    free(from);
    free(to);
}

static const struct measure_case cases[] = {
    {"copy", "memcpy_2t_64MiB", "GB/s", sample_memcpy_2t},
    {"alloc", "alloc_1MiB", "op/s", sample_malloc},
    {"alloc", "alloc_write_1MiB", "op/s", sample_malloc_write},
    {"alloc", "alloc_live64_1MiB", "op/s", sample_malloc_live},
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "libc",
        .open         = open_memory,
        .first_kernel = first_copy,
        .close        = close_memory,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
