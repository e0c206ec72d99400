/* Fills. On a backend without fill(), uploads a piece of pattern and doubles it by copies on the device.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "core/memory/staging.h"

#define PIECE (UINT64_C(64) << 10) /* bytes of pattern that are uploaded at most */

static int32_t fill_in_backend(struct core_stream *stream, struct core_buffer *buffer, uint64_t offset,
                               uint64_t size, uint64_t pattern, uint32_t pattern_size)
{
    uint64_t value            = core_stream_next(stream);
    struct trm_fill_desc desc = {
        .struct_size  = sizeof(desc),
        .pattern_size = pattern_size,
        .memory       = buffer->memory,
        .offset       = buffer->base + offset,
        .size         = size,
        .pattern      = pattern,
    };

    base_error_clear();
    int32_t status = core_stream_commit_work(
        stream, value, "stream.fill", stream->ops->fill(stream->backend, value, &desc), CORE_WORK_FILL, size);
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&buffer->in_flight, stream, value);
    return TRM_OK;
}

static void write_pattern(unsigned char *memory, uint64_t size, uint64_t pattern, uint32_t pattern_size)
{
    unsigned char bytes[sizeof(pattern)] = {0};

    /* The pattern is in the low bytes, whatever the byte order. */
    for (uint32_t i = 0; i < pattern_size; i++)
        bytes[i] =
            (unsigned char)(pattern >>
                            8 * (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : pattern_size - 1 - i));
    for (uint64_t at = 0; at < size; at += pattern_size)
        memcpy(memory + at, bytes, pattern_size);
}

static int32_t upload_pattern(struct core_stream *stream, struct core_buffer *buffer, uint64_t offset,
                              struct core_staging *staging)
{
    uint64_t value = core_stream_next(stream);

    int32_t status =
        core_copy_enqueue(stream, core_place(buffer, offset), core_staging_place(staging), staging->size);
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&buffer->in_flight, stream, value);
    core_in_flight_add(&staging->in_flight, stream, value);
    return TRM_OK;
}

static int32_t fill_by_copies(struct core_stream *stream, struct core_buffer *buffer, uint64_t offset,
                              uint64_t size, uint64_t pattern, uint32_t pattern_size)
{
    struct core_staging *staging;
    uint64_t done = size < PIECE ? size : PIECE;

    int32_t status = core_staging_create(stream->device, done, false, &staging);
    if (status != TRM_OK)
        return status;
    write_pattern(staging->memory, done, pattern, pattern_size);
    status = upload_pattern(stream, buffer, offset, staging);
    core_staging_release(staging);
    while (status == TRM_OK && done < size) {
        uint64_t piece = done < size - done ? done : size - done;
        status         = core_copy_buffers(stream, buffer, offset + done, buffer, offset, piece);
        done += piece;
    }
    return status;
}

int32_t core_fill_buffer(struct core_stream *stream, struct core_buffer *buffer, uint64_t offset,
                         uint64_t size, uint64_t pattern, uint32_t pattern_size)
{
    if (stream->ops->fill != NULL)
        return fill_in_backend(stream, buffer, offset, size, pattern, pattern_size);
    return fill_by_copies(stream, buffer, offset, size, pattern, pattern_size);
}

int32_t trm_fill(struct trm_stream *stream, struct trm_span span, uint64_t pattern, uint32_t pattern_size)
{
    struct core_stream *found;
    struct core_buffer *buffer;
    uint64_t length;

    int32_t status = core_stream_begin(stream, &found);
    if (status == TRM_OK)
        status = core_span_resolve_on(found, span, &buffer, &length);
    if (status != TRM_OK)
        return status;
    if (pattern_size != 1 && pattern_size != 2 && pattern_size != 4 && pattern_size != 8)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a pattern has 1, 2, 4 or 8 bytes, not %" PRIu32,
                         pattern_size);
    if (span.offset % pattern_size != 0 || length % pattern_size != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "offset %" PRIu64 " and length %" PRIu64
                         " must be multiples of the pattern's %" PRIu32 " bytes",
                         span.offset, length, pattern_size);
    if (length == 0)
        return TRM_OK;
    status = core_fill_buffer(found, buffer, span.offset, length, pattern, pattern_size);
    if (status == TRM_OK)
        core_stream_count(found, &found->stats->fills);
    return status;
}
