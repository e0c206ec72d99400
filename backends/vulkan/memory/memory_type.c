/* vulkan backend: chooses memory types.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/memory_type.h"

#define LOCAL VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define COHERENT (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
#define CACHED VK_MEMORY_PROPERTY_HOST_CACHED_BIT

/* Types with other properties are not used: they are protected, or slower (uncached on the device). */
#define KNOWN (LOCAL | COHERENT | CACHED)

/* A higher score is better; 0: unusable. */
static uint32_t score_device(VkMemoryPropertyFlags flags, bool unified)
{
    bool mapped = (flags & COHERENT) == COHERENT;

    if (!(flags & LOCAL))
        return 0;
    if (unified)
        return !mapped ? 0 : flags & CACHED ? 2 : 1;
    return flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT ? 1 : 2;
}

static uint32_t score_pinned(VkMemoryPropertyFlags flags)
{
    if ((flags & COHERENT) != COHERENT)
        return 0;
    return 1 + (flags & LOCAL ? 0 : 1) + (flags & CACHED ? 2 : 0);
}

/* Prefers device memory that the host reaches to host memory that the device reaches. */
static uint32_t score_unified(VkMemoryPropertyFlags flags)
{
    if ((flags & COHERENT) != COHERENT)
        return 0;
    return 1 + (flags & CACHED ? 1 : 0) + (flags & LOCAL ? 2 : 0);
}

static uint32_t score(VkMemoryPropertyFlags flags, int32_t kind, bool unified)
{
    if (flags & ~(VkMemoryPropertyFlags)KNOWN)
        return 0;
    switch (kind) {
    case TRM_MEMORY_DEVICE:
        return score_device(flags, unified);
    case TRM_MEMORY_UNIFIED:
        return score_unified(flags);
    case TRM_MEMORY_PINNED:
    case TRM_MEMORY_IMPORTED:
        return score_pinned(flags);
    default:
        return 0;
    }
}

static bool is_chosen(const VkPhysicalDeviceMemoryProperties *memory, const struct vulkan_type_choice *choice,
                      uint32_t heap)
{
    for (uint32_t i = 0; i < choice->count; i++)
        if (memory->memoryTypes[choice->types[i]].heapIndex == heap)
            return true;
    return false;
}

/* Other kinds than UNIFIED do not fall back from host to device memory or the reverse. */
static bool may_follow(const VkPhysicalDeviceMemoryProperties *memory,
                       const struct vulkan_type_choice *choice, int32_t kind, uint32_t type)
{
    VkMemoryPropertyFlags flags = memory->memoryTypes[type].propertyFlags;

    if (is_chosen(memory, choice, memory->memoryTypes[type].heapIndex))
        return false;
    return choice->count == 0 || kind == TRM_MEMORY_UNIFIED ||
           ((memory->memoryTypes[choice->types[0]].propertyFlags ^ flags) & LOCAL) == 0;
}

/* The best type whose heap is not chosen yet; the first of equals, since drivers list faster types first. */
static uint32_t best(const VkPhysicalDeviceMemoryProperties *memory, uint32_t bits, int32_t kind,
                     bool unified, const struct vulkan_type_choice *choice)
{
    uint32_t found = VK_MAX_MEMORY_TYPES, best_score = 0;

    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        uint32_t this_score = score(memory->memoryTypes[i].propertyFlags, kind, unified);
        if (!(bits & 1u << i) || this_score <= best_score || !may_follow(memory, choice, kind, i))
            continue;
        found      = i;
        best_score = this_score;
    }
    return found;
}

void vulkan_types_choose(const VkPhysicalDeviceMemoryProperties *memory, uint32_t bits, int32_t kind,
                         bool unified, struct vulkan_type_choice *choice)
{
    choice->count = 0;
    while (choice->count < VULKAN_TYPES_MOST) {
        uint32_t type = best(memory, bits, kind, unified, choice);
        if (type == VK_MAX_MEMORY_TYPES)
            return;
        choice->types[choice->count++] = type;
    }
}

bool vulkan_type_is_mapped(const VkPhysicalDeviceMemoryProperties *memory, uint32_t type)
{
    return (memory->memoryTypes[type].propertyFlags & COHERENT) == COHERENT;
}
