/* vulkan backend: finds the usable physical devices.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "backends/vulkan/driver/instance.h"
#include "backends/vulkan/driver/physical_internal.h"

/* ---- one device --------------------------------------------------------------------------------- */

static bool is_unified(const VkPhysicalDeviceMemoryProperties *memory)
{
    const VkMemoryPropertyFlags all =
        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < memory->memoryHeapCount; i++) {
        if ((memory->memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 &&
            memory->memoryHeaps[i].size > largest)
            largest = memory->memoryHeaps[i].size;
    }
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        if ((memory->memoryTypes[i].propertyFlags & all) == all &&
            memory->memoryHeaps[memory->memoryTypes[i].heapIndex].size == largest)
            return true;
    }
    return false;
}

static bool can_export_timelines(const struct trm_backend_instance *instance,
                                 const struct vulkan_physical *physical)
{
    VkSemaphoreTypeCreateInfo type = {
        .sType         = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };

    VkPhysicalDeviceExternalSemaphoreInfo info = {
        .sType      = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .pNext      = &type,
        .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT};
    VkExternalSemaphoreProperties properties = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES};
    if (!physical->has.external_semaphore_fd ||
        instance->vk.vkGetPhysicalDeviceExternalSemaphoreProperties == NULL)
        return false;
    instance->vk.vkGetPhysicalDeviceExternalSemaphoreProperties(physical->handle, &info, &properties);
    return (properties.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) != 0;
}

static void find_families(const struct trm_backend_instance *instance, struct vulkan_physical *physical)
{
    uint32_t *count = &physical->family_count;
    instance->vk.vkGetPhysicalDeviceQueueFamilyProperties(physical->handle, count, NULL);
    *count = *count < VULKAN_FAMILIES_MOST ? *count : VULKAN_FAMILIES_MOST;
    instance->vk.vkGetPhysicalDeviceQueueFamilyProperties(physical->handle, count, physical->families);
}

static int32_t list_extensions(const struct trm_backend_instance *instance, VkPhysicalDevice handle,
                               struct vulkan_extension_list *offered, VkResult *result)
{
    *offered = (struct vulkan_extension_list){0};
    *result  = instance->vk.vkEnumerateDeviceExtensionProperties(handle, NULL, &offered->count, NULL);
    if (*result < 0 || offered->count == 0)
        return vulkan_status(*result);
    offered->size = offered->count * sizeof(*offered->list);
    offered->list = trm_util_allocate(instance->host, offered->size);
    if (offered->list == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    *result = instance->vk.vkEnumerateDeviceExtensionProperties(handle, NULL, &offered->count, offered->list);
    return vulkan_status(*result);
}

/* Why a device is not usable; NULL if it is. */
static const char *find_fault(const struct vulkan_physical *physical)
{
    bool computes = false;
    for (uint32_t i = 0; i < physical->family_count; i++)
        computes = computes || (physical->families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
    if (!computes)
        return "it has no compute queue";
    if (!physical->features.timeline.timelineSemaphore)
        return "it has no timeline semaphores";
    return NULL;
}

/* Fills in `physical`, whose handle is set. TRM_OK with `why` set: the device is not usable. */
static int32_t look_at(const struct trm_backend_instance *instance, struct vulkan_physical *physical,
                       const char **why)
{
    const uint32_t most = instance->version;
    struct vulkan_extension_list offered;
    VkResult result;
    *why = NULL;
    instance->vk.vkGetPhysicalDeviceProperties(physical->handle, &physical->properties);
    physical->version = physical->properties.apiVersion < most ? physical->properties.apiVersion : most;
    if (physical->version < VK_API_VERSION_1_1) {
        *why = "it supports only Vulkan 1.0, and 1.1 is needed";
        return TRM_OK;
    }
    int32_t status = list_extensions(instance, physical->handle, &offered, &result);
    if (status == TRM_OK) {
        vulkan_physical_find_features(instance, physical, &offered);
        vulkan_physical_find_properties(instance, physical, &offered);
        physical->timeline_fd = can_export_timelines(instance, physical);
        instance->vk.vkGetPhysicalDeviceMemoryProperties(physical->handle, &physical->memory);
        find_families(instance, physical);
        physical->unified = is_unified(&physical->memory);
        *why              = find_fault(physical);
    } else if (status != TRM_ERROR_OUT_OF_HOST_MEMORY) {
        *why   = vulkan_result_name(result);
        status = TRM_OK;
    }
    if (offered.list != NULL)
        trm_util_release(instance->host, offered.list, offered.size);
    return status;
}

/* ---- all devices -------------------------------------------------------------------------------- */

struct handles {
    VkPhysicalDevice *list;
    uint32_t count, room;
};

static int32_t list_handles(const struct trm_backend_instance *instance, struct handles *handles,
                            char *reason)
{
    *handles        = (struct handles){0};
    VkResult result = instance->vk.vkEnumeratePhysicalDevices(instance->handle, &handles->count, NULL);
    if (result >= 0 && handles->count != 0) {
        handles->room = handles->count;
        handles->list = trm_util_allocate(instance->host, handles->room * sizeof(*handles->list));
        result =
            handles->list == NULL
                ? VK_ERROR_OUT_OF_HOST_MEMORY
                : instance->vk.vkEnumeratePhysicalDevices(instance->handle, &handles->count, handles->list);
    }
    if (result < 0) {
        snprintf(reason, VULKAN_REASON_BYTES, "vkEnumeratePhysicalDevices failed: %s",
                 vulkan_result_name(result));
        return vulkan_status(result);
    }
    if (handles->count == 0) {
        snprintf(reason, VULKAN_REASON_BYTES, "the Vulkan loader found no device");
        return TRM_ERROR_UNSUPPORTED;
    }
    return TRM_OK;
}

static void note_unfit(const struct trm_backend_instance *instance, const struct vulkan_physical *physical,
                       const char *why, char *reason)
{
    char line[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE + 128];
    size_t length = strlen(reason);
    snprintf(line, sizeof(line), "vulkan: the device %s is left out: %s", physical->properties.deviceName,
             why);
    instance->host->log(instance->host->context, TRM_LOG_INFO, line);
    snprintf(reason + length, VULKAN_REASON_BYTES - length, "%s%s: %s",
             length == 0 ? "no Vulkan device is usable: " : "; ", physical->properties.deviceName, why);
}

/* Moves software devices behind the others; otherwise the order stays. */
static void sort_physicals(struct trm_backend_instance *instance)
{
    for (uint32_t i = 1; i < instance->physical_count; i++) {
        struct vulkan_physical physical = instance->physicals[i];
        uint32_t place                  = i;
        if (physical.kind == TRM_DEVICE_SOFTWARE)
            continue;
        for (; place > 0 && instance->physicals[place - 1].kind == TRM_DEVICE_SOFTWARE; place--)
            instance->physicals[place] = instance->physicals[place - 1];
        instance->physicals[place] = physical;
    }
}

static int32_t look_at_all(struct trm_backend_instance *instance, const struct handles *handles, char *reason)
{
    reason[0] = '\0';
    for (uint32_t i = 0; i < handles->count; i++) {
        struct vulkan_physical *physical = &instance->physicals[instance->physical_count];
        const char *why;
        memset(physical, 0, sizeof(*physical));
        physical->handle = handles->list[i];
        int32_t status   = look_at(instance, physical, &why);
        if (status != TRM_OK) {
            snprintf(reason, VULKAN_REASON_BYTES, "no host memory to query a device");
            return status;
        }
        if (why != NULL)
            note_unfit(instance, physical, why, reason);
        else
            instance->physical_count++;
    }
    sort_physicals(instance);
    return instance->physical_count != 0 ? TRM_OK : TRM_ERROR_UNSUPPORTED;
}

int32_t vulkan_physicals_find(struct trm_backend_instance *instance, char *reason)
{
    struct handles handles;
    int32_t status = list_handles(instance, &handles, reason);
    if (status == TRM_OK) {
        instance->physicals = trm_util_allocate(instance->host, handles.count * sizeof(*instance->physicals));
        instance->physical_capacity = handles.count;
        if (instance->physicals == NULL) {
            snprintf(reason, VULKAN_REASON_BYTES, "no host memory for the list of devices");
            status = TRM_ERROR_OUT_OF_HOST_MEMORY;
        } else {
            status = look_at_all(instance, &handles, reason);
        }
    }
    if (handles.list != NULL)
        trm_util_release(instance->host, handles.list, handles.room * sizeof(*handles.list));
    if (status != TRM_OK)
        vulkan_physicals_release(instance);
    return status;
}

void vulkan_physicals_release(struct trm_backend_instance *instance)
{
    if (instance->physicals != NULL)
        trm_util_release(instance->host, instance->physicals,
                         instance->physical_capacity * sizeof(*instance->physicals));
    instance->physicals      = NULL;
    instance->physical_count = 0;
}
