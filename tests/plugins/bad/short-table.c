/* A plugin whose stream table is shorter than it was in minor 0.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "short-table");

    (void)min_minor;
    (void)max_minor;
    bad->stream.struct_size = offsetof(struct trm_stream_ops, query);
    return &bad->backend;
}
