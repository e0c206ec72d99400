/* Images and samplers: the objects.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_IMAGE_IMAGE_OBJECT_H
#define CORE_IMAGE_IMAGE_OBJECT_H

#include <stdatomic.h>
#include <trireme/backend.h>
#include <trireme/image_layout.h>

#include "core/device/device.h"
#include "core/memory/memory.h"
#include "core/stream/stream.h"

/* An image is the backend's (`backend`), or plain memory (`buffer`). Plain memory is a buffer of the image's
 * own, as an array has one: the handle of the image ends it, and its in-flight set stands for the image. The
 * texels may be elsewhere, in a buffer of the program's that the image owns too (image_over.c). */
struct core_image {
    struct core_object object;
    struct core_device *device;
    struct trm_image_desc desc;    /* all sizes and the usage filled in */
    struct core_buffer *buffer;    /* a reference; NULL: the backend's image */
    struct core_buffer *texels;    /* a reference to the program's; NULL: the texels are in `buffer` */
    uint64_t texel_offset;         /* in `texels` */
    struct trm_image_layout *plan; /* a copy of what is in the buffer; NULL: the backend's image */
    struct trm_backend_image *backend;
    bool is_adopted; /* the backend's, of one of the application's */
    /* Builds its mip levels; the module room sets it, and the image ends it. NULL until it is needed. */
    _Atomic(struct trm_kernel *) mip_kernel;
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

/* Creates an image of a complete description (core_image_desc_complete()). The caller publishes it. */
int32_t core_image_create(struct core_device *device, const struct trm_image_desc *desc,
                          struct core_image **image);
/* The same; `make` gives the image what is the backend's. */
int32_t core_image_create_by(struct core_device *device, const struct trm_image_desc *desc,
                             int32_t (*make)(void *user, struct core_image *image), void *user,
                             struct core_image **image);

/* Gives the image a buffer of its own, which is published. */
void core_image_own_buffer(struct core_image *image, struct core_buffer *buffer);

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

/* An image of plain memory: the buffer of its texels, and where a level begins there. */
static inline struct core_buffer *core_image_texels(const struct core_image *image)
{
    return image->texels != NULL ? image->texels : image->buffer;
}

static inline uint64_t core_image_level_offset(const struct core_image *image, uint32_t level)
{
    return image->texels != NULL ? image->texel_offset : image->plan->level[level].offset;
}

/* Level 0 of an image of plain memory with its texels in `buffer`, whose texels follow each other without
 * gaps. */
static inline struct trm_span core_image_span(const struct core_image *image)
{
    const struct trm_image_level *level = &image->plan->level[0];

    return (struct trm_span){
        .buffer = image->buffer->object.handle,
        .offset = level->offset,
        .length = level->slice_pitch * level->depth * image->desc.layers,
    };
}

/* The size of a level in texels. */
static inline uint32_t core_level_size(uint32_t size, uint32_t level)
{
    return size >> level != 0 ? size >> level : 1;
}

#endif
