/* Chooses the strategy.
 *
 * On a unified device there is nothing to try: no copy is cheaper than any copy. On others each strategy
 * carries the first tokens in turns, and the fastest stays; where the library chooses the depth, the best are
 * tried with one slot less, too, while a run goes on: a program that submits tokens itself has all slots
 * (strategy_trial.h). Tokens may also be left in host memory that kernels reach over the bus: starting a copy
 * of a small one takes longer than reading it, and large ones that kernels read once go both ways at once,
 * whatever the driver does with copies. Where kernels read them again and again, the trial notices after a
 * few. It times how often tokens are enqueued, so its result holds for a program that goes on as it began.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/base.h"
#include "core/module/module.h"
#include "core/stream/stream.h"
#include "pipeline/engine/engine_internal.h"

/* So many bytes take longer on a bus than passing them from one stream to another. */
#define LARGE_LEAST (UINT64_C(1) << 20)

/* ---- candidates ----------------------------------------------------------------------------- */

static const struct pipeline_strategy_ops *const strategies[] = {
    [TRM_STRATEGY_ROLE_STREAMS] = &pipeline_strategy_role_streams,
    [TRM_STRATEGY_SLOT_STREAMS] = &pipeline_strategy_slot_streams,
    [TRM_STRATEGY_SLOT_GRAPHS]  = &pipeline_strategy_slot_graphs,
    [TRM_STRATEGY_ZERO_COPY]    = &pipeline_strategy_zero_copy,
    [TRM_STRATEGY_RESIDENT]     = &pipeline_strategy_resident,
};

/* In the name of the device: a pipeline that is being created, or the part of one on a device, has no
 * handle. */
static void log_strategy(const struct pipeline *pipeline, int32_t level, const char *verb)
{
    core_object_log(&pipeline->device->object, level, "pipeline \"%s\" %s strategy %s: %s", pipeline->name,
                    verb, trm_strategy_name(pipeline->strategy), pipeline->reason);
}

static void settle(struct pipeline *pipeline, const struct pipeline_strategy_ops *strategy,
                   const char *reason)
{
    pipeline->engine->strategy  = strategy;
    pipeline->engine->zero_copy = strategy->strategy == TRM_STRATEGY_ZERO_COPY ||
                                  (strategy->strategy == TRM_STRATEGY_RESIDENT &&
                                   (pipeline->engine->unified || pipeline->engine->mapped));
    base_biased_lock_acquire(&pipeline->front->lock);
    pipeline->strategy = strategy->strategy;
    pipeline->engine->records =
        strategy->enqueue == pipeline_enqueue_recording || strategy->strategy == TRM_STRATEGY_RESIDENT;
    base_text_copy(pipeline->reason, sizeof(pipeline->reason), reason);
    base_biased_lock_release(&pipeline->front->lock);
    log_strategy(pipeline, TRM_LOG_DEBUG, "has");
}

/* The strategy stays: the decision of the program, of a rule or of the trial. */
static void decide(struct pipeline *pipeline, const struct pipeline_strategy_ops *strategy,
                   const char *reason)
{
    settle(pipeline, strategy, reason);
    log_strategy(pipeline, TRM_LOG_INFO, "chose");
}

/* Without copies a token is launches alone, which some devices run faster when they are recorded. */
static void add_mapped(struct pipeline *pipeline, uint32_t *count)
{
    const struct trm_graph_ops *graph = &pipeline->device->backend->graph;
    struct pipeline_choice *choice    = &pipeline->engine->choice;

    choice->candidates[(*count)++] = &pipeline_strategy_zero_copy;
    if (graph->create != NULL && graph->update != NULL && pipeline->engine->preferred_lanes == 0)
        choice->candidates[(*count)++] = &pipeline_strategy_zero_copy_graphs;
}

static void begin_trial(struct pipeline *pipeline, uint32_t count)
{
    struct pipeline_choice *choice = &pipeline->engine->choice;

    pipeline_trial_begin(&choice->trial, count,
                         pipeline->desc.depth == 0 && pipeline_slots_may_rest(pipeline));
    for (uint32_t i = 1; i < count; i++)
        if (choice->candidates[i]->strategy == choice->candidates[i - 1]->strategy)
            pipeline_trial_join(&choice->trial, i);
    atomic_store_explicit(&choice->is_trying, true, memory_order_relaxed);
    settle(pipeline, choice->candidates[0], "still on trial");
}

uint64_t pipeline_token_bytes(const struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;
    uint64_t bytes                       = 0;

    for (uint32_t i = 0; i < pipeline->desc.port_count; i++)
        if ((engine->input_ports | engine->output_ports) & PIPELINE_BIT(i))
            bytes += pipeline->ports[i].size;
    return bytes;
}

/* Kernels do not reach an image that is in the host's memory. */
static bool may_be_mapped(const struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;
    uint64_t reached = (engine->input_ports | engine->output_ports) & ~engine->image_ports;

    return engine->mapped && engine->host_count == 0 && (reached != 0 || engine->image_ports == 0);
}

/* Tries first what is usually best: for large tokens, a stream for each direction. */
static void try_all(struct pipeline *pipeline)
{
    struct pipeline_choice *choice = &pipeline->engine->choice;
    bool overlaps                  = pipeline->desc.depth != 1;
    bool is_large                  = pipeline_token_bytes(pipeline) >= LARGE_LEAST;
    uint32_t count                 = 0;

    if (overlaps && is_large)
        choice->candidates[count++] = &pipeline_strategy_role_streams;
    choice->candidates[count++] = &pipeline_strategy_slot_streams;
    if (pipeline->engine->host_count == 0 && pipeline->engine->preferred_lanes == 0)
        choice->candidates[count++] = &pipeline_strategy_slot_graphs;
    if (overlaps && !is_large)
        choice->candidates[count++] = &pipeline_strategy_role_streams;
    if (may_be_mapped(pipeline))
        add_mapped(pipeline, &count);
    begin_trial(pipeline, count);
}

/* Kernels are translated again for the loop that stays. Where the device is the host's processors, they are
 * not. */
static int32_t check_resident_kernels(const struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++) {
        const struct pipeline_stage_plan *plan = &pipeline->engine->plans[i];
        struct trm_module_source source;
        if (plan->kernel != NULL && !core_kernel_source(core_kernel_find(plan->kernel), &source))
            return base_fail(TRM_ERROR_UNSUPPORTED,
                             "stage %" PRIu32
                             " \"%s\": the strategy resident translates kernels, and this one "
                             "is native code",
                             i, plan->name);
        for (uint32_t k = 0; k < plan->argument_count; k++)
            if (plan->parameters[k].kind > TRM_PARAMETER_BLOCK)
                return base_fail(TRM_ERROR_UNSUPPORTED,
                                 "stage %" PRIu32
                                 " \"%s\": with the strategy resident kernels take buffers and "
                                 "values, no images, samplers or arrays",
                                 i, plan->name);
    }
    return TRM_OK;
}

/* Kernels that stay on the device cannot be stopped by the host, and read images through another path. */
static int32_t check_resident(const struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;

    if (!core_device_has_residents(pipeline->device))
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "the strategy resident needs kernels that stay on the device, which the backend %s "
                         "does not have",
                         pipeline->device->backend->name);
    if (!engine->unified && !engine->mapped)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "the strategy resident needs host memory that kernels reach; those of device %s "
                         "reach none",
                         pipeline->device->id);
    if (engine->host_count != 0)
        return base_fail_static(TRM_ERROR_UNSUPPORTED,
                                "the strategy resident cannot have host stages: between two kernels that "
                                "stay on the device the host cannot run");
    if (engine->image_ports != 0 || engine->writes_images)
        return base_fail_static(TRM_ERROR_UNSUPPORTED,
                                "the strategy resident takes buffers, and this pipeline has images");
    return engine->unified ? TRM_OK : check_resident_kernels(pipeline);
}

/* A graph is recorded for one stream, and replayed on one. */
static int32_t check_streams(const struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;
    int32_t asked                        = pipeline->desc.strategy;

    if (engine->preferred_lanes == 0 || (asked != TRM_STRATEGY_SLOT_GRAPHS && asked != TRM_STRATEGY_RESIDENT))
        return TRM_OK;
    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++)
        if (engine->plans[i].prefers != TRM_STAGE_STREAM_ANY)
            return base_fail(
                TRM_ERROR_UNSUPPORTED,
                "the strategy %s has one stream for a token, but stage \"%s\" prefers another one",
                trm_strategy_name(asked), engine->plans[i].name);
    return TRM_OK;
}

static int32_t begin_asked(struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;
    int32_t asked                        = pipeline->desc.strategy;

    if (asked == TRM_STRATEGY_ZERO_COPY && !engine->unified && !engine->mapped)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "zero-copy needs memory that the host shares; device %s has its own",
                         pipeline->device->id);
    if (asked == TRM_STRATEGY_ZERO_COPY && !engine->unified && engine->host_count != 0)
        return base_fail(
            TRM_ERROR_UNSUPPORTED,
            "zero-copy with host stages needs memory that the host shares; device %s has its own",
            pipeline->device->id);
    if (asked == TRM_STRATEGY_SLOT_GRAPHS && engine->host_count != 0)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "slot graphs cannot have host stages: a graph does not record them");
    int32_t status = check_streams(pipeline);
    if (status == TRM_OK && asked == TRM_STRATEGY_RESIDENT)
        status = check_resident(pipeline);
    uint32_t count = 0;
    if (status != TRM_OK)
        return status;
    if (asked == TRM_STRATEGY_ZERO_COPY && !engine->unified)
        add_mapped(pipeline, &count);
    if (count > 1)
        begin_trial(pipeline, count);
    else
        decide(pipeline, strategies[asked], "requested by the descriptor");
    return TRM_OK;
}

static bool copies_images(const struct pipeline_device *engine)
{
    return ((engine->input_ports | engine->output_ports) & engine->native_ports) != 0;
}

int32_t pipeline_choose_begin(struct pipeline *pipeline)
{
    char reason[sizeof(pipeline->reason)];

    if (pipeline->desc.strategy != TRM_STRATEGY_AUTO)
        return begin_asked(pipeline);
    if (pipeline->engine->unified) {
        snprintf(reason, sizeof(reason), "host and device share the memory of %.60s, so %s copied",
                 pipeline->device->id, copies_images(pipeline->engine) ? "only images are" : "nothing is");
        decide(pipeline, &pipeline_strategy_zero_copy, reason);
        pipeline_slots_allow_fewer(pipeline);
    } else if (pipeline->desc.depth == 1 && !may_be_mapped(pipeline)) {
        decide(pipeline, &pipeline_strategy_slot_streams, "there is one slot, so nothing overlaps");
    } else {
        try_all(pipeline);
    }
    return TRM_OK;
}

/* ---- the trial ------------------------------------------------------------------------------ */

/* "zero-copy by graphs with 3 slots" */
static const char *name_of(const struct pipeline_choice *choice, uint32_t way, char *name, size_t capacity)
{
    const struct pipeline_trial_way *tried       = &choice->trial.ways[way];
    const struct pipeline_strategy_ops *strategy = choice->candidates[tried->candidate];

    int length = snprintf(name, capacity, "%s%s", trm_strategy_name(strategy->strategy),
                          strategy->is_recorded ? " by graphs" : "");
    if (tried->fewer != 0 && length > 0 && (size_t)length < capacity)
        snprintf(name + length, capacity - (size_t)length, " with %" PRIu32 " slots",
                 choice->trial.depth - tried->fewer);
    return name;
}

/* "slot graphs: 6.1 µs each; slot streams 9.0, role streams 12.3, slot graphs with 3 slots 6.5" */
static void explain(const struct pipeline_choice *choice, char *reason, size_t capacity)
{
    const struct pipeline_trial *trial = &choice->trial;
    const char *separator              = ";";
    uint32_t chosen                    = trial->current;
    char name[48];

    if (pipeline_trial_result(trial, chosen) == 0) {
        snprintf(reason, capacity, "the runs were too short to try others");
        return;
    }
    uint64_t tenths = (pipeline_trial_result(trial, chosen) + 50) / 100; /* of a microsecond */
    int length      = snprintf(reason, capacity, "%s: %" PRIu64 ".%" PRIu64 " µs each",
                               name_of(choice, chosen, name, sizeof(name)), tenths / 10, tenths % 10);
    for (uint32_t i = 0; i < trial->count && length > 0 && (size_t)length < capacity; i++) {
        if (i == chosen || pipeline_trial_result(trial, i) == 0)
            continue;
        tenths = (pipeline_trial_result(trial, i) + 50) / 100;
        length += snprintf(reason + length, capacity - (size_t)length, "%s %s %" PRIu64 ".%" PRIu64,
                           separator, name_of(choice, i, name, sizeof(name)), tenths / 10, tenths % 10);
        separator = ",";
    }
}

static bool is_trying(const struct pipeline_choice *choice)
{
    return atomic_load_explicit(&choice->is_trying, memory_order_relaxed);
}

/* After the trial has moved on to another way or ended. */
static void follow(struct pipeline *pipeline)
{
    struct pipeline_choice *choice               = &pipeline->engine->choice;
    const struct pipeline_trial_way *way         = &choice->trial.ways[choice->trial.current];
    const struct pipeline_strategy_ops *strategy = choice->candidates[way->candidate];
    uint32_t slots                               = way->fewer != 0 ? choice->trial.depth - way->fewer : 0;
    char reason[sizeof(pipeline->reason)];

    atomic_store_explicit(&choice->slots, slots, memory_order_relaxed);
    if (choice->trial.is_over) {
        explain(choice, reason, sizeof(reason));
        decide(pipeline, strategy, reason);
        if (slots != 0)
            pipeline_slots_rest(pipeline, slots);
        atomic_store_explicit(&choice->is_trying, false, memory_order_relaxed);
    } else if (strategy != pipeline->engine->strategy) {
        settle(pipeline, strategy, "still on trial");
    }
}

bool pipeline_is_choosing(const struct pipeline *pipeline)
{
    return is_trying(&pipeline->engine->choice);
}

bool pipeline_choose_timing(const struct pipeline *pipeline)
{
    const struct pipeline_choice *choice = &pipeline->engine->choice;
    uint32_t depth                       = atomic_load_explicit(&pipeline->depth, memory_order_relaxed);

    return is_trying(choice) && pipeline_trial_timing(&choice->trial, depth);
}

void pipeline_choose_interrupt(struct pipeline *pipeline)
{
    struct pipeline_choice *choice = &pipeline->engine->choice;

    if (!is_trying(choice))
        return;
    pipeline_trial_interrupt(&choice->trial);
    follow(pipeline);
}

const struct pipeline_strategy_ops *pipeline_choose(struct pipeline *pipeline)
{
    struct pipeline_choice *choice = &pipeline->engine->choice;
    uint32_t depth                 = atomic_load_explicit(&pipeline->depth, memory_order_relaxed);

    if (is_trying(choice)) {
        pipeline_trial_next(&choice->trial, depth, choice->is_in_run, base_now());
        follow(pipeline);
    }
    return pipeline->engine->strategy;
}
