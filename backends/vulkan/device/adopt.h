/* vulkan backend: an application's own device.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DEVICE_ADOPT_H
#define BACKENDS_VULKAN_DEVICE_ADOPT_H

#include "backends/vulkan/driver/driver.h"

/* What a borrowed device was made from. */
struct vulkan_loan {
    PFN_vkGetInstanceProcAddr get_proc;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    struct vulkan_physical physical; /* ours of the same device, less what was not enabled */
};

/* A slot of the table. */
int32_t vulkan_device_adopt(struct trm_backend_instance *instance, int32_t type, const void *native,
                            uint32_t *index, struct trm_backend_device **device);

/* The device is being closed. NULL is fine. */
void vulkan_loan_end(const struct trm_backend_instance *instance, struct vulkan_loan *loan);

/* adopt_features.c: leave of `features` only what `enabled` and its chain enable; NULL: nothing was. */
void vulkan_features_limit(struct vulkan_features *features, uint32_t known,
                           const VkPhysicalDeviceFeatures2 *enabled);

#endif
