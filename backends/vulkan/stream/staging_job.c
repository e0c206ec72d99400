/* vulkan backend: large copies from and to plain host memory, as jobs of the copying thread.
 *
 * A job copies directly if the host reaches the device memory. Otherwise it works piece by piece: the device
 * copies one while the host copies another. When a job runs, everything before it in the stream is complete,
 * and nothing after it has begun.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "backends/vulkan/image/image.h"
#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/record/record.h"
#include "backends/vulkan/stream/staging_internal.h"

struct vulkan_copy_job {
    struct vulkan_job job; /* must be first */
    struct vulkan_copy_job *next;
    struct trm_backend_device *device;
    struct vulkan_queue *queue;
    struct trm_backend_memory *memory;
    uint64_t offset, memory_pitch;
    unsigned char *host;
    uint64_t host_pitch;
    uint64_t width, height;
    bool upload;
    /* Of an image, else image.struct_size is 0: `width` and `height` are of a slice, `memory` is NULL. */
    struct trm_image_copy_desc image;
    uint64_t host_slice_pitch, slices;
    /* The device waits for this value, which is already reached, so that earlier writes are visible. */
    struct vulkan_timeline *timeline;
    uint64_t before;
};

/* A part that fits in a piece: whole slices of an image, whole rows, or a part of one row. */
struct chunk {
    uint64_t row, column, width, height;
    uint64_t slice, slices;
};

/* ---- lanes ----------------------------------------------------------------------------------------- */

static int32_t lane_commands(struct trm_backend_device *device, struct vulkan_lane *lane, uint32_t place,
                             uint32_t family)
{
    const VkCommandPoolCreateInfo pool = {
        .sType            = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags            = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = family,
    };
    VkResult result = device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &lane->pools[place]);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo info = {
        .sType              = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool        = lane->pools[place],
        .level              = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    result = device->vk.vkAllocateCommandBuffers(device->handle, &info, &lane->commands[place]);
    if (result == VK_SUCCESS)
        return TRM_OK;
    device->vk.vkDestroyCommandPool(device->handle, lane->pools[place], NULL);
    lane->pools[place] = VK_NULL_HANDLE;
    return vulkan_device_fail(device, result, "vkAllocateCommandBuffers");
}

static int32_t lane_make(struct trm_backend_device *device, struct vulkan_lane *lane, uint32_t place,
                         uint32_t family)
{
    int32_t status = TRM_OK;
    if (lane->memory == NULL)
        status =
            vulkan_heap_allocate(device->heap, TRM_MEMORY_PINNED, VULKAN_STAGING_PIECE, 256, &lane->memory);
    if (status == TRM_OK && lane->pools[place] == VK_NULL_HANDLE)
        status = lane_commands(device, lane, place, family);
    return status;
}

/* Creates what the job needs when it is enqueued, so that a lack of memory fails that call. */
static int32_t lanes_make(struct trm_backend_device *device, const struct vulkan_queue *queue)
{
    struct vulkan_stager *stager = device->stager;
    uint32_t place               = vulkan_family_index(device, queue);
    int32_t status               = vulkan_copy_kernel_prepare(device);
    pthread_mutex_lock(&stager->making);
    if (status == TRM_OK && stager->timeline == NULL)
        status = vulkan_timeline_create(device, &stager->timeline);
    for (uint32_t i = 0; i < VULKAN_LANES && status == TRM_OK; i++)
        status = lane_make(device, &stager->lanes[i], place, queue->family);
    pthread_mutex_unlock(&stager->making);
    return status;
}

static int32_t lane_wait(struct vulkan_stager *stager, struct vulkan_lane *lane)
{
    if (lane->busy == 0)
        return TRM_OK;
    int32_t status = vulkan_timeline_wait(stager->timeline, lane->busy, UINT64_MAX);
    if (status == TRM_OK)
        lane->busy = 0;
    return status;
}

void vulkan_lanes_fini(struct trm_backend_device *device)
{
    struct vulkan_stager *stager = device->stager;
    for (uint32_t i = 0; i < VULKAN_LANES; i++) {
        struct vulkan_lane *lane = &stager->lanes[i];
        for (uint32_t k = 0; k < VULKAN_FAMILIES_MOST; k++)
            if (lane->pools[k] != VK_NULL_HANDLE)
                device->vk.vkDestroyCommandPool(device->handle, lane->pools[k], NULL);
        if (lane->memory != NULL)
            vulkan_heap_free(lane->memory);
    }
    vulkan_timeline_release(stager->timeline);
    while (stager->jobs != NULL) {
        struct vulkan_copy_job *next = stager->jobs->next;
        trm_util_release(device->instance->host, stager->jobs, sizeof(*next));
        stager->jobs = next;
    }
}

/* ---- one piece ------------------------------------------------------------------------------------- */

static uint64_t memory_at(const struct vulkan_copy_job *job, const struct chunk *chunk)
{
    return job->offset + chunk->row * job->memory_pitch + chunk->column;
}

static unsigned char *host_at(const struct vulkan_copy_job *job, const struct chunk *chunk)
{
    return job->host + chunk->slice * job->host_slice_pitch + chunk->row * job->host_pitch + chunk->column;
}

/* Copies between the host and the lane, where the chunk has no gaps. */
static void copy_on_host(const struct vulkan_copy_job *job, const struct vulkan_lane *lane,
                         const struct chunk *chunk)
{
    for (uint64_t i = 0; i < chunk->slices; i++) {
        unsigned char *host  = host_at(job, chunk) + i * job->host_slice_pitch;
        unsigned char *piece = lane->memory->host + i * chunk->width * chunk->height;
        if (job->upload)
            vulkan_copy_rows(piece, chunk->width, host, job->host_pitch, chunk->width, chunk->height);
        else
            vulkan_copy_rows(host, job->host_pitch, piece, chunk->width, chunk->width, chunk->height);
    }
}

static int32_t submit(struct vulkan_copy_job *job, struct vulkan_lane *lane, VkCommandBuffer command)
{
    struct vulkan_stager *stager               = job->device->stager;
    const uint64_t value                       = stager->value + 1;
    const VkPipelineStageFlags stage           = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType                     = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount   = 1,
        .pWaitSemaphoreValues      = &job->before,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues    = &value,
    };
    const VkSubmitInfo info = {
        .sType                = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext                = &values,
        .waitSemaphoreCount   = 1,
        .pWaitSemaphores      = &job->timeline->semaphore,
        .pWaitDstStageMask    = &stage,
        .commandBufferCount   = 1,
        .pCommandBuffers      = &command,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores    = &stager->timeline->semaphore,
    };
    int32_t status = vulkan_queue_submit(job->device, job->queue, 1, &info);
    if (status != TRM_OK)
        return status;
    stager->value = value;
    lane->busy    = value;
    atomic_store(&stager->timeline->submitted, value);
    return TRM_OK;
}

/* An image has slices, or layers, or one of both. */
static int32_t record_image(struct vulkan_copy_job *job, const struct vulkan_lane *lane,
                            const struct chunk *chunk, struct vulkan_recorder *recorder)
{
    struct trm_image_copy_desc desc = job->image;
    desc.place                      = (struct trm_place){.memory = lane->memory};
    desc.row_pitch                  = chunk->width;
    desc.slice_pitch                = chunk->width * chunk->height;
    desc.part.y += (uint32_t)chunk->row;
    desc.height = (uint32_t)chunk->height;
    if (job->image.depth > 1) {
        desc.part.z += (uint32_t)chunk->slice;
        desc.depth = (uint32_t)chunk->slices;
    } else {
        desc.part.layer += (uint32_t)chunk->slice;
        desc.layers = (uint32_t)chunk->slices;
    }
    return vulkan_record_copy_image(recorder, &desc);
}

static int32_t record_rows(struct vulkan_copy_job *job, const struct vulkan_lane *lane,
                           const struct chunk *chunk, struct vulkan_recorder *recorder)
{
    if (job->upload)
        return vulkan_record_copy_2d(recorder, job->memory, memory_at(job, chunk), job->memory_pitch,
                                     lane->memory, 0, chunk->width, chunk->width, chunk->height);
    return vulkan_record_copy_2d(recorder, lane->memory, 0, chunk->width, job->memory, memory_at(job, chunk),
                                 job->memory_pitch, chunk->width, chunk->height);
}

static bool is_of_image(const struct vulkan_copy_job *job)
{
    return job->image.struct_size != 0;
}

static int32_t record(struct vulkan_copy_job *job, struct vulkan_lane *lane, const struct chunk *chunk,
                      VkCommandBuffer command)
{
    struct trm_backend_device *device   = job->device;
    struct vulkan_recorder recorder     = {.device = device, .can_compute = job->queue->can_compute};
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    VkResult result = device->vk.vkBeginCommandBuffer(command, &info);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkBeginCommandBuffer");
    vulkan_record_begin(&recorder, command);
    int32_t status = is_of_image(job) ? record_image(job, lane, chunk, &recorder)
                                      : record_rows(job, lane, chunk, &recorder);
    vulkan_record_end(&recorder);
    result = device->vk.vkEndCommandBuffer(command);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkEndCommandBuffer");
    return status;
}

static int32_t start(struct vulkan_copy_job *job, struct vulkan_lane *lane, const struct chunk *chunk)
{
    struct trm_backend_device *device = job->device;
    uint32_t place                    = vulkan_family_index(device, job->queue);
    VkResult result                   = device->vk.vkResetCommandPool(device->handle, lane->pools[place], 0);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkResetCommandPool");
    if (job->upload)
        copy_on_host(job, lane, chunk);
    int32_t status = record(job, lane, chunk, lane->commands[place]);
    return status == TRM_OK ? submit(job, lane, lane->commands[place]) : status;
}

/* Waits for the lane's copy and finishes a download. */
static int32_t finish(struct vulkan_copy_job *job, struct vulkan_lane *lane, const struct chunk *chunk)
{
    bool download  = lane->busy != 0 && !job->upload;
    int32_t status = lane_wait(job->device->stager, lane);
    if (status == TRM_OK && download)
        copy_on_host(job, lane, chunk);
    return status;
}

/* ---- the whole copy -------------------------------------------------------------------------------- */

/* The stream has failed or the device is lost, so the rest is not needed. */
static bool is_given_up(const struct vulkan_copy_job *job)
{
    return atomic_load(&job->timeline->failure) != TRM_OK || vulkan_device_is_lost(job->device);
}

/* Whole slices if they fit, else rows of one slice. */
static bool chunk_next_of_image(const struct vulkan_copy_job *job, struct chunk *chunk)
{
    uint64_t slice = job->width * job->height;
    if (slice == 0)
        return false;
    chunk->width = job->width;
    chunk->row += chunk->height;
    if (chunk->row >= job->height) {
        chunk->row = 0;
        chunk->slice += chunk->slices;
    }
    uint64_t left = job->slices - chunk->slice, rows = VULKAN_STAGING_PIECE / job->width;
    if (left == 0)
        return false;
    if (slice <= VULKAN_STAGING_PIECE) {
        uint64_t most = VULKAN_STAGING_PIECE / slice;
        chunk->slices = most < left ? most : left;
        chunk->height = job->height;
        return true;
    }
    chunk->slices = 1;
    chunk->height = rows < job->height - chunk->row ? rows : job->height - chunk->row;
    return true;
}

static bool chunk_next(const struct vulkan_copy_job *job, struct chunk *chunk)
{
    if (is_of_image(job))
        return chunk_next_of_image(job, chunk);
    chunk->slices = 1;
    chunk->column += chunk->width;
    if (chunk->column >= job->width) {
        chunk->column = 0;
        chunk->row += chunk->height;
    }
    if (chunk->row >= job->height || job->width == 0)
        return false;
    uint64_t rows = VULKAN_STAGING_PIECE / job->width, left = job->width - chunk->column;
    if (rows == 0) {
        chunk->height = 1;
        chunk->width  = left < VULKAN_STAGING_PIECE ? left : VULKAN_STAGING_PIECE;
        return true;
    }
    chunk->height = rows < job->height - chunk->row ? rows : job->height - chunk->row;
    chunk->width  = job->width;
    return true;
}

static int32_t run_by_pieces(struct vulkan_copy_job *job)
{
    struct vulkan_stager *stager      = job->device->stager;
    struct chunk chunks[VULKAN_LANES] = {{0}}, chunk = {0};
    uint32_t turn  = 0;
    int32_t status = TRM_OK;
    for (; status == TRM_OK && !is_given_up(job) && chunk_next(job, &chunk);
         turn = (turn + 1) % VULKAN_LANES) {
        status = finish(job, &stager->lanes[turn], &chunks[turn]);
        if (status != TRM_OK)
            break;
        chunks[turn] = chunk;
        status       = start(job, &stager->lanes[turn], &chunk);
    }
    /* Also after a failure: a job leaves nothing in flight. */
    for (uint32_t i = 0; i < VULKAN_LANES; i++, turn = (turn + 1) % VULKAN_LANES) {
        int32_t ended = finish(job, &stager->lanes[turn], &chunks[turn]);
        if (status == TRM_OK)
            status = ended;
    }
    return status;
}

static int32_t run_directly(const struct vulkan_copy_job *job)
{
    unsigned char *memory = job->memory->host + job->offset;
    if (job->upload)
        vulkan_copy_rows(memory, job->memory_pitch, job->host, job->host_pitch, job->width, job->height);
    else
        vulkan_copy_rows(job->host, job->host_pitch, memory, job->memory_pitch, job->width, job->height);
    return TRM_OK;
}

/* Reading uncached device memory over a bus is slow; writing is not. */
static bool is_direct(const struct vulkan_copy_job *job)
{
    return !is_of_image(job) && job->memory->host != NULL &&
           (job->upload || job->memory->kind != TRM_MEMORY_DEVICE || job->device->physical->unified);
}

static int32_t job_run(struct vulkan_job *base)
{
    struct vulkan_copy_job *job = (struct vulkan_copy_job *)base;
    int32_t status              = is_direct(job) ? run_directly(job) : run_by_pieces(job);
    if (status != TRM_OK)
        snprintf(base->sentence, sizeof(base->sentence),
                 "A copy of %" PRIu64 " bytes %s host memory failed in staging memory.",
                 job->width * job->height * job->slices, job->upload ? "from" : "to");
    return status;
}

/* ---- creating jobs --------------------------------------------------------------------------------- */

static void job_release(struct vulkan_job *base)
{
    struct vulkan_copy_job *job  = (struct vulkan_copy_job *)base;
    struct vulkan_stager *stager = job->device->stager;
    vulkan_timeline_release(job->timeline);
    pthread_mutex_lock(&stager->lock);
    job->next    = stager->jobs;
    stager->jobs = job;
    pthread_mutex_unlock(&stager->lock);
}

static struct vulkan_copy_job *job_take(struct trm_backend_device *device)
{
    struct vulkan_stager *stager = device->stager;
    pthread_mutex_lock(&stager->lock);
    struct vulkan_copy_job *job = stager->jobs;
    if (job != NULL)
        stager->jobs = job->next;
    pthread_mutex_unlock(&stager->lock);
    return job != NULL ? job : trm_util_allocate(device->instance->host, sizeof(*job));
}

/* Contiguous rows become a single row. */
static void set_shape(struct vulkan_copy_job *job, const struct trm_copy_2d_desc *desc)
{
    job->width  = desc->width;
    job->height = desc->height;
    if (desc->destination_pitch == desc->width && desc->source_pitch == desc->width) {
        job->width  = desc->width * desc->height;
        job->height = 1;
    }
}

/* The job comes from a list, and has old values. */
static void prepare(struct vulkan_copy_job *job, struct trm_backend_stream *stream)
{
    *job = (struct vulkan_copy_job){
        .job      = {.run = job_run, .release = job_release, .stream = stream},
        .device   = stream->device,
        .queue    = stream->queue,
        .slices   = 1,
        .timeline = stream->timeline,
        .before   = stream->enqueued,
    };
    vulkan_timeline_retain(job->timeline);
}

static void describe(struct vulkan_copy_job *job, const struct trm_copy_2d_desc *desc)
{
    job->upload                    = desc->source.memory == NULL;
    const struct trm_place *memory = job->upload ? &desc->destination : &desc->source;
    job->memory                    = memory->memory;
    job->offset                    = memory->offset;
    job->memory_pitch              = job->upload ? desc->destination_pitch : desc->source_pitch;
    job->host                      = job->upload ? desc->source.host : desc->destination.host;
    job->host_pitch                = job->upload ? desc->source_pitch : desc->destination_pitch;
    set_shape(job, desc);
}

static void describe_image(struct vulkan_copy_job *job, const struct trm_image_copy_desc *desc)
{
    job->image             = *desc;
    job->image.struct_size = sizeof(job->image);
    job->upload            = desc->to_image != 0;
    job->host              = desc->place.host;
    job->host_pitch        = desc->row_pitch;
    job->host_slice_pitch  = desc->slice_pitch;
    job->width             = (uint64_t)desc->width * vulkan_format_find(desc->part.image->desc.format)->bytes;
    job->height            = desc->height;
    job->slices            = (uint64_t)desc->depth * desc->layers;
}

/* Enqueues the job, or releases it. */
static int32_t enqueue(struct trm_backend_stream *stream, uint64_t value, struct vulkan_copy_job *job)
{
    int32_t status = is_direct(job) ? TRM_OK : lanes_make(job->device, job->queue);
    if (status == TRM_OK)
        status = vulkan_stream_add_job(stream, value, &job->job);
    if (status != TRM_OK) {
        job_release(&job->job);
        return status;
    }
    stream->host_written = value;
    return TRM_OK;
}

int32_t vulkan_staging_job(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_2d_desc *desc)
{
    struct vulkan_copy_job *job = job_take(stream->device);
    if (job == NULL)
        return trm_util_fail_host_memory(stream->device->instance->host, "a copy");
    prepare(job, stream);
    describe(job, desc);
    return enqueue(stream, value, job);
}

int32_t vulkan_staging_image_job(struct trm_backend_stream *stream, uint64_t value,
                                 const struct trm_image_copy_desc *desc)
{
    struct vulkan_copy_job *job = job_take(stream->device);
    if (job == NULL)
        return trm_util_fail_host_memory(stream->device->instance->host, "a copy");
    prepare(job, stream);
    describe_image(job, desc);
    if (job->width <= VULKAN_STAGING_PIECE)
        return enqueue(stream, value, job);
    job_release(&job->job);
    return trm_util_fail(stream->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "A row of an image has more than %" PRIu64
                         " bytes, which is all of a piece of staging memory.",
                         VULKAN_STAGING_PIECE);
}
