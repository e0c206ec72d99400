/* Trireme: the suite `devices`: one pipeline over all devices of a backend beside one on a single device, and
 * what it costs a token to choose its device.
 *
 *     SIZE_compute     batches of which the kernel takes longer than their copies
 *     SIZE_copies      batches of which the copies take longer than the kernel, in both directions
 *     …_gain           how many times as fast all devices together are as one, in turns within a sample
 *     …_split          how fast the halves of a cpu together are, as a part of the whole cpu, in turns
 *     dispatch         nanoseconds that a tiny token takes longer on a group than on one of its devices; the
 *                      host is the limit there, so nearly all tokens stay on one of the group's
 *     dispatch_slots   the part of it that comes of more slots: on one device with as many slots as two have
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_flow.h"

#include <math.h>

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)

enum {
    SIZES        = 5,
    TURNS        = 3,
    SPLIT_TURNS  = 7,
    TURNS_TINY   = 40,
    LEAST_TOKENS = 12,     /* of a turn: enough to fill all slots */
    TINY_TOKENS  = 200000, /* of all turns; so many that the few with time stamps do not show */
    TINY_BYTES   = 64,
};

#define KIND(bytes, links, gpu_links, tokens, place)                                     \
    {                                                                                    \
        bytes, links, 3, TRM_STRATEGY_AUTO, false, tokens, place, gpu_links, 0, 0, false \
    }

#define FIVE_SIZES(place)                                                      \
    KIND(KIB(64), 32, 8192, 8192, place), KIND(MIB(1), 32, 8192, 1024, place), \
        KIND(MIB(4), 32, 8192, 256, place), KIND(MIB(16), 1, 1, 128, place), KIND(MIB(64), 1, 1, 32, place)

/* In this order; a case's number is that of its size and place. */
enum {
    ON_GROUP  = 0,
    ON_DEVICE = SIZES,
    ON_WHOLE  = 2 * SIZES,
};

static const struct bench_flow_kind kinds[3 * SIZES] = {
    FIVE_SIZES(BENCH_ON_GROUP), FIVE_SIZES(BENCH_ON_DEVICE), FIVE_SIZES(BENCH_ON_WHOLE)};

/* ---- batches a second ---------------------------------------------------------------------------------- */

/* The trials of strategies and numbers of slots are not part of a figure. */
static int32_t begin(struct bench *bench, uint64_t number, struct bench_flow **flow)
{
    int32_t status = bench_flow_begin(bench, &kinds[number], flow);

    return status == TRM_OK ? bench_flow_settle(bench, *flow) : status;
}

/* argument: the number of the kind. */
static int32_t setup_rate(struct bench *bench, const struct bench_case *test)
{
    return begin(bench, test->argument, &bench->flow);
}

static uint64_t tokens_of(const struct bench *bench, const struct bench_flow_kind *kind)
{
    uint64_t tokens = bench_scale(bench, kind->tokens);

    return tokens > LEAST_TOKENS ? tokens : LEAST_TOKENS;
}

static int32_t sample_rate(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t tokens = tokens_of(bench, &kinds[test->argument]);
    double seconds;
    int32_t status = bench_flow_run(bench, bench->flow, tokens, &seconds);

    *value = (double)tokens / seconds;
    return status;
}

/* ---- the gain ------------------------------------------------------------------------------------------ */

static int32_t begin_both(struct bench *bench, uint64_t number, uint64_t other)
{
    int32_t status = begin(bench, number, &bench->flow);

    return status == TRM_OK ? begin(bench, other, &bench->other_flow) : status;
}

/* argument: the number of the size. */
static int32_t setup_gain(struct bench *bench, const struct bench_case *test)
{
    return begin_both(bench, ON_GROUP + test->argument, ON_DEVICE + test->argument);
}

/* The least of the seconds that both flows take, by turns: other work on the machine makes a turn longer and
 * never shorter. */
static int32_t take_turns(struct bench *bench, uint64_t tokens, uint32_t turns, double *first, double *second)
{
    int32_t status = TRM_OK;
    double seconds;

    *first = *second = HUGE_VAL;
    for (uint32_t i = 0; i < turns && status == TRM_OK; i++) {
        status = bench_flow_run(bench, bench->flow, tokens, &seconds);
        *first = seconds < *first ? seconds : *first;
        if (status == TRM_OK)
            status = bench_flow_run(bench, bench->other_flow, tokens, &seconds);
        *second = seconds < *second ? seconds : *second;
    }
    return status;
}

/* Each device gets as many tokens as a run on one device, so that filling and draining its slots counts as
 * little. */
static int32_t sample_gain(struct bench *bench, const struct bench_case *test, double *value)
{
    uint32_t devices = 0;
    uint32_t turns   = bench->quick ? 1 : TURNS;
    double group = 0, one = 0;
    int32_t status = trm_group_size(bench->flow->group, &devices);

    if (status == TRM_OK)
        status = take_turns(bench, tokens_of(bench, &kinds[test->argument]) * devices, turns, &group, &one);
    if (status == TRM_OK)
        *value = one / group;
    return status;
}

static int32_t setup_split(struct bench *bench, const struct bench_case *test)
{
    return begin_both(bench, ON_GROUP + test->argument, ON_WHOLE + test->argument);
}

/* The median of short turns: what disturbs the machine meets both alike, and threads that the system puts on
 * one processor for a while are part of what is measured. */
static int32_t sample_split(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t tokens = tokens_of(bench, &kinds[test->argument]) / SPLIT_TURNS;
    uint32_t turns  = bench->quick ? 1 : SPLIT_TURNS;
    double ratios[SPLIT_TURNS], halves, whole;
    int32_t status = TRM_OK;

    tokens = tokens > LEAST_TOKENS ? tokens : LEAST_TOKENS;
    for (uint32_t i = 0; i < turns && status == TRM_OK; i++) {
        status    = take_turns(bench, tokens, 1, &halves, &whole);
        ratios[i] = whole / halves;
    }
    if (status == TRM_OK)
        *value = bench_median(ratios, turns);
    return status;
}

/* ---- the cost of dispatch ------------------------------------------------------------------------------ */

#define TINY(depth, place)                                                                         \
    {                                                                                              \
        TINY_BYTES, 1, depth, TRM_STRATEGY_SLOT_STREAMS, false, TINY_TOKENS, place, 0, 0, 0, false \
    }

static const struct bench_flow_kind tiny_alone = TINY(3, BENCH_ON_ONE_ONLY);
static const struct bench_flow_kind tiny[]     = {TINY(3, BENCH_ON_GROUP), TINY(3, BENCH_ON_ONE),
                                                  TINY(6, BENCH_ON_ONE_ONLY)};

/* argument: the kind that is compared with one device alone. */
static int32_t setup_dispatch(struct bench *bench, const struct bench_case *test)
{
    int32_t status = bench_flow_begin(bench, &tiny[test->argument], &bench->flow);

    return status == TRM_OK ? bench_flow_begin(bench, &tiny_alone, &bench->other_flow) : status;
}

/* The median of the turns: a difference of two times is as uncertain as the longer one. */
static int32_t sample_dispatch(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t tokens = TINY_TOKENS / TURNS_TINY;
    uint32_t turns  = (uint32_t)bench_scale(bench, TURNS_TINY);
    double differences[TURNS_TINY], group, one;
    int32_t status = TRM_OK;

    (void)test;
    for (uint32_t i = 0; i < turns && status == TRM_OK; i++) {
        status         = take_turns(bench, tokens, 1, &group, &one);
        differences[i] = (group - one) * 1e9 / (double)tokens;
    }
    if (status == TRM_OK)
        *value = bench_median(differences, turns);
    return status;
}

/* ---- the suite ----------------------------------------------------------------------------------------- */

#define SIZE(number, its_name, its_help)                                                                 \
    {                                                                                                    \
        .name     = (its_name),                                                                          \
        .help     = its_help ", all devices",                                                            \
        .unit     = "batch/s",                                                                           \
        .argument = (number),                                                                            \
        .setup    = setup_rate,                                                                          \
        .sample   = sample_rate,                                                                         \
    },                                                                                                   \
        {                                                                                                \
            .name      = (its_name),                                                                     \
            .help      = its_help ", one device",                                                        \
            .unit      = "batch/s",                                                                      \
            .reference = "one device",                                                                   \
            .argument  = (number) + ON_DEVICE,                                                           \
            .setup     = setup_rate,                                                                     \
            .sample    = sample_rate,                                                                    \
        },                                                                                               \
        {                                                                                                \
            .name      = (its_name),                                                                     \
            .help      = its_help ", the cpu undivided",                                                 \
            .unit      = "batch/s",                                                                      \
            .reference = "undivided",                                                                    \
            .argument  = (number) + ON_WHOLE,                                                            \
            .setup     = setup_rate,                                                                     \
            .sample    = sample_rate,                                                                    \
        },                                                                                               \
        {                                                                                                \
            .name     = its_name "_gain",                                                                \
            .help     = "all devices to one, in turns",                                                  \
            .unit     = "x",                                                                             \
            .argument = (number),                                                                        \
            .setup    = setup_gain,                                                                      \
            .sample   = sample_gain,                                                                     \
        },                                                                                               \
    {                                                                                                    \
        .name = its_name "_split", .help = "both halves of the cpu to the whole, in turns", .unit = "x", \
        .argument = (number), .setup = setup_split, .sample = sample_split,                              \
    }

static const struct bench_case cases[] = {
    SIZE(0, "64KiB_compute", "bound by the kernel"),
    SIZE(1, "1MiB_compute", "bound by the kernel"),
    SIZE(2, "4MiB_compute", "bound by the kernel"),
    SIZE(3, "16MiB_copies", "bound by copies up and down"),
    SIZE(4, "64MiB_copies", "bound by copies up and down"),
    {
        .name     = "dispatch",
        .help     = "64 bytes on a group of several devices, less the same on one of them",
        .unit     = "ns",
        .argument = 0,
        .setup    = setup_dispatch,
        .sample   = sample_dispatch,
    },
    {
        .name     = "dispatch_one",
        .help     = "64 bytes on a group of one device, less the same without a group",
        .unit     = "ns",
        .argument = 1,
        .setup    = setup_dispatch,
        .sample   = sample_dispatch,
    },
    {
        .name     = "dispatch_slots",
        .help     = "64 bytes on one device with six slots, less the same with three",
        .unit     = "ns",
        .argument = 2,
        .setup    = setup_dispatch,
        .sample   = sample_dispatch,
    },
};

const struct bench_suite bench_devices_suite = {
    .name  = "devices",
    .cases = cases,
    .count = sizeof(cases) / sizeof(cases[0]),
};
