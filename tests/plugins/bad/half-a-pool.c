/* A plugin whose pool allocates in stream order and never frees.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t pool_allocate(struct trm_backend_stream *stream, uint64_t value, uint64_t size,
                             struct trm_backend_memory **memory)
{
    (void)stream;
    (void)value;
    (void)size;
    (void)memory;
    return TRM_ERROR_UNSUPPORTED;
}

static int32_t pool_number(struct trm_backend_device *device, uint64_t bytes)
{
    (void)device;
    (void)bytes;
    return TRM_OK;
}

static int32_t pool_statistics(struct trm_backend_device *device, uint64_t *used, uint64_t *cached,
                               uint64_t *reserved)
{
    (void)device;
    *used = *cached = *reserved = 0;
    return TRM_OK;
}

static const struct trm_pool_ops pool = {
    .struct_size   = sizeof(pool),
    .allocate      = pool_allocate,
    .trim          = pool_number,
    .set_threshold = pool_number,
    .statistics    = pool_statistics,
};

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "half-a-pool");

    (void)min_minor;
    (void)max_minor;
    bad->backend.pool = &pool;
    return &bad->backend;
}
