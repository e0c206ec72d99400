/* vulkan backend: memory. Large blocks of the driver, divided by an allocator of our own (heap.c).
 *
 * A block is one VkDeviceMemory with one VkBuffer over all of it (every usage; shared by the queue families that are used), mapped
 * for as long as it lives where the host can reach it. Only coherent memory is mapped, so nothing is ever flushed. What is
 * too large to share a block has one of its own.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_MEMORY_H
#define BACKENDS_VULKAN_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/driver.h"

struct vulkan_block;

/* A piece of a block: what everything that records commands needs to know of memory. */
struct trm_backend_memory {
    struct trm_backend_device *device;
    VkBuffer buffer;
    uint64_t base;       /* the piece begins here in `buffer`, bytes */
    uint64_t size;       /* bytes that were asked for */
    unsigned char *host; /* of the piece's first byte; NULL where the host cannot reach it */
    int32_t kind;        /* enum trm_memory_kind */
    struct vulkan_block *block;
    void *piece; /* the allocator's record of it */
};

int32_t vulkan_heap_create(struct trm_backend_device *device, struct vulkan_heap **heap);
void vulkan_heap_destroy(struct vulkan_heap *heap); /* NULL is fine */

/* Any thread. `alignment` is a power of two. Errors: OUT_OF_DEVICE_MEMORY (after idle blocks were given back and it was
 * tried again), OUT_OF_HOST_MEMORY, UNSUPPORTED kind. kind is not IMPORTED. */
int32_t vulkan_heap_allocate(struct vulkan_heap *heap, int32_t kind, uint64_t size, uint64_t alignment,
                             struct trm_backend_memory **memory);
void vulkan_heap_free(struct trm_backend_memory *memory);

/* Give idle blocks back to the driver until at most `keep` bytes of them are left. */
void vulkan_heap_trim(struct vulkan_heap *heap, uint64_t keep);
/* How many bytes of idle blocks stay at most from now on; more than the heap likes to keep counts as that. */
void vulkan_heap_set_idle_limit(struct vulkan_heap *heap, uint64_t bytes);
void vulkan_heap_statistics(struct vulkan_heap *heap, uint64_t *used, uint64_t *cached, uint64_t *reserved);

/* The program's host memory, imported as a block of its own. Errors: UNSUPPORTED. */
int32_t vulkan_heap_import_host(struct vulkan_heap *heap, void *pointer, uint64_t size,
                                struct trm_backend_memory **memory);

/* Host memory that the device reaches: the pinned, unified or imported memory of this device in which all of
 * [pointer, pointer + size) lies, and the offset in it; NULL when there is none. Any thread; takes no lock that allocate()
 * holds while it is in the driver. The caller knows that the memory lives. */
struct trm_backend_memory *vulkan_heap_find_host(struct vulkan_heap *heap, const void *pointer, uint64_t size,
                                                 uint64_t *offset);

/* interop.c: memory that can be handed to others, and memory of others (opaque fd; `fd` is taken over on success). */
int32_t vulkan_heap_allocate_exportable(struct vulkan_heap *heap, uint64_t size,
                                        struct trm_backend_memory **memory);
int32_t vulkan_heap_export_fd(struct trm_backend_memory *memory, int *fd, uint64_t *size);
int32_t vulkan_heap_import_fd(struct vulkan_heap *heap, int fd, uint64_t size,
                              struct trm_backend_memory **memory);

extern const struct trm_memory_ops vulkan_memory_ops;
extern const struct trm_pool_ops vulkan_pool_ops;

#endif
