/* The ranges of profilers: an extension of a backend. <trireme/backend.h> includes it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_BACKEND_RANGE_H
#define TRIREME_BACKEND_RANGE_H

#include <trireme/backend.h>

TRM_API_BEGIN

/* Ranges that a profiler shows beside the work of the device: get_extension(TRM_RANGE_EXTENSION, 1). The core
 * asks when a pipeline is created, and when a range of a stream begins or ends. NULL while no profiler is
 * attached, so that ranges cost nothing then. */
#define TRM_RANGE_EXTENSION "range"

struct trm_range_ops {
    uint32_t struct_size;
    uint32_t reserved;
    /* Begin a range of the calling thread, up to the matching end(). number: which of the ranges with this
     * name. Ranges nest. */
    void (*begin)(const char *name, uint64_t number);
    void (*end)(void);
    /* Optional. */
    void (*name_stream)(struct trm_backend_stream *stream, const char *name);
};

TRM_API_END

#endif
