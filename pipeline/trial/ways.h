/* What a trial of strategies knows of its ways (strategy_trial.h): results, the best, and what they cost.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_WAYS_H
#define PIPELINE_TRIAL_WAYS_H

#include "pipeline/trial/strategy_trial.h"

/* At the beginning of a turn, tokens in multiples of the depth that do not count. */
#define SETTLE_DEPTHS 2

/* The time of a token of the best way, as costs are counted; and the most that is counted for a token. */
#define PIPELINE_WAYS_TOKEN 1024u
#define PIPELINE_WAYS_EXCESS_MOST (1u << 20)

/* In per cent of the fastest: ways beyond it are eliminated. */
#define PIPELINE_WAYS_NEAR 125

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

/* Adds what the tokens since the last call have cost to trial->spent. */
void pipeline_ways_charge(struct pipeline_trial *trial);

#endif
