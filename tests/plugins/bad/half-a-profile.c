/* A plugin whose table of timestamps is there and incomplete.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t stamp_create(struct trm_backend_device *device, struct trm_backend_stamp **stamp)
{
    (void)device;
    (void)stamp;
    return TRM_ERROR_UNSUPPORTED;
}

static const struct trm_profile_ops profile = {
    .struct_size  = sizeof(profile),
    .stamp_create = stamp_create,
};

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "half-a-profile");

    (void)min_minor;
    (void)max_minor;
    bad->backend.profile = &profile;
    return &bad->backend;
}
