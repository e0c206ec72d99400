/* vulkan backend: query and wait.
 *
 * A thread sleeps in the driver for events of the device, and on a futex of the stream for events of the host
 * (gates, jobs, submissions of other streams).
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/stream_object.h"

/* ---- query ----------------------------------------------------------------------------------------- */

static bool is_well(const struct trm_backend_stream *stream)
{
    return atomic_load_explicit(&stream->timeline->failure, memory_order_acquire) == TRM_OK &&
           !vulkan_device_is_lost(stream->device);
}

static int32_t query_locked(struct trm_backend_stream *stream, uint64_t *completed)
{
    vulkan_stream_lock(stream);
    vulkan_stream_progress(stream);
    int32_t status = vulkan_stream_explain(stream);
    *completed     = atomic_load(&stream->timeline->completed);
    vulkan_stream_unlock(stream);
    return status;
}

/* Takes no lock, unless the host has to end batches. */
int32_t vulkan_stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    struct vulkan_timeline *timeline = stream->timeline;
    uint64_t seen;
    if (!is_well(stream) || atomic_load(&stream->host_ended) != 0)
        return query_locked(stream, completed);
    uint64_t submitted = atomic_load_explicit(&timeline->submitted, memory_order_acquire);
    int32_t status     = vulkan_timeline_read(timeline, submitted, &seen);
    /* The stream may have failed meanwhile. */
    if (status == TRM_OK && !is_well(stream))
        return query_locked(stream, completed);
    if (status == TRM_OK)
        *completed = seen;
    return status;
}

/* ---- wait ------------------------------------------------------------------------------------------ */

/* Events of the host. `seen` was read before the conditions were checked, so that no event is missed. */
static void target_host(struct trm_backend_stream *stream, struct vulkan_wait_target *target)
{
    target->timeline = NULL;
    atomic_fetch_add(&stream->sleepers, 1);
}

static void target_batch(struct trm_backend_stream *stream, const struct vulkan_batch *batch,
                         struct vulkan_wait_target *target)
{
    target->timeline = batch->device_value != 0 ? stream->device_timeline : stream->timeline;
    target->value    = batch->device_value != 0 ? batch->device_value : batch->value;
}

/* Chooses what brings `value` about, which is not complete. On a failed stream that never reaches it: the end
 * of the last batch. */
static void choose_target(struct trm_backend_stream *stream, uint64_t value,
                          struct vulkan_wait_target *target)
{
    const struct vulkan_batch *batch = stream->in_flight;
    while (batch != NULL && batch->value < value)
        batch = batch->next;
    if (batch == NULL && atomic_load(&stream->timeline->failure) != TRM_OK && stream->in_flight != NULL)
        batch = stream->last_in_flight;
    if (batch == NULL || (batch->device_value != 0 && stream->finishing) ||
        vulkan_device_is_lost(stream->device))
        target_host(stream, target);
    else
        target_batch(stream, batch, target);
}

int32_t vulkan_stream_poll(struct trm_backend_stream *stream, uint64_t value,
                           struct vulkan_wait_target *target)
{
    vulkan_stream_lock(stream);
    if (atomic_load(&stream->timeline->failure) == TRM_OK)
        vulkan_stream_submit(stream, value);
    target->seen = atomic_load(&stream->wake_count);
    if (atomic_load(&stream->timeline->completed) < value)
        vulkan_stream_progress(stream);
    else
        vulkan_stream_reap(stream, false);
    int32_t status = vulkan_stream_explain(stream);
    if (status == TRM_OK && atomic_load(&stream->timeline->completed) < value) {
        choose_target(stream, value, target);
        status = TRM_ERROR_TIMEOUT;
    }
    vulkan_stream_unlock(stream);
    return status;
}

/* Returns when another poll makes sense, or at the deadline. The poll also detects a loss. */
static void sleep_on(struct trm_backend_stream *stream, const struct vulkan_wait_target *target,
                     uint64_t deadline)
{
    if (target->timeline != NULL) {
        vulkan_timeline_wait(target->timeline, target->value, trm_util_remaining(deadline));
        return;
    }
    while (atomic_load(&stream->wake_count) == target->seen)
        if (!trm_util_futex_wait(&stream->wake_count, target->seen, deadline))
            break;
    atomic_fetch_sub(&stream->sleepers, 1);
}

int32_t vulkan_stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    struct vulkan_wait_target target = {0};
    uint64_t deadline                = trm_util_deadline(timeout_ns);
    if (is_well(stream) && atomic_load(&stream->timeline->completed) >= value)
        return TRM_OK;
    while (true) {
        int32_t status = vulkan_stream_poll(stream, value, &target);
        if (status != TRM_ERROR_TIMEOUT)
            return status;
        if (trm_util_remaining(deadline) == 0) {
            if (target.timeline == NULL)
                atomic_fetch_sub(&stream->sleepers, 1);
            return trm_util_fail(stream->device->instance->host, TRM_ERROR_TIMEOUT, 0,
                                 "The stream has not reached this point yet.");
        }
        sleep_on(stream, &target, deadline);
    }
}
