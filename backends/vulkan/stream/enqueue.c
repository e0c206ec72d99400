/* vulkan backend: enqueues copies, fills and launches. One thread at a time enqueues; the stream's lock keeps
 * out threads that submit.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/module/module.h"
#include "backends/vulkan/record/record.h"
#include "backends/vulkan/stream/staging.h"
#include "backends/vulkan/stream/stream_object.h"

/* ---- copies ---------------------------------------------------------------------------------------- */

struct trm_copy_2d_desc vulkan_copy_as_rows(const struct trm_copy_desc *desc)
{
    return (struct trm_copy_2d_desc){
        .struct_size       = sizeof(struct trm_copy_2d_desc),
        .destination       = desc->destination,
        .source            = desc->source,
        .destination_pitch = desc->size,
        .source_pitch      = desc->size,
        .width             = desc->size,
        .height            = 1,
    };
}

/* Replaces a host pointer by memory that the device reaches, if there is any. */
static void find_host(struct trm_backend_device *device, struct trm_place *place, uint64_t pitch,
                      uint64_t width, uint64_t height)
{
    uint64_t offset;
    if (place->memory != NULL)
        return;
    struct trm_backend_memory *memory =
        vulkan_heap_find_host(device->heap, place->host, (height - 1) * pitch + width, &offset);
    if (memory == NULL)
        return;
    place->memory = memory;
    place->offset = offset;
}

/* Moves a stream that only copies to the queue that is best for its large copies; small copies follow. Copy
 * kernels that upload for the program's kernels go to the queue of those, because NVIDIA's driver need not
 * switch queues then (16 MiB in role streams on an H200: 460 us a token; with three queues 510 to 525 us;
 * with downloads on that queue too 690 us). */
static int32_t choose_queue(struct trm_backend_stream *stream, uint64_t bytes)
{
    struct trm_backend_device *device = stream->device;
    bool up                           = stream->role == TRM_STREAM_UPLOAD;
    if (!device->copies_small_by_engine || stream->computes || bytes < VULKAN_LARGE_COPY ||
        (!up && stream->role != TRM_STREAM_DOWNLOAD))
        return TRM_OK;
    bool by_kernel              = vulkan_kernel_timing_copy(&device->kernel_timing, up, bytes);
    struct vulkan_queue *reader = atomic_load_explicit(&stream->reader, memory_order_relaxed);
    if (up && by_kernel && reader != NULL)
        return vulkan_stream_join_queue(stream, reader);
    return vulkan_stream_change_queue(stream, by_kernel);
}

static int32_t copy_on_device(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc)
{
    struct vulkan_batch *batch;
    int32_t status = choose_queue(stream, desc->width * desc->height);
    if (status == TRM_OK)
        status = vulkan_stream_open(stream, value, &batch);
    if (status == TRM_OK)
        status = vulkan_record_copy_2d(&stream->recorder, desc->destination.memory, desc->destination.offset,
                                       desc->destination_pitch, desc->source.memory, desc->source.offset,
                                       desc->source_pitch, desc->width, desc->height);
    return status == TRM_OK ? vulkan_stream_note(stream, value, desc->width * desc->height) : status;
}

static int32_t copy_rows(struct trm_backend_stream *stream, uint64_t value, struct trm_copy_2d_desc *desc)
{
    find_host(stream->device, &desc->destination, desc->destination_pitch, desc->width, desc->height);
    find_host(stream->device, &desc->source, desc->source_pitch, desc->width, desc->height);
    vulkan_stream_lock(stream);
    int32_t status = vulkan_stream_check(stream);
    if (status == TRM_OK) {
        if (desc->source.memory == NULL)
            status = vulkan_staging_upload(stream, value, desc);
        else if (desc->destination.memory == NULL)
            status = vulkan_staging_download(stream, value, desc);
        else
            status = copy_on_device(stream, value, desc);
    }
    vulkan_stream_unlock(stream);
    return status;
}

int32_t vulkan_stream_copy(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_desc *desc)
{
    struct trm_copy_2d_desc rows = vulkan_copy_as_rows(desc);
    return copy_rows(stream, value, &rows);
}

int32_t vulkan_stream_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc)
{
    struct trm_copy_2d_desc rows = *desc;
    return copy_rows(stream, value, &rows);
}

/* ---- fills ----------------------------------------------------------------------------------------- */

int32_t vulkan_stream_fill(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_fill_desc *desc)
{
    struct vulkan_batch *batch;
    vulkan_stream_lock(stream);
    int32_t status = vulkan_stream_check(stream);
    if (status == TRM_OK)
        status = vulkan_stream_open(stream, value, &batch);
    if (status == TRM_OK)
        status = vulkan_record_fill(&stream->recorder, desc);
    if (status == TRM_OK)
        status = vulkan_stream_note(stream, value, desc->size);
    vulkan_stream_unlock(stream);
    return status;
}

/* ---- launches -------------------------------------------------------------------------------------- */

static int32_t launch(struct trm_backend_stream *stream, uint64_t value, const struct trm_launch_desc *desc)
{
    struct vulkan_batch *batch;
    int32_t status = vulkan_stream_open(stream, value, &batch);
    if (status == TRM_OK)
        status = vulkan_record_launch(&stream->recorder, desc);
    if (status == TRM_OK)
        batch->last_kernel = desc->kernel;
    return status;
}

int32_t vulkan_stream_launch(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_launch_desc *desc)
{
    vulkan_stream_lock(stream);
    int32_t status = vulkan_stream_check(stream);
    if (status == TRM_OK)
        status = vulkan_stream_to_compute(stream);
    bool is_timed = status == TRM_OK && vulkan_kernel_timing_begin(stream, value);
    if (status == TRM_OK)
        status = launch(stream, value, desc);
    if (status == VULKAN_RECORD_FULL) {
        status = vulkan_stream_close_batch(stream);
        if (status == TRM_OK)
            status = launch(stream, value, desc);
    }
    if (status == TRM_OK && is_timed)
        vulkan_kernel_timing_end(stream);
    if (status == TRM_OK)
        status = vulkan_stream_note(stream, value, 0);
    vulkan_stream_unlock(stream);
    return status;
}
