/* A valid plugin, with which the others are compared.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "healthy");

    (void)min_minor;
    (void)max_minor;
    return &bad->backend;
}
