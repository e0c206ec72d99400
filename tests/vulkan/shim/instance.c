/* Instances, and functions that need none.
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shim.h"

static atomic_uint loads;
static _Atomic pid_t first_user; /* the first process that created an instance */

/* The first call of a program without instances reads the configuration. */
static void configure(void)
{
    if (shim_living_of("VkInstance") == 0)
        shim_configure();
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkEnumerateInstanceVersion(uint32_t *version)
{
    configure();
    VkResult result = shim_call(SHIM_vkEnumerateInstanceVersion);
    if (result != VK_SUCCESS)
        return result;
    result = shim_real.vkEnumerateInstanceVersion(version);
    if (result == VK_SUCCESS && *version > shim_config.api)
        *version = shim_config.api;
    return result;
}

/* Returns the extensions that are not hidden, as Vulkan returns lists. Frees `all`. */
static VkResult answer_extensions(VkExtensionProperties *all, uint32_t count, uint32_t *wanted,
                                  VkExtensionProperties *properties)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!shim_hides(all[i].extensionName))
            all[left++] = all[i];
    uint32_t given = properties && *wanted < left ? *wanted : left;
    if (properties)
        memcpy(properties, all, given * sizeof(*all));
    free(all);
    *wanted = given;
    return given < left ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkEnumerateInstanceExtensionProperties(const char *layer,
                                                                           uint32_t *wanted,
                                                                           VkExtensionProperties *properties)
{
    configure();
    VkResult result = shim_call(SHIM_vkEnumerateInstanceExtensionProperties);
    uint32_t count  = 0;
    if (result == VK_SUCCESS)
        result = shim_real.vkEnumerateInstanceExtensionProperties(layer, &count, NULL);
    if (result != VK_SUCCESS)
        return result;
    VkExtensionProperties *all = calloc(count + 1, sizeof(*all));
    if (!all)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    shim_real.vkEnumerateInstanceExtensionProperties(layer, &count, all);
    return answer_extensions(all, count, wanted, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkEnumerateDeviceExtensionProperties(VkPhysicalDevice physical,
                                                                         const char *layer, uint32_t *wanted,
                                                                         VkExtensionProperties *properties)
{
    VkResult result = shim_call(SHIM_vkEnumerateDeviceExtensionProperties);
    uint32_t count  = 0;
    if (result == VK_SUCCESS)
        result = shim_real.vkEnumerateDeviceExtensionProperties(physical, layer, &count, NULL);
    if (result != VK_SUCCESS)
        return result;
    VkExtensionProperties *all = calloc(count + 1, sizeof(*all));
    if (!all)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    shim_real.vkEnumerateDeviceExtensionProperties(physical, layer, &count, all);
    return answer_extensions(all, count, wanted, properties);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkEnumerateInstanceLayerProperties(uint32_t *count,
                                                                       VkLayerProperties *properties)
{
    configure();
    VkResult result = shim_call(SHIM_vkEnumerateInstanceLayerProperties);
    return result != VK_SUCCESS ? result : shim_real.vkEnumerateInstanceLayerProperties(count, properties);
}

/* While an instance is alive the driver is loaded already. */
static bool driver_loads(void)
{
    if (shim_living_of("VkInstance") != 0)
        return true;
    return atomic_fetch_add(&loads, 1) < shim_config.loads || shim_config.loads == 0;
}

/* Whether this is the forked child of a process that has used the driver. */
static bool is_child(void)
{
    pid_t user = atomic_load(&first_user);
    return user != 0 && user != getpid();
}

VkResult shim_forked(void)
{
    if (!is_child() || shim_config.forked == SHIM_FORKED_WORKS)
        return VK_SUCCESS;
    if (shim_config.forked == SHIM_FORKED_ABORT)
        abort();
    while (shim_config.forked == SHIM_FORKED_HANG)
        pause();
    return VK_ERROR_INITIALIZATION_FAILED;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkCreateInstance(const VkInstanceCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkInstance *instance)
{
    configure();
    VkResult result = shim_call(SHIM_vkCreateInstance);
    if (result != VK_SUCCESS)
        return result;
    VkInstanceCreateInfo changed  = *info;
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    if (info->pApplicationInfo) {
        application              = *info->pApplicationInfo;
        changed.pApplicationInfo = &application;
        if (application.apiVersion > shim_config.api)
            application.apiVersion = shim_config.api;
    }
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        if (shim_hides(info->ppEnabledExtensionNames[i])) {
            shim_breach("%s was enabled, which the instance has not", info->ppEnabledExtensionNames[i]);
            return VK_ERROR_EXTENSION_NOT_PRESENT;
        }
    }
    if (!driver_loads())
        return VK_ERROR_INCOMPATIBLE_DRIVER;
    result = shim_real.vkCreateInstance(&changed, allocator, instance);
    if (result == VK_SUCCESS) {
        pid_t unset = 0;
        atomic_compare_exchange_strong(&first_user, &unset, getpid());
        shim_resolve(*instance);
        shim_made("VkInstance", SHIM_HANDLE(*instance), 0, 0, 0);
    }
    return result;
}

VKAPI_ATTR void VKAPI_CALL shim_vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks *allocator)
{
    (void)shim_call(SHIM_vkDestroyInstance);
    if (!instance)
        return;
    shim_ended("VkInstance", SHIM_HANDLE(instance), false);
    shim_real.vkDestroyInstance(instance, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkCreateDebugUtilsMessengerEXT(
    VkInstance instance, const VkDebugUtilsMessengerCreateInfoEXT *info,
    const VkAllocationCallbacks *allocator, VkDebugUtilsMessengerEXT *messenger)
{
    VkResult result = shim_call(SHIM_vkCreateDebugUtilsMessengerEXT);
    if (result == VK_SUCCESS)
        result = shim_real.vkCreateDebugUtilsMessengerEXT(instance, info, allocator, messenger);
    if (result == VK_SUCCESS)
        shim_made("VkDebugUtilsMessengerEXT", SHIM_HANDLE(*messenger), SHIM_HANDLE(instance), 0, 0);
    return result;
}

VKAPI_ATTR void VKAPI_CALL shim_vkDestroyDebugUtilsMessengerEXT(VkInstance instance,
                                                                VkDebugUtilsMessengerEXT messenger,
                                                                const VkAllocationCallbacks *allocator)
{
    (void)shim_call(SHIM_vkDestroyDebugUtilsMessengerEXT);
    if (!messenger)
        return;
    shim_ended("VkDebugUtilsMessengerEXT", SHIM_HANDLE(messenger), false);
    shim_real.vkDestroyDebugUtilsMessengerEXT(instance, messenger, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkEnumeratePhysicalDevices(VkInstance instance, uint32_t *count,
                                                               VkPhysicalDevice *devices)
{
    VkResult result = shim_call(SHIM_vkEnumeratePhysicalDevices);
    if (result == VK_SUCCESS && shim_config.forked == SHIM_FORKED_HIDE && is_child()) {
        *count = 0;
        return VK_SUCCESS;
    }
    return result != VK_SUCCESS ? result : shim_real.vkEnumeratePhysicalDevices(instance, count, devices);
}
