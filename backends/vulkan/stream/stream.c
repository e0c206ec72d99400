/* vulkan backend: the stream table; creating and destroying streams.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/stream_object.h"

#include <inttypes.h>
#include <stdio.h>

#include "backends/vulkan/stream/service.h"

/* ---- creating and destroying ----------------------------------------------------------------------- */

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

static int32_t init_lock(struct trm_backend_stream *stream)
{
    pthread_mutexattr_t attributes;
    if (pthread_mutexattr_init(&attributes) != 0)
        return trm_util_fail_host_memory(stream->device->instance->host, "a stream's lock");
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    int failed = pthread_mutex_init(&stream->lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return failed == 0 ? TRM_OK
                       : trm_util_fail_host_memory(stream->device->instance->host, "a stream's lock");
}

/* Streams of one queue wait for each other. */
static void log_queue(const struct trm_backend_stream *stream)
{
    const struct trm_host *host      = stream->device->instance->host;
    const struct vulkan_queue *queue = stream->queue;
    char line[96];

    snprintf(line, sizeof(line),
             "vulkan: a stream has queue %" PRIu32 " of family %" PRIu32 ", with %" PRIu32 " others",
             queue->index, queue->family, atomic_load_explicit(&queue->streams, memory_order_relaxed) - 1);
    host->log(host->context, TRM_LOG_DEBUG, line);
}

static int32_t stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                             struct trm_backend_stream **result)
{
    int32_t status = vulkan_device_check(device);
    if (status != TRM_OK)
        return status;
    struct trm_backend_stream *stream = trm_util_allocate(device->instance->host, sizeof(*stream));
    if (stream == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a stream");
    stream->device   = device;
    stream->role     = desc->role;
    stream->priority = desc->priority;
    atomic_init(&stream->references, 1);
    status = vulkan_timeline_create(device, &stream->timeline);
    if (status != TRM_OK)
        goto free_memory;
    status = init_lock(stream);
    if (status != TRM_OK)
        goto unref_timeline;
    bool computes = device->copies_by_kernel && !device->copies_small_by_engine;
    stream->queue = vulkan_queue_retain(vulkan_queue_choose(device, desc->role, desc->priority, computes));
    stream->recorder.device      = device;
    stream->recorder.can_compute = stream->queue->can_compute;
    list_add(stream);
    log_queue(stream);
    *result = stream;
    return TRM_OK;

unref_timeline:
    vulkan_timeline_release(stream->timeline);
free_memory:
    trm_util_release(device->instance->host, stream, sizeof(*stream));
    return status;
}

static void take_off_stalled(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    bool found                        = false;
    pthread_mutex_lock(&device->stall_lock);
    for (struct trm_backend_stream **place = &device->stalled; *place != NULL && !found;
         place                             = &(*place)->next_stalled) {
        if (*place != stream)
            continue;
        *place          = stream->next_stalled;
        stream->stalled = false;
        found           = true;
        break;
    }
    pthread_mutex_unlock(&device->stall_lock);
    if (found)
        vulkan_stream_release(stream);
}

/* Waits for host copies, and for a job of a stream that has failed. */
static void wait_for_host(struct trm_backend_stream *stream)
{
    while (stream->job != NULL || stream->finishing) {
        uint32_t seen = atomic_load(&stream->wake_count);
        atomic_fetch_add(&stream->sleepers, 1);
        pthread_mutex_unlock(&stream->lock);
        trm_util_futex_wait(&stream->wake_count, seen, TRM_UTIL_NEVER);
        pthread_mutex_lock(&stream->lock);
        atomic_fetch_sub(&stream->sleepers, 1);
    }
}

/* Pending watches keep the struct and their batches alive. */
static void stream_destroy(struct trm_backend_stream *stream)
{
    vulkan_stream_lock(stream);
    wait_for_host(stream);
    vulkan_stream_progress(stream);
    vulkan_stream_end_in_flight(stream);
    vulkan_record_fini(&stream->recorder);
    vulkan_kernel_timing_fini(stream);
    while (stream->spare != NULL) {
        struct vulkan_batch *batch = stream->spare;
        stream->spare              = batch->next;
        vulkan_batch_destroy(batch);
    }
    stream->destroyed = true;
    vulkan_stream_unlock(stream);
    list_remove(stream);
    take_off_stalled(stream);
    vulkan_queue_release(stream->queue);
    vulkan_stream_release(stream);
}

/* ---- enqueueing ------------------------------------------------------------------------------------ */

/* The batch ends with the marked operation. Only the enqueuing thread uses the mark. */
static int32_t stream_mark(struct trm_backend_stream *stream, uint64_t value)
{
    stream->marked = value;
    return TRM_OK;
}

/* Has `other` submit up to `value`, now or as soon as possible. The caller has not locked the waiting
 * stream. */
static void ask_other(struct trm_backend_stream *other, uint64_t value)
{
    vulkan_stream_lock(other);
    if (atomic_load(&other->timeline->failure) == TRM_OK)
        vulkan_stream_submit(other, value);
    if (other->awaited < value)
        other->awaited = value;
    vulkan_stream_watch_in_flight(other);
    vulkan_stream_unlock(other);
}

/* Keeps the first queue, since changing queues makes a stream wait for itself. */
static void note_reader(struct trm_backend_stream *stream, struct vulkan_queue *queue)
{
    if (atomic_load_explicit(&stream->reader, memory_order_relaxed) == NULL)
        atomic_store_explicit(&stream->reader, queue, memory_order_relaxed);
}

static int32_t stream_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                  struct trm_backend_stream *other, uint64_t other_value)
{
    const struct trm_backend_instance *instance = stream->device->instance;
    if (other->device != stream->device)
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The vulkan backend cannot make a stream wait for a stream of another device.");
    if (atomic_load(&other->timeline->completed) < other_value)
        ask_other(other, other_value);
    vulkan_stream_lock(stream);
    int32_t status = vulkan_stream_check(stream);
    if (status == TRM_OK)
        status = vulkan_stream_add_wait(stream, value, other->timeline, other_value);
    if (stream->role == TRM_STREAM_COMPUTE)
        note_reader(other, stream->queue);
    vulkan_stream_unlock(stream);
    return status;
}

static int32_t stream_gate(struct trm_backend_stream *stream, uint64_t value)
{
    vulkan_stream_lock(stream);
    int32_t status = vulkan_stream_check(stream);
    if (status == TRM_OK)
        status = vulkan_stream_add_gate(stream, value);
    vulkan_stream_unlock(stream);
    return status;
}

/* ---- calls from any thread ------------------------------------------------------------------------- */

static void stream_open_gates(struct trm_backend_stream *stream, uint64_t value)
{
    uint64_t open = atomic_load(&stream->gates);
    while (open < value && !atomic_compare_exchange_weak(&stream->gates, &open, value))
        ;
    vulkan_stream_lock(stream);
    if (atomic_load(&stream->timeline->failure) == TRM_OK)
        vulkan_stream_submit(stream, stream->requested);
    vulkan_stream_unlock(stream);
}

static int32_t stream_flush(struct trm_backend_stream *stream)
{
    vulkan_stream_lock(stream);
    if (atomic_load(&stream->timeline->failure) == TRM_OK)
        vulkan_stream_submit(stream, UINT64_MAX);
    int32_t status = vulkan_stream_explain(stream);
    vulkan_stream_unlock(stream);
    return status;
}

const struct trm_stream_ops vulkan_stream_ops = {
    .struct_size = sizeof(vulkan_stream_ops),
    .create      = stream_create,
    .destroy     = stream_destroy,
    .copy        = vulkan_stream_copy,
    .launch      = vulkan_stream_launch,
    .copy_2d     = vulkan_stream_copy_2d,
    .fill        = vulkan_stream_fill,
    .mark        = stream_mark,
    .wait_stream = stream_wait_stream,
    .gate        = stream_gate,
    .open_gates  = stream_open_gates,
    .flush       = stream_flush,
    .query       = vulkan_stream_query,
    .wait        = vulkan_stream_wait,
    .wait_any    = vulkan_stream_wait_any,
    .notify      = vulkan_stream_notify,
    .abandon     = vulkan_stream_abandon,
};
