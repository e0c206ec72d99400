/* The advice: one sentence that says what limits a run and what would help. The gain is predicted, by asking
 * trm_predict() how long the same tokens would take.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/report/predict.h"
#include "pipeline/report/report_internal.h"

enum {
    TEXT_MOST    = 48,
    WORKERS_MOST = 16,
    /* per cent of time for which a thread that load and sink share must be busy */
    SHARED_LEAST = 60
};

struct advisor {
    const struct trm_report *report;
    struct trm_prediction_desc desc; /* of the run as it was */
    struct trm_prediction now;
    uint32_t processors; /* of the host */
    char *text;
    size_t capacity;
};

static uint32_t percent(uint64_t part, uint64_t whole)
{
    uint64_t share = whole == 0 ? 0 : (uint64_t)(((unsigned __int128)part * 100 + whole / 2) / whole);

    return share < 100 ? (uint32_t)share : 100;
}

static uint32_t busy_percent(const struct advisor *advisor, int32_t stage)
{
    return percent(advisor->report->stages[stage].busy_ns, advisor->report->elapsed_ns);
}

/* The predicted speed-up. */
static double gain_of(const struct advisor *advisor, const struct trm_prediction_desc *desc)
{
    struct trm_prediction other = {.struct_size = sizeof(other)};

    if (trm_predict(desc, &other) != TRM_OK || other.elapsed_ns == 0)
        return 1;
    return (double)advisor->now.elapsed_ns / (double)other.elapsed_ns;
}

static char *factor_text(char *text, double gain)
{
    return core_number_text(text, TEXT_MOST, gain, gain < 10 ? 1 : 0);
}

/* Whether the program submits tokens itself. */
static bool is_served(const struct trm_report *report)
{
    return report->workers == 0 && report->one_thread == 0;
}

/* ---- one piece of advice each; true: it applies --------------------------------------------- */

static bool advise_measuring(const struct advisor *advisor)
{
    if (advisor->report->measured > 0 && advisor->report->tokens > 0 && advisor->report->elapsed_ns > 0)
        return false;
    if (advisor->report->tokens == 0)
        snprintf(advisor->text, advisor->capacity,
                 "No token has come out yet, so there is nothing to advise.");
    else
        snprintf(advisor->text, advisor->capacity,
                 "No times were taken: let the pipeline measure (TRM_MEASURE_SAMPLED) to be told what holds "
                 "it back.");
    return true;
}

/* The program submits fewer tokens than the pipeline could take. */
static bool advise_more_tokens(const struct advisor *advisor)
{
    const struct trm_stage_report *load = &advisor->report->stages[TRM_STAGE_LOAD];
    uint32_t free                       = percent(load->starved_ns, advisor->report->elapsed_ns);

    if (!is_served(advisor->report) || free < 30 || advisor->report->efficiency > 0.8)
        return false;
    snprintf(advisor->text, advisor->capacity,
             "A slot was free and nothing came for %u %% of the time: the pipeline could take more tokens "
             "(%s is busy for %u %%).",
             free, trm_stage_name(advisor->report->critical),
             busy_percent(advisor, advisor->report->critical));
    return true;
}

/* Tokens are short, and most of the time is not work. */
static bool advise_larger_tokens(const struct advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint64_t period                 = report->elapsed_ns / report->tokens;
    char each[TEXT_MOST], work[TEXT_MOST];

    if (period >= 50000 || advisor->now.elapsed_ns > report->elapsed_ns / 2)
        return false;
    snprintf(
        advisor->text, advisor->capacity,
        "Tokens are so small that handing them over costs more than the work (%s a token, of which %s work): "
        "make them larger.",
        core_time_text(each, sizeof(each), (double)period),
        core_time_text(work, sizeof(work), (double)(advisor->now.elapsed_ns / report->tokens)));
    return true;
}

/* The stages explain too little of the time: the threads that pass tokens on were late. */
static bool advise_idle_machine(const struct advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint64_t milliseconds           = report->elapsed_ns / 1000000;
    uint32_t explained              = percent(advisor->now.elapsed_ns, report->elapsed_ns);

    if (advisor->now.elapsed_ns >= report->elapsed_ns / 2)
        return false;
    for (int32_t i = 0; i < TRM_STAGES; i++)
        if (busy_percent(advisor, i) > 50)
            return false;
    /* An idle machine preempts less than twenty times a second. */
    if (report->preempted >= 10 && report->preempted >= milliseconds / 50)
        snprintf(advisor->text, advisor->capacity,
                 "The stages account for only %u %% of the time: the threads of this program waited for a "
                 "processor (taken off one %" PRIu64
                 " times), which other programs, or too many threads of its own, wanted as well.",
                 explained, report->preempted);
    else
        snprintf(advisor->text, advisor->capacity,
                 "The stages account for only %u %% of the time: something else kept the machine busy, or "
                 "the threads "
                 "that hand tokens on were late.",
                 explained);
    return true;
}

/* So few tokens that filling and emptying the pipeline dominates. */
static bool advise_more_pieces(const struct advisor *advisor)
{
    uint64_t sum = advisor->now.startup_ns, whole = advisor->now.elapsed_ns;
    uint64_t edges = sum > advisor->now.period_ns ? sum - advisor->now.period_ns : 0;

    if (advisor->report->depth < 2 || percent(edges, whole) < 25 || advisor->report->efficiency > 0.9)
        return false;
    snprintf(
        advisor->text, advisor->capacity,
        "%" PRIu64
        " token%s: filling and emptying the pipeline is %u %% of the time; cut the data into more tokens "
        "to overlap better.",
        advisor->report->tokens, advisor->report->tokens == 1 ? " is few" : "s are few",
        percent(edges, whole));
    return true;
}

/* The least number of workers that is nearly as good as any; 0: more workers gain nothing. */
static uint32_t best_workers(const struct advisor *advisor, uint32_t most, struct trm_prediction_desc *desc,
                             double *best)
{
    uint32_t workers = 0, depth = advisor->desc.depth;

    *best            = 1;
    *desc            = advisor->desc;
    desc->one_thread = 0;
    for (uint32_t i = advisor->report->workers + 1; i <= most; i++) {
        desc->lanes[TRM_STAGE_LOAD] = i;
        desc->depth                 = depth > i + 2 ? depth : i + 2;
        double gain                 = gain_of(advisor, desc);
        if (gain > *best * 1.03) {
            *best   = gain;
            workers = i;
        }
    }
    desc->depth = depth > workers + 2 ? depth : workers + 2;
    return workers;
}

/* Appends ": use 3 loader workers instead of 1 and depth 5 (predicted 2.2 x)." */
static void say_workers(const struct advisor *advisor, uint32_t workers, uint32_t depth, double gain)
{
    const struct trm_report *report = advisor->report;
    char instead[TEXT_MOST] = "", deeper[TEXT_MOST] = "", factor[TEXT_MOST];
    size_t at = strlen(advisor->text);

    if (report->workers > 0)
        snprintf(instead, sizeof(instead), " instead of %u", report->workers);
    if (depth > advisor->desc.depth)
        snprintf(deeper, sizeof(deeper), " and depth %u", depth);
    snprintf(advisor->text + at, advisor->capacity - at, "use %u loader worker%s%s%s (predicted %s x).",
             workers, workers == 1 ? "" : "s", instead, deeper, factor_text(factor, gain));
}

/* Load and sink share a thread, and together they take longest. */
static bool advise_a_loader(const struct advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    struct trm_prediction_desc desc = advisor->desc;
    uint64_t both = report->stages[TRM_STAGE_LOAD].busy_ns + report->stages[TRM_STAGE_SINK].busy_ns;
    char factor[TEXT_MOST];
    double gain;

    if (!report->one_thread || report->stages[TRM_STAGE_LOAD].tokens == 0 ||
        percent(both, report->elapsed_ns) < SHARED_LEAST)
        return false;
    desc.one_thread            = 0;
    desc.lanes[TRM_STAGE_LOAD] = 1;
    gain                       = gain_of(advisor, &desc);
    /* A quick sink gains little: then load is the limit, which several workers divide, or neither is. */
    if (gain < 1.15)
        return false;
    snprintf(advisor->text, advisor->capacity,
             "load and sink take turns in one thread (%u %% busy), which holds it back: give the source a "
             "worker, so "
             "that load and sink overlap (predicted %s x).",
             percent(both, report->elapsed_ns), factor_text(factor, gain));
    return true;
}

/* Load is the longest stage. More threads than processors help only if they wait. */
static bool advise_more_workers(const struct advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    struct trm_prediction_desc desc, within;
    double gain, gain_within;
    uint32_t workers, fitting, most = advisor->processors < WORKERS_MOST ? advisor->processors : WORKERS_MOST;

    if (report->stages[TRM_STAGE_LOAD].tokens == 0 || report->critical != TRM_STAGE_LOAD || is_served(report))
        return false;
    workers = best_workers(advisor, WORKERS_MOST, &desc, &gain);
    fitting = best_workers(advisor, most, &within, &gain_within);
    if (workers == 0)
        return false;
    snprintf(advisor->text, advisor->capacity,
             "load holds it back (%u %% busy): ", busy_percent(advisor, TRM_STAGE_LOAD));
    if (fitting > 0)
        say_workers(advisor, fitting, within.depth, gain_within);
    if (fitting > 0 && gain < gain_within * 1.1)
        return true;
    size_t at = strlen(advisor->text);
    snprintf(advisor->text + at, advisor->capacity - at, "%s loading waits for a disk or network, ",
             fitting > 0 ? " If" : "if");
    say_workers(advisor, workers, desc.depth, gain);
    return true;
}

static bool advise_quicker_sink(const struct advisor *advisor)
{
    struct trm_prediction_desc desc = advisor->desc;
    char factor[TEXT_MOST];

    if (advisor->report->critical != TRM_STAGE_SINK || busy_percent(advisor, TRM_STAGE_SINK) < 80)
        return false;
    desc.stage_ns[TRM_STAGE_SINK] = 0;
    snprintf(advisor->text, advisor->capacity,
             "sink holds it back (%u %% busy): let it do less for each token, or hand the work to threads of "
             "its own "
             "(predicted up to %s x).",
             busy_percent(advisor, TRM_STAGE_SINK), factor_text(factor, gain_of(advisor, &desc)));
    return true;
}

/* The least depth that is nearly as good as any, if the gain is worth it. */
static bool advise_depth(const struct advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    struct trm_prediction_desc desc = advisor->desc;
    int32_t stage                   = report->critical;
    uint32_t idle_part, depth = report->depth;
    double best, gain         = 1;
    char factor[TEXT_MOST];

    desc.depth = CORE_PREDICT_DEPTH_MOST;
    best       = gain_of(advisor, &desc);
    if (best < 1.05 || report->efficiency > 0.95)
        return false;
    while (gain < best * 0.98) {
        desc.depth = ++depth;
        gain       = gain_of(advisor, &desc);
    }
    idle_part = 100 - busy_percent(advisor, stage);
    snprintf(
        advisor->text, advisor->capacity,
        "%s is idle for %u %% of the time, since tokens wait for free slots: raise the depth from %u to %u "
        "(predicted %s x).",
        trm_stage_name(stage), idle_part, report->depth, depth, factor_text(factor, gain));
    return true;
}

static bool advise_pinned_memory(const struct advisor *advisor)
{
    if (advisor->report->pageable_copies == 0 ||
        (advisor->report->critical != TRM_STAGE_UPLOAD && advisor->report->critical != TRM_STAGE_DOWNLOAD))
        return false;
    snprintf(advisor->text, advisor->capacity,
             "%s is the longest stage, and %" PRIu64
             " copies were of pageable memory, which is slow and overlaps badly: "
             "fill token->data instead of pointing elsewhere.",
             trm_stage_name(advisor->report->critical), advisor->report->pageable_copies);
    return true;
}

/* The longest launch as " (sobel takes 61 % of it)". */
static void longest_launch(const struct trm_report *report, char *text, size_t capacity)
{
    uint64_t whole = 0;
    uint32_t most  = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < report->launch_count && i < TRM_REPORT_LAUNCHES; i++) {
        whole += report->launches[i].busy_ns;
        if (report->launches[i].busy_ns > report->launches[most].busy_ns)
            most = i;
    }
    if (report->launch_count > 1 && whole > 0)
        snprintf(text, capacity, " (%s takes %u %% of it)", report->launches[most].name,
                 percent(report->launches[most].busy_ns, whole));
}

/* The pipeline is as fast as its longest stage. */
static bool advise_at_bound(const struct advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint32_t reached                = (uint32_t)(report->efficiency * 100);
    char launch[96];

    if (report->efficiency < 0.9)
        return false;
    longest_launch(report, launch, sizeof(launch));
    if (report->critical == TRM_STAGE_COMPUTE)
        snprintf(advisor->text, advisor->capacity,
                 "compute is the bound and the pipeline reaches %u %% of the possible rate: only faster "
                 "kernels%s or a "
                 "faster device "
                 "would help.",
                 reached, launch);
    else if (report->critical == TRM_STAGE_UPLOAD || report->critical == TRM_STAGE_DOWNLOAD)
        snprintf(advisor->text, advisor->capacity,
                 "%s is the bound and the pipeline reaches %u %% of the possible rate: only smaller data or "
                 "a faster link "
                 "would help.",
                 trm_stage_name(report->critical), reached);
    else
        snprintf(advisor->text, advisor->capacity,
                 "%s is the bound and the pipeline reaches %u %% of the possible rate: only a quicker %s "
                 "would help.",
                 trm_stage_name(report->critical), reached, trm_stage_name(report->critical));
    return true;
}

/* The longest stage is busy from the first token that reaches it to the last. */
static bool advise_longer_run(const struct advisor *advisor)
{
    const struct trm_report *report      = advisor->report;
    const struct trm_stage_report *stage = &report->stages[report->critical];
    uint64_t idle                        = stage->starved_ns + stage->blocked_ns;

    if (report->elapsed_ns < stage->busy_ns + 2 * idle)
        return false;
    snprintf(advisor->text, advisor->capacity,
             "%s is busy for %u %% of the time, and the rest is mostly filling and emptying the pipeline: "
             "more tokens "
             "would hide that.",
             trm_stage_name(report->critical), busy_percent(advisor, report->critical));
    return true;
}

/* A stage's times vary widely between tokens, so that the next one runs dry. */
static bool advise_even_times(const struct advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    int32_t worst                   = -1;
    double most                     = 3;
    char least_time[TEXT_MOST], most_time[TEXT_MOST];

    for (int32_t i = 0; i < TRM_STAGES; i++) {
        const struct trm_stage_report *stage = &report->stages[i];
        double ratio = stage->mean_ns > 0 ? (double)stage->most_ns / (double)stage->mean_ns : 0;

        if (ratio > most && stage->most_ns > report->elapsed_ns / report->tokens) {
            most  = ratio;
            worst = i;
        }
    }
    if (worst < 0)
        return false;
    core_time_text(least_time, sizeof(least_time), (double)report->stages[worst].least_ns);
    core_time_text(most_time, sizeof(most_time), (double)report->stages[worst].most_ns);
    if (worst == report->critical) {
        snprintf(advisor->text, advisor->capacity,
                 "%s is the longest stage and takes from %s to %s for a token: look at its slow tokens in a "
                 "trace, since "
                 "neither depth nor overlap makes up for them.",
                 trm_stage_name(worst), least_time, most_time);
        return true;
    }
    if (report->depth >= CORE_PREDICT_DEPTH_MOST)
        return false;
    snprintf(advisor->text, advisor->capacity,
             "%s takes from %s to %s for a token, so that other stages wait for it now and then: a depth "
             "above %u would "
             "even that out.",
             trm_stage_name(worst), least_time, most_time, report->depth);
    return true;
}

static void advise_contention(const struct advisor *advisor)
{
    const struct trm_report *report      = advisor->report;
    const struct trm_stage_report *stage = &report->stages[report->critical];
    bool is_starved                      = stage->starved_ns > stage->blocked_ns;

    snprintf(advisor->text, advisor->capacity,
             "%s is the longest stage but busy for only %u %% of the time, and %s for %u %%: %s.",
             trm_stage_name(report->critical), busy_percent(advisor, report->critical),
             is_starved ? "starved" : "blocked",
             percent(is_starved ? stage->starved_ns : stage->blocked_ns, report->elapsed_ns),
             is_starved ? "tokens reach it late, so look at the stages before it in a trace"
                        : "its tokens wait for processors or threads that other stages use");
}

void core_report_advise(const struct trm_report *report, uint32_t processors, char *advice, size_t capacity)
{
    static bool (*const kinds[])(const struct advisor *advisor) = {
        advise_more_tokens,   advise_larger_tokens, advise_idle_machine, advise_more_pieces,
        advise_a_loader,      advise_more_workers,  advise_quicker_sink, advise_depth,
        advise_pinned_memory, advise_at_bound,      advise_longer_run,   advise_even_times,
    };
    struct advisor advisor = {
        .report = report, .processors = processors, .text = advice, .capacity = capacity};

    advice[0] = '\0';
    if (advise_measuring(&advisor))
        return;
    advisor.desc.struct_size = sizeof(advisor.desc);
    advisor.now.struct_size  = sizeof(advisor.now);
    if (trm_report_prediction(report, &advisor.desc) != TRM_OK ||
        trm_predict(&advisor.desc, &advisor.now) != TRM_OK)
        return;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i](&advisor))
            return;
    advise_contention(&advisor);
}
