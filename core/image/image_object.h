/* Images and samplers: the objects.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_IMAGE_IMAGE_OBJECT_H
#define CORE_IMAGE_IMAGE_OBJECT_H

#include <trireme/backend.h>
#include <trireme/image_layout.h>

#include "core/device/device.h"
#include "core/memory/memory.h"
#include "core/stream/stream.h"

/* An image is the backend's (`backend`), or plain memory (`buffer`). Plain memory is a buffer of the image's
 * own, as an array has one: the handle of the image ends it, and its in-flight set stands for the image. */
struct core_image {
    struct core_object object;
    struct core_device *device;
    struct trm_image_desc desc;    /* all sizes and the usage filled in */
    struct core_buffer *buffer;    /* a reference; NULL: the backend's image */
    struct trm_image_layout *plan; /* a copy of what is in the buffer; NULL: the backend's image */
    struct trm_backend_image *backend;
    struct core_in_flight in_flight; /* of the backend's image */
    struct core_deferred deferred;
};

struct core_sampler {
    struct core_object object;
    struct core_device *device;
    struct trm_sampler_desc desc;
    struct trm_backend_sampler *backend; /* NULL where the backend has no images */
    struct core_in_flight in_flight;
    struct core_deferred deferred;
};

static inline struct core_image *core_image_find(struct trm_image *handle)
{
    return core_object_find(handle, CORE_IMAGE);
}

static inline struct core_sampler *core_sampler_find(struct trm_sampler *handle)
{
    return core_object_find(handle, CORE_SAMPLER);
}

/* Has the backend images of its own? */
static inline bool core_images_are_native(const struct core_device *device)
{
    return device->backend->image.create != NULL;
}

/* What work on the image is added to. */
static inline struct core_in_flight *core_image_in_flight(struct core_image *image)
{
    return image->buffer != NULL ? &image->buffer->in_flight : &image->in_flight;
}

/* The size of a level in texels. */
static inline uint32_t core_level_size(uint32_t size, uint32_t level)
{
    return size >> level != 0 ? size >> level : 1;
}

#endif
