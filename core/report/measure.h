/* What a pipeline has measured: takes the times of each token once, when it is through, and keeps sums, so that a report
 * costs the same after a minute and after a week. Where a trace is wanted it also keeps the last tokens one by one.
 * Not locked: the pipeline calls under its own lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_REPORT_MEASURE_H
#define CORE_REPORT_MEASURE_H

#include <trireme/report.h>

struct core_context;
struct core_measure;

/* One token's way. Nanoseconds of core_now(); begin and end 0: not measured, or a stage that the token did not have (the
 * copies of zero-copy). Stages of one token follow each other; those of different tokens may overlap. */
struct core_token_times {
    uint64_t index; /* token->index */
    uint32_t slot;
    int32_t status; /* TRM_OK, or how it failed */
    uint64_t begin[TRM_STAGES], end[TRM_STAGES];
    uint64_t bytes_up, bytes_down;
    uint32_t launch_count; /* of the array that follows; 0 when they were not told apart */
    const uint64_t
        *launch_end; /* when each of the descriptor's stages ended; the first begins with COMPUTE */
};

struct core_measure_desc {
    uint32_t depth; /* at most: slots that may come to be */
    uint32_t trace_tokens;
    uint32_t launch_count;
    const char *const *launch_names; /* copied */
};

/* All memory at once. Errors: OUT_OF_HOST_MEMORY. */
int32_t core_measure_create(struct core_context *context, const struct core_measure_desc *desc,
                            struct core_measure **measure);
void core_measure_destroy(struct core_measure *measure); /* NULL is fine */

/* Forget everything: a run begins. */
void core_measure_reset(struct core_measure *measure);

/* A token is through (or has failed, or was skipped: status TRM_TOKEN_SKIP). Tokens come in the order in which they ended;
 * with several loaders or an unordered pipeline begin times need not be sorted, but no two are further apart than the depth. */
void core_measure_token(struct core_measure *measure, const struct core_token_times *times);

/* Fill in what was measured: counts, times, stages, launches, critical, bound, sequential, efficiency, fill. */
void core_measure_report(const struct core_measure *measure, struct trm_report *report);

/* The tokens that are kept, oldest first; NULL past the last. launch_end included. */
const struct core_token_times *core_measure_kept(const struct core_measure *measure, uint32_t number);

#endif
