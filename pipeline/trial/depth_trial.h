/* A trial of how many slots are in use at once.
 *
 * Where host and device share their memory and their processors, more slots than needed only make the tokens
 * in use larger than the caches. So some of the first tokens run with all slots, some with two and some with
 * one, in turns, and the fewest slots stay that are as fast as the fastest. It knows numbers and times only.
 *
 * When more slots come into use, their memory is cold at first. So the turns of two short rounds only show
 * which numbers of slots are very slow, and these are left out. The turns of the rounds after them are long:
 * only when the caches have settled are their tokens timed, and those rounds alone are compared. Rounds go
 * forward and backward, so that a number of slots follows itself or its neighbour and the caches have little
 * to fetch. Against the best of them the trial costs at most the time of 64 tokens, as long as none takes
 * more than 2.4 times as long.
 *
 * Tokens of a microsecond are timed in stretches of more of them, since the clock and an interrupt would
 * decide between a few. What they use is warm again after a token, so that a number of slots need not be very
 * slow to be left out.
 *
 * After the trial tokens are watched, at the cost of a look at the clock for 32 of them. A number of slots
 * may have been lucky: which processor runs which slot can stay the same for some tokens and then no longer.
 * So where tokens take a quarter longer than the trial saw, for a tenth of a second, there is another trial.
 * Another one, of the numbers that were near, confirms the result in any case: other programs may have had
 * a processor. It costs little, since far numbers are not in it, and comes a tenth of a second later, since
 * what else runs on the machine does so for a while. Until two in a row agree there are more, each after four
 * times as much as the one before, because the cause may be something else. Where runs have become too short
 * for a trial, what the one before found stays. Of several devices tokens are not watched: it would cost each
 * of them a line of the cache.
 *
 * Other programs, and a processor that changes its clock, make some rounds faster than others. So turns are
 * compared with those of the same round, and the median of the rounds counts: the fastest turn of all would
 * tell when the machine was fast, not which number of slots is.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_DEPTH_TRIAL_H
#define PIPELINE_TRIAL_DEPTH_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#define PIPELINE_DEPTH_WAYS 4u
#define PIPELINE_DEPTH_ROUNDS 7u
#define PIPELINE_DEPTH_STRETCHES 4u

struct pipeline_depth_trial {
    uint32_t slots[PIPELINE_DEPTH_WAYS];                       /* all, and fewer */
    uint64_t took[PIPELINE_DEPTH_WAYS][PIPELINE_DEPTH_ROUNDS]; /* nanoseconds of a token; 0: left out */
    uint64_t ns[PIPELINE_DEPTH_WAYS]; /* at the end: of a token, the median of the rounds; 0: not known */
    bool is_left_out[PIPELINE_DEPTH_WAYS];
    uint32_t ways;
    uint32_t way;    /* the one whose turn it is; at the end the one that stays */
    uint32_t round;  /* the number of those that have ended */
    uint32_t turns;  /* of this round that have ended */
    uint32_t tokens; /* of this turn */
    uint64_t begin;  /* of its stretch */
    uint64_t stretches[PIPELINE_DEPTH_STRETCHES]; /* of this turn, in nanoseconds */
    uint32_t attempts;                            /* runs so far, most of them too short for a turn */
    uint32_t misses;                              /* the last of these, too short for a long turn */
    bool is_over;
    /* Afterwards. */
    uint32_t watched;    /* tokens of this run */
    uint32_t slow;       /* windows of such tokens, the last ones, that took longer than the trial saw */
    uint64_t slow_since; /* when they began */
    uint64_t since;      /* tokens since the trial ended */
    uint64_t patience;   /* as many, before it may be doubted */
    uint64_t ended;      /* when tokens were watched first; 0: not yet */
    uint64_t pause;      /* nanoseconds from then to a trial that confirms this one */
    bool is_far;         /* so many of them that the trial is doubted */
    bool is_due;         /* another trial */
    uint32_t last;       /* slots that the last trial kept; 0: all; UINT32_MAX: this is the first */
    uint32_t agreed;     /* trials in a row that kept the same, after the first */
    uint32_t rounds;     /* of this trial */
    uint32_t devices, fewest;
};

/* Begins the trial of a pipeline of so many slots: all of them, two and one; or, if `fewest` is more than
 * two, all and the fewest. Of several devices: all, two and one for each, and a single one; the latter stays
 * only where it is much faster than one for each, since then only one device works at a time, which is no
 * slower as long as another program has the processors of the others, and half as fast afterwards. fewest is
 * 1 there, or depth: no trial. again: as it is due. */
void pipeline_depth_trial_begin(struct pipeline_depth_trial *trial, uint32_t depth, uint32_t devices,
                                uint32_t fewest);
void pipeline_depth_trial_again(struct pipeline_depth_trial *trial, uint32_t depth);

/* A token has ended. Whether pipeline_depth_trial_next() has to be told. */
bool pipeline_depth_trial_counts(struct pipeline_depth_trial *trial);

/* A run begins: the turn begins again. */
void pipeline_depth_trial_interrupt(struct pipeline_depth_trial *trial);

/* A token has ended that counts. Returns the number of slots to be in use from now on. */
uint32_t pipeline_depth_trial_next(struct pipeline_depth_trial *trial, uint64_t now);

#endif
