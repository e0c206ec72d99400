/* Memory and streams of a slot.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/memory/memory.h"
#include "core/stream/stream.h"
#include "pipeline/engine/away.h"
#include "pipeline/engine/cached_operations.h"
#include "pipeline/engine/port_image.h"
#include "pipeline/engine/range.h"
#include "pipeline/engine/spread.h"

#define PLAIN_ALIGNMENT 64 /* of host memory that is not a buffer: a cache line */

/* ---- which memory there is ------------------------------------------------------------------ */

static bool has_host(const struct pipeline_device *engine, uint32_t port)
{
    return (engine->host_ports & PIPELINE_BIT(port)) != 0;
}

static bool has_device(const struct pipeline_device *engine, uint32_t port)
{
    return !(engine->shared_ports & PIPELINE_BIT(port));
}

/* A unified device has one strategy for good; without copies, a slot's port has one memory for both sides. */
static bool has_common(const struct pipeline_device *engine, uint32_t port)
{
    return engine->unified && !pipeline_port_has_two_sides(engine, port);
}

static bool shares_scratch(const struct pipeline_device *engine, uint32_t port)
{
    return (engine->scratch.ports & PIPELINE_BIT(port)) != 0;
}

static uint64_t device_bytes_of(const struct pipeline *pipeline, uint32_t port)
{
    if (pipeline_port_is_image(pipeline->engine, port))
        return pipeline->engine->images[port].bytes;
    return pipeline_piece_is_held(pipeline, port) ? pipeline_piece_bytes(pipeline, port)
                                                  : pipeline->ports[port].size;
}

uint64_t pipeline_slot_device_bytes(const struct pipeline *pipeline)
{
    uint64_t bytes = pipeline->engine->scratch.bytes + pipeline_away_bytes(pipeline);

    for (uint32_t i = 0; i < pipeline->desc.port_count; i++)
        if (has_device(pipeline->engine, i) && !shares_scratch(pipeline->engine, i))
            bytes += device_bytes_of(pipeline, i);
    return bytes;
}

uint64_t pipeline_slot_host_bytes(const struct pipeline *pipeline)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < pipeline->desc.port_count; i++)
        if (has_host(pipeline->engine, i) && !has_common(pipeline->engine, i))
            bytes += pipeline->ports[i].size;
    return bytes;
}

uint64_t pipeline_port_device_offset(const struct pipeline *pipeline, uint32_t port)
{
    const struct pipeline_device *engine = pipeline->engine;

    return shares_scratch(engine, port) ? engine->scratch.offsets[port] : engine->images[port].offset;
}

/* ---- memory --------------------------------------------------------------------------------- */

static int32_t make_buffer(struct pipeline *pipeline, int32_t kind, uint64_t size, struct trm_buffer **buffer)
{
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .kind = kind, .size = size};
    struct core_buffer *made;

    int32_t status = core_buffer_create(pipeline->device, &desc, NULL, &made);
    if (status == TRM_OK)
        *buffer = core_object_publish(&made->object);
    return status;
}

/* One buffer for both sides. */
static int32_t make_common(struct pipeline_slot *slot, uint32_t port)
{
    struct pipeline_slot_device *own = slot->device;

    if (pipeline_port_is_image(slot->pipeline->engine, port))
        return pipeline_port_image_make(slot, port, true);
    int32_t status = make_buffer(slot->pipeline, TRM_MEMORY_DEVICE, device_bytes_of(slot->pipeline, port),
                                 &own->device[port]);
    if (status == TRM_OK && has_host(slot->pipeline->engine, port))
        status = trm_buffer_host_pointer(own->device[port], (void **)&own->memory[port]);
    return status;
}

/* The device reaches no host memory by itself, but its driver copies from any. */
static int32_t make_plain(struct pipeline_slot *slot, uint32_t port)
{
    struct pipeline *pipeline        = slot->pipeline;
    struct pipeline_slot_device *own = slot->device;

    trm_buffer_destroy(own->host[port]);
    own->host[port] = NULL;
    own->memory[port] =
        core_allocate_aligned(pipeline->object.context, pipeline->ports[port].size, PLAIN_ALIGNMENT);
    return own->memory[port] != NULL ? TRM_OK : base_fail_memory("making a slot of a pipeline");
}

static int32_t make_device(struct pipeline_slot *slot, uint32_t port)
{
    if (pipeline_port_is_image(slot->pipeline->engine, port))
        return pipeline_port_image_make(slot, port, false);
    return make_buffer(slot->pipeline, TRM_MEMORY_DEVICE, device_bytes_of(slot->pipeline, port),
                       &slot->device->device[port]);
}

static int32_t make_pair(struct pipeline_slot *slot, uint32_t port)
{
    const struct pipeline *pipeline  = slot->pipeline;
    struct pipeline_slot_device *own = slot->device;
    uint64_t size                    = pipeline->ports[port].size;

    int32_t status = make_device(slot, port);
    if (status != TRM_OK || !has_host(pipeline->engine, port))
        return status;
    status = make_buffer(slot->pipeline, TRM_MEMORY_PINNED, size, &own->host[port]);
    if (status == TRM_OK)
        status = trm_buffer_host_pointer(own->host[port], (void **)&own->memory[port]);
    return status == TRM_ERROR_UNSUPPORTED ? make_plain(slot, port) : status;
}

static int32_t make_scratch(struct pipeline_slot *slot)
{
    const struct pipeline_scratch *scratch = &slot->pipeline->engine->scratch;
    struct pipeline_slot_device *own       = slot->device;

    if (scratch->ports == 0)
        return TRM_OK;
    int32_t status = make_buffer(slot->pipeline, TRM_MEMORY_DEVICE, scratch->bytes, &own->scratch);
    if (status != TRM_OK)
        return base_fail(status, "slot %" PRIu32 ", scratch ports: %s", slot->index,
                         trm_last_error().sentence);
    for (uint32_t i = 0; i < slot->pipeline->desc.port_count; i++)
        if (shares_scratch(slot->pipeline->engine, i))
            own->device[i] = own->scratch;
    return TRM_OK;
}

static int32_t make_memory(struct pipeline_slot *slot)
{
    const struct pipeline *pipeline = slot->pipeline;
    char text[PIPELINE_LABEL_BYTES];

    int32_t status = make_scratch(slot);
    if (status == TRM_OK && pipeline_away_make(slot) != TRM_OK)
        return base_fail(base_last_status(), "slot %" PRIu32 ", %s", slot->index, trm_last_error().sentence);
    for (uint32_t i = 0; status == TRM_OK && i < pipeline->desc.port_count; i++) {
        if (!has_device(pipeline->engine, i) || shares_scratch(pipeline->engine, i))
            continue;
        status = has_common(pipeline->engine, i) ? make_common(slot, i) : make_pair(slot, i);
        if (status != TRM_OK)
            return base_fail(status, "slot %" PRIu32 ", %s: %s", slot->index,
                             pipeline_port_label(pipeline->ports, i, text), trm_last_error().sentence);
    }
    return status;
}

static void end_memory(struct pipeline_slot *slot)
{
    const struct pipeline *pipeline  = slot->pipeline;
    struct pipeline_slot_device *own = slot->device;

    trm_buffer_destroy(own->scratch);
    pipeline_away_end(slot);
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        if (shares_scratch(pipeline->engine, i))
            continue;
        if (own->memory != NULL && own->host[i] == NULL && !has_common(pipeline->engine, i))
            core_free(pipeline->object.context, own->memory[i], pipeline->ports[i].size);
        if (own->host != NULL)
            trm_buffer_destroy(own->host[i]);
        if (own->images != NULL && own->images[i] != NULL)
            trm_image_destroy(own->images[i]);
        else if (own->device != NULL)
            trm_buffer_destroy(own->device[i]);
    }
}

/* ---- arrays of a slot ----------------------------------------------------------------------- */

/* All arrays are one allocation; a first pass only counts its size. */
struct tables {
    unsigned char *memory; /* NULL: only count */
    uint64_t used;
};

static void *table(struct tables *tables, uint64_t count, uint64_t each)
{
    void *array = tables->memory != NULL ? tables->memory + tables->used : NULL;

    tables->used += (count * each + 15) / 16 * 16;
    return array;
}

#define TABLE(tables, member, count) (member) = table((tables), (count), sizeof(*(member)))

static void lay_out(struct pipeline_slot *slot, struct tables *tables)
{
    const struct pipeline *pipeline      = slot->pipeline;
    const struct pipeline_device *engine = pipeline->engine;
    struct pipeline_slot_device *own     = slot->device;
    uint32_t ports = pipeline->desc.port_count, stages = pipeline->desc.stage_count, most = 0;

    TABLE(tables, slot->token.data, ports);
    TABLE(tables, slot->token.size, ports);
    TABLE(tables, own->view.data, ports);
    TABLE(tables, own->view.size, ports);
    TABLE(tables, own->host, ports);
    TABLE(tables, own->device, ports);
    TABLE(tables, own->images, ports);
    TABLE(tables, own->memory, ports);
    TABLE(tables, own->mirrors, engine->away_count * ports);
    TABLE(tables, own->port_memory, ports);
    TABLE(tables, own->arguments, stages);
    TABLE(tables, own->grids, stages);
    TABLE(tables, own->launched, stages);
    TABLE(tables, own->launch_end, stages);
    TABLE(tables, own->launch_begin, stages);
    TABLE(tables, own->stage_ends, stages);
    TABLE(tables, own->calls, engine->host_count);
    for (uint32_t i = 0; i < stages; i++) {
        uint32_t count = engine->plans[i].argument_count;
        struct trm_argument *arguments;
        TABLE(tables, arguments, count);
        if (tables->memory != NULL)
            own->arguments[i] = arguments;
        most = count > most ? count : most;
    }
    TABLE(tables, own->declared, most);
}

static int32_t make_tables(struct pipeline_slot *slot)
{
    const struct pipeline_device *engine = slot->pipeline->engine;
    struct pipeline_slot_device *own     = slot->device;
    struct tables tables                 = {.memory = NULL};

    lay_out(slot, &tables);
    own->tables_size = tables.used;
    own->tables      = core_allocate(slot->pipeline->object.context, tables.used);
    if (own->tables == NULL)
        return base_fail_memory("making a slot of a pipeline");
    tables = (struct tables){.memory = own->tables};
    lay_out(slot, &tables);
    for (uint32_t i = 0; i < slot->pipeline->desc.stage_count; i++) {
        const struct pipeline_stage_plan *plan = &engine->plans[i];
        if (plan->argument_count != 0)
            memcpy(own->arguments[i], plan->arguments, plan->argument_count * sizeof(*plan->arguments));
        if (plan->kernel == NULL)
            own->calls[plan->number] = (struct pipeline_host_call){.slot = slot, .stage = i};
    }
    return TRM_OK;
}

/* ---- creation and destruction --------------------------------------------------------------- */

static struct pipeline_slot *slot_allocate(struct pipeline *pipeline, uint32_t index)
{
    struct core_context *context = pipeline->object.context;
    struct pipeline_slot *slot   = core_allocate(context, sizeof(*slot));

    if (slot == NULL)
        return NULL;
    slot->device = core_allocate(context, sizeof(*slot->device));
    if (slot->device == NULL) {
        core_free(context, slot, sizeof(*slot));
        return NULL;
    }
    slot->pipeline         = pipeline;
    slot->front            = pipeline->front;
    slot->index            = index;
    slot->token.slot       = index;
    slot->token.port_count = pipeline->desc.port_count;
    return slot;
}

int32_t pipeline_slot_create(struct pipeline *pipeline, uint32_t index, struct pipeline_slot **slot)
{
    struct pipeline_slot *made = slot_allocate(pipeline, index);
    if (made == NULL)
        return base_fail_memory("making a slot of a pipeline");

    int32_t status = make_tables(made);
    if (status == TRM_OK)
        status = make_memory(made);
    if (status == TRM_OK && pipeline_times_wanted(pipeline))
        status = pipeline_times_create(made);
    if (status != TRM_OK) {
        pipeline_slot_destroy(made);
        return status;
    }
    pipeline_slot_prepare(made);
    *slot = made;
    return TRM_OK;
}

void pipeline_slot_destroy(struct pipeline_slot *slot)
{
    if (slot == NULL)
        return;
    struct core_context *context     = slot->pipeline->object.context;
    struct pipeline_slot_device *own = slot->device;

    pipeline_recordings_drop(slot);
    pipeline_cached_destroy(slot);
    pipeline_spread_destroy(slot);
    for (uint32_t i = 1; i < PIPELINE_LANES_MOST; i++)
        trm_stream_destroy(own->lanes[i]);
    trm_stream_destroy(own->stream);
    pipeline_times_destroy(slot);
    end_memory(slot);
    core_free(context, own->tables, own->tables_size);
    core_free(context, own, sizeof(*own));
    core_free(context, slot, sizeof(*slot));
}

int32_t pipeline_slot_create_bare(struct pipeline *pipeline, uint32_t index, struct pipeline_slot **slot)
{
    struct pipeline_slot *made = slot_allocate(pipeline, index);
    if (made == NULL)
        return base_fail_memory("making a slot of a pipeline");

    int32_t status = make_tables(made);
    if (status == TRM_OK)
        *slot = made;
    else
        pipeline_slot_destroy_bare(made, pipeline->object.context);
    return status;
}

void pipeline_slot_destroy_bare(struct pipeline_slot *slot, struct core_context *context)
{
    if (slot == NULL)
        return;
    trm_stream_destroy(slot->device->stream);
    core_free(context, slot->device->tables, slot->device->tables_size);
    core_free(context, slot->device, sizeof(*slot->device));
    core_free(context, slot, sizeof(*slot));
}

void pipeline_slot_prepare(struct pipeline_slot *slot)
{
    const struct pipeline *pipeline  = slot->pipeline;
    struct pipeline_slot_device *own = slot->device;

    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        slot->token.data[i] = own->memory[i];
        slot->token.size[i] = pipeline->ports[i].size;
    }
    slot->token.user     = NULL;
    slot->failure.status = TRM_OK;
    own->is_measured     = false;
    own->is_prepared     = true;
    pipeline_slot_forget(slot);
}

void pipeline_slot_forget(struct pipeline_slot *slot)
{
    struct pipeline_slot_device *own = slot->device;

    own->bytes_up   = 0;
    own->bytes_down = 0;
    atomic_store_explicit(&own->host_failed, TRM_OK, memory_order_relaxed);
    atomic_store_explicit(&own->host_ran, 0, memory_order_relaxed);
    pipeline_slot_epoch(own, false);
    pipeline_slot_unmark(&own->uploaded);
    pipeline_slot_unmark(&own->processed);
    pipeline_slot_unmark(&own->finished);
    if (slot->pipeline->engine->lane_count > 1 || own->is_spread)
        pipeline_slot_unmark_lanes(own);
}

void pipeline_slot_repeat(struct pipeline_slot *slot, const struct pipeline_slot *from)
{
    const struct pipeline_device *engine = slot->pipeline->engine;

    pipeline_slot_prepare(slot);
    for (uint32_t i = 0; i < slot->token.port_count; i++) {
        slot->token.size[i] = from->token.size[i];
        if (!(engine->input_ports & PIPELINE_BIT(i)))
            continue;
        if (from->token.data[i] == from->device->memory[i])
            memcpy(slot->token.data[i], from->token.data[i], from->token.size[i]);
        else
            slot->token.data[i] = from->token.data[i];
    }
    slot->token.user = from->token.user;
    slot->load_begin = from->load_begin;
    slot->load_end   = from->load_end;
    slot->load_ran   = from->load_ran;
    slot->sink_begin = 0;
    slot->sink_ran   = 0;
}

/* Whether a port that has pinned memory in the slot is copied from, or to, pageable memory elsewhere. */
static bool has_pageable(const struct pipeline_slot *slot, uint64_t ports)
{
    const struct pipeline_slot_device *own = slot->device;

    if (slot->pipeline->engine->unified)
        return false;
    for (; ports != 0; ports &= ports - 1) {
        uint32_t port                               = (uint32_t)__builtin_ctzll(ports);
        const struct pipeline_port_memory *location = &own->port_memory[port];

        if (location->is_copied && location->host == NULL && own->host[port] != NULL)
            return true;
    }
    return false;
}

void pipeline_slot_bytes(const struct pipeline_slot *slot, struct pipeline_token_times *times)
{
    const struct pipeline_device *engine = slot->pipeline->engine;

    times->bytes_up         = slot->device->bytes_up;
    times->bytes_down       = slot->device->bytes_down;
    times->is_pageable_up   = has_pageable(slot, engine->input_ports);
    times->is_pageable_down = has_pageable(slot, engine->output_ports);
}

/* ---- streams -------------------------------------------------------------------------------- */

static const char *const role_names[] = {
    [TRM_STREAM_ANY] = "pipeline",      [TRM_STREAM_COMPUTE] = "compute", [TRM_STREAM_UPLOAD] = "upload",
    [TRM_STREAM_DOWNLOAD] = "download", [TRM_STREAM_SLOT] = "slot",
};

/* Names a stream of the pipeline for the profiler: "upload", "slot 2". */
static void name_stream(const struct pipeline *pipeline, struct trm_stream *handle, const char *name)
{
    const struct trm_range_ops *ranges = pipeline->engine->ranges;
    const struct core_stream *stream   = ranges != NULL ? core_stream_find(handle) : NULL;
    if (stream != NULL && ranges->name_stream != NULL && core_stream_is_ordinary(stream) &&
        stream->device->backend == pipeline->device->backend)
        ranges->name_stream(stream->backend, name);
}

/* On the device on which stages of the lane are away, or else the pipeline's. */
static int32_t make_stream(struct pipeline *pipeline, int32_t role, uint32_t lane, const char *name,
                           struct trm_stream **stream)
{
    const struct pipeline_device *engine = pipeline->engine;
    struct core_device *device           = pipeline->device;
    struct core_stream *made;

    for (uint32_t i = 0; i < engine->away_count; i++)
        if (engine->away[i].lane == lane)
            device = engine->away[i].device;
    int32_t status = engine->strategy == &pipeline_strategy_resident
                         ? core_stream_create_resident(device, &made)
                         : core_stream_create(device, role, engine->priorities[lane], 0, &made);
    if (status != TRM_OK)
        return status;
    core_stream_set_static_name(made, role_names[role]);
    *stream = core_object_publish(&made->object);
    name_stream(pipeline, *stream, name);
    return TRM_OK;
}

int32_t pipeline_slot_stream(struct pipeline_slot *slot, struct trm_stream **stream)
{
    struct trm_stream **own = &slot->device->stream;
    char name[24];

    if (*own != NULL) {
        *stream = *own;
        return TRM_OK;
    }
    snprintf(name, sizeof(name), "slot %" PRIu32, slot->index);
    int32_t status = make_stream(slot->pipeline, TRM_STREAM_SLOT, 0, name, own);
    *stream        = *own;
    return status;
}

int32_t pipeline_role_stream(struct pipeline *pipeline, int32_t role, struct trm_stream **stream)
{
    static const char *const names[3] = {"upload", "compute", "download"};
    uint32_t index                    = role == TRM_STREAM_UPLOAD ? 0 : role == TRM_STREAM_COMPUTE ? 1 : 2;

    struct trm_stream **own = &pipeline->engine->roles[index];
    int32_t status          = *own != NULL ? TRM_OK : make_stream(pipeline, role, 0, names[index], own);

    *stream = *own;
    return status;
}

/* Streams of lanes beside a slot's stream belong to the slot; those beside the role of compute, and those
 * that stages prefer, to all tokens. */
int32_t pipeline_lane_stream(struct pipeline_slot *slot, const struct trm_stream *beside, uint32_t lane,
                             struct trm_stream **stream)
{
    bool is_preferred       = (slot->pipeline->engine->preferred_lanes >> lane & 1) != 0;
    bool is_own             = beside == slot->device->stream && !is_preferred;
    struct trm_stream **own = is_own ? &slot->device->lanes[lane] : &slot->pipeline->engine->lanes[lane];
    int32_t status          = TRM_OK;
    char name[40];

    if (*own == NULL) {
        if (is_own)
            snprintf(name, sizeof(name), "slot %" PRIu32 ", branch %" PRIu32, slot->index, lane);
        else
            snprintf(name, sizeof(name), "compute, %s %" PRIu32, is_preferred ? "stream" : "branch", lane);
        status = make_stream(slot->pipeline, is_own ? TRM_STREAM_SLOT : TRM_STREAM_COMPUTE, lane, name, own);
    }
    *stream = *own;
    return status;
}
