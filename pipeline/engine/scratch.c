/* Scratch ports of a slot share memory where their lives do not overlap.
 *
 * A port lives while stages that name it run. A stage may reuse the memory of a port when it runs after all
 * stages that name that port; stages of branches without an order may run at once, so their ports do not
 * share. The ports get places in one buffer of the slot, the largest first: each at the lowest offset where
 * no port that lives at the same time is. (Greedy by size: Y. Pisarchyk and J. Lee, "Efficient memory
 * management for deep neural net inference", 2020.)
 *
 * Ports keep memory of their own if a host stage names them, if they are images, or if tokens are cut in
 * pieces, whose stages overlap.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/port_image.h"

#define ALIGNMENT_LEAST 256u /* of a port: enough for vector loads and for neighbours' cache lines */

struct life {
    uint32_t port;
    uint64_t stages; /* that name it */
    uint64_t size, offset;
};

/* Where the stages run in the order of `places`, or NULL: as they do. False: no stage names the port. */
static bool find_life(const struct pipeline *pipeline, const uint32_t *places, uint32_t port,
                      struct life *life)
{
    life->port   = port;
    life->stages = 0;
    for (uint32_t i = 0; i < pipeline->desc.stage_count; i++) {
        const struct pipeline_stage_plan *plan = &pipeline->engine->plans[places != NULL ? places[i] : i];
        if ((plan->reads | plan->writes) & PIPELINE_BIT(port))
            life->stages |= PIPELINE_BIT(i);
    }
    return life->stages != 0;
}

static bool can_share(const struct pipeline *pipeline, uint32_t port)
{
    const struct pipeline_device *engine = pipeline->engine;

    return pipeline->ports[port].kind == TRM_PORT_SCRATCH && !pipeline_port_is_image(engine, port) &&
           !(engine->host_ports & PIPELINE_BIT(port));
}

/* Lists the ports that can share, the largest first. Sizes are rounded up to the alignment. */
static uint32_t list_lives(const struct pipeline *pipeline, const uint32_t *places,
                           struct life lives[PIPELINE_PORTS_MOST])
{
    uint64_t alignment = pipeline->device->limits.buffer_alignment;
    uint32_t count     = 0;

    alignment = alignment > ALIGNMENT_LEAST ? alignment : ALIGNMENT_LEAST;
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        struct life life;
        uint32_t at = count;
        if (!can_share(pipeline, i) || !find_life(pipeline, places, i, &life) ||
            __builtin_add_overflow(pipeline->ports[i].size, alignment - 1, &life.size))
            continue;
        life.size -= life.size % alignment;
        for (; at > 0 && lives[at - 1].size < life.size; at--)
            lives[at] = lives[at - 1];
        lives[at] = life;
        count++;
    }
    return count;
}

/* Whether every stage of `later` runs after every stage of `earlier`. */
static bool is_after(const struct pipeline *pipeline, const struct life *later, const struct life *earlier)
{
    for (uint64_t rest = later->stages; rest != 0; rest &= rest - 1)
        if (earlier->stages & ~pipeline->engine->plans[__builtin_ctzll(rest)].before)
            return false;
    return true;
}

static bool is_at_once(const struct pipeline *pipeline, const struct life *one, const struct life *other)
{
    return !is_after(pipeline, one, other) && !is_after(pipeline, other, one);
}

/* The lowest offset at which lives[index] meets none of those before it. */
static uint64_t find_offset(const struct pipeline *pipeline, const struct life *lives, uint32_t index)
{
    const struct life *own = &lives[index];
    uint64_t offset        = 0;

    for (uint32_t i = 0; i < index; i++) {
        const struct life *other = &lives[i];
        if (!is_at_once(pipeline, own, other) || offset >= other->offset + other->size ||
            other->offset >= offset + own->size)
            continue;
        offset = other->offset + other->size;
        i      = UINT32_MAX; /* look at all again */
    }
    return offset;
}

/* Gives each port its place, and returns the bytes of all. 0: as one buffer the ports would be too large for
 * the device. sum: of the ports' sizes. */
static uint64_t find_places(const struct pipeline *pipeline, struct life *lives, uint32_t count,
                            uint64_t *sum)
{
    uint64_t bytes = 0;

    *sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t end;
        lives[i].offset = find_offset(pipeline, lives, i);
        if (__builtin_add_overflow(lives[i].offset, lives[i].size, &end) ||
            __builtin_add_overflow(*sum, lives[i].size, sum))
            return 0;
        bytes = end > bytes ? end : bytes;
    }
    return bytes <= pipeline->device->limits.max_buffer_bytes ? bytes : 0;
}

uint64_t pipeline_scratch_places(const struct pipeline *pipeline, const uint32_t *places,
                                 uint64_t offsets[PIPELINE_PORTS_MOST])
{
    struct life lives[PIPELINE_PORTS_MOST];
    uint64_t sum;

    uint32_t count = list_lives(pipeline, places, lives);
    uint64_t bytes = find_places(pipeline, lives, count, &sum);
    for (uint32_t i = 0; i < count; i++)
        offsets[lives[i].port] = lives[i].offset;
    return bytes;
}

int32_t pipeline_scratch_plan(struct pipeline *pipeline)
{
    struct pipeline_scratch *scratch = &pipeline->engine->scratch;
    struct life lives[PIPELINE_PORTS_MOST];
    uint64_t sum;

    if (pipeline->engine->pieces.count > 1)
        return TRM_OK;
    uint32_t count = list_lives(pipeline, NULL, lives);
    uint64_t bytes = find_places(pipeline, lives, count, &sum);
    if (bytes == 0 || bytes == sum)
        return TRM_OK;
    scratch->offsets = core_allocate(pipeline->object.context, pipeline->desc.port_count * sizeof(uint64_t));
    if (scratch->offsets == NULL)
        return base_fail_memory("making a pipeline");
    for (uint32_t i = 0; i < count; i++) {
        scratch->offsets[lives[i].port] = lives[i].offset;
        scratch->ports |= PIPELINE_BIT(lives[i].port);
    }
    scratch->bytes = bytes;
    return TRM_OK;
}

void pipeline_scratch_fini(struct pipeline *pipeline)
{
    struct pipeline_scratch *scratch = &pipeline->engine->scratch;

    core_free(pipeline->object.context, scratch->offsets, pipeline->desc.port_count * sizeof(uint64_t));
    scratch->offsets = NULL;
}
