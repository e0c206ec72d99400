/* vulkan backend: the pool table.
 *
 * The core does stream-ordered allocation itself: Vulkan drivers have none, and one on top of the heap would
 * need an operation on the stream. This table lets the core trim the heap's idle blocks, limit them and count
 * them.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/memory.h"

/* Idle blocks come on top of what the core caches, so they get a fraction of the threshold. */
#define SHARE_OF_THRESHOLD 8

/* The core's own cache uses up `keep_bytes`, so nothing is kept here. */
static int32_t pool_trim(struct trm_backend_device *device, uint64_t keep_bytes)
{
    (void)keep_bytes;
    vulkan_heap_trim(device->heap, 0);
    return TRM_OK;
}

static int32_t pool_set_threshold(struct trm_backend_device *device, uint64_t bytes)
{
    vulkan_heap_set_idle_limit(device->heap, bytes / SHARE_OF_THRESHOLD);
    return TRM_OK;
}

/* The core counts used memory itself. Gaps between pieces do not count: their blocks are in use. */
static int32_t pool_statistics(struct trm_backend_device *device, uint64_t *used, uint64_t *cached,
                               uint64_t *reserved)
{
    uint64_t in_pieces, in_blocks;

    vulkan_heap_statistics(device->heap, &in_pieces, cached, &in_blocks);
    *used     = 0;
    *reserved = *cached;
    return TRM_OK;
}

const struct trm_pool_ops vulkan_pool_ops = {
    .struct_size   = sizeof(vulkan_pool_ops),
    .trim          = pool_trim,
    .set_threshold = pool_set_threshold,
    .statistics    = pool_statistics,
};
