/* Memory of devices and of the host.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/standin/standin.h"

static void *pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

void memory_end_span(struct span *span)
{
    switch (span->kind) {
    case SPAN_DEVICE:
        device_memory_unmap(span->device, span->address, span->mapped);
        if (span->is_file)
            close(span->file);
        break;
    case SPAN_POOL:
        pool_give_back(span);
        return;
    case SPAN_PINNED:
    case SPAN_MANAGED:
        munmap(pointer_of(span->address), span->mapped);
        break;
    case SPAN_EXTERNAL:
        munmap(pointer_of(span->address), span->mapped);
        break;
    case SPAN_MAPPED:
        mapping_end(span);
        break;
    case SPAN_OPENED:
        ipc_end(span);
        break;
    case SPAN_REGISTERED:
        break;
    }
    span_remove(span);
}

/* Memory that the host reaches, full of rubbish. */
static CUresult map_host(struct context *context, uint64_t size, enum span_kind kind, uint64_t *address)
{
    uint64_t bytes = (size + 4095) / 4096 * 4096;
    void *place    = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (place == MAP_FAILED)
        return CUDA_ERROR_OUT_OF_MEMORY;
    memset(place, STANDIN_GARBAGE, bytes < STANDIN_GARBAGE_BYTES ? bytes : STANDIN_GARBAGE_BYTES);
    struct span span = {.address = (uint64_t)(uintptr_t)place,
                        .size    = size,
                        .kind    = kind,
                        .context = context,
                        .device  = kind == SPAN_MANAGED ? context->device : NULL,
                        .mapped  = bytes};
    if (!span_add(&span, NULL)) {
        munmap(place, bytes);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *address = span.address;
    return CUDA_SUCCESS;
}

/* ---- of a device */

CUresult CUDAAPI cuMemGetInfo_v2(size_t *free, size_t *total)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuMemGetInfo_v2, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (free == NULL || total == NULL)
        return leave(CUDA_ERROR_INVALID_VALUE);
    *total = standin_config.memory;
    *free  = *total - context->device->used;
    return leave(CUDA_SUCCESS);
}

CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuMemAlloc_v2, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (dptr == NULL || bytesize == 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct span span = {.size = bytesize, .kind = SPAN_DEVICE, .context = context, .device = context->device};
    span.address     = device_memory_map(context->device, bytesize, &span.mapped);
    if (span.address == 0)
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    if (!span_add(&span, NULL)) {
        device_memory_unmap(context->device, span.address, span.mapped);
        return leave(CUDA_ERROR_OUT_OF_MEMORY);
    }
    *dptr = span.address;
    return leave(CUDA_SUCCESS);
}

/* Ends a span that begins there, when what was given to the context is done; what sticks to the context. */
static CUresult end_span_at(uint64_t address, uint32_t kinds, const char *call)
{
    struct span *span = span_at(address);

    if (span == NULL || (kinds >> span->kind & 1) == 0) {
        standin_breach("%s of what was not allocated so", call);
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct context *context = span->context;
    context_drain(context);
    if (span_at(address) != span)
        return CUDA_ERROR_INVALID_VALUE;
    memory_end_span(span);
    return context->sticky;
}

CUresult CUDAAPI cuMemFree_v2(CUdeviceptr dptr)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuMemFree_v2, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct span *span = span_at(dptr);
    if (span != NULL && span->kind == SPAN_POOL) {
        context_drain(context);
        pool_give_back(span);
        return leave(context->sticky);
    }
    return leave(
        end_span_at(dptr, 1u << SPAN_DEVICE | 1u << SPAN_MANAGED | 1u << SPAN_EXTERNAL, "cuMemFree"));
}

CUresult CUDAAPI cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuMemGetAddressRange_v2, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct span *span = span_find(dptr, 1);
    if (span == NULL)
        return leave(CUDA_ERROR_NOT_FOUND);
    if (pbase != NULL)
        *pbase = span->address;
    if (psize != NULL)
        *psize = span->size;
    return leave(CUDA_SUCCESS);
}

/* ---- of the host */

CUresult CUDAAPI cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    struct context *context;
    uint64_t address;
    CUresult result = enter_working(STANDIN_cuMemHostAlloc, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (pp == NULL || bytesize == 0 || Flags > 7)
        return leave(CUDA_ERROR_INVALID_VALUE);
    result = map_host(context, bytesize, SPAN_PINNED, &address);
    if (result == CUDA_SUCCESS)
        *pp = pointer_of(address);
    return leave(result);
}

CUresult CUDAAPI cuMemFreeHost(void *p)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuMemFreeHost, &context);

    if (result != CUDA_SUCCESS)
        return result;
    return leave(end_span_at((uint64_t)(uintptr_t)p, 1u << SPAN_PINNED, "cuMemFreeHost"));
}

CUresult CUDAAPI cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuMemHostGetDevicePointer_v2, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct span *span = span_find((uint64_t)(uintptr_t)p, 1);
    if (pdptr == NULL || Flags != 0 || span == NULL ||
        (span->kind != SPAN_PINNED && span->kind != SPAN_REGISTERED))
        return leave(CUDA_ERROR_INVALID_VALUE);
    *pdptr = (CUdeviceptr)(uintptr_t)p;
    return leave(CUDA_SUCCESS);
}

/* Are all pages there, and may they be written where they must? */
static bool are_mapped(uint64_t first, uint64_t end, bool must_write)
{
    unsigned long long from, to;
    char line[512], rights[5];
    FILE *maps = fopen("/proc/self/maps", "re");

    if (maps == NULL)
        return false;
    while (first < end && fgets(line, sizeof(line), maps) != NULL)
        if (sscanf(line, "%llx-%llx %4s", &from, &to, rights) == 3 && from <= first && first < to &&
            rights[0] == 'r' && (rights[1] == 'w' || !must_write))
            first = to;
    fclose(maps);
    return first >= end;
}

CUresult CUDAAPI cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuMemHostRegister_v2, &context);

    if (result != CUDA_SUCCESS)
        return result;
    uint64_t address = (uint64_t)(uintptr_t)p;
    if (p == NULL || bytesize == 0 || Flags > 15)
        return leave(CUDA_ERROR_INVALID_VALUE);
    const struct span *other = span_overlapping(address, bytesize);
    if (other != NULL)
        return leave(other->kind == SPAN_REGISTERED ? CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED
                                                    : CUDA_ERROR_INVALID_VALUE);
    if (!are_mapped(address / 4096 * 4096, address + bytesize, (Flags & CU_MEMHOSTREGISTER_READ_ONLY) == 0))
        return leave(CUDA_ERROR_INVALID_VALUE);
    struct span span = {.address = address, .size = bytesize, .kind = SPAN_REGISTERED, .context = context};
    return leave(span_add(&span, NULL) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY);
}

CUresult CUDAAPI cuMemHostUnregister(void *p)
{
    struct context *context;
    CUresult result = enter_current(STANDIN_cuMemHostUnregister, &context);

    if (result != CUDA_SUCCESS)
        return result;
    struct span *span = span_at((uint64_t)(uintptr_t)p);
    if (span == NULL || span->kind != SPAN_REGISTERED)
        return leave(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
    return leave(end_span_at(span->address, 1u << SPAN_REGISTERED, "cuMemHostUnregister"));
}

/* ---- managed */

CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *dptr, size_t bytesize, unsigned int flags)
{
    struct context *context;
    CUresult result = enter_working(STANDIN_cuMemAllocManaged, &context);

    if (result != CUDA_SUCCESS)
        return result;
    if (!standin_config.managed)
        return leave(CUDA_ERROR_NOT_SUPPORTED);
    if (dptr == NULL || bytesize == 0 || (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST))
        return leave(CUDA_ERROR_INVALID_VALUE);
    uint64_t address;
    result = map_host(context, bytesize, SPAN_MANAGED, &address);
    if (result == CUDA_SUCCESS)
        *dptr = address;
    return leave(result);
}

CUresult CUDAAPI cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location,
                                       unsigned int flags, CUstream hStream)
{
    struct context *context;
    struct stream *stream;
    CUresult result = enter_stream(STANDIN_cuMemPrefetchAsync_v2, hStream, &context, &stream);

    if (result != CUDA_SUCCESS)
        return result;
    struct span *span = span_find(devPtr, count);
    if (span == NULL || span->kind != SPAN_MANAGED || count == 0 || flags != 0)
        return leave(CUDA_ERROR_INVALID_VALUE);
    if (location.type == CU_MEM_LOCATION_TYPE_DEVICE && device_of(location.id) == NULL)
        return leave(CUDA_ERROR_INVALID_DEVICE);
    return leave(CUDA_SUCCESS);
}
