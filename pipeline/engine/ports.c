/* Copies ports.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/memory/memory.h"
#include "pipeline/engine/port_image.h"

int32_t pipeline_check_buffer(const struct core_device *device, const char *place,
                              const struct core_buffer *buffer)
{
    if (buffer->device == device)
        return TRM_OK;
    return base_fail(TRM_ERROR_WRONG_DEVICE, "the buffer belongs to another device (%s) than %s (%s)",
                     buffer->device->id, place, device->id);
}

/* Holds a shared port's buffer, which must belong to the pipeline's device. */
static int32_t hold_shared(struct pipeline *pipeline, struct trm_port *port)
{
    int32_t status = pipeline_holds_add(pipeline, CORE_BUFFER, port->buffer, &port->buffer);
    if (status != TRM_OK)
        return status;
    const struct core_buffer *buffer = core_buffer_find(port->buffer);
    if (buffer == NULL)
        return base_last_status();
    port->size = buffer->size;
    return pipeline_check_buffer(pipeline->device, "the pipeline", buffer);
}

static int32_t copy_port(struct pipeline *pipeline, const struct trm_port *ports, uint32_t index)
{
    struct trm_port *port = &pipeline->ports[index];
    const char *name      = ports[index].name;
    int32_t status        = TRM_OK;
    char text[PIPELINE_LABEL_BYTES];

    *port      = ports[index];
    port->name = NULL;
    if (port->flags & TRM_PORT_IMAGE)
        status = pipeline_port_image_copy(pipeline, index);
    else if (port->kind == TRM_PORT_SHARED)
        status = hold_shared(pipeline, port);
    if (status != TRM_OK)
        return base_fail(status, "%s: %s", pipeline_port_label(ports, index, text),
                         trm_last_error().sentence);
    if (name != NULL) {
        port->name = core_copy_text(pipeline->object.context, name);
        if (port->name == NULL)
            return base_fail_memory("making a pipeline");
    }
    return TRM_OK;
}

static void sort_port(struct pipeline_device *engine, const struct trm_port *port, uint32_t index)
{
    if (port->kind == TRM_PORT_INPUT)
        engine->input_ports |= PIPELINE_BIT(index);
    else if (port->kind == TRM_PORT_OUTPUT)
        engine->output_ports |= PIPELINE_BIT(index);
    else if (port->kind == TRM_PORT_SHARED)
        engine->shared_ports |= PIPELINE_BIT(index);
}

/* In a divisible pipeline grain i of a port belongs to grain i of the others, so ports follow the first
 * input. */
static void follow_first_input(struct pipeline *pipeline)
{
    uint32_t input = 0;

    while (input < pipeline->desc.port_count && pipeline->ports[input].kind != TRM_PORT_INPUT)
        input++;
    if (!(pipeline->desc.flags & TRM_PIPELINE_DIVISIBLE) || input == pipeline->desc.port_count)
        return;
    for (uint32_t i = 0; i < pipeline->desc.port_count; i++) {
        struct trm_port *port = &pipeline->ports[i];
        if ((port->kind == TRM_PORT_OUTPUT || port->kind == TRM_PORT_SCRATCH) && port->follows == 0)
            port->follows = 1 + input;
    }
}

int32_t pipeline_ports_copy(struct pipeline *pipeline, const struct trm_pipeline_desc *desc)
{
    int32_t status               = TRM_OK;
    uint32_t count               = desc->port_count;
    const struct trm_port *ports = desc->ports;

    pipeline->desc.ports      = NULL;
    pipeline->desc.port_count = 0;
    pipeline->ports           = core_allocate(pipeline->object.context, count * sizeof(*pipeline->ports));
    if (pipeline->ports == NULL)
        return base_fail_memory("making a pipeline");
    pipeline->desc.ports      = pipeline->ports;
    pipeline->desc.port_count = count;
    status                    = pipeline_port_images_create(pipeline);
    for (uint32_t i = 0; status == TRM_OK && i < count; i++) {
        status = copy_port(pipeline, ports, i);
        sort_port(pipeline->engine, &pipeline->ports[i], i);
    }
    if (status == TRM_OK)
        follow_first_input(pipeline);
    return status;
}

void pipeline_ports_fini(struct pipeline *pipeline)
{
    struct core_context *context = pipeline->object.context;

    for (uint32_t i = 0; pipeline->ports != NULL && i < pipeline->desc.port_count; i++) {
        struct trm_port *port = &pipeline->ports[i];
        if (port->name != NULL)
            core_free(context, (void *)port->name, strlen(port->name) + 1);
    }
    core_free(context, pipeline->engine->images,
              pipeline->desc.port_count * sizeof(*pipeline->engine->images));
    pipeline->engine->images = NULL;
    core_free(context, pipeline->ports, pipeline->desc.port_count * sizeof(*pipeline->ports));
    pipeline->ports = NULL;
}
