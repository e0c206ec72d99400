/* vulkan backend: the memory room: allocates large blocks from the driver and cuts pieces from them.
 *
 *     memory.c       the memory table
 *     pool.c         the pool table
 *     heap.c         pieces of blocks (heap_grow.c: allocating blocks; external.c: import and export)
 *     block.c        one VkDeviceMemory with a VkBuffer that covers it
 *     tlsf.c         the allocator that divides blocks
 *     memory_type.c  which memory type serves which kind of memory
 *     host_ranges.c  which host addresses the device reaches
 *
 * A block's buffer has all usages and is shared by the queue families in use. A block that the host can reach
 * stays mapped as long as it lives. Only coherent memory is mapped, so nothing is flushed. Requests that are
 * too large for a shared block get a block of their own.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_MEMORY_H
#define BACKENDS_VULKAN_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/memory/memory_type.h"

struct vulkan_block;

/* A piece of a block; all that recording commands needs to know about memory. */
struct trm_backend_memory {
    struct trm_backend_device *device;
    VkBuffer buffer;
    uint64_t base;       /* offset of the piece in `buffer`, bytes */
    uint64_t size;       /* bytes that were requested */
    unsigned char *host; /* address of the first byte; NULL if the host cannot reach it */
    int32_t kind;        /* enum trm_memory_kind */
    struct vulkan_block *block;
    void *piece; /* the allocator's record */
};

int32_t vulkan_heap_create(struct trm_backend_device *device, struct vulkan_heap **heap);
void vulkan_heap_destroy(struct vulkan_heap *heap); /* NULL is fine */

/* Allocate a piece. `alignment` is a power of two; `kind` is not IMPORTED. Any thread. Errors:
 * OUT_OF_DEVICE_MEMORY (after idle blocks were freed and the allocation was repeated), OUT_OF_HOST_MEMORY,
 * UNSUPPORTED kind. */
int32_t vulkan_heap_allocate(struct vulkan_heap *heap, int32_t kind, uint64_t size, uint64_t alignment,
                             struct trm_backend_memory **memory);
void vulkan_heap_free(struct trm_backend_memory *memory);

/* Return idle blocks to the driver until at most `keep` bytes of them are left. */
void vulkan_heap_trim(struct vulkan_heap *heap, uint64_t keep);
/* Limit the bytes of idle blocks from now on, but not above the heap's own limit. */
void vulkan_heap_set_idle_limit(struct vulkan_heap *heap, uint64_t bytes);
void vulkan_heap_statistics(struct vulkan_heap *heap, uint64_t *used, uint64_t *cached, uint64_t *reserved);

/* Import the program's host memory as a block of its own. Errors: UNSUPPORTED. */
int32_t vulkan_heap_import_host(struct vulkan_heap *heap, void *pointer, uint64_t size,
                                struct trm_backend_memory **memory);

/* Find the pinned, unified or imported memory of this device that contains all of [pointer, pointer + size),
 * and the offset in it; NULL if there is none. Any thread; does not wait for an allocation that is in the
 * driver. The caller guarantees that the memory stays allocated. */
struct trm_backend_memory *vulkan_heap_find_host(struct vulkan_heap *heap, const void *pointer, uint64_t size,
                                                 uint64_t *offset);

/* The VkDeviceMemory that a piece is in, where it begins at `base`, and the memory type of that. */
VkDeviceMemory vulkan_memory_handle(const struct trm_backend_memory *memory);
uint32_t vulkan_memory_type(const struct trm_backend_memory *memory);

/* external.c: memory that can be exported, and imported memory (opaque fd; on success the heap owns `fd`). */
int32_t vulkan_heap_allocate_exportable(struct vulkan_heap *heap, uint64_t size,
                                        struct trm_backend_memory **memory);
int32_t vulkan_heap_export_fd(struct trm_backend_memory *memory, int *fd, uint64_t *size);
int32_t vulkan_heap_import_fd(struct vulkan_heap *heap, int fd, uint64_t size,
                              struct trm_backend_memory **memory);

extern const struct trm_memory_ops vulkan_memory_ops;
extern const struct trm_pool_ops vulkan_pool_ops;

#endif
