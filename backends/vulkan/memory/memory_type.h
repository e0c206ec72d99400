/* vulkan backend: which of the driver's memory types serves which kind of memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_MEMORY_TYPE_H
#define BACKENDS_VULKAN_MEMORY_MEMORY_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/driver.h"

#define VULKAN_TYPES_MOST 4u

/* Types for one kind, the best first; those behind it are for when its heap is full. */
struct vulkan_type_choice {
    uint32_t types[VULKAN_TYPES_MOST];
    uint32_t count;
};

/* Of the types in `bits`, for `kind` (enum trm_memory_kind, IMPORTED included). `unified`: memory of the device is to be the
 * host's as well. `count` is 0 where there is none. */
void vulkan_types_choose(const VkPhysicalDeviceMemoryProperties *memory, uint32_t bits, int32_t kind,
                         bool unified, struct vulkan_type_choice *choice);

/* Does the host reach memory of the type, coherently? */
bool vulkan_type_is_mapped(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type);

#endif
