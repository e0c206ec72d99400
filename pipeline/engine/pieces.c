/* Cuts tokens into pieces. Grain i of every port belongs to grain i of the others, so a token can go through
 * all stages piece by piece, and a stage finds in the cache what the one before has written.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "pipeline/engine/spread.h"

/* Of the largest port. What the stages of a piece touch, host side of the copies included, must fit in a
 * core's second-level cache beside the next piece: 1 MiB and three or four ports are common. */
#define PIECE_BYTES (128u << 10)

/* A token whose ports are no larger is not cut: more operations would cost more than the cache saves. */
#define WHOLE_BYTES (256u << 10)

/* Spans of pieces begin at whole cache lines. */
#define PIECE_ALIGNMENT 64

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return value / by + (value % by != 0);
}

static bool is_cut(const struct pipeline *pipeline, uint32_t port)
{
    return pipeline->ports[port].kind != TRM_PORT_SHARED;
}

/* Number of grains after which an offset is a multiple of `alignment`, a power of two. */
static uint64_t grains_aligned(uint64_t grain, uint64_t alignment)
{
    while (alignment > 1 && grain % 2 == 0) {
        grain /= 2;
        alignment /= 2;
    }
    return alignment > 1 ? alignment : 1;
}

static uint64_t grains_together(const struct pipeline *pipeline)
{
    uint64_t alignment = pipeline->device->limits.buffer_alignment, together = 1;

    if (alignment < PIECE_ALIGNMENT)
        alignment = PIECE_ALIGNMENT;
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        uint64_t aligned = is_cut(pipeline, i) ? grains_aligned(pipeline->ports[i].grain, alignment) : 1;
        together         = aligned > together ? aligned : together;
    }
    return together;
}

/* Grains of a whole token, and the bytes of the largest. */
static uint64_t count_grains(const struct pipeline *pipeline, uint64_t *largest)
{
    uint64_t grains = 0;

    *largest = 1;
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        const struct trm_port *port = &pipeline->ports[i];
        if (!is_cut(pipeline, i))
            continue;
        grains   = port->size / port->grain;
        *largest = port->grain > *largest ? port->grain : *largest;
    }
    return grains;
}

/* Where the backend itself runs kernels on the host's processors. A driver takes far longer for a launch,
 * even if it is software that shares their caches: lavapipe needs twice as long for 128 pieces of 16 MiB as
 * for all. */
static bool launches_cost_little(const struct pipeline *pipeline)
{
    uint64_t kind = 0;

    return core_device_info(pipeline->device, TRM_DEVICE_KIND, &kind, sizeof(kind), NULL) == TRM_OK &&
           kind == TRM_DEVICE_CPU;
}

/* Without copies the cache only helps between stages, so a single stage gains nothing. */
static bool helps(const struct pipeline *pipeline)
{
    const struct pipeline_device *engine = pipeline->engine;

    if (!(pipeline->desc.flags & TRM_PIPELINE_DIVISIBLE) || !engine->unified || engine->preferred_lanes != 0)
        return false;
    if (pipeline->desc.piece_bytes == 0 && !launches_cost_little(pipeline))
        return false;
    if (engine->zero_copy)
        return pipeline->desc.stage_count > 1 || pipeline->desc.piece_bytes != 0;
    return pipeline->desc.strategy != TRM_STRATEGY_ROLE_STREAMS;
}

void pipeline_pieces_choose(struct pipeline *pipeline)
{
    struct pipeline_pieces *pieces = &pipeline->engine->pieces;
    uint64_t largest, together, wanted = pipeline->desc.piece_bytes;

    *pieces = (struct pipeline_pieces){.count = 1};
    if (!helps(pipeline))
        return;
    uint64_t grains = count_grains(pipeline, &largest);
    together        = grains_together(pipeline);
    if (wanted == 0 && grains * largest <= WHOLE_BYTES)
        return;
    wanted         = (wanted != 0 ? wanted : PIECE_BYTES) / largest;
    wanted         = wanted < together ? together : wanted / together * together;
    uint64_t count = grains == 0 ? 1 : divide_up(grains, wanted);
    if (count <= 1 || count > UINT32_MAX)
        return;
    pieces->count  = (uint32_t)count;
    pieces->grains = wanted;
}

uint64_t pipeline_pieces_part(const struct pipeline_slot *slot, uint32_t *parts)
{
    const struct pipeline *pipeline      = slot->pipeline;
    const struct pipeline_device *engine = pipeline->engine;
    uint64_t leading  = engine->input_ports != 0 ? engine->input_ports : engine->output_ports;
    uint64_t together = grains_together(pipeline), grains = 1;

    for (; leading != 0; leading &= leading - 1) {
        uint32_t port  = (uint32_t)__builtin_ctzll(leading);
        uint64_t count = divide_up(slot->token.size[port], pipeline->ports[port].grain);
        grains         = count > grains ? count : grains;
    }
    uint64_t each = divide_up(divide_up(grains, *parts), together) * together;
    *parts        = (uint32_t)divide_up(grains, each);
    return each;
}

/* Without copies only what neither source nor sink nor a host stage sees: kernels leave it in the cache for
 * each other, and it stays there if the next piece uses the same memory. */
bool pipeline_piece_is_held(const struct pipeline *pipeline, uint32_t port)
{
    const struct pipeline_device *engine = pipeline->engine;

    if (engine->pieces.count == 1)
        return false;
    return !engine->zero_copy || (pipeline->ports[port].kind == TRM_PORT_SCRATCH &&
                                  !((engine->host_ports | engine->image_ports) & PIPELINE_BIT(port)));
}

uint64_t pipeline_piece_bytes(const struct pipeline *pipeline, uint32_t port)
{
    const struct pipeline_pieces *pieces = &pipeline->engine->pieces;

    if (pieces->count == 1 || !is_cut(pipeline, port))
        return pipeline->ports[port].size;
    return pieces->grains * pipeline->ports[port].grain;
}

/* Follows the fullest input, or the fullest output where there are no inputs. */
uint32_t pipeline_pieces_of(const struct pipeline_slot *slot)
{
    const struct pipeline *pipeline      = slot->pipeline;
    const struct pipeline_device *engine = pipeline->engine;
    uint64_t leading = engine->input_ports != 0 ? engine->input_ports : engine->output_ports;
    uint64_t most    = 1;

    if (engine->pieces.count == 1)
        return 1;
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        if (leading != 0 ? !(leading & PIPELINE_BIT(i)) : !is_cut(pipeline, i))
            continue;
        uint64_t count = divide_up(slot->token.size[i], pipeline_piece_bytes(pipeline, i));
        most           = count > most ? count : most;
    }
    return (uint32_t)most;
}
