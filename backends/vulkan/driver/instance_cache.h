/* vulkan backend: a VkInstance for whoever comes next.
 *
 * Making one loads drivers, which takes some of them most of a second. The core asks a backend first whether it can work and then
 * opens it, so what probe() made is kept here for the open() that follows: loader and VkInstance alone, which have nothing
 * of the host's. There is room for one.
 *
 * Nor do all drivers bear being loaded and unloaded again and again: on some the hundredth VkInstance cannot be made any more, or
 * works wrongly. Where a process has made a few, one is kept for good, and with it the driver stays loaded.
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

/* Takes it over; false where there is one already. */
bool vulkan_instance_cache_put(const struct vulkan_cached_instance *cached);

/* The one that was made with the library of `loader`, in this process; false where there is none. */
bool vulkan_instance_cache_take(const struct vulkan_loader *loader, struct vulkan_cached_instance *cached);

/* Nobody comes. One that is kept for good stays. */
void vulkan_instance_cache_drop(void);

/* This process has made a VkInstance. */
void vulkan_instance_cache_count(void);

/* Has it made so many that one is to be kept for good? */
bool vulkan_instance_cache_is_permanent(void);

#endif
