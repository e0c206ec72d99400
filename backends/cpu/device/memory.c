/* cpu backend: memory. All kinds are plain memory of the host.
 *
 * Pieces of 64 KiB and more are mappings of their own, so that they go back to the system when they are
 * freed; from 2 MiB on they lie at a multiple of that and ask for huge pages, whose first touch costs a
 * third. Smaller ones come from the host's allocator.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/device/device.h"

#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE (2ull << 20)
#define LEAST_MAPPED (64ull << 10)

static int32_t fail_device_memory(struct trm_backend_instance *instance, uint64_t size)
{
    return trm_util_fail(instance->host, TRM_ERROR_OUT_OF_DEVICE_MEMORY, 0,
                         "There is no memory for a buffer of %llu bytes.", (unsigned long long)size);
}

/* Map more than is asked for, and give back what does not lie between multiples of `alignment`. */
static uint8_t *map_aligned(uint64_t size, uint64_t alignment)
{
    uint64_t length = size + alignment;
    uint8_t *raw =
        mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED)
        return NULL;
    uint64_t front = -(uintptr_t)raw & (alignment - 1);
    if (front != 0)
        munmap(raw, front);
    if (length - front - size != 0)
        munmap(raw + front + size, length - front - size);
    return raw + front;
}

static int32_t map_pages(struct trm_backend_memory *memory, uint64_t alignment)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t size = (memory->size + page - 1) & ~(page - 1);
    bool huge     = size >= HUGE_PAGE;
    alignment     = huge ? HUGE_PAGE : alignment > page ? alignment : page;
    memory->data  = map_aligned(size, alignment);
    if (memory->data == NULL)
        return fail_device_memory(memory->instance, memory->size);
    if (huge)
        madvise(memory->data, size, MADV_HUGEPAGE); /* a wish; without it the pages are small */
    memory->mapping = memory->data;
    memory->mapped  = size;
    return TRM_OK;
}

static int32_t take_from_host(struct trm_backend_memory *memory, uint64_t alignment)
{
    const struct trm_host *host = memory->instance->host;
    alignment                   = alignment > CPU_LINE ? alignment : CPU_LINE;
    memory->data                = host->allocate(host->context, memory->size, alignment);
    if (memory->data == NULL)
        return fail_device_memory(memory->instance, memory->size);
    memory->mapped = memory->size;
    return TRM_OK;
}

/* The system would promise more than there is and end the program when it is touched; so that is
 * refused here. */
static int32_t find_pages(struct trm_backend_memory *memory, const struct trm_memory_desc *desc)
{
    if (desc->kind == TRM_MEMORY_IMPORTED) {
        memory->data = desc->host_pointer;
        return TRM_OK;
    }
    if (desc->size > memory->instance->physical_bytes)
        return fail_device_memory(memory->instance, desc->size);
    if (desc->size >= LEAST_MAPPED)
        return map_pages(memory, desc->alignment);
    return take_from_host(memory, desc->alignment);
}

static int32_t memory_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                               struct trm_backend_memory **result)
{
    struct trm_backend_instance *instance = device->instance;
    if (desc->kind < TRM_MEMORY_DEVICE || desc->kind > TRM_MEMORY_IMPORTED)
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "Memory of kind %d is not known to the cpu backend.", desc->kind);
    struct trm_backend_memory *memory = cpu_allocate(instance, sizeof(*memory));
    if (memory == NULL)
        return trm_util_fail_host_memory(instance->host, "a buffer");
    *memory        = (struct trm_backend_memory){.instance = instance, .size = desc->size};
    int32_t status = find_pages(memory, desc);
    if (status != TRM_OK) {
        trm_util_release(instance->host, memory, sizeof(*memory));
        return status;
    }
    *result = memory;
    return TRM_OK;
}

static void memory_free(struct trm_backend_memory *memory)
{
    if (memory->mapping != NULL)
        munmap(memory->mapping, memory->mapped);
    else if (memory->mapped != 0)
        trm_util_release(memory->instance->host, memory->data, memory->mapped);
    trm_util_release(memory->instance->host, memory, sizeof(*memory));
}

static int32_t memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    *pointer = memory->data;
    return TRM_OK;
}

const struct trm_memory_ops cpu_memory_ops = {
    .struct_size  = sizeof(cpu_memory_ops),
    .allocate     = memory_allocate,
    .free         = memory_free,
    .host_pointer = memory_host_pointer,
};
