/* vulkan backend: instances: the loader, a VkInstance, and the usable devices.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_INSTANCE_H
#define BACKENDS_VULKAN_DRIVER_INSTANCE_H

#include "backends/vulkan/driver/objects.h"

#define VULKAN_REASON_BYTES 1024

/* The newest version that is requested; each device may support less (struct vulkan_physical). */
#define VULKAN_VERSION_MOST VK_API_VERSION_1_3

/* On an error `reason` (VULKAN_REASON_BYTES) says why, without a full stop; it is empty if fail() has already
 * explained it. */
int32_t vulkan_instance_create(const struct trm_host *host, struct trm_backend_instance **instance,
                               char *reason);
void vulkan_instance_destroy(struct trm_backend_instance *instance);

/* Destroy the instance, but leave its VkInstance and loader in the cache for the next
 * vulkan_instance_create() (see instance_cache.h), where possible. */
void vulkan_instance_destroy_to_cache(struct trm_backend_instance *instance);

#endif
