/* A plugin that lacks a required table.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "null-table");

    (void)min_minor;
    (void)max_minor;
    bad->backend.memory = NULL;
    return &bad->backend;
}
