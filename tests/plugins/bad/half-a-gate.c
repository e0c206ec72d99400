/* A plugin that can stop at gates and never open them.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t half_a_gate(struct trm_backend_stream *stream, uint64_t value)
{
    (void)stream;
    (void)value;
    return TRM_ERROR_UNSUPPORTED;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "half-a-gate");

    (void)min_minor;
    (void)max_minor;
    bad->stream.gate = half_a_gate;
    return &bad->backend;
}
