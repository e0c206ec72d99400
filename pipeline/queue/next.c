/* The next result, in order or as tokens end; what fails and what times out.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/base.h"
#include "pipeline/queue/queue.h"

/* So long the leader of an UNORDERED pipeline blocks in the backend, where it runs queued work on the cpu,
 * before it sleeps until a token ends or another one is submitted. */
#define BRIEFLY_NS 50000u

/* How late it notices such a token where it cannot sleep so. */
#define NEWCOMER_NS 2000000u

/* One call that wants a result. */
struct request {
    struct pipeline *pipeline;
    struct pipeline_queue *queue;
    int32_t state; /* the token's new state: SINK for runs, OUT for the program */
    uint32_t epoch;
    uint64_t deadline;
    bool is_leader; /* the calling thread is the leader */
    struct base_failure *failure;
};

static bool is_unordered(const struct request *request)
{
    return (request->pipeline->desc.flags & TRM_PIPELINE_UNORDERED) != 0;
}

/* ---- whether it may go on; with the lock ---------------------------------------------------- */

/* What was started ended other than by END: returned once, then it is over. */
static int32_t answer_stopped(struct request *request)
{
    struct pipeline_queue *queue = request->queue;
    if (queue->mode == PIPELINE_STARTED && queue->is_told)
        return TRM_TOKEN_END;
    queue->is_told = true;
    return base_failure_raise(&queue->cause);
}

static int32_t may_continue(struct request *request)
{
    struct pipeline_queue *queue = request->queue;
    if (queue->fault.status != TRM_OK)
        return base_failure_raise(&queue->fault);
    if (queue->is_closing)
        return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline is being destroyed");
    if (request->state == PIPELINE_SLOT_OUT && queue->mode == PIPELINE_RUNNING)
        return base_fail_static(TRM_ERROR_BUSY, "the pipeline is running: its sink gets the results");
    if (request->epoch != queue->epoch) {
        queue->is_told = true;
        return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled");
    }
    if (queue->stop == PIPELINE_STOPPED || (queue->is_over && !queue->is_told))
        return answer_stopped(request);
    return TRM_OK;
}

/* ---- waiting for the device: by the leader, without the lock -------------------------------- */

static uint64_t token_deadline(const struct pipeline_slot *slot)
{
    uint64_t timeout = slot->front->desc.token_timeout_ns;
    uint64_t deadline;
    if (timeout == 0 || __builtin_add_overflow(slot->submitted_at, timeout, &deadline))
        return BASE_NEVER;
    return deadline;
}

static uint64_t earlier(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* Drops a token that timed out; its slot comes back when its work ends. With the lock. */
static void time_out(struct request *request, struct pipeline_slot *slot)
{
    static const char *const stages[] = {[TRM_SLOT_UPLOADING]   = "upload",
                                         [TRM_SLOT_PROCESSING]  = "compute",
                                         [TRM_SLOT_DOWNLOADING] = "download"};
    struct pipeline_token_times times;
    int32_t stage = pipeline_slot_stage(slot);
    const char *where =
        stage >= TRM_SLOT_UPLOADING && stage <= TRM_SLOT_DOWNLOADING ? stages[stage] : "download";
    char milliseconds[32];
    snprintf(milliseconds, sizeof(milliseconds), "%.3g",
             (double)request->pipeline->desc.token_timeout_ns / 1e6);
    base_text_point(milliseconds);
    int32_t status = base_fail(TRM_ERROR_TIMEOUT, "timed out after %s ms", milliseconds);
    pipeline_failure_name(slot, where, status);
    pipeline_queue_times(slot, status, false, &times);
    pipeline_queue_note(slot, &times);
    pipeline_list_remove(&request->queue->ordered, slot);
    pipeline_queue_move(slot, PIPELINE_SLOT_ABANDONED);
    pipeline_queue_entry(slot)->is_overdue = true;
    pipeline_failure_note(slot, false);
    *request->failure = slot->failure;
}

/* Before this thread waits for the first slot, other threads may start the rest, except tokens that it is to
 * run itself. With the lock. */
static void flush_held_back(const struct pipeline *pipeline)
{
    struct pipeline_slot *first = pipeline->queue->ordered.first;
    bool is_unordered           = (pipeline->desc.flags & TRM_PIPELINE_UNORDERED) != 0;
    if (!pipeline->queue->has_held_back)
        return;
    for (struct pipeline_slot *slot = first; slot != NULL; slot = slot->next) {
        struct pipeline_queue_entry *entry = pipeline_queue_entry(slot);
        if (!entry->is_held_back || (slot == first && !is_unordered))
            continue;
        if (pipeline_slot_state(slot) == PIPELINE_SLOT_SUBMITTED && !pipeline_slot_is_short(slot) &&
            (is_unordered || !pipeline_slot_times_wait(slot)))
            pipeline_slot_flush(slot);
        entry->is_held_back = false;
    }
    pipeline->queue->has_held_back = first != NULL && pipeline_queue_entry(first)->is_held_back;
}

/* Whether a newer token of another device may end first and be the result. */
static bool is_latest_of_several(const struct request *request)
{
    return request->pipeline->desc.on_full == TRM_FULL_LATEST && request->pipeline->member_count > 1;
}

/* The slots that the result may come from, oldest first: the first one, or all of an UNORDERED pipeline and
 * of one that wants the latest of several devices. With the lock. */
static uint32_t candidates(const struct request *request, struct pipeline_slot **slots)
{
    uint32_t count             = 0;
    bool all                   = is_unordered(request) || is_latest_of_several(request);
    struct pipeline_slot *slot = request->queue->ordered.first;
    for (; slot != NULL; slot = slot->next) {
        if (pipeline_slot_state(slot) == PIPELINE_SLOT_SUBMITTED)
            slots[count++] = slot;
        if (!all)
            break;
    }
    return count;
}

/* What the leader has seen of the candidates before it takes the lock. */
struct sight {
    int32_t statuses[PIPELINE_DEPTH_MOST];
    struct pipeline_slot *failed; /* NULL: none, or its failure was kept when it was enqueued */
    struct base_failure failure;
};

/* Notes how a slot ended, or TIMEOUT. Only one failure is noted, while it is the last error; others are seen
 * at the next look. */
static void look(struct sight *sight, uint32_t i, struct pipeline_slot *slot, int32_t status)
{
    sight->statuses[i] = status;
    if (status == TRM_OK || status == TRM_ERROR_TIMEOUT || slot->failure.status != TRM_OK)
        return;
    if (sight->failed != NULL && sight->failed != slot) {
        sight->statuses[i] = TRM_ERROR_TIMEOUT;
        return;
    }
    sight->failed = slot;
    pipeline_failure_describe(slot, NULL, status, &sight->failure);
}

static uint32_t look_at_all(struct sight *sight, struct pipeline_slot **slots, uint32_t count)
{
    uint32_t ended = 0;
    for (uint32_t i = 0; i < count; i++) {
        look(sight, i, slots[i], pipeline_slot_poll(slots[i]));
        ended += sight->statuses[i] != TRM_ERROR_TIMEOUT;
    }
    return ended;
}

/* Without the lock. */
static void wait_in_backend(struct sight *sight, struct pipeline_slot **slots, uint32_t count,
                            uint64_t deadline)
{
    if (count == 1) {
        look(sight, 0, slots[0],
             deadline != BASE_NEVER ? pipeline_slot_wait(slots[0], deadline)
                                    : pipeline_slot_wait_for(slots[0], PIPELINE_SLICE_NS));
        return;
    }
    if (look_at_all(sight, slots, count) > 0)
        return;
    pipeline_slots_wait_any(slots, count, deadline);
    /* The rest of a failed token may still run. Waiting for the oldest one keeps this loop from spinning. */
    if (look_at_all(sight, slots, count) == 0 && base_now() < deadline)
        look(sight, 0, slots[0], pipeline_slot_wait(slots[0], deadline));
}

/* With the lock, released meanwhile. */
static uint32_t look_with_lock(const struct request *request, struct sight *sight,
                               struct pipeline_slot **slots, uint32_t count)
{
    base_biased_lock_release(&request->pipeline->lock);
    uint32_t ended = look_at_all(sight, slots, count);
    base_biased_lock_acquire(&request->pipeline->lock);
    return ended;
}

/* Sleeps until one of the candidates has ended, or until a deadline; of one without a deadline for a slice.
 * With the lock, released meanwhile. */
static void watch_for(const struct request *request, struct sight *sight, struct pipeline_slot **slots,
                      uint32_t count, uint64_t deadline)
{
    base_biased_lock_release(&request->pipeline->lock);
    wait_in_backend(sight, slots, count, deadline);
    base_biased_lock_acquire(&request->pipeline->lock);
}

/* The same, until a token is submitted too, which may be the first to end. */
static void watch_several(const struct request *request, struct sight *sight, struct pipeline_slot **slots,
                          uint32_t count, uint64_t deadline)
{
    uint32_t seen = request->queue->wakes;
    if (look_with_lock(request, sight, slots, count) > 0)
        return;
    if (pipeline_watch(request->pipeline, slots, count, seen, deadline))
        look_with_lock(request, sight, slots, count);
    else
        watch_for(request, sight, slots, count, pipeline_slice(deadline));
}

/* Whether a token that another thread submits from now on may be the result. With the lock. */
static bool has_newcomers(const struct request *request, uint32_t count)
{
    const struct pipeline_queue *queue = request->queue;
    bool is_alone                      = queue->mode == PIPELINE_RUNNING && queue->workers == 0;
    return is_unordered(request) && count < queue->depth && !is_alone;
}

static bool has_ended(const struct sight *sight, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (sight->statuses[i] != TRM_ERROR_TIMEOUT)
            return true;
    return false;
}

/* As watch_several(), for tokens of one device, of which most are short. */
static void watch_newcomers(const struct request *request, struct sight *sight, struct pipeline_slot **slots,
                            uint32_t count, uint64_t deadline)
{
    uint32_t seen = request->queue->wakes;
    watch_for(request, sight, slots, count, earlier(deadline, base_now() + BRIEFLY_NS));
    if (has_ended(sight, count) || base_now() >= deadline)
        return;
    if (pipeline_watch(request->pipeline, slots, count, seen, deadline))
        look_with_lock(request, sight, slots, count);
    else
        watch_for(request, sight, slots, count, earlier(deadline, base_now() + NEWCOMER_NS));
}

/* Whether the slot's work has ended. With the lock. */
static bool note_ended(struct pipeline_slot *slot, const struct sight *sight, uint32_t i)
{
    if (sight->statuses[i] == TRM_ERROR_TIMEOUT)
        return false;
    if (sight->failed == slot)
        slot->failure = sight->failure;
    pipeline_queue_move(slot, PIPELINE_SLOT_ENDED);
    return true;
}

/* Waits for one of the candidates for a slice at most. With the lock, released meanwhile. TRM_OK: look again;
 * PIPELINE_NEXT_FAILED: a token timed out; TIMEOUT: the caller's deadline has passed. */
static int32_t watch(struct request *request, struct pipeline_slot **slots, uint32_t count)
{
    struct sight sight;
    int32_t ended = 0;
    /* A slice from now on is known without asking what time it is. */
    bool is_alone = count == 1 && request->deadline == BASE_NEVER && !is_unordered(request) &&
                    request->pipeline->desc.token_timeout_ns == 0;
    bool is_woken     = is_latest_of_several(request) || has_newcomers(request, count);
    uint64_t deadline = is_alone || is_woken ? request->deadline : pipeline_slice(request->deadline);
    for (uint32_t i = 0; i < count; i++)
        deadline = earlier(deadline, token_deadline(slots[i]));
    flush_held_back(request->pipeline);

    sight.failed = NULL;
    if (is_latest_of_several(request))
        watch_several(request, &sight, slots, count, deadline);
    else if (is_woken)
        watch_newcomers(request, &sight, slots, count, deadline);
    else
        watch_for(request, &sight, slots, count, deadline);

    for (uint32_t i = 0; i < count; i++)
        ended += note_ended(slots[i], &sight, i);
    if (ended > 0)
        return TRM_OK;
    uint64_t now = base_now();
    for (uint32_t i = 0; i < count; i++) {
        if (now < token_deadline(slots[i]) || pipeline_queue_entry(slots[i])->is_cancelled)
            continue;
        time_out(request, slots[i]);
        return PIPELINE_NEXT_FAILED;
    }
    return now < request->deadline ? TRM_OK : TRM_ERROR_TIMEOUT;
}

/* ---- when nothing is in flight; with the lock ----------------------------------------------- */

static bool is_over(const struct pipeline_queue *queue)
{
    const uint32_t *slots_in = queue->slots_in;
    return queue->has_source_ended && slots_in[PIPELINE_SLOT_LOADING] + slots_in[PIPELINE_SLOT_FILLED] +
                                              slots_in[PIPELINE_SLOT_ENQUEUING] ==
                                          0;
}

/* Leaves the leadership meanwhile, which other threads may need to recover from a failure. */
static int32_t sleep_changed(struct request *request)
{
    struct pipeline_queue *queue = request->queue;
    pipeline_leader_leave(request->pipeline);
    bool is_woken =
        pipeline_sleep(request->pipeline, &queue->changed, &queue->change_waiters, request->deadline);
    request->is_leader = pipeline_leader_claim(request->pipeline, request->deadline) == TRM_OK;
    return request->is_leader && (is_woken || base_now() < request->deadline) ? TRM_OK : TRM_ERROR_TIMEOUT;
}

/* TRM_OK: look again. */
static int32_t nothing_there(struct request *request)
{
    struct pipeline_queue *queue = request->queue;
    bool is_enqueuing            = queue->slots_in[PIPELINE_SLOT_ENQUEUING] > 0;
    if (queue->mode == PIPELINE_SERVING) {
        if (queue->stop == PIPELINE_DRAINING && !is_enqueuing)
            return base_failure_raise(&queue->cause);
        return queue->is_over && !is_enqueuing ? TRM_TOKEN_END : sleep_changed(request);
    }
    if (is_over(queue))
        return TRM_TOKEN_END;
    if (queue->workers > 0 || queue->is_filling || queue->has_source_ended)
        return sleep_changed(request);
    if (queue->slots_in[PIPELINE_SLOT_FREE] > 0)
        return PIPELINE_NEXT_FILL;
    if (queue->slots_in[PIPELINE_SLOT_ABANDONED] == 0)
        return sleep_changed(request);
    if (pipeline_reap(request->pipeline, request->deadline) > 0 || base_now() < request->deadline)
        return TRM_OK;
    return TRM_ERROR_TIMEOUT;
}

/* ---- a token -------------------------------------------------------------------------------- */

/* The oldest slot that has ended and may be returned. With the lock. */
static struct pipeline_slot *ended_slot(const struct request *request)
{
    struct pipeline_slot *slot = request->queue->ordered.first;
    if (!is_unordered(request))
        return slot != NULL && pipeline_slot_state(slot) == PIPELINE_SLOT_ENDED ? slot : NULL;
    while (slot != NULL && pipeline_slot_state(slot) != PIPELINE_SLOT_ENDED)
        slot = slot->next;
    return slot;
}

/* Whether the device must recover before this token's failure is reported. Where results are out of order or
 * other tokens go on, the cause among the failed tokens has to be found first. With the lock. */
static bool needs_recovery(const struct request *request, struct pipeline_slot *slot)
{
    if (pipeline_queue_entry(slot)->is_final || slot->failure.status == TRM_ERROR_DEVICE_LOST)
        return false;
    return request->pipeline->desc.on_failure != TRM_FAILURE_STOP || is_unordered(request);
}

/* With the lock. */
static int32_t deliver(struct request *request, struct pipeline_slot *slot, struct pipeline_slot **delivered)
{
    struct pipeline_queue_entry *entry = pipeline_queue_entry(slot);
    pipeline_list_remove(&request->queue->ordered, slot);
    if (slot->failure.status == TRM_OK) {
        entry->is_late   = pipeline_fresh_is_late(slot);
        slot->token.late = entry->is_late;
        pipeline_queue_move(slot, request->state);
        *delivered = slot;
        return TRM_OK;
    }
    *request->failure = slot->failure;
    pipeline_failure_note(slot, entry->answer == TRM_OK && !entry->is_final);
    pipeline_queue_retire(slot, slot->failure.status, entry->answer == TRM_OK);
    return PIPELINE_NEXT_FAILED;
}

/* By the leader, with the lock, released meanwhile. TRM_OK: look again. */
static int32_t recover(struct request *request)
{
    base_biased_lock_release(&request->pipeline->lock);
    int32_t status = pipeline_failure_recover(request->pipeline, request->deadline);
    base_biased_lock_acquire(&request->pipeline->lock);
    if (status != TRM_ERROR_TIMEOUT || base_remaining(request->deadline) > 0)
        return TRM_OK;
    return TRM_ERROR_TIMEOUT;
}

static bool wants_recovery(const struct request *request)
{
    return request->queue->dirty == PIPELINE_DIRTY_KNOWN ||
           (request->queue->dirty == PIPELINE_DIRTY &&
            request->pipeline->desc.on_failure != TRM_FAILURE_STOP);
}

/* One step towards a token. TRM_OK without a token: look again. */
static int32_t step(struct request *request, struct pipeline_slot **delivered)
{
    struct pipeline_slot *slots[PIPELINE_DEPTH_MOST];
    int32_t status = may_continue(request);
    if (status != TRM_OK)
        return status;
    if (request->queue->stop != PIPELINE_STOPPED && request->queue->ordered.first != NULL &&
        wants_recovery(request))
        return recover(request);
    pipeline_fresh_keep_latest(request->pipeline);
    struct pipeline_slot *slot = ended_slot(request);
    if (slot != NULL && pipeline_members_can_repeat(slot) && pipeline_members_repeat(slot))
        return TRM_OK;
    if (slot != NULL && slot->failure.status != TRM_OK && needs_recovery(request, slot)) {
        if (request->queue->dirty == PIPELINE_CLEAN)
            request->queue->dirty = PIPELINE_DIRTY;
        return recover(request);
    }
    if (slot != NULL)
        return deliver(request, slot, delivered);
    uint32_t count = candidates(request, slots);
    return count > 0 ? watch(request, slots, count) : nothing_there(request);
}

int32_t pipeline_next(struct pipeline *pipeline, int32_t state, uint64_t deadline,
                      struct pipeline_slot **slot, struct base_failure *failure)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct request request       = {
              .pipeline = pipeline,
              .queue    = queue,
              .state    = state,
              .deadline = deadline,
              .failure  = failure,
    };
    *slot             = NULL;
    request.epoch     = queue->epoch;
    int32_t status    = pipeline_leader_claim(pipeline, deadline);
    request.is_leader = status == TRM_OK;
    while (status == TRM_OK && *slot == NULL) {
        pipeline_failure_drop(pipeline, queue->stop == PIPELINE_STOPPED);
        status = step(&request, slot);
    }
    if (status == PIPELINE_NEXT_FAILED && queue->stop == PIPELINE_STOPPED)
        queue->is_told = true;
    if (request.is_leader) {
        pipeline_failure_drop(pipeline, queue->stop == PIPELINE_STOPPED);
        pipeline_leader_leave(pipeline);
    }
    bool is_idle = queue->ordered.first == NULL;
    if (status == TRM_ERROR_TIMEOUT)
        return base_fail_static(TRM_ERROR_TIMEOUT, is_idle ? "no token ended in time: none is submitted"
                                                           : "no token ended in time");
    return status;
}

/* ---- a token of a plain run ----------------------------------------------------------------- */

bool pipeline_next_may_be_plain(const struct pipeline *pipeline)
{
    const struct trm_pipeline_desc *desc = &pipeline->desc;
    return pipeline->queue->mode == PIPELINE_RUNNING && pipeline->queue->workers == 0 &&
           desc->on_full == TRM_FULL_BLOCK && desc->token_timeout_ns == 0 &&
           (desc->flags & TRM_PIPELINE_UNORDERED) == 0;
}

/* Whether a failure, a cancel or another thread has to be heeded. */
static bool is_disturbed(const struct pipeline_queue *queue)
{
    return queue->stop != PIPELINE_GOING || queue->fault.status != TRM_OK || queue->is_closing ||
           queue->dirty != PIPELINE_CLEAN || queue->was_cancelled;
}

/* Its end was waited for, and it failed or another thread interfered. */
__attribute__((cold, noinline)) static void note_other_end(struct pipeline_slot *slot, int32_t status,
                                                           const struct base_failure *failure)
{
    if (status == TRM_ERROR_TIMEOUT)
        return;
    if (status != TRM_OK)
        slot->failure = *failure;
    pipeline_queue_move(slot, PIPELINE_SLOT_ENDED);
}

/* Whether the choice of devices learns from a wait (pipeline_members_note_wait()). */
static bool is_of_several(const struct pipeline *pipeline)
{
    return pipeline->member_count > 1;
}

/* Where there are several devices, looks first whether it has ended. Without the lock. */
static int32_t wait_for_oldest(struct pipeline_slot *slot, bool *in_time)
{
    int32_t status = TRM_ERROR_TIMEOUT;
    if (is_of_several(slot->front) && pipeline_slot_runs_alone(slot))
        status = pipeline_slot_poll(slot);
    *in_time = status != TRM_ERROR_TIMEOUT;
    return *in_time ? status : pipeline_slot_wait_for(slot, PIPELINE_SLICE_NS);
}

struct pipeline_slot *pipeline_next_plain(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    struct pipeline_slot *slot   = queue->ordered.first;
    struct base_failure failure;
    bool in_time;
    if (slot == NULL || pipeline_slot_state(slot) != PIPELINE_SLOT_SUBMITTED ||
        slot->failure.status != TRM_OK || queue->has_leader || is_disturbed(queue))
        return NULL;
    queue->has_leader = true;
    flush_held_back(pipeline);
    base_biased_lock_release(&pipeline->lock);
    int32_t status  = wait_for_oldest(slot, &in_time);
    bool has_failed = status != TRM_OK && status != TRM_ERROR_TIMEOUT;
    if (UNLIKELY(has_failed))
        pipeline_failure_describe(slot, NULL, status, &failure);
    base_biased_lock_acquire(&pipeline->lock);

    /* Once for each token: where the slice was over first, pipeline_next() waits for the rest. */
    if (is_of_several(pipeline) && !has_failed)
        pipeline_members_note_wait(pipeline, in_time);
    bool is_plain = status == TRM_OK && !is_disturbed(queue);
    if (LIKELY(is_plain)) {
        pipeline_list_remove(&queue->ordered, slot);
        slot->token.late = pipeline_queue_entry(slot)->is_late = pipeline_fresh_is_late(slot);
        pipeline_queue_move(slot, PIPELINE_SLOT_SINK);
    } else {
        note_other_end(slot, status, &failure);
    }
    pipeline_leader_leave(pipeline);
    return is_plain ? slot : NULL;
}
