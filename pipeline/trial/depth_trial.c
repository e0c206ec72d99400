/* The trial of how many slots are in use; depth_trial.h describes it.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/depth_trial.h"

/* Rounds before the first pause, and before each later one. */
#define ROUNDS 7u
#define ROUNDS_AGAIN 5u

/* In the first rounds every number of slots has a turn, without time to warm up: one alone would be wrong
 * about one that was disturbed. */
#define SHORT_ROUNDS 2u

/* Timed tokens of a turn in these, and in the first round after a pause, so that a turn of slots that seemed
 * slow is soon cheap enough; each later round has twice as many, up to the most. */
#define LENGTH 6u
#define LENGTH_AGAIN 48u
#define LENGTH_MOST 192u

/* At the beginning of a turn, tokens that the turn before had begun. */
#define SETTLE_MOST 5u

/* After those, bursts of tokens if the turn before had fewer slots: what was not in use has to come back into
 * the caches, and threads have to wake. It took four bursts of 2 x 16 MiB until a token no longer became
 * shorter. */
#define WARM_BURSTS 4u
#define WARM_MOST 12u

/* Short tokens settle for as long as it may take to wake a thread, but no more than so many. */
#define WAKE_NS 150000u
#define WAKE_MOST 32u

/* What turns may cost, in tokens: at once, and one for so many that have ended. A little less than the header
 * says, since a turn's cost is counted as the turns before lead one to expect it. */
#define COST 52u
#define COST_PART 136u

/* Slots are as fast as others if they take no more than so many per cent of their time. Fewer stay then: they
 * need less of the caches, which the program and others may have use for, and begin a run sooner. */
#define SAME 102u

/* One slot for several devices stays only if any other number takes so many per cent of its time or more. */
#define MUCH_FASTER 125u

/* A pause takes so long at least, and twice as long so often; and so many tokens at least. It is counted in
 * parts of so many tokens, in which the number of slots may change. */
#define PAUSE_NS UINT64_C(10000000)
#define PAUSE_DOUBLES 7u
#define PAUSE_LEAST 256u
#define PAUSE_PART 256u

/* Runs in a row that are too short for the shortest turn after which there is no trial. */
#define MISSES_MOST 4u

/* A run that has had so many times the tokens of the longest turn has room for longer ones. */
#define LONGER 8u

#define ONE UINT64_C(1024) /* of ratios */

/* What a token of slots that are 2.4 times as slow costs. */
#define FAR (ONE * 14 / 10)

/* ---- what is known -------------------------------------------------------------------------- */

/* The first of so many turns that counts: short ones only as long as there is no more than one other. */
static uint32_t first_kept(uint32_t turns)
{
    uint32_t first = turns > SHORT_ROUNDS + 1 ? SHORT_ROUNDS : 0;

    return turns - first > PIPELINE_DEPTH_KEPT ? turns - PIPELINE_DEPTH_KEPT : first;
}

/* The lower one of two: what disturbs tokens makes them longer. 0: of none. */
static uint64_t lower_median(const uint64_t *values, uint32_t first, uint32_t end)
{
    uint64_t sorted[PIPELINE_DEPTH_KEPT] = {0};
    uint32_t count                       = 0;

    for (uint32_t i = first; i < end; i++) {
        uint64_t value    = values[i % PIPELINE_DEPTH_KEPT];
        uint32_t position = count++;
        for (; position > 0 && sorted[position - 1] > value; position--)
            sorted[position] = sorted[position - 1];
        sorted[position] = value;
    }
    return count == 0 ? 0 : sorted[(count - 1) / 2];
}

/* Of the turns that count. The first long one may have been disturbed as much as a short one: the
 * shortest. */
static uint64_t result_of(const uint64_t *values, uint32_t turns)
{
    uint64_t least = values[0];

    if (turns != SHORT_ROUNDS + 1)
        return lower_median(values, first_kept(turns), turns);
    for (uint32_t i = 1; i < turns; i++)
        least = values[i] < least ? values[i] : least;
    return least;
}

uint64_t pipeline_depth_trial_ns(const struct pipeline_depth_trial *trial, uint32_t way)
{
    return result_of(trial->ways[way].ns, trial->ways[way].turns);
}

/* UINT64_MAX: not known. */
static uint64_t ratio_of(const struct pipeline_depth_trial *trial, uint32_t way)
{
    const struct pipeline_depth_way *own = &trial->ways[way];
    return own->turns != 0 ? result_of(own->ratios, own->turns) : UINT64_MAX;
}

static bool leaves_devices_idle(const struct pipeline_depth_trial *trial, uint32_t way)
{
    return trial->ways[way].slots < trial->devices && !trial->is_spread;
}

/* The least ratio: of all, or of those that leave no device idle. */
static uint64_t least_ratio(const struct pipeline_depth_trial *trial, bool may_idle)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < trial->count; i++)
        if ((may_idle || !leaves_devices_idle(trial, i)) && ratio_of(trial, i) < least)
            least = ratio_of(trial, i);
    return least;
}

/* least: of the numbers that leave no device idle. */
static bool is_good(const struct pipeline_depth_trial *trial, uint32_t way, uint64_t least)
{
    uint64_t ratio = ratio_of(trial, way);

    if (ratio == UINT64_MAX || least == UINT64_MAX)
        return ratio != UINT64_MAX;
    return leaves_devices_idle(trial, way) ? ratio <= least * 100 / MUCH_FASTER : ratio <= least * SAME / 100;
}

/* The fewest slots of those that are as fast as the fastest; later the choice, while it is one of these. */
static void choose(struct pipeline_depth_trial *trial)
{
    uint64_t least = least_ratio(trial, false);

    if (trial->trials != 0 && is_good(trial, trial->choice, least))
        return;
    for (uint32_t i = 0; i < trial->count; i++)
        if (is_good(trial, i, least))
            trial->choice = i;
}

/* ---- what turns cost ------------------------------------------------------------------------ */

static uint32_t settling_tokens(const struct pipeline_depth_trial *trial, uint32_t way, uint32_t before)
{
    uint32_t slots = trial->ways[way].slots, depth = trial->ways[0].slots;
    uint32_t settle = depth < SETTLE_MOST ? depth : SETTLE_MOST;

    if (slots <= before || trial->is_short || trial->ways[way].turns < SHORT_ROUNDS)
        return settle;
    uint32_t warm = slots < WARM_MOST / WARM_BURSTS ? slots * WARM_BURSTS : WARM_MOST;
    uint64_t wake = WAKE_NS / (pipeline_depth_trial_ns(trial, trial->choice) + 1);
    wake          = wake < WAKE_MOST ? wake : WAKE_MOST;
    return settle + (warm > wake ? warm : (uint32_t)wake);
}

static uint32_t count_stretches(const struct pipeline_depth_trial *trial)
{
    return trial->length > LENGTH ? PIPELINE_DEPTH_STRETCHES : 1;
}

/* As many as are in flight may end at once, so that tokens come in bursts: whole bursts are timed, or two
 * slots would seem a seventh faster than they are. Bursts of more are not looked for: a deep pipeline loses
 * little. */
static uint32_t stretch_tokens(const struct pipeline_depth_trial *trial, uint32_t way)
{
    uint32_t slots   = trial->ways[way].slots;
    uint32_t stretch = trial->length / count_stretches(trial);

    return slots < LENGTH ? (stretch + slots - 1) / slots * slots : stretch;
}

static uint32_t timed_tokens(const struct pipeline_depth_trial *trial, uint32_t way)
{
    return stretch_tokens(trial, way) * count_stretches(trial);
}

/* What a token costs beside one of the fastest slots, in 1/1024 of its time. */
static uint64_t cost_of(const struct pipeline_depth_trial *trial, uint32_t way)
{
    uint64_t least = least_ratio(trial, true), ratio = ratio_of(trial, way);

    return ratio == UINT64_MAX || ratio <= least ? 0 : (ratio - least) * ONE / least;
}

/* Slots that seem more than 2.4 times as slow were rather disturbed. */
static uint64_t expected_cost(const struct pipeline_depth_trial *trial, uint32_t way)
{
    uint32_t fewest = trial->ways[trial->count - 1].slots;
    uint64_t each   = cost_of(trial, way);

    return (settling_tokens(trial, way, fewest) + timed_tokens(trial, way)) * (each < FAR ? each : FAR);
}

/* Whether a number of slots has a turn in the next round, which has to cost no more than its share of what is
 * left. */
static bool is_in(const struct pipeline_depth_trial *trial, uint32_t way)
{
    uint64_t may_cost = (COST + trial->tokens / COST_PART) * ONE / (trial->count - 1);

    if (way == trial->choice || trial->ways[way].turns < SHORT_ROUNDS)
        return true;
    return trial->ways[way].tokens * cost_of(trial, way) + expected_cost(trial, way) <= may_cost;
}

static uint32_t count_in(const struct pipeline_depth_trial *trial)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < trial->count; i++)
        count += is_in(trial, i);
    return count;
}

/* ---- turns and rounds ----------------------------------------------------------------------- */

static void begin_turn(struct pipeline_depth_trial *trial, uint32_t way)
{
    trial->way   = way;
    trial->turn  = 0;
    trial->phase = PIPELINE_DEPTH_SETTLES;
    trial->rest  = settling_tokens(trial, way, trial->before);
}

/* False: there is none after `from` ways in this round. */
static bool begin_next_turn(struct pipeline_depth_trial *trial, uint32_t from)
{
    for (uint32_t way = from; way < trial->count; way++)
        if (trial->ways[way].is_in) {
            begin_turn(trial, way);
            return true;
        }
    return false;
}

static void begin_round(struct pipeline_depth_trial *trial)
{
    for (uint32_t i = 0; i < trial->count; i++) {
        trial->ways[i].is_in = is_in(trial, i);
        trial->ways[i].took  = 0;
    }
    begin_next_turn(trial, 0);
}

static void begin_pause(struct pipeline_depth_trial *trial)
{
    uint32_t doubles = trial->agreed < PAUSE_DOUBLES ? trial->agreed : PAUSE_DOUBLES;
    uint64_t ns      = pipeline_depth_trial_ns(trial, trial->choice);

    trial->pause  = ns != 0 ? (PAUSE_NS << doubles) / ns : 0;
    trial->pause  = trial->pause > PAUSE_LEAST ? trial->pause : PAUSE_LEAST;
    trial->way    = trial->choice;
    trial->before = trial->ways[trial->choice].slots;
    trial->phase  = PIPELINE_DEPTH_PAUSES;
    trial->rounds = ROUNDS_AGAIN;
    trial->length = trial->length_most < LENGTH_AGAIN ? trial->length_most : LENGTH_AGAIN;
    trial->rest   = PAUSE_PART;
}

static void end_trial(struct pipeline_depth_trial *trial)
{
    uint32_t before = trial->choice;

    choose(trial);
    trial->agreed = trial->trials != 0 && trial->choice == before ? trial->agreed + 1 : 0;
    trial->trials++;
    begin_pause(trial);
}

static void note_round(struct pipeline_depth_trial *trial)
{
    uint64_t least = UINT64_MAX;

    for (uint32_t i = 0; i < trial->count; i++)
        if (trial->ways[i].is_in && trial->ways[i].took < least)
            least = trial->ways[i].took;
    for (uint32_t i = 0; i < trial->count; i++) {
        struct pipeline_depth_way *way = &trial->ways[i];
        if (!way->is_in)
            continue;
        uint32_t kept     = way->turns++ % PIPELINE_DEPTH_KEPT;
        way->ns[kept]     = way->took;
        way->ratios[kept] = way->took * ONE / least;
    }
}

static bool has_room_for_longer(const struct pipeline_depth_trial *trial)
{
    return trial->run >= (uint64_t)LONGER * trial->length_most;
}

/* Turns are shorter than others where runs were short, until a run has had room for several longer ones. */
static void lengthen(struct pipeline_depth_trial *trial)
{
    if (has_room_for_longer(trial)) {
        trial->is_short = false;
        if (trial->length_most < LENGTH_MOST)
            trial->length_most *= 2;
    }
    if (trial->ways[trial->choice].turns >= SHORT_ROUNDS)
        trial->length = 2 * trial->length <= trial->length_most ? 2 * trial->length : trial->length_most;
}

static void end_round(struct pipeline_depth_trial *trial)
{
    note_round(trial);
    lengthen(trial);
    if (trial->trials == 0)
        choose(trial);
    if (--trial->rounds > 0 && count_in(trial) > 1)
        begin_round(trial);
    else
        end_trial(trial);
}

static void end_turn(struct pipeline_depth_trial *trial)
{
    struct pipeline_depth_way *way = &trial->ways[trial->way];

    way->took     = lower_median(trial->stretches, 0, trial->ended) / stretch_tokens(trial, trial->way) + 1;
    trial->before = way->slots;
    trial->misses = 0;
    way->tokens += trial->turn;
    if (!begin_next_turn(trial, trial->way + 1))
        end_round(trial);
}

/* The median of a turn's stretches counts: a thread that is woken, or an interrupt, makes one longer. */
static void end_stretch(struct pipeline_depth_trial *trial, uint64_t now)
{
    trial->stretches[trial->ended++] = now - trial->begin;
    trial->begin                     = now;
    if (trial->ended == count_stretches(trial))
        end_turn(trial);
}

static void go_on_pausing(struct pipeline_depth_trial *trial)
{
    trial->pause -= trial->pause < PAUSE_PART ? trial->pause : PAUSE_PART;
    if (trial->pause > 0)
        return;
    if (count_in(trial) > 1)
        begin_round(trial);
    else
        begin_pause(trial);
}

/* ---- the trial ------------------------------------------------------------------------------ */

static void add_way(struct pipeline_depth_trial *trial, uint32_t slots)
{
    if (trial->count == 0 || slots < trial->ways[trial->count - 1].slots)
        trial->ways[trial->count++].slots = slots;
}

static void end_for_good(struct pipeline_depth_trial *trial)
{
    trial->way   = trial->choice;
    trial->phase = PIPELINE_DEPTH_IS_OVER;
    trial->rest  = 1;
}

/* Runs were too short for turns; a longer one may come. */
static void go_on_waiting(struct pipeline_depth_trial *trial)
{
    trial->rest = PAUSE_PART;
    if (trial->count < 2 || !has_room_for_longer(trial))
        return;
    trial->misses   = 0;
    trial->is_short = false;
    begin_pause(trial);
}

void pipeline_depth_trial_begin(struct pipeline_depth_trial *trial, uint32_t depth, uint32_t devices,
                                uint32_t fewest)
{
    *trial = (struct pipeline_depth_trial){
        .devices     = devices,
        .length      = LENGTH,
        .length_most = LENGTH_MOST,
        .rounds      = ROUNDS,
    };
    add_way(trial, depth);
    if (fewest <= 2 && fewest < depth)
        add_way(trial, 2 * devices);
    if (fewest < depth)
        add_way(trial, fewest * devices);
    if (fewest < depth && devices > 1)
        add_way(trial, 1);
    if (trial->count > 1)
        begin_round(trial);
    else
        end_for_good(trial);
}

static uint64_t needed_tokens(const struct pipeline_depth_trial *trial)
{
    return (uint64_t)settling_tokens(trial, trial->way, trial->before) + timed_tokens(trial, trial->way);
}

/* Turns become so short that one would have ended in the last run, if need be without time to warm up. */
static void shorten(struct pipeline_depth_trial *trial)
{
    while (trial->length > LENGTH && needed_tokens(trial) > trial->run)
        trial->length = trial->length_most = trial->length / 2;
    trial->is_short |= needed_tokens(trial) > trial->run;
}

/* A turn that has not ended is no result, but its tokens have cost something. */
void pipeline_depth_trial_interrupt(struct pipeline_depth_trial *trial, uint32_t left)
{
    uint32_t ended = trial->rest - left;

    trial->tokens += ended;
    trial->run += ended;
    trial->turn += ended;
    if (pipeline_depth_trial_goes_on(trial) && trial->run == 0) {
        begin_turn(trial, trial->way);
    } else if (pipeline_depth_trial_goes_on(trial)) {
        trial->ways[trial->way].tokens += trial->turn;
        if (trial->turn == trial->run)
            shorten(trial);
        if (++trial->misses > MISSES_MOST) {
            trial->trials++;
            end_for_good(trial);
        } else {
            begin_turn(trial, trial->way);
        }
    } else {
        trial->rest = left;
    }
    trial->run = 0;
}

bool pipeline_depth_trial_goes_on(const struct pipeline_depth_trial *trial)
{
    return trial->phase == PIPELINE_DEPTH_SETTLES || trial->phase == PIPELINE_DEPTH_TIMES;
}

uint32_t pipeline_depth_trial_next(struct pipeline_depth_trial *trial, uint64_t now)
{
    trial->tokens += trial->rest;
    trial->run += trial->rest;
    trial->turn += trial->rest;
    if (trial->phase == PIPELINE_DEPTH_SETTLES) {
        trial->phase = PIPELINE_DEPTH_TIMES;
        trial->begin = now;
        trial->ended = 0;
        trial->rest  = stretch_tokens(trial, trial->way);
    } else if (trial->phase == PIPELINE_DEPTH_TIMES) {
        end_stretch(trial, now);
    } else if (trial->phase == PIPELINE_DEPTH_PAUSES) {
        go_on_pausing(trial);
    } else {
        go_on_waiting(trial);
    }
    return trial->ways[trial->way].slots;
}
