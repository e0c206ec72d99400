/* vulkan backend: small copies between images and plain host memory, through pieces of pinned memory.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/image/image.h"
#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/record/record.h"
#include "backends/vulkan/stream/staging_internal.h"

static uint64_t row_of(const struct trm_image_copy_desc *desc)
{
    return (uint64_t)desc->width * vulkan_format_find(desc->part.image->desc.format)->bytes;
}

static uint64_t slices_of(const struct trm_image_copy_desc *desc)
{
    return (uint64_t)desc->depth * desc->layers;
}

/* The same copy with texels that follow each other in memory of the device. */
static struct trm_image_copy_desc packed(const struct trm_image_copy_desc *desc,
                                         struct trm_backend_memory *memory, uint64_t offset)
{
    struct trm_image_copy_desc copy = *desc;
    copy.place                      = (struct trm_place){.memory = memory, .offset = offset};
    copy.row_pitch                  = row_of(desc);
    copy.slice_pitch                = copy.row_pitch * desc->height;
    return copy;
}

static int32_t upload_small(struct trm_backend_stream *stream, struct vulkan_batch *batch,
                            const struct trm_image_copy_desc *desc)
{
    struct trm_backend_memory *piece = NULL;
    uint64_t offset = 0, row = row_of(desc), slice = row * desc->height;
    const unsigned char *host = desc->place.host;
    int32_t status = vulkan_staging_reserve(stream->device, batch, slice * slices_of(desc), &piece, &offset);
    if (status != TRM_OK)
        return status;
    for (uint64_t i = 0; i < slices_of(desc); i++)
        vulkan_copy_rows(piece->host + offset + i * slice, row, host + i * desc->slice_pitch, desc->row_pitch,
                         row, desc->height);
    const struct trm_image_copy_desc copy = packed(desc, piece, offset);
    return vulkan_record_copy_image(&stream->recorder, &copy);
}

/* The host copies one slice after the other out of the piece. */
static int32_t download_small(struct trm_backend_stream *stream, struct vulkan_batch *batch,
                              const struct trm_image_copy_desc *desc)
{
    struct trm_backend_memory *piece = NULL;
    uint64_t offset = 0, row = row_of(desc), slice = row * desc->height;
    unsigned char *host = desc->place.host;
    int32_t status = vulkan_staging_reserve(stream->device, batch, slice * slices_of(desc), &piece, &offset);
    if (status != TRM_OK)
        return status;
    const struct trm_image_copy_desc copy = packed(desc, piece, offset);
    status                                = vulkan_record_copy_image(&stream->recorder, &copy);
    for (uint64_t i = 0; i < slices_of(desc) && status == TRM_OK; i++) {
        const struct vulkan_host_copy rows = {
            .destination       = host + i * desc->slice_pitch,
            .source            = piece->host + offset + i * slice,
            .width             = row,
            .height            = desc->height,
            .destination_pitch = desc->row_pitch,
            .source_pitch      = row,
        };
        status = vulkan_batch_add_host_copy(stream, batch, &rows);
    }
    return status;
}

/* An operation that fails after some of its host copies were added would copy garbage to the host, so they
 * are taken back. */
static int32_t copy_small(struct trm_backend_stream *stream, uint64_t value,
                          const struct trm_image_copy_desc *desc)
{
    struct vulkan_batch *batch;
    int32_t status = vulkan_stream_open(stream, value, &batch);
    if (status != TRM_OK)
        return status;
    uint32_t copies = batch->host_copy_count;
    status = desc->to_image ? upload_small(stream, batch, desc) : download_small(stream, batch, desc);
    if (status != TRM_OK) {
        batch->host_copy_count = copies;
        return status;
    }
    if (!desc->to_image)
        stream->host_written = value;
    return vulkan_stream_note(stream, value, row_of(desc) * desc->height * slices_of(desc));
}

int32_t vulkan_staging_image(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_image_copy_desc *desc)
{
    bool is_small = row_of(desc) * desc->height * slices_of(desc) <= VULKAN_STAGING_SMALL;
    if (is_small && desc->to_image) {
        int32_t status = vulkan_staging_check_settled(stream, &is_small);
        if (status != TRM_OK)
            return status;
    }
    return is_small ? copy_small(stream, value, desc) : vulkan_staging_image_job(stream, value, desc);
}
