/* A device for trials of strategies: it works on one token after the other, each for as long as its
 * candidate takes with the slots in use; a token is enqueued as soon as a slot is free. So everything is
 * arithmetic, and every test always goes the same way.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_PIPELINE_TRIAL_STRATEGY_TRIAL_FIXTURE_H
#define TESTS_UNIT_PIPELINE_TRIAL_STRATEGY_TRIAL_FIXTURE_H

#include <stdbool.h>

#include "pipeline/trial/strategy_trial.h"
#include "tests/check.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define SLOTS_MOST 8
#define TOKENS_MOST 100000

struct machine {
    uint64_t cost[PIPELINE_TRIAL_CANDIDATES];  /* of a token */
    uint64_t fewer[PIPELINE_TRIAL_CANDIDATES]; /* the same with one slot less; 0: as long */
    bool may_rest;                             /* a slot */
    /* tokens of which the program submits all, so that no slot rests: until the first, and from the second */
    uint32_t serves_until, serves_from; /* 0: never */
    uint32_t ways, depth;
    uint32_t joins;   /* a candidate that reaches memory as the one before it does; 0: none */
    uint32_t run;     /* tokens of a run; 0: endless */
    uint64_t pause;   /* between runs */
    uint64_t cold_ns; /* at the beginning, tokens take three times as long for this time */
    /* at the beginning, tokens take up to half as much longer for this time */
    uint64_t ramp_ns;
    uint32_t noise;  /* per cent up or down; one in a hundred takes twenty times as long */
    uint32_t jitter; /* per cent up or down, and 200 us for one token in 20 ms */
    uint32_t bunch;  /* so many tokens end at once; 0: one */
    /* bit i: candidate i takes a third longer for 500 µs of every millisecond */
    uint32_t moody;
    /* a candidate whose tokens take `new_cost` at the beginning of every other turn, on an average, for up to
     * `new_most` tokens; 0: none */
    uint32_t new_most, new_candidate;
    uint64_t new_cost;
    uint32_t tires;    /* bit i: candidate i takes a third longer after 1500 µs on end */
    uint64_t stall_at; /* the first token after this takes `stall`; 0: none */
    uint64_t stall;    /* 0: 5 ms */
    /* after `burst_first` tokens, and then after every `burst`, none comes for the time of a gap; 0: never */
    uint32_t burst, burst_first;
    uint64_t gap;
    /* candidates but the first: a token ends up to two of its times early or late */
    bool odd;
    uint32_t seed;

    struct pipeline_trial trial;
    uint64_t now;
    uint64_t free;             /* when the device has nothing left to do */
    uint64_t ends[SLOTS_MOST]; /* of the last token in each slot */
    uint32_t tokens;
    uint32_t last; /* candidate, and since when */
    uint64_t since;
    uint32_t new_left;
    uint32_t went[PIPELINE_TRIAL_CANDIDATES]; /* tokens by candidate */
    uint64_t undisturbed; /* time of all tokens: what they would have taken without anything that varies */
};

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static uint64_t plain_cost_of(const struct machine *machine, uint32_t way)
{
    const struct pipeline_trial_way *tried = &machine->trial.ways[way];
    if (tried->fewer != 0 && machine->fewer[tried->candidate] != 0)
        return machine->fewer[tried->candidate];
    return machine->cost[tried->candidate];
}

static uint64_t cost_of(struct machine *machine, uint32_t way, uint64_t at)
{
    uint64_t cost = plain_cost_of(machine, way);
    machine->undisturbed += cost;
    if (machine->new_left != 0) {
        machine->new_left--;
        cost = machine->new_cost;
    }
    if (at < machine->cold_ns)
        cost *= 3;
    if (at < machine->ramp_ns)
        cost += cost * (machine->ramp_ns - at) / (2 * machine->ramp_ns);
    if (machine->moody >> way & 1 && at / (500 * US) % 2 == 1)
        cost += cost / 3;
    if (machine->tires >> way & 1 && at - machine->since > 1500 * US)
        cost += cost / 3;
    if (machine->stall_at != 0 && at >= machine->stall_at) {
        machine->stall_at = 0;
        return machine->stall != 0 ? machine->stall : 5 * MS;
    }
    if (machine->jitter != 0) {
        cost = cost * (1000 - 10 * machine->jitter + next_random(&machine->seed) % (20 * machine->jitter)) /
               1000;
        return next_random(&machine->seed) % (20 * MS) < cost ? cost + 200 * US : cost;
    }
    if (machine->noise == 0)
        return cost;
    cost = cost * (100 - machine->noise + next_random(&machine->seed) % (2 * machine->noise)) / 100;
    return next_random(&machine->seed) % 100 == 0 ? 20 * cost : cost;
}

static uint64_t last_end(const struct machine *machine)
{
    uint64_t last = machine->free > machine->now ? machine->free : machine->now;
    for (uint32_t i = 0; i < machine->depth; i++)
        last = machine->ends[i] > last ? machine->ends[i] : last;
    return last;
}

/* With a slot that rests, a token waits for the one after that which had its slot before. The tokens of a
 * whole round of slots are seen to end together. */
static void wait_for_slot(struct machine *machine, uint32_t slot)
{
    uint32_t rests = machine->trial.ways[machine->trial.current].fewer;
    uint64_t end   = machine->ends[(slot + rests) % machine->depth];
    if (machine->bunch > 1 && slot % machine->bunch == 0)
        end = last_end(machine);
    machine->now = end > machine->now ? end : machine->now;
}

static bool is_after_burst(const struct machine *machine)
{
    return machine->burst != 0 && machine->tokens >= machine->burst_first &&
           (machine->tokens - machine->burst_first) % machine->burst == 0;
}

static bool serves(const struct machine *machine)
{
    return machine->tokens < machine->serves_until ||
           (machine->serves_from != 0 && machine->tokens >= machine->serves_from);
}

static void begin_turn(struct machine *machine, uint32_t way)
{
    bool varies = machine->new_most != 0 && machine->trial.ways[way].candidate == machine->new_candidate;

    machine->since    = machine->now;
    machine->new_left = 0;
    if (varies && next_random(&machine->seed) % 2 == 0)
        machine->new_left = next_random(&machine->seed) % machine->new_most;
}

static void put_token(struct machine *machine)
{
    uint32_t slot = machine->tokens % machine->depth;
    wait_for_slot(machine, slot);
    if (is_after_burst(machine))
        machine->now = last_end(machine) + machine->gap;
    uint32_t way = pipeline_trial_next(&machine->trial, machine->depth, !serves(machine), machine->now);
    ck_assert_uint_lt(way, machine->trial.count);
    if (way != machine->last || machine->tokens == 0)
        begin_turn(machine, way);
    machine->last       = way;
    uint64_t begin      = machine->free > machine->now ? machine->free : machine->now;
    machine->free       = begin + cost_of(machine, way, begin);
    machine->ends[slot] = machine->free;
    if (machine->odd && way != 0) {
        uint64_t sooner     = next_random(&machine->seed) % (2 * machine->cost[way]);
        machine->ends[slot] = machine->free > machine->now + sooner ? machine->free - sooner : machine->now;
    }
    machine->went[machine->trial.ways[way].candidate]++;
    machine->tokens++;
}

static void begin_run(struct machine *machine)
{
    machine->now = last_end(machine) + machine->pause;
    pipeline_trial_interrupt(&machine->trial);
}

/* Until the trial is over. Returns the winner. */
static uint32_t run(struct machine *machine)
{
    machine->now  = 1000;
    machine->seed = machine->seed != 0 ? machine->seed : 1;
    pipeline_trial_begin(&machine->trial, machine->ways, machine->may_rest);
    if (machine->joins != 0)
        pipeline_trial_join(&machine->trial, machine->joins);
    begin_run(machine);
    while (!machine->trial.is_over) {
        ck_assert_uint_lt(machine->tokens, TOKENS_MOST);
        if (machine->run != 0 && machine->tokens % machine->run == 0)
            begin_run(machine);
        put_token(machine);
    }
    return machine->trial.current;
}

#endif
