/* vulkan backend: libvulkan, opened at run time.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_LOADER_H
#define BACKENDS_VULKAN_DRIVER_LOADER_H

#include <stdint.h>

#include "backends/vulkan/driver/functions.h"

struct trm_host;
struct trm_backend_instance;
struct trm_backend_device;

struct vulkan_loader {
    void *library;
    PFN_vkGetInstanceProcAddr get_proc;
    struct vulkan_global_functions vk;
};

/* Open the library that the setting vulkan.loader names. Errors: UNSUPPORTED with a text in `reason`
 * ("libvulkan.so.1 cannot be opened: …"); PERMISSION or NOT_FOUND, which the host has already explained. */
int32_t vulkan_loader_open(const struct trm_host *host, struct vulkan_loader *loader, char *reason,
                           uint64_t capacity);
void vulkan_loader_close(struct vulkan_loader *loader);

/* Fill in a table. Returns the name of a required function that is missing, or NULL. Functions that were
 * promoted from extensions are found by either name. */
const char *vulkan_load_instance(PFN_vkGetInstanceProcAddr get_proc, VkInstance handle,
                                 struct vulkan_instance_functions *vk);
const char *vulkan_load_device(const struct vulkan_instance_functions *instance, VkDevice handle,
                               struct vulkan_device_functions *vk);

#endif
