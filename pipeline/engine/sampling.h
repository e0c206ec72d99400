/* Pipelines: the times of which tokens are taken? Stamps cost: they part copies that would follow each other closely, and the host
 * reads them. So of many tokens few are measured, in stretches of neighbours (idle time between two tokens is only seen when both
 * are measured), of twice the depth:
 *
 * - In each run, since it has a report of its own: the second stretch, when the pipeline is in flow. Also the first, which
 *   fills it, of a run that may be no longer than that.
 * - One every so often, by the clock, so that what measuring takes stays the same part of the time however short tokens are.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_SAMPLING_H
#define PIPELINE_ENGINE_SAMPLING_H

#include <stdint.h>

/* All zero: of a pipeline that was never run, whose tokens the program submits one by one. */
struct core_sampling {
    uint64_t expected; /* tokens of the run; 0: not known */
    uint64_t tokens;   /* of the run so far */
    uint64_t begun_at; /* base_now() when the last stretch that is measured began; 0: none has in this run */
    int32_t on;        /* 1: the present stretch is measured */
};

/* A run of so many tokens begins; 0: not known. */
void core_sampling_begin(struct core_sampling *sampling, uint64_t expected);

/* Is the next token measured? To be asked once for each token. A stretch has so many tokens, and begins `each_ns` after the
 * last one that was measured, or later. `disturbs`, 1: this token is not to be measured. */
int32_t core_sampling_next(struct core_sampling *sampling, uint64_t stretch, uint64_t each_ns,
                           int32_t disturbs);

#endif
