/* vulkan backend: images of the application's.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/image/image.h"

/* The layouts that an image of colors can be in. */
static bool is_layout(int32_t layout)
{
    switch (layout) {
    case VK_IMAGE_LAYOUT_GENERAL:
    case VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL:
    case VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL:
    case VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL:
    case VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL:
    case VK_IMAGE_LAYOUT_PRESENT_SRC_KHR:
        return true;
    default:
        return false;
    }
}

static int32_t fail_layout(const struct trm_backend_device *device, int32_t layout)
{
    return trm_util_fail(device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                         "%d is not a VkImageLayout that an image can have here.", layout);
}

int32_t vulkan_image_adopt(struct trm_backend_device *device, const struct trm_image_desc *desc,
                           uint64_t native, int32_t layout, struct trm_backend_image **image)
{
    if (native == 0)
        return trm_util_fail(device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                             "The VkImage to adopt is VK_NULL_HANDLE.");
    if (!is_layout(layout) && layout != VK_IMAGE_LAYOUT_UNDEFINED)
        return fail_layout(device, layout);
    int32_t status = vulkan_image_start(device, desc, image);
    if (status != TRM_OK)
        return status;
    struct trm_backend_image *made = *image;
    made->is_adopted               = true;
    made->handle                   = (VkImage)(uintptr_t)native;
    status                         = layout == VK_IMAGE_LAYOUT_GENERAL
                                         ? TRM_OK
                                         : vulkan_layout_change(device->layouts, made->handle, (VkImageLayout)layout,
                                                                VK_IMAGE_LAYOUT_GENERAL);
    if (status != TRM_OK) {
        vulkan_image_destroy(made);
        *image = NULL;
    }
    return status;
}

int32_t vulkan_image_hand_back(struct trm_backend_image *image, int32_t layout)
{
    struct trm_backend_device *device = image->device;
    if (!is_layout(layout))
        return fail_layout(device, layout);
    if (layout == VK_IMAGE_LAYOUT_GENERAL)
        return TRM_OK;
    return vulkan_layout_change(device->layouts, image->handle, VK_IMAGE_LAYOUT_GENERAL,
                                (VkImageLayout)layout);
}
