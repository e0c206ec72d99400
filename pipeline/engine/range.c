/* Ranges of a profiler, where the backend has them.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/range.h"

#include "core/object/object.h"
#include "core/stream/stream.h"

void pipeline_ranges_name_stream(const struct pipeline *pipeline, struct trm_stream *handle, const char *name)
{
    const struct trm_range_ops *ranges = pipeline->engine->ranges;
    const struct core_stream *stream   = ranges != NULL ? core_stream_find(handle) : NULL;
    if (stream != NULL && ranges->name_stream != NULL)
        ranges->name_stream(stream->backend, name);
}
