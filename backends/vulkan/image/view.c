/* vulkan backend: views of images.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/image/image.h"

static bool is_storage(enum vulkan_view_use use)
{
    return use == VULKAN_VIEW_STORAGE || use == VULKAN_VIEW_STORAGE_LAYERS;
}

static VkImageViewType type_of(int32_t type, enum vulkan_view_use use)
{
    if (use == VULKAN_VIEW_STORAGE_LAYERS || use == VULKAN_VIEW_SAMPLED_LAYERS)
        return VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    switch (type) {
    case TRM_IMAGE_1D:
        return VK_IMAGE_VIEW_TYPE_1D;
    case TRM_IMAGE_3D:
        return VK_IMAGE_VIEW_TYPE_3D;
    case TRM_IMAGE_1D_ARRAY:
        return VK_IMAGE_VIEW_TYPE_1D_ARRAY;
    case TRM_IMAGE_2D_ARRAY:
        return VK_IMAGE_VIEW_TYPE_2D_ARRAY;
    case TRM_IMAGE_CUBE:
        return VK_IMAGE_VIEW_TYPE_CUBE;
    case TRM_IMAGE_CUBE_ARRAY:
        return VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
    default:
        return VK_IMAGE_VIEW_TYPE_2D;
    }
}

static int32_t create(struct trm_backend_image *image, enum vulkan_view_use use, uint32_t level,
                      VkImageView *view)
{
    struct trm_backend_device *device      = image->device;
    const VkImageViewUsageCreateInfo usage = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_USAGE_CREATE_INFO,
        .usage = is_storage(use) ? VK_IMAGE_USAGE_STORAGE_BIT : VK_IMAGE_USAGE_SAMPLED_BIT,
    };
    const VkImageViewCreateInfo info = {
        .sType            = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .pNext            = &usage,
        .image            = image->handle,
        .viewType         = type_of(image->desc.type, use),
        .format           = vulkan_format_find(image->desc.format)->format,
        .subresourceRange = {.aspectMask   = VK_IMAGE_ASPECT_COLOR_BIT,
                             .baseMipLevel = level,
                             .levelCount   = is_storage(use) ? 1 : image->desc.levels - level,
                             .layerCount   = image->desc.layers},
    };
    VkResult result = device->vk.vkCreateImageView(device->handle, &info, NULL, view);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreateImageView") : TRM_OK;
}

/* Of two threads that create the same view, one drops its own. */
int32_t vulkan_image_view(struct trm_backend_image *image, enum vulkan_view_use use, uint32_t level,
                          VkImageView *view)
{
    struct trm_backend_device *device = image->device;
    _Atomic(VkImageView) *place       = &image->views[use][level];
    VkImageView made = VK_NULL_HANDLE, found = atomic_load_explicit(place, memory_order_acquire);
    if (found == VK_NULL_HANDLE) {
        int32_t status = create(image, use, level, &made);
        if (status != TRM_OK)
            return status;
        if (atomic_compare_exchange_strong(place, &found, made))
            found = made;
        else
            device->vk.vkDestroyImageView(device->handle, made, NULL);
    }
    *view = found;
    return TRM_OK;
}

void vulkan_image_views_destroy(struct trm_backend_image *image)
{
    struct trm_backend_device *device = image->device;
    for (uint32_t use = 0; use < VULKAN_VIEW_USES; use++)
        for (uint32_t level = 0; level < image->desc.levels; level++)
            device->vk.vkDestroyImageView(device->handle, atomic_load(&image->views[use][level]), NULL);
}
