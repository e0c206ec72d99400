/* A plugin with streams of kernels that stay on the device, and without the graphs that run on them.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    static struct trm_resident_ops resident = {.struct_size = sizeof(resident)};
    struct borrowed *bad                    = borrow(host, "half-a-resident");

    (void)min_minor;
    (void)max_minor;
    resident.stream       = &bad->stream;
    bad->backend.resident = &resident;
    return &bad->backend;
}
