/* The function that a loader exports, and the table of wrappers behind it.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

struct shim_real shim_real;

static PFN_vkGetInstanceProcAddr real_get_proc;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t stranger_count;
static char first_stranger[64];

#define SHIM_ENTRY(name) {#name, (PFN_vkVoidFunction)shim_##name},
static const struct {
    const char *name;
    PFN_vkVoidFunction wrapper;
} wrappers[] = {SHIM_FUNCTIONS(SHIM_ENTRY)};
#undef SHIM_ENTRY

/* Core in Vulkan 1.2 under these names; an extension with other names before. */
static const char *const of_1_2[] = {
    "vkGetSemaphoreCounterValue", "vkWaitSemaphores",         "vkSignalSemaphore",
    "vkResetQueryPool",           "vkGetBufferDeviceAddress",
};

/* The shim's devices have no cooperative matrices. */
static const char *const absent[] = {
    "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR",
    "vkGetPhysicalDeviceCooperativeMatrixPropertiesNV",
};

static void before_fork(void)
{
    pthread_mutex_lock(&mutex);
    shim_fault_lock();
    shim_devices_lock();
    shim_ledger_lock();
}

static void after_fork(void)
{
    shim_ledger_unlock();
    shim_devices_unlock();
    shim_fault_unlock();
    pthread_mutex_unlock(&mutex);
}

static void open_real(void)
{
    pthread_atfork(before_fork, after_fork, after_fork);
    const char *name = getenv("VULKAN_SHIM_LIBRARY");
    void *library    = dlopen(name && *name ? name : "libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library)
        *(void **)&real_get_proc = dlsym(library, "vkGetInstanceProcAddr");
#define SHIM_RESOLVE(name) shim_real.name = real_get_proc ? (PFN_##name)real_get_proc(NULL, #name) : NULL;
    SHIM_GLOBAL_FUNCTIONS(SHIM_RESOLVE)
#undef SHIM_RESOLVE
}

/* Pointers that were found stay as they are, since other threads call them. */
void shim_resolve(VkInstance instance)
{
#define SHIM_RESOLVE(name) \
    if (!shim_real.name)   \
        shim_real.name = (PFN_##name)real_get_proc(instance, #name);
    pthread_mutex_lock(&mutex);
    SHIM_FALLIBLE_FUNCTIONS(SHIM_RESOLVE)
    SHIM_OTHER_FUNCTIONS(SHIM_RESOLVE)
    pthread_mutex_unlock(&mutex);
#undef SHIM_RESOLVE
}

static bool is_missing(const char *name)
{
    for (size_t i = 0; i < sizeof(of_1_2) / sizeof(of_1_2[0]); i++)
        if (strcmp(of_1_2[i], name) == 0)
            return shim_config.api < VK_API_VERSION_1_2;
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
        if (strcmp(absent[i], name) == 0)
            return true;
    return false;
}

/* The wrapper for a function of the real library. */
static PFN_vkVoidFunction wrapper_of(const char *name, PFN_vkVoidFunction real)
{
    if (is_missing(name))
        return NULL;
    for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++)
        if (strcmp(wrappers[i].name, name) == 0)
            return wrappers[i].wrapper;
    pthread_mutex_lock(&mutex);
    if (stranger_count++ == 0)
        snprintf(first_stranger, sizeof(first_stranger), "%s", name);
    pthread_mutex_unlock(&mutex);
    return real;
}

uint64_t shim_strangers(char *first, uint64_t capacity)
{
    pthread_mutex_lock(&mutex);
    uint64_t count = stranger_count;
    if (capacity)
        snprintf(first, capacity, "%s", first_stranger);
    pthread_mutex_unlock(&mutex);
    return count;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL shim_vkGetDeviceProcAddr(VkDevice device, const char *name)
{
    (void)shim_call(SHIM_vkGetDeviceProcAddr);
    PFN_vkVoidFunction real = shim_real.vkGetDeviceProcAddr(device, name);
    return real ? wrapper_of(name, real) : NULL;
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vkGetInstanceProcAddr(VkInstance instance, const char *name);

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_real);
    if (!real_get_proc)
        return NULL;
    if (strcmp(name, "vkGetInstanceProcAddr") == 0)
        return (PFN_vkVoidFunction)vkGetInstanceProcAddr;
    PFN_vkVoidFunction real = real_get_proc(instance, name);
    return real ? wrapper_of(name, real) : NULL;
}
