/* Cancelling, and closing a pipeline for good.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "pipeline/queue/queue.h"

static const struct base_failure cancelled = {
    .status   = TRM_ERROR_CANCELLED,
    .sentence = "the pipeline was cancelled",
};

/* Tokens that were begun before the cancel are thrown away; those with the program when it submits them. */
static void mark_all(struct core_pipeline *pipeline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    for (uint32_t i = 0; i < queue->depth; i++) {
        int32_t place = core_slot_place(pipeline->slots[i]);
        if (place >= CORE_PLACE_HELD && place <= CORE_PLACE_ENDED)
            queue->entries[i].cancelled = 1;
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
        queue->stop         = CORE_STOPPED;
        queue->source_ended = 1;
    }
    /* Else the taker does it. */
    if (!queue->taking)
        core_failure_drop(pipeline, 0);
    core_queue_wake_all(queue);
}

/* With the lock, which is let go meanwhile. TRM_OK or TIMEOUT. */
static int32_t wait_until_quiet(struct core_pipeline *pipeline, uint64_t deadline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    for (;;) {
        if (queue->mode == CORE_STARTED && queue->stop == CORE_STOPPED && !queue->finishing &&
            core_run_finish(pipeline, deadline) == TRM_ERROR_TIMEOUT)
            return TRM_ERROR_TIMEOUT;
        int32_t busy = queue->mode != CORE_SERVING || queue->growing;
        if (!busy && core_queue_under_way(queue) == 0)
            return TRM_OK;
        if (!busy && core_queue_under_way(queue) == queue->places[CORE_PLACE_ABANDONED])
            core_reap(pipeline, deadline);
        else
            core_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, deadline);
        busy = queue->mode != CORE_SERVING || queue->growing || core_queue_under_way(queue) > 0;
        if (busy && base_remaining(deadline) == 0)
            return TRM_ERROR_TIMEOUT;
    }
}

/* Of a timeout of 0: what is so now. With the lock. */
static int32_t is_quiet(struct core_pipeline *pipeline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    core_reap(pipeline, 0);
    return queue->mode == CORE_SERVING && core_queue_under_way(queue) == 0;
}

static int32_t cancel(struct core_pipeline *pipeline, uint64_t timeout_ns)
{
    uint64_t deadline = base_deadline(timeout_ns);
    int32_t quiet;
    pthread_mutex_lock(&pipeline->lock);
    core_cancel(pipeline);
    if (timeout_ns == 0)
        quiet = is_quiet(pipeline);
    else
        quiet = wait_until_quiet(pipeline, deadline) == TRM_OK;
    pthread_mutex_unlock(&pipeline->lock);
    if (quiet)
        return TRM_OK;
    return base_fail_static(TRM_ERROR_TIMEOUT, "the pipeline is cancelled, but something is still under way");
}

int32_t trm_pipeline_cancel(struct trm_pipeline *handle, uint64_t timeout_ns)
{
    struct core_pipeline *pipeline = core_pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    int32_t status =
        timeout_ns != 0 ? core_calling_check(pipeline, "trm_pipeline_cancel() with a time-out") : TRM_OK;
    if (status == TRM_OK)
        status = cancel(pipeline, timeout_ns);
    core_object_leave(&pipeline->object);
    return status;
}

/* ---- closing ---- */

/* What the program still had is lost. With the lock. */
static void take_back(struct core_pipeline *pipeline)
{
    for (uint32_t i = 0; i < pipeline->queue->depth; i++) {
        int32_t place = core_slot_place(pipeline->slots[i]);
        if (place == CORE_PLACE_HELD || place == CORE_PLACE_OUT)
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
    queue->closing = 1;
    core_cancel(pipeline);
    wait_until_quiet(pipeline, BASE_NEVER);
    take_back(pipeline);
    int32_t ends       = queue->engine_open;
    queue->engine_open = 0;
    pthread_mutex_unlock(&pipeline->lock);
    if (ends)
        core_engine_end(pipeline);
    return TRM_OK;
}
