/* Mip levels of an image, by the built-in kernels mip_down_….
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/image/image.h"
#include "core/module/module.h"
#include "core/stream/stream.h"

static const char *kernel_name(int32_t type)
{
    static const char *const names[] = {
        [TRM_IMAGE_1D]         = "mip_down_1d",
        [TRM_IMAGE_2D]         = "mip_down_2d",
        [TRM_IMAGE_3D]         = "mip_down_3d",
        [TRM_IMAGE_1D_ARRAY]   = "mip_down_1d_array",
        [TRM_IMAGE_2D_ARRAY]   = "mip_down_2d_array",
        [TRM_IMAGE_CUBE]       = "mip_down_2d_array",
        [TRM_IMAGE_CUBE_ARRAY] = "mip_down_2d_array",
    };

    return names[type];
}

static int32_t check(const struct core_image *image)
{
    if (core_format_type(image->desc.format) != TRM_TYPE_F32)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "texels of %s are integers, which have no mean",
                         trm_format_name(image->desc.format));
    if (image->desc.usage != ((uint32_t)TRM_IMAGE_STORAGE | (uint32_t)TRM_IMAGE_SAMPLED))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "building mip levels takes an image with TRM_IMAGE_STORAGE and TRM_IMAGE_SAMPLED; "
                         "this one lacks %s",
                         image->desc.usage == (uint32_t)TRM_IMAGE_STORAGE ? "TRM_IMAGE_SAMPLED"
                                                                          : "TRM_IMAGE_STORAGE");
    return TRM_OK;
}

/* The kernel stays with the image, which ends it. Of two threads that load it at once, one keeps its own. */
static int32_t find_kernel(struct core_image *image, struct trm_kernel **kernel)
{
    struct trm_kernel *none = NULL;

    *kernel = atomic_load_explicit(&image->mip_kernel, memory_order_acquire);
    if (*kernel != NULL)
        return TRM_OK;
    int32_t status =
        trm_kernel_named(image->device->object.handle, kernel_name(image->desc.type), NULL, 0, kernel);
    if (status != TRM_OK)
        return status;
    if (atomic_compare_exchange_strong_explicit(&image->mip_kernel, &none, *kernel, memory_order_acq_rel,
                                                memory_order_acquire))
        return TRM_OK;
    trm_kernel_destroy(*kernel);
    *kernel = none;
    return TRM_OK;
}

/* One level after the other: each launch reads what the one before has written. */
static int32_t launch(struct trm_stream *stream, const struct core_image *image, struct trm_image *handle,
                      struct trm_kernel *kernel, uint32_t level)
{
    const struct trm_image_desc *desc = &image->desc;
    uint32_t height = core_level_size(desc->height, level), depth = core_level_size(desc->depth, level);
    struct trm_argument arguments[] = {trm_arg_texture(handle), trm_arg_image(handle, level)};
    struct trm_grid grid;

    if (desc->type == TRM_IMAGE_1D_ARRAY)
        height = desc->layers;
    else if (desc->layers > 1)
        depth = desc->layers;
    arguments[0].value.image.level = level - 1;
    int32_t status = trm_kernel_grid(kernel, core_level_size(desc->width, level), height, depth, &grid);
    return status == TRM_OK ? trm_launch(stream, kernel, &grid, arguments, 2) : status;
}

int32_t trm_image_build_mips(struct trm_stream *stream, struct trm_image *handle)
{
    struct core_stream *found;
    struct trm_kernel *kernel;

    int32_t status = core_stream_begin(stream, &found);
    if (status != TRM_OK)
        return status;
    struct core_image *image = core_image_find(handle);
    if (image == NULL)
        return base_last_status();
    if (image->device != found->device)
        return base_fail(TRM_ERROR_WRONG_DEVICE,
                         "the image belongs to another device (%s) than the stream (%s)", image->device->id,
                         found->device->id);
    status = check(image);
    if (status == TRM_OK && image->desc.levels > 1)
        status = find_kernel(image, &kernel);
    for (uint32_t level = 1; status == TRM_OK && level < image->desc.levels; level++)
        status = launch(stream, image, handle, kernel, level);
    return status;
}
