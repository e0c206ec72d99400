/* cuda backend: operations that wait on the host until they can be submitted.
 *
 * stream.h says when a stream defers. The driver is given deferred operations in their order, by one thread
 * at a time.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_DEFERRED_SUBMIT_H
#define CUDA_STREAM_DEFERRED_SUBMIT_H

#include "stream.h"

/* What a flush may do; a higher one does what the lower ones do. */
enum cuda_flush {
    CUDA_FLUSH_LAZY     = 1, /* jobs that block stay deferred */
    CUDA_FLUSH_SOON     = 2, /* a watcher thread is given those, and the rest where there are many */
    CUDA_FLUSH_BLOCKING = 3, /* the calling thread may block */
};

int32_t cuda_defer_gate(struct trm_backend_stream *stream, uint64_t value);
int32_t cuda_defer_wait(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stream *other,
                        uint64_t other_value);

/* Submit the deferred operations that can go, here and on streams that wait for this one. Any thread. */
void cuda_deferred_flush(struct trm_backend_stream *stream, enum cuda_flush how);

/* With the instance's defer_lock: take all deferred operations off the stream. The caller then calls
 * cuda_deferred_resume_locked(), and frees the list without the lock. */
struct cuda_deferred *cuda_deferred_take_locked(struct trm_backend_stream *stream);
void cuda_deferred_free(struct trm_backend_stream *stream, struct cuda_deferred *list);
/* With the lock, which is released meanwhile: flush the streams whose wait for another stream is over. */
void cuda_deferred_resume_locked(struct trm_backend_instance *instance);

#endif
