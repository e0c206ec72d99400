/* A trial of how many slots are in use at once.
 *
 * Where host and device share their memory and their processors, more slots than needed only make the tokens
 * in use larger than the caches. So tokens run by turns with all slots, with two and with one, and the fewest
 * slots stay that are as fast as the fastest. It knows numbers and times only.
 *
 * In a round each number of slots has a turn, from all down to one. Of fewer slots the memory is warm
 * already; only the first turn of a round has to warm up. In a turn the median of some stretches counts: a
 * thread that has to wake makes one of them many times as long. The time of a token in a turn counts as a
 * ratio to the shortest of the same round, because other programs and a processor that changes its clock make
 * whole rounds slower, and the median of the last ratios decides, because they stop single turns. Turns
 * become longer from round to round: noise that hides a difference of a twentieth needs many tokens.
 *
 * What bounds it is what it costs: against the fastest number of slots, the time of about 64 tokens and of
 * one in 128 of those that have ended since the first, in equal parts for all other numbers of slots; more
 * where one is more than 2.4 times as slow. So a slow one has few turns and short ones, one that is hardly
 * slower has many and long ones, and none is left out for good. What tokens have cost is reckoned by what
 * they are now known to take: a turn that was disturbed would be charged for what did it.
 *
 * A run that ends within a turn leaves it undecided. Where that is the run's only turn, it becomes so short
 * that it would have ended, and longer again where runs are longer.
 *
 * The first rounds follow one another. After that the choice is in use, and there are a few rounds after
 * every pause: another program may have had a processor during the first ones, which lasts some milliseconds.
 * A pause is twice as long as the one before if the choice stayed.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_DEPTH_TRIAL_H
#define PIPELINE_TRIAL_DEPTH_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define PIPELINE_DEPTH_WAYS 4u
#define PIPELINE_DEPTH_KEPT 9u
#define PIPELINE_DEPTH_STRETCHES 5u

struct pipeline_depth_way { /* a number of slots */
    uint32_t slots;
    uint32_t turns;                       /* that count */
    uint64_t ns[PIPELINE_DEPTH_KEPT];     /* of a token in the last of these, by turn % KEPT */
    uint64_t ratios[PIPELINE_DEPTH_KEPT]; /* the same in 1/1024 of the shortest time of the round */
    uint64_t took;                        /* nanoseconds of a token in this round; 0: it had no turn */
    bool is_in;                           /* this round */
    uint64_t tokens;                      /* of its turns so far */
};

enum pipeline_depth_phase {
    PIPELINE_DEPTH_SETTLES = 0, /* tokens of a turn that do not count yet */
    PIPELINE_DEPTH_TIMES   = 1,
    PIPELINE_DEPTH_PAUSES  = 2,
    PIPELINE_DEPTH_IS_OVER = 3, /* there is nothing to try, or runs have been too short so far */
};

struct pipeline_depth_trial {
    struct pipeline_depth_way ways[PIPELINE_DEPTH_WAYS]; /* all slots, and fewer */
    uint32_t count;                                      /* of ways */
    uint32_t devices;
    bool is_spread;               /* with one slot all devices work on its token; set after the beginning */
    uint32_t choice;              /* a way */
    uint32_t way;                 /* that is in use: whose turn it is, or the choice */
    int32_t phase;                /* enum pipeline_depth_phase */
    uint32_t rest;                /* tokens until pipeline_depth_trial_next() is to be called */
    uint32_t before;              /* slots of the turn before */
    uint32_t length, length_most; /* tokens that are timed in a turn; at most, as runs are long enough */
    uint32_t rounds;              /* until the next pause */
    uint32_t trials;              /* pauses so far */
    uint32_t agreed;              /* pauses since the choice has changed */
    uint32_t misses;              /* runs in a row that were too short for a turn */
    uint64_t run, turn;           /* tokens of this run and of this turn so far */
    bool is_short;                /* runs are too short to warm up */
    uint64_t begin;               /* of the stretch of tokens that is timed */
    uint64_t stretches[PIPELINE_DEPTH_STRETCHES]; /* nanoseconds of those that have ended */
    uint32_t ended;
    uint64_t pause;  /* tokens until it ends */
    uint64_t tokens; /* since the beginning */
};

/* Begins the trial of a pipeline of so many slots: all of them, two and one; or, if `fewest` is more than
 * two, all and the fewest. Of several devices: all, two and one for each, and a single one; the latter stays
 * only where it is much faster than one for each, since then only one device works at a time, which is no
 * slower as long as another program has the processors of the others, and half as fast afterwards. Where
 * `is_spread` is set, it stays like any other. fewest is 1 there, or depth: no trial. */
void pipeline_depth_trial_begin(struct pipeline_depth_trial *trial, uint32_t depth, uint32_t devices,
                                uint32_t fewest);

/* A run begins: the turn begins again. Of trial->rest tokens, `left` have not ended. */
void pipeline_depth_trial_interrupt(struct pipeline_depth_trial *trial, uint32_t left);

/* trial->rest tokens have ended since the call before, or since the run has begun. Returns the number of
 * slots to be in use from now on. */
uint32_t pipeline_depth_trial_next(struct pipeline_depth_trial *trial, uint64_t now);

/* Whether turns follow one another. */
bool pipeline_depth_trial_goes_on(const struct pipeline_depth_trial *trial);

/* Nanoseconds of a token with a number of slots, as far as is known; 0: not at all. */
uint64_t pipeline_depth_trial_ns(const struct pipeline_depth_trial *trial, uint32_t way);

#endif
