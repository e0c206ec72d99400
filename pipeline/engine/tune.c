/* Finds the number of slots. A pipeline of depth 0 begins with four, or three large ones where host and
 * device share memory. While the busiest stage sometimes waits for tokens, or load for slots, one slot is
 * added, as long as the last one helped and memory allows. The strategy is chosen first, because each has a
 * rate of its own.
 *
 * Of small tokens on a device with memory of its own, which are many at a time in the queues of host, driver
 * and device, a stage that waits does not show it. There a slot is added once in any case.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "pipeline/engine/engine_internal.h"

/* Looks at the pipeline after so many tokens per slot and so much time; shorter windows are noise. */
#define TOKENS_A_SLOT 8
#define WINDOW_NS 5000000u

/* A stage that waits for less than this part of its time does not starve. */
#define STARVES 0.05

/* A slot that raised the rate by less was one too many, and rests where slots may (slots_in_use.c). */
#define BROUGHT 1.01

/* Bytes of a small slot, and what one that is added without a stage that waits has to raise the rate by. */
#define SMALL_BYTES (UINT64_C(1) << 20)
#define BROUGHT_PROBE 1.03

/* Looks at which a slot must have brought nothing until that is believed. */
#define DOUBTS 3

/* Consecutive looks without waiting after which tokens are no longer measured for this purpose. */
#define CALM 3

static void set_resting(struct pipeline_tuning *tuning, bool is_resting)
{
    atomic_store_explicit(&tuning->is_resting, is_resting, memory_order_relaxed);
}

void pipeline_tuning_settle(struct pipeline_tuning *tuning)
{
    tuning->is_settled = true;
    set_resting(tuning, true);
}

void pipeline_tuning_interrupt(struct pipeline *pipeline)
{
    base_biased_lock_acquire(&pipeline->front->lock);
    pipeline->engine->tuning.tokens = 0; /* its window ends with the run */
    base_biased_lock_release(&pipeline->front->lock);
}

static bool has_room(const struct pipeline *pipeline, uint32_t depth)
{
    uint64_t each = pipeline->engine->slot_bytes;

    return depth < PIPELINE_DEPTH_TUNED_MOST &&
           atomic_load_explicit(&pipeline->front->depth, memory_order_relaxed) < PIPELINE_DEPTH_MOST &&
           (each == 0 || pipeline_engine_budget(pipeline) / each > depth);
}

/* Whether the busiest stage waited since the last look. Load waits for slots, the others for tokens. */
static bool starves(struct pipeline *pipeline)
{
    struct pipeline_tuning *tuning = &pipeline->engine->tuning;
    struct trm_report report       = {.struct_size = sizeof(report), .depth = pipeline->depth};

    pipeline_measure_report(pipeline->measure, &report);
    if (report.critical < TRM_STAGE_LOAD || report.critical > TRM_STAGE_SINK)
        return false;
    const struct trm_stage_report *stage = &report.stages[report.critical];
    uint64_t waits = report.critical == TRM_STAGE_LOAD ? stage->blocked_ns : stage->starved_ns;
    uint64_t span  = stage->busy_ns + stage->starved_ns + stage->blocked_ns;
    /* A different stage or run begins anew. */
    uint64_t before_waits = waits >= tuning->starved_ns && span > tuning->span_ns ? tuning->starved_ns : 0;
    uint64_t before_span  = waits >= tuning->starved_ns && span > tuning->span_ns ? tuning->span_ns : 0;
    tuning->starved_ns    = waits;
    tuning->span_ns       = span;
    return span != before_span && (double)(waits - before_waits) > STARVES * (double)(span - before_span);
}

static bool may_probe(const struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;

    return !engine->tuning.has_probed && !engine->unified && engine->slot_bytes != 0 &&
           engine->slot_bytes <= SMALL_BYTES && pipeline_slots_may_rest(pipeline);
}

/* Whether the last slot that was added is worth having. */
static bool has_brought(const struct pipeline_tuning *tuning, double rate)
{
    return tuning->rate == 0 || rate >= tuning->rate * (tuning->is_probe ? BROUGHT_PROBE : BROUGHT);
}

bool pipeline_engine_needs_stages(const struct pipeline *pipeline)
{
    return pipeline->desc.depth == 0 && !pipeline->engine->tuning.is_settled;
}

bool pipeline_engine_wants_slot(struct pipeline *pipeline)
{
    struct pipeline_tuning *tuning = &pipeline->engine->tuning;
    uint32_t depth                 = atomic_load_explicit(&pipeline->depth, memory_order_relaxed);

    if (pipeline->desc.depth != 0 || tuning->is_settled || tuning->is_growing)
        return false;
    if (pipeline_is_choosing(pipeline) || pipeline_slots_are_tried(pipeline)) {
        tuning->tokens = 0; /* the window begins anew behind the trial, which time stamps would disturb */
        set_resting(tuning, true);
        return false;
    }
    if (tuning->tokens++ == 0) {
        set_resting(tuning, tuning->calm >= CALM);
        tuning->window_begin = base_now();
        tuning->look_at      = TOKENS_A_SLOT * depth;
    }
    if (tuning->tokens <= tuning->look_at)
        return false;
    tuning->look_at = tuning->tokens + TOKENS_A_SLOT * depth;
    uint64_t length = base_now() - tuning->window_begin;
    if (length < WINDOW_NS)
        return false;
    double rate    = (double)(tuning->tokens - 1) / (double)length;
    tuning->tokens = 0;
    bool is_worth  = has_brought(tuning, rate);
    if (!is_worth && ++tuning->doubts < DOUBTS)
        return false;
    if (!is_worth && pipeline_slots_may_rest(pipeline))
        pipeline->engine->slots_in_use.most = depth - 1;
    if (!has_room(pipeline, depth) || !is_worth) {
        pipeline_tuning_settle(tuning);
        return false;
    }
    tuning->doubts   = 0;
    tuning->rate     = 0;
    bool is_starving = starves(pipeline);
    if (!is_starving && !may_probe(pipeline)) {
        set_resting(tuning, ++tuning->calm >= CALM);
        return false;
    }
    tuning->has_probed |= !is_starving;
    tuning->is_probe = !is_starving;
    tuning->calm     = 0;
    set_resting(tuning, false);
    tuning->rate       = rate;
    tuning->is_growing = true;
    return true;
}
