/* A plugin that has no devices.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t no_devices(struct trm_backend_instance *instance, uint32_t *count)
{
    (void)instance;
    *count = 0;
    return TRM_OK;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "no-devices");

    (void)min_minor;
    (void)max_minor;
    bad->device.count = no_devices;
    return &bad->backend;
}
