/* cpu backend: memory. All kinds are plain memory of the host.
 *
 * Allocations of 64 KiB and more are mappings of their own, so that they return to the system when they are
 * freed. From 2 MiB on they are aligned to 2 MiB and ask for huge pages, whose first touch costs a third.
 * Smaller allocations come from the host's allocator.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/device/device.h"

#include <sys/mman.h>
#include <unistd.h>

#define HUGE_PAGE (2ull << 20)
#define LEAST_MAPPED (64ull << 10)

static int32_t fail_device_memory(struct trm_backend_instance *instance, uint64_t size)
{
    return trm_util_fail(
        instance->host, TRM_ERROR_OUT_OF_DEVICE_MEMORY, 0,
        "There is no memory for a buffer of %llu bytes: buffers have %llu bytes, and the "
        "machine or its control group has %llu.",
        (unsigned long long)size,
        (unsigned long long)atomic_load_explicit(&instance->mapped_bytes, memory_order_relaxed),
        (unsigned long long)instance->physical_bytes);
}

/* Counts `size` more bytes of mappings, unless the machine has no memory for all of them: the system would
 * map them, and kill the program when it touches them. */
static bool reserve(struct trm_backend_instance *instance, uint64_t size)
{
    uint64_t before = atomic_load_explicit(&instance->mapped_bytes, memory_order_relaxed);
    do {
        if (size > instance->physical_bytes || before > instance->physical_bytes - size)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&instance->mapped_bytes, &before, before + size,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void unreserve(struct trm_backend_instance *instance, uint64_t size)
{
    atomic_fetch_sub_explicit(&instance->mapped_bytes, size, memory_order_relaxed);
}

/* Map `alignment` bytes more than asked for, then unmap what lies outside of the aligned range. */
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

static int32_t map_memory(struct trm_backend_memory *memory, uint64_t alignment)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t size =
        memory->size <= UINT64_MAX - page ? (memory->size + page - 1) & ~(page - 1) : memory->size;
    bool is_huge = size >= HUGE_PAGE;
    alignment    = is_huge ? HUGE_PAGE : alignment > page ? alignment : page;
    if (!reserve(memory->instance, size))
        return fail_device_memory(memory->instance, memory->size);
    memory->data = map_aligned(size, alignment);
    if (memory->data == NULL) {
        unreserve(memory->instance, size);
        return fail_device_memory(memory->instance, memory->size);
    }
    if (is_huge)
        madvise(memory->data, size, MADV_HUGEPAGE); /* only a hint: without it the pages are small */
    memory->mapping = memory->data;
    memory->owned   = size;
    return TRM_OK;
}

static int32_t allocate_from_host(struct trm_backend_memory *memory, uint64_t alignment)
{
    const struct trm_host *host = memory->instance->host;
    alignment                   = alignment > CPU_LINE ? alignment : CPU_LINE;
    memory->data                = host->allocate(host->context, memory->size, alignment);
    if (memory->data == NULL)
        return fail_device_memory(memory->instance, memory->size);
    memory->owned = memory->size;
    return TRM_OK;
}

static int32_t allocate_pages(struct trm_backend_memory *memory, const struct trm_memory_desc *desc)
{
    if (desc->kind == TRM_MEMORY_IMPORTED) {
        memory->data = desc->host_pointer;
        return TRM_OK;
    }
    if (desc->size >= LEAST_MAPPED)
        return map_memory(memory, desc->alignment);
    return allocate_from_host(memory, desc->alignment);
}

static int32_t memory_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                               struct trm_backend_memory **result)
{
    struct trm_backend_instance *instance = device->instance;
    if (desc->kind < TRM_MEMORY_DEVICE || desc->kind > TRM_MEMORY_IMPORTED)
        return trm_util_fail(instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The cpu backend has no memory of kind %d.", desc->kind);
    struct trm_backend_memory *memory = cpu_allocate(instance, sizeof(*memory));
    if (memory == NULL)
        return trm_util_fail_host_memory(instance->host, "a buffer");
    *memory        = (struct trm_backend_memory){.instance = instance, .size = desc->size};
    int32_t status = allocate_pages(memory, desc);
    if (status != TRM_OK) {
        trm_util_release(instance->host, memory, sizeof(*memory));
        return status;
    }
    *result = memory;
    return TRM_OK;
}

static void memory_free(struct trm_backend_memory *memory)
{
    if (memory->mapping != NULL) {
        munmap(memory->mapping, memory->owned);
        unreserve(memory->instance, memory->owned);
    } else if (memory->owned != 0) {
        trm_util_release(memory->instance->host, memory->data, memory->owned);
    }
    trm_util_release(memory->instance->host, memory, sizeof(*memory));
}

static int32_t memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    *pointer = memory->data;
    return TRM_OK;
}

/* Kernels run in this process. */
static int32_t memory_address(struct trm_backend_memory *memory, uint64_t offset, uint64_t size,
                              uint64_t *address)
{
    struct trm_backend_instance *instance = memory->instance;
    int32_t status = cpu_live_add(instance->host, &instance->live, memory->data + offset, size);
    if (status == TRM_OK)
        *address = (uint64_t)(uintptr_t)(memory->data + offset);
    return status;
}

static void memory_forget_address(struct trm_backend_memory *memory, uint64_t address, uint64_t size)
{
    struct trm_backend_instance *instance = memory->instance;
    cpu_live_remove(instance->host, &instance->live, (const void *)(uintptr_t)address, size);
}

const struct trm_memory_ops cpu_memory_ops = {
    .struct_size    = sizeof(cpu_memory_ops),
    .allocate       = memory_allocate,
    .free           = memory_free,
    .host_pointer   = memory_host_pointer,
    .address        = memory_address,
    .forget_address = memory_forget_address,
};
