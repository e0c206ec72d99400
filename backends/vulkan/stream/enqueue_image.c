/* vulkan backend: enqueues copies of images.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/image/image.h"
#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/record/record.h"
#include "backends/vulkan/stream/staging.h"
#include "backends/vulkan/stream/stream_object.h"

static uint64_t texels(uint32_t width, uint32_t height, uint32_t depth, uint32_t layers)
{
    return (uint64_t)width * height * depth * layers;
}

static uint64_t bytes_of(const struct trm_image_copy_desc *desc)
{
    return vulkan_format_find(desc->part.image->desc.format)->bytes *
           texels(desc->width, desc->height, desc->depth, desc->layers);
}

/* Queues that only copy may be limited to offsets of four bytes, and to whole blocks of texels. */
#define COPY_ALIGNMENT 4u

static bool is_for_any_queue(const struct trm_backend_stream *stream, const struct trm_place *place)
{
    const VkExtent3D *grain =
        &stream->device->physical->families[stream->queue->family].minImageTransferGranularity;
    bool is_aligned =
        place == NULL || place->memory == NULL || (place->memory->base + place->offset) % COPY_ALIGNMENT == 0;
    return is_aligned && grain->width == 1 && grain->height == 1 && grain->depth == 1;
}

/* `place`: of a copy with memory; else NULL. */
static int32_t begin(struct trm_backend_stream *stream, const struct trm_place *place)
{
    int32_t status = vulkan_stream_check(stream);
    if (status != TRM_OK || stream->queue->can_compute || is_for_any_queue(stream, place))
        return status;
    return vulkan_stream_to_compute(stream);
}

static int32_t copy_on_device(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_image_copy_desc *desc)
{
    struct vulkan_batch *batch;
    int32_t status = vulkan_stream_open(stream, value, &batch);
    if (status == TRM_OK)
        status = vulkan_record_copy_image(&stream->recorder, desc);
    return status == TRM_OK ? vulkan_stream_note(stream, value, bytes_of(desc)) : status;
}

static int32_t image_copy(struct trm_backend_stream *stream, uint64_t value,
                          const struct trm_image_copy_desc *desc)
{
    struct trm_image_copy_desc own = *desc;
    vulkan_image_copy_find_host(stream->device, &own);
    vulkan_stream_lock(stream);
    int32_t status = begin(stream, &own.place);
    if (status == TRM_OK)
        status = own.place.memory != NULL ? copy_on_device(stream, value, &own)
                                          : vulkan_staging_image(stream, value, &own);
    vulkan_stream_unlock(stream);
    return status;
}

static int32_t image_transfer(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_image_transfer_desc *desc)
{
    struct vulkan_batch *batch;
    uint64_t texel = vulkan_format_find(desc->source.image->desc.format)->bytes;
    vulkan_stream_lock(stream);
    int32_t status = begin(stream, NULL);
    if (status == TRM_OK)
        status = vulkan_stream_open(stream, value, &batch);
    if (status == TRM_OK)
        status = vulkan_record_transfer_image(&stream->recorder, desc);
    if (status == TRM_OK)
        status = vulkan_stream_note(stream, value,
                                    texel * texels(desc->width, desc->height, desc->depth, desc->layers));
    vulkan_stream_unlock(stream);
    return status;
}

const struct trm_image_ops vulkan_image_ops = {
    .struct_size     = sizeof(vulkan_image_ops),
    .supports        = vulkan_image_supports,
    .create          = vulkan_image_create,
    .destroy         = vulkan_image_destroy,
    .copy            = image_copy,
    .transfer        = image_transfer,
    .sampler_create  = vulkan_sampler_create,
    .sampler_destroy = vulkan_sampler_destroy,
};
