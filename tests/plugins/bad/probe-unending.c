/* A plugin whose reason fills all of its room and has no end.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "borrowed.h"

static int32_t probe_unending(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    (void)host;
    (void)score;
    memset(reason, 'x', capacity);
    return TRM_ERROR_BACKEND;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "probe-unending");

    (void)min_minor;
    (void)max_minor;
    bad->backend.probe = probe_unending;
    return &bad->backend;
}
