/* Turns and rounds of a trial of strategies: which way has the next turn, and when one has won.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/rounds.h"

#include <string.h>

/* Tokens of the best way that the trial may cost: what its tokens take longer than those of the best would
 * have. So much is left of 64 for turns that turn out dearer than was known before. */
#define COST_MOST (52 * PIPELINE_WAYS_TOKEN)

/* No second look follows that would make it more. */
#define COST_AGAIN (40 * PIPELINE_WAYS_TOKEN)

/* Rounds behind the looks, and then as many of the ways near the best. Where stretches are long, the looks
 * are the first round. */
#define ROUNDS 2
#define ROUNDS_LONG 1

/* In per cent of the fastest: ways beyond NEAR are eliminated. */
#define NEAR 125

/* What the short stretches of a proof may take, in per cent of the fastest other way. */
#define PROVEN 110

/* Fewer slots are compared where so many are left. */
#define SLOTS_LEAST 2

/* A look has fewer, but no fewer than so many, where they are short, or show that the way is far off. */
#define LOOK_SLOTS 2
#define LOOK_TOKENS 8

/* ---- the winner ---------------------------------------------------------------------------------- */

uint32_t pipeline_rounds_look(uint32_t slots)
{
    return LOOK_SLOTS * slots > LOOK_TOKENS ? LOOK_SLOTS * slots : LOOK_TOKENS;
}

void pipeline_rounds_conclude(struct pipeline_trial *trial, uint32_t way)
{
    trial->is_over = true;
    trial->current = way;
}

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

void pipeline_rounds_prove(struct pipeline_trial *trial, uint32_t way)
{
    if (trial->ways[way].count == 0 || trial->ways[way].is_proven || is_trusted(&trial->ways[way]) ||
        is_alone(trial, way)) {
        pipeline_rounds_conclude(trial, way);
        return;
    }
    trial->tokens        = way == trial->current ? SETTLE_DEPTHS * trial->depth : 0;
    trial->current       = way;
    trial->phase         = PIPELINE_TRIAL_PROVES;
    trial->is_proof_long = trial->ways[way].is_long;
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
        trial->ways[i].is_eliminated |= !pipeline_way_is_within(trial, i, best, NEAR);
}

/* Each way is confirmed at most once. */
static void end_proof(struct pipeline_trial *trial)
{
    struct pipeline_trial_way *way = &trial->ways[trial->current];

    way->is_proven = true;
    if (trial->is_proof_long)
        keep_last(way, PROOF_LAST);
    uint32_t best = pipeline_ways_best(trial);
    if (pipeline_way_is_within(trial, trial->current, best, way->is_long ? PROVEN_LONG : PROVEN)) {
        pipeline_rounds_conclude(trial, trial->current);
        return;
    }
    revive_near(trial);
    pipeline_rounds_prove(trial, pipeline_ways_winner(trial));
}

/* ---- turns ---------------------------------------------------------------------------------- */

/* Eliminates ways that are far from the best. False: only one is left. */
static bool eliminate_slow(struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_best(trial), others = 0;

    for (uint32_t i = 0; i < trial->count; i++) {
        struct pipeline_trial_way *way = &trial->ways[i];
        way->is_eliminated |= !pipeline_way_is_within(trial, i, best, NEAR);
        others += i != best && !way->is_eliminated;
    }
    return others != 0;
}

static void add_with_fewer(struct pipeline_trial *trial, const struct pipeline_trial_way *all)
{
    trial->ways[trial->count++] =
        (struct pipeline_trial_way){.candidate = all->candidate, .fewer = 1, .is_long = all->is_long};
}

/* The fastest of the candidates with one slot less as well. False: all slots stay in use. */
static bool add_fewer_slots(struct pipeline_trial *trial)
{
    uint32_t count = trial->count, first = pipeline_ways_best(trial),
             second = pipeline_ways_best_but(trial, first);

    if (!trial->rests || trial->depth <= SLOTS_LEAST || first == count || trial->ways[count - 1].fewer != 0)
        return false;
    add_with_fewer(trial, &trial->ways[first]);
    if (second != count)
        add_with_fewer(trial, &trial->ways[second]);
    return true;
}

/* After the first rounds. False: only one way is left. */
static bool go_on_with_near(struct pipeline_trial *trial)
{
    bool are_several = eliminate_slow(trial);

    return add_fewer_slots(trial) || are_several;
}

static bool is_all_long(const struct pipeline_trial *trial)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (!trial->ways[i].is_long)
            return false;
    return true;
}

/* Of a turn with a single look. */
static uint64_t least_cost(const struct pipeline_trial *trial, uint32_t way)
{
    uint32_t look = pipeline_rounds_look(trial->depth - trial->ways[way].fewer);
    return (uint64_t)pipeline_way_excess(trial, way) * (SETTLE_DEPTHS * trial->depth + look);
}

/* What a turn may cost: what is left, in equal parts for the turns that follow but those of the best. */
uint64_t pipeline_rounds_allowed_cost(const struct pipeline_trial *trial)
{
    uint32_t last = trial->last_round != 0 ? trial->last_round : trial->round + 2 * ROUNDS, others = 0;

    for (uint32_t i = 0; i < trial->count; i++)
        others += !trial->ways[i].is_eliminated;
    uint64_t turns = (uint64_t)(last - trial->round) * (others > 2 ? others - 1 : 1);
    return trial->spent < COST_MOST ? (COST_MOST - trial->spent) / turns : 0;
}

/* Whether the way has a turn in this round. */
static bool has_turn(const struct pipeline_trial *trial, uint32_t way)
{
    if (trial->phase == PIPELINE_TRIAL_AGAIN)
        return trial->ways[way].is_looked_at;
    if (trial->ways[way].is_eliminated)
        return false;
    return trial->phase != PIPELINE_TRIAL_ROUNDS || trial->ways[way].count == 0 ||
           least_cost(trial, way) <= pipeline_rounds_allowed_cost(trial);
}

/* Forward in even rounds, backward in odd ones. `count` at the end of a round. */
static uint32_t next_of_round(const struct pipeline_trial *trial, uint32_t after)
{
    uint32_t way = after;

    do
        /* below zero is far above the count */
        way = trial->round % 2 == 0 ? way + 1 : way - 1;
    while (way < trial->count && !has_turn(trial, way));
    return way < trial->count ? way : trial->count;
}

static uint32_t first_of_round(const struct pipeline_trial *trial)
{
    return next_of_round(trial, trial->round % 2 == 0 ? UINT32_MAX : trial->count);
}

/* Looks again at those that seemed slow, the nearest first, as far as that costs little. A device that was
 * still cold, or stood still for a moment, may have made them seem so. False: at none. */
static bool look_again(struct pipeline_trial *trial)
{
    uint64_t cost  = trial->spent;
    bool are_there = false;

    for (;;) {
        uint32_t nearest = trial->count;
        for (uint32_t i = 0; i < trial->count; i++)
            if (trial->ways[i].is_eliminated && !trial->ways[i].is_given_up && !trial->ways[i].is_looked_at &&
                (nearest == trial->count || trial->ways[i].excess < trial->ways[nearest].excess))
                nearest = i;
        if (nearest == trial->count || cost + least_cost(trial, nearest) > COST_AGAIN)
            return are_there;
        cost += least_cost(trial, nearest);
        trial->ways[nearest].is_looked_at = are_there = true;
    }
}

/* The best so far goes on until the device is warm. What was measured before is forgotten of those that
 * stay. */
static void begin_to_warm(struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_best(trial);

    for (uint32_t i = 0; i < trial->count; i++)
        trial->ways[i].excess = pipeline_way_excess(trial, i);
    for (uint32_t i = 0; i < trial->count; i++)
        if (!trial->ways[i].is_eliminated)
            trial->ways[i].count = 0;
    trial->phase   = PIPELINE_TRIAL_WARMS;
    trial->tokens  = best == trial->current ? SETTLE_DEPTHS * trial->depth : 0;
    trial->current = best;
}

static void end_second_looks(struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_best(trial);

    for (uint32_t i = 0; i < trial->count; i++)
        if (trial->ways[i].is_looked_at)
            trial->ways[i].is_eliminated = !pipeline_way_is_within(trial, i, best, NEAR);
    trial->phase = PIPELINE_TRIAL_ROUNDS;
}

/* After a round. */
static bool is_at_end(struct pipeline_trial *trial)
{
    uint32_t rounds = trial->is_long ? ROUNDS_LONG : 1 + ROUNDS;

    if (trial->last_round != 0)
        return trial->round >= trial->last_round;
    if (trial->round < rounds)
        return false;
    trial->last_round = trial->round + (rounds == ROUNDS_LONG ? ROUNDS_LONG : ROUNDS);
    return !go_on_with_near(trial);
}

/* The last of a round may also be the first of the next, so it has settled. */
static void begin_round(struct pipeline_trial *trial)
{
    uint32_t first = first_of_round(trial);

    if (first == trial->count) {
        pipeline_rounds_prove(trial, pipeline_ways_winner(trial));
        return;
    }
    if (first == trial->current)
        trial->tokens = SETTLE_DEPTHS * trial->depth;
    trial->current = first;
}

/* Behind the looks and, where tokens are short, a first round. True: the device is to be warm now. */
static bool ends_cold(struct pipeline_trial *trial)
{
    if (trial->round == 1 && !trial->is_long)
        go_on_with_near(trial);
    return trial->round == 2 && !trial->is_long;
}

static void end_round(struct pipeline_trial *trial)
{
    if (trial->phase == PIPELINE_TRIAL_AGAIN) {
        end_second_looks(trial);
        begin_round(trial);
        return;
    }
    if (trial->round++ == 0)
        trial->is_long = is_all_long(trial);
    trial->phase = PIPELINE_TRIAL_ROUNDS;
    if (ends_cold(trial))
        begin_to_warm(trial);
    else if (is_at_end(trial))
        pipeline_rounds_prove(trial, pipeline_ways_winner(trial));
    else
        begin_round(trial);
}

/* way: the next of this round. */
static void go_on_with(struct pipeline_trial *trial, uint32_t way)
{
    if (trial->phase == PIPELINE_TRIAL_WARMS && trial->ways[trial->current].is_eliminated) {
        trial->current = pipeline_ways_winner(trial);
    } else if (trial->phase == PIPELINE_TRIAL_WARMS) {
        trial->phase = PIPELINE_TRIAL_AGAIN;
        if (!look_again(trial))
            end_second_looks(trial);
        begin_round(trial);
    } else if (way != trial->count) {
        trial->current = way;
    } else {
        end_round(trial);
    }
}

void pipeline_rounds_next_turn(struct pipeline_trial *trial)
{
    trial->stretches = trial->tokens = 0;
    trial->turn_began                = 0;
    trial->repeats                   = 0;
    if (trial->phase == PIPELINE_TRIAL_PROVES) {
        end_proof(trial);
        return;
    }
    uint32_t way = next_of_round(trial, trial->current);
    if (trial->phase != PIPELINE_TRIAL_LOOKS || way == trial->count)
        pipeline_ways_charge(trial);
    go_on_with(trial, way);
    trial->is_lead = trial->current == pipeline_ways_best(trial);
}
