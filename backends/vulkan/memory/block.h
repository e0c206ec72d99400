/* vulkan backend: blocks, the allocations that the heap makes from the driver.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_BLOCK_H
#define BACKENDS_VULKAN_MEMORY_BLOCK_H

#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/memory/tlsf.h"

/* All usages that buffers of blocks need, beside VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT where the device
 * has addresses: see vulkan_block_usage(). */
#define VULKAN_BLOCK_USAGE                                                                 \
    (VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |                 \
     VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |             \
     VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | \
     VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT)

/* One VkDeviceMemory, and a VkBuffer that covers it. */
struct vulkan_block {
    struct trm_backend_device *device;
    struct vulkan_block *next, *previous; /* the heap's list of idle blocks, while `idle` */
    VkDeviceMemory memory;
    uint64_t size;      /* bytes of the buffer */
    uint64_t allocated; /* bytes of the memory */
    uint64_t bias;      /* added to offsets in the allocator, so that they are aligned like host addresses */
    uint32_t type;      /* memory type */
    bool idle;
    bool shared; /* holds many pieces; else `whole` is the caller's memory */
    bool exportable;
    struct vulkan_tlsf_piece *piece; /* the free piece that covers an idle block */
    struct trm_backend_memory whole; /* the block, or the program's part of it, as one piece */
};

/* What vulkan_block_create() shall make. */
struct vulkan_block_desc {
    uint32_t type;
    uint64_t size;
    void *host;      /* pages to import; else NULL */
    bool exportable; /* as an opaque file descriptor */
    bool dedicated;  /* dedicated to its buffer, as some drivers require for external memory */
    int *fd;         /* descriptor to import, else NULL; set to -1 once the driver owns it */
};

/* Why there is no block. */
struct vulkan_block_failure {
    VkResult result;
    const char *call; /* the Vulkan function that failed; NULL: the backend's own limit or allocation */
};

/* Create and map a block. Explains nothing, since the caller may have an alternative; a negative result is
 * also in `failure`. */
VkResult vulkan_block_create(struct trm_backend_device *device, const struct vulkan_block_desc *desc,
                             struct vulkan_block **block, struct vulkan_block_failure *failure);
void vulkan_block_destroy(struct vulkan_block *block);

/* Create a buffer like those of blocks, without memory, to query its requirements. `handle_type` 0: no
 * external memory. */
VkResult vulkan_block_buffer(struct trm_backend_device *device, uint64_t size,
                             VkExternalMemoryHandleTypeFlags handle_type, VkBuffer *buffer);

/* The usages of buffers of blocks on this device. */
VkBufferUsageFlags vulkan_block_usage(const struct trm_backend_device *device);

/* How many more bytes the process should allocate from a memory heap, of which this device holds `held`. */
uint64_t vulkan_block_budget(const struct trm_backend_device *device, uint32_t memory_heap, uint64_t held);

#endif
