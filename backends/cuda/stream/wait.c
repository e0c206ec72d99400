/* cuda backend: how far a stream is, and waits for it.
 *
 * A driver of 2025 takes 0.1 µs to query an event that is not complete, and 1.5 µs for one that is. So
 * what is known to be complete is never queried.
 * SPDX-License-Identifier: MIT
 */
#include "wait.h"

#include <sched.h>

#include "deferred_submit.h"
#include "mark.h"
#include "notify.h"
#include "stream_failure.h"

/* Nanoseconds. A watcher thread polls no longer than this, since there may be many of them. A thread that
 * polls longer yields the processor between polls. */
#define SHORT_SPIN_NS 50000u

/* ---- querying -------------------------------------------------------------------------------- */

/* Ask whether all that was submitted is complete. */
static CUresult query_all(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    uint64_t submitted                = cuda_stream_submitted(stream);
    CUcontext previous;
    if (cuda_enter_stream(device, &previous) != TRM_OK)
        return CUDA_ERROR_INVALID_CONTEXT;
    CUresult result = device->cuda->cuStreamQuery(stream->handle);
    cuda_leave(device, previous);
    if (result == CUDA_SUCCESS)
        cuda_stream_note_completed(stream, submitted);
    return result;
}

static CUresult query_mark(struct trm_backend_stream *stream, struct cuda_mark *mark, uint64_t *value)
{
    *value          = mark->value;
    CUresult result = cuda_mark_query(stream, mark);
    cuda_mark_release(mark);
    return result;
}

/* The end of the stream has no mark. Mark it now: a stream that is never idle never answers query_all(). */
static CUresult query_end(struct trm_backend_stream *stream)
{
    CUresult marked, result = query_all(stream);
    if (result != CUDA_ERROR_NOT_READY)
        return result;
    struct cuda_mark *mark = cuda_mark_acquire(stream, cuda_stream_submitted(stream), &marked);
    if (mark != NULL)
        cuda_mark_release(mark);
    return marked == CUDA_SUCCESS || !cuda_is_sticky(marked) ? result : marked;
}

/* Query the newest mark first: if it is complete, all are. Else query from the oldest on. */
static CUresult query_marks(struct trm_backend_stream *stream, struct cuda_mark *newest)
{
    uint64_t value, end;
    struct cuda_mark *mark;
    CUresult result = query_mark(stream, newest, &end);
    if (result == CUDA_SUCCESS)
        return end < cuda_stream_submitted(stream) ? query_end(stream) : result;
    while (result == CUDA_ERROR_NOT_READY && (mark = cuda_mark_acquire_oldest(stream)) != NULL) {
        if (mark->value >= end) {
            cuda_mark_release(mark);
            return result;
        }
        if (query_mark(stream, mark, &value) != CUDA_SUCCESS)
            return result;
    }
    return result;
}

void cuda_stream_poll(struct trm_backend_stream *stream)
{
    struct cuda_mark *newest = cuda_mark_acquire_newest(stream);
    CUresult result          = newest != NULL ? query_marks(stream, newest) : query_end(stream);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
        cuda_stream_query_failed(stream, result, "cuEventQuery");
}

int32_t cuda_stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    if (cuda_stream_completed(stream) < cuda_stream_submitted(stream) && !cuda_device_is_lost(stream->device))
        cuda_stream_poll(stream);
    int32_t status = cuda_stream_state(stream, 0);
    /* What has ended with a fault has not succeeded, and it is not known where the fault began. */
    if (!atomic_load(&stream->has_fault))
        *completed = cuda_stream_completed(stream);
    return status == TRM_OK ? TRM_OK : cuda_stream_explain(stream, status);
}

/* ---- waiting for what was submitted ---------------------------------------------------------- */

/* Poll until the mark is complete or the time is over. */
static CUresult poll_until(struct trm_backend_stream *stream, const struct cuda_mark *mark, uint64_t end)
{
    uint64_t begin  = 0, now;
    CUresult result = cuda_mark_query(stream, mark);
    while (result == CUDA_ERROR_NOT_READY && (now = trm_util_now()) < end) {
        begin = begin == 0 ? now : begin;
        if (now - begin > SHORT_SPIN_NS)
            sched_yield();
        for (int i = 0; i < 4; i++)
            trm_util_relax();
        result = cuda_mark_query(stream, mark);
    }
    return result;
}

static void wait_all(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    uint64_t submitted                = cuda_stream_submitted(stream);
    CUresult result                   = CUDA_ERROR_INVALID_CONTEXT;
    CUcontext previous;
    if (cuda_enter_stream(device, &previous) == TRM_OK) {
        result = device->cuda->cuStreamSynchronize(stream->handle);
        cuda_leave(device, previous);
    }
    if (result == CUDA_SUCCESS)
        cuda_stream_note_completed(stream, submitted);
    else
        cuda_stream_query_failed(stream, result, "cuStreamSynchronize");
}

/* A stream that ends in a wait has often ended with what it waits for, as in a collective. Then one query is
 * enough, where a mark must be recorded and queried. */
static bool has_ended_in_wait(struct trm_backend_stream *stream, uint64_t value)
{
    return cuda_stream_submitted(stream) == value &&
           atomic_load_explicit(&stream->last_wait, memory_order_relaxed) == value &&
           query_all(stream) == CUDA_SUCCESS;
}

void cuda_stream_wait_completed(struct trm_backend_stream *stream, uint64_t value, bool may_spin)
{
    uint64_t spin_ns = stream->device->spin_ns;
    CUresult result;
    if (has_ended_in_wait(stream, value))
        return;
    struct cuda_mark *mark = cuda_mark_acquire(stream, value, &result);
    if (mark == NULL) {
        wait_all(stream);
        return;
    }
    result = poll_until(stream, mark,
                        trm_util_now() + (may_spin || spin_ns < SHORT_SPIN_NS ? spin_ns : SHORT_SPIN_NS));
    if (result == CUDA_ERROR_NOT_READY)
        result = cuda_blocking_wait(stream->device, mark->event);
    uint64_t reached = mark->value;
    cuda_mark_release(mark);
    if (result == CUDA_SUCCESS)
        cuda_stream_note_completed(stream, reached);
    else
        cuda_stream_query_failed(stream, result, "cuEventSynchronize");
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Whether the wait is for the host to submit something. */
static bool waits_for_host(const struct trm_backend_stream *stream, uint64_t value)
{
    if (cuda_device_is_lost(stream->device))
        return false;
    if (atomic_load(&stream->failure) != TRM_OK)
        return atomic_load(&stream->flushing) &&
               cuda_stream_completed(stream) >= cuda_stream_target(stream, value);
    return cuda_stream_submitted(stream) < value;
}

static void wait_for_host(struct trm_backend_stream *stream, uint64_t value)
{
    pthread_mutex_lock(&stream->lock);
    stream->sleepers++;
    while (waits_for_host(stream, value))
        pthread_cond_wait(&stream->progressed, &stream->lock);
    stream->sleepers--;
    pthread_mutex_unlock(&stream->lock);
}

static int32_t wait_forever(struct trm_backend_stream *stream, uint64_t value)
{
    int32_t status;
    while ((status = cuda_stream_state(stream, value)) == TRM_ERROR_TIMEOUT) {
        if (waits_for_host(stream, value)) {
            cuda_deferred_flush(stream, CUDA_FLUSH_BLOCKING);
            wait_for_host(stream, value);
            continue;
        }
        cuda_stream_wait_completed(stream, cuda_stream_target(stream, value), true);
    }
    return status;
}

/* Poll for the spin time, or less. */
static int32_t poll_for_a_while(struct trm_backend_stream *stream, uint64_t value, uint64_t deadline)
{
    uint64_t end = trm_util_now() + stream->device->spin_ns;
    CUresult result;
    if (waits_for_host(stream, value))
        return TRM_ERROR_TIMEOUT;
    struct cuda_mark *mark = cuda_mark_acquire(stream, cuda_stream_target(stream, value), &result);
    if (mark == NULL)
        return TRM_ERROR_TIMEOUT;
    result = poll_until(stream, mark, end < deadline ? end : deadline);
    cuda_mark_release(mark);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
        cuda_stream_query_failed(stream, result, "cuEventQuery");
    return cuda_stream_state(stream, value);
}

static int32_t wait_with_timeout(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    uint64_t deadline = trm_util_deadline(timeout_ns);
    int32_t status    = cuda_stream_state(stream, value);
    if (status != TRM_ERROR_TIMEOUT)
        return status;
    cuda_deferred_flush(stream, CUDA_FLUSH_SOON);
    status = poll_for_a_while(stream, value, deadline);
    if (status != TRM_ERROR_TIMEOUT || trm_util_now() >= deadline)
        return status;
    return cuda_stream_wait_until(stream, value, deadline);
}

int32_t cuda_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    if (cuda_stream_completed(stream) >= value &&
        (atomic_load_explicit(&stream->submit_state, memory_order_acquire) & CUDA_STREAM_REFUSES) == 0)
        return TRM_OK;
    int32_t status = timeout_ns == TRM_FOREVER ? wait_forever(stream, value)
                                               : wait_with_timeout(stream, value, timeout_ns);
    return status == TRM_OK ? TRM_OK : cuda_stream_explain(stream, status);
}
