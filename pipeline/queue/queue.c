/* States of slots, the lists through them, and the end of tokens.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/queue/queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

static const char *const state_names[CORE_SLOT_STATES] = {
    [CORE_SLOT_FREE]      = "free",
    [CORE_SLOT_HELD]      = "held",
    [CORE_SLOT_LOADING]   = "loading",
    [CORE_SLOT_FILLED]    = "filled",
    [CORE_SLOT_ENQUEUING] = "enqueuing",
    [CORE_SLOT_SUBMITTED] = "submitted",
    [CORE_SLOT_ENDED]     = "ended",
    [CORE_SLOT_SINK]      = "with the sink",
    [CORE_SLOT_OUT]       = "with the program",
    [CORE_SLOT_ABANDONED] = "abandoned",
};

#define TO(state) (1u << CORE_SLOT_##state)

/* The states that may follow each state. */
static const uint32_t legal_moves[CORE_SLOT_STATES] = {
    [CORE_SLOT_FREE]      = TO(HELD) | TO(LOADING),
    [CORE_SLOT_HELD]      = TO(FILLED) | TO(FREE),
    [CORE_SLOT_LOADING]   = TO(FILLED) | TO(ENQUEUING) | TO(ENDED) | TO(FREE),
    [CORE_SLOT_FILLED]    = TO(ENQUEUING) | TO(ENDED) | TO(FREE),
    [CORE_SLOT_ENQUEUING] = TO(SUBMITTED) | TO(ABANDONED),
    [CORE_SLOT_SUBMITTED] = TO(ENDED) | TO(ABANDONED),
    [CORE_SLOT_ENDED]     = TO(ENQUEUING) | TO(SINK) | TO(OUT) | TO(FREE),
    [CORE_SLOT_SINK]      = TO(FREE),
    [CORE_SLOT_OUT]       = TO(SINK) | TO(FREE),
    [CORE_SLOT_ABANDONED] = TO(FREE),
};

static const char *state_name(int32_t state)
{
    return state >= 0 && state < CORE_SLOT_STATES ? state_names[state] : "nowhere";
}

static void move(struct core_slot *slot, int32_t state, uint64_t token)
{
    struct core_pipeline_queue *queue = slot->pipeline->queue;
    int32_t from                      = core_slot_state(slot);
    if (from < 0 || from >= CORE_SLOT_STATES || state < 0 || state >= CORE_SLOT_STATES ||
        (legal_moves[from] >> state & 1) == 0) {
        if (queue->fault.status == TRM_OK) {
            queue->fault.status = TRM_ERROR_INTERNAL;
            snprintf(queue->fault.sentence, sizeof(queue->fault.sentence),
                     "slot %" PRIu32 " of the pipeline was to go from \"%s\" to \"%s\"", slot->index,
                     state_name(from), state_name(state));
            core_queue_wake_all(queue);
        }
        return;
    }
    queue->slots_in[from]--;
    queue->slots_in[state]++;
    atomic_store(&slot->place, CORE_PLACE(state, token));
    /* Threads that wait for a slot, or for all of them, wait for the end of its work from now on. */
    if (state == CORE_SLOT_ABANDONED)
        core_queue_wake_all(queue);
}

void core_queue_move(struct core_slot *slot, int32_t state)
{
    move(slot, state, core_place_token(atomic_load_explicit(&slot->place, memory_order_relaxed)));
}

/* ---- lists ---------------------------------------------------------------------------------- */

void core_list_append(struct core_slot_list *list, struct core_slot *slot)
{
    slot->next = NULL;
    if (list->last != NULL)
        list->last->next = slot;
    else
        list->first = slot;
    list->last = slot;
}

void core_list_remove(struct core_slot_list *list, struct core_slot *slot)
{
    struct core_slot *before = NULL;
    struct core_slot *at     = list->first;
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

struct core_slot *core_queue_pop(struct core_pipeline *pipeline, int32_t state)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    struct core_slot *slot            = queue->free.first;
    if (slot == NULL)
        return NULL;
    queue->free.first = slot->next;
    if (slot->next == NULL)
        queue->free.last = NULL;
    slot->next        = NULL;
    slot->token.index = queue->next_index++;
    move(slot, state, slot->token.index);
    queue->entries[slot->index] =
        (struct core_queue_entry){.is_being_read = queue->entries[slot->index].is_being_read};
    return slot;
}

void core_queue_free(struct core_slot *slot)
{
    struct core_pipeline_queue *queue = slot->pipeline->queue;
    core_queue_move(slot, CORE_SLOT_FREE);
    core_list_append(&queue->free, slot);
    core_queue_wake_free(queue);
    if (queue->quiet_waiters > 0)
        pthread_cond_broadcast(&queue->quiet);
    /* A thread that reads results of a source fills free slots, and must notice the last one. */
    if (queue->mode != CORE_SERVING)
        core_queue_wake_changed(queue);
}

void core_queue_adopt(struct core_pipeline *pipeline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    uint32_t depth                    = atomic_load(&pipeline->depth);
    for (; queue->depth < depth; queue->depth++) {
        struct core_slot *slot = pipeline->slots[queue->depth];
        atomic_store_explicit(&slot->place, CORE_PLACE(CORE_SLOT_FREE, 0), memory_order_relaxed);
        queue->slots_in[CORE_SLOT_FREE]++;
        core_list_append(&queue->free, slot);
        core_queue_wake_free(queue);
    }
}

struct core_slot *core_queue_find(const struct core_pipeline *pipeline, const struct trm_token *token)
{
    uint32_t depth = pipeline->queue->depth;
    for (uint32_t i = 0; i < depth; i++) {
        if (&pipeline->slots[i]->token == token)
            return pipeline->slots[i];
    }
    return NULL;
}

uint32_t core_queue_in_flight(const struct core_pipeline_queue *queue)
{
    const uint32_t *slots_in = queue->slots_in;
    return slots_in[CORE_SLOT_LOADING] + slots_in[CORE_SLOT_FILLED] + slots_in[CORE_SLOT_ENQUEUING] +
           slots_in[CORE_SLOT_SUBMITTED] + slots_in[CORE_SLOT_ENDED] + slots_in[CORE_SLOT_SINK] +
           slots_in[CORE_SLOT_ABANDONED];
}

/* ---- the end of a token --------------------------------------------------------------------- */

void core_queue_times(struct core_slot *slot, int32_t status, bool has_run, struct core_token_times *times)
{
    memset(times, 0, sizeof(*times));
    times->index                 = slot->token.index;
    times->slot                  = slot->index;
    times->status                = status;
    times->begin[TRM_STAGE_LOAD] = slot->load_begin;
    times->end[TRM_STAGE_LOAD]   = slot->load_end;
    times->begin[TRM_STAGE_SINK] = slot->sink_begin;
    times->end[TRM_STAGE_SINK]   = slot->sink_begin != 0 ? base_now() : 0;
    times->load_ran              = slot->load_ran;
    times->sink_ran              = slot->sink_ran;
    if (!has_run)
        return;
    core_slot_times(slot, times);
    core_slot_bytes(slot, &times->bytes_up, &times->bytes_down);
}

void core_queue_note(struct core_slot *slot, const struct core_token_times *times)
{
    core_measure_token(slot->pipeline->measure, times);
}

void core_queue_retire(struct core_slot *slot, int32_t status, bool has_run)
{
    struct core_token_times times;
    core_queue_times(slot, status, has_run, &times);
    core_queue_note(slot, &times);
    core_queue_free(slot);
}

/* Frees the slot before the stamps of its token are read, so that no thread waits for that. */
static void free_and_read(struct core_slot *slot, struct core_token_times *times)
{
    struct core_pipeline *pipeline    = slot->pipeline;
    struct core_pipeline_queue *queue = pipeline->queue;
    pthread_mutex_lock(&pipeline->lock);
    core_queue_entry(slot)->is_being_read = true;
    core_queue_free(slot);
    pthread_mutex_unlock(&pipeline->lock);
    core_slot_times(slot, times);
    pthread_mutex_lock(&pipeline->lock);
    core_queue_note(slot, times);
    core_queue_entry(slot)->is_being_read = false;
    if (queue->quiet_waiters > 0)
        pthread_cond_broadcast(&queue->quiet);
}

void core_queue_wait_read(struct core_slot *slot)
{
    struct core_pipeline *pipeline    = slot->pipeline;
    struct core_pipeline_queue *queue = pipeline->queue;
    while (core_queue_entry(slot)->is_being_read)
        core_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, BASE_NEVER);
}

void core_queue_finish(struct core_slot *slot)
{
    struct core_pipeline *pipeline    = slot->pipeline;
    struct core_pipeline_queue *queue = pipeline->queue;
    struct core_token_times times;
    core_queue_times(slot, TRM_OK, false, &times);
    core_slot_bytes(slot, &times.bytes_up, &times.bytes_down);

    if (core_slot_is_stamped(slot)) {
        free_and_read(slot, &times);
    } else {
        core_slot_times(slot, &times);
        pthread_mutex_lock(&pipeline->lock);
        core_queue_note(slot, &times);
        core_queue_free(slot);
    }
    bool grows = !queue->is_growing && core_engine_wants_slot(pipeline);
    if (grows)
        queue->is_growing = true;
    pthread_mutex_unlock(&pipeline->lock);
    if (!grows)
        return;

    /* Without memory for another slot the pipeline goes on as it is. */
    struct base_saved_error saved;
    base_error_save(&saved);
    if (core_engine_grow(pipeline) != TRM_OK)
        base_error_restore(&saved);
    pthread_mutex_lock(&pipeline->lock);
    queue->is_growing = false;
    core_queue_adopt(pipeline);
    if (queue->quiet_waiters > 0)
        pthread_cond_broadcast(&queue->quiet);
    pthread_mutex_unlock(&pipeline->lock);
}

/* ---- waking --------------------------------------------------------------------------------- */

void core_queue_wake_free(struct core_pipeline_queue *queue)
{
    if (queue->free_waiters > 0)
        pthread_cond_signal(&queue->freed);
}

void core_queue_wake_changed(struct core_pipeline_queue *queue)
{
    if (queue->change_waiters > 0)
        pthread_cond_broadcast(&queue->changed);
}

void core_queue_wake_all(struct core_pipeline_queue *queue)
{
    if (queue->free_waiters > 0)
        pthread_cond_broadcast(&queue->freed);
    if (queue->change_waiters > 0)
        pthread_cond_broadcast(&queue->changed);
    if (queue->quiet_waiters > 0)
        pthread_cond_broadcast(&queue->quiet);
}

/* ---- the object ----------------------------------------------------------------------------- */

int32_t core_queue_create(struct core_pipeline *pipeline)
{
    struct core_pipeline_queue *queue = core_allocate(pipeline->object.context, sizeof(*queue));
    if (queue == NULL)
        return base_fail_memory("making the queues of a pipeline");
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->freed, &attributes);
    pthread_cond_init(&queue->changed, &attributes);
    pthread_cond_init(&queue->leader_left, &attributes);
    pthread_cond_init(&queue->quiet, &attributes);
    pthread_condattr_destroy(&attributes);
    queue->source.file = -1;
    queue->sink.file   = -1;
    pipeline->queue    = queue;
    core_queue_adopt(pipeline);
    return TRM_OK;
}

void core_queue_destroy(struct core_pipeline *pipeline)
{
    struct core_pipeline_queue *queue = pipeline->queue;
    if (queue == NULL)
        return;
    pthread_cond_destroy(&queue->quiet);
    pthread_cond_destroy(&queue->leader_left);
    pthread_cond_destroy(&queue->changed);
    pthread_cond_destroy(&queue->freed);
    core_free(pipeline->object.context, queue, sizeof(*queue));
    pipeline->queue = NULL;
}
