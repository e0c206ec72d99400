/* vulkan backend: opens libvulkan at run time and fills the tables of its functions.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/driver/loader.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <trireme/backend.h>

#define PATH_BYTES 4096
#define NAME_BYTES 96

/* A function, and the offset of its pointer in a table. */
struct entry {
    const char *name;
    size_t offset;
};

#define GLOBAL_ENTRY(name) {#name, offsetof(struct vulkan_global_functions, name)},
#define INSTANCE_ENTRY(name) {#name, offsetof(struct vulkan_instance_functions, name)},
#define DEVICE_ENTRY(name) {#name, offsetof(struct vulkan_device_functions, name)},

static const struct entry global_entries[]            = {VULKAN_GLOBAL_FUNCTIONS(GLOBAL_ENTRY)};
static const struct entry instance_entries[]          = {VULKAN_INSTANCE_FUNCTIONS(INSTANCE_ENTRY)};
static const struct entry instance_optional_entries[] = {VULKAN_INSTANCE_OPTIONAL_FUNCTIONS(INSTANCE_ENTRY)};
static const struct entry device_entries[]            = {VULKAN_DEVICE_FUNCTIONS(DEVICE_ENTRY)};
static const struct entry device_optional_entries[]   = {VULKAN_DEVICE_OPTIONAL_FUNCTIONS(DEVICE_ENTRY)};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(sizeof(PFN_vkVoidFunction) == sizeof(PFN_vkCreateInstance), "one size of function pointers");

/* Where functions are looked up: an instance or a device. */
struct source {
    PFN_vkGetInstanceProcAddr of_instance;
    VkInstance instance;
    PFN_vkGetDeviceProcAddr of_device;
    VkDevice device;
};

static PFN_vkVoidFunction look_up_name(const struct source *source, const char *name)
{
    return source->of_device != NULL ? source->of_device(source->device, name)
                                     : source->of_instance(source->instance, name);
}

/* Tries the core name, then the names of the extensions that became core. */
static PFN_vkVoidFunction look_up(const struct source *source, const char *name)
{
    static const char *const suffixes[] = {"KHR", "EXT"};
    char longer[NAME_BYTES];
    PFN_vkVoidFunction function = look_up_name(source, name);
    for (size_t i = 0; function == NULL && i < COUNT(suffixes); i++) {
        snprintf(longer, sizeof(longer), "%s%s", name, suffixes[i]);
        function = look_up_name(source, longer);
    }
    return function;
}

/* Returns the name of the first missing function, or NULL. Fills in all others in any case. */
static const char *fill(const struct source *source, const struct entry *entries, size_t count, void *table)
{
    const char *missing = NULL;
    for (size_t i = 0; i < count; i++) {
        PFN_vkVoidFunction function = look_up(source, entries[i].name);
        if (function == NULL && missing == NULL)
            missing = entries[i].name;
        memcpy((unsigned char *)table + entries[i].offset, &function, sizeof(function));
    }
    return missing;
}

const char *vulkan_load_instance(PFN_vkGetInstanceProcAddr get_proc, VkInstance handle,
                                 struct vulkan_instance_functions *vk)
{
    struct source source = {.of_instance = get_proc, .instance = handle};
    fill(&source, instance_optional_entries, COUNT(instance_optional_entries), vk);
    vk->get_cooperative_matrix_properties =
        look_up(&source, "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR");
    return fill(&source, instance_entries, COUNT(instance_entries), vk);
}

const char *vulkan_load_device(const struct vulkan_instance_functions *instance, VkDevice handle,
                               struct vulkan_device_functions *vk)
{
    struct source source = {.of_device = instance->vkGetDeviceProcAddr, .device = handle};
    fill(&source, device_optional_entries, COUNT(device_optional_entries), vk);
    vk->get_device_fault_info = look_up(&source, "vkGetDeviceFaultInfoEXT");
    return fill(&source, device_entries, COUNT(device_entries), vk);
}

/* The setting is a name for the dynamic linker, or a path, which the host must trust (file permissions). */
static int32_t read_setting(const struct trm_host *host, char *path, size_t capacity)
{
    uint64_t needed = 0;
    int32_t status  = host->get_setting(host->context, "vulkan.loader", path, capacity, &needed);
    if (status != TRM_OK || path[0] == '\0')
        snprintf(path, capacity, "libvulkan.so.1");
    if (strchr(path, '/') == NULL)
        return TRM_OK;
    return host->trust_file(host->context, path);
}

int32_t vulkan_loader_open(const struct trm_host *host, struct vulkan_loader *loader, char *reason,
                           uint64_t capacity)
{
    char path[PATH_BYTES];
    int32_t status = read_setting(host, path, sizeof(path));
    if (status != TRM_OK)
        return status;
    loader->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (loader->library == NULL) {
        const char *why = dlerror();
        size_t length   = strlen(path);
        if (why != NULL && strncmp(why, path, length) == 0 && strncmp(why + length, ": ", 2) == 0)
            why += length + 2; /* the message of dlerror() often begins with the path */
        snprintf(reason, capacity, "%s cannot be opened: %s", path, why != NULL ? why : "unknown reason");
        return TRM_ERROR_UNSUPPORTED;
    }

    const char *missing = "vkGetInstanceProcAddr";
    void *symbol        = dlsym(loader->library, missing);
    memcpy(&loader->get_proc, &symbol, sizeof(symbol));
    if (loader->get_proc != NULL) {
        struct source source = {.of_instance = loader->get_proc};
        missing              = fill(&source, global_entries, COUNT(global_entries), &loader->vk);
    }
    /* A Vulkan 1.0 loader lacks this function; find_version() reports that it is too old. */
    if (missing == NULL || strcmp(missing, "vkEnumerateInstanceVersion") == 0)
        return TRM_OK;
    snprintf(reason, capacity, "%s is not a Vulkan loader: it has no %s", path, missing);
    vulkan_loader_close(loader);
    return TRM_ERROR_UNSUPPORTED;
}

void vulkan_loader_close(struct vulkan_loader *loader)
{
    if (loader->library != NULL)
        dlclose(loader->library);
    *loader = (struct vulkan_loader){0};
}
