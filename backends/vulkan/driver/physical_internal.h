/* vulkan backend: shared by physical.c, features.c and properties.c.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_PHYSICAL_INTERNAL_H
#define BACKENDS_VULKAN_DRIVER_PHYSICAL_INTERNAL_H

#include "backends/vulkan/driver/physical.h"

/* The extensions that a device offers. */
struct vulkan_extension_list {
    VkExtensionProperties *list;
    uint32_t count;
    uint64_t size;
};

bool vulkan_extension_list_has(const struct vulkan_extension_list *offered, const char *name);

/* Fill in extensions and features (features.c), then properties (properties.c), which need the extensions. */
void vulkan_physical_find_features(const struct trm_backend_instance *instance,
                                   struct vulkan_physical *physical,
                                   const struct vulkan_extension_list *offered);
void vulkan_physical_find_properties(const struct trm_backend_instance *instance,
                                     struct vulkan_physical *physical,
                                     const struct vulkan_extension_list *offered);

#endif
