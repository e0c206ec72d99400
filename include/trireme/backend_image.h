/* The table of images of a backend (optional, since minor 2). <trireme/backend.h> includes it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_BACKEND_IMAGE_H
#define TRIREME_BACKEND_IMAGE_H

#include <trireme/backend.h>

TRM_API_BEGIN

/* One side of a copy between an image and memory: what is copied of the image. */
struct trm_image_part {
    struct trm_backend_image *image;
    uint32_t level;
    uint32_t x, y, z;
    uint32_t layer;
};

struct trm_image_copy_desc {
    uint32_t struct_size;
    uint32_t to_image; /* 1: from `place` to the image; 0: the other way */
    struct trm_image_part part;
    struct trm_place place;
    uint64_t row_pitch;                    /* bytes, at least a row, a multiple of the texel */
    uint64_t slice_pitch;                  /* bytes, at least a slice, a multiple of row_pitch */
    uint32_t width, height, depth, layers; /* texels, none is 0 */
};

struct trm_image_transfer_desc {
    uint32_t struct_size;
    uint32_t reserved;
    struct trm_image_part destination;
    struct trm_image_part source;
    uint32_t width, height, depth, layers; /* texels, none is 0 */
};

/* Images of the driver's. Without this table an image is plain memory. All slots are required. */
struct trm_image_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* TRM_OK, or UNSUPPORTED for a format that images of this type (enum trm_image_type) cannot have with one
     * of these usages (enum trm_image_usage). */
    int32_t (*supports)(struct trm_backend_device *device, int32_t type, int32_t format, uint32_t usage);
    /* All sizes and the usage of the desc are filled in. The contents are undefined. */
    int32_t (*create)(struct trm_backend_device *device, const struct trm_image_desc *desc,
                      struct trm_backend_image **image);
    void (*destroy)(struct trm_backend_image *image); /* idle */
    /* Enqueue. */
    int32_t (*copy)(struct trm_backend_stream *stream, uint64_t value,
                    const struct trm_image_copy_desc *desc);
    int32_t (*transfer)(struct trm_backend_stream *stream, uint64_t value,
                        const struct trm_image_transfer_desc *desc);
    int32_t (*sampler_create)(struct trm_backend_device *device, const struct trm_sampler_desc *desc,
                              struct trm_backend_sampler **sampler);
    void (*sampler_destroy)(struct trm_backend_sampler *sampler); /* idle */
};

TRM_API_END

#endif
