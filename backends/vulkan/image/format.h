/* vulkan backend: formats of texels.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_IMAGE_FORMAT_H
#define BACKENDS_VULKAN_IMAGE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/driver.h"

struct vulkan_format {
    VkFormat format;
    uint32_t bytes; /* of a texel */
    bool is_integer;
};

/* Get the driver's name of a format (enum trm_format). NULL for formats of a later minor version. */
const struct vulkan_format *vulkan_format_find(int32_t format);

/* What the device can do with texels of a format in images, and in buffers. */
VkFormatFeatureFlags vulkan_format_image_features(const struct trm_backend_device *device, int32_t format);
VkFormatFeatureFlags vulkan_format_buffer_features(const struct trm_backend_device *device, int32_t format);

/* Whether samplers may compare its texels with a depth. Devices before Vulkan 1.3 do not say, and cannot. */
bool vulkan_format_is_comparable(const struct trm_backend_device *device, int32_t format);

#endif
