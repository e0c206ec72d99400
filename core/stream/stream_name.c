/* Names of streams, for profiles and for the profilers of backends.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "core/stream/range.h"
#include "core/stream/stream_object.h"

static void free_copy(const struct core_stream *stream, const char *name, bool is_static)
{
    if (!is_static)
        core_free(stream->object.context, (void *)(uintptr_t)name, CORE_STREAM_NAME);
}

static void replace(struct core_stream *stream, const char *name, bool is_static)
{
    pthread_mutex_lock(&stream->device->lock);
    const char *before      = stream->name;
    bool was_static         = stream->has_static_name;
    stream->name            = name;
    stream->has_static_name = is_static;
    pthread_mutex_unlock(&stream->device->lock);
    free_copy(stream, before, was_static);
}

void core_stream_set_static_name(struct core_stream *stream, const char *name)
{
    replace(stream, name, true);
}

void core_stream_free_name(struct core_stream *stream)
{
    free_copy(stream, stream->name, stream->has_static_name);
}

static int32_t set_name(struct core_stream *stream, const char *name)
{
    char *copy = NULL;
    if (name[0] != '\0') {
        copy = core_allocate(stream->object.context, CORE_STREAM_NAME);
        if (copy == NULL)
            return base_fail_memory("naming a stream");
        base_text_copy(copy, CORE_STREAM_NAME, name);
    }
    replace(stream, copy, false);
    return TRM_OK;
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
    base_text_copy(name, CORE_STREAM_NAME, stream->name != NULL ? stream->name : "");
    pthread_mutex_unlock(&stream->device->lock);
}

int32_t trm_stream_set_name(struct trm_stream *handle, const char *name)
{
    if (name == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_stream_set_name: `name` is NULL");
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return base_last_status();
    int32_t status = set_name(stream, name);
    if (status == TRM_OK && !core_stream_is_recording(stream))
        tell_profiler(stream, name);
    core_object_leave(&stream->object);
    return status;
}
