/* Native handles of objects, and memory shared by file descriptors; see <trireme/interop.h>.
 * SPDX-License-Identifier: MIT
 */
#include "core/interop/interop.h"

#include <inttypes.h>
#include <trireme/interop.h>

#include "core/memory/memory.h"
#include "core/object/object.h"
#include "core/stream/stream.h"

/* enum trm_native_type has this many numbers for each kind of object, one kind after the other. */
#define TYPES_PER_KIND 64

int32_t core_interop_missing(const struct core_device *device, const char *what)
{
    return base_fail(TRM_ERROR_UNSUPPORTED, "the backend of device %s has no %s", device->id, what);
}

int32_t core_interop_check_fd(int32_t type, int32_t fd)
{
    if (type != TRM_HANDLE_OPAQUE_FD)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a type of handle", type);
    if (fd < 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a file descriptor", fd);
    return TRM_OK;
}

/* ---- native handles --------------------------------------------------------------------------- */

int32_t core_interop_check_native(int32_t type, enum core_native_kind kind)
{
    static const char *const names[] = {"a device", "a stream", "a buffer", "an event", "an image"};
    if (type < 1 || type / TYPES_PER_KIND != (int32_t)kind)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%" PRId32 " is not a type of native handle of %s", type,
                         names[kind]);
    return TRM_OK;
}

static int32_t check_native(const char *function, int32_t type, enum core_native_kind kind,
                            const uint64_t *native)
{
    int32_t status = core_interop_check_native(type, kind);
    return status == TRM_OK ? core_output_check(native, function, "native") : status;
}

/* Of a device, or of one of its streams (else NULL). */
static int32_t find_native(struct core_device *device, const struct core_stream *stream, int32_t type,
                           uint64_t *native)
{
    const struct core_backend *backend = device->backend;
    const struct trm_interop_ops *ops  = &backend->interop;
    uint64_t found                     = 0;
    int32_t status;
    if (stream == NULL && ops->device_handle == NULL)
        return core_interop_missing(device, "native handles of devices");
    if (stream != NULL && ops->stream_handle == NULL)
        return core_interop_missing(device, "native handles of streams");
    base_error_clear();
    if (stream == NULL)
        status =
            core_answer(backend, "interop.device_handle", ops->device_handle(device->device, type, &found));
    else
        status =
            core_answer(backend, "interop.stream_handle", ops->stream_handle(stream->backend, type, &found));
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    *native = found;
    return TRM_OK;
}

int32_t trm_device_native(struct trm_device *handle, int32_t type, uint64_t *native)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = check_native("trm_device_native", type, CORE_NATIVE_DEVICE, native);
    if (status == TRM_OK)
        status = find_native(device, NULL, type, native);
    core_object_leave(&device->object);
    return status;
}

int32_t trm_stream_native(struct trm_stream *handle, int32_t type, uint64_t *native)
{
    struct core_stream *stream = core_object_enter(handle, CORE_STREAM);
    if (stream == NULL)
        return base_last_status();
    int32_t status = check_native("trm_stream_native", type, CORE_NATIVE_STREAM, native);
    if (status == TRM_OK && core_stream_is_recording(stream))
        status = base_fail(TRM_ERROR_UNSUPPORTED, "a recording stream has no native handle");
    if (status == TRM_OK)
        status = find_native(stream->device, stream, type, native);
    core_object_leave(&stream->object);
    return status;
}

static int32_t buffer_native(const struct core_buffer *buffer, int32_t type, uint64_t *native,
                             uint64_t *offset)
{
    struct core_device *device = buffer->device;
    uint64_t found = 0, begin = 0;
    if (buffer->memory == NULL)
        return base_fail(TRM_ERROR_UNSUPPORTED, "an empty buffer has no native handle");
    if (device->backend->interop.memory_handle == NULL)
        return core_interop_missing(device, "native handles of buffers");
    base_error_clear();
    int32_t status =
        core_answer(device->backend, "interop.memory_handle",
                    device->backend->interop.memory_handle(buffer->memory, type, &found, &begin));
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    *native = found;
    *offset = begin + buffer->base;
    return TRM_OK;
}

int32_t trm_buffer_native(struct trm_buffer *handle, int32_t type, uint64_t *native, uint64_t *offset)
{
    struct core_buffer *buffer = core_object_enter(handle, CORE_BUFFER);
    if (buffer == NULL)
        return base_last_status();
    int32_t status = check_native("trm_buffer_native", type, CORE_NATIVE_BUFFER, native);
    if (status == TRM_OK)
        status = core_output_check(offset, "trm_buffer_native", "offset");
    if (status == TRM_OK)
        status = buffer_native(buffer, type, native, offset);
    core_object_leave(&buffer->object);
    return status;
}

/* ---- shared memory ---------------------------------------------------------------------------- */

/* What to make a buffer of. */
struct source {
    struct core_device *device;
    uint64_t size;
    int32_t type, fd; /* type 0: new memory that can be exported */
};

static int32_t find_memory(void *user, struct trm_backend_memory **memory)
{
    const struct source *source       = user;
    struct trm_backend_device *device = source->device->device;
    const struct trm_interop_ops *ops = &source->device->backend->interop;
    const char *slot                  = source->type == 0 ? "interop.memory_create" : "interop.memory_import";
    base_error_clear();
    int32_t status = source->type == 0
                         ? ops->memory_create(device, source->size, memory)
                         : ops->memory_import(device, source->type, source->fd, source->size, memory);
    if (status == TRM_ERROR_OUT_OF_DEVICE_MEMORY && source->type == 0) {
        core_pool_trim(source->device->pool, 0);
        base_error_clear();
        status = ops->memory_create(device, source->size, memory);
    }
    status = core_answer_object(source->device->backend, slot, status, "memory", memory);
    return status == TRM_OK ? TRM_OK : base_fail_backend(status);
}

int32_t core_interop_make_buffer(const char *function, struct core_device *device, uint64_t size,
                                 int32_t (*find)(void *user, struct trm_backend_memory **memory), void *user,
                                 struct trm_buffer **handle)
{
    struct core_buffer *buffer;
    int32_t status = core_device_check(device);
    if (status == TRM_OK)
        status = core_output_check(handle, function, "buffer");
    if (status != TRM_OK)
        return status;
    if (size == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "shared memory needs at least one byte");
    if (size > device->limits.max_buffer_bytes)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "a buffer of %" PRIu64 " bytes is too large: device %s allows %" PRIu64 " bytes",
                         size, device->id, device->limits.max_buffer_bytes);
    status = core_buffer_create_shared(device, size, find, user, &buffer);
    if (status == TRM_OK)
        *handle = core_object_publish(&buffer->object);
    return status;
}

static int32_t create_exportable(struct core_device *device, uint64_t size, struct trm_buffer **buffer)
{
    if (device->backend->interop.memory_create == NULL)
        return core_interop_missing(device, "exportable memory");
    struct source source = {.device = device, .size = size};
    return core_interop_make_buffer("trm_buffer_create_exportable", device, size, find_memory, &source,
                                    buffer);
}

int32_t trm_buffer_create_exportable(struct trm_device *handle, uint64_t size, struct trm_buffer **buffer)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = create_exportable(device, size, buffer);
    core_object_leave(&device->object);
    return status;
}

static int32_t buffer_import(struct core_device *device, int32_t type, int32_t fd, uint64_t size,
                             struct trm_buffer **buffer)
{
    if (device->backend->interop.memory_import == NULL)
        return core_interop_missing(device, "import of memory");
    int32_t status = core_interop_check_fd(type, fd);
    if (status != TRM_OK)
        return status;
    struct source source = {.device = device, .size = size, .type = type, .fd = fd};
    return core_interop_make_buffer("trm_buffer_import", device, size, find_memory, &source, buffer);
}

int32_t trm_buffer_import(struct trm_device *handle, int32_t type, int32_t fd, uint64_t size,
                          struct trm_buffer **buffer)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = buffer_import(device, type, fd, size, buffer);
    core_object_leave(&device->object);
    return status;
}

static int32_t export_memory(const struct core_buffer *buffer, int32_t type, int32_t *fd, uint64_t *size)
{
    struct core_device *device        = buffer->device;
    const struct trm_interop_ops *ops = &device->backend->interop;
    if (ops->memory_export == NULL)
        return core_interop_missing(device, "exportable memory");
    if (buffer->memory == NULL || buffer->block != NULL)
        return base_fail(TRM_ERROR_UNSUPPORTED, "this buffer was not made by trm_buffer_create_exportable()");
    int32_t made   = -1;
    uint64_t bytes = 0;
    base_error_clear();
    int32_t status = core_answer(device->backend, "interop.memory_export",
                                 ops->memory_export(buffer->memory, type, &made, &bytes));
    if (status == TRM_OK && made < 0)
        status = core_answer_refuse_nothing(device->backend, "interop.memory_export", "file descriptor");
    if (status != TRM_OK)
        return core_device_latch_loss(device, base_fail_backend(status));
    *fd   = made;
    *size = bytes;
    return TRM_OK;
}

int32_t trm_buffer_export(struct trm_buffer *handle, int32_t type, int32_t *fd, uint64_t *size)
{
    struct core_buffer *buffer = core_object_enter(handle, CORE_BUFFER);
    if (buffer == NULL)
        return base_last_status();
    int32_t status = core_interop_check_fd(type, 0);
    if (status == TRM_OK)
        status = core_output_check(fd, "trm_buffer_export", "fd");
    if (status == TRM_OK)
        status = core_output_check(size, "trm_buffer_export", "size");
    if (status == TRM_OK)
        status = export_memory(buffer, type, fd, size);
    core_object_leave(&buffer->object);
    return status;
}
