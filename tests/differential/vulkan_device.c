/* SPDX-License-Identifier: MIT */
#include "tests/differential/vulkan_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOAD_GLOBAL(name)                                                                \
    device->vk.name = (PFN_##name)(void *)device->vk.vkGetInstanceProcAddr(NULL, #name); \
    missing         = device->vk.name ? missing : #name;
#define LOAD_INSTANCE(name)                                                                          \
    device->vk.name = (PFN_##name)(void *)device->vk.vkGetInstanceProcAddr(device->instance, #name); \
    missing         = device->vk.name ? missing : #name;
#define LOAD_DEVICE(name)                                                                        \
    device->vk.name = (PFN_##name)(void *)device->vk.vkGetDeviceProcAddr(device->device, #name); \
    missing         = device->vk.name ? missing : #name;

/* What front ends and glslc's optimizer write, and what no driver minds; the backend's validation.c has the
 * same. */
static const char *const harmless[] = {
    "SPV_GOOGLE_",
    "operand CounterBuffer(",
    "expected AliasedPointer or RestrictPointer",
};

static VKAPI_ATTR VkBool32 VKAPI_CALL note_complaint(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                     VkDebugUtilsMessageTypeFlagsEXT types,
                                                     const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                     void *user)
{
    (void)severity, (void)types;
    struct vulkan_device *device = user;
    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
        if (strstr(data->pMessage, harmless[i]) != NULL)
            return VK_FALSE;
    size_t length = strlen(device->complaints);
    snprintf(device->complaints + length, sizeof(device->complaints) - length, "%s\n", data->pMessage);
    return VK_FALSE;
}

static const char *open_loader(struct vulkan_device *device)
{
    device->loader = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!device->loader)
        return "there is no Vulkan loader (libvulkan.so.1)";
    *(void **)&device->vk.vkGetInstanceProcAddr = dlsym(device->loader, "vkGetInstanceProcAddr");
    if (!device->vk.vkGetInstanceProcAddr)
        return "libvulkan.so.1 has no vkGetInstanceProcAddr";
    const char *missing = NULL;
    VULKAN_GLOBAL_FUNCTIONS(LOAD_GLOBAL)
    return missing ? "the Vulkan loader is older than Vulkan 1.1" : NULL;
}

static int instance_has(const struct vulkan_device *device, const char *extension)
{
    VkExtensionProperties properties[128];
    uint32_t count = 128;
    if (device->vk.vkEnumerateInstanceExtensionProperties(NULL, &count, properties) < 0)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(properties[i].extensionName, extension) == 0)
            return 1;
    }
    return 0;
}

static const char *create_instance(struct vulkan_device *device)
{
    VkDebugUtilsMessengerCreateInfoEXT listen = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType     = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = note_complaint,
        .pUserData       = device,
    };
    const char *extension  = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    int listens            = instance_has(device, extension);
    VkApplicationInfo info = {
        .sType            = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "differential",
        .apiVersion       = VK_API_VERSION_1_3,
    };
    VkInstanceCreateInfo create = {
        .sType                   = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext                   = listens ? &listen : NULL,
        .pApplicationInfo        = &info,
        .enabledExtensionCount   = listens ? 1 : 0,
        .ppEnabledExtensionNames = &extension,
    };
    if (device->vk.vkCreateInstance(&create, NULL, &device->instance) != VK_SUCCESS)
        return "no Vulkan driver could be opened";
    const char *missing = NULL;
    VULKAN_INSTANCE_FUNCTIONS(LOAD_INSTANCE)
    if (missing)
        return "the Vulkan driver is older than Vulkan 1.1";
    PFN_vkCreateDebugUtilsMessengerEXT create_messenger =
        (PFN_vkCreateDebugUtilsMessengerEXT)(void *)device->vk.vkGetInstanceProcAddr(
            device->instance, "vkCreateDebugUtilsMessengerEXT");
    if (listens && create_messenger)
        create_messenger(device->instance, &listen, NULL, &device->messenger);
    return NULL;
}

static const char *choose_device(struct vulkan_device *device)
{
    const char *wanted = getenv("TRIREME_TEST_VULKAN_DEVICE");
    VkPhysicalDevice physical[16];
    uint32_t count = 16;
    if (device->vk.vkEnumeratePhysicalDevices(device->instance, &count, physical) < 0)
        return "the Vulkan devices could not be listed";
    for (uint32_t i = 0; i < count && !device->physical; i++) {
        device->vk.vkGetPhysicalDeviceProperties(physical[i], &device->properties);
        int old = device->properties.apiVersion < VK_API_VERSION_1_2;
        if (!old && (!wanted || strstr(device->properties.deviceName, wanted)))
            device->physical = physical[i];
    }
    if (!device->physical)
        return wanted ? "no Vulkan device of that name" : "no Vulkan device has Vulkan 1.2";
    device->vk.vkGetPhysicalDeviceMemoryProperties(device->physical, &device->memory);

    VkQueueFamilyProperties families[32];
    uint32_t family_count = 32;
    device->vk.vkGetPhysicalDeviceQueueFamilyProperties(device->physical, &family_count, families);
    for (device->family = 0; device->family < family_count; device->family++) {
        if (families[device->family].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return NULL;
    }
    return "the Vulkan device has no queue for compute";
}

static int device_has(const struct vulkan_device *device, const char *extension)
{
    uint32_t count = 0;
    device->vk.vkEnumerateDeviceExtensionProperties(device->physical, NULL, &count, NULL);
    VkExtensionProperties *properties = calloc(count + 1, sizeof(*properties));
    if (!properties)
        return 0;
    int found = 0;
    device->vk.vkEnumerateDeviceExtensionProperties(device->physical, NULL, &count, properties);
    for (uint32_t i = 0; i < count; i++)
        found |= strcmp(properties[i].extensionName, extension) == 0;
    free(properties);
    return found;
}

/* All that there is, but for what costs speed or needs more of us. */
static void ask_for_features(struct vulkan_device *device, int has_atomic_float, int has_shared_layout)
{
    struct vulkan_features *features = &device->features;
    features->core.sType             = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    features->vulkan11.sType         = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    features->vulkan12.sType         = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    features->vulkan13.sType         = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    features->atomic_float.sType     = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;

    features->shared_layout.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR;

    void *chain = NULL;
    if (has_atomic_float)
        chain = &features->atomic_float;
    if (has_shared_layout) {
        features->shared_layout.pNext = chain;
        chain                         = &features->shared_layout;
    }
    if (device->properties.apiVersion >= VK_API_VERSION_1_3) {
        features->vulkan13.pNext = chain;
        chain                    = &features->vulkan13;
    }
    features->vulkan12.pNext = chain;
    features->vulkan11.pNext = &features->vulkan12;
    features->core.pNext     = &features->vulkan11;
    device->vk.vkGetPhysicalDeviceFeatures2(device->physical, &features->core);
    features->core.features.robustBufferAccess          = VK_FALSE;
    features->vulkan11.protectedMemory                  = VK_FALSE;
    features->vulkan12.bufferDeviceAddressCaptureReplay = VK_FALSE;
    features->vulkan12.bufferDeviceAddressMultiDevice   = VK_FALSE;
    features->vulkan13.robustImageAccess                = VK_FALSE;
    features->vulkan13.privateData                      = VK_FALSE;
    features->atomic_float.sparseImageFloat32Atomics    = VK_FALSE;
    features->atomic_float.sparseImageFloat32AtomicAdd  = VK_FALSE;

    features->subgroup.sType           = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
    VkPhysicalDeviceProperties2 answer = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &features->subgroup,
    };
    device->vk.vkGetPhysicalDeviceProperties2(device->physical, &answer);
}

static const char *create_device(struct vulkan_device *device)
{
    const char *extensions[2];
    uint32_t extension_count = 0;
    int has_atomic_float     = device_has(device, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
    int has_shared_layout    = device_has(device, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME);
    if (has_atomic_float)
        extensions[extension_count++] = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
    if (has_shared_layout)
        extensions[extension_count++] = VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME;
    ask_for_features(device, has_atomic_float, has_shared_layout);
    float priority                = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType            = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = device->family,
        .queueCount       = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo create = {
        .sType                   = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext                   = &device->features.core,
        .queueCreateInfoCount    = 1,
        .pQueueCreateInfos       = &queue,
        .enabledExtensionCount   = extension_count,
        .ppEnabledExtensionNames = extensions,
    };
    if (device->vk.vkCreateDevice(device->physical, &create, NULL, &device->device) != VK_SUCCESS)
        return "the Vulkan device could not be opened";
    const char *missing = NULL;
    VULKAN_DEVICE_FUNCTIONS(LOAD_DEVICE)
    if (missing)
        return "the Vulkan device lacks a function of Vulkan 1.1";
    device->vk.vkGetDeviceQueue(device->device, device->family, 0, &device->queue);
    return NULL;
}

int vulkan_device_init(struct vulkan_device *device, char *reason, size_t capacity)
{
    memset(device, 0, sizeof(*device));
    const char *why = open_loader(device);
    if (!why)
        why = create_instance(device);
    if (!why)
        why = choose_device(device);
    if (!why)
        why = create_device(device);
    if (!why)
        return 1;
    snprintf(reason, capacity, "%s", why);
    vulkan_device_fini(device);
    return 0;
}

void vulkan_device_fini(struct vulkan_device *device)
{
    if (device->device)
        device->vk.vkDestroyDevice(device->device, NULL);
    if (device->messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy_messenger =
            (PFN_vkDestroyDebugUtilsMessengerEXT)(void *)device->vk.vkGetInstanceProcAddr(
                device->instance, "vkDestroyDebugUtilsMessengerEXT");
        destroy_messenger(device->instance, device->messenger, NULL);
    }
    if (device->instance && device->vk.vkDestroyInstance)
        device->vk.vkDestroyInstance(device->instance, NULL);
    if (device->loader)
        dlclose(device->loader);
    memset(device, 0, sizeof(*device));
}
