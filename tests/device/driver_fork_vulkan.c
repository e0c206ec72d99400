/* Is there a device of Vulkan that opens?
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/driver_fork.h"

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define DEVICES_MOST 16u

struct vulkan {
    PFN_vkGetInstanceProcAddr get_proc;
    VkInstance instance;
};

static int vulkan_begin(struct vulkan *vulkan)
{
    const VkApplicationInfo application = {.sType      = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo info     = {.sType            = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                           .pApplicationInfo = &application};
    const char *path                    = getenv("TRIREME_VULKAN_LOADER");
    void *library = dlopen(path && *path ? path : "libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return DRIVER_REFUSES;
    vulkan->get_proc        = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    PFN_vkCreateInstance at = (PFN_vkCreateInstance)vulkan->get_proc(NULL, "vkCreateInstance");
    return at(&info, NULL, &vulkan->instance) == VK_SUCCESS ? DRIVER_WORKS : DRIVER_REFUSES;
}

static int vulkan_open(const struct vulkan *vulkan, VkPhysicalDevice physical)
{
    const float priority                = 1;
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {.sType                = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                     .queueCreateInfoCount = 1,
                                     .pQueueCreateInfos    = &queue};
    PFN_vkCreateDevice create     = (PFN_vkCreateDevice)vulkan->get_proc(vulkan->instance, "vkCreateDevice");
    VkDevice made;
    return create(physical, &info, NULL, &made) == VK_SUCCESS ? DRIVER_WORKS : DRIVER_REFUSES;
}

/* The first of that name. */
int driver_try_vulkan(const char *name)
{
    struct vulkan vulkan;
    VkPhysicalDevice devices[DEVICES_MOST];
    VkPhysicalDeviceProperties properties;
    uint32_t count = DEVICES_MOST;
    if (vulkan_begin(&vulkan) != DRIVER_WORKS)
        return DRIVER_REFUSES;
    PFN_vkEnumeratePhysicalDevices list =
        (PFN_vkEnumeratePhysicalDevices)vulkan.get_proc(vulkan.instance, "vkEnumeratePhysicalDevices");
    PFN_vkGetPhysicalDeviceProperties ask =
        (PFN_vkGetPhysicalDeviceProperties)vulkan.get_proc(vulkan.instance, "vkGetPhysicalDeviceProperties");
    if (list(vulkan.instance, &count, devices) < 0)
        return DRIVER_REFUSES;
    for (uint32_t i = 0; i < count; i++) {
        ask(devices[i], &properties);
        if (strcmp(properties.deviceName, name) == 0)
            return vulkan_open(&vulkan, devices[i]);
    }
    return DRIVER_REFUSES;
}
