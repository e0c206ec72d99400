/* vulkan backend: streams that fail or are abandoned.
 *
 * A failure has two steps. First the stream breaks: nothing more is submitted, deferred batches are dropped,
 * and enqueueing fails. Batches in flight end normally, and waits for their values succeed, on the device
 * too. Then the stream is settled, and reports the failure.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/stream_object.h"

#include "backends/vulkan/stream/service.h"

/* How long to wait for batches in flight when a stream of a lost device is destroyed. */
#define LAST_WAIT_NS UINT64_C(2000000000)

/* ---- reporting ------------------------------------------------------------------------------------- */

static bool is_busy(const struct trm_backend_stream *stream)
{
    return stream->job != NULL || stream->finishing;
}

int32_t vulkan_stream_failure(const struct trm_backend_stream *stream)
{
    if (stream->settled)
        return atomic_load(&stream->timeline->failure);
    if (vulkan_device_is_lost(stream->device) && !is_busy(stream))
        return TRM_ERROR_DEVICE_LOST;
    return TRM_OK;
}

static int32_t explain(const struct trm_backend_stream *stream, int32_t status)
{
    const struct trm_host *host = stream->device->instance->host;
    if (status == TRM_ERROR_DEVICE_LOST && vulkan_device_is_lost(stream->device))
        return vulkan_device_check(stream->device);
    return host->fail(host->context, status, stream->timeline->native, stream->timeline->sentence);
}

int32_t vulkan_stream_explain(struct trm_backend_stream *stream)
{
    int32_t status = vulkan_stream_failure(stream);
    return status == TRM_OK ? TRM_OK : explain(stream, status);
}

int32_t vulkan_stream_check(struct trm_backend_stream *stream)
{
    int32_t status = atomic_load_explicit(&stream->timeline->failure, memory_order_acquire);
    return status == TRM_OK ? vulkan_device_check(stream->device) : explain(stream, status);
}

/* ---- breaking -------------------------------------------------------------------------------------- */

static void drop(struct trm_backend_stream *stream, struct vulkan_batch *batch)
{
    if (batch->watched)
        vulkan_service_cancel_watch(stream->device->service, &batch->watch);
    vulkan_batch_recycle(batch);
}

static void drop_all(struct trm_backend_stream *stream)
{
    struct vulkan_batch *next, *open = stream->open;
    stream->open = NULL;
    if (open != NULL)
        drop(stream, open);
    for (struct vulkan_batch *batch = stream->deferred; batch != NULL; batch = next) {
        next = batch->next;
        drop(stream, batch);
    }
    stream->deferred = NULL;
    if (stream->job != NULL && vulkan_service_cancel_job(stream->device->service, stream->job->job)) {
        struct vulkan_batch *batch = stream->job;
        stream->job                = NULL;
        vulkan_batch_recycle(batch);
        vulkan_stream_release(stream);
    }
}

void vulkan_stream_break_at(struct trm_backend_stream *stream, uint64_t last, int32_t status, int64_t native,
                            const char *sentence)
{
    if (atomic_load(&stream->timeline->failure) != TRM_OK)
        return;
    vulkan_timeline_break(stream->timeline, last, status, native, sentence);
    drop_all(stream);
    vulkan_stream_watch_in_flight(stream);
    stream->unstall = stream->unstall || atomic_load(&stream->device->stalled_count) != 0;
    vulkan_stream_settle(stream);
    vulkan_stream_wake(stream);
}

void vulkan_stream_break(struct trm_backend_stream *stream, int32_t status, int64_t native,
                         const char *sentence)
{
    uint64_t last = atomic_load(&stream->timeline->submitted);
    if (stream->in_flight != NULL)
        last = stream->last_in_flight->value;
    vulkan_stream_break_at(stream, last, status, native, sentence);
}

/* Other devices may wait for values that will never be complete (see <trireme/interop.h>), so the counter is
 * advanced. A failure to do so does not matter. */
void vulkan_stream_settle(struct trm_backend_stream *stream)
{
    struct trm_backend_device *device = stream->device;
    VkSemaphoreSignalInfo info        = {
               .sType     = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
               .semaphore = stream->timeline->semaphore,
               .value     = stream->enqueued,
    };
    if (stream->settled || stream->in_flight != NULL || is_busy(stream) ||
        atomic_load(&stream->timeline->failure) == TRM_OK)
        return;
    stream->settled = true;
    if (!vulkan_device_is_lost(device) && stream->enqueued > atomic_load(&stream->timeline->last))
        device->vk.vkSignalSemaphore(device->handle, &info);
    if (stream->notices != NULL)
        vulkan_service_attend(device->service, stream);
    vulkan_stream_wake(stream);
}

void vulkan_stream_abandon(struct trm_backend_stream *stream, int32_t status)
{
    vulkan_stream_lock(stream);
    vulkan_stream_break(stream, status, 0, "The stream was abandoned.");
    vulkan_stream_unlock(stream);
}

/* ---- destroying ------------------------------------------------------------------------------------ */

/* On a lost device batches that may still be in flight are recycled. */
void vulkan_stream_end_in_flight(struct trm_backend_stream *stream)
{
    struct vulkan_batch *next;
    if (stream->in_flight != NULL) {
        const struct vulkan_batch *last = stream->last_in_flight;
        vulkan_timeline_sleep(last->device_value != 0 ? stream->device_timeline : stream->timeline,
                              last->device_value != 0 ? last->device_value : last->value, LAST_WAIT_NS);
    }
    for (struct vulkan_batch *batch = stream->in_flight; batch != NULL; batch = next) {
        next = batch->next;
        vulkan_batch_recycle(batch);
    }
    stream->in_flight = NULL;
    atomic_store(&stream->host_ended, 0);
    drop_all(stream);
}
