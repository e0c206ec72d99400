/* States of slots, the lists through them, and the end of tokens.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/queue/queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "core/stream/stream.h"

static const char *const state_names[PIPELINE_SLOT_STATES] = {
    [PIPELINE_SLOT_FREE]      = "free",
    [PIPELINE_SLOT_HELD]      = "held",
    [PIPELINE_SLOT_LOADING]   = "loading",
    [PIPELINE_SLOT_FILLED]    = "filled",
    [PIPELINE_SLOT_ENQUEUING] = "enqueuing",
    [PIPELINE_SLOT_SUBMITTED] = "submitted",
    [PIPELINE_SLOT_ENDED]     = "ended",
    [PIPELINE_SLOT_SINK]      = "with the sink",
    [PIPELINE_SLOT_OUT]       = "with the program",
    [PIPELINE_SLOT_ABANDONED] = "abandoned",
};

#define TO(state) (1u << PIPELINE_SLOT_##state)

/* Where a token is no more that was submitted. */
#define TO_OUTSIDE (TO(FREE) | TO(SINK) | TO(OUT) | TO(ABANDONED))

/* The states that may follow each state. */
static const uint32_t legal_moves[PIPELINE_SLOT_STATES] = {
    [PIPELINE_SLOT_FREE]      = TO(HELD) | TO(LOADING),
    [PIPELINE_SLOT_HELD]      = TO(FILLED) | TO(FREE),
    [PIPELINE_SLOT_LOADING]   = TO(FILLED) | TO(ENQUEUING) | TO(ENDED) | TO(FREE),
    [PIPELINE_SLOT_FILLED]    = TO(ENQUEUING) | TO(ENDED) | TO(FREE),
    [PIPELINE_SLOT_ENQUEUING] = TO(SUBMITTED) | TO(ABANDONED),
    [PIPELINE_SLOT_SUBMITTED] = TO(ENDED) | TO(SINK) | TO(ABANDONED),
    [PIPELINE_SLOT_ENDED]     = TO(ENQUEUING) | TO(SINK) | TO(OUT) | TO(FREE),
    [PIPELINE_SLOT_SINK]      = TO(FREE),
    [PIPELINE_SLOT_OUT]       = TO(SINK) | TO(FREE),
    [PIPELINE_SLOT_ABANDONED] = TO(FREE),
};

static const char *state_name(int32_t state)
{
    return state >= 0 && state < PIPELINE_SLOT_STATES ? state_names[state] : "nowhere";
}

__attribute__((cold, noinline)) static void refuse_move(struct pipeline_queue *queue, uint32_t number,
                                                        int32_t from, int32_t to)
{
    if (queue->fault.status != TRM_OK)
        return;
    queue->fault.status = TRM_ERROR_INTERNAL;
    snprintf(queue->fault.sentence, sizeof(queue->fault.sentence),
             "slot %" PRIu32 " of the pipeline was to go from \"%s\" to \"%s\"", number, state_name(from),
             state_name(to));
    pipeline_queue_wake_all(queue);
}

/* Whether a source that waits may go on now that a token came out: where fewer slots may be in use than there
 * are, or where it waits for a device, as it does only while tokens are in flight (members.c). */
static inline bool lets_load(const struct pipeline *pipeline, int32_t state)
{
    const struct pipeline_queue *queue = pipeline->queue;
    if (state != PIPELINE_SLOT_SINK && state != PIPELINE_SLOT_OUT)
        return false;
    return pipeline_queue_is_limited(queue) ||
           (state == PIPELINE_SLOT_OUT && pipeline->member_count > 1 && pipeline_queue_in_flight(queue) == 0);
}

static inline void move(struct pipeline_slot *slot, int32_t state, uint64_t token)
{
    struct pipeline_queue *queue = slot->front->queue;
    int32_t from                 = pipeline_slot_state(slot);
    if (UNLIKELY(from < 0 || from >= PIPELINE_SLOT_STATES || state < 0 || state >= PIPELINE_SLOT_STATES ||
                 (legal_moves[from] >> state & 1) == 0)) {
        refuse_move(queue, slot->number, from, state);
        return;
    }
    queue->slots_in[from]--;
    queue->slots_in[state]++;
    /* An observer that sees later changes of the token's points sees this one too. A stronger order would
     * cost a token a twentieth of its time. */
    atomic_store_explicit(&slot->place, PIPELINE_PLACE(state, token), memory_order_release);
    if ((TO_OUTSIDE >> state & 1) != 0 && pipeline_queue_entry(slot)->signals != NULL)
        pipeline_token_signal(slot);
    /* Threads that wait for a slot, or for all of them, wait for the end of its work from now on. */
    if (state == PIPELINE_SLOT_ABANDONED)
        pipeline_queue_wake_all(queue);
    else if (lets_load(slot->front, state))
        pipeline_queue_wake_free(queue);
}

void pipeline_queue_move(struct pipeline_slot *slot, int32_t state)
{
    move(slot, state, pipeline_place_token(atomic_load_explicit(&slot->place, memory_order_relaxed)));
}

/* ---- lists ---------------------------------------------------------------------------------- */

void pipeline_list_append(struct pipeline_slot_list *list, struct pipeline_slot *slot)
{
    slot->next = NULL;
    if (list->last != NULL)
        list->last->next = slot;
    else
        list->first = slot;
    list->last = slot;
}

static void prepend(struct pipeline_slot_list *list, struct pipeline_slot *slot)
{
    slot->next  = list->first;
    list->first = slot;
    if (list->last == NULL)
        list->last = slot;
}

void pipeline_list_remove(struct pipeline_slot_list *list, struct pipeline_slot *slot)
{
    struct pipeline_slot *before = NULL;
    struct pipeline_slot *at     = list->first;
    while (at != NULL && at != slot) {
        before = at;
        at     = at->next;
    }
    if (at == NULL)
        return;
    if (before != NULL)
        before->next = slot->next;
    else
        list->first = slot->next;
    if (list->last == slot)
        list->last = before;
    slot->next = NULL;
}

/* ---- free slots ----------------------------------------------------------------------------- */

/* The list has one. A slot that rests is taken where there is no other. */
static struct pipeline_slot *find_free(const struct pipeline_queue *queue,
                                       const struct pipeline_slot_list *list)
{
    struct pipeline_slot *slot = list->first;
    while (queue->is_of_first && slot != NULL && slot->number >= queue->slots_in_use)
        slot = slot->next;
    return slot != NULL ? slot : list->first;
}

struct pipeline_slot *pipeline_queue_take(struct pipeline *pipeline, uint32_t member, int32_t state,
                                          uint64_t index)
{
    struct pipeline_queue *queue       = pipeline->queue;
    struct pipeline_queue_member *from = &queue->members[member];
    struct pipeline_slot *slot         = find_free(queue, &from->free);
    pipeline_list_remove(&from->free, slot);
    pipeline_member_take(from);
    slot->next              = NULL;
    slot->token.index       = index;
    slot->token.deadline_ns = 0;
    slot->token.late        = 0;
    move(slot, state, index);
    queue->entries[slot->number] = (struct pipeline_queue_entry){
        .is_being_read = queue->entries[slot->number].is_being_read, .number = from->given++};
    return slot;
}

struct pipeline_slot *pipeline_queue_pop(struct pipeline *pipeline, int32_t state)
{
    uint32_t member = pipeline_members_choose(pipeline, state == PIPELINE_SLOT_LOADING);
    if (member == PIPELINE_MEMBERS_MOST)
        return NULL;
    return pipeline_queue_take(pipeline, member, state, pipeline->queue->next_index++);
}

void pipeline_queue_free(struct pipeline_slot *slot)
{
    struct pipeline_queue *queue = slot->front->queue;
    pipeline_queue_move(slot, PIPELINE_SLOT_FREE);
    if (pipeline_queue_is_limited(queue) && !queue->is_of_first)
        prepend(&pipeline_queue_member(slot)->free, slot); /* its memory is in the caches */
    else
        pipeline_list_append(&pipeline_queue_member(slot)->free, slot);
    pipeline_member_free(pipeline_queue_member(slot));
    pipeline_queue_wake_free(queue);
    if (queue->quiet_waiters > 0)
        base_condition_broadcast(&queue->quiet);
    /* A thread that reads results of a source fills free slots, and must notice the last one. */
    if (queue->mode != PIPELINE_SERVING)
        pipeline_queue_wake_changed(queue);
}

static void adopt(struct pipeline *pipeline, struct pipeline_slot *slot)
{
    struct pipeline_queue *queue = pipeline->queue;
    slot->number                 = queue->depth++;
    slot->token.slot             = slot->number;
    atomic_store_explicit(&slot->place, PIPELINE_PLACE(PIPELINE_SLOT_FREE, 0), memory_order_relaxed);
    if (slot->pipeline != pipeline) {
        pipeline->slots[slot->number] = slot;
        atomic_store_explicit(&pipeline->depth, queue->depth, memory_order_release);
        pipeline_measure_slots(pipeline->measure, queue->depth);
        pipeline_measure_slots(slot->pipeline->measure, pipeline_queue_member(slot)->adopted);
    }
    queue->slots_in[PIPELINE_SLOT_FREE]++;
    pipeline_list_append(&pipeline_queue_member(slot)->free, slot);
    pipeline_queue_wake_free(queue);
}

void pipeline_queue_adopt(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    for (uint32_t i = 0; i < pipeline->member_count; i++) {
        const struct pipeline *member = pipeline->members[i];
        while (queue->members[i].adopted < atomic_load(&member->depth))
            adopt(pipeline, member->slots[queue->members[i].adopted++]);
    }
}

struct pipeline_slot *pipeline_queue_find(const struct pipeline *pipeline, const struct trm_token *token)
{
    uint32_t depth = pipeline->queue->depth;
    for (uint32_t i = 0; i < depth; i++) {
        if (&pipeline->slots[i]->token == token)
            return pipeline->slots[i];
    }
    return NULL;
}

uint32_t pipeline_queue_in_flight(const struct pipeline_queue *queue)
{
    const uint32_t *slots_in = queue->slots_in;
    return queue->depth - slots_in[PIPELINE_SLOT_FREE] - slots_in[PIPELINE_SLOT_HELD] -
           slots_in[PIPELINE_SLOT_OUT];
}

/* ---- the end of a token --------------------------------------------------------------------- */

static uint64_t sink_end(const struct pipeline_slot *slot)
{
    if (slot->sink_begin == 0)
        return 0;
    return slot->sink_end >= slot->sink_begin ? slot->sink_end : base_now();
}

void pipeline_queue_times(struct pipeline_slot *slot, int32_t status, bool has_run,
                          struct pipeline_token_times *times)
{
    memset(times, 0, sizeof(*times));
    times->index                 = slot->token.index;
    times->slot                  = slot->number;
    times->device                = slot->pipeline->member;
    times->status                = status;
    times->is_late               = pipeline_queue_entry(slot)->is_late;
    times->begin[TRM_STAGE_LOAD] = slot->load_begin;
    times->end[TRM_STAGE_LOAD]   = slot->load_end;
    times->begin[TRM_STAGE_SINK] = slot->sink_begin;
    times->end[TRM_STAGE_SINK]   = sink_end(slot);
    times->load_ran              = slot->load_ran;
    times->sink_ran              = slot->sink_ran;
    if (!has_run)
        return;
    pipeline_slot_times(slot, times);
    pipeline_slot_bytes(slot, times);
}

void pipeline_queue_note(struct pipeline_slot *slot, const struct pipeline_token_times *times)
{
    pipeline_measure_token(slot->front->measure, times);
    if (slot->pipeline != slot->front)
        pipeline_members_learn(slot, times);
}

void pipeline_queue_retire(struct pipeline_slot *slot, int32_t status, bool has_run)
{
    struct pipeline_token_times times;
    pipeline_queue_times(slot, status, has_run, &times);
    pipeline_queue_note(slot, &times);
    pipeline_queue_free(slot);
}

/* Frees the slot before the stamps of its token are read, so that no thread waits for that. */
static void free_and_read(struct pipeline_slot *slot, struct pipeline_token_times *times)
{
    struct pipeline *pipeline    = slot->front;
    struct pipeline_queue *queue = pipeline->queue;
    base_biased_lock_acquire(&pipeline->lock);
    pipeline_queue_entry(slot)->is_being_read = true;
    pipeline_queue_free(slot);
    base_biased_lock_release(&pipeline->lock);
    pipeline_slot_times(slot, times);
    base_biased_lock_acquire(&pipeline->lock);
    pipeline_queue_note(slot, times);
    pipeline_queue_entry(slot)->is_being_read = false;
    if (queue->quiet_waiters > 0)
        base_condition_broadcast(&queue->quiet);
}

void pipeline_queue_wait_read(struct pipeline_slot *slot)
{
    struct pipeline *pipeline    = slot->front;
    struct pipeline_queue *queue = pipeline->queue;
    while (pipeline_queue_entry(slot)->is_being_read)
        pipeline_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, BASE_NEVER);
}

int32_t pipeline_queue_grow(struct pipeline *member)
{
    struct pipeline *pipeline    = member->front;
    struct pipeline_queue *queue = pipeline->queue;
    queue->is_growing            = true;
    base_biased_lock_release(&pipeline->lock);
    int32_t status = pipeline_engine_grow(member);
    base_biased_lock_acquire(&pipeline->lock);
    queue->is_growing = false;
    pipeline_queue_adopt(pipeline);
    if (queue->quiet_waiters > 0)
        base_condition_broadcast(&queue->quiet);
    return status;
}

/* With the lock, which may be released meanwhile. */
static void limit_slots(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    queue->slots_in_use          = pipeline_engine_slots_in_use(pipeline, &queue->slots_rest);
    queue->is_of_first           = pipeline_engine_slots_are_first(pipeline);
    pipeline_engine_slots_tell(pipeline);
}

/* Whether nothing of the token was timed. The sink sets `sink_begin` before its end. */
static bool is_untimed(const struct pipeline_slot *slot)
{
    return slot->load_begin == 0 && slot->sink_begin == 0 && slot->pipeline == slot->front &&
           !pipeline_slot_is_measured(slot);
}

/* Takes the lock. */
static void finish_untimed(struct pipeline_slot *slot)
{
    struct pipeline *pipeline = slot->front;
    struct pipeline_token_times times;
    pipeline_slot_bytes(slot, &times);
    base_biased_lock_acquire(&pipeline->lock);
    pipeline_measure_untimed(pipeline->measure, pipeline_queue_entry(slot)->is_late, times.bytes_up,
                             times.bytes_down);
    pipeline_queue_free(slot);
}

/* The same. */
static void finish_timed(struct pipeline_slot *slot)
{
    struct pipeline *pipeline = slot->front;
    struct pipeline_token_times times;
    pipeline_queue_times(slot, TRM_OK, false, &times);
    pipeline_slot_bytes(slot, &times);

    if (pipeline_slot_is_stamped(slot)) {
        free_and_read(slot, &times);
    } else {
        pipeline_slot_times(slot, &times);
        base_biased_lock_acquire(&pipeline->lock);
        pipeline_queue_note(slot, &times);
        pipeline_queue_free(slot);
    }
}

void pipeline_queue_finish(struct pipeline_slot *slot)
{
    struct pipeline *pipeline    = slot->front;
    struct pipeline_queue *queue = pipeline->queue;
    if (is_untimed(slot))
        finish_untimed(slot);
    else
        finish_timed(slot);
    if (queue->mode != PIPELINE_SERVING && --queue->slots_rest == 0)
        limit_slots(pipeline);
    if (UNLIKELY(queue->news.kind != PIPELINE_NEWS_NONE))
        pipeline_members_tell(pipeline);
    if (!queue->is_growing && pipeline_engine_wants_slot(slot->pipeline)) {
        /* Without memory for another slot the pipeline goes on as it is. */
        struct base_saved_error saved;
        base_error_save(&saved);
        if (pipeline_queue_grow(slot->pipeline) != TRM_OK)
            base_error_restore(&saved);
    }
}

/* ---- waking --------------------------------------------------------------------------------- */

static void wake_watches(struct pipeline_queue *queue)
{
    queue->wakes++;
    for (struct pipeline_watch *watch = queue->watches; watch != NULL; watch = watch->next)
        core_waiter_wake(watch->waiter);
}

void pipeline_queue_wake_free(struct pipeline_queue *queue)
{
    wake_watches(queue);
    if (queue->free_waiters == 0)
        return;
    /* Where tokens are read ahead, not every thread can use a free slot. */
    if (queue->ahead.places != NULL)
        base_condition_broadcast(&queue->freed);
    else
        base_condition_signal(&queue->freed);
}

void pipeline_queue_wake_changed(struct pipeline_queue *queue)
{
    wake_watches(queue);
    if (queue->change_waiters > 0)
        base_condition_broadcast(&queue->changed);
}

void pipeline_queue_wake_all(struct pipeline_queue *queue)
{
    wake_watches(queue);
    if (queue->free_waiters > 0)
        base_condition_broadcast(&queue->freed);
    if (queue->change_waiters > 0)
        base_condition_broadcast(&queue->changed);
    if (queue->quiet_waiters > 0)
        base_condition_broadcast(&queue->quiet);
}

/* ---- the object ----------------------------------------------------------------------------- */

int32_t pipeline_queue_create(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = core_allocate(pipeline->object.context, sizeof(*queue));
    if (queue == NULL)
        return base_fail_memory("making the queues of a pipeline");
    queue->source.file = -1;
    queue->sink.file   = -1;
    pipeline->queue    = queue;
    pipeline_queue_adopt(pipeline);
    return TRM_OK;
}

void pipeline_queue_destroy(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    if (queue == NULL)
        return;
    core_free(pipeline->object.context, queue, sizeof(*queue));
    pipeline->queue = NULL;
}

void pipeline_queue_forget_counts(struct pipeline *pipeline)
{
    pipeline->queue->repeated = pipeline->queue->spread_tokens = 0;
    pipeline_joins_forget(pipeline);
}
