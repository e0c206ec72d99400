/* A plugin of another major version of the ABI.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

const struct trm_backend *trm_backend_query_v2(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)min_minor;
    (void)max_minor;
    return &borrow(host, "wrong-major")->backend;
}
