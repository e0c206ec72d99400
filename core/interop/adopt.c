/* Adopts an application's own devices, streams and memory; see <trireme/interop.h>.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <trireme/interop.h>

#include "core/interop/interop.h"
#include "core/memory/memory.h"
#include "core/object/object.h"
#include "core/stream/stream.h"

/* ---- devices ---------------------------------------------------------------------------------- */

static int32_t adopt(struct core_context *context, const char *name, int32_t type, const void *native,
                     struct trm_device **handle)
{
    struct core_registry *registry;
    struct core_backend *backend;
    struct core_device *device;
    uint32_t index;
    int32_t status = core_registry_get(context, &registry);
    if (status == TRM_OK)
        status = core_registry_resolve(registry, name, &backend, &index);
    if (status != TRM_OK)
        return status;
    if (backend->interop.adopt == NULL)
        return base_fail(TRM_ERROR_UNSUPPORTED, "the backend %s cannot adopt devices", backend->name);
    status = core_device_adopt(context, backend, type, native, &device);
    if (status == TRM_OK)
        *handle = core_object_publish(&device->object);
    return status;
}

int32_t trm_device_adopt(struct trm_context *handle, const char *backend, int32_t type, const void *native,
                         struct trm_device **device)
{
    struct core_context *context = core_object_enter(handle, CORE_CONTEXT);
    if (context == NULL)
        return base_last_status();
    int32_t status = core_output_check(device, "trm_device_adopt", "device");
    if (status == TRM_OK && (backend == NULL || native == NULL))
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_device_adopt: `%s` is NULL",
                           backend == NULL ? "backend" : "native");
    if (status == TRM_OK && (type < TRM_NATIVE_DEVICE_VULKAN || type > TRM_NATIVE_DEVICE_CUDA))
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a type of native device", type);
    if (status == TRM_OK)
        status = adopt(context, backend, type, native, device);
    core_object_leave(&context->object);
    return status;
}

/* ---- streams ---------------------------------------------------------------------------------- */

static int32_t stream_adopt(struct core_device *device, int32_t type, uint64_t native,
                            struct trm_stream **out)
{
    struct core_stream *stream;
    int32_t status = core_interop_check_native(type, CORE_NATIVE_STREAM);
    if (status == TRM_OK)
        status = core_output_check(out, "trm_stream_adopt", "stream");
    if (status != TRM_OK)
        return status;
    if (device->backend->interop.stream_adopt == NULL)
        return core_interop_missing(device, "adoption of streams");
    status = core_stream_create_adopted(device, type, native, &stream);
    if (status == TRM_OK)
        *out = core_object_publish(&stream->object);
    return status;
}

int32_t trm_stream_adopt(struct trm_device *handle, int32_t type, uint64_t native, struct trm_stream **out)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = stream_adopt(device, type, native, out);
    core_object_leave(&device->object);
    return status;
}

/* ---- memory ----------------------------------------------------------------------------------- */

struct source {
    struct core_device *device;
    int32_t type;
    uint64_t native, offset, size;
};

static int32_t find_memory(void *user, struct trm_backend_memory **memory)
{
    const struct source *source        = user;
    const struct core_backend *backend = source->device->backend;
    base_error_clear();
    int32_t status =
        core_answer_object(backend, "interop.memory_adopt",
                           backend->interop.memory_adopt(source->device->device, source->type, source->native,
                                                         source->offset, source->size, memory),
                           "memory", memory);
    return status == TRM_OK ? TRM_OK : base_fail_backend(status);
}

static int32_t buffer_adopt(struct core_device *device, int32_t type, uint64_t native, uint64_t offset,
                            uint64_t size, struct trm_buffer **buffer)
{
    int32_t status = core_interop_check_native(type, CORE_NATIVE_BUFFER);
    if (status != TRM_OK)
        return status;
    if (device->backend->interop.memory_adopt == NULL)
        return core_interop_missing(device, "adoption of memory");
    if (offset > UINT64_MAX - size)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "%" PRIu64 " bytes at offset %" PRIu64 " overflow", size,
                         offset);
    struct source source = {.device = device, .type = type, .native = native, .offset = offset, .size = size};
    return core_interop_make_buffer("trm_buffer_adopt", device, size, find_memory, &source, buffer);
}

int32_t trm_buffer_adopt(struct trm_device *handle, int32_t type, uint64_t native, uint64_t offset,
                         uint64_t size, struct trm_buffer **buffer)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = buffer_adopt(device, type, native, offset, size, buffer);
    core_object_leave(&device->object);
    return status;
}
