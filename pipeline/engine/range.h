/* Pipelines: ranges that a profiler shows, around what is put on the device. Nothing but a look at a pointer where none looks on.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_ENGINE_RANGE_H
#define PIPELINE_ENGINE_RANGE_H

#include "pipeline/engine/engine_internal.h"

/* The backend's ranges, or NULL. */
const struct trm_range_ops *core_ranges_find(const struct core_backend *backend);

/* What a profiler calls a stream of the pipeline: "upload", "slot 2". */
void core_ranges_name_stream(const struct core_pipeline *pipeline, struct trm_stream *stream,
                             const char *name);

static inline void core_range_begin(const struct core_pipeline *pipeline, const char *name, uint64_t number)
{
    const struct trm_range_ops *ranges = pipeline->engine->ranges;
    if (__builtin_expect(ranges != NULL, 0))
        ranges->begin(name, number);
}

static inline void core_range_end(const struct core_pipeline *pipeline)
{
    const struct trm_range_ops *ranges = pipeline->engine->ranges;
    if (__builtin_expect(ranges != NULL, 0))
        ranges->end();
}

#endif
