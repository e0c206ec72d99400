/* A Vulkan device with one compute queue and all the features that shaders could want of it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DIFFERENTIAL_VULKAN_DEVICE_H
#define TESTS_DIFFERENTIAL_VULKAN_DEVICE_H

#include "tests/differential/vulkan_functions.h"

/* What the device can do; the chain of these is what it was created with. */
struct vulkan_features {
    VkPhysicalDeviceFeatures2 core;
    VkPhysicalDeviceVulkan11Features vulkan11;
    VkPhysicalDeviceVulkan12Features vulkan12;
    VkPhysicalDeviceVulkan13Features vulkan13;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR shared_layout;
    VkPhysicalDeviceSubgroupProperties subgroup;
};

struct vulkan_device {
    struct vulkan_functions vk;
    void *loader;
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkPhysicalDeviceMemoryProperties memory;
    struct vulkan_features features;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    /* What the validation layers said since it was emptied. */
    char complaints[4096];
};

/* 0, and why in `reason`, when there is none. `device` stays where it is: the driver keeps its address. */
int vulkan_device_init(struct vulkan_device *device, char *reason, size_t capacity);
void vulkan_device_fini(struct vulkan_device *device);

/* NULL when the device has all that a shader declares, else the name of a capability that it lacks. */
const char *vulkan_device_lacks(const struct vulkan_device *device, const uint32_t *words, size_t word_count);

#endif
