/* The functions that the shim wraps.
 *
 * ALIAS functions are core in Vulkan 1.2 under another name: FALLIBLE(vkWaitSemaphores) exists from version
 * 1.2 on.
 * SPDX-License-Identifier: MIT
 */
#ifndef VULKAN_SHIM_FUNCTIONS_H
#define VULKAN_SHIM_FUNCTIONS_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include "backends/vulkan/driver/fault.h"

/* Without an instance. */
#define SHIM_GLOBAL_FUNCTIONS(USE)              \
    USE(vkEnumerateInstanceVersion)             \
    USE(vkEnumerateInstanceExtensionProperties) \
    USE(vkEnumerateInstanceLayerProperties)     \
    USE(vkCreateInstance)

/* Functions that return a VkResult. */
#define SHIM_FALLIBLE_FUNCTIONS(USE)                    \
    USE(vkEnumeratePhysicalDevices)                     \
    USE(vkEnumerateDeviceExtensionProperties)           \
    USE(vkCreateDevice)                                 \
    USE(vkCreateDebugUtilsMessengerEXT)                 \
    USE(vkGetPhysicalDeviceCalibrateableTimeDomainsEXT) \
    USE(vkDeviceWaitIdle)                               \
    USE(vkQueueSubmit)                                  \
    USE(vkQueueWaitIdle)                                \
    USE(vkCreateBuffer)                                 \
    USE(vkCreateBufferView)                             \
    USE(vkCreateImage)                                  \
    USE(vkBindImageMemory)                              \
    USE(vkCreateImageView)                              \
    USE(vkCreateSampler)                                \
    USE(vkGetPhysicalDeviceImageFormatProperties)       \
    USE(vkAllocateMemory)                               \
    USE(vkBindBufferMemory)                             \
    USE(vkMapMemory)                                    \
    USE(vkCreateSemaphore)                              \
    USE(vkGetSemaphoreCounterValue)                     \
    USE(vkWaitSemaphores)                               \
    USE(vkSignalSemaphore)                              \
    USE(vkGetSemaphoreCounterValueKHR)                  \
    USE(vkWaitSemaphoresKHR)                            \
    USE(vkSignalSemaphoreKHR)                           \
    USE(vkCreateCommandPool)                            \
    USE(vkResetCommandPool)                             \
    USE(vkAllocateCommandBuffers)                       \
    USE(vkBeginCommandBuffer)                           \
    USE(vkEndCommandBuffer)                             \
    USE(vkCreateShaderModule)                           \
    USE(vkCreateDescriptorSetLayout)                    \
    USE(vkCreateDescriptorPool)                         \
    USE(vkResetDescriptorPool)                          \
    USE(vkAllocateDescriptorSets)                       \
    USE(vkCreatePipelineLayout)                         \
    USE(vkCreateComputePipelines)                       \
    USE(vkCreatePipelineCache)                          \
    USE(vkGetPipelineCacheData)                         \
    USE(vkCreateQueryPool)                              \
    USE(vkGetQueryPoolResults)                          \
    USE(vkCreateFence)                                  \
    USE(vkWaitForFences)                                \
    USE(vkResetFences)                                  \
    USE(vkGetCalibratedTimestampsEXT)                   \
    USE(vkGetDeviceFaultInfoEXT)                        \
    USE(vkGetMemoryHostPointerPropertiesEXT)            \
    USE(vkGetMemoryFdKHR)                               \
    USE(vkGetMemoryFdPropertiesKHR)                     \
    USE(vkGetSemaphoreFdKHR)                            \
    USE(vkImportSemaphoreFdKHR)

#define SHIM_OTHER_FUNCTIONS(USE)                       \
    USE(vkDestroyInstance)                              \
    USE(vkGetPhysicalDeviceProperties)                  \
    USE(vkGetPhysicalDeviceProperties2)                 \
    USE(vkGetPhysicalDeviceFeatures2)                   \
    USE(vkGetPhysicalDeviceMemoryProperties)            \
    USE(vkGetPhysicalDeviceMemoryProperties2)           \
    USE(vkGetPhysicalDeviceQueueFamilyProperties)       \
    USE(vkGetPhysicalDeviceExternalBufferProperties)    \
    USE(vkGetPhysicalDeviceExternalSemaphoreProperties) \
    USE(vkGetDeviceProcAddr)                            \
    USE(vkDestroyDebugUtilsMessengerEXT)                \
    USE(vkDestroyDevice)                                \
    USE(vkGetDeviceQueue)                               \
    USE(vkDestroyBuffer)                                \
    USE(vkGetBufferMemoryRequirements)                  \
    USE(vkDestroyBufferView)                            \
    USE(vkDestroyImage)                                 \
    USE(vkGetImageMemoryRequirements)                   \
    USE(vkDestroyImageView)                             \
    USE(vkDestroySampler)                               \
    USE(vkGetPhysicalDeviceFormatProperties)            \
    USE(vkGetPhysicalDeviceFormatProperties2)           \
    USE(vkFreeMemory)                                   \
    USE(vkUnmapMemory)                                  \
    USE(vkDestroySemaphore)                             \
    USE(vkDestroyCommandPool)                           \
    USE(vkFreeCommandBuffers)                           \
    USE(vkCmdCopyBuffer)                                \
    USE(vkCmdCopyBufferToImage)                         \
    USE(vkCmdCopyImageToBuffer)                         \
    USE(vkCmdCopyImage)                                 \
    USE(vkCmdFillBuffer)                                \
    USE(vkCmdUpdateBuffer)                              \
    USE(vkCmdPipelineBarrier)                           \
    USE(vkCmdBindPipeline)                              \
    USE(vkCmdBindDescriptorSets)                        \
    USE(vkCmdPushDescriptorSetKHR)                      \
    USE(vkCmdPushConstants)                             \
    USE(vkCmdDispatch)                                  \
    USE(vkCmdDispatchBase)                              \
    USE(vkCmdWriteTimestamp)                            \
    USE(vkCmdCopyQueryPoolResults)                      \
    USE(vkCmdResetQueryPool)                            \
    USE(vkDestroyShaderModule)                          \
    USE(vkDestroyDescriptorSetLayout)                   \
    USE(vkDestroyDescriptorPool)                        \
    USE(vkUpdateDescriptorSets)                         \
    USE(vkDestroyPipelineLayout)                        \
    USE(vkDestroyPipeline)                              \
    USE(vkDestroyPipelineCache)                         \
    USE(vkDestroyQueryPool)                             \
    USE(vkDestroyFence)                                 \
    USE(vkResetQueryPool)                               \
    USE(vkResetQueryPoolEXT)                            \
    USE(vkGetBufferDeviceAddress)                       \
    USE(vkGetBufferDeviceAddressKHR)

#define SHIM_FUNCTIONS(USE)      \
    SHIM_GLOBAL_FUNCTIONS(USE)   \
    SHIM_FALLIBLE_FUNCTIONS(USE) \
    SHIM_OTHER_FUNCTIONS(USE)

#define SHIM_NUMBER(name) SHIM_##name,
#define SHIM_MEMBER(name) PFN_##name name;

enum shim_function {
    SHIM_FUNCTIONS(SHIM_NUMBER) SHIM_FUNCTION_COUNT
};

/* The real library's functions. */
struct shim_real {
    SHIM_FUNCTIONS(SHIM_MEMBER)
};

#undef SHIM_NUMBER
#undef SHIM_MEMBER

#endif
