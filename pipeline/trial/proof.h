/* How the winner of a trial of strategies (strategy_trial.h) confirms its result.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_PROOF_H
#define PIPELINE_TRIAL_PROOF_H

#include "pipeline/trial/ways.h"

/* Confirms the winner, unless it is confirmed already, the only one left, trusted, or the trial has cost
 * what it may. Then one stays that needs no proof; but where short tokens became slow before, it is made. */
void pipeline_proof_begin(struct pipeline_trial *trial, uint32_t way);

/* Whether the stretches so far are enough. */
bool pipeline_proof_is_over(const struct pipeline_trial *trial);

/* The proof of `current` is over: it stays, or another way gets its chance. */
void pipeline_proof_end(struct pipeline_trial *trial);

#endif
