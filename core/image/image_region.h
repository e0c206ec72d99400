/* The part of an image that is copied, and the place of its rows in memory: checked and completed.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_IMAGE_IMAGE_REGION_H
#define CORE_IMAGE_IMAGE_REGION_H

#include "core/image/image_object.h"

/* Copies the program's region (NULL: all of level 0), checks it and fills in its sizes. Errors:
 * INVALID_ARGUMENT, OUT_OF_RANGE. */
int32_t core_region_complete(const struct core_image *image, const struct trm_image_region *theirs,
                             struct trm_image_region *region);

/* The texels of a region in host memory or a buffer. */
struct core_pitches {
    uint64_t row;    /* bytes of a row's texels */
    uint64_t slices; /* slices and layers of the region */
    uint64_t row_pitch, slice_pitch;
    uint64_t extent; /* bytes from the first texel to the last */
};

/* Checks the program's pitches (0: without gaps), and computes the extent. Errors: INVALID_ARGUMENT,
 * OUT_OF_RANGE. */
int32_t core_pitches_complete(const struct core_image *image, const struct trm_image_region *region,
                              uint64_t row_pitch, uint64_t slice_pitch, struct core_pitches *pitches);

/* INVALID_ARGUMENT for regions of different sizes, or of one image that overlap. */
int32_t core_region_check_pair(const struct core_image *destination, const struct trm_image_region *to,
                               const struct core_image *source, const struct trm_image_region *from);

#endif
