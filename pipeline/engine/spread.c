/* Tokens that are spread: all devices of a group work on one at the same time, each on its part.
 *
 * A slot for each of two devices takes twice the memory of one, and where the devices are parts of the host's
 * processors, one large token may stay in the caches while two do not. Then the trial of how many slots are
 * in use (slots_in_use.c) finds that one is faster, as long as no device is idle meanwhile.
 *
 * The token's own device does the first part of the grains on the slot's stream. Each other one has a helper
 * in the slot: a slot of that device without memory, with the arguments of its kernels and a stream. As
 * the ends of lanes (branches.c), the ends of parts are points of the slot, and the host waits for all. No
 * stream waits for that of another device: else the loss of one device would fail the streams of the others,
 * which would count as lost for it.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/spread.h"

#include <string.h>

#include "core/event/event.h"
#include "core/memory/memory.h"
#include "core/stream/stream.h"

/* Member i has lane i + 1. */
#define MEMBERS_MOST (PIPELINE_LANES_MOST - 1)

/* ---- whether ---------------------------------------------------------------------------------- */

/* Whether its tokens are launches on one stream, in the host's memory and not cut already, and no grain
 * depends on another. */
static bool is_plain(const struct pipeline *member)
{
    const struct pipeline_device *engine = member->engine;

    return (member->desc.flags & TRM_PIPELINE_DIVISIBLE) != 0 && member->desc.stage_count != 0 &&
           engine->is_host && engine->strategy == &pipeline_strategy_zero_copy && engine->pieces.count == 1 &&
           engine->lane_count == 1 && engine->host_count == 0 && !engine->has_shapes && !engine->in_order &&
           engine->image_ports == 0;
}

static bool reaches_all(const struct pipeline *front, const struct pipeline *member)
{
    for (uint32_t i = 0; i < front->member_count; i++)
        if (core_peer_can_launch(member->device, front->members[i]->device) != TRM_OK)
            return false;
    return true;
}

/* A token that fits into the cache of one processor stays in it by itself, and is over too soon for threads
 * to meet: spread, 1 MiB in and out took 0.7 to 1.5 times as long. */
bool pipeline_spread_is_possible(const struct pipeline *front)
{
    bool can = front->member_count > 1 && front->member_count <= MEMBERS_MOST && front->joins == NULL;
    struct base_saved_error saved;

    base_error_save(&saved);
    for (uint32_t i = 0; can && i < front->member_count; i++)
        can = is_plain(front->members[i]) && !pipeline_slots_are_small(front->members[i], 1) &&
              reaches_all(front, front->members[i]);
    base_error_restore(&saved);
    return can;
}

/* ---- helpers ---------------------------------------------------------------------------------- */

/* What a token needs to be spread: its own device does part 0, others the following ones. */
struct parts {
    uint32_t count;
    struct pipeline_slot *helpers[PIPELINE_LANES_MOST]; /* from 1 on */
    struct trm_stream *streams[PIPELINE_LANES_MOST];
};

static bool can_help(const struct pipeline_slot *slot, const struct pipeline *member)
{
    return member != slot->pipeline && !core_device_is_lost(member->device);
}

static int32_t make_spread(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;

    if (own->spread == NULL)
        own->spread = core_allocate(slot->pipeline->object.context, sizeof(*own->spread));
    return own->spread != NULL ? TRM_OK : base_fail_memory("spreading a token");
}

/* A token that is measured has a stamp of the end of each part. */
static int32_t make_stamp(const struct pipeline_slot *slot, struct pipeline *member)
{
    struct trm_event **end = &slot->device->spread->ends[member->member];

    if (*end != NULL || slot->device->samples == 0)
        return TRM_OK;
    return core_event_create(member->device, TRM_EVENT_TIMING, end);
}

static int32_t add_helper(struct pipeline_slot *slot, struct pipeline *member, struct parts *parts)
{
    struct pipeline_slot **helper = &slot->device->spread->helpers[member->member];
    int32_t status                = TRM_OK;

    if (*helper == NULL)
        status = pipeline_slot_create_bare(member, slot->index, helper);
    if (status == TRM_OK)
        status = make_stamp(slot, member);
    if (status == TRM_OK)
        status = pipeline_slot_stream(*helper, &parts->streams[parts->count]);
    if (status == TRM_OK)
        parts->helpers[parts->count++] = *helper;
    return status;
}

/* All that a failure could keep from being made is made before anything is enqueued. */
static int32_t find_parts(struct pipeline_slot *slot, struct parts *parts)
{
    const struct pipeline *front = slot->front;
    int32_t status               = make_spread(slot);

    for (uint32_t i = 0; status == TRM_OK && i < front->member_count; i++)
        if (can_help(slot, front->members[i]))
            status = add_helper(slot, front->members[i], parts);
    return status;
}

void pipeline_spread_recover(const struct pipeline_slot *slot, bool (*replace)(struct trm_stream **stream))
{
    const struct pipeline_spread *spread = slot->device->spread;

    for (uint32_t i = 0; spread != NULL && i < PIPELINE_MEMBERS_MOST; i++)
        if (spread->helpers[i] != NULL)
            replace(&spread->helpers[i]->device->stream);
}

void pipeline_spread_drop_helpers(struct pipeline_slot *slot)
{
    struct pipeline_spread *spread = slot->device->spread;

    for (uint32_t i = 0; spread != NULL && i < PIPELINE_MEMBERS_MOST; i++) {
        pipeline_slot_destroy_bare(spread->helpers[i], slot->pipeline->object.context);
        spread->helpers[i] = NULL;
    }
}

void pipeline_spread_destroy(struct pipeline_slot *slot)
{
    struct pipeline_spread *spread = slot->device->spread;

    pipeline_spread_drop_helpers(slot);
    for (uint32_t i = 0; spread != NULL && i < PIPELINE_MEMBERS_MOST; i++)
        trm_event_destroy(spread->ends[i]);
    core_free(slot->pipeline->object.context, spread, sizeof(*spread));
    slot->device->spread = NULL;
}

/* ---- parts ------------------------------------------------------------------------------------ */

/* The helper's kernels work in the slot's memory; buffers in shared ports are those of its device. */
static void lend_token(const struct pipeline_slot *slot, struct pipeline_slot *helper)
{
    struct pipeline_slot_device *its = helper->device;

    its->spread = slot->device->spread;
    its->pieces = 1;
    for (uint32_t i = 0; i < slot->pipeline->desc.port_count; i++) {
        helper->token.size[i] = slot->token.size[i];
        its->port_memory[i]   = slot->device->port_memory[i];
        if (helper->pipeline->ports[i].kind == TRM_PORT_SHARED)
            its->port_memory[i].device = helper->pipeline->ports[i].buffer;
    }
}

static int32_t launch_stages(const struct pipeline_slot *helper, struct trm_stream *stream)
{
    const struct pipeline_slot_device *its = helper->device;
    int32_t status                         = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < helper->pipeline->desc.stage_count; i++) {
        const struct pipeline_stage_plan *plan = &helper->pipeline->engine->plans[i];
        status = trm_launch(stream, plan->kernel, &its->grids[i], its->arguments[i], plan->argument_count);
        if (status != TRM_OK)
            return pipeline_fail_compute(status, plan->name);
    }
    return status;
}

static int32_t stamp_end(struct pipeline_slot *slot, uint32_t member, struct trm_stream *stream)
{
    struct pipeline_spread *spread = slot->device->spread;
    int32_t status                 = TRM_OK;

    if (slot->device->samples != 0) {
        status                  = trm_event_record(spread->ends[member], stream);
        spread->stamped[member] = status == TRM_OK;
    }
    return status;
}

/* Its thread begins at once; the one that waits for the token runs the part of the token's own device. */
static int32_t enqueue_help(struct pipeline_slot *slot, const struct parts *parts, uint32_t part)
{
    struct pipeline_slot *helper    = parts->helpers[part];
    struct trm_stream *stream       = parts->streams[part];
    uint32_t member                 = helper->pipeline->member;
    struct pipeline_slot_point *end = &slot->device->lane_ends[member + 1];

    lend_token(slot, helper);
    int32_t status = pipeline_piece_set(helper, part);
    if (status != TRM_OK)
        return status;
    status = launch_stages(helper, stream);
    if (status == TRM_OK)
        status = stamp_end(slot, member, stream);
    status = pipeline_finish_point(end, stream, status);
    return status == TRM_OK ? trm_stream_flush(stream) : status;
}

/* A short token may have fewer parts than there are devices; the last ones have none then. */
static int32_t enqueue_parts(struct pipeline_slot *slot, struct parts *parts, struct core_recorder *recorder)
{
    int32_t status = TRM_OK;

    slot->device->spread->grains = pipeline_pieces_part(slot, &parts->count);
    for (uint32_t part = 1; status == TRM_OK && part < parts->count; part++)
        status = enqueue_help(slot, parts, part);
    if (status == TRM_OK)
        status = pipeline_piece_set(slot, 0);
    return status == TRM_OK ? pipeline_record_token(recorder) : status;
}

/* On its own device alone, as without spreading. The last error stays what it was. */
static int32_t enqueue_alone(struct pipeline_slot *slot, const struct base_saved_error *before)
{
    base_error_restore(before);
    return pipeline_enqueue_on_slot_stream(slot);
}

/* The slot's arguments are those of its part then, so the next token sets them anew. */
static int32_t enqueue_spread(struct pipeline_slot *slot)
{
    const struct pipeline_device *engine = slot->pipeline->engine;
    struct pipeline_slot_device *own     = slot->device;
    struct core_recorder recorder        = {.slot = slot};
    struct parts parts                   = {.count = 1};
    struct base_saved_error before;

    if (pipeline_slot_has_copies(slot, engine->input_ports | engine->output_ports))
        return pipeline_enqueue_on_slot_stream(slot);
    base_error_save(&before);
    if (find_parts(slot, &parts) != TRM_OK)
        return enqueue_alone(slot, &before);
    int32_t status = pipeline_slot_stream(slot, &recorder.stream);
    if (status != TRM_OK)
        return pipeline_fail_stage(status, "compute");
    own->filled_for = NULL;
    own->is_spread  = true;
    memset(own->spread->stamped, 0, sizeof(own->spread->stamped));
    status              = enqueue_parts(slot, &parts, &recorder);
    own->spread->grains = 0;
    return pipeline_finish_point(&own->finished, recorder.stream, status);
}

/* ---- times ------------------------------------------------------------------------------------ */

uint64_t pipeline_spread_end(const struct pipeline_slot *slot, uint64_t end)
{
    const struct pipeline_spread *spread = slot->device->spread;

    for (uint32_t i = 0; slot->device->is_spread && i < slot->front->member_count; i++) {
        struct core_event *event = spread->stamped[i] ? core_event_find(spread->ends[i]) : NULL;
        uint64_t time            = 0;
        if (event == NULL || core_event_time(event, &time) != TRM_OK)
            continue;
        time += (uint64_t)slot->front->members[i]->engine->clock_offset;
        end = time > end ? time : end;
    }
    return end;
}

const struct pipeline_strategy_ops pipeline_strategy_spread = {
    .strategy = TRM_STRATEGY_ZERO_COPY,
    .enqueue  = enqueue_spread,
};
