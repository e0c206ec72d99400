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

void core_failure_describe(const struct core_slot *slot, const char *stage, int32_t status,
                           struct base_failure *failure)
{
    base_error_complete(status);
    struct trm_error error = trm_last_error();
    char sentence[sizeof(failure->sentence) + 64];
    snprintf(sentence, sizeof(sentence), "token %" PRIu64 ", %s%s%s", slot->token.index,
             stage != NULL ? stage : "", stage != NULL ? ": " : "", error.sentence);
    failure->status      = status;
    failure->native_code = error.native_code;
    base_text_copy(failure->sentence, sizeof(failure->sentence), sentence);
}

void core_failure_name(struct core_slot *slot, const char *stage, int32_t status)
{
    core_failure_describe(slot, stage, status, &slot->failure);
}

static void stop(struct core_pipeline *pipeline, int32_t how, const struct base_failure *cause)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    if (queue->stop == CORE_GOING)
        queue->cause = *cause;
    if (queue->stop < how)
        queue->stop = how;
    queue->has_source_ended = true;
    core_queue_wake_all(queue);
}

void core_failure_note(struct core_slot *slot, bool on_device)
{
    struct core_pipeline *pipeline = slot->pipeline;
    int32_t mode                   = pipeline->desc.on_failure;
    if (pipeline->failure.status == TRM_OK)
        pipeline->failure = slot->failure;
    if (on_device)
        pipeline->queue->dirty = CORE_DIRTY_KNOWN;
    if (slot->failure.status == TRM_ERROR_DEVICE_LOST)
        mode = TRM_FAILURE_STOP;
    if (mode != TRM_FAILURE_SKIP)
        stop(pipeline, mode == TRM_FAILURE_DRAIN ? CORE_DRAINING : CORE_STOPPED, &slot->failure);
}

/* ---- dropping tokens ------------------------------------------------------------------------ */

static void drop(struct core_slot *slot)
{
    struct core_pipeline_queue *queue = slot->pipeline->queue;
    struct core_queue_entry *entry    = core_queue_entry(slot);
    int32_t status = slot->failure.status != TRM_OK ? slot->failure.status : TRM_ERROR_CANCELLED;
    core_list_remove(&queue->ordered, slot);
    if (slot->failure.status != TRM_OK && !entry->is_final && queue->dirty == CORE_CLEAN)
        queue->dirty = CORE_DIRTY_KNOWN;
    if (core_slot_state(slot) == CORE_SLOT_SUBMITTED) {
        struct core_token_times times;
        core_queue_times(slot, status, false, &times);
        core_queue_note(slot, &times);
        core_queue_move(slot, CORE_SLOT_ABANDONED);
        return;
    }
    core_queue_retire(slot, status, false);
}

void core_failure_drop(struct core_pipeline *pipeline, bool all)
{
    struct core_slot *slot = pipeline->queue->ordered.first;
    while (slot != NULL) {
        struct core_slot *next = slot->next;
        if (all || core_queue_entry(slot)->is_cancelled)
            drop(slot);
        slot = next;
    }
}

/* ---- recovery ------------------------------------------------------------------------------- */

void core_failure_enqueue(struct core_slot *slot)
{
    struct core_calling calling;
    core_calling_push(&calling, slot->pipeline, true);
    base_error_clear();
    int32_t status = core_slot_enqueue(slot, core_queue_entry(slot)->output);
    if (status != TRM_OK)
        core_failure_name(slot, NULL, status);
    core_calling_pop(&calling);
}

static struct core_slot *first_submitted(const struct core_pipeline_queue *queue)
{
    struct core_slot *slot = queue->ordered.first;
    while (slot != NULL && core_slot_state(slot) != CORE_SLOT_SUBMITTED)
        slot = slot->next;
    return slot;
}

/* Waits for all work on the device; nothing is enqueued meanwhile. With the lock, released meanwhile. TRM_OK:
 * everything has ended. */
static int32_t wait_for_rest(struct core_pipeline *pipeline, uint64_t deadline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    uint32_t epoch                    = queue->epoch;
    int32_t stopped                   = queue->stop;
    struct base_failure failure;
    for (;;) {
        struct core_slot *slot = first_submitted(queue);
        if (slot == NULL && queue->slots_in[CORE_SLOT_ABANDONED] == 0)
            return TRM_OK;
        if (queue->epoch != epoch || queue->stop != stopped || queue->is_closing)
            return TRM_ERROR_TIMEOUT;
        if (slot == NULL && core_reap(pipeline, deadline) > 0)
            continue;
        if (slot == NULL && base_remaining(deadline) > 0)
            continue;
        if (slot == NULL)
            return TRM_ERROR_TIMEOUT;
        bool failed = slot->failure.status != TRM_OK; /* when it was enqueued */
        pthread_mutex_unlock(&pipeline->lock);
        int32_t status = core_slot_wait(slot, core_slice(deadline));
        failed         = status != TRM_OK && status != TRM_ERROR_TIMEOUT && !failed;
        if (failed)
            core_failure_describe(slot, NULL, status, &failure);
        pthread_mutex_lock(&pipeline->lock);
        if (failed)
            slot->failure = failure;
        if (status != TRM_ERROR_TIMEOUT)
            core_queue_move(slot, CORE_SLOT_ENDED);
        else if (base_remaining(deadline) == 0)
            return TRM_ERROR_TIMEOUT;
    }
}

static bool has_failed(const struct core_slot *slot)
{
    return core_slot_state(slot) == CORE_SLOT_ENDED && slot->failure.status != TRM_OK &&
           !core_queue_entry(slot)->is_final;
}

/* Marks the oldest failed token as the cause. With the lock. False: no token has failed. */
static bool find_cause(struct core_pipeline *pipeline)
{
    struct core_slot *slot = pipeline->queue->ordered.first;
    while (slot != NULL && !has_failed(slot))
        slot = slot->next;
    if (slot != NULL)
        core_queue_entry(slot)->is_final = true;
    return slot != NULL;
}

/* Enqueues again what failed with the cause, in order. With the lock, released meanwhile. */
static void repeat(struct core_pipeline *pipeline)
{
    for (struct core_slot *slot = pipeline->queue->ordered.first; slot != NULL; slot = slot->next) {
        if (!has_failed(slot))
            continue;
        if (!core_slot_is_repeatable(slot)) {
            core_queue_entry(slot)->is_final = true;
            continue;
        }
        core_queue_move(slot, CORE_SLOT_ENQUEUING);
        pthread_mutex_unlock(&pipeline->lock);
        slot->failure.status = TRM_OK;
        slot->submitted_at   = base_now();
        core_failure_enqueue(slot);
        core_slot_flush(slot);
        pthread_mutex_lock(&pipeline->lock);
        core_queue_move(slot, CORE_SLOT_SUBMITTED);
    }
}

/* By the leader, with enqueue_lock and lock. */
static int32_t recover(struct core_pipeline *pipeline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    struct base_failure failure;
    bool is_found = queue->dirty == CORE_DIRTY && find_cause(pipeline);
    /* The failure stops everything; the streams are replaced when something begins again. */
    if (is_found && pipeline->desc.on_failure == TRM_FAILURE_STOP)
        return TRM_OK;

    pthread_mutex_unlock(&pipeline->lock);
    base_error_clear();
    int32_t status = core_engine_recover(pipeline);
    if (status != TRM_OK)
        base_failure_save(&failure, status);
    pthread_mutex_lock(&pipeline->lock);
    if (status == TRM_OK) {
        queue->dirty = CORE_CLEAN;
        repeat(pipeline);
        return TRM_OK;
    }
    if (pipeline->failure.status == TRM_OK)
        pipeline->failure = failure;
    stop(pipeline, CORE_STOPPED, &failure);
    return status;
}

int32_t core_failure_recover(struct core_pipeline *pipeline, uint64_t deadline)
{
    pthread_mutex_lock(&pipeline->enqueue_lock);
    pthread_mutex_lock(&pipeline->lock);
    int32_t status = wait_for_rest(pipeline, deadline);
    if (status == TRM_OK)
        status = recover(pipeline);
    pthread_mutex_unlock(&pipeline->lock);
    pthread_mutex_unlock(&pipeline->enqueue_lock);
    return status;
}

static int32_t fail_unmended(void)
{
    return base_fail_static(TRM_ERROR_TIMEOUT, "work from before a failure is still running");
}

int32_t core_failure_clean(struct core_pipeline *pipeline, uint64_t deadline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    uint32_t epoch                    = queue->epoch;
    while (queue->dirty != CORE_CLEAN) {
        if (queue->is_closing || queue->epoch != epoch)
            return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled");
        if (core_leader_claim(pipeline, deadline) != TRM_OK)
            return fail_unmended();
        int32_t status = TRM_OK;
        if (queue->dirty != CORE_CLEAN) {
            pthread_mutex_unlock(&pipeline->lock);
            status = core_failure_recover(pipeline, deadline);
            pthread_mutex_lock(&pipeline->lock);
        }
        core_leader_leave(pipeline);
        if (status == TRM_ERROR_TIMEOUT && base_remaining(deadline) == 0)
            return fail_unmended();
        if (status != TRM_OK && status != TRM_ERROR_TIMEOUT)
            return base_failure_raise(&queue->cause);
    }
    return TRM_OK;
}
