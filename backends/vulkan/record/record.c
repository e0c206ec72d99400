/* vulkan backend: the recorder: barriers and copies.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/record/record_internal.h"

#include <string.h>

#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/record/copy_kernel.h"

#define REGIONS_AT_ONCE 64u /* rows of a copy in one command */

/* ---- barriers -------------------------------------------------------------------------------------- */

static VkPipelineStageFlags stages(uint32_t flags)
{
    return ((flags & VULKAN_TRANSFER) != 0 ? VK_PIPELINE_STAGE_TRANSFER_BIT : 0u) |
           ((flags & VULKAN_KERNEL) != 0 ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : 0u);
}

static VkAccessFlags writes(uint32_t flags)
{
    return ((flags & VULKAN_TRANSFER) != 0 ? VK_ACCESS_TRANSFER_WRITE_BIT : 0u) |
           ((flags & VULKAN_KERNEL) != 0 ? VK_ACCESS_SHADER_WRITE_BIT : 0u);
}

static VkAccessFlags everything(uint32_t flags)
{
    return writes(flags) | ((flags & VULKAN_TRANSFER) != 0 ? VK_ACCESS_TRANSFER_READ_BIT : 0u) |
           ((flags & VULKAN_KERNEL) != 0 ? VK_ACCESS_SHADER_READ_BIT : 0u);
}

static void record_barrier(struct vulkan_recorder *recorder, VkPipelineStageFlags first, VkAccessFlags wrote,
                           VkPipelineStageFlags behind, VkAccessFlags sees)
{
    const VkMemoryBarrier memory = {
        .sType         = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = wrote,
        .dstAccessMask = sees,
    };
    recorder->device->vk.vkCmdPipelineBarrier(recorder->command, first, behind, 0, 1, &memory, 0, NULL, 0,
                                              NULL);
}

static uint32_t all_stages(const struct vulkan_recorder *recorder)
{
    return recorder->can_compute ? VULKAN_STAGES : VULKAN_TRANSFER;
}

static void emit(struct vulkan_recorder *recorder, const struct vulkan_barrier *needed)
{
    if (needed->source == 0)
        return;
    record_barrier(recorder, stages(needed->source), writes(needed->source_writes),
                   stages(needed->destination), everything(needed->destination));
    vulkan_access_apply_barrier(&recorder->accesses, needed, all_stages(recorder));
}

/* If there is no room for more, one access to everything replaces all. */
static void remember(struct vulkan_recorder *recorder, const struct vulkan_access *accesses, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (vulkan_access_add(&recorder->accesses, &accesses[i]))
            continue;
        struct vulkan_access any = {VK_NULL_HANDLE, 0, UINT64_MAX, VULKAN_READ | VULKAN_WRITE, 0};
        for (uint32_t k = 0; k < recorder->accesses.count; k++)
            any.flags |= recorder->accesses.each[k].flags & VULKAN_STAGES;
        any.flags |= accesses[i].flags & VULKAN_STAGES;
        recorder->accesses.count   = 1;
        recorder->accesses.each[0] = any;
    }
}

void vulkan_record_accesses(struct vulkan_recorder *recorder, const struct vulkan_access *accesses,
                            uint32_t count)
{
    struct vulkan_barrier needed = vulkan_access_find_barrier(&recorder->accesses, accesses, count);
    emit(recorder, &needed);
    remember(recorder, accesses, count);
}

struct vulkan_access vulkan_record_access(struct vulkan_recorder *recorder,
                                          const struct trm_backend_memory *memory, uint64_t offset,
                                          uint64_t size, uint32_t flags)
{
    uint64_t begin              = memory->base + offset;
    struct vulkan_access access = {memory->buffer, begin, begin + size, flags, 0};
    if ((flags & VULKAN_WRITE) != 0 && memory->host != NULL)
        recorder->host_written |= flags & VULKAN_STAGES;
    return access;
}

/* ---- beginning and end of a command buffer --------------------------------------------------------- */

void vulkan_record_begin(struct vulkan_recorder *recorder, VkCommandBuffer command)
{
    recorder->command       = command;
    recorder->bound         = VK_NULL_HANDLE;
    recorder->pushed.layout = VK_NULL_HANDLE;
}

void vulkan_record_bind(struct vulkan_recorder *recorder, VkPipeline pipeline)
{
    if (recorder->bound == pipeline)
        return;
    recorder->bound = pipeline;
    recorder->device->vk.vkCmdBindPipeline(recorder->command, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
}

void vulkan_record_end(struct vulkan_recorder *recorder)
{
    if (recorder->host_written == 0)
        return;
    record_barrier(recorder, stages(recorder->host_written), writes(recorder->host_written),
                   VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
    recorder->host_written = 0;
}

void vulkan_record_barrier_all(struct vulkan_recorder *recorder)
{
    uint32_t all = all_stages(recorder);
    record_barrier(recorder, stages(all), writes(all), stages(all), everything(all));
    vulkan_record_clear_accesses(recorder);
}

void vulkan_record_unknown_access(struct vulkan_recorder *recorder)
{
    const struct vulkan_access any = {VK_NULL_HANDLE, 0, UINT64_MAX,
                                      VULKAN_READ | VULKAN_WRITE | all_stages(recorder), 0};
    recorder->accesses.count       = 1;
    recorder->accesses.each[0]     = any;
}

void vulkan_record_clear_accesses(struct vulkan_recorder *recorder)
{
    recorder->accesses.count = 0;
}

void vulkan_record_fini(struct vulkan_recorder *recorder)
{
    if (recorder->scratch != NULL)
        vulkan_heap_free(recorder->scratch);
    recorder->scratch = NULL;
}

/* ---- copies ---------------------------------------------------------------------------------------- */

static void order_copy(struct vulkan_recorder *recorder, const struct trm_backend_memory *destination,
                       uint64_t to, uint64_t to_size, const struct trm_backend_memory *source, uint64_t from,
                       uint64_t from_size)
{
    const struct vulkan_access accesses[2] = {
        vulkan_record_access(recorder, source, from, from_size, VULKAN_READ | VULKAN_TRANSFER),
        vulkan_record_access(recorder, destination, to, to_size, VULKAN_WRITE | VULKAN_TRANSFER),
    };
    vulkan_record_accesses(recorder, accesses, 2);
}

static void copy_by_engine(struct vulkan_recorder *recorder, const struct trm_backend_memory *destination,
                           uint64_t to, const struct trm_backend_memory *source, uint64_t from, uint64_t size)
{
    const VkBufferCopy region = {source->base + from, destination->base + to, size};
    order_copy(recorder, destination, to, size, source, from, size);
    recorder->device->vk.vkCmdCopyBuffer(recorder->command, source->buffer, destination->buffer, 1, &region);
}

int32_t vulkan_record_copy(struct vulkan_recorder *recorder, struct trm_backend_memory *destination,
                           uint64_t to, struct trm_backend_memory *source, uint64_t from, uint64_t size)
{
    uint64_t done = 0;
    if (vulkan_copies_by_kernel(recorder, destination, to, source, from, size)) {
        done           = size & ~UINT64_C(3);
        int32_t status = vulkan_record_copy_kernel(recorder, destination, to, source, from, done);
        if (status != TRM_OK)
            return status;
    }
    if (done < size)
        copy_by_engine(recorder, destination, to + done, source, from + done, size - done);
    return TRM_OK;
}

int32_t vulkan_record_copy_2d(struct vulkan_recorder *recorder, struct trm_backend_memory *destination,
                              uint64_t to, uint64_t destination_pitch, struct trm_backend_memory *source,
                              uint64_t from, uint64_t source_pitch, uint64_t width, uint64_t height)
{
    VkBufferCopy regions[REGIONS_AT_ONCE];
    if (height == 1 || (destination_pitch == width && source_pitch == width))
        return vulkan_record_copy(recorder, destination, to, source, from, width * height);
    order_copy(recorder, destination, to, (height - 1) * destination_pitch + width, source, from,
               (height - 1) * source_pitch + width);
    for (uint64_t row = 0; row < height;) {
        uint32_t count = 0;
        for (; count < REGIONS_AT_ONCE && row < height; count++, row++) {
            regions[count].srcOffset = source->base + from + row * source_pitch;
            regions[count].dstOffset = destination->base + to + row * destination_pitch;
            regions[count].size      = width;
        }
        recorder->device->vk.vkCmdCopyBuffer(recorder->command, source->buffer, destination->buffer, count,
                                             regions);
    }
    return TRM_OK;
}

/* ---- the device's part ----------------------------------------------------------------------------- */

#define DUMMY_BYTES 256u

uint32_t vulkan_family_index(const struct trm_backend_device *device, const struct vulkan_queue *queue)
{
    uint32_t place = 0;
    while (place + 1 < device->queues.family_count && device->queues.families[place] != queue->family)
        place++;
    return place;
}

int32_t vulkan_record_dummy(struct trm_backend_device *device, struct trm_backend_memory **dummy)
{
    int32_t status = TRM_OK;
    *dummy         = atomic_load_explicit(&device->dummy, memory_order_acquire);
    if (*dummy != NULL)
        return TRM_OK;
    pthread_mutex_lock(&device->lazy_lock);
    *dummy = atomic_load_explicit(&device->dummy, memory_order_relaxed);
    if (*dummy == NULL) {
        status = vulkan_heap_allocate(device->heap, TRM_MEMORY_DEVICE, DUMMY_BYTES, DUMMY_BYTES, dummy);
        if (status == TRM_OK)
            atomic_store_explicit(&device->dummy, *dummy, memory_order_release);
    }
    pthread_mutex_unlock(&device->lazy_lock);
    return status;
}

int32_t vulkan_record_init_device(struct trm_backend_device *device)
{
    atomic_init(&device->dummy, NULL);
    atomic_init(&device->copy_kernel, NULL);
    if (pthread_mutex_init(&device->lazy_lock, NULL) != 0)
        return trm_util_fail_host_memory(device->instance->host, "a device");
    return TRM_OK;
}

void vulkan_record_fini_device(struct trm_backend_device *device)
{
    struct trm_backend_memory *dummy = atomic_load_explicit(&device->dummy, memory_order_relaxed);
    if (dummy != NULL)
        vulkan_heap_free(dummy);
    vulkan_copy_kernel_fini(device);
    pthread_mutex_destroy(&device->lazy_lock);
}
