/* Ranges that a profiler shows around enqueued work. Without a profiler they cost one look at a pointer.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_RANGE_H
#define PIPELINE_ENGINE_RANGE_H

#include "pipeline/engine/engine_internal.h"

static inline void pipeline_range_begin(const struct pipeline *pipeline, const char *name, uint64_t number)
{
    const struct trm_range_ops *ranges = pipeline->engine->ranges;
    if (UNLIKELY(ranges != NULL))
        ranges->begin(name, number);
}

static inline void pipeline_range_end(const struct pipeline *pipeline)
{
    const struct trm_range_ops *ranges = pipeline->engine->ranges;
    if (UNLIKELY(ranges != NULL))
        ranges->end();
}

#endif
