/* Freeing cached memory to the backend.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/block.h"
#include "core/stream/stream.h"

struct core_slab *core_pool_trim_locked(struct core_pool *pool, uint64_t keep)
{
    struct core_slab *list = NULL;

    while (UNLIKELY(pool->stats.cached_bytes > keep) && pool->idle_oldest != NULL) {
        struct core_slab *slab = pool->idle_oldest;
        core_slab_remove_locked(slab);
        slab->next = list;
        list       = slab;
    }
    return list;
}

void core_pool_trim(struct core_pool *pool, uint64_t keep)
{
    const struct core_device *device = pool->device;

    core_device_reap(pool->device);
    base_lock_acquire(&pool->lock);
    core_parked_collect_locked(pool);
    struct core_slab *idle = core_pool_trim_locked(pool, keep);
    base_lock_release(&pool->lock);
    core_slab_destroy_list(idle);
    if (device->backend->pool.trim != NULL)
        device->backend->pool.trim(device->device, keep);
}
