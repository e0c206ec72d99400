/* vulkan backend: shared by heap.c, heap_grow.c and external.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_HEAP_INTERNAL_H
#define BACKENDS_VULKAN_MEMORY_HEAP_INTERNAL_H

#include "backends/vulkan/memory/block.h"
#include "backends/vulkan/memory/host_ranges.h"
#include "backends/vulkan/memory/memory_type.h"

#define VULKAN_KINDS 4u /* enum trm_memory_kind, minus its first value */

/* The shared blocks of one memory type. */
struct vulkan_area {
    struct vulkan_tlsf tlsf;
    uint64_t reserved;     /* bytes in its blocks */
    uint64_t largest;      /* bytes of the largest shared block */
    uint64_t largest_part; /* bytes; larger requests get a block of their own */
};

/* A piece that the caller owns, or an unused record. */
struct vulkan_record {
    struct trm_backend_memory memory;
    struct vulkan_record *next;
};

struct vulkan_heap {
    struct trm_backend_device *device;
    struct vulkan_type_choice choices[VULKAN_KINDS];
    uint32_t type_bits;    /* memory types that buffers can have */
    uint64_t buffer_grain; /* alignment of buffer offsets, bytes */
    struct vulkan_host_ranges host_ranges;
    pthread_mutex_t lock; /* protects all below; not held while the driver works */
    /* One for each memory type that is used; made with the heap. */
    struct vulkan_area *areas[VK_MAX_MEMORY_TYPES];
    struct vulkan_record *spare;
    uint32_t spare_count;
    struct vulkan_block *idle_oldest, *idle_newest; /* shared blocks without used pieces */
    uint64_t idle_bytes, idle_limit;                /* idle_limit: how many idle bytes may stay */
    uint64_t used, reserved;
    uint64_t held[VK_MAX_MEMORY_HEAPS]; /* bytes of all blocks */
    uint32_t block_count;
};

/* ---- heap_grow.c -------------------------------- */

/* Create a block, and count it. Explains nothing. Errors: as in failure->result. */
VkResult vulkan_heap_make_block(struct vulkan_heap *heap, const struct vulkan_block_desc *desc,
                                struct vulkan_block **block, struct vulkan_block_failure *failure);
void vulkan_heap_drop_block(struct vulkan_heap *heap, struct vulkan_block *block);

/* Create a block for one piece, and add it to the host ranges. */
VkResult vulkan_heap_make_single(struct vulkan_heap *heap, uint32_t type, uint64_t size, uint64_t alignment,
                                 struct vulkan_block **block, struct vulkan_block_failure *failure);
/* Create a block of at least `least` bytes for many pieces, and add it to the host ranges. It is not part of
 * its area yet. */
VkResult vulkan_heap_make_shared(struct vulkan_heap *heap, uint32_t type, uint64_t least,
                                 struct vulkan_block **block, struct vulkan_block_failure *failure);

/* Whether freeing memory could help. */
static inline bool vulkan_is_exhaustion(VkResult result)
{
    return result == VK_ERROR_OUT_OF_DEVICE_MEMORY || result == VK_ERROR_TOO_MANY_OBJECTS ||
           result == VK_ERROR_MEMORY_MAP_FAILED || result == VK_ERROR_FRAGMENTATION;
}

/* Explain why there is no piece of `size` bytes. */
int32_t vulkan_heap_fail(struct vulkan_heap *heap, uint64_t size, const struct vulkan_block_failure *failure);

#endif
