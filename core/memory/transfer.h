/* Enqueueing transfers.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_TRANSFER_H
#define CORE_MEMORY_TRANSFER_H

#include <trireme/backend.h>
#include <trireme/transfer.h>

#include "core/memory/buffer.h"
#include "core/stream/stream.h"

static inline struct trm_place core_place(const struct core_buffer *buffer, uint64_t offset)
{
    struct trm_place place = {buffer->memory, buffer->base + offset, NULL};
    return place;
}

static inline struct trm_place core_place_host(const void *memory)
{
    struct trm_place place = {NULL, 0, (void *)(uintptr_t)memory};
    return place;
}

/* By the addresses alone: a copy between buffers is a COPY. */
static inline enum core_work_kind core_copy_kind(struct trm_place destination, struct trm_place source)
{
    if (source.memory == NULL)
        return CORE_WORK_UPLOAD;
    return destination.memory == NULL ? CORE_WORK_DOWNLOAD : CORE_WORK_COPY;
}

/* Resolves a span of a buffer that the stream's device reaches. Errors: those of core_span_resolve(),
 * WRONG_DEVICE. */
static inline int32_t core_span_resolve_on(const struct core_stream *stream, struct trm_span span,
                                           struct core_buffer **buffer, uint64_t *length)
{
    int32_t status = core_span_resolve(span, buffer, length);
    return status == TRM_OK ? core_buffer_check_device(*buffer, stream->device) : status;
}

/* Enqueues one copy, of at least one byte, between places that the stream's device reaches. The caller
 * adds it to the buffers' in_flight. */
int32_t core_copy_enqueue(struct core_stream *stream, struct trm_place destination, struct trm_place source,
                          uint64_t size);

/* What the functions of <trireme/transfer.h> do, on a stream that core_stream_begin() has found. */
int32_t core_upload(struct core_stream *stream, struct trm_span destination, const void *source);
int32_t core_download(struct core_stream *stream, void *destination, struct trm_span source);
int32_t core_copy(struct core_stream *stream, struct trm_span destination, struct trm_span source);

/* One side of a copy of rows, which has been checked. */
struct core_rows {
    struct core_buffer *buffer; /* NULL: host memory */
    unsigned char *host;        /* the first row, where the host can reach it */
    uint64_t offset;            /* of the first row in the buffer */
    uint64_t pitch;             /* bytes from one row to the next, at least a row */
};

/* Enqueues a copy of `height` rows of `width` bytes, neither 0, and adds it to the buffers' in_flight. The
 * sides do not overlap. */
int32_t core_copy_rows(struct core_stream *stream, const struct core_rows *destination,
                       const struct core_rows *source, uint64_t width, uint64_t height);

/* Statistics count what the program asked for, however the core does it: one copy for each call. */
enum core_direction {
    CORE_COPY_DEVICE = 0,
    CORE_COPY_UP     = 1,
    CORE_COPY_DOWN   = 2,
};
void core_copy_count(struct core_stream *stream, enum core_direction direction, uint64_t size);

/* Errors: WRONG_DEVICE when neither buffer is of the stream's device, or of another context. */
int32_t core_copy_check_devices(const struct core_stream *stream, const struct core_buffer *destination,
                                const struct core_buffer *source);

/* Enqueues a copy between buffers of any devices, of which one is the stream's, and adds it to their
 * in_flight. */
int32_t core_copy_buffers(struct core_stream *stream, struct core_buffer *destination, uint64_t to,
                          struct core_buffer *source, uint64_t from, uint64_t size);

/* Enqueues a fill of at least one pattern, and adds it to the buffer's in_flight. */
int32_t core_fill_buffer(struct core_stream *stream, struct core_buffer *buffer, uint64_t offset,
                         uint64_t size, uint64_t pattern, uint32_t pattern_size);

/* peer.c: can kernels of `device` take buffers of `other`? Errors: UNSUPPORTED, with the reason. */
int32_t core_peer_can_launch(struct core_device *device, const struct core_device *other);

/* Errors: WRONG_DEVICE for a buffer that kernels of the device cannot take. */
int32_t core_peer_check_kernel(const struct core_buffer *buffer, struct core_device *device);

/* peer.c: core_copy_buffers() for two devices. */
int32_t core_peer_copy(struct core_stream *stream, struct core_buffer *destination, uint64_t to,
                       struct core_buffer *source, uint64_t from, uint64_t size);

#endif
