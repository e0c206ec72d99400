/* Trireme: the suite `collective`: sums across the devices of the setting `devices`, one after the other on
 * their streams, and one at a time.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_team.h"

#include <stdlib.h>

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)

enum {
    WARM_UP       = 40, /* calls: the library tries its ways in the first ones */
    QUICK_WARM_UP = 2,
    MOST_CALLS    = 1000,
    CALLS_BYTES   = 1 << 30, /* fewer calls for spans of which that many would move more */
    LEAST_CALLS   = 20,
    SINGLE_CALLS  = 200,
};

void bench_team_end(struct bench_team *team)
{
    if (!team)
        return;
    bench_backward_end(team->backward, team->devices);
    for (uint32_t d = 0; d < team->devices; d++) {
        trm_stream_destroy(team->streams[d]);
        trm_buffer_destroy(team->inputs[d]);
        trm_buffer_destroy(team->outputs[d]);
    }
    trm_collective_destroy(team->collective);
    trm_group_destroy(team->group);
    free(team);
}

/* ---- setup --------------------------------------------------------------------------------------------- */

static int32_t open_member(struct bench_team *team, uint32_t number, uint64_t size)
{
    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .flags = TRM_BUFFER_ZEROED, .size = size * team->spans};
    struct trm_device *device;

    int32_t status = trm_group_device(team->group, number, &device);
    if (status != TRM_OK)
        return status;
    status = trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &team->streams[number]);
    if (status == TRM_OK)
        status = trm_buffer_create_from(device, &desc, &team->inputs[number]);
    if (status == TRM_OK)
        status = trm_buffer_create_from(device, &desc, &team->outputs[number]);
    for (uint32_t k = 0; k < team->spans; k++) {
        team->in[k * team->devices + number]  = trm_span_of(team->inputs[number], k * size, size);
        team->out[k * team->devices + number] = trm_span_of(team->outputs[number], k * size, size);
    }
    trm_device_destroy(device);
    return status;
}

static int32_t call(struct bench_team *team)
{
    return trm_all_reduce(team->collective, team->streams, team->out, team->in, team->spans, TRM_TYPE_F32,
                          TRM_REDUCE_SUM);
}

int32_t bench_team_sync(struct bench_team *team)
{
    int32_t status = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < team->devices; d++)
        status = trm_stream_sync(team->streams[d]);
    return status;
}

int32_t bench_team_open(struct bench *bench, uint32_t spans, uint64_t size)
{
    struct bench_team *team = calloc(1, sizeof(*team));

    bench->team = team;
    if (!team) {
        bench->complaint = "no host memory";
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    }
    team->spans    = spans;
    int32_t status = trm_group_create(bench->context, NULL, &team->group);
    if (status == TRM_OK)
        status = trm_group_size(team->group, &team->devices);
    if (status == TRM_OK && team->devices < 2) {
        bench->complaint = "the setting `devices` (TRIREME_DEVICES) names fewer than two devices";
        return TRM_ERROR_UNSUPPORTED;
    }
    if (status == TRM_OK)
        status = trm_collective_create(team->group, 0, &team->collective);
    for (uint32_t d = 0; status == TRM_OK && d < team->devices; d++)
        status = open_member(team, d, size);
    return status;
}

static int32_t setup(struct bench *bench, uint32_t spans, uint64_t bytes)
{
    int32_t status = bench_team_open(bench, spans, bytes);
    uint32_t calls = bench->quick ? QUICK_WARM_UP : WARM_UP;

    for (uint32_t i = 0; status == TRM_OK && i < calls; i++) {
        status = call(bench->team);
        if (status == TRM_OK)
            status = bench_team_sync(bench->team);
    }
    return status;
}

/* argument: bytes on each device. */
static int32_t setup_team(struct bench *bench, const struct bench_case *test)
{
    return setup(bench, 1, test->argument);
}

static int32_t setup_100_spans(struct bench *bench, const struct bench_case *test)
{
    return setup(bench, 100, test->argument / 100);
}

static int32_t setup_20_spans(struct bench *bench, const struct bench_case *test)
{
    return setup(bench, 20, test->argument / 20);
}

/* ---- samples ------------------------------------------------------------------------------------------- */

/* Microseconds of a call among others. */
static int32_t sample_queued(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t most  = CALLS_BYTES / test->argument, calls;
    int32_t status = bench_team_sync(bench->team);

    most           = most < LEAST_CALLS ? LEAST_CALLS : most > MOST_CALLS ? MOST_CALLS : most;
    calls          = bench_scale(bench, most);
    uint64_t begin = bench_now();
    for (uint64_t i = 0; status == TRM_OK && i < calls; i++)
        status = call(bench->team);
    if (status == TRM_OK)
        status = bench_team_sync(bench->team);
    *value = (double)(bench_now() - begin) / (double)calls / 1e3;
    return status;
}

/* Microseconds of a call with its wait: the median. */
static int32_t sample_single(struct bench *bench, const struct bench_case *test, double *value)
{
    static uint64_t times[SINGLE_CALLS];
    uint64_t calls = bench_scale(bench, test->argument > MIB(4) ? LEAST_CALLS : SINGLE_CALLS);
    int32_t status = bench_team_sync(bench->team);

    for (uint64_t i = 0; status == TRM_OK && i < calls; i++) {
        uint64_t begin = bench_now();
        status         = call(bench->team);
        if (status == TRM_OK)
            status = bench_team_sync(bench->team);
        times[i] = bench_now() - begin;
    }
    *value = bench_percentile(times, calls, 50) / 1e3;
    return status;
}

/* ---- the suite ----------------------------------------------------------------------------------------- */

#define QUEUED(name_, bytes_)                                                                      \
    {                                                                                              \
        .name = "all_reduce_" name_, .help = "sum " name_ " of floats across the devices, queued", \
        .unit = "us", .argument = (bytes_), .setup = setup_team, .sample = sample_queued           \
    }

#define SINGLE(name_, bytes_)                                                                \
    {                                                                                        \
        .name = "all_reduce_wait_" name_,                                                    \
        .help = "sum " name_ " of floats across the devices, and wait for it", .unit = "us", \
        .argument = (bytes_), .setup = setup_team, .sample = sample_single                   \
    }

#define MANY(name_, bytes_, setup_)                                                                      \
    {.name     = "all_reduce_" name_,                                                                    \
     .help     = "sum " name_ " of floats across the devices in one call",                               \
     .unit     = "us",                                                                                   \
     .argument = (bytes_),                                                                               \
     .setup    = (setup_),                                                                               \
     .sample   = sample_queued},                                                                           \
    {                                                                                                    \
        .name = "all_reduce_wait_" name_,                                                                \
        .help = "sum " name_ " of floats across the devices in one call, and wait for it", .unit = "us", \
        .argument = (bytes_), .setup = (setup_), .sample = sample_single                                 \
    }

static const struct bench_case cases[] = {
    QUEUED("4KiB", KIB(4)),
    SINGLE("4KiB", KIB(4)),
    QUEUED("16KiB", KIB(16)),
    SINGLE("16KiB", KIB(16)),
    QUEUED("64KiB", KIB(64)),
    SINGLE("64KiB", KIB(64)),
    QUEUED("128KiB", KIB(128)),
    SINGLE("128KiB", KIB(128)),
    QUEUED("256KiB", KIB(256)),
    SINGLE("256KiB", KIB(256)),
    QUEUED("1MiB", MIB(1)),
    SINGLE("1MiB", MIB(1)),
    QUEUED("16MiB", MIB(16)),
    SINGLE("16MiB", MIB(16)),
    QUEUED("256MiB", MIB(256)),
    SINGLE("256MiB", MIB(256)),
    MANY("100x1KiB", 100 * KIB(1), setup_100_spans),
    MANY("20x64KiB", 20 * KIB(64), setup_20_spans),
    {
        .name   = "hidden_64MiB",
        .help   = "part of the sum of 64 MiB of gradients that a backward pass hides",
        .unit   = "%",
        .setup  = bench_backward_setup,
        .sample = bench_backward_sample,
    },
};

const struct bench_suite bench_collective_suite = {
    .name  = "collective",
    .cases = cases,
    .count = sizeof(cases) / sizeof(cases[0]),
};
