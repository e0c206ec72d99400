/* Turns, rounds and phases of a trial of strategies (strategy_trial.h), for the file that counts tokens.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_ROUNDS_H
#define PIPELINE_TRIAL_ROUNDS_H

#include "pipeline/trial/ways.h"

/* Stretches of a check while the best so far warms the device. */
#define PIPELINE_ROUNDS_CHECKS 2

/* Tokens of a look with so many slots in use. */
uint32_t pipeline_rounds_look(uint32_t slots);

/* What a turn may cost, in 1/1024 of a token of the best way. */
uint64_t pipeline_rounds_allowed_cost(const struct pipeline_trial *trial);

/* The turn of `current` is over. */
void pipeline_rounds_next_turn(struct pipeline_trial *trial);

#endif
