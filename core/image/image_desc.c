/* Descriptions of images: checked and completed.
 * SPDX-License-Identifier: MIT
 */
#include "core/image/image_desc.h"

#include <inttypes.h>
#include <string.h>

#include "core/image/format.h"
#include "core/object/object.h"

#define DESC_MIN 40 /* bytes of struct trm_image_desc in the first version */

#define ALL_USAGES ((uint32_t)TRM_IMAGE_STORAGE | (uint32_t)TRM_IMAGE_SAMPLED)

/* The minor of the plugin ABI whose backends know cube maps. */
#define CUBES_SINCE 5u

/* Kernels compute coordinates in 32 bits with a sign. */
#define SIZE_MOST ((uint32_t)INT32_MAX)

/* The sizes that a type has, besides the width. */
struct shape {
    const char *name;
    bool has_height, has_depth, has_layers, is_cube;
};

static const struct shape shapes[] = {
    [TRM_IMAGE_1D]         = {"1D image", false, false, false, false},
    [TRM_IMAGE_2D]         = {"2D image", true, false, false, false},
    [TRM_IMAGE_3D]         = {"3D image", true, true, false, false},
    [TRM_IMAGE_1D_ARRAY]   = {"1D array image", false, false, true, false},
    [TRM_IMAGE_2D_ARRAY]   = {"2D array image", true, false, true, false},
    [TRM_IMAGE_BUFFER]     = {"texel buffer", false, false, false, false},
    [TRM_IMAGE_CUBE]       = {"cube map", true, false, true, true},
    [TRM_IMAGE_CUBE_ARRAY] = {"cube map array", true, false, true, true},
};

const char *core_image_type_name(int32_t type)
{
    if (type < TRM_IMAGE_1D || type > TRM_IMAGE_CUBE_ARRAY)
        return "image of unknown type";
    return shapes[type].name;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static int32_t complete_size(const struct trm_image_desc *desc, bool has, const char *what, uint32_t *size)
{
    if (*size == 0)
        *size = 1;
    if (!has && *size != 1)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a %s has no %s, but %" PRIu32 " was given",
                         core_image_type_name(desc->type), what, *size);
    if (*size > SIZE_MOST)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "a %s of an image of %" PRIu32 "; there are at most %" PRIu32, what, *size,
                         SIZE_MOST);
    return TRM_OK;
}

static int32_t complete_levels(struct trm_image_desc *desc)
{
    uint32_t largest = desc->width, most = 0;

    if (desc->height > largest)
        largest = desc->height;
    if (desc->depth > largest)
        largest = desc->depth;
    for (; largest != 0; largest >>= 1)
        most++;
    if (most > TRM_IMAGE_LEVELS_MOST)
        most = TRM_IMAGE_LEVELS_MOST;
    if (desc->levels == 0)
        desc->levels = 1;
    if (desc->levels <= most)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "%" PRIu32 " levels of an image of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                     " texels, which has at most %" PRIu32,
                     desc->levels, desc->width, desc->height, desc->depth, most);
}

static int32_t complete_faces(struct trm_image_desc *desc)
{
    if (desc->layers == 0)
        desc->layers = TRM_IMAGE_FACES;
    if (desc->width != desc->height)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a face of a cube map is square, and not %" PRIu32 " x %" PRIu32 " texels",
                         desc->width, desc->height);
    if (desc->type == TRM_IMAGE_CUBE && desc->layers != TRM_IMAGE_FACES)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a cube map has 6 layers, but %" PRIu32 " were given",
                         desc->layers);
    if (desc->layers % TRM_IMAGE_FACES != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a cube map array has 6 layers for each cube, but %" PRIu32
                         " were given, which are not a multiple",
                         desc->layers);
    return TRM_OK;
}

static int32_t complete_sizes(struct trm_image_desc *desc)
{
    const struct shape *shape = &shapes[desc->type];

    if (desc->width == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the image has no width");
    int32_t status = complete_size(desc, true, "width", &desc->width);
    if (status == TRM_OK)
        status = complete_size(desc, shape->has_height, "height", &desc->height);
    if (status == TRM_OK)
        status = complete_size(desc, shape->has_depth, "depth", &desc->depth);
    if (status == TRM_OK && shape->is_cube)
        status = complete_faces(desc);
    if (status == TRM_OK)
        status = complete_size(desc, shape->has_layers, "layers", &desc->layers);
    return status == TRM_OK ? complete_levels(desc) : status;
}

/* ---- usage ----------------------------------------------------------------------------------- */

/* TRM_OK, UNSUPPORTED (without an error set), or another failure of the backend. */
static int32_t ask(const struct core_device *device, const struct trm_image_desc *desc, uint32_t usage)
{
    struct base_saved_error before;

    if (!core_images_are_native(device))
        return TRM_OK; /* plain memory */
    if (shapes[desc->type].is_cube && device->backend->table.abi_minor < CUBES_SINCE)
        return TRM_ERROR_UNSUPPORTED;
    base_error_save(&before);
    base_error_clear();
    int32_t status =
        core_answer(device->backend, "image.supports",
                    device->backend->image.supports(device->device, desc->type, desc->format, usage));
    if (status != TRM_OK && status != TRM_ERROR_UNSUPPORTED)
        return base_fail_backend(status);
    base_error_restore(&before);
    return status;
}

static int32_t complete_usage(const struct core_device *device, struct trm_image_desc *desc)
{
    static const uint32_t usages[]   = {TRM_IMAGE_STORAGE, TRM_IMAGE_SAMPLED};
    static const char *const names[] = {"storage", "sampled"};
    uint32_t found                   = 0;

    for (uint32_t i = 0; i < 2; i++) {
        if (desc->usage != 0 && !(desc->usage & usages[i]))
            continue;
        int32_t status = ask(device, desc, usages[i]);
        if (status == TRM_OK)
            found |= usages[i];
        else if (status != TRM_ERROR_UNSUPPORTED)
            return status;
        else if (desc->usage != 0)
            return base_fail(status, "device %s has no %s %ss of format %s", device->id, names[i],
                             core_image_type_name(desc->type), trm_format_name(desc->format));
    }
    if (found == 0)
        return base_fail(TRM_ERROR_UNSUPPORTED, "device %s has no %ss of format %s", device->id,
                         core_image_type_name(desc->type), trm_format_name(desc->format));
    desc->usage = found;
    return TRM_OK;
}

/* ---- all ------------------------------------------------------------------------------------- */

int32_t core_image_desc_complete(const struct core_device *device, const struct trm_image_desc *theirs,
                                 struct trm_image_desc *desc)
{
    int32_t status = core_desc_copy(desc, sizeof(*desc), theirs, DESC_MIN, "trm_image_desc");
    if (status != TRM_OK)
        return status;
    if (desc->type < TRM_IMAGE_1D || desc->type > TRM_IMAGE_CUBE_ARRAY || desc->type == TRM_IMAGE_BUFFER)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a type of an image", desc->type);
    if (!core_format_is_known(desc->format))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a format of texels", desc->format);
    if ((desc->usage & ~ALL_USAGES) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "usage 0x%" PRIx32 " of an image has unknown bits",
                         desc->usage);
    desc->reserved = 0;
    status         = complete_sizes(desc);
    return status == TRM_OK ? complete_usage(device, desc) : status;
}
