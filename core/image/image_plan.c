/* An image as plain memory: where its levels are.
 *
 * The layout comes first. Rows, slices and layers of a level follow each other without gaps, so that most
 * copies are of one piece; each level begins at a multiple of CORE_IMAGE_ALIGNMENT, where a texture object of
 * CUDA may begin (CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT).
 * SPDX-License-Identifier: MIT
 */
#include "core/image/image_plan.h"

#include "core/image/image_object.h"

static bool plan_level(const struct trm_image_desc *desc, uint32_t number, struct trm_image_level *level,
                       uint64_t *end)
{
    uint64_t bytes, slices;

    if (__builtin_add_overflow(*end, CORE_IMAGE_ALIGNMENT - 1, &level->offset))
        return false;
    level->offset &= ~(CORE_IMAGE_ALIGNMENT - 1);
    level->width     = core_level_size(desc->width, number);
    level->height    = core_level_size(desc->height, number);
    level->depth     = core_level_size(desc->depth, number);
    level->row_pitch = (uint64_t)level->width * trm_format_size(desc->format);
    slices           = (uint64_t)level->depth * desc->layers;
    return !__builtin_mul_overflow(level->row_pitch, (uint64_t)level->height, &level->slice_pitch) &&
           !__builtin_mul_overflow(level->slice_pitch, slices, &bytes) &&
           !__builtin_add_overflow(level->offset, bytes, end);
}

bool core_image_plan(const struct trm_image_desc *desc, struct trm_image_layout *plan, uint64_t *size)
{
    *plan = (struct trm_image_layout){
        .struct_size = sizeof(*plan),
        .type        = desc->type,
        .format      = desc->format,
        .layers      = desc->layers,
        .levels      = desc->levels,
    };
    *size = sizeof(*plan);
    for (uint32_t i = 0; i < desc->levels; i++)
        if (!plan_level(desc, i, &plan->level[i], size))
            return false;
    return true;
}
