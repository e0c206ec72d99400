/* cuda backend: operations that are held back on the host, and how they go on.
 *
 * One thread at a time submits what a stream held (`pumping`), without any lock. While a stream holds back, who enqueues only appends;
 * so the two never submit at the same time, and the order is that of the list.
 * SPDX-License-Identifier: MIT
 */
#include "deferred_submit.h"

#include <string.h>

#include "enqueue.h"
#include "notify.h"
#include "stream_failure.h"
#include "watcher.h"

#define JOB_BYTES 512u /* of those that are kept for further use */
#define MAX_SPARE 64u  /* so many of them a stream */

/* So many operations are submitted by whoever opens a gate, since the driver makes who submits very much wait; and are
 * held for a copy that nobody has asked for. */
#define MUCH 256u

enum deferred_kind {
    DEFERRED_JOB = 1,
    DEFERRED_GATE,
    DEFERRED_WAIT,
};

struct cuda_deferred {
    struct cuda_deferred *next;
    enum deferred_kind kind;
    bool blocks;       /* of a job: the driver makes who submits it wait */
    uint32_t capacity; /* bytes of `what` */
    uint64_t value;
    struct trm_backend_stream *other; /* DEFERRED_WAIT: with a reference */
    uint64_t other_value;
    struct cuda_job job; /* of a copy of what it was given */
    _Alignas(max_align_t) unsigned char what[];
};

/* ---- memory --------------------------------------------------------------------------------------- */

static struct cuda_deferred *allocate(struct trm_backend_stream *stream, enum deferred_kind kind,
                                      uint64_t value, uint32_t bytes)
{
    struct trm_backend_instance *instance = stream->device->instance;
    struct cuda_deferred *held            = NULL;
    uint32_t capacity                     = bytes > JOB_BYTES ? bytes : JOB_BYTES;
    if (bytes <= JOB_BYTES) {
        pthread_mutex_lock(&instance->defer_lock);
        held = stream->spare_deferred;
        if (held != NULL) {
            stream->spare_deferred = held->next;
            stream->spare_deferred_count--;
        }
        pthread_mutex_unlock(&instance->defer_lock);
    }
    if (held == NULL)
        held = trm_util_allocate(instance->host, sizeof(*held) + capacity);
    if (held == NULL)
        return NULL;
    held->next     = NULL;
    held->kind     = kind;
    held->blocks   = false;
    held->capacity = capacity;
    held->value    = value;
    held->other    = NULL;
    return held;
}

static void release(const struct trm_backend_instance *instance, struct cuda_deferred *held)
{
    if (held->other != NULL)
        cuda_stream_release(held->other);
    trm_util_release(instance->host, held, sizeof(*held) + held->capacity);
}

void cuda_deferred_free(struct trm_backend_stream *stream, struct cuda_deferred *list)
{
    while (list != NULL) {
        struct cuda_deferred *next = list->next;
        release(stream->device->instance, list);
        list = next;
    }
}

/* With the lock. False: there are enough. */
static bool keep_spare(struct trm_backend_stream *stream, struct cuda_deferred *held)
{
    if (held->capacity != JOB_BYTES || stream->spare_deferred_count == MAX_SPARE)
        return false;
    held->next             = stream->spare_deferred;
    stream->spare_deferred = held;
    stream->spare_deferred_count++;
    return true;
}

/* ---- the list; with the lock ------------------------------------------------------------------------ */

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
    if (atomic_load(&stream->flushing) == 0)
        end_deferring(stream);
    return list;
}

static void append(struct trm_backend_stream *stream, struct cuda_deferred *held)
{
    begin_deferring(stream);
    if (stream->last_deferred != NULL)
        stream->last_deferred->next = held;
    else
        stream->deferred = held;
    stream->last_deferred = held;
    stream->deferred_count++;
}

static struct cuda_deferred *take_first(struct trm_backend_stream *stream)
{
    struct cuda_deferred *held = stream->deferred;
    stream->deferred           = held->next;
    if (stream->deferred == NULL)
        stream->last_deferred = NULL;
    stream->deferred_count--;
    return held;
}

/* The place that is waited for has been submitted, or never will be. */
static bool has_come(const struct trm_backend_stream *other, uint64_t value)
{
    return cuda_stream_submitted(other) >= value || atomic_load(&other->failure) != TRM_OK;
}

static bool is_ready(const struct trm_backend_stream *stream, const struct cuda_deferred *held)
{
    if (held->kind == DEFERRED_GATE)
        return atomic_load(&stream->gates_opened) >= held->value;
    if (held->kind == DEFERRED_WAIT)
        return has_come(held->other, held->other_value);
    return true;
}

/* ---- submitting; without the lock -------------------------------------------------------------------- */

/* A stream that fails has given all that it ever will, but for what a thread is at just now. */
static bool has_failed_before(const struct trm_backend_stream *other, uint64_t value)
{
    return atomic_load(&other->failure) != TRM_OK && atomic_load(&other->flushing) == 0 &&
           cuda_stream_submitted(other) < value;
}

static int32_t submit_wait(struct trm_backend_stream *stream, const struct cuda_deferred *held)
{
    struct trm_backend_stream *other = held->other;
    if (cuda_stream_submitted(other) >= held->other_value)
        return cuda_stream_wait_on_device(stream, other, held->other_value);
    stream->job_failure_native = other->failure_native;
    memcpy(stream->job_failure, other->failure_sentence, sizeof(stream->job_failure));
    return atomic_load(&other->failure);
}

static int32_t submit(struct trm_backend_stream *stream, const struct cuda_deferred *held)
{
    stream->job_failure[0]     = '\0';
    stream->job_failure_native = 0;
    if (held->kind == DEFERRED_JOB)
        return cuda_job_submit(stream, held->job);
    return held->kind == DEFERRED_WAIT ? submit_wait(stream, held) : TRM_OK;
}

/* ---- pumping ---------------------------------------------------------------------------------------- */

/* May the first operation be submitted by the calling thread? */
static bool may_go_on(struct trm_backend_stream *stream, enum cuda_flush how, uint32_t done)
{
    const struct cuda_deferred *held = stream->deferred;
    if (held == NULL || (atomic_load(&stream->submit_state) & CUDA_STREAM_REFUSES) != 0 ||
        !is_ready(stream, held))
        return false;
    if (held->kind == DEFERRED_WAIT && atomic_load(&held->other->flushing) != 0 &&
        cuda_stream_submitted(held->other) < held->other_value)
        return false; /* it fails, but may come that far still */
    if (how == CUDA_FLUSH_BLOCKING || (!held->blocks && done < MUCH))
        return true;
    if (held->blocks && how == CUDA_FLUSH_LAZY)
        return false;
    return !cuda_watchers_queue(stream, true);
}

/* With the lock, which is given back meanwhile. */
static void submit_first(struct trm_backend_stream *stream)
{
    struct trm_backend_instance *instance = stream->device->instance;
    struct cuda_deferred *held = take_first(stream), *dropped = NULL;
    pthread_mutex_unlock(&instance->defer_lock);
    int32_t status = submit(stream, held);
    if (status == TRM_OK)
        cuda_stream_set_submitted(stream, held->value);
    if (held->other != NULL)
        cuda_stream_release(held->other);
    held->other = NULL;
    pthread_mutex_lock(&instance->defer_lock);
    if (status != TRM_OK)
        dropped = cuda_stream_fail_locked(stream, status, stream->job_failure_native, stream->job_failure);
    if (!keep_spare(stream, held)) {
        held->next = dropped;
        dropped    = held;
    }
    if (dropped == NULL)
        return;
    pthread_mutex_unlock(&instance->defer_lock);
    cuda_deferred_free(stream, dropped);
    pthread_mutex_lock(&instance->defer_lock);
}

/* With the lock, which is given back meanwhile. Returns whether anything was done. */
static bool flush_locked(struct trm_backend_stream *stream, enum cuda_flush how)
{
    uint32_t done = 0;
    if (atomic_load(&stream->flushing) != 0) {
        if (stream->flush_again < (int32_t)how)
            stream->flush_again = (int32_t)how;
        return false;
    }
    if (!may_go_on(stream, how, done))
        return false;
    atomic_store(&stream->flushing, 1);
    do {
        submit_first(stream);
        done++;
        if (stream->flush_again > (int32_t)how)
            how = (enum cuda_flush)stream->flush_again;
        stream->flush_again = 0;
    } while (may_go_on(stream, how, done));
    atomic_store(&stream->flushing, 0);
    if (stream->deferred == NULL)
        end_deferring(stream);
    return true;
}

/* A stream whose first operation waits for another one, and need not any more. */
static struct trm_backend_stream *find_ready(const struct trm_backend_instance *instance)
{
    struct trm_backend_stream *stream = instance->deferring;
    for (; stream != NULL; stream = stream->next_deferring) {
        const struct cuda_deferred *held = stream->deferred;
        if (atomic_load(&stream->flushing) != 0 || held == NULL || held->kind != DEFERRED_WAIT ||
            (atomic_load(&stream->submit_state) & CUDA_STREAM_REFUSES) != 0)
            continue;
        if (cuda_stream_submitted(held->other) >= held->other_value ||
            has_failed_before(held->other, held->other_value))
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
    bool is_moved = flush_locked(stream, how);
    if (is_moved)
        cuda_deferred_resume_locked(instance);
    pthread_mutex_unlock(&instance->defer_lock);
    if (is_moved)
        cuda_stream_wake(stream);
    cuda_stream_unpin(stream);
}

/* ---- holding --------------------------------------------------------------------------------------- */

/* So many operations are held then; 0: this one is not. */
static uint32_t hold(struct trm_backend_stream *stream, struct cuda_deferred *held)
{
    struct trm_backend_instance *instance = stream->device->instance;
    pthread_mutex_lock(&instance->defer_lock);
    uint32_t holds = atomic_load(&stream->submit_state);
    bool must_hold = held->kind != DEFERRED_JOB || held->blocks || (holds & CUDA_STREAM_DEFERS) != 0;
    bool is_held   = (holds & CUDA_STREAM_REFUSES) == 0 && must_hold;
    if (is_held)
        append(stream, held);
    uint32_t count = is_held ? stream->deferred_count : 0;
    pthread_mutex_unlock(&instance->defer_lock);
    return count;
}

int32_t cuda_defer_job(struct trm_backend_stream *stream, uint64_t value, struct cuda_job job, bool blocks)
{
    int32_t status = cuda_stream_check(stream);
    if (status != TRM_OK)
        return status;
    struct cuda_deferred *held = allocate(stream, DEFERRED_JOB, value, job.size);
    if (held == NULL)
        return trm_util_fail_host_memory(stream->device->instance->host, "an operation that is held back");
    memcpy(held->what, job.what, job.size);
    held->job      = (struct cuda_job){job.submit, held->what, job.size};
    held->blocks   = blocks;
    uint32_t count = hold(stream, held);
    if (count != 0) {
        if (count % MUCH == 0)
            cuda_deferred_flush(stream, CUDA_FLUSH_SOON);
        return TRM_OK;
    }
    release(stream->device->instance, held);
    status = cuda_stream_check(stream);
    return status == TRM_OK ? cuda_stream_submit_now(stream, value, job) : status;
}

int32_t cuda_defer_gate(struct trm_backend_stream *stream, uint64_t value)
{
    struct cuda_deferred *held = allocate(stream, DEFERRED_GATE, value, 0);
    if (held == NULL)
        return trm_util_fail_host_memory(stream->device->instance->host, "a gate");
    if (hold(stream, held) == 0) {
        release(stream->device->instance, held);
        return cuda_stream_check(stream);
    }
    cuda_deferred_flush(stream, CUDA_FLUSH_LAZY);
    return TRM_OK;
}

int32_t cuda_defer_wait(struct trm_backend_stream *stream, uint64_t value, struct trm_backend_stream *other,
                        uint64_t other_value)
{
    struct cuda_deferred *held = allocate(stream, DEFERRED_WAIT, value, 0);
    if (held == NULL)
        return trm_util_fail_host_memory(stream->device->instance->host, "a wait for a stream");
    cuda_stream_retain(other);
    held->other       = other;
    held->other_value = other_value;
    if (hold(stream, held) == 0) {
        release(stream->device->instance, held);
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
