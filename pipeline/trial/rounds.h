/* Turns and rounds of a trial of strategies (strategy_trial.h), for the file that counts tokens.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_ROUNDS_H
#define PIPELINE_TRIAL_ROUNDS_H

#include "pipeline/trial/ways.h"

/* At the beginning of a turn, tokens in multiples of the depth that do not count. */
#define SETTLE_DEPTHS 2

/* The winner has to confirm its result: PROOF stretches, after PROOF_SETTLE that do not count, must stay near
 * the fastest other way. Of long stretches there are PROOF_LONG, whose last ones count, PROOF_LAST; so many
 * in a row beyond PROVEN_LONG per cent of it end the proof. */
#define PROOF_SETTLE 6
#define PROOF 6
#define PROOF_LONG 10
#define PROOF_LAST 2
#define PROVEN_LONG 105

/* Tokens of a look with so many slots in use. */
uint32_t pipeline_rounds_look(uint32_t slots);

/* What a turn may cost, in 1/1024 of a token of the best way. */
uint64_t pipeline_rounds_allowed_cost(const struct pipeline_trial *trial);

/* The turn of `current` is over. */
void pipeline_rounds_next_turn(struct pipeline_trial *trial);

/* Confirms the winner, unless it is confirmed already, the only one left, or the simplest of long tokens. */
void pipeline_rounds_prove(struct pipeline_trial *trial, uint32_t way);

/* The way stays. */
void pipeline_rounds_conclude(struct pipeline_trial *trial, uint32_t way);

#endif
