/* Trireme: operations on a stream that copy and set memory.
 *
 * They are asynchronous: when a call returns, the operation is checked and enqueued. It is done when a point
 * after it is reached. Operations of 0 bytes are legal and do nothing. Host memory that is given by address
 * stays valid, and as a source unchanged, until the operation is done.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * stream      the stream; it may record into a graph
 * Blocks      no
 * Threads     one at a time for each stream
 * Ownership   enqueued work keeps the memory of its buffers, though their handles may be destroyed. Host
 *             memory belongs to the program
 * Errors      those of every function (<trireme/api.h>); OUT_OF_RANGE for a span that goes past the end of
 *             its buffer; WRONG_DEVICE for a buffer of another device than the stream's; the stream's first
 *             failure
 */
#ifndef TRIREME_TRANSFER_H
#define TRIREME_TRANSFER_H

#include <trireme/api.h>
#include <trireme/buffer.h>

TRM_API_BEGIN

/* Copy between buffers of any kinds. At least one of them belongs to the stream's device; the other may
 * belong to another device of the context. Such a copy goes directly where the devices can access each other,
 * else through host memory.
 *
 * destination, source  spans of the same length; TRM_WHOLE in one takes the length of the other
 * Blocks      no; between two devices as trm_stream_wait()
 * Errors      OUT_OF_RANGE; INVALID_ARGUMENT when the lengths differ or the spans overlap; WRONG_DEVICE when
 *             neither buffer belongs to the stream's device, or one belongs to another context; UNSUPPORTED
 *             between two devices on a stream that records into a graph; the stream's first failure
 */
TRM_API int32_t trm_copy(struct trm_stream *stream, struct trm_span destination, struct trm_span source);

/* Copy from host memory into a span, or from a span to host memory.
 *
 * destination, source  a span, whose length is that of the copy (TRM_WHOLE: to the end of the buffer), and
 *             the address of as much host memory
 * Errors      OUT_OF_RANGE; WRONG_DEVICE; INVALID_ARGUMENT when the address is NULL, or overlaps with the
 *             buffer's own memory; the stream's first failure
 */
TRM_API int32_t trm_upload(struct trm_stream *stream, struct trm_span destination, const void *source);
TRM_API int32_t trm_download(struct trm_stream *stream, void *destination, struct trm_span source);

/* One side of a 2D copy: rows in a buffer, or in host memory where `buffer` is NULL. */
struct trm_rows {
    struct trm_buffer *buffer;
    void *host;      /* where buffer is NULL; a source is only read */
    uint64_t offset; /* bytes to the first row */
    uint64_t pitch;  /* bytes from one row to the next, at least the width */
};

/* Copy rows.
 *
 * destination, source  the two sides, at least one of which is a buffer
 * width       bytes of a row
 * height      rows
 * Blocks      as trm_copy()
 * Errors      OUT_OF_RANGE, also for more bytes than 64 bits count; INVALID_ARGUMENT for a pitch below the
 *             width, no buffer on either side, host memory that is NULL, or rows that overlap; WRONG_DEVICE
 *             and UNSUPPORTED as for trm_copy(); the stream's first failure
 */
TRM_API int32_t trm_copy_2d(struct trm_stream *stream, const struct trm_rows *destination,
                            const struct trm_rows *source, uint64_t width, uint64_t height);

/* Set a span to a repeated pattern.
 *
 * span        its offset and length are multiples of pattern_size
 * pattern     the value, in the low bytes
 * pattern_size  1, 2, 4 or 8 bytes
 * Errors      OUT_OF_RANGE; WRONG_DEVICE; INVALID_ARGUMENT for another pattern_size, or an offset or length
 *             that is not a multiple of it; the stream's first failure
 */
TRM_API int32_t trm_fill(struct trm_stream *stream, struct trm_span span, uint64_t pattern,
                         uint32_t pattern_size);

/* Move a part of a unified buffer near the device or the host before it is used. A hint: where memory does
 * not move, the call does nothing.
 *
 * span        of a TRM_MEMORY_UNIFIED buffer
 * to_host     0: to the device; 1: to the host
 * Errors      OUT_OF_RANGE; WRONG_DEVICE; INVALID_ARGUMENT for other memory, or another value of to_host; the
 *             stream's first failure
 */
TRM_API int32_t trm_prefetch(struct trm_stream *stream, struct trm_span span, int32_t to_host);

TRM_API_END

#endif
