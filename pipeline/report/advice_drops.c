/* Advice where a pipeline drops tokens: it keeps up by leaving some out, so none of its settings is too
 * small.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "pipeline/report/advice.h"

/* Drops of less than this many per cent are no habit. */
#define DROPS_LEAST 5u

/* Results that are dropped since the program takes them late wait for at least half of the time, in per cent:
 * each newer one waits for less. */
#define WAITING_LEAST 50u

/* What the tokens outrun. */
static const char *slower_of(int32_t stage)
{
    switch (stage) {
    case TRM_STAGE_UPLOAD:
        return "their upload takes";
    case TRM_STAGE_COMPUTE:
        return "the device computes";
    case TRM_STAGE_DOWNLOAD:
        return "their download takes";
    default:
        return "their results are taken";
    }
}

/* Whether the sink holds up the thread that brings tokens, so that they wait and are not dropped. */
static bool waits_for_sink(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;

    return report->one_thread && (report->late > 0 || pipeline_advice_busy(advisor, TRM_STAGE_SINK) >= 50);
}

/* A source is to drop tokens and has no slot for the token that replaces one, or no thread of its own. Its
 * tokens become fresher, and not more. */
static bool advise_that_none_can_be(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    const char *tokens              = pipeline_advice_tokens(advisor);
    int32_t kind                    = report->one_thread ? TRM_ADVICE_WORKERS : TRM_ADVICE_DEPTH;

    if (!advisor->facts->may_drop || report->dropped > 0 || pipeline_advice_is_served(report))
        return false;
    if (report->depth == 1) {
        pipeline_advise(
            advisor, kind, report->critical, 1,
            "With 1 slot none of the %s can be dropped, though the pipeline is told to drop some: each waits "
            "until the one before it was taken. Use 3 slots%s.",
            tokens, report->one_thread ? " and 1 loader worker" : "");
        advisor->advised->depth = 3;
    } else if (waits_for_sink(advisor)) {
        pipeline_advise(advisor, kind, report->critical, 1,
                        "Load and sink take turns in one thread, so %s wait for the sink instead of being "
                        "dropped, as the pipeline is told to. Use 1 loader worker.",
                        tokens);
    } else {
        return false;
    }
    if (report->one_thread)
        advisor->advised->workers = 1;
    return true;
}

/* "they come faster than the device computes" */
static void write_cause(const struct pipeline_advisor *advisor, int32_t stage, char *text, size_t capacity)
{
    char each[PIPELINE_ADVICE_TEXT];

    if (pipeline_advice_waits_for_program(advisor, WAITING_LEAST))
        snprintf(text, capacity, "results wait for the program, which takes one every %s",
                 pipeline_advice_taking(advisor, each));
    else
        snprintf(text, capacity, "they come faster than %s", slower_of(stage));
}

bool pipeline_advise_drops(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint64_t all                    = report->tokens + report->dropped;
    int32_t stage                   = report->critical == TRM_STAGE_LOAD ? TRM_STAGE_SINK : report->critical;
    char cause[2 * PIPELINE_ADVICE_TEXT];

    if (advise_that_none_can_be(advisor))
        return true;
    if (pipeline_advice_percent(report->dropped, all) < DROPS_LEAST)
        return false;
    if (pipeline_advice_waits_for_program(advisor, WAITING_LEAST))
        stage = TRM_STAGE_SINK;
    write_cause(advisor, stage, cause, sizeof(cause));
    if (report->expired > report->dropped / 2)
        pipeline_advise(
            advisor, TRM_ADVICE_BOUND, stage, 1,
            "%u %% of the %s were past their deadline before they could run, and were left out: later "
            "deadlines or fewer %s would help, no setting.",
            pipeline_advice_percent(report->expired, all), pipeline_advice_tokens(advisor),
            pipeline_advice_tokens(advisor));
    else
        pipeline_advise(
            advisor, TRM_ADVICE_BOUND, stage, 1,
            "%u %% of the %s were dropped for newer ones, as the pipeline is told to: %s. No setting makes "
            "those that are left fresher.",
            pipeline_advice_percent(report->dropped, all), pipeline_advice_tokens(advisor), cause);
    return true;
}
