/* Tasks of a pool over a group: the device is chosen, gets the data, and its pool chooses the stream.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/object/object.h"
#include "pipeline/pool/team.h"

/* ---- submitting ----------------------------------------------------------------------------- */

/* Operations that a refused task has enqueued use its data, too. */
static void note(const struct pipeline_pool_plan *plan, const struct pipeline_pool_forecast *chosen,
                 struct core_stream *stream, uint64_t before)
{
    uint64_t last = core_stream_next(stream) - 1;
    if (last > before)
        pipeline_pool_team_note(plan, chosen, stream, last);
}

/* Enqueues the task on the slot that was lent for it. */
static int32_t enqueue(const struct pipeline_pool_plan *plan, const struct pipeline_pool_forecast *chosen,
                       const struct pipeline_pool_slot *slot, struct pipeline_pool_request *request,
                       struct trm_point *point)
{
    uint64_t first = core_stream_next(slot->stream);
    int32_t status = pipeline_pool_team_wait(plan, chosen->device, slot->stream);
    if (core_stream_next(slot->stream) > first)
        request->waited = core_stream_next(slot->stream) - 1;
    uint64_t before = core_stream_next(slot->stream) - 1;
    bool is_later   = plan->use_count > 0 || slot->seen == 0; /* copies were enqueued, or the stream made */
    request->begun  = is_later ? base_now() : chosen->now;
    if (status == TRM_OK)
        status = pipeline_pool_enqueue(slot, request, point);
    if (request->waited > before)
        before = request->waited;
    note(plan, chosen, slot->stream, before);
    return status;
}

/* Tasks that use no data need no order among each other. */
static int32_t lock_data(const struct pipeline_pool_plan *plan)
{
    return plan->use_count > 0 ? pipeline_group_lock_data(plan->team->group) : TRM_OK;
}

static void unlock_data(const struct pipeline_pool_plan *plan)
{
    if (plan->use_count > 0)
        pipeline_group_unlock_data(plan->team->group);
}

/* Sleeps until the member may lend a stream. Releases data_lock meanwhile, which the thread that gives a
 * stream back may need; returns with it. */
static int32_t wait_for_stream(const struct pipeline_pool_plan *plan, struct pipeline_stream_pool *member,
                               const struct pipeline_pool_request *request)
{
    if (plan->use_count == 0)
        return pipeline_pool_wait(member, request);
    pipeline_group_pause_data(plan->team->group);
    int32_t status = pipeline_pool_wait(member, request);
    pipeline_group_resume_data(plan->team->group);
    return status;
}

/* *is_full: the member had no stream, but may have one now. */
static int32_t submit_form(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                           const struct pipeline_pool_forecast *chosen, const struct trm_stream_task *task,
                           struct trm_point *point, bool *is_full)
{
    struct pipeline_stream_pool *member  = team->members[chosen->device].pool;
    struct pipeline_pool_request request = {
        .priority     = task->priority,
        .task         = task,
        .key          = pipeline_task_key_of(task),
        .ready_at     = chosen->ready_at,
        .is_data_sure = chosen->is_data_sure,
        .work         = chosen->work,
        .only_tries   = true,
    };
    struct pipeline_pool_slot *slot;
    int32_t status = pipeline_pool_lend(member, &request, &slot);
    if (status != TRM_OK)
        return status;
    *is_full = slot == NULL;
    if (*is_full)
        return wait_for_stream(plan, member, &request);
    status = pipeline_pool_team_bring(team, plan, chosen->device);
    if (status == TRM_OK)
        status = enqueue(plan, chosen, slot, &request, point);
    pipeline_pool_take_back(member, slot, &request);
    return status;
}

static int32_t submit_to(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                         const struct pipeline_pool_forecast *chosen, struct trm_point *point, bool *is_full)
{
    struct pipeline_pool_form form;
    int32_t status = pipeline_pool_form_init(plan, chosen->device, &form);
    *is_full       = false;
    if (status != TRM_OK)
        return status;
    status = submit_form(team, plan, chosen, &form.task, point, is_full);
    pipeline_pool_form_fini(plan, &form);
    return status;
}

/* Chooses again when the device is lost, or one from which it was to get data, and after a wait for a stream,
 * when another device may be better. */
static int32_t submit_somewhere(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                                struct trm_point *point)
{
    struct pipeline_pool_forecast chosen;
    bool is_full;
    uint32_t sound;
    int32_t status;
    do {
        sound = pipeline_group_sound(team->group);
        if (atomic_load_explicit(&team->is_closing, memory_order_acquire))
            return base_fail_static(TRM_ERROR_INVALID_HANDLE, "the stream pool is being destroyed");
        status = pipeline_pool_team_choose(team, plan, &chosen);
        if (status != TRM_OK)
            return status;
        status = submit_to(team, plan, &chosen, point, &is_full);
    } while ((status == TRM_OK && is_full) ||
             (status == TRM_ERROR_DEVICE_LOST && pipeline_group_sound(team->group) != sound));
    return status;
}

int32_t pipeline_pool_team_submit(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                                  struct trm_point *point)
{
    struct pipeline_pool_plan plan;
    int32_t status = pipeline_pool_plan_open(pool->team, task, &plan);
    if (status == TRM_OK)
        status = lock_data(&plan);
    if (status == TRM_OK) {
        status = submit_somewhere(pool->team, &plan, point);
        unlock_data(&plan);
    }
    pipeline_pool_plan_close(&plan);
    return status;
}

/* ---- predicting ----------------------------------------------------------------------------- */

static int32_t predict(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                       struct trm_stream_prediction *found)
{
    struct pipeline_pool_forecast chosen;
    int32_t status = pipeline_pool_team_choose(team, plan, &chosen);
    if (status != TRM_OK)
        return status;
    found->device  = chosen.device;
    found->end_ns  = chosen.end > chosen.now ? chosen.end - chosen.now : 0;
    found->copy_ns = chosen.copy_ns;
    pipeline_pool_team_tell(team, plan, chosen.device, found);
    return TRM_OK;
}

int32_t pipeline_pool_team_predict(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                                   struct trm_stream_prediction *prediction)
{
    struct pipeline_pool_plan plan;
    int32_t status = pipeline_pool_plan_open(pool->team, task, &plan);
    if (status == TRM_OK)
        status = lock_data(&plan);
    if (status == TRM_OK) {
        status = predict(pool->team, &plan, prediction);
        unlock_data(&plan);
    }
    pipeline_pool_plan_close(&plan);
    return status;
}
