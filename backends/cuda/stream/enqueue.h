/* cuda backend: the operations of a stream, for its table; and waits between streams.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_ENQUEUE_H
#define CUDA_STREAM_ENQUEUE_H

#include "stream.h"

/* Let the stream wait, on the device, for `value` of `other`, which has been submitted there. */
int32_t cuda_stream_wait_on_device(struct trm_backend_stream *stream, struct trm_backend_stream *other,
                                   uint64_t value);

int32_t cuda_stream_copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc);
int32_t cuda_stream_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                            const struct trm_copy_2d_desc *desc);
int32_t cuda_stream_fill(struct trm_backend_stream *stream, uint64_t value, const struct trm_fill_desc *desc);
int32_t cuda_stream_launch(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_launch_desc *desc);
int32_t cuda_stream_mark(struct trm_backend_stream *stream, uint64_t value);
int32_t cuda_stream_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                struct trm_backend_stream *other, uint64_t other_value);
int32_t cuda_stream_gate(struct trm_backend_stream *stream, uint64_t value);
int32_t cuda_stream_prefetch(struct trm_backend_stream *stream, uint64_t value,
                             struct trm_backend_memory *memory, uint64_t offset, uint64_t size,
                             uint32_t to_host);

#endif
