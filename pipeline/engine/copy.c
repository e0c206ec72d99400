/* Copies between the two sides of a port.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/copy.h"

#include <trireme/image.h>
#include <trireme/transfer.h>

#include "core/image/image.h"
#include "pipeline/engine/port_image.h"

static void set_host(struct pipeline_copy *copy, struct trm_buffer *buffer, uint64_t offset,
                     unsigned char *memory, uint64_t length)
{
    if (buffer != NULL)
        copy->host = trm_span_of(buffer, offset, length);
    else
        copy->memory = memory;
}

struct pipeline_copy pipeline_copy_of(const struct pipeline_port_memory *location)
{
    struct pipeline_copy copy = {
        .image  = location->image,
        .device = trm_span_of(location->device,
                              location->device_offset + (location->is_whole_on_device ? location->offset : 0),
                              location->length),
    };

    set_host(&copy, location->host, location->host_offset + location->offset,
             location->memory + location->offset, location->length);
    return copy;
}

struct pipeline_copy pipeline_copy_of_slot(const struct pipeline_slot *slot, uint32_t port)
{
    const struct pipeline_slot_device *own = slot->device;
    const uint64_t length                  = slot->token.size[port];
    struct pipeline_copy copy              = {
                     .image  = pipeline_port_native_image(slot, port),
                     .device = trm_span_of(own->device[port], pipeline_port_device_offset(slot->pipeline, port), length),
    };

    set_host(&copy, own->host[port], 0, own->memory[port], length);
    return copy;
}

/* The texels of a copy between a buffer and an image begin at a whole texel of the buffer. */
static int32_t copy_image(struct trm_stream *stream, bool is_upload, const struct pipeline_copy *copy)
{
    if (copy->device.length == 0)
        return TRM_OK;
    if (copy->host.buffer != NULL)
        return is_upload ? trm_image_from_buffer(stream, copy->image, NULL, copy->host, 0, 0)
                         : trm_image_to_buffer(stream, copy->host, copy->image, NULL, 0, 0);
    return is_upload ? trm_image_upload(stream, copy->image, NULL, copy->memory, 0, 0)
                     : trm_image_download(stream, copy->memory, copy->image, NULL, 0, 0);
}

int32_t pipeline_copy_enqueue(struct trm_stream *stream, bool is_upload, const struct pipeline_copy *copy)
{
    if (copy->image != NULL)
        return copy_image(stream, is_upload, copy);
    if (copy->host.buffer == NULL)
        return is_upload ? trm_upload(stream, copy->device, copy->memory)
                         : trm_download(stream, copy->memory, copy->device);
    return is_upload ? trm_copy(stream, copy->device, copy->host)
                     : trm_copy(stream, copy->host, copy->device);
}

static bool is_same_span(const struct trm_span *a, const struct trm_span *b)
{
    return a->buffer == b->buffer && a->offset == b->offset && a->length == b->length;
}

bool pipeline_copy_is_same(const struct pipeline_copy *a, const struct pipeline_copy *b)
{
    return a->image == b->image && is_same_span(&a->device, &b->device) && is_same_span(&a->host, &b->host) &&
           a->memory == b->memory;
}
