/* What a pipeline has measured: takes the times of each token once, when it is through, and keeps sums, so that a report
 * costs the same after a minute and after a week. Where a trace is wanted it also keeps the last tokens one by one.
 * Not locked: the pipeline calls under its own lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_MEASURE_H
#define PIPELINE_REPORT_MEASURE_H

#include <stdbool.h>
#include <trireme/report.h>

struct core_context;
struct core_measure;

/* One token's way. Nanoseconds of base_now(); begin and end 0: not measured, or a stage that the token did not have (the
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

/* Who loads in the run that begins: so many workers; or, one_thread 1, the thread that also has the sink. Both are 0 after a
 * reset. */
void core_measure_threads(struct core_measure *measure, uint32_t workers, uint32_t one_thread);

/* Fill in what was measured: counts, times, stages, launches, critical, bound, sequential, efficiency, fill, and who loads.
 * The depth is in the report already.
 *
 * Busy time is the length of the union of a stage's intervals, so that a stage that works on several tokens at once is not
 * counted twice. What a stage costs, which makes one critical and is the bound, is therefore its busy time and not the sum of
 * its tokens'; that is the same for a stage that takes one token at a time. Load with several workers is an exception, as
 * their number is known: the sum divided by them, where that is less.
 *
 * The same holds for what all stages cost one after the other. preempted is looked up once a millisecond at most, when a token
 * comes.
 *
 * Of sampled tokens: what lies between neighbours that were both measured counts; so sample at least two tokens in a row
 * (better: two times the depth), else idle time is counted as starved. */
void core_measure_report(const struct core_measure *measure, struct trm_report *report);

/* A second one of the same size (it lacks the names until it is copied to), and all that the first knows, kept tokens
 * included: to be read without the pipeline's lock. */
int32_t core_measure_create_like(const struct core_measure *measure, struct core_measure **copy);
void core_measure_copy(struct core_measure *to, const struct core_measure *from);

/* The name of a launch; NULL past the last. */
const char *core_measure_launch_name(const struct core_measure *measure, uint32_t number);

/* The tokens that are kept, oldest first; NULL past the last. launch_end included. */
const struct core_token_times *core_measure_traced(const struct core_measure *measure, uint32_t number);

#endif
