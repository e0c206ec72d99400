/* vulkan backend: formats of texels.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/image/format.h"

#include <stddef.h>

static const struct vulkan_format formats[] = {
    [TRM_FORMAT_R8_UNORM]      = {VK_FORMAT_R8_UNORM, 1, false},
    [TRM_FORMAT_R8_SNORM]      = {VK_FORMAT_R8_SNORM, 1, false},
    [TRM_FORMAT_R8_UINT]       = {VK_FORMAT_R8_UINT, 1, true},
    [TRM_FORMAT_R8_SINT]       = {VK_FORMAT_R8_SINT, 1, true},
    [TRM_FORMAT_RG8_UNORM]     = {VK_FORMAT_R8G8_UNORM, 2, false},
    [TRM_FORMAT_RG8_SNORM]     = {VK_FORMAT_R8G8_SNORM, 2, false},
    [TRM_FORMAT_RG8_UINT]      = {VK_FORMAT_R8G8_UINT, 2, true},
    [TRM_FORMAT_RG8_SINT]      = {VK_FORMAT_R8G8_SINT, 2, true},
    [TRM_FORMAT_RGBA8_UNORM]   = {VK_FORMAT_R8G8B8A8_UNORM, 4, false},
    [TRM_FORMAT_RGBA8_SNORM]   = {VK_FORMAT_R8G8B8A8_SNORM, 4, false},
    [TRM_FORMAT_RGBA8_UINT]    = {VK_FORMAT_R8G8B8A8_UINT, 4, true},
    [TRM_FORMAT_RGBA8_SINT]    = {VK_FORMAT_R8G8B8A8_SINT, 4, true},
    [TRM_FORMAT_R16_UNORM]     = {VK_FORMAT_R16_UNORM, 2, false},
    [TRM_FORMAT_R16_SNORM]     = {VK_FORMAT_R16_SNORM, 2, false},
    [TRM_FORMAT_R16_UINT]      = {VK_FORMAT_R16_UINT, 2, true},
    [TRM_FORMAT_R16_SINT]      = {VK_FORMAT_R16_SINT, 2, true},
    [TRM_FORMAT_R16_FLOAT]     = {VK_FORMAT_R16_SFLOAT, 2, false},
    [TRM_FORMAT_RG16_UNORM]    = {VK_FORMAT_R16G16_UNORM, 4, false},
    [TRM_FORMAT_RG16_SNORM]    = {VK_FORMAT_R16G16_SNORM, 4, false},
    [TRM_FORMAT_RG16_UINT]     = {VK_FORMAT_R16G16_UINT, 4, true},
    [TRM_FORMAT_RG16_SINT]     = {VK_FORMAT_R16G16_SINT, 4, true},
    [TRM_FORMAT_RG16_FLOAT]    = {VK_FORMAT_R16G16_SFLOAT, 4, false},
    [TRM_FORMAT_RGBA16_UNORM]  = {VK_FORMAT_R16G16B16A16_UNORM, 8, false},
    [TRM_FORMAT_RGBA16_SNORM]  = {VK_FORMAT_R16G16B16A16_SNORM, 8, false},
    [TRM_FORMAT_RGBA16_UINT]   = {VK_FORMAT_R16G16B16A16_UINT, 8, true},
    [TRM_FORMAT_RGBA16_SINT]   = {VK_FORMAT_R16G16B16A16_SINT, 8, true},
    [TRM_FORMAT_RGBA16_FLOAT]  = {VK_FORMAT_R16G16B16A16_SFLOAT, 8, false},
    [TRM_FORMAT_R32_UINT]      = {VK_FORMAT_R32_UINT, 4, true},
    [TRM_FORMAT_R32_SINT]      = {VK_FORMAT_R32_SINT, 4, true},
    [TRM_FORMAT_R32_FLOAT]     = {VK_FORMAT_R32_SFLOAT, 4, false},
    [TRM_FORMAT_RG32_UINT]     = {VK_FORMAT_R32G32_UINT, 8, true},
    [TRM_FORMAT_RG32_SINT]     = {VK_FORMAT_R32G32_SINT, 8, true},
    [TRM_FORMAT_RG32_FLOAT]    = {VK_FORMAT_R32G32_SFLOAT, 8, false},
    [TRM_FORMAT_RGBA32_UINT]   = {VK_FORMAT_R32G32B32A32_UINT, 16, true},
    [TRM_FORMAT_RGBA32_SINT]   = {VK_FORMAT_R32G32B32A32_SINT, 16, true},
    [TRM_FORMAT_RGBA32_FLOAT]  = {VK_FORMAT_R32G32B32A32_SFLOAT, 16, false},
    [TRM_FORMAT_RGB10A2_UNORM] = {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, false},
    [TRM_FORMAT_RGB10A2_UINT]  = {VK_FORMAT_A2B10G10R10_UINT_PACK32, 4, true},
    [TRM_FORMAT_RG11B10_FLOAT] = {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 4, false},
};

const struct vulkan_format *vulkan_format_find(int32_t format)
{
    if (format <= TRM_FORMAT_NONE || (size_t)format >= sizeof(formats) / sizeof(formats[0]))
        return NULL;
    return &formats[format];
}

static VkFormatProperties properties_of(const struct trm_backend_device *device, int32_t format)
{
    VkFormatProperties properties     = {0};
    const struct vulkan_format *found = vulkan_format_find(format);
    if (found != NULL)
        device->instance->vk.vkGetPhysicalDeviceFormatProperties(device->physical->handle, found->format,
                                                                 &properties);
    return properties;
}

VkFormatFeatureFlags vulkan_format_image_features(const struct trm_backend_device *device, int32_t format)
{
    return properties_of(device, format).optimalTilingFeatures;
}

bool vulkan_format_is_comparable(const struct trm_backend_device *device, int32_t format)
{
    const struct vulkan_format *found = vulkan_format_find(format);
    VkFormatProperties3 properties    = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    VkFormatProperties2 chain = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, .pNext = &properties};
    if (found == NULL || device->physical->version < VK_API_VERSION_1_3)
        return false;
    device->instance->vk.vkGetPhysicalDeviceFormatProperties2(device->physical->handle, found->format,
                                                              &chain);
    return (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT) != 0;
}

VkFormatFeatureFlags vulkan_format_buffer_features(const struct trm_backend_device *device, int32_t format)
{
    return properties_of(device, format).bufferFeatures;
}
