/* The trial of strategies; strategy_trial.h describes it.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/proof.h"
#include "pipeline/trial/rounds.h"

#include <string.h>

/* Devices raise their clocks when they get work: the rounds begin no sooner, and with long tokens the first
 * look does not count sooner. */
#define WARM_NS UINT64_C(10000000)

/* A stretch is a multiple of the slots in use, because up to that many tokens are enqueued at once, and long
 * enough that one bunch more or less matters little. A turn has three stretches, or a single long one. */
#define STRETCH_SLOTS 4
#define STRETCH_NS UINT64_C(300000)
#define STRETCH_LONG_NS UINT64_C(1500000)
#define STRETCHES 3

/* A look that a pause takes more than half of is repeated so often. */
#define REPEATS 2

/* In per cent of the fastest: a way beyond it ends its turn with the first stretch. */
#define FAR 140

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

static bool is_lead(const struct pipeline_trial *trial)
{
    return trial->current == trial->lead;
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
        pipeline_ways_keep(trial, trial->phase == PIPELINE_TRIAL_PROVES ? trial->current
                                                                        : pipeline_ways_winner(trial));
}

bool pipeline_trial_timing(const struct pipeline_trial *trial, uint32_t depth)
{
    bool is_steady = trial->phase == PIPELINE_TRIAL_PROVES && trial->is_proof_long;
    return !trial->is_over && !is_steady && trial->tokens >= depth;
}

/* Whether the tokens of this turn are long, as far as it has come. */
static bool seems_long(const struct pipeline_trial *trial, uint64_t now)
{
    uint64_t long_ns = STRETCH_LONG_NS / (STRETCH_SLOTS * slots_of(trial));
    return trial->turn_began != 0 && now - trial->turn_began >= trial->turn_tokens * long_ns;
}

static bool is_settled(const struct pipeline_trial *trial, uint32_t number, uint64_t now)
{
    if (number < SETTLE_DEPTHS * trial->depth)
        return false;
    if (trial->phase == PIPELINE_TRIAL_WARMS)
        return !is_lead(trial) || trial->is_warm || number >= trial->part;
    bool is_first = trial->round == 0 && trial->current == 0 && trial->ways[0].count == 0;
    return !is_first || !seems_long(trial, now) || now - trial->began >= WARM_NS;
}

/* Adds the tokens counted so far to the current stretch. */
static void extend_stretch(struct pipeline_trial *trial, uint64_t now)
{
    trial->stretch_ns += now - trial->begin;
    trial->stretch_tokens += trial->counted;
    trial->counted = 0;
    trial->begin   = now;
}

/* Turns of ways near the best, which are compared. */
static bool is_compared(const struct pipeline_trial *trial)
{
    return trial->phase == PIPELINE_TRIAL_COLD || trial->phase == PIPELINE_TRIAL_ROUNDS;
}

/* Whether the stretch is the first of a way of which little is known. */
static bool is_look(const struct pipeline_trial *trial)
{
    if (is_compared(trial))
        return trial->ways[trial->current].count == 0;
    if (trial->phase == PIPELINE_TRIAL_WARMS)
        return !trial->is_warm || !is_lead(trial);
    return trial->phase == PIPELINE_TRIAL_LOOKS || trial->phase == PIPELINE_TRIAL_AGAIN;
}

/* In 1/1024 of the best: of the way in this stretch, or as far as is known. */
static uint64_t excess_now(const struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_best(trial);
    uint64_t ns   = trial->stretch_ns / trial->stretch_tokens;

    if (trial->ways[trial->current].count != 0 || best == trial->count)
        return pipeline_way_excess(trial, trial->current);
    uint64_t fast = pipeline_trial_result(trial, best);
    return ns > fast ? (ns - fast) * PIPELINE_WAYS_TOKEN / fast : 0;
}

/* Whether the turn has cost what it may. */
static bool has_cost_all(const struct pipeline_trial *trial)
{
    return is_compared(trial) && !is_lead(trial) &&
           excess_now(trial) * pipeline_ways_turn(trial) >= pipeline_rounds_allowed_cost(trial);
}

static bool shows_far(const struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_best(trial);

    return best != trial->count && trial->stretch_ns - trial->stretch_pause >
                                       pipeline_trial_result(trial, best) * trial->stretch_tokens * FAR / 100;
}

/* Whether a pause, of at least a quarter of the look, alone makes the way seem too far off to go on; or
 * might, as far as is known. */
static bool pause_decides(const struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_best(trial);

    if (trial->stretch_pause < trial->stretch_ns / 4 || best == trial->count)
        return trial->stretch_pause >= trial->stretch_ns / 4;
    uint64_t most = pipeline_trial_result(trial, best) * trial->stretch_tokens * PIPELINE_WAYS_NEAR / 100;
    return trial->stretch_ns > most && trial->stretch_ns - trial->stretch_pause <= most;
}

/* A look that is repeated is half as long. */
static uint32_t look_of(const struct pipeline_trial *trial)
{
    return pipeline_rounds_look(slots_of(trial)) / (trial->repeats != 0 ? 2 : 1);
}

static bool is_stretch(const struct pipeline_trial *trial)
{
    uint32_t slots = slots_of(trial);

    if (trial->stretch_tokens >= look_of(trial) &&
        ((is_look(trial) && (trial->stretch_ns < STRETCH_NS || shows_far(trial))) || has_cost_all(trial)))
        return true;
    return trial->stretch_tokens >= STRETCH_SLOTS * slots && trial->stretch_ns >= STRETCH_NS;
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

static void count_in_stretch(struct pipeline_trial *trial, uint64_t now)
{
    uint64_t interval = now - trial->stretch_last;

    if (interval > trial->stretch_pause)
        trial->stretch_pause = interval;
    trial->stretch_last = now;
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
    uint32_t best = pipeline_ways_best(trial);

    if (trial->turn_began == 0 || trial->ways[trial->current].count != 0 || best == trial->count)
        return false;
    uint64_t most = (trial->turn_tokens + GIVE_UP_TOKENS) * pipeline_trial_result(trial, best) + GIVE_UP_NS;
    return time_of_turn(trial) > most;
}

/* Whether the turn shows that the way is far slower than the best, by its tokens without the longest ones. */
static bool is_far(const struct pipeline_trial *trial)
{
    uint64_t best   = pipeline_trial_result(trial, pipeline_ways_best(trial));
    uint32_t among  = PAUSE_DEPTHS * trial->depth;
    uint32_t pauses = (trial->turn_tokens + among - 1) / among;

    return trial->phase != PIPELINE_TRIAL_PROVES && trial->turn_began != 0 &&
           time_of_turn(trial) > best * (trial->turn_tokens - pauses) * FAR / 100;
}

/* The first stretch of a confirmation replaces the way's earlier results. */
static void add_stretch(struct pipeline_trial *trial, bool is_long)
{
    struct pipeline_trial_way *way = &trial->ways[trial->current];

    if (way->is_cold || (trial->phase == PIPELINE_TRIAL_PROVES && trial->stretches == 0))
        way->count = 0;
    way->is_cold = false;
    /* One delayed stretch among short ones does not make them long. */
    way->is_long = is_long && (way->count == 0 || way->is_long);
    pipeline_way_keep_last(way, PIPELINE_TRIAL_SAMPLES - 1);
    way->ns[way->count++] = trial->stretch_ns / trial->stretch_tokens;
}

/* Whether one pause makes more than half of the stretch. */
static bool is_disturbed(const struct pipeline_trial *trial)
{
    return trial->stretch_pause > trial->stretch_ns - trial->stretch_pause;
}

static bool is_turn_over(const struct pipeline_trial *trial, bool is_long)
{
    if (trial->phase == PIPELINE_TRIAL_PROVES)
        return pipeline_proof_is_over(trial);
    if (trial->phase == PIPELINE_TRIAL_WARMS)
        return trial->stretches == (is_lead(trial) ? 2 * STRETCHES : PIPELINE_ROUNDS_CHECKS);
    if (!is_compared(trial))
        return true;
    if (is_lead(trial) && pipeline_ways_turn(trial) * PIPELINE_WAYS_DOUBT >= pipeline_ways_left(trial))
        return true;
    return trial->stretches == STRETCHES || is_long ||
           (!is_lead(trial) && (is_far(trial) || has_cost_all(trial)));
}

static void forget_stretch(struct pipeline_trial *trial)
{
    trial->counted = trial->stretch_tokens = 0;
    trial->stretch_ns = trial->stretch_pause = trial->begin = 0;
}

/* The pause of a look that shows how far off the way is without it. */
static void leave_pause_out(struct pipeline_trial *trial)
{
    trial->stretch_ns =
        (trial->stretch_ns - trial->stretch_pause) * trial->stretch_tokens / (trial->stretch_tokens - 1);
}

static void note(struct pipeline_trial *trial)
{
    bool is_disturbed_look = is_look(trial) && is_disturbed(trial);

    trial->misses = 0;
    if (is_disturbed_look && shows_far(trial)) {
        leave_pause_out(trial);
    } else if ((is_disturbed_look && trial->repeats < REPEATS) ||
               (is_look(trial) && trial->repeats == 0 && pause_decides(trial))) {
        trial->repeats++;
        forget_stretch(trial);
        return;
    }
    bool is_long = trial->stretch_ns >= STRETCH_LONG_NS;
    add_stretch(trial, is_long);
    trial->stretches++;
    bool is_over = is_turn_over(trial, is_long);
    forget_stretch(trial);
    if (is_over)
        pipeline_rounds_next_turn(trial);
}

static void give_up(struct pipeline_trial *trial)
{
    struct pipeline_trial_way *way = &trial->ways[trial->current];
    struct pipeline_trial_way *end = &trial->ways[trial->count];

    way->ns[way->count++] = time_of_turn(trial) / trial->turn_tokens;
    way->is_long = way->is_eliminated = way->is_given_up = true;
    way->tokens = 0; /* those in flight have to end, whatever that costs */
    for (way++; way != end && way->is_like_last; way++)
        way->is_eliminated = way->is_given_up = true;
    forget_stretch(trial);
    pipeline_rounds_next_turn(trial);
}

/* The turn begins anew: slots were created, and are empty. */
static void change_depth(struct pipeline_trial *trial, uint32_t depth)
{
    trial->tokens = trial->stretch_tokens = 0;
    trial->stretch_ns = trial->stretch_pause = 0;
    trial->turn_began                        = 0;
    trial->depth                             = depth;
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
    if (trial->phase != PIPELINE_TRIAL_PROVES) {
        pipeline_rounds_next_turn(trial);
        return;
    }
    trial->stretches = trial->tokens = 0;
    trial->turn_began                = 0;
    pipeline_proof_begin(trial, pipeline_ways_winner(trial));
}

/* The device is warm: what the best has measured before is forgotten. */
static void begin_warm(struct pipeline_trial *trial)
{
    if (trial->is_warm)
        return;
    trial->is_warm                    = true;
    trial->stretches                  = 0;
    trial->ways[trial->current].count = 0;
    forget_stretch(trial);
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
    /* the best so far has to be measured behind that time */
    if (trial->phase == PIPELINE_TRIAL_WARMS && is_lead(trial) && now - trial->began >= WARM_NS)
        begin_warm(trial);
    uint32_t number = trial->tokens++;
    trial->ways[trial->current].tokens++;
    if (!is_settled(trial, number, now)) {
        trial->counted = 0;
        trial->begin   = 0;
        return trial->current;
    }
    if (trial->begin == 0) {
        trial->begin = trial->stretch_last = now;
        return trial->current;
    }
    count_in_stretch(trial, now);
    if (++trial->counted % slots_of(trial) != 0)
        return trial->current;
    extend_stretch(trial, now);
    if (is_stretch(trial)) {
        note(trial);
        trial->begin = trial->stretch_last = trial->tokens != 0 ? now : 0;
        trial->tokens += trial->tokens == 0;
    }
    return trial->current;
}
