/* Turns, rounds and phases of a trial of strategies: which way has the next turn, and what follows when all
 * have had theirs. The table at the end has the phases.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/trial/rounds.h"

#include "pipeline/trial/proof.h"

/* Turns are planned so that the trial costs so much, and that rounds cost so much if the looks cost more. */
#define COST_PLANNED (44 * PIPELINE_WAYS_TOKEN)
#define COST_ROUNDS (4 * PIPELINE_WAYS_TOKEN)

/* No second look follows that would make it more. */
#define COST_AGAIN (40 * PIPELINE_WAYS_TOKEN)

/* Rounds behind the looks, and then as many of the ways near the best. Where stretches are long, the looks
 * are the first round. */
#define ROUNDS 2
#define ROUNDS_LONG 1

/* Tokens of the best before the first checks while it warms the device, and twice as many before each next.
 * What is so near to it that its check costs so little has a check. */
#define PART 64
#define COST_CHECK (1 * PIPELINE_WAYS_TOKEN)

/* Fewer slots are compared where so many are left. */
#define SLOTS_LEAST 2

/* A look has fewer, but no fewer than so many, where they are short, or show that the way is far off. */
#define LOOK_SLOTS 2
#define LOOK_TOKENS 8

/* A round gives each way that takes part a turn. */
struct phase {
    bool (*takes_part)(const struct pipeline_trial *trial, uint32_t way);
    void (*end)(struct pipeline_trial *trial); /* after a round: the next one, or the phase that follows */
};

static const struct phase *phase_of(const struct pipeline_trial *trial);

/* ---- what turns cost ------------------------------------------------------------------------- */

uint32_t pipeline_rounds_look(uint32_t slots)
{
    return LOOK_SLOTS * slots > LOOK_TOKENS ? LOOK_SLOTS * slots : LOOK_TOKENS;
}

/* Of a turn with so many looks. */
static uint64_t cost_of(const struct pipeline_trial *trial, uint32_t way, uint32_t looks)
{
    uint32_t look = pipeline_rounds_look(trial->depth - trial->ways[way].fewer);
    return (uint64_t)pipeline_way_excess(trial, way) * (SETTLE_DEPTHS * trial->depth + looks * look);
}

/* What a turn may cost: what is left, in equal parts for the turns that follow but those of the best. */
uint64_t pipeline_rounds_allowed_cost(const struct pipeline_trial *trial)
{
    uint32_t last = trial->last_round != 0 ? trial->last_round : trial->round + 2 * ROUNDS, others = 0;

    for (uint32_t i = 0; i < trial->count; i++)
        others += !trial->ways[i].is_eliminated;
    uint64_t turns = (uint64_t)(last - trial->round) * (others > 2 ? others - 1 : 1);
    uint64_t spent = pipeline_ways_spent(trial);
    uint64_t most  = spent + COST_ROUNDS < COST_PLANNED ? COST_PLANNED - spent : COST_ROUNDS;
    return (most < pipeline_ways_left(trial) ? most : pipeline_ways_left(trial)) / turns;
}

/* ---- turns of a round ------------------------------------------------------------------------ */

/* Forward in even rounds, backward in odd ones. `count` at the end of a round. */
static uint32_t next_of_round(const struct pipeline_trial *trial, uint32_t after)
{
    uint32_t way = after;

    do
        /* below zero is far above the count */
        way = trial->round % 2 == 0 ? way + 1 : way - 1;
    while (way < trial->count && !phase_of(trial)->takes_part(trial, way));
    return way < trial->count ? way : trial->count;
}

/* Without a way that takes part, the winner so far proves itself. */
static void begin_round(struct pipeline_trial *trial, int32_t phase)
{
    trial->phase = phase;
    uint32_t way = next_of_round(trial, trial->round % 2 == 0 ? UINT32_MAX : trial->count);
    if (way != trial->count)
        pipeline_ways_begin_turn(trial, way);
    else
        pipeline_proof_begin(trial, pipeline_ways_winner(trial));
}

/* ---- which ways are left --------------------------------------------------------------------- */

/* Eliminates ways that are far from the best. False: only one is left. */
static bool eliminate_slow(struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_best(trial), others = 0;

    for (uint32_t i = 0; i < trial->count; i++) {
        struct pipeline_trial_way *way = &trial->ways[i];
        way->is_eliminated |= !pipeline_way_is_within(trial, i, best, PIPELINE_WAYS_NEAR);
        others += i != best && !way->is_eliminated;
    }
    return others != 0;
}

static void add_with_fewer(struct pipeline_trial *trial, const struct pipeline_trial_way *all)
{
    trial->ways[trial->count++] =
        (struct pipeline_trial_way){.candidate = all->candidate, .fewer = 1, .is_long = all->is_long};
}

/* The fastest of the candidates with one slot less as well. False: all slots stay in use. */
static bool add_fewer_slots(struct pipeline_trial *trial)
{
    uint32_t count = trial->count, first = pipeline_ways_best(trial),
             second = pipeline_ways_best_but(trial, first);

    if (!trial->rests || trial->depth <= SLOTS_LEAST || first == count || trial->ways[count - 1].fewer != 0)
        return false;
    add_with_fewer(trial, &trial->ways[first]);
    if (second != count)
        add_with_fewer(trial, &trial->ways[second]);
    return true;
}

/* False: only one way is left. */
static bool go_on_with_near(struct pipeline_trial *trial)
{
    bool are_several = eliminate_slow(trial);

    return add_fewer_slots(trial) || are_several;
}

/* ---- second looks ---------------------------------------------------------------------------- */

/* What has the next second look: the nearest of those that are out. `count`: nothing. */
static uint32_t nearest_out(const struct pipeline_trial *trial)
{
    uint32_t nearest = trial->count;

    for (uint32_t i = 0; i < trial->count; i++) {
        const struct pipeline_trial_way *way = &trial->ways[i];
        if (way->is_eliminated && !way->is_given_up && !way->is_looked_at &&
            (nearest == trial->count || way->excess < trial->ways[nearest].excess))
            nearest = i;
    }
    return nearest;
}

/* Chooses what is looked at again, the nearest first, as far as that costs little: a device that was still
 * cold, or stood still for a moment, may have made it seem slow. False: nothing. */
static bool choose_second_looks(struct pipeline_trial *trial)
{
    uint64_t cost = pipeline_ways_spent(trial);
    uint32_t way  = nearest_out(trial);
    bool is_any   = false;

    while (way != trial->count && cost + cost_of(trial, way, 1) <= COST_AGAIN) {
        cost += cost_of(trial, way, 1);
        trial->ways[way].is_looked_at = is_any = true;
        way                                    = nearest_out(trial);
    }
    return is_any;
}

/* ---- phases ---------------------------------------------------------------------------------- */

static bool is_left(const struct pipeline_trial *trial, uint32_t way)
{
    return !trial->ways[way].is_eliminated;
}

static bool is_looked_at(const struct pipeline_trial *trial, uint32_t way)
{
    return trial->ways[way].is_looked_at;
}

/* What is known to be dear has no more turns. */
static bool is_left_and_cheap(const struct pipeline_trial *trial, uint32_t way)
{
    bool is_cheap =
        trial->ways[way].count == 0 || cost_of(trial, way, 1) <= pipeline_rounds_allowed_cost(trial);

    return is_left(trial, way) && !trial->ways[way].is_proven && is_cheap;
}

/* The best so far, for long, and what may turn out to be better. */
static bool warms(const struct pipeline_trial *trial, uint32_t way)
{
    bool is_cheap = cost_of(trial, way, PIPELINE_ROUNDS_CHECKS) <= COST_CHECK;

    return is_left(trial, way) && (way == trial->lead || (is_cheap && !trial->ways[way].is_proven));
}

/* A phase of a single turn. */
static bool takes_no_part(const struct pipeline_trial *trial, uint32_t way)
{
    (void)trial;
    (void)way;
    return false;
}

static bool is_all_long(const struct pipeline_trial *trial)
{
    for (uint32_t i = 0; i < trial->count; i++)
        if (!trial->ways[i].is_long)
            return false;
    return true;
}

/* The rounds that follow are the last ones, among the ways near the best. */
static void begin_last_rounds(struct pipeline_trial *trial)
{
    trial->last_round = trial->round + (trial->is_long ? ROUNDS_LONG : ROUNDS);
    if (go_on_with_near(trial))
        begin_round(trial, PIPELINE_TRIAL_ROUNDS);
    else
        pipeline_proof_begin(trial, pipeline_ways_winner(trial));
}

static void end_looks(struct pipeline_trial *trial)
{
    trial->round++;
    trial->is_long = is_all_long(trial);
    if (trial->is_long) {
        begin_last_rounds(trial);
        return;
    }
    go_on_with_near(trial);
    begin_round(trial, PIPELINE_TRIAL_COLD);
}

/* What was measured so far may be of a cold device. */
static void end_cold(struct pipeline_trial *trial)
{
    trial->round++;
    for (uint32_t i = 0; i < trial->count; i++)
        trial->ways[i].excess = pipeline_way_excess(trial, i);
    for (uint32_t i = 0; i < trial->count; i++)
        trial->ways[i].is_cold = trial->ways[i].is_eliminated;
    trial->part  = PART;
    trial->phase = PIPELINE_TRIAL_WARMS;
    pipeline_ways_begin_turn(trial, pipeline_ways_best(trial));
}

/* Of the ways that stay, only the best has been measured since the device is warm. */
static void forget_cold(struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_best(trial);

    for (uint32_t i = 0; i < trial->count; i++)
        trial->ways[i].excess = pipeline_way_excess(trial, i);
    for (uint32_t i = 0; i < trial->count; i++)
        if (!trial->ways[i].is_eliminated && !trial->ways[i].is_proven && i != best)
            trial->ways[i].count = 0;
}

static void end_second_looks(struct pipeline_trial *trial)
{
    uint32_t best = pipeline_ways_best(trial);

    for (uint32_t i = 0; i < trial->count; i++)
        if (trial->ways[i].is_looked_at)
            trial->ways[i].is_eliminated = !pipeline_way_is_within(trial, i, best, PIPELINE_WAYS_NEAR);
    begin_round(trial, PIPELINE_TRIAL_ROUNDS);
}

static void end_warming(struct pipeline_trial *trial)
{
    if (!trial->is_warm) {
        trial->round++;
        trial->part *= 2;
        trial->lead = pipeline_ways_best(trial);
        begin_round(trial, PIPELINE_TRIAL_WARMS);
        return;
    }
    forget_cold(trial);
    if (choose_second_looks(trial))
        begin_round(trial, PIPELINE_TRIAL_AGAIN);
    else
        end_second_looks(trial);
}

static void end_round(struct pipeline_trial *trial)
{
    trial->round++;
    if (trial->last_round == 0)
        begin_last_rounds(trial);
    else if (trial->round < trial->last_round)
        begin_round(trial, PIPELINE_TRIAL_ROUNDS);
    else
        pipeline_proof_begin(trial, pipeline_ways_winner(trial));
}

/* phase   measures                                            what follows a round
 *
 * looks   each candidate, once, with few tokens               short tokens: cold; long ones: rounds
 * cold    what is near the best, also with a slot less        warms
 * warms   the best, and what may be as good, by turns         warms, until the device is; then again
 * again   what seemed slow, as far as it is cheap, once       rounds
 * rounds  what is near the best, as far as it is cheap        more rounds; proves
 * proves  the winner, alone                                   the end; or the proof of another way
 */
static const struct phase phases[] = {
    [PIPELINE_TRIAL_LOOKS]  = {is_left, end_looks},
    [PIPELINE_TRIAL_COLD]   = {is_left_and_cheap, end_cold},
    [PIPELINE_TRIAL_WARMS]  = {warms, end_warming},
    [PIPELINE_TRIAL_AGAIN]  = {is_looked_at, end_second_looks},
    [PIPELINE_TRIAL_ROUNDS] = {is_left_and_cheap, end_round},
    [PIPELINE_TRIAL_PROVES] = {takes_no_part, pipeline_proof_end},
};

static const struct phase *phase_of(const struct pipeline_trial *trial)
{
    return &phases[trial->phase];
}

/* What the best became while it ran alone counts, as in a proof, where another way is far better. */
static void note_tired(struct pipeline_trial *trial)
{
    if (trial->phase == PIPELINE_TRIAL_WARMS && trial->current == trial->lead &&
        !pipeline_way_is_within(trial, trial->lead, pipeline_ways_best(trial), PIPELINE_WAYS_PROVEN))
        trial->ways[trial->lead].is_proven = true;
}

void pipeline_rounds_next_turn(struct pipeline_trial *trial)
{
    note_tired(trial);
    uint32_t way = next_of_round(trial, trial->current);

    trial->stretches = trial->tokens = 0;
    trial->turn_began                = 0;
    trial->repeats                   = 0;
    /* each candidate has a look whatever that costs; it may be the best */
    bool may_go_on = trial->phase == PIPELINE_TRIAL_LOOKS || pipeline_ways_left(trial) != 0;
    if (way == trial->count && trial->phase != PIPELINE_TRIAL_LOOKS)
        pipeline_ways_charge(trial);
    if (may_go_on && way != trial->count)
        pipeline_ways_begin_turn(trial, way);
    else if (may_go_on || trial->phase == PIPELINE_TRIAL_PROVES)
        phase_of(trial)->end(trial);
    else
        pipeline_proof_begin(trial, pipeline_ways_winner(trial));
}
