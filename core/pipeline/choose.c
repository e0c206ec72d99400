/* Pipelines: which strategy?
 *
 * Where memory is one there is nothing to try: no copies are less than any copies. Elsewhere each of the others carries the
 * first tokens for a while, in turns, and the one whose tokens followed each other fastest stays. Small tokens may go
 * without copies too, where kernels reach the host's memory over the bus: to start a copy takes longer than to read them. What is timed is how
 * often a token is enqueued once the slots are full, so it holds for a program that keeps the pipeline busy; of one
 * that does not, all are as fast.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "core/futex.h"
#include "core/pipeline/engine.h"

/* Each candidate's turn: tokens until the slots hold nothing but its own, in multiples of the depth; then those that are
 * timed, but no fewer than that. */
#define TURNS 2
#define SETTLE_DEPTHS 2
#define TIMED_DEPTHS 4
#define TIMED_LEAST 16

/* Bytes of a token's inputs and outputs up to which kernels are tried on the host's memory. Far above the size at which copies
 * win on any bus; the trial decides. */
#define MAPPED_MOST (UINT64_C(4) << 20)

/* ---- the beginning --------------------------------------------------------------------------- */

static const struct core_strategy_ops *const strategies[] = {
    [TRM_STRATEGY_ROLE_STREAMS] = &core_strategy_role_streams,
    [TRM_STRATEGY_SLOT_STREAMS] = &core_strategy_slot_streams,
    [TRM_STRATEGY_SLOT_GRAPHS]  = &core_strategy_slot_graphs,
    [TRM_STRATEGY_ZERO_COPY]    = &core_strategy_zero_copy,
};

static void settle(struct core_pipeline *pipeline, const struct core_strategy_ops *strategy,
                   const char *reason)
{
    pipeline->engine->strategy  = strategy;
    pipeline->engine->zero_copy = strategy == &core_strategy_zero_copy;
    pthread_mutex_lock(&pipeline->lock);
    pipeline->strategy = strategy->strategy;
    core_text_copy(pipeline->reason, sizeof(pipeline->reason), reason);
    pthread_mutex_unlock(&pipeline->lock);
}

static int32_t begin_asked(struct core_pipeline *pipeline)
{
    const struct core_pipeline_device *engine = pipeline->engine;
    int32_t asked                             = pipeline->desc.strategy;

    if (asked == TRM_STRATEGY_ZERO_COPY && !engine->unified && !engine->mapped)
        return core_fail(TRM_ERROR_UNSUPPORTED,
                         "tokens cannot do without copies on device %s: it has memory of its own",
                         pipeline->device->id);
    if (asked == TRM_STRATEGY_ZERO_COPY && !engine->unified && engine->host_count != 0)
        return core_fail(
            TRM_ERROR_UNSUPPORTED,
            "tokens with stages on the host cannot do without copies on device %s: it has memory "
            "of its own",
            pipeline->device->id);
    if (asked == TRM_STRATEGY_SLOT_GRAPHS && engine->host_count != 0)
        return core_fail(TRM_ERROR_UNSUPPORTED, "stages on the host cannot be recorded in a graph");
    settle(pipeline, strategies[asked], "this strategy was asked for");
    return TRM_OK;
}

/* Are tokens worth a trial without copies? */
static int32_t may_be_mapped(const struct core_pipeline *pipeline)
{
    const struct core_pipeline_device *engine = pipeline->engine;
    uint64_t bytes                            = 0;

    for (uint32_t i = 0; i < pipeline->desc.port_count; i++)
        if ((engine->input_ports | engine->output_ports) & CORE_BIT(i))
            bytes += pipeline->ports[i].size;
    return engine->mapped && engine->host_count == 0 && bytes <= MAPPED_MOST;
}

static void begin_trial(struct core_pipeline *pipeline)
{
    struct core_choice *choice = &pipeline->engine->choice;

    choice->candidates[choice->count++] = &core_strategy_slot_streams;
    if (pipeline->engine->host_count == 0)
        choice->candidates[choice->count++] = &core_strategy_slot_graphs;
    if (pipeline->desc.depth != 1)
        choice->candidates[choice->count++] = &core_strategy_role_streams;
    if (may_be_mapped(pipeline))
        choice->candidates[choice->count++] = &core_strategy_zero_copy;
    settle(pipeline, choice->candidates[0], "still being tried");
}

int32_t core_choose_begin(struct core_pipeline *pipeline)
{
    char reason[sizeof(pipeline->reason)];

    if (pipeline->desc.strategy != TRM_STRATEGY_AUTO)
        return begin_asked(pipeline);
    if (pipeline->engine->unified) {
        snprintf(reason, sizeof(reason), "host and device share the memory of %.60s, so nothing is copied",
                 pipeline->device->id);
        settle(pipeline, &core_strategy_zero_copy, reason);
    } else if (pipeline->desc.depth == 1 && !may_be_mapped(pipeline)) {
        settle(pipeline, &core_strategy_slot_streams, "there is one slot, so nothing overlaps");
    } else {
        begin_trial(pipeline);
    }
    return TRM_OK;
}

/* ---- the trial ------------------------------------------------------------------------------- */

static uint32_t settle_tokens(const struct core_pipeline *pipeline)
{
    return SETTLE_DEPTHS * atomic_load_explicit(&pipeline->depth, memory_order_relaxed);
}

static uint32_t timed_tokens(const struct core_pipeline *pipeline)
{
    uint32_t tokens = TIMED_DEPTHS * atomic_load_explicit(&pipeline->depth, memory_order_relaxed);

    return tokens > TIMED_LEAST ? tokens : TIMED_LEAST;
}

static uint32_t find_fastest(const struct core_choice *choice)
{
    uint32_t fastest = 0;

    for (uint32_t i = 1; i < choice->count; i++)
        if (choice->least_ns[i] < choice->least_ns[fastest])
            fastest = i;
    return fastest;
}

/* "slot graphs: 6.1 us a token; slot streams 9.0, role streams 12.3" */
static void explain(const struct core_choice *choice, uint32_t fastest, char *reason, size_t capacity)
{
    const char *separator = ";";
    int length            = snprintf(reason, capacity, "%s: %.1f us a token",
                                     trm_strategy_name(choice->candidates[fastest]->strategy),
                                     (double)choice->least_ns[fastest] / 1e3);

    for (uint32_t i = 0; i < choice->count && length > 0 && (size_t)length < capacity; i++) {
        if (i == fastest)
            continue;
        length +=
            snprintf(reason + length, capacity - (size_t)length, "%s %s %.1f", separator,
                     trm_strategy_name(choice->candidates[i]->strategy), (double)choice->least_ns[i] / 1e3);
        separator = ",";
    }
}

static void conclude(struct core_pipeline *pipeline)
{
    struct core_choice *choice = &pipeline->engine->choice;
    char reason[sizeof(pipeline->reason)];
    uint32_t fastest = find_fastest(choice);

    explain(choice, fastest, reason, sizeof(reason));
    settle(pipeline, choice->candidates[fastest], reason);
    choice->count = 0;
}

static void next_candidate(struct core_pipeline *pipeline)
{
    struct core_choice *choice = &pipeline->engine->choice;

    choice->tokens = 0;
    choice->current++;
    if (choice->current == choice->count) {
        choice->current = 0;
        choice->round++;
    }
    if (choice->round == TURNS) {
        conclude(pipeline);
        return;
    }
    settle(pipeline, choice->candidates[choice->current], "still being tried");
}

int32_t core_choose_timing(const struct core_pipeline *pipeline)
{
    const struct core_choice *choice = &pipeline->engine->choice;

    return choice->count != 0 && choice->tokens > settle_tokens(pipeline);
}

/* The first timed token begins the time, the one after the last ends it. */
const struct core_strategy_ops *core_choose(struct core_pipeline *pipeline)
{
    struct core_choice *choice = &pipeline->engine->choice;

    if (choice->count == 0)
        return pipeline->engine->strategy;
    uint32_t number = choice->tokens++, settled = settle_tokens(pipeline), timed = timed_tokens(pipeline);
    if (number == settled)
        choice->begin = core_now();
    if (number <= settled || number < settled + timed)
        return pipeline->engine->strategy;
    uint64_t each   = (core_now() - choice->begin) / (number - settled) + 1;
    uint64_t *least = &choice->least_ns[choice->current];
    *least          = *least == 0 || each < *least ? each : *least;
    next_candidate(pipeline);
    return pipeline->engine->strategy;
}
