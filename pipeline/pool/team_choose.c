/* Which device gets a task of a pool over a group.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/pool/team.h"

/* Tasks that measure a device. The first one is slower, by what happens only once. */
#define MEASURED 2u

/* A device that has had n such tasks in vain gets another one after AGAIN * n * n of them all. */
#define AGAIN 4u

/* A device that had no such task for so many times as long as it would take is measured again: at most a
 * hundredth of the time is lost. */
#define STALE 100u

/* ---- one device ----------------------------------------------------------------------------- */

/* Makes the model of a kernel from what earlier runs have stored. With the member's lock, released
 * meanwhile. */
static COLD void recall_locked(struct pipeline_stream_pool *member, const struct pipeline_pool_plan *plan,
                               uint32_t device, const struct pipeline_task_key *key)
{
    struct trm_stream_task task = *plan->task;
    if (plan->kernel != NULL)
        task.kernel = plan->kernel->ones[device];
    base_lock_release(&member->lock);
    pipeline_pool_stored_recall(member, &task, key);
    base_lock_acquire(&member->lock);
}

static const struct pipeline_task_model *find_locked(struct pipeline_stream_pool *member,
                                                     const struct pipeline_pool_plan *plan, uint32_t device,
                                                     const struct pipeline_task_key *key)
{
    const struct pipeline_task_model *model = pipeline_task_model_find(&member->models, key);
    if (model != NULL || member->stored == NULL || plan->task->kernel == NULL)
        return model;
    recall_locked(member, plan, device, key);
    return pipeline_task_model_find(&member->models, key);
}

/* What the member knows of such tasks. */
static void look_up_locked(const struct pipeline_stream_pool *member, const struct pipeline_task_model *model,
                           const struct pipeline_pool_plan *plan, struct pipeline_pool_forecast *forecast)
{
    forecast->pieces   = member->load.pieces;
    forecast->is_known = model != NULL && model->time.samples >= MEASURED;
    forecast->is_sure  = plan->use_count > 0 && model != NULL && forecast->is_data_sure &&
                        plan->task->after_count == 0 && pipeline_pool_is_trusted(model);
    forecast->is_measuring = false;
    forecast->submitted    = 0;
    forecast->last_end     = 0;
    forecast->work         = 0;
    if (model == NULL)
        return;
    forecast->is_measuring = model->measuring > 0;
    forecast->submitted    = model->submitted;
    forecast->last_end     = model->last_end;
    forecast->work         = model->least > 0 ? model->least : model->time.mean;
}

/* A task that uses no data does not need the data_lock. */
static bool foresee_data(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan, uint64_t now,
                         struct pipeline_pool_forecast *forecast)
{
    forecast->now          = now;
    forecast->ready_at     = now;
    forecast->copied       = 0;
    forecast->copy_ns      = 0;
    forecast->is_data_sure = true;
    return plan->use_count == 0 || pipeline_pool_team_foresee(team, plan, forecast);
}

static void foresee(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                    const struct pipeline_task_key *key, struct pipeline_pool_forecast *forecast)
{
    struct pipeline_stream_pool *member = team->members[forecast->device].pool;
    base_lock_acquire(&member->lock);
    look_up_locked(member, find_locked(member, plan, forecast->device, key), plan, forecast);
    forecast->end = pipeline_load_predict(&member->load, forecast->now, forecast->ready_at, forecast->work);
    base_lock_release(&member->lock);
}

void pipeline_pool_team_tell(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                             uint32_t device, struct trm_stream_prediction *found)
{
    struct pipeline_stream_pool *member = team->members[device].pool;
    struct pipeline_task_key key        = pipeline_task_key_of(plan->task);
    key.what                            = pipeline_pool_plan_what(plan, device);
    found->workload                     = TRM_STREAM_WORKLOAD_MIXED;
    base_lock_acquire(&member->lock);
    const struct pipeline_task_model *model = find_locked(member, plan, device, &key);
    if (model != NULL) {
        found->samples   = model->time.samples;
        found->mean_ns   = (uint64_t)model->time.mean;
        found->spread_ns = (uint64_t)model->time.spread;
        found->workload  = pipeline_task_workload_of(&member->workloads, plan->task->workload,
                                                     plan->task->bytes, model->least);
    }
    base_lock_release(&member->lock);
}

/* ---- all devices ---------------------------------------------------------------------------- */

/* Whether a device has to be measured, since it had too few of these tasks. Tasks count when they are
 * submitted, before they have told their time. On a busy machine an end may be seen too late to learn from;
 * then the device gets another task, the more rarely the more tasks were in vain. */
static bool is_wanted(const struct pipeline_pool_forecast *forecast, uint64_t submitted)
{
    if (forecast->is_known)
        return false;
    return forecast->submitted < MEASURED ||
           (!forecast->is_measuring && forecast->submitted * forecast->submitted < submitted / AGAIN);
}

static bool is_stale(const struct pipeline_pool_forecast *forecast)
{
    uint64_t now = forecast->now;
    return forecast->is_known && forecast->pieces == 0 && forecast->last_end != 0 &&
           now > forecast->last_end && now - forecast->last_end > STALE * (forecast->end - now);
}

/* Compares devices on which the task's time is not known, by what is known: a device that has the task's
 * data, or will have it, needs no copy, and mostly has the work that the task comes after. */
static bool is_nearer(const struct pipeline_pool_forecast *one, const struct pipeline_pool_forecast *other)
{
    return one->copied != other->copied ? one->copied < other->copied : one->pieces < other->pieces;
}

/* Prefers devices whose times are known, and of these the earliest end. */
static bool is_better(const struct pipeline_pool_forecast *one, const struct pipeline_pool_forecast *other)
{
    if (one->is_known != other->is_known)
        return one->is_known;
    return one->is_known && one->end != other->end ? one->end < other->end : is_nearer(one, other);
}

/* NULL: there is none. */
struct found {
    const struct pipeline_pool_forecast *best, *wanted, *stale;
    uint64_t submitted; /* such tasks, to all devices */
};

static void consider(const struct pipeline_pool_forecast *forecast, struct found *found)
{
    if (is_wanted(forecast, found->submitted) &&
        (found->wanted == NULL || is_nearer(forecast, found->wanted)))
        found->wanted = forecast;
    if (found->stale == NULL && is_stale(forecast))
        found->stale = forecast;
    if (found->best == NULL || is_better(forecast, found->best))
        found->best = forecast;
}

static uint32_t sound_devices_of(const struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan)
{
    uint32_t devices   = plan->devices & pipeline_group_sound(team->group);
    uint32_t preferred = devices & plan->preferred;
    return preferred != 0 ? preferred : devices;
}

int32_t pipeline_pool_team_choose(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                                  struct pipeline_pool_forecast *chosen)
{
    uint64_t now       = base_now();
    uint32_t devices   = sound_devices_of(team, plan);
    uint32_t able      = 0; /* of those, the devices that can have the data */
    struct found found = {.best = NULL};
    const struct pipeline_pool_forecast *one;
    struct pipeline_task_key key = pipeline_task_key_of(plan->task);
    struct pipeline_pool_forecast forecasts[TRM_GROUP_DEVICES];
    for (uint32_t left = devices; left != 0; left &= left - 1) {
        uint32_t device                         = (uint32_t)__builtin_ctz(left);
        struct pipeline_pool_forecast *forecast = &forecasts[device];
        forecast->device                        = device;
        if (!foresee_data(team, plan, now, forecast))
            continue;
        key.what = pipeline_pool_plan_what(plan, device);
        foresee(team, plan, &key, forecast);
        found.submitted += forecast->submitted;
        able |= 1u << device;
    }
    for (; able != 0; able &= able - 1)
        consider(&forecasts[__builtin_ctz(able)], &found);
    one = found.wanted != NULL ? found.wanted : found.stale != NULL ? found.stale : found.best;
    if (one == NULL)
        return base_fail(TRM_ERROR_DEVICE_LOST, devices == 0
                                                    ? "every device that may run the task is lost"
                                                    : "the devices that had the data of the task are lost");
    *chosen = *one;
    return TRM_OK;
}
