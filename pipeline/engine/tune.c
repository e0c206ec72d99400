/* Pipelines: how many slots? Where the depth was left open there are three to begin with. When the busiest stage still
 * waits for tokens now and then, or the first for slots, one more is made, as long as the one before has brought something
 * and memory allows. Which strategy it will be is found out before: each has a rate of its own.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "pipeline/engine/engine_internal.h"

/* Looked at after so many tokens a slot, and so long: shorter stretches are noise. */
#define TOKENS_A_SLOT 8
#define WINDOW_NS 5000000u

/* A stage that waits less than this part of its time does not starve. */
#define STARVES 0.05

/* A slot that has not brought this much was one too many. */
#define BROUGHT 1.01

/* After so many looks at which nothing waited only the tokens that are measured anyhow are looked at. */
#define CALM 3

static void rest(struct core_tuning *tuning, int32_t rests)
{
    atomic_store_explicit(&tuning->rests, rests, memory_order_relaxed);
}

void core_tuning_settle(struct core_tuning *tuning)
{
    tuning->settled = 1;
    rest(tuning, 1);
}

static int32_t has_room(const struct core_pipeline *pipeline, uint32_t depth)
{
    uint64_t each = pipeline->engine->slot_bytes;

    return depth < CORE_DEPTH_TUNED_MOST && (each == 0 || core_engine_budget(pipeline) / each > depth);
}

/* Does the busiest stage wait, since the last look? Load waits for slots, the others for tokens. */
static int32_t starves(struct core_pipeline *pipeline)
{
    struct core_tuning *tuning = &pipeline->engine->tuning;
    struct trm_report report   = {.struct_size = sizeof(report), .depth = pipeline->depth};

    core_measure_report(pipeline->measure, &report);
    if (report.critical < TRM_STAGE_LOAD || report.critical > TRM_STAGE_SINK)
        return 0;
    const struct trm_stage_report *stage = &report.stages[report.critical];
    uint64_t waits = report.critical == TRM_STAGE_LOAD ? stage->blocked_ns : stage->starved_ns;
    uint64_t span  = stage->busy_ns + stage->starved_ns + stage->blocked_ns;
    /* Of another stage, or of another run, it begins anew. */
    uint64_t before_waits = waits >= tuning->starved_ns && span > tuning->span_ns ? tuning->starved_ns : 0;
    uint64_t before_span  = waits >= tuning->starved_ns && span > tuning->span_ns ? tuning->span_ns : 0;
    tuning->starved_ns    = waits;
    tuning->span_ns       = span;
    return span != before_span && (double)(waits - before_waits) > STARVES * (double)(span - before_span);
}

int32_t core_engine_wants_slot(struct core_pipeline *pipeline)
{
    struct core_tuning *tuning = &pipeline->engine->tuning;
    uint32_t depth             = atomic_load_explicit(&pipeline->depth, memory_order_relaxed);

    if (pipeline->desc.depth != 0 || tuning->settled || tuning->growing || core_choosing(pipeline))
        return 0;
    if (tuning->tokens++ == 0)
        tuning->window_begin = base_now();
    if (tuning->tokens <= TOKENS_A_SLOT * depth)
        return 0;
    uint64_t length = base_now() - tuning->window_begin;
    if (length < WINDOW_NS)
        return 0;
    double rate    = (double)(tuning->tokens - 1) / (double)length;
    tuning->tokens = 0;
    if (!has_room(pipeline, depth) || (tuning->rate != 0 && rate < tuning->rate * BROUGHT)) {
        core_tuning_settle(tuning);
        return 0;
    }
    if (!starves(pipeline)) {
        rest(tuning, ++tuning->calm >= CALM);
        return 0;
    }
    tuning->calm = 0;
    rest(tuning, 0);
    tuning->rate    = rate;
    tuning->growing = 1;
    return 1;
}
