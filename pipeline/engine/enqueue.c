/* Enqueues a token.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/stream/stream.h"
#include "pipeline/engine/cached_operations.h"
#include "pipeline/engine/range.h"
#include "pipeline/engine/spread.h"

/* On a device that is the host's own processors, such short work ends before another thread could start it
 * and fetch its data: tokens of 16 KiB with copies took a sixth longer on two processors. */
#define SHORT_NS 1000u

/* Where nothing is measured, the wait for one token of so many is timed. Such a token is not flushed, which
 * may cost a long one its whole time, so those are rarer: just often enough to find that tokens are short
 * after all. */
#define TIMED_EACH 32u
#define TIMED_EACH_LONG (8 * TIMED_EACH)
#define LONG_NS (4 * SHORT_NS)

/* ---- flushing ------------------------------------------------------------------------------- */

static void flush_point(const struct pipeline_slot_point *point)
{
    struct trm_point target    = pipeline_slot_point(point);
    struct core_stream *stream = target.stream != NULL ? core_object_enter(target.stream, CORE_STREAM) : NULL;

    if (stream == NULL)
        return;
    if (core_stream_failure_status(stream) == TRM_OK)
        core_stream_submit(stream, target.value);
    core_object_leave(&stream->object);
}

/* A failure to submit shows when the token is waited for. */
void pipeline_slot_flush(struct pipeline_slot *slot)
{
    const struct pipeline_slot_device *own = slot->device;

    if (atomic_load_explicit(&own->epoch, memory_order_acquire) % 2 == 0)
        return;
    struct trm_stream *last = pipeline_slot_point(&own->finished).stream;
    if (pipeline_slot_point(&own->uploaded).stream != last) {
        flush_point(&own->uploaded);
        flush_point(&own->processed);
    }
    for (uint32_t i = 1; i < slot->pipeline->engine->lane_count; i++)
        flush_point(&own->lane_ends[i]);
    flush_point(&own->finished);
}

bool pipeline_slot_is_short(const struct pipeline_slot *slot)
{
    const struct pipeline_device *engine = slot->pipeline->engine;
    uint64_t length                      = atomic_load_explicit(&engine->token_ns, memory_order_relaxed);

    return engine->unified && length != 0 && length < SHORT_NS;
}

/* Without time stamps, how long a token takes on the host's processors is known from waits for it: the thread
 * that waits for the oldest token runs it itself. */
bool pipeline_slot_times_wait(const struct pipeline_slot *slot)
{
    const struct pipeline_device *engine = slot->pipeline->engine;
    if (slot->token.index % TIMED_EACH != 0)
        return false;
    uint64_t length = atomic_load_explicit(&engine->token_ns, memory_order_relaxed);
    uint32_t each   = length < LONG_NS ? TIMED_EACH : TIMED_EACH_LONG;

    return slot->token.index % each == 0 && engine->is_host && !pipeline_times_wanted(slot->pipeline);
}

/* ---- a token -------------------------------------------------------------------------------- */

/* Statistics of the streams that a report tells; read before and after a token. */
struct counts {
    uint64_t host_waits, pageable_copies;
};

static void count_stream(struct trm_stream *handle, struct counts *counts)
{
    const struct core_stream *stream = handle != NULL ? core_stream_find(handle) : NULL;

    if (stream == NULL)
        return;
    counts->host_waits += stream->stats->host_waits;
    counts->pageable_copies += stream->stats->pageable_copies;
}

static struct counts count_streams(const struct pipeline_slot *slot)
{
    struct counts counts = {.host_waits = 0};

    count_stream(slot->device->stream, &counts);
    for (uint32_t i = 0; i < 3; i++)
        count_stream(slot->pipeline->engine->roles[i], &counts);
    for (uint32_t i = 1; i < slot->pipeline->engine->lane_count; i++) {
        count_stream(slot->device->lanes[i], &counts);
        count_stream(slot->pipeline->engine->lanes[i], &counts);
    }
    return counts;
}

static void add_counts(const struct pipeline_slot *slot, const struct counts *before)
{
    struct pipeline_device *engine = slot->pipeline->engine;
    struct counts after            = count_streams(slot);

    if (after.host_waits != before->host_waits)
        atomic_fetch_add_explicit(&engine->host_waits, after.host_waits - before->host_waits,
                                  memory_order_relaxed);
    if (after.pageable_copies != before->pageable_copies)
        atomic_fetch_add_explicit(&engine->pageable_copies, after.pageable_copies - before->pageable_copies,
                                  memory_order_relaxed);
}

/* A token may be enqueued again after a failure. */
static void forget_before(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;

    if (!own->is_prepared)
        pipeline_slot_forget(slot);
    own->is_prepared = false;
    own->uses_lanes  = false;
    own->is_spread   = false;
    atomic_store_explicit(&own->is_partial, false, memory_order_relaxed);
    memset(own->launched, 0, slot->pipeline->desc.stage_count * sizeof(*own->launched));
}

/* Whether the token fills the slot's own memory, and no function of the program or image of the slot changes
 * what it needs: then it needs what all such tokens of the slot need. */
static bool fills_slot(const struct pipeline_slot *slot, const void *output)
{
    const struct pipeline *pipeline        = slot->pipeline;
    const struct pipeline_slot_device *own = slot->device;

    if (output != NULL || pipeline->engine->pieces.count != 1 || pipeline->engine->has_shapes ||
        pipeline->engine->image_ports != 0)
        return false;
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++)
        if (slot->token.size[i] != pipeline->ports[i].size || slot->token.data[i] != own->memory[i])
            return false;
    return true;
}

static int32_t prepare(struct pipeline_slot *slot, void *output)
{
    const struct pipeline_strategy_ops *strategy = slot->pipeline->engine->strategy;
    struct pipeline_slot_device *own             = slot->device;
    bool is_full                                 = fills_slot(slot, output);

    if (is_full && own->filled_for == strategy)
        return TRM_OK;
    own->filled_for = NULL;
    pipeline_cached_invalidate(slot);
    int32_t status = pipeline_token_complete(slot);
    if (status == TRM_OK)
        status = pipeline_port_memory_set(slot, output);
    if (status != TRM_OK)
        return status;
    own->pieces = pipeline_pieces_of(slot);
    status      = own->pieces == 1 ? pipeline_piece_set(slot, 0) : TRM_OK;
    if (status == TRM_OK && is_full)
        own->filled_for = strategy;
    return status;
}

/* Operation by operation. */
static int32_t enqueue_operations(struct pipeline_slot *slot, const struct pipeline_strategy_ops *strategy)
{
    struct counts before = count_streams(slot);

    pipeline_range_begin(slot->pipeline, "token", slot->token.index);
    int32_t status = strategy->enqueue(slot);
    pipeline_range_end(slot->pipeline);
    add_counts(slot, &before);
    return status;
}

static int32_t enqueue(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;

    const struct pipeline_strategy_ops *strategy = pipeline_choose(slot->pipeline);
    if (UNLIKELY(pipeline_spread_is_due(slot)))
        strategy = &pipeline_strategy_spread;
    pipeline_times_begin(slot);
    pipeline_host_stages_begin(slot);
    int32_t status;
    if (!pipeline_cached_is_ready(slot, strategy) || !pipeline_cached_enqueue(slot, &status))
        status = enqueue_operations(slot, strategy);
    if (status != TRM_OK) {
        atomic_store_explicit(&own->is_partial, true, memory_order_relaxed);
        pipeline_host_stages_pass(slot);
        status = pipeline_slot_cause(slot, status);
    }
    pipeline_slot_pass_turn(slot);
    pipeline_slot_epoch(own, true);
    slot->pipeline->engine->sequence++;
    return status;
}

int32_t pipeline_slot_enqueue(struct pipeline_slot *slot, void *output)
{
    forget_before(slot);
    int32_t status = prepare(slot, output);

    return status == TRM_OK ? enqueue(slot) : status;
}
