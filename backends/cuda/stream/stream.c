/* cuda backend: creates and destroys streams; the table of streams.
 * SPDX-License-Identifier: MIT
 */
#include "stream.h"

#include <time.h>

#include "deferred_submit.h"
#include "enqueue.h"
#include "fault.h"
#include "mark.h"
#include "notify.h"
#include "replay.h"
#include "stream_failure.h"
#include "wait.h"
#include "watcher.h"

/* ---- pins and references --------------------------------------------------------------------- */

void cuda_stream_pin(struct trm_backend_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->pins++;
    pthread_mutex_unlock(&stream->lock);
}

void cuda_stream_unpin(struct trm_backend_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    if (--stream->pins == 0 && stream->destroyed)
        pthread_cond_broadcast(&stream->progressed);
    pthread_mutex_unlock(&stream->lock);
}

void cuda_stream_release(struct trm_backend_stream *stream)
{
    const struct trm_backend_instance *instance = stream->instance;
    if (atomic_fetch_sub_explicit(&stream->references, 1, memory_order_acq_rel) != 1)
        return;
    pthread_cond_destroy(&stream->progressed);
    pthread_mutex_destroy(&stream->lock);
    trm_util_release(instance->host, stream, sizeof(*stream));
}

/* ---- creating -------------------------------------------------------------------------------- */

static void list_add(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    pthread_mutex_lock(&device->streams_lock);
    stream->next = device->streams;
    if (stream->next != NULL)
        stream->next->previous = stream;
    device->streams = stream;
    pthread_mutex_unlock(&device->streams_lock);
}

static void list_remove(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    pthread_mutex_lock(&device->streams_lock);
    if (stream->next != NULL)
        stream->next->previous = stream->previous;
    if (stream->previous != NULL)
        stream->previous->next = stream->next;
    else
        device->streams = stream->next;
    pthread_mutex_unlock(&device->streams_lock);
}

/* The device's priorities go from the least, a higher number, to the greatest. Normal is 0, as for all
 * other streams of a program. On current devices 0 is the least, so low is as normal. */
static int priority_of(const struct trm_backend_device *device, int32_t priority)
{
    int least = 0, greatest = 0;
    if (priority == TRM_PRIORITY_NORMAL ||
        device->cuda->cuCtxGetStreamPriorityRange(&least, &greatest) != CUDA_SUCCESS)
        return 0;
    return priority == TRM_PRIORITY_LOW ? least : greatest;
}

static int32_t create_handle(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    CUcontext previous;
    sigset_t before;
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    trm_util_signals_block(&before);
    CUresult result = device->cuda->cuStreamCreateWithPriority(&stream->handle, CU_STREAM_NON_BLOCKING,
                                                               priority_of(device, stream->priority));
    trm_util_signals_restore(&before);
    cuda_leave(device, previous);
    return result == CUDA_SUCCESS ? TRM_OK : cuda_device_fail(device, result, "cuStreamCreateWithPriority");
}

bool cuda_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return false;
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    int failed = pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
    return failed == 0;
}

int32_t cuda_stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                           CUstream borrowed, bool is_borrowed, struct trm_backend_stream **result)
{
    int32_t status = cuda_device_check(device);
    if (status != TRM_OK)
        return status;
    struct trm_backend_stream *stream = trm_util_allocate(device->instance->host, sizeof(*stream));
    if (stream == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a stream");
    stream->instance = device->instance;
    stream->device   = device;
    stream->priority = desc->priority;
    stream->handle   = borrowed;
    stream->borrowed = is_borrowed;
    atomic_init(&stream->references, 1);
    if (!cuda_condition_init(&stream->progressed)) {
        status = trm_util_fail_host_memory(device->instance->host, "a stream's condition");
        goto free_memory;
    }
    pthread_mutex_init(&stream->lock, NULL);
    status = cuda_faults_create(stream);
    if (status != TRM_OK)
        goto destroy_lock;
    status = is_borrowed ? TRM_OK : create_handle(stream);
    if (status != TRM_OK)
        goto destroy_faults;
    list_add(stream);
    *result = stream;
    return TRM_OK;

destroy_faults:
    cuda_faults_destroy(stream);
destroy_lock:
    pthread_mutex_destroy(&stream->lock);
    pthread_cond_destroy(&stream->progressed);
free_memory:
    trm_util_release(device->instance->host, stream, sizeof(*stream));
    return status;
}

static int32_t stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                             struct trm_backend_stream **stream)
{
    return cuda_stream_create(device, desc, NULL, false, stream);
}

/* ---- destroying ------------------------------------------------------------------------------ */

/* Afterwards only deferred waits of other streams know the stream, and they find it destroyed. */
static void wait_for_users(struct trm_backend_stream *stream)
{
    struct trm_backend_instance *instance = stream->device->instance;
    cuda_watchers_remove(stream);
    pthread_mutex_lock(&instance->defer_lock);
    if (cuda_device_is_lost(stream->device))
        cuda_stream_fail_lost_locked(stream);
    struct cuda_deferred *dropped = cuda_deferred_take_locked(stream);
    pthread_mutex_unlock(&instance->defer_lock);
    cuda_deferred_free(stream, dropped);
    pthread_mutex_lock(&stream->lock);
    stream->destroyed = true;
    while (stream->pins != 0)
        pthread_cond_wait(&stream->progressed, &stream->lock);
    pthread_mutex_unlock(&stream->lock);
}

static void free_memory(struct trm_backend_stream *stream)
{
    while (stream->spare_notifications != NULL) {
        struct cuda_notification *notification = stream->spare_notifications;
        stream->spare_notifications            = notification->next;
        trm_util_release(stream->device->instance->host, notification, sizeof(*notification));
    }
    cuda_deferred_free(stream, stream->spare_deferred);
    stream->spare_deferred = NULL;
}

/* Work that the core does not know of may still be running where the core took a failure for the end. */
static void wait_for_work(struct trm_backend_stream *stream)
{
    if (!cuda_device_is_lost(stream->device) && cuda_stream_completed(stream) < cuda_stream_submitted(stream))
        (void)stream->device->cuda->cuStreamSynchronize(stream->handle);
}

static void stream_destroy(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    CUcontext previous;
    wait_for_users(stream);
    list_remove(stream);
    (void)cuda_enter(device, &previous);
    wait_for_work(stream);
    cuda_marks_fini(stream);
    cuda_replays_fini(stream);
    if (!stream->borrowed)
        (void)device->cuda->cuStreamDestroy(stream->handle);
    cuda_leave(device, previous);
    cuda_faults_destroy(stream);
    free_memory(stream);
    cuda_stream_release(stream);
}

/* ---- from any thread ------------------------------------------------------------------------- */

static void stream_open_gates(struct trm_backend_stream *stream, uint64_t value)
{
    uint64_t opened = atomic_load(&stream->gates_opened);
    while (opened < value && !atomic_compare_exchange_weak(&stream->gates_opened, &opened, value))
        ;
    cuda_deferred_flush(stream, CUDA_FLUSH_SOON);
}

static int32_t stream_flush(struct trm_backend_stream *stream)
{
    cuda_deferred_flush(stream, CUDA_FLUSH_SOON);
    return TRM_OK;
}

const struct trm_stream_ops cuda_stream_ops = {
    .struct_size = sizeof(cuda_stream_ops),
    .create      = stream_create,
    .destroy     = stream_destroy,
    .copy        = cuda_stream_copy,
    .launch      = cuda_stream_launch,
    .copy_2d     = cuda_stream_copy_2d,
    .fill        = cuda_stream_fill,
    .mark        = cuda_stream_mark,
    .wait_stream = cuda_stream_wait_stream,
    .gate        = cuda_stream_gate,
    .open_gates  = stream_open_gates,
    .prefetch    = cuda_stream_prefetch,
    .flush       = stream_flush,
    .query       = cuda_stream_query,
    .wait        = cuda_stream_wait,
    .notify      = cuda_stream_notify,
    .abandon     = cuda_stream_abandon,
};
