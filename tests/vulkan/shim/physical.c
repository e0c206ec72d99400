/* What physical devices report.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "shim.h"

static void lower(uint32_t *value, uint64_t limit)
{
    if (limit && *value > limit)
        *value = (uint32_t)limit;
}

static void lower_size(VkDeviceSize *value, uint64_t limit)
{
    if (limit && *value > limit)
        *value = limit;
}

static void change_properties(VkPhysicalDeviceProperties *properties)
{
    const struct shim_limits *limits = &shim_config.limits;
    lower(&properties->apiVersion, shim_config.api);
    lower(&properties->limits.maxStorageBufferRange, limits->maxStorageBufferRange);
    lower(&properties->limits.maxPushConstantsSize, limits->maxPushConstantsSize);
    lower(&properties->limits.maxMemoryAllocationCount, limits->maxMemoryAllocationCount);
    lower(&properties->limits.maxComputeSharedMemorySize, limits->maxComputeSharedMemorySize);
    if (shim_config.memory != SHIM_MEMORY_REAL)
        properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetPhysicalDeviceProperties(VkPhysicalDevice physical,
                                                              VkPhysicalDeviceProperties *properties)
{
    (void)shim_call(SHIM_vkGetPhysicalDeviceProperties);
    shim_real.vkGetPhysicalDeviceProperties(physical, properties);
    change_properties(properties);
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetPhysicalDeviceProperties2(VkPhysicalDevice physical,
                                                               VkPhysicalDeviceProperties2 *properties)
{
    (void)shim_call(SHIM_vkGetPhysicalDeviceProperties2);
    shim_real.vkGetPhysicalDeviceProperties2(physical, properties);
    change_properties(&properties->properties);
    for (VkBaseOutStructure *each = properties->pNext; each; each = each->pNext) {
        if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR)
            lower(&((VkPhysicalDevicePushDescriptorPropertiesKHR *)each)->maxPushDescriptors,
                  shim_config.limits.maxPushDescriptors);
        if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES)
            lower_size(&((VkPhysicalDeviceMaintenance3Properties *)each)->maxMemoryAllocationSize,
                       shim_config.limits.maxMemoryAllocationSize);
        if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES && shim_config.driver != 0)
            ((VkPhysicalDeviceDriverProperties *)each)->driverID = (VkDriverId)shim_config.driver;
    }
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetPhysicalDeviceFeatures2(VkPhysicalDevice physical,
                                                             VkPhysicalDeviceFeatures2 *features)
{
    (void)shim_call(SHIM_vkGetPhysicalDeviceFeatures2);
    shim_real.vkGetPhysicalDeviceFeatures2(physical, features);
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetPhysicalDeviceMemoryProperties(
    VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties *properties)
{
    (void)shim_call(SHIM_vkGetPhysicalDeviceMemoryProperties);
    shim_real.vkGetPhysicalDeviceMemoryProperties(physical, properties);
    shim_memory_properties(properties);
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetPhysicalDeviceMemoryProperties2(
    VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2 *properties)
{
    (void)shim_call(SHIM_vkGetPhysicalDeviceMemoryProperties2);
    shim_real.vkGetPhysicalDeviceMemoryProperties2(physical, properties);
    shim_memory_properties(&properties->memoryProperties);
    for (VkBaseOutStructure *each = properties->pNext; each; each = each->pNext)
        if (each->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT)
            shim_memory_budget((VkPhysicalDeviceMemoryBudgetPropertiesEXT *)each);
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physical,
                                                                         uint32_t *count,
                                                                         VkQueueFamilyProperties *properties)
{
    (void)shim_call(SHIM_vkGetPhysicalDeviceQueueFamilyProperties);
    if (shim_config.family_count == 0) {
        shim_real.vkGetPhysicalDeviceQueueFamilyProperties(physical, count, properties);
        return;
    }
    uint32_t given = shim_config.family_count;
    if (properties && *count < given)
        given = *count;
    *count = given;
    for (uint32_t i = 0; properties && i < given; i++) {
        const struct shim_family *family = &shim_config.families[i];
        properties[i]                    = (VkQueueFamilyProperties){
                               .queueFlags                  = family->flags,
                               .queueCount                  = family->queues,
                               .timestampValidBits          = family->timestamp_bits,
                               .minImageTransferGranularity = {1, 1, 1},
        };
    }
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetPhysicalDeviceFormatProperties(VkPhysicalDevice physical,
                                                                    VkFormat format,
                                                                    VkFormatProperties *properties)
{
    (void)shim_call(SHIM_vkGetPhysicalDeviceFormatProperties);
    shim_real.vkGetPhysicalDeviceFormatProperties(physical, format, properties);
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetPhysicalDeviceFormatProperties2(VkPhysicalDevice physical,
                                                                     VkFormat format,
                                                                     VkFormatProperties2 *properties)
{
    (void)shim_call(SHIM_vkGetPhysicalDeviceFormatProperties2);
    shim_real.vkGetPhysicalDeviceFormatProperties2(physical, format, properties);
    for (VkBaseOutStructure *each = properties->pNext; each && shim_config.compares; each = each->pNext)
        if (each->sType == VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3 && format == VK_FORMAT_R32_SFLOAT)
            ((VkFormatProperties3 *)each)->optimalTilingFeatures |=
                VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkGetPhysicalDeviceImageFormatProperties(
    VkPhysicalDevice physical, VkFormat format, VkImageType type, VkImageTiling tiling,
    VkImageUsageFlags usage, VkImageCreateFlags flags, VkImageFormatProperties *properties)
{
    VkResult result = shim_call(SHIM_vkGetPhysicalDeviceImageFormatProperties);
    if (result != VK_SUCCESS)
        return result;
    return shim_real.vkGetPhysicalDeviceImageFormatProperties(physical, format, type, tiling, usage, flags,
                                                              properties);
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalBufferInfo *info,
    VkExternalBufferProperties *properties)
{
    (void)shim_call(SHIM_vkGetPhysicalDeviceExternalBufferProperties);
    shim_real.vkGetPhysicalDeviceExternalBufferProperties(physical, info, properties);
}

VKAPI_ATTR void VKAPI_CALL shim_vkGetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice physical, const VkPhysicalDeviceExternalSemaphoreInfo *info,
    VkExternalSemaphoreProperties *properties)
{
    (void)shim_call(SHIM_vkGetPhysicalDeviceExternalSemaphoreProperties);
    shim_real.vkGetPhysicalDeviceExternalSemaphoreProperties(physical, info, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(VkPhysicalDevice physical,
                                                                                   uint32_t *count,
                                                                                   VkTimeDomainEXT *domains)
{
    VkResult result = shim_call(SHIM_vkGetPhysicalDeviceCalibrateableTimeDomainsEXT);
    return result != VK_SUCCESS
               ? result
               : shim_real.vkGetPhysicalDeviceCalibrateableTimeDomainsEXT(physical, count, domains);
}
