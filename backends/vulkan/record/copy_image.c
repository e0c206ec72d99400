/* vulkan backend: records copies of images.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "backends/vulkan/image/image.h"
#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/record/record_internal.h"

#define TEXELS_MOST ((uint64_t)INT32_MAX) /* of a row's or slice's pitch */

/* Accesses of images are in units that no reads are joined over. */
#define UNIT UINT64_C(64)

/* The levels follow each other, each with its layers. */
struct vulkan_access vulkan_record_image_access(const struct trm_backend_image *image, uint32_t level,
                                                uint32_t layer, uint32_t layers, uint32_t flags)
{
    uint64_t first = (uint64_t)level * image->desc.layers + layer;
    return (struct vulkan_access){(VkBuffer)(uintptr_t)image, UNIT * first, UNIT * (first + layers), flags,
                                  0};
}

static VkImageSubresourceLayers layers_of(const struct trm_image_part *part, uint32_t layers)
{
    return (VkImageSubresourceLayers){
        .aspectMask     = VK_IMAGE_ASPECT_COLOR_BIT,
        .mipLevel       = part->level,
        .baseArrayLayer = part->layer,
        .layerCount     = layers,
    };
}

static VkOffset3D offset_of(const struct trm_image_part *part)
{
    return (VkOffset3D){(int32_t)part->x, (int32_t)part->y, (int32_t)part->z};
}

/* ---- copies with memory ---------------------------------------------------------------------------- */

uint64_t vulkan_image_copy_extent(const struct trm_image_copy_desc *desc)
{
    uint64_t texel = vulkan_format_find(desc->part.image->desc.format)->bytes;
    return ((uint64_t)desc->depth * desc->layers - 1) * desc->slice_pitch +
           (uint64_t)(desc->height - 1) * desc->row_pitch + desc->width * texel;
}

bool vulkan_image_copy_reaches(const struct trm_image_copy_desc *desc,
                               const struct trm_backend_memory *memory, uint64_t offset)
{
    uint64_t texel = vulkan_format_find(desc->part.image->desc.format)->bytes;
    return (memory->base + offset) % texel == 0;
}

void vulkan_image_copy_find_host(const struct trm_backend_device *device, struct trm_image_copy_desc *desc)
{
    uint64_t offset = 0;
    if (desc->place.memory != NULL)
        return;
    struct trm_backend_memory *memory =
        vulkan_heap_find_host(device->heap, desc->place.host, vulkan_image_copy_extent(desc), &offset);
    if (memory == NULL || !vulkan_image_copy_reaches(desc, memory, offset))
        return;
    desc->place.memory = memory;
    desc->place.offset = offset;
}

static int32_t find_region(const struct trm_backend_device *device, const struct trm_image_copy_desc *desc,
                           VkBufferImageCopy *region)
{
    uint64_t texel = vulkan_format_find(desc->part.image->desc.format)->bytes;
    bool has_rows  = desc->height > 1 || desc->depth * desc->layers > 1;
    uint64_t row   = has_rows ? desc->row_pitch / texel : 0;
    uint64_t slice = desc->depth * desc->layers > 1 ? desc->slice_pitch / desc->row_pitch : 0;
    *region        = (VkBufferImageCopy){
               .bufferOffset      = desc->place.memory->base + desc->place.offset,
               .bufferRowLength   = (uint32_t)row,
               .bufferImageHeight = (uint32_t)slice,
               .imageSubresource  = layers_of(&desc->part, desc->layers),
               .imageOffset       = offset_of(&desc->part),
               .imageExtent       = {desc->width, desc->height, desc->depth},
    };
    if (row > TEXELS_MOST || slice > TEXELS_MOST)
        return trm_util_fail(
            device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
            "A copy of an image with pitches of %" PRIu64 " and %" PRIu64 " bytes: %s counts at most %" PRIu64
            " texels to the next row, and rows to the next "
            "slice.",
            desc->row_pitch, desc->slice_pitch, device->physical->properties.deviceName, TEXELS_MOST);
    if (!vulkan_image_copy_reaches(desc, desc->place.memory, desc->place.offset))
        return trm_util_fail(
            device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
            "The texels of a copy begin in imported memory at an address that is not a multiple "
            "of their %" PRIu64 " bytes.",
            texel);
    return TRM_OK;
}

int32_t vulkan_record_copy_image(struct vulkan_recorder *recorder, const struct trm_image_copy_desc *desc)
{
    const struct vulkan_device_functions *vk = &recorder->device->vk;
    const struct trm_backend_memory *memory  = desc->place.memory;
    const struct trm_image_part *part        = &desc->part;
    bool to_image                            = desc->to_image != 0;
    VkBufferImageCopy region;
    int32_t status = find_region(recorder->device, desc, &region);
    if (status != TRM_OK)
        return status;
    const struct vulkan_access accesses[2] = {
        vulkan_record_image_access(part->image, part->level, part->layer, desc->layers,
                                   VULKAN_TRANSFER | (to_image ? VULKAN_WRITE : VULKAN_READ)),
        vulkan_record_access(recorder, memory, desc->place.offset, vulkan_image_copy_extent(desc),
                             VULKAN_TRANSFER | (to_image ? VULKAN_READ : VULKAN_WRITE)),
    };
    vulkan_record_accesses(recorder, accesses, 2);
    if (to_image)
        vk->vkCmdCopyBufferToImage(recorder->command, memory->buffer, part->image->handle,
                                   VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    else
        vk->vkCmdCopyImageToBuffer(recorder->command, part->image->handle, VK_IMAGE_LAYOUT_GENERAL,
                                   memory->buffer, 1, &region);
    return TRM_OK;
}

/* ---- copies between images ------------------------------------------------------------------------- */

static bool is_1d(const struct trm_backend_image *image)
{
    return image->desc.type == TRM_IMAGE_1D || image->desc.type == TRM_IMAGE_1D_ARRAY;
}

int32_t vulkan_record_transfer_image(struct vulkan_recorder *recorder,
                                     const struct trm_image_transfer_desc *desc)
{
    const struct trm_image_part *to = &desc->destination, *from = &desc->source;
    const struct vulkan_access accesses[2] = {
        vulkan_record_image_access(from->image, from->level, from->layer, desc->layers,
                                   VULKAN_TRANSFER | VULKAN_READ),
        vulkan_record_image_access(to->image, to->level, to->layer, desc->layers,
                                   VULKAN_TRANSFER | VULKAN_WRITE),
    };
    const VkImageCopy region = {
        .srcSubresource = layers_of(from, desc->layers),
        .srcOffset      = offset_of(from),
        .dstSubresource = layers_of(to, desc->layers),
        .dstOffset      = offset_of(to),
        .extent         = {desc->width, desc->height, desc->depth},
    };
    if (is_1d(to->image) != is_1d(from->image))
        return trm_util_fail(recorder->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "Vulkan cannot copy between 1D images and images of other dimensions.");
    vulkan_record_accesses(recorder, accesses, 2);
    recorder->device->vk.vkCmdCopyImage(recorder->command, from->image->handle, VK_IMAGE_LAYOUT_GENERAL,
                                        to->image->handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    return TRM_OK;
}
