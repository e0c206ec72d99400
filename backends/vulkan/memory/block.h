/* vulkan backend: blocks, the pieces of memory that the driver is asked for. For the heap's own files.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_BLOCK_H
#define BACKENDS_VULKAN_MEMORY_BLOCK_H

#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/memory/tlsf.h"

/* Every use that a block's buffer is put to. */
#define VULKAN_BLOCK_USAGE                                                     \
    (VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |     \
     VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | \
     VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT)

/* One VkDeviceMemory, and a VkBuffer over all of it. */
struct vulkan_block {
    struct trm_backend_device *device;
    struct vulkan_block *next, *previous; /* shared: in the heap's list of idle ones, while `idle` */
    VkDeviceMemory memory;
    uint64_t size;      /* bytes of the buffer */
    uint64_t allocated; /* bytes of the memory */
    uint64_t
        bias; /* where its range begins in the allocator: so that a piece's offset there is aligned as its host address */
    uint32_t type; /* of memory */
    bool idle;
    bool shared; /* divided; else `whole` is what the caller has */
    bool exportable;
    struct vulkan_tlsf_piece *piece; /* idle: all of it */
    struct trm_backend_memory whole; /* the block, or the program's part of it, as one piece */
};

/* What a new block is to be. */
struct vulkan_block_desc {
    uint32_t type;
    uint64_t size;
    void *host;      /* import these pages; else NULL */
    bool exportable; /* as an opaque file descriptor */
    bool dedicated;  /* to its buffer, as some drivers want it of external memory */
    int *fd;         /* import what it points to; -1 is left there once that is the driver's; else NULL */
};

/* Why there is none. */
struct vulkan_block_failure {
    VkResult result;
    const char *call; /* of Vulkan; NULL: the host's memory ran out */
};

/* Makes and maps it. Nothing is explained: the caller may have another way. A negative result is in `failure` too. */
VkResult vulkan_block_create(struct trm_backend_device *device, const struct vulkan_block_desc *desc,
                             struct vulkan_block **block, struct vulkan_block_failure *failure);
void vulkan_block_destroy(struct vulkan_block *block);

/* A buffer as blocks have it, but with no memory: to ask what memory it could have. `handle_type` 0: no external memory. */
VkResult vulkan_block_buffer(struct trm_backend_device *device, uint64_t size,
                             VkExternalMemoryHandleTypeFlags handle_type, VkBuffer *buffer);

/* How many bytes more the process should take of a memory heap, of which it holds `held` by this device. */
uint64_t vulkan_block_budget(const struct trm_backend_device *device, uint32_t memory_heap, uint64_t held);

#endif
