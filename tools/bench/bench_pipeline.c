/* Trireme: the suite `pipeline`: batches a second, beside the prediction from the pipeline's own stage times;
 * and the overhead of the engine.
 *
 *     SIZE_fmaN_copies_DEPTH     batches are uploaded and downloaded even if host and device share memory
 *     SIZE_fmaN_nocopy_DEPTH     the kernel reads the memory of the source, the sink reads that of the kernel
 *     SIZE_fmaN_auto             the library chooses
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_flow.h"

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)

enum {
    LARGE_TOKENS = 64,
    SMALL_TOKENS = 8192,
    TINY_TOKENS  = 50000,
    TINY_BYTES   = 64,
    TURNS        = 10, /* of the engine and the version by hand, alternating */
};

/* ---- batches a second ---------------------------------------------------------------------------------- */

enum {
    WAYS    = 7, /* with and without copies at three depths each, and auto */
    FIGURES = 4 * WAYS,
    BY_HAND = FIGURES,
    KINDS   = FIGURES + 4,
};

#define WAY(bytes, tokens, links, depth, strategy, by_hand)                             \
    {                                                                                   \
        bytes, links, depth, strategy, by_hand, tokens, BENCH_ON_DEVICE, 0, 0, 0, false \
    }

#define SEVEN_WAYS(bytes, tokens, links)                                \
    WAY(bytes, tokens, links, 1, TRM_STRATEGY_SLOT_STREAMS, false),     \
        WAY(bytes, tokens, links, 2, TRM_STRATEGY_SLOT_STREAMS, false), \
        WAY(bytes, tokens, links, 3, TRM_STRATEGY_SLOT_STREAMS, false), \
        WAY(bytes, tokens, links, 1, TRM_STRATEGY_ZERO_COPY, false),    \
        WAY(bytes, tokens, links, 2, TRM_STRATEGY_ZERO_COPY, false),    \
        WAY(bytes, tokens, links, 3, TRM_STRATEGY_ZERO_COPY, false),    \
        WAY(bytes, tokens, links, 3, TRM_STRATEGY_AUTO, false)

#define BY_HAND_WAY(bytes, tokens, links) WAY(bytes, tokens, links, 3, TRM_STRATEGY_SLOT_STREAMS, true)

static const struct bench_flow_kind kinds[KINDS] = {
    SEVEN_WAYS(MIB(16), LARGE_TOKENS, 1),  SEVEN_WAYS(MIB(16), LARGE_TOKENS, 32),
    SEVEN_WAYS(KIB(64), SMALL_TOKENS, 1),  SEVEN_WAYS(KIB(64), SMALL_TOKENS, 32),
    BY_HAND_WAY(MIB(16), LARGE_TOKENS, 1), BY_HAND_WAY(MIB(16), LARGE_TOKENS, 32),
    BY_HAND_WAY(KIB(64), SMALL_TOKENS, 1), BY_HAND_WAY(KIB(64), SMALL_TOKENS, 32),
};

/* Batches a second that the last run of each kind predicts; 0: no prediction. */
static double predictions[KINDS];

/* argument: the number of the kind, in this and the following samples. The trials of the library are not part
 * of its figure, and the first batches, whose memory is new, of none. */
static int32_t setup_flow(struct bench *bench, const struct bench_case *test)
{
    const struct bench_flow_kind *kind = &kinds[test->argument];
    int32_t status                     = bench_flow_begin(bench, kind, &bench->flow);

    if (status == TRM_OK && kind->strategy == TRM_STRATEGY_AUTO)
        status = bench_flow_settle(bench, bench->flow);
    return status == TRM_OK ? bench_flow_warm(bench, bench->flow) : status;
}

static int32_t keep_prediction(struct trm_pipeline *pipeline, double *predicted)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    int32_t status           = trm_pipeline_report(pipeline, &report);

    if (status == TRM_OK && report.predicted_ns)
        *predicted = (double)report.tokens * 1e9 / (double)report.predicted_ns;
    return status;
}

static int32_t sample_flow(struct bench *bench, const struct bench_case *test, double *value)
{
    const struct bench_flow_kind *kind = &kinds[test->argument];
    uint64_t tokens                    = bench_scale(bench, kind->tokens);
    double seconds;
    int32_t status = bench_flow_run(bench, bench->flow, tokens, &seconds);

    predictions[test->argument] = 0.0;
    if (status == TRM_OK && !kind->by_hand)
        status = keep_prediction(bench->flow->pipeline, &predictions[test->argument]);
    *value = (double)tokens / seconds;
    return status;
}

/* The prediction of the case before this one in the same round. */
static int32_t sample_prediction(struct bench *bench, const struct bench_case *test, double *value)
{
    *value = predictions[test->argument];
    if (*value > 0.0)
        return TRM_OK;
    bench->complaint = "the pipeline was not measured, or predicts nothing";
    return TRM_ERROR_UNSUPPORTED;
}

/* ---- the overhead of the engine ------------------------------------------------------------------------ */

static const struct bench_flow_kind tiny_engine =
    WAY(TINY_BYTES, TINY_TOKENS, 1, 3, TRM_STRATEGY_SLOT_STREAMS, false);
static const struct bench_flow_kind tiny_hand =
    WAY(TINY_BYTES, TINY_TOKENS, 1, 3, TRM_STRATEGY_SLOT_STREAMS, true);

static int32_t setup_overhead(struct bench *bench, const struct bench_case *test)
{
    int32_t status = bench_flow_begin(bench, &tiny_engine, &bench->flow);

    (void)test;
    return status == TRM_OK ? bench_flow_begin(bench, &tiny_hand, &bench->other_flow) : status;
}

enum overhead {
    OF_ENGINE,
    OF_HAND,
    DIFFERENCE
};

/* argument: enum overhead. Uses medians of short turns, so that a preempted thread does not distort the
 * figure. */
static int32_t sample_overhead(struct bench *bench, const struct bench_case *test, double *value)
{
    uint64_t tokens = bench_scale(bench, TINY_TOKENS) / TURNS;
    double engine[TURNS], hand[TURNS], of_engine, of_hand;
    int32_t status = TRM_OK;

    for (int i = 0; i < TURNS && status == TRM_OK; i++) {
        status = bench_flow_run(bench, bench->flow, tokens, &engine[i]);
        if (status == TRM_OK)
            status = bench_flow_run(bench, bench->other_flow, tokens, &hand[i]);
    }
    if (status != TRM_OK)
        return status;
    of_engine = bench_median(engine, TURNS);
    of_hand   = bench_median(hand, TURNS);
    *value    = test->argument == OF_ENGINE ? of_engine
                : test->argument == OF_HAND ? of_hand
                                            : of_engine - of_hand;
    *value    = *value * 1e9 / (double)tokens;
    return TRM_OK;
}

/* ---- the suite ----------------------------------------------------------------------------------------- */

#define FLOW(number, its_name, its_help)                                                               \
    {                                                                                                  \
        .name     = (its_name),                                                                        \
        .help     = (its_help),                                                                        \
        .unit     = "batch/s",                                                                         \
        .argument = (number),                                                                          \
        .setup    = setup_flow,                                                                        \
        .sample   = sample_flow,                                                                       \
    },                                                                                                 \
    {                                                                                                  \
        .name = (its_name), .help = "what its stage times predict", .unit = "batch/s",                 \
        .reference = "prediction", .argument = (number), .sample = sample_prediction, .follows = true, \
    }

#define SEVEN_FLOWS(first, batch)                                                                   \
    FLOW(first, batch "_copies_sequential", "copied up and down, one batch at a time"),             \
        FLOW((first) + 1, batch "_copies_double", "copied up and down, two slots"),                 \
        FLOW((first) + 2, batch "_copies_triple", "copied up and down, three slots"),               \
        FLOW((first) + 3, batch "_nocopy_sequential", "in the memory of source and sink"),          \
        FLOW((first) + 4, batch "_nocopy_double", "in the memory of source and sink, two slots"),   \
        FLOW((first) + 5, batch "_nocopy_triple", "in the memory of source and sink, three slots"), \
        FLOW((first) + 6, batch "_auto", "as the library chooses, three slots")

#define BY_HAND_FLOW(number, batch)                                                             \
    {                                                                                           \
        .name = batch "_copies_triple", .help = "a stream for each slot, without the pipeline", \
        .unit = "batch/s", .reference = "by hand", .argument = (number), .setup = setup_flow,   \
        .sample = sample_flow,                                                                  \
    }

static const struct bench_case cases[] = {
    SEVEN_FLOWS(0, "16MiB_fma1"),
    SEVEN_FLOWS(WAYS, "16MiB_fma32"),
    SEVEN_FLOWS(2 * WAYS, "64KiB_fma1"),
    SEVEN_FLOWS(3 * WAYS, "64KiB_fma32"),
    BY_HAND_FLOW(BY_HAND, "16MiB_fma1"),
    BY_HAND_FLOW(BY_HAND + 1, "16MiB_fma32"),
    BY_HAND_FLOW(BY_HAND + 2, "64KiB_fma1"),
    BY_HAND_FLOW(BY_HAND + 3, "64KiB_fma32"),
    {
        .name     = "token",
        .help     = "64 bytes up, a kernel, 64 bytes down, three slots",
        .unit     = "ns",
        .argument = OF_ENGINE,
        .setup    = setup_overhead,
        .sample   = sample_overhead,
    },
    {
        .name      = "token",
        .help      = "the same operations on three streams, without the pipeline",
        .unit      = "ns",
        .reference = "by hand",
        .argument  = OF_HAND,
        .setup     = setup_overhead,
        .sample    = sample_overhead,
    },
    {
        .name     = "engine_overhead",
        .help     = "the difference: what the engine costs for a token",
        .unit     = "ns",
        .argument = DIFFERENCE,
        .setup    = setup_overhead,
        .sample   = sample_overhead,
    },
    {
        .name   = "graph_launch",
        .help   = "replay a graph of 256 bytes up, a kernel, 256 bytes down",
        .unit   = "ns",
        .setup  = bench_graph_setup,
        .sample = bench_graph_sample,
    },
    {
        .name      = "graph_launch",
        .help      = "the same three operations, one by one",
        .unit      = "ns",
        .reference = "by hand",
        .argument  = 1,
        .setup     = bench_graph_setup,
        .sample    = bench_graph_sample,
    },
};

const struct bench_suite bench_pipeline_suite = {
    .name  = "pipeline",
    .cases = cases,
    .count = sizeof(cases) / sizeof(cases[0]),
};
