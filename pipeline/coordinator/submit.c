/* Starts all added tasks, or none.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "pipeline/coordinator/coordinator.h"

/* ---- checks, before other threads see a change ---------------------------------------------- */

static int32_t fail_unknown(const struct pipeline_task *task, uint64_t id, const char *why)
{
    char name[96];
    return base_fail(TRM_ERROR_NOT_FOUND, "task %s comes after %" PRIu64 ", %s",
                     pipeline_task_name(task, name, sizeof(name)), id, why);
}

/* Finds the dependencies of a task, and links those that belong to this submit. */
static int32_t resolve_locked(const struct pipeline_coordinator *coordinator, struct pipeline_task *task)
{
    struct pipeline_task_work *work = task->work;
    for (uint32_t i = 0; i < work->desc.after_count; i++) {
        struct pipeline_task_edge *edge = &work->edges[i];
        struct pipeline_task *from      = pipeline_task_find_locked(coordinator, edge->id);
        if (from == NULL)
            return fail_unknown(task, edge->id, "and no task has that id");
        if (from->state == PIPELINE_TASK_ADDED)
            return fail_unknown(task, edge->id, "which was not yet added when this submit began");
        edge->from = from;
        if (from->state != PIPELINE_TASK_SUBMITTING)
            continue;
        edge->next       = from->dependents;
        from->dependents = edge;
        task->before++;
    }
    return TRM_OK;
}

static int32_t resolve_all(struct pipeline_coordinator *coordinator, const struct pipeline_task_list *list)
{
    int32_t status = TRM_OK;
    for (struct pipeline_task *task = list->first; task != NULL && status == TRM_OK; task = task->next) {
        base_lock_acquire(&coordinator->lock);
        status = resolve_locked(coordinator, task);
        base_lock_release(&coordinator->lock);
    }
    return status;
}

static int32_t check_operation(struct pipeline_coordinator *coordinator, const struct pipeline_task *task)
{
    char name[96], sentence[512];
    const struct trm_task *desc = &task->work->desc;
    int32_t status              = coordinator->is_over_group ? pipeline_errand_check(coordinator, desc)
                                                             : pipeline_task_check(coordinator->checkers[0], desc);
    if (status == TRM_OK)
        return TRM_OK;
    base_fail_backend(status);
    struct trm_error error = trm_last_error();
    int64_t native_code    = error.native_code;
    base_text_copy(sentence, sizeof(sentence), error.sentence);
    base_fail(status, "task %s: %s", pipeline_task_name(task, name, sizeof(name)), sentence);
    base_text_copy(sentence, sizeof(sentence), trm_last_error().sentence);
    return base_fail_native(status, native_code, sentence);
}

static int32_t check_all(struct pipeline_coordinator *coordinator, const struct pipeline_task_list *list)
{
    int32_t status = resolve_all(coordinator, list);
    if (status == TRM_OK)
        status = pipeline_tasks_check_cycles(list);
    for (const struct pipeline_task *task = list->first; task != NULL && status == TRM_OK; task = task->next)
        status = check_operation(coordinator, task);
    return status;
}

/* ---- changes that cannot fail --------------------------------------------------------------- */

/* A dependency from an earlier submit. */
static void follow_locked(struct pipeline_task_work *work, struct pipeline_task_edge *edge)
{
    struct pipeline_task *task = work->task, *from = edge->from;
    if (from->state < PIPELINE_TASK_SETTLED) {
        edge->next       = from->dependents;
        from->dependents = edge;
        work->pending++;
        work->unenqueued += !from->work->is_enqueued;
        return;
    }
    edge->from = NULL;
    if (from->status == TRM_OK || work->cause_status != TRM_OK)
        return;
    work->cause_status = from->status;
    task->cause        = pipeline_task_cause_retain_locked(from->cause);
}

/* Counts what the task waits for. All tasks of this submit are SUBMITTING, which tells them from others. */
static void count_locked(struct pipeline_task *task)
{
    struct pipeline_task_work *work = task->work;
    for (uint32_t i = 0; i < work->desc.after_count; i++) {
        struct pipeline_task_edge *edge = &work->edges[i];
        if (edge->from->state != PIPELINE_TASK_SUBMITTING) {
            follow_locked(work, edge);
            continue;
        }
        work->pending++;
        work->unenqueued++;
    }
}

static void begin_all(struct pipeline_coordinator *coordinator, const struct pipeline_task_list *list)
{
    struct pipeline_task *task, *next;
    base_lock_acquire(&coordinator->lock);
    for (task = list->first; task != NULL; task = task->next)
        count_locked(task);
    for (task = list->first; task != NULL; task = task->next)
        task->state = PIPELINE_TASK_WAITING;
    coordinator->unfinished += list->count;
    for (task = list->first; task != NULL; task = next) {
        next = task->next; /* it may end at once and go to another list */
        pipeline_schedule_advance_locked(coordinator, task);
    }
    base_lock_release(&coordinator->lock);
}

/* ---- entry points --------------------------------------------------------------------------- */

static int32_t claim_added(struct pipeline_coordinator *coordinator, struct pipeline_task_list *list)
{
    base_lock_acquire(&coordinator->lock);
    bool is_closing    = coordinator->is_closing;
    *list              = coordinator->added;
    coordinator->added = (struct pipeline_task_list){0};
    coordinator->submits++;
    for (struct pipeline_task *task = list->first; task != NULL; task = task->next) {
        task->state  = PIPELINE_TASK_SUBMITTING;
        task->submit = coordinator->submits;
    }
    base_lock_release(&coordinator->lock);
    return is_closing ? base_fail(TRM_ERROR_CANCELLED, "the coordinator is being destroyed") : TRM_OK;
}

static int32_t submit_added(struct pipeline_coordinator *coordinator)
{
    base_lock_acquire(&coordinator->submit_lock);
    struct pipeline_task_list list;
    int32_t status = claim_added(coordinator, &list);
    if (status == TRM_OK)
        status = check_all(coordinator, &list);
    if (status == TRM_OK)
        begin_all(coordinator, &list);
    else
        pipeline_tasks_drop(coordinator, list.first);
    base_lock_release(&coordinator->submit_lock);
    if (status != TRM_OK)
        return status;
    /* From here on tasks fail, not this call. */
    struct base_saved_error error;
    base_error_save(&error);
    pipeline_coordinator_pump(coordinator);
    base_error_restore(&error);
    return TRM_OK;
}

int32_t trm_coordinator_submit(struct trm_coordinator *handle)
{
    struct pipeline_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    if (coordinator == NULL)
        return base_last_status();
    int32_t status = submit_added(coordinator);
    core_object_leave(&coordinator->object);
    return status;
}
