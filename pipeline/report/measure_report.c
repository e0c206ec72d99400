/* The report of what a pipeline has measured.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/object/object.h"
#include "pipeline/report/measure_state.h"

/* Splits idle time as the idle time with known reasons is split. */
static void split_idle(const struct stage_measure *stage, uint64_t idle, struct trm_stage_report *report)
{
    uint64_t known = stage->starved + stage->blocked;

    report->blocked_ns = known == 0 ? 0 : scale(idle, stage->blocked, known);
    report->starved_ns = idle - report->blocked_ns;
}

/* The sums of a stage when no token is missing. */
static void report_exact(const struct stage_measure *stage, struct trm_stage_report *report)
{
    split_idle(stage, stage->unexplained, report);
    report->busy_ns = stage->busy;
    report->starved_ns += stage->starved;
    report->blocked_ns += stage->blocked;
}

/* The sums for all tokens, estimated from those with times. Busy time grows with the number of tokens. The
 * whole time grows with the part of the run that they cover, which may have been slower than the rest, so it
 * is limited to the length of the run. */
static void report_scaled(const struct stage_measure *stage, uint64_t elapsed,
                          struct trm_stage_report *report)
{
    uint64_t total   = stage->measured + stage->missed;
    uint64_t covered = total - stage->missed_before - stage->missed_since;
    uint64_t whole   = scale(stage->last - stage->first, total, covered);
    uint64_t busy    = scale(stage->busy, total, stage->measured);

    if (whole > elapsed)
        whole = elapsed;
    report->busy_ns = busy < whole ? busy : whole;
    split_idle(stage, whole - report->busy_ns, report);
}

/* plain: tokens without times that are to be added. */
static void report_stage(const struct stage_measure *measured, bool is_load, uint64_t plain, uint64_t elapsed,
                         struct trm_stage_report *report)
{
    struct stage_measure stage = *measured;

    if (stage.measured == 0)
        return;
    pipeline_stage_join_all(&stage, is_load);
    pipeline_stage_miss(&stage, plain, is_load);
    report->tokens   = stage.measured + stage.missed;
    report->mean_ns  = stage.sum / stage.measured;
    report->least_ns = stage.least;
    report->most_ns  = stage.most;
    if (stage.missed == 0)
        report_exact(&stage, report);
    else
        report_scaled(&stage, elapsed, report);
}

/* The part of a stage's busy time in which its thread did not run. */
static uint64_t waiting_of(const struct share *ran, const struct trm_stage_report *stage)
{
    if (ran->whole == 0 || ran->part >= ran->whole)
        return 0;
    return scale(stage->busy_ns, ran->whole - ran->part, ran->whole);
}

static void report_launches(const struct pipeline_measure *measure, struct trm_report *report)
{
    report->launch_count =
        measure->launch_count < TRM_REPORT_LAUNCHES ? measure->launch_count : TRM_REPORT_LAUNCHES;
    for (uint32_t i = 0; i < report->launch_count; i++) {
        base_text_copy(report->launches[i].name, sizeof(report->launches[i].name), measure->launch_names[i]);
        if (measure->launch_tokens > 0)
            report->launches[i].busy_ns = scale(
                measure->launch_sum[i], report->stages[TRM_STAGE_COMPUTE].tokens, measure->launch_tokens);
    }
}

/* The least a stage takes for all tokens while it works on as many at once as it did. */
static uint64_t bound_of(const struct trm_report *report, uint32_t stage)
{
    const struct trm_stage_report *of = &report->stages[stage];
    uint64_t busy                     = of->busy_ns;

    if (of->tokens == 0)
        return 0;
    if (stage == TRM_STAGE_LOAD && report->workers > 1 &&
        scale(of->mean_ns, of->tokens, report->workers) < busy)
        busy = scale(of->mean_ns, of->tokens, report->workers);
    return scale(busy, report->tokens, of->tokens);
}

/* The time of a stage when nothing else runs. Tokens that were in a stage at once shared its resources and
 * took longer, so their busy time counts, not the sum. */
static uint64_t alone_of(const struct trm_report *report, uint32_t stage)
{
    const struct trm_stage_report *of = &report->stages[stage];
    uint64_t sum                      = scale(of->mean_ns, of->tokens, 1);

    if (of->tokens == 0)
        return 0;
    return scale(of->busy_ns < sum ? of->busy_ns : sum, report->tokens, of->tokens);
}

static void report_bounds(struct trm_report *report)
{
    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        uint64_t bound = bound_of(report, i);

        report->sequential_ns += alone_of(report, i);
        if (report->critical < 0 || bound > report->bound_ns) {
            report->critical = (int32_t)i;
            report->bound_ns = bound;
        }
    }
    if (report->elapsed_ns > 0)
        report->efficiency = (double)report->bound_ns / (double)report->elapsed_ns;
}

uint64_t pipeline_measure_missed(const struct pipeline_measure *measure, uint32_t stage)
{
    bool is_device = stage >= TRM_STAGE_UPLOAD && stage <= TRM_STAGE_DOWNLOAD;

    return measure->untimed + (is_device ? measure->plain : 0);
}

void pipeline_measure_report(const struct pipeline_measure *measure, struct trm_report *report)
{
    uint32_t depth = report->depth != 0 ? report->depth : measure->depth;

    report->workers       = measure->workers;
    report->one_thread    = measure->one_thread;
    report->tokens        = measure->tokens + measure->plain + measure->untimed;
    report->skipped       = measure->skipped;
    report->failed        = measure->failed;
    report->cancelled     = measure->cancelled;
    report->dropped       = measure->dropped;
    report->expired       = measure->expired;
    report->late          = measure->late;
    report->measured      = measure->sampled;
    report->preempted     = measure->used.preempted;
    report->processor_ns  = measure->used.processor_ns;
    report->elapsed_ns    = measure->last - measure->first;
    report->bytes_up      = measure->bytes_up;
    report->bytes_down    = measure->bytes_down;
    report->critical      = -1;
    report->bound_ns      = 0;
    report->sequential_ns = 0;
    report->efficiency    = 0;
    report->fill          = 0;
    memset(report->stages, 0, sizeof(report->stages));
    memset(report->launches, 0, sizeof(report->launches));
    for (uint32_t i = 0; i < TRM_STAGES; i++)
        report_stage(&measure->stages[i], i == TRM_STAGE_LOAD, pipeline_measure_missed(measure, i),
                     report->elapsed_ns, &report->stages[i]);
    report->stages[TRM_STAGE_UPLOAD].bytes   = measure->bytes_up;
    report->stages[TRM_STAGE_DOWNLOAD].bytes = measure->bytes_down;
    report_launches(measure, report);
    report->load_waiting_ns = waiting_of(&measure->load_ran, &report->stages[TRM_STAGE_LOAD]);
    report->sink_waiting_ns = waiting_of(&measure->sink_ran, &report->stages[TRM_STAGE_SINK]);
    if (report->elapsed_ns > 0 && measure->seen_in_slots > 0) {
        uint64_t all =
            report->tokens + measure->skipped + measure->failed + measure->cancelled + measure->dropped;
        uint64_t held = scale(measure->in_slots, all, measure->seen_in_slots);
        double fill   = (double)held / ((double)report->elapsed_ns * depth);
        report->fill  = fill < 1 ? fill : 1;
    }
    if (measure->sampled > 0)
        report_bounds(report);
}
