/* The part of an image that is copied, and the place of its rows in memory.
 * SPDX-License-Identifier: MIT
 */
#include "core/image/image_region.h"

#include <inttypes.h>

#include "core/object/object.h"

#define REGION_MIN 40 /* bytes of struct trm_image_region in the first version */

/* ---- regions --------------------------------------------------------------------------------- */

static int32_t complete_axis(const char *axis, uint32_t first, uint32_t all, uint32_t *size)
{
    uint32_t given = *size;

    if (given == 0 && first < all)
        *size = all - first;
    if (first < all && *size <= all - first)
        return TRM_OK;
    return base_fail(TRM_ERROR_OUT_OF_RANGE,
                     "%" PRIu32 " texels from %s = %" PRIu32 " on go past the %" PRIu32 " of the level",
                     given, axis, first, all);
}

static int32_t complete_layers(const struct core_image *image, struct trm_image_region *region)
{
    uint32_t all = image->desc.layers, given = region->layers;

    if (given == 0 && region->layer < all)
        region->layers = all - region->layer;
    if (region->layer < all && region->layers <= all - region->layer)
        return TRM_OK;
    return base_fail(TRM_ERROR_OUT_OF_RANGE,
                     "%" PRIu32 " layers from layer %" PRIu32 " on go past the %" PRIu32 " of the image",
                     given, region->layer, all);
}

int32_t core_region_complete(const struct core_image *image, const struct trm_image_region *theirs,
                             struct trm_image_region *region)
{
    const struct trm_image_desc *desc = &image->desc;

    *region = (struct trm_image_region){.struct_size = sizeof(*region)};
    if (theirs != NULL && !core_struct_copy_in(region, sizeof(*region), theirs, REGION_MIN))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a region needs its struct_size");
    if (region->level >= desc->levels)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "level %" PRIu32 " of an image of %" PRIu32 " level%s",
                         region->level, desc->levels, base_plural(desc->levels));
    int32_t status =
        complete_axis("x", region->x, core_level_size(desc->width, region->level), &region->width);
    if (status == TRM_OK)
        status = complete_axis("y", region->y, core_level_size(desc->height, region->level), &region->height);
    if (status == TRM_OK)
        status = complete_axis("z", region->z, core_level_size(desc->depth, region->level), &region->depth);
    return status == TRM_OK ? complete_layers(image, region) : status;
}

/* Do two ranges share a number? */
static bool meet(uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size)
{
    return a < b ? b - a < a_size : a - b < b_size;
}

int32_t core_region_check_pair(const struct core_image *destination, const struct trm_image_region *to,
                               const struct core_image *source, const struct trm_image_region *from)
{
    if (to->width != from->width || to->height != from->height || to->depth != from->depth ||
        to->layers != from->layers)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a copy of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " texels in %" PRIu32
                         " layers to a region of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " in %" PRIu32,
                         from->width, from->height, from->depth, from->layers, to->width, to->height,
                         to->depth, to->layers);
    if (destination == source && to->level == from->level && meet(to->x, to->width, from->x, from->width) &&
        meet(to->y, to->height, from->y, from->height) && meet(to->z, to->depth, from->z, from->depth) &&
        meet(to->layer, to->layers, from->layer, from->layers))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "source and destination of a copy of texels overlap");
    return TRM_OK;
}

/* ---- pitches --------------------------------------------------------------------------------- */

static int32_t check_row_pitch(const struct core_pitches *pitches, uint32_t texel)
{
    if (pitches->row_pitch < pitches->row)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a row pitch of %" PRIu64 " bytes is less than a row of %" PRIu64,
                         pitches->row_pitch, pitches->row);
    if (pitches->row_pitch % texel != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a row pitch of %" PRIu64 " bytes is not a multiple of a texel of %" PRIu32,
                         pitches->row_pitch, texel);
    return TRM_OK;
}

static int32_t check_slice_pitch(const struct core_pitches *pitches, uint64_t slice)
{
    if (pitches->slice_pitch < slice)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a slice pitch of %" PRIu64 " bytes is less than a slice of %" PRIu64,
                         pitches->slice_pitch, slice);
    if (pitches->slice_pitch % pitches->row_pitch != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a slice pitch of %" PRIu64 " bytes is not a multiple of the row pitch of %" PRIu64,
                         pitches->slice_pitch, pitches->row_pitch);
    return TRM_OK;
}

static int32_t fail_extent(void)
{
    return base_fail(TRM_ERROR_OUT_OF_RANGE, "the texels at these pitches are more than 64 bits can count");
}

int32_t core_pitches_complete(const struct core_image *image, const struct trm_image_region *region,
                              uint64_t row_pitch, uint64_t slice_pitch, struct core_pitches *pitches)
{
    uint32_t texel = trm_format_size(image->desc.format);
    uint64_t slice, before_slices, before_rows;

    pitches->row       = (uint64_t)region->width * texel;
    pitches->slices    = (uint64_t)region->depth * region->layers;
    pitches->row_pitch = row_pitch != 0 ? row_pitch : pitches->row;
    int32_t status     = check_row_pitch(pitches, texel);
    if (status != TRM_OK)
        return status;
    if (__builtin_mul_overflow(pitches->row_pitch, (uint64_t)region->height, &slice))
        return fail_extent();
    pitches->slice_pitch = slice_pitch != 0 ? slice_pitch : slice;
    status               = check_slice_pitch(pitches, slice);
    if (status != TRM_OK)
        return status;
    before_rows = (uint64_t)(region->height - 1) * pitches->row_pitch; /* less than `slice` */
    if (__builtin_mul_overflow(pitches->slice_pitch, pitches->slices - 1, &before_slices) ||
        __builtin_add_overflow(before_slices, before_rows, &pitches->extent) ||
        __builtin_add_overflow(pitches->extent, pitches->row, &pitches->extent) ||
        pitches->extent == TRM_WHOLE)
        return fail_extent();
    return TRM_OK;
}
