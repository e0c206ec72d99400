/* A plugin whose first table is shorter than it was in minor 0.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "short-backend");

    (void)min_minor;
    (void)max_minor;
    bad->backend.struct_size = offsetof(struct trm_backend, device);
    return &bad->backend;
}
