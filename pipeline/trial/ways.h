/* What a trial of strategies knows of its ways (strategy_trial.h): results, the best, and what they cost.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_WAYS_H
#define PIPELINE_TRIAL_WAYS_H

#include "pipeline/trial/strategy_trial.h"

/* Tokens of the best way that the trial may cost: what its tokens take longer than those of the best would
 * have. So much is left of 64 for what turns out dearer than was known before. */
#define PIPELINE_WAYS_COST_MOST (58 * PIPELINE_WAYS_TOKEN)

/* What a token of the best may turn out to cost while it runs alone, in 1/1024 of it: others may be faster,
 * by as little as could not be told. */
#define PIPELINE_WAYS_DOUBT 16

/* At the beginning of a turn, tokens in multiples of the depth that do not count. */
#define SETTLE_DEPTHS 2

/* The time of a token of the best way, as costs are counted; and the most that is counted for a token. */
#define PIPELINE_WAYS_TOKEN 1024u
#define PIPELINE_WAYS_EXCESS_MOST (1u << 20)

/* In per cent of the fastest: ways beyond it are eliminated. */
#define PIPELINE_WAYS_NEAR 125

/* What short stretches of a way that ran alone may take, in per cent of the fastest other way. */
#define PIPELINE_WAYS_PROVEN 110

/* The way stays: the trial is over. */
void pipeline_ways_keep(struct pipeline_trial *trial, uint32_t way);

/* The fastest of those not eliminated; `count` where no result is known. */
uint32_t pipeline_ways_best(const struct pipeline_trial *trial);

/* The first that is as good as the fastest; where no result is known, what seemed the nearest before. */
uint32_t pipeline_ways_winner(const struct pipeline_trial *trial);

/* Whether the result of a way is known, and at most so many per cent of that of `best`. */
bool pipeline_way_is_within(const struct pipeline_trial *trial, uint32_t way, uint32_t best,
                            uint64_t percent);

/* What a token of the way takes longer than one of the best, in 1/1024 of the latter; without a result, what
 * was known before. */
uint32_t pipeline_way_excess(const struct pipeline_trial *trial, uint32_t way);

/* The nearest to the best of those not eliminated, but for one; `count`: there is none. */
uint32_t pipeline_ways_best_but(const struct pipeline_trial *trial, uint32_t but);

/* A turn of the way begins. Where it had the turn before, too, its tokens are in the slots already. */
void pipeline_ways_begin_turn(struct pipeline_trial *trial, uint32_t way);

/* Tokens of `current` in its turn, also those that do not count. */
uint32_t pipeline_ways_turn(const struct pipeline_trial *trial);

/* What the trial has cost so far, in 1/1024 of a token of the best. What is known now counts, also of turns
 * of this round in which the way seemed the best. */
uint64_t pipeline_ways_spent(const struct pipeline_trial *trial);

/* After a round: what it has cost is known as well as it will be. */
void pipeline_ways_charge(struct pipeline_trial *trial);

/* What it may cost on top of that before it has to end. */
uint64_t pipeline_ways_left(const struct pipeline_trial *trial);

/* Forgets all stretches but so many. */
void pipeline_way_keep_last(struct pipeline_trial_way *way, uint32_t count);

#endif
