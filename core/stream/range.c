/* Ranges: what a program calls its own operations.
 * SPDX-License-Identifier: MIT
 */
#include "core/stream/range.h"

#include "base/base.h"
#include "core/stream/profile.h"

const struct trm_range_ops *core_ranges_find(const struct core_backend *backend, struct trm_range_ops *copy)
{
    if (backend->table.get_extension == NULL)
        return NULL;
    const void *theirs = backend->table.get_extension(TRM_RANGE_EXTENSION, 1);
    if (theirs == NULL || !core_struct_copy_in(copy, sizeof(*copy), theirs, CORE_ABI_RANGE_OPS) ||
        copy->begin == NULL || copy->end == NULL)
        return NULL;
    return copy;
}

bool core_range_is_wanted(const struct core_stream *stream)
{
    return (atomic_load_explicit(&stream->observed, memory_order_acquire) & CORE_STREAM_PROFILED) != 0;
}

uint32_t core_range_push_task(struct core_stream *stream, const char *name)
{
    core_stream_profile_push(stream, name, stream->range_depth, true);
    return stream->range_depth++;
}

void core_range_pop_task(struct core_stream *stream, uint32_t depth)
{
    while (stream->range_depth > depth)
        core_stream_profile_pop(stream, --stream->range_depth);
    stream->range_depth = depth;
}

/* The innermost range. */
static void pop(struct core_stream *stream)
{
    struct trm_range_ops copy;
    stream->range_depth--;
    if (core_range_is_wanted(stream))
        core_stream_profile_pop(stream, stream->range_depth);
    const struct trm_range_ops *ranges = core_ranges_find(stream->device->backend, &copy);
    if (ranges != NULL)
        ranges->end();
}

void core_range_pop_all(struct core_stream *stream)
{
    while (stream->range_depth > 0)
        pop(stream);
}

int32_t trm_range_push(struct trm_stream *handle, const char *name)
{
    struct trm_range_ops copy;
    struct core_stream *stream = core_stream_find(handle);
    if (stream == NULL)
        return base_last_status();
    if (name == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_range_push: `name` is NULL");
    const struct trm_range_ops *ranges = core_ranges_find(stream->device->backend, &copy);
    if (ranges != NULL)
        ranges->begin(name, stream->range_count);
    if (core_range_is_wanted(stream))
        core_stream_profile_push(stream, name, stream->range_depth, false);
    stream->range_count++;
    stream->range_depth++;
    return TRM_OK;
}

int32_t trm_range_pop(struct trm_stream *handle)
{
    struct core_stream *stream = core_stream_find(handle);
    if (stream == NULL)
        return base_last_status();
    if (stream->range_depth == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the stream is in no range");
    pop(stream);
    return TRM_OK;
}
