/* StarPU: tasks on two workers, ordered through a data handle.
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

/* StarPU's headers declare functions in the style of before 1989. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <starpu.h>
#pragma GCC diagnostic pop

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void nothing(void *buffers[], void *argument)
{
    (void)buffers;
    measure_use(argument);
}

static struct starpu_codelet alone   = {.cpu_funcs = {nothing}, .nbuffers = 0, .name = "alone"};
static struct starpu_codelet chained = {
    .cpu_funcs = {nothing}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "chained"};

static int number;
static starpu_data_handle_t chain; /* of `number`; tasks that write it run one after the other */

/* What the copy cases use; made once, at the first of them. */
static char *host[2];
static starpu_data_handle_t large[2];

static void must(int status)
{
    if (status == 0)
        return;
    fprintf(stderr, "StarPU answers %d\n", status);
    exit(1);
}

/* ---- stream ----------------------------------------------------------------------------------------- */

static double sample_launch_worker(void)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < LAUNCHES; i++)
        must(starpu_task_insert(&chained, STARPU_RW, chain, 0));
    must(starpu_task_wait_for_all());
    return (double)(measure_now() - begin) / LAUNCHES;
}

static double sample_submit(void)
{
    uint64_t begin = measure_now(), spent;

    for (int i = 0; i < LAUNCHES; i++)
        must(starpu_task_insert(&chained, STARPU_RW, chain, 0));
    spent = measure_now() - begin;
    must(starpu_task_wait_for_all());
    return (double)spent / LAUNCHES;
}

static void trip(void)
{
    must(starpu_task_insert(&alone, STARPU_TASK_SYNCHRONOUS, 1, 0));
}

static double sample_trip_p50(void)
{
    return measure_trips(trip, TRIPS, 0, 50);
}

static double sample_trip_p99(void)
{
    return measure_trips(trip, TRIPS, 0, 99);
}

static double sample_trip_asleep(void)
{
    return measure_trips(trip, SLEEPS, 1, 50);
}

static double sample_hop(void)
{
    unsigned workers = starpu_worker_get_count();
    uint64_t begin   = measure_now();

    for (int i = 0; i < HOPS; i++)
        must(starpu_task_insert(&chained, STARPU_RW, chain, STARPU_EXECUTE_ON_WORKER,
                                (int)((unsigned)i % workers), 0));
    must(starpu_task_wait_for_all());
    return (double)(measure_now() - begin) / HOPS;
}

/* ---- copy ------------------------------------------------------------------------------------------- */

static void need_large(void)
{
    if (large[0])
        return;
    for (int i = 0; i < 2; i++) {
        host[i] = measure_memory(COPY_BYTES);
        starpu_vector_data_register(&large[i], STARPU_MAIN_RAM, (uintptr_t)host[i], COPY_BYTES / 4, 4);
    }
}

static double sample_device(void)
{
    uint64_t begin;

    need_large();
    begin = measure_now();
    must(starpu_data_cpy(large[1], large[0], 0, NULL, NULL));
    return (double)COPY_BYTES / (double)(measure_now() - begin);
}

static double sample_map(void)
{
    uint64_t begin;

    need_large();
    begin = measure_now();
    for (int i = 0; i < MAPPINGS; i++) {
        must(starpu_data_acquire(large[0], STARPU_RW));
        starpu_data_release(large[0]);
    }
    return (double)(measure_now() - begin) / MAPPINGS;
}

/* ---- alloc ------------------------------------------------------------------------------------------ */

static void *get_block(void)
{
    void *block = NULL;

    must(starpu_malloc_flags(&block, MIB, STARPU_MALLOC_PINNED));
    return block;
}

static void give_block(void *block)
{
    must(starpu_free_flags(block, MIB, STARPU_MALLOC_PINNED));
}

static double sample_alloc(void)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < PAIRS; i++)
        give_block(get_block());
    return measure_rate(PAIRS, measure_now() - begin);
}

static double sample_alloc_write(void)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < WRITES; i++) {
        void *block = get_block();

        memset(block, 1, MIB);
        give_block(block);
    }
    return measure_rate(WRITES, measure_now() - begin);
}

/* ---- the peer --------------------------------------------------------------------------------------- */

static int open_starpu(void)
{
    if (starpu_init(NULL) != 0) {
        fputs("StarPU has no worker\n", stderr);
        return -1;
    }
    starpu_variable_data_register(&chain, STARPU_MAIN_RAM, (uintptr_t)&number, sizeof(number));
    return 0;
}

static void close_starpu(void)
{
    for (int i = 0; i < 2; i++)
        if (large[i])
            starpu_data_unregister(large[i]);
    starpu_data_unregister(chain);
    starpu_shutdown();
    free(host[0]);
    free(host[1]);
}

static const struct measure_case cases[] = {
    {"stream", "launch_worker", "ns", sample_launch_worker},
    {"stream", "submit", "ns", sample_submit},
    {"stream", "roundtrip_p50", "ns", sample_trip_p50},
    {"stream", "roundtrip_p99", "ns", sample_trip_p99},
    {"stream", "roundtrip_asleep", "ns", sample_trip_asleep},
    {"stream", "hop", "ns", sample_hop},
    {"copy", "device_64MiB", "GB/s", sample_device},
    {"copy", "map_unmap_64MiB", "ns", sample_map},
    {"alloc", "alloc_1MiB", "op/s", sample_alloc},
    {"alloc", "alloc_write_1MiB", "op/s", sample_alloc_write},
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "starpu",
        .open         = open_starpu,
        .first_kernel = trip,
        .close        = close_starpu,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
