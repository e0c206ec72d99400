/* The functions of <trireme/pool.h>.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/block.h"
#include "core/object/object.h"
#include "core/stream/stream.h"

#define STATS_MIN 72 /* bytes of struct trm_pool_stats in the first version */

/* Adds what the backend's own pool has, if there is one. */
static int32_t add_ordered(struct core_device *device, struct trm_pool_stats *stats)
{
    uint64_t used = 0, cached = 0, reserved = 0;

    if (device->backend->pool.statistics == NULL)
        return TRM_OK;
    base_error_clear();
    int32_t status = core_answer(device->backend, "pool.statistics",
                                 device->backend->pool.statistics(device->device, &used, &cached, &reserved));
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    stats->used_bytes += used;
    stats->cached_bytes += cached;
    stats->reserved_bytes += reserved;
    return TRM_OK;
}

static int32_t get_stats(struct core_device *found, struct trm_pool_stats *stats)
{
    core_device_reap(found);
    base_lock_acquire(&found->pool->lock);
    struct trm_pool_stats now = found->pool->stats;
    base_lock_release(&found->pool->lock);
    int32_t status = add_ordered(found, &now);
    if (status != TRM_OK)
        return status;
    if (stats == NULL || !core_struct_copy_out(stats, &now, sizeof(now), STATS_MIN))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_pool_get_stats() needs stats with their struct_size");
    return TRM_OK;
}

int32_t trm_pool_get_stats(struct trm_device *device, struct trm_pool_stats *stats)
{
    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    int32_t status = get_stats(found, stats);
    core_object_leave(&found->object);
    return status;
}

int32_t trm_pool_trim(struct trm_device *device, uint64_t keep_bytes)
{
    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_pool_trim(found->pool, keep_bytes);
    core_object_leave(&found->object);
    return status;
}

static int32_t set_threshold(struct core_device *found, uint64_t bytes)
{
    int32_t status = TRM_OK;
    base_error_clear();
    if (found->backend->pool.set_threshold != NULL)
        status = core_answer(found->backend, "pool.set_threshold",
                             found->backend->pool.set_threshold(found->device, bytes));
    if (status != TRM_OK)
        return core_device_latch_loss(found, base_fail_backend(status));
    base_lock_acquire(&found->pool->lock);
    found->pool->threshold = bytes;
    struct core_slab *idle = core_pool_trim_locked(found->pool, bytes);
    base_lock_release(&found->pool->lock);
    core_slab_destroy_list(idle);
    return TRM_OK;
}

int32_t trm_pool_set_threshold(struct trm_device *device, uint64_t bytes)
{
    struct core_device *found = core_object_enter(device, CORE_DEVICE);
    if (found == NULL)
        return base_last_status();
    int32_t status = set_threshold(found, bytes);
    core_object_leave(&found->object);
    return status;
}
