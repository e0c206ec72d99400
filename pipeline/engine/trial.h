/* Pipelines: which of several ways to put tokens on a device is the fastest? A trial says for every token which way it goes, and
 * is told when; nothing else, so that it can be tried with times that somebody made up.
 *
 * The ways take turns, there and back again (A B C, C B A), so that what changes slowly, like a clock that rises, favours none of them.
 * At the beginning of a turn the slots hold tokens of another way, and what this one needs is made: so many tokens do not
 * count. Then stretches of tokens are timed. Of short ones the upper end of the fastest third is what a way takes, since whatever
 * else goes on in a machine makes them longer; of long ones, where that matters less than how many tokens happened to end in
 * each, their mean. After the first rounds those that are near the best go on. In the end the first in the list that is nearly as fast
 * as the fastest stays, if it is that in its slower stretches too: simpler ways come first there. But first it
 * goes on by itself for a while: a device may take to a way only as long as it is new, and where that is so another one has its chance.
 *
 * Stretches are timed only while the pipeline is in flow: a run that begins finds it empty, so the first tokens go at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_TRIAL_H
#define PIPELINE_ENGINE_TRIAL_H

#include <stdint.h>

#define CORE_TRIAL_WAYS 5
#define CORE_TRIAL_SAMPLES 16

struct core_trial_way {
    uint64_t ns[CORE_TRIAL_SAMPLES]; /* a token, in each stretch */
    uint32_t count;
    uint32_t is_long; /* 1: its stretches take long, all of them */
    uint32_t out;     /* 1: it has been left behind */
    uint32_t proven;  /* 1: it has gone on by itself, and these are the times of that */
};

struct core_trial {
    struct core_trial_way ways[CORE_TRIAL_WAYS];
    uint32_t count;   /* of ways, the simplest first */
    uint32_t over;    /* 1: `current` is what stays */
    uint32_t current; /* whose turn it is */
    uint32_t round;
    uint32_t proving;        /* 1: it goes on by itself */
    uint32_t taken;          /* stretches of this turn */
    uint32_t tokens;         /* enqueued since the turn or the run began */
    uint32_t depth;          /* slots at that time */
    uint32_t misses;         /* runs that began since the last stretch came to its end */
    uint32_t counted;        /* tokens since `begin`, fewer than the depth */
    uint32_t stretch_tokens; /* those before, and how long they took: a stretch goes on in the next run */
    uint64_t stretch_ns;
    uint64_t begin;
    uint64_t began; /* when the first token of all was enqueued */
};

/* 1 to CORE_TRIAL_WAYS of them. */
void core_trial_begin(struct core_trial *trial, uint32_t count);

/* A run begins. */
void core_trial_interrupt(struct core_trial *trial);

/* The way that the token goes which is enqueued now (nanoseconds of any clock). */
uint32_t core_trial_next(struct core_trial *trial, uint32_t depth, uint64_t now);

/* Is the next token one that counts, or fills the slots before those? What is measured in it would disturb. */
int32_t core_trial_timing(const struct core_trial *trial, uint32_t depth);

/* What a token takes by a way; 0: not known. */
uint64_t core_trial_result(const struct core_trial *trial, uint32_t way);

#endif
