/* Streams for the tasks of coordinators: a task has an idle stream for itself until nothing waits for it any
 * more.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/pool/team.h"

/* ---- users ---------------------------------------------------------------------------------- */

static int32_t attach(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    bool is_closing = pool->is_closing;
    pool->users += !is_closing;
    base_lock_release(&pool->lock);
    return is_closing ? base_fail_static(TRM_ERROR_INVALID_HANDLE, "the stream pool is being destroyed")
                      : TRM_OK;
}

static void detach(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    pool->users--;
    base_lock_release(&pool->lock);
}

/* Counts the user in each member. */
static int32_t attach_all(const struct pipeline_pool_team *team)
{
    int32_t status   = TRM_OK;
    uint32_t counted = 0;
    for (; status == TRM_OK && counted < team->count; counted += status == TRM_OK)
        status = attach(team->members[counted].pool);
    while (status != TRM_OK && counted > 0)
        detach(team->members[--counted].pool);
    return status;
}

static bool has_device(const struct pipeline_stream_pool *pool, const struct core_device *device)
{
    for (uint32_t i = 0; i < pipeline_pool_devices(pool); i++)
        if (pipeline_pool_device(pool, i) == device)
            return true;
    return false;
}

static int32_t check_device(const struct pipeline_stream_pool *pool, const struct core_device *device)
{
    if (has_device(pool, device))
        return TRM_OK;
    if (pool->team != NULL)
        return base_fail(TRM_ERROR_WRONG_DEVICE,
                         "the coordinator is of a device %s that is not one of the stream pool's group: make "
                         "it with a device of trm_group_device()",
                         device->id);
    return base_fail(TRM_ERROR_WRONG_DEVICE, "the stream pool is of device %s, the coordinator of %s",
                     pool->device->id, device->id);
}

int32_t pipeline_pool_attach(struct trm_stream_pool *handle, const struct core_device *device,
                             struct pipeline_stream_pool **found)
{
    struct pipeline_stream_pool *pool = core_object_enter(handle, CORE_STREAM_POOL);
    if (pool == NULL)
        return base_last_status();
    int32_t status = check_device(pool, device);
    if (status == TRM_OK)
        status = pool->team != NULL ? attach_all(pool->team) : attach(pool);
    if (status == TRM_OK) {
        core_object_retain(&pool->object);
        *found = pool;
    }
    core_object_leave(&pool->object);
    return status;
}

void pipeline_pool_detach(struct pipeline_stream_pool *pool)
{
    if (pool->team == NULL)
        detach(pool);
    else
        for (uint32_t i = 0; i < pool->team->count; i++)
            detach(pool->team->members[i].pool);
    core_object_release(&pool->object);
}

uint32_t pipeline_pool_devices(const struct pipeline_stream_pool *pool)
{
    return pool->team != NULL ? pool->team->count : 1;
}

struct core_device *pipeline_pool_device(const struct pipeline_stream_pool *pool, uint32_t index)
{
    return pool->team != NULL ? pool->team->group->devices[index] : pool->device;
}

uint32_t pipeline_pool_capacity(const struct pipeline_stream_pool *pool)
{
    uint32_t most = 0;
    if (pool->team == NULL)
        return pool->most;
    for (uint32_t i = 0; i < pool->team->count; i++)
        most += pool->team->members[i].pool->most;
    return most;
}

/* ---- streams -------------------------------------------------------------------------------- */

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

enum pipeline_pool_end pipeline_pool_finish_draw(struct pipeline_stream_pool *pool,
                                                 struct pipeline_pool_slot *slot, uint64_t *ends_at)
{
    enum pipeline_pool_end end = PIPELINE_POOL_END_REACHED;
    base_lock_acquire(&pool->lock);
    slot->state = PIPELINE_POOL_SLOT_DRAWN;
    pipeline_pool_refresh_locked(slot);
    if (pipeline_pool_untold_locked(slot) != 0) {
        end = PIPELINE_POOL_END_PRESUMED;
        pipeline_pool_wake_locked(pool); /* other threads saw a lent slot, and did not ask about it */
    } else if (slot->watches > 0)
        end = PIPELINE_POOL_END_TOLD;
    *ends_at = slot->unsure == 0 ? slot->predicted_end : 0;
    base_lock_release(&pool->lock);
    return end;
}

enum pipeline_pool_end pipeline_pool_drawn(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot,
                                           struct pipeline_pool_request *request, uint64_t *ends_at)
{
    request->key = pipeline_task_key_of(request->task);
    pipeline_pool_watch(pool, slot, request);
    return pipeline_pool_finish_draw(pool, slot, ends_at);
}

/* Only the owner gives the slot back, so the slot keeps its stream. */
bool pipeline_pool_has_ended(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot)
{
    base_lock_acquire(&pool->lock);
    bool has_ended = slot->watches == 0 && slot->unwatched == 0;
    uint64_t last  = pipeline_pool_untold_locked(slot);
    base_lock_release(&pool->lock);
    return has_ended || (last != 0 && pipeline_pool_find_ended(pool, slot, slot->stream, last, true));
}

void pipeline_pool_want_end(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot)
{
    base_lock_acquire(&pool->lock);
    uint64_t last = pipeline_pool_untold_locked(slot);
    base_lock_release(&pool->lock);
    if (last != 0)
        pipeline_pool_watch_rest(pool, slot, slot->stream, last);
}

void pipeline_pool_give_back(struct pipeline_stream_pool *pool, struct pipeline_pool_slot *slot)
{
    base_lock_acquire(&pool->lock);
    slot->state = PIPELINE_POOL_SLOT_FREE;
    slot->owner = NULL;
    pipeline_pool_note_locked(pool, slot);
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
        listener->called(listener);
    }
}

static void unlisten(struct pipeline_stream_pool *pool, struct pipeline_pool_listener *listener)
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

void pipeline_pool_unlisten(struct pipeline_stream_pool *pool, struct pipeline_pool_listener *listeners)
{
    if (pool->team == NULL)
        unlisten(pool, listeners);
    else
        for (uint32_t i = 0; i < pool->team->count; i++)
            unlisten(pool->team->members[i].pool, &listeners[i]);
}
