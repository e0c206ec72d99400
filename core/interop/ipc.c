/* Device memory shared with other processes by IPC handles; see <trireme/interop.h>.
 * SPDX-License-Identifier: MIT
 */
#include "core/interop/interop.h"

#include <inttypes.h>
#include <trireme/interop.h>

#include "core/memory/memory.h"
#include "core/object/object.h"

/* What to make a buffer of. */
struct source {
    struct core_device *device;
    uint64_t size;
    const struct trm_ipc_handle *handle; /* NULL: new memory */
};

static int32_t create_memory(void *user, struct trm_backend_memory **memory)
{
    const struct source *source       = user;
    struct core_device *device        = source->device;
    const struct trm_interop_ops *ops = &device->backend->interop;
    base_error_clear();
    int32_t status = ops->ipc_create(device->device, source->size, memory);
    if (status == TRM_ERROR_OUT_OF_DEVICE_MEMORY) {
        core_pool_trim(device->pool, 0);
        base_error_clear();
        status = ops->ipc_create(device->device, source->size, memory);
    }
    status = core_answer_object(device->backend, "interop.ipc_create", status, "memory", memory);
    return status == TRM_OK ? TRM_OK : base_fail_backend(status);
}

static int32_t create_ipc(struct core_device *device, uint64_t size, struct trm_buffer **buffer)
{
    if (device->backend->interop.ipc_create == NULL)
        return core_interop_missing(device, "IPC handles of memory");
    struct source source = {.device = device, .size = size};
    return core_interop_make_buffer("trm_buffer_create_ipc", device, size, create_memory, &source, buffer);
}

int32_t trm_buffer_create_ipc(struct trm_device *handle, uint64_t size, struct trm_buffer **buffer)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = create_ipc(device, size, buffer);
    core_object_leave(&device->object);
    return status;
}

/* ---- export ----------------------------------------------------------------------------------- */

static int32_t get_handle(const struct core_buffer *buffer, struct trm_ipc_handle *handle)
{
    struct core_device *device  = buffer->device;
    struct trm_ipc_handle found = {.offset = 0};
    if (device->backend->interop.ipc_export == NULL)
        return core_interop_missing(device, "IPC handles of memory");
    if (buffer->memory == NULL || buffer->block != NULL || buffer->is_ordered)
        return base_fail(TRM_ERROR_UNSUPPORTED,
                         "this buffer was made neither by trm_buffer_create_ipc() nor by trm_buffer_adopt()");
    base_error_clear();
    int32_t status = core_answer(device->backend, "interop.ipc_export",
                                 device->backend->interop.ipc_export(buffer->memory, &found));
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    found.size = buffer->size;
    *handle    = found;
    return TRM_OK;
}

int32_t trm_buffer_get_ipc_handle(struct trm_buffer *handle, struct trm_ipc_handle *ipc)
{
    struct core_buffer *buffer = core_object_enter(handle, CORE_BUFFER);
    if (buffer == NULL)
        return base_last_status();
    int32_t status = core_output_check(ipc, "trm_buffer_get_ipc_handle", "ipc");
    if (status == TRM_OK)
        status = get_handle(buffer, ipc);
    core_object_leave(&buffer->object);
    return status;
}

/* ---- import ----------------------------------------------------------------------------------- */

static int32_t open_memory(void *user, struct trm_backend_memory **memory)
{
    const struct source *source        = user;
    const struct core_backend *backend = source->device->backend;
    base_error_clear();
    int32_t status = core_answer_object(
        backend, "interop.ipc_open",
        backend->interop.ipc_open(source->device->device, source->handle, memory), "memory", memory);
    return status == TRM_OK ? TRM_OK : base_fail_backend(status);
}

static int32_t open_handle(struct core_device *device, const struct trm_ipc_handle *ipc,
                           struct trm_buffer **buffer)
{
    if (ipc == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_buffer_open_ipc_handle: `ipc` is NULL");
    if (device->backend->interop.ipc_open == NULL)
        return core_interop_missing(device, "IPC handles of memory");
    const struct trm_ipc_handle given =
        *ipc; /* a copy, since it may be in memory that the other process writes */
    if (given.offset > UINT64_MAX - given.size)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "%" PRIu64 " bytes at offset %" PRIu64 " overflow",
                         given.size, given.offset);
    struct source source = {.device = device, .size = given.size, .handle = &given};
    return core_interop_make_buffer("trm_buffer_open_ipc_handle", device, given.size, open_memory, &source,
                                    buffer);
}

int32_t trm_buffer_open_ipc_handle(struct trm_device *handle, const struct trm_ipc_handle *ipc,
                                   struct trm_buffer **buffer)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = open_handle(device, ipc, buffer);
    core_object_leave(&device->object);
    return status;
}
