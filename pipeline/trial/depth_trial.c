/* The trial of how many slots are in use; depth_trial.h describes it.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/depth_trial.h"

/* Rounds of all numbers of slots, and in the end of those near the best alone. Only few tokens are slow,
 * because far ones are left out early, so all rounds cost less than 64 tokens. */
#define ROUNDS 5u
#define ROUNDS_OF_ALL 2u

/* In per cent of the fastest: slower ones are left out. */
#define NEAR 120u

#define TURN_TOKENS 10u

/* At the beginning of a turn, tokens that the turn before had begun, and that meet cold caches. */
#define SETTLE_MOST 5u

/* Fewer slots stay if they take no more than so many per cent of the time with all of them. */
#define FASTER 98u

/* Runs without a whole trial after which it is given up. */
#define ATTEMPTS_MOST 64u

void pipeline_depth_trial_begin(struct pipeline_depth_trial *trial, uint32_t depth)
{
    *trial = (struct pipeline_depth_trial){.slots = {depth}, .ways = 1};
    if (depth > 2)
        trial->slots[trial->ways++] = 2;
    if (depth > 1)
        trial->slots[trial->ways++] = 1;
    trial->is_over = trial->ways == 1;
}

static void conclude(struct pipeline_depth_trial *trial)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < trial->ways; i++)
        if (trial->ns[i] != 0 && trial->ns[i] <= trial->ns[0] / 100 * FASTER &&
            (best == 0 || trial->ns[i] < trial->ns[best]))
            best = i;
    trial->way     = best;
    trial->is_over = true;
}

void pipeline_depth_trial_interrupt(struct pipeline_depth_trial *trial)
{
    trial->tokens = 0;
    if (!trial->is_over && ++trial->attempts > ATTEMPTS_MOST)
        conclude(trial);
}

/* False: a single one is left. */
static bool leave_out_slow(struct pipeline_depth_trial *trial)
{
    uint64_t least = trial->ns[0];
    uint32_t left  = 0;

    for (uint32_t i = 1; i < trial->ways; i++)
        least = trial->ns[i] < least ? trial->ns[i] : least;
    for (uint32_t i = 0; i < trial->ways; i++) {
        trial->is_left_out[i] = trial->ns[i] > least / 100 * NEAR;
        left += !trial->is_left_out[i];
    }
    return left > 1;
}

static bool begin_round(struct pipeline_depth_trial *trial)
{
    trial->turns = 0;
    trial->round++;
    return trial->round < ROUNDS_OF_ALL || (trial->round < ROUNDS && leave_out_slow(trial));
}

/* Forward in one round, backward in the next. */
static void next_turn(struct pipeline_depth_trial *trial)
{
    trial->tokens = 0;
    do {
        if (++trial->turns == trial->ways && !begin_round(trial)) {
            conclude(trial);
            return;
        }
        trial->way = trial->round % 2 == 0 ? trial->turns : trial->ways - 1 - trial->turns;
    } while (trial->is_left_out[trial->way]);
}

uint32_t pipeline_depth_trial_next(struct pipeline_depth_trial *trial, uint64_t now)
{
    uint32_t settle = trial->slots[0] < SETTLE_MOST ? trial->slots[0] : SETTLE_MOST;

    if (trial->is_over)
        return trial->slots[trial->way];
    trial->tokens++;
    if (trial->tokens == settle)
        trial->begin = now;
    if (trial->tokens == TURN_TOKENS) {
        uint64_t took = (now - trial->begin) / (TURN_TOKENS - settle) + 1;
        if (trial->ns[trial->way] == 0 || took < trial->ns[trial->way])
            trial->ns[trial->way] = took;
        next_turn(trial);
    }
    return trial->slots[trial->way];
}
