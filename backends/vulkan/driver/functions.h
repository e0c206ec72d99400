/* vulkan backend: the functions of Vulkan that it uses. All are got at run time; nothing is linked.
 *
 * OPTIONAL ones are NULL where the device has not the extension; the others may be relied on.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_FUNCTIONS_H
#define BACKENDS_VULKAN_DRIVER_FUNCTIONS_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

/* vkEnumerateInstanceVersion may be missing: the loader is then one of Vulkan 1.0. */
#define VULKAN_GLOBAL_FUNCTIONS(USE)            \
    USE(vkEnumerateInstanceVersion)             \
    USE(vkEnumerateInstanceExtensionProperties) \
    USE(vkEnumerateInstanceLayerProperties)     \
    USE(vkCreateInstance)

#define VULKAN_INSTANCE_FUNCTIONS(USE)               \
    USE(vkDestroyInstance)                           \
    USE(vkEnumeratePhysicalDevices)                  \
    USE(vkGetPhysicalDeviceFormatProperties)         \
    USE(vkGetPhysicalDeviceFormatProperties2)        \
    USE(vkGetPhysicalDeviceImageFormatProperties)    \
    USE(vkGetPhysicalDeviceProperties)               \
    USE(vkGetPhysicalDeviceProperties2)              \
    USE(vkGetPhysicalDeviceFeatures2)                \
    USE(vkGetPhysicalDeviceMemoryProperties)         \
    USE(vkGetPhysicalDeviceMemoryProperties2)        \
    USE(vkGetPhysicalDeviceQueueFamilyProperties)    \
    USE(vkGetPhysicalDeviceExternalBufferProperties) \
    USE(vkEnumerateDeviceExtensionProperties)        \
    USE(vkGetDeviceProcAddr)                         \
    USE(vkCreateDevice)

#define VULKAN_INSTANCE_OPTIONAL_FUNCTIONS(USE)         \
    USE(vkCreateDebugUtilsMessengerEXT)                 \
    USE(vkDestroyDebugUtilsMessengerEXT)                \
    USE(vkGetPhysicalDeviceCalibrateableTimeDomainsEXT) \
    USE(vkGetPhysicalDeviceExternalSemaphoreProperties) \
    USE(vkGetPhysicalDeviceCooperativeMatrixPropertiesNV)

#define VULKAN_DEVICE_FUNCTIONS(USE)   \
    USE(vkDestroyDevice)               \
    USE(vkGetDeviceQueue)              \
    USE(vkDeviceWaitIdle)              \
    USE(vkQueueSubmit)                 \
    USE(vkCreateBuffer)                \
    USE(vkDestroyBuffer)               \
    USE(vkGetBufferMemoryRequirements) \
    USE(vkAllocateMemory)              \
    USE(vkFreeMemory)                  \
    USE(vkBindBufferMemory)            \
    USE(vkMapMemory)                   \
    USE(vkUnmapMemory)                 \
    USE(vkCreateBufferView)            \
    USE(vkDestroyBufferView)           \
    USE(vkCreateImage)                 \
    USE(vkDestroyImage)                \
    USE(vkGetImageMemoryRequirements)  \
    USE(vkBindImageMemory)             \
    USE(vkCreateImageView)             \
    USE(vkDestroyImageView)            \
    USE(vkCreateSampler)               \
    USE(vkDestroySampler)              \
    USE(vkCreateSemaphore)             \
    USE(vkDestroySemaphore)            \
    USE(vkGetSemaphoreCounterValue)    \
    USE(vkWaitSemaphores)              \
    USE(vkSignalSemaphore)             \
    USE(vkCreateCommandPool)           \
    USE(vkDestroyCommandPool)          \
    USE(vkResetCommandPool)            \
    USE(vkAllocateCommandBuffers)      \
    USE(vkFreeCommandBuffers)          \
    USE(vkBeginCommandBuffer)          \
    USE(vkEndCommandBuffer)            \
    USE(vkCmdCopyBuffer)               \
    USE(vkCmdCopyBufferToImage)        \
    USE(vkCmdCopyImageToBuffer)        \
    USE(vkCmdCopyImage)                \
    USE(vkCmdFillBuffer)               \
    USE(vkCmdUpdateBuffer)             \
    USE(vkCmdPipelineBarrier)          \
    USE(vkCmdBindPipeline)             \
    USE(vkCmdBindDescriptorSets)       \
    USE(vkCmdPushConstants)            \
    USE(vkCmdDispatch)                 \
    USE(vkCmdWriteTimestamp)           \
    USE(vkCmdCopyQueryPoolResults)     \
    USE(vkCmdResetQueryPool)           \
    USE(vkCreateShaderModule)          \
    USE(vkDestroyShaderModule)         \
    USE(vkCreateDescriptorSetLayout)   \
    USE(vkDestroyDescriptorSetLayout)  \
    USE(vkCreateDescriptorPool)        \
    USE(vkDestroyDescriptorPool)       \
    USE(vkResetDescriptorPool)         \
    USE(vkAllocateDescriptorSets)      \
    USE(vkUpdateDescriptorSets)        \
    USE(vkCreatePipelineLayout)        \
    USE(vkDestroyPipelineLayout)       \
    USE(vkCreateComputePipelines)      \
    USE(vkDestroyPipeline)             \
    USE(vkCreatePipelineCache)         \
    USE(vkDestroyPipelineCache)        \
    USE(vkGetPipelineCacheData)        \
    USE(vkCreateQueryPool)             \
    USE(vkDestroyQueryPool)            \
    USE(vkGetQueryPoolResults)

#define VULKAN_DEVICE_OPTIONAL_FUNCTIONS(USE) \
    USE(vkCmdPushDescriptorSetKHR)            \
    USE(vkCmdDispatchBase)                    \
    USE(vkResetQueryPool)                     \
    USE(vkGetCalibratedTimestampsEXT)         \
    USE(vkGetMemoryHostPointerPropertiesEXT)  \
    USE(vkGetMemoryFdKHR)                     \
    USE(vkGetMemoryFdPropertiesKHR)           \
    USE(vkGetSemaphoreFdKHR)                  \
    USE(vkImportSemaphoreFdKHR)               \
    USE(vkGetBufferDeviceAddress)

#define VULKAN_MEMBER(name) PFN_##name name;

struct vulkan_global_functions {
    VULKAN_GLOBAL_FUNCTIONS(VULKAN_MEMBER)
};

struct vulkan_instance_functions {
    VULKAN_INSTANCE_FUNCTIONS(VULKAN_MEMBER)
    VULKAN_INSTANCE_OPTIONAL_FUNCTIONS(VULKAN_MEMBER)
    PFN_vkVoidFunction get_cooperative_matrix_properties; /* of KHR: see newer.h */
};

/* VK_EXT_device_fault is newer than some headers: see fault.h. */
struct vulkan_device_functions {
    VULKAN_DEVICE_FUNCTIONS(VULKAN_MEMBER)
    VULKAN_DEVICE_OPTIONAL_FUNCTIONS(VULKAN_MEMBER)
    PFN_vkVoidFunction get_device_fault_info;
};

#undef VULKAN_MEMBER

#endif
