/* The end of tasks: their dependents start, or fail with them.
 * SPDX-License-Identifier: MIT
 */
#include <stddef.h>

#include "base/base.h"
#include "pipeline/coordinator/coordinator.h"

/* Rounds of a program's thread before the service thread takes over. */
#define ROUNDS 8

/* ---- pins ----------------------------------------------------------------------------------- */

/* In `busy`, besides the count: a thread sleeps until the count is 0. */
#define AWAITED (1u << 31)

void pipeline_coordinator_pin(struct pipeline_coordinator *coordinator)
{
    atomic_fetch_add_explicit(&coordinator->busy, 1, memory_order_relaxed);
}

void pipeline_coordinator_unpin(struct pipeline_coordinator *coordinator)
{
    if (atomic_fetch_sub_explicit(&coordinator->busy, 1, memory_order_acq_rel) == (AWAITED | 1))
        base_futex_wake(&coordinator->busy, UINT32_MAX);
}

void pipeline_coordinator_wait_unpinned(struct pipeline_coordinator *coordinator)
{
    uint32_t busy = atomic_fetch_or_explicit(&coordinator->busy, AWAITED, memory_order_acq_rel) | AWAITED;
    core_service_block();
    for (; busy != AWAITED; busy = atomic_load_explicit(&coordinator->busy, memory_order_acquire))
        base_futex_wait(&coordinator->busy, busy, BASE_NEVER);
    core_service_unblock();
}

/* ---- notifications -------------------------------------------------------------------------- */

/* Tells the pump to look. The pump exchanges `pump` before it looks, so it sees what was pushed before. */
static void notify_pump(struct pipeline_coordinator *coordinator)
{
    uint32_t state = atomic_load_explicit(&coordinator->pump, memory_order_relaxed), wanted;
    do {
        if (state == PIPELINE_PUMP_POSTED || state == PIPELINE_PUMP_AGAIN)
            wanted = state; /* written back, so that the pump's exchange reads it */
        else
            wanted = state == PIPELINE_PUMP_IDLE ? PIPELINE_PUMP_POSTED : PIPELINE_PUMP_AGAIN;
    } while (!atomic_compare_exchange_weak_explicit(&coordinator->pump, &state, wanted, memory_order_acq_rel,
                                                    memory_order_relaxed));
    if (state != PIPELINE_PUMP_IDLE)
        return;
    pipeline_coordinator_pin(coordinator);
    core_service_post(coordinator->service, &coordinator->job);
}

/* Once the task is in the list it may be settled, and the coordinator destroyed but for this pin. */
void pipeline_task_ended(struct pipeline_task_work *work, int32_t status)
{
    struct pipeline_coordinator *coordinator = work->coordinator;
    pipeline_coordinator_pin(coordinator);
    work->ended_status = status;
    work->next_ended   = atomic_load_explicit(&coordinator->ended, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&coordinator->ended, &work->next_ended, work,
                                                  memory_order_release, memory_order_relaxed))
        ;
    notify_pump(coordinator);
    pipeline_coordinator_unpin(coordinator);
}

void pipeline_coordinator_stir(struct pipeline_coordinator *coordinator)
{
    pipeline_coordinator_pin(coordinator);
    notify_pump(coordinator);
    pipeline_coordinator_unpin(coordinator);
}

/* Oldest first. */
static struct pipeline_task_work *collect_ended(struct pipeline_coordinator *coordinator)
{
    struct pipeline_task_work *list =
        atomic_exchange_explicit(&coordinator->ended, NULL, memory_order_acquire);
    struct pipeline_task_work *turned = NULL;
    while (list != NULL) {
        struct pipeline_task_work *next = list->next_ended;
        list->next_ended                = turned;
        turned                          = list;
        list                            = next;
    }
    return turned;
}

/* ---- settling ------------------------------------------------------------------------------- */

/* The first failure of all, for calls that wait for all tasks. */
static void note_failure_locked(struct pipeline_coordinator *coordinator, const struct pipeline_task *task)
{
    if (task->status == TRM_OK || coordinator->first_status != TRM_OK)
        return;
    coordinator->first_status = task->status;
    coordinator->first_id     = task->id;
    coordinator->first_cause  = pipeline_task_cause_retain_locked(task->cause);
}

/* The status of a failed dependency, without which the task's own operation cannot have run; else its own. */
static void decide_status_locked(struct pipeline_coordinator *coordinator, struct pipeline_task *task)
{
    struct pipeline_task_work *work = task->work;
    if (work->cause_status != TRM_OK) {
        task->status = work->cause_status;
        pipeline_task_cause_release_locked(coordinator, work->own);
    } else {
        task->status = work->ended_status;
        task->cause  = work->own;
    }
    work->own   = NULL;
    task->state = PIPELINE_TASK_SETTLED;
    note_failure_locked(coordinator, task);
}

static void release_lanes_locked(struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    for (uint32_t i = 0; i < work->desc.after_count; i++)
        if (work->edges[i].lane != NULL)
            pipeline_lane_release_locked(coordinator, work->edges[i].lane);
    if (work->lane == NULL)
        return;
    work->lane->has_failed = work->task->status != TRM_OK;
    pipeline_lane_release_locked(coordinator, work->lane);
}

static void update_dependents_locked(struct pipeline_coordinator *coordinator, struct pipeline_task *task)
{
    struct pipeline_task_edge *edge = task->dependents, *next;
    bool was_enqueued               = task->work->is_enqueued;
    task->dependents                = NULL;
    for (; edge != NULL; edge = next) {
        struct pipeline_task *after     = edge->to;
        struct pipeline_task_work *work = after->work;
        next                            = edge->next;
        edge->from                      = NULL;
        work->pending--;
        work->unenqueued -= !was_enqueued;
        if (task->status != TRM_OK && work->cause_status == TRM_OK) {
            work->cause_status = task->status;
            after->cause       = pipeline_task_cause_retain_locked(task->cause);
        }
        pipeline_schedule_advance_locked(coordinator, after);
    }
}

/* A list instead of recursion: chains of tasks may be long. */
static void settle_locked(struct pipeline_coordinator *coordinator)
{
    struct pipeline_task_work *work;
    while ((work = coordinator->settling.first) != NULL) {
        coordinator->settling.first = work->next;
        if (work->next == NULL)
            coordinator->settling.last = NULL;
        decide_status_locked(coordinator, work->task);
        release_lanes_locked(coordinator, work);
        update_dependents_locked(coordinator, work->task);
        if (work->desc.done != NULL)
            pipeline_task_post_done(work);
        else
            pipeline_task_finish_locked(coordinator, work->task);
    }
}

void pipeline_coordinator_wake_locked(struct pipeline_coordinator *coordinator)
{
    if (coordinator->sleepers == 0)
        return;
    atomic_fetch_add_explicit(&coordinator->epoch, 1, memory_order_release);
    base_futex_wake(&coordinator->epoch, UINT32_MAX);
}

void pipeline_task_finish_locked(struct pipeline_coordinator *coordinator, struct pipeline_task *task)
{
    task->work->next_ended = coordinator->spent;
    coordinator->spent     = task->work;
    task->work             = NULL;
    task->state            = PIPELINE_TASK_DONE;
    pipeline_task_list_add(&coordinator->done, task);
    coordinator->unfinished--;
    if (task->watched > 0 || coordinator->unfinished == 0)
        pipeline_coordinator_wake_locked(coordinator);
}

void pipeline_coordinator_tidy(struct pipeline_coordinator *coordinator)
{
    base_lock_acquire(&coordinator->lock);
    struct pipeline_task_work *work    = coordinator->spent;
    struct pipeline_task_cause *causes = coordinator->spent_causes;
    coordinator->spent                 = NULL;
    coordinator->spent_causes          = NULL;
    base_lock_release(&coordinator->lock);
    while (work != NULL) {
        struct pipeline_task_work *next = work->next_ended;
        pipeline_task_work_free(coordinator, work);
        work = next;
    }
    pipeline_task_causes_free(coordinator, causes);
}

/* ---- the pump ------------------------------------------------------------------------------- */

/* The sentence belongs to the stream, which stays as long as the task is not settled. */
static void save_cause(const struct pipeline_coordinator *coordinator, struct pipeline_task_work *work)
{
    if (work->ended_status == TRM_OK || work->own != NULL || work->lane == NULL || !work->is_enqueued)
        return;
    base_error_clear();
    if (core_stream_query(work->lane->stream, work->value) != work->ended_status)
        base_fail_backend(work->ended_status);
    work->own = pipeline_task_cause_create(coordinator, work->task, work->ended_status);
}

static void pump_once(struct pipeline_coordinator *coordinator)
{
    struct pipeline_task_work *list = collect_ended(coordinator);
    pipeline_flight_collect(coordinator, &list);
    for (const struct pipeline_task_work *work = list; work != NULL; work = work->next_ended)
        save_cause(coordinator, (struct pipeline_task_work *)(uintptr_t)work);
    base_lock_acquire(&coordinator->lock);
    while (list != NULL) {
        struct pipeline_task_work *work = list;
        list                            = work->next_ended;
        work->has_ended                 = true;
        pipeline_schedule_advance_locked(coordinator, work->task);
    }
    settle_locked(coordinator);
    base_lock_release(&coordinator->lock);
    pipeline_coordinator_tidy(coordinator);
    pipeline_schedule_repair(coordinator);
    pipeline_schedule_start(coordinator);
    pipeline_flight_ask(coordinator);
}

/* True: there is nothing more to do, or the service thread continues. */
static bool may_stop(struct pipeline_coordinator *coordinator, uint32_t round, bool may_hand_over)
{
    uint32_t state = PIPELINE_PUMP_RUNNING;
    if (atomic_compare_exchange_strong(&coordinator->pump, &state, PIPELINE_PUMP_IDLE))
        return true;
    if (!may_hand_over || round < ROUNDS) {
        atomic_exchange(&coordinator->pump, PIPELINE_PUMP_RUNNING);
        return false;
    }
    atomic_exchange(&coordinator->pump, PIPELINE_PUMP_POSTED);
    pipeline_coordinator_pin(coordinator);
    core_service_post(coordinator->service, &coordinator->job);
    return true;
}

static void pump_run(struct pipeline_coordinator *coordinator, bool may_hand_over)
{
    uint32_t round = 0;
    do
        pump_once(coordinator);
    while (!may_stop(coordinator, ++round, may_hand_over));
}

/* tells: if another thread runs the pump, that thread runs another round. */
static void pump(struct pipeline_coordinator *coordinator, bool tells)
{
    uint32_t state = PIPELINE_PUMP_IDLE;
    pipeline_coordinator_pin(coordinator);
    if (!pipeline_pool_may_run_errands(coordinator->pool))
        notify_pump(coordinator);
    else if (atomic_compare_exchange_strong(&coordinator->pump, &state, PIPELINE_PUMP_RUNNING))
        pump_run(coordinator, true);
    else if (tells)
        notify_pump(coordinator);
    pipeline_coordinator_unpin(coordinator);
}

void pipeline_coordinator_pump(struct pipeline_coordinator *coordinator)
{
    pump(coordinator, true);
}

void pipeline_coordinator_look(struct pipeline_coordinator *coordinator)
{
    pump(coordinator, false);
}

void pipeline_coordinator_pump_job(struct core_job *job)
{
    struct pipeline_coordinator *coordinator = base_container_of(job, struct pipeline_coordinator, job);
    atomic_exchange(&coordinator->pump, PIPELINE_PUMP_RUNNING);
    pump_run(coordinator, false);
    pipeline_coordinator_unpin(coordinator);
}
