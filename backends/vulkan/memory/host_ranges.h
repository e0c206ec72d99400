/* vulkan backend: which host addresses the device reaches. An ordered table of the blocks that are mapped; copies look every
 * pointer of the program up in it.
 *
 * Who looks takes no lock, unless the table is being changed at that moment.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_HOST_RANGES_H
#define BACKENDS_VULKAN_MEMORY_HOST_RANGES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct trm_backend_instance;
struct trm_backend_memory;

struct vulkan_host_range {
    _Atomic uintptr_t begin, end;
    _Atomic(struct trm_backend_memory *) memory;
};

/* Entries in the order of their `begin`. One that was outgrown stays until the end, since somebody may be reading it. */
struct vulkan_host_table {
    struct vulkan_host_table *outgrown;
    uint32_t capacity;
    _Atomic uint32_t count;
    struct vulkan_host_range ranges[];
};

struct vulkan_host_ranges {
    const struct trm_backend_instance *instance;
    pthread_mutex_t lock;      /* who changes the table */
    _Atomic uint64_t sequence; /* odd while it is changed */
    _Atomic(struct vulkan_host_table *) table;
};

void vulkan_host_ranges_init(struct vulkan_host_ranges *host_ranges,
                             const struct trm_backend_instance *instance);
void vulkan_host_ranges_fini(struct vulkan_host_ranges *host_ranges);

/* memory->host to host + size; memory that is not mapped is left out. False: no host memory. */
bool vulkan_host_ranges_add(struct vulkan_host_ranges *host_ranges, struct trm_backend_memory *memory);
void vulkan_host_ranges_remove(struct vulkan_host_ranges *host_ranges,
                               const struct trm_backend_memory *memory);

/* The memory in which all of [pointer, pointer + size) lies; NULL when there is none. */
struct trm_backend_memory *vulkan_host_ranges_find(struct vulkan_host_ranges *host_ranges,
                                                   const void *pointer, uint64_t size);

#endif
