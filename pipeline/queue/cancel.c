/* Cancelling, and closing a pipeline.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "pipeline/queue/join.h"
#include "pipeline/queue/queue.h"

static const struct base_failure cancelled = {
    .status   = TRM_ERROR_CANCELLED,
    .sentence = "the pipeline was cancelled",
};

/* Marks tokens that were begun before the cancel; those with the program are dropped when it submits them. */
static void mark_all(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    for (uint32_t i = 0; i < queue->depth; i++) {
        int32_t state = pipeline_slot_state(pipeline->slots[i]);
        if (state >= PIPELINE_SLOT_HELD && state <= PIPELINE_SLOT_ENDED)
            queue->entries[i].is_cancelled = true;
    }
}

void pipeline_cancel(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    queue->epoch++;
    queue->was_cancelled = true;
    pipeline_joins_cancel(pipeline);
    mark_all(pipeline);
    if (queue->mode == PIPELINE_SERVING) {
        queue->stop = PIPELINE_GOING;
    } else {
        if (queue->cancelled_at == 0)
            queue->cancelled_at = base_now();
        if (queue->stop == PIPELINE_GOING)
            queue->cause = cancelled;
        queue->stop             = PIPELINE_STOPPED;
        queue->has_source_ended = true;
    }
    /* Otherwise the leader drops them. */
    if (!queue->has_leader)
        pipeline_failure_drop(pipeline, false);
    pipeline_queue_wake_all(queue);
}

/* With the lock, released meanwhile. TRM_OK or TIMEOUT. */
static int32_t wait_until_quiet(struct pipeline *pipeline, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    for (;;) {
        if (queue->mode == PIPELINE_STARTED && queue->stop == PIPELINE_STOPPED && !queue->is_finishing &&
            pipeline_run_finish(pipeline, deadline) == TRM_ERROR_TIMEOUT)
            return TRM_ERROR_TIMEOUT;
        bool is_busy = queue->mode != PIPELINE_SERVING || queue->is_growing;
        if (!is_busy && pipeline_queue_in_flight(queue) == 0)
            return TRM_OK;
        if (!is_busy && pipeline_queue_in_flight(queue) == queue->slots_in[PIPELINE_SLOT_ABANDONED])
            pipeline_reap(pipeline, deadline);
        else
            pipeline_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, deadline);
        is_busy = queue->mode != PIPELINE_SERVING || queue->is_growing || pipeline_queue_in_flight(queue) > 0;
        if (is_busy && base_remaining(deadline) == 0)
            return TRM_ERROR_TIMEOUT;
    }
}

/* For a timeout of 0. With the lock. */
static bool is_quiet(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    pipeline_reap(pipeline, 0);
    return queue->mode == PIPELINE_SERVING && pipeline_queue_in_flight(queue) == 0;
}

static int32_t cancel(struct pipeline *pipeline, uint64_t timeout_ns)
{
    uint64_t deadline = base_deadline(timeout_ns);
    bool is_quiet_now;
    base_biased_lock_acquire(&pipeline->lock);
    pipeline_cancel(pipeline);
    if (timeout_ns == 0)
        is_quiet_now = is_quiet(pipeline);
    else
        is_quiet_now = wait_until_quiet(pipeline, deadline) == TRM_OK;
    base_biased_lock_release(&pipeline->lock);
    if (is_quiet_now)
        return TRM_OK;
    return base_fail_static(TRM_ERROR_TIMEOUT, "the pipeline is cancelled, but work is still in flight");
}

int32_t trm_pipeline_cancel(struct trm_pipeline *handle, uint64_t timeout_ns)
{
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    int32_t status =
        timeout_ns != 0 ? pipeline_calling_check(pipeline, "trm_pipeline_cancel() with a timeout") : TRM_OK;
    if (status == TRM_OK)
        status = cancel(pipeline, timeout_ns);
    core_object_leave(&pipeline->object);
    return status;
}

/* ---- closing -------------------------------------------------------------------------------- */

/* The tokens that the program still has become invalid. With the lock. */
static void reclaim(struct pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->queue->depth; i++) {
        int32_t state = pipeline_slot_state(pipeline->slots[i]);
        if (state == PIPELINE_SLOT_HELD || state == PIPELINE_SLOT_OUT)
            pipeline_queue_free(pipeline->slots[i]);
    }
}

int32_t pipeline_queue_close(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    int32_t status               = pipeline_calling_check(pipeline, "trm_pipeline_destroy()");
    for (uint32_t i = 0; i < pipeline->member_count && status == TRM_OK; i++)
        if (pipeline_engine_is_on_stream(pipeline->members[i]))
            status = base_fail(
                TRM_ERROR_DEADLOCK,
                "trm_pipeline_destroy() inside a callback on a stream of a stage of \"%s\" would wait "
                "for itself",
                pipeline->name);
    if (status != TRM_OK)
        return status;
    base_biased_lock_acquire(&pipeline->lock);
    queue->is_closing = true;
    pipeline_cancel(pipeline);
    wait_until_quiet(pipeline, BASE_NEVER);
    reclaim(pipeline);
    bool ends             = queue->is_engine_open;
    queue->is_engine_open = false;
    base_biased_lock_release(&pipeline->lock);
    if (ends)
        pipeline_members_end(pipeline);
    return TRM_OK;
}
