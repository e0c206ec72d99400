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

bool pipeline_advise_drops(const struct pipeline_advisor *advisor)
{
    const struct trm_report *report = advisor->report;
    uint64_t all                    = report->tokens + report->dropped;
    int32_t stage                   = report->critical == TRM_STAGE_LOAD ? TRM_STAGE_SINK : report->critical;

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
