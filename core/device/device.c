/* Devices: opening, closing, loss, and the count of the objects on them.
 * SPDX-License-Identifier: MIT
 */
#include "core/device/device.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/base.h"
#include "core/object/object.h"

/* Of the first version of struct trm_device_usage. */
#define USAGE_LEAST 40

/* ---- limits ------------------------------------------------------------------------------------------- */

struct limit {
    uint32_t key;
    uint32_t count; /* of uint64_t */
    size_t offset;  /* in struct core_device_limits */
    bool is_required;
};

static const struct limit limits[] = {
    {TRM_DEVICE_UNIFIED, 1, offsetof(struct core_device_limits, unified), true},
    {TRM_DEVICE_SYNCHRONOUS, 1, offsetof(struct core_device_limits, synchronous), false},
    {TRM_DEVICE_MAPPED, 1, offsetof(struct core_device_limits, mapped), false},
    {TRM_DEVICE_PEER_KERNELS, 1, offsetof(struct core_device_limits, has_peer_kernels), false},
    {TRM_DEVICE_MEMORY_TOTAL, 1, offsetof(struct core_device_limits, memory_total), true},
    {TRM_DEVICE_MAX_GROUPS, 3, offsetof(struct core_device_limits, max_groups), true},
    {TRM_DEVICE_MAX_GROUP_SIZE, 3, offsetof(struct core_device_limits, max_group_size), true},
    {TRM_DEVICE_MAX_GROUP_ITEMS, 1, offsetof(struct core_device_limits, max_group_items), true},
    {TRM_DEVICE_MAX_SHARED_BYTES, 1, offsetof(struct core_device_limits, max_shared_bytes), true},
    {TRM_DEVICE_MAX_BUFFER_BYTES, 1, offsetof(struct core_device_limits, max_buffer_bytes), true},
    {TRM_DEVICE_MAX_ARGUMENTS, 1, offsetof(struct core_device_limits, max_arguments), true},
    {TRM_DEVICE_BUFFER_ALIGNMENT, 1, offsetof(struct core_device_limits, buffer_alignment), true},
};

static int32_t read_limit(struct core_device *device, const struct limit *limit)
{
    const struct core_backend *backend = device->backend;
    char *value                        = (char *)&device->limits + limit->offset;
    uint64_t size                      = limit->count * sizeof(uint64_t);
    struct base_saved_error before;
    uint64_t needed;
    base_error_save(&before);
    int32_t status = core_property_read(backend, device->index, limit->key, value, size, &needed);
    if (status == TRM_ERROR_NOT_FOUND && !limit->is_required) {
        base_error_restore(&before);
        return TRM_OK;
    }
    if (status == TRM_ERROR_NOT_FOUND)
        return base_fail(TRM_ERROR_ABI, "the backend %s lacks the required property %u of device %s",
                         backend->name, limit->key, device->id);
    return status;
}

/* Calls divide by these numbers and shift by them. */
static int32_t check_limits(const struct core_device *device)
{
    const struct core_device_limits *known = &device->limits;
    uint64_t alignment                     = known->buffer_alignment;
    if (alignment == 0 || (alignment & (alignment - 1)) != 0)
        return base_fail(TRM_ERROR_ABI,
                         "the backend %s aligns buffers of device %s to %" PRIu64
                         " bytes, which is no power of two",
                         device->backend->name, device->id, alignment);
    if (known->unified > 1 || known->synchronous > 1 || known->mapped > 1)
        return base_fail(
            TRM_ERROR_ABI,
            "the backend %s answers to a question about device %s neither 0 nor 1: unified %" PRIu64
            ", synchronous %" PRIu64 ", mapped %" PRIu64,
            device->backend->name, device->id, known->unified, known->synchronous, known->mapped);
    return TRM_OK;
}

static int32_t read_limits(struct core_device *device)
{
    int32_t status = TRM_OK;
    for (size_t i = 0; status == TRM_OK && i < sizeof(limits) / sizeof(limits[0]); i++)
        status = read_limit(device, &limits[i]);
    return status == TRM_OK ? check_limits(device) : status;
}

/* ---- closing ------------------------------------------------------------------------------------------ */

struct kind {
    enum core_type type;
    const char *one;
    const char *many;
};

static const struct kind kinds[] = {
    {CORE_STREAM, "stream", "streams"},
    {CORE_EVENT, "event", "events"},
    {CORE_BUFFER, "buffer", "buffers"},
    {CORE_ARRAY, "array", "arrays"},
    {CORE_MODULE, "module", "modules"},
    {CORE_KERNEL, "kernel", "kernels"},
    {CORE_GRAPH, "graph", "graphs"},
    {CORE_GRAPH_EXEC, "graph instance", "graph instances"},
    {CORE_PIPELINE, "pipeline", "pipelines"},
    {CORE_COORDINATOR, "coordinator", "coordinators"},
    {CORE_SEMAPHORE, "semaphore", "semaphores"},
    {CORE_IMAGE, "image", "images"},
    {CORE_SAMPLER, "sampler", "samplers"},
    {CORE_PROFILE, "profile", "profiles"},
    {CORE_STREAM_POOL, "stream pool", "stream pools"},
};

static uint32_t live(const struct core_device *device, enum core_type type)
{
    return atomic_load_explicit(&device->live[type], memory_order_relaxed);
}

static void report_leaks(const struct core_device *device)
{
    char text[320];
    size_t length = 0;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        uint32_t count = live(device, kinds[i].type);
        if (count == 0)
            continue;
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u %s", length == 0 ? "" : ", ",
                                   count, count == 1 ? kinds[i].one : kinds[i].many);
    }
    if (length == 0)
        return;
    core_log(device->object.context, TRM_LOG_WARNING,
             "device %s was destroyed before objects on it, which keep it open: %s", device->id, text);
}

/* The handle is dead and no call is inside. Objects that are left keep the device open. */
static void device_retire(struct core_object *object)
{
    struct core_device *device = base_container_of(object, struct core_device, object);
    object->context->device_hooks->retire(device);
    report_leaks(device);
}

static void device_free(struct core_device *device)
{
    pthread_mutex_destroy(&device->lock);
    pthread_mutex_destroy(&device->internal_lock);
    core_free(device->object.context, device, sizeof(*device));
}

/* The last reference is gone. The parts of the rooms above close first, then the backend's device. */
static void device_release(struct core_object *object)
{
    struct core_device *device = base_container_of(object, struct core_device, object);
    object->context->device_hooks->close(device);
    device->backend->device.close(device->device);
    device_free(device);
}

static const char *device_device_id(const struct core_object *object)
{
    return ((const struct core_device *)object)->id;
}

static const struct core_object_ops device_object_ops = {
    .type      = CORE_DEVICE,
    .name      = "device",
    .source    = __FILE__,
    .device_id = device_device_id,
    .retire    = device_retire,
    .release   = device_release,
};

/* ---- opening ----------------------------------------------------------------------------------------- */

static int32_t open_backend_device(struct core_device *device)
{
    const struct core_backend *backend = device->backend;
    int32_t status                     = read_limits(device);
    if (status != TRM_OK)
        return status;
    base_error_clear();
    status = core_answer(backend, "device.open",
                         backend->device.open(backend->instance, device->index, &device->device));
    return status == TRM_OK ? TRM_OK : base_fail_backend(status);
}

static void name_device(struct core_device *device)
{
    snprintf(device->id, sizeof(device->id), "%s:%u", device->backend->name, device->index);
}

/* The backend tells which device it is, so the id follows from its answer. */
static int32_t adopt_backend_device(struct core_device *device, int32_t type, const void *native)
{
    const struct core_backend *backend = device->backend;
    base_error_clear();
    int32_t status =
        core_answer(backend, "interop.adopt",
                    backend->interop.adopt(backend->instance, type, native, &device->index, &device->device));
    if (status != TRM_OK)
        return base_fail_backend(status);
    name_device(device);
    if (device->index >= backend->device_count)
        status = base_fail(TRM_ERROR_ABI,
                           "interop.adopt() of the backend %s returned device number %" PRIu32
                           ", but it has %" PRIu32 " device%s",
                           backend->name, device->index, backend->device_count,
                           base_plural(backend->device_count));
    if (status == TRM_OK)
        status = read_limits(device);
    if (status != TRM_OK)
        backend->device.close(device->device);
    return status;
}

static struct core_device *device_allocate(struct core_context *context, struct core_backend *backend,
                                           uint32_t index)
{
    struct core_device *device = core_allocate(context, sizeof(*device));
    if (device == NULL)
        return NULL;
    device->object.context = context; /* core_object_init() runs last, but earlier steps need the allocator */
    device->backend        = backend;
    device->index          = index;
    device->numa_node      = BASE_NUMA_NONE;
    atomic_init(&device->users, 1);
    name_device(device);
    pthread_mutex_init(&device->lock, NULL);
    pthread_mutex_init(&device->internal_lock, NULL);
    return device;
}

static void find_node(struct core_device *device)
{
    char pci[64] = "";
    uint64_t needed;
    struct base_saved_error before;
    base_error_save(&before);
    if (core_property_read(device->backend, device->index, TRM_DEVICE_PCI, pci, sizeof(pci), &needed) ==
        TRM_OK)
        device->numa_node = base_numa_node_of(pci);
    base_error_restore(&before);
}

/* Requires an open backend's device; closes it on failure. */
static int32_t finish_opening(struct core_device *device, struct core_device **out)
{
    const struct core_device_hooks *hooks = device->object.context->device_hooks;
    int32_t status                        = hooks->open(device);
    if (status != TRM_OK)
        goto close_backend_device;
    status = core_object_init(&device->object, &device_object_ops, device->object.context);
    if (status != TRM_OK)
        goto run_close_hook;
    hooks->opened(device);
    find_node(device);
    *out = device;
    return TRM_OK;

run_close_hook:
    hooks->close(device);
close_backend_device:
    device->backend->device.close(device->device);
    return status;
}

int32_t core_device_create(struct core_context *context, struct core_backend *backend, uint32_t index,
                           struct core_device **out)
{
    struct core_device *device = device_allocate(context, backend, index);
    if (device == NULL)
        return base_fail_memory("opening a device");
    int32_t status = open_backend_device(device);
    if (status == TRM_OK)
        status = finish_opening(device, out);
    if (status != TRM_OK)
        device_free(device);
    return status;
}

int32_t core_device_adopt(struct core_context *context, struct core_backend *backend, int32_t type,
                          const void *native, struct core_device **out)
{
    struct core_device *device = device_allocate(context, backend, 0);
    if (device == NULL)
        return base_fail_memory("adopting a device");
    int32_t status = adopt_backend_device(device, type, native);
    if (status == TRM_OK)
        status = finish_opening(device, out);
    if (status != TRM_OK)
        device_free(device);
    return status;
}

static int32_t open_by_id(struct core_context *context, const char *id, struct core_device **device)
{
    struct core_registry *registry;
    struct core_backend *backend;
    uint32_t index;
    int32_t status = core_registry_get(context, &registry);
    if (status == TRM_OK)
        status = core_registry_resolve(registry, id, &backend, &index);
    if (status == TRM_OK)
        status = core_device_create(context, backend, index, device);
    if (status == TRM_OK)
        core_object_log(&(*device)->object, TRM_LOG_INFO, "chosen for \"%s\"",
                        id != NULL ? id : "the default");
    return status;
}

int32_t trm_device_open(struct trm_context *handle, const char *id, struct trm_device **out)
{
    struct core_device *device;
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = core_output_check(out, "trm_device_open", "device");
    if (status == TRM_OK)
        status = open_by_id(context, id, &device);
    if (status == TRM_OK)
        *out = core_object_publish(&device->object);
    core_object_leave(&context->object);
    return status;
}

/* ---- users: how many calls of trm_device_destroy() the handle takes ----------------------------------- */

/* Adds to the count, unless it is 0 and the handle dead or about to be. Returns the old count. */
static uint32_t change_users(struct core_device *device, uint32_t change)
{
    uint32_t users = atomic_load_explicit(&device->users, memory_order_relaxed);
    while (users != 0 && !atomic_compare_exchange_weak_explicit(&device->users, &users, users + change,
                                                                memory_order_acq_rel, memory_order_relaxed))
        ;
    return users;
}

int32_t core_device_add_user(struct core_device *device, struct trm_device **handle)
{
    if (change_users(device, 1) == 0)
        return base_fail(TRM_ERROR_INVALID_HANDLE, "device %s has been destroyed", device->id);
    *handle = device->object.handle;
    return TRM_OK;
}

void trm_device_destroy(struct trm_device *handle)
{
    if (handle == NULL)
        return;
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return;
    if (change_users(device, UINT32_MAX) == 1)
        core_object_kill(&device->object);
    core_object_leave(&device->object);
}

/* ---- children ------------------------------------------------------------------------------------------ */

void core_device_add_child(struct core_device *device, enum core_type type)
{
    core_object_retain(&device->object);
    atomic_fetch_add_explicit(&device->live[type], 1, memory_order_relaxed);
}

void core_device_uncount_child(struct core_device *device, enum core_type type)
{
    atomic_fetch_sub_explicit(&device->live[type], 1, memory_order_relaxed);
}

void core_device_remove_child(struct core_device *device, enum core_type type)
{
    core_device_uncount_child(device, type);
    core_object_release(&device->object);
}

static int32_t get_usage(struct core_device *device, struct trm_device_usage *out)
{
    int32_t status = core_output_check(out, "trm_device_get_usage", "usage");
    if (status != TRM_OK)
        return status;
    device->object.context->device_hooks->reap(device);
    struct trm_device_usage usage = {
        .struct_size       = sizeof(usage),
        .streams           = live(device, CORE_STREAM),
        .events            = live(device, CORE_EVENT),
        .buffers           = live(device, CORE_BUFFER),
        .modules           = live(device, CORE_MODULE),
        .kernels           = live(device, CORE_KERNEL),
        .buffer_bytes      = atomic_load_explicit(&device->buffer_bytes, memory_order_relaxed),
        .peak_buffer_bytes = atomic_load_explicit(&device->peak_buffer_bytes, memory_order_relaxed),
        .images            = live(device, CORE_IMAGE),
        .samplers          = live(device, CORE_SAMPLER),
    };
    if (!core_struct_copy_out(out, &usage, sizeof(usage), USAGE_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_device_usage.struct_size is %u, but its size is %zu", out->struct_size,
                         sizeof(usage));
    return TRM_OK;
}

int32_t trm_device_get_usage(struct trm_device *handle, struct trm_device_usage *out)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = get_usage(device, out);
    core_object_leave(&device->object);
    return status;
}

/* ---- loss ---------------------------------------------------------------------------------------------- */

int32_t core_device_check(struct core_device *device)
{
    if (LIKELY(!core_device_is_lost(device)))
        return TRM_OK;
    return base_failure_raise(&device->loss);
}

/* Whether the backend says that the device itself is not lost. If it is, the last error may have become the
 * device's own cause. */
static bool is_sound(struct core_device *device)
{
    const struct core_backend *backend = device->backend;
    struct base_saved_error before;
    if (backend->device.check_loss == NULL || core_device_is_lost(device))
        return false;
    base_error_save(&before);
    int32_t status = core_answer(backend, "device.check_loss", backend->device.check_loss(device->device));
    if (status != TRM_ERROR_DEVICE_LOST)
        base_error_restore(&before);
    return status == TRM_OK;
}

int32_t core_device_latch_loss(struct core_device *device, int32_t status)
{
    if (status != TRM_ERROR_DEVICE_LOST || is_sound(device))
        return status;
    pthread_mutex_lock(&device->lock);
    bool is_new = !device->is_lost;
    if (is_new) {
        base_failure_save(&device->loss, status);
        atomic_store_explicit(&device->is_lost, true, memory_order_release);
        atomic_fetch_or(&device->attention, CORE_DEVICE_LOST);
    }
    pthread_mutex_unlock(&device->lock);
    if (is_new)
        core_object_log(&device->object, TRM_LOG_INFO, "lost, so groups leave it out from now on: %s",
                        device->loss.sentence);
    return base_failure_raise(&device->loss);
}
