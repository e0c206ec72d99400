/* The trial room: what a pipeline finds out while it runs. It is told times and counts and knows nothing
 * else, so tests can feed it with made-up ones.
 *
 *     strategy_trial.c   which of several strategies is the fastest: counts tokens and times stretches
 *     rounds.c           which of them has the next turn, and which has won
 *     ways.c             their results, and what they have cost
 *     depth_trial.c      how many slots are in use at once
 *     sampling.c         which tokens are measured
 *
 * Locks: none; the owner locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_TRIAL_H
#define PIPELINE_TRIAL_TRIAL_H

#include "pipeline/trial/depth_trial.h"
#include "pipeline/trial/sampling.h"
#include "pipeline/trial/strategy_trial.h"

#endif
