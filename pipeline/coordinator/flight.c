/* Tasks on streams of a pool: the pool knows when they have ended, or presumes it.
 *
 * The pool calls the coordinator when a task has ended whose end it watches, and the pump looks through all
 * flights. Each round of the pump also asks the pool for the ends that it presumes. If something waits for
 * such an end, the pump asks for a notification. That is a call that waits for the task; or, if nothing else
 * would start the pump, a call that waits for all tasks, or a task that has no stream yet. One notification
 * at a time is enough for the last two, since other flights end meanwhile, too.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "pipeline/coordinator/coordinator.h"

/* Tasks that wait for it on the device do not need to know its end. */
static bool wants_end_locked(const struct pipeline_coordinator *coordinator,
                             const struct pipeline_task_work *work)
{
    const struct pipeline_task *task = work->task;
    if (work->desc.done != NULL || task->watched > 0)
        return true;
    for (const struct pipeline_task_edge *edge = task->dependents; edge != NULL; edge = edge->next) {
        int32_t kind = edge->to->work->desc.kind;
        if (!coordinator->has_device_waits || kind == TRM_TASK_HOST || kind == TRM_TASK_NOTHING)
            return true;
    }
    return false;
}

bool pipeline_flight_wants_end(struct pipeline_coordinator *coordinator,
                               const struct pipeline_task_work *work)
{
    base_lock_acquire(&coordinator->lock);
    bool wants_end = wants_end_locked(coordinator, work);
    base_lock_release(&coordinator->lock);
    return wants_end;
}

static int32_t status_of(const struct pipeline_task_work *work)
{
    struct core_stream *stream = work->lane->stream;
    base_error_clear();
    int32_t status = core_stream_query(stream, work->value);
    if (status != TRM_ERROR_TIMEOUT)
        return status;
    core_stream_wait_finished(stream, work->value, TRM_FOREVER);
    return core_stream_failure_status(stream);
}

void pipeline_flight_begin(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    if (work->end == PIPELINE_POOL_END_REACHED) {
        pipeline_task_ended(work, status_of(work));
        return;
    }
    work->is_asked = false;
    pipeline_queue_add(&coordinator->flying, work);
    base_lock_acquire(&coordinator->lock);
    coordinator->flights++;
    coordinator->silent += work->end == PIPELINE_POOL_END_PRESUMED;
    base_lock_release(&coordinator->lock);
}

static void land(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    pipeline_queue_remove(&coordinator->flying, work);
    work->ended_status = status_of(work);
    work->next_ended   = NULL;
    base_lock_acquire(&coordinator->lock);
    coordinator->flights--;
    if (work->is_asked)
        coordinator->asked--;
    else if (work->end == PIPELINE_POOL_END_PRESUMED)
        coordinator->silent--;
    base_lock_release(&coordinator->lock);
}

void pipeline_flight_collect(struct pipeline_coordinator *coordinator, struct pipeline_task_work **list)
{
    struct pipeline_task_work *work, *next;
    while (*list != NULL)
        list = &(*list)->next_ended;
    for (work = coordinator->flying.first; work != NULL; work = next) {
        next = work->next;
        if (!pipeline_pool_has_ended(work->lane->owner, work->lane->slot))
            continue;
        land(coordinator, work);
        *list = work;
        list  = &work->next_ended;
    }
}

/* ---- asking --------------------------------------------------------------------------------- */

static bool is_silent(const struct pipeline_task_work *work)
{
    return work->end == PIPELINE_POOL_END_PRESUMED && !work->is_asked;
}

/* The silent flight of this index. */
static struct pipeline_task_work *silent_at(const struct pipeline_coordinator *coordinator, uint32_t index)
{
    struct pipeline_task_work *work = coordinator->flying.first;
    while (!is_silent(work) || index-- > 0)
        work = work->next;
    return work;
}

static struct pipeline_task_work *find_watched_locked(const struct pipeline_coordinator *coordinator)
{
    struct pipeline_task_work *work = coordinator->flying.first;
    while (work != NULL && (!is_silent(work) || work->task->watched == 0))
        work = work->next;
    return work;
}

/* Chooses the flight to ask for. While tasks have no lane, or a pool had no stream, it is the one in the
 * middle, so that others can start before the last one ends; else the last one. A pool that had no stream
 * will call, but that may take long, and a group has other pools. */
static struct pipeline_task_work *choose_locked(const struct pipeline_coordinator *coordinator)
{
    if (coordinator->silent == 0)
        return NULL;
    struct pipeline_task_work *watched = find_watched_locked(coordinator);
    if (watched != NULL || coordinator->asked > 0)
        return watched;
    if (coordinator->unfinished > coordinator->flights)
        return silent_at(coordinator, (coordinator->silent - 1) / 2);
    return coordinator->sleepers > 0 ? silent_at(coordinator, coordinator->silent - 1) : NULL;
}

void pipeline_flight_ask(struct pipeline_coordinator *coordinator)
{
    struct pipeline_task_work *work;
    do {
        base_lock_acquire(&coordinator->lock);
        work = choose_locked(coordinator);
        if (work != NULL) {
            work->is_asked = true;
            coordinator->silent--;
            coordinator->asked++;
        }
        base_lock_release(&coordinator->lock);
        if (work != NULL)
            pipeline_pool_want_end(work->lane->owner, work->lane->slot);
    } while (work != NULL);
}

void pipeline_flight_look_locked(struct pipeline_coordinator *coordinator)
{
    struct base_saved_error saved;
    if (coordinator->silent == 0)
        return;
    base_lock_release(&coordinator->lock);
    base_error_save(&saved);
    pipeline_coordinator_look(coordinator);
    base_error_restore(&saved);
    base_lock_acquire(&coordinator->lock);
}

void pipeline_flight_look(struct pipeline_coordinator *coordinator)
{
    base_lock_acquire(&coordinator->lock);
    pipeline_flight_look_locked(coordinator);
    base_lock_release(&coordinator->lock);
}
