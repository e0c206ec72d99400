/* Ranges of a profiler, where the backend has them.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/range.h"

#include "core/object/object.h"
#include "core/stream/stream.h"

const struct trm_range_ops *pipeline_ranges_find(const struct core_backend *backend,
                                                 struct trm_range_ops *copy)
{
    if (backend->table.get_extension == NULL)
        return NULL;
    const void *theirs = backend->table.get_extension(TRM_RANGE_EXTENSION, 1);
    if (theirs == NULL || !core_struct_copy_in(copy, sizeof(*copy), theirs, CORE_ABI_RANGE_OPS) ||
        copy->begin == NULL || copy->end == NULL)
        return NULL;
    return copy;
}

void pipeline_ranges_name_stream(const struct pipeline *pipeline, struct trm_stream *handle, const char *name)
{
    const struct trm_range_ops *ranges = pipeline->engine->ranges;
    const struct core_stream *stream   = ranges != NULL ? core_stream_find(handle) : NULL;
    if (stream != NULL && ranges->name_stream != NULL)
        ranges->name_stream(stream->backend, name);
}
