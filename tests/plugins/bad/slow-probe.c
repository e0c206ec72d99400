/* A plugin whose probe takes its time. It is to be accepted.
 * SPDX-License-Identifier: MIT
 */
#include <time.h>

#include "borrowed.h"

static int32_t slow_probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    struct timespec left = {1, 500000000};

    (void)host;
    (void)reason;
    (void)capacity;
    while (nanosleep(&left, &left) != 0)
        continue;
    *score = 2;
    return TRM_OK;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "slow-probe");

    (void)min_minor;
    (void)max_minor;
    bad->backend.probe = slow_probe;
    return &bad->backend;
}
