/* Which device gets a task of a pool over a group.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/pool/team.h"

/* Tasks by which a device is measured: the first contains what happens only once. */
#define MEASURED 2u

/* A device that had no such task for so many times as long as it would take is measured again: at most a
 * hundredth of the time is lost. */
#define STALE 100u

/* ---- one device ----------------------------------------------------------------------------- */

/* Makes the model of a kernel that earlier runs know. With the member's lock, released meanwhile. */
static COLD void recall_locked(struct pipeline_stream_pool *member, const struct pipeline_pool_plan *plan,
                               uint32_t device, const struct pipeline_task_key *key)
{
    struct trm_stream_task task = *plan->task;
    if (plan->kernel != NULL)
        task.kernel = plan->kernel->ones[device];
    base_lock_release(&member->lock);
    pipeline_pool_keep_recall(member, &task, key);
    base_lock_acquire(&member->lock);
}

static const struct pipeline_task_model *find_locked(struct pipeline_stream_pool *member,
                                                     const struct pipeline_pool_plan *plan, uint32_t device,
                                                     const struct pipeline_task_key *key)
{
    const struct pipeline_task_model *model = pipeline_task_model_find(&member->models, key);
    if (model != NULL || member->keep == NULL || plan->task->kernel == NULL)
        return model;
    recall_locked(member, plan, device, key);
    return pipeline_task_model_find(&member->models, key);
}

/* What the member knows of such tasks. */
static void look_up_locked(const struct pipeline_stream_pool *member, const struct pipeline_task_model *model,
                           const struct trm_stream_task *task, struct pipeline_pool_forecast *forecast)
{
    forecast->pieces   = member->load.pieces;
    forecast->tasks    = member->stats.tasks;
    forecast->workload = TRM_STREAM_WORKLOAD_MIXED;
    if (model == NULL)
        return;
    forecast->measured = model->time.samples < MEASURED ? (uint32_t)model->time.samples : MEASURED;
    forecast->measured += model->measuring;
    forecast->is_known = model->time.samples >= MEASURED;
    forecast->samples  = model->time.samples;
    forecast->mean     = model->time.mean;
    forecast->spread   = model->time.spread;
    forecast->last_end = model->last_end;
    forecast->work     = model->least > 0 ? model->least : model->time.mean;
    forecast->is_sure  = forecast->is_data_sure && task->after_count == 0 && pipeline_pool_is_trusted(model);
    forecast->workload =
        pipeline_task_workload_of(&member->workloads, task->workload, task->bytes, model->least);
}

static void foresee(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                    const struct pipeline_task_key *key, struct pipeline_pool_forecast *forecast)
{
    struct pipeline_stream_pool *member = team->members[forecast->device].pool;
    base_lock_acquire(&member->lock);
    look_up_locked(member, find_locked(member, plan, forecast->device, key), plan->task, forecast);
    forecast->end = pipeline_load_predict(&member->load, forecast->now, forecast->ready_at, forecast->work);
    base_lock_release(&member->lock);
}

/* ---- all devices ---------------------------------------------------------------------------- */

/* Measures a device that has had too few of these tasks. */
static bool is_wanted(const struct pipeline_pool_forecast *forecast)
{
    return !forecast->is_known && forecast->measured < MEASURED;
}

static bool is_stale(const struct pipeline_pool_forecast *forecast)
{
    uint64_t now = forecast->now;
    return forecast->is_known && forecast->pieces == 0 && forecast->last_end != 0 &&
           now > forecast->last_end && now - forecast->last_end > STALE * (forecast->end - now);
}

/* Of devices whose times are known the earliest end; else the one with the fewest tasks. */
static bool is_better(const struct pipeline_pool_forecast *one, const struct pipeline_pool_forecast *other)
{
    if (one->is_known != other->is_known)
        return one->is_known;
    if (one->is_known)
        return one->end < other->end;
    return one->pieces != other->pieces ? one->pieces < other->pieces : one->copy_ns < other->copy_ns;
}

/* NULL: there is none. */
struct found {
    const struct pipeline_pool_forecast *best, *wanted, *stale;
};

/* On a busy machine ends may be seen too late to learn from: then devices take turns. */
static bool is_wanted_more(const struct pipeline_pool_forecast *one,
                           const struct pipeline_pool_forecast *other)
{
    return one->measured != other->measured ? one->measured < other->measured : one->tasks < other->tasks;
}

static void consider(const struct pipeline_pool_forecast *forecast, struct found *found)
{
    if (is_wanted(forecast) && (found->wanted == NULL || is_wanted_more(forecast, found->wanted)))
        found->wanted = forecast;
    if (found->stale == NULL && is_stale(forecast))
        found->stale = forecast;
    if (found->best == NULL || is_better(forecast, found->best))
        found->best = forecast;
}

int32_t pipeline_pool_team_choose(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                                  struct pipeline_pool_forecast *chosen)
{
    uint64_t now       = base_now();
    uint32_t devices   = plan->devices & pipeline_group_sound(team->group);
    struct found found = {.best = NULL};
    const struct pipeline_pool_forecast *one;
    struct pipeline_task_key key = pipeline_task_key_of(plan->task);
    struct pipeline_pool_forecast forecasts[TRM_GROUP_DEVICES];
    for (uint32_t left = devices; left != 0; left &= left - 1) {
        uint32_t device                         = (uint32_t)__builtin_ctz(left);
        struct pipeline_pool_forecast *forecast = &forecasts[device];
        *forecast = (struct pipeline_pool_forecast){.device = device, .now = now};
        if (!pipeline_pool_team_foresee(team, plan, forecast))
            continue;
        key.what = pipeline_pool_plan_what(plan, device);
        foresee(team, plan, &key, forecast);
        consider(forecast, &found);
    }
    one = found.wanted != NULL ? found.wanted : found.stale != NULL ? found.stale : found.best;
    if (one == NULL)
        return base_fail(TRM_ERROR_DEVICE_LOST, devices == 0
                                                    ? "every device that may run the task is lost"
                                                    : "the devices that had the data of the task are lost");
    *chosen = *one;
    return TRM_OK;
}
