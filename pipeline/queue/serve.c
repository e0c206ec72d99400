/* Serving: acquire, submit, discard, next, release.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/base.h"
#include "core/object/object.h"
#include "pipeline/queue/queue.h"

/* ---- acquire ---- */

/* With the lock. */
static int32_t may_acquire(struct core_pipeline *pipeline, uint32_t epoch, uint64_t deadline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    if (queue->fault.status != TRM_OK)
        return base_failure_raise(&queue->fault);
    if (queue->closing || queue->epoch != epoch)
        return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled");
    if (queue->mode == CORE_STARTED && queue->stop == CORE_STOPPED && !queue->finishing)
        core_run_finish(pipeline, deadline);
    if (queue->mode != CORE_SERVING)
        return base_fail_static(TRM_ERROR_BUSY,
                                "the pipeline is run or started: its tokens come from a source");
    return queue->stop != CORE_GOING ? base_failure_raise(&queue->cause) : TRM_OK;
}

/* With the lock, which is let go meanwhile. 0: the deadline has come. */
static int32_t wait_for_free(struct core_pipeline *pipeline, uint64_t deadline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    if (queue->places[CORE_PLACE_ABANDONED] > 0)
        return core_reap(pipeline, deadline) > 0 || base_remaining(deadline) > 0;
    return core_sleep(pipeline, &queue->freed, &queue->free_waiters, deadline) ||
           base_remaining(deadline) > 0;
}

/* With the lock. */
static int32_t acquire(struct core_pipeline *pipeline, uint64_t deadline, struct core_slot **slot)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    uint32_t epoch                    = queue->epoch;
    for (;;) {
        int32_t status = may_acquire(pipeline, epoch, deadline);
        if (status != TRM_OK)
            return status;
        *slot = core_queue_pop(pipeline, CORE_PLACE_HELD);
        if (*slot != NULL) {
            queue->over = 0;
            return TRM_OK;
        }
        if (!wait_for_free(pipeline, deadline) && queue->free.first == NULL)
            return base_fail_static(TRM_ERROR_TIMEOUT, "no slot became free in time");
    }
}

int32_t trm_pipeline_acquire(struct trm_pipeline *handle, uint64_t timeout_ns, struct trm_token **token)
{
    struct core_slot *slot = NULL;
    int32_t status         = core_output_check(token, "trm_pipeline_acquire", "token");
    if (status != TRM_OK)
        return status;
    struct core_pipeline *pipeline = core_pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    status = core_calling_check(pipeline, "trm_pipeline_acquire()");
    if (status == TRM_OK) {
        uint64_t deadline = base_deadline(timeout_ns);
        pthread_mutex_lock(&pipeline->lock);
        status = acquire(pipeline, deadline, &slot);
        pthread_mutex_unlock(&pipeline->lock);
    }
    if (status == TRM_OK) {
        core_slot_prepare(slot);
        slot->load_begin = base_now();
        slot->load_end   = 0;
        slot->sink_begin = 0;
        *token           = &slot->token;
    }
    core_object_leave(&pipeline->object);
    return status;
}

/* ---- submit ---- */

/* With the lock. */
static int32_t may_submit(struct core_slot *slot)
{
    struct core_pipeline_queue *queue = slot->pipeline->queue;
    if (queue->fault.status != TRM_OK)
        return base_failure_raise(&queue->fault);
    if (queue->closing || core_queue_entry(slot)->cancelled)
        return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled; the token is thrown away");
    return queue->stop == CORE_STOPPED ? base_failure_raise(&queue->cause) : TRM_OK;
}

/* Has a token that was submitted before failed? Then the failure of a later one comes of it. With the lock. */
static int32_t another_failed(struct core_pipeline *pipeline, struct base_failure *failure)
{
    for (struct core_slot *slot = pipeline->queue->ordered.first; slot != NULL; slot = slot->next) {
        *failure = slot->failure;
        if (failure->status != TRM_OK)
            return 1;
        if (core_slot_place(slot) != CORE_PLACE_SUBMITTED)
            continue;
        int32_t status = core_slot_poll(slot);
        if (status == TRM_OK)
            continue;
        if (status == TRM_ERROR_TIMEOUT)
            return 0; /* it may be the cause, which cannot be seen yet */
        core_failure_describe(slot, NULL, status, failure);
        return 1;
    }
    return 0;
}

/* A failure that says something about the token's sizes or arguments, and not about the device. */
static int32_t is_refusal(int32_t status)
{
    return status == TRM_ERROR_INVALID_ARGUMENT || status == TRM_ERROR_OUT_OF_RANGE ||
           status == TRM_ERROR_TYPE_MISMATCH;
}

/* The program's token could not be put on the device. With the lock. TRM_OK: it is told when it is its turn, since it may have
 * failed with one before it, also if that one's failure cannot be seen yet. */
static int32_t lose(struct core_slot *slot)
{
    struct core_pipeline *pipeline = slot->pipeline;
    struct core_token_times times;
    struct base_failure cause;
    int32_t another = another_failed(pipeline, &cause);
    if (another && pipeline->desc.on_failure != TRM_FAILURE_STOP)
        return TRM_OK;
    if (!another && pipeline->queue->ordered.first != NULL && !is_refusal(slot->failure.status))
        return TRM_OK;
    core_queue_times(slot, slot->failure.status, 0, &times);
    core_queue_note(slot, &times);
    core_queue_move(slot, CORE_PLACE_ABANDONED);
    if (another)
        return base_failure_raise(&cause);
    core_failure_note(slot, 1);
    return base_failure_raise(&slot->failure);
}

/* With enqueue_lock and lock; the slot has been put on the device, or not. */
static int32_t submitted(struct core_slot *slot, int32_t by_program)
{
    struct core_pipeline *pipeline    = slot->pipeline;
    struct core_pipeline_queue *queue = pipeline->queue;
    if (slot->failure.status != TRM_OK && by_program) {
        int32_t status = lose(slot);
        if (status != TRM_OK)
            return status;
    }
    core_queue_move(slot, CORE_PLACE_SUBMITTED);
    core_list_append(&queue->ordered, slot);
    core_queue_wake_changed(queue);
    if (!core_queue_entry(slot)->cancelled)
        return TRM_OK;
    if (!queue->taking)
        core_failure_drop(pipeline, 0);
    return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled; the token is thrown away");
}

/* Take both locks when nothing is in the way of enqueuing. Else without locks, and the slot is free again. */
static int32_t lock_to_submit(struct core_slot *slot)
{
    struct core_pipeline *pipeline = slot->pipeline;
    int32_t status                 = TRM_OK;
    for (;;) {
        pthread_mutex_lock(&pipeline->enqueue_lock);
        pthread_mutex_lock(&pipeline->lock);
        if (status == TRM_OK || status == TRM_ERROR_CANCELLED)
            status = may_submit(slot);
        if (status == TRM_OK && pipeline->queue->dirty == CORE_CLEAN)
            return TRM_OK;
        pthread_mutex_unlock(&pipeline->enqueue_lock);
        if (status != TRM_OK)
            break;
        status = core_failure_clean(pipeline, BASE_NEVER);
        pthread_mutex_unlock(&pipeline->lock);
    }
    struct base_saved_error saved;
    base_error_save(&saved);
    core_queue_retire(slot, status, 0);
    pthread_mutex_unlock(&pipeline->lock);
    base_error_restore(&saved);
    return status;
}

/* A source and a sink that take no longer than this keep the thread that runs the pipeline from waiting for so short a time
 * that tokens may wait for that as well. */
#define QUICK_NS 2000u

/* The thread that runs the pipeline will soon wait for the oldest token, which it then works on itself where the device is
 * the host's own processors: to flush it before would only have another thread snatch it. */
static void flush(struct core_slot *slot)
{
    const struct core_pipeline_queue *queue = slot->pipeline->queue;
    int32_t alone =
        atomic_load_explicit(&queue->mode, memory_order_relaxed) == CORE_RUNNING && queue->workers == 0;
    core_queue_entry(slot)->held_back = alone && queue->load_ns + queue->sink_ns < QUICK_NS;
    if (!core_queue_entry(slot)->held_back && slot->failure.status == TRM_OK)
        core_slot_flush(slot);
}

int32_t core_submit(struct core_slot *slot, int32_t by_program)
{
    struct core_pipeline *pipeline = slot->pipeline;
    int32_t status                 = lock_to_submit(slot);
    if (status != TRM_OK)
        return status;
    core_queue_move(slot, CORE_PLACE_ENQUEUING);
    pthread_mutex_unlock(&pipeline->lock);

    slot->submitted_at = slot->load_end;
    core_failure_enqueue(slot);
    flush(slot);

    pthread_mutex_lock(&pipeline->lock);
    status = submitted(slot, by_program);
    pthread_mutex_unlock(&pipeline->lock);
    pthread_mutex_unlock(&pipeline->enqueue_lock);
    return status;
}

/* ---- tokens that the program gives back ---- */

static const char *const where_it_is[CORE_PLACES] = {
    [CORE_PLACE_FREE]      = "was given back already",
    [CORE_PLACE_HELD]      = "has not been submitted yet",
    [CORE_PLACE_LOADING]   = "is being filled by the source",
    [CORE_PLACE_FILLED]    = "belongs to the source",
    [CORE_PLACE_ENQUEUING] = "has been submitted already",
    [CORE_PLACE_SUBMITTED] = "has been submitted already",
    [CORE_PLACE_ENDED]     = "has been submitted already, and not been taken out",
    [CORE_PLACE_SINK]      = "is with the sink, or being released",
    [CORE_PLACE_OUT]       = "has been taken out: release it",
    [CORE_PLACE_ABANDONED] = "was thrown away",
};

/* The slot of a token that the program may give back from `place`, moved to `to`; NULL after setting the last error. */
static struct core_slot *claim(struct core_pipeline *pipeline, const struct trm_token *token, int32_t place,
                               int32_t to)
{
    pthread_mutex_lock(&pipeline->lock);
    struct core_slot *slot = core_queue_find(pipeline, token);
    int32_t at             = slot != NULL ? core_slot_place(slot) : CORE_PLACES;
    if (at == place && to != place)
        core_queue_move(slot, to);
    pthread_mutex_unlock(&pipeline->lock);
    if (at == place)
        return slot;
    if (slot == NULL)
        base_error_set(TRM_ERROR_INVALID_ARGUMENT, "%s",
                       token != NULL ? "this is no token of this pipeline" : "the token is NULL");
    else
        base_error_set(TRM_ERROR_INVALID_ARGUMENT, "token %" PRIu64 " %s",
                       (uint64_t)atomic_load_explicit(&slot->token_index, memory_order_relaxed),
                       where_it_is[at]);
    return NULL;
}

int32_t trm_pipeline_submit(struct trm_pipeline *handle, struct trm_token *token)
{
    struct core_pipeline *pipeline = core_pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    int32_t status = core_calling_check_enqueue(pipeline, "trm_pipeline_submit()");
    if (status == TRM_OK) {
        struct core_slot *slot = claim(pipeline, token, CORE_PLACE_HELD, CORE_PLACE_FILLED);
        if (slot != NULL) {
            slot->load_end = base_now();
            status         = core_submit(slot, 1);
        } else {
            status = TRM_ERROR_INVALID_ARGUMENT;
        }
    }
    core_object_leave(&pipeline->object);
    return status;
}

int32_t trm_pipeline_discard(struct trm_pipeline *handle, struct trm_token *token)
{
    struct core_pipeline *pipeline = core_pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    struct core_slot *slot = claim(pipeline, token, CORE_PLACE_HELD, CORE_PLACE_FILLED);
    int32_t status         = slot != NULL ? TRM_OK : TRM_ERROR_INVALID_ARGUMENT;
    if (slot != NULL) {
        pthread_mutex_lock(&pipeline->lock);
        core_queue_retire(slot, TRM_TOKEN_SKIP, 0);
        pthread_mutex_unlock(&pipeline->lock);
    }
    core_object_leave(&pipeline->object);
    return status;
}

int32_t trm_pipeline_release(struct trm_pipeline *handle, struct trm_token *token)
{
    struct core_pipeline *pipeline = core_pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    struct core_slot *slot = claim(pipeline, token, CORE_PLACE_OUT, CORE_PLACE_SINK);
    int32_t status         = slot != NULL ? TRM_OK : TRM_ERROR_INVALID_ARGUMENT;
    if (slot != NULL)
        core_queue_finish(slot);
    core_object_leave(&pipeline->object);
    return status;
}

/* ---- next ---- */

/* What was started is over when this is anything but a token, its failure or TIMEOUT. */
static void end_started(struct core_pipeline *pipeline, int32_t status)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    struct base_saved_error saved;
    base_error_save(&saved);
    pthread_mutex_lock(&pipeline->lock);
    /* After the end of the source nobody is inside of it, so that loaders and other takers leave at once; else they may not. */
    if (queue->mode == CORE_STARTED && queue->stop == CORE_STOPPED)
        core_run_finish(pipeline, base_now() + CORE_HURRY_NS);
    else if (queue->mode == CORE_STARTED && status == TRM_TOKEN_END)
        core_run_finish(pipeline, BASE_NEVER);
    pthread_mutex_unlock(&pipeline->lock);
    base_error_restore(&saved);
}

static int32_t next(struct core_pipeline *pipeline, uint64_t deadline, struct trm_token **token)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    struct base_failure failure       = {.status = TRM_OK};
    struct core_slot *slot            = NULL;
    int32_t status;
    do {
        if (queue->mode == CORE_STARTED)
            core_run_fill(pipeline);
        status = core_take(pipeline, CORE_PLACE_OUT, deadline, &slot, &failure);
    } while (status == CORE_TAKE_FILL);
    if (status == TRM_OK) {
        slot->sink_begin = base_now();
        *token           = &slot->token;
        return TRM_OK;
    }
    if (status == CORE_TAKE_FAILED)
        return base_failure_raise(&failure);
    if (queue->mode == CORE_STARTED && status != TRM_ERROR_TIMEOUT)
        end_started(pipeline, status);
    return status;
}

int32_t trm_pipeline_next(struct trm_pipeline *handle, uint64_t timeout_ns, struct trm_token **token)
{
    int32_t status = core_output_check(token, "trm_pipeline_next", "token");
    if (status != TRM_OK)
        return status;
    struct core_pipeline *pipeline = core_pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    status = core_calling_check(pipeline, "trm_pipeline_next()");
    if (status == TRM_OK)
        status = next(pipeline, base_deadline(timeout_ns), token);
    core_object_leave(&pipeline->object);
    return status;
}
