/* A plugin that counts more devices than there can be.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t too_many_devices(struct trm_backend_instance *instance, uint32_t *count)
{
    (void)instance;
    *count = UINT32_MAX;
    return TRM_OK;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "too-many-devices");

    (void)min_minor;
    (void)max_minor;
    bad->device.count = too_many_devices;
    return &bad->backend;
}
