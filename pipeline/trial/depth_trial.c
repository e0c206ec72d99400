/* The trial of how many slots are in use; depth_trial.h describes it.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/depth_trial.h"

/* Rounds of short turns, in which numbers of slots that are very slow show it before they cost much. */
#define SHORT_ROUNDS 2u

/* In per cent of the fastest: slower ones are left out after the short rounds, and after each long one.
 * Memory that became cold while fewer slots were in use makes the first tokens of a turn up to 1.8 times as
 * long, and a short turn has few others; of tokens in scaled stretches all is warm at once. */
#define NEAR_SHORT 160u
#define NEAR_SCALED 130u
static const uint32_t near_long[] = {120, 112, 108, 106};
#define NEAR_LEAST 106u

/* A long turn's stretches take so long at least, or have so many times as many tokens. */
#define STRETCH_NS 10000u
#define SCALE_MOST 6u

/* The same where one slot less is tried alone. Its tokens fit into the caches anyway; which thread runs which
 * token decides, and that takes a hundred tokens to show. */
#define SCALE_ALONE 8u

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
#define SAME 102u

/* One slot for several devices stays only if any other number takes so many per cent of its time or more. */
#define MUCH_FASTER 125u

/* After the trial: tokens of a window; per cent of what the trial saw that are too much; windows in a row,
 * and nanoseconds of them, that show it; and how many times as many tokens have to pass until the next trial.
 * What keeps a program from a processor often lasts 50 ms. */
#define WINDOW 32u
#define FAR 125u
#define WINDOWS_SLOW 4u
#define SLOW_NS 100000000u
#define PATIENCE 256u
#define PATIENCE_GROWS 4u

/* A trial that confirms another: nanoseconds until the first; in per cent of what stayed, how near a turn was
 * of what is tried again; and its rounds. */
#define PAUSE_NS 100000000u
#define NEAR_AGAIN 108u
#define ROUNDS_AGAIN (SHORT_ROUNDS + 3)

/* Runs without a whole trial after which it is given up. */
#define ATTEMPTS_MOST 64u

/* Consecutive runs too short for a long turn after which what the short rounds saw decides. */
#define MISSES_MOST 4u

static void add_way(struct pipeline_depth_trial *trial, uint32_t slots)
{
    if (slots < trial->slots[trial->ways - 1])
        trial->slots[trial->ways++] = slots;
}

void pipeline_depth_trial_begin(struct pipeline_depth_trial *trial, uint32_t depth, uint32_t devices,
                                uint32_t fewest)
{
    *trial = (struct pipeline_depth_trial){
        .slots    = {depth},
        .ways     = 1,
        .devices  = devices,
        .fewest   = fewest,
        .patience = PATIENCE,
        .pause    = PAUSE_NS,
        .rounds   = PIPELINE_DEPTH_ROUNDS,
        .last     = UINT32_MAX,
    };
    if (fewest <= 2 && fewest < depth)
        add_way(trial, 2 * devices);
    if (fewest < depth)
        add_way(trial, fewest * devices);
    if (fewest < depth && devices > 1)
        add_way(trial, 1);
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
        if (count != 0)
            trial->ns[way] = median(values, count);
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
    uint32_t result = best == 0 ? 0 : trial->slots[best];
    trial->agreed   = result == trial->last ? trial->agreed + 1 : 0;
    trial->last     = result;
    trial->way      = best;
    trial->watched  = 0;
    trial->is_over  = true;
}

/* The runs are too short. What the trial before this one found stays. */
static void give_up(struct pipeline_depth_trial *trial)
{
    if (trial->last == UINT32_MAX) {
        conclude(trial);
        return;
    }
    trial->way = 0;
    for (uint32_t i = 0; i < trial->ways; i++)
        if (trial->slots[i] == trial->last)
            trial->way = i;
    trial->watched = 0;
    trial->is_over = true;
}

void pipeline_depth_trial_interrupt(struct pipeline_depth_trial *trial)
{
    trial->tokens  = 0;
    trial->watched = 0;
    trial->slow    = 0;
    if (trial->is_over)
        return;
    trial->attempts++;
    trial->misses += trial->round >= SHORT_ROUNDS;
    if (trial->attempts > ATTEMPTS_MOST || trial->misses > MISSES_MOST)
        give_up(trial);
}

/* How many times as many tokens a stretch of a long turn has. */
static uint32_t scale_of(const struct pipeline_depth_trial *trial)
{
    uint64_t least = UINT64_MAX;

    if (trial->fewest > 2)
        return SCALE_ALONE;
    for (uint32_t i = 0; i < SHORT_ROUNDS && i < trial->round; i++)
        least = least_of(trial, i) < least ? least_of(trial, i) : least;
    if (least == UINT64_MAX || least * TIMED_SHORT >= STRETCH_NS)
        return 1;
    uint64_t scale = STRETCH_NS / (least * TIMED_SHORT);
    return scale < SCALE_MOST ? (uint32_t)scale + 1 : SCALE_MOST;
}

/* Slower than so many per cent of the fastest in every round that has ended. */
static uint32_t near_of(const struct pipeline_depth_trial *trial)
{
    uint32_t count = sizeof(near_long) / sizeof(near_long[0]);

    if (trial->round <= SHORT_ROUNDS)
        return scale_of(trial) > 1 ? NEAR_SCALED : NEAR_SHORT;
    return trial->round - SHORT_ROUNDS <= count ? near_long[trial->round - SHORT_ROUNDS - 1] : NEAR_LEAST;
}

/* The shortest time of a round that a number of slots is near: with one slot for several devices, which has
 * to be much faster, other numbers need not be near. */
static uint64_t rival_of(const struct pipeline_depth_trial *trial, uint32_t way, uint32_t round)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < trial->ways; i++) {
        bool is_much  = leaves_devices_idle(trial, i) && !leaves_devices_idle(trial, way);
        uint64_t took = is_much ? trial->took[i][round] * MUCH_FASTER / 100 : trial->took[i][round];
        if (took != 0 && took < least)
            least = took;
    }
    return least;
}

/* Whether it was far from the best in every round. */
static bool is_slow(const struct pipeline_depth_trial *trial, uint32_t way)
{
    uint64_t near = near_of(trial);

    for (uint32_t i = 0; i < trial->round; i++)
        if (trial->took[way][i] != 0 && trial->took[way][i] <= rival_of(trial, way, i) * near / 100)
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
    return trial->round < SHORT_ROUNDS || (trial->round < trial->rounds && leave_out_slow(trial));
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

static uint32_t burst_of(uint32_t slots)
{
    return slots <= 1 ? 2 : slots < TIMED_LONG ? slots : TIMED_LONG;
}

/* Tokens that are timed together: a burst, or more. Bursts of more slots are not looked for: they would take
 * many tokens, and a deep pipeline loses little. */
static uint32_t stretch_of(const struct pipeline_depth_trial *trial)
{
    uint32_t slots = trial->slots[trial->way] > 0 ? trial->slots[trial->way] : 1;

    if (trial->round < SHORT_ROUNDS)
        return slots < TIMED_SHORT ? (TIMED_SHORT + slots - 1) / slots * slots : TIMED_SHORT;
    return scale_of(trial) * burst_of(slots);
}

static uint32_t stretches_of(const struct pipeline_depth_trial *trial)
{
    uint32_t burst = burst_of(trial->slots[trial->way]);

    return trial->round < SHORT_ROUNDS ? 1 : (TIMED_LONG + burst - 1) / burst;
}

static uint32_t settling_tokens(const struct pipeline_depth_trial *trial)
{
    uint32_t slots  = trial->slots[trial->way];
    uint32_t settle = trial->slots[0] < SETTLE_MOST ? trial->slots[0] : SETTLE_MOST;

    if (trial->round < SHORT_ROUNDS)
        return settle;
    return settle + (slots < WARM_MOST / WARM_BURSTS ? slots * WARM_BURSTS : WARM_MOST);
}

/* ---- another trial -------------------------------------------------------------------------- */

/* Whether any turn of a number of slots took hardly longer than what stayed. */
static bool was_near(const struct pipeline_depth_trial *trial, uint32_t way)
{
    for (uint32_t i = 0; i < PIPELINE_DEPTH_ROUNDS; i++)
        if (trial->took[way][i] != 0 && trial->took[way][i] <= trial->ns[trial->way] * NEAR_AGAIN / 100)
            return true;
    return way == trial->way;
}

static uint32_t count_near(const struct pipeline_depth_trial *trial)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < trial->ways; i++)
        count += was_near(trial, i);
    return count;
}

/* Leaves out what was far from the result that is to be confirmed. */
static void begin_with_near(struct pipeline_depth_trial *trial, const struct pipeline_depth_trial *before)
{
    trial->rounds = ROUNDS_AGAIN;
    for (uint32_t i = 0; i < trial->ways; i++)
        trial->is_left_out[i] = !was_near(before, i);
    while (trial->is_left_out[trial->way])
        trial->way = ++trial->turns;
}

void pipeline_depth_trial_again(struct pipeline_depth_trial *trial, uint32_t depth)
{
    struct pipeline_depth_trial before = *trial;

    pipeline_depth_trial_begin(trial, depth, before.devices, before.fewest);
    trial->patience = before.patience * PATIENCE_GROWS;
    trial->pause    = before.is_far ? before.pause : before.pause * PATIENCE_GROWS;
    trial->last     = before.last;
    trial->agreed   = before.agreed;
    if (trial->ways != before.ways)
        return;
    for (uint32_t i = 0; i < trial->ways; i++)
        trial->ns[i] = before.ns[i];
    if (!before.is_far)
        begin_with_near(trial, &before);
}

/* ---- after the trial ------------------------------------------------------------------------ */

bool pipeline_depth_trial_counts(struct pipeline_depth_trial *trial)
{
    if (!trial->is_over)
        return true;
    return trial->ways > 1 && trial->ns[trial->way] != 0 && trial->watched++ % WINDOW == 0;
}

/* Whether the result is to be confirmed now. */
static bool is_unsure(const struct pipeline_depth_trial *trial, uint64_t now)
{
    return trial->agreed == 0 && now - trial->ended >= trial->pause && count_near(trial) > 1;
}

/* The end of a window, or the beginning of the first of a run. */
static void watch(struct pipeline_depth_trial *trial, uint64_t now)
{
    uint64_t took  = now - trial->begin;
    bool is_window = trial->watched > 1;

    trial->begin = now;
    if (trial->ended == 0)
        trial->ended = now;
    if (!is_window)
        return;
    trial->since += WINDOW;
    bool is_slow = took > trial->ns[trial->way] * WINDOW * FAR / 100;
    if (trial->slow == 0)
        trial->slow_since = now - took;
    trial->slow   = is_slow ? trial->slow + 1 : 0;
    trial->is_far = trial->slow >= WINDOWS_SLOW && now - trial->slow_since >= SLOW_NS;
    trial->is_due = trial->since >= trial->patience && (trial->is_far || is_unsure(trial, now));
}

/* ---- tokens --------------------------------------------------------------------------------- */

uint32_t pipeline_depth_trial_next(struct pipeline_depth_trial *trial, uint64_t now)
{
    uint32_t settle = settling_tokens(trial), stretch = stretch_of(trial);

    if (trial->is_over) {
        watch(trial, now);
        return trial->slots[trial->way];
    }
    trial->tokens++;
    if (trial->tokens > settle && (trial->tokens - settle) % stretch == 0) {
        trial->stretches[(trial->tokens - settle) / stretch - 1] = now - trial->begin;
        trial->begin                                             = now;
    }
    if (trial->tokens == settle)
        trial->begin = now;
    uint32_t count = stretches_of(trial);
    if (trial->tokens == settle + count * stretch) {
        trial->took[trial->way][trial->round] = median(trial->stretches, count) / stretch + 1;
        next_turn(trial);
    }
    return trial->slots[trial->way];
}
