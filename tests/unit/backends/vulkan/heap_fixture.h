/* The vulkan backend's heap over a fake driver that counts, has as much memory as a test says, and can refuse
 * any call.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_BACKENDS_VULKAN_HEAP_FIXTURE_H
#define TESTS_UNIT_BACKENDS_VULKAN_HEAP_FIXTURE_H

#include "backends/vulkan/memory/heap_internal.h"

#include "tests/check.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define LOCAL VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define SHARED (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define CACHED VK_MEMORY_PROPERTY_HOST_CACHED_BIT

/* ---- the driver ---- */

struct fake_memory {
    uint64_t size;
    uint32_t heap;
    unsigned char *bytes;
};

static struct {
    struct trm_host host;
    struct vulkan_physical physical;
    struct trm_backend_instance instance;
    struct trm_backend_device device;
    long bytes;                          /* of host memory */
    long buffers, memories, allocations; /* alive; alive; in total */
    uint64_t used[VK_MAX_MEMORY_HEAPS];  /* bytes */
    /* Bytes of heap 0 that other processes use, which reduce the budget. */
    uint64_t others;
    uint64_t skew;                     /* offset of mappings from a multiple of 2 MiB */
    _Atomic uint64_t calls, refuse_at; /* the call that is refused; 0: none */
    VkResult refusal;                  /* the result of the refused call */
    int32_t status;                    /* of the last failure */
    uint32_t failures;                 /* number of explained failures */
    char sentence[512];
} fake;

static int refuses(void)
{
    return atomic_fetch_add(&fake.calls, 1) + 1 == atomic_load(&fake.refuse_at);
}

static void *host_allocate(void *context, uint64_t size, uint64_t alignment)
{
    void *memory = NULL;
    (void)context;
    if (refuses() || posix_memalign(&memory, alignment, size) != 0)
        return NULL;
    __atomic_fetch_add(&fake.bytes, (long)size, __ATOMIC_RELAXED);
    return memory;
}

static void host_release(void *context, void *memory, uint64_t size)
{
    (void)context;
    if (memory != NULL)
        __atomic_fetch_sub(&fake.bytes, (long)size, __ATOMIC_RELAXED);
    free(memory);
}

static void host_log(void *context, int32_t level, const char *message)
{
    (void)context, (void)level, (void)message;
}

static int32_t host_fail(void *context, int32_t status, int64_t native, const char *sentence)
{
    (void)context, (void)native;
    fake.status = status;
    fake.failures++;
    snprintf(fake.sentence, sizeof(fake.sentence), "%s", sentence);
    return status;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo *info,
                                                    const VkAllocationCallbacks *callbacks, VkBuffer *buffer)
{
    (void)device, (void)callbacks;
    if (refuses())
        return fake.refusal;
    fake.buffers++;
    *buffer = (VkBuffer)(uintptr_t)info->size;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice device, VkBuffer buffer,
                                                 const VkAllocationCallbacks *callbacks)
{
    (void)device, (void)buffer, (void)callbacks;
    fake.buffers--;
}

static VKAPI_ATTR void VKAPI_CALL requirements(VkDevice device, VkBuffer buffer,
                                               VkMemoryRequirements *required)
{
    (void)device;
    required->size           = ((uint64_t)(uintptr_t)buffer + 255) & ~UINT64_C(255);
    required->alignment      = 256;
    required->memoryTypeBits = (1u << fake.physical.memory.memoryTypeCount) - 1;
}

static VKAPI_ATTR VkResult VKAPI_CALL allocate_memory(VkDevice device, const VkMemoryAllocateInfo *info,
                                                      const VkAllocationCallbacks *callbacks,
                                                      VkDeviceMemory *memory)
{
    uint32_t heap = fake.physical.memory.memoryTypes[info->memoryTypeIndex].heapIndex;
    (void)device, (void)callbacks;
    if (refuses())
        return fake.refusal;
    if (info->allocationSize > fake.physical.memory.memoryHeaps[heap].size - fake.used[heap])
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct fake_memory *made = calloc(1, sizeof(*made));
    made->size               = info->allocationSize;
    made->heap               = heap;
    fake.used[heap] += made->size;
    fake.memories++;
    fake.allocations++;
    *memory = (VkDeviceMemory)(uintptr_t)made;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
                                              const VkAllocationCallbacks *callbacks)
{
    struct fake_memory *gone = (struct fake_memory *)(uintptr_t)memory;
    (void)device, (void)callbacks;
    fake.used[gone->heap] -= gone->size;
    fake.memories--;
    free(gone->bytes);
    free(gone);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_memory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                  VkDeviceSize offset)
{
    (void)device, (void)buffer, (void)memory, (void)offset;
    return refuses() ? fake.refusal : VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                                 VkDeviceSize size, VkMemoryMapFlags flags, void **mapped)
{
    struct fake_memory *found = (struct fake_memory *)(uintptr_t)memory;
    void *bytes               = NULL;
    (void)device, (void)offset, (void)size, (void)flags;
    if (refuses())
        return fake.refusal;
    if (posix_memalign(&bytes, 2 * MIB, found->size + fake.skew) != 0)
        return VK_ERROR_MEMORY_MAP_FAILED;
    found->bytes = bytes;
    *mapped      = found->bytes + fake.skew;
    return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL budget(VkPhysicalDevice device,
                                         VkPhysicalDeviceMemoryProperties2 *properties)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT *answer = properties->pNext;
    (void)device;
    for (uint32_t i = 0; i < fake.physical.memory.memoryHeapCount; i++) {
        answer->heapBudget[i] = fake.physical.memory.memoryHeaps[i].size - (i == 0 ? fake.others : 0);
        answer->heapUsage[i]  = fake.used[i];
    }
}

/* ---- the device ---- */

static void add_type(VkMemoryPropertyFlags flags, uint32_t heap)
{
    VkPhysicalDeviceMemoryProperties *memory       = &fake.physical.memory;
    memory->memoryTypes[memory->memoryTypeCount++] = (VkMemoryType){flags, heap};
}

static void add_heap(uint64_t size)
{
    VkPhysicalDeviceMemoryProperties *memory       = &fake.physical.memory;
    memory->memoryHeaps[memory->memoryHeapCount++] = (VkMemoryHeap){size, 0};
}

/* Device memory, host memory, and a window that both reach. */
static void make_discrete(void)
{
    add_heap(1024 * MIB);
    add_heap(512 * MIB);
    add_heap(256 * MIB);
    add_type(0, 1);
    add_type(LOCAL, 0);
    add_type(SHARED, 1);
    add_type(SHARED | CACHED, 1);
    add_type(LOCAL | SHARED, 2);
    add_type(LOCAL | SHARED | CACHED | VK_MEMORY_PROPERTY_PROTECTED_BIT, 0);
}

static void make_unified(void)
{
    add_heap(1024 * MIB);
    add_type(LOCAL, 0);
    add_type(LOCAL | SHARED, 0);
    add_type(LOCAL | SHARED | CACHED, 0);
    fake.physical.unified = true;
}

/* So that pieces of 9 MiB get blocks of their own. */
static void make_small(void)
{
    add_heap(128 * MIB);
    add_type(LOCAL | SHARED | CACHED, 0);
    fake.physical.unified = true;
}

static void begin(void (*make)(void))
{
    memset(&fake, 0, sizeof(fake));
    fake.refusal       = VK_ERROR_OUT_OF_HOST_MEMORY;
    fake.host          = (struct trm_host){.struct_size = sizeof(fake.host),
                                           .allocate    = host_allocate,
                                           .release     = host_release,
                                           .log         = host_log,
                                           .fail        = host_fail};
    fake.instance.host = &fake.host;
    fake.instance.vk.vkGetPhysicalDeviceMemoryProperties2           = budget;
    fake.physical.max_allocation_bytes                              = 1024 * MIB;
    fake.physical.max_buffer_bytes                                  = 1024 * MIB;
    fake.physical.properties.limits.maxMemoryAllocationCount        = 4096;
    fake.physical.properties.limits.minStorageBufferOffsetAlignment = 64;
    fake.device.instance                                            = &fake.instance;
    fake.device.physical                                            = &fake.physical;
    fake.device.vk.vkCreateBuffer                                   = create_buffer;
    fake.device.vk.vkDestroyBuffer                                  = destroy_buffer;
    fake.device.vk.vkGetBufferMemoryRequirements                    = requirements;
    fake.device.vk.vkAllocateMemory                                 = allocate_memory;
    fake.device.vk.vkFreeMemory                                     = free_memory;
    fake.device.vk.vkBindBufferMemory                               = bind_memory;
    fake.device.vk.vkMapMemory                                      = map_memory;
    pthread_mutex_init(&fake.device.streams_lock, NULL);
    pthread_mutex_init(&fake.device.stall_lock, NULL);
    make();
}

static void open_heap(void (*make)(void))
{
    begin(make);
    ck_assert_int_eq(vulkan_heap_create(&fake.device, &fake.device.heap), TRM_OK);
}

static void close_heap(void)
{
    vulkan_heap_destroy(fake.device.heap);
    fake.device.heap = NULL;
    ck_assert_int_eq(fake.buffers, 0);
    ck_assert_int_eq(fake.memories, 0);
    ck_assert_int_eq(fake.bytes, 0);
}

static struct trm_backend_memory *allocate(int32_t kind, uint64_t size, uint64_t alignment)
{
    struct trm_backend_memory *memory = NULL;
    ck_assert_int_eq(vulkan_heap_allocate(fake.device.heap, kind, size, alignment, &memory), TRM_OK);
    ck_assert_uint_ge(memory->size, size);
    ck_assert_int_eq(memory->kind, kind);
    return memory;
}

static void ck_refused(int32_t kind, uint64_t size, int32_t status)
{
    struct trm_backend_memory *memory = NULL;
    uint32_t failures                 = fake.failures;
    ck_assert_int_eq(vulkan_heap_allocate(fake.device.heap, kind, size, 256, &memory), status);
    ck_assert_ptr_null(memory);
    ck_assert_uint_eq(fake.failures, failures + 1);
    ck_assert_int_eq(fake.status, status);
}

static uint32_t type_of(const struct trm_backend_memory *memory)
{
    return memory->block->type;
}

#endif
