/* Advice where a pipeline drops tokens: it keeps up by leaving some out, so none of its settings is too
 * small.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "pipeline/report/advice.h"

/* Drops of less than this many per cent are no habit. */
#define DROPS_LEAST 5u

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

bool pipeline_advise_drops(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint64_t all                    = report->tokens + report->dropped;
    int32_t stage                   = report->critical == TRM_STAGE_LOAD ? TRM_STAGE_SINK : report->critical;

    if (advise_that_none_can_be(advisor))
        return true;
    if (pipeline_advice_percent(report->dropped, all) < DROPS_LEAST)
        return false;
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
            "%u %% of the %s were dropped for newer ones, as the pipeline is told to: they come faster "
            "than %s. No setting makes those that are left fresher.",
            pipeline_advice_percent(report->dropped, all), pipeline_advice_tokens(advisor), slower_of(stage));
    return true;
}
