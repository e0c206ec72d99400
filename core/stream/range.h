/* Ranges that the profilers of a backend see.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_STREAM_RANGE_H
#define CORE_STREAM_RANGE_H

#include "core/stream/stream_object.h"

/* The backend's ranges, copied to `copy`, or NULL: without a profiler there are none. */
const struct trm_range_ops *core_ranges_find(const struct core_backend *backend, struct trm_range_ops *copy);

#endif
