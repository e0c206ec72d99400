/* Tasks of coordinators over pools of groups.
 *
 * Works as team_submit.c does, with two differences: the errand's owner has the stream afterwards, and the
 * call does not wait for a stream.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/memory.h"
#include "core/object/object.h"
#include "pipeline/pool/pool.h"
#include "pipeline/pool/team.h"

/* ---- running -------------------------------------------------------------------------------- */

static int32_t wait_for_all(const struct pipeline_pool_plan *plan, struct pipeline_pool_errand *errand,
                            struct pipeline_pool_request *request)
{
    struct core_stream *stream = errand->slot->stream;
    uint64_t first             = core_stream_next(stream);
    int32_t status             = errand->wait(errand);
    if (status == TRM_OK)
        status = pipeline_pool_team_wait(plan, errand->device, stream);
    if (core_stream_next(stream) > first)
        request->waited = core_stream_next(stream) - 1;
    return status;
}

/* Operations that a failed errand has enqueued use its data, too. */
static int32_t enqueue(const struct pipeline_pool_plan *plan, struct pipeline_pool_errand *errand,
                       const struct pipeline_pool_forecast *chosen, struct pipeline_pool_request *request)
{
    struct core_stream *stream = errand->slot->stream;
    int32_t status             = wait_for_all(plan, errand, request);
    uint64_t before            = core_stream_next(stream) - 1;
    request->begun             = base_now();
    if (status == TRM_OK)
        status = errand->run(errand, request->task);
    uint64_t last                       = core_stream_next(stream) - 1;
    struct pipeline_pool_forecast noted = *chosen;
    noted.is_sure = chosen->is_sure && errand->after_end == 0 && !errand->is_after_vague;
    if (last > before)
        pipeline_pool_team_note(plan, &noted, stream, last);
    return status;
}

static int32_t run_form(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                        const struct pipeline_pool_forecast *chosen, const struct trm_stream_task *form,
                        struct pipeline_pool_errand *errand)
{
    struct pipeline_pool_request request = {
        .priority     = form->priority,
        .wants_idle   = true,
        .wants_end    = errand->wants_end,
        .task         = form,
        .key          = pipeline_task_key_of(form),
        .ready_at     = chosen->ready_at,
        .is_data_sure = chosen->is_data_sure,
        .work         = chosen->work,
        .listener     = &errand->listeners[chosen->device],
    };
    errand->device = chosen->device;
    errand->member = team->members[chosen->device].pool;
    int32_t status = pipeline_pool_lend(errand->member, &request, &errand->slot);
    if (status != TRM_OK) {
        errand->slot = NULL;
        return status;
    }
    status = pipeline_pool_team_bring(team, plan, chosen->device);
    if (status == TRM_OK)
        status = enqueue(plan, errand, chosen, &request);
    request.is_after_vague = errand->is_after_vague;
    if (errand->after_end > request.ready_at)
        request.ready_at = errand->after_end;
    pipeline_pool_watch(errand->member, errand->slot, &request);
    errand->end = pipeline_pool_finish_draw(errand->member, errand->slot, &errand->ends_at);
    return status;
}

static int32_t run_on(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                      const struct pipeline_pool_forecast *chosen, struct pipeline_pool_errand *errand)
{
    struct pipeline_pool_form form;
    int32_t status = pipeline_pool_form_init(plan, chosen->device, &form);
    if (status != TRM_OK)
        return status;
    status = run_form(team, plan, chosen, &form.task, errand);
    pipeline_pool_form_fini(plan, &form);
    return status;
}

static int32_t run_somewhere(struct pipeline_pool_team *team, const struct pipeline_pool_plan *plan,
                             struct pipeline_pool_errand *errand)
{
    struct pipeline_pool_forecast chosen;
    for (;;) {
        uint32_t sound = pipeline_group_sound(team->group);
        int32_t status = pipeline_pool_team_choose(team, plan, &chosen);
        if (status == TRM_OK)
            status = run_on(team, plan, &chosen, errand);
        else
            return status;
        /* Chooses again when the device is lost, or one from which it was to get data. */
        if (status != TRM_ERROR_DEVICE_LOST || pipeline_group_sound(team->group) == sound)
            return status;
        if (errand->slot != NULL)
            pipeline_pool_give_back(errand->member, errand->slot);
        errand->slot = NULL;
    }
}

/* The thread that has data_lock may wait for callbacks, which this thread may have to run. */
static int32_t lock_data(struct pipeline_group *group)
{
    if (pipeline_group_try_lock_data(group))
        return TRM_OK;
    core_service_block();
    int32_t status = pipeline_group_lock_data(group);
    core_service_unblock();
    return status;
}

/* Prefers devices on which the next task may run. A mistake in that task is not this errand's: the task fails
 * when it runs. */
static void prefer_those_of_next(const struct pipeline_pool_team *team, const struct trm_stream_task *next,
                                 struct pipeline_pool_plan *plan)
{
    struct pipeline_pool_plan its;
    if (pipeline_pool_plan_open(team, next, &its) == TRM_OK)
        plan->preferred = its.devices;
    else
        base_error_clear();
    pipeline_pool_plan_close(&its);
}

int32_t pipeline_pool_run_errand(struct pipeline_stream_pool *pool, struct pipeline_pool_errand *errand)
{
    struct pipeline_pool_team *team = pool->team;
    struct pipeline_pool_plan plan;
    errand->slot   = NULL;
    int32_t status = pipeline_pool_plan_open(team, errand->task, &plan);
    if (status == TRM_OK && errand->next != NULL)
        prefer_those_of_next(team, errand->next, &plan);
    bool has_data = status == TRM_OK && plan.use_count > 0;
    if (has_data)
        status = lock_data(team->group);
    if (status == TRM_OK) {
        status = run_somewhere(team, &plan, errand);
        if (has_data)
            pipeline_group_unlock_data(team->group);
    }
    pipeline_pool_plan_close(&plan);
    return status;
}

/* ---- checking ------------------------------------------------------------------------------- */

static int32_t check_form(const struct pipeline_pool_plan *plan, pipeline_pool_check_fn check, void *user)
{
    struct pipeline_pool_form form;
    uint32_t sound  = plan->devices & pipeline_group_sound(plan->team->group);
    uint32_t device = (uint32_t)__builtin_ctz(sound != 0 ? sound : plan->devices);
    int32_t status  = pipeline_pool_form_init(plan, device, &form);
    if (status != TRM_OK)
        return status;
    status = check(user, &form.task, device);
    pipeline_pool_form_fini(plan, &form);
    return status;
}

int32_t pipeline_pool_check_errand(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                                   pipeline_pool_check_fn check, void *user)
{
    struct pipeline_pool_plan plan;
    int32_t status = pipeline_pool_plan_open(pool->team, task, &plan);
    if (status == TRM_OK)
        status = check_form(&plan, check, user);
    pipeline_pool_plan_close(&plan);
    return status;
}

/* ---- buffers -------------------------------------------------------------------------------- */

bool pipeline_pool_is_over_group(const struct pipeline_stream_pool *pool)
{
    return pool != NULL && pool->team != NULL;
}

int32_t pipeline_pool_locate(const struct pipeline_stream_pool *pool, struct trm_buffer *handle,
                             bool *is_of_group, uint32_t *devices)
{
    *is_of_group = core_object_is_alive(handle, CORE_GROUP_BUFFER);
    *devices     = 0;
    if (*is_of_group)
        return TRM_OK;
    struct core_buffer *buffer = core_object_enter(handle, CORE_BUFFER);
    if (buffer == NULL)
        return base_last_status();
    for (uint32_t i = 0; i < pool->team->count; i++)
        if (pool->team->group->devices[i] == buffer->device)
            *devices = 1u << i;
    int32_t status =
        *devices != 0
            ? TRM_OK
            : base_fail(TRM_ERROR_WRONG_DEVICE,
                        "a buffer is of a device %s that is not one of the pool's group: make it on a device "
                        "of trm_group_device()",
                        buffer->device->id);
    core_object_leave(&buffer->object);
    return status;
}

int32_t pipeline_pool_resolve(const struct pipeline_stream_pool *pool, uint32_t device,
                              struct trm_buffer *buffer, struct trm_buffer **one)
{
    void *found    = NULL;
    int32_t status = TRM_OK;
    if (buffer != NULL)
        status = pipeline_replica_resolve(pool->team->group, device, CORE_GROUP_BUFFER, buffer, &found);
    if (status == TRM_OK)
        *one = found;
    return status;
}

int32_t pipeline_pool_begin_wait(const struct pipeline_stream_pool *pool)
{
    return pipeline_pool_is_over_group(pool) ? pipeline_group_begin_wait(pool->team->group) : TRM_OK;
}

void pipeline_pool_end_wait(const struct pipeline_stream_pool *pool)
{
    if (pipeline_pool_is_over_group(pool))
        pipeline_group_end_wait();
}

bool pipeline_pool_may_run_errands(const struct pipeline_stream_pool *pool)
{
    return !pipeline_pool_is_over_group(pool) || !pipeline_group_is_any_data_locked();
}
