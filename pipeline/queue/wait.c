/* Waiting: who may not, for a condition, for abandoned slots, for the taker's part.
 * SPDX-License-Identifier: MIT
 */
#include <time.h>

#include "base/base.h"
#include "pipeline/queue/queue.h"

#define SECOND 1000000000u

/* What the calling thread is inside of, innermost first. In the child of a fork no pipeline's handle is alive, so
 * nothing asks. */
static _Thread_local struct core_calling *innermost;

void core_calling_push(struct core_calling *inside, const struct core_pipeline *pipeline, int32_t enqueuing)
{
    inside->pipeline  = pipeline;
    inside->enqueuing = enqueuing;
    inside->outer     = innermost;
    innermost         = inside;
}

void core_calling_pop(const struct core_calling *inside)
{
    innermost = inside->outer;
}

static int32_t fail_inside(const struct core_pipeline *pipeline, const char *call)
{
    return base_fail(TRM_ERROR_DEADLOCK,
                     "%s inside a callback of the same pipeline \"%s\" could never return", call,
                     pipeline->name);
}

int32_t core_calling_check(const struct core_pipeline *pipeline, const char *call)
{
    for (const struct core_calling *inside = innermost; inside != NULL; inside = inside->outer) {
        if (inside->pipeline == pipeline)
            return fail_inside(pipeline, call);
    }
    return core_engine_inside(pipeline) ? fail_inside(pipeline, call) : TRM_OK;
}

int32_t core_calling_check_enqueue(const struct core_pipeline *pipeline, const char *call)
{
    for (const struct core_calling *inside = innermost; inside != NULL; inside = inside->outer) {
        if (inside->pipeline == pipeline && inside->enqueuing)
            return fail_inside(pipeline, call);
    }
    return TRM_OK;
}

int32_t core_sleep(struct core_pipeline *pipeline, pthread_cond_t *condition, uint32_t *waiters,
                   uint64_t deadline)
{
    struct timespec until = {
        .tv_sec  = (time_t)(deadline / SECOND),
        .tv_nsec = (long)(deadline % SECOND),
    };
    int error = 0;
    ++*waiters;
    if (deadline == BASE_NEVER)
        pthread_cond_wait(condition, &pipeline->lock);
    else
        error = pthread_cond_timedwait(condition, &pipeline->lock, &until);
    --*waiters;
    return error == 0;
}

uint64_t core_slice(uint64_t deadline)
{
    uint64_t end = base_now() + CORE_SLICE_NS;
    return end < deadline ? end : deadline;
}

/* ---- abandoned slots ---- */

/* Claims all that nobody else waits for. */
static uint32_t claim_abandoned(struct core_pipeline *pipeline, struct core_slot **slots)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    uint32_t count                    = 0;
    if (queue->places[CORE_PLACE_ABANDONED] == 0)
        return 0;
    for (uint32_t i = 0; i < queue->depth; i++) {
        if (core_slot_place(pipeline->slots[i]) != CORE_PLACE_ABANDONED || queue->entries[i].reaping)
            continue;
        queue->entries[i].reaping = 1;
        slots[count++]            = pipeline->slots[i];
    }
    return count;
}

/* Puts those whose work has ended in front: how many. That of their tokens nobody wants to know any more, but streams may
 * have failed with them (`failed` 1). */
static uint32_t sort_ended(struct core_slot **slots, uint32_t count, int32_t *failed)
{
    uint32_t ended = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct core_slot *slot = slots[i];
        int32_t status         = core_slot_poll(slot);
        if (status == TRM_ERROR_TIMEOUT)
            continue;
        if (status != TRM_OK)
            *failed = 1;
        slots[i]       = slots[ended];
        slots[ended++] = slot;
    }
    return ended;
}

uint32_t core_reap(struct core_pipeline *pipeline, uint64_t deadline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    struct core_slot *slots[CORE_DEPTH_MOST];
    struct base_saved_error saved;
    int32_t failed = 0;
    uint32_t count = claim_abandoned(pipeline, slots);
    if (count == 0) {
        if (queue->places[CORE_PLACE_ABANDONED] > 0 && deadline != 0)
            core_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, core_slice(deadline));
        return 0;
    }

    pthread_mutex_unlock(&pipeline->lock);
    base_error_save(&saved);
    uint32_t ended = sort_ended(slots, count, &failed);
    if (ended == 0 && deadline != 0) {
        uint64_t until = core_slice(deadline);
        core_slots_wait_any(slots, count, until);
        ended = sort_ended(slots, count, &failed);
        /* Of a token that failed the rest may still be to come: so that this does not spin. */
        if (ended == 0 && base_now() < until)
            core_slot_wait(slots[0], until);
    }
    base_error_restore(&saved);
    pthread_mutex_lock(&pipeline->lock);

    if (failed && queue->dirty == CORE_CLEAN)
        queue->dirty = CORE_DIRTY_KNOWN;
    for (uint32_t i = 0; i < count; i++)
        queue->entries[slots[i]->index].reaping = 0;
    for (uint32_t i = 0; i < ended; i++)
        core_queue_free(slots[i]);
    return ended;
}

/* ---- the taker's part ---- */

int32_t core_taker_claim(struct core_pipeline *pipeline, uint64_t deadline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    while (queue->taking) {
        if (!core_sleep(pipeline, &queue->untaken, &queue->untaken_waiters, deadline) && queue->taking)
            return TRM_ERROR_TIMEOUT;
    }
    queue->taking = 1;
    return TRM_OK;
}

void core_taker_leave(struct core_pipeline *pipeline)
{
    pipeline->queue->taking = 0;
    if (pipeline->queue->untaken_waiters > 0)
        pthread_cond_signal(&pipeline->queue->untaken);
}
