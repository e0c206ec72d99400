/* vulkan backend: hazards: which ranges were accessed, by which stages, and which barriers have ordered them.
 *
 * Each access is remembered with the stages that are already ordered after it. A new access that overlaps
 * with it needs a barrier if one of them writes and the new one's stage is not among those. A barrier orders
 * all accesses of its source stages, and the accesses that were already ordered before those stages.
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
    VULKAN_TRANSFER = 1u << 2, /* copies and fills */
    VULKAN_KERNEL   = 1u << 3,
};
#define VULKAN_STAGES (VULKAN_TRANSFER | VULKAN_KERNEL)

struct vulkan_access {
    /* Null: any buffer or image. For an image its address as a number: if that equals a buffer's number, they
     * count as one, which can only cost a barrier. */
    VkBuffer buffer;
    uint64_t begin, end; /* bytes; of an image: its levels and layers, see copy_image.c */
    uint32_t flags;      /* enum vulkan_access_flags */
    uint32_t ordered;    /* VULKAN_STAGES that are ordered after it */
};

struct vulkan_accesses {
    uint32_t count;
    struct vulkan_access each[VULKAN_ACCESSES_MOST];
};

/* A pipeline barrier: source stages, those of them that wrote, destination stages. */
struct vulkan_barrier {
    uint32_t source, source_writes, destination; /* VULKAN_STAGES; `source` 0: no barrier */
};

/* The barrier that must precede commands with these accesses. */
struct vulkan_barrier vulkan_access_find_barrier(const struct vulkan_accesses *accesses,
                                                 const struct vulkan_access *access, uint32_t count);

/* Note that the barrier was recorded. `all`: the stages of the queue; accesses that all of them are ordered
 * after are forgotten. */
void vulkan_access_apply_barrier(struct vulkan_accesses *accesses, const struct vulkan_barrier *barrier,
                                 uint32_t all);

/* Remember an access that is ordered after all conflicting ones. False if there is no room. */
bool vulkan_access_add(struct vulkan_accesses *accesses, const struct vulkan_access *access);

/* The barrier after which nothing has to be remembered. */
struct vulkan_barrier vulkan_access_full_barrier(const struct vulkan_accesses *accesses, uint32_t all);

#endif
