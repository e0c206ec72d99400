/* Copies of one dimension.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/transfer.h"

#include <inttypes.h>

/* ---- enqueueing ---------------------------------------------------------------------------- */

inline void core_copy_count(struct core_stream *stream, enum core_direction direction, uint64_t size)
{
    struct trm_stream_stats *stats = stream->stats;

    core_stream_count(stream, &stats->copies);
    if (direction == CORE_COPY_DEVICE) {
        core_stream_add(&stats->bytes_copied, size);
        return;
    }
    core_stream_add(direction == CORE_COPY_UP ? &stats->bytes_uploaded : &stats->bytes_downloaded, size);
    if (!stream->device->limits.unified)
        core_stream_add(&stats->pageable_copies, 1);
}

static inline int32_t copy_enqueue(struct core_stream *stream, struct trm_place destination,
                                   struct trm_place source, uint64_t size, enum core_work_kind kind)
{
    uint64_t value            = core_stream_next(stream);
    struct trm_copy_desc desc = {
        .struct_size = sizeof(desc),
        .destination = destination,
        .source      = source,
        .size        = size,
    };

    base_error_clear();
    return core_stream_commit_work(stream, value, "stream.copy",
                                   stream->ops->copy(stream->backend, value, &desc), kind, size);
}

inline int32_t core_copy_enqueue(struct core_stream *stream, struct trm_place destination,
                                 struct trm_place source, uint64_t size)
{
    return copy_enqueue(stream, destination, source, size, core_copy_kind(destination, source));
}

/* Pinned memory is the host's. */
static inline enum core_work_kind kind_of(const struct core_buffer *destination,
                                          const struct core_buffer *source)
{
    if ((destination->kind == TRM_MEMORY_PINNED) == (source->kind == TRM_MEMORY_PINNED))
        return CORE_WORK_COPY;
    return source->kind == TRM_MEMORY_PINNED ? CORE_WORK_UPLOAD : CORE_WORK_DOWNLOAD;
}

inline int32_t core_copy_buffers(struct core_stream *stream, struct core_buffer *destination, uint64_t to,
                                 struct core_buffer *source, uint64_t from, uint64_t size)
{
    if (destination->device != source->device)
        return core_peer_copy(stream, destination, to, source, from, size);
    struct core_in_flight *const sets[] = {&destination->in_flight, &source->in_flight};
    uint64_t value                      = core_stream_next(stream);
    int32_t status = copy_enqueue(stream, core_place(destination, to), core_place(source, from), size,
                                  kind_of(destination, source));
    if (status == TRM_OK)
        core_in_flight_add_each(sets, 2, stream, value);
    return status;
}

/* ---- checks -------------------------------------------------------------------------------- */

inline int32_t core_copy_check_devices(const struct core_stream *stream,
                                       const struct core_buffer *destination,
                                       const struct core_buffer *source)
{
    if (destination->object.context != stream->object.context ||
        source->object.context != stream->object.context)
        return base_fail(TRM_ERROR_WRONG_DEVICE, "a copy between objects of two contexts");
    if (destination->device == stream->device || source->device == stream->device)
        return TRM_OK;
    return base_fail(
        TRM_ERROR_WRONG_DEVICE,
        "neither buffer belongs to the stream's device %s: the destination's is %s, the source's %s",
        stream->device->id, destination->device->id, source->device->id);
}

static int32_t check_overlap(const struct core_buffer *destination, uint64_t to,
                             const struct core_buffer *source, uint64_t from, uint64_t size)
{
    uint64_t distance = to < from ? from - to : to - from;

    if ((destination == source && distance < size) ||
        (destination->host != NULL && source->host != NULL &&
         core_host_overlap(destination->host + to, size, source->host + from, size)))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "source and destination of a copy of %" PRIu64 " bytes overlap", size);
    return TRM_OK;
}

static int32_t check_host(const struct core_buffer *buffer, uint64_t offset, const void *memory,
                          uint64_t size)
{
    int32_t status = core_host_check(memory, size);
    if (status != TRM_OK)
        return status;
    if (buffer->host != NULL && core_host_overlap(buffer->host + offset, size, memory, size))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the host memory of a copy of %" PRIu64 " bytes overlaps with the buffer's own",
                         size);
    return TRM_OK;
}

/* ---- the functions of <trireme/transfer.h> ------------------------------------------------- */

inline int32_t core_copy(struct core_stream *stream, struct trm_span destination, struct trm_span source)
{
    struct core_buffer *to, *from;
    uint64_t to_length, from_length;

    if (destination.length == TRM_WHOLE)
        destination.length = source.length;
    else if (source.length == TRM_WHOLE)
        source.length = destination.length;
    int32_t status = core_span_resolve(destination, &to, &to_length);
    if (status == TRM_OK)
        status = core_span_resolve(source, &from, &from_length);
    if (status == TRM_OK)
        status = core_copy_check_devices(stream, to, from);
    if (status != TRM_OK)
        return status;
    if (to_length != from_length)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a copy of %" PRIu64 " bytes into a span of %" PRIu64 " bytes", from_length,
                         to_length);
    if (to_length == 0)
        return TRM_OK;
    status = check_overlap(to, destination.offset, from, source.offset, to_length);
    if (status != TRM_OK)
        return status;
    status = core_copy_buffers(stream, to, destination.offset, from, source.offset, to_length);
    if (status == TRM_OK)
        core_copy_count(stream, CORE_COPY_DEVICE, to_length);
    return status;
}

/* The checks that an upload and a download share. */
static int32_t resolve_transfer(const struct core_stream *stream, struct trm_span span, const void *memory,
                                struct core_buffer **buffer, uint64_t *length)
{
    int32_t status = core_span_resolve_on(stream, span, buffer, length);
    if (status == TRM_OK)
        status = check_host(*buffer, span.offset, memory, *length);
    return status;
}

int32_t core_upload(struct core_stream *stream, struct trm_span destination, const void *source)
{
    struct core_buffer *buffer;
    uint64_t length;

    int32_t status = resolve_transfer(stream, destination, source, &buffer, &length);
    if (status != TRM_OK || length == 0)
        return status;
    uint64_t value = core_stream_next(stream);
    status =
        core_copy_enqueue(stream, core_place(buffer, destination.offset), core_place_host(source), length);
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&buffer->in_flight, stream, value);
    core_copy_count(stream, CORE_COPY_UP, length);
    return TRM_OK;
}

int32_t core_download(struct core_stream *stream, void *destination, struct trm_span source)
{
    struct core_buffer *buffer;
    uint64_t length;

    int32_t status = resolve_transfer(stream, source, destination, &buffer, &length);
    if (status != TRM_OK || length == 0)
        return status;
    uint64_t value = core_stream_next(stream);
    status =
        core_copy_enqueue(stream, core_place_host(destination), core_place(buffer, source.offset), length);
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&buffer->in_flight, stream, value);
    core_copy_count(stream, CORE_COPY_DOWN, length);
    return TRM_OK;
}

int32_t trm_copy(struct trm_stream *stream, struct trm_span destination, struct trm_span source)
{
    struct core_stream *found;

    int32_t status = core_stream_begin(stream, &found);
    return status != TRM_OK ? status : core_copy(found, destination, source);
}

int32_t trm_upload(struct trm_stream *stream, struct trm_span destination, const void *source)
{
    struct core_stream *found;

    int32_t status = core_stream_begin(stream, &found);
    return status != TRM_OK ? status : core_upload(found, destination, source);
}

int32_t trm_download(struct trm_stream *stream, void *destination, struct trm_span source)
{
    struct core_stream *found;

    int32_t status = core_stream_begin(stream, &found);
    return status != TRM_OK ? status : core_download(found, destination, source);
}
