/* The device side: creation, destruction, recovery, runs.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/stream.h"
#include "pipeline/engine/spread.h"

#include "pipeline/engine/range.h"

/* Where so many slots take little of the caches, or none (first_depth()). */
#define DEPTH_MORE_FIRST 4

/* ---- slots ---------------------------------------------------------------------------------- */

uint64_t pipeline_engine_budget(const struct pipeline *pipeline)
{
    if (pipeline->desc.memory_budget != 0)
        return pipeline->desc.memory_budget;
    uint64_t quarter = pipeline->device->limits.memory_total / 4;
    return quarter != 0 ? quarter : UINT64_MAX;
}

/* As many slots as fit the memory budget, at least one. A device with memory of its own begins with four,
 * large or small: some strategies are the fastest with four slots, and slower than others with three. Where
 * the host's processors run the kernels, a fourth slot that is small costs nothing, and lets both of two
 * threads begin a token while one loads; each of them then goes on with the slots that are in its cache. */
static uint32_t first_depth(const struct pipeline *pipeline)
{
    uint64_t each = pipeline->engine->slot_bytes, budget = pipeline_engine_budget(pipeline);
    bool has_more  = !pipeline->engine->unified || pipeline_slots_are_small(pipeline, DEPTH_MORE_FIRST);
    uint32_t depth = has_more ? DEPTH_MORE_FIRST : PIPELINE_DEPTH_TUNED_FIRST;

    if (pipeline->desc.depth != 0)
        return pipeline->desc.depth;
    while (depth > 1 && each != 0 && budget / each < depth)
        depth--;
    return depth;
}

static int32_t add_slot(struct pipeline *pipeline)
{
    uint32_t depth = atomic_load_explicit(&pipeline->depth, memory_order_relaxed);
    struct pipeline_slot *slot;

    int32_t status = pipeline_slot_create(pipeline, depth, &slot);
    if (status != TRM_OK)
        return status;
    base_biased_lock_acquire(&pipeline->front->lock);
    pipeline->device_bytes += pipeline_slot_device_bytes(pipeline);
    pipeline->host_bytes += pipeline_slot_host_bytes(pipeline);
    pipeline->slots[depth] = slot;
    atomic_store_explicit(&pipeline->depth, depth + 1, memory_order_release);
    base_biased_lock_release(&pipeline->front->lock);
    return TRM_OK;
}

int32_t pipeline_engine_grow(struct pipeline *pipeline)
{
    int32_t status = add_slot(pipeline);

    base_biased_lock_acquire(&pipeline->front->lock);
    pipeline->engine->tuning.is_growing = false;
    if (status != TRM_OK)
        pipeline_tuning_settle(&pipeline->engine->tuning);
    base_biased_lock_release(&pipeline->front->lock);
    return status;
}

/* ---- creation and destruction --------------------------------------------------------------- */

/* Tokens are processed in order when one may read what another one has written. */
static void find_order(struct pipeline_device *engine)
{
    engine->in_order = (engine->kernel_writes & engine->shared_ports) != 0 || engine->writes_images;
}

static int32_t describe(struct pipeline *pipeline)
{
    struct pipeline_device *engine = pipeline->engine;
    struct trm_pipeline_desc given = pipeline->desc;

    int32_t status = pipeline_holds_create(pipeline, &given);
    if (status == TRM_OK)
        status = pipeline_ports_copy(pipeline, &given);
    if (status == TRM_OK)
        status = pipeline_stages_copy(pipeline, &given);
    if (status != TRM_OK)
        return status;
    engine->host_ports |= engine->input_ports | engine->output_ports;
    find_order(engine);
    status = engine->host_count != 0 ? pipeline_host_turns_create(pipeline->front) : TRM_OK;
    if (status == TRM_OK)
        status = pipeline_choose_begin(pipeline);
    if (status != TRM_OK)
        return status;
    pipeline_pieces_choose(pipeline);
    status = pipeline_scratch_plan(pipeline);
    if (status != TRM_OK)
        return status;
    engine->slot_bytes = pipeline_slot_device_bytes(pipeline);
    pipeline->pieces   = engine->pieces.count;
    return TRM_OK;
}

/* Of the cpu backend: a software device of a GPU's driver has threads of its own. */
static bool is_host(struct core_device *device)
{
    struct base_saved_error saved;
    uint64_t kind = 0;

    base_error_save(&saved);
    bool is_known = core_device_info(device, TRM_DEVICE_KIND, &kind, sizeof(kind), NULL) == TRM_OK;
    base_error_restore(&saved);
    return is_known && kind == TRM_DEVICE_CPU;
}

int32_t pipeline_engine_create(struct pipeline *pipeline)
{
    struct pipeline_device *engine = core_allocate(pipeline->object.context, sizeof(*engine));
    if (engine == NULL)
        return base_fail_memory("making a pipeline");
    pipeline->engine = engine;
    engine->ranges   = core_ranges_find(pipeline->device->backend, &engine->range_table);
    engine->unified  = pipeline->device->limits.unified != 0;
    engine->mapped   = !engine->unified && pipeline->device->limits.mapped != 0;
    engine->is_host  = is_host(pipeline->device);

    int32_t status = describe(pipeline);
    if (status == TRM_OK) {
        engine->stamps_are_slow = pipeline_times_are_slow(pipeline);
        pipeline_times_calibrate(pipeline);
    }
    uint32_t depth = status == TRM_OK ? first_depth(pipeline) : 0;
    for (uint32_t i = 0; status == TRM_OK && i < depth; i++)
        status = add_slot(pipeline);
    if (status != TRM_OK)
        pipeline_engine_destroy(pipeline);
    return status;
}

static bool is_given(const struct pipeline_device *engine, uint32_t lane)
{
    return (engine->given_lanes >> lane & 1) != 0;
}

bool pipeline_engine_is_on_stream(const struct pipeline *member)
{
    const struct pipeline_device *engine = member->engine;

    for (uint32_t i = 1; i < engine->lane_count; i++) {
        const struct core_stream *stream = is_given(engine, i) ? core_stream_find(engine->lanes[i]) : NULL;
        if (stream != NULL && core_callback_is_inside(stream))
            return true;
    }
    return false;
}

void pipeline_engine_destroy(struct pipeline *pipeline)
{
    struct core_context *context   = pipeline->object.context;
    struct pipeline_device *engine = pipeline->engine;
    struct base_saved_error saved;

    base_error_save(&saved);
    for (uint32_t i = 0; i < PIPELINE_DEPTH_MOST; i++) {
        pipeline_slot_destroy(pipeline->slots[i]);
        pipeline->slots[i] = NULL;
    }
    for (uint32_t i = 0; i < 3; i++)
        trm_stream_destroy(engine->roles[i]);
    for (uint32_t i = 1; i < PIPELINE_LANES_MOST; i++)
        if (!is_given(engine, i))
            trm_stream_destroy(engine->lanes[i]);
    pipeline_regions_end(pipeline);
    pipeline_stages_fini(pipeline);
    pipeline_scratch_fini(pipeline);
    pipeline_ports_fini(pipeline);
    pipeline_holds_destroy(pipeline);
    core_free(context, engine, sizeof(*engine));
    pipeline->engine = NULL;
    base_error_restore(&saved);
}

bool pipeline_engine_writes_shared(const struct pipeline *pipeline, uint32_t port)
{
    const struct pipeline_device *engine = pipeline->engine;

    return (engine->kernel_writes & engine->shared_ports & PIPELINE_BIT(port)) != 0;
}

struct trm_point pipeline_engine_last(const struct pipeline *pipeline)
{
    return pipeline->engine->last;
}

void pipeline_engine_set_last(struct pipeline *pipeline, struct trm_point point)
{
    pipeline->engine->last = point;
}

int32_t pipeline_engine_check_copies(const struct pipeline *pipeline, uint64_t joined)
{
    const struct pipeline_device *engine = pipeline->engine;
    uint64_t written                     = engine->kernel_writes & engine->shared_ports & ~joined;
    char text[PIPELINE_LABEL_BYTES];

    if (written != 0)
        return base_fail(
            TRM_ERROR_UNSUPPORTED,
            "%s is shared and a kernel writes it: on several devices each would write a copy of its "
            "own; say in `joins` how the copies are combined",
            pipeline_port_label(pipeline->ports, (uint64_t)__builtin_ctzll(written), text));
    if (engine->writes_images)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "a kernel writes an image: on several devices each would write one of its own");
    return TRM_OK;
}

/* ---- recovery ------------------------------------------------------------------------------- */

static bool has_failed(struct trm_stream *stream)
{
    int32_t status = trm_stream_query(stream);
    return status != TRM_OK && status != TRM_ERROR_TIMEOUT;
}

/* A failed stream stays failed, so it is destroyed; the next token creates a new one. */
static bool replace(struct trm_stream **stream)
{
    if (*stream == NULL || !has_failed(*stream))
        return false;
    trm_stream_destroy(*stream);
    *stream = NULL;
    return true;
}

static void forget_failures(struct pipeline *pipeline)
{
    struct pipeline_device *engine = pipeline->engine;
    uint32_t depth                 = atomic_load_explicit(&pipeline->depth, memory_order_acquire);

    for (uint32_t i = 0; i < depth; i++) {
        if (replace(&pipeline->slots[i]->device->stream))
            pipeline_recordings_drop(pipeline->slots[i]);
        for (uint32_t k = 1; k < engine->lane_count; k++)
            replace(&pipeline->slots[i]->device->lanes[k]);
        pipeline_spread_recover(pipeline->slots[i], replace);
    }
    for (uint32_t i = 0; i < 3; i++)
        replace(&engine->roles[i]);
    for (uint32_t i = 1; i < engine->lane_count; i++)
        if (!is_given(engine, i))
            replace(&engine->lanes[i]);
    engine->last = (struct trm_point){.stream = NULL};
}

int32_t pipeline_engine_recover(struct pipeline *pipeline)
{
    forget_failures(pipeline);
    return core_device_check(pipeline->device);
}

/* Launches that have begun may have changed what they read: inputs in place, or memory that tokens share. */
bool pipeline_slot_is_repeatable(const struct pipeline_slot *slot)
{
    const struct pipeline_device *engine   = slot->pipeline->engine;
    const struct pipeline_slot_device *own = slot->device;

    if (atomic_load_explicit(&own->host_ran, memory_order_acquire) != 0)
        return false;
    if (pipeline_slot_is_untouched(slot))
        return true;
    if (engine->in_order)
        return false;
    return !engine->zero_copy || (engine->kernel_writes & engine->input_ports) == 0;
}

/* ---- runs ----------------------------------------------------------------------------------- */

void pipeline_engine_begin(struct pipeline *pipeline, const struct trm_source *source,
                           const struct trm_sink *sink)
{
    struct base_saved_error saved;

    base_error_save(&saved);
    base_biased_lock_acquire(&pipeline->front->enqueue_lock);
    /* A stream may have failed after the last run without being noticed. */
    forget_failures(pipeline);
    pipeline_times_calibrate_again(pipeline);
    /* Tokens that time a candidate are rarely sampled, so the first tokens are sampled instead. */
    pipeline_sampling_begin(&pipeline->front->sampling, pipeline_is_choosing(pipeline) ? 0 : source->count);
    pipeline_regions_begin(pipeline, source, sink);
    pipeline->engine->choice.is_in_run = true;
    pipeline_choose_interrupt(pipeline);
    pipeline_tuning_interrupt(pipeline);
    base_biased_lock_release(&pipeline->front->enqueue_lock);
    base_error_restore(&saved);
}

void pipeline_engine_end(struct pipeline *pipeline)
{
    base_biased_lock_acquire(&pipeline->front->enqueue_lock);
    uint32_t depth = atomic_load_explicit(&pipeline->depth, memory_order_acquire);
    for (uint32_t i = 0; i < depth; i++)
        pipeline_recordings_forget_regions(pipeline->slots[i]);
    pipeline_regions_end(pipeline);
    pipeline->engine->choice.is_in_run = false;
    base_biased_lock_release(&pipeline->front->enqueue_lock);
}

/* ---- the report ----------------------------------------------------------------------------- */

/* Recorded graphs and pieces have their stages one after the other. */
static void report_branches(const struct pipeline *pipeline, struct trm_report *report)
{
    const struct pipeline_device *engine = pipeline->engine;

    bool overlaps = engine->has_branches && !engine->records && pipeline_lanes_help(pipeline);

    report->branches = overlaps ? engine->lane_count : 1;
    for (uint32_t i = 0; i < pipeline->desc.stage_count && i < TRM_REPORT_LAUNCHES; i++)
        if (report->branches > 1)
            report->launch_after[i] = engine->launch_after[i];
        else
            report->launch_after[i] = i == 0 ? 0 : PIPELINE_BIT(i - 1);
}

void pipeline_engine_report(const struct pipeline *pipeline, struct trm_report *report)
{
    const struct pipeline_device *engine = pipeline->engine;
    const struct core_device *device     = pipeline->device;

    base_text_copy(report->name, sizeof(report->name), pipeline->name);
    base_text_copy(report->backend, sizeof(report->backend), device->backend->name);
    base_text_copy(report->device, sizeof(report->device), device->id);
    base_text_copy(report->reason, sizeof(report->reason), pipeline->reason);
    report->depth           = atomic_load_explicit(&pipeline->depth, memory_order_relaxed);
    report->slots_in_use    = pipeline_slots_chosen(pipeline);
    report->strategy        = pipeline->strategy;
    report->by_graphs       = engine->records;
    report->pieces          = pipeline->pieces;
    report->device_bytes    = pipeline->device_bytes;
    report->host_bytes      = pipeline->host_bytes;
    report->host_waits      = atomic_load_explicit(&engine->host_waits, memory_order_relaxed);
    report->pageable_copies = atomic_load_explicit(&engine->pageable_copies, memory_order_relaxed);
    if (device->limits.synchronous)
        report->processors = 1;
    report_branches(pipeline, report);
}

void pipeline_engine_reset_report(struct pipeline *pipeline)
{
    atomic_store_explicit(&pipeline->engine->host_waits, 0, memory_order_relaxed);
    atomic_store_explicit(&pipeline->engine->pageable_copies, 0, memory_order_relaxed);
}
