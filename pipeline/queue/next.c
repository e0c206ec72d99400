/* Taking results: the next token that is through, in order or as they come; what fails and what takes too long.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/base.h"
#include "pipeline/queue/queue.h"

/* How late a token is seen that was submitted while another thread waited for those before it; of UNORDERED pipelines. */
#define NEWCOMER_NS 2000000u

/* One call that wants a result. */
struct take {
    struct core_pipeline *pipeline;
    struct core_pipeline_queue *queue;
    int32_t place; /* where the token goes: SINK for runs, OUT for the program */
    uint32_t epoch;
    uint64_t deadline;
    int32_t is_taker; /* 1: the calling thread has the taker's part */
    struct base_failure *failure;
};

static int32_t is_unordered(const struct take *take)
{
    return (take->pipeline->desc.flags & TRM_PIPELINE_UNORDERED) != 0;
}

/* ---- may it go on? With the lock. ---- */

/* What started has come to its end otherwise than by END: told once, then it is over. */
static int32_t answer_stopped(struct take *take)
{
    struct core_pipeline_queue *queue = take->queue;
    if (queue->mode == CORE_STARTED && queue->told)
        return TRM_TOKEN_END;
    queue->told = 1;
    return base_failure_raise(&queue->cause);
}

static int32_t may_take(struct take *take)
{
    struct core_pipeline_queue *queue = take->queue;
    if (queue->fault.status != TRM_OK)
        return base_failure_raise(&queue->fault);
    if (queue->closing)
        return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline is being destroyed");
    if (take->place == CORE_PLACE_OUT && queue->mode == CORE_RUNNING)
        return base_fail_static(TRM_ERROR_BUSY, "the pipeline is run: its sink gets the results");
    if (take->epoch != queue->epoch) {
        queue->told = 1;
        return base_fail_static(TRM_ERROR_CANCELLED, "the pipeline was cancelled");
    }
    if (queue->stop == CORE_STOPPED || (queue->over && !queue->told))
        return answer_stopped(take);
    return TRM_OK;
}

/* ---- waiting for the device: with the taker's part, without the lock ---- */

static uint64_t token_deadline(const struct core_slot *slot)
{
    uint64_t timeout = slot->pipeline->desc.token_timeout_ns;
    uint64_t deadline;
    if (timeout == 0 || __builtin_add_overflow(slot->submitted_at, timeout, &deadline))
        return BASE_NEVER;
    return deadline;
}

static uint64_t earlier(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

/* A token has taken longer than it may: it is gone, and its slot comes back some time. With the lock. */
static void time_out(struct take *take, struct core_slot *slot)
{
    static const char *const stages[] = {[TRM_SLOT_UPLOADING]   = "upload",
                                         [TRM_SLOT_PROCESSING]  = "compute",
                                         [TRM_SLOT_DOWNLOADING] = "download"};
    struct core_token_times times;
    int32_t stage = core_slot_stage(slot);
    const char *where =
        stage >= TRM_SLOT_UPLOADING && stage <= TRM_SLOT_DOWNLOADING ? stages[stage] : "download";
    int32_t status = base_fail(TRM_ERROR_TIMEOUT, "not through after %.3g ms",
                               (double)take->pipeline->desc.token_timeout_ns / 1e6);
    core_failure_name(slot, where, status);
    core_queue_times(slot, status, 0, &times);
    core_queue_note(slot, &times);
    core_list_remove(&take->queue->ordered, slot);
    core_queue_move(slot, CORE_PLACE_ABANDONED);
    core_queue_entry(slot)->overdue = 1;
    core_failure_note(slot, 0);
    *take->failure = slot->failure;
}

/* Before this thread waits for the first one: the rest is for others. With the lock. */
static void flush_held_back(const struct take *take)
{
    struct core_slot *first = take->queue->ordered.first;
    for (struct core_slot *slot = first; slot != NULL; slot = slot->next) {
        struct core_queue_entry *entry = core_queue_entry(slot);
        if (!entry->held_back || (slot == first && !is_unordered(take)))
            continue;
        if (core_slot_place(slot) == CORE_PLACE_SUBMITTED && !core_slot_is_short(slot))
            core_slot_flush(slot);
        entry->held_back = 0;
    }
}

/* The slots that a result may come from, oldest first: the first one, or in an UNORDERED pipeline all. With the lock. */
static uint32_t candidates(const struct take *take, struct core_slot **slots)
{
    uint32_t count         = 0;
    int32_t unordered      = is_unordered(take);
    struct core_slot *slot = take->queue->ordered.first;
    for (; slot != NULL; slot = slot->next) {
        if (core_slot_place(slot) == CORE_PLACE_SUBMITTED)
            slots[count++] = slot;
        if (!unordered)
            break;
    }
    return count;
}

/* What the taker has seen of the candidates, before it takes the lock and says so. */
struct sight {
    int32_t statuses[CORE_DEPTH_MOST];
    struct core_slot *failed; /* NULL: none, or its failure was kept when it was enqueued */
    struct base_failure failure;
};

/* How one ended, or TIMEOUT. Of several failures one is noted, while it is the last error: the others are seen the next time. */
static void look(struct sight *sight, uint32_t i, struct core_slot *slot, int32_t status)
{
    sight->statuses[i] = status;
    if (status == TRM_OK || status == TRM_ERROR_TIMEOUT || slot->failure.status != TRM_OK)
        return;
    if (sight->failed != NULL && sight->failed != slot) {
        sight->statuses[i] = TRM_ERROR_TIMEOUT;
        return;
    }
    sight->failed = slot;
    core_failure_describe(slot, NULL, status, &sight->failure);
}

static uint32_t look_at_all(struct sight *sight, struct core_slot **slots, uint32_t count)
{
    uint32_t ended = 0;
    for (uint32_t i = 0; i < count; i++) {
        look(sight, i, slots[i], core_slot_poll(slots[i]));
        ended += sight->statuses[i] != TRM_ERROR_TIMEOUT;
    }
    return ended;
}

/* Sleep until one of the candidates has ended, or until a deadline. Without the lock. */
static void watch_for(struct sight *sight, struct core_slot **slots, uint32_t count, uint64_t deadline)
{
    if (count == 1) {
        look(sight, 0, slots[0], core_slot_wait(slots[0], deadline));
        return;
    }
    if (look_at_all(sight, slots, count) > 0)
        return;
    core_slots_wait_any(slots, count, deadline);
    /* Of a token that failed the rest may still be to come: so that this does not spin, the oldest is waited for then. */
    if (look_at_all(sight, slots, count) == 0 && base_now() < deadline)
        look(sight, 0, slots[0], core_slot_wait(slots[0], deadline));
}

/* With the lock. 1: the slot's work has ended. */
static int32_t note_ended(struct core_slot *slot, const struct sight *sight, uint32_t i)
{
    if (sight->statuses[i] == TRM_ERROR_TIMEOUT)
        return 0;
    if (sight->failed == slot)
        slot->failure = sight->failure;
    core_queue_move(slot, CORE_PLACE_ENDED);
    return 1;
}

/* Wait for one of the candidates: a slice, or until a deadline. With the lock, which is let go meanwhile.
 * TRM_OK: look again; CORE_TAKE_FAILED: a token has taken too long; TIMEOUT: the caller's time is over. */
static int32_t watch(struct take *take, struct core_slot **slots, uint32_t count)
{
    struct sight sight;
    int32_t ended     = 0;
    uint64_t deadline = core_slice(take->deadline);
    /* Out of order a token that is submitted from now on may be through before all of these, and nothing wakes this thread. */
    if (is_unordered(take) && count < take->queue->depth)
        deadline = earlier(deadline, base_now() + NEWCOMER_NS);
    for (uint32_t i = 0; i < count; i++)
        deadline = earlier(deadline, token_deadline(slots[i]));
    flush_held_back(take);

    pthread_mutex_unlock(&take->pipeline->lock);
    sight.failed = NULL;
    watch_for(&sight, slots, count, deadline);
    pthread_mutex_lock(&take->pipeline->lock);

    for (uint32_t i = 0; i < count; i++)
        ended += note_ended(slots[i], &sight, i);
    if (ended > 0)
        return TRM_OK;
    uint64_t now = base_now();
    for (uint32_t i = 0; i < count; i++) {
        if (now < token_deadline(slots[i]) || core_queue_entry(slots[i])->cancelled)
            continue;
        time_out(take, slots[i]);
        return CORE_TAKE_FAILED;
    }
    return now < take->deadline ? TRM_OK : TRM_ERROR_TIMEOUT;
}

/* ---- when nothing is under way: with the lock ---- */

static int32_t is_over(const struct core_pipeline_queue *queue)
{
    const uint32_t *places = queue->places;
    return queue->source_ended &&
           places[CORE_PLACE_LOADING] + places[CORE_PLACE_FILLED] + places[CORE_PLACE_ENQUEUING] == 0;
}

/* Without the taker's part meanwhile, which others may need to mend what failed. */
static int32_t sleep_changed(struct take *take)
{
    struct core_pipeline_queue *queue = take->queue;
    core_taker_leave(take->pipeline);
    int32_t woken  = core_sleep(take->pipeline, &queue->changed, &queue->change_waiters, take->deadline);
    take->is_taker = core_taker_claim(take->pipeline, take->deadline) == TRM_OK;
    return take->is_taker && (woken || base_now() < take->deadline) ? TRM_OK : TRM_ERROR_TIMEOUT;
}

/* TRM_OK: look again. */
static int32_t nothing_there(struct take *take)
{
    struct core_pipeline_queue *queue = take->queue;
    int32_t enqueuing                 = queue->places[CORE_PLACE_ENQUEUING] > 0;
    if (queue->mode == CORE_SERVING) {
        if (queue->stop == CORE_DRAINING && !enqueuing)
            return base_failure_raise(&queue->cause);
        return queue->over && !enqueuing ? TRM_TOKEN_END : sleep_changed(take);
    }
    if (is_over(queue))
        return TRM_TOKEN_END;
    if (queue->workers > 0 || queue->filling || queue->source_ended)
        return sleep_changed(take);
    if (queue->places[CORE_PLACE_FREE] > 0)
        return CORE_TAKE_FILL;
    if (queue->places[CORE_PLACE_ABANDONED] == 0)
        return sleep_changed(take);
    if (core_reap(take->pipeline, take->deadline) > 0 || base_now() < take->deadline)
        return TRM_OK;
    return TRM_ERROR_TIMEOUT;
}

/* ---- a token ---- */

/* The oldest one that has ended and may be given out. With the lock. */
static struct core_slot *ended_slot(const struct take *take)
{
    struct core_slot *slot = take->queue->ordered.first;
    if (!is_unordered(take))
        return slot != NULL && core_slot_place(slot) == CORE_PLACE_ENDED ? slot : NULL;
    while (slot != NULL && core_slot_place(slot) != CORE_PLACE_ENDED)
        slot = slot->next;
    return slot;
}

/* Must the device be mended before this token's failure can be told? Where results are out of order, or others are to go
 * on, it has to be found out first which of those that failed was the cause. With the lock. */
static int32_t needs_mending(const struct take *take, struct core_slot *slot)
{
    if (core_queue_entry(slot)->is_final || slot->failure.status == TRM_ERROR_DEVICE_LOST)
        return 0;
    return take->pipeline->desc.on_failure != TRM_FAILURE_STOP || is_unordered(take);
}

/* With the lock. */
static int32_t give(struct take *take, struct core_slot *slot, struct core_slot **given)
{
    struct core_queue_entry *entry = core_queue_entry(slot);
    core_list_remove(&take->queue->ordered, slot);
    if (slot->failure.status == TRM_OK) {
        core_queue_move(slot, take->place);
        *given = slot;
        return TRM_OK;
    }
    *take->failure = slot->failure;
    core_failure_note(slot, entry->answer == TRM_OK && !entry->is_final);
    core_queue_retire(slot, slot->failure.status, entry->answer == TRM_OK);
    return CORE_TAKE_FAILED;
}

/* With the lock, which is let go meanwhile, and the taker's part. TRM_OK: look again. */
static int32_t mend(struct take *take)
{
    pthread_mutex_unlock(&take->pipeline->lock);
    int32_t status = core_failure_mend(take->pipeline, take->deadline);
    pthread_mutex_lock(&take->pipeline->lock);
    if (status != TRM_ERROR_TIMEOUT || base_remaining(take->deadline) > 0)
        return TRM_OK;
    return TRM_ERROR_TIMEOUT;
}

static int32_t wants_mending(const struct take *take)
{
    return take->queue->dirty == CORE_DIRTY_KNOWN ||
           (take->queue->dirty == CORE_DIRTY && take->pipeline->desc.on_failure != TRM_FAILURE_STOP);
}

/* One step towards a token; TRM_OK with nothing given: look again. */
static int32_t step(struct take *take, struct core_slot **given)
{
    struct core_slot *slots[CORE_DEPTH_MOST];
    int32_t status = may_take(take);
    if (status != TRM_OK)
        return status;
    if (take->queue->stop != CORE_STOPPED && take->queue->ordered.first != NULL && wants_mending(take))
        return mend(take);
    struct core_slot *slot = ended_slot(take);
    if (slot != NULL && slot->failure.status != TRM_OK && needs_mending(take, slot)) {
        if (take->queue->dirty == CORE_CLEAN)
            take->queue->dirty = CORE_DIRTY;
        return mend(take);
    }
    if (slot != NULL)
        return give(take, slot, given);
    uint32_t count = candidates(take, slots);
    return count > 0 ? watch(take, slots, count) : nothing_there(take);
}

int32_t core_take(struct core_pipeline *pipeline, int32_t place, uint64_t deadline, struct core_slot **slot,
                  struct base_failure *failure)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    struct take take                  = {
                         .pipeline = pipeline,
                         .queue    = queue,
                         .place    = place,
                         .deadline = deadline,
                         .failure  = failure,
    };
    *slot = NULL;
    pthread_mutex_lock(&pipeline->lock);
    take.epoch     = queue->epoch;
    int32_t status = core_taker_claim(pipeline, deadline);
    take.is_taker  = status == TRM_OK;
    while (status == TRM_OK && *slot == NULL) {
        core_failure_drop(pipeline, queue->stop == CORE_STOPPED);
        status = step(&take, slot);
    }
    if (status == CORE_TAKE_FAILED && queue->stop == CORE_STOPPED)
        queue->told = 1;
    if (take.is_taker) {
        core_failure_drop(pipeline, queue->stop == CORE_STOPPED);
        core_taker_leave(pipeline);
    }
    pthread_mutex_unlock(&pipeline->lock);
    if (status == TRM_ERROR_TIMEOUT)
        return base_fail_static(TRM_ERROR_TIMEOUT, "no token came through in time");
    return status;
}
