/* Staging memory: host memory for the time of some operations.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/staging.h"

#include "core/memory/block.h"

#define ALIGNMENT 64 /* bytes */

/* Pinned memory is only faster: without it the caller takes other memory. */
static void allocate_pinned(struct core_staging *staging, uint64_t size)
{
    struct core_device *device = staging->device;
    struct core_block *block;

    if (core_pool_allocate(device->pool, TRM_MEMORY_PINNED, size, ALIGNMENT, NULL, &block) != TRM_OK)
        return;
    staging->memory = core_block_host(block);
    if (staging->memory != NULL)
        staging->block = block;
    else
        core_pool_free(device->pool, block);
}

int32_t core_staging_create(struct core_device *device, uint64_t size, bool is_pinned,
                            struct core_staging **staging)
{
    struct core_context *context = device->object.context;

    struct core_staging *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("staging a transfer");
    made->device = device;
    made->size   = size;
    if (is_pinned)
        allocate_pinned(made, size);
    if (made->memory == NULL)
        made->memory = core_allocate_aligned(context, size, ALIGNMENT);
    if (made->memory == NULL) {
        core_free(context, made, sizeof(*made));
        return base_fail_memory("staging a transfer");
    }
    *staging = made;
    return TRM_OK;
}

struct trm_place core_staging_place(const struct core_staging *staging)
{
    struct trm_place place = {NULL, 0, staging->memory};

    if (staging->block != NULL) {
        place.memory = staging->block->slab->memory;
        place.offset = staging->block->offset;
        place.host   = NULL;
    }
    return place;
}

static void staging_destroy(struct core_deferred *item)
{
    struct core_staging *staging = base_container_of(item, struct core_staging, deferred);
    struct core_context *context = staging->device->object.context;

    core_in_flight_fini(context, &staging->in_flight);
    if (staging->block != NULL)
        core_pool_free(staging->device->pool, staging->block);
    else
        core_free(context, staging->memory, staging->size);
    core_free(context, staging, sizeof(*staging));
}

void core_staging_release(struct core_staging *staging)
{
    if (staging == NULL)
        return;
    staging->deferred.in_flight = &staging->in_flight;
    staging->deferred.destroy   = staging_destroy;
    core_device_defer(staging->device, &staging->deferred);
}
