/* vulkan backend: the inside of physical.c, which looks at devices, features.c and properties.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_PHYSICAL_INTERNAL_H
#define BACKENDS_VULKAN_DRIVER_PHYSICAL_INTERNAL_H

#include "backends/vulkan/driver/physical.h"

/* The extensions that a device offers, while it is looked at. */
struct vulkan_extension_list {
    VkExtensionProperties *list;
    uint32_t count;
    uint64_t size;
};

bool vulkan_extension_list_has(const struct vulkan_extension_list *offered, const char *name);

/* features.c: what is enabled when the device is opened, and its features; properties.c, after those. */
void vulkan_physical_find_features(const struct trm_backend_instance *instance,
                                   struct vulkan_physical *physical,
                                   const struct vulkan_extension_list *offered);
void vulkan_physical_find_properties(const struct trm_backend_instance *instance,
                                     struct vulkan_physical *physical,
                                     const struct vulkan_extension_list *offered);

#endif
