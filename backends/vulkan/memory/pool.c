/* vulkan backend: the pool table. Allocation in stream order is left to the core: no driver of Vulkan has one of its own, and
 * one on top of the heap would cost a number of the stream for what the core does without. What the heap keeps for itself
 * takes part in trimming, the threshold and the statistics.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/memory.h"

/* Idle blocks come on top of what the core has cached, so they are to be few beside it. */
#define SHARE_OF_THRESHOLD 8

/* What the core keeps is within `keep_bytes` already, so nothing is left to be kept here. */
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

/* What is used is in the core's books. Gaps between pieces are not counted: they belong to blocks that stay. */
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
