/* Which streams of a pool have work, and how long it takes.
 *
 * The times are learned for the end that a choice predicts: of what is left when a stream is given back. So a
 * sample is the time from there, or from the end of the loan before, to the end of the work, for each
 * operation. Tasks of pools over groups are predicted, and so measured, from before they are enqueued.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/pool/pool.h"

void pipeline_pool_wake_locked(struct pipeline_stream_pool *pool)
{
    if (UNLIKELY(pool->listeners != NULL))
        pipeline_pool_tell_listeners_locked(pool);
    if (pool->sleepers == 0)
        return;
    atomic_fetch_add_explicit(&pool->epoch, 1, memory_order_release);
    base_futex_wake(&pool->epoch, UINT32_MAX);
}

/* The numbers of samples are not consecutive: the loans of several streams have no common period. */
static void learn_operation_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                                   uint64_t begin, uint64_t end)
{
    uint64_t took = (end - begin) / watch->operations;
    pool->samples += 2;
    pipeline_estimate_add(
        &pool->operation,
        &(struct pipeline_sample){
            .number = pool->samples, .begin = begin, .end = end, .took = took, .is_coarse = true});
}

static void learn_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                         uint64_t now)
{
    const struct pipeline_pool_slot *slot = watch->slot;
    uint64_t begin = slot->last_end > watch->released ? slot->last_end : watch->released;
    if (watch->begun_at == UINT64_MAX)
        return;
    if (watch->begun_at > begin)
        begin = watch->begun_at;
    uint64_t end = now > begin ? now : begin;
    learn_operation_locked(pool, watch, begin, end);
    if (watch->key.what == 0)
        return;
    struct pipeline_task_model *model =
        pipeline_task_model_add(&pool->models, &watch->key, (double)(end - begin));
    model->last_end = now;
    pipeline_task_workload_add(&pool->workloads, watch->workload, watch->bytes, &watch->company,
                               (double)(end - begin), model->least);
    if (pool->strategy == TRM_STREAM_AUTO)
        pipeline_pool_trial_add(&pool->trial, model->least, now);
}

/* Only pools over groups ask for it. */
static void begin_load_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                              uint64_t ready_at)
{
    struct pipeline_task_model *model =
        watch->key.what != 0 ? pipeline_task_model_find(&pool->models, &watch->key) : NULL;
    if (model != NULL)
        model->measuring++;
    pipeline_load_begin(&pool->load, watch->released, ready_at, watch->work);
}

static void end_load_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                            uint64_t now)
{
    struct pipeline_task_model *model =
        watch->key.what != 0 ? pipeline_task_model_find(&pool->models, &watch->key) : NULL;
    if (model != NULL && model->measuring > 0)
        model->measuring--;
    pipeline_load_end(&pool->load, now, watch->work);
}

/* What is behind the work that has ended begins earlier than predicted, or later. */
static void correct_prediction(struct pipeline_pool_slot *slot, const struct pipeline_pool_watch *watch,
                               uint64_t now)
{
    slot->last_end = now;
    if (--slot->watches == 0)
        slot->predicted_end = 0;
    else
        slot->predicted_end = slot->predicted_end - watch->predicted_end + now;
}

static void settle_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch)
{
    if (--watch->pending > 0)
        return;
    watch->next = pool->spare;
    pool->spare = watch;
}

/* On any thread, perhaps under a lock of the backend's. */
static void begun(struct core_notification *notification, int32_t status)
{
    struct pipeline_pool_watch *watch = base_container_of(notification, struct pipeline_pool_watch, begun);
    struct pipeline_stream_pool *pool = watch->pool;
    uint64_t now                      = base_now();
    base_lock_acquire(&pool->lock);
    if (status == TRM_OK)
        watch->begun_at = now;
    settle_locked(pool, watch);
    base_lock_release(&pool->lock);
}

/* On any thread, perhaps under a lock of the backend's. The work of a stream ends in order, so the last watch
 * leaves the stream idle. */
static void notified(struct core_notification *notification, int32_t status)
{
    struct pipeline_pool_watch *watch =
        base_container_of(notification, struct pipeline_pool_watch, notification);
    struct pipeline_stream_pool *pool = watch->pool;
    struct pipeline_pool_slot *slot   = watch->slot;
    uint64_t now                      = base_now();
    base_lock_acquire(&pool->lock);
    if (status == TRM_OK)
        learn_locked(pool, watch, now);
    else
        slot->has_failed = true;
    correct_prediction(slot, watch, now);
    if (pool->is_member)
        end_load_locked(pool, watch, now);
    if (pool->strategy == TRM_STREAM_AUTO)
        pipeline_pool_trial_end(&pool->trial, now);
    settle_locked(pool, watch);
    pipeline_pool_wake_locked(pool);
    base_lock_release(&pool->lock);
}

static struct pipeline_pool_watch *take_spare(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    struct pipeline_pool_watch *watch = pool->spare;
    if (watch != NULL)
        pool->spare = watch->next;
    base_lock_release(&pool->lock);
    return watch != NULL ? watch : core_allocate(pool->object.context, sizeof(*watch));
}

/* Only for strategies that ask which workloads hinder each other. */
static void note_company_locked(const struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch)
{
    watch->company = (struct pipeline_task_company){.streams = 1};
    if (pool->strategy != TRM_STREAM_AUTO && pool->strategy != TRM_STREAM_WORKLOAD)
        return;
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        const struct pipeline_pool_slot *slot = &pool->slots[i];
        if (slot == watch->slot || slot->watches == 0)
            continue;
        watch->company.workloads |= 1u << slot->workload;
        watch->company.streams++;
    }
}

static uint64_t predict_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch)
{
    const struct pipeline_task_model *model =
        watch->key.what != 0 ? pipeline_task_model_find(&pool->models, &watch->key) : NULL;
    if (watch->key.what != 0)
        watch->workload = pipeline_task_workload_of(&pool->workloads, watch->workload, watch->bytes,
                                                    model != NULL ? model->least : 0);
    if (model != NULL && pipeline_model_is_known(&model->time))
        return (uint64_t)model->time.mean;
    return watch->operations * pipeline_estimate_ahead(&pool->operation, 0);
}

static void begin_watch(struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch,
                        uint64_t ready_at)
{
    struct pipeline_pool_slot *slot = watch->slot;
    base_lock_acquire(&pool->lock);
    uint64_t begin       = slot->predicted_end > watch->released ? slot->predicted_end : watch->released;
    watch->predicted_end = begin + predict_locked(pool, watch);
    slot->predicted_end  = watch->predicted_end;
    slot->workload       = watch->workload;
    note_company_locked(pool, watch);
    if (pool->is_member)
        begin_load_locked(pool, watch, ready_at);
    slot->watches++;
    if (pool->strategy == TRM_STREAM_AUTO)
        pipeline_pool_trial_begin(&pool->trial, watch->released);
    base_lock_release(&pool->lock);
}

/* core_notify() did not take the watch. */
static void drop_watch(struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch)
{
    base_lock_acquire(&pool->lock);
    if (--watch->slot->watches == 0)
        watch->slot->predicted_end = 0;
    if (pool->is_member)
        end_load_locked(pool, watch, base_now());
    if (pool->strategy == TRM_STREAM_AUTO)
        pipeline_pool_trial_end(&pool->trial, base_now());
    settle_locked(pool, watch);
    base_lock_release(&pool->lock);
}

/* Notes when the task has what it waits for. Without the notification its time is not known. */
static void watch_begin(struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch, uint64_t waited)
{
    const struct core_stream *stream = watch->slot->stream;
    if (waited == 0 || watch->key.what == 0 ||
        atomic_load_explicit(&stream->completed, memory_order_acquire) >= waited)
        return;
    base_lock_acquire(&pool->lock);
    watch->begun_at = UINT64_MAX;
    watch->pending++;
    base_lock_release(&pool->lock);
    if (core_notify(watch->slot->stream, waited, &watch->begun) == TRM_OK)
        return;
    base_lock_acquire(&pool->lock);
    settle_locked(pool, watch);
    base_lock_release(&pool->lock);
}

/* A task of a pool over a group that has ended already. A time that contains waits stands for a better
 * one. */
static void learn_ended(struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request)
{
    uint64_t now = base_now();
    base_lock_acquire(&pool->lock);
    const struct pipeline_task_model *known = pipeline_task_model_find(&pool->models, &request->key);
    if (request->waited == 0 || known == NULL || known->time.samples < 2) {
        struct pipeline_task_model *model =
            pipeline_task_model_add(&pool->models, &request->key, (double)(now - request->begun));
        model->last_end = now;
    }
    base_lock_release(&pool->lock);
}

/* A task of a pool over a group may run while it is still being enqueued. */
static uint64_t released_at(const struct pipeline_pool_request *request)
{
    return request->begun != 0 ? request->begun : base_now();
}

void pipeline_pool_watch(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                         const struct pipeline_pool_request *request)
{
    struct core_stream *stream = slot->stream;
    uint64_t last              = atomic_load_explicit(&stream->enqueued, memory_order_acquire);
    uint64_t operations        = last - slot->seen;
    struct base_saved_error saved;

    slot->seen = last;
    if (operations == 0)
        return;
    if (atomic_load_explicit(&stream->completed, memory_order_acquire) >= last) {
        if (request->begun != 0 && core_stream_failure_status(stream) == TRM_OK)
            learn_ended(pool, request);
        return;
    }
    base_error_save(&saved);
    struct pipeline_pool_watch *watch = take_spare(pool);
    if (watch != NULL) {
        *watch            = (struct pipeline_pool_watch){.notification = {.notified = notified},
                                                         .begun        = {.notified = begun},
                                                         .pool         = pool,
                                                         .slot         = slot,
                                                         .pending      = 1,
                                                         .released     = released_at(request)};
        watch->operations = operations;
        watch->key        = request->key;
        watch->work       = request->work;
        if (request->task != NULL) {
            watch->bytes    = request->task->bytes;
            watch->workload = request->task->workload;
        }
        begin_watch(pool, watch, request->ready_at);
        watch_begin(pool, watch, request->waited);
        if (core_notify(stream, last, &watch->notification) == TRM_OK)
            goto restore_error;
        drop_watch(pool, watch);
    }
    core_stream_wait_finished(stream, last, TRM_FOREVER);

restore_error:
    base_error_restore(&saved);
}

void pipeline_pool_free_watches(struct pipeline_stream_pool *pool)
{
    while (pool->spare != NULL) {
        struct pipeline_pool_watch *watch = pool->spare;
        pool->spare                       = watch->next;
        core_free(pool->object.context, watch, sizeof(*watch));
    }
}
