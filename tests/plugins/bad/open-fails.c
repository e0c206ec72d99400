/* A plugin that probes well and cannot be opened.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t open_fails(const struct trm_host *host, struct trm_backend_instance **instance)
{
    (void)instance;
    return host->fail(host->context, TRM_ERROR_BACKEND, 77, "The driver is out of order.");
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "open-fails");

    (void)min_minor;
    (void)max_minor;
    bad->backend.open = open_fails;
    return &bad->backend;
}
