/* Failures: their sentences, the first cause, dropped tokens, and how others go on.
 *
 * A failed stream fails everything that is enqueued on it later, so one bad token fails others too. The
 * oldest failed token is the cause. If the others are to go on, the device finishes all work, the streams are
 * replaced, and the tokens that failed with the cause are enqueued again. A token that fails again by itself
 * is then the oldest one, so every round has one token less.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/base.h"
#include "pipeline/queue/queue.h"

void pipeline_failure_describe(const struct pipeline_slot *slot, const char *stage, int32_t status,
                               struct base_failure *failure)
{
    base_error_complete(status);
    struct trm_error error = trm_last_error();
    char sentence[sizeof(failure->sentence) + 64];
    bool has_others = slot->pipeline != slot->front;
    snprintf(sentence, sizeof(sentence), "token %" PRIu64 "%s%s, %s%s%s", slot->token.index,
             has_others ? " on " : "", has_others ? slot->pipeline->device->id : "",
             stage != NULL ? stage : "", stage != NULL ? ": " : "", error.sentence);
    failure->status      = status;
    failure->native_code = error.native_code;
    base_text_copy(failure->sentence, sizeof(failure->sentence), sentence);
}

void pipeline_failure_name(struct pipeline_slot *slot, const char *stage, int32_t status)
{
    pipeline_failure_describe(slot, stage, status, &slot->failure);
}

static void stop(struct pipeline *pipeline, int32_t how, const struct base_failure *cause)
{
    struct pipeline_queue *queue = pipeline->queue;
    if (queue->stop == PIPELINE_GOING)
        queue->cause = *cause;
    if (queue->stop < how)
        queue->stop = how;
    queue->has_source_ended = true;
    pipeline_queue_wake_all(queue);
}

void pipeline_failure_note(struct pipeline_slot *slot, bool on_device)
{
    struct pipeline *pipeline = slot->front;
    int32_t mode              = pipeline->desc.on_failure;
    pipeline_joins_break(pipeline);
    if (pipeline->failure.status == TRM_OK)
        pipeline->failure = slot->failure;
    if (on_device)
        pipeline->queue->dirty = PIPELINE_DIRTY_KNOWN;
    if (slot->failure.status == TRM_ERROR_DEVICE_LOST)
        mode = TRM_FAILURE_STOP;
    if (mode != TRM_FAILURE_SKIP)
        stop(pipeline, mode == TRM_FAILURE_DRAIN ? PIPELINE_DRAINING : PIPELINE_STOPPED, &slot->failure);
}

/* ---- dropping tokens ------------------------------------------------------------------------ */

/* A failure that is not the token's own came from the token that failed before it. */
static void drop(struct pipeline_slot *slot)
{
    struct pipeline_queue *queue       = slot->front->queue;
    struct pipeline_queue_entry *entry = pipeline_queue_entry(slot);
    bool has_failed                    = slot->failure.status != TRM_OK && entry->is_final;
    int32_t status                     = has_failed ? slot->failure.status : TRM_ERROR_CANCELLED;
    pipeline_list_remove(&queue->ordered, slot);
    if (slot->failure.status != TRM_OK && !entry->is_final && queue->dirty == PIPELINE_CLEAN)
        queue->dirty = PIPELINE_DIRTY_KNOWN;
    if (pipeline_slot_state(slot) == PIPELINE_SLOT_SUBMITTED) {
        struct pipeline_token_times times;
        pipeline_queue_times(slot, status, false, &times);
        pipeline_queue_note(slot, &times);
        pipeline_queue_move(slot, PIPELINE_SLOT_ABANDONED);
        return;
    }
    pipeline_queue_retire(slot, status, false);
}

void pipeline_failure_drop(struct pipeline *pipeline, bool all)
{
    struct pipeline_slot *slot = pipeline->queue->ordered.first;
    if (!all && !pipeline->queue->was_cancelled)
        return;
    while (slot != NULL) {
        struct pipeline_slot *next = slot->next;
        if (all || pipeline_queue_entry(slot)->is_cancelled)
            drop(slot);
        slot = next;
    }
}

/* ---- recovery ------------------------------------------------------------------------------- */

void pipeline_failure_enqueue(struct pipeline_slot *slot)
{
    struct pipeline_calling *marked = slot->front->queue->calling, calling;
    if (marked != NULL)
        marked->is_enqueuing = true;
    else
        pipeline_calling_push(&calling, slot->front, true);
    base_error_clear();
    int32_t status = pipeline_slot_enqueue(slot, pipeline_queue_entry(slot)->output);
    if (status != TRM_OK)
        pipeline_failure_name(slot, NULL, status);
    if (marked != NULL)
        marked->is_enqueuing = false;
    else
        pipeline_calling_pop(&calling);
}

static struct pipeline_slot *first_submitted(const struct pipeline_queue *queue)
{
    struct pipeline_slot *slot = queue->ordered.first;
    while (slot != NULL && pipeline_slot_state(slot) != PIPELINE_SLOT_SUBMITTED)
        slot = slot->next;
    return slot;
}

/* Waits for all work on the device; nothing is enqueued meanwhile. With the lock, released meanwhile. TRM_OK:
 * everything has ended. */
static int32_t wait_for_rest(struct pipeline *pipeline, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    uint32_t epoch               = queue->epoch;
    int32_t stopped              = queue->stop;
    struct base_failure failure;
    for (;;) {
        struct pipeline_slot *slot = first_submitted(queue);
        if (slot == NULL && queue->slots_in[PIPELINE_SLOT_ABANDONED] == 0)
            return TRM_OK;
        if (queue->epoch != epoch || queue->stop != stopped || queue->is_closing)
            return TRM_ERROR_TIMEOUT;
        if (slot == NULL && pipeline_reap(pipeline, deadline) > 0)
            continue;
        if (slot == NULL && base_remaining(deadline) > 0)
            continue;
        if (slot == NULL)
            return TRM_ERROR_TIMEOUT;
        bool failed = slot->failure.status != TRM_OK; /* when it was enqueued */
        base_biased_lock_release(&pipeline->lock);
        int32_t status = pipeline_slot_wait(slot, pipeline_slice(deadline));
        failed         = status != TRM_OK && status != TRM_ERROR_TIMEOUT && !failed;
        if (failed)
            pipeline_failure_describe(slot, NULL, status, &failure);
        base_biased_lock_acquire(&pipeline->lock);
        if (failed)
            slot->failure = failure;
        if (status != TRM_ERROR_TIMEOUT)
            pipeline_queue_move(slot, PIPELINE_SLOT_ENDED);
        else if (base_remaining(deadline) == 0)
            return TRM_ERROR_TIMEOUT;
    }
}

static bool has_failed(const struct pipeline_slot *slot)
{
    return pipeline_slot_state(slot) == PIPELINE_SLOT_ENDED && slot->failure.status != TRM_OK &&
           !pipeline_queue_entry(slot)->is_final;
}

/* Marks the oldest failed token as the cause. With the lock. False: no token has failed. */
static bool find_cause(struct pipeline *pipeline)
{
    struct pipeline_slot *slot = pipeline->queue->ordered.first;
    while (slot != NULL && !has_failed(slot))
        slot = slot->next;
    if (slot != NULL)
        pipeline_queue_entry(slot)->is_final = true;
    return slot != NULL;
}

/* Enqueues again what failed with the cause, in order. With the lock, released meanwhile. */
static void repeat(struct pipeline *pipeline)
{
    for (struct pipeline_slot *slot = pipeline->queue->ordered.first; slot != NULL; slot = slot->next) {
        if (!has_failed(slot))
            continue;
        if (!pipeline_slot_is_repeatable(slot)) {
            pipeline_queue_entry(slot)->is_final = true;
            continue;
        }
        pipeline_queue_move(slot, PIPELINE_SLOT_ENQUEUING);
        base_biased_lock_release(&pipeline->lock);
        slot->failure.status = TRM_OK;
        slot->submitted_at   = base_now();
        pipeline_failure_enqueue(slot);
        pipeline_slot_flush(slot);
        base_biased_lock_acquire(&pipeline->lock);
        pipeline_queue_move(slot, PIPELINE_SLOT_SUBMITTED);
    }
}

/* By the leader, with enqueue_lock and lock. */
static int32_t recover(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct base_failure failure;
    bool is_found = queue->dirty == PIPELINE_DIRTY && find_cause(pipeline);
    /* The failure stops everything; the streams are replaced when something begins again. */
    if (is_found && pipeline->desc.on_failure == TRM_FAILURE_STOP)
        return TRM_OK;

    base_biased_lock_release(&pipeline->lock);
    base_error_clear();
    int32_t status = pipeline_members_recover(pipeline);
    if (status != TRM_OK)
        base_failure_save(&failure, status);
    base_biased_lock_acquire(&pipeline->lock);
    if (status == TRM_OK) {
        queue->dirty = PIPELINE_CLEAN;
        repeat(pipeline);
        return TRM_OK;
    }
    if (pipeline->failure.status == TRM_OK)
        pipeline->failure = failure;
    stop(pipeline, PIPELINE_STOPPED, &failure);
    return status;
}

int32_t pipeline_failure_recover(struct pipeline *pipeline, uint64_t deadline)
{
    base_biased_lock_acquire(&pipeline->enqueue_lock);
    base_biased_lock_acquire(&pipeline->lock);
    int32_t status = wait_for_rest(pipeline, deadline);
    if (status == TRM_OK)
        status = recover(pipeline);
    base_biased_lock_release(&pipeline->lock);
    base_biased_lock_release(&pipeline->enqueue_lock);
    return status;
}

static int32_t fail_unmended(void)
{
    return base_fail_static(TRM_ERROR_TIMEOUT, "work from before a failure is still running");
}

int32_t pipeline_failure_clean(struct pipeline *pipeline, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    uint32_t epoch               = queue->epoch;
    while (queue->dirty != PIPELINE_CLEAN) {
        if (queue->is_closing || queue->epoch != epoch)
            return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled");
        if (pipeline_leader_claim(pipeline, deadline) != TRM_OK)
            return fail_unmended();
        int32_t status = TRM_OK;
        if (queue->dirty != PIPELINE_CLEAN) {
            base_biased_lock_release(&pipeline->lock);
            status = pipeline_failure_recover(pipeline, deadline);
            base_biased_lock_acquire(&pipeline->lock);
        }
        pipeline_leader_leave(pipeline);
        if (status == TRM_ERROR_TIMEOUT && base_remaining(deadline) == 0)
            return fail_unmended();
        if (status != TRM_OK && status != TRM_ERROR_TIMEOUT)
            return base_failure_raise(&queue->cause);
    }
    return TRM_OK;
}
