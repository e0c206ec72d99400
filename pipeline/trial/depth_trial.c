/* The trial of how many slots are in use; depth_trial.h describes it.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/depth_trial.h"

/* Rounds of short turns, in which numbers of slots that are very slow show it before they cost much. */
#define SHORT_ROUNDS 2u

/* In per cent of the fastest: slower ones are left out after the short rounds, and after the first long
 * one. Memory that became cold while fewer slots were in use makes the first tokens of a turn up to 1.8 times
 * as long, and a short turn has few others. */
#define NEAR_SHORT 160u
#define NEAR_LONG 120u

/* Tokens of a turn that are timed, at least. As many as are in flight may end at once, so that they come in
 * bursts: whole bursts are timed, or two slots would seem a seventh faster than they are. In long turns the
 * median of the bursts counts, because other programs stop some. */
#define TIMED_SHORT 5u
#define TIMED_LONG 8u

/* At the beginning of a turn, tokens that the turn before had begun. */
#define SETTLE_MOST 5u

/* At the beginning of a long turn, bursts after those: the memory of slots that were not in use has to come
 * back into the caches. It took four bursts of 2 x 16 MiB until a token no longer became shorter. */
#define WARM_BURSTS 4u
#define WARM_MOST 12u

/* Fewer slots stay if they take no more than so many per cent of the shortest time: they need less of the
 * caches, which the program and others may have use for, and begin a run sooner. */
#define SAME 103u

/* One slot for several devices stays only if any other number takes so many per cent of its time or more. */
#define MUCH_FASTER 125u

/* Runs without a whole trial after which it is given up. */
#define ATTEMPTS_MOST 64u

/* Consecutive runs too short for a long turn after which what the short rounds saw decides. */
#define MISSES_MOST 4u

void pipeline_depth_trial_begin(struct pipeline_depth_trial *trial, uint32_t depth, uint32_t devices)
{
    *trial = (struct pipeline_depth_trial){.slots = {depth}, .ways = 1, .devices = devices};
    if (depth > 2 * devices)
        trial->slots[trial->ways++] = 2 * devices;
    if (depth > devices)
        trial->slots[trial->ways++] = devices;
    if (devices > 1)
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

/* The first of the rounds that count: once there are long ones, those alone. */
static uint32_t first_round(const struct pipeline_depth_trial *trial)
{
    return trial->round > SHORT_ROUNDS ? SHORT_ROUNDS : 0;
}

/* The time with a number of slots, in 1/1024 of the shortest time of its round: the median of the rounds that
 * have ended. UINT64_MAX: it is left out, or too few have. */
static uint64_t compare(const struct pipeline_depth_trial *trial, uint32_t way)
{
    uint64_t values[PIPELINE_DEPTH_ROUNDS];
    uint32_t count = 0;

    if (trial->is_left_out[way] || trial->round < SHORT_ROUNDS)
        return UINT64_MAX;
    for (uint32_t i = first_round(trial); i < trial->round; i++)
        values[count++] = (trial->took[way][i] << 10) / least_of(trial, i);
    return median(values, count);
}

static void note_times(struct pipeline_depth_trial *trial)
{
    uint64_t values[PIPELINE_DEPTH_ROUNDS];

    for (uint32_t way = 0; way < trial->ways; way++) {
        uint32_t count = 0;
        for (uint32_t i = trial->is_left_out[way] ? 0 : first_round(trial); i < trial->round; i++)
            if (trial->took[way][i] != 0)
                values[count++] = trial->took[way][i];
        trial->ns[way] = count != 0 ? median(values, count) : 0;
    }
}

static bool leaves_devices_idle(const struct pipeline_depth_trial *trial, uint32_t way)
{
    return trial->slots[way] < trial->devices;
}

/* least: of the numbers that leave no device idle; UINT64_MAX: all of these were left out. */
static bool is_good(const struct pipeline_depth_trial *trial, uint32_t way, uint64_t least)
{
    uint64_t took = compare(trial, way);

    if (took == UINT64_MAX || least == UINT64_MAX)
        return took != UINT64_MAX;
    return leaves_devices_idle(trial, way) ? took <= least * 100 / MUCH_FASTER : took <= least * SAME / 100;
}

/* The fewest slots of those that are as fast as the fastest. */
static void conclude(struct pipeline_depth_trial *trial)
{
    uint64_t least = UINT64_MAX;
    uint32_t best  = 0;

    for (uint32_t i = 0; i < trial->ways; i++)
        if (!leaves_devices_idle(trial, i) && compare(trial, i) < least)
            least = compare(trial, i);
    for (uint32_t i = 0; i < trial->ways; i++)
        if (is_good(trial, i, least))
            best = i;
    note_times(trial);
    trial->way     = best;
    trial->is_over = true;
}

void pipeline_depth_trial_interrupt(struct pipeline_depth_trial *trial)
{
    trial->tokens = 0;
    if (trial->is_over)
        return;
    trial->attempts++;
    trial->misses += trial->round >= SHORT_ROUNDS;
    if (trial->attempts > ATTEMPTS_MOST || trial->misses > MISSES_MOST)
        conclude(trial);
}

/* Whether it was far from the best in every round. */
static bool is_slow(const struct pipeline_depth_trial *trial, uint32_t way)
{
    uint64_t near = trial->round > SHORT_ROUNDS ? NEAR_LONG : NEAR_SHORT;

    for (uint32_t i = 0; i < trial->round; i++)
        if (trial->took[way][i] != 0 && trial->took[way][i] <= least_of(trial, i) / 100 * near)
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
    return trial->round < SHORT_ROUNDS || (trial->round < PIPELINE_DEPTH_ROUNDS && leave_out_slow(trial));
}

/* Forward in one round, backward in the next. */
static void next_turn(struct pipeline_depth_trial *trial)
{
    trial->tokens = 0;
    trial->misses = 0;
    do {
        if (++trial->turns == trial->ways && !begin_round(trial)) {
            conclude(trial);
            return;
        }
        trial->way = trial->round % 2 == 0 ? trial->turns : trial->ways - 1 - trial->turns;
    } while (trial->is_left_out[trial->way]);
}

/* Tokens that are timed together: a burst, or two. Bursts of more slots are not looked for: they would take
 * many tokens, and a deep pipeline loses little. */
static uint32_t stretch_of(const struct pipeline_depth_trial *trial)
{
    uint32_t slots = trial->slots[trial->way] > 0 ? trial->slots[trial->way] : 1;

    if (trial->round < SHORT_ROUNDS)
        return slots < TIMED_SHORT ? (TIMED_SHORT + slots - 1) / slots * slots : TIMED_SHORT;
    return slots == 1 ? 2 : slots < TIMED_LONG ? slots : TIMED_LONG;
}

static uint32_t stretches_of(const struct pipeline_depth_trial *trial, uint32_t stretch)
{
    return trial->round < SHORT_ROUNDS ? 1 : (TIMED_LONG + stretch - 1) / stretch;
}

static uint32_t settling_tokens(const struct pipeline_depth_trial *trial)
{
    uint32_t slots  = trial->slots[trial->way];
    uint32_t settle = trial->slots[0] < SETTLE_MOST ? trial->slots[0] : SETTLE_MOST;

    if (trial->round < SHORT_ROUNDS)
        return settle;
    return settle + (slots < WARM_MOST / WARM_BURSTS ? slots * WARM_BURSTS : WARM_MOST);
}

uint32_t pipeline_depth_trial_next(struct pipeline_depth_trial *trial, uint64_t now)
{
    uint32_t settle = settling_tokens(trial), stretch = stretch_of(trial);

    if (trial->is_over)
        return trial->slots[trial->way];
    trial->tokens++;
    if (trial->tokens > settle && (trial->tokens - settle) % stretch == 0) {
        trial->stretches[(trial->tokens - settle) / stretch - 1] = now - trial->begin;
        trial->begin                                             = now;
    }
    if (trial->tokens == settle)
        trial->begin = now;
    uint32_t count = stretches_of(trial, stretch);
    if (trial->tokens == settle + count * stretch) {
        trial->took[trial->way][trial->round] = median(trial->stretches, count) / stretch + 1;
        next_turn(trial);
    }
    return trial->slots[trial->way];
}
