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

int32_t core_pool_trim(struct core_pool *pool, uint64_t keep)
{
    struct core_device *device = pool->device;

    core_device_reap(pool->device);
    base_lock_acquire(&pool->lock);
    core_parked_collect_locked(pool);
    struct core_slab *idle = core_pool_trim_locked(pool, keep);
    base_lock_release(&pool->lock);
    core_slab_destroy_list(idle);
    if (device->backend->pool.trim == NULL)
        return TRM_OK;
    base_error_clear();
    int32_t status =
        core_answer(device->backend, "pool.trim", device->backend->pool.trim(device->device, keep));
    return status == TRM_OK ? TRM_OK : core_device_latch_loss(device, base_fail_backend(status));
}
