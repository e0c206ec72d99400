/* Waiting: who may wait, for conditions, for abandoned slots, for the leadership.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "core/stream/stream.h"
#include "pipeline/queue/queue.h"

/* A notification stays listed until the work ends, whatever woke the thread before: so no more than these for
 * a token. Threads that sleep beside it after that look for its end in slices. */
#define WATCHES_MOST 64u

/* The callbacks that the calling thread is inside, innermost first. In the child of a fork no pipeline handle
 * is valid, so it is never read. */
static _Thread_local struct pipeline_calling *innermost;

void pipeline_calling_push(struct pipeline_calling *inside, const struct pipeline *pipeline,
                           bool is_enqueuing)
{
    inside->pipeline     = pipeline;
    inside->is_enqueuing = is_enqueuing;
    inside->outer        = innermost;
    innermost            = inside;
}

void pipeline_calling_pop(const struct pipeline_calling *inside)
{
    innermost = inside->outer;
}

static int32_t fail_inside(const struct pipeline *pipeline, const char *call)
{
    return base_fail(TRM_ERROR_DEADLOCK,
                     "%s inside a callback of the same pipeline \"%s\" could never return", call,
                     pipeline->name);
}

int32_t pipeline_calling_check(const struct pipeline *pipeline, const char *call)
{
    for (const struct pipeline_calling *inside = innermost; inside != NULL; inside = inside->outer) {
        if (inside->pipeline == pipeline)
            return fail_inside(pipeline, call);
    }
    return pipeline_engine_is_inside(pipeline) ? fail_inside(pipeline, call) : TRM_OK;
}

int32_t pipeline_calling_check_enqueue(const struct pipeline *pipeline, const char *call)
{
    for (const struct pipeline_calling *inside = innermost; inside != NULL; inside = inside->outer) {
        if (inside->pipeline == pipeline && inside->is_enqueuing)
            return fail_inside(pipeline, call);
    }
    return TRM_OK;
}

bool pipeline_sleep(struct pipeline *pipeline, const struct base_condition *condition, uint32_t *waiters,
                    uint64_t deadline)
{
    ++*waiters;
    bool in_time = base_biased_lock_wait(&pipeline->lock, condition, deadline);
    --*waiters;
    return in_time;
}

uint64_t pipeline_slice(uint64_t deadline)
{
    uint64_t end = base_now() + PIPELINE_SLICE_NS;
    return end < deadline ? end : deadline;
}

/* ---- the device and the queues -------------------------------------------------------------- */

static void unlink_watch(struct pipeline_queue *queue, const struct pipeline_watch *watch)
{
    struct pipeline_watch **link = &queue->watches;
    while (*link != watch)
        link = &(*link)->next;
    *link = watch->next;
}

/* Counts a sleep for each slot. False: one has had enough of them. */
static bool count_watch(struct pipeline_slot *const *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (pipeline_queue_entry(slots[i])->watched >= WATCHES_MOST)
            return false;
    for (uint32_t i = 0; i < count; i++)
        pipeline_queue_entry(slots[i])->watched++;
    return true;
}

bool pipeline_watch(struct pipeline *pipeline, struct pipeline_slot *const *slots, uint32_t count,
                    uint32_t seen, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct pipeline_watch watch;
    struct base_saved_error saved;
    bool is_listed = count_watch(slots, count);
    base_error_save(&saved);
    base_biased_lock_release(&pipeline->lock);
    watch.waiter = core_waiter_create(pipeline->object.context, count);
    base_error_restore(&saved);
    base_biased_lock_acquire(&pipeline->lock);
    if (watch.waiter == NULL)
        return false;
    int32_t status = TRM_OK;
    if (queue->wakes == seen) {
        watch.next     = queue->watches;
        queue->watches = &watch;
        base_biased_lock_release(&pipeline->lock);
        if (is_listed)
            status = pipeline_slots_watch(slots, count, watch.waiter);
        if (status == TRM_OK)
            core_waiter_sleep(watch.waiter, is_listed ? deadline : pipeline_slice(deadline));
        base_biased_lock_acquire(&pipeline->lock);
        unlink_watch(queue, &watch);
    }
    core_waiter_release(watch.waiter);
    return status == TRM_OK;
}

/* ---- abandoned slots ------------------------------------------------------------------------ */

/* Claims the abandoned slots that no other thread waits for. */
static uint32_t claim_abandoned(struct pipeline *pipeline, struct pipeline_slot **slots)
{
    struct pipeline_queue *queue = pipeline->queue;
    uint32_t count               = 0;
    if (queue->slots_in[PIPELINE_SLOT_ABANDONED] == 0)
        return 0;
    for (uint32_t i = 0; i < queue->depth; i++) {
        if (pipeline_slot_state(pipeline->slots[i]) != PIPELINE_SLOT_ABANDONED ||
            queue->entries[i].has_reaper)
            continue;
        queue->entries[i].has_reaper = true;
        slots[count++]               = pipeline->slots[i];
    }
    return count;
}

/* Moves slots whose work has ended to the front and returns their number. The results of their tokens are not
 * wanted, but their streams may have failed. */
static uint32_t sort_ended(struct pipeline_slot **slots, uint32_t count, bool *has_failed)
{
    uint32_t ended = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct pipeline_slot *slot = slots[i];
        int32_t status             = pipeline_slot_poll(slot);
        if (status == TRM_ERROR_TIMEOUT)
            continue;
        if (status != TRM_OK)
            *has_failed = true;
        slots[i]       = slots[ended];
        slots[ended++] = slot;
    }
    return ended;
}

/* With the lock, released meanwhile. */
static uint32_t look_for_ended(struct pipeline *pipeline, struct pipeline_slot **slots, uint32_t count,
                               bool *has_failed)
{
    struct base_saved_error saved;
    base_biased_lock_release(&pipeline->lock);
    base_error_save(&saved);
    uint32_t ended = sort_ended(slots, count, has_failed);
    base_error_restore(&saved);
    base_biased_lock_acquire(&pipeline->lock);
    return ended;
}

/* Where no waiter can be had. With the lock, released meanwhile. */
static void wait_a_slice(struct pipeline *pipeline, struct pipeline_slot *const *slots, uint32_t count,
                         uint64_t deadline)
{
    struct base_saved_error saved;
    uint64_t until = pipeline_slice(deadline);
    base_biased_lock_release(&pipeline->lock);
    base_error_save(&saved);
    pipeline_slots_wait_any(slots, count, until);
    /* The rest of a failed token may still run; waiting for one slot keeps callers from spinning. */
    uint32_t running = 0;
    while (running < count && pipeline_slot_poll(slots[running]) == TRM_ERROR_TIMEOUT)
        running++;
    if (running == count && base_now() < until)
        pipeline_slot_wait(slots[0], until);
    base_error_restore(&saved);
    base_biased_lock_acquire(&pipeline->lock);
}

uint32_t pipeline_reap(struct pipeline *pipeline, uint64_t deadline)
{
    return pipeline_reap_beside(pipeline, NULL, 0, deadline);
}

uint32_t pipeline_reap_beside(struct pipeline *pipeline, struct pipeline_slot *const *others,
                              uint32_t other_count, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct pipeline_slot *slots[2 * PIPELINE_DEPTH_MOST];
    bool has_failed = false;
    uint32_t seen   = queue->wakes;
    uint32_t count  = claim_abandoned(pipeline, slots);
    if (count == 0) {
        if (queue->slots_in[PIPELINE_SLOT_ABANDONED] > 0 && deadline != 0)
            pipeline_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, pipeline_slice(deadline));
        return 0;
    }

    uint32_t ended = look_for_ended(pipeline, slots, count, &has_failed);
    if (ended == 0 && deadline != 0) {
        for (uint32_t i = 0; i < other_count; i++)
            slots[count + i] = others[i];
        if (!pipeline_watch(pipeline, slots, count + other_count, seen, deadline))
            wait_a_slice(pipeline, slots, count, deadline);
        ended = look_for_ended(pipeline, slots, count, &has_failed);
    }

    if (has_failed && queue->dirty == PIPELINE_CLEAN)
        queue->dirty = PIPELINE_DIRTY_KNOWN;
    for (uint32_t i = 0; i < count; i++)
        queue->entries[slots[i]->number].has_reaper = false;
    for (uint32_t i = 0; i < ended; i++)
        pipeline_queue_free(slots[i]);
    /* Another thread now waits for the others. */
    if (ended < count && queue->quiet_waiters > 0)
        base_condition_broadcast(&queue->quiet);
    return ended;
}

/* ---- the leader ----------------------------------------------------------------------------- */

int32_t pipeline_leader_claim(struct pipeline *pipeline, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    while (queue->has_leader) {
        if (!pipeline_sleep(pipeline, &queue->leader_left, &queue->leader_waiters, deadline) &&
            queue->has_leader)
            return TRM_ERROR_TIMEOUT;
    }
    queue->has_leader = true;
    return TRM_OK;
}

void pipeline_leader_leave(struct pipeline *pipeline)
{
    pipeline->queue->has_leader = false;
    if (pipeline->queue->leader_waiters > 0)
        base_condition_signal(&pipeline->queue->leader_left);
    pipeline_fresh_wake(pipeline);
}
