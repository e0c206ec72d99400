/* A plugin that cannot work here.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "borrowed.h"

static int32_t probe_no(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    (void)host;
    (void)score;
    snprintf(reason, capacity, "libfoo.so.1 not found: no Foo driver on this machine");
    return TRM_ERROR_UNSUPPORTED;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "probe-no");

    (void)min_minor;
    (void)max_minor;
    bad->backend.probe = probe_no;
    return &bad->backend;
}
