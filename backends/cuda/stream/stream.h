/* cuda backend, room `stream`: streams and their operations.
 *
 *     stream.c           creates and destroys streams; the table
 *     enqueue.c          copies, fills, launches, prefetches, marks, waits and gates as jobs
 *     copy.c             a copy or fill as the driver takes it; for streams and graphs
 *     launch.c           a launch as the driver takes it; for streams and graphs
 *     replay.c           repeated launches by graphs of one node, which cost the host less
 *     peer.c             copies between devices
 *     deferred_submit.c  operations that wait on the host until they can be submitted
 *     mark.c             events at the points of a stream that may be waited for
 *     wait.c             how far a stream is, and waits
 *     notify.c           notifications, and waits with a time-out
 *     watcher.c          threads of the device that wait for notifications and submit deferred operations
 *     fault.c            accesses outside of variables, which kernels note with kernel.bounds
 *     follow.c           streams that wait for streams of other devices, and fail with these
 *     stream_failure.c   streams that fail or are abandoned
 *     device_loss.c      what a device's streams do when the device is lost
 *
 * An operation is a struct cuda_job. It is submitted to the driver at once or, while the stream defers,
 * copied and submitted later. A stream defers
 *   - behind a gate that is closed,
 *   - behind a wait for a point of another stream that has not been submitted there,
 *   - from a copy on that would block the thread that submits it (copy.h), until a thread waits for it,
 * and everything behind those. So the device never waits for the host: whatever was submitted ends by
 * itself, and no driver call that waits for the device (freeing memory, loading code) can hang.
 *
 * Threads: one thread at a time enqueues. query, wait, notify, flush, open_gates and abandon may be called
 * by any thread. Locks: see driver/objects.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_STREAM_H
#define CUDA_STREAM_STREAM_H

#include "copy.h"
#include "launch.h"
#include "stream_object.h"
#include "watcher.h"

/* An operation. */
struct cuda_job {
    /* Hands the job to the driver, with the context entered where that is needed. Returns a status; the
     * failure has been explained. */
    int32_t (*submit)(struct trm_backend_stream *stream, const void *what);
    /* `size` bytes, which are copied when the job is deferred: without pointers to anything that lives
     * only for the call. */
    const void *what;
    uint32_t size;
};

extern const struct trm_stream_ops cuda_stream_ops;
extern const struct trm_peer_ops cuda_peer_ops;

/* ---- stream.c ------------------------------------------------------------------------------- */

/* Create a stream. is_borrowed: over `borrowed`, which is the application's CUstream (interop/adopt.c). */
int32_t cuda_stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                           CUstream borrowed, bool is_borrowed, struct trm_backend_stream **stream);

/* ---- enqueue.c ------------------------------------------------------------------------------ */

/* For cuda_job.submit: explain that `call` answered the error `result`. Returns its status. */
int32_t cuda_job_failed(struct trm_backend_stream *stream, CUresult result, const char *call)
    __attribute__((cold));
/* The same for a job that also concerns the device `other`, whose loss the driver may have reported. */
int32_t cuda_job_failed_with(struct trm_backend_stream *stream, struct trm_backend_device *other,
                             CUresult result, const char *call) __attribute__((cold));

/* ---- deferred_submit.c ---------------------------------------------------------------------- */

/* Defer a job if the stream defers or `blocks` is set, which means that the driver would block the thread
 * that submits it; else submit it. */
int32_t cuda_defer_job(struct trm_backend_stream *stream, uint64_t value, struct cuda_job job, bool blocks);

/* Block until everything up to `value` has been given to the driver; or the stream's failure. */
int32_t cuda_stream_wait_submitted(struct trm_backend_stream *stream, uint64_t value);

/* ---- submitting ----------------------------------------------------------------------------- */

/* Hand a job to the driver, with the context entered where that is needed. */
static inline int32_t cuda_job_submit(struct trm_backend_stream *stream, struct cuda_job job)
{
    CUcontext previous;
    int32_t status = cuda_enter_stream(stream->device, &previous);
    if (TRM_UTIL_UNLIKELY(status != TRM_OK))
        return status;
    status = job.submit(stream, job.what);
    cuda_leave(stream->device, previous);
    return status;
}

/* The same, as operation `value` of a stream that does not defer. */
static inline int32_t cuda_stream_submit_now(struct trm_backend_stream *stream, uint64_t value,
                                             struct cuda_job job)
{
    int32_t status = cuda_job_submit(stream, job);
    if (TRM_UTIL_LIKELY(status == TRM_OK))
        cuda_stream_set_submitted(stream, value);
    return status;
}

/* Enqueue a job as operation `value`: submit it, or copy it to be submitted in its turn. */
static inline int32_t cuda_stream_submit(struct trm_backend_stream *stream, uint64_t value,
                                         struct cuda_job job)
{
    if (!cuda_stream_is_direct(stream))
        return cuda_defer_job(stream, value, job, false);
    return cuda_stream_submit_now(stream, value, job);
}

/* ---- follow.c ------------------------------------------------------------------------------- */

/* Between these two calls streams of other devices fail when the device is lost that they waited for. With
 * more than CUDA_FOLLOWED devices open, some are not followed. */
void cuda_follow_add_device(struct trm_backend_device *device);
void cuda_follow_remove_device(struct trm_backend_device *device);

/* The same for what has an outcome; false: there is no place for it. One that has failed is left to the
 * streams, which may ask later, and not removed. Its memory stays, and its place until no stream follows
 * it. */
bool cuda_follow_add_outcome(struct trm_backend_instance *instance, struct cuda_outcome *outcome);
void cuda_follow_leave_outcome(struct trm_backend_instance *instance, struct cuda_outcome *outcome);
void cuda_follow_remove_outcome(struct trm_backend_instance *instance, const struct cuda_outcome *outcome);

/* Note that the operation that the stream submits next is also one of another device, or has such an
 * outcome. */
void cuda_follow_outcome(struct trm_backend_stream *stream, const struct cuda_outcome *outcome);
void cuda_follow_device(struct trm_backend_stream *stream, const struct trm_backend_device *device);

/* ---- stream_failure.c ----------------------------------------------------------------------- */

/* Fail a stream whose work cannot end by itself: from here on it reports no point that was not known to be
 * complete. The caller lets its work end, and then calls cuda_stream_end_failed(), which waits for that, and
 * reports the failure. The stream is pinned. */
void cuda_stream_fail_running(struct trm_backend_stream *stream, int32_t status, int64_t native,
                              const char *sentence);
void cuda_stream_end_failed(struct trm_backend_stream *stream);

/* ---- device_loss.c -------------------------------------------------------------------------- */

/* The device's on_loss and on_kernel_unload. */
void cuda_streams_lose_device(struct trm_backend_device *device, CUresult result, const char *call);
void cuda_streams_forget_kernel(struct trm_backend_device *device, const struct trm_backend_kernel *kernel);

#endif
