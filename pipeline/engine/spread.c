/* Tokens that are spread: all devices of a group work on one at the same time, each on its part.
 *
 * A slot for each of two devices takes twice the memory of one, and where the devices are parts of the host's
 * processors, one large token may stay in the caches while two do not. Then the trial of how many slots are
 * in use (slots_in_use.c) finds that one is faster, as long as no device is idle meanwhile.
 *
 * The token's own device does the first part of the grains on the slot's stream. Each other one has a helper
 * in the slot: a slot of that device without memory, with the arguments of its kernels and a stream. The
 * slot's stream waits for those of the helpers, so what waits for the token waits for all parts. As the ends
 * of lanes (branches.c), the ends of parts are points of the slot: after a failure they are waited for, too.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/spread.h"

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

bool pipeline_spread_is_possible(const struct pipeline *front)
{
    bool can = front->member_count > 1 && front->member_count <= MEMBERS_MOST && front->joins == NULL;
    struct base_saved_error saved;

    base_error_save(&saved);
    for (uint32_t i = 0; can && i < front->member_count; i++)
        can = is_plain(front->members[i]) && reaches_all(front, front->members[i]);
    base_error_restore(&saved);
    return can;
}

/* ---- helpers ---------------------------------------------------------------------------------- */

static bool can_help(const struct pipeline_slot *slot, const struct pipeline *member)
{
    return member != slot->pipeline && !atomic_load_explicit(&member->device->is_lost, memory_order_acquire);
}

static int32_t find_helper(struct pipeline_slot *slot, struct pipeline *member, struct pipeline_slot **helper)
{
    struct pipeline_slot **own = &slot->device->spread->helpers[member->member];
    int32_t status             = *own != NULL ? TRM_OK : pipeline_slot_create_bare(member, slot->index, own);

    if (status == TRM_OK)
        *helper = *own;
    return status;
}

static int32_t make_spread(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;

    if (own->spread == NULL)
        own->spread = core_allocate(slot->pipeline->object.context, sizeof(*own->spread));
    return own->spread != NULL ? TRM_OK : base_fail_memory("spreading a token");
}

void pipeline_spread_recover(const struct pipeline_slot *slot, bool (*replace)(struct trm_stream **stream))
{
    const struct pipeline_spread *spread = slot->device->spread;

    for (uint32_t i = 0; spread != NULL && i < PIPELINE_MEMBERS_MOST; i++)
        if (spread->helpers[i] != NULL)
            replace(&spread->helpers[i]->device->stream);
}

void pipeline_spread_destroy(struct pipeline_slot *slot)
{
    struct core_context *context   = slot->pipeline->object.context;
    struct pipeline_spread *spread = slot->device->spread;

    for (uint32_t i = 0; spread != NULL && i < PIPELINE_MEMBERS_MOST; i++)
        pipeline_slot_destroy_bare(spread->helpers[i], context);
    core_free(context, spread, sizeof(*spread));
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

/* Its thread begins at once; the one that waits for the token runs the part of the token's own device. */
static int32_t enqueue_help(struct pipeline_slot *slot, struct pipeline_slot *helper, uint32_t part)
{
    struct pipeline_slot_point *end = &slot->device->lane_ends[helper->pipeline->member + 1];
    struct trm_stream *stream;

    lend_token(slot, helper);
    int32_t status = pipeline_piece_set(helper, part);
    if (status == TRM_OK)
        status = pipeline_slot_stream(helper, &stream);
    if (status != TRM_OK)
        return status;
    status = pipeline_finish_point(end, stream, launch_stages(helper, stream));
    return status == TRM_OK ? trm_stream_flush(stream) : status;
}

/* The members that do parts of the token beside its own device. */
static uint32_t find_helping(const struct pipeline_slot *slot, struct pipeline *members[MEMBERS_MOST])
{
    const struct pipeline *front = slot->front;
    uint32_t count               = 0;

    for (uint32_t i = 0; i < front->member_count; i++)
        if (can_help(slot, front->members[i]))
            members[count++] = front->members[i];
    return count;
}

/* A short token may have fewer parts than there are devices; the last ones have none then. */
static int32_t enqueue_helpers(struct pipeline_slot *slot)
{
    struct pipeline *members[MEMBERS_MOST];
    uint32_t parts = find_helping(slot, members) + 1;
    int32_t status = TRM_OK;

    slot->device->spread->grains = pipeline_pieces_part(slot, &parts);
    for (uint32_t part = 1; status == TRM_OK && part < parts; part++) {
        struct pipeline_slot *helper;
        status = find_helper(slot, members[part - 1], &helper);
        if (status == TRM_OK)
            status = enqueue_help(slot, helper, part);
    }
    return status;
}

/* The token is processed when all parts are. */
static int32_t wait_for_helpers(const struct pipeline_slot *slot, struct trm_stream *stream)
{
    struct pipeline_slot_device *own = slot->device;
    int32_t status                   = TRM_OK;

    for (uint32_t i = 1; status == TRM_OK && i <= slot->front->member_count; i++) {
        struct trm_point end = pipeline_slot_point(&own->lane_ends[i]);
        if (end.stream != NULL)
            status = trm_stream_wait(stream, end);
    }
    if (status == TRM_OK)
        status = pipeline_slot_mark(&own->processed, stream, false);
    return status == TRM_OK ? TRM_OK : pipeline_fail_stage(status, "compute");
}

static int32_t enqueue_parts(struct pipeline_slot *slot, struct core_recorder *recorder)
{
    int32_t status = enqueue_helpers(slot);

    if (status == TRM_OK)
        status = pipeline_piece_set(slot, 0);
    if (status == TRM_OK)
        status = pipeline_record_token(recorder);
    return status == TRM_OK ? wait_for_helpers(slot, recorder->stream) : status;
}

/* The slot's arguments are those of its part then, so the next token sets them anew. */
static int32_t enqueue_spread(struct pipeline_slot *slot)
{
    const struct pipeline_device *engine = slot->pipeline->engine;
    struct pipeline_slot_device *own     = slot->device;
    struct core_recorder recorder        = {.slot = slot};

    if (pipeline_slot_has_copies(slot, engine->input_ports | engine->output_ports))
        return pipeline_enqueue_on_slot_stream(slot);
    int32_t status = make_spread(slot);
    if (status == TRM_OK)
        status = pipeline_slot_stream(slot, &recorder.stream);
    if (status != TRM_OK)
        return pipeline_fail_stage(status, "compute");
    own->filled_for     = NULL;
    status              = enqueue_parts(slot, &recorder);
    own->spread->grains = 0;
    own->uses_lanes     = true;
    return pipeline_finish_point(&own->finished, recorder.stream, status);
}

const struct pipeline_strategy_ops pipeline_strategy_spread = {
    .strategy = TRM_STRATEGY_ZERO_COPY,
    .enqueue  = enqueue_spread,
};
