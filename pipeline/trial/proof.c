/* The proof of a trial's winner: it runs alone until it has shown that it stays as fast as it seemed.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/proof.h"

/* Short stretches of a proof, whose last ones count; so many in a row that are too slow end it. */
#define PROOF 12
#define PROOF_LAST 6
#define PROOF_FAILED 5

/* The same of long stretches, and what they may take, in per cent of the fastest other way: so many tokens,
 * but of very long ones fewer, which have taken so much time. */
#define PROOF_LONG 96
#define PROOF_LONG_LEAST 48
#define PROOF_LONG_NS UINT64_C(160000000)
#define PROOF_LONG_LAST 2
#define PROVEN_LONG 105

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

static bool needs_proof(const struct pipeline_trial *trial, uint32_t way)
{
    return trial->ways[way].count != 0 && !trial->ways[way].is_proven && !is_alone(trial, way) &&
           !is_trusted(trial, way);
}

/* Of long tokens the best way that needs no proof, if it is near. */
static uint32_t winner_without_proof(struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_winner(trial), way = best;

    while (trial->ways[way].is_long && needs_proof(trial, way)) {
        trial->ways[way].is_eliminated = true;
        way                            = pipeline_ways_winner(trial);
    }
    return pipeline_way_is_within(trial, way, best, PIPELINE_WAYS_NEAR) ? way : best;
}

/* Whether a way was fast for a time and slow then. */
static bool has_any_failed(const struct pipeline_trial *trial)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (trial->ways[i].is_proven)
            return true;
    return false;
}

static void begin(struct pipeline_trial *trial, uint32_t way, uint64_t tokens)
{
    trial->phase         = PIPELINE_TRIAL_PROVES;
    trial->is_proof_long = trial->ways[way].is_long;
    trial->proof_tokens  = (uint32_t)tokens;
    pipeline_ways_begin_turn(trial, way);
}

void pipeline_proof_begin(struct pipeline_trial *trial, uint32_t way)
{
    uint64_t tokens = pipeline_ways_left(trial) / PIPELINE_WAYS_DOUBT;

    if (!needs_proof(trial, way))
        pipeline_ways_keep(trial, way);
    else if (tokens != 0)
        begin(trial, way, tokens);
    else if (!trial->ways[way].is_long && has_any_failed(trial))
        begin(trial, way, UINT32_MAX);
    else
        pipeline_ways_keep(trial, winner_without_proof(trial));
}

/* Several stretches in a row tell early that a way is not what it seemed. */
static bool has_failed(const struct pipeline_trial *trial)
{
    const struct pipeline_trial_way *way = &trial->ways[trial->current];
    uint32_t other                       = pipeline_ways_best_but(trial, trial->current);
    uint32_t in_a_row                    = trial->is_proof_long ? PROOF_LONG_LAST : PROOF_FAILED;
    uint32_t per_cent                    = trial->is_proof_long ? PROVEN_LONG : PIPELINE_WAYS_PROVEN;
    uint64_t most = other != trial->count ? pipeline_trial_result(trial, other) * per_cent / 100 : 0;

    if (most == 0 || way->count < in_a_row)
        return false;
    for (uint32_t i = 1; i <= in_a_row; i++)
        if (way->ns[way->count - i] <= most)
            return false;
    return true;
}

static bool has_cost_all(const struct pipeline_trial *trial)
{
    return pipeline_ways_turn(trial) >= trial->proof_tokens;
}

bool pipeline_proof_is_over(const struct pipeline_trial *trial)
{
    if (has_failed(trial) || has_cost_all(trial) || trial->stretches == PIPELINE_TRIAL_SAMPLES)
        return true;
    if (!trial->is_proof_long)
        return trial->stretches == PROOF;
    uint32_t least = trial->turn_last - trial->turn_began >= PROOF_LONG_NS ? PROOF_LONG_LEAST : PROOF_LONG;
    return trial->turn_tokens >= least;
}

static bool is_far_throughout(const struct pipeline_trial_way *way, uint64_t best)
{
    for (uint32_t i = 0; i < way->count; i++)
        if (way->ns[i] <= best * PIPELINE_WAYS_NEAR / 100)
            return false;
    return true;
}

/* Of a candidate that turns out far slower: with other slots it seemed fast for the same reason. */
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
    if (has_cost_all(trial) && !has_failed(trial)) {
        pipeline_ways_keep(trial, trial->current);
        return;
    }
    /* what it has become counts, not how it began */
    if (trial->is_proof_long || has_failed(trial))
        pipeline_way_keep_last(way, trial->is_proof_long ? PROOF_LONG_LAST : PROOF_FAILED);
    else
        pipeline_way_keep_last(way, PROOF_LAST);
    uint32_t best = pipeline_ways_best(trial);
    if (pipeline_way_is_within(trial, trial->current, best,
                               way->is_long ? PROVEN_LONG : PIPELINE_WAYS_PROVEN)) {
        pipeline_ways_keep(trial, trial->current);
        return;
    }
    if (trial->is_proof_long && is_far_throughout(way, pipeline_trial_result(trial, best)))
        give_up_candidate(trial, way->candidate);
    revive_near(trial);
    pipeline_proof_begin(trial, pipeline_ways_winner(trial));
}
