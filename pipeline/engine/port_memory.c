/* Pipelines: where the ports of a token are, on the host and on the device.
 *
 * Mostly that is the slot's own memory. A source may have put its inputs elsewhere, and a sink may want its output in its
 * own memory: then what is copied goes there directly, or, where host and device share memory and the run made the region
 * reachable, kernels work on it in place.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "pipeline/engine/engine_internal.h"

/* ---- regions --------------------------------------------------------------------------------- */

/* On a unified device whose tokens are copied, plain memory is as good as any. */
static int region_helps(const struct core_pipeline_device *engine)
{
    return engine->zero_copy || !engine->unified;
}

static void region_begin(struct core_pipeline *pipeline, struct core_region *region, const void *memory,
                         uint64_t size)
{
    struct trm_buffer_desc desc = {
        .struct_size  = sizeof(desc),
        .kind         = TRM_MEMORY_IMPORTED,
        .size         = size,
        .host_pointer = (void *)memory,
    };

    if (memory == NULL || size == 0 || !region_helps(pipeline->engine))
        return;
    region->memory = memory;
    region->size   = size;
    if (trm_buffer_create_from(pipeline->engine->device, &desc, &region->buffer) != TRM_OK)
        region->buffer = NULL;
}

/* That a region cannot be reached is no failure, so it leaves no trace. */
void core_regions_begin(struct core_pipeline *pipeline, const struct trm_source *source,
                        const struct trm_sink *sink)
{
    struct core_region *regions = pipeline->engine->regions;
    struct base_saved_error saved;

    base_error_save(&saved);
    core_regions_end(pipeline);
    region_begin(pipeline, &regions[CORE_REGION_SOURCE], source->memory, source->memory_size);
    region_begin(pipeline, &regions[CORE_REGION_SINK], sink->memory, sink->memory_size);
    base_error_restore(&saved);
}

void core_regions_end(struct core_pipeline *pipeline)
{
    for (uint32_t i = 0; i < CORE_REGIONS; i++) {
        trm_buffer_destroy(pipeline->engine->regions[i].buffer);
        pipeline->engine->regions[i] = (struct core_region){.memory = NULL};
    }
}

struct trm_buffer *core_region_find(const struct core_pipeline *pipeline, enum core_region_use use,
                                    const void *memory, uint64_t size, uint64_t *offset)
{
    const struct core_region *region = &pipeline->engine->regions[use];
    uintptr_t begin = (uintptr_t)region->memory, at = (uintptr_t)memory;

    if (region->buffer == NULL || at < begin || at - begin > region->size ||
        size > region->size - (at - begin))
        return NULL;
    *offset = at - begin;
    return region->buffer;
}

/* ---- ports ----------------------------------------------------------------------------------- */

/* What kernels may count on, as they may of memory that malloc() gives. */
#define NATURAL_ALIGNMENT 16

/* Kernels may work in a region where spans may begin there, and unless they could write what is only to be read. */
static int works_in_place(const struct core_pipeline *pipeline, uint32_t port, enum core_region_use use,
                          const void *memory, uint64_t offset)
{
    const struct core_pipeline_device *engine = pipeline->engine;
    uint64_t alignment                        = pipeline->device->limits.buffer_alignment;

    if ((alignment > 1 && offset % alignment != 0) || (uintptr_t)memory % NATURAL_ALIGNMENT != 0)
        return 0;
    return use == CORE_REGION_SINK || !((engine->kernel_writes | engine->host_writes) & CORE_BIT(port));
}

/* The host's side is not the slot's own memory. */
static void place_elsewhere(struct core_slot *slot, uint32_t port, enum core_region_use use, void *memory)
{
    const struct core_pipeline *pipeline = slot->pipeline;
    struct core_port_place *place        = &slot->device->places[port];
    uint64_t offset                      = 0;

    struct trm_buffer *region = core_region_find(pipeline, use, memory, slot->token.size[port], &offset);
    place->host               = region;
    place->host_offset        = offset;
    place->memory             = memory;
    place->travels            = 1;
    if (region == NULL || !pipeline->engine->zero_copy ||
        !works_in_place(pipeline, port, use, memory, offset))
        return;
    place->device        = region;
    place->device_offset = offset;
    place->travels       = 0;
}

static void place_own(struct core_slot *slot, uint32_t port)
{
    const struct core_pipeline_device *engine = slot->pipeline->engine;
    const struct core_slot_device *own        = slot->device;
    struct core_port_place *place             = &own->places[port];

    *place = (struct core_port_place){
        .device = own->device[port],
        .host   = own->host[port],
        .memory = own->memory[port],
        .moves  = !engine->pieces.small,
    };
    if (engine->shared_ports & CORE_BIT(port)) {
        place->device = slot->pipeline->ports[port].buffer;
        place->moves  = 0;
    }
    if (((engine->input_ports | engine->output_ports) & CORE_BIT(port)) == 0)
        return;
    /* Over the bus, where memory is not one; but not in plain memory, which the device does not reach. */
    if (engine->zero_copy && !engine->unified && own->host[port] != NULL)
        place->device = own->host[port];
    place->travels = !engine->zero_copy || (!engine->unified && own->host[port] == NULL);
}

static int32_t check_input(const struct core_slot *slot, uint32_t port)
{
    char text[CORE_LABEL_BYTES];

    if (slot->token.data[port] != NULL || slot->token.size[port] == 0)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "load: %s of the token is at no place (NULL)",
                     core_port_label(slot->pipeline->ports, port, text));
}

int32_t core_places_set(struct core_slot *slot, void *output)
{
    const struct core_pipeline *pipeline      = slot->pipeline;
    const struct core_pipeline_device *engine = pipeline->engine;
    const struct core_slot_device *own        = slot->device;
    int32_t status                            = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < pipeline->desc.port_count; i++) {
        place_own(slot, i);
        if ((engine->input_ports & CORE_BIT(i)) && slot->token.data[i] != own->memory[i]) {
            status = check_input(slot, i);
            place_elsewhere(slot, i, CORE_REGION_SOURCE, slot->token.data[i]);
        }
        if ((engine->output_ports & CORE_BIT(i)) && output != NULL) {
            place_elsewhere(slot, i, CORE_REGION_SINK, output);
            slot->token.data[i] = output;
        }
    }
    return status;
}
