/* vulkan backend: the Khronos validation layer, for the setting vulkan.validation.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_VALIDATION_H
#define BACKENDS_VULKAN_DRIVER_VALIDATION_H

#include "backends/vulkan/driver/objects.h"

#define VULKAN_VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

/* The structs that are chained to VkInstanceCreateInfo. */
struct vulkan_validation {
    VkValidationFeaturesEXT features;
    VkValidationFeatureEnableEXT enabled[2];
    VkDebugUtilsMessengerCreateInfoEXT messenger;
};

/* Whether the setting is on and the layer is installed. Logs a warning if only the layer is missing. */
bool vulkan_validation_is_wanted(const struct trm_host *host, const struct vulkan_loader *loader);

/* Add the layer and its options to the VkInstanceCreateInfo; `extensions` has room for two more names. */
void vulkan_validation_add(const struct trm_host *host, struct vulkan_validation *validation,
                           VkInstanceCreateInfo *info, const char **extensions);

/* Receive the messages of all calls after vkCreateInstance. */
int32_t vulkan_messenger_create(struct trm_backend_instance *instance);
void vulkan_messenger_destroy(struct trm_backend_instance *instance);

/* Whether the message is in the table of expected messages in validation.c.
 * */
bool vulkan_message_is_known(const char *id, const char *text);

#endif
