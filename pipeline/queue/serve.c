/* Serving: acquire, submit, discard, next, release.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/object/object.h"
#include "pipeline/queue/queue.h"

#define HINT_BYTES 128u

/* ---- acquire -------------------------------------------------------------------------------- */

/* The first failure once more, and what ends it. A lost device would stop the pipeline again. A cancel would
 * drop the tokens that a pipeline in mode DRAIN still returns. */
static int32_t fail_stopped(const struct pipeline_queue *queue)
{
    const struct base_failure *cause = &queue->cause;
    const char *first =
        queue->stop == PIPELINE_STOPPED ? "" : "when trm_pipeline_next() has given the rest, ";
    char text[sizeof(cause->sentence) + HINT_BYTES];
    size_t length = strlen(cause->sentence);
    if (cause->status == TRM_ERROR_DEVICE_LOST)
        return base_failure_raise(cause);
    if (length > 0 && cause->sentence[length - 1] == '.')
        length--;
    snprintf(text, sizeof(text), "%.*s; %strm_pipeline_cancel() lets the pipeline go on", (int)length,
             cause->sentence, first);
    return base_fail_native(cause->status, cause->native_code, text);
}

/* With the lock. */
static int32_t may_acquire(struct pipeline *pipeline, uint32_t epoch, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    if (queue->fault.status != TRM_OK)
        return base_failure_raise(&queue->fault);
    if (queue->is_closing || queue->epoch != epoch)
        return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled");
    if (queue->mode == PIPELINE_STARTED && queue->stop == PIPELINE_STOPPED && !queue->is_finishing)
        pipeline_run_finish(pipeline, deadline);
    if (queue->mode != PIPELINE_SERVING)
        return base_fail_static(TRM_ERROR_BUSY,
                                "the pipeline is running or started: its tokens come from a source");
    if (queue->is_changing)
        return base_fail_static(TRM_ERROR_BUSY, "the order of the pipeline's stages is being changed");
    return queue->stop != PIPELINE_GOING ? fail_stopped(queue) : TRM_OK;
}

/* With the lock, released meanwhile. False: the deadline has passed. */
static bool wait_for_free(struct pipeline *pipeline, uint64_t deadline)
{
    pipeline_fresh_wait(pipeline, deadline);
    return base_remaining(deadline) > 0;
}

/* With the lock. */
static int32_t acquire(struct pipeline *pipeline, uint64_t deadline, struct pipeline_slot **slot)
{
    struct pipeline_queue *queue = pipeline->queue;
    uint32_t epoch               = queue->epoch;
    for (bool is_late = false;;) {
        int32_t status = may_acquire(pipeline, epoch, deadline);
        if (status != TRM_OK)
            return status;
        *slot = pipeline_queue_pop(pipeline, PIPELINE_SLOT_HELD);
        if (*slot != NULL) {
            queue->is_over = false;
            return TRM_OK;
        }
        if (pipeline_fresh_make_room(pipeline, is_late ? PIPELINE_FRESH_SPARE_NONE
                                                       : PIPELINE_FRESH_SPARE_BEFORE_OTHERS))
            continue;
        if (is_late)
            return base_fail_static(TRM_ERROR_TIMEOUT, "no slot became free in time");
        is_late = !wait_for_free(pipeline, deadline);
    }
}

int32_t trm_pipeline_acquire(struct trm_pipeline *handle, uint64_t timeout_ns, struct trm_token **token)
{
    struct pipeline_slot *slot = NULL;
    int32_t status             = core_output_check(token, "trm_pipeline_acquire", "token");
    if (status != TRM_OK)
        return status;
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    status = pipeline_calling_check(pipeline, "trm_pipeline_acquire()");
    if (status == TRM_OK) {
        uint64_t deadline = base_deadline(timeout_ns);
        base_biased_lock_acquire(&pipeline->lock);
        status = acquire(pipeline, deadline, &slot);
        base_biased_lock_release(&pipeline->lock);
    }
    if (status == TRM_OK) {
        pipeline_slot_prepare(slot);
        slot->load_begin = base_now();
        slot->load_end   = 0;
        slot->sink_begin = 0;
        slot->load_ran   = 0;
        slot->sink_ran   = 0;
        *token           = &slot->token;
    }
    core_object_leave(&pipeline->object);
    return status;
}

/* ---- submit --------------------------------------------------------------------------------- */

/* With the lock. */
static int32_t may_submit(struct pipeline_slot *slot)
{
    struct pipeline_queue *queue = slot->front->queue;
    if (queue->fault.status != TRM_OK)
        return base_failure_raise(&queue->fault);
    if (queue->is_closing || pipeline_queue_entry(slot)->is_cancelled)
        return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled; the token was dropped");
    return queue->stop == PIPELINE_STOPPED ? base_failure_raise(&queue->cause) : TRM_OK;
}

/* Whether a token that was submitted earlier has failed, which then is the cause of later failures. With the
 * lock. */
static bool another_failed(struct pipeline *pipeline, struct base_failure *failure)
{
    for (struct pipeline_slot *slot = pipeline->queue->ordered.first; slot != NULL; slot = slot->next) {
        *failure = slot->failure;
        if (failure->status != TRM_OK)
            return true;
        if (pipeline_slot_state(slot) != PIPELINE_SLOT_SUBMITTED)
            continue;
        int32_t status = pipeline_slot_poll(slot);
        if (status == TRM_OK)
            continue;
        if (status == TRM_ERROR_TIMEOUT)
            return false; /* it may be the cause, which cannot be seen yet */
        pipeline_failure_describe(slot, NULL, status, failure);
        return true;
    }
    return false;
}

/* A failure of the token's sizes or arguments, not of the device. */
static bool is_refusal(int32_t status)
{
    return status == TRM_ERROR_INVALID_ARGUMENT || status == TRM_ERROR_OUT_OF_RANGE ||
           status == TRM_ERROR_TYPE_MISMATCH;
}

/* The program's token could not be enqueued. With the lock. TRM_OK: its failure is reported at its turn,
 * because it may have failed with an earlier token, even one whose failure cannot be seen yet. */
static int32_t report_failure(struct pipeline_slot *slot)
{
    struct pipeline *pipeline = slot->front;
    struct pipeline_token_times times;
    struct base_failure cause;
    if (pipeline_members_can_repeat(slot))
        return TRM_OK;
    bool has_cause = another_failed(pipeline, &cause);
    if (has_cause && pipeline->desc.on_failure != TRM_FAILURE_STOP)
        return TRM_OK;
    if (!has_cause && pipeline->queue->ordered.first != NULL && !is_refusal(slot->failure.status))
        return TRM_OK;
    pipeline_queue_times(slot, has_cause ? TRM_ERROR_CANCELLED : slot->failure.status, false, &times);
    pipeline_queue_note(slot, &times);
    pipeline_queue_move(slot, PIPELINE_SLOT_ABANDONED);
    if (has_cause)
        return base_failure_raise(&cause);
    pipeline_failure_note(slot, true);
    return base_failure_raise(&slot->failure);
}

/* With enqueue_lock and lock, after the slot was enqueued or failed to be. */
static int32_t submitted(struct pipeline_slot *slot, bool by_program)
{
    struct pipeline *pipeline    = slot->front;
    struct pipeline_queue *queue = pipeline->queue;
    if (slot->failure.status != TRM_OK && by_program) {
        int32_t status = report_failure(slot);
        if (status != TRM_OK)
            return status;
    }
    pipeline_queue_move(slot, PIPELINE_SLOT_SUBMITTED);
    pipeline_list_append(&queue->ordered, slot);
    pipeline_queue_wake_changed(queue);
    pipeline_fresh_wake(pipeline);
    if (!pipeline_queue_entry(slot)->is_cancelled)
        return TRM_OK;
    if (!queue->has_leader)
        pipeline_failure_drop(pipeline, false);
    return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled; the token was dropped");
}

/* Takes both locks when nothing prevents enqueuing. Otherwise takes the lock alone, and the slot is free
 * again. */
static int32_t lock_to_submit(struct pipeline_slot *slot)
{
    struct pipeline *pipeline = slot->front;
    int32_t status            = TRM_OK;
    for (;;) {
        base_biased_lock_acquire(&pipeline->enqueue_lock);
        base_biased_lock_acquire(&pipeline->lock);
        if (status == TRM_OK || status == TRM_ERROR_CANCELLED)
            status = may_submit(slot);
        if (status == TRM_OK && pipeline->queue->dirty == PIPELINE_CLEAN &&
            !pipeline_queue_entry(slot)->is_being_read)
            return TRM_OK;
        base_biased_lock_release(&pipeline->enqueue_lock);
        if (status != TRM_OK)
            break;
        pipeline_queue_wait_read(slot);
        status = pipeline_failure_clean(pipeline, BASE_NEVER);
        base_biased_lock_release(&pipeline->lock);
    }
    struct base_saved_error saved;
    base_error_save(&saved);
    pipeline_queue_retire(slot, TRM_ERROR_CANCELLED, false);
    base_error_restore(&saved);
    return status;
}

/* While source and sink take no longer than this, the thread that runs the pipeline soon waits for the device
 * itself. */
#define QUICK_NS 2000u

/* The thread that runs the pipeline will soon wait for the oldest token, and on the cpu runs it itself while
 * it waits. Flushing the token earlier would only let another thread take it. */
static void flush(struct pipeline_slot *slot)
{
    struct pipeline_queue *queue = slot->front->queue;
    bool is_alone =
        atomic_load_explicit(&queue->mode, memory_order_relaxed) == PIPELINE_RUNNING && queue->workers == 0;
    bool is_left = is_alone && queue->load_ns + queue->sink_ns < QUICK_NS;
    /* A short one is left to that thread in any case, unless results may come out of order. */
    bool is_held =
        is_left && ((slot->front->desc.flags & TRM_PIPELINE_UNORDERED) != 0 || !pipeline_slot_is_short(slot));
    pipeline_queue_entry(slot)->is_held_back = is_held;
    if (is_held)
        queue->has_held_back = true;
    if (!is_left && slot->failure.status == TRM_OK)
        pipeline_slot_flush(slot);
}

/* Enqueues the token between the joins of its pipeline. With enqueue_lock. */
static void enqueue(struct pipeline_slot *slot)
{
    struct pipeline *pipeline = slot->front;
    if (pipeline->joins == NULL) {
        pipeline_failure_enqueue(slot);
        return;
    }
    struct base_failure failure = {.status = TRM_OK};
    int32_t status              = pipeline_joins_before(pipeline);
    if (status != TRM_OK)
        base_failure_save(&failure, status);
    pipeline_failure_enqueue(slot);
    if (slot->failure.status != TRM_OK)
        return;
    status = failure.status != TRM_OK ? base_failure_raise(&failure) : pipeline_joins_after(pipeline);
    if (status != TRM_OK)
        pipeline_failure_name(slot, "join", status);
}

int32_t pipeline_submit(struct pipeline_slot *slot, bool by_program)
{
    struct pipeline *pipeline = slot->front;
    int32_t status            = lock_to_submit(slot);
    if (status != TRM_OK)
        return status;
    if (pipeline_fresh_is_expired(slot)) {
        pipeline_queue_retire(slot, PIPELINE_TOKEN_EXPIRED, false);
        base_biased_lock_release(&pipeline->enqueue_lock);
        return TRM_OK;
    }
    pipeline_queue_move(slot, PIPELINE_SLOT_ENQUEUING);
    base_biased_lock_release(&pipeline->lock);

    slot->submitted_at = slot->load_end;
    enqueue(slot);
    flush(slot);
    pipeline_slot_enqueue_end(slot);

    base_biased_lock_acquire(&pipeline->lock);
    status = submitted(slot, by_program);
    base_biased_lock_release(&pipeline->enqueue_lock);
    return status;
}

/* ---- tokens that the program returns -------------------------------------------------------- */

static const char *const state_sentences[PIPELINE_SLOT_STATES] = {
    [PIPELINE_SLOT_FREE]      = "was returned already",
    [PIPELINE_SLOT_HELD]      = "has not been submitted yet",
    [PIPELINE_SLOT_LOADING]   = "is being filled by the source",
    [PIPELINE_SLOT_FILLED]    = "belongs to the source",
    [PIPELINE_SLOT_ENQUEUING] = "has been submitted already",
    [PIPELINE_SLOT_SUBMITTED] = "has been submitted already",
    [PIPELINE_SLOT_ENDED]     = "has been submitted already",
    [PIPELINE_SLOT_SINK]      = "is with the sink, or being released",
    [PIPELINE_SLOT_OUT]       = "was returned by trm_pipeline_next(): release it",
    [PIPELINE_SLOT_ABANDONED] = "was dropped",
};

/* Finds the slot of a token that the program returns in state `state` and moves it to `to`; NULL after
 * setting the last error. */
static struct pipeline_slot *claim(struct pipeline *pipeline, const struct trm_token *token, int32_t state,
                                   int32_t to)
{
    base_biased_lock_acquire(&pipeline->lock);
    struct pipeline_slot *slot = pipeline_queue_find(pipeline, token);
    int32_t at                 = slot != NULL ? pipeline_slot_state(slot) : PIPELINE_SLOT_STATES;
    if (at == state && to != state)
        pipeline_queue_move(slot, to);
    base_biased_lock_release(&pipeline->lock);
    if (at == state)
        return slot;
    if (slot == NULL)
        base_error_set(TRM_ERROR_INVALID_ARGUMENT, "%s",
                       token != NULL ? "the token does not belong to this pipeline" : "the token is NULL");
    else
        base_error_set(TRM_ERROR_INVALID_ARGUMENT, "token %" PRIu64 " %s",
                       pipeline_place_token(atomic_load_explicit(&slot->place, memory_order_relaxed)),
                       state_sentences[at]);
    return NULL;
}

int32_t trm_pipeline_submit(struct trm_pipeline *handle, struct trm_token *token)
{
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    int32_t status = pipeline_calling_check_enqueue(pipeline, "trm_pipeline_submit()");
    if (status == TRM_OK) {
        struct pipeline_slot *slot = claim(pipeline, token, PIPELINE_SLOT_HELD, PIPELINE_SLOT_FILLED);
        if (slot != NULL) {
            slot->load_end = base_now();
            status         = pipeline_submit(slot, true);
            base_biased_lock_release(&pipeline->lock);
        } else {
            status = TRM_ERROR_INVALID_ARGUMENT;
        }
    }
    core_object_leave(&pipeline->object);
    return status;
}

int32_t trm_pipeline_discard(struct trm_pipeline *handle, struct trm_token *token)
{
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    struct pipeline_slot *slot = claim(pipeline, token, PIPELINE_SLOT_HELD, PIPELINE_SLOT_FILLED);
    int32_t status             = slot != NULL ? TRM_OK : TRM_ERROR_INVALID_ARGUMENT;
    if (slot != NULL) {
        base_biased_lock_acquire(&pipeline->lock);
        pipeline_queue_retire(slot, TRM_TOKEN_SKIP, false);
        base_biased_lock_release(&pipeline->lock);
    }
    core_object_leave(&pipeline->object);
    return status;
}

int32_t trm_pipeline_release(struct trm_pipeline *handle, struct trm_token *token)
{
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    struct pipeline_slot *slot = claim(pipeline, token, PIPELINE_SLOT_OUT, PIPELINE_SLOT_SINK);
    int32_t status             = slot != NULL ? TRM_OK : TRM_ERROR_INVALID_ARGUMENT;
    if (slot != NULL) {
        pipeline_queue_finish(slot);
        base_biased_lock_release(&pipeline->lock);
    }
    core_object_leave(&pipeline->object);
    return status;
}

/* ---- next ----------------------------------------------------------------------------------- */

/* What was started is over, unless the status is a token, its failure or TIMEOUT. Returns the status, or
 * why what was started could not be ended well. */
static int32_t end_started(struct pipeline *pipeline, int32_t status)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct base_saved_error saved;
    int32_t finished = TRM_OK;
    base_error_save(&saved);
    base_biased_lock_acquire(&pipeline->lock);
    /* At the end of the source no thread is inside it, so loaders and followers leave at once; after a stop
     * they may not. */
    if (queue->mode == PIPELINE_STARTED && queue->stop == PIPELINE_STOPPED)
        pipeline_run_finish(pipeline, base_now() + PIPELINE_HURRY_NS);
    else if (queue->mode == PIPELINE_STARTED && status == TRM_TOKEN_END)
        finished = pipeline_run_finish(pipeline, BASE_NEVER);
    base_biased_lock_release(&pipeline->lock);
    if (finished != TRM_OK)
        return finished;
    base_error_restore(&saved);
    return status;
}

static int32_t next(struct pipeline *pipeline, uint64_t deadline, struct trm_token **token)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct base_failure failure  = {.status = TRM_OK};
    struct pipeline_slot *slot   = NULL;
    int32_t status;
    base_biased_lock_acquire(&pipeline->lock);
    do {
        if (queue->mode == PIPELINE_STARTED)
            pipeline_run_fill(pipeline);
        status = pipeline_next(pipeline, PIPELINE_SLOT_OUT, deadline, &slot, &failure);
    } while (status == PIPELINE_NEXT_FILL);
    base_biased_lock_release(&pipeline->lock);
    if (status == TRM_OK) {
        slot->sink_begin = base_now();
        *token           = &slot->token;
        return TRM_OK;
    }
    if (status == PIPELINE_NEXT_FAILED)
        return base_failure_raise(&failure);
    if (queue->mode == PIPELINE_STARTED && status != TRM_ERROR_TIMEOUT)
        status = end_started(pipeline, status);
    return status;
}

int32_t trm_pipeline_next(struct trm_pipeline *handle, uint64_t timeout_ns, struct trm_token **token)
{
    int32_t status = core_output_check(token, "trm_pipeline_next", "token");
    if (status != TRM_OK)
        return status;
    struct pipeline *pipeline = pipeline_enter(handle);
    if (pipeline == NULL)
        return base_last_status();
    status = pipeline_calling_check(pipeline, "trm_pipeline_next()");
    if (status == TRM_OK)
        status = next(pipeline, base_deadline(timeout_ns), token);
    core_object_leave(&pipeline->object);
    return status;
}
