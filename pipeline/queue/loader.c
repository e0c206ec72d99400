/* Loading: calls the source, in the thread that runs the pipeline or in loaders, whose results are put in
 * order.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "pipeline/queue/queue.h"

/* Sources of programs run on it. */
#define STACK_BYTES (1u << 20)

static int32_t call_source(struct pipeline_slot *slot)
{
    base_error_clear();
    return pipeline_source_fill(&slot->front->queue->source, &slot->token);
}

/* Calls the source, or copies the token that was read ahead. The thread of a run without loaders is marked
 * while the run lasts. */
static int32_t fill(struct pipeline_slot *slot, const struct pipeline_ahead_place *place)
{
    const struct pipeline_queue *queue = slot->front->queue;
    struct pipeline_calling calling;
    if (place != NULL)
        return pipeline_ahead_hand_over(place, slot);
    if (atomic_load_explicit(&queue->mode, memory_order_relaxed) == PIPELINE_RUNNING && queue->workers == 0)
        return call_source(slot);
    pipeline_calling_push(&calling, slot->front, false);
    int32_t answer = call_source(slot);
    pipeline_calling_pop(&calling);
    return answer;
}

int32_t pipeline_load(struct pipeline_slot *slot, const struct pipeline_ahead_place *place)
{
    struct pipeline_queue *queue = slot->front->queue;
    pipeline_slot_prepare(slot);
    pipeline_queue_entry(slot)->output = pipeline_sink_address(&queue->sink, slot->token.index);
    bool is_timed                      = pipeline_queue_is_timed(slot);
    bool is_long =
        is_timed && atomic_load_explicit(&queue->load_took, memory_order_relaxed) > PIPELINE_LONG_END_NS;
    uint64_t ran     = is_long ? base_thread_time() : 0;
    slot->sink_begin = 0;
    slot->sink_ran   = 0;
    slot->load_begin = is_timed ? base_now() : 0;

    int32_t answer = fill(slot, place);

    slot->load_end = is_timed ? base_now() : 0;
    slot->load_ran = is_long ? base_thread_time() - ran : 0;
    if (is_timed)
        atomic_store_explicit(&queue->load_took, slot->load_end - slot->load_begin, memory_order_relaxed);
    if (answer > TRM_TOKEN_SKIP)
        answer =
            base_fail(TRM_ERROR_INVALID_ARGUMENT, "the source returned %d, which is not a status", answer);
    if (answer < 0)
        pipeline_failure_name(slot, "load", answer);
    return answer;
}

void pipeline_load_dispose(struct pipeline_slot *slot, int32_t answer)
{
    struct pipeline *pipeline          = slot->front;
    struct pipeline_queue *queue       = pipeline->queue;
    struct pipeline_queue_entry *entry = pipeline_queue_entry(slot);
    if (answer == TRM_TOKEN_END) {
        queue->has_source_ended = true;
        pipeline_queue_free(slot);
    } else if (answer == TRM_TOKEN_SKIP) {
        pipeline_queue_retire(slot, TRM_TOKEN_SKIP, false);
    } else {
        /* Reported at its turn, after the tokens before it. */
        entry->answer   = answer;
        entry->is_final = true;
        pipeline_queue_move(slot, PIPELINE_SLOT_ENDED);
        pipeline_list_append(&queue->ordered, slot);
        if (pipeline->desc.on_failure != TRM_FAILURE_SKIP)
            queue->has_source_ended = true;
    }
    if (queue->has_source_ended)
        pipeline_queue_wake_all(queue);
    else
        pipeline_queue_wake_changed(queue);
}

static bool has_ended_loading(const struct pipeline_queue *queue)
{
    return queue->has_source_ended || queue->stop != PIPELINE_GOING || queue->is_closing ||
           queue->fault.status != TRM_OK;
}

struct pipeline_slot *pipeline_load_pop(struct pipeline *pipeline, bool *has_ended)
{
    struct pipeline_queue *queue = pipeline->queue;
    *has_ended                   = has_ended_loading(queue);
    /* The source may be closing, without the lock. */
    if (*has_ended || pipeline_ahead_is(pipeline, PIPELINE_AHEAD_FILLING))
        return NULL;
    uint64_t count             = queue->source.desc.count;
    struct pipeline_slot *slot = pipeline_queue_pop(pipeline, PIPELINE_SLOT_LOADING);
    if (slot == NULL)
        pipeline_ahead_wait(pipeline);
    if (slot != NULL && count != 0 && queue->next_index == count)
        queue->has_source_ended = true;
    return slot;
}

/* ---- loaders -------------------------------------------------------------------------------- */

/* Submits filled slots as far as it is their turn; one loader does so for all. With the lock, released
 * meanwhile. */
static void submit_in_order(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    if (queue->is_submitting)
        return;
    queue->is_submitting = true;
    for (;;) {
        struct pipeline_slot **next = &queue->filled[queue->turn % PIPELINE_DEPTH_MOST];
        struct pipeline_slot *slot  = *next;
        if (slot == NULL)
            break;
        *next          = NULL;
        int32_t answer = pipeline_queue_entry(slot)->answer;
        if (slot->token.index >= queue->end_index) {
            pipeline_queue_free(slot);
        } else if (answer != TRM_OK) {
            pipeline_load_dispose(slot, answer);
        } else {
            base_biased_lock_release(&pipeline->lock);
            pipeline_submit(slot, false);
        }
        queue->turn++;
    }
    queue->is_submitting = false;
}

/* Members of tests have no device. */
static int32_t node_of_member(const struct pipeline *member)
{
    return member->device != NULL ? member->device->numa_node : BASE_NUMA_NONE;
}

/* Goes where the memory of the slot is. Where loading is short it takes less than going there. */
static void follow(const struct pipeline_slot *slot)
{
    uint64_t took = atomic_load_explicit(&slot->front->queue->load_took, memory_order_relaxed);
    if (took > PIPELINE_LONG_END_NS)
        base_numa_run_on(node_of_member(slot->pipeline));
}

/* With the lock, released meanwhile. */
static void load_one(struct pipeline_slot *slot)
{
    struct pipeline *pipeline          = slot->front;
    struct pipeline_queue *queue       = pipeline->queue;
    int32_t answer                     = TRM_TOKEN_END;
    struct pipeline_ahead_place *place = pipeline_ahead_take(slot);
    if (slot->token.index < queue->end_index) {
        base_biased_lock_release(&pipeline->lock);
        follow(slot);
        answer = pipeline_load(slot, place);
        base_biased_lock_acquire(&pipeline->lock);
        if (place == NULL)
            pipeline_ahead_learn(pipeline, slot->load_end - slot->load_begin);
    }
    if (place != NULL)
        pipeline_ahead_release(pipeline, place);
    if (answer == TRM_TOKEN_END) {
        if (slot->token.index < queue->end_index)
            queue->end_index = slot->token.index;
        queue->has_source_ended = true;
        pipeline_queue_wake_all(queue);
    }
    if (answer < 0 && pipeline->desc.on_failure != TRM_FAILURE_SKIP)
        queue->has_source_ended = true;
    pipeline_queue_entry(slot)->answer = answer;
    pipeline_queue_move(slot, PIPELINE_SLOT_FILLED);
    queue->filled[slot->token.index % PIPELINE_DEPTH_MOST] = slot;
    submit_in_order(pipeline);
}

/* The node of all devices of the pipeline. */
static int32_t node_of(const struct pipeline *pipeline)
{
    int32_t node = node_of_member(pipeline->members[0]);
    for (uint32_t i = 1; i < pipeline->member_count; i++)
        if (node_of_member(pipeline->members[i]) != node)
            return BASE_NUMA_NONE;
    return node;
}

static void *loader(void *argument)
{
    struct pipeline *pipeline    = argument;
    struct pipeline_queue *queue = pipeline->queue;
    bool has_ended               = false;
    base_numa_run_on(node_of(pipeline));
    base_biased_lock_acquire(&pipeline->lock);
    while (!has_ended) {
        struct pipeline_slot *slot = pipeline_load_pop(pipeline, &has_ended);
        if (slot != NULL)
            load_one(slot);
        else if (has_ended || pipeline_ahead_read(pipeline) ||
                 pipeline_fresh_make_room(pipeline, PIPELINE_FRESH_SPARE_NEWEST))
            continue;
        else
            pipeline_fresh_wait(pipeline, BASE_NEVER);
    }
    queue->working--;
    pipeline_queue_wake_all(queue);
    base_biased_lock_release(&pipeline->lock);
    return NULL;
}

/* Gives slots the tokens that were read ahead, also while all loaders are inside the source. */
static void *feeder(void *argument)
{
    struct pipeline *pipeline    = argument;
    struct pipeline_queue *queue = pipeline->queue;
    bool has_ended               = false;
    base_numa_run_on(node_of(pipeline));
    base_biased_lock_acquire(&pipeline->lock);
    while (!has_ended) {
        bool is_ready              = pipeline_ahead_is(pipeline, PIPELINE_AHEAD_READY);
        struct pipeline_slot *slot = is_ready ? pipeline_load_pop(pipeline, &has_ended) : NULL;
        has_ended                  = has_ended || (slot == NULL && has_ended_loading(queue));
        if (slot != NULL)
            load_one(slot);
        else if (!has_ended && queue->slots_in[PIPELINE_SLOT_ABANDONED] > 0 && is_ready)
            pipeline_reap(pipeline, BASE_NEVER);
        else if (!has_ended)
            pipeline_sleep(pipeline, &queue->freed, &queue->free_waiters, BASE_NEVER);
    }
    queue->working--;
    pipeline_queue_wake_all(queue);
    base_biased_lock_release(&pipeline->lock);
    return NULL;
}

static int32_t start(struct pipeline *pipeline, void *(*run)(void *), pthread_t *thread)
{
    int32_t status = base_thread_start(run, pipeline, STACK_BYTES, "trm-loader", thread);
    if (status == TRM_OK)
        pipeline->queue->working++;
    return status;
}

int32_t pipeline_loaders_start(struct pipeline *pipeline)
{
    struct pipeline_queue *queue = pipeline->queue;
    uint32_t wanted              = queue->source.desc.workers;
    int32_t status               = TRM_OK;
    if (wanted > PIPELINE_DEPTH_MOST)
        wanted = PIPELINE_DEPTH_MOST;
    if (wanted > 1 && queue->source.in_order)
        wanted = 1;
    base_biased_lock_acquire(&pipeline->lock);
    for (uint32_t i = 0; i < wanted && status == TRM_OK; i++) {
        status = start(pipeline, loader, &queue->worker_threads[i]);
        queue->workers += status == TRM_OK;
    }
    /* Without the feeder the loaders do its work between two tokens. */
    if (queue->workers > 0 && queue->ahead.places != NULL)
        queue->has_feeder = start(pipeline, feeder, &queue->feeder_thread) == TRM_OK;
    /* Fewer loaders than wanted do the same work. */
    if (queue->workers > 0)
        status = TRM_OK;
    base_biased_lock_release(&pipeline->lock);
    return status;
}

bool pipeline_loaders_join(struct pipeline *pipeline, uint64_t deadline)
{
    struct pipeline_queue *queue = pipeline->queue;
    while (queue->working > 0) {
        if (!pipeline_sleep(pipeline, &queue->quiet, &queue->quiet_waiters, deadline) && queue->working > 0)
            return false;
    }
    uint32_t count    = queue->workers;
    bool has_feeder   = queue->has_feeder;
    queue->workers    = 0;
    queue->has_feeder = false;
    base_biased_lock_release(&pipeline->lock);
    for (uint32_t i = 0; i < count; i++)
        pthread_join(queue->worker_threads[i], NULL);
    if (has_feeder)
        pthread_join(queue->feeder_thread, NULL);
    base_biased_lock_acquire(&pipeline->lock);
    return true;
}
