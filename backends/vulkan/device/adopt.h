/* vulkan backend: devices that an application lends.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DEVICE_ADOPT_H
#define BACKENDS_VULKAN_DEVICE_ADOPT_H

#include "backends/vulkan/driver/driver.h"

/* The application's device. */
struct vulkan_loan {
    PFN_vkGetInstanceProcAddr get_proc;
    VkInstance instance;
    VkPhysicalDevice physical_device;
    struct vulkan_physical physical; /* our physical device, limited to what the application has enabled */
};

/* A slot of the interop table. */
int32_t vulkan_device_adopt(struct trm_backend_instance *instance, int32_t type, const void *native,
                            uint32_t *index, struct trm_backend_device **device);

/* Free the description when the device is closed. NULL is fine. */
void vulkan_loan_end(const struct trm_backend_instance *instance, struct vulkan_loan *loan);

/* adopt_features.c: clear all `features` that `enabled` and its chain do not enable; NULL enables none. */
void vulkan_features_limit(struct vulkan_features *features, uint32_t known,
                           const VkPhysicalDeviceFeatures2 *enabled);

#endif
