/* Pipelines: which of several ways to put tokens on a device is the fastest?
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/trial.h"

#include <string.h>

/* Rounds of all ways, then as many of those that are near the best. Of long tokens one does. */
#define ROUNDS 2
#define ROUNDS_LONG 1

/* At the beginning of a turn, in multiples of the depth: those that do not count. */
#define SETTLE_DEPTHS 2

/* The first turn begins to count no sooner than this: devices raise their clocks when they get work. */
#define WARM_NS UINT64_C(10000000)

/* A stretch is a multiple of the depth, since tokens are enqueued in bunches of up to that many, and long enough for a bunch more or
 * less to matter little. A turn has three, or one that takes long. */
#define STRETCH_DEPTHS 4
#define STRETCH_NS UINT64_C(300000)
#define STRETCH_LONG_NS UINT64_C(2000000)
#define STRETCHES 3

/* In per cent of the fastest: who takes longer after the first rounds is left behind; who is no slower in the end is as good. */
#define NEAR 125
#define SAME 103

/* Who wins goes on for so many stretches more, and then has to show for as many that it was no passing thing: in per cent of the
 * fastest of the others. */
#define PROOF_SETTLE 6
#define PROOF 6
#define PROVEN 110

/* So many runs in a row that were too short for a single stretch. */
#define MISSES_MOST 64

/* ---- results ----------------------------------------------------------------------------------- */

static uint64_t mean_of(const struct core_trial_way *way)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < way->count; i++)
        sum += way->ns[i];
    return sum / way->count;
}

/* The upper end of so many thirds of the stretches, the fastest first. */
static uint64_t thirds_of(const struct core_trial_way *way, uint32_t thirds)
{
    uint64_t sorted[CORE_TRIAL_SAMPLES] = {0};

    for (uint32_t i = 0; i < way->count; i++) {
        uint32_t place = i;
        for (; place > 0 && sorted[place - 1] > way->ns[i]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = way->ns[i];
    }
    return sorted[(way->count - 1) * thirds / 3];
}

uint64_t core_trial_result(const struct core_trial *trial, uint32_t way)
{
    const struct core_trial_way *own = &trial->ways[way];

    if (own->count == 0)
        return 0;
    return (own->is_long ? mean_of(own) : thirds_of(own, 1)) + 1;
}

/* What it takes when it does badly: long stretches do not tell. */
static uint64_t slow_result(const struct core_trial_way *way)
{
    return way->is_long ? 0 : thirds_of(way, 2);
}

/* Of those that go on; `count` where nothing is known. */
static uint32_t find_best(const struct core_trial *trial)
{
    uint32_t best = trial->count;

    for (uint32_t i = 0; i < trial->count; i++) {
        uint64_t result = core_trial_result(trial, i);
        if (trial->ways[i].out || result == 0)
            continue;
        if (best == trial->count || result < core_trial_result(trial, best))
            best = i;
    }
    return best;
}

static int32_t is_near(uint64_t result, uint64_t best, uint64_t percent)
{
    return result <= best / 100 * percent + percent;
}

static int32_t is_within(const struct core_trial *trial, uint32_t way, uint32_t best, uint64_t percent)
{
    uint64_t result = core_trial_result(trial, way);
    return result != 0 && is_near(result, core_trial_result(trial, best), percent);
}

/* Also when it does badly: one that is fast now and then is not as good as one that always is. */
static int32_t is_as_good(const struct core_trial *trial, uint32_t way, uint32_t best)
{
    return is_within(trial, way, best, SAME) &&
           is_near(slow_result(&trial->ways[way]), slow_result(&trial->ways[best]), SAME);
}

/* The first that is as good as the fastest; the very first where nothing is known. */
static uint32_t find_winner(const struct core_trial *trial)
{
    uint32_t best = find_best(trial), way = 0;

    if (best == trial->count)
        return 0;
    while (trial->ways[way].out || !is_as_good(trial, way, best))
        way++;
    return way;
}

static void conclude(struct core_trial *trial, uint32_t way)
{
    trial->over    = 1;
    trial->current = way;
}

static int32_t is_alone(const struct core_trial *trial, uint32_t way)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (i != way && !trial->ways[i].out)
            return 0;
    return 1;
}

/* Long stretches are few, and say what they have to say. */
static void prove(struct core_trial *trial, uint32_t way)
{
    if (trial->ways[way].is_long || trial->ways[way].proven || is_alone(trial, way)) {
        conclude(trial, way);
        return;
    }
    trial->tokens  = way == trial->current ? SETTLE_DEPTHS * trial->depth : 0;
    trial->current = way;
    trial->proving = 1;
}

/* Each is asked once at most. */
static void end_proof(struct core_trial *trial)
{
    trial->ways[trial->current].proven = 1;
    if (is_within(trial, trial->current, find_best(trial), PROVEN))
        conclude(trial, trial->current);
    else
        prove(trial, find_winner(trial));
}

/* ---- turns ------------------------------------------------------------------------------------- */

/* Who is near the best goes on. 0: there is nothing left to find out. */
static int32_t leave_behind(struct core_trial *trial)
{
    uint32_t best = find_best(trial), others = 0;

    for (uint32_t i = 0; i < trial->count; i++) {
        trial->ways[i].out = !is_within(trial, i, best, NEAR);
        others += i != best && !trial->ways[i].out;
    }
    return others != 0;
}

/* There in even rounds, back in odd ones. The number of ways where none is left in this one. */
static uint32_t next_of_round(const struct core_trial *trial, uint32_t after)
{
    uint32_t way = after;

    do
        way = trial->round % 2 == 0 ? way + 1 : way - 1; /* below zero is far above the count */
    while (way < trial->count && trial->ways[way].out);
    return way < trial->count ? way : trial->count;
}

static uint32_t first_of_round(const struct core_trial *trial)
{
    return next_of_round(trial, trial->round % 2 == 0 ? UINT32_MAX : trial->count);
}

static uint32_t rounds_of(const struct core_trial *trial)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (!trial->ways[i].is_long)
            return ROUNDS;
    return ROUNDS_LONG;
}

static void next_turn(struct core_trial *trial)
{
    uint32_t way = next_of_round(trial, trial->current);

    trial->taken = trial->tokens = 0;
    if (trial->proving) {
        end_proof(trial);
        return;
    }
    if (way != trial->count) {
        trial->current = way;
        return;
    }
    uint32_t rounds = rounds_of(trial);
    trial->round++;
    if (trial->round >= 2 * rounds || (trial->round == rounds && !leave_behind(trial))) {
        prove(trial, find_winner(trial));
        return;
    }
    /* The last of a round is the first of the next: it has settled. */
    uint32_t first = first_of_round(trial);
    if (first == trial->current)
        trial->tokens = SETTLE_DEPTHS * trial->depth;
    trial->current = first;
}

/* ---- tokens ------------------------------------------------------------------------------------ */

void core_trial_begin(struct core_trial *trial, uint32_t count)
{
    memset(trial, 0, sizeof(*trial));
    trial->count = count;
    trial->over  = count == 1;
}

void core_trial_interrupt(struct core_trial *trial)
{
    if (trial->over)
        return;
    trial->tokens = 0;
    if (++trial->misses > MISSES_MOST)
        conclude(trial, trial->proving ? trial->current : find_winner(trial));
}

int32_t core_trial_timing(const struct core_trial *trial, uint32_t depth)
{
    return !trial->over && trial->tokens >= depth;
}

static int32_t is_settled(const struct core_trial *trial, uint32_t number, uint64_t now)
{
    if (number < SETTLE_DEPTHS * trial->depth)
        return 0;
    return trial->round != 0 || trial->current != 0 || trial->ways[0].count != 0 ||
           now - trial->began >= WARM_NS;
}

/* The tokens counted so far are of this stretch, whatever comes. */
static void keep(struct core_trial *trial, uint64_t now)
{
    trial->stretch_ns += now - trial->begin;
    trial->stretch_tokens += trial->counted;
    trial->counted = 0;
    trial->begin   = now;
}

static int32_t is_stretch(const struct core_trial *trial)
{
    return trial->stretch_tokens >= STRETCH_DEPTHS * trial->depth && trial->stretch_ns >= STRETCH_NS;
}

/* The way's stretches of before count no more once it shows the first one that is to prove it. */
static void take(struct core_trial *trial, uint32_t is_long)
{
    struct core_trial_way *way = &trial->ways[trial->current];

    if (trial->proving && trial->taken < PROOF_SETTLE)
        return;
    if (trial->proving && trial->taken == PROOF_SETTLE)
        way->count = 0;
    /* One that was held up among short ones is not one of a way with long ones. */
    way->is_long          = is_long && (way->count == 0 || way->is_long);
    way->ns[way->count++] = trial->stretch_ns / trial->stretch_tokens;
}

static void note(struct core_trial *trial)
{
    uint32_t is_long   = trial->stretch_ns >= STRETCH_LONG_NS;
    uint32_t stretches = trial->proving ? PROOF_SETTLE + PROOF : STRETCHES;

    take(trial, is_long);
    trial->misses         = 0;
    trial->stretch_ns     = 0;
    trial->stretch_tokens = 0;
    if (++trial->taken == stretches || (is_long && !trial->proving))
        next_turn(trial);
}

uint32_t core_trial_next(struct core_trial *trial, uint32_t depth, uint64_t now)
{
    if (trial->over)
        return trial->current;
    if (trial->began == 0)
        trial->began = now;
    if (trial->depth != depth)
        trial->tokens = trial->stretch_tokens = trial->stretch_ns = 0;
    trial->depth    = depth;
    uint32_t number = trial->tokens++;
    if (!is_settled(trial, number, now)) {
        trial->counted = 0;
        trial->begin   = 0;
        return trial->current;
    }
    if (trial->begin == 0) {
        trial->begin = now;
        return trial->current;
    }
    if (++trial->counted % trial->depth != 0)
        return trial->current;
    keep(trial, now);
    if (is_stretch(trial)) {
        note(trial);
        trial->begin = trial->tokens != 0 ? now : 0;
        trial->tokens += trial->tokens == 0;
    }
    return trial->current;
}
