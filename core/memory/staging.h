/* Host memory that operations read or write, and that goes when they are done.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_STAGING_H
#define CORE_MEMORY_STAGING_H

#include "core/memory/transfer.h"

struct core_staging {
    struct core_deferred deferred;
    struct core_in_flight in_flight;
    struct core_device *device;
    struct core_block *block; /* NULL: memory is of the context's allocator */
    void *memory;
    uint64_t size;
};

/* At least one byte. Pinned memory where it is asked for and the device has it. Contents are
 * undefined. */
int32_t core_staging_create(struct core_device *device, uint64_t size, int32_t pinned,
                            struct core_staging **staging);

/* As one side of a copy on the device's streams, and of other devices' streams. */
struct trm_place core_staging_place(const struct core_staging *staging);

/* Let go of it: it goes when the work recorded in `uses` has ended. NULL is fine. */
void core_staging_release(struct core_staging *staging);

#endif
