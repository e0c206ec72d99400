/* A plugin whose name is not valid in TRIREME_BACKEND.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "bad-name");

    (void)min_minor;
    (void)max_minor;
    bad->backend.name = "Bad, Name";
    return &bad->backend;
}
