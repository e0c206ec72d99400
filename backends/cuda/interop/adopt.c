/* cuda backend: adopts an application's context, stream and memory, which stay the application's.
 *
 * A handle is checked as far as the driver can tell. The driver itself may crash on a handle that never
 * was one or is one no more.
 * SPDX-License-Identifier: MIT
 */

#include "backends/cuda/memory/memory.h"
#include "backends/cuda/stream/stream.h"
#include "interop.h"

#include "backends/cuda/device/device.h"

/* The size of struct trm_cuda_device in its first version. */
#define MIN_DESCRIPTION_BYTES 16u

/* The alignment of the largest types of kernels. */
#define ADDRESS_ALIGNMENT 16u

static int32_t fail_handle(const struct trm_backend_instance *instance, const char *what, CUresult result,
                           const char *call)
{
    return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, result,
                         "The handle is not a valid %s: %s answered %s.", what, call,
                         cuda_result_name(instance, result));
}

/* ---- contexts -------------------------------------------------------------------------------- */

/* The device of a context. Restores the calling thread's context. */
static int32_t device_of_context(const struct trm_backend_instance *instance, CUcontext context,
                                 CUdevice *found)
{
    const struct cuda_functions *cuda = &instance->cuda;
    CUcontext previous                = NULL;

    CUresult result = cuda->cuCtxGetCurrent(&previous);
    if (result != CUDA_SUCCESS)
        return cuda_instance_fail(instance, result, "cuCtxGetCurrent");
    result = cuda->cuCtxSetCurrent(context);
    if (result != CUDA_SUCCESS)
        return fail_handle(instance, "CUcontext", result, "cuCtxSetCurrent");
    result = cuda->cuCtxGetDevice(found);
    (void)cuda->cuCtxSetCurrent(previous);
    return result == CUDA_SUCCESS ? TRM_OK : fail_handle(instance, "CUcontext", result, "cuCtxGetDevice");
}

static int32_t find_index(const struct trm_backend_instance *instance, CUdevice handle, uint32_t *index)
{
    for (uint32_t i = 0; i < instance->physical_count; i++)
        if (instance->physicals[i].handle == handle) {
            *index = i;
            return TRM_OK;
        }
    return trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0,
                         "The context's device is not among those that the cuda backend can use.");
}

int32_t cuda_device_adopt(struct trm_backend_instance *instance, int32_t type, const void *native,
                          uint32_t *index, struct trm_backend_device **device)
{
    const struct trm_cuda_device *given = native;
    CUdevice handle                     = 0;
    uint32_t found                      = 0;

    if (type != TRM_NATIVE_DEVICE_CUDA)
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The cuda backend adopts no native device of type %d.", type);
    if (given->struct_size < MIN_DESCRIPTION_BYTES)
        return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                             "The struct_size of struct trm_cuda_device is too small.");
    if (given->context == NULL)
        return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                             "The context in struct trm_cuda_device is NULL.");
    int32_t status = device_of_context(instance, given->context, &handle);
    if (status == TRM_OK)
        status = find_index(instance, handle, &found);
    if (status == TRM_OK)
        status = cuda_device_create(instance, found, given->context, device);
    if (status == TRM_OK)
        *index = found;
    return status;
}

/* ---- streams --------------------------------------------------------------------------------- */

/* Drivers before CUDA 9.2 do not tell a stream's context, and none does for some streams of green
 * contexts. */
static int32_t check_stream(struct trm_backend_device *device, CUstream handle)
{
    CUcontext previous, context = NULL;

    if (device->cuda->cuStreamGetCtx == NULL)
        return TRM_OK;
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    CUresult result = device->cuda->cuStreamGetCtx(handle, &context);
    cuda_leave(device, previous);
    if (result == CUDA_ERROR_NOT_SUPPORTED)
        return TRM_OK;
    if (result != CUDA_SUCCESS)
        return cuda_is_sticky(result) ? cuda_device_fail(device, result, "cuStreamGetCtx")
                                      : fail_handle(device->instance, "CUstream", result, "cuStreamGetCtx");
    if (context == device->context)
        return TRM_OK;
    return trm_util_fail(device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                         "The CUstream belongs to another context than the device.");
}

int32_t cuda_stream_adopt(struct trm_backend_device *device, int32_t type, uint64_t native,
                          const struct trm_stream_desc *desc, struct trm_backend_stream **stream)
{
    CUstream handle = native == 0 ? CU_STREAM_LEGACY : cuda_native_stream(native);
    int32_t status  = cuda_device_check(device);

    if (status != TRM_OK)
        return status;
    if (type != TRM_NATIVE_CUDA_STREAM)
        return cuda_fail_handle_type(device->instance, type);
    if (handle == CU_STREAM_PER_THREAD)
        return trm_util_fail(
            device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
            "The per-thread default stream cannot be adopted, because each thread has its own.");
    /* The legacy stream has no handle of its own: it is that of the current context. */
    if (handle == CU_STREAM_LEGACY)
        __atomic_store_n(&device->needs_context, true, __ATOMIC_RELAXED);
    else
        status = check_stream(device, handle);
    if (status != TRM_OK)
        return status;
    return cuda_stream_create(device, desc, handle, true, stream);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* With the context entered. */
static CUresult ask(const struct trm_backend_device *device, void *value, CUpointer_attribute attribute,
                    CUdeviceptr address)
{
    return device->cuda->cuPointerGetAttribute(value, attribute, address);
}

static int32_t check_kind(struct trm_backend_device *device, CUdeviceptr address)
{
    CUmemorytype kind    = 0;
    int ordinal          = -1;
    unsigned int managed = 0;

    CUresult result = ask(device, &kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address);
    if (result == CUDA_SUCCESS)
        result = ask(device, &ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address);
    if (result != CUDA_SUCCESS)
        return cuda_is_sticky(result)
                   ? cuda_device_fail(device, result, "cuPointerGetAttribute")
                   : fail_handle(device->instance, "CUDA pointer", result, "cuPointerGetAttribute");
    if (ask(device, &managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address) == CUDA_SUCCESS && managed != 0)
        return TRM_OK;
    if (kind != CU_MEMORYTYPE_DEVICE)
        return trm_util_fail(device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                             "The address is in host memory: import it instead (TRM_MEMORY_IMPORTED).");
    if (ordinal == device->handle)
        return TRM_OK;
    return trm_util_fail(device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                         "The address is in the memory of another device (number %d).", ordinal);
}

/* Drivers before CUDA 10.2 do not tell the size. */
static int32_t check_size(struct trm_backend_device *device, CUdeviceptr address, uint64_t size)
{
    CUdeviceptr begin = 0;
    size_t whole      = 0;
    uint64_t left     = 0;

    if (ask(device, &begin, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address) != CUDA_SUCCESS ||
        ask(device, &whole, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address) != CUDA_SUCCESS)
        return TRM_OK;
    if (address >= begin && address - begin <= whole)
        left = whole - (address - begin);
    if (size <= left)
        return TRM_OK;
    return trm_util_fail(device->instance->host, TRM_ERROR_OUT_OF_RANGE, 0,
                         "The memory has %llu bytes from this address on, not %llu.",
                         (unsigned long long)left, (unsigned long long)size);
}

static int32_t check_memory(struct trm_backend_device *device, CUdeviceptr address, uint64_t size)
{
    CUcontext previous;

    if (address % ADDRESS_ALIGNMENT != 0)
        return trm_util_fail(device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
                             "The address is not a multiple of %u, as kernels may need.", ADDRESS_ALIGNMENT);
    int32_t status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    status = check_kind(device, address);
    if (status == TRM_OK)
        status = check_size(device, address, size);
    cuda_leave(device, previous);
    return status;
}

int32_t cuda_memory_adopt(struct trm_backend_device *device, int32_t type, uint64_t native, uint64_t offset,
                          uint64_t size, struct trm_backend_memory **memory)
{
    uint64_t end   = offset + size;
    int32_t status = cuda_device_check(device);

    if (status != TRM_OK)
        return status;
    if (type != TRM_NATIVE_CUDA_POINTER)
        return cuda_fail_handle_type(device->instance, type);
    if (native > UINT64_MAX - end)
        return trm_util_fail(device->instance->host, TRM_ERROR_OUT_OF_RANGE, 0,
                             "%llu bytes from this address on reach beyond the end of the address space.",
                             (unsigned long long)end);
    if (device->physical->integrated)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "%s is an integrated device, where the host cannot access all CUDA memory.",
                             device->physical->name);
    status = check_memory(device, native + offset, size);
    if (status != TRM_OK)
        return status;
    struct trm_backend_memory *made = cuda_memory_new(device);
    if (made == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a buffer");
    made->source  = CUDA_MEMORY_BORROWED;
    made->address = native + offset;
    made->size    = size;
    *memory       = made;
    return TRM_OK;
}
