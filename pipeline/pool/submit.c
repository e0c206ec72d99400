/* Tasks: the pool chooses the stream, and enqueues.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/object/object.h"
#include "pipeline/pool/pool.h"
#include "pipeline/pool/team.h"

/* Bytes of the structures in their first versions. */
#define TASK_LEAST 104
#define PREDICTION_LEAST 40

static int32_t check_task(const struct trm_stream_task *task)
{
    if ((task->kernel == NULL) == (task->enqueue == NULL))
        return base_fail_static(TRM_ERROR_INVALID_ARGUMENT,
                                "trm_stream_pool_submit: a task has either a kernel or a function");
    if (task->argument_count > 0 && task->arguments == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_stream_pool_submit: the %" PRIu32 " arguments of the task are NULL",
                         task->argument_count);
    if (task->after_count > 0 && task->after == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_stream_pool_submit: the %" PRIu32 " points of the task are NULL",
                         task->after_count);
    if (task->workload < TRM_STREAM_WORKLOAD_FOUND || task->workload > TRM_STREAM_WORKLOAD_COORDINATION)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_stream_pool_submit: %" PRId32 " is not a workload of a task", task->workload);
    return TRM_OK;
}

static int32_t check_uses(const struct pipeline_stream_pool *pool, const struct trm_stream_task *task)
{
    if (pool->team != NULL || (task->use_count == 0 && task->devices == 0))
        return TRM_OK;
    return base_fail(TRM_ERROR_UNSUPPORTED,
                     "trm_stream_pool_submit: the task %s a group, but the pool is of a single device",
                     task->use_count > 0 ? "uses buffers of" : "names devices of");
}

static int32_t call_function(const struct trm_stream_task *task, struct trm_stream *stream)
{
    base_error_clear();
    int32_t status = task->enqueue(task->user, stream);
    if (status > 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the function of the task returned %" PRId32 ", which is not a status", status);
    return status == TRM_OK ? TRM_OK : base_fail_program(status);
}

/* Lets the slot's stream wait for what the task comes after. */
static int32_t wait_for_points(const struct core_stream *stream, struct pipeline_pool_request *request)
{
    const struct trm_stream_task *task = request->task;
    uint64_t before                    = core_stream_next(stream);
    int32_t status                     = TRM_OK;
    for (uint32_t i = 0; i < task->after_count && status == TRM_OK; i++)
        status = trm_stream_wait(stream->object.handle, task->after[i]);
    if (core_stream_next(stream) > before)
        request->waited = core_stream_next(stream) - 1;
    return status;
}

/* As trm_stream_mark() does it, for a stream that needs no look-up. */
static int32_t mark(struct core_stream *stream, struct trm_point *point)
{
    bool has_failed = atomic_load_explicit(&stream->failure, memory_order_acquire) != NULL;
    if (UNLIKELY(has_failed) || UNLIKELY(core_stream_is_recording(stream)))
        return trm_stream_mark(stream->object.handle, point);
    point->stream = stream->object.handle;
    return core_stream_mark(stream, &point->value);
}

int32_t pipeline_pool_enqueue(const struct pipeline_pool_slot *slot, struct pipeline_pool_request *request,
                              struct trm_point *point)
{
    const struct trm_stream_task *task = request->task;
    struct trm_stream *stream          = slot->stream->object.handle;
    int32_t status                     = wait_for_points(slot->stream, request);
    if (status != TRM_OK)
        return status;
    if (task->kernel != NULL)
        status = trm_launch(stream, task->kernel, &task->grid, task->arguments, task->argument_count);
    else
        status = call_function(task, stream);
    return status == TRM_OK ? mark(slot->stream, point) : status;
}

/* *task is the program's, or a copy of it in `room`: where it was compiled against another version, or where
 * a function is called, which may use the program's structure for its next task. */
static int32_t take_in(const struct pipeline_stream_pool *pool, const struct trm_stream_task *given,
                       struct trm_stream_task *room, const struct trm_stream_task **task)
{
    if (given == NULL)
        return base_fail_static(TRM_ERROR_INVALID_ARGUMENT, "a stream pool gets a task that is NULL");
    *task = given;
    if (UNLIKELY(given->struct_size != sizeof(*given)) || given->kernel == NULL) {
        if (!core_struct_copy_in(room, sizeof(*room), given, TASK_LEAST))
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "trm_stream_task.struct_size is %" PRIu32 ", but its size is %zu",
                             given->struct_size, sizeof(*room));
        *task = room;
    }
    int32_t status = check_task(*task);
    return status == TRM_OK ? check_uses(pool, *task) : status;
}

static int32_t submit(struct pipeline_stream_pool *pool, const struct trm_stream_task *given,
                      struct trm_point *point)
{
    struct trm_stream_task room;
    const struct trm_stream_task *task;
    struct pipeline_pool_slot *slot;
    struct trm_point end;
    int32_t status = core_output_check(point, "trm_stream_pool_submit", "point");
    if (status == TRM_OK)
        status = take_in(pool, given, &room, &task);
    if (status != TRM_OK)
        return status;
    if (pool->team != NULL)
        return pipeline_pool_team_submit(pool, task, point);
    struct pipeline_pool_request request = {.timeout_ns = TRM_FOREVER,
                                            .task       = task,
                                            .priority   = task->priority,
                                            .key        = pipeline_task_key_of(task)};
    status                               = pipeline_pool_lend(pool, &request, &slot);
    if (status != TRM_OK)
        return status;
    status = pipeline_pool_enqueue(slot, &request, &end);
    pipeline_pool_take_back(pool, slot, &request);
    if (status == TRM_OK)
        *point = end;
    return status;
}

int32_t trm_stream_pool_submit(struct trm_stream_pool *handle, const struct trm_stream_task *task,
                               struct trm_point *point)
{
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL)
        return base_last_status();
    int32_t status = submit(pool, task, point);
    core_object_leave(&pool->object);
    return status;
}

static int32_t submit_all(struct pipeline_stream_pool *pool, const struct trm_stream_task *given,
                          struct trm_point *points, uint32_t *count)
{
    struct pipeline_pool_request request = {.timeout_ns = TRM_FOREVER};
    struct trm_stream_task room;
    struct pipeline_pool_slot *slot;
    uint32_t done  = 0;
    int32_t status = core_output_check(points, "trm_stream_pool_submit_all", "points");
    if (status == TRM_OK)
        status = core_output_check(count, "trm_stream_pool_submit_all", "count");
    if (status == TRM_OK)
        status = take_in(pool, given, &room, &request.task);
    if (status == TRM_OK && pool->team != NULL)
        status = pipeline_pool_team_refuse("trm_stream_pool_submit_all");
    if (status == TRM_OK)
        request.key = pipeline_task_key_of(request.task);
    for (uint32_t i = 0; i < pool->slot_count && status == TRM_OK; i++) {
        status = pipeline_pool_lend_slot(pool, i, &request, &slot);
        if (status != TRM_OK || slot == NULL)
            continue;
        request.waited = 0;
        status         = pipeline_pool_enqueue(slot, &request, &points[done]);
        pipeline_pool_take_back(pool, slot, &request);
        done += status == TRM_OK;
    }
    if (status == TRM_OK)
        *count = done;
    return status;
}

int32_t trm_stream_pool_submit_all(struct trm_stream_pool *handle, const struct trm_stream_task *task,
                                   struct trm_point *points, uint32_t *count)
{
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL)
        return base_last_status();
    int32_t status = submit_all(pool, task, points, count);
    core_object_leave(&pool->object);
    return status;
}

/* ---- predictions ---------------------------------------------------------------------------- */

static void look_up(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                    struct trm_stream_prediction *found)
{
    struct pipeline_task_key key = pipeline_task_key_of(task);
    base_lock_acquire(&pool->lock);
    if (pipeline_pool_lacks_model_locked(pool, task, &key)) {
        base_lock_release(&pool->lock);
        pipeline_pool_stored_recall(pool, task, &key);
        base_lock_acquire(&pool->lock);
    }
    const struct pipeline_task_model *model = pipeline_task_model_find(&pool->models, &key);
    if (model != NULL)
        *found =
            (struct trm_stream_prediction){.samples   = model->time.samples,
                                           .mean_ns   = (uint64_t)model->time.mean,
                                           .spread_ns = (uint64_t)model->time.spread,
                                           .workload  = pipeline_task_workload_of(
                                                &pool->workloads, task->workload, task->bytes, model->least)};
    base_lock_release(&pool->lock);
}

static int32_t predict(struct pipeline_stream_pool *pool, const struct trm_stream_task *given,
                       struct trm_stream_prediction *prediction)
{
    struct trm_stream_prediction found = {.samples = 0};
    struct trm_stream_task room;
    const struct trm_stream_task *task;
    int32_t status = core_output_check(prediction, "trm_stream_pool_predict", "prediction");
    if (status == TRM_OK)
        status = take_in(pool, given, &room, &task);
    if (status == TRM_OK && pool->team != NULL)
        status = pipeline_pool_team_predict(pool, task, &found);
    else if (status == TRM_OK)
        look_up(pool, task, &found);
    if (status != TRM_OK)
        return status;
    if (found.samples == 0)
        return base_fail_static(TRM_ERROR_NOT_FOUND, "no task of this kind and size has ended in the pool");
    if (!core_struct_copy_out(prediction, &found, sizeof(found), PREDICTION_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_stream_prediction.struct_size is %" PRIu32 ", but its size is %zu",
                         prediction->struct_size, sizeof(found));
    return TRM_OK;
}

int32_t trm_stream_pool_predict(struct trm_stream_pool *handle, const struct trm_stream_task *task,
                                struct trm_stream_prediction *prediction)
{
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL)
        return base_last_status();
    int32_t status = predict(pool, task, prediction);
    core_object_leave(&pool->object);
    return status;
}
