/* Memory and addresses that are made apart from each other.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/standin/standin.h"

#define GRANULARITY (UINT64_C(2) << 20)

struct memory_handle {
    struct object object;
    struct device *device;
    int file;
    uint64_t size;
    uint32_t references; /* the handle's, and of mappings */
    bool is_imported;
};

struct reservation {
    uint64_t address, size;
    struct reservation *next;
};

static struct reservation *reservations;
static uint64_t reserved;

static void *pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

static void handle_drop(struct memory_handle *handle)
{
    if (--handle->references != 0)
        return;
    close(handle->file);
    if (!handle->is_imported)
        handle->device->used -= handle->size;
    free(handle);
}

/* Takes the file. */
static struct memory_handle *handle_create(struct device *device, int file, uint64_t size, bool is_imported)
{
    struct memory_handle *handle = calloc(1, sizeof(*handle));

    if (handle == NULL) {
        close(file);
        return NULL;
    }
    object_begin(&handle->object, OBJECT_MEMORY_HANDLE, NULL);
    handle->device      = device;
    handle->file        = file;
    handle->size        = size;
    handle->references  = 1;
    handle->is_imported = is_imported;
    return handle;
}

static bool is_usable(const CUmemAllocationProp *prop)
{
    return prop != NULL && prop->type == CU_MEM_ALLOCATION_TYPE_PINNED &&
           prop->location.type == CU_MEM_LOCATION_TYPE_DEVICE && device_of(prop->location.id) != NULL &&
           (prop->requestedHandleTypes == CU_MEM_HANDLE_TYPE_NONE ||
            prop->requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
}

CUresult CUDAAPI cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                               CUmemAllocationGranularity_flags option)
{
    CUresult result = enter(STANDIN_cuMemGetAllocationGranularity);

    if (result != CUDA_SUCCESS)
        return result;
    if (granularity == NULL || !is_usable(prop) || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *granularity = GRANULARITY;
    return leave(CUDA_SUCCESS);
}

/* ---- memory */

CUresult CUDAAPI cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
                             const CUmemAllocationProp *prop, unsigned long long flags)
{
    CUresult result = enter(STANDIN_cuMemCreate);

    if (result != CUDA_SUCCESS)
        return result;
    if (handle == NULL || size == 0 || size % GRANULARITY != 0 || !is_usable(prop) || flags != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct device *device = device_of(prop->location.id);
    if (device->used > standin_config.memory || size > standin_config.memory - device->used)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    int file = memfd_create("cuda-stand-in-memory", MFD_CLOEXEC);
    if (file < 0)
        return leave(CUDA_ERROR_OPERATING_SYSTEM);
    if (ftruncate(file, (off_t)size) != 0) {
        close(file);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    struct memory_handle *made = handle_create(device, file, size, false);
    if (made == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    device->used += size;
    *handle = made->object.handle;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemRelease(CUmemGenericAllocationHandle handle)
{
    CUresult result = enter(STANDIN_cuMemRelease);

    if (result != CUDA_SUCCESS)
        return result;
    struct memory_handle *found = object_find(OBJECT_MEMORY_HANDLE, pointer_of(handle));
    if (found == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    object_end(&found->object);
    handle_drop(found);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
    CUresult result = enter(STANDIN_cuMemRetainAllocationHandle);

    if (result != CUDA_SUCCESS)
        return result;
    const struct span *span = span_find((uint64_t)(uintptr_t)addr, 1);
    if (handle == NULL || span == NULL || span->kind != SPAN_MAPPED)
        return leave(CUDA_ERROR_INVALID_VALUE);
    const struct memory_handle *owner = (const struct memory_handle *)span->owner;
    struct memory_handle *made        = handle_create(owner->device, dup(owner->file), owner->size, true);
    if (made == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    *handle = made->object.handle;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
                                              CUmemAllocationHandleType handleType, unsigned long long flags)
{
    CUresult result = enter(STANDIN_cuMemExportToShareableHandle);

    if (result != CUDA_SUCCESS)
        return result;
    struct memory_handle *found = object_find(OBJECT_MEMORY_HANDLE, pointer_of(handle));
    if (found == NULL || shareableHandle == NULL || flags != 0 ||
        handleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
        return leave(CUDA_ERROR_INVALID_VALUE);
    int file = dup(found->file);
    if (file < 0)
        return leave(CUDA_ERROR_OPERATING_SYSTEM);
    *(int *)shareableHandle = file;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
                                                CUmemAllocationHandleType shHandleType)
{
    struct stat about;
    CUresult result = enter(STANDIN_cuMemImportFromShareableHandle);

    if (result != CUDA_SUCCESS)
        return result;
    int file = (int)(intptr_t)osHandle;
    if (handle == NULL || shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
        fstat(file, &about) != 0 || about.st_size == 0 || (uint64_t)about.st_size % GRANULARITY != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    int copy = dup(file);
    struct memory_handle *made =
        copy < 0 ? NULL : handle_create(device_of(0), copy, (uint64_t)about.st_size, true);
    if (made == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    *handle = made->object.handle;
    return leave(CUDA_SUCCESS);
}

/* ---- addresses */

uint64_t reservation_count(void)
{
    return reserved;
}

/* The link to the one that has all of it. */
static struct reservation **find_reservation(uint64_t address, uint64_t size)
{
    struct reservation **link = &reservations;

    while (*link != NULL && (address < (*link)->address || size > (*link)->size ||
                             address - (*link)->address > (*link)->size - size))
        link = &(*link)->next;
    return link;
}

CUresult CUDAAPI cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
                                     unsigned long long flags)
{
    CUresult result = enter(STANDIN_cuMemAddressReserve);

    (void)addr; /* a wish */
    if (result != CUDA_SUCCESS)
        return result;
    if (ptr == NULL || size == 0 || size % GRANULARITY != 0 || (alignment & (alignment - 1)) != 0 ||
        flags != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct reservation *reservation = calloc(1, sizeof(*reservation));
    if (reservation == NULL)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    reservation->address =
        arena_reserve(device_of(0), size, alignment > GRANULARITY ? alignment : GRANULARITY);
    if (reservation->address == 0) {
        free(reservation);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    reservation->size = size;
    reservation->next = reservations;
    reservations      = reservation;
    reserved++;
    *ptr = reservation->address;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
    CUresult result = enter(STANDIN_cuMemAddressFree);

    if (result != CUDA_SUCCESS)
        return result;
    struct reservation **link       = find_reservation(ptr, size);
    struct reservation *reservation = *link;
    if (reservation == NULL || reservation->address != ptr || reservation->size != size)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (span_overlapping(ptr, size) != NULL) {
        standin_breach("addresses were freed behind which memory is mapped");
        return leave(CUDA_ERROR_INVALID_VALUE);
    }
    arena_release(device_of(0), ptr);
    *link = reservation->next;
    free(reservation);
    reserved--;
    return leave(CUDA_SUCCESS);
}

/* ---- memory behind addresses */

CUresult CUDAAPI cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                          unsigned long long flags)
{
    CUresult result = enter(STANDIN_cuMemMap);

    if (result != CUDA_SUCCESS)
        return result;
    struct memory_handle *found = object_find(OBJECT_MEMORY_HANDLE, pointer_of(handle));
    if (found == NULL || size == 0 || size % GRANULARITY != 0 || offset != 0 || size > found->size ||
        flags != 0 || *find_reservation(ptr, size) == NULL || span_overlapping(ptr, size) != NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct span span = {.address = ptr,
                        .size    = size,
                        .kind    = SPAN_MAPPED,
                        .device  = found->device,
                        .mapped  = size,
                        .owner   = &found->object};
    if (mmap(pointer_of(ptr), size, PROT_NONE, MAP_SHARED | MAP_FIXED, found->file, 0) == MAP_FAILED)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    if (!span_add(&span, NULL))
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    found->references++;
    return leave(CUDA_SUCCESS);
}

void mapping_end(struct span *span)
{
    (void)mmap(pointer_of(span->address), span->size, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    handle_drop((struct memory_handle *)span->owner);
}

CUresult CUDAAPI cuMemUnmap(CUdeviceptr ptr, size_t size)
{
    CUresult result = enter(STANDIN_cuMemUnmap);

    if (result != CUDA_SUCCESS)
        return result;
    struct span *span = span_at(ptr);
    if (span == NULL || span->kind != SPAN_MAPPED || span->size != size)
        return leave(CUDA_ERROR_INVALID_VALUE);
    memory_end_span(span);
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
    CUresult result = enter(STANDIN_cuMemSetAccess);

    if (result != CUDA_SUCCESS)
        return result;
    struct span *span = span_at(ptr);
    if (span == NULL || span->kind != SPAN_MAPPED || span->size != size || desc == NULL || count == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    int protection = PROT_NONE;
    for (size_t i = 0; i < count; i++) {
        if (desc[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE && device_of(desc[i].location.id) == NULL)
            return leave(CUDA_ERROR_INVALID_DEVICE);
        if (desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
            protection = PROT_READ | PROT_WRITE;
        else if (desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ && protection == PROT_NONE)
            protection = PROT_READ;
    }
    if (mprotect(pointer_of(ptr), size, protection) != 0)
        return leave(CUDA_ERROR_OPERATING_SYSTEM);
    span->is_reachable = protection != PROT_NONE;
    return leave(CUDA_SUCCESS);
}
