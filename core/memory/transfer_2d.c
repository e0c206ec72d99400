/* Copies of two dimensions: rows at a pitch.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/memory/transfer.h"

/* ---- checks -------------------------------------------------------------------------------- */

/* Bytes from the first to the last one; 0 if there is nothing to copy. */
static int32_t extent_of(uint64_t pitch, uint64_t width, uint64_t height, uint64_t *extent)
{
    uint64_t rows;

    *extent = 0;
    if (width == 0 || height == 0)
        return TRM_OK;
    if (__builtin_mul_overflow(pitch, height - 1, &rows) || __builtin_add_overflow(rows, width, extent) ||
        *extent == TRM_WHOLE)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "%" PRIu64 " rows at a pitch of %" PRIu64 " bytes are more than 64 bits can count",
                         height, pitch);
    return TRM_OK;
}

static int32_t side_of_host(const struct trm_rows *rows, uint64_t extent, struct core_rows *side)
{
    uintptr_t address = (uintptr_t)rows->host;

    side->pitch = rows->pitch;
    if (extent == 0)
        return TRM_OK;
    if (rows->host == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "rows of a 2D copy have neither a buffer nor host memory");
    if (rows->offset > UINTPTR_MAX - address)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "offset %" PRIu64 " goes past the end of the address space",
                         rows->offset);
    side->host = (unsigned char *)rows->host + rows->offset;
    return core_host_check(side->host, extent);
}

static int32_t side_of_buffer(const struct trm_rows *rows, uint64_t extent, struct core_rows *side)
{
    uint64_t length;

    int32_t status =
        core_span_resolve(trm_span_of(rows->buffer, rows->offset, extent), &side->buffer, &length);
    if (status != TRM_OK)
        return status;
    side->offset = rows->offset;
    side->pitch  = rows->pitch;
    side->host   = side->buffer->host == NULL ? NULL : side->buffer->host + rows->offset;
    return TRM_OK;
}

static int32_t side_of(const struct trm_rows *rows, uint64_t width, uint64_t height, struct core_rows *side,
                       uint64_t *extent)
{
    if (rows == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a 2D copy needs rows on both sides");
    if (rows->pitch < width)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a pitch of %" PRIu64 " bytes is less than the width of %" PRIu64, rows->pitch,
                         width);
    int32_t status = extent_of(rows->pitch, width, height, extent);
    if (status != TRM_OK)
        return status;
    return rows->buffer == NULL ? side_of_host(rows, *extent, side) : side_of_buffer(rows, *extent, side);
}

static int32_t check_devices(const struct core_stream *stream, const struct core_rows *destination,
                             const struct core_rows *source)
{
    if (destination->buffer == NULL && source->buffer == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "at least one side of a 2D copy is a buffer");
    if (destination->buffer == NULL)
        return core_buffer_check_device(source->buffer, stream->device);
    if (source->buffer == NULL)
        return core_buffer_check_device(destination->buffer, stream->device);
    return core_copy_check_devices(stream, destination->buffer, source->buffer);
}

/* True if a row that begins at `at` shares a byte with any of the rows that begin at 0, pitch, 2 * pitch,
 * … */
static bool row_overlaps(int64_t at, uint64_t pitch, uint64_t width, uint64_t height)
{
    if (at < 0)
        return (uint64_t)-at < width;
    uint64_t row    = (uint64_t)at / pitch;
    uint64_t within = (uint64_t)at % pitch;
    return (row < height && within < width) || (row + 1 < height && pitch - within < width);
}

/* Compares row by row: the rows of one side may lie between those of the other (two halves of an image). */
static bool rows_overlap(uint64_t to, uint64_t to_pitch, uint64_t from, uint64_t from_pitch, uint64_t width,
                         uint64_t height)
{
    for (uint64_t row = 0; row < height; row++)
        if (row_overlaps((int64_t)(to + row * to_pitch - from), from_pitch, width, height))
            return true;
    return false;
}

static int32_t check_overlap(const struct core_rows *destination, uint64_t to_extent,
                             const struct core_rows *source, uint64_t from_extent, uint64_t width,
                             uint64_t height)
{
    uint64_t to = destination->offset, from = source->offset;

    if (destination->host != NULL && source->host != NULL) {
        to   = (uintptr_t)destination->host;
        from = (uintptr_t)source->host;
    } else if (destination->buffer != source->buffer) {
        return TRM_OK;
    }
    if ((to < from ? from - to >= to_extent : to - from >= from_extent) ||
        !rows_overlap(to, destination->pitch, from, source->pitch, width, height))
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "source and destination of a 2D copy overlap");
}

/* ---- enqueueing ---------------------------------------------------------------------------- */

static struct trm_place place_of(const struct core_rows *side, uint64_t at)
{
    return side->buffer == NULL ? core_place_host(side->host + at)
                                : core_place(side->buffer, side->offset + at);
}

static void add_to_in_flight(const struct core_rows *side, struct core_stream *stream, uint64_t value)
{
    if (side->buffer != NULL)
        core_in_flight_add(&side->buffer->in_flight, stream, value);
}

/* Copies consecutive bytes, which begin at `to_at` and `from_at` after the beginning of the first row. */
static int32_t copy_bytes(struct core_stream *stream, const struct core_rows *destination, uint64_t to_at,
                          const struct core_rows *source, uint64_t from_at, uint64_t size)
{
    if (destination->buffer != NULL && source->buffer != NULL)
        return core_copy_buffers(stream, destination->buffer, destination->offset + to_at, source->buffer,
                                 source->offset + from_at, size);
    uint64_t value = core_stream_next(stream);
    int32_t status = core_copy_enqueue(stream, place_of(destination, to_at), place_of(source, from_at), size);
    if (status != TRM_OK)
        return status;
    add_to_in_flight(destination, stream, value);
    add_to_in_flight(source, stream, value);
    return TRM_OK;
}

static int32_t copy_in_backend(struct core_stream *stream, const struct core_rows *destination,
                               const struct core_rows *source, uint64_t width, uint64_t height)
{
    uint64_t value               = core_stream_next(stream);
    struct trm_copy_2d_desc desc = {
        .struct_size       = sizeof(desc),
        .destination       = place_of(destination, 0),
        .source            = place_of(source, 0),
        .destination_pitch = destination->pitch,
        .source_pitch      = source->pitch,
        .width             = width,
        .height            = height,
    };

    base_error_clear();
    int32_t status = core_stream_commit_work(stream, value, "stream.copy_2d",
                                             stream->ops->copy_2d(stream->backend, value, &desc),
                                             core_copy_kind(desc.destination, desc.source), width * height);
    if (status != TRM_OK)
        return status;
    add_to_in_flight(destination, stream, value);
    add_to_in_flight(source, stream, value);
    return TRM_OK;
}

static int32_t copy_rows(struct core_stream *stream, const struct core_rows *destination,
                         const struct core_rows *source, uint64_t width, uint64_t height)
{
    int32_t status = TRM_OK;

    for (uint64_t row = 0; row < height && status == TRM_OK; row++)
        status =
            copy_bytes(stream, destination, row * destination->pitch, source, row * source->pitch, width);
    return status;
}

static bool is_local(const struct core_rows *side, const struct core_stream *stream)
{
    return side->buffer == NULL || side->buffer->device == stream->device;
}

int32_t core_copy_rows(struct core_stream *stream, const struct core_rows *destination,
                       const struct core_rows *source, uint64_t width, uint64_t height)
{
    if (height == 1 || (destination->pitch == width && source->pitch == width))
        return copy_bytes(stream, destination, 0, source, 0, width * height);
    if (stream->ops->copy_2d != NULL && is_local(destination, stream) && is_local(source, stream))
        return copy_in_backend(stream, destination, source, width, height);
    return copy_rows(stream, destination, source, width, height);
}

static enum core_direction direction_of(const struct core_rows *destination, const struct core_rows *source)
{
    if (destination->buffer == NULL)
        return CORE_COPY_DOWN;
    return source->buffer == NULL ? CORE_COPY_UP : CORE_COPY_DEVICE;
}

int32_t trm_copy_2d(struct trm_stream *stream, const struct trm_rows *destination,
                    const struct trm_rows *source, uint64_t width, uint64_t height)
{
    struct core_stream *found;
    struct core_rows to = {0}, from = {0};
    uint64_t to_extent = 0, from_extent = 0;

    int32_t status = core_stream_begin(stream, &found);
    if (status == TRM_OK)
        status = side_of(destination, width, height, &to, &to_extent);
    if (status == TRM_OK)
        status = side_of(source, width, height, &from, &from_extent);
    if (status == TRM_OK)
        status = check_devices(found, &to, &from);
    if (status != TRM_OK || to_extent == 0)
        return status;
    status = check_overlap(&to, to_extent, &from, from_extent, width, height);
    if (status != TRM_OK)
        return status;

    status = core_copy_rows(found, &to, &from, width, height);
    if (status == TRM_OK)
        core_copy_count(found, direction_of(&to, &from), width * height);
    return status;
}
