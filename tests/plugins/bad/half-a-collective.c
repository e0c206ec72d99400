/* A plugin with collectives of its own that cannot be enqueued.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t create(struct trm_backend_device *const *devices, uint32_t count,
                      struct trm_backend_communicator **communicator)
{
    (void)devices;
    (void)count;
    (void)communicator;
    return TRM_ERROR_UNSUPPORTED;
}

static void destroy(struct trm_backend_communicator *communicator)
{
    (void)communicator;
}

static int32_t check(struct trm_backend_communicator *communicator)
{
    (void)communicator;
    return TRM_OK;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    static const struct trm_collective_ops collective = {
        .struct_size = sizeof(collective),
        .create      = create,
        .destroy     = destroy,
        .check       = check,
    };
    struct borrowed *bad = borrow(host, "half-a-collective");

    (void)min_minor;
    (void)max_minor;
    bad->backend.collective = &collective;
    return &bad->backend;
}
