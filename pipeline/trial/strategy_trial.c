/* The trial of strategies; strategy_trial.h describes it.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/strategy_trial.h"

#include <string.h>

/* Rounds of all candidates, and then as many of the ways near the best. Those with long stretches need
 * one. */
#define ROUNDS 2
#define ROUNDS_LONG 1

/* No round follows when the trial has cost so many tokens of the best way, and so much time. */
#define COST_TOKENS 48
#define COST_NS UINT64_C(5000000)

/* At the beginning of a turn, tokens in multiples of the depth that do not count. */
#define SETTLE_DEPTHS 2

/* The first turn begins to count no sooner: devices raise their clocks when they get work. */
#define WARM_NS UINT64_C(10000000)

/* A stretch is a multiple of the slots in use, because up to that many tokens are enqueued at once, and long
 * enough that one bunch more or less matters little. A turn has three stretches, or a single long one. */
#define STRETCH_SLOTS 4
#define STRETCH_NS UINT64_C(300000)
#define STRETCH_LONG_NS UINT64_C(1500000)
#define STRETCHES 3

/* In per cent of the fastest: ways beyond FAR end their turns with the first stretch; those beyond NEAR are
 * eliminated after the first rounds; those within SAME count as equally fast at the end. */
#define FAR 140
#define NEAR 125
#define SAME 101

/* Fewer slots are compared where so many are left. */
#define SLOTS_LEAST 2

/* The winner has to confirm its result: PROOF stretches, after PROOF_SETTLE that do not count, must stay
 * within PROVEN per cent of the fastest other candidate. */
#define PROOF_SETTLE 6
#define PROOF 6
#define PROVEN 110

/* A candidate is given up when its first turn has taken so many tokens of the best longer, and so much time:
 * resources are created meanwhile. */
#define GIVE_UP_TOKENS 24
#define GIVE_UP_NS UINT64_C(10000000)

/* A source may pause, and the machine do other work: the longest time between two of so many tokens, in
 * multiples of the depth, does not count. Where a candidate is slow, others are long, too. */
#define PAUSE_DEPTHS 2

/* Consecutive runs that were too short for a single stretch before the trial gives up. */
#define MISSES_MOST 64

/* Slots that are in use in the turn. */
static uint32_t slots_of(const struct pipeline_trial *trial)
{
    return trial->depth - trial->ways[trial->current].fewer;
}

/* ---- results -------------------------------------------------------------------------------- */

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

/* Among those not eliminated; `count` where no result is known. */
static uint32_t find_best(const struct pipeline_trial *trial)
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

static bool is_within(const struct pipeline_trial *trial, uint32_t way, uint32_t best, uint64_t percent)
{
    uint64_t result = pipeline_trial_result(trial, way);
    return result != 0 && is_near(result, pipeline_trial_result(trial, best), percent);
}

/* In slower stretches too: a candidate that is fast only at times is not as good as a steady one. */
static bool is_as_good(const struct pipeline_trial *trial, uint32_t way, uint32_t best)
{
    return is_within(trial, way, best, SAME) &&
           is_near(slow_result(&trial->ways[way]), slow_result(&trial->ways[best]), SAME);
}

/* The first that is as good as the fastest; 0 where no result is known. */
static uint32_t find_winner(const struct pipeline_trial *trial)
{
    uint32_t best = find_best(trial), way = 0;

    if (best == trial->count)
        return 0;
    while (trial->ways[way].is_eliminated || !is_as_good(trial, way, best))
        way++;
    return way;
}

static void conclude(struct pipeline_trial *trial, uint32_t way)
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

/* Confirms the winner, unless its stretches are long, it is confirmed already, or it is the only one left. */
static void prove(struct pipeline_trial *trial, uint32_t way)
{
    if (trial->ways[way].is_long || trial->ways[way].is_proven || is_alone(trial, way)) {
        conclude(trial, way);
        return;
    }
    trial->tokens     = way == trial->current ? SETTLE_DEPTHS * trial->depth : 0;
    trial->current    = way;
    trial->is_proving = true;
}

/* Each candidate is confirmed at most once. */
static void end_proof(struct pipeline_trial *trial)
{
    trial->ways[trial->current].is_proven = true;
    if (is_within(trial, trial->current, find_best(trial), PROVEN))
        conclude(trial, trial->current);
    else
        prove(trial, find_winner(trial));
}

/* ---- turns ---------------------------------------------------------------------------------- */

/* Eliminates ways that are far from the best. False: only one is left. */
static bool eliminate_slow(struct pipeline_trial *trial)
{
    uint32_t best = find_best(trial), others = 0;

    for (uint32_t i = 0; i < trial->count; i++) {
        trial->ways[i].is_eliminated = trial->ways[i].is_given_up || !is_within(trial, i, best, NEAR);
        others += i != best && !trial->ways[i].is_eliminated;
    }
    return others != 0;
}

/* The fastest of those that go on, but for one; `count`: there is none. */
static uint32_t find_best_but(const struct pipeline_trial *trial, uint32_t but)
{
    uint32_t best = trial->count;

    for (uint32_t i = 0; i < trial->count; i++)
        if (i != but && !trial->ways[i].is_eliminated &&
            (best == trial->count || pipeline_trial_result(trial, i) < pipeline_trial_result(trial, best)))
            best = i;
    return best;
}

static void add_with_fewer(struct pipeline_trial *trial, const struct pipeline_trial_way *all)
{
    trial->ways[trial->count++] =
        (struct pipeline_trial_way){.candidate = all->candidate, .fewer = 1, .is_long = all->is_long};
}

/* The fastest of the candidates with one slot less as well. False: all slots stay in use. */
static bool add_fewer_slots(struct pipeline_trial *trial)
{
    uint32_t count = trial->count, first = find_best(trial), second = find_best_but(trial, first);

    if (!trial->rests || trial->depth <= SLOTS_LEAST || first == count)
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

/* Forward in even rounds, backward in odd ones. `count` at the end of a round. */
static uint32_t next_of_round(const struct pipeline_trial *trial, uint32_t after)
{
    uint32_t way = after;

    do
        /* below zero is far above the count */
        way = trial->round % 2 == 0 ? way + 1 : way - 1;
    while (way < trial->count && trial->ways[way].is_eliminated);
    return way < trial->count ? way : trial->count;
}

static uint32_t first_of_round(const struct pipeline_trial *trial)
{
    return next_of_round(trial, trial->round % 2 == 0 ? UINT32_MAX : trial->count);
}

static uint32_t rounds_of(const struct pipeline_trial *trial)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (!trial->ways[i].is_long)
            return ROUNDS;
    return ROUNDS_LONG;
}

/* Whether the trial has cost as much as it may, beside tokens of the best way. */
static bool is_too_dear(const struct pipeline_trial *trial)
{
    uint64_t cost = 0, best = pipeline_trial_result(trial, find_best(trial));

    for (uint32_t i = 0; i < trial->count; i++) {
        uint64_t result = pipeline_trial_result(trial, i);
        cost += result > best ? (result - best) * trial->ways[i].tokens : 0;
    }
    return cost >= COST_TOKENS * best && cost >= COST_NS;
}

/* After a round. */
static bool is_at_end(struct pipeline_trial *trial)
{
    uint32_t rounds = rounds_of(trial);

    if (trial->last_round != 0)
        return trial->round == trial->last_round || is_too_dear(trial);
    if (trial->round < rounds)
        return false;
    trial->last_round = trial->round + rounds;
    return !go_on_with_near(trial);
}

static void next_turn(struct pipeline_trial *trial)
{
    uint32_t way = next_of_round(trial, trial->current);

    trial->stretches = trial->tokens = 0;
    trial->turn_began                = 0;
    if (trial->is_proving) {
        end_proof(trial);
        return;
    }
    if (way != trial->count) {
        trial->current = way;
        return;
    }
    trial->round++;
    if (is_at_end(trial)) {
        prove(trial, find_winner(trial));
        return;
    }
    /* The last of a round is also the first of the next, so it has settled. */
    uint32_t first = first_of_round(trial);
    if (first == trial->current)
        trial->tokens = SETTLE_DEPTHS * trial->depth;
    trial->current = first;
}

/* ---- tokens --------------------------------------------------------------------------------- */

void pipeline_trial_begin(struct pipeline_trial *trial, uint32_t count, bool may_rest)
{
    memset(trial, 0, sizeof(*trial));
    trial->count    = count;
    trial->may_rest = may_rest;
    trial->is_over  = count == 1;
    for (uint32_t i = 0; i < count; i++)
        trial->ways[i].candidate = i;
}

void pipeline_trial_join(struct pipeline_trial *trial, uint32_t candidate)
{
    trial->ways[candidate].is_like_last = true;
}

void pipeline_trial_interrupt(struct pipeline_trial *trial)
{
    if (trial->is_over)
        return;
    trial->tokens     = 0;
    trial->turn_began = 0;
    if (++trial->misses > MISSES_MOST)
        conclude(trial, trial->is_proving ? trial->current : find_winner(trial));
}

bool pipeline_trial_timing(const struct pipeline_trial *trial, uint32_t depth)
{
    return !trial->is_over && trial->tokens >= depth;
}

static bool is_settled(const struct pipeline_trial *trial, uint32_t number, uint64_t now)
{
    if (number < SETTLE_DEPTHS * trial->depth)
        return false;
    return trial->round != 0 || trial->current != 0 || trial->ways[0].count != 0 ||
           now - trial->began >= WARM_NS;
}

/* Adds the tokens counted so far to the current stretch. */
static void extend_stretch(struct pipeline_trial *trial, uint64_t now)
{
    trial->stretch_ns += now - trial->begin;
    trial->stretch_tokens += trial->counted;
    trial->counted = 0;
    trial->begin   = now;
}

static bool is_stretch(const struct pipeline_trial *trial)
{
    return trial->stretch_tokens >= STRETCH_SLOTS * slots_of(trial) && trial->stretch_ns >= STRETCH_NS;
}

static void count_token(struct pipeline_trial *trial, uint64_t now)
{
    uint64_t interval = now - trial->turn_last;

    if (trial->turn_tokens++ % (PAUSE_DEPTHS * trial->depth) == 0) {
        trial->turn_pauses += trial->turn_pause;
        trial->turn_pause = 0;
    }
    if (interval > trial->turn_pause)
        trial->turn_pause = interval;
    trial->turn_last = now;
}

/* Of the tokens of the turn that are counted, without pauses. */
static uint64_t time_of_turn(const struct pipeline_trial *trial)
{
    return trial->turn_last - trial->turn_began - trial->turn_pauses - trial->turn_pause;
}

static void begin_count(struct pipeline_trial *trial, uint64_t now)
{
    trial->turn_began = trial->turn_last = now;
    trial->turn_pauses = trial->turn_pause = 0;
    trial->turn_tokens                     = 0;
}

/* Notes a token of the turn; not the first ones, which wait for those of the turn before. */
static void watch(struct pipeline_trial *trial, uint64_t now)
{
    if (trial->tokens < trial->depth)
        return;
    if (trial->turn_began == 0)
        begin_count(trial, now);
    else
        count_token(trial, now);
}

/* Whether the way has taken so much longer in its first turn than the best that nothing is to be known
 * better. */
static bool is_hopeless(const struct pipeline_trial *trial)
{
    uint32_t best = find_best(trial);

    if (trial->turn_began == 0 || trial->ways[trial->current].count != 0 || best == trial->count)
        return false;
    uint64_t most = (trial->turn_tokens + GIVE_UP_TOKENS) * pipeline_trial_result(trial, best) + GIVE_UP_NS;
    return time_of_turn(trial) > most;
}

/* Whether the turn shows that the way is far slower than the best, by its tokens without the longest ones. */
static bool is_far(const struct pipeline_trial *trial)
{
    uint64_t best   = pipeline_trial_result(trial, find_best(trial));
    uint32_t among  = PAUSE_DEPTHS * trial->depth;
    uint32_t pauses = (trial->turn_tokens + among - 1) / among;

    return !trial->is_proving && trial->turn_began != 0 &&
           time_of_turn(trial) > best * (trial->turn_tokens - pauses) * FAR / 100;
}

/* The first counted stretch of a confirmation replaces the candidate's earlier results. */
static void add_stretch(struct pipeline_trial *trial, bool is_long)
{
    struct pipeline_trial_way *way = &trial->ways[trial->current];

    if (trial->is_proving && trial->stretches < PROOF_SETTLE)
        return;
    if (trial->is_proving && trial->stretches == PROOF_SETTLE)
        way->count = 0;
    /* One delayed stretch among short ones does not make them long. */
    way->is_long          = is_long && (way->count == 0 || way->is_long);
    way->ns[way->count++] = trial->stretch_ns / trial->stretch_tokens;
}

static void note(struct pipeline_trial *trial)
{
    bool is_long       = trial->stretch_ns >= STRETCH_LONG_NS;
    uint32_t stretches = trial->is_proving ? PROOF_SETTLE + PROOF : STRETCHES;

    add_stretch(trial, is_long);
    trial->misses         = 0;
    trial->stretch_ns     = 0;
    trial->stretch_tokens = 0;
    if (++trial->stretches == stretches || (is_long && !trial->is_proving) || is_far(trial))
        next_turn(trial);
}

static void forget_stretch(struct pipeline_trial *trial)
{
    trial->counted = trial->stretch_tokens = 0;
    trial->stretch_ns = trial->begin = 0;
}

static void give_up(struct pipeline_trial *trial)
{
    struct pipeline_trial_way *way = &trial->ways[trial->current];
    struct pipeline_trial_way *end = &trial->ways[trial->count];

    way->ns[way->count++] = time_of_turn(trial) / trial->turn_tokens;
    way->is_long = way->is_eliminated = way->is_given_up = true;
    for (way++; way != end && way->is_like_last; way++)
        way->is_eliminated = way->is_given_up = true;
    forget_stretch(trial);
    next_turn(trial);
}

/* The turn begins anew: slots were created, and are empty. */
static void change_depth(struct pipeline_trial *trial, uint32_t depth)
{
    trial->tokens = trial->stretch_tokens = trial->stretch_ns = 0;
    trial->turn_began                                         = 0;
    trial->depth                                              = depth;
}

/* Where slots do not rest, what was added with fewer goes, with all that it has measured. */
static void drop_fewer(struct pipeline_trial *trial)
{
    bool was_fewer = trial->ways[trial->current].fewer != 0;

    for (uint32_t i = 0; i < trial->count; i++)
        if (trial->ways[i].fewer != 0)
            trial->ways[i].is_eliminated = trial->ways[i].is_given_up = true;
    if (!was_fewer)
        return;
    forget_stretch(trial);
    if (!trial->is_proving) {
        next_turn(trial);
        return;
    }
    trial->is_proving = false;
    trial->stretches = trial->tokens = 0;
    trial->turn_began                = 0;
    prove(trial, find_winner(trial));
}

uint32_t pipeline_trial_next(struct pipeline_trial *trial, uint32_t depth, bool rests, uint64_t now)
{
    if (trial->is_over)
        return trial->current;
    if (trial->depth != depth)
        change_depth(trial, depth);
    trial->rests = rests && trial->may_rest;
    watch(trial, now);
    if (!trial->rests)
        drop_fewer(trial);
    if (!trial->is_over && is_hopeless(trial))
        give_up(trial);
    if (trial->is_over)
        return trial->current;
    if (trial->began == 0)
        trial->began = now;
    uint32_t number = trial->tokens++;
    trial->ways[trial->current].tokens++;
    if (!is_settled(trial, number, now)) {
        trial->counted = 0;
        trial->begin   = 0;
        return trial->current;
    }
    if (trial->begin == 0) {
        trial->begin = now;
        return trial->current;
    }
    if (++trial->counted % slots_of(trial) != 0)
        return trial->current;
    extend_stretch(trial, now);
    if (is_stretch(trial)) {
        note(trial);
        trial->begin = trial->tokens != 0 ? now : 0;
        trial->tokens += trial->tokens == 0;
    }
    return trial->current;
}
