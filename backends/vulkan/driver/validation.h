/* vulkan backend: what the Khronos validation layer has to say, when the setting vulkan.validation asks for it.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_VALIDATION_H
#define BACKENDS_VULKAN_DRIVER_VALIDATION_H

#include "backends/vulkan/driver/objects.h"

#define VULKAN_VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"

/* What is chained to VkInstanceCreateInfo. */
struct vulkan_validation {
    VkValidationFeaturesEXT features;
    VkValidationFeatureEnableEXT enabled[2];
    VkDebugUtilsMessengerCreateInfoEXT messenger;
};

/* Does the setting ask for it, and are layer and extensions there? A warning in the log where they are missing. */
bool vulkan_validation_is_wanted(const struct trm_host *host, const struct vulkan_loader *loader);

/* Add the layer and its settings to what the instance is made with; `extensions` has room for two more. */
void vulkan_validation_add(const struct trm_host *host, struct vulkan_validation *validation,
                           VkInstanceCreateInfo *info, const char **extensions);

/* Messages of calls after the instance was made. */
int32_t vulkan_messenger_create(struct trm_backend_instance *instance);
void vulkan_messenger_destroy(struct trm_backend_instance *instance);

/* Is this a message that tells us nothing, by the table in messages.c? */
bool vulkan_message_is_known(const char *id, const char *text);

#endif
