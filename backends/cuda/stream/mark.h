/* cuda backend: marks, which are the points of a stream that may be waited for.
 *
 * A mark is a number and an event without timing that was recorded behind it. A wait for a number takes the
 * first mark at or after it; where there is none, it marks the end of what has been submitted, which is
 * later than need be but correct. An event is re-used once it is complete and no thread is within a driver
 * call with it (`users`), so that nothing is created in the steady state.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_MARK_H
#define CUDA_STREAM_MARK_H

#include "stream_object.h"

struct cuda_mark {
    struct cuda_mark *next; /* spare marks */
    uint64_t value;
    CUevent event;
    _Atomic uint32_t users; /* not re-used while there are any; grows only under the marks' lock */
};

/* Record a mark at the end of what was submitted, which is `value`. Only the thread that submits. */
int32_t cuda_mark_record(struct trm_backend_stream *stream, uint64_t value);

/* Acquire the first mark at or after `value`, which has been submitted; record one where there is none.
 * Any thread. NULL: there is none, and `result` says why; CUDA_SUCCESS then means that there was no host
 * memory. Release with cuda_mark_release(). */
struct cuda_mark *cuda_mark_acquire(struct trm_backend_stream *stream, uint64_t value, CUresult *result);
/* Acquire the newest mark; NULL: there is none. */
struct cuda_mark *cuda_mark_acquire_newest(struct trm_backend_stream *stream);
/* Acquire the first mark that is not known to be complete; NULL: all are. */
struct cuda_mark *cuda_mark_acquire_oldest(struct trm_backend_stream *stream);
static inline void cuda_mark_release(struct cuda_mark *mark)
{
    atomic_fetch_sub_explicit(&mark->users, 1, memory_order_release);
}

/* CUDA_SUCCESS, and the stream's `completed` is raised; CUDA_ERROR_NOT_READY; or another error. */
CUresult cuda_mark_query(struct trm_backend_stream *stream, const struct cuda_mark *mark);

/* Note that everything up to `value` is complete. */
void cuda_stream_note_completed(struct trm_backend_stream *stream, uint64_t value);

void cuda_marks_fini(struct trm_backend_stream *stream);

#endif
