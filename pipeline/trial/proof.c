/* The proof of a trial's winner: it runs alone until it has shown that it stays as fast as it seemed.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/proof.h"

#include <string.h>

/* Short stretches that count, behind PROOF_SETTLE, and what they may take, in per cent of the fastest other
 * way. */
#define PROOF 6
#define PROVEN 110

/* Of long tokens so many, whose last stretches count, and what these may take; so many in a row beyond it end
 * the proof. Of very long ones fewer, which have taken so much time. */
#define PROOF_LONG 96
#define PROOF_LAST 2
#define PROVEN_LONG 105
#define PROOF_LONG_LEAST 48
#define PROOF_LONG_NS UINT64_C(160000000)

/* In per cent: a way of long stretches that are all so near to each other, and as near to another candidate,
 * needs no proof. */
#define PLAUSIBLE 105

static bool is_alone(const struct pipeline_trial *trial, uint32_t way)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (i != way && !trial->ways[i].is_eliminated)
            return false;
    return true;
}

/* With any number of slots. */
static bool is_steady(const struct pipeline_trial *trial, uint32_t candidate)
{
    uint64_t least = UINT64_MAX, most = 0;

    for (uint32_t i = 0; i < trial->count; i++) {
        const struct pipeline_trial_way *way = &trial->ways[i];
        for (uint32_t j = 0; j < way->count && way->candidate == candidate; j++) {
            least = way->ns[j] < least ? way->ns[j] : least;
            most  = way->ns[j] > most ? way->ns[j] : most;
        }
    }
    return most <= least * PLAUSIBLE / 100;
}

static bool is_near_another(const struct pipeline_trial *trial, uint32_t way)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (trial->ways[i].candidate != trial->ways[way].candidate && !trial->ways[i].is_eliminated &&
            pipeline_way_is_within(trial, i, way, PLAUSIBLE))
            return true;
    return false;
}

/* What a device does faster while it is new takes far less time than later, in some turns or in all. A proof
 * of long tokens delays the search for the number of slots, so it is made only where the result may be of
 * that kind; never of the simplest strategy, since streams are no faster while they are new. */
static bool is_trusted(const struct pipeline_trial *trial, uint32_t way)
{
    const struct pipeline_trial_way *own = &trial->ways[way];

    return own->is_long &&
           (own->candidate == 0 || (is_steady(trial, own->candidate) && is_near_another(trial, way)));
}

void pipeline_proof_begin(struct pipeline_trial *trial, uint32_t way)
{
    if (trial->ways[way].count == 0 || trial->ways[way].is_proven || is_alone(trial, way) ||
        is_trusted(trial, way)) {
        pipeline_ways_keep(trial, way);
        return;
    }
    trial->tokens        = way == trial->current ? SETTLE_DEPTHS * trial->depth : 0;
    trial->current       = way;
    trial->phase         = PIPELINE_TRIAL_PROVES;
    trial->is_proof_long = trial->ways[way].is_long;
}

/* Long stretches tell early that a way is not what it seemed. */
static bool has_failed(const struct pipeline_trial *trial)
{
    const struct pipeline_trial_way *way = &trial->ways[trial->current];
    uint32_t other = pipeline_ways_best_but(trial, trial->current), last = trial->stretches - 1;
    uint64_t most = other != trial->count ? pipeline_trial_result(trial, other) * PROVEN_LONG / 100 : 0;

    return last != 0 && most != 0 && way->ns[last] > most && way->ns[last - 1] > most;
}

bool pipeline_proof_is_over(const struct pipeline_trial *trial)
{
    if (!trial->is_proof_long)
        return trial->stretches == PROOF_SETTLE + PROOF;
    uint32_t least = trial->turn_last - trial->turn_began >= PROOF_LONG_NS ? PROOF_LONG_LEAST : PROOF_LONG;
    return trial->turn_tokens >= least || trial->stretches == PIPELINE_TRIAL_SAMPLES || has_failed(trial);
}

/* What a way has become counts, not how it began. */
static void keep_last(struct pipeline_trial_way *way, uint32_t count)
{
    if (way->count <= count)
        return;
    memmove(way->ns, way->ns + way->count - count, count * sizeof(way->ns[0]));
    way->count = count;
}

static bool is_far_throughout(const struct pipeline_trial_way *way, uint64_t best)
{
    for (uint32_t i = 0; i < way->count; i++)
        if (way->ns[i] <= best * PIPELINE_WAYS_NEAR / 100)
            return false;
    return true;
}

/* Of a candidate that turns out far slower: with another number of slots it seemed fast for the same reason. */
static void give_up_candidate(struct pipeline_trial *trial, uint32_t candidate)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (trial->ways[i].candidate == candidate && !trial->ways[i].is_proven)
            trial->ways[i].is_given_up = true;
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
    if (trial->is_proof_long && is_far_throughout(way, pipeline_trial_result(trial, best)))
        give_up_candidate(trial, way->candidate);
    revive_near(trial);
    pipeline_proof_begin(trial, pipeline_ways_winner(trial));
}
