/* Streams for the tasks of coordinators: a task has an idle stream for itself until nothing waits for it any
 * more.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/pool/team.h"

int32_t pipeline_pool_attach(struct trm_stream_pool *handle, const struct core_device *device,
                             struct pipeline_stream_pool **found)
{
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL)
        return base_last_status();
    int32_t status = TRM_OK;
    if (pool->team != NULL) {
        core_object_leave(&pool->object);
        return pipeline_pool_team_refuse("trm_coordinator_create");
    }
    base_lock_acquire(&pool->lock);
    bool is_closing = pool->is_closing;
    pool->users += !is_closing && pool->device == device;
    base_lock_release(&pool->lock);
    if (is_closing)
        status = base_fail_static(TRM_ERROR_INVALID_HANDLE, "the stream pool is being destroyed");
    else if (pool->device != device)
        status = base_fail(TRM_ERROR_WRONG_DEVICE, "the stream pool is of device %s, the coordinator of %s",
                           pool->device->id, device->id);
    if (status == TRM_OK) {
        core_object_retain(&pool->object);
        *found = pool;
    }
    core_object_leave(&pool->object);
    return status;
}

void pipeline_pool_detach(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    pool->users--;
    base_lock_release(&pool->lock);
    core_object_release(&pool->object);
}

int32_t pipeline_pool_draw(struct pipeline_stream_pool *pool, const struct trm_stream_task *task,
                           struct pipeline_pool_listener *listener, struct pipeline_pool_slot **slot)
{
    const struct pipeline_pool_request request = {
        .priority   = task->priority,
        .wants_idle = true,
        .task       = task,
        .key        = pipeline_task_key_of(task),
        .listener   = listener,
    };
    return pipeline_pool_lend(pool, &request, slot);
}

void pipeline_pool_drawn(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                         const struct trm_stream_task *task, uint64_t waited)
{
    const struct pipeline_pool_request request = {
        .task = task, .key = pipeline_task_key_of(task), .waited = waited};
    pipeline_pool_watch(pool, slot, &request);
}

void pipeline_pool_give_back(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot)
{
    base_lock_acquire(&pool->lock);
    slot->state = PIPELINE_POOL_SLOT_FREE;
    pool->lent--;
    pipeline_pool_wake_locked(pool);
    base_lock_release(&pool->lock);
}

/* ---- listeners ------------------------------------------------------------------------------ */

void pipeline_pool_listen_locked(struct pipeline_stream_pool *pool, struct pipeline_pool_listener *listener)
{
    if (listener->is_listening)
        return;
    listener->is_listening = true;
    listener->next         = pool->listeners;
    pool->listeners        = listener;
}

void pipeline_pool_tell_listeners_locked(struct pipeline_stream_pool *pool)
{
    struct pipeline_pool_listener *listener = pool->listeners, *next;
    pool->listeners                         = NULL;
    for (; listener != NULL; listener = next) {
        next                   = listener->next;
        listener->is_listening = false;
        listener->freed(listener);
    }
}

void pipeline_pool_unlisten(struct pipeline_stream_pool *pool, struct pipeline_pool_listener *listener)
{
    base_lock_acquire(&pool->lock);
    struct pipeline_pool_listener **link = &pool->listeners;
    while (*link != NULL && *link != listener)
        link = &(*link)->next;
    if (*link != NULL)
        *link = listener->next;
    listener->is_listening = false;
    base_lock_release(&pool->lock);
}
