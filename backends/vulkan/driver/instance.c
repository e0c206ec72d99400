/* vulkan backend: creates and destroys instances.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/driver/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/vulkan/driver/fork_check.h"
#include "backends/vulkan/driver/instance_cache.h"
#include "backends/vulkan/driver/validation.h"

#define SPIN_MOST_US 1000u
#define SPIN_DEFAULT_US 100u

static uint64_t spin_setting(const struct trm_host *host)
{
    char text[32];
    uint64_t needed = 0;
    if (host->get_setting(host->context, "vulkan.spin", text, sizeof(text), &needed) != TRM_OK)
        return SPIN_DEFAULT_US * 1000u;
    unsigned long long microseconds = strtoull(text, NULL, 10);
    return (microseconds < SPIN_MOST_US ? microseconds : SPIN_MOST_US) * 1000u;
}

static enum vulkan_copies copies_setting(const struct trm_host *host)
{
    char text[16];
    uint64_t needed = 0;
    if (host->get_setting(host->context, "vulkan.copies", text, sizeof(text), &needed) != TRM_OK)
        return VULKAN_COPIES_AUTO;
    if (strcmp(text, "kernel") == 0)
        return VULKAN_COPIES_KERNEL;
    return strcmp(text, "engine") == 0 ? VULKAN_COPIES_ENGINE : VULKAN_COPIES_AUTO;
}

static uint32_t count_setting(const struct trm_host *host, const char *name, uint32_t most)
{
    char text[16];
    uint64_t needed = 0;
    if (host->get_setting(host->context, name, text, sizeof(text), &needed) != TRM_OK)
        return 0;
    unsigned long count = strtoul(text, NULL, 10);
    return count < most ? (uint32_t)count : most;
}

static int32_t find_version(struct trm_backend_instance *instance, char *reason)
{
    PFN_vkEnumerateInstanceVersion ask = instance->loader.vk.vkEnumerateInstanceVersion;
    uint32_t version                   = VK_API_VERSION_1_0;
    VkResult result                    = ask != NULL ? ask(&version) : VK_SUCCESS;
    if (result < 0) {
        snprintf(reason, VULKAN_REASON_BYTES, "vkEnumerateInstanceVersion failed: %s",
                 vulkan_result_name(result));
        return vulkan_status(result);
    }
    if (version < VK_API_VERSION_1_1) {
        snprintf(reason, VULKAN_REASON_BYTES,
                 "the Vulkan loader supports only Vulkan 1.0, and 1.1 is needed");
        return TRM_ERROR_UNSUPPORTED;
    }
    instance->version = version < VULKAN_VERSION_MOST ? version : VULKAN_VERSION_MOST;
    return TRM_OK;
}

static int32_t create_handle(struct trm_backend_instance *instance, char *reason)
{
    const char *extensions[2];
    struct vulkan_validation validation;
    VkApplicationInfo application = {.sType       = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .pEngineName = "Trireme",
                                     .apiVersion  = instance->version};
    VkInstanceCreateInfo info     = {.sType            = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pApplicationInfo = &application};
    if (instance->validates)
        vulkan_validation_add(instance->host, &validation, &info, extensions);
    VkResult result = instance->loader.vk.vkCreateInstance(&info, NULL, &instance->handle);
    if (result >= 0) {
        vulkan_instance_cache_count();
        vulkan_fork_note();
        return TRM_OK;
    }
    instance->handle = VK_NULL_HANDLE;
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        snprintf(reason, VULKAN_REASON_BYTES, "there is no Vulkan driver (VK_ERROR_INCOMPATIBLE_DRIVER)%s",
                 vulkan_fork_hint());
    else
        snprintf(reason, VULKAN_REASON_BYTES, "vkCreateInstance failed: %s%s", vulkan_result_name(result),
                 vulkan_fork_hint());
    return vulkan_status(result);
}

static bool take_cached(struct trm_backend_instance *instance)
{
    struct vulkan_cached_instance cached;
    if (!vulkan_instance_cache_take(&instance->loader, &cached))
        return false;
    vulkan_loader_close(&cached.loader); /* `instance` has opened the library itself */
    instance->handle  = cached.handle;
    instance->version = cached.version;
    return true;
}

/* Runs all steps from the loader to the devices. After a failure vulkan_instance_destroy() undoes the
 * completed ones. */
static int32_t start(struct trm_backend_instance *instance, char *reason)
{
    int32_t status = vulkan_loader_open(instance->host, &instance->loader, reason, VULKAN_REASON_BYTES);
    if (status != TRM_OK)
        return status;
    status = vulkan_fork_check(&instance->loader, reason, VULKAN_REASON_BYTES);
    if (status != TRM_OK)
        return status;
    instance->validates = vulkan_validation_is_wanted(instance->host, &instance->loader);
    if (instance->validates || !take_cached(instance)) {
        status = find_version(instance, reason);
        if (status == TRM_OK)
            status = create_handle(instance, reason);
    }
    if (status != TRM_OK)
        return status;
    const char *missing = vulkan_load_instance(instance->loader.get_proc, instance->handle, &instance->vk);
    if (missing != NULL) {
        snprintf(reason, VULKAN_REASON_BYTES, "the Vulkan loader has no %s", missing);
        return TRM_ERROR_UNSUPPORTED;
    }
    if (instance->validates && vulkan_messenger_create(instance) != TRM_OK) {
        snprintf(reason, VULKAN_REASON_BYTES, "the messages of the validation layer cannot be received");
        return TRM_ERROR_BACKEND;
    }
    return vulkan_physicals_find(instance, reason);
}

int32_t vulkan_instance_create(const struct trm_host *host, struct trm_backend_instance **result,
                               char *reason)
{
    struct trm_backend_instance *instance =
        host->allocate(host->context, sizeof(*instance), _Alignof(max_align_t));
    sigset_t before;
    reason[0] = '\0';
    if (instance == NULL) {
        snprintf(reason, VULKAN_REASON_BYTES, "no host memory for an instance");
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    }
    memset(instance, 0, sizeof(*instance));
    instance->host    = host;
    instance->spin_ns = spin_setting(host);
    instance->copies  = copies_setting(host);
    instance->items   = count_setting(host, "vulkan.items", VULKAN_COARSEN_MOST);
    instance->unroll  = count_setting(host, "vulkan.unroll", VULKAN_UNROLL_MOST);
    instance->bounds  = trm_util_setting_is_on(host, "kernel.bounds");
    trm_util_signals_block(&before);
    int32_t status = start(instance, reason);
    trm_util_signals_restore(&before);
    if (status != TRM_OK) {
        vulkan_instance_destroy(instance);
        return status;
    }
    *result = instance;
    return TRM_OK;
}

/* Moves loader and VkInstance into the cache. Not with validation, whose messenger reports to this host. */
static void put_in_cache(struct trm_backend_instance *instance)
{
    struct vulkan_cached_instance cached = {.loader  = instance->loader,
                                            .handle  = instance->handle,
                                            .version = instance->version,
                                            .destroy = instance->vk.vkDestroyInstance};
    if (instance->validates || cached.handle == VK_NULL_HANDLE || cached.destroy == NULL ||
        !vulkan_instance_cache_put(&cached))
        return;
    instance->handle = VK_NULL_HANDLE;
    instance->loader = (struct vulkan_loader){0};
}

void vulkan_instance_destroy(struct trm_backend_instance *instance)
{
    const struct trm_host *host = instance->host;
    vulkan_physicals_release(instance);
    vulkan_messenger_destroy(instance);
    if (vulkan_instance_cache_is_permanent())
        put_in_cache(instance);
    /* Without vkDestroyInstance the handle leaks. */
    if (instance->handle != VK_NULL_HANDLE && instance->vk.vkDestroyInstance != NULL)
        instance->vk.vkDestroyInstance(instance->handle, NULL);
    vulkan_loader_close(&instance->loader);
    host->release(host->context, instance, sizeof(*instance));
}

void vulkan_instance_destroy_to_cache(struct trm_backend_instance *instance)
{
    put_in_cache(instance);
    vulkan_instance_destroy(instance);
}
