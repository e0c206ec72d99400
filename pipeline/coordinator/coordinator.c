/* The coordinator object: creation and destruction.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/coordinator/coordinator.h"

#include "core/object/object.h"

/* bytes of struct trm_coordinator_desc in the first version */
#define DESC_LEAST 16

/* Destroys a coordinator that has no tasks, no callers and no running functions. */
static void coordinator_retire(struct core_object *object)
{
    struct pipeline_coordinator *coordinator = (struct pipeline_coordinator *)object;
    core_service_destroy(atomic_load(&coordinator->functions));
    pipeline_schedule_end_streams(coordinator);
    pipeline_own_pools_close(coordinator);
    pipeline_checkers_destroy(coordinator);
    if (coordinator->pool != NULL)
        pipeline_pool_detach(coordinator->pool);
    core_device_uncount_child(coordinator->device, CORE_COORDINATOR);
}

/* A stream of the pool may be available, or the work of one has ended. */
static void listen(struct pipeline_pool_listener *listener)
{
    pipeline_coordinator_stir(listener->owner);
}

static void free_tasks(struct pipeline_coordinator *coordinator)
{
    struct pipeline_task *task = coordinator->done.first, *next;
    for (; task != NULL; task = next) {
        next = task->next;
        pipeline_task_cause_release_locked(coordinator, task->cause);
        pipeline_task_free(coordinator, task);
    }
    pipeline_task_cause_release_locked(coordinator, coordinator->first_cause);
    pipeline_coordinator_tidy(coordinator);
}

static void coordinator_release(struct core_object *object)
{
    struct pipeline_coordinator *coordinator = (struct pipeline_coordinator *)object;
    struct core_device *device               = coordinator->device;
    struct core_context *context             = object->context;
    free_tasks(coordinator);
    core_free(context, coordinator->table, coordinator->table_size * sizeof(struct pipeline_task *));
    pipeline_schedule_fini(coordinator);
    core_free(context, coordinator, sizeof(*coordinator));
    core_object_release(&device->object);
}

static const char *coordinator_device_id(const struct core_object *object)
{
    return ((const struct pipeline_coordinator *)object)->device->id;
}

static const struct core_object_ops coordinator_object_ops = {
    .type      = CORE_COORDINATOR,
    .name      = "coordinator",
    .source    = __FILE__,
    .device_id = coordinator_device_id,
    .retire    = coordinator_retire,
    .release   = coordinator_release,
};

/* ---- creation ------------------------------------------------------------------------------- */

/* Whether streams can wait for each other without blocking the thread that enqueues the wait. Between streams
 * of two backends that needs gates. */
static bool has_device_waits(const struct pipeline_coordinator *coordinator)
{
    const struct pipeline_stream_pool *pool = coordinator->pool;
    uint32_t devices                        = pool != NULL ? pipeline_pool_devices(pool) : 1;
    for (uint32_t i = 0; i < devices; i++) {
        const struct core_device *device = pool != NULL ? pipeline_pool_device(pool, i) : coordinator->device;
        const struct trm_stream_ops *ops = &device->backend->stream;
        if (ops->wait_stream == NULL || (devices > 1 && (ops->gate == NULL || ops->open_gates == NULL)))
            return false;
    }
    return true;
}

static int32_t attach_pool(struct pipeline_coordinator *coordinator, struct trm_stream_pool *pool)
{
    int32_t status = pipeline_pool_attach(pool, coordinator->device, &coordinator->pool);
    if (status == TRM_OK)
        coordinator->is_over_group = pipeline_pool_is_over_group(coordinator->pool);
    return status;
}

static int32_t coordinator_init(struct pipeline_coordinator *coordinator, struct core_device *device,
                                const struct trm_coordinator_desc *desc)
{
    coordinator->device  = device;
    coordinator->job.run = pipeline_coordinator_pump_job;
    for (uint32_t i = 0; i < TRM_GROUP_DEVICES; i++)
        coordinator->listeners[i] = (struct pipeline_pool_listener){.called = listen, .owner = coordinator};
    int32_t status = TRM_OK;
    if (desc->pool != NULL)
        status = attach_pool(coordinator, desc->pool);
    if (status != TRM_OK)
        return status;
    coordinator->has_device_waits = has_device_waits(coordinator);
    status                        = pipeline_schedule_init(coordinator, desc);
    if (status != TRM_OK)
        goto detach_pool;
    pipeline_own_pools_init(coordinator);
    status = pipeline_checkers_create(coordinator);
    if (status != TRM_OK)
        goto fini_schedule;
    status = core_object_init(&coordinator->object, &coordinator_object_ops, device->object.context);
    if (status != TRM_OK)
        goto destroy_checkers;
    core_device_add_child(device, CORE_COORDINATOR);
    return TRM_OK;

destroy_checkers:
    pipeline_checkers_destroy(coordinator);
fini_schedule:
    pipeline_schedule_fini(coordinator);
detach_pool:
    if (coordinator->pool != NULL)
        pipeline_pool_detach(coordinator->pool);
    return status;
}

static int32_t coordinator_create(struct core_device *device, const struct trm_coordinator_desc *desc,
                                  struct pipeline_coordinator **out)
{
    struct core_context *context = device->object.context;
    struct core_service *service;
    int32_t status = core_device_check(device);
    if (status == TRM_OK)
        status = core_service_get(context, &service);
    if (status != TRM_OK)
        return status;
    struct pipeline_coordinator *coordinator = core_allocate(context, sizeof(*coordinator));
    if (coordinator == NULL)
        return base_fail_memory("making a coordinator");
    coordinator->object.context = context;
    coordinator->service        = service;
    status                      = coordinator_init(coordinator, device, desc);
    if (status != TRM_OK) {
        core_free(context, coordinator, sizeof(*coordinator));
        return status;
    }
    *out = coordinator;
    return TRM_OK;
}

static int32_t create_checked(struct core_device *device, const struct trm_coordinator_desc *given,
                              struct trm_coordinator **out)
{
    struct trm_coordinator_desc desc = {.struct_size = sizeof(desc)};
    struct pipeline_coordinator *coordinator;
    int32_t status = core_output_check(out, "trm_coordinator_create", "coordinator");
    if (status != TRM_OK)
        return status;
    if (given != NULL && !core_struct_copy_in(&desc, sizeof(desc), given, DESC_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_coordinator_desc.struct_size is %u, but its size is %zu", given->struct_size,
                         sizeof(desc));
    status = coordinator_create(device, &desc, &coordinator);
    if (status == TRM_OK)
        *out = core_object_publish(&coordinator->object);
    return status;
}

int32_t trm_coordinator_create(struct trm_device *handle, const struct trm_coordinator_desc *given,
                               struct trm_coordinator **out)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = create_checked(device, given, out);
    core_object_leave(&device->object);
    return status;
}

/* ---- destruction ---------------------------------------------------------------------------- */

static void drop_added(struct pipeline_coordinator *coordinator)
{
    base_lock_acquire(&coordinator->submit_lock);
    base_lock_acquire(&coordinator->lock);
    struct pipeline_task *list = coordinator->added.first;
    coordinator->added         = (struct pipeline_task_list){0};
    coordinator->is_closing    = true;
    base_lock_release(&coordinator->lock);
    pipeline_tasks_drop(coordinator, list);
    base_lock_release(&coordinator->submit_lock);
}

void trm_coordinator_destroy(struct trm_coordinator *handle)
{
    if (handle == NULL)
        return;
    struct pipeline_coordinator *coordinator = core_object_enter(handle, CORE_COORDINATOR);
    if (coordinator == NULL)
        return;
    if (pipeline_task_is_inside(coordinator)) {
        base_fail_static(TRM_ERROR_DEADLOCK,
                         "trm_coordinator_destroy: called in a function of one of its tasks");
    } else if (pipeline_pool_begin_wait(coordinator->pool) == TRM_OK) {
        drop_added(coordinator);
        pipeline_coordinator_drain(coordinator);
        pipeline_pool_end_wait(coordinator->pool);
        core_object_kill(&coordinator->object);
    }
    core_object_leave(&coordinator->object);
}
