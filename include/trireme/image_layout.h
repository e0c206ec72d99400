/* Trireme: images as plain memory, for backends that have no images of their own.
 *
 * The core makes such an image of device memory: a struct trm_image_layout, then the texels of each level,
 * row by row, slice by slice, layer by layer. A kernel that the core translates takes each image, sampler and
 * texel buffer as two words of 64 bits, a struct trm_image_words: what launch() gets in struct
 * trm_launch_argument as memory and offset, and as `scalar`.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_IMAGE_LAYOUT_H
#define TRIREME_IMAGE_LAYOUT_H

#include <trireme/image.h>

/* One level. */
struct trm_image_level {
    uint64_t offset;      /* bytes from the layout to the first texel */
    uint64_t row_pitch;   /* bytes */
    uint64_t slice_pitch; /* bytes, of slices and layers */
    uint32_t width, height, depth;
    uint32_t reserved;
};

/* The beginning of an image in device memory, in the byte order of the device. */
struct trm_image_layout {
    uint32_t struct_size;
    int32_t type;   /* enum trm_image_type */
    int32_t format; /* enum trm_format */
    uint32_t layers;
    uint32_t levels;
    uint32_t reserved[3];
    struct trm_image_level level[TRM_IMAGE_LEVELS_MOST];
};

/* A parameter of a translated kernel.
 *
 * image, texture, sampled image  data: the layout. state: that of the sampler, and the level
 * sampler                        data: NULL. state: that of the sampler
 * texel buffer                   data: the first element. state: format and bytes */
struct trm_image_words {
    void *data;
    uint64_t state;
};

/* The state of a sampler and the level of an image, from the lowest bit. */
#define TRM_STATE_FILTER 0u       /* 1 bit: 1 is linear */
#define TRM_STATE_MIP_FILTER 1u   /* 1 bit */
#define TRM_STATE_UNNORMALIZED 2u /* 1 bit */
#define TRM_STATE_ADDRESS 4u      /* 3 times 4 bits: enum trm_address_mode of x, y, z */
#define TRM_STATE_BORDER 16u      /* 4 bits: enum trm_border */
#define TRM_STATE_COMPARE 20u     /* 4 bits: enum trm_compare */
#define TRM_STATE_LEVEL 24u       /* 8 bits: the level of a storage image, the first of a sampled one */

/* The state of a texel buffer. */
#define TRM_STATE_FORMAT 48u /* 16 bits: enum trm_format; below them, the bytes of the span */

#endif
