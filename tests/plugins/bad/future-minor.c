/* A plugin that needs a newer minor version of the ABI than there is, and says so.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

enum {
    NEEDED_MINOR = 1000
};

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)min_minor;
    if (max_minor < NEEDED_MINOR)
        return NULL;
    return &borrow(host, "future-minor")->backend;
}
