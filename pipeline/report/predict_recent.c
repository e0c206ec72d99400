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

/* ---- samples -------------------------------------------------------------------------------- */

/* How many tokens take less than this one; of equal ones the first counts. */
static uint32_t rank_of(const struct pipeline_report_facts *facts, int32_t stage, uint32_t token)
{
    uint64_t time = facts->recent[token].time[stage];
    uint32_t rank = 0;

    for (uint32_t i = 0; i < facts->recent_count; i++)
        rank += i < token ? facts->recent[i].time[stage] <= time : facts->recent[i].time[stage] < time;
    return rank;
}

static uint64_t median_of(const struct pipeline_report_facts *facts, int32_t stage)
{
    for (uint32_t i = 0; i < facts->recent_count; i++)
        if (rank_of(facts, stage, i) == facts->recent_count / 2)
            return facts->recent[i].time[stage];
    return 0;
}

void pipeline_even_recent(const struct trm_prediction_desc *desc, const struct pipeline_report_facts *facts,
                          int32_t stage, struct pipeline_stage_times even[PIPELINE_RECENT_TOKENS])
{
    uint64_t usual = median_of(facts, stage), slow = longest_but_one(facts, (uint32_t)stage);
    uint64_t mean   = desc->stage_ns[stage];
    double share    = 0;
    uint32_t so_far = 0;

    if (mean > usual && slow > usual)
        share = (double)(mean - usual) / (double)(slow - usual);
    /* A single slow token would count as an outlier: so two have half of what it takes longer each. */
    if (share > 0 && facts->recent_count > 3 && (uint32_t)((facts->recent_count - 0.5) * share) < 2) {
        slow  = usual + (mean - usual) * facts->recent_count / 2;
        share = 2.0 / (facts->recent_count - 1);
    }
    if (share > 1)
        share = 1;
    for (uint32_t i = 0; i < facts->recent_count; i++) {
        uint32_t wanted = (uint32_t)((i + 0.5) * share);

        memcpy(even[i].time, desc->stage_ns, sizeof(even[i].time));
        even[i].time[stage] = wanted > so_far ? slow : usual;
        so_far              = wanted;
    }
}

/* Fisher and Yates; the same numbers each time, so that a report says the same when it is asked for again. */
void pipeline_shuffle_recent(struct pipeline_stage_times *tokens, uint32_t count, uint32_t turn)
{
    uint32_t random = turn * 2654435761u + 1;

    for (uint32_t i = count; i > 1; i--) {
        random                                 = random * 1664525u + 1013904223u;
        uint32_t place                         = (random >> 8) % i;
        const struct pipeline_stage_times last = tokens[i - 1];
        tokens[i - 1]                          = tokens[place];
        tokens[place]                          = last;
    }
}
