/* Polling and waiting for tasks.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/base.h"
#include "pipeline/coordinator/coordinator.h"

static int32_t fail_missing(uint64_t id)
{
    return base_fail(TRM_ERROR_NOT_FOUND, "no task has the id %" PRIu64, id);
}

static int32_t fail_unfinished(void)
{
    return base_fail_static(TRM_ERROR_TIMEOUT, "the task has not ended yet");
}

/* ---- sleeping ------------------------------------------------------------------------------- */

/* A failure to be raised after the lock was released. */
struct result {
    uint64_t id;
    int32_t status;
    struct pipeline_task_cause *cause; /* holds a reference */
};

static void result_set_locked(struct result *result, uint64_t id, int32_t status,
                              struct pipeline_task_cause *cause)
{
    result->id     = id;
    result->status = status;
    result->cause  = status == TRM_OK ? NULL : pipeline_task_cause_retain_locked(cause);
}

static int32_t result_raise(struct pipeline_coordinator *coordinator, const struct result *result)
{
    if (result->status == TRM_OK)
        return TRM_OK;
    pipeline_task_raise(result->id, result->status, result->cause);
    base_lock_acquire(&coordinator->lock);
    pipeline_task_cause_release_locked(coordinator, result->cause);
    base_lock_release(&coordinator->lock);
    return result->status;
}

/* Sleeps, with the lock released, until a watched task has ended (true) or until the deadline (false). */
static bool sleep_locked(struct pipeline_coordinator *coordinator, uint64_t deadline)
{
    uint32_t epoch = atomic_load_explicit(&coordinator->epoch, memory_order_relaxed);
    bool is_woken  = true;
    coordinator->sleepers++;
    pipeline_flight_look_locked(coordinator);
    base_lock_release(&coordinator->lock);
    core_service_block();
    while (is_woken && atomic_load_explicit(&coordinator->epoch, memory_order_acquire) == epoch)
        is_woken = base_futex_wait(&coordinator->epoch, epoch, deadline);
    core_service_unblock();
    base_lock_acquire(&coordinator->lock);
    coordinator->sleepers--;
    return is_woken;
}

/* ---- one, or any of several ----------------------------------------------------------------- */

/* A call that waits for any of several tasks. */
struct request {
    const uint64_t *ids;
    uint32_t count;
    uint32_t which; /* the one that has ended */
};

/* TRM_OK when one has ended; TIMEOUT when none has, without a sentence. */
static int32_t look_locked(const struct pipeline_coordinator *coordinator, struct request *request,
                           struct result *result)
{
    for (uint32_t i = 0; i < request->count; i++) {
        const struct pipeline_task *task = pipeline_task_find_locked(coordinator, request->ids[i]);
        if (task == NULL)
            return fail_missing(request->ids[i]);
        if (task->state <= PIPELINE_TASK_SUBMITTING)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT, "task %" PRIu64 " was added but not submitted",
                             task->id);
        if (task->state != PIPELINE_TASK_DONE)
            continue;
        request->which = i;
        result_set_locked(result, task->id, task->status, task->cause);
        return TRM_OK;
    }
    return TRM_ERROR_TIMEOUT;
}

/* True: each of them waits for the calling thread. */
static bool deadlocks_locked(struct pipeline_coordinator *coordinator, const struct request *request)
{
    for (uint32_t i = 0; i < request->count; i++)
        if (!pipeline_task_deadlocks_locked(coordinator,
                                            pipeline_task_find_locked(coordinator, request->ids[i])))
            return false;
    return true;
}

/* Watched tasks all exist, and stay until they are no longer watched. */
static void watch_locked(const struct pipeline_coordinator *coordinator, const struct request *request,
                         int32_t by)
{
    for (uint32_t i = 0; i < request->count; i++)
        pipeline_task_find_locked(coordinator, request->ids[i])->watched += (uint32_t)by;
}

static int32_t wait_locked(struct pipeline_coordinator *coordinator, struct request *request,
                           uint64_t timeout_ns, struct result *result)
{
    int32_t status = look_locked(coordinator, request, result);
    bool is_woken  = true;
    if (status != TRM_ERROR_TIMEOUT)
        return status;
    if (timeout_ns == 0) {
        pipeline_flight_look_locked(coordinator);
        status = look_locked(coordinator, request, result);
        return status == TRM_ERROR_TIMEOUT ? fail_unfinished() : status;
    }
    if (deadlocks_locked(coordinator, request))
        return base_fail(TRM_ERROR_DEADLOCK,
                         "a function of task %" PRIu64 ", or of one that it comes after, waits for it to end",
                         request->ids[0]);
    status = pipeline_pool_begin_wait(coordinator->pool);
    if (status != TRM_OK)
        return status;
    status            = TRM_ERROR_TIMEOUT;
    uint64_t deadline = base_deadline(timeout_ns);
    watch_locked(coordinator, request, 1);
    while (status == TRM_ERROR_TIMEOUT && is_woken) {
        is_woken = sleep_locked(coordinator, deadline);
        status   = look_locked(coordinator, request, result);
    }
    watch_locked(coordinator, request, -1);
    pipeline_pool_end_wait(coordinator->pool);
    return status == TRM_ERROR_TIMEOUT ? fail_unfinished() : status;
}

static int32_t wait_for(struct pipeline_coordinator *coordinator, struct request *request,
                        uint64_t timeout_ns)
{
    struct result result = {0};
    base_lock_acquire(&coordinator->lock);
    int32_t status = wait_locked(coordinator, request, timeout_ns, &result);
    base_lock_release(&coordinator->lock);
    return status == TRM_OK ? result_raise(coordinator, &result) : status;
}

int32_t trm_coordinator_wait(struct trm_coordinator *handle, uint64_t id, uint64_t timeout_ns)
{
    struct request request                   = {.ids = &id, .count = 1};
    struct pipeline_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    if (coordinator == NULL)
        return base_last_status();
    int32_t status = wait_for(coordinator, &request, timeout_ns);
    core_object_leave(&coordinator->object);
    return status;
}

int32_t trm_coordinator_wait_any(struct trm_coordinator *handle, const uint64_t *ids, uint32_t count,
                                 uint64_t timeout_ns, uint32_t *which)
{
    struct request request                   = {.ids = ids, .count = count, .which = UINT32_MAX};
    struct pipeline_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    int32_t status;
    if (coordinator == NULL)
        return base_last_status();
    if (count == 0 || ids == NULL || which == NULL)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_coordinator_wait_any: %s",
                           count == 0 ? "no tasks" : "`ids` or `which` is NULL");
    else
        status = wait_for(coordinator, &request, timeout_ns);
    if (request.which != UINT32_MAX)
        *which = request.which;
    core_object_leave(&coordinator->object);
    return status;
}

static int32_t poll_task(struct pipeline_coordinator *coordinator, uint64_t id)
{
    struct result result = {0};
    int32_t status       = TRM_OK;
    base_lock_acquire(&coordinator->lock);
    const struct pipeline_task *task = pipeline_task_find_locked(coordinator, id);
    if (task != NULL && task->state == PIPELINE_TASK_STARTED && coordinator->silent > 0) {
        pipeline_flight_look_locked(coordinator);
        task = pipeline_task_find_locked(coordinator, id);
    }
    if (task == NULL)
        status = fail_missing(id);
    else if (task->state != PIPELINE_TASK_DONE)
        status = fail_unfinished();
    else
        result_set_locked(&result, task->id, task->status, task->cause);
    base_lock_release(&coordinator->lock);
    return status == TRM_OK ? result_raise(coordinator, &result) : status;
}

int32_t trm_coordinator_poll(struct trm_coordinator *handle, uint64_t id)
{
    struct pipeline_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    if (coordinator == NULL)
        return base_last_status();
    int32_t status = poll_task(coordinator, id);
    core_object_leave(&coordinator->object);
    return status;
}

/* ---- all ------------------------------------------------------------------------------------ */

static int32_t wait_all_locked(struct pipeline_coordinator *coordinator, uint64_t timeout_ns)
{
    if (coordinator->unfinished > 0 && timeout_ns == 0)
        pipeline_flight_look_locked(coordinator);
    if (coordinator->unfinished == 0)
        return TRM_OK;
    if (timeout_ns == 0)
        return fail_unfinished();
    if (pipeline_task_is_inside(coordinator))
        return base_fail_static(TRM_ERROR_DEADLOCK,
                                "a function of a task waits for all tasks, including its own");
    int32_t status = pipeline_pool_begin_wait(coordinator->pool);
    if (status != TRM_OK)
        return status;
    uint64_t deadline = base_deadline(timeout_ns);
    bool is_woken     = true;
    while (coordinator->unfinished > 0 && is_woken)
        is_woken = sleep_locked(coordinator, deadline);
    pipeline_pool_end_wait(coordinator->pool);
    return coordinator->unfinished > 0 ? fail_unfinished() : TRM_OK;
}

int32_t trm_coordinator_wait_all(struct trm_coordinator *handle, uint64_t timeout_ns)
{
    struct result result                     = {0};
    struct pipeline_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    if (coordinator == NULL)
        return base_last_status();
    base_lock_acquire(&coordinator->lock);
    int32_t status = wait_all_locked(coordinator, timeout_ns);
    if (status == TRM_OK)
        result_set_locked(&result, coordinator->first_id, coordinator->first_status,
                          coordinator->first_cause);
    base_lock_release(&coordinator->lock);
    if (status == TRM_OK)
        status = result_raise(coordinator, &result);
    core_object_leave(&coordinator->object);
    return status;
}

void pipeline_coordinator_drain(struct pipeline_coordinator *coordinator)
{
    base_lock_acquire(&coordinator->lock);
    while (coordinator->unfinished > 0)
        sleep_locked(coordinator, BASE_NEVER);
    base_lock_release(&coordinator->lock);
    if (coordinator->pool != NULL)
        pipeline_pool_unlisten(coordinator->pool, coordinator->listeners);
    pipeline_own_pools_unlisten(coordinator);
    pipeline_coordinator_wait_unpinned(coordinator);
}
