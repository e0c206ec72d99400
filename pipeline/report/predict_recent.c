/* Prediction by the times of single tokens, for stages whose times vary.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "pipeline/report/predict.h"

/* The longest time of a stage counts as the second longest, so that one outlier predicts nothing. */
static uint64_t longest_but_one(const struct pipeline_report_facts *facts, uint32_t stage)
{
    uint64_t longest = 0, second = 0;

    for (uint32_t i = 0; i < facts->recent_count; i++) {
        uint64_t time = facts->recent[i].time[stage];
        if (time > longest) {
            second  = longest;
            longest = time;
        } else if (time > second) {
            second = time;
        }
    }
    return second;
}

static uint64_t at_most(uint64_t time, uint64_t most)
{
    return time < most ? time : most;
}

/* Copies the tokens so that their mean time in each stage is that of the description: tokens that were in a
 * stage at once shared it, and took longer than their share. */
static void scale_samples(const struct trm_prediction_desc *desc, const struct pipeline_report_facts *facts,
                          struct pipeline_stage_times *samples)
{
    for (uint32_t stage = 0; stage < TRM_STAGES; stage++) {
        uint64_t most = longest_but_one(facts, stage);
        double sum    = 0;
        for (uint32_t i = 0; i < facts->recent_count; i++)
            sum += (double)at_most(facts->recent[i].time[stage], most);
        double factor = sum > 0 ? (double)desc->stage_ns[stage] * facts->recent_count / sum : 0;
        for (uint32_t i = 0; i < facts->recent_count; i++)
            samples[i].time[stage] = (uint64_t)((double)at_most(facts->recent[i].time[stage], most) * factor);
    }
}

uint64_t pipeline_predict_recent(const struct trm_prediction_desc *desc, uint32_t depth,
                                 const struct pipeline_report_facts *facts)
{
    struct pipeline_stage_times samples[PIPELINE_RECENT_TOKENS];
    struct pipeline_model_times times;
    struct pipeline_model model = {
        .depth      = depth,
        .processors = desc->processors,
        .one_thread = desc->one_thread != 0,
        .tokens     = facts->recent_count,
        .samples    = samples,
    };

    scale_samples(desc, facts, samples);
    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        model.time[i]  = desc->stage_ns[i];
        model.lanes[i] = desc->lanes[i] != 0 && !model.one_thread ? desc->lanes[i] : 1;
        if (model.lanes[i] > depth)
            model.lanes[i] = depth;
    }
    pipeline_predict_shared(&model, TRM_STAGE_SINK, &times);
    return times.elapsed > 0 ? times.elapsed : 1;
}
