/* Stages that are away: on another device than their token's, because they prefer it.
 *
 * Such a stage is on a lane (branches.c) whose stream is one of the other device. The lane waits for what the
 * stage runs after, copies what it needs, runs it, and copies back what it wrote; what runs after the stage
 * waits for the lane. Each port that is copied has memory on the other device, a mirror, in every slot.
 *
 * All stages on one other device share the lane, so that a mirror is used by one of them at a time, and stays
 * current from one to the next.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/away.h"

#include <inttypes.h>
#include <trireme/transfer.h>

#include "core/memory/memory.h"
#include "pipeline/engine/port_image.h"

/* ---- the descriptor ------------------------------------------------------------------------- */

static int32_t fail_stage(const struct trm_pipeline_desc *desc, uint32_t stage, const char *what)
{
    char text[PIPELINE_LABEL_BYTES];

    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s %s", pipeline_stage_label(desc->stages, stage, text),
                     what);
}

static int32_t check_stage(const struct trm_pipeline_desc *desc, uint32_t stage, uint32_t device_count)
{
    const struct trm_stage_device *preferred = &desc->devices[stage];
    char text[PIPELINE_LABEL_BYTES];

    if (preferred->kind < TRM_STAGE_DEVICE_ANY || preferred->kind > TRM_STAGE_DEVICE_OF_GROUP)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s prefers a device of kind %" PRId32 ", which does not exist",
                         pipeline_stage_label(desc->stages, stage, text), preferred->kind);
    if (preferred->kind == TRM_STAGE_DEVICE_ANY && preferred->index != 0)
        return fail_stage(desc, stage, "names a device, but its kind is not TRM_STAGE_DEVICE_OF_GROUP");
    if (preferred->kind == TRM_STAGE_DEVICE_ANY)
        return TRM_OK;
    if (preferred->index >= device_count)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "%s prefers device %" PRIu32 ", but the pipeline has %" PRIu32 " device%s",
                         pipeline_stage_label(desc->stages, stage, text), preferred->index, device_count,
                         base_plural(device_count));
    if (desc->stages[stage].host != NULL)
        return fail_stage(desc, stage, "is a host stage, so it runs on no device that it could prefer");
    if (desc->streams != NULL && desc->streams[stage].kind != TRM_STAGE_STREAM_ANY)
        return fail_stage(desc, stage, "prefers a device and a stream; it gets a stream of that device");
    return TRM_OK;
}

int32_t pipeline_desc_devices_check(const struct trm_pipeline_desc *desc, uint32_t device_count)
{
    uint32_t devices = 0, streams = 0;

    for (uint32_t i = 0; desc->devices != NULL && i < desc->stage_count; i++) {
        int32_t status = check_stage(desc, i, device_count);
        if (status != TRM_OK)
            return status;
        if (desc->devices[i].kind == TRM_STAGE_DEVICE_OF_GROUP)
            devices |= 1u << desc->devices[i].index;
        else
            streams += desc->streams != NULL && desc->streams[i].kind == TRM_STAGE_STREAM_OWN;
    }
    streams += (uint32_t)__builtin_popcount(devices);
    if (devices == 0 || streams <= PIPELINE_LANES_PREFERRED)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "the stages prefer %" PRIu32 " streams and devices, but may prefer %d at most", streams,
                     PIPELINE_LANES_PREFERRED);
}

uint32_t pipeline_desc_device(const struct trm_pipeline_desc *desc, uint32_t stage, uint32_t own)
{
    return desc->devices != NULL && desc->devices[stage].kind == TRM_STAGE_DEVICE_OF_GROUP
               ? desc->devices[stage].index
               : own;
}

int32_t pipeline_front_check_preferred(const struct pipeline *front)
{
    for (uint32_t rest = front->preferred_members; rest != 0; rest &= rest - 1) {
        struct core_device *device = front->members[__builtin_ctz(rest)]->device;
        int32_t status             = core_device_check(device);
        if (status != TRM_OK)
            return base_fail(status, "stages prefer device %s: %s", device->id, trm_last_error().sentence);
    }
    return TRM_OK;
}

/* ---- the plan ------------------------------------------------------------------------------- */

static struct pipeline_away *find(struct pipeline_device *engine, uint32_t member)
{
    for (uint32_t i = 0; i < engine->away_count; i++)
        if (engine->away[i].member == member)
            return &engine->away[i];
    return NULL;
}

/* Kernels of the other device may take a port where it is if that is the host's memory, which is as near to
 * one as to the other. */
static bool is_direct(const struct pipeline *pipeline, struct core_device *device)
{
    struct base_saved_error saved;

    if (!pipeline->engine->unified)
        return false;
    base_error_save(&saved);
    bool can_launch = core_peer_can_launch(device, pipeline->device) == TRM_OK;
    base_error_restore(&saved);
    return can_launch;
}

int32_t pipeline_away_note(struct pipeline *pipeline, const struct trm_pipeline_desc *desc, uint32_t number,
                           struct pipeline_stage_plan *plan)
{
    struct pipeline_device *engine = pipeline->engine;
    uint32_t member                = pipeline_desc_device(desc, number, pipeline->member);

    if (member == pipeline->member)
        return TRM_OK;
    if (engine->away == NULL)
        engine->away = core_allocate(pipeline->object.context, PIPELINE_MEMBERS_MOST * sizeof(*engine->away));
    if (engine->away == NULL)
        return base_fail_memory("making a pipeline");
    struct pipeline_away *away = find(engine, member);
    if (away == NULL) {
        away            = &engine->away[engine->away_count];
        *away           = (struct pipeline_away){.device = pipeline->front->places[member].device,
                                                 .member = member,
                                                 .number = engine->away_count++};
        away->is_direct = is_direct(pipeline, away->device);
    }
    plan->away    = away;
    plan->prefers = TRM_STAGE_STREAM_OWN;
    return TRM_OK;
}

/* On the members that the stage does not prefer, it is away. */
uint32_t pipeline_front_stage_member(const struct pipeline *front, uint32_t stage)
{
    for (uint32_t i = 0; i < front->member_count; i++)
        if (front->members[i]->engine->plans[stage].away != NULL)
            return front->members[i]->engine->plans[stage].away->member;
    return PIPELINE_MEMBERS_MOST;
}

struct core_device *pipeline_stage_device(const struct pipeline *pipeline,
                                          const struct pipeline_stage_plan *plan)
{
    return plan->away != NULL ? plan->away->device : pipeline->device;
}

const char *pipeline_stage_place(const struct pipeline_stage_plan *plan)
{
    return plan->away != NULL ? "the one that the stage prefers" : "the pipeline";
}

int32_t pipeline_away_port(const struct pipeline_stage_subject *subject, uint32_t access,
                           struct trm_argument *argument)
{
    const struct pipeline *pipeline  = subject->pipeline;
    struct pipeline_stage_plan *plan = subject->plan;
    uint64_t number                  = argument->value.port.index;
    int32_t format                   = argument->type;
    char text[PIPELINE_LABEL_BYTES];

    if (pipeline_port_is_image(pipeline->engine, number))
        return base_fail(TRM_ERROR_UNSUPPORTED, "the stage prefers a device, but %s is an image",
                         pipeline_port_label(pipeline->ports, number, text));
    if (pipeline->ports[number].kind != TRM_PORT_SHARED)
        return TRM_OK;
    if ((access & TRM_ACCESS_WRITE) && !(pipeline->ports[number].flags & TRM_PORT_READ_ONLY))
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "the stage prefers a device, but writes %s, which is shared; if it only reads it, "
                         "set TRM_PORT_READ_ONLY",
                         pipeline_port_label(pipeline->ports, number, text));
    argument->kind              = format != TRM_FORMAT_NONE ? TRM_PARAMETER_TEXELS : TRM_PARAMETER_BUFFER;
    argument->value.span.offset = 0;
    argument->value.span.length = pipeline->ports[number].size;
    return pipeline_holds_add(subject->pipeline, CORE_BUFFER,
                              pipeline->front->places[plan->away->member].desc->ports[number].buffer,
                              &argument->value.span.buffer);
}

static uint64_t touched_by(const struct pipeline *pipeline, uint32_t stage)
{
    const struct pipeline_stage_plan *plan = &pipeline->engine->plans[stage];

    return (plan->reads | plan->writes) & ~pipeline->engine->shared_ports;
}

/* Of what a stage wrote, what must be on the token's device before the next stage that writes it on the same
 * other one. */
static uint64_t find_moves_out(const struct pipeline *pipeline, uint32_t stage)
{
    const struct pipeline_stage_plan *plans = pipeline->engine->plans;
    uint64_t open = plans[stage].writes, moves = 0;

    for (uint32_t i = stage + 1; i < pipeline->desc.stage_count; i++) {
        if (plans[i].away != plans[stage].away)
            moves |= open & touched_by(pipeline, i);
        else
            open &= ~plans[i].writes;
    }
    return moves | (open & pipeline->engine->output_ports);
}

/* Stages are in an order in which they can run, and of two that one of them orders by a port the first one
 * comes first. So what is current where is known from the stages before. */
static void find_moves(struct pipeline *pipeline)
{
    struct pipeline_device *engine          = pipeline->engine;
    uint64_t current[PIPELINE_MEMBERS_MOST] = {0}; /* mirrors, by device */
    uint64_t filled                         = engine->input_ports;

    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++) {
        struct pipeline_stage_plan *plan = &engine->plans[i];
        uint64_t touched                 = touched_by(pipeline, i);
        if (plan->away != NULL && !plan->away->is_direct) {
            uint32_t number = plan->away->number;
            plan->moves_in  = touched & filled & ~current[number];
            plan->moves_out = find_moves_out(pipeline, i);
            engine->away[number].mirrored |= touched;
            current[number] |= touched;
        }
        for (uint32_t k = 0; k < engine->away_count; k++)
            if (plan->away != &engine->away[k])
                current[k] &= ~plan->writes;
        filled |= plan->writes;
    }
}

int32_t pipeline_away_plan(struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;
    char text[PIPELINE_LABEL_BYTES];

    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++) {
        uint64_t joined = engine->plans[i].reads & engine->shared_ports & engine->kernel_writes;
        if (engine->plans[i].away != NULL && joined != 0)
            return base_fail(TRM_ERROR_UNSUPPORTED,
                             "stage \"%s\" prefers a device, but reads %s, which other stages write",
                             engine->plans[i].name,
                             pipeline_port_label(pipeline->ports, (uint64_t)__builtin_ctzll(joined), text));
    }
    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++)
        if (engine->plans[i].away != NULL)
            engine->away[engine->plans[i].away->number].lane = engine->plans[i].lane;
    if (engine->away_count != 0)
        find_moves(pipeline);
    return TRM_OK;
}

void pipeline_away_fini(struct pipeline *pipeline)
{
    struct pipeline_device *engine = pipeline->engine;

    core_free(pipeline->object.context, engine->away, PIPELINE_MEMBERS_MOST * sizeof(*engine->away));
    engine->away       = NULL;
    engine->away_count = 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

uint64_t pipeline_away_bytes(const struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;
    uint64_t bytes                       = 0;

    for (uint32_t i = 0; i < engine->away_count; i++)
        for (uint64_t rest = engine->away[i].mirrored; rest != 0; rest &= rest - 1)
            bytes += pipeline->ports[__builtin_ctzll(rest)].size;
    return bytes;
}

static int32_t make_mirror(const struct pipeline *pipeline, const struct pipeline_away *away, uint32_t port,
                           struct trm_buffer **mirror)
{
    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .size = pipeline->ports[port].size};
    struct core_buffer *made;
    char text[PIPELINE_LABEL_BYTES];

    int32_t status = core_buffer_create(away->device, &desc, NULL, &made);
    if (status != TRM_OK)
        return base_fail(status, "%s on %s: %s", pipeline_port_label(pipeline->ports, port, text),
                         away->device->id, trm_last_error().sentence);
    *mirror = core_object_publish(&made->object);
    return TRM_OK;
}

static struct trm_buffer **mirror_at(const struct pipeline_slot *slot, const struct pipeline_away *away,
                                     uint64_t port)
{
    return &slot->device->mirrors[away->number * slot->pipeline->desc.port_count + port];
}

int32_t pipeline_away_make(struct pipeline_slot *slot)
{
    const struct pipeline_device *engine = slot->pipeline->engine;
    int32_t status                       = TRM_OK;

    for (uint32_t i = 0; i < engine->away_count; i++)
        for (uint64_t rest = engine->away[i].mirrored; status == TRM_OK && rest != 0; rest &= rest - 1) {
            uint32_t port = (uint32_t)__builtin_ctzll(rest);
            status =
                make_mirror(slot->pipeline, &engine->away[i], port, mirror_at(slot, &engine->away[i], port));
        }
    return status;
}

void pipeline_away_end(struct pipeline_slot *slot)
{
    uint32_t count = slot->pipeline->engine->away_count * slot->pipeline->desc.port_count;

    for (uint32_t i = 0; slot->device->mirrors != NULL && i < count; i++)
        trm_buffer_destroy(slot->device->mirrors[i]);
}

struct trm_buffer *pipeline_away_mirror(const struct pipeline_slot *slot,
                                        const struct pipeline_stage_plan *plan, uint64_t port)
{
    return plan->away != NULL ? *mirror_at(slot, plan->away, port) : NULL;
}

/* ---- copies --------------------------------------------------------------------------------- */

static int32_t move(const struct core_recorder *recorder, const struct pipeline_stage_plan *plan,
                    uint64_t ports, bool is_outgoing)
{
    const struct pipeline_slot *slot = recorder->slot;
    int32_t status                   = TRM_OK;

    for (; status == TRM_OK && ports != 0; ports &= ports - 1) {
        uint32_t port                          = (uint32_t)__builtin_ctzll(ports);
        const struct pipeline_port_memory *own = &slot->device->port_memory[port];
        struct trm_span here                   = trm_span_of(own->device, own->device_offset, own->length);
        struct trm_span there = trm_span_of(*mirror_at(slot, plan->away, port), 0, own->length);
        if (own->length != 0)
            status = is_outgoing ? trm_copy(recorder->stream, there, here)
                                 : trm_copy(recorder->stream, here, there);
    }
    return status;
}

int32_t pipeline_away_bring(const struct core_recorder *recorder, const struct pipeline_stage_plan *plan)
{
    return plan->away != NULL ? move(recorder, plan, plan->moves_in, true) : TRM_OK;
}

int32_t pipeline_away_return(const struct core_recorder *recorder, const struct pipeline_stage_plan *plan)
{
    return plan->away != NULL ? move(recorder, plan, plan->moves_out, false) : TRM_OK;
}
