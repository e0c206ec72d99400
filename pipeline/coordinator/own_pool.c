/* Pools of a coordinator to which the program gave none.
 *
 * Each class of streams for kernels has a pool, so that a kernel of known time needs no notification
 * (flight.c). All other streams belong to lanes. On the host's own processors all streams do, since a pool
 * saves nothing there.
 *
 * The pump makes a pool with the first kernel of its class. A pool has as many streams as its class has
 * lanes, so a lane always finds an idle one.
 * SPDX-License-Identifier: MIT
 */
#include "core/object/object.h"
#include "pipeline/coordinator/coordinator.h"

void pipeline_own_pools_init(struct pipeline_coordinator *coordinator)
{
    bool is_useful = coordinator->pool == NULL && pipeline_pool_saves_notifications(coordinator->device);
    for (int32_t role = 0; is_useful && role < PIPELINE_TASK_ROLES; role++)
        for (int32_t priority = 0; priority < PIPELINE_TASK_PRIORITIES; priority++) {
            struct pipeline_task_class *class = &coordinator->classes[role][priority];
            class->has_pool = class->role == TRM_STREAM_COMPUTE && class->count <= TRM_STREAM_POOL_MOST;
        }
}

static int32_t make_pool(struct pipeline_coordinator *coordinator, struct pipeline_task_class *class)
{
    static const char *const names[]       = {"tasks low", "tasks", "tasks high"};
    const struct trm_stream_pool_desc desc = {.struct_size = sizeof(desc),
                                              .strategy    = TRM_STREAM_ROUND_ROBIN,
                                              .role        = class->role,
                                              .priority    = class->priority,
                                              .most        = class->count};
    struct pipeline_stream_pool *pool;
    int32_t status = pipeline_pool_create(coordinator->device, &desc, false, &pool);
    if (status != TRM_OK)
        return status;
    pool->stream_flags = CORE_STREAM_INTERNAL | CORE_STREAM_OF_TASKS;
    pool->stream_names = names;
    pipeline_pool_make_part(pool);
    core_object_retain(&pool->object);
    core_object_publish(&pool->object);
    class->pool = pool;
    return TRM_OK;
}

int32_t pipeline_own_pool_open(struct pipeline_coordinator *coordinator, struct pipeline_task_class *class)
{
    return class->has_pool && class->pool == NULL ? make_pool(coordinator, class) : TRM_OK;
}

struct pipeline_pool_listener *pipeline_own_pool_listener(struct pipeline_coordinator *coordinator,
                                                          const struct pipeline_task_class *class)
{
    return &coordinator->listeners[class->has_pool ? class->priority - TRM_PRIORITY_LOW : 0];
}

/* Calls `end` with each of the pools. */
static void each_pool(struct pipeline_coordinator *coordinator,
                      void (*end)(struct pipeline_coordinator *coordinator,
                                  struct pipeline_task_class *class))
{
    for (int32_t role = 0; role < PIPELINE_TASK_ROLES; role++)
        for (int32_t priority = 0; priority < PIPELINE_TASK_PRIORITIES; priority++)
            if (coordinator->classes[role][priority].pool != NULL)
                end(coordinator, &coordinator->classes[role][priority]);
}

static void unlisten(struct pipeline_coordinator *coordinator, struct pipeline_task_class *class)
{
    pipeline_pool_unlisten(class->pool, pipeline_own_pool_listener(coordinator, class));
}

void pipeline_own_pools_unlisten(struct pipeline_coordinator *coordinator)
{
    each_pool(coordinator, unlisten);
}

/* No callback of the program is on the pool's streams, so any thread can close it. */
static void close_pool(struct pipeline_coordinator *coordinator, struct pipeline_task_class *class)
{
    struct pipeline_stream_pool *pool = class->pool;
    (void)coordinator;
    pipeline_pool_close(pool);
    core_object_kill(&pool->object);
    core_object_release(&pool->object);
    class->pool = NULL;
}

void pipeline_own_pools_close(struct pipeline_coordinator *coordinator)
{
    each_pool(coordinator, close_pool);
}
