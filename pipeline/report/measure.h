/* What a pipeline has measured. A measure takes the times of each ended token once and keeps sums, so that a
 * report costs the same after a minute and after a week. For a trace it also keeps the last tokens.
 *
 * Locks: none; the pipeline calls it under its own lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_MEASURE_H
#define PIPELINE_REPORT_MEASURE_H

#include <stdbool.h>
#include <trireme/report.h>

struct core_context;
struct pipeline_measure;

/* Why a token did not come out, beside the answers of sources. */
enum pipeline_token_end {
    PIPELINE_TOKEN_DROPPED = 3, /* for a newer one */
    PIPELINE_TOKEN_EXPIRED = 4, /* the same, since its deadline passed before it was enqueued */
};

/* The times of one token in nanoseconds of base_now(). begin and end 0: not measured, or a stage that the
 * token did not have (copies of zero-copy). Stages of one token follow each other; those of different tokens
 * may overlap. */
struct pipeline_token_times {
    uint64_t index; /* token->index */
    uint32_t slot;
    uint32_t device; /* number of the device among those of the pipeline */
    /* TRM_OK; how it failed; TRM_ERROR_CANCELLED: it was dropped with another one; enum trm_token_answer and
     * enum pipeline_token_end */
    int32_t status;
    uint64_t begin[TRM_STAGES], end[TRM_STAGES];
    uint64_t bytes_up, bytes_down;
    /* some of these bytes were copied from, or to, pageable memory although the slot has pinned memory */
    bool is_pageable_up, is_pageable_down;
    uint64_t enqueue_ns; /* that enqueueing it took; 0: not measured */
    /* of the array that follows; 0 when launches were not measured one by one */
    uint32_t launch_count;
    /* The end of each stage of the descriptor; the first begins with COMPUTE. */
    const uint64_t *launch_end;
    /* When each stage that has a stream of its own began, which may be in use for another token; 0: with what
     * it runs after. NULL: none has. */
    const uint64_t *launch_begin;
    /* By stage: the stages that it ran after (bit j is stage j), which have lower numbers; NULL: one after
     * the other. Not copied; stays as long as the pipeline's engines. */
    const uint64_t *launch_after;
    /* The time that the thread of load, or of the sink, ran on a processor; 0: not measured. */
    uint64_t load_ran, sink_ran;
    bool is_late; /* it came out after its deadline */
};

/* When a launch began: when those that it ran after had ended. */
uint64_t pipeline_times_launch_begin(const struct pipeline_token_times *times, uint32_t number);

/* How long each stage took for one token; 0: it did not have the stage. */
struct pipeline_stage_times {
    uint64_t time[TRM_STAGES];
};

/* What was copied in one direction, by the memory of the host. */
struct pipeline_copies {
    struct pipeline_rate {
        uint64_t bytes, time;
    } pinned, pageable;
};

enum pipeline_copies_direction {
    PIPELINE_COPIES_UP   = 0,
    PIPELINE_COPIES_DOWN = 1,
    PIPELINE_COPIES      = 2,
};

/* How fast copies and the enqueueing of measured tokens were. */
struct pipeline_rates {
    struct pipeline_copies copies[PIPELINE_COPIES];
    uint64_t enqueue_sum, enqueued; /* time, tokens */
};

/* Adds a token that came out. */
void pipeline_rates_add(struct pipeline_rates *rates, const struct pipeline_token_times *times);

/* How long enqueueing a token took, in the mean; 0: not known. */
uint64_t pipeline_rates_enqueue(const struct pipeline_rates *rates);

/* The factor by which the copies of one direction would take longer if all of them were of pinned memory: by
 * the pinned copies of this direction or, where it has none, of the other one. At most 1; 1 where neither
 * is known, or none is of pageable memory. */
double pipeline_rates_pinned(const struct pipeline_rates *rates, uint32_t direction);

/* Of so many tokens a measure keeps them. */
#define PIPELINE_RECENT_TOKENS 128

struct pipeline_measure_desc {
    uint32_t depth; /* most slots that the pipeline may get, unless pipeline_measure_slots() says it */
    uint32_t trace_tokens;
    uint32_t launch_count;
    const char *const *launch_names; /* copied */
};

/* Allocates all memory at once. Errors: OUT_OF_HOST_MEMORY. */
int32_t pipeline_measure_create(struct core_context *context, const struct pipeline_measure_desc *desc,
                                struct pipeline_measure **measure);
void pipeline_measure_destroy(struct pipeline_measure *measure); /* NULL is fine */

/* The pipeline has so many slots now. As many tokens may come out of order, and wait to be sorted, which
 * costs time: a measure that is told costs less than one of the most slots. */
void pipeline_measure_slots(struct pipeline_measure *measure, uint32_t slots);

/* Forgets everything: a run begins. */
void pipeline_measure_reset(struct pipeline_measure *measure);

/* Forgets everything but which threads load: the run goes on. */
void pipeline_measure_restart(struct pipeline_measure *measure);

/* Adds a token that has ended, failed, was dropped, or was skipped (status TRM_TOKEN_SKIP). Tokens come in
 * the order in which they ended. With several loaders or an unordered pipeline begin times need not be
 * sorted, but no two are further apart than the depth. */
void pipeline_measure_token(struct pipeline_measure *measure, const struct pipeline_token_times *times);

/* The same for a token that ended well and has no times. */
void pipeline_measure_untimed(struct pipeline_measure *measure, bool is_late, uint64_t bytes_up,
                              uint64_t bytes_down);

/* The same for one of several devices, whose pipeline measures the whole token: counts, and busy times of
 * upload, compute and download. Neither reasons for idle times nor a trace. */
void pipeline_measure_device_token(struct pipeline_measure *measure,
                                   const struct pipeline_token_times *times);

/* The launches have changed places, and the first one is that at places[0] now. Forgets everything as a
 * restart does. */
void pipeline_measure_reorder(struct pipeline_measure *measure, const uint32_t *places);

/* Sets which threads load in the run that begins: so many workers, or the thread that also has the sink
 * (one_thread). A reset sets 0 and false. */
void pipeline_measure_threads(struct pipeline_measure *measure, uint32_t workers, bool one_thread);

/* The run goes on until `now`, though its last token has no times. */
void pipeline_measure_until(struct pipeline_measure *measure, uint64_t now);

/* Fills in what was measured: counts, times, stages, launches, critical, bound, sequential, efficiency, fill,
 * and which threads load. The report already has the depth.
 *
 * Busy time is the length of the union of a stage's intervals, so that a stage that works on several tokens
 * at once is not counted twice. The cost of a stage, which decides the critical stage and the bound, is its
 * busy time, not the sum over its tokens; both are the same for a stage that takes one token at a time. Load
 * with several workers is an exception: its cost is the sum divided by the number of workers, where that is
 * less.
 *
 * The sum over all stages uses the same costs. `preempted` is updated at most once a millisecond, when a
 * token ends.
 *
 * Of sampled tokens, only the time between neighbours that were both measured counts. So sample at least two
 * tokens in a row, better twice the depth; otherwise idle time counts as starved. */
void pipeline_measure_report(const struct pipeline_measure *measure, struct trm_report *report);

/* The stage times of the last measured tokens, oldest first; returns how many. */
uint32_t pipeline_measure_recent(const struct pipeline_measure *measure,
                                 struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS]);

/* How much longer the stages take for the first token of a slot, whose memory was not touched before, than
 * for the others; 0: no longer, or not known. The first token of a run is left out: what is compiled or
 * started for it is done only once. */
uint64_t pipeline_measure_slot_ns(const struct pipeline_measure *measure);

/* The rates of the measured tokens. */
void pipeline_measure_rates(const struct pipeline_measure *measure, struct pipeline_rates *rates);

/* Creates a measure of the same size, and copies everything into it (names and traced tokens too), so that it
 * can be read without the pipeline's lock. */
int32_t pipeline_measure_create_like(const struct pipeline_measure *measure, struct pipeline_measure **copy);
void pipeline_measure_copy(struct pipeline_measure *to, const struct pipeline_measure *from);

/* The name of a launch; NULL past the last. */
const char *pipeline_measure_launch_name(const struct pipeline_measure *measure, uint32_t number);

/* The traced tokens with launch_end, oldest first; NULL past the last. */
const struct pipeline_token_times *pipeline_measure_traced(const struct pipeline_measure *measure,
                                                           uint32_t number);

#endif
