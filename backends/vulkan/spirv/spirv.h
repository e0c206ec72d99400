/* vulkan backend: the spirv room.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_SPIRV_H
#define BACKENDS_VULKAN_SPIRV_SPIRV_H

#include "backends/vulkan/spirv/coarsen.h"
#include "backends/vulkan/spirv/shader.h"

#endif
