/* The trial of how many slots are in use; depth_trial.h describes it.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/depth_trial.h"

/* Rounds of all numbers of slots, and in the end of those near the best alone. Only few tokens are slow,
 * because far ones are left out early, so all rounds cost less than 64 tokens. */
#define ROUNDS_OF_ALL 2u

/* In per cent of the fastest: slower ones are left out. */
#define NEAR 120u

/* Tokens of a turn that are timed, at least. As many as are in flight may end at once, so that they come in
 * bursts: a whole number of bursts is timed, or two slots would seem a seventh faster than they are. */
#define TIMED_TOKENS 5u

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

static uint64_t median(uint64_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = i; k > 0 && values[k] < values[k - 1]; k--) {
            uint64_t swapped = values[k];
            values[k]        = values[k - 1];
            values[k - 1]    = swapped;
        }
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The shortest time of a round. */
static uint64_t least_of(const struct pipeline_depth_trial *trial, uint32_t round)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < trial->ways; i++)
        if (trial->took[i][round] != 0 && trial->took[i][round] < least)
            least = trial->took[i][round];
    return least;
}

/* The time with a number of slots, in 1/1024 of the shortest time of its round: the median of the rounds that
 * have ended. UINT64_MAX: it is left out, or none has. */
static uint64_t compare(const struct pipeline_depth_trial *trial, uint32_t way)
{
    uint64_t values[PIPELINE_DEPTH_ROUNDS];

    if (trial->is_left_out[way] || trial->round == 0)
        return UINT64_MAX;
    for (uint32_t i = 0; i < trial->round; i++)
        values[i] = (trial->took[way][i] << 10) / least_of(trial, i);
    return median(values, trial->round);
}

static void note_times(struct pipeline_depth_trial *trial)
{
    uint64_t values[PIPELINE_DEPTH_ROUNDS];

    for (uint32_t way = 0; way < trial->ways; way++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < trial->round; i++)
            if (trial->took[way][i] != 0)
                values[count++] = trial->took[way][i];
        trial->ns[way] = count != 0 ? median(values, count) : 0;
    }
}

static void conclude(struct pipeline_depth_trial *trial)
{
    uint64_t all = compare(trial, 0), least = all != UINT64_MAX ? all * FASTER / 100 : all;
    uint32_t best = 0;

    for (uint32_t i = 1; i < trial->ways; i++) {
        uint64_t relation = compare(trial, i);
        if (relation > least || relation == UINT64_MAX)
            continue;
        best  = i;
        least = relation;
    }
    note_times(trial);
    trial->way     = best;
    trial->is_over = true;
}

void pipeline_depth_trial_interrupt(struct pipeline_depth_trial *trial)
{
    trial->tokens = 0;
    if (!trial->is_over && ++trial->attempts > ATTEMPTS_MOST)
        conclude(trial);
}

/* Whether it was far from the best in every round. */
static bool is_slow(const struct pipeline_depth_trial *trial, uint32_t way)
{
    for (uint32_t i = 0; i < trial->round; i++)
        if (trial->took[way][i] != 0 && trial->took[way][i] <= least_of(trial, i) / 100 * NEAR)
            return false;
    return true;
}

/* False: a single one is left. */
static bool leave_out_slow(struct pipeline_depth_trial *trial)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < trial->ways; i++) {
        trial->is_left_out[i] = trial->is_left_out[i] || is_slow(trial, i);
        left += !trial->is_left_out[i];
    }
    return left > 1;
}

static bool begin_round(struct pipeline_depth_trial *trial)
{
    trial->turns = 0;
    trial->round++;
    return trial->round < ROUNDS_OF_ALL || (trial->round < PIPELINE_DEPTH_ROUNDS && leave_out_slow(trial));
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

/* Bursts of more slots are not looked for: they would take many tokens, and a deep pipeline loses little. */
static uint32_t timed_tokens(uint32_t slots)
{
    return slots < TIMED_TOKENS ? (TIMED_TOKENS + slots - 1) / slots * slots : TIMED_TOKENS;
}

uint32_t pipeline_depth_trial_next(struct pipeline_depth_trial *trial, uint64_t now)
{
    uint32_t settle = trial->slots[0] < SETTLE_MOST ? trial->slots[0] : SETTLE_MOST;
    uint32_t timed  = timed_tokens(trial->slots[trial->way]);

    if (trial->is_over)
        return trial->slots[trial->way];
    trial->tokens++;
    if (trial->tokens == settle)
        trial->begin = now;
    if (trial->tokens == settle + timed) {
        trial->took[trial->way][trial->round] = (now - trial->begin) / timed + 1;
        next_turn(trial);
    }
    return trial->slots[trial->way];
}
