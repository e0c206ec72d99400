/* Trireme: operations on a stream that move and set memory. All are asynchronous: they are checked
 * and enqueued when the call returns; wait for a point after them to know them done. Zero bytes are
 * legal and do nothing.
 *
 * Host memory given by address must stay valid (and, as a source, unchanged) until then. Source and
 * destination of one call must not overlap: INVALID_ARGUMENT.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TRANSFER_H
#define TRIREME_TRANSFER_H

#include <trireme/api.h>
#include <trireme/buffer.h>

TRM_API_BEGIN

/* Copy between buffers of any kinds; of two devices of one context too (peer access, or staged
 * through the host). Lengths must be equal; if one is TRM_WHOLE it takes the other's.
 * Errors      OUT_OF_RANGE past an end or by wrap-around, INVALID_ARGUMENT for lengths that
 *             differ or spans that overlap, WRONG_DEVICE when neither buffer is the stream's device's */
TRM_API int32_t trm_copy(struct trm_stream *stream, struct trm_span destination, struct trm_span source);

/* Copy from host memory into a span, and back. length TRM_WHOLE means the buffer's end, not the
 * host memory's. */
TRM_API int32_t trm_upload(struct trm_stream *stream, struct trm_span destination, const void *source);
TRM_API int32_t trm_download(struct trm_stream *stream, void *destination, struct trm_span source);

/* One side of a 2D copy: a buffer, or host memory where buffer is NULL. */
struct trm_rows {
    struct trm_buffer *buffer;
    void *host;      /* where buffer is NULL; only read when it is the source */
    uint64_t offset; /* bytes to the first row */
    uint64_t pitch;  /* bytes from row to row, at least width */
};

/* Copy `height` rows of `width` bytes. At least one side is a buffer. */
TRM_API int32_t trm_copy_2d(struct trm_stream *stream, const struct trm_rows *destination,
                            const struct trm_rows *source, uint64_t width, uint64_t height);

/* Set a span to a repeated pattern.
 *
 * pattern     the value, in the low bytes
 * pattern_size  1, 2, 4 or 8 bytes; offset and length are multiples of it
 */
TRM_API int32_t trm_fill(struct trm_stream *stream, struct trm_span span, uint64_t pattern,
                         uint32_t pattern_size);

/* Move a unified buffer's memory near the device (to_host 0) or the host (1) ahead of its use. A
 * hint: TRM_OK where memory does not move; INVALID_ARGUMENT for buffers that are not unified
 * memory. */
TRM_API int32_t trm_prefetch(struct trm_stream *stream, struct trm_span span, int32_t to_host);

TRM_API_END

#endif
