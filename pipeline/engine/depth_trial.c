/* The trial of how many slots are in use; depth_trial.h describes it.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/depth_trial.h"

#define ROUNDS 2u
#define TURN_TOKENS (64u / (ROUNDS * PIPELINE_DEPTH_WAYS))

/* At the beginning of a turn, tokens that the turn before had begun, and that meet cold caches. */
#define SETTLE_MOST 5u

/* Fewer slots stay if they take no more than so many per cent of the time with all of them. */
#define FASTER 95u

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

/* Forward in the first round, backward in the second. */
static void next_turn(struct pipeline_depth_trial *trial)
{
    trial->tokens = 0;
    if (++trial->turns == ROUNDS * trial->ways) {
        conclude(trial);
        return;
    }
    uint32_t place = trial->turns % trial->ways;
    trial->way     = trial->turns < trial->ways ? place : trial->ways - 1 - place;
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
