/* cuda backend: streams that fail or are abandoned.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_STREAM_FAILURE_H
#define CUDA_STREAM_STREAM_FAILURE_H

#include "stream_object.h"

/* TRM_OK: `value` is complete. TIMEOUT: it is not yet. Else the failure of the stream, once all that was
 * submitted has ended. Explains nothing. */
int32_t cuda_stream_state(const struct trm_backend_stream *stream, uint64_t value);
/* The number to wait for in place of `value`: a failed stream may never reach that. */
uint64_t cuda_stream_target(const struct trm_backend_stream *stream, uint64_t value);
/* Explain the failure `status` in the calling thread; returns it. */
int32_t cuda_stream_explain(struct trm_backend_stream *stream, int32_t status);
/* TRM_OK, or why nothing can be enqueued. */
int32_t cuda_stream_check(struct trm_backend_stream *stream);

/* With the instance's defer_lock: fail the stream with `status`, explained by `sentence`, unless it has
 * failed already. Without the lock the caller then frees the list and wakes the stream. */
struct cuda_deferred *cuda_stream_fail_locked(struct trm_backend_stream *stream, int32_t status,
                                              int64_t native, const char *sentence);
/* With the lock: fail the stream because its device is lost. Keeps its deferred operations, wakes nothing. */
void cuda_stream_fail_lost_locked(struct trm_backend_stream *stream);

/* Fail the stream because the driver cannot say how far it is. On return all that was submitted has ended. */
void cuda_stream_query_failed(struct trm_backend_stream *stream, CUresult result, const char *call);

/* Fail the stream though its work has ended: a kernel that it ran, or that a stream ran for which it waited,
 * reached outside of a variable, or the device of such a stream is lost. On return all that was submitted has
 * ended. */
void cuda_stream_fail_ended(struct trm_backend_stream *stream, int32_t status, int64_t native,
                            const char *sentence);

void cuda_stream_abandon(struct trm_backend_stream *stream, int32_t status);

/* Wake the threads that sleep on `progressed`, and have due notifications delivered. */
void cuda_stream_wake(struct trm_backend_stream *stream);

#endif
