/* vulkan backend: inside the heap. For heap.c, grow.c and external.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_HEAP_INTERNAL_H
#define BACKENDS_VULKAN_MEMORY_HEAP_INTERNAL_H

#include "backends/vulkan/memory/block.h"
#include "backends/vulkan/memory/host_ranges.h"
#include "backends/vulkan/memory/memory_type.h"

#define VULKAN_KINDS 4u /* enum trm_memory_kind, by its value less that of the first */

/* What is divided of one memory type. */
struct vulkan_area {
    struct vulkan_tlsf tlsf;
    uint64_t reserved;     /* bytes of its blocks */
    uint64_t largest;      /* bytes of a shared block */
    uint64_t largest_part; /* bytes: what is larger has a block of its own */
};

/* A piece as its user has it, or a spare one. */
struct vulkan_record {
    struct trm_backend_memory memory;
    struct vulkan_record *next;
};

struct vulkan_heap {
    struct trm_backend_device *device;
    struct vulkan_type_choice choices[VULKAN_KINDS];
    uint32_t type_bits;    /* that buffers can have */
    uint64_t buffer_grain; /* where pieces may begin, bytes */
    struct vulkan_host_ranges host_ranges;
    pthread_mutex_t lock;                           /* what follows; not held while the driver works */
    struct vulkan_area *areas[VK_MAX_MEMORY_TYPES]; /* of the types that are chosen; made with the heap */
    struct vulkan_record *spare;
    uint32_t spare_count;
    struct vulkan_block *idle_oldest, *idle_newest; /* shared blocks of which nothing is used */
    uint64_t idle_bytes, idle_limit;                /* how much of that may stay */
    uint64_t used, reserved;
    uint64_t held[VK_MAX_MEMORY_HEAPS]; /* bytes of all blocks */
    uint32_t block_count;
};

/* ---- grow.c: blocks of their own, and shared ones */

/* A block that nobody has yet, counted and in the table of host addresses. Nothing is explained.
 * Errors: as in failure->result. */
VkResult vulkan_heap_make_block(struct vulkan_heap *heap, const struct vulkan_block_desc *desc,
                                struct vulkan_block **block, struct vulkan_block_failure *failure);
void vulkan_heap_drop_block(struct vulkan_heap *heap, struct vulkan_block *block);

/* A block for one piece. */
VkResult vulkan_heap_make_single(struct vulkan_heap *heap, uint32_t type, uint64_t size, uint64_t alignment,
                                 struct vulkan_block **block, struct vulkan_block_failure *failure);
/* One to be divided, of at least so many bytes. It is no part of its area yet. */
VkResult vulkan_heap_make_shared(struct vulkan_heap *heap, uint32_t type, uint64_t least,
                                 struct vulkan_block **block, struct vulkan_block_failure *failure);

/* Would less memory in use help? */
static inline bool vulkan_is_exhaustion(VkResult result)
{
    return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_TOO_MANY_OBJECTS ||
           result == VK_ERROR_MEMORY_MAP_FAILED || result == VK_ERROR_FRAGMENTATION;
}

/* Explains why a piece of `size` bytes cannot be had. */
int32_t vulkan_heap_fail(struct vulkan_heap *heap, uint64_t size, const struct vulkan_block_failure *failure);

#endif
