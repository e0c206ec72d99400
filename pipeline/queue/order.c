/* The order of a pipeline's stages, changed while the pipeline is idle.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/queue/queue.h"

static bool is_any_read(const struct pipeline_queue *queue)
{
    for (uint32_t i = 0; i < queue->depth; i++)
        if (queue->entries[i].is_being_read)
            return true;
    return false;
}

/* Waits for threads that still have to do with tokens which have come out. A thread that has read the times
 * of one may add a slot then. With the lock, released meanwhile. */
static void wait_for_others(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    while (queue->is_growing || is_any_read(queue))
        pipeline_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, BASE_NEVER);
}

/* With the lock, released meanwhile; without enqueue_lock, which the end of what was started takes. TRM_OK:
 * no token begins until is_changing is false. */
static int32_t begin(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    int32_t status               = pipeline_run_may_begin(pipeline);
    if (status != TRM_OK)
        return status;
    queue->is_changing = true;
    pipeline_reap(pipeline, 0);
    wait_for_others(pipeline);
    if (queue->slots_in[PIPELINE_SLOT_ABANDONED] == 0)
        return TRM_OK;
    queue->is_changing = false;
    return base_fail_static(TRM_ERROR_BUSY, "work of tokens that were dropped is still in flight");
}

/* With enqueue_lock. */
static int32_t change(struct pipeline *pipeline, struct pipeline_reorder *reorders)
{
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < pipeline->member_count; i++)
        status = pipeline_reorder_begin(pipeline->members[i], &reorders[i]);
    if (status != TRM_OK)
        return status;
    base_biased_lock_acquire(&pipeline->lock);
    for (uint32_t i = 0; i < pipeline->member_count; i++) {
        pipeline_reorder_commit(pipeline->members[i], &reorders[i]);
        pipeline_measure_reorder(pipeline->members[i]->measure, reorders[i].places);
    }
    if (pipeline->member_count > 1)
        pipeline_measure_reorder(pipeline->measure, reorders[0].places);
    pipeline_queue_forget_counts(pipeline);
    base_biased_lock_release(&pipeline->lock);
    return TRM_OK;
}

static int32_t change_all(struct pipeline *pipeline, const uint32_t *order, uint32_t count)
{
    struct core_context *context      = pipeline->object.context;
    uint64_t size                     = pipeline->member_count * sizeof(struct pipeline_reorder);
    struct pipeline_reorder *reorders = core_allocate(context, size);
    int32_t status                    = TRM_OK;
    if (reorders == NULL)
        return base_fail_memory("changing the order of a pipeline's stages");
    for (uint32_t i = 0; status == TRM_OK && i < pipeline->member_count; i++)
        status = pipeline_order_check(pipeline->members[i], order, count, reorders[i].places);
    if (status == TRM_OK)
        status = change(pipeline, reorders);
    for (uint32_t i = 0; i < pipeline->member_count; i++)
        pipeline_reorder_end(&reorders[i]);
    core_free(context, reorders, size);
    return status;
}

static int32_t set_order(struct pipeline *pipeline, const uint32_t *order, uint32_t count)
{
    struct pipeline_queue *queue = pipeline->queue;
    base_biased_lock_acquire(&pipeline->lock);
    int32_t status = begin(pipeline);
    base_biased_lock_release(&pipeline->lock);
    if (status != TRM_OK)
        return status;
    base_biased_lock_acquire(&pipeline->enqueue_lock);
    status = change_all(pipeline, order, count);
    base_biased_lock_release(&pipeline->enqueue_lock);
    base_biased_lock_acquire(&pipeline->lock);
    queue->is_changing = false;
    base_biased_lock_release(&pipeline->lock);
    return status;
}

int32_t trm_pipeline_set_stage_order(struct trm_pipeline *handle, const uint32_t *order, uint32_t count)
{
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    int32_t status = pipeline_calling_check(pipeline, "trm_pipeline_set_stage_order()");
    if (status == TRM_OK)
        status = set_order(pipeline, order, count);
    core_object_leave(&pipeline->object);
    return status;
}
