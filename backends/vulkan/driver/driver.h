/* vulkan backend: the driver room.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_DRIVER_H
#define BACKENDS_VULKAN_DRIVER_DRIVER_H

#include "backends/vulkan/driver/fork_check.h"
#include "backends/vulkan/driver/instance.h"
#include "backends/vulkan/driver/instance_cache.h"
#include "backends/vulkan/driver/objects.h"

#endif
