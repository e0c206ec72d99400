/* vulkan backend: which memory type serves which kind of memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MEMORY_MEMORY_TYPE_H
#define BACKENDS_VULKAN_MEMORY_MEMORY_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/driver.h"

#define VULKAN_TYPES_MOST 4u

/* Types for one kind, best first; the others are used when its heap is full. */
struct vulkan_type_choice {
    uint32_t types[VULKAN_TYPES_MOST];
    uint32_t count;
};

/* Choose from the types in `bits` for `kind` (enum trm_memory_kind, with IMPORTED). `unified`: device memory
 * must be host-visible. `count` is 0 if no type fits. */
void vulkan_types_choose(const VkPhysicalDeviceMemoryProperties *memory, uint32_t bits, int32_t kind,
                         bool unified, struct vulkan_type_choice *choice);

/* Whether the host reaches memory of the type, coherently. */
bool vulkan_type_is_mapped(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type);

#endif
