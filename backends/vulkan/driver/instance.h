/* vulkan backend: instances: the loader, a VkInstance, and the devices that are fit for use.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_INSTANCE_H
#define BACKENDS_VULKAN_DRIVER_INSTANCE_H

#include "backends/vulkan/driver/objects.h"

#define VULKAN_REASON_BYTES 1024

/* What is asked of Vulkan at most; what a device has of it is in its struct vulkan_physical. */
#define VULKAN_VERSION_MOST VK_API_VERSION_1_3

/* Where it cannot be: an error, and in `reason` (VULKAN_REASON_BYTES) why, without a full stop; empty where fail() has been
 * told already. */
int32_t vulkan_instance_create(const struct trm_host *host, struct trm_backend_instance **instance,
                               char *reason);
void vulkan_instance_destroy(struct trm_backend_instance *instance);

/* The same, but the dear part of it waits for the next vulkan_instance_create(), where it can: see kept.h. */
void vulkan_instance_destroy_to_cache(struct trm_backend_instance *instance);

#endif
