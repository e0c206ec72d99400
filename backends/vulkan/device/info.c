/* vulkan backend: answers get_info() about devices, open or not.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/device/device.h"

#include <stdio.h>
#include <string.h>

#define LEAST_ALIGNMENT 4u /* fills and push constants work in words */

const struct vulkan_physical *vulkan_find_physical(const struct trm_backend_instance *instance,
                                                   uint32_t index)
{
    if (index < instance->physical_count)
        return &instance->physicals[index];
    trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0,
                  "There is no Vulkan device number %u, only %u devices.", index, instance->physical_count);
    return NULL;
}

/* ---- memory ------------------------------------------------------------------------------------- */

/* The largest device-local heap; without one, the largest heap. */
static uint32_t find_heap(const VkPhysicalDeviceMemoryProperties *memory)
{
    uint32_t found = 0;
    for (uint32_t i = 1; i < memory->memoryHeapCount; i++) {
        bool is_local  = (memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
        bool was_local = (memory->memoryHeaps[found].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0;
        bool is_larger = memory->memoryHeaps[i].size > memory->memoryHeaps[found].size;
        if ((is_local && !was_local) || (is_local == was_local && is_larger))
            found = i;
    }
    return found;
}

static uint64_t total_bytes(const struct vulkan_physical *physical)
{
    return physical->memory.memoryHeaps[find_heap(&physical->memory)].size;
}

/* What this process may still allocate; false if the driver does not report it. */
static bool free_bytes(const struct trm_backend_instance *instance, const struct vulkan_physical *physical,
                       uint64_t *bytes)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
    uint32_t heap = find_heap(&physical->memory);
    if (!physical->has.memory_budget)
        return false;
    instance->vk.vkGetPhysicalDeviceMemoryProperties2(physical->handle, &memory);
    *bytes = budget.heapBudget[heap] > budget.heapUsage[heap]
                 ? budget.heapBudget[heap] - budget.heapUsage[heap]
                 : 0;
    return true;
}

static uint64_t largest_buffer(const struct vulkan_physical *physical)
{
    uint64_t bytes = total_bytes(physical);
    bytes          = physical->max_allocation_bytes < bytes ? physical->max_allocation_bytes : bytes;
    return physical->max_buffer_bytes < bytes ? physical->max_buffer_bytes : bytes;
}

/* ---- numbers ------------------------------------------------------------------------------------ */

/* How many queues copy while kernels run on another. */
static uint64_t copy_engines(const struct vulkan_physical *physical)
{
    struct vulkan_queue_plan plan;
    vulkan_queues_plan(physical, &plan);
    if (physical->copies_by_kernel && plan.info_count != 0)
        return plan.infos[0].queueCount > 2 ? 2 : plan.infos[0].queueCount - 1;
    if (plan.info_count > 1)
        return plan.infos[1].queueCount;
    return plan.info_count == 1 && plan.infos[0].queueCount > 1 ? 1 : 0;
}

/* How many queues run kernels. */
static uint64_t kernel_queues(const struct vulkan_physical *physical)
{
    struct vulkan_queue_plan plan;
    vulkan_queues_plan(physical, &plan);
    return plan.info_count != 0 ? plan.infos[0].queueCount : 0;
}

/* How many priorities the queues that run kernels have. */
static uint64_t queue_priorities(const struct vulkan_physical *physical)
{
    struct vulkan_queue_plan plan;
    uint64_t found = 0;
    vulkan_queues_plan(physical, &plan);
    for (uint32_t i = 0; plan.info_count != 0 && i < plan.infos[0].queueCount; i++) {
        bool is_new = true;
        for (uint32_t k = 0; k < i; k++)
            is_new = is_new && plan.priorities[0][k] != plan.priorities[0][i];
        found += is_new;
    }
    return found;
}

/* Of the device's clock; false if its timestamps cannot be converted to host time. */
static bool timestamp_hertz(const struct vulkan_physical *physical, uint64_t *hertz)
{
    float period = physical->properties.limits.timestampPeriod;
    if (!physical->has.calibrated_timestamps || period <= 0.0f)
        return false;
    *hertz = (uint64_t)(1e9 / (double)period + 0.5);
    return true;
}

static bool find_limit(const struct vulkan_physical *physical, uint32_t key, uint64_t *number)
{
    const VkPhysicalDeviceLimits *limits = &physical->properties.limits;
    switch (key) {
    case TRM_DEVICE_MAX_GROUP_ITEMS:
        *number = limits->maxComputeWorkGroupInvocations;
        return true;
    case TRM_DEVICE_MAX_SHARED_BYTES:
        *number = limits->maxComputeSharedMemorySize;
        return true;
    case TRM_DEVICE_MAX_BUFFER_BYTES:
        *number = largest_buffer(physical);
        return true;
    case TRM_DEVICE_MAX_ARGUMENTS:
        *number = limits->maxPerStageDescriptorStorageBuffers < VULKAN_MAX_ARGUMENTS
                      ? limits->maxPerStageDescriptorStorageBuffers
                      : VULKAN_MAX_ARGUMENTS;
        return true;
    case TRM_DEVICE_BUFFER_ALIGNMENT:
        *number = limits->minStorageBufferOffsetAlignment > LEAST_ALIGNMENT
                      ? limits->minStorageBufferOffsetAlignment
                      : LEAST_ALIGNMENT;
        return true;
    default:
        return false;
    }
}

/* Returns false for keys without a number. */
static bool find_number(const struct trm_backend_instance *instance, const struct vulkan_physical *physical,
                        uint32_t key, uint64_t *number)
{
    switch (key) {
    case TRM_DEVICE_KIND:
        *number = (uint64_t)physical->kind;
        return true;
    case TRM_DEVICE_MEMORY_TOTAL:
        *number = total_bytes(physical);
        return true;
    case TRM_DEVICE_MEMORY_FREE:
        return free_bytes(instance, physical, number);
    case TRM_DEVICE_UNIFIED:
        *number = physical->unified ? 1 : 0;
        return true;
    case TRM_DEVICE_UNITS:
        *number = physical->units;
        return true;
    case TRM_DEVICE_MAX_KERNELS:
    case TRM_DEVICE_QUEUES:
        *number = kernel_queues(physical);
        return *number != 0;
    case TRM_DEVICE_PRIORITIES:
        *number = queue_priorities(physical);
        return *number != 0;
    case TRM_DEVICE_COPY_ENGINES:
        *number = copy_engines(physical);
        return true;
    case TRM_DEVICE_SUBGROUP_SIZE:
        *number = physical->subgroup.subgroupSize;
        return *number != 0;
    case TRM_DEVICE_TIMESTAMP_HZ:
        return timestamp_hertz(physical, number);
    case TRM_DEVICE_MAPPED: /* kernels see all memory as storage buffers */
        *number = 1;
        return true;
    case TRM_DEVICE_SYNCHRONOUS:
        *number = 0;
        return true;
    case TRM_DEVICE_ADDRESSES:
        *number = physical->features.device_address.bufferDeviceAddress ? 1 : 0;
        return true;
    default:
        return find_limit(physical, key, number);
    }
}

/* ---- get_info() --------------------------------------------------------------------------------- */

static int32_t give_three(const struct trm_backend_instance *instance, const uint32_t numbers[3], void *value,
                          uint64_t capacity, uint64_t *needed)
{
    uint64_t three[3] = {numbers[0], numbers[1], numbers[2]};
    return trm_util_answer(instance->host, three, sizeof(three), value, capacity, needed);
}

/* "NVIDIA 570.133.20, Vulkan 1.4.303" */
static int32_t give_driver(const struct trm_backend_instance *instance,
                           const struct vulkan_physical *physical, void *value, uint64_t capacity,
                           uint64_t *needed)
{
    char text[sizeof(physical->driver) + 48];
    uint32_t version = physical->properties.apiVersion;
    snprintf(text, sizeof(text), "%s, Vulkan %u.%u.%u", physical->driver, VK_API_VERSION_MAJOR(version),
             VK_API_VERSION_MINOR(version), VK_API_VERSION_PATCH(version));
    return trm_util_answer(instance->host, text, strlen(text) + 1, value, capacity, needed);
}

int32_t vulkan_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                               void *value, uint64_t capacity, uint64_t *needed)
{
    const struct vulkan_physical *physical = vulkan_find_physical(instance, index);
    uint64_t number;
    if (physical == NULL)
        return TRM_ERROR_NOT_FOUND;
    const char *name                     = physical->properties.deviceName;
    const VkPhysicalDeviceLimits *limits = &physical->properties.limits;
    if (key == TRM_DEVICE_NAME)
        return trm_util_answer(instance->host, name, strlen(name) + 1, value, capacity, needed);
    if (key == TRM_DEVICE_DRIVER)
        return give_driver(instance, physical, value, capacity, needed);
    if (key == TRM_DEVICE_UUID)
        return trm_util_answer(instance->host, physical->uuid, sizeof(physical->uuid), value, capacity,
                               needed);
    if (key == TRM_DEVICE_PCI && physical->pci[0] != '\0')
        return trm_util_answer(instance->host, physical->pci, strlen(physical->pci) + 1, value, capacity,
                               needed);
    if (key == TRM_DEVICE_MAX_GROUPS)
        return give_three(instance, limits->maxComputeWorkGroupCount, value, capacity, needed);
    if (key == TRM_DEVICE_MAX_GROUP_SIZE)
        return give_three(instance, limits->maxComputeWorkGroupSize, value, capacity, needed);
    if (find_number(instance, physical, key, &number))
        return trm_util_answer(instance->host, &number, sizeof(number), value, capacity, needed);
    return trm_util_fail(instance->host, TRM_ERROR_NOT_FOUND, 0,
                         "The driver of the device %s does not report fact number %u.", name, key);
}
