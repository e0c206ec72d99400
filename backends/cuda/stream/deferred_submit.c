/* cuda backend: operations that wait on the host until they can be submitted.
 *
 * One thread at a time submits what a stream has deferred (`flushing`), without any lock. While a stream
 * defers, the thread that enqueues only appends. So the two never submit at the same time, and the order
 * is that of the list.
 * SPDX-License-Identifier: MIT
 */
#include "deferred_submit.h"

#include <string.h>

#include "enqueue.h"
#include "notify.h"
#include "stream_failure.h"
#include "watcher.h"

#define JOB_BYTES 512u /* of entries that are kept for re-use */
#define MAX_SPARE 64u  /* entries that a stream keeps */

/* A thread that opens a gate submits at most this many operations, since the driver blocks a thread that
 * submits very many. Behind a deferred copy, a flush is tried each time this many more are deferred. */
#define FLUSH_LIMIT 256u

enum deferred_kind {
    DEFERRED_JOB = 1,
    DEFERRED_GATE,
    DEFERRED_WAIT,
};

struct cuda_deferred {
    struct cuda_deferred *next;
    enum deferred_kind kind;
    bool blocks;       /* a job that would block the thread that submits it */
    uint32_t capacity; /* bytes of `what` */
    uint64_t value;
    struct trm_backend_stream *other; /* DEFERRED_WAIT; with a reference */
    uint64_t other_value;
    struct cuda_job job; /* DEFERRED_JOB; job.what is `what` */
    _Alignas(max_align_t) unsigned char what[];
};

/* ---- memory ---------------------------------------------------------------------------------- */

static struct cuda_deferred *allocate(struct trm_backend_stream *stream, enum deferred_kind kind,
                                      uint64_t value, uint32_t bytes)
{
    struct trm_backend_instance *instance = stream->device->instance;
    struct cuda_deferred *deferred        = NULL;
    uint32_t capacity                     = bytes > JOB_BYTES ? bytes : JOB_BYTES;
    if (bytes <= JOB_BYTES) {
        pthread_mutex_lock(&instance->defer_lock);
        deferred = stream->spare_deferred;
        if (deferred != NULL) {
            stream->spare_deferred = deferred->next;
            stream->spare_deferred_count--;
        }
        pthread_mutex_unlock(&instance->defer_lock);
    }
    if (deferred == NULL)
        deferred = trm_util_allocate(instance->host, sizeof(*deferred) + capacity);
    if (deferred == NULL)
        return NULL;
    deferred->next     = NULL;
    deferred->kind     = kind;
    deferred->blocks   = false;
    deferred->capacity = capacity;
    deferred->value    = value;
    deferred->other    = NULL;
    return deferred;
}

static void release(const struct trm_backend_instance *instance, struct cuda_deferred *deferred)
{
    if (deferred->other != NULL)
        cuda_stream_release(deferred->other);
    trm_util_release(instance->host, deferred, sizeof(*deferred) + deferred->capacity);
}

void cuda_deferred_free(struct trm_backend_stream *stream, struct cuda_deferred *list)
{
    while (list != NULL) {
        struct cuda_deferred *next = list->next;
        release(stream->device->instance, list);
        list = next;
    }
}

/* With the lock. False: the stream keeps enough. */
static bool keep_spare(struct trm_backend_stream *stream, struct cuda_deferred *deferred)
{
    if (deferred->capacity != JOB_BYTES || stream->spare_deferred_count == MAX_SPARE)
        return false;
    deferred->next         = stream->spare_deferred;
    stream->spare_deferred = deferred;
    stream->spare_deferred_count++;
    return true;
}

/* ---- the list; with the lock ----------------------------------------------------------------- */

static void begin_deferring(struct trm_backend_stream *stream)
{
    struct trm_backend_instance *instance = stream->device->instance;
    if (cuda_stream_is_deferring(stream))
        return;
    stream->next_deferring = instance->deferring;
    instance->deferring    = stream;
    atomic_fetch_or_explicit(&stream->submit_state, CUDA_STREAM_DEFERS, memory_order_release);
}

static void end_deferring(struct trm_backend_stream *stream)
{
    struct trm_backend_stream **place = &stream->device->instance->deferring;
    if (!cuda_stream_is_deferring(stream))
        return;
    while (*place != stream)
        place = &(*place)->next_deferring;
    *place = stream->next_deferring;
    atomic_fetch_and_explicit(&stream->submit_state, ~CUDA_STREAM_DEFERS, memory_order_release);
}

struct cuda_deferred *cuda_deferred_take_locked(struct trm_backend_stream *stream)
{
    struct cuda_deferred *list = stream->deferred;
    stream->deferred           = NULL;
    stream->last_deferred      = NULL;
    stream->deferred_count     = 0;
    if (!atomic_load(&stream->flushing))
        end_deferring(stream);
    return list;
}

static void append(struct trm_backend_stream *stream, struct cuda_deferred *deferred)
{
    begin_deferring(stream);
    if (stream->last_deferred != NULL)
        stream->last_deferred->next = deferred;
    else
        stream->deferred = deferred;
    stream->last_deferred = deferred;
    stream->deferred_count++;
}

static struct cuda_deferred *take_first(struct trm_backend_stream *stream)
{
    struct cuda_deferred *deferred = stream->deferred;
    stream->deferred               = deferred->next;
    if (stream->deferred == NULL)
        stream->last_deferred = NULL;
    stream->deferred_count--;
    return deferred;
}

/* Whether the point that is waited for has been submitted, or never will be. */
static bool is_settled(const struct trm_backend_stream *other, uint64_t value)
{
    return cuda_stream_submitted(other) >= value || atomic_load(&other->failure) != TRM_OK;
}

static bool is_ready(const struct trm_backend_stream *stream, const struct cuda_deferred *deferred)
{
    if (deferred->kind == DEFERRED_GATE)
        return atomic_load(&stream->gates_opened) >= deferred->value;
    if (deferred->kind == DEFERRED_WAIT)
        return is_settled(deferred->other, deferred->other_value);
    return true;
}

/* ---- submitting; without the lock ------------------------------------------------------------ */

/* Whether the stream failed before it submitted `value`. A failed stream submits nothing more, once the
 * thread that flushes it has returned. */
static bool has_failed_before(const struct trm_backend_stream *other, uint64_t value)
{
    return atomic_load(&other->failure) != TRM_OK && !atomic_load(&other->flushing) &&
           cuda_stream_submitted(other) < value;
}

static int32_t submit_wait(struct trm_backend_stream *stream, const struct cuda_deferred *deferred)
{
    struct trm_backend_stream *other = deferred->other;
    if (cuda_stream_submitted(other) >= deferred->other_value)
        return cuda_stream_wait_on_device(stream, other, deferred->other_value);
    stream->job_failure_native = other->failure_native;
    memcpy(stream->job_failure, other->failure_sentence, sizeof(stream->job_failure));
    return atomic_load(&other->failure);
}

static int32_t submit(struct trm_backend_stream *stream, const struct cuda_deferred *deferred)
{
    stream->job_failure[0]     = '\0';
    stream->job_failure_native = 0;
    if (deferred->kind == DEFERRED_JOB)
        return cuda_job_submit(stream, deferred->job);
    return deferred->kind == DEFERRED_WAIT ? submit_wait(stream, deferred) : TRM_OK;
}

/* ---- flushing -------------------------------------------------------------------------------- */

/* Whether the calling thread may submit the first operation. */
static bool may_submit_first(struct trm_backend_stream *stream, enum cuda_flush how, uint32_t done)
{
    const struct cuda_deferred *deferred = stream->deferred;
    if (deferred == NULL || (atomic_load(&stream->submit_state) & CUDA_STREAM_REFUSES) != 0 ||
        !is_ready(stream, deferred))
        return false;
    if (deferred->kind == DEFERRED_WAIT && atomic_load(&deferred->other->flushing) &&
        cuda_stream_submitted(deferred->other) < deferred->other_value)
        return false; /* it fails, but may still submit that far */
    if (how == CUDA_FLUSH_BLOCKING || (!deferred->blocks && done < FLUSH_LIMIT))
        return true;
    if (deferred->blocks && how == CUDA_FLUSH_LAZY)
        return false;
    return !cuda_watchers_queue(stream, true);
}

/* With the lock, which is released meanwhile. */
static void submit_first(struct trm_backend_stream *stream)
{
    struct trm_backend_instance *instance = stream->device->instance;
    struct cuda_deferred *deferred = take_first(stream), *dropped = NULL;
    pthread_mutex_unlock(&instance->defer_lock);
    int32_t status = submit(stream, deferred);
    if (status == TRM_OK)
        cuda_stream_set_submitted(stream, deferred->value);
    if (deferred->other != NULL)
        cuda_stream_release(deferred->other);
    deferred->other = NULL;
    pthread_mutex_lock(&instance->defer_lock);
    if (status != TRM_OK)
        dropped = cuda_stream_fail_locked(stream, status, stream->job_failure_native, stream->job_failure);
    if (!keep_spare(stream, deferred)) {
        deferred->next = dropped;
        dropped        = deferred;
    }
    if (dropped == NULL)
        return;
    pthread_mutex_unlock(&instance->defer_lock);
    cuda_deferred_free(stream, dropped);
    pthread_mutex_lock(&instance->defer_lock);
}

/* With the lock, which is released meanwhile. Returns whether anything was submitted. */
static bool flush_locked(struct trm_backend_stream *stream, enum cuda_flush how)
{
    uint32_t done = 0;
    if (atomic_load(&stream->flushing)) {
        if (stream->flush_again < (int32_t)how)
            stream->flush_again = (int32_t)how;
        return false;
    }
    if (!may_submit_first(stream, how, done))
        return false;
    atomic_store(&stream->flushing, true);
    do {
        submit_first(stream);
        done++;
        if (stream->flush_again > (int32_t)how)
            how = (enum cuda_flush)stream->flush_again;
        stream->flush_again = 0;
    } while (may_submit_first(stream, how, done));
    atomic_store(&stream->flushing, false);
    if (stream->deferred == NULL)
        end_deferring(stream);
    return true;
}

/* A stream whose first operation waits for another stream and need not any more. */
static struct trm_backend_stream *find_ready(const struct trm_backend_instance *instance)
{
    struct trm_backend_stream *stream = instance->deferring;
    for (; stream != NULL; stream = stream->next_deferring) {
        const struct cuda_deferred *deferred = stream->deferred;
        if (atomic_load(&stream->flushing) || deferred == NULL || deferred->kind != DEFERRED_WAIT ||
            (atomic_load(&stream->submit_state) & CUDA_STREAM_REFUSES) != 0)
            continue;
        if (cuda_stream_submitted(deferred->other) >= deferred->other_value ||
            has_failed_before(deferred->other, deferred->other_value))
            return stream;
    }
    return NULL;
}

void cuda_deferred_resume_locked(struct trm_backend_instance *instance)
{
    struct trm_backend_stream *stream;
    while ((stream = find_ready(instance)) != NULL) {
        cuda_stream_pin(stream);
        flush_locked(stream, CUDA_FLUSH_SOON);
        pthread_mutex_unlock(&instance->defer_lock);
        cuda_stream_wake(stream);
        cuda_stream_unpin(stream);
        pthread_mutex_lock(&instance->defer_lock);
    }
}

void cuda_deferred_flush(struct trm_backend_stream *stream, enum cuda_flush how)
{
    struct trm_backend_instance *instance = stream->device->instance;
    if (!cuda_stream_is_deferring(stream))
        return;
    cuda_stream_pin(stream);
    pthread_mutex_lock(&instance->defer_lock);
    bool has_progressed = flush_locked(stream, how);
    if (has_progressed)
        cuda_deferred_resume_locked(instance);
    pthread_mutex_unlock(&instance->defer_lock);
    if (has_progressed)
        cuda_stream_wake(stream);
    cuda_stream_unpin(stream);
}

/* ---- deferring ------------------------------------------------------------------------------- */

/* Append to the list where the stream has to defer. Returns how many operations are deferred then; 0: this
 * one is not. */
static uint32_t defer(struct trm_backend_stream *stream, struct cuda_deferred *deferred)
{
    struct trm_backend_instance *instance = stream->device->instance;
    pthread_mutex_lock(&instance->defer_lock);
    uint32_t state  = atomic_load(&stream->submit_state);
    bool must_defer = deferred->kind != DEFERRED_JOB || deferred->blocks || (state & CUDA_STREAM_DEFERS) != 0;
    bool is_deferred = (state & CUDA_STREAM_REFUSES) == 0 && must_defer;
    if (is_deferred)
        append(stream, deferred);
    uint32_t count = is_deferred ? stream->deferred_count : 0;
    pthread_mutex_unlock(&instance->defer_lock);
    return count;
}

int32_t cuda_defer_job(struct trm_backend_stream *stream, uint64_t value, struct cuda_job job, bool blocks)
{
    int32_t status = cuda_stream_check(stream);
    if (status != TRM_OK)
        return status;
    struct cuda_deferred *deferred = allocate(stream, DEFERRED_JOB, value, job.size);
    if (deferred == NULL)
        return trm_util_fail_host_memory(stream->device->instance->host, "a deferred operation");
    memcpy(deferred->what, job.what, job.size);
    deferred->job    = (struct cuda_job){job.submit, deferred->what, job.size};
    deferred->blocks = blocks;
    uint32_t count   = defer(stream, deferred);
    if (count != 0) {
        if (count % FLUSH_LIMIT == 0)
            cuda_deferred_flush(stream, CUDA_FLUSH_SOON);
        return TRM_OK;
    }
    release(stream->device->instance, deferred);
    status = cuda_stream_check(stream);
    return status == TRM_OK ? cuda_stream_submit_now(stream, value, job) : status;
}

int32_t cuda_defer_gate(struct trm_backend_stream *stream, uint64_t value)
{
    struct cuda_deferred *deferred = allocate(stream, DEFERRED_GATE, value, 0);
    if (deferred == NULL)
        return trm_util_fail_host_memory(stream->device->instance->host, "a gate");
    if (defer(stream, deferred) == 0) {
        release(stream->device->instance, deferred);
        return cuda_stream_check(stream);
    }
    cuda_deferred_flush(stream, CUDA_FLUSH_LAZY);
    return TRM_OK;
}

int32_t cuda_defer_wait(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stream *other,
                        uint64_t other_value)
{
    struct cuda_deferred *deferred = allocate(stream, DEFERRED_WAIT, value, 0);
    if (deferred == NULL)
        return trm_util_fail_host_memory(stream->device->instance->host, "a wait for a stream");
    cuda_stream_retain(other);
    deferred->other       = other;
    deferred->other_value = other_value;
    if (defer(stream, deferred) == 0) {
        release(stream->device->instance, deferred);
        return cuda_stream_check(stream);
    }
    cuda_deferred_flush(other, CUDA_FLUSH_SOON);
    cuda_deferred_flush(stream, CUDA_FLUSH_LAZY);
    return TRM_OK;
}

int32_t cuda_stream_wait_submitted(struct trm_backend_stream *stream, uint64_t value)
{
    while (true) {
        int32_t status = cuda_stream_check(stream);
        if (status != TRM_OK || cuda_stream_submitted(stream) >= value)
            return status;
        cuda_deferred_flush(stream, CUDA_FLUSH_BLOCKING);
        pthread_mutex_lock(&stream->lock);
        stream->sleepers++;
        while (cuda_stream_submitted(stream) < value && atomic_load(&stream->failure) == TRM_OK &&
               !cuda_device_is_lost(stream->device))
            pthread_cond_wait(&stream->progressed, &stream->lock);
        stream->sleepers--;
        pthread_mutex_unlock(&stream->lock);
    }
}
