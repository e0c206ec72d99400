/* Cancelling, and closing a pipeline.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "pipeline/queue/queue.h"

static const struct base_failure cancelled = {
    .status   = TRM_ERROR_CANCELLED,
    .sentence = "the pipeline was cancelled",
};

/* Marks tokens that were begun before the cancel; those with the program are dropped when it submits them. */
static void mark_all(struct core_pipeline *pipeline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    for (uint32_t i = 0; i < queue->depth; i++) {
        int32_t state = core_slot_state(pipeline->slots[i]);
        if (state >= CORE_SLOT_HELD && state <= CORE_SLOT_ENDED)
            queue->entries[i].is_cancelled = true;
    }
}

void core_cancel(struct core_pipeline *pipeline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    queue->epoch++;
    mark_all(pipeline);
    if (queue->mode == CORE_SERVING) {
        queue->stop = CORE_GOING;
    } else {
        if (queue->cancelled_at == 0)
            queue->cancelled_at = base_now();
        if (queue->stop == CORE_GOING)
            queue->cause = cancelled;
        queue->stop             = CORE_STOPPED;
        queue->has_source_ended = true;
    }
    /* Otherwise the leader drops them. */
    if (!queue->has_leader)
        core_failure_drop(pipeline, false);
    core_queue_wake_all(queue);
}

/* With the lock, released meanwhile. TRM_OK or TIMEOUT. */
static int32_t wait_until_quiet(struct core_pipeline *pipeline, uint64_t deadline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    for (;;) {
        if (queue->mode == CORE_STARTED && queue->stop == CORE_STOPPED && !queue->is_finishing &&
            core_run_finish(pipeline, deadline) == TRM_ERROR_TIMEOUT)
            return TRM_ERROR_TIMEOUT;
        bool is_busy = queue->mode != CORE_SERVING || queue->is_growing;
        if (!is_busy && core_queue_in_flight(queue) == 0)
            return TRM_OK;
        if (!is_busy && core_queue_in_flight(queue) == queue->slots_in[CORE_SLOT_ABANDONED])
            core_reap(pipeline, deadline);
        else
            core_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, deadline);
        is_busy = queue->mode != CORE_SERVING || queue->is_growing || core_queue_in_flight(queue) > 0;
        if (is_busy && base_remaining(deadline) == 0)
            return TRM_ERROR_TIMEOUT;
    }
}

/* For a timeout of 0. With the lock. */
static bool is_quiet(struct core_pipeline *pipeline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    core_reap(pipeline, 0);
    return queue->mode == CORE_SERVING && core_queue_in_flight(queue) == 0;
}

static int32_t cancel(struct core_pipeline *pipeline, uint64_t timeout_ns)
{
    uint64_t deadline = base_deadline(timeout_ns);
    bool is_quiet_now;
    pthread_mutex_lock(&pipeline->lock);
    core_cancel(pipeline);
    if (timeout_ns == 0)
        is_quiet_now = is_quiet(pipeline);
    else
        is_quiet_now = wait_until_quiet(pipeline, deadline) == TRM_OK;
    pthread_mutex_unlock(&pipeline->lock);
    if (is_quiet_now)
        return TRM_OK;
    return base_fail_static(TRM_ERROR_TIMEOUT, "the pipeline is cancelled, but work is still in flight");
}

int32_t trm_pipeline_cancel(struct trm_pipeline *handle, uint64_t timeout_ns)
{
    struct core_pipeline *pipeline = core_pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    int32_t status =
        timeout_ns != 0 ? core_calling_check(pipeline, "trm_pipeline_cancel() with a timeout") : TRM_OK;
    if (status == TRM_OK)
        status = cancel(pipeline, timeout_ns);
    core_object_leave(&pipeline->object);
    return status;
}

/* ---- closing -------------------------------------------------------------------------------- */

/* The tokens that the program still has become invalid. With the lock. */
static void reclaim(struct core_pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->queue->depth; i++) {
        int32_t state = core_slot_state(pipeline->slots[i]);
        if (state == CORE_SLOT_HELD || state == CORE_SLOT_OUT)
            core_queue_free(pipeline->slots[i]);
    }
}

int32_t core_queue_close(struct core_pipeline *pipeline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    int32_t status                    = core_calling_check(pipeline, "trm_pipeline_destroy()");
    if (status != TRM_OK)
        return status;
    pthread_mutex_lock(&pipeline->lock);
    queue->is_closing = true;
    core_cancel(pipeline);
    wait_until_quiet(pipeline, BASE_NEVER);
    reclaim(pipeline);
    bool ends             = queue->is_engine_open;
    queue->is_engine_open = false;
    pthread_mutex_unlock(&pipeline->lock);
    if (ends)
        core_engine_end(pipeline);
    return TRM_OK;
}
