/* Asking for tasks, and waiting for them.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/base.h"
#include "pipeline/coordinator/coordinator.h"

static int32_t fail_missing(uint64_t id)
{
    return base_fail(TRM_ERROR_NOT_FOUND, "there is no task of the id %" PRIu64, id);
}

static int32_t not_yet(void)
{
    return base_fail_static(TRM_ERROR_TIMEOUT, "the task has not ended yet");
}

/* ---- what is kept while somebody sleeps ------------------------------------------------------------ */

/* A failure to be raised once the lock has been given back. */
struct answer {
    uint64_t id;
    int32_t status;
    struct core_task_cause *cause; /* with a reference */
};

static void answer_take_locked(struct answer *answer, uint64_t id, int32_t status,
                               struct core_task_cause *cause)
{
    answer->id     = id;
    answer->status = status;
    answer->cause  = status == TRM_OK ? NULL : core_task_cause_share_locked(cause);
}

static int32_t answer_give(struct core_coordinator *coordinator, const struct answer *answer)
{
    if (answer->status == TRM_OK)
        return TRM_OK;
    core_task_raise(answer->id, answer->status, answer->cause);
    base_lock_acquire(&coordinator->lock);
    core_task_cause_drop_locked(coordinator, answer->cause);
    base_lock_release(&coordinator->lock);
    return answer->status;
}

/* Sleeps with the lock given back until something that is waited for has ended. 0: it is too late. */
static int32_t sleep_locked(struct core_coordinator *coordinator, uint64_t deadline)
{
    uint32_t epoch = atomic_load_explicit(&coordinator->epoch, memory_order_relaxed);
    int32_t awake  = 1;
    coordinator->sleepers++;
    base_lock_release(&coordinator->lock);
    core_service_block();
    while (awake && atomic_load_explicit(&coordinator->epoch, memory_order_acquire) == epoch)
        awake = base_futex_wait(&coordinator->epoch, epoch, deadline);
    core_service_unblock();
    base_lock_acquire(&coordinator->lock);
    coordinator->sleepers--;
    return awake;
}

/* ---- one, and any of several ---------------------------------------------------------------------- */

/* A call that waits for any of several. */
struct wish {
    const uint64_t *ids;
    uint32_t count;
    uint32_t which; /* has ended */
};

/* TRM_OK when one has ended; TIMEOUT when none has, without saying so. */
static int32_t look_locked(const struct core_coordinator *coordinator, struct wish *wish,
                           struct answer *answer)
{
    for (uint32_t i = 0; i < wish->count; i++) {
        const struct core_task *task = core_task_find_locked(coordinator, wish->ids[i]);
        if (task == NULL)
            return fail_missing(wish->ids[i]);
        if (task->state <= CORE_TASK_SUBMITTING)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT, "task %" PRIu64 " was added, but not submitted",
                             task->id);
        if (task->state != CORE_TASK_DONE)
            continue;
        wish->which = i;
        answer_take_locked(answer, task->id, task->status, task->cause);
        return TRM_OK;
    }
    return TRM_ERROR_TIMEOUT;
}

/* Every one of them would wait for the caller itself. */
static bool deadlocks_locked(struct core_coordinator *coordinator, const struct wish *wish)
{
    for (uint32_t i = 0; i < wish->count; i++)
        if (!core_task_deadlocks_locked(coordinator, core_task_find_locked(coordinator, wish->ids[i])))
            return false;
    return true;
}

/* They are all there, and stay there while they are watched. */
static void watch_locked(const struct core_coordinator *coordinator, const struct wish *wish, int32_t by)
{
    for (uint32_t i = 0; i < wish->count; i++)
        core_task_find_locked(coordinator, wish->ids[i])->watched += (uint32_t)by;
}

static int32_t wait_locked(struct core_coordinator *coordinator, struct wish *wish, uint64_t timeout_ns,
                           struct answer *answer)
{
    int32_t status = look_locked(coordinator, wish, answer), in_time = 1;
    if (status != TRM_ERROR_TIMEOUT)
        return status;
    if (timeout_ns == 0)
        return not_yet();
    if (deadlocks_locked(coordinator, wish))
        return base_fail(TRM_ERROR_DEADLOCK,
                         "a function of task %" PRIu64 ", or of one that it comes after, waits for it to end",
                         wish->ids[0]);
    uint64_t deadline = base_deadline(timeout_ns);
    watch_locked(coordinator, wish, 1);
    while (status == TRM_ERROR_TIMEOUT && in_time) {
        in_time = sleep_locked(coordinator, deadline);
        status  = look_locked(coordinator, wish, answer);
    }
    watch_locked(coordinator, wish, -1);
    return status == TRM_ERROR_TIMEOUT ? not_yet() : status;
}

static int32_t wait_for(struct core_coordinator *coordinator, struct wish *wish, uint64_t timeout_ns)
{
    struct answer answer = {0};
    base_lock_acquire(&coordinator->lock);
    int32_t status = wait_locked(coordinator, wish, timeout_ns, &answer);
    base_lock_release(&coordinator->lock);
    return status == TRM_OK ? answer_give(coordinator, &answer) : status;
}

int32_t trm_coordinator_wait(struct trm_coordinator *handle, uint64_t id, uint64_t timeout_ns)
{
    struct wish wish                     = {.ids = &id, .count = 1};
    struct core_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    if (coordinator == NULL)
        return base_last_status();
    int32_t status = wait_for(coordinator, &wish, timeout_ns);
    core_object_leave(&coordinator->object);
    return status;
}

int32_t trm_coordinator_wait_any(struct trm_coordinator *handle, const uint64_t *ids, uint32_t count,
                                 uint64_t timeout_ns, uint32_t *which)
{
    struct wish wish                     = {.ids = ids, .count = count, .which = UINT32_MAX};
    struct core_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    int32_t status;
    if (coordinator == NULL)
        return base_last_status();
    if (count == 0 || ids == NULL || which == NULL)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_coordinator_wait_any: %s",
                           count == 0 ? "no tasks" : "`ids` or `which` is NULL");
    else
        status = wait_for(coordinator, &wish, timeout_ns);
    if (wish.which != UINT32_MAX)
        *which = wish.which;
    core_object_leave(&coordinator->object);
    return status;
}

int32_t trm_coordinator_poll(struct trm_coordinator *handle, uint64_t id)
{
    struct answer answer                 = {0};
    struct core_coordinator *coordinator = core_coordinator_find(handle);
    int32_t status                       = TRM_OK;
    if (coordinator == NULL)
        return base_last_status();
    base_lock_acquire(&coordinator->lock);
    const struct core_task *task = core_task_find_locked(coordinator, id);
    if (task == NULL)
        status = fail_missing(id);
    else if (task->state != CORE_TASK_DONE)
        status = not_yet();
    else
        answer_take_locked(&answer, task->id, task->status, task->cause);
    base_lock_release(&coordinator->lock);
    return status == TRM_OK ? answer_give(coordinator, &answer) : status;
}

/* ---- all --------------------------------------------------------------------------------------------- */

static int32_t wait_all_locked(struct core_coordinator *coordinator, uint64_t timeout_ns)
{
    if (coordinator->unfinished == 0)
        return TRM_OK;
    if (timeout_ns == 0)
        return not_yet();
    if (core_task_inside(coordinator))
        return base_fail_static(TRM_ERROR_DEADLOCK,
                                "the function of a task waits for all tasks, its own too");
    uint64_t deadline = base_deadline(timeout_ns);
    while (coordinator->unfinished > 0)
        if (!sleep_locked(coordinator, deadline) && coordinator->unfinished > 0)
            return not_yet();
    return TRM_OK;
}

int32_t trm_coordinator_wait_all(struct trm_coordinator *handle, uint64_t timeout_ns)
{
    struct answer answer                 = {0};
    struct core_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    if (coordinator == NULL)
        return base_last_status();
    base_lock_acquire(&coordinator->lock);
    int32_t status = wait_all_locked(coordinator, timeout_ns);
    if (status == TRM_OK)
        answer_take_locked(&answer, coordinator->first_id, coordinator->first_status,
                           coordinator->first_cause);
    base_lock_release(&coordinator->lock);
    if (status == TRM_OK)
        status = answer_give(coordinator, &answer);
    core_object_leave(&coordinator->object);
    return status;
}

void core_coordinator_drain(struct core_coordinator *coordinator)
{
    base_lock_acquire(&coordinator->lock);
    while (coordinator->unfinished > 0)
        sleep_locked(coordinator, BASE_NEVER);
    base_lock_release(&coordinator->lock);
    core_coordinator_await_others(coordinator);
}
