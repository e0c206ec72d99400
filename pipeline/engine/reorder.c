/* The stages of a pipeline in another order.
 *
 * The stages and their plans change places, and with them what each slot has for each stage. Scratch ports
 * that share memory get other places in it, perhaps in a larger buffer. Recordings are made anew for the next
 * token.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "core/memory/memory.h"
#include "core/object/object.h"
#include "pipeline/engine/spread.h"

/* ---- checks --------------------------------------------------------------------------------- */

static int32_t find_places(const struct pipeline *member, const uint32_t *order, uint32_t count,
                           uint32_t places[PIPELINE_STAGES_MOST])
{
    uint32_t now[PIPELINE_STAGES_MOST];
    uint64_t seen = 0;

    if (count != member->desc.stage_count || (count != 0 && order == NULL))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the order has %" PRIu32 " stage%s, but pipeline \"%s\" has %" PRIu32, count,
                         base_plural(count), member->name, member->desc.stage_count);
    for (uint32_t i = 0; i < count; i++)
        now[member->engine->plans[i].declared] = i;
    for (uint32_t i = 0; i < count; i++) {
        if (order[i] >= count || (seen & PIPELINE_BIT(order[i])))
            return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the order names stage %" PRIu32 "%s", order[i],
                             order[i] >= count ? ", which does not exist" : " twice");
        seen |= PIPELINE_BIT(order[i]);
        places[i] = now[order[i]];
    }
    return TRM_OK;
}

/* The ports whose contents a token does not bring along. */
static uint64_t made_ports(const struct pipeline *member)
{
    uint64_t ports = member->engine->output_ports;

    for (uint32_t i = 0; i < member->desc.port_count; i++)
        if (member->ports[i].kind == TRM_PORT_SCRATCH)
            ports |= PIPELINE_BIT(i);
    return ports;
}

/* What the stages before a stage of the descriptor write, in the order of the descriptor. */
static uint64_t written_before(const struct pipeline *member, uint32_t declared)
{
    uint64_t written = 0;

    for (uint32_t i = 0; i < member->desc.stage_count; i++)
        if (member->engine->plans[i].declared < declared)
            written |= member->engine->plans[i].writes;
    return written;
}

static int32_t fail_order(const struct pipeline *member, const uint32_t *places, uint32_t at, uint32_t port)
{
    const struct pipeline_stage_plan *plans = member->engine->plans;
    uint32_t writer                         = at + 1;
    char text[PIPELINE_LABEL_BYTES];

    while (writer + 1 < member->desc.stage_count && !(plans[places[writer]].writes & PIPELINE_BIT(port)))
        writer++;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "stage \"%s\" reads %s, which in this order only the later stage \"%s\" writes",
                     plans[places[at]].name, pipeline_port_label(member->ports, port, text),
                     plans[places[writer]].name);
}

int32_t pipeline_order_check(const struct pipeline *member, const uint32_t *order, uint32_t count,
                             uint32_t places[PIPELINE_STAGES_MOST])
{
    uint64_t written = 0;

    if (member->engine->has_order)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "pipeline \"%s\" has branches, or priorities, streams or devices of stages, which "
                         "order them for good",
                         member->name);
    int32_t status = find_places(member, order, count, places);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < count; i++) {
        const struct pipeline_stage_plan *plan = &member->engine->plans[places[i]];
        uint64_t needed = plan->reads & made_ports(member) & written_before(member, plan->declared);
        if ((needed & ~written) != 0)
            return fail_order(member, places, i, (uint32_t)__builtin_ctzll(needed & ~written));
        written |= plan->writes;
    }
    return TRM_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

static int32_t make_scratch(struct pipeline *member, struct pipeline_reorder *reorder)
{
    struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .size = reorder->scratch_bytes};
    uint32_t depth = atomic_load_explicit(&member->depth, memory_order_acquire);
    struct core_buffer *made;

    for (uint32_t i = 0; i < depth; i++) {
        int32_t status = core_buffer_create(member->device, &desc, NULL, &made);
        if (status != TRM_OK)
            return base_fail(status, "slot %" PRIu32 ", scratch ports: %s", i, trm_last_error().sentence);
        reorder->scratch[i] = core_object_publish(&made->object);
    }
    return TRM_OK;
}

static int32_t plan_scratch(struct pipeline *member, struct pipeline_reorder *reorder)
{
    const struct pipeline_scratch *scratch = &member->engine->scratch;

    if (scratch->ports == 0)
        return TRM_OK;
    reorder->scratch_bytes = pipeline_scratch_places(member, reorder->places, reorder->scratch_offsets);
    if (reorder->scratch_bytes == 0)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "in this order the scratch ports of a slot need more than the largest buffer of %s, "
                         "%" PRIu64 " bytes",
                         member->device->id, member->device->limits.max_buffer_bytes);
    return reorder->scratch_bytes > scratch->bytes ? make_scratch(member, reorder) : TRM_OK;
}

int32_t pipeline_reorder_begin(struct pipeline *member, struct pipeline_reorder *reorder)
{
    uint32_t depth = atomic_load_explicit(&member->depth, memory_order_acquire);
    int32_t status = plan_scratch(member, reorder);

    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < depth; i++) {
        pipeline_recordings_drop(member->slots[i]);
        pipeline_spread_drop_helpers(member->slots[i]); /* its helpers have their arguments by stage */
    }
    pipeline_choose_interrupt(member);
    return TRM_OK;
}

void pipeline_reorder_end(struct pipeline_reorder *reorder)
{
    for (uint32_t i = 0; i < PIPELINE_DEPTH_MOST; i++)
        trm_buffer_destroy(reorder->scratch[i]);
}

/* ---- the change ----------------------------------------------------------------------------- */

static void move_stages(struct pipeline *member, const uint32_t *places)
{
    struct pipeline_device *engine = member->engine;
    struct pipeline_stage_plan plans[PIPELINE_STAGES_MOST];
    struct trm_stage stages[PIPELINE_STAGES_MOST];
    uint32_t count = member->desc.stage_count, hosts = 0;

    memcpy(plans, engine->plans, count * sizeof(plans[0]));
    memcpy(stages, member->stages, count * sizeof(stages[0]));
    for (uint32_t i = 0; i < count; i++) {
        engine->plans[i] = plans[places[i]];
        /* Without branches, each runs after the one before it. */
        engine->plans[i].after  = i != 0 ? PIPELINE_BIT(i - 1) : 0;
        engine->plans[i].before = PIPELINE_BIT(i) - 1;
        member->stages[i]       = stages[places[i]];
        if (engine->plans[i].kernel == NULL)
            engine->plans[i].number = hosts++;
    }
}

static void move_arguments(struct pipeline_slot *slot, const uint32_t *places)
{
    const struct pipeline *member    = slot->pipeline;
    struct pipeline_slot_device *own = slot->device;
    struct trm_argument *arguments[PIPELINE_STAGES_MOST];
    uint32_t count = member->desc.stage_count;

    own->filled_for = NULL;
    memcpy(arguments, own->arguments, count * sizeof(arguments[0]));
    for (uint32_t i = 0; i < count; i++)
        own->arguments[i] = arguments[places[i]];
    for (uint32_t i = 0; i < count; i++)
        if (member->engine->plans[i].kernel == NULL)
            own->calls[member->engine->plans[i].number] =
                (struct pipeline_host_call){.slot = slot, .stage = i};
}

/* Leaves the slot's old buffer in the place of the new one. */
static void exchange_scratch(struct pipeline_slot *slot, struct trm_buffer **scratch)
{
    struct pipeline_slot_device *own = slot->device;
    struct trm_buffer *old           = own->scratch;

    own->scratch = *scratch;
    *scratch     = old;
    for (uint32_t i = 0; i < slot->pipeline->desc.port_count; i++)
        if (slot->pipeline->engine->scratch.ports & PIPELINE_BIT(i))
            own->device[i] = own->scratch;
}

static void move_scratch(struct pipeline *member, struct pipeline_reorder *reorder)
{
    struct pipeline_device *engine = member->engine;
    uint32_t depth                 = atomic_load_explicit(&member->depth, memory_order_relaxed);

    if (reorder->scratch_bytes == 0)
        return;
    memcpy(engine->scratch.offsets, reorder->scratch_offsets,
           member->desc.port_count * sizeof(engine->scratch.offsets[0]));
    if (reorder->scratch_bytes <= engine->scratch.bytes)
        return;
    for (uint32_t i = 0; i < depth; i++)
        exchange_scratch(member->slots[i], &reorder->scratch[i]);
    member->device_bytes += (reorder->scratch_bytes - engine->scratch.bytes) * depth;
    engine->scratch.bytes = reorder->scratch_bytes;
    engine->slot_bytes    = pipeline_slot_device_bytes(member);
}

void pipeline_reorder_commit(struct pipeline *member, struct pipeline_reorder *reorder)
{
    uint32_t depth = atomic_load_explicit(&member->depth, memory_order_relaxed);

    if (member->desc.stage_count == 0)
        return;
    move_stages(member, reorder->places);
    for (uint32_t i = 0; i < depth; i++)
        move_arguments(member->slots[i], reorder->places);
    move_scratch(member, reorder);
}
