/* cuda backend: memory that other processes open by CUDA's IPC handles, which are plain data.
 *
 * A handle names a whole allocation of cuMemAlloc(); trm_ipc_handle.offset says where adopted memory
 * begins in it. The driver cuts small allocations from blocks, and a process that opens a handle reaches
 * the whole block. So memory that is made here fills its blocks.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "memory.h"

/* The size of those blocks: CUDA C++ Programming Guide, "Interprocess Communication". */
#define BLOCK (UINT64_C(2) << 20)

/* The alignment of the largest types of kernels. */
#define ALIGNMENT 16u

_Static_assert(sizeof(CUipcMemHandle) == TRM_IPC_HANDLE_BYTES, "a handle goes through as it is");

static int32_t check_able(struct trm_backend_device *device)
{
    int32_t status = cuda_device_check(device);

    if (status != TRM_OK || device->physical->opens_handles)
        return status;
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "%s cannot share memory by IPC handles: %s.", device->physical->name,
                         device->physical->integrated ? "it is an integrated device"
                                                      : "the device or its driver does not support them");
}

static int32_t fail_memory(struct trm_backend_device *device, const char *what)
{
    return trm_util_fail(device->instance->host, TRM_ERROR_OUT_OF_DEVICE_MEMORY, CUDA_ERROR_OUT_OF_MEMORY,
                         "%s has no memory left for %s.", device->physical->name, what);
}

/* ---- creating memory ------------------------------------------------------------------------- */

/* With the context entered. */
static int32_t allocate(struct trm_backend_memory *memory, const void *what)
{
    struct trm_backend_device *device = memory->device;
    uint64_t size                     = *(const uint64_t *)what;

    if (size > UINT64_MAX - (BLOCK - 1))
        return fail_memory(device, "so large a buffer");
    CUresult result = device->cuda->cuMemAlloc(&memory->address, (size + BLOCK - 1) / BLOCK * BLOCK);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        return fail_memory(device, "a buffer with a handle");
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuMemAlloc");
    memory->source = CUDA_MEMORY_PLAIN;
    memory->size   = size;
    return TRM_OK;
}

/* ---- exporting handles; with the context entered --------------------------------------------- */

/* Drivers before CUDA 11 do not answer this query; then cuIpcGetMemHandle() finds out. */
static bool is_capable(const struct trm_backend_memory *memory)
{
    uint32_t answer = 1;

    return memory->device->cuda->cuPointerGetAttribute(
               &answer, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, memory->address) != CUDA_SUCCESS ||
           answer != 0;
}

static int32_t fail_kind(const struct trm_backend_memory *memory, CUresult result)
{
    return trm_util_fail(memory->device->instance->host, TRM_ERROR_UNSUPPORTED, result,
                         "This memory has no IPC handle: only memory of this process's "
                         "cuMemAlloc() and cudaMalloc() has one, and not managed memory, pools "
                         "and mappings.");
}

static int32_t get_handle(struct trm_backend_memory *memory, struct trm_ipc_handle *handle)
{
    struct trm_backend_device *device = memory->device;
    CUdeviceptr begin                 = 0;
    CUipcMemHandle native;

    if (!is_capable(memory))
        return fail_kind(memory, CUDA_SUCCESS);
    CUresult result = device->cuda->cuMemGetAddressRange(&begin, NULL, memory->address);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuMemGetAddressRange");
    result = device->cuda->cuIpcGetMemHandle(&native, begin);
    if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_INVALID_HANDLE)
        return fail_kind(memory, result);
    if (result == CUDA_ERROR_UNKNOWN)
        return trm_util_fail(
            device->instance->host, TRM_ERROR_UNSUPPORTED, result,
            "The driver of %s gives this memory no IPC handle: cuIpcGetMemHandle answered %s.",
            device->physical->name, cuda_result_name(device->instance, result));
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuIpcGetMemHandle");
    memcpy(handle->bytes, &native, sizeof(native));
    handle->offset = memory->address - begin;
    return TRM_OK;
}

/* ---- opening handles; with the context entered ----------------------------------------------- */

/* The handle comes from another process: an error in it does not mean that the device is lost. */
static int32_t fail_open(struct trm_backend_device *device, CUresult result)
{
    const struct trm_backend_instance *instance = device->instance;

    switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY:
        return fail_memory(device, "another process's memory");
    case CUDA_ERROR_INVALID_CONTEXT:
        return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, result,
                             "The IPC handle comes from this process itself, where CUDA cannot open it, or "
                             "another context of this process has opened handles of that device.");
    case CUDA_ERROR_ALREADY_MAPPED:
        return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, result,
                             "Another IPC handle of the same memory is open in this process already.");
    case CUDA_ERROR_INVALID_VALUE:
    case CUDA_ERROR_INVALID_HANDLE:
    case CUDA_ERROR_INVALID_DEVICE:
    case CUDA_ERROR_MAP_FAILED:
    case CUDA_ERROR_UNKNOWN:
        return trm_util_fail(instance->host, TRM_ERROR_INVALID_ARGUMENT, result,
                             "The IPC handle cannot be opened: it is not valid, or its memory or "
                             "its process is gone (cuIpcOpenMemHandle answered %s).",
                             cuda_result_name(instance, result));
    default:
        return cuda_device_fail(device, result, "cuIpcOpenMemHandle");
    }
}

/* Check that the opened allocation is as large as the handle says. */
static int32_t check_room(struct trm_backend_device *device, CUdeviceptr opened,
                          const struct trm_ipc_handle *handle)
{
    CUdeviceptr begin = 0;
    size_t whole      = 0;

    CUresult result = device->cuda->cuMemGetAddressRange(&begin, &whole, opened);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuMemGetAddressRange");
    uint64_t room = whole - (opened - begin);
    if (handle->offset > room || handle->size > room - handle->offset)
        return trm_util_fail(device->instance->host, TRM_ERROR_OUT_OF_RANGE, 0,
                             "The IPC handle's memory has %llu bytes, not %llu from offset %llu on.",
                             (unsigned long long)room, (unsigned long long)handle->size,
                             (unsigned long long)handle->offset);
    return TRM_OK;
}

static int32_t open_handle(struct trm_backend_memory *memory, const void *what)
{
    const struct trm_ipc_handle *handle = what;
    struct trm_backend_device *device   = memory->device;
    CUdeviceptr opened                  = 0;
    CUipcMemHandle native;

    memcpy(&native, handle->bytes, sizeof(native));
    CUresult result = device->cuda->cuIpcOpenMemHandle(&opened, native, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
    if (result != CUDA_SUCCESS)
        return fail_open(device, result);
    int32_t status = check_room(device, opened, handle);
    if (status != TRM_OK) {
        (void)device->cuda->cuIpcCloseMemHandle(opened);
        return status;
    }
    memory->source  = CUDA_MEMORY_OPENED;
    memory->skipped = handle->offset;
    memory->address = opened + handle->offset;
    memory->size    = handle->size;
    return TRM_OK;
}

void cuda_ipc_close(struct trm_backend_memory *memory)
{
    CUcontext previous;

    if (cuda_enter(memory->device, &previous) != TRM_OK)
        return; /* the context is gone, and what it had opened with it */
    (void)memory->device->cuda->cuIpcCloseMemHandle(memory->address - memory->skipped);
    cuda_leave(memory->device, previous);
}

/* ---- for the table --------------------------------------------------------------------------- */

int32_t cuda_ipc_create(struct trm_backend_device *device, uint64_t size, struct trm_backend_memory **memory)
{
    int32_t status = check_able(device);

    return status != TRM_OK ? status : cuda_memory_create(device, allocate, &size, memory);
}

int32_t cuda_ipc_export(struct trm_backend_memory *memory, struct trm_ipc_handle *handle)
{
    struct trm_backend_device *device = memory->device;
    CUcontext previous;

    int32_t status = check_able(device);
    if (status != TRM_OK)
        return status;
    if (memory->source != CUDA_MEMORY_PLAIN && memory->source != CUDA_MEMORY_BORROWED)
        return fail_kind(memory, CUDA_SUCCESS);
    status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    status = get_handle(memory, handle);
    cuda_leave(device, previous);
    return status;
}

int32_t cuda_ipc_open(struct trm_backend_device *device, const struct trm_ipc_handle *handle,
                      struct trm_backend_memory **memory)
{
    int32_t status = check_able(device);

    if (status != TRM_OK)
        return status;
    if (handle->offset % ALIGNMENT != 0)
        return trm_util_fail(
            device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
            "The offset %llu of the IPC handle is not a multiple of %u, as kernels may need.",
            (unsigned long long)handle->offset, ALIGNMENT);
    return cuda_memory_create(device, open_handle, handle, memory);
}
