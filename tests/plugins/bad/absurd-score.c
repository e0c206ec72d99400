/* A plugin with a score above the limit.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t absurd_score(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    (void)host;
    (void)reason;
    (void)capacity;
    *score = 1000000;
    return TRM_OK;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "absurd-score");

    (void)min_minor;
    (void)max_minor;
    bad->backend.probe = absurd_score;
    return &bad->backend;
}
