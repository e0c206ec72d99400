/* vulkan backend: creates images.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/image/image.h"

#include <inttypes.h>

/* ---- what the device can do -------------------------------------------------------------------- */

static VkImageType type_of(int32_t type)
{
    switch (type) {
    case TRM_IMAGE_1D:
    case TRM_IMAGE_1D_ARRAY:
        return VK_IMAGE_TYPE_1D;
    case TRM_IMAGE_3D:
        return VK_IMAGE_TYPE_3D;
    default:
        return VK_IMAGE_TYPE_2D;
    }
}

static VkImageCreateFlags flags_of(int32_t type)
{
    return type == TRM_IMAGE_CUBE || type == TRM_IMAGE_CUBE_ARRAY
               ? (VkImageCreateFlags)VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT
               : 0;
}

static VkImageUsageFlags usage_of(uint32_t usage)
{
    return VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
           ((usage & TRM_IMAGE_STORAGE) != 0 ? (VkImageUsageFlags)VK_IMAGE_USAGE_STORAGE_BIT : 0u) |
           ((usage & TRM_IMAGE_SAMPLED) != 0 ? (VkImageUsageFlags)VK_IMAGE_USAGE_SAMPLED_BIT : 0u);
}

static VkResult find_limits(const struct trm_backend_device *device, int32_t type, int32_t format,
                            uint32_t usage, VkImageFormatProperties *limits)
{
    const struct vulkan_format *found = vulkan_format_find(format);
    if (found == NULL)
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    if (type == TRM_IMAGE_CUBE_ARRAY && !device->physical->features.core.features.imageCubeArray)
        return VK_ERROR_FORMAT_NOT_SUPPORTED;
    return device->instance->vk.vkGetPhysicalDeviceImageFormatProperties(
        device->physical->handle, found->format, type_of(type), VK_IMAGE_TILING_OPTIMAL, usage_of(usage),
        flags_of(type), limits);
}

int32_t vulkan_image_supports(struct trm_backend_device *device, int32_t type, int32_t format, uint32_t usage)
{
    VkImageFormatProperties limits;
    VkResult result = find_limits(device, type, format, usage, &limits);
    if (result == VK_ERROR_FORMAT_NOT_SUPPORTED)
        return TRM_ERROR_UNSUPPORTED;
    return result < 0 ? vulkan_device_fail(device, result, "vkGetPhysicalDeviceImageFormatProperties")
                      : TRM_OK;
}

static int32_t check_limits(struct trm_backend_device *device, const struct trm_image_desc *desc)
{
    VkImageFormatProperties limits;
    VkResult result = find_limits(device, desc->type, desc->format, desc->usage, &limits);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkGetPhysicalDeviceImageFormatProperties");
    if (desc->width <= limits.maxExtent.width && desc->height <= limits.maxExtent.height &&
        desc->depth <= limits.maxExtent.depth && desc->layers <= limits.maxArrayLayers &&
        desc->levels <= limits.maxMipLevels)
        return TRM_OK;
    return trm_util_fail(
        device->instance->host, TRM_ERROR_OUT_OF_RANGE, 0,
        "An image of %" PRIu32 " x %" PRIu32 " x %" PRIu32 " texels in %" PRIu32 " layers and %" PRIu32
        " levels is too large: such images of %s have at most %" PRIu32 " x %" PRIu32 " x %" PRIu32
        " texels in %" PRIu32 " layers and %" PRIu32 " levels.",
        desc->width, desc->height, desc->depth, desc->layers, desc->levels,
        device->physical->properties.deviceName, limits.maxExtent.width, limits.maxExtent.height,
        limits.maxExtent.depth, limits.maxArrayLayers, limits.maxMipLevels);
}

/* ---- memory ------------------------------------------------------------------------------------ */

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) & ~(multiple - 1);
}

/* Allocates a piece of the heap. `alignment` counts from the beginning of the VkDeviceMemory, where the heap
 * aligns host addresses too: the piece has room to move. */
static int32_t take_piece(struct trm_backend_image *image, uint64_t size, uint64_t alignment)
{
    struct vulkan_heap *heap = image->device->heap;
    int32_t status           = vulkan_heap_allocate(heap, TRM_MEMORY_DEVICE, size, alignment, &image->memory);
    if (status != TRM_OK || (image->memory->base & (alignment - 1)) == 0)
        return status;
    vulkan_heap_free(image->memory);
    image->memory = NULL;
    return vulkan_heap_allocate(heap, TRM_MEMORY_DEVICE, size + alignment, alignment, &image->memory);
}

static int32_t bind(struct trm_backend_image *image, VkDeviceMemory memory, uint64_t offset)
{
    struct trm_backend_device *device = image->device;
    VkResult result = device->vk.vkBindImageMemory(device->handle, image->handle, memory, offset);
    return result < 0 ? vulkan_device_fail(device, result, "vkBindImageMemory") : TRM_OK;
}

/* For images that cannot be in the heap's memory: an allocation of their own, of the best type. */
static int32_t take_own(struct trm_backend_image *image, const VkMemoryRequirements *required)
{
    struct trm_backend_device *device = image->device;
    struct vulkan_type_choice choice;
    VkResult result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    vulkan_types_choose(&device->physical->memory, required->memoryTypeBits, TRM_MEMORY_DEVICE, false,
                        &choice);
    for (uint32_t i = 0; i < choice.count && result < 0; i++) {
        const VkMemoryAllocateInfo info = {
            .sType           = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
            .allocationSize  = required->size,
            .memoryTypeIndex = choice.types[i],
        };
        result = device->vk.vkAllocateMemory(device->handle, &info, NULL, &image->own);
    }
    if (result < 0)
        return vulkan_device_fail(device, result, "vkAllocateMemory for an image");
    return bind(image, image->own, 0);
}

static int32_t take_memory(struct trm_backend_image *image)
{
    struct trm_backend_device *device = image->device;
    uint64_t page                     = device->physical->properties.limits.bufferImageGranularity;
    VkMemoryRequirements required;
    device->vk.vkGetImageMemoryRequirements(device->handle, image->handle, &required);
    uint64_t alignment = required.alignment > page ? required.alignment : page;
    int32_t status     = take_piece(image, round_up(required.size, page), alignment);
    if (status != TRM_OK)
        return status;
    if ((required.memoryTypeBits & 1u << vulkan_memory_type(image->memory)) != 0)
        return bind(image, vulkan_memory_handle(image->memory), round_up(image->memory->base, alignment));
    vulkan_heap_free(image->memory);
    image->memory = NULL;
    return take_own(image, &required);
}

/* ---- creating and destroying ------------------------------------------------------------------- */

static int32_t make_handle(struct trm_backend_image *image)
{
    struct trm_backend_device *device  = image->device;
    const struct vulkan_queues *queues = &device->queues;
    const struct trm_image_desc *desc  = &image->desc;
    VkImageCreateInfo info             = {
                    .sType         = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                    .flags         = flags_of(desc->type),
                    .imageType     = type_of(desc->type),
                    .format        = vulkan_format_find(desc->format)->format,
                    .extent        = {desc->width, desc->height, desc->depth},
                    .mipLevels     = desc->levels,
                    .arrayLayers   = desc->layers,
                    .samples       = VK_SAMPLE_COUNT_1_BIT,
                    .tiling        = VK_IMAGE_TILING_OPTIMAL,
                    .usage         = usage_of(desc->usage),
                    .sharingMode   = VK_SHARING_MODE_EXCLUSIVE,
                    .initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
    };
    info.queueFamilyIndexCount = queues->sharing_count != 0 ? queues->sharing_count : queues->family_count;
    info.pQueueFamilyIndices   = queues->sharing_count != 0 ? queues->sharing : queues->families;
    if (info.queueFamilyIndexCount > 1)
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    VkResult result = device->vk.vkCreateImage(device->handle, &info, NULL, &image->handle);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreateImage") : TRM_OK;
}

static int32_t make(struct trm_backend_image *image)
{
    int32_t status = make_handle(image);
    if (status == TRM_OK)
        status = take_memory(image);
    return status == TRM_OK ? vulkan_layout_change(image->device->layouts, image->handle,
                                                   VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL)
                            : status;
}

int32_t vulkan_image_start(struct trm_backend_device *device, const struct trm_image_desc *desc,
                           struct trm_backend_image **image)
{
    int32_t status = vulkan_device_check(device);
    if (status == TRM_OK)
        status = check_limits(device, desc);
    if (status != TRM_OK)
        return status;
    struct trm_backend_image *made = trm_util_allocate(device->instance->host, sizeof(*made));
    if (made == NULL)
        return trm_util_fail_host_memory(device->instance->host, "an image");
    VkFormatFeatureFlags features = vulkan_format_image_features(device, desc->format);
    made->is_filterable           = (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT) != 0;
    made->is_comparable           = vulkan_format_is_comparable(device, desc->format);
    made->device                  = device;
    made->desc                    = *desc;
    *image                        = made;
    return TRM_OK;
}

int32_t vulkan_image_create(struct trm_backend_device *device, const struct trm_image_desc *desc,
                            struct trm_backend_image **image)
{
    struct trm_backend_image *made = NULL;
    int32_t status                 = vulkan_image_start(device, desc, &made);
    if (status != TRM_OK || made == NULL)
        return status;
    status = make(made);
    if (status != TRM_OK) {
        vulkan_image_destroy(made);
        return status;
    }
    *image = made;
    return TRM_OK;
}

void vulkan_image_destroy(struct trm_backend_image *image)
{
    struct trm_backend_device *device = image->device;
    vulkan_image_views_destroy(image);
    if (!image->is_adopted)
        device->vk.vkDestroyImage(device->handle, image->handle, NULL);
    if (image->memory != NULL)
        vulkan_heap_free(image->memory);
    device->vk.vkFreeMemory(device->handle, image->own, NULL);
    trm_util_release(device->instance->host, image, sizeof(*image));
}
