/* What a pool learns from the ends of loans, and how it predicts them.
 *
 * A choice predicts when the work ends that is left when a stream is given back. So a sample is the time from
 * that moment, or from the end of the loan before, to the end of the work, for each operation. One
 * notification may end several loans. If all had been enqueued when the work before them ended, the stream
 * was never idle, and loans of one kind share the time equally. Tasks of pools over groups are predicted, and
 * so measured, from before they are enqueued.
 *
 * A backend may notify of the beginning and the end of a task at once, when both are reached; a backend that
 * watches batches of operations does so if both are in one batch. The time between the two is meaningless
 * then, and the time since the task was enqueued is an upper bound (pipeline_model_add_bound()).
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/pool/pool.h"

/* ---- learning ------------------------------------------------------------------------------- */

/* The loans that one notification ends. */
struct batch {
    uint32_t count;
    uint64_t operations;
    bool is_uniform; /* they are of one kind */
    bool is_vague;   /* when the work of one began is not known */
};

/* What a notification tells: `count` loans of one kind have taken from `begin` to `end` together. */
struct lesson {
    uint32_t count;
    uint64_t operations;
    uint64_t begin, end;
    bool has_kind;
    bool is_most; /* an upper bound: it may have taken less */
};

static bool is_same_kind(const struct pipeline_task_key *one, const struct pipeline_task_key *other)
{
    return one->what == other->what && one->size == other->size && one->workload == other->workload;
}

static struct batch batch_of(const struct pipeline_pool_slot *slot, const struct pipeline_pool_watch *end)
{
    struct batch batch = {.is_uniform = true};
    for (const struct pipeline_pool_watch *watch = slot->first; watch != NULL; watch = watch->next) {
        batch.count++;
        batch.operations += watch->operations;
        batch.is_uniform = batch.is_uniform && is_same_kind(&watch->key, &end->key);
        batch.is_vague   = batch.is_vague || watch->is_vague || (watch != end && watch->begun_at != 0);
        if (watch == end)
            break;
    }
    return batch;
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* False: nothing can be learned. A watch whose beginning was notified tells of its own loan only. */
static bool read_lesson(const struct pipeline_pool_slot *slot, const struct pipeline_pool_watch *watch,
                        uint64_t now, struct lesson *lesson)
{
    uint64_t begin = later(slot->last_end, watch->released);
    *lesson        = (struct lesson){.count = 1, .operations = watch->operations, .has_kind = true};
    if (watch->begun_at == UINT64_MAX)
        return false;
    if (watch->begun_at != 0) {
        lesson->is_most = now < watch->begun_at + PIPELINE_POOL_AT_ONCE;
        if (!lesson->is_most)
            begin = later(begin, watch->begun_at);
    } else if (slot->first == watch) {
        if (watch->is_vague)
            return false;
    } else {
        struct batch batch = batch_of(slot, watch);
        if (batch.is_vague || watch->released > slot->last_end)
            return false;
        lesson->count      = batch.count;
        lesson->operations = batch.operations;
        lesson->has_kind   = batch.is_uniform;
    }
    lesson->begin = begin;
    lesson->end   = later(now, begin);
    return lesson->operations != 0;
}

/* The numbers of samples are not consecutive: the loans of several streams have no common period. */
static void learn_operation_locked(struct pipeline_stream_pool *pool, const struct lesson *lesson)
{
    uint64_t took = (lesson->end - lesson->begin) / lesson->operations;
    pool->samples += 2;
    pipeline_estimate_add(&pool->operation, &(struct pipeline_sample){.number    = pool->samples,
                                                                      .begin     = lesson->begin,
                                                                      .end       = lesson->end,
                                                                      .took      = took,
                                                                      .is_coarse = true});
}

void pipeline_pool_learn_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                                uint64_t now)
{
    struct pipeline_task_model *model;
    struct lesson lesson;
    bool is_taken = true;
    if (!read_lesson(watch->slot, watch, now, &lesson))
        return;
    if (!lesson.is_most)
        learn_operation_locked(pool, &lesson);
    if (watch->key.what == 0 || !lesson.has_kind)
        return;
    double took = (double)(lesson.end - lesson.begin) / lesson.count;
    if (lesson.is_most)
        model = pipeline_task_model_add_bound(&pool->models, &watch->key, took, &is_taken);
    else
        model = pipeline_task_model_add(&pool->models, &watch->key, took);
    model->last_end = now;
    if (is_taken)
        pipeline_task_workload_add(&pool->workloads, watch->workload, watch->bytes, &watch->company, took,
                                   model->least);
}

/* Only pools over groups use the load. */
static void begin_load_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                              uint64_t ready_at)
{
    struct pipeline_task_model *model =
        watch->key.what != 0 ? pipeline_task_model_find(&pool->models, &watch->key) : NULL;
    if (model != NULL)
        model->measuring++;
    pipeline_load_begin(&pool->load, watch->released, ready_at, watch->work);
}

/* An end that no model predicted corrects no presumed end behind it. */
static void end_load_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                            uint64_t now, bool is_good)
{
    struct pipeline_task_model *model =
        watch->key.what != 0 ? pipeline_task_model_find(&pool->models, &watch->key) : NULL;
    if (model != NULL && model->measuring > 0)
        model->measuring--;
    if (watch->is_armed && watch->is_predicted && is_good)
        pipeline_load_put_right(&pool->load, now, watch->predicted_end + watch->slot->delay);
    pipeline_load_end(&pool->load, now, watch->work);
}

static void end_trial_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                             uint64_t now, bool is_good)
{
    if (is_good)
        pipeline_pool_trial_add(&pool->trial, watch->least, now);
    pipeline_pool_trial_end(&pool->trial, now);
}

/* ---- predicting ----------------------------------------------------------------------------- */

/* Only for strategies that ask which workloads hinder each other. */
static void note_company_locked(const struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch,
                                uint64_t now)
{
    watch->company = (struct pipeline_task_company){.streams = 1};
    if (pool->strategy != TRM_STREAM_AUTO && pool->strategy != TRM_STREAM_WORKLOAD)
        return;
    for (uint32_t i = 0; i < pool->slot_count; i++) {
        const struct pipeline_pool_slot *slot = &pool->slots[i];
        bool is_idle = slot->watches == 0 && (slot->unwatched == 0 || pipeline_pool_slot_is_idle(slot, now));
        if (slot == watch->slot || is_idle)
            continue;
        watch->company.workloads |= 1u << slot->workload;
        watch->company.streams++;
    }
}

static void predict_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch,
                           const struct pipeline_pool_outlook *outlook)
{
    struct pipeline_pool_slot *slot         = watch->slot;
    const struct pipeline_task_model *model = outlook->model;
    pipeline_pool_note_spread_locked(slot, model, watch->released);
    uint64_t begin = later(later(slot->predicted_end, watch->released), outlook->ready_at);
    uint64_t takes = watch->operations * pipeline_estimate_ahead(&pool->operation, 0);
    bool is_known  = model != NULL && pipeline_model_is_known(&model->time);
    watch->least   = model != NULL ? model->least : 0;
    if (watch->key.what != 0)
        watch->workload =
            pipeline_task_workload_of(&pool->workloads, watch->workload, watch->bytes, watch->least);
    watch->is_predicted = is_known || outlook->is_sure;
    if (is_known)
        takes = (uint64_t)model->time.mean;
    else if (outlook->is_sure)
        takes = 0; /* was predicted when it was enqueued */
    slot->predicted_end  = begin + takes;
    watch->predicted_end = slot->predicted_end - slot->delay;
    pipeline_pool_mark_locked(slot, watch->value, watch->least);
    slot->workload = watch->workload;
}

/* ---- loans ------------------------------------------------------------------------------------ */

void pipeline_pool_begin_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_watch *watch,
                                const struct pipeline_pool_outlook *outlook, uint64_t data_at)
{
    predict_locked(pool, watch, outlook);
    note_company_locked(pool, watch, watch->released);
    if (pool->is_member)
        begin_load_locked(pool, watch, data_at);
    if (pool->strategy == TRM_STREAM_AUTO)
        pipeline_pool_trial_begin(&pool->trial, watch->released);
}

void pipeline_pool_end_locked(struct pipeline_stream_pool *pool, const struct pipeline_pool_watch *watch,
                              uint64_t now, bool is_good)
{
    if (pool->is_member)
        end_load_locked(pool, watch, now, is_good);
    if (pool->strategy == TRM_STREAM_AUTO)
        end_trial_locked(pool, watch, now, is_good);
}

void pipeline_pool_learn_ended(struct pipeline_stream_pool *pool, const struct pipeline_pool_request *request)
{
    struct pipeline_task_model *model;
    bool is_taken;
    uint64_t now = base_now();
    double took  = (double)(now - request->begun);
    base_lock_acquire(&pool->lock);
    if (request->waited != 0)
        model = pipeline_task_model_add_bound(&pool->models, &request->key, took, &is_taken);
    else
        model = pipeline_task_model_add(&pool->models, &request->key, took);
    model->last_end = now;
    model->submitted++;
    base_lock_release(&pool->lock);
}
