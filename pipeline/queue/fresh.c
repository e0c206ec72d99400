/* Freshness: which tokens a pipeline drops so that others are not late (enum trm_full_mode).
 *
 * A token is dropped by the leader, or with the lock while there is no leader, as any token leaves `ordered`.
 * A token that has failed is never dropped here: trm_pipeline_next() reports it.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "pipeline/queue/queue.h"

static bool is_blocking(const struct pipeline *pipeline)
{
    return pipeline->desc.on_full == TRM_FULL_BLOCK;
}

/* TRM_OK: the slot of `ordered` has ended well; TIMEOUT: not yet; else it failed or is to be cancelled. With
 * the lock, by the leader or while there is none. */
static int32_t look(struct pipeline_slot *slot)
{
    if (slot->failure.status != TRM_OK)
        return slot->failure.status;
    if (pipeline_queue_entry(slot)->is_cancelled)
        return TRM_ERROR_CANCELLED;
    if (pipeline_slot_state(slot) != PIPELINE_SLOT_SUBMITTED)
        return pipeline_slot_state(slot) == PIPELINE_SLOT_ENDED ? TRM_OK : TRM_ERROR_TIMEOUT;
    int32_t status = pipeline_slot_poll(slot);
    if (status == TRM_OK)
        pipeline_queue_move(slot, PIPELINE_SLOT_ENDED);
    return status;
}

static void drop(struct pipeline_slot *slot)
{
    pipeline_list_remove(&slot->front->queue->ordered, slot);
    if (pipeline_slot_state(slot) == PIPELINE_SLOT_ENDED) {
        pipeline_queue_retire(slot, PIPELINE_TOKEN_DROPPED, true);
        return;
    }
    struct pipeline_token_times times;
    pipeline_queue_times(slot, PIPELINE_TOKEN_DROPPED, false, &times);
    pipeline_queue_note(slot, &times);
    pipeline_queue_move(slot, PIPELINE_SLOT_ABANDONED);
}

/* ---- a full pipeline ------------------------------------------------------------------------ */

static bool is_full(const struct pipeline *pipeline)
{
    const struct pipeline_queue *queue = pipeline->queue;
    for (uint32_t i = 0; i < pipeline->member_count; i++)
        if (!queue->members[i].is_lost && queue->members[i].free.first != NULL)
            return false;
    return true;
}

/* The oldest token that has ended and may be dropped; NULL: none. */
static struct pipeline_slot *find_oldest(const struct pipeline *pipeline, enum pipeline_fresh_spare spare)
{
    struct pipeline_slot *oldest = NULL;
    bool is_last                 = true;
    for (struct pipeline_slot *slot = pipeline->queue->ordered.first; slot != NULL; slot = slot->next) {
        bool is_ended = look(slot) == TRM_OK;
        if (oldest != NULL && is_ended)
            return oldest;
        if (oldest != NULL)
            is_last = false;
        else if (is_ended)
            oldest = slot;
    }
    bool may_drop =
        spare == PIPELINE_FRESH_SPARE_NONE || (spare == PIPELINE_FRESH_SPARE_BEFORE_OTHERS && is_last);
    return may_drop ? oldest : NULL;
}

bool pipeline_fresh_make_room(struct pipeline *pipeline, enum pipeline_fresh_spare spare)
{
    struct base_saved_error saved;
    if (is_blocking(pipeline) || pipeline->queue->has_leader || !is_full(pipeline))
        return false;
    base_error_save(&saved);
    struct pipeline_slot *slot = find_oldest(pipeline, spare);
    base_error_restore(&saved);
    if (slot != NULL)
        drop(slot);
    return slot != NULL;
}

/* The tokens at whose ends there may be one to drop, and whether one has ended since the last look. */
static uint32_t find_running(const struct pipeline *pipeline, uint64_t deadline, struct pipeline_slot **slots,
                             bool *has_ended)
{
    struct base_saved_error saved;
    uint32_t count = 0;
    *has_ended     = false;
    if (is_blocking(pipeline) || pipeline->queue->has_leader || deadline == 0)
        return 0;
    base_error_save(&saved);
    for (struct pipeline_slot *slot = pipeline->queue->ordered.first; slot != NULL; slot = slot->next) {
        if (pipeline_slot_state(slot) != PIPELINE_SLOT_SUBMITTED)
            continue;
        int32_t status = look(slot);
        if (status == TRM_ERROR_TIMEOUT)
            slots[count++] = slot;
        *has_ended = *has_ended || status == TRM_OK;
    }
    base_error_restore(&saved);
    return count;
}

void pipeline_fresh_wait(struct pipeline *pipeline, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct pipeline_slot *slots[PIPELINE_DEPTH_MOST];
    uint32_t seen = queue->wakes;
    bool has_ended;
    uint32_t count = find_running(pipeline, deadline, slots, &has_ended);
    if (has_ended)
        return;
    if (queue->slots_in[PIPELINE_SLOT_ABANDONED] > 0)
        pipeline_reap_beside(pipeline, slots, count, deadline);
    else if (count == 0)
        pipeline_sleep(pipeline, &queue->freed, &queue->free_waiters, deadline);
    else if (!pipeline_watch(pipeline, slots, count, seen, deadline))
        pipeline_sleep(pipeline, &queue->freed, &queue->free_waiters, pipeline_slice(deadline));
}

void pipeline_fresh_wake(struct pipeline *pipeline)
{
    if (!is_blocking(pipeline) && pipeline->queue->free_waiters > 0)
        base_condition_broadcast(&pipeline->queue->freed);
}

/* ---- the newest result ---------------------------------------------------------------------- */

void pipeline_fresh_keep_latest(struct pipeline *pipeline)
{
    struct pipeline_slot_list *ordered = &pipeline->queue->ordered;
    struct pipeline_slot *newest       = NULL;
    struct base_saved_error saved;
    int32_t status = TRM_OK;
    if (pipeline->desc.on_full != TRM_FULL_LATEST || ordered->first == ordered->last)
        return;
    base_error_save(&saved);
    /* Not beyond a token that has failed: its failure is reported first. */
    for (struct pipeline_slot *slot = ordered->first; slot != NULL; slot = slot->next) {
        status = look(slot);
        if (status != TRM_OK && status != TRM_ERROR_TIMEOUT)
            break;
        if (status == TRM_OK)
            newest = slot;
    }
    base_error_restore(&saved);
    while (newest != NULL && ordered->first != newest)
        drop(ordered->first);
}

/* ---- deadlines ------------------------------------------------------------------------------ */

uint64_t trm_clock_now(void)
{
    return base_now();
}

bool pipeline_fresh_is_late(const struct pipeline_slot *slot)
{
    return slot->token.deadline_ns != 0 && base_now() > slot->token.deadline_ns;
}

bool pipeline_fresh_is_expired(const struct pipeline_slot *slot)
{
    return !is_blocking(slot->front) && pipeline_fresh_is_late(slot);
}
