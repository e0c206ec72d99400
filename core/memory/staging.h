/* Staging memory: host memory that operations read or write, and that is freed when they are done.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_STAGING_H
#define CORE_MEMORY_STAGING_H

#include "core/memory/transfer.h"

struct core_staging {
    struct core_deferred deferred;
    struct core_in_flight in_flight;
    struct core_device *device;
    struct core_block *block; /* NULL: `memory` comes from the context's allocator */
    void *memory;
    uint64_t size;
};

/* Allocates at least one byte, of undefined contents; pinned memory if asked for and the device has it. */
int32_t core_staging_create(struct core_device *device, uint64_t size, bool is_pinned,
                            struct core_staging **staging);

/* The memory as one side of a copy on the device's streams. On other devices' streams use
 * core_place_host(). */
struct trm_place core_staging_place(const struct core_staging *staging);

/* Frees the memory when the work in `in_flight` has ended. NULL is fine. */
void core_staging_release(struct core_staging *staging);

#endif
