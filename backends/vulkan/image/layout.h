/* vulkan backend: the layout of images.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_IMAGE_LAYOUT_H
#define BACKENDS_VULKAN_IMAGE_LAYOUT_H

#include "backends/vulkan/driver/driver.h"

/* The device's commands for changes of layouts. The driver's objects are made when first needed. */
struct vulkan_layouts;

int32_t vulkan_layouts_create(struct trm_backend_device *device, struct vulkan_layouts **layouts);
void vulkan_layouts_destroy(struct vulkan_layouts *layouts); /* NULL is fine; the device is idle */

/* Move all of an idle image from one layout to another, and wait until the device has done it. Any thread. */
int32_t vulkan_layout_change(struct vulkan_layouts *layouts, VkImage image, VkImageLayout from,
                             VkImageLayout to);

#endif
