/* Loans that are not watched: kernels whose time is known well enough to presume when they end.
 *
 * One task in SAMPLE_EVERY of each kind is watched by itself all the same, so that its model follows changes
 * and the prediction of its stream is corrected. If it took another time than usual, the next tasks of the
 * kind are watched, too. A wrong prediction does little harm: the next task of the pool waits behind a short
 * kernel while another stream is idle.
 *
 * The pool does not presume the ends of long tasks, beside which a notification costs little; of functions,
 * which may wait for anything; and of kernels that come after work that no model predicts.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/pool/pool.h"

#define SAMPLE_EVERY 64u

/* Nanoseconds. The driver of a GPU takes a few thousand for a notification, and many streams work at once. */
#define SHORT_NS 200000.0

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

static bool has_reached(const struct core_stream *stream, uint64_t value)
{
    return atomic_load_explicit(&stream->completed, memory_order_acquire) >= value;
}

bool pipeline_pool_slot_is_idle(const struct pipeline_pool_slot *slot, uint64_t now)
{
    return slot->watches == 0 &&
           (slot->unwatched == 0 || slot->predicted_end <= now || has_reached(slot->stream, slot->unwatched));
}

/* A pool that holds tasks back has to count the unfinished ones. */
bool pipeline_pool_needs_each_end(const struct pipeline_stream_pool *pool)
{
    return pool->is_host || pool->holds_back;
}

/* ---- predicting ----------------------------------------------------------------------------- */

static const struct pipeline_pool_slot *find_locked(const struct pipeline_stream_pool *pool,
                                                    const struct trm_stream *handle)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (pool->slots[i].stream != NULL && pool->slots[i].stream->object.handle == handle)
            return &pool->slots[i];
    return NULL;
}

/* Whether the ends of all work of the stream are known or presumed. They are not while the stream is lent or
 * being given back: the prediction lacks what is enqueued meanwhile. */
static bool is_predicted(const struct pipeline_pool_slot *slot)
{
    return slot->unsure == 0 &&
           (slot->state == PIPELINE_POOL_SLOT_FREE || slot->state == PIPELINE_POOL_SLOT_DRAWN);
}

/* Predicts when the points that a task comes after are reached. False: no model tells. Points of the slot's
 * own stream need no prediction, since it reaches them before the task. */
static bool predict_points_locked(const struct pipeline_stream_pool *pool,
                                  const struct pipeline_pool_slot *slot, const struct trm_stream_task *task,
                                  uint64_t *ready_at)
{
    for (uint32_t i = 0; i < task->after_count; i++) {
        const struct pipeline_pool_slot *other = find_locked(pool, task->after[i].stream);
        if (other == NULL)
            return false;
        if (other == slot || has_reached(other->stream, task->after[i].value))
            continue;
        if (!is_predicted(other))
            return false;
        *ready_at = later(*ready_at, other->predicted_end);
    }
    return true;
}

static bool is_known(const struct pipeline_task_model *model)
{
    return model != NULL && model->time.samples >= PIPELINE_POOL_KNOWN &&
           model->fresh >= PIPELINE_POOL_KNOWN / 4;
}

static bool is_short(const struct pipeline_task_model *model)
{
    return model->time.mean + model->time.spread <= SHORT_NS;
}

bool pipeline_pool_is_trusted(const struct pipeline_task_model *model)
{
    return is_known(model) && is_short(model);
}

/* A pool over a group counts submitted tasks from the first one on, since that may take long to end. */
static struct pipeline_task_model *model_of_locked(struct pipeline_stream_pool *pool,
                                                   const struct pipeline_pool_request *request)
{
    struct pipeline_task_model *model = pipeline_task_model_find(&pool->models, &request->key);
    if (LIKELY(!pool->is_member))
        return model;
    if (model == NULL)
        model = pipeline_task_model_make(&pool->models, &request->key);
    model->submitted++;
    return model;
}

struct pipeline_pool_outlook pipeline_pool_look_ahead_locked(struct pipeline_stream_pool *pool,
                                                             const struct pipeline_pool_slot *slot,
                                                             const struct pipeline_pool_request *request)
{
    struct pipeline_pool_outlook outlook = {.model = NULL};
    if (request->key.what == 0)
        return outlook;
    struct pipeline_task_model *model = model_of_locked(pool, request);
    outlook.model                     = model;
    if (pipeline_pool_needs_each_end(pool) && request->waited == 0) {
        outlook.wants_sample = true;
        return outlook;
    }
    bool is_trusted = pipeline_pool_is_trusted(model);
    outlook.is_sure = is_trusted && request->task->kernel != NULL && slot->unsure == 0;
    if (outlook.is_sure && request->waited != 0 && !has_reached(slot->stream, request->waited)) {
        outlook.ready_at = request->ready_at;
        outlook.is_sure  = (!pool->is_member || request->is_data_sure) && !request->is_after_vague &&
                          predict_points_locked(pool, slot, request->task, &outlook.ready_at);
    }
    outlook.wants_sample = !is_trusted || model->time.misfits > 0 || ++model->unsampled >= SAMPLE_EVERY;
    if (outlook.wants_sample && model != NULL)
        model->unsampled = 0;
    return outlook;
}

/* ---- presuming ------------------------------------------------------------------------------ */

static bool may_presume_locked(const struct pipeline_stream_pool *pool)
{
    if (pipeline_pool_needs_each_end(pool) || pool->is_closing || pool->sleepers > 0 ||
        pool->listeners != NULL || (pool->is_member && pipeline_load_is_measuring(&pool->load)))
        return false;
    return pool->strategy != TRM_STREAM_AUTO || !pipeline_pool_trial_is_measuring(&pool->trial);
}

bool pipeline_pool_presume_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                                  const struct pipeline_pool_request *request,
                                  const struct pipeline_pool_outlook *outlook, uint64_t now)
{
    if (!outlook->is_sure || outlook->wants_sample || request->wants_end || !may_presume_locked(pool))
        return false;
    struct pipeline_task_model *model = outlook->model;
    pipeline_pool_note_spread_locked(slot, model, now);
    uint64_t begin      = later(later(slot->predicted_end, now), outlook->ready_at);
    slot->predicted_end = begin + (uint64_t)model->time.mean;
    pipeline_pool_mark_locked(slot, slot->seen, model->least);
    slot->unwatched = slot->seen;
    slot->workload  = pipeline_task_workload_of(&pool->workloads, request->task->workload,
                                                request->task->bytes, model->least);
    model->last_end = slot->predicted_end;
    if (pool->is_member)
        pipeline_load_presume(&pool->load, now, request->ready_at, request->work);
    if (pool->strategy == TRM_STREAM_AUTO)
        pipeline_pool_trial_skip(&pool->trial);
    return true;
}

/* ---- making sure ---------------------------------------------------------------------------- */

static bool is_drawn(const struct pipeline_pool_slot *slot)
{
    return slot->state == PIPELINE_POOL_SLOT_DRAWN;
}

/* Whether the slot has work whose end no notification will tell. Its watch is not armed: a later watch ends
 * it, or a call that asks the backend. The owner of a drawn slot has to be told, too. */
static bool is_unsettled(const struct pipeline_pool_slot *slot)
{
    uint64_t untold = pipeline_pool_untold_locked(slot);
    if ((slot->state != PIPELINE_POOL_SLOT_FREE && !is_drawn(slot)) || untold == 0)
        return false;
    return is_drawn(slot) || (slot->last != NULL && slot->last->value == untold) ||
           !has_reached(slot->stream, untold);
}

bool pipeline_pool_is_unsettled_locked(const struct pipeline_stream_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (is_unsettled(&pool->slots[i]))
            return true;
    return false;
}

/* Whether a notification will soon tell of the end. It is not known of slots that are lent or in transit. */
static bool is_told(const struct pipeline_pool_slot *slot)
{
    return slot->watches > 0 && slot->unsure == 0 && pipeline_pool_untold_locked(slot) == 0 &&
           (slot->state == PIPELINE_POOL_SLOT_FREE || is_drawn(slot));
}

bool pipeline_pool_is_silent_locked(const struct pipeline_stream_pool *pool)
{
    for (uint32_t i = 0; i < pool->slot_count; i++)
        if (is_told(&pool->slots[i]))
            return false;
    return pipeline_pool_is_unsettled_locked(pool);
}

/* Does not put the slot in transit, so other calls may lend its stream meanwhile. */
static void settle_slot(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot, bool only_asks)
{
    struct core_stream *stream = NULL;
    base_lock_acquire(&pool->lock);
    uint64_t last = pipeline_pool_untold_locked(slot);
    if (is_unsettled(slot) && !pool->is_closing) {
        stream = slot->stream;
        core_object_retain(&stream->object);
        pool->transits++;
    }
    base_lock_release(&pool->lock);
    if (stream == NULL)
        return;
    if (only_asks)
        pipeline_pool_find_ended(pool, slot, stream, last, false);
    else
        pipeline_pool_watch_rest(pool, slot, stream, last);
    core_object_release(&stream->object);
    base_lock_acquire(&pool->lock);
    pool->transits--;
    if (pool->is_closing)
        pipeline_pool_wake_locked(pool);
    base_lock_release(&pool->lock);
}

/* The median of the unsettled slots, by their predicted ends. */
static struct pipeline_pool_slot *middle_locked(struct pipeline_stream_pool *pool)
{
    struct pipeline_pool_slot *sorted[TRM_STREAM_POOL_MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        struct pipeline_pool_slot *slot = &pool->slots[i];
        if (!is_unsettled(slot))
            continue;
        uint32_t place = count++;
        for (; place > 0 && sorted[place - 1]->predicted_end > slot->predicted_end; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = slot;
    }
    return count > 0 ? sorted[(count - 1) / 2] : NULL;
}

static void settle_one(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    bool is_silent                  = pipeline_pool_is_silent_locked(pool);
    struct pipeline_pool_slot *slot = is_silent ? middle_locked(pool) : NULL;
    base_lock_release(&pool->lock);
    if (slot != NULL)
        settle_slot(pool, slot, false);
}

void pipeline_pool_settle(struct pipeline_stream_pool *pool, bool only_listens)
{
    struct base_saved_error saved;
    base_lock_acquire(&pool->lock);
    bool is_needed = pipeline_pool_is_unsettled_locked(pool);
    base_lock_release(&pool->lock);
    if (!is_needed)
        return;
    base_error_save(&saved);
    for (uint32_t i = 0; i < pool->slot_count; i++)
        settle_slot(pool, &pool->slots[i], only_listens);
    if (only_listens)
        settle_one(pool);
    base_error_restore(&saved);
}
