/* vulkan backend: samplers.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/image/image.h"

#include <stddef.h>

static VkSamplerAddressMode address_of(int32_t mode)
{
    switch (mode) {
    case TRM_ADDRESS_REPEAT:
        return VK_SAMPLER_ADDRESS_MODE_REPEAT;
    case TRM_ADDRESS_MIRROR:
        return VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT;
    case TRM_ADDRESS_BORDER:
        return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
    default:
        return VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
    }
}

static VkBorderColor border_of(int32_t border, bool is_integer)
{
    switch (border) {
    case TRM_BORDER_BLACK:
        return is_integer ? VK_BORDER_COLOR_INT_OPAQUE_BLACK : VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK;
    case TRM_BORDER_WHITE:
        return is_integer ? VK_BORDER_COLOR_INT_OPAQUE_WHITE : VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE;
    default:
        return is_integer ? VK_BORDER_COLOR_INT_TRANSPARENT_BLACK : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK;
    }
}

static int32_t compare_of(const struct trm_sampler_desc *desc)
{
    size_t end = offsetof(struct trm_sampler_desc, compare) + sizeof(desc->compare);
    return desc->struct_size >= end ? desc->compare : TRM_COMPARE_NONE;
}

static VkCompareOp operation_of(int32_t compare)
{
    switch (compare) {
    case TRM_COMPARE_LESS:
        return VK_COMPARE_OP_LESS;
    case TRM_COMPARE_EQUAL:
        return VK_COMPARE_OP_EQUAL;
    case TRM_COMPARE_LESS_EQUAL:
        return VK_COMPARE_OP_LESS_OR_EQUAL;
    case TRM_COMPARE_GREATER:
        return VK_COMPARE_OP_GREATER;
    case TRM_COMPARE_NOT_EQUAL:
        return VK_COMPARE_OP_NOT_EQUAL;
    case TRM_COMPARE_GREATER_EQUAL:
        return VK_COMPARE_OP_GREATER_OR_EQUAL;
    case TRM_COMPARE_ALWAYS:
        return VK_COMPARE_OP_ALWAYS;
    default:
        return VK_COMPARE_OP_NEVER;
    }
}

static int32_t create(struct trm_backend_device *device, const struct trm_sampler_desc *desc, bool is_integer,
                      VkSampler *sampler)
{
    VkFilter filter                = desc->filter == TRM_FILTER_LINEAR ? VK_FILTER_LINEAR : VK_FILTER_NEAREST;
    const VkSamplerCreateInfo info = {
        .sType                   = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter               = filter,
        .minFilter               = filter,
        .mipmapMode              = desc->mip_filter == TRM_FILTER_LINEAR ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                                                         : VK_SAMPLER_MIPMAP_MODE_NEAREST,
        .addressModeU            = address_of(desc->address[0]),
        .addressModeV            = address_of(desc->address[1]),
        .addressModeW            = address_of(desc->address[2]),
        .compareEnable           = compare_of(desc) != TRM_COMPARE_NONE,
        .compareOp               = operation_of(compare_of(desc)),
        .maxLod                  = desc->unnormalized != 0 ? 0.0f : VK_LOD_CLAMP_NONE,
        .borderColor             = border_of(desc->border, is_integer),
        .unnormalizedCoordinates = desc->unnormalized != 0,
    };
    VkResult result = device->vk.vkCreateSampler(device->handle, &info, NULL, sampler);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreateSampler") : TRM_OK;
}

static bool has_border(const struct trm_sampler_desc *desc)
{
    return desc->address[0] == TRM_ADDRESS_BORDER || desc->address[1] == TRM_ADDRESS_BORDER ||
           desc->address[2] == TRM_ADDRESS_BORDER;
}

int32_t vulkan_sampler_create(struct trm_backend_device *device, const struct trm_sampler_desc *desc,
                              struct trm_backend_sampler **sampler)
{
    int32_t status = vulkan_device_check(device);
    if (status != TRM_OK)
        return status;
    struct trm_backend_sampler *made = trm_util_allocate(device->instance->host, sizeof(*made));
    if (made == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a sampler");
    made->device    = device;
    made->compares  = compare_of(desc) != TRM_COMPARE_NONE;
    made->is_linear = desc->filter == TRM_FILTER_LINEAR || desc->mip_filter == TRM_FILTER_LINEAR;
    status          = create(device, desc, false, &made->handle);
    if (status == TRM_OK && has_border(desc))
        status = create(device, desc, true, &made->integer);
    if (status != TRM_OK) {
        vulkan_sampler_destroy(made);
        return status;
    }
    *sampler = made;
    return TRM_OK;
}

void vulkan_sampler_destroy(struct trm_backend_sampler *sampler)
{
    struct trm_backend_device *device = sampler->device;
    device->vk.vkDestroySampler(device->handle, sampler->handle, NULL);
    device->vk.vkDestroySampler(device->handle, sampler->integer, NULL);
    trm_util_release(device->instance->host, sampler, sizeof(*sampler));
}
