/* What measure.c adds tokens to, and measure_report.c makes a report of.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_REPORT_MEASURE_STATE_H
#define PIPELINE_REPORT_MEASURE_STATE_H

#include "pipeline/report/measure.h"

#define UNKNOWN UINT64_MAX

enum {
    DEPTH_MOST    = 64,
    COUNT_EACH_NS = 1000000
};

/* One token in one stage. ready: when the previous stage had ended, or, for load, when the slot was free;
 * UNKNOWN: not measured. */
struct interval {
    uint64_t begin, end, ready;
};

struct stage_measure {
    uint64_t measured; /* tokens with times */
    uint64_t missed;   /* tokens without times */
    uint64_t missed_before, missed_since;
    uint64_t sum, least, most;
    uint64_t first, last; /* the earliest begin and the latest end */
    uint64_t busy, starved, blocked;
    uint64_t unexplained; /* idle for unknown reasons */
    uint64_t until;       /* where the union ends; 0: it has not begun, or begins anew */
    uint32_t waiting;
    struct interval queue[DEPTH_MOST + 1]; /* sorted by begin */
};

/* What the process has used. */
struct usage {
    uint64_t preempted; /* how often a thread lost its processor while it had work */
    uint64_t processor_ns;
};

struct share {
    uint64_t part, whole;
};

struct pipeline_measure {
    struct core_context *context;
    size_t size; /* of the whole block */
    uint32_t depth, launch_count, trace_tokens;
    char (*launch_names)[48];

    struct usage before; /* when the run began */

    uint32_t workers;
    bool one_thread;
    uint64_t tokens, skipped, failed, cancelled, dropped, expired, late, sampled;
    uint64_t first, last; /* of all stages */
    /* Tokens of a device that ended well without times, and that are in neither `tokens` nor `stages` yet */
    uint64_t plain;
    uint64_t untimed; /* the same of the whole pipeline: not in any of `stages` either */
    uint64_t bytes_up, bytes_down;
    /* since the run began, and when it was last counted */
    struct usage used;
    uint64_t counted_at;
    /* processor time of load and sink, and how long they took for the same tokens */
    struct share load_ran, sink_ran;
    struct pipeline_rates rates;
    uint64_t recent_tokens; /* so far; those past PIPELINE_RECENT_TOKENS replaced the oldest */
    struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS];
    /* time that tokens held slots, and the number of those tokens */
    uint64_t in_slots, seen_in_slots;
    uint64_t slot_free[DEPTH_MOST]; /* when the slot's last token ended; 0: it has had none */
    /* the first tokens of slots in each stage, and the least of their times; that leaves out the first token
     * of the run. 0: not known */
    struct {
        uint64_t tokens, sum, least;
    } fresh[TRM_STAGES];
    /* when the first of the results that were dropped since the sink's last token was ready; 0: none was */
    uint64_t dropped_ready;
    struct stage_measure stages[TRM_STAGES];
    uint64_t launch_sum[TRM_REPORT_LAUNCHES];
    uint64_t launch_tokens;

    uint64_t traced; /* tokens traced so far; those past trace_tokens replaced the oldest */
    struct pipeline_token_times *ring;
    uint64_t *ring_ends; /* by place in the ring: the ends of launches, then their begins */
};

static inline uint64_t scale(uint64_t value, uint64_t numerator, uint64_t denominator)
{
    return (uint64_t)((unsigned __int128)value * numerator / denominator);
}

/* Tokens without times that a stage has not been told of yet. */
uint64_t pipeline_measure_missed(const struct pipeline_measure *measure, uint32_t stage);

/* Joins the intervals that wait. */
void pipeline_stage_join_all(struct stage_measure *stage, bool is_load);

/* Tokens without times: the next interval does not adjoin the previous one. */
void pipeline_stage_miss(struct stage_measure *stage, uint64_t tokens, bool is_load);

#endif
