/* vulkan backend: arguments of launches.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/record/arguments.h"

#include <inttypes.h>
#include <string.h>

#include "backends/vulkan/image/image.h"
#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/module/module.h"
#include "backends/vulkan/record/record_internal.h"

/* ---- checks ---------------------------------------------------------------------------------------- */

static int32_t refuse_span(const struct trm_backend_device *device, const struct trm_launch_desc *desc,
                           uint32_t index)
{
    const struct trm_kernel_info *info = desc->kernel->info;
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "Buffer %s of kernel %s is a span of %" PRIu64
                         " bytes, but shaders of this device reach only %" PRIu32 " bytes of a buffer.",
                         info->parameters[index].name, info->name, desc->arguments[index].size,
                         device->physical->properties.limits.maxStorageBufferRange);
}

/* The number of a parameter among those that have a descriptor. */
static uint32_t descriptor_of(const struct trm_kernel_info *info, uint32_t index)
{
    uint32_t descriptor = 0;
    for (uint32_t i = 0; i < index; i++)
        descriptor += trm_util_has_descriptor(&info->parameters[i]);
    return descriptor;
}

/* An element of an array, behind those that the launch gives? An empty span of a buffer is none. */
static bool is_none(const struct trm_launch_argument *argument)
{
    if (argument->kind == TRM_PARAMETER_TEXELS)
        return argument->type == TRM_FORMAT_NONE;
    return argument->kind >= TRM_PARAMETER_IMAGE && argument->kind <= TRM_PARAMETER_TEXELS &&
           argument->block == NULL;
}

static int32_t check_texels(const struct trm_backend_device *device, const struct trm_launch_desc *desc,
                            uint32_t index)
{
    const struct trm_launch_argument *argument = &desc->arguments[index];
    const struct trm_kernel_info *info         = desc->kernel->info;
    const struct vulkan_format *format         = vulkan_format_find(argument->type);
    const struct trm_host *host                = device->instance->host;
    uint32_t descriptor                        = descriptor_of(info, index);
    uint64_t most                              = device->physical->properties.limits.maxTexelBufferElements;
    bool stores = desc->kernel->module->places[descriptor].type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    VkFormatFeatureFlags needed =
        stores ? VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT : VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT;
    if (format == NULL || (vulkan_format_buffer_features(device, argument->type) & needed) == 0)
        return trm_util_fail(host, TRM_ERROR_UNSUPPORTED, 0,
                             "Texel buffer %s of kernel %s has a format that %s does not have in %s buffers.",
                             info->parameters[index].name, info->name,
                             device->physical->properties.deviceName, stores ? "written" : "read");
    if (argument->size / format->bytes > most)
        return trm_util_fail(host, TRM_ERROR_UNSUPPORTED, 0,
                             "Texel buffer %s of kernel %s has %" PRIu64
                             " texels, but shaders of this device reach only %" PRIu64 ".",
                             info->parameters[index].name, info->name, argument->size / format->bytes, most);
    return TRM_OK;
}

static int32_t refuse_comparison(const struct trm_backend_device *device, const struct trm_launch_desc *desc,
                                 uint32_t index)
{
    return trm_util_fail(
        device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
        "Kernel %s compares with a depth by argument %s, but %s cannot compare with a depth the "
        "texels of the image's format.",
        desc->kernel->info->name, desc->kernel->info->parameters[index].name,
        device->physical->properties.deviceName);
}

/* A sampler apart that compares needs an image whose texels are comparable; the kernel says later which it is
 * for. */
static int32_t check_comparison(const struct trm_backend_device *device, const struct trm_launch_desc *desc,
                                uint32_t index)
{
    const struct trm_launch_image *objects = desc->arguments[index].block;
    if (!objects->sampler->compares)
        return TRM_OK;
    for (uint32_t i = 0; i < desc->argument_count; i++) {
        const struct trm_launch_argument *other = &desc->arguments[i];
        const struct trm_launch_image *texture  = other->kind == TRM_PARAMETER_TEXTURE ? other->block : NULL;
        if (texture != NULL && texture->image->is_comparable)
            return TRM_OK;
    }
    return refuse_comparison(device, desc, index);
}

static int32_t check_filter(const struct trm_backend_device *device, const struct trm_launch_desc *desc,
                            uint32_t index)
{
    const struct trm_launch_image *objects = desc->arguments[index].block;
    if (objects->sampler->compares && !objects->image->is_comparable)
        return refuse_comparison(device, desc, index);
    if (objects->image->is_filterable || !objects->sampler->is_linear)
        return TRM_OK;
    return trm_util_fail(
        device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
        "Image %s of kernel %s has a format to which %s cannot apply the sampler's linear filter.",
        desc->kernel->info->parameters[index].name, desc->kernel->info->name,
        device->physical->properties.deviceName);
}

static int32_t check(const struct trm_backend_device *device, const struct trm_launch_desc *desc,
                     uint32_t index)
{
    const struct trm_launch_argument *argument = &desc->arguments[index];
    if (is_none(argument))
        return TRM_OK;
    switch (argument->kind) {
    case TRM_PARAMETER_BUFFER:
        if (argument->size > device->physical->properties.limits.maxStorageBufferRange)
            return refuse_span(device, desc, index);
        return TRM_OK;
    case TRM_PARAMETER_TEXELS:
        return check_texels(device, desc, index);
    case TRM_PARAMETER_SAMPLER:
        return check_comparison(device, desc, index);
    case TRM_PARAMETER_SAMPLED_IMAGE:
        return check_filter(device, desc, index);
    default:
        return TRM_OK;
    }
}

int32_t vulkan_arguments_check(struct trm_backend_device *device, const struct trm_launch_desc *desc)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; i < desc->argument_count && status == TRM_OK; i++)
        status = check(device, desc, i);
    return status;
}

/* ---- buffers --------------------------------------------------------------------------------------- */

static uint32_t access_flags(uint32_t access)
{
    uint32_t flags = VULKAN_KERNEL;
    if (access == 0 || (access & TRM_ACCESS_READ) != 0)
        flags |= VULKAN_READ;
    if (access == 0 || (access & TRM_ACCESS_WRITE) != 0)
        flags |= VULKAN_WRITE;
    return flags;
}

/* Uses a null descriptor if the device has them. Otherwise one byte of dummy memory: the shader sees no
 * elements, unless elements are bytes. */
static int32_t empty_span(struct trm_backend_device *device, const struct trm_parameter *parameter,
                          VkDescriptorBufferInfo *info)
{
    struct trm_backend_memory *dummy;
    if (device->physical->features.robustness2.nullDescriptor) {
        *info = (VkDescriptorBufferInfo){.range = VK_WHOLE_SIZE};
        return TRM_OK;
    }
    if (parameter->stride == 1)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "Buffer %s is an empty span of bytes, and the device has no null descriptors.",
                             parameter->name);
    int32_t status = vulkan_record_dummy(device, &dummy);
    if (status != TRM_OK)
        return status;
    info->buffer = dummy->buffer;
    info->offset = dummy->base;
    info->range  = 1;
    return TRM_OK;
}

/* The core checks offsets in memory; imported memory can begin at any address. */
static int32_t check_alignment(const struct trm_backend_device *device, uint64_t offset, uint64_t alignment,
                               const struct trm_parameter *parameter)
{
    if ((offset & (alignment - 1)) == 0)
        return TRM_OK;
    return trm_util_fail(
        device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
        "Buffer %s begins in imported memory at an address that is not a multiple of %" PRIu64
        ", which shaders of this device need.",
        parameter->name, alignment);
}

static void note_span(struct vulkan_recorder *recorder, const struct trm_launch_argument *argument,
                      const struct trm_parameter *parameter, struct vulkan_arguments *arguments)
{
    arguments->accesses[arguments->access_count++] = vulkan_record_access(
        recorder, argument->memory, argument->offset, argument->size, access_flags(parameter->access));
}

static int32_t take_buffer(struct vulkan_recorder *recorder, const struct trm_launch_argument *argument,
                           const struct trm_parameter *parameter, struct vulkan_arguments *arguments)
{
    const struct trm_backend_device *device = recorder->device;
    VkDescriptorBufferInfo *info            = &arguments->descriptors[arguments->descriptor_count++].buffer;
    if (argument->memory == NULL || argument->size == 0)
        return empty_span(recorder->device, parameter, info);
    info->buffer = argument->memory->buffer;
    info->offset = argument->memory->base + argument->offset;
    info->range  = argument->size;
    note_span(recorder, argument, parameter, arguments);
    return check_alignment(device, info->offset,
                           device->physical->properties.limits.minStorageBufferOffsetAlignment, parameter);
}

/* ---- texel buffers --------------------------------------------------------------------------------- */

static int32_t take_texels(struct vulkan_recorder *recorder, const struct trm_launch_argument *argument,
                           const struct trm_parameter *parameter, struct vulkan_arguments *arguments)
{
    struct trm_backend_device *device = recorder->device;
    uint64_t alignment                = device->physical->properties.limits.minTexelBufferOffsetAlignment;
    VkBufferView *view                = &arguments->descriptors[arguments->descriptor_count++].texels;
    if (argument->memory == NULL || argument->size == 0) {
        if (device->physical->features.robustness2.nullDescriptor)
            return TRM_OK;
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "Texel buffer %s is empty, and the device has no null descriptors.",
                             parameter->name);
    }
    const struct vulkan_texel_view wanted = {
        .buffer = argument->memory->buffer,
        .format = vulkan_format_find(argument->type)->format,
        .offset = argument->memory->base + argument->offset,
        .size   = argument->size,
    };
    if ((wanted.offset & (alignment - 1)) != 0)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "Texel buffer %s begins at an offset of %" PRIu64
                             " bytes, but this device needs a multiple of %" PRIu64 ".",
                             parameter->name, argument->offset, alignment);
    note_span(recorder, argument, parameter, arguments);
    return vulkan_descriptors_view(device, recorder->descriptors, &wanted, view);
}

/* ---- images and samplers --------------------------------------------------------------------------- */

/* A kernel may take a cube map for a 2D array. */
static enum vulkan_view_use use_of(const struct trm_backend_image *image,
                                   const struct trm_parameter *parameter, bool is_storage)
{
    bool is_cube = image->desc.type == TRM_IMAGE_CUBE || image->desc.type == TRM_IMAGE_CUBE_ARRAY;
    if (is_cube && parameter->size == TRM_IMAGE_2D_ARRAY)
        return is_storage ? VULKAN_VIEW_STORAGE_LAYERS : VULKAN_VIEW_SAMPLED_LAYERS;
    return is_storage ? VULKAN_VIEW_STORAGE : VULKAN_VIEW_SAMPLED;
}

static int32_t take_storage(const struct trm_launch_image *objects, const struct trm_parameter *parameter,
                            struct vulkan_arguments *arguments, VkDescriptorImageInfo *info)
{
    arguments->accesses[arguments->access_count++] = vulkan_record_image_access(
        objects->image, objects->level, 0, objects->image->desc.layers, access_flags(parameter->access));
    info->imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    return vulkan_image_view(objects->image, use_of(objects->image, parameter, true), objects->level,
                             &info->imageView);
}

static int32_t take_sampled(const struct trm_launch_image *objects, const struct trm_parameter *parameter,
                            struct vulkan_arguments *arguments, VkDescriptorImageInfo *info)
{
    const struct trm_image_desc *desc              = &objects->image->desc;
    arguments->accesses[arguments->access_count++] = vulkan_record_image_access(
        objects->image, objects->level, 0, (desc->levels - objects->level) * desc->layers,
        VULKAN_KERNEL | VULKAN_READ);
    info->imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    return vulkan_image_view(objects->image, use_of(objects->image, parameter, false), objects->level,
                             &info->imageView);
}

/* Border colors of integer formats are of another kind. A sampler apart from its image is for floats. */
static VkSampler sampler_for(const struct trm_launch_image *objects)
{
    const struct trm_backend_sampler *sampler = objects->sampler;
    if (sampler->integer == VK_NULL_HANDLE || objects->image == NULL ||
        !vulkan_format_find(objects->image->desc.format)->is_integer)
        return sampler->handle;
    return sampler->integer;
}

static int32_t take_image(const struct trm_launch_argument *argument, const struct trm_parameter *parameter,
                          struct vulkan_arguments *arguments)
{
    const struct trm_launch_image *objects = argument->block;
    VkDescriptorImageInfo *info            = &arguments->descriptors[arguments->descriptor_count++].image;
    if (argument->kind == TRM_PARAMETER_IMAGE)
        return take_storage(objects, parameter, arguments, info);
    if (argument->kind != TRM_PARAMETER_TEXTURE)
        info->sampler = sampler_for(objects);
    return argument->kind == TRM_PARAMETER_SAMPLER ? TRM_OK
                                                   : take_sampled(objects, parameter, arguments, info);
}

/* ---- all ------------------------------------------------------------------------------------------- */

/* Elements that the launch does not give are those before them: every descriptor must be valid. */
static int32_t repeat_descriptor(struct vulkan_arguments *arguments)
{
    uint32_t count                = arguments->descriptor_count++;
    arguments->descriptors[count] = arguments->descriptors[count - 1];
    return TRM_OK;
}

static int32_t take(struct vulkan_recorder *recorder, const struct trm_launch_argument *argument,
                    const struct trm_parameter *parameter, struct vulkan_arguments *arguments)
{
    if (is_none(argument))
        return repeat_descriptor(arguments);
    switch (argument->kind) {
    case TRM_PARAMETER_BUFFER:
        return take_buffer(recorder, argument, parameter, arguments);
    case TRM_PARAMETER_TEXELS:
        return take_texels(recorder, argument, parameter, arguments);
    case TRM_PARAMETER_IMAGE:
    case TRM_PARAMETER_TEXTURE:
    case TRM_PARAMETER_SAMPLER:
    case TRM_PARAMETER_SAMPLED_IMAGE:
        return take_image(argument, parameter, arguments);
    case TRM_PARAMETER_SCALAR:
        if (vulkan_is_count(parameter))
            return TRM_OK;
        memcpy(arguments->constants + parameter->place, &argument->scalar, argument->size);
        return TRM_OK;
    default:
        memcpy(arguments->constants + parameter->place, argument->block, argument->size);
        return TRM_OK;
    }
}

/* Unused bytes of descriptors are zero, so that descriptors can be compared. */
int32_t vulkan_arguments_take(struct vulkan_recorder *recorder, const struct trm_launch_desc *desc,
                              struct vulkan_arguments *arguments)
{
    const struct trm_kernel_info *info = desc->kernel->info;
    int32_t status                     = TRM_OK;
    arguments->descriptor_count        = 0;
    arguments->access_count            = 0;
    memset(arguments->descriptors, 0, desc->kernel->descriptor_count * sizeof(arguments->descriptors[0]));
    memset(arguments->constants, 0, desc->kernel->constant_bytes);
    for (uint32_t i = 0; i < desc->argument_count && status == TRM_OK; i++)
        status = take(recorder, &desc->arguments[i], &info->parameters[i], arguments);
    return status;
}
