/* vulkan backend: the image room: images, their views and samplers.
 *
 *     image.c    creating images, and their memory
 *     adopt.c    images of the application's
 *     view.c     views of levels, made when they are first needed and kept with the image
 *     layout.c   the one change of an image's layout
 *     sampler.c  samplers
 *     format.c   formats of texels, and what the device can do with them
 *
 * An image is in VK_IMAGE_LAYOUT_GENERAL from the end of its creation on, so no command has to know in which
 * layout earlier commands of other streams left it. Its memory is a piece of the heap, padded so that no
 * buffer shares a page with it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_IMAGE_IMAGE_H
#define BACKENDS_VULKAN_IMAGE_IMAGE_H

#include <stdatomic.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/image/format.h"
#include "backends/vulkan/image/layout.h"
#include "backends/vulkan/memory/memory.h"

enum vulkan_view_use {
    VULKAN_VIEW_STORAGE = 0, /* one level */
    VULKAN_VIEW_SAMPLED = 1, /* a level and all after it */
    /* The same of a cube map, whose layers are those of a 2D array. */
    VULKAN_VIEW_STORAGE_LAYERS = 2,
    VULKAN_VIEW_SAMPLED_LAYERS = 3,
};

#define VULKAN_VIEW_USES 4u

struct trm_backend_image {
    struct trm_backend_device *device;
    struct trm_image_desc desc;
    VkImage handle;
    struct trm_backend_memory *memory; /* a piece of the heap; NULL: `own` */
    VkDeviceMemory own;                /* where the heap has no memory of a type that the image can have */
    bool is_adopted;                   /* the handle is the application's */
    bool is_filterable;                /* a linear filter applies to its format */
    bool is_comparable;                /* the device compares its texels with a depth */
    /* By use (enum vulkan_view_use) and level. */
    _Atomic(VkImageView) views[VULKAN_VIEW_USES][TRM_IMAGE_LEVELS_MOST];
};

struct trm_backend_sampler {
    struct trm_backend_device *device;
    VkSampler handle;
    VkSampler integer; /* for integer formats, whose border color is of another kind; null: `handle` is */
    bool is_linear;
    bool compares; /* with a depth */
};

/* Slots of the image table. */
int32_t vulkan_image_supports(struct trm_backend_device *device, int32_t type, int32_t format,
                              uint32_t usage);
int32_t vulkan_image_create(struct trm_backend_device *device, const struct trm_image_desc *desc,
                            struct trm_backend_image **image);
void vulkan_image_destroy(struct trm_backend_image *image);
int32_t vulkan_sampler_create(struct trm_backend_device *device, const struct trm_sampler_desc *desc,
                              struct trm_backend_sampler **sampler);
void vulkan_sampler_destroy(struct trm_backend_sampler *sampler);

/* Slots of the interop table (adopt.c). */
int32_t vulkan_image_adopt(struct trm_backend_device *device, const struct trm_image_desc *desc,
                           uint64_t native, int32_t layout, struct trm_backend_image **image);
int32_t vulkan_image_hand_back(struct trm_backend_image *image, int32_t layout);

/* Allocates an image without a handle or memory. */
int32_t vulkan_image_start(struct trm_backend_device *device, const struct trm_image_desc *desc,
                           struct trm_backend_image **image);

/* view.c: get a view; the first caller creates it. Lives as long as the image. Any thread. */
int32_t vulkan_image_view(struct trm_backend_image *image, enum vulkan_view_use use, uint32_t level,
                          VkImageView *view);
void vulkan_image_views_destroy(struct trm_backend_image *image);

#endif
