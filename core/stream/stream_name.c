/* Names of streams, for profiles and for the profilers of backends.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "core/stream/range.h"
#include "core/stream/stream_object.h"

void core_stream_set_name(struct core_stream *stream, const char *name)
{
    pthread_mutex_lock(&stream->device->lock);
    base_text_copy(stream->name, sizeof(stream->name), name);
    pthread_mutex_unlock(&stream->device->lock);
}

static void tell_profiler(const struct core_stream *stream, const char *name)
{
    struct trm_range_ops copy;
    const struct trm_range_ops *ranges = core_ranges_find(stream->device->backend, &copy);
    if (ranges != NULL && ranges->name_stream != NULL)
        ranges->name_stream(stream->backend, name);
}

void core_stream_copy_name(struct core_stream *stream, char name[CORE_STREAM_NAME])
{
    pthread_mutex_lock(&stream->device->lock);
    base_text_copy(name, CORE_STREAM_NAME, stream->name);
    pthread_mutex_unlock(&stream->device->lock);
}

int32_t trm_stream_set_name(struct trm_stream *handle, const char *name)
{
    if (name == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_stream_set_name: `name` is NULL");
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return base_last_status();
    core_stream_set_name(stream, name);
    if (!core_stream_is_recording(stream))
        tell_profiler(stream, name);
    core_object_leave(&stream->object);
    return TRM_OK;
}
