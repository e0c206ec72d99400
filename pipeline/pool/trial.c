/* Turns of strategies.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/pool/trial.h"

#define UNCOUNTED 8u /* tasks of a turn that began under the strategy before */
#define COUNTED 24u
#define PATIENCE_LEAST 64u
#define PATIENCE_MOST 1024u

/* The patience where measuring is expensive: together with the measured turns that follow, about a hundredth
 * of the turns is measured. */
#define PATIENCE_DEFERRED 640u

/* Rates vary from turn to turn, so a strategy replaces the best only if it is so much faster. Round-robin,
 * which needs no prediction, replaces it as soon as it is no slower, so that the strategy in use is never
 * known to be slower than round-robin. */
#define MARGIN 1.03

#define ROUND_ROBIN 1u /* of the candidates */

/* The last turns of the best are measured, so many, before the others have theirs. */
#define MEASURED 4u

/* The first one is used until another one is faster. */
static const int32_t candidates[PIPELINE_POOL_CANDIDATES] = {
    TRM_STREAM_LEAST_LOADED, [ROUND_ROBIN] = TRM_STREAM_ROUND_ROBIN, TRM_STREAM_WORKLOAD};

void pipeline_pool_trial_defer(struct pipeline_pool_trial *trial)
{
    trial->patience = trial->least_patience = PATIENCE_DEFERRED;
}

int32_t pipeline_pool_trial_strategy(const struct pipeline_pool_trial *trial)
{
    return candidates[trial->candidate];
}

int32_t pipeline_pool_trial_best(const struct pipeline_pool_trial *trial)
{
    return candidates[trial->best];
}

static double rate_of(const struct pipeline_pool_trial *trial, int32_t strategy)
{
    for (uint32_t i = 0; i < PIPELINE_POOL_CANDIDATES; i++)
        if (candidates[i] == strategy)
            return trial->rates[i];
    return 0;
}

uint32_t pipeline_pool_trial_percent(const struct pipeline_pool_trial *trial, int32_t strategy, int32_t other)
{
    double rate = rate_of(trial, strategy), base = rate_of(trial, other);
    return rate > 0 && base > 0 && rate < 1000 * base ? (uint32_t)(100 * rate / base) : 0;
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

/* The number of this turn among the measured ones of the best, from 1 on; 0: it is not measured. */
static uint32_t measured_turn(const struct pipeline_pool_trial *trial)
{
    if (trial->patience == 0 || trial->tried != 0)
        return 1;
    return trial->turns + MEASURED > trial->patience ? trial->turns + MEASURED - trial->patience : 0;
}

bool pipeline_pool_trial_is_measuring(const struct pipeline_pool_trial *trial)
{
    return measured_turn(trial) != 0;
}

/* The first tasks of a turn count if the turn before had the same strategy and was measured, too. */
static void begin_turn(struct pipeline_pool_trial *trial, uint32_t candidate)
{
    trial->ended     = candidate == trial->candidate && measured_turn(trial) != 1 ? UNCOUNTED : 0;
    trial->candidate = candidate;
    trial->work      = 0;
    trial->busy      = 0;
}

static void find_best(struct pipeline_pool_trial *trial)
{
    uint32_t before = trial->best;
    if (trial->rates[ROUND_ROBIN] >= trial->rates[trial->best])
        trial->best = ROUND_ROBIN;
    for (uint32_t i = 0; i < PIPELINE_POOL_CANDIDATES; i++)
        if (trial->rates[i] > MARGIN * trial->rates[trial->best])
            trial->best = i;
    if (trial->patience == 0 || trial->best != before)
        trial->patience = trial->least_patience > 0 ? trial->least_patience : PATIENCE_LEAST;
    else if (trial->patience < PATIENCE_MOST)
        trial->patience *= 2; /* up to 1024, or 1280 */
    trial->turns = 0;
}

/* All candidates have one turn each; then the best one has many. */
static void end_turn(struct pipeline_pool_trial *trial)
{
    double *rate  = &trial->rates[trial->candidate];
    uint32_t turn = measured_turn(trial);
    if (turn != 0 && trial->busy > 0)
        *rate += (trial->work / (double)trial->busy - *rate) / turn;
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

void pipeline_pool_trial_skip(struct pipeline_pool_trial *trial)
{
    if (measured_turn(trial) == 0 && ++trial->ended >= UNCOUNTED + COUNTED)
        end_turn(trial);
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
