/* vulkan backend: hazards. Which ranges were read and written, by what, and what has been put in order since.
 *
 * An access is remembered together with the kinds of commands (kernels, transfers) that are in order behind it already. A
 * new access that overlaps with a remembered one, one of them writing, needs a barrier unless its kind is among those. One
 * barrier puts all accesses of its first kinds in order, and those that were in order with these kinds before (a chain).
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_RECORD_ACCESS_H
#define BACKENDS_VULKAN_RECORD_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/driver.h"

#define VULKAN_ACCESSES_MOST 32u

enum vulkan_access_flags {
    VULKAN_READ     = 1u << 0,
    VULKAN_WRITE    = 1u << 1,
    VULKAN_TRANSFER = 1u << 2, /* by a copy or fill */
    VULKAN_KERNEL   = 1u << 3,
};
#define VULKAN_STAGES (VULKAN_TRANSFER | VULKAN_KERNEL)

struct vulkan_access {
    VkBuffer buffer;     /* null: any */
    uint64_t begin, end; /* bytes */
    uint32_t flags;      /* enum vulkan_access_flags */
    uint32_t ordered;    /* VULKAN_STAGES that are in order behind it */
};

struct vulkan_accesses {
    uint32_t count;
    struct vulkan_access each[VULKAN_ACCESSES_MOST];
};

/* A barrier: the stages of what comes first, and which of these write; the stages of what comes behind. */
struct vulkan_barrier {
    uint32_t source, source_writes, destination; /* VULKAN_STAGES; `first` is 0: none is needed */
};

/* What is needed in front of commands that make these accesses. */
struct vulkan_barrier vulkan_access_find_barrier(const struct vulkan_accesses *accesses,
                                                 const struct vulkan_access *access, uint32_t count);

/* The barrier was recorded. `all`: the stages that the queue has; what they all are in order with is forgotten. */
void vulkan_access_apply_barrier(struct vulkan_accesses *accesses, const struct vulkan_barrier *barrier,
                                 uint32_t all);

/* Remember an access that is in order with what was before. False where there is no room. */
bool vulkan_access_add(struct vulkan_accesses *accesses, const struct vulkan_access *access);

/* The barrier after which nothing need be remembered. */
struct vulkan_barrier vulkan_access_full_barrier(const struct vulkan_accesses *accesses, uint32_t all);

#endif
