/* A plugin that cannot count its devices.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t count_fails(struct trm_backend_instance *instance, uint32_t *count)
{
    (void)instance;
    (void)count;
    return TRM_ERROR_DEVICE_LOST;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "count-fails");

    (void)min_minor;
    (void)max_minor;
    bad->device.count = count_fails;
    return &bad->backend;
}
