/* A plugin written for a newer minor version that is content with less. It is to be accepted.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "newer-minor");

    (void)min_minor;
    (void)max_minor;
    bad->backend.abi_minor = TRM_BACKEND_ABI_MINOR + 7;
    return &bad->backend;
}
