/* The proxy: the optional table interop.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/interop.h>

#include "proxy.h"

struct trm_backend_semaphore {
    struct trm_backend_device *device;
    struct trm_backend_semaphore *target;
};

/* ---- native handles --------------------------------------------------------------------------------- */

static int32_t proxy_device_handle(struct trm_backend_device *device, int32_t type, uint64_t *handle)
{
    int32_t status = proxy_begin(device->instance->host, PROXY_DEVICE_HANDLE, NULL);

    return status != TRM_OK ? status : proxy_target.interop.device_handle(device->target, type, handle);
}

static int32_t proxy_stream_handle(struct trm_backend_stream *stream, int32_t type, uint64_t *handle)
{
    int32_t status = proxy_begin(stream->device->instance->host, PROXY_STREAM_HANDLE, NULL);

    return status != TRM_OK ? status : proxy_target.interop.stream_handle(stream->target, type, handle);
}

static int32_t proxy_memory_handle(struct trm_backend_memory *memory, int32_t type, uint64_t *handle,
                                   uint64_t *offset)
{
    int32_t status = proxy_begin(memory->device->instance->host, PROXY_MEMORY_HANDLE, NULL);

    if (status != TRM_OK)
        return status;
    return proxy_target.interop.memory_handle(memory->target, type, handle, offset);
}

static int32_t proxy_adopt(struct trm_backend_instance *instance, int32_t type, const void *native,
                           uint32_t *index, struct trm_backend_device **device)
{
    struct trm_backend_device *target;
    int32_t status = proxy_begin(instance->host, PROXY_ADOPT, NULL);

    if (status != TRM_OK)
        return status;
    status = proxy_target.interop.adopt(instance->target, type, native, index, &target);
    if (status != TRM_OK)
        return status;
    status = proxy_device_wrap(instance, target, device);
    if (status != TRM_OK)
        proxy_target.device.close(target);
    return status;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

/* What the target has made gets a proxy's name, or goes. */
static int32_t proxy_shared_wrap(struct trm_backend_device *device, struct trm_backend_memory *target,
                                 uint64_t size, struct trm_backend_memory **memory)
{
    int32_t status = proxy_memory_wrap(device, target, size, memory);

    if (status != TRM_OK)
        proxy_target.memory.free(target);
    return status;
}

static int32_t proxy_memory_create(struct trm_backend_device *device, uint64_t size,
                                   struct trm_backend_memory **memory)
{
    struct trm_backend_memory *target;
    int32_t status = proxy_begin(device->instance->host, PROXY_MEMORY_CREATE, NULL);

    if (size == 0)
        proxy_breach("Shared memory of no bytes is made.");
    if (status == TRM_OK)
        status = proxy_target.interop.memory_create(device->target, size, &target);
    return status != TRM_OK ? status : proxy_shared_wrap(device, target, size, memory);
}

static int32_t proxy_memory_export(struct trm_backend_memory *memory, int32_t type, int32_t *fd,
                                   uint64_t *size)
{
    int32_t status = proxy_begin(memory->device->instance->host, PROXY_MEMORY_EXPORT, NULL);

    return status != TRM_OK ? status : proxy_target.interop.memory_export(memory->target, type, fd, size);
}

static int32_t proxy_memory_import(struct trm_backend_device *device, int32_t type, int32_t fd, uint64_t size,
                                   struct trm_backend_memory **memory)
{
    struct trm_backend_memory *target;
    int32_t status = proxy_begin(device->instance->host, PROXY_MEMORY_IMPORT, NULL);

    if (status == TRM_OK)
        status = proxy_target.interop.memory_import(device->target, type, fd, size, &target);
    return status != TRM_OK ? status : proxy_shared_wrap(device, target, size, memory);
}

/* ---- semaphores ------------------------------------------------------------------------------------- */

static struct trm_backend_semaphore *proxy_semaphore_new(struct trm_backend_device *device)
{
    struct trm_backend_semaphore *made = proxy_new(device->instance->host, sizeof(*made));

    if (made != NULL)
        made->device = device;
    return made;
}

/* As the target answered. */
static int32_t proxy_semaphore_made(struct trm_backend_semaphore *made, int32_t status,
                                    struct trm_backend_semaphore **semaphore)
{
    const struct trm_host *host = made->device->instance->host;

    if (status != TRM_OK) {
        host->release(host->context, made, sizeof(*made));
        return status;
    }
    atomic_fetch_add(&made->device->children, 1);
    proxy_created(PROXY_SEMAPHORE);
    *semaphore = made;
    return TRM_OK;
}

static int32_t proxy_semaphore_create(struct trm_backend_device *device,
                                      struct trm_backend_semaphore **semaphore)
{
    struct trm_backend_semaphore *made;
    int32_t status = proxy_begin(device->instance->host, PROXY_SEMAPHORE_CREATE, NULL);

    if (status != TRM_OK)
        return status;
    made = proxy_semaphore_new(device);
    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    status = proxy_target.interop.semaphore_create(device->target, &made->target);
    return proxy_semaphore_made(made, status, semaphore);
}

static int32_t proxy_semaphore_import(struct trm_backend_device *device, int32_t type, int32_t fd,
                                      struct trm_backend_semaphore **semaphore)
{
    struct trm_backend_semaphore *made;
    int32_t status = proxy_begin(device->instance->host, PROXY_SEMAPHORE_IMPORT, NULL);

    if (status != TRM_OK)
        return status;
    made = proxy_semaphore_new(device);
    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    status = proxy_target.interop.semaphore_import(device->target, type, fd, &made->target);
    return proxy_semaphore_made(made, status, semaphore);
}

static int32_t proxy_semaphore_export(struct trm_backend_semaphore *semaphore, int32_t type, int32_t *fd)
{
    int32_t status = proxy_begin(semaphore->device->instance->host, PROXY_SEMAPHORE_EXPORT, NULL);

    return status != TRM_OK ? status : proxy_target.interop.semaphore_export(semaphore->target, type, fd);
}

static void proxy_semaphore_destroy(struct trm_backend_semaphore *semaphore)
{
    struct trm_backend_device *device = semaphore->device;
    const struct trm_host *host       = device->instance->host;

    (void)proxy_begin(NULL, PROXY_SEMAPHORE_DESTROY, NULL);
    proxy_target.interop.semaphore_destroy(semaphore->target);
    proxy_destroyed(PROXY_SEMAPHORE);
    host->release(host->context, semaphore, sizeof(*semaphore));
    atomic_fetch_sub(&device->children, 1);
}

static int32_t proxy_semaphore_value(struct trm_backend_semaphore *semaphore, uint64_t *current)
{
    int32_t status = proxy_begin(semaphore->device->instance->host, PROXY_SEMAPHORE_VALUE, NULL);

    return status != TRM_OK ? status : proxy_target.interop.semaphore_value(semaphore->target, current);
}

static void proxy_check_semaphore(const struct trm_backend_stream *stream,
                                  const struct trm_backend_semaphore *semaphore)
{
    if (semaphore->device != stream->device)
        proxy_breach("A stream is given another device's semaphore.");
}

static int32_t proxy_semaphore_wait(struct trm_backend_stream *stream, uint64_t value,
                                    struct trm_backend_semaphore *semaphore, uint64_t semaphore_value)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_SEMAPHORE_WAIT);

    proxy_check_semaphore(stream, semaphore);
    if (turn.forward)
        turn.status =
            proxy_target.interop.semaphore_wait(stream->target, value, semaphore->target, semaphore_value);
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_semaphore_signal(struct trm_backend_stream *stream, uint64_t value,
                                      struct trm_backend_semaphore *semaphore, uint64_t semaphore_value)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_SEMAPHORE_SIGNAL);

    proxy_check_semaphore(stream, semaphore);
    if (turn.forward)
        turn.status =
            proxy_target.interop.semaphore_signal(stream->target, value, semaphore->target, semaphore_value);
    return proxy_stream_leave(stream, value, turn);
}

/* ---- an application's own --------------------------------------------------------------------------- */

static int32_t proxy_stream_adopt(struct trm_backend_device *device, int32_t type, uint64_t native,
                                  const struct trm_stream_desc *desc, struct trm_backend_stream **stream)
{
    struct trm_backend_stream *made;
    int32_t status = proxy_begin(device->instance->host, PROXY_STREAM_ADOPT, NULL);

    if (status != TRM_OK)
        return status;
    made = proxy_stream_new(device);
    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    status = proxy_target.interop.stream_adopt(device->target, type, native, desc, &made->target);
    return proxy_stream_made(made, status, stream);
}

static int32_t proxy_memory_adopt(struct trm_backend_device *device, int32_t type, uint64_t native,
                                  uint64_t offset, uint64_t size, struct trm_backend_memory **memory)
{
    struct trm_backend_memory *target;
    int32_t status = proxy_begin(device->instance->host, PROXY_MEMORY_ADOPT, NULL);

    if (size == 0 || offset > UINT64_MAX - size)
        proxy_breach("Memory of a size that cannot be is adopted.");
    if (status == TRM_OK)
        status = proxy_target.interop.memory_adopt(device->target, type, native, offset, size, &target);
    return status != TRM_OK ? status : proxy_shared_wrap(device, target, size, memory);
}

static int32_t proxy_hand_over(struct trm_backend_stream *stream, uint64_t value)
{
    int32_t status = proxy_begin(stream->device->instance->host, PROXY_HAND_OVER, NULL);

    if (status != TRM_OK)
        return status;
    if (value > atomic_load(&stream->claimed))
        proxy_breach("What was not enqueued is handed over.");
    if (proxy_stream_lost(stream, value))
        return proxy_stream_failure(stream);
    return proxy_target.interop.hand_over(stream->target, value);
}

static int32_t proxy_event_wait(struct trm_backend_stream *stream, uint64_t value, int32_t type,
                                uint64_t native)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_EVENT_WAIT);

    if (turn.forward)
        turn.status = proxy_target.interop.event_wait(stream->target, value, type, native);
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_event_record(struct trm_backend_stream *stream, uint64_t value, int32_t type,
                                  uint64_t native)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_EVENT_RECORD);

    if (turn.forward)
        turn.status = proxy_target.interop.event_record(stream->target, value, type, native);
    return proxy_stream_leave(stream, value, turn);
}

/* ---- memory of other processes ---------------------------------------------------------------------- */

static int32_t proxy_ipc_create(struct trm_backend_device *device, uint64_t size,
                                struct trm_backend_memory **memory)
{
    struct trm_backend_memory *target;
    int32_t status = proxy_begin(device->instance->host, PROXY_IPC_CREATE, NULL);

    if (size == 0)
        proxy_breach("Memory of no bytes is made for other processes.");
    if (status == TRM_OK)
        status = proxy_target.interop.ipc_create(device->target, size, &target);
    return status != TRM_OK ? status : proxy_shared_wrap(device, target, size, memory);
}

static int32_t proxy_ipc_export(struct trm_backend_memory *memory, struct trm_ipc_handle *handle)
{
    int32_t status = proxy_begin(memory->device->instance->host, PROXY_IPC_EXPORT, NULL);

    return status != TRM_OK ? status : proxy_target.interop.ipc_export(memory->target, handle);
}

static int32_t proxy_ipc_open(struct trm_backend_device *device, const struct trm_ipc_handle *handle,
                              struct trm_backend_memory **memory)
{
    struct trm_backend_memory *target;
    int32_t status = proxy_begin(device->instance->host, PROXY_IPC_OPEN, NULL);

    if (handle->size == 0 || handle->offset > UINT64_MAX - handle->size)
        proxy_breach("Memory of a size that cannot be is opened by a handle.");
    if (status == TRM_OK)
        status = proxy_target.interop.ipc_open(device->target, handle, &target);
    return status != TRM_OK ? status : proxy_shared_wrap(device, target, handle->size, memory);
}

/* ---- ranges ----------------------------------------------------------------------------------------- */

static const struct trm_range_ops *proxy_ranges_of_target(void)
{
    const struct trm_backend *backend = proxy_target.backend;

    if (backend == NULL || backend->get_extension == NULL)
        return NULL;
    return backend->get_extension(TRM_RANGE_EXTENSION, 1);
}

static void proxy_range_begin(const char *name, uint64_t number)
{
    proxy_ranges_of_target()->begin(name, number);
}

static void proxy_range_end(void)
{
    proxy_ranges_of_target()->end();
}

static void proxy_name_stream(struct trm_backend_stream *stream, const char *name)
{
    const struct trm_range_ops *target = proxy_ranges_of_target();

    if (target->name_stream != NULL)
        target->name_stream(stream->target, name);
}

static const struct trm_range_ops proxy_range_ops = {
    .struct_size = sizeof(proxy_range_ops),
    .begin       = proxy_range_begin,
    .end         = proxy_range_end,
    .name_stream = proxy_name_stream,
};

const struct trm_range_ops *proxy_range_table(void)
{
    return proxy_ranges_of_target() != NULL ? &proxy_range_ops : NULL;
}

/* ---- the table -------------------------------------------------------------------------------------- */

static struct trm_interop_ops proxy_interop_ops;

/* Slots that the target lacks are NULL here too. */
const struct trm_interop_ops *proxy_interop_table(const char *without)
{
    const struct trm_interop_ops *target = &proxy_target.interop;

    if (proxy_list_has(without, "interop"))
        return NULL;
    proxy_interop_ops = (struct trm_interop_ops){
        .struct_size       = sizeof(proxy_interop_ops),
        .device_handle     = target->device_handle != NULL ? proxy_device_handle : NULL,
        .stream_handle     = target->stream_handle != NULL ? proxy_stream_handle : NULL,
        .memory_handle     = target->memory_handle != NULL ? proxy_memory_handle : NULL,
        .adopt             = target->adopt != NULL ? proxy_adopt : NULL,
        .memory_create     = target->memory_create != NULL ? proxy_memory_create : NULL,
        .memory_export     = target->memory_export != NULL ? proxy_memory_export : NULL,
        .memory_import     = target->memory_import != NULL ? proxy_memory_import : NULL,
        .semaphore_create  = target->semaphore_create != NULL ? proxy_semaphore_create : NULL,
        .semaphore_import  = target->semaphore_import != NULL ? proxy_semaphore_import : NULL,
        .semaphore_export  = target->semaphore_export != NULL ? proxy_semaphore_export : NULL,
        .semaphore_destroy = proxy_semaphore_destroy,
        .semaphore_value   = target->semaphore_value != NULL ? proxy_semaphore_value : NULL,
        .semaphore_wait    = target->semaphore_wait != NULL ? proxy_semaphore_wait : NULL,
        .semaphore_signal  = target->semaphore_signal != NULL ? proxy_semaphore_signal : NULL,
        .stream_adopt      = target->stream_adopt != NULL ? proxy_stream_adopt : NULL,
        .memory_adopt      = target->memory_adopt != NULL ? proxy_memory_adopt : NULL,
        .hand_over         = target->hand_over != NULL ? proxy_hand_over : NULL,
        .event_wait        = target->event_wait != NULL ? proxy_event_wait : NULL,
        .event_record      = target->event_record != NULL ? proxy_event_record : NULL,
        .ipc_create        = target->ipc_create != NULL ? proxy_ipc_create : NULL,
        .ipc_export        = target->ipc_export != NULL ? proxy_ipc_export : NULL,
        .ipc_open          = target->ipc_open != NULL ? proxy_ipc_open : NULL,
    };
    return &proxy_interop_ops;
}
