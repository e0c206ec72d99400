/* Ports that are images.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/port_image.h"

#include <inttypes.h>

#include "core/image/image.h"
#include "core/memory/memory.h"

/* ---- the descriptor -------------------------------------------------------------------------- */

int32_t pipeline_port_images_create(struct pipeline *pipeline)
{
    struct pipeline_device *engine = pipeline->engine;

    engine->images =
        core_allocate(pipeline->object.context, pipeline->desc.port_count * sizeof(*engine->images));
    return engine->images != NULL ? TRM_OK : base_fail_memory("making a pipeline");
}

/* Bytes of level 0 on the host, and of all levels on the device. */
static int32_t measure(const struct pipeline *pipeline, struct pipeline_port_image *image, uint64_t *size)
{
    const struct core_device *device = pipeline->device;
    const struct trm_image_level *first;
    struct trm_image_layout plan;

    if (!core_image_plan(&image->desc, &plan, &image->bytes) ||
        image->bytes > device->limits.max_buffer_bytes)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "an image of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " texels of %s in %" PRIu32
                         " layers; device %s has at most %" PRIu64 " bytes an image",
                         image->desc.width, image->desc.height, image->desc.depth,
                         trm_format_name(image->desc.format), image->desc.layers, device->id,
                         device->limits.max_buffer_bytes);
    first         = &plan.level[0];
    image->offset = first->offset;
    *size         = first->slice_pitch * first->depth * image->desc.layers;
    return TRM_OK;
}

static int32_t hold_shared(struct pipeline *pipeline, struct trm_port *port, struct trm_image_desc *desc)
{
    int32_t status = pipeline_holds_add(pipeline, CORE_IMAGE, port->image, &port->image);
    if (status != TRM_OK)
        return status;
    const struct core_image *image = core_image_find(port->image);
    if (image == NULL)
        return base_last_status();
    if (image->device != pipeline->device)
        return base_fail(TRM_ERROR_WRONG_DEVICE,
                         "the image belongs to another device (%s) than the pipeline (%s)", image->device->id,
                         pipeline->device->id);
    *desc = image->desc;
    return TRM_OK;
}

int32_t pipeline_port_image_copy(struct pipeline *pipeline, uint32_t port)
{
    struct pipeline_device *engine    = pipeline->engine;
    struct trm_port *described        = &pipeline->ports[port];
    struct pipeline_port_image *image = &engine->images[port];
    int32_t status;

    image->desc.struct_size = sizeof(image->desc);
    if (described->kind == TRM_PORT_SHARED)
        status = hold_shared(pipeline, described, &image->desc);
    else
        status = core_image_desc_complete(pipeline->device, described->image_desc, &image->desc);
    if (status != TRM_OK)
        return status;
    if (described->kind != TRM_PORT_SHARED)
        described->image_desc = &image->desc;
    engine->image_ports |= PIPELINE_BIT(port);
    if (core_images_are_native(pipeline->device))
        engine->native_ports |= PIPELINE_BIT(port);
    return measure(pipeline, image, &described->size);
}

/* ---- the image of a slot --------------------------------------------------------------------- */

int32_t pipeline_port_image_make(struct pipeline_slot *slot, uint32_t port, bool is_common)
{
    const struct pipeline_device *engine = slot->pipeline->engine;
    struct pipeline_slot_device *own     = slot->device;
    struct core_image *image;

    int32_t status = core_image_create(slot->pipeline->device, &engine->images[port].desc, &image);
    if (status != TRM_OK)
        return status;
    own->images[port] = core_object_publish(&image->object);
    if (image->buffer == NULL)
        return TRM_OK;
    own->device[port] = core_image_span(image).buffer;
    if (is_common && (engine->host_ports & PIPELINE_BIT(port)))
        own->memory[port] = image->buffer->host + engine->images[port].offset;
    return TRM_OK;
}

struct trm_image *pipeline_port_image(const struct pipeline_slot *slot, uint32_t port)
{
    const struct trm_port *described = &slot->pipeline->ports[port];

    return described->kind == TRM_PORT_SHARED ? described->image : slot->device->images[port];
}

struct trm_image *pipeline_port_native_image(const struct pipeline_slot *slot, uint32_t port)
{
    return slot->pipeline->engine->native_ports & PIPELINE_BIT(port) ? slot->device->images[port] : NULL;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* The sampler that a parameter needs. */
static int32_t hold_sampler(struct pipeline *pipeline, const struct trm_parameter *parameter,
                            struct trm_argument *argument, const struct core_sampler **sampler)
{
    struct trm_sampler **given = &argument->value.port_image.sampler;

    *sampler = NULL;
    if (parameter->kind != TRM_PARAMETER_SAMPLED_IMAGE) {
        if (*given == NULL)
            return TRM_OK;
        return base_fail(TRM_ERROR_TYPE_MISMATCH, "the kernel takes this image without a sampler");
    }
    if (*given == NULL)
        return base_fail(TRM_ERROR_TYPE_MISMATCH,
                         "the kernel takes this image with a sampler (trm_arg_port_sampled())");
    int32_t status = pipeline_holds_add(pipeline, CORE_SAMPLER, *given, given);
    if (status != TRM_OK)
        return status;
    *sampler = core_sampler_find(*given);
    if (*sampler == NULL)
        return base_last_status();
    if ((*sampler)->device != pipeline->device)
        return base_fail(TRM_ERROR_WRONG_DEVICE,
                         "the sampler belongs to another device (%s) than the pipeline (%s)",
                         (*sampler)->device->id, pipeline->device->id);
    return TRM_OK;
}

int32_t pipeline_port_image_check(struct pipeline *pipeline, const struct trm_parameter *parameter,
                                  struct trm_argument *argument)
{
    const uint64_t port       = argument->value.port_image.index;
    struct trm_argument given = {.kind = parameter->kind};
    const struct core_sampler *sampler;

    if (argument->kind == TRM_ARGUMENT_PORT)
        *argument = (struct trm_argument){.kind = TRM_ARGUMENT_PORT_IMAGE, .value.port_image.index = port};
    given.value.image.level = argument->value.port_image.level;
    int32_t status          = hold_sampler(pipeline, parameter, argument, &sampler);
    return status == TRM_OK
               ? core_image_check(parameter, &given, &pipeline->engine->images[port].desc, sampler)
               : status;
}
