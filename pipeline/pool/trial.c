/* Turns of strategies.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/pool/trial.h"

#define UNCOUNTED 8u /* tasks of a turn that began under the strategy before */
#define COUNTED 24u
#define PATIENCE_LEAST 64u
#define PATIENCE_MOST 1024u

/* A strategy has to be so much faster than the best to take its place: rates vary from turn to turn. */
#define MARGIN 1.03

/* Of a new rate of the best. */
#define WEIGHT 0.25

/* The first is used until another one proves faster. */
static const int32_t candidates[PIPELINE_POOL_CANDIDATES] = {TRM_STREAM_LEAST_LOADED, TRM_STREAM_ROUND_ROBIN,
                                                             TRM_STREAM_WORKLOAD};

int32_t pipeline_pool_trial_strategy(const struct pipeline_pool_trial *trial)
{
    return candidates[trial->candidate];
}

void pipeline_pool_trial_begin(struct pipeline_pool_trial *trial, uint64_t now)
{
    if (trial->working++ == 0)
        trial->busy_from = now;
}

static void count_busy(struct pipeline_pool_trial *trial, uint64_t now)
{
    if (trial->working > 0 && now > trial->busy_from)
        trial->busy += now - trial->busy_from;
    trial->busy_from = now;
}

void pipeline_pool_trial_end(struct pipeline_pool_trial *trial, uint64_t now)
{
    count_busy(trial, now);
    trial->working--;
}

static void begin_turn(struct pipeline_pool_trial *trial, uint32_t candidate)
{
    trial->ended     = candidate == trial->candidate ? UNCOUNTED : 0;
    trial->candidate = candidate;
    trial->work      = 0;
    trial->busy      = 0;
}

static void find_best(struct pipeline_pool_trial *trial)
{
    uint32_t before = trial->best;
    for (uint32_t i = 0; i < PIPELINE_POOL_CANDIDATES; i++)
        if (trial->rates[i] > MARGIN * trial->rates[trial->best])
            trial->best = i;
    if (trial->patience == 0 || trial->best != before)
        trial->patience = PATIENCE_LEAST;
    else if (trial->patience < PATIENCE_MOST)
        trial->patience *= 2;
    trial->turns = 0;
}

/* All candidates have a turn one after another; then the best has many. */
static void end_turn(struct pipeline_pool_trial *trial)
{
    double *rate = &trial->rates[trial->candidate];
    double found = trial->busy > 0 ? trial->work / (double)trial->busy : *rate;
    *rate        = trial->tried == 0 && *rate != 0 ? *rate + (found - *rate) * WEIGHT : found;
    if (trial->tried == 0 && trial->turns++ < trial->patience && trial->patience != 0) {
        begin_turn(trial, trial->best);
        return;
    }
    trial->tried = (trial->tried + 1) % PIPELINE_POOL_CANDIDATES;
    if (trial->tried != 0) {
        begin_turn(trial, (trial->best + trial->tried) % PIPELINE_POOL_CANDIDATES);
        return;
    }
    find_best(trial);
    begin_turn(trial, trial->best);
}

void pipeline_pool_trial_add(struct pipeline_pool_trial *trial, double least, uint64_t now)
{
    if (least == 0)
        return; /* the first two of a kind */
    count_busy(trial, now);
    trial->ended++;
    if (trial->ended <= UNCOUNTED) {
        trial->busy = 0;
        return;
    }
    trial->work += least;
    if (trial->ended >= UNCOUNTED + COUNTED)
        end_turn(trial);
}
