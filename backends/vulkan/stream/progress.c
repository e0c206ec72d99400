/* vulkan backend: from in flight to spare: batches that have ended, their host copies, their notices.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/stream_object.h"

#include <stddef.h>

#include "backends/vulkan/stream/service.h"

/* ---- references ------------------------------------------------------------------------------------ */

void vulkan_stream_retain(struct trm_backend_stream *stream)
{
    atomic_fetch_add_explicit(&stream->references, 1, memory_order_relaxed);
}

void vulkan_stream_release(struct trm_backend_stream *stream)
{
    const struct trm_backend_instance *instance = stream->device->instance;
    struct vulkan_notice *next;
    if (atomic_fetch_sub_explicit(&stream->references, 1, memory_order_acq_rel) != 1)
        return;
    for (struct vulkan_notice *notice = stream->spare_notices; notice != NULL; notice = next) {
        next = notice->next;
        trm_util_release(instance->host, notice, sizeof(*notice));
    }
    vulkan_timeline_release(stream->timeline);
    vulkan_timeline_release(stream->device_timeline);
    pthread_mutex_destroy(&stream->lock);
    trm_util_release(instance->host, stream, sizeof(*stream));
}

/* ---- reaping --------------------------------------------------------------------------------------- */

static void pop_in_flight(struct trm_backend_stream *stream)
{
    struct vulkan_batch *batch = stream->in_flight;
    stream->in_flight          = batch->next;
    if (batch->device_value != 0)
        atomic_fetch_sub(&stream->host_ended, 1);
    vulkan_batch_recycle(batch);
}

/* Batches that the host ends come after all others, and are not reaped here. */
void vulkan_stream_reap(struct trm_backend_stream *stream, bool ask)
{
    uint64_t completed = atomic_load(&stream->timeline->completed);
    if (stream->in_flight == NULL || stream->in_flight->device_value != 0)
        return;
    if (ask && vulkan_timeline_read(stream->timeline, stream->in_flight->value, &completed) != TRM_OK)
        return;
    while (stream->in_flight != NULL && stream->in_flight->device_value == 0 &&
           stream->in_flight->value <= completed)
        pop_in_flight(stream);
}

/* ---- host copies ----------------------------------------------------------------------------------- */

/* Signals the external semaphores of a batch, after the stream's own. */
static void signal_others(struct trm_backend_stream *stream, const struct vulkan_batch *batch)
{
    for (uint32_t i = 0; i < batch->signal_count; i++) {
        int32_t status = vulkan_timeline_signal(batch->signals[i].timeline, batch->signals[i].value);
        if (status != TRM_OK)
            vulkan_stream_break(
                stream, status, 0,
                "A semaphore could not be signalled for the stream (vkSignalSemaphore failed).");
    }
}

/* Host copies up to `device_value` are done. If they cannot be signalled, the stream fails at the last
 * submitted value; nothing waits for later ones (see timeline->submitted). Batches in flight behind that
 * value end unreported. */
static void end_batches(struct trm_backend_stream *stream, uint64_t device_value)
{
    struct vulkan_timeline *timeline = stream->timeline;
    uint64_t value                   = 0;
    for (const struct vulkan_batch *batch                            = stream->in_flight;
         batch != NULL && batch->device_value <= device_value; batch = batch->next)
        value = batch->value;
    bool is_told = value <= atomic_load(&timeline->last) && vulkan_timeline_signal(timeline, value) == TRM_OK;
    if (!is_told)
        vulkan_stream_break_at(stream, atomic_load(&timeline->submitted), TRM_ERROR_OUT_OF_HOST_MEMORY, 0,
                               "The end of a copy could not be signalled (vkSignalSemaphore failed).");
    while (stream->in_flight != NULL && stream->in_flight->device_value <= device_value) {
        if (is_told)
            signal_others(stream, stream->in_flight);
        pop_in_flight(stream);
    }
    stream->unstall = stream->unstall || atomic_load(&stream->device->stalled_count) != 0;
}

/* The device_value that the device has reached; 0 if the first batch has not ended. */
static uint64_t ended_by_device(struct trm_backend_stream *stream)
{
    uint64_t seen = 0;
    if (stream->in_flight == NULL || stream->in_flight->device_value == 0 ||
        vulkan_device_is_lost(stream->device) ||
        vulkan_timeline_read(stream->device_timeline, stream->last_in_flight->device_value, &seen) != TRM_OK)
        return 0;
    return stream->in_flight->device_value <= seen ? seen : 0;
}

/* The list is read under the lock; the batches whose copies run are touched by no other thread. */
static void finish_up_to(struct trm_backend_stream *stream, uint64_t device_value)
{
    struct vulkan_batch *batch = stream->in_flight;
    while (batch != NULL && batch->device_value <= device_value) {
        if (batch->host_copy_count != 0) {
            pthread_mutex_unlock(&stream->lock);
            vulkan_batch_run_host_copies(batch);
            pthread_mutex_lock(&stream->lock);
        }
        batch = batch->next;
    }
    end_batches(stream, device_value);
}

static void progress(struct trm_backend_stream *stream)
{
    uint64_t device_value;
    vulkan_stream_reap(stream, true);
    if (atomic_load(&stream->host_ended) != 0 && !stream->finishing) {
        stream->finishing = true;
        while ((device_value = ended_by_device(stream)) != 0)
            finish_up_to(stream, device_value);
        stream->finishing = false;
        vulkan_stream_watch_in_flight(stream);
        vulkan_stream_wake(stream);
    }
    vulkan_stream_settle(stream);
}

/* Whether more than reaping is pending. The service's threads may have found this thread busy with host
 * copies. */
static bool needs_attention(const struct trm_backend_stream *stream)
{
    if (stream->deferred != NULL && stream->deferred->job != NULL &&
        stream->deferred->first <= stream->requested)
        return true;
    return stream->notices != NULL && (stream->notices->value <= atomic_load(&stream->timeline->completed) ||
                                       vulkan_stream_failure(stream) != TRM_OK);
}

void vulkan_stream_progress(struct trm_backend_stream *stream)
{
    bool copies = atomic_load(&stream->host_ended) != 0 && !stream->finishing;
    progress(stream);
    if (copies && needs_attention(stream))
        vulkan_service_attend(stream->device->service, stream);
}

/* ---- attending to a stream ------------------------------------------------------------------------- */

void vulkan_stream_attend(struct trm_backend_stream *stream)
{
    struct vulkan_notice *due = NULL;
    vulkan_stream_lock(stream);
    if (!stream->destroyed) {
        progress(stream);
        vulkan_stream_submit(stream, stream->requested);
        vulkan_stream_watch_in_flight(stream);
        due = vulkan_stream_take_due_notices(stream);
    }
    vulkan_stream_unlock(stream);
    vulkan_notices_call(due);
}

/* Called when a batch has ended, or an external semaphore that it waits for has reached its value. */
void vulkan_batch_watched(struct vulkan_watch *watch)
{
    struct vulkan_batch *batch =
        (struct vulkan_batch *)(void *)((char *)watch - offsetof(struct vulkan_batch, watch));
    struct trm_backend_stream *stream = batch->stream;
    struct vulkan_timeline *timeline  = watch->timeline;
    vulkan_stream_lock(stream);
    batch->watched = false;
    if (batch->done && stream->destroyed) {
        vulkan_batch_destroy(batch);
    } else if (batch->done) {
        batch->done   = false;
        batch->next   = stream->spare;
        stream->spare = batch;
    }
    vulkan_stream_unlock(stream);
    vulkan_timeline_release(timeline);
    vulkan_stream_attend(stream);
    vulkan_stream_release(stream);
}

/* ---- jobs ------------------------------------------------------------------------------------------ */

static void break_by_job(struct trm_backend_stream *stream, const struct vulkan_job *job, int32_t status)
{
    vulkan_stream_break(stream, status, job->native,
                        job->sentence[0] != '\0' ? job->sentence : "A copy from or to host memory failed.");
}

void vulkan_stream_job_done(struct vulkan_job *job, int32_t status)
{
    struct trm_backend_stream *stream = job->stream;
    vulkan_stream_lock(stream);
    struct vulkan_batch *batch = stream->job;
    stream->job                = NULL;
    if (status == TRM_OK && atomic_load(&stream->timeline->failure) == TRM_OK) {
        status = vulkan_timeline_signal(stream->timeline, batch->value);
        if (status != TRM_OK)
            vulkan_stream_break(stream, status, 0,
                                "The end of a copy could not be signalled (vkSignalSemaphore failed).");
        stream->unstall = stream->unstall || atomic_load(&stream->device->stalled_count) != 0;
    } else if (status != TRM_OK) {
        break_by_job(stream, job, status);
    }
    vulkan_batch_recycle(batch);
    vulkan_stream_wake(stream);
    vulkan_stream_unlock(stream);
    vulkan_stream_attend(stream);
    vulkan_stream_release(stream);
}
