/* The proof of a trial's winner: it runs alone until it has shown that it stays as fast as it seemed.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/proof.h"

#include <string.h>

/* Short stretches that count, behind PROOF_SETTLE, and what they may take, in per cent of the fastest other
 * way. */
#define PROOF 6
#define PROVEN 110

/* Long stretches, whose last ones count, and what they may take; so many in a row beyond it end the proof. */
#define PROOF_LONG 10
#define PROOF_LAST 2
#define PROVEN_LONG 105

static bool is_alone(const struct pipeline_trial *trial, uint32_t way)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (i != way && !trial->ways[i].is_eliminated)
            return false;
    return true;
}

/* Of long tokens the simplest strategy needs no proof: a device runs streams no faster while they are new,
 * and the number of slots is found only after the trial. */
static bool is_trusted(const struct pipeline_trial_way *way)
{
    return way->is_long && way->candidate == 0;
}

void pipeline_proof_begin(struct pipeline_trial *trial, uint32_t way)
{
    if (trial->ways[way].count == 0 || trial->ways[way].is_proven || is_trusted(&trial->ways[way]) ||
        is_alone(trial, way)) {
        pipeline_ways_keep(trial, way);
        return;
    }
    trial->tokens        = way == trial->current ? SETTLE_DEPTHS * trial->depth : 0;
    trial->current       = way;
    trial->phase         = PIPELINE_TRIAL_PROVES;
    trial->is_proof_long = trial->ways[way].is_long;
}

/* Long stretches tell early that a way is not what it seemed. */
bool pipeline_proof_is_over(const struct pipeline_trial *trial)
{
    const struct pipeline_trial_way *way = &trial->ways[trial->current];
    uint32_t other = pipeline_ways_best_but(trial, trial->current), last = trial->stretches - 1;
    uint64_t most = other != trial->count ? pipeline_trial_result(trial, other) * PROVEN_LONG / 100 : 0;

    if (!trial->is_proof_long)
        return trial->stretches == PROOF_SETTLE + PROOF;
    if (trial->stretches == PROOF_LONG)
        return true;
    return last != 0 && most != 0 && way->ns[last] > most && way->ns[last - 1] > most;
}

/* What a way has become counts, not how it began. */
static void keep_last(struct pipeline_trial_way *way, uint32_t count)
{
    if (way->count <= count)
        return;
    memmove(way->ns, way->ns + way->count - count, count * sizeof(way->ns[0]));
    way->count = count;
}

/* What was eliminated beside a way that has failed may be near the best of the others. */
static void revive_near(struct pipeline_trial *trial)
{
    for (uint32_t i = 0; i < trial->count; i++)
        trial->ways[i].is_eliminated = trial->ways[i].is_given_up;
    uint32_t best = pipeline_ways_best(trial);
    for (uint32_t i = 0; i < trial->count; i++)
        trial->ways[i].is_eliminated |= !pipeline_way_is_within(trial, i, best, PIPELINE_WAYS_NEAR);
}

/* Each way is confirmed at most once. */
void pipeline_proof_end(struct pipeline_trial *trial)
{
    struct pipeline_trial_way *way = &trial->ways[trial->current];

    way->is_proven = true;
    if (trial->is_proof_long)
        keep_last(way, PROOF_LAST);
    uint32_t best = pipeline_ways_best(trial);
    if (pipeline_way_is_within(trial, trial->current, best, way->is_long ? PROVEN_LONG : PROVEN)) {
        pipeline_ways_keep(trial, trial->current);
        return;
    }
    revive_near(trial);
    pipeline_proof_begin(trial, pipeline_ways_winner(trial));
}
