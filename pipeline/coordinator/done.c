/* Functions of the program: what a task does on the host, and its callback. They run on a thread of the
 * coordinator, one after another, except while one waits inside the library. So a long function delays
 * neither unrelated tasks nor callbacks of streams.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "pipeline/coordinator/coordinator.h"

/* A function that the calling thread runs; on its stack. */
struct frame {
    const struct pipeline_coordinator *coordinator;
    const struct pipeline_task *task;
    struct frame *outer;
};

static _Thread_local struct frame *innermost;

static void call(struct pipeline_task_work *work, trm_callback_fn function, int32_t status)
{
    struct frame frame = {work->coordinator, work->task, innermost};
    innermost          = &frame;
    function(work->desc.user, status);
    innermost = frame.outer;
}

static struct pipeline_task_work *work_of(struct core_job *job)
{
    return base_container_of(job, struct pipeline_task_work, job);
}

int32_t pipeline_task_prepare_functions(struct pipeline_coordinator *coordinator, const struct trm_task *task)
{
    struct core_service *made, *none = NULL;
    if ((task->kind != TRM_TASK_HOST && task->done == NULL) || atomic_load(&coordinator->functions) != NULL)
        return TRM_OK;
    int32_t status = core_service_create(coordinator->object.context, &made);
    if (status == TRM_OK && !atomic_compare_exchange_strong(&coordinator->functions, &none, made))
        core_service_destroy(made);
    return status;
}

static void run_host(struct core_job *job)
{
    struct pipeline_task_work *work          = work_of(job);
    struct pipeline_coordinator *coordinator = work->coordinator;
    uint64_t begin                           = base_now();
    char name[96];
    call(work, work->desc.host, TRM_OK);
    if (atomic_load_explicit(&coordinator->device->attention, memory_order_relaxed) & CORE_DEVICE_PROFILED)
        core_profile_add_task(coordinator->device, pipeline_task_name(work->task, name, sizeof(name)), begin);
    pipeline_task_ended(work, TRM_OK);
    pipeline_coordinator_unpin(coordinator);
}

void pipeline_task_post_host(struct pipeline_task_work *work)
{
    pipeline_coordinator_pin(work->coordinator);
    work->job.run = run_host;
    core_service_post(atomic_load(&work->coordinator->functions), &work->job);
}

/* trm_last_error() says why, also inside the function. */
static void run_done(struct core_job *job)
{
    struct pipeline_task_work *work          = work_of(job);
    struct pipeline_coordinator *coordinator = work->coordinator;
    struct pipeline_task *task               = work->task;
    if (task->status != TRM_OK)
        pipeline_task_raise(task->id, task->status, task->cause);
    call(work, work->desc.done, task->status);
    base_lock_acquire(&coordinator->lock);
    pipeline_task_finish_locked(coordinator, task);
    base_lock_release(&coordinator->lock);
    pipeline_coordinator_tidy(coordinator);
    pipeline_coordinator_unpin(coordinator);
}

void pipeline_task_post_done(struct pipeline_task_work *work)
{
    pipeline_coordinator_pin(work->coordinator);
    work->job.run = run_done;
    core_service_post(atomic_load(&work->coordinator->functions), &work->job);
}

bool pipeline_task_is_inside(const struct pipeline_coordinator *coordinator)
{
    const struct frame *frame = innermost;
    while (frame != NULL && frame->coordinator != coordinator)
        frame = frame->outer;
    return frame != NULL;
}

/* ---- deadlocks ------------------------------------------------------------------------------ */

static bool is_running_here(const struct pipeline_coordinator *coordinator, const struct pipeline_task *task)
{
    for (const struct frame *frame = innermost; frame != NULL; frame = frame->outer)
        if (frame->coordinator == coordinator && frame->task == task)
            return true;
    return false;
}

/* Visits all dependencies of the task once. */
bool pipeline_task_deadlocks_locked(struct pipeline_coordinator *coordinator, struct pipeline_task *task)
{
    if (!pipeline_task_is_inside(coordinator))
        return false;
    uint32_t number              = ++coordinator->searches;
    struct pipeline_task *to_see = task;
    task->visited                = number;
    task->to_see                 = NULL;
    while ((task = to_see) != NULL) {
        const struct pipeline_task_work *work = task->work;
        to_see                                = task->to_see;
        if (is_running_here(coordinator, task))
            return true;
        for (uint32_t i = 0; work != NULL && i < work->desc.after_count; i++) {
            struct pipeline_task *from = work->edges[i].from;
            if (from == NULL || from->visited == number)
                continue;
            from->visited = number;
            from->to_see  = to_see;
            to_see        = from;
        }
    }
    return false;
}
