/* Images, samplers and texel buffers as arguments of a launch.
 * SPDX-License-Identifier: MIT
 */
#include "core/image/image_argument.h"

#include <inttypes.h>

#include "core/image/format.h"
#include "core/image/image_desc.h"

/* ---- checks ---------------------------------------------------------------------------------- */

/* The parameter's format, if it has one, is the argument's; a kernel reads the texels as what they are. */
static int32_t check_format(const struct trm_parameter *parameter, int32_t format)
{
    int32_t type = core_format_type(format);

    if (!core_format_is_known(format))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a format of texels", format);
    if (parameter->stride != TRM_FORMAT_NONE && (int32_t)parameter->stride != format)
        return base_fail(TRM_ERROR_TYPE_MISMATCH, "the kernel takes texels of %s, but these are %s",
                         trm_format_name((int32_t)parameter->stride), trm_format_name(format));
    if (parameter->type != TRM_TYPE_NONE && parameter->type != type)
        return base_fail(TRM_ERROR_TYPE_MISMATCH,
                         "the kernel reads texels as %s, but those of format %s are %s",
                         trm_type_name(parameter->type), trm_format_name(format), trm_type_name(type));
    return TRM_OK;
}

static int32_t check_type(const struct trm_parameter *parameter, const struct trm_image_desc *desc)
{
    bool is_cube = desc->type == TRM_IMAGE_CUBE || desc->type == TRM_IMAGE_CUBE_ARRAY;

    if (parameter->size == 0 || parameter->size == (uint32_t)desc->type ||
        (is_cube && parameter->size == TRM_IMAGE_2D_ARRAY))
        return TRM_OK;
    return base_fail(TRM_ERROR_TYPE_MISMATCH, "the kernel takes a %s, but this is a %s",
                     core_image_type_name((int32_t)parameter->size), core_image_type_name(desc->type));
}

static int32_t check_usage(const struct trm_argument *given, const struct trm_image_desc *desc)
{
    bool is_storage = given->kind == TRM_PARAMETER_IMAGE;
    uint32_t usage  = is_storage ? TRM_IMAGE_STORAGE : TRM_IMAGE_SAMPLED;

    if (!(desc->usage & usage))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the image was created without %s",
                         is_storage ? "TRM_IMAGE_STORAGE" : "TRM_IMAGE_SAMPLED");
    if (given->value.image.level >= desc->levels)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "level %" PRIu32 " of an image of %" PRIu32 " level%s",
                         given->value.image.level, desc->levels, base_plural(desc->levels));
    return TRM_OK;
}

/* The other way round the module does not always say that it compares. */
static int32_t check_compared(const struct trm_parameter *parameter, const struct core_sampler *sampler)
{
    if (trm_parameter_element(parameter) != TRM_PARAMETER_SAMPLED_IMAGE || parameter->components == 0 ||
        sampler->desc.compare != TRM_COMPARE_NONE)
        return TRM_OK;
    return base_fail(TRM_ERROR_TYPE_MISMATCH,
                     "the kernel compares the image with a depth, but the sampler has no comparison");
}

/* A kernel that gets both apart may combine any image with any sampler; the core does not see which. */
static int32_t check_pair(const struct trm_image_desc *desc, const struct core_sampler *sampler)
{
    const struct trm_sampler_desc *how = &sampler->desc;
    bool is_plane                      = desc->type == TRM_IMAGE_1D || desc->type == TRM_IMAGE_2D;

    if (core_format_type(desc->format) != TRM_TYPE_F32 &&
        (how->filter == TRM_FILTER_LINEAR || how->mip_filter == TRM_FILTER_LINEAR))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a linear filter does not apply to texels of %s, which are integers",
                         trm_format_name(desc->format));
    if (how->unnormalized && (!is_plane || desc->levels != 1))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a sampler with unnormalized coordinates takes a 1D or 2D image of one level, not a "
                         "%s of %" PRIu32,
                         core_image_type_name(desc->type), desc->levels);
    return TRM_OK;
}

int32_t core_image_check(const struct trm_parameter *parameter, const struct trm_argument *given,
                         const struct trm_image_desc *desc, const struct core_sampler *sampler)
{
    int32_t status = check_type(parameter, desc);

    if (status == TRM_OK)
        status = check_format(parameter, desc->format);
    if (status == TRM_OK)
        status = check_usage(given, desc);
    if (status == TRM_OK && sampler != NULL)
        status = check_compared(parameter, sampler);
    return status == TRM_OK && sampler != NULL ? check_pair(desc, sampler) : status;
}

/* ---- objects --------------------------------------------------------------------------------- */

static int32_t find_image(const struct core_device *device, const struct trm_argument *given,
                          struct core_image **image)
{
    struct core_image *found = core_image_find(given->value.image.image);

    if (found == NULL)
        return base_last_status();
    if (found->device != device)
        return base_fail(TRM_ERROR_WRONG_DEVICE,
                         "the image belongs to another device (%s) than the stream (%s)", found->device->id,
                         device->id);
    *image = found;
    return TRM_OK;
}

static int32_t find_sampler(const struct core_device *device, const struct trm_argument *given,
                            struct core_sampler **sampler)
{
    struct core_sampler *found = core_sampler_find(given->value.image.sampler);

    if (found == NULL)
        return base_last_status();
    if (found->device != device)
        return base_fail(TRM_ERROR_WRONG_DEVICE,
                         "the sampler belongs to another device (%s) than the stream (%s)", found->device->id,
                         device->id);
    *sampler = found;
    return TRM_OK;
}

/* ---- describing ------------------------------------------------------------------------------ */

static uint64_t sampler_state(const struct core_sampler *sampler)
{
    const struct trm_sampler_desc *desc = &sampler->desc;
    uint64_t state                      = 0;

    state |= (uint64_t)(uint32_t)desc->filter << TRM_STATE_FILTER;
    state |= (uint64_t)(uint32_t)desc->mip_filter << TRM_STATE_MIP_FILTER;
    state |= (uint64_t)desc->unnormalized << TRM_STATE_UNNORMALIZED;
    for (uint32_t i = 0; i < 3; i++)
        state |= (uint64_t)(uint32_t)desc->address[i] << (TRM_STATE_ADDRESS + 4 * i);
    state |= (uint64_t)(uint32_t)desc->compare << TRM_STATE_COMPARE;
    return state | (uint64_t)(uint32_t)desc->border << TRM_STATE_BORDER;
}

static void describe(const struct core_image *image, const struct core_sampler *sampler, uint32_t level,
                     struct trm_launch_argument *argument)
{
    if (image != NULL) {
        argument->memory = image->buffer->memory;
        argument->offset = image->buffer->base;
        argument->size   = image->buffer->size;
        argument->block  = image->plan;
        argument->scalar = (uint64_t)level << TRM_STATE_LEVEL;
    }
    if (sampler != NULL)
        argument->scalar |= sampler_state(sampler);
}

static void describe_native(const struct core_image *image, const struct core_sampler *sampler,
                            uint32_t level, struct trm_launch_argument *argument,
                            struct trm_launch_image *objects)
{
    *objects = (struct trm_launch_image){
        .struct_size = sizeof(*objects),
        .level       = level,
        .image       = image != NULL ? image->backend : NULL,
        .sampler     = sampler != NULL ? sampler->backend : NULL,
    };
    argument->block = objects;
    argument->size  = sizeof(*objects);
}

int32_t core_image_argument(const struct core_device *device, const struct trm_parameter *parameter,
                            const struct trm_argument *given, struct trm_launch_argument *argument,
                            struct trm_launch_image *objects, struct core_in_flight *sets[CORE_IMAGE_SETS])
{
    struct core_image *image     = NULL;
    struct core_sampler *sampler = NULL;
    uint32_t level               = given->value.image.level;
    bool is_native               = core_images_are_native(device);
    int32_t status               = TRM_OK;

    if (given->kind != TRM_PARAMETER_SAMPLER)
        status = find_image(device, given, &image);
    if (status == TRM_OK &&
        (given->kind == TRM_PARAMETER_SAMPLER || given->kind == TRM_PARAMETER_SAMPLED_IMAGE))
        status = find_sampler(device, given, &sampler);
    if (status == TRM_OK && image != NULL)
        status = core_image_check(parameter, given, &image->desc, sampler);
    if (status != TRM_OK)
        return status;
    *argument = (struct trm_launch_argument){.kind = given->kind, .type = TRM_TYPE_NONE};
    if (is_native)
        describe_native(image, sampler, level, argument, objects);
    else
        describe(image, sampler, level, argument);
    sets[0] = image != NULL ? core_image_in_flight(image) : NULL;
    sets[1] = sampler != NULL && is_native ? &sampler->in_flight : NULL;
    if (image != NULL && image->texels != NULL)
        sets[1] = &image->texels->in_flight;
    return TRM_OK;
}

/* ---- texel buffers --------------------------------------------------------------------------- */

int32_t core_texels_argument(const struct trm_parameter *parameter, const struct trm_argument *given,
                             struct trm_launch_argument *argument)
{
    uint32_t texel = trm_format_size(given->type);

    int32_t status = check_format(parameter, given->type);
    if (status != TRM_OK)
        return status;
    if (given->value.span.offset % texel != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "offset %" PRIu64 " of the span is not a multiple of a texel of %" PRIu32 " bytes",
                         given->value.span.offset, texel);
    if (argument->size % texel != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the span has %" PRIu64 " bytes, which are not a multiple of a texel of %" PRIu32,
                         argument->size, texel);
    if (argument->size >> TRM_STATE_FORMAT != 0)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "a texel buffer of %" PRIu64 " bytes is too long",
                         argument->size);
    argument->kind   = given->kind;
    argument->type   = given->type;
    argument->scalar = (uint64_t)(uint32_t)given->type << TRM_STATE_FORMAT | argument->size;
    return TRM_OK;
}
