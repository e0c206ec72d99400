/* A plugin that cannot work here and does not say why.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t probe_silent(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    (void)host;
    (void)score;
    (void)reason;
    (void)capacity;
    return TRM_ERROR_BACKEND;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "probe-silent");

    (void)min_minor;
    (void)max_minor;
    bad->backend.probe = probe_silent;
    return &bad->backend;
}
