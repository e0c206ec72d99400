/* vulkan backend: the host addresses that the device reaches: a sorted table of mapped blocks. Copies look up
 * every pointer of the program in it.
 *
 * Readers take no lock unless the table is changing at that moment.
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

/* Ranges sorted by `begin`. An outgrown table is freed only with the heap, since a thread may still be
 * reading it. */
struct vulkan_host_table {
    struct vulkan_host_table *outgrown;
    uint32_t capacity;
    _Atomic uint32_t count;
    struct vulkan_host_range ranges[];
};

struct vulkan_host_ranges {
    const struct trm_backend_instance *instance;
    pthread_mutex_t lock;      /* taken by writers */
    _Atomic uint64_t sequence; /* odd during a change */
    _Atomic(struct vulkan_host_table *) table;
};

void vulkan_host_ranges_init(struct vulkan_host_ranges *host_ranges,
                             const struct trm_backend_instance *instance);
void vulkan_host_ranges_fini(struct vulkan_host_ranges *host_ranges);

/* Add memory->host to host + size; unmapped memory is skipped. False: no host memory. */
bool vulkan_host_ranges_add(struct vulkan_host_ranges *host_ranges, struct trm_backend_memory *memory);
void vulkan_host_ranges_remove(struct vulkan_host_ranges *host_ranges,
                               const struct trm_backend_memory *memory);

/* The memory that contains all of [pointer, pointer + size); NULL if there is none. */
struct trm_backend_memory *vulkan_host_ranges_find(struct vulkan_host_ranges *host_ranges,
                                                   const void *pointer, uint64_t size);

#endif
