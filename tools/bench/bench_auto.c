/* Trireme: the suite `auto`: a pipeline whose strategy and depth the library chooses, beside the best of all
 * strategies and depths that a program could ask for.
 *
 *     WORK             batches a second as the library chooses, and of the best other pipeline, each with
 *                      its strategy and slots
 *     WORK_of_best     the first of these figures as a share of the second
 *
 * The share is the mean of two medians of turns: how the library does beside that one which is the best in
 * the even turns is judged by the odd ones, and the reverse, since of two equal ones the better has only been
 * luckier. The second figure is what follows from the first one and the share: medians of the rates, each by
 * itself, contradict the share where the machine was slow in some turns. All three are shown of the same
 * round.
 *
 * Works with a number of kernels (32KiB_x20) are chains of small ones, as other people have them; of some
 * less comes down than went up.
 *
 * First every strategy runs with one to four slots. The fastest two of these pipelines and that of the
 * library then take turns, so that a slow machine is slow for all. Each turn is timed after some batches that
 * bring the memory back into the caches: without them one slot would be the best where in a run that goes on
 * two or three are. The trials of the library are over before.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_flow.h"

#include <stdio.h>
#include <string.h>

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)

enum {
    WORKS     = 15,
    DEPTHS    = BENCH_DEPTH_MOST,
    FINALISTS = 2,
    ENTRANTS  = FINALISTS + 1, /* the last one is the library's choice */
    TURNS     = 10,
    STRETCHES = 2, /* of each fixed pipeline before the finals */

    TURNS_LONG = 6, /* of batches that take long */

    /* A stretch has enough batches that its beginning and end matter little. */
    STRETCH_LEAST = 8,
    STRETCH_MOST  = 16384,
    STRETCH_NS    = 25000000,
};

/* The time of a batch beyond which turns are fewer, as it varies less then. */
#define LONG_SECONDS 5e-3

/* The time of a batch beyond which stretches are shorter, and one is enough before the finals. */
#define VERY_LONG_SECONDS 0.1

/* How many times as long is far longer. */
#define FAR 1.5

static const struct bench_flow_kind works[WORKS] = {
    {.bytes = MIB(16), .links = 1},
    {.bytes = MIB(16), .links = 32},
    {.bytes = MIB(1), .links = 1},
    {.bytes = KIB(256), .links = 1},
    {.bytes = KIB(64), .links = 1},
    {.bytes = KIB(64), .links = 32},
    {.bytes = KIB(4), .links = 1},
    {.bytes = KIB(32), .links = 1, .kernels = 20},
    {.bytes = KIB(128), .links = 1, .kernels = 10},
    {.bytes = MIB(1), .links = 1, .kernels = 10, .down = KIB(64)},
    {.bytes = MIB(6), .links = 1, .kernels = 4, .down = MIB(2)},
    {.bytes = MIB(16), .kernels = 1, .down = KIB(4), .sums = true},
    {.bytes = MIB(16), .links = 1, .kernels = 3},
    {.bytes = MIB(4), .links = 32, .kernels = 6, .gpu_links = 512},
    {.bytes = MIB(48), .links = 1, .kernels = 8},
};

static const int32_t strategies[] = {TRM_STRATEGY_ZERO_COPY, TRM_STRATEGY_SLOT_STREAMS,
                                     TRM_STRATEGY_SLOT_GRAPHS, TRM_STRATEGY_ROLE_STREAMS};

/* What the case of a work has found in this round. */
static struct {
    double automatic; /* batches a second; 0: not measured */
    double share;
    char chosen[64], best[64]; /* the library's pipeline and the best fixed one */
} found[WORKS];

/* ---- one pipeline
 * ---------------------------------------------------------------------------------------- */

struct entrant {
    struct bench_flow_kind kind;
    struct bench_flow *flow;
    double seconds; /* of a batch */
    char name[64];  /* its strategy and slots; known after the finals */
};

/* A quick run has smaller batches: writing those of four slots takes longer than passing a few. */
static struct entrant make_entrant(const struct bench *bench, uint64_t work, int32_t strategy, uint32_t depth)
{
    struct entrant entrant = {.kind = works[work]};
    uint64_t smaller       = bench->quick && works[work].bytes > MIB(1) ? 16 : 1;

    entrant.kind.bytes /= smaller;
    entrant.kind.down /= smaller;
    entrant.kind.depth    = depth;
    entrant.kind.strategy = strategy;
    return entrant;
}

/* Whether a strategy that also has another form replays graphs. */
static bool is_by_graphs(const struct trm_report *report)
{
    return report->strategy == TRM_STRATEGY_ZERO_COPY && report->by_graphs != 0;
}

/* "zero-copy by graphs, 2 of 3 slots, 4 pieces": as the pipeline is now. */
static int32_t name_entrant(struct entrant *entrant)
{
    struct trm_report report = {.struct_size = sizeof(report)};
    int32_t status           = trm_pipeline_report(entrant->flow->pipeline, &report);
    char slots[32] = "", pieces[32] = "";

    if (report.slots_in_use != 0 && report.slots_in_use != report.depth)
        snprintf(slots, sizeof(slots), "%u of ", (unsigned)report.slots_in_use);
    if (report.pieces > 1)
        snprintf(pieces, sizeof(pieces), ", %u pieces", (unsigned)report.pieces);
    snprintf(entrant->name, sizeof(entrant->name), "%s%s, %s%u slot%s%s", trm_strategy_name(report.strategy),
             is_by_graphs(&report) ? " by graphs" : "", slots, (unsigned)report.depth,
             report.depth == 1 ? "" : "s", pieces);
    return status;
}

static void leave(struct entrant *entrant)
{
    bench_flow_end(entrant->flow);
    entrant->flow = NULL;
}

/* ---- all of them
 * ----------------------------------------------------------------------------------------- */

static uint64_t stretch_of(const struct bench *bench, double seconds)
{
    double count = (double)STRETCH_NS * 1e-9 / seconds;
    double least = seconds > VERY_LONG_SECONDS ? STRETCH_LEAST / 2 : STRETCH_LEAST;

    if (bench->quick)
        return 2;
    return (uint64_t)(count < least ? least : count > STRETCH_MOST ? STRETCH_MOST : count);
}

/* The time of a batch in the fastest of some stretches; one that is far longer than in the slowest finalist
 * need not be known well. UNSUPPORTED: the device has no such strategy. */
static int32_t time_entrant(struct bench *bench, struct entrant *entrant, double slowest)
{
    double seconds, least = 0.0;
    int32_t status = bench_flow_begin(bench, &entrant->kind, &entrant->flow);
    uint64_t count = bench->quick ? 2 : 4;

    for (int i = 0; i <= STRETCHES && status == TRM_OK; i++) {
        status = bench_flow_run(bench, entrant->flow, count, &seconds);
        seconds /= (double)count;
        if (i > 0 && (least == 0.0 || seconds < least))
            least = seconds;
        if (i > 0 && slowest != 0.0 && (least > FAR * slowest || least > VERY_LONG_SECONDS))
            break;
        count = stretch_of(bench, seconds);
    }
    entrant->seconds = least;
    leave(entrant);
    return status;
}

static void keep_fastest(struct entrant *finalists, const struct entrant *entrant)
{
    for (int i = 0; i < FINALISTS; i++) {
        if (finalists[i].seconds != 0.0 && finalists[i].seconds <= entrant->seconds)
            continue;
        memmove(&finalists[i + 1], &finalists[i], (size_t)(FINALISTS - 1 - i) * sizeof(*finalists));
        finalists[i] = *entrant;
        return;
    }
}

static int32_t find_finalists(struct bench *bench, uint64_t work, struct entrant *finalists)
{
    for (uint32_t s = 0; s < sizeof(strategies) / sizeof(strategies[0]); s++) {
        for (uint32_t depth = 1; depth <= DEPTHS; depth++) {
            struct entrant entrant = make_entrant(bench, work, strategies[s], depth);
            int32_t status         = time_entrant(bench, &entrant, finalists[FINALISTS - 1].seconds);

            if (status != TRM_OK && status != TRM_ERROR_UNSUPPORTED)
                return status;
            if (status == TRM_OK)
                keep_fastest(finalists, &entrant);
        }
    }
    return TRM_OK;
}

/* What the turns of the finals took, in seconds a batch. */
struct finals {
    double seconds[ENTRANTS][TURNS];
    uint32_t turns;
};

static int32_t take_turn(struct bench *bench, struct entrant *entrant, uint64_t count, double *seconds)
{
    int32_t status = bench_flow_warm(bench, entrant->flow);

    if (status != TRM_OK)
        return status;
    status = bench_flow_run(bench, entrant->flow, count, seconds);
    *seconds /= (double)count;
    return status;
}

/* By turns, forward and backward. */
static int32_t run_finals(struct bench *bench, struct entrant *entrants, struct finals *finals)
{
    uint64_t count = stretch_of(bench, entrants[0].seconds);
    int32_t status = TRM_OK;

    finals->turns = bench->quick ? 1 : entrants[0].seconds > LONG_SECONDS ? TURNS_LONG : TURNS;
    for (uint32_t turn = 0; turn < finals->turns; turn++)
        for (uint32_t i = 0; i < ENTRANTS && status == TRM_OK; i++) {
            uint32_t next = turn % 2 == 0 ? i : ENTRANTS - 1 - i;
            status        = take_turn(bench, &entrants[next], count, &finals->seconds[next][turn]);
        }
    return status;
}

/* Every second turn, or all. */
enum half {
    EVEN_TURNS = 0,
    ODD_TURNS  = 1,
    ALL_TURNS  = 2
};

/* What disturbs a machine for a while disturbs neighbouring turns, which are compared with each other. */
static double share_of(const struct finals *finals, uint32_t fixed, enum half half)
{
    double ratios[TURNS];
    uint32_t count = 0;

    for (uint32_t turn = 0; turn < finals->turns; turn++)
        if (half == ALL_TURNS || turn % 2 == (uint32_t)half || finals->turns == 1)
            ratios[count++] = finals->seconds[fixed][turn] / finals->seconds[FINALISTS][turn];
    return bench_median(ratios, count);
}

static uint32_t best_of(const struct finals *finals, enum half half)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < FINALISTS; i++)
        if (share_of(finals, i, half) < share_of(finals, best, half))
            best = i;
    return best;
}

static void keep_result(uint64_t work, const struct entrant *entrants, struct finals *finals)
{
    uint32_t best = best_of(finals, ALL_TURNS);

    /* The better one of two that are equal has only been luckier: so other turns say which is the best than
     * say how much better it is. */
    found[work].share = (share_of(finals, best_of(finals, EVEN_TURNS), ODD_TURNS) +
                         share_of(finals, best_of(finals, ODD_TURNS), EVEN_TURNS)) /
                        2;
    found[work].automatic = 1.0 / bench_median(finals->seconds[FINALISTS], finals->turns);
    memcpy(found[work].chosen, entrants[FINALISTS].name, sizeof(found[work].chosen));
    memcpy(found[work].best, entrants[best].name, sizeof(found[work].best));
}

static int32_t hold_finals(struct bench *bench, uint64_t work, struct entrant *entrants)
{
    struct finals finals;
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < ENTRANTS && status == TRM_OK; i++)
        status = bench_flow_begin(bench, &entrants[i].kind, &entrants[i].flow);
    if (status == TRM_OK)
        status = bench_flow_settle(bench, entrants[FINALISTS].flow);
    if (status == TRM_OK)
        status = run_finals(bench, entrants, &finals);
    for (uint32_t i = 0; i < ENTRANTS && status == TRM_OK; i++)
        status = name_entrant(&entrants[i]);
    if (status == TRM_OK)
        keep_result(work, entrants, &finals);
    for (uint32_t i = 0; i < ENTRANTS; i++)
        leave(&entrants[i]);
    return status;
}

/* ---- the suite
 * ------------------------------------------------------------------------------------------- */

/* argument: the number of the work, in this and the following samples. Once a round, so it measures here. */
static int32_t setup_contest(struct bench *bench, const struct bench_case *test)
{
    struct entrant entrants[ENTRANTS] = {0};

    found[test->argument].automatic = 0.0;
    int32_t status                  = find_finalists(bench, test->argument, entrants);
    if (status != TRM_OK)
        return status;
    if (entrants[FINALISTS - 1].seconds == 0.0) {
        bench->complaint = "the device has not enough strategies to compare";
        return TRM_ERROR_UNSUPPORTED;
    }
    entrants[FINALISTS] = make_entrant(bench, test->argument, TRM_STRATEGY_AUTO, 0);
    return hold_finals(bench, test->argument, entrants);
}

enum figure {
    OF_AUTO,
    OF_FIXED,
    SHARE
};

static int32_t answer(struct bench *bench, uint64_t work, enum figure figure, double *value)
{
    if (found[work].automatic == 0.0) {
        bench->complaint = "no batches were measured";
        return TRM_ERROR_UNSUPPORTED;
    }
    *value = figure == OF_AUTO    ? found[work].automatic
             : figure == OF_FIXED ? found[work].automatic / found[work].share
                                  : found[work].share;
    return TRM_OK;
}

static int32_t sample_automatic(struct bench *bench, const struct bench_case *test, double *value)
{
    snprintf(bench->note, sizeof(bench->note), "auto: %s", found[test->argument].chosen);
    return answer(bench, test->argument, OF_AUTO, value);
}

/* Of the contest before this case in the same round, as is the next. */
static int32_t sample_fixed(struct bench *bench, const struct bench_case *test, double *value)
{
    snprintf(bench->note, sizeof(bench->note), "best: %s", found[test->argument].best);
    return answer(bench, test->argument, OF_FIXED, value);
}

static int32_t sample_share(struct bench *bench, const struct bench_case *test, double *value)
{
    snprintf(bench->note, sizeof(bench->note), "auto / best");
    return answer(bench, test->argument, SHARE, value);
}

#define CONTEST(work, its_name, its_help)                                                                 \
    {                                                                                                     \
        .name     = (its_name),                                                                           \
        .help     = its_help "; strategy and slots by auto",                                              \
        .unit     = "batch/s",                                                                            \
        .argument = (work),                                                                               \
        .setup    = setup_contest,                                                                        \
        .sample   = sample_automatic,                                                                     \
    },                                                                                                    \
        {                                                                                                 \
            .name      = (its_name),                                                                      \
            .help      = "the best of four strategies with one to four slots: auto / the share",          \
            .unit      = "batch/s",                                                                       \
            .reference = "best fixed",                                                                    \
            .argument  = (work),                                                                          \
            .follows   = true,                                                                            \
            .sample    = sample_fixed,                                                                    \
        },                                                                                                \
    {                                                                                                     \
        .name = its_name "_of_best", .help = "auto / best fixed: the mean of two medians of their turns", \
        .unit = "x", .argument = (work), .follows = true, .sample = sample_share,                         \
    }

#define FMA(number) number " multiply-adds for each float"

static const struct bench_case cases[] = {
    CONTEST(0, "16MiB_fma1", "16 MiB, one multiply-add for each float"),
    CONTEST(1, "16MiB_fma32", "16 MiB, " FMA("32")),
    CONTEST(2, "1MiB_fma1", "1 MiB, one multiply-add for each float"),
    CONTEST(3, "256KiB_fma1", "256 KiB, one multiply-add for each float"),
    CONTEST(4, "64KiB_fma1", "64 KiB, one multiply-add for each float"),
    CONTEST(5, "64KiB_fma32", "64 KiB, " FMA("32")),
    CONTEST(6, "4KiB_fma1", "4 KiB, one multiply-add for each float"),
    CONTEST(7, "32KiB_x20", "32 KiB through 20 kernels"),
    CONTEST(8, "128KiB_x10", "128 KiB through 10 kernels"),
    CONTEST(9, "1MiB_to_64KiB_x10", "1 MiB through 10 kernels, 64 KiB come back"),
    CONTEST(10, "6MiB_to_2MiB_x4", "6 MiB through 4 kernels, 2 MiB come back"),
    CONTEST(11, "16MiB_to_4KiB", "16 MiB, whose sums of 4096 floats come back"),
    CONTEST(12, "16MiB_x3", "16 MiB through 3 kernels"),
    CONTEST(13, "4MiB_compute_x6", "4 MiB through 6 kernels, each of 32 multiply-adds (on GPUs 512)"),
    CONTEST(14, "48MiB_x8", "48 MiB through 8 kernels"),
};

const struct bench_suite bench_auto_suite = {
    .name     = "auto",
    .cases    = cases,
    .count    = sizeof(cases) / sizeof(cases[0]),
    .contests = true,
};
