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
 * more than 2.5 times as long.
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
    uint32_t slots[PIPELINE_DEPTH_WAYS];                       /* all; two and one for each device; one */
    uint64_t took[PIPELINE_DEPTH_WAYS][PIPELINE_DEPTH_ROUNDS]; /* nanoseconds of a token; 0: left out */
    uint64_t ns[PIPELINE_DEPTH_WAYS]; /* at the end: of a token, the median of the rounds; 0: not known */
    bool is_left_out[PIPELINE_DEPTH_WAYS];
    uint32_t ways, devices;
    uint32_t way;    /* the one whose turn it is; at the end the one that stays */
    uint32_t round;  /* the number of those that have ended */
    uint32_t turns;  /* of this round that have ended */
    uint32_t tokens; /* of this turn */
    uint64_t begin;  /* of its stretch */
    uint64_t stretches[PIPELINE_DEPTH_STRETCHES]; /* of this turn, in nanoseconds */
    uint32_t attempts;                            /* runs so far, most of them too short for a turn */
    uint32_t misses;                              /* the last of these, too short for a long turn */
    bool is_over;
};

/* Begins the trial of a pipeline of so many slots on so many devices, all together. Of several devices, one
 * slot for all stays only where it is much faster than one for each: then only one device works at a time,
 * which is no slower as long as another program has the processors of the others, and half as fast
 * afterwards. */
void pipeline_depth_trial_begin(struct pipeline_depth_trial *trial, uint32_t depth, uint32_t devices);

/* A run begins: the turn begins again. */
void pipeline_depth_trial_interrupt(struct pipeline_depth_trial *trial);

/* A token has ended. Returns the number of slots to be in use from now on. */
uint32_t pipeline_depth_trial_next(struct pipeline_depth_trial *trial, uint64_t now);

#endif
