/* The results of ways, which of them is the best, and what they cost.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/ways.h"

#include <string.h>

/* In per cent of the fastest: ways within it count as equally fast. */
#define SAME 101

static uint64_t mean_of(const struct pipeline_trial_way *way)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < way->count; i++)
        sum += way->ns[i];
    return sum / way->count;
}

/* The upper end of so many thirds of the stretches, fastest first. */
static uint64_t thirds_of(const struct pipeline_trial_way *way, uint32_t thirds)
{
    uint64_t sorted[PIPELINE_TRIAL_SAMPLES] = {0};

    for (uint32_t i = 0; i < way->count; i++) {
        uint32_t position = i;
        for (; position > 0 && sorted[position - 1] > way->ns[i]; position--)
            sorted[position] = sorted[position - 1];
        sorted[position] = way->ns[i];
    }
    return sorted[(way->count - 1) * thirds / 3];
}

uint64_t pipeline_trial_result(const struct pipeline_trial *trial, uint32_t way)
{
    const struct pipeline_trial_way *own = &trial->ways[way];

    if (own->count == 0)
        return 0;
    return (own->is_long ? mean_of(own) : thirds_of(own, 1)) + 1;
}

/* Its result in slower stretches; long stretches do not tell. */
static uint64_t slow_result(const struct pipeline_trial_way *way)
{
    return way->is_long ? 0 : thirds_of(way, 2);
}

uint32_t pipeline_ways_best(const struct pipeline_trial *trial)
{
    uint32_t best = trial->count;

    for (uint32_t i = 0; i < trial->count; i++) {
        uint64_t result = pipeline_trial_result(trial, i);
        if (trial->ways[i].is_eliminated || result == 0)
            continue;
        if (best == trial->count || result < pipeline_trial_result(trial, best))
            best = i;
    }
    return best;
}

static bool is_near(uint64_t result, uint64_t best, uint64_t percent)
{
    return result <= best * percent / 100 + 1;
}

bool pipeline_way_is_within(const struct pipeline_trial *trial, uint32_t way, uint32_t best, uint64_t percent)
{
    uint64_t result = best != trial->count ? pipeline_trial_result(trial, way) : 0;
    return result != 0 && is_near(result, pipeline_trial_result(trial, best), percent);
}

/* In slower stretches too: a candidate that is fast only at times is not as good as a steady one. */
static bool is_as_good(const struct pipeline_trial *trial, uint32_t way, uint32_t best)
{
    return pipeline_way_is_within(trial, way, best, SAME) &&
           is_near(slow_result(&trial->ways[way]), slow_result(&trial->ways[best]), SAME);
}

uint32_t pipeline_ways_winner(const struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_best(trial), way = 0;

    if (best == trial->count)
        return pipeline_ways_best_but(trial, best);
    while (trial->ways[way].is_eliminated || !is_as_good(trial, way, best))
        way++;
    return way;
}

/* With a token that takes `result`. */
static uint32_t excess_of(const struct pipeline_trial *trial, uint32_t way, uint64_t result)
{
    uint32_t best = pipeline_ways_best(trial);
    uint64_t fast = best != trial->count ? pipeline_trial_result(trial, best) : 0;

    if (result == 0 || fast == 0 || trial->ways[way].is_cold)
        return trial->ways[way].excess;
    uint64_t excess = result > fast ? (result - fast) * PIPELINE_WAYS_TOKEN / fast : 0;
    return excess < PIPELINE_WAYS_EXCESS_MOST ? (uint32_t)excess : PIPELINE_WAYS_EXCESS_MOST;
}

uint32_t pipeline_way_excess(const struct pipeline_trial *trial, uint32_t way)
{
    return excess_of(trial, way, pipeline_trial_result(trial, way));
}

/* A pause in one of its stretches is no fault of the way. */
static uint32_t least_excess(const struct pipeline_trial *trial, uint32_t way)
{
    const struct pipeline_trial_way *own = &trial->ways[way];
    uint64_t least                       = own->count != 0 ? own->ns[0] : 0;

    for (uint32_t i = 1; i < own->count; i++)
        least = own->ns[i] < least ? own->ns[i] : least;
    return excess_of(trial, way, own->is_long ? least : pipeline_trial_result(trial, way));
}

uint64_t pipeline_ways_spent(const struct pipeline_trial *trial)
{
    uint64_t spent = trial->spent;

    for (uint32_t i = 0; i < trial->count; i++)
        spent += (uint64_t)trial->ways[i].tokens * least_excess(trial, i);
    return spent;
}

void pipeline_ways_charge(struct pipeline_trial *trial)
{
    trial->spent  = pipeline_ways_spent(trial);
    trial->before = 0;
    for (uint32_t i = 0; i < trial->count; i++)
        trial->ways[i].tokens = 0;
}

uint64_t pipeline_ways_left(const struct pipeline_trial *trial)
{
    uint64_t spent = pipeline_ways_spent(trial);

    return spent < PIPELINE_WAYS_COST_MOST ? PIPELINE_WAYS_COST_MOST - spent : 0;
}

uint32_t pipeline_ways_turn(const struct pipeline_trial *trial)
{
    return trial->ways[trial->current].tokens - trial->before;
}

void pipeline_ways_begin_turn(struct pipeline_trial *trial, uint32_t way)
{
    trial->tokens  = way == trial->current ? SETTLE_DEPTHS * trial->depth : 0;
    trial->current = way;
    trial->before  = trial->ways[way].tokens;
    trial->lead    = pipeline_ways_best(trial);
}

void pipeline_way_keep_last(struct pipeline_trial_way *way, uint32_t count)
{
    if (way->count <= count)
        return;
    memmove(way->ns, way->ns + way->count - count, count * sizeof(way->ns[0]));
    way->count = count;
}

void pipeline_ways_keep(struct pipeline_trial *trial, uint32_t way)
{
    trial->is_over = true;
    trial->current = way;
}

uint32_t pipeline_ways_best_but(const struct pipeline_trial *trial, uint32_t but)
{
    uint32_t best = trial->count;

    for (uint32_t i = 0; i < trial->count; i++)
        if (i != but && !trial->ways[i].is_eliminated &&
            (best == trial->count || pipeline_way_excess(trial, i) < pipeline_way_excess(trial, best)))
            best = i;
    return best;
}
