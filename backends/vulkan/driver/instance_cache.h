/* vulkan backend: a cache of one VkInstance.
 *
 * Creating a VkInstance loads drivers, which can take most of a second. The core calls probe() and then
 * open(), so probe() leaves its VkInstance here for open(). Only the loader and the VkInstance are cached;
 * neither refers to a host.
 *
 * Some drivers also fail after many loads and unloads: the hundredth VkInstance cannot be created, or works
 * wrongly. So once a process has created a few instances, the cache keeps one permanently, and with it the
 * driver stays loaded.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_INSTANCE_CACHE_H
#define BACKENDS_VULKAN_DRIVER_INSTANCE_CACHE_H

#include <stdbool.h>

#include "backends/vulkan/driver/loader.h"

struct vulkan_cached_instance {
    struct vulkan_loader loader;
    VkInstance handle;
    uint32_t version;
    PFN_vkDestroyInstance destroy;
};

/* Store an instance; the cache then owns it. False if the cache is full. */
bool vulkan_instance_cache_put(const struct vulkan_cached_instance *cached);

/* Take the instance that this process created with the library of `loader`. False if there is none. */
bool vulkan_instance_cache_take(const struct vulkan_loader *loader, struct vulkan_cached_instance *cached);

/* Drops the cached instance unless it is permanent. */
void vulkan_instance_cache_drop(void);

/* Count a VkInstance that this process has created. */
void vulkan_instance_cache_count(void);

/* Whether this process has created so many instances that one stays cached permanently. */
bool vulkan_instance_cache_is_permanent(void);

#endif
