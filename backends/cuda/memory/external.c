/* cuda backend: memory that is shared with other processes and interfaces by file descriptors.
 *
 * Memory that can be exported comes from cuMemCreate() and is mapped; CUDA in another process and Vulkan
 * can import it. A descriptor that is imported may stand for such memory, or for memory of Vulkan
 * (cuImportExternalMemory()). It does not say which, so the backend tries the first and then the second.
 * SPDX-License-Identifier: MIT
 */
#include <unistd.h>

#include "memory.h"

static int32_t fail_unable(const struct trm_backend_device *device)
{
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "%s cannot share memory by file descriptors: %s.", device->physical->name,
                         device->physical->integrated
                             ? "it is an integrated device"
                             : "the device or its driver lacks virtual memory with such handles");
}

/* Memory of an integrated device would also need an address for the host. */
static bool can_share(const struct trm_backend_device *device)
{
    return !device->physical->integrated && device->physical->shares_memory;
}

static bool can_import_others(const struct trm_backend_device *device)
{
    const struct cuda_functions *cuda = device->cuda;

    return !device->physical->integrated && cuda->cuImportExternalMemory != NULL &&
           cuda->cuExternalMemoryGetMappedBuffer != NULL && cuda->cuDestroyExternalMemory != NULL;
}

static int32_t fail_size(struct trm_backend_device *device, CUresult result, const char *call, uint64_t size)
{
    if (result != CUDA_ERROR_OUT_OF_MEMORY)
        return cuda_device_fail(device, result, call);
    return trm_util_fail(device->instance->host, TRM_ERROR_OUT_OF_DEVICE_MEMORY, result,
                         "%s has no %llu bytes of memory left.", device->physical->name,
                         (unsigned long long)size);
}

/* ---- mapped memory; with the context entered ------------------------------------------------- */

static CUmemAllocationProp properties_of(const struct trm_backend_device *device)
{
    return (CUmemAllocationProp){
        .type                 = CU_MEM_ALLOCATION_TYPE_PINNED,
        .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
        .location             = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->handle},
    };
}

static int32_t round_up(struct trm_backend_device *device, uint64_t size, uint64_t *whole)
{
    CUmemAllocationProp properties = properties_of(device);
    size_t grain                   = 0;

    CUresult result =
        device->cuda->cuMemGetAllocationGranularity(&grain, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuMemGetAllocationGranularity");
    if (grain == 0 || size > UINT64_MAX - (grain - 1))
        return fail_size(device, CUDA_ERROR_OUT_OF_MEMORY, "", size);
    *whole = (size + grain - 1) / grain * grain;
    return TRM_OK;
}

static CUresult map_at(const struct trm_backend_device *device, CUdeviceptr address, uint64_t size,
                       CUmemGenericAllocationHandle handle, const char **call)
{
    CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->handle},
                              .flags    = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

    *call           = "cuMemMap";
    CUresult result = device->cuda->cuMemMap(address, size, 0, handle, 0);
    if (result != CUDA_SUCCESS)
        return result;
    *call  = "cuMemSetAccess";
    result = device->cuda->cuMemSetAccess(address, size, &access, 1);
    if (result != CUDA_SUCCESS)
        (void)device->cuda->cuMemUnmap(address, size);
    return result;
}

/* Map a handle, which belongs to the memory from then on. `call` names what failed. */
static CUresult map(struct trm_backend_memory *memory, CUmemGenericAllocationHandle handle, uint64_t size,
                    const char **call)
{
    struct trm_backend_device *device = memory->device;
    CUdeviceptr address               = 0;

    *call           = "cuMemAddressReserve";
    CUresult result = device->cuda->cuMemAddressReserve(&address, size, 0, 0, 0);
    if (result != CUDA_SUCCESS)
        return result;
    result = map_at(device, address, size, handle, call);
    if (result != CUDA_SUCCESS) {
        (void)device->cuda->cuMemAddressFree(address, size);
        return result;
    }
    memory->source  = CUDA_MEMORY_VIRTUAL;
    memory->handle  = handle;
    memory->address = address;
    memory->size    = size;
    return CUDA_SUCCESS;
}

static int32_t create(struct trm_backend_memory *memory, const void *what)
{
    uint64_t size                       = *(const uint64_t *)what;
    struct trm_backend_device *device   = memory->device;
    CUmemAllocationProp properties      = properties_of(device);
    CUmemGenericAllocationHandle handle = 0;
    uint64_t whole                      = 0;

    int32_t status = round_up(device, size, &whole);
    if (status != TRM_OK)
        return status;
    const char *call = "cuMemCreate";
    CUresult result  = device->cuda->cuMemCreate(&handle, whole, &properties, 0);
    if (result == CUDA_SUCCESS) {
        result = map(memory, handle, whole, &call);
        if (result != CUDA_SUCCESS)
            (void)device->cuda->cuMemRelease(handle);
    }
    if (result != CUDA_SUCCESS)
        return fail_size(device, result, call, whole);
    memory->exportable = true;
    return TRM_OK;
}

/* ---- importing; with the context entered ----------------------------------------------------- */

/* The descriptor stays the caller's. Any failure may mean that the memory is not CUDA's. */
static CUresult import_cuda(struct trm_backend_memory *memory, int fd, uint64_t size)
{
    const struct cuda_functions *cuda   = memory->device->cuda;
    CUmemGenericAllocationHandle handle = 0;
    const char *call;

    /* CUDA takes the descriptor as a pointer. */
    CUresult result = cuda->cuMemImportFromShareableHandle(
        &handle, (void *)(intptr_t)fd, // NOLINT(performance-no-int-to-ptr)
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (result != CUDA_SUCCESS)
        return result;
    result = map(memory, handle, size, &call);
    if (result != CUDA_SUCCESS)
        (void)cuda->cuMemRelease(handle);
    return result;
}

/* The descriptor is given to the driver, or closed. */
static CUresult import_foreign(struct trm_backend_memory *memory, int fd, uint64_t size)
{
    const struct cuda_functions *cuda     = memory->device->cuda;
    CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {
        .type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD, .handle.fd = fd, .size = size};
    CUDA_EXTERNAL_MEMORY_BUFFER_DESC all_of_it = {.offset = 0, .size = size};
    CUexternalMemory external                  = NULL;
    CUdeviceptr address                        = 0;

    CUresult result = cuda->cuImportExternalMemory(&external, &desc);
    if (result != CUDA_SUCCESS) {
        close(fd);
        return result;
    }
    result = cuda->cuExternalMemoryGetMappedBuffer(&address, external, &all_of_it);
    if (result != CUDA_SUCCESS) {
        (void)cuda->cuDestroyExternalMemory(external);
        return result;
    }
    memory->source   = CUDA_MEMORY_EXTERNAL;
    memory->external = external;
    memory->address  = address;
    memory->size     = size;
    return CUDA_SUCCESS;
}

static int32_t fail_import(struct trm_backend_device *device, CUresult ours, CUresult others)
{
    if (cuda_import_is_fatal(ours) || cuda_import_is_fatal(others))
        return cuda_device_fail(device, cuda_import_is_fatal(ours) ? ours : others, "importing memory");
    if (ours == CUDA_ERROR_OUT_OF_MEMORY || others == CUDA_ERROR_OUT_OF_MEMORY)
        return trm_util_fail(device->instance->host, TRM_ERROR_OUT_OF_DEVICE_MEMORY, CUDA_ERROR_OUT_OF_MEMORY,
                             "%s has no memory left to import memory.", device->physical->name);
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, others,
                         "%s cannot import this memory: cuMemImportFromShareableHandle answered "
                         "%s, cuImportExternalMemory answered %s.",
                         device->physical->name, cuda_result_name(device->instance, ours),
                         cuda_result_name(device->instance, others));
}

struct given {
    int32_t fd;
    uint64_t size;
};

static int32_t import(struct trm_backend_memory *memory, const void *what)
{
    const struct given *given         = what;
    struct trm_backend_device *device = memory->device;
    CUresult ours = CUDA_ERROR_NOT_SUPPORTED, others = CUDA_ERROR_NOT_SUPPORTED;
    uint64_t whole = 0;
    int copy       = -1;

    int32_t status = cuda_fd_duplicate(device, given->fd, &copy);
    if (status == TRM_OK && can_share(device))
        status = round_up(device, given->size, &whole);
    if (status != TRM_OK)
        goto close_copy;
    if (can_share(device))
        ours = import_cuda(memory, copy, whole);
    if (ours == CUDA_SUCCESS || cuda_import_is_fatal(ours) || !can_import_others(device)) {
        status = ours == CUDA_SUCCESS ? TRM_OK : fail_import(device, ours, others);
        goto close_copy;
    }
    others = import_foreign(memory, copy, given->size);
    return others == CUDA_SUCCESS ? TRM_OK : fail_import(device, ours, others);

close_copy:
    if (copy >= 0)
        close(copy);
    return status;
}

/* ---- freeing --------------------------------------------------------------------------------- */

void cuda_external_free(struct trm_backend_memory *memory)
{
    struct trm_backend_device *device = memory->device;
    const struct cuda_functions *cuda = device->cuda;
    CUcontext previous;

    if (memory->source == CUDA_MEMORY_BORROWED)
        return;
    if (cuda_enter(device, &previous) != TRM_OK)
        return; /* the context is gone, and the memory with it */
    if (memory->source == CUDA_MEMORY_VIRTUAL) {
        (void)cuda->cuMemUnmap(memory->address, memory->size);
        (void)cuda->cuMemAddressFree(memory->address, memory->size);
        (void)cuda->cuMemRelease(memory->handle);
    } else if (memory->source == CUDA_MEMORY_EXTERNAL) {
        (void)cuda->cuMemFree(memory->address);
        (void)cuda->cuDestroyExternalMemory(memory->external);
    }
    cuda_leave(device, previous);
}

/* ---- for the table --------------------------------------------------------------------------- */

int32_t cuda_memory_create_exportable(struct trm_backend_device *device, uint64_t size,
                                      struct trm_backend_memory **memory)
{
    int32_t status = cuda_device_check(device);

    if (status != TRM_OK)
        return status;
    return can_share(device) ? cuda_memory_create(device, create, &size, memory) : fail_unable(device);
}

int32_t cuda_memory_export(struct trm_backend_memory *memory, int32_t type, int32_t *fd, uint64_t *size)
{
    struct trm_backend_device *device = memory->device;
    CUcontext previous;
    int descriptor = -1;

    if (type != TRM_HANDLE_OPAQUE_FD)
        return cuda_fail_handle_type(device->instance, type);
    if (memory->source != CUDA_MEMORY_VIRTUAL || !memory->exportable)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "This memory cannot be exported: it was not created to be exported.");
    int32_t status = cuda_device_check(device);
    if (status == TRM_OK)
        status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    CUresult result = device->cuda->cuMemExportToShareableHandle(&descriptor, memory->handle,
                                                                 CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    cuda_leave(device, previous);
    if (result != CUDA_SUCCESS)
        return cuda_device_fail(device, result, "cuMemExportToShareableHandle");
    *fd   = descriptor;
    *size = memory->size;
    return TRM_OK;
}

int32_t cuda_memory_import(struct trm_backend_device *device, int32_t type, int32_t fd, uint64_t size,
                           struct trm_backend_memory **memory)
{
    const struct given given = {fd, size};
    int32_t status           = cuda_device_check(device);

    if (status != TRM_OK)
        return status;
    if (type != TRM_HANDLE_OPAQUE_FD)
        return cuda_fail_handle_type(device->instance, type);
    if (!can_share(device) && !can_import_others(device))
        return fail_unable(device);
    status = cuda_memory_create(device, import, &given, memory);
    if (status == TRM_OK)
        close(fd);
    return status;
}
