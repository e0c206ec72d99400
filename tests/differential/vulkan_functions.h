/* The functions of Vulkan that the tests use, got from the loader at run time.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_VULKAN_FUNCTIONS_H
#define TESTS_DIFFERENTIAL_VULKAN_FUNCTIONS_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#define VULKAN_GLOBAL_FUNCTIONS(USE)            \
    USE(vkEnumerateInstanceVersion)             \
    USE(vkEnumerateInstanceExtensionProperties) \
    USE(vkCreateInstance)

#define VULKAN_INSTANCE_FUNCTIONS(USE)            \
    USE(vkDestroyInstance)                        \
    USE(vkEnumeratePhysicalDevices)               \
    USE(vkGetPhysicalDeviceProperties)            \
    USE(vkGetPhysicalDeviceMemoryProperties)      \
    USE(vkGetPhysicalDeviceQueueFamilyProperties) \
    USE(vkGetPhysicalDeviceFeatures2)             \
    USE(vkGetPhysicalDeviceProperties2)           \
    USE(vkEnumerateDeviceExtensionProperties)     \
    USE(vkGetDeviceProcAddr)                      \
    USE(vkCreateDevice)

#define VULKAN_DEVICE_FUNCTIONS(USE)   \
    USE(vkDestroyDevice)               \
    USE(vkGetDeviceQueue)              \
    USE(vkDeviceWaitIdle)              \
    USE(vkCreateBuffer)                \
    USE(vkDestroyBuffer)               \
    USE(vkGetBufferMemoryRequirements) \
    USE(vkAllocateMemory)              \
    USE(vkFreeMemory)                  \
    USE(vkBindBufferMemory)            \
    USE(vkMapMemory)                   \
    USE(vkCreateShaderModule)          \
    USE(vkDestroyShaderModule)         \
    USE(vkCreateDescriptorSetLayout)   \
    USE(vkDestroyDescriptorSetLayout)  \
    USE(vkCreatePipelineLayout)        \
    USE(vkDestroyPipelineLayout)       \
    USE(vkCreateComputePipelines)      \
    USE(vkDestroyPipeline)             \
    USE(vkCreateDescriptorPool)        \
    USE(vkDestroyDescriptorPool)       \
    USE(vkAllocateDescriptorSets)      \
    USE(vkUpdateDescriptorSets)        \
    USE(vkCreateCommandPool)           \
    USE(vkDestroyCommandPool)          \
    USE(vkResetCommandPool)            \
    USE(vkAllocateCommandBuffers)      \
    USE(vkBeginCommandBuffer)          \
    USE(vkEndCommandBuffer)            \
    USE(vkCmdBindPipeline)             \
    USE(vkCmdBindDescriptorSets)       \
    USE(vkCmdPushConstants)            \
    USE(vkCmdDispatch)                 \
    USE(vkCmdPipelineBarrier)          \
    USE(vkCreateFence)                 \
    USE(vkDestroyFence)                \
    USE(vkResetFences)                 \
    USE(vkQueueSubmit)                 \
    USE(vkWaitForFences)               \
    USE(vkGetBufferDeviceAddress)

#define VULKAN_DECLARE(name) PFN_##name name;

struct vulkan_functions {
    PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;
    VULKAN_GLOBAL_FUNCTIONS(VULKAN_DECLARE)
    VULKAN_INSTANCE_FUNCTIONS(VULKAN_DECLARE)
    VULKAN_DEVICE_FUNCTIONS(VULKAN_DECLARE)
};

#endif
