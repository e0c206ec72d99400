/* vulkan backend: how the heap allocates blocks from the driver.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/heap_internal.h"

#define FIRST_BLOCK (UINT64_C(1) << 20) /* bytes */
#define USUAL_BLOCK (UINT64_C(64) << 20)
#define SHARE 64 /* one block may be this fraction of all memory in blocks */
#define BLOCK_GRAIN (UINT64_C(64) << 10)
#define HOST_ALIGNMENT (UINT64_C(2) << 20) /* largest alignment that pieces are requested with */

static uint64_t round_up(uint64_t value, uint64_t multiple)
{
    return (value + multiple - 1) & ~(multiple - 1);
}

/* ---- any block ----------------------------------------------------------------------------- */

static bool is_import(const struct vulkan_block_desc *desc)
{
    return desc->host != NULL || desc->fd != NULL;
}

/* Whether the device's limits and its memory budget allow the block. */
static bool may_allocate(struct vulkan_heap *heap, const struct vulkan_block_desc *desc)
{
    const struct vulkan_physical *physical = heap->device->physical;
    uint32_t memory_heap                   = physical->memory.memoryTypes[desc->type].heapIndex;

    if (desc->size > physical->max_allocation_bytes || desc->size > physical->max_buffer_bytes)
        return false;
    pthread_mutex_lock(&heap->lock);
    uint64_t held  = heap->held[memory_heap];
    uint32_t count = heap->block_count;
    pthread_mutex_unlock(&heap->lock);
    if (count >= physical->properties.limits.maxMemoryAllocationCount)
        return false;
    return is_import(desc) || desc->size <= vulkan_block_budget(heap->device, memory_heap, held);
}

static void count_block(struct vulkan_heap *heap, const struct vulkan_block *block, bool more)
{
    uint32_t memory_heap = heap->device->physical->memory.memoryTypes[block->type].heapIndex;
    uint64_t bytes       = more ? block->size : -block->size;

    pthread_mutex_lock(&heap->lock);
    heap->held[memory_heap] += bytes;
    heap->reserved += bytes;
    heap->block_count += more ? 1 : UINT32_MAX;
    pthread_mutex_unlock(&heap->lock);
}

VkResult vulkan_heap_make_block(struct vulkan_heap *heap, const struct vulkan_block_desc *desc,
                                struct vulkan_block **block, struct vulkan_block_failure *failure)
{
    if (!may_allocate(heap, desc)) {
        *failure = (struct vulkan_block_failure){VK_ERROR_OUT_OF_DEVICE_MEMORY, NULL};
        return failure->result;
    }
    VkResult result = vulkan_block_create(heap->device, desc, block, failure);
    if (result == VK_SUCCESS)
        count_block(heap, *block, true);
    return result;
}

void vulkan_heap_drop_block(struct vulkan_heap *heap, struct vulkan_block *block)
{
    vulkan_host_ranges_remove(&heap->host_ranges, &block->whole);
    count_block(heap, block, false);
    vulkan_block_destroy(block);
}

static VkResult add_host_range(struct vulkan_heap *heap, struct vulkan_block **block,
                               struct vulkan_block_failure *failure)
{
    if (vulkan_host_ranges_add(&heap->host_ranges, &(*block)->whole))
        return VK_SUCCESS;
    vulkan_heap_drop_block(heap, *block);
    *failure = (struct vulkan_block_failure){VK_ERROR_OUT_OF_HOST_MEMORY, NULL};
    return failure->result;
}

/* ---- blocks for one piece ------------------------------------------------------------------ */

/* Bytes from the block's start to the first aligned host address; 0 if the host cannot reach it. */
static uint64_t lead(const struct vulkan_block *block, uint64_t alignment)
{
    return -(uintptr_t)block->whole.host & (alignment - 1);
}

VkResult vulkan_heap_make_single(struct vulkan_heap *heap, uint32_t type, uint64_t size, uint64_t alignment,
                                 struct vulkan_block **block, struct vulkan_block_failure *failure)
{
    struct vulkan_block_desc desc = {.type = type, .size = size};

    VkResult result = vulkan_heap_make_block(heap, &desc, block, failure);
    if (result == VK_SUCCESS && lead(*block, alignment) != 0) {
        vulkan_heap_drop_block(heap, *block);
        desc.size += alignment;
        result = vulkan_heap_make_block(heap, &desc, block, failure);
    }
    if (result < 0)
        return result;
    struct trm_backend_memory *whole = &(*block)->whole;
    if (whole->host != NULL) {
        whole->base = lead(*block, alignment);
        whole->host += whole->base;
    }
    whole->size = size;
    return add_host_range(heap, block, failure);
}

/* ---- shared blocks ------------------------------------------------------------------------- */

/* The first block of an area is small; each further one is as large as all before it together, up to
 * USUAL_BLOCK. With much memory in use blocks grow further, since drivers limit their number. */
static uint64_t next_size(struct vulkan_heap *heap, const struct vulkan_area *area)
{
    uint64_t size = FIRST_BLOCK;

    pthread_mutex_lock(&heap->lock);
    uint64_t reserved = area->reserved;
    pthread_mutex_unlock(&heap->lock);
    uint64_t most = reserved / SHARE > USUAL_BLOCK ? reserved / SHARE : USUAL_BLOCK;
    if (most > area->largest)
        most = area->largest;
    while (size * 2 <= most && size < reserved)
        size *= 2;
    return size < most ? size : most;
}

/* Offsets in the allocator shall be aligned like host addresses, unless buffers could then not be bound
 * there. */
static void set_bias(const struct vulkan_heap *heap, struct vulkan_block *block)
{
    uint64_t bias  = (uintptr_t)block->whole.host & (HOST_ALIGNMENT - 1);
    uint64_t start = round_up(bias, VULKAN_TLSF_GRAIN) - bias;

    block->bias = start % heap->buffer_grain == 0 ? bias : 0;
}

VkResult vulkan_heap_make_shared(struct vulkan_heap *heap, uint32_t type, uint64_t least,
                                 struct vulkan_block **block, struct vulkan_block_failure *failure)
{
    struct vulkan_block_desc desc = {.type = type, .size = next_size(heap, heap->areas[type])};
    VkResult result;

    least = round_up(least, BLOCK_GRAIN);
    if (desc.size < least)
        desc.size = least;
    while (result = vulkan_heap_make_block(heap, &desc, block, failure), vulkan_is_exhaustion(result)) {
        if (desc.size == least)
            return result;
        desc.size = desc.size / 2 > least ? desc.size / 2 : least;
    }
    if (result < 0)
        return result;
    (*block)->shared = true;
    set_bias(heap, *block);
    return add_host_range(heap, block, failure);
}

/* ---- failures ------------------------------------------------------------------------------ */

int32_t vulkan_heap_fail(struct vulkan_heap *heap, uint64_t size, const struct vulkan_block_failure *failure)
{
    const struct trm_backend_instance *instance = heap->device->instance;
    unsigned long long bytes                    = size;

    if (failure->result == VK_ERROR_OUT_OF_HOST_MEMORY && failure->call == NULL)
        return trm_util_fail_host_memory(instance->host, "a piece of device memory");
    if (failure->call == NULL)
        return trm_util_fail(instance->host, TRM_ERROR_OUT_OF_DEVICE_MEMORY, failure->result,
                             "%s has no memory for %llu bytes: they exceed its limits or its budget.",
                             heap->device->physical->properties.deviceName, bytes);
    if (vulkan_is_exhaustion(failure->result))
        return trm_util_fail(instance->host, TRM_ERROR_OUT_OF_DEVICE_MEMORY, failure->result,
                             "%s has no memory for %llu bytes: %s() returned %s.",
                             heap->device->physical->properties.deviceName, bytes, failure->call,
                             vulkan_result_name(failure->result));
    return vulkan_device_fail(heap->device, failure->result, failure->call);
}
