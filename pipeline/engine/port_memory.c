/* Finds where the ports of a token are on the host and on the device: usually in the slot's own memory. A
 * source may leave its input elsewhere, and a memory sink takes its output elsewhere. Copies then go there
 * directly; without copies, kernels work there in place if the run imported the memory.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/memory/memory.h"
#include "pipeline/engine/port_image.h"

/* ---- regions -------------------------------------------------------------------------------- */

/* A unified device whose tokens are copied copies from any memory equally well. */
static bool region_helps(const struct pipeline_device *engine)
{
    return engine->zero_copy || !engine->unified;
}

static void region_begin(struct pipeline *pipeline, struct pipeline_region *region, const void *memory,
                         uint64_t size)
{
    struct trm_buffer_desc desc = {
        .struct_size  = sizeof(desc),
        .kind         = TRM_MEMORY_IMPORTED,
        .size         = size,
        .host_pointer = (void *)memory,
    };
    struct core_buffer *buffer;

    if (memory == NULL || size == 0 || !region_helps(pipeline->engine))
        return;
    region->memory = memory;
    region->size   = size;
    if (core_buffer_create_checked(pipeline->device, &desc, &buffer) == TRM_OK)
        region->buffer = core_object_publish(&buffer->object);
}

/* An import that fails is not a failure of the run, so the last error is restored. */
void pipeline_regions_begin(struct pipeline *pipeline, const struct trm_source *source,
                            const struct trm_sink *sink)
{
    struct pipeline_region *regions = pipeline->engine->regions;
    struct base_saved_error saved;

    base_error_save(&saved);
    pipeline_regions_end(pipeline);
    region_begin(pipeline, &regions[PIPELINE_REGION_SOURCE], source->memory, source->memory_size);
    region_begin(pipeline, &regions[PIPELINE_REGION_SINK], sink->memory, sink->memory_size);
    base_error_restore(&saved);
}

void pipeline_regions_end(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < PIPELINE_REGIONS; i++) {
        trm_buffer_destroy(pipeline->engine->regions[i].buffer);
        pipeline->engine->regions[i] = (struct pipeline_region){.memory = NULL};
    }
}

struct trm_buffer *pipeline_region_find(const struct pipeline *pipeline, enum pipeline_region_use use,
                                        const void *memory, uint64_t size, uint64_t *offset)
{
    const struct pipeline_region *region = &pipeline->engine->regions[use];
    uintptr_t begin = (uintptr_t)region->memory, at = (uintptr_t)memory;

    if (region->buffer == NULL || at < begin || at - begin > region->size ||
        size > region->size - (at - begin))
        return NULL;
    *offset = at - begin;
    return region->buffer;
}

/* ---- ports ---------------------------------------------------------------------------------- */

/* The alignment that malloc() guarantees and kernels rely on. */
#define NATURAL_ALIGNMENT 16

/* Kernels work in a region if the offset is aligned and they cannot write the source's memory. */
static bool works_in_place(const struct pipeline *pipeline, uint32_t port, enum pipeline_region_use use,
                           const void *memory, uint64_t offset)
{
    const struct pipeline_device *engine = pipeline->engine;
    uint64_t alignment                   = pipeline->device->limits.buffer_alignment;

    if ((alignment > 1 && offset % alignment != 0) || (uintptr_t)memory % NATURAL_ALIGNMENT != 0)
        return false;
    return use == PIPELINE_REGION_SINK ||
           !((engine->kernel_writes | engine->host_writes) & PIPELINE_BIT(port));
}

/* An image is copied between a span that begins at a whole texel, or any address. */
static void use_image(struct pipeline_slot *slot, uint32_t port)
{
    struct pipeline_port_memory *location = &slot->device->port_memory[port];
    int32_t format                        = slot->pipeline->engine->images[port].desc.format;

    if (location->host_offset % trm_format_size(format) != 0)
        location->host = NULL;
}

/* Sets a host side that is not the slot's own memory. */
static void use_foreign_memory(struct pipeline_slot *slot, uint32_t port, enum pipeline_region_use use,
                               void *memory)
{
    const struct pipeline *pipeline       = slot->pipeline;
    struct pipeline_port_memory *location = &slot->device->port_memory[port];
    uint64_t offset                       = 0;

    struct trm_buffer *region = pipeline_region_find(pipeline, use, memory, slot->token.size[port], &offset);
    location->host            = region;
    location->host_offset     = offset;
    location->memory          = memory;
    location->is_copied       = true;
    if (pipeline_port_is_image(pipeline->engine, port))
        return use_image(slot, port);
    if (region == NULL || !pipeline->engine->zero_copy ||
        !works_in_place(pipeline, port, use, memory, offset))
        return;
    location->device        = region;
    location->device_offset = offset;
    location->is_copied     = false;
}

static void use_slot_memory(struct pipeline_slot *slot, uint32_t port)
{
    const struct pipeline_device *engine   = slot->pipeline->engine;
    const struct pipeline_slot_device *own = slot->device;
    struct pipeline_port_memory *location  = &own->port_memory[port];

    *location = (struct pipeline_port_memory){
        .image              = pipeline_port_native_image(slot, port),
        .device             = own->device[port],
        .device_offset      = pipeline_port_device_offset(slot->pipeline, port),
        .host               = own->host[port],
        .memory             = own->memory[port],
        .is_whole_on_device = !pipeline_piece_is_held(slot->pipeline, port),
    };
    if (engine->shared_ports & PIPELINE_BIT(port)) {
        if (!pipeline_port_is_image(engine, port))
            location->device = slot->pipeline->ports[port].buffer;
        location->is_whole_on_device = false;
    }
    if (((engine->input_ports | engine->output_ports) & PIPELINE_BIT(port)) == 0)
        return;
    /* Without copies on a device of its own memory, kernels reach imported host memory over the bus, but not
     * plain memory. */
    location->is_copied =
        pipeline_port_has_two_sides(engine, port) || (!engine->unified && own->host[port] == NULL);
    if (!location->is_copied && !engine->unified)
        location->device = own->host[port];
}

static int32_t check_input(const struct pipeline_slot *slot, uint32_t port)
{
    char text[PIPELINE_LABEL_BYTES];

    if (slot->token.data[port] != NULL || slot->token.size[port] == 0)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "load: the data of %s is NULL",
                     pipeline_port_label(slot->pipeline->ports, port, text));
}

/* Resident graphs reach imported and pinned memory alone, but where the device is the host's processors. So
 * the host copies what a source has in other memory into the slot's own. */
static bool copies_on_host(const struct pipeline_slot *slot, uint32_t port)
{
    const struct pipeline *pipeline = slot->pipeline;
    bool is_reached                 = slot->device->host[port] != NULL || pipeline->engine->unified;
    uint64_t offset;

    return pipeline->engine->strategy == &pipeline_strategy_resident && pipeline->device->limits.mapped &&
           is_reached &&
           pipeline_region_find(pipeline, PIPELINE_REGION_SOURCE, slot->token.data[port],
                                slot->token.size[port], &offset) == NULL;
}

static int32_t use_source_memory(struct pipeline_slot *slot, uint32_t port)
{
    int32_t status = check_input(slot, port);

    if (status == TRM_OK && slot->token.size[port] != 0 && copies_on_host(slot, port))
        memcpy(slot->device->memory[port], slot->token.data[port], slot->token.size[port]);
    else
        use_foreign_memory(slot, port, PIPELINE_REGION_SOURCE, slot->token.data[port]);
    return status;
}

int32_t pipeline_port_memory_set(struct pipeline_slot *slot, void *output)
{
    const struct pipeline *pipeline        = slot->pipeline;
    const struct pipeline_device *engine   = pipeline->engine;
    const struct pipeline_slot_device *own = slot->device;
    int32_t status                         = TRM_OK;

    for (uint32_t i = 0; status == TRM_OK && i < pipeline->desc.port_count; i++) {
        use_slot_memory(slot, i);
        if ((engine->input_ports & PIPELINE_BIT(i)) && slot->token.data[i] != own->memory[i])
            status = use_source_memory(slot, i);
        if ((engine->output_ports & PIPELINE_BIT(i)) && output != NULL) {
            use_foreign_memory(slot, i, PIPELINE_REGION_SINK, output);
            slot->token.data[i] = output;
        }
    }
    return status;
}
