/* Decides which tokens are measured. Time stamps cost: they separate copies that would follow each other
 * closely, and the host has to read them. So only stretches of neighbouring tokens are measured, of twice the
 * depth and one, or of three where stamps take longer than many a token, because idle time between two tokens
 * is only seen when both are measured:
 *
 * - In each run, which has a report of its own: the second stretch, when the pipeline is in flow. In a run
 *   that may be no longer than that, also the first, which fills the pipeline.
 * - The first tokens of a run more often, PIPELINE_SAMPLES_FIRST of them, so that also a short report knows
 *   how much their times vary.
 * - One stretch per interval of time, so that the cost stays the same part of the time however short tokens
 *   are.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_TRIAL_SAMPLING_H
#define PIPELINE_TRIAL_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#define PIPELINE_SAMPLES_FIRST 32

/* All zero: a pipeline that was never run, whose tokens the program submits itself. */
struct pipeline_sampling {
    uint64_t expected; /* tokens of the run; 0: unknown */
    uint64_t tokens;   /* of the run so far */
    /* base_now() when the last measured stretch began; 0: none in this run */
    uint64_t begun_at;
    uint32_t measured; /* tokens of the run, up to PIPELINE_SAMPLES_FIRST */
    bool is_measuring; /* the current stretch is measured */
};

/* Begins a run of so many tokens; 0: unknown. */
void pipeline_sampling_begin(struct pipeline_sampling *sampling, uint64_t expected);

/* Whether the next token is measured; called once for each token.
 *
 * stretch   tokens of a stretch
 * each_ns   least time from the start of one measured stretch to the start of the next
 * is_timed  the token times a candidate strategy, so it must not be measured */
bool pipeline_sampling_next(struct pipeline_sampling *sampling, uint64_t stretch, uint64_t each_ns,
                            bool is_timed);

#endif
