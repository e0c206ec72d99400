/* Trireme: the suite `profile`: what a profile costs the program.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench.h"

#define NO_PROFILE 7u /* an interval that no case has */

enum {
    LAUNCHES = 100000,
    BATCH    = 64,
    ROUNDS   = 200,
    BYTES    = 1 << 20
};

static int32_t begin_profile(const struct bench *bench, const struct bench_case *test,
                             struct trm_profile **profile)
{
    const struct trm_profile_desc desc = {.struct_size = sizeof(desc), .interval = (uint32_t)test->argument};

    return test->argument == NO_PROFILE ? TRM_OK : trm_profile_begin(bench->device, &desc, profile);
}

/* The time of the calls alone; the stream is empty before each batch. */
static int32_t launch_batches(struct bench *bench, uint64_t batches, uint64_t *spent)
{
    int32_t status = TRM_OK;

    for (uint64_t i = 0; i < batches && status == TRM_OK; i++) {
        uint64_t begin = bench_now();
        for (uint32_t j = 0; j < BATCH && status == TRM_OK; j++)
            status = bench_launch_empty(bench, bench->streams[0]);
        *spent += bench_now() - begin;
        if (status == TRM_OK)
            status = trm_stream_sync(bench->streams[0]);
    }
    return status;
}

static int32_t sample_launch(struct bench *bench, const struct bench_case *test, double *value)
{
    struct trm_profile *profile = NULL;
    uint64_t batches = bench_scale(bench, LAUNCHES) / BATCH + 1, spent = 0;
    int32_t status = begin_profile(bench, test, &profile);

    if (status == TRM_OK)
        status = launch_batches(bench, batches, &spent);
    trm_profile_destroy(profile);
    *value = (double)spent / (double)(batches * BATCH);
    return status;
}

static int32_t setup_copies(struct bench *bench, const struct bench_case *test)
{
    int32_t status = bench_streams_setup(bench, test);

    if (status == TRM_OK)
        status = trm_buffer_create(bench->device, TRM_MEMORY_DEVICE, BYTES, &bench->buffers[0]);
    if (status == TRM_OK)
        status = trm_buffer_create(bench->device, TRM_MEMORY_PINNED, BYTES, &bench->buffers[1]);
    return status;
}

/* Up, a kernel, down; the stream always has work. */
static int32_t sample_round(struct bench *bench, const struct bench_case *test, double *value)
{
    struct trm_profile *profile = NULL;
    struct trm_stream *stream   = bench->streams[0];
    struct trm_span device = trm_span_whole(bench->buffers[0]), host = trm_span_whole(bench->buffers[1]);
    uint64_t rounds = bench_scale(bench, ROUNDS) + 1, begin;
    int32_t status  = begin_profile(bench, test, &profile);

    begin = bench_now();
    for (uint64_t i = 0; i < rounds && status == TRM_OK; i++) {
        status = trm_copy(stream, device, host);
        if (status == TRM_OK)
            status = bench_launch_empty(bench, stream);
        if (status == TRM_OK)
            status = trm_copy(stream, host, device);
    }
    if (status == TRM_OK)
        status = trm_stream_sync(stream);
    *value = (double)(bench_now() - begin) / (double)rounds / 1e3;
    trm_profile_destroy(profile);
    return status;
}

#define LAUNCH(name_, help_, interval_)                                                                      \
    {                                                                                                        \
        .name = (name_), .help = (help_), .unit = "ns", .needs = BENCH_NEEDS_EMPTY, .argument = (interval_), \
        .setup = bench_streams_setup, .sample = sample_launch,                                               \
    }
#define ROUND(name_, help_, interval_)                                                                       \
    {                                                                                                        \
        .name = (name_), .help = (help_), .unit = "us", .needs = BENCH_NEEDS_EMPTY, .argument = (interval_), \
        .setup = setup_copies, .sample = sample_round,                                                       \
    }

static const struct bench_case cases[] = {
    LAUNCH("launch_off", "the call that launches an empty kernel, without a profile", NO_PROFILE),
    LAUNCH("launch_counted", "the same while a profile counts", TRM_PROFILE_COUNTED),
    LAUNCH("launch_sampled", "the same while a profile times as many launches as cost little", 0),
    LAUNCH("launch_timed", "the same while a profile times each launch", 1),
    ROUND("round_off", "1 MiB up, an empty kernel and 1 MiB down on one stream, without a profile",
          NO_PROFILE),
    ROUND("round_sampled", "the same while a profile times as many operations as cost little", 0),
    ROUND("round_timed", "the same while a profile times each operation", 1),
};

const struct bench_suite bench_profile_suite = {
    .name  = "profile",
    .cases = cases,
    .count = sizeof(cases) / sizeof(cases[0]),
};
