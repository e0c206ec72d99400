/* vulkan backend: creates and destroys blocks.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/block.h"

#include "backends/vulkan/memory/memory_type.h"

VkBufferUsageFlags vulkan_block_usage(const struct trm_backend_device *device)
{
    VkBufferUsageFlags usage = VULKAN_BLOCK_USAGE;

    if (device->vk.vkGetBufferDeviceAddress != NULL)
        usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    return usage;
}

VkResult vulkan_block_buffer(struct trm_backend_device *device, uint64_t size,
                             VkExternalMemoryHandleTypeFlags handle_type, VkBuffer *buffer)
{
    const struct vulkan_queues *queues        = &device->queues;
    VkExternalMemoryBufferCreateInfo external = {
        .sType       = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = handle_type,
    };
    VkBufferCreateInfo info = {
        .sType       = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext       = handle_type != 0 ? &external : NULL,
        .size        = size,
        .usage       = vulkan_block_usage(device),
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };

    info.queueFamilyIndexCount = queues->sharing_count != 0 ? queues->sharing_count : queues->family_count;
    info.pQueueFamilyIndices   = queues->sharing_count != 0 ? queues->sharing : queues->families;
    if (info.queueFamilyIndexCount > 1)
        info.sharingMode = VK_SHARING_MODE_CONCURRENT;
    return device->vk.vkCreateBuffer(device->handle, &info, NULL, buffer);
}

static VkExternalMemoryHandleTypeFlags handle_type_of(const struct vulkan_block_desc *desc)
{
    if (desc->host != NULL)
        return VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    return desc->exportable || desc->fd != NULL ? VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT : 0;
}

/* ---- allocation ---------------------------------------------------------------------------- */

static VkResult memory_allocate(struct vulkan_block *block, const struct vulkan_block_desc *desc,
                                uint64_t size)
{
    struct trm_backend_device *device      = block->device;
    VkImportMemoryHostPointerInfoEXT pages = {
        .sType        = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType   = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
        .pHostPointer = desc->host,
    };
    VkImportMemoryFdInfoKHR import_fd = {
        .sType      = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
        .fd         = desc->fd != NULL ? *desc->fd : -1,
    };
    VkExportMemoryAllocateInfo export_fd = {
        .sType       = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };
    VkMemoryDedicatedAllocateInfo dedicated = {
        .sType  = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .buffer = block->whole.buffer,
    };
    VkMemoryAllocateFlagsInfo address = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo info = {
        .sType           = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize  = size,
        .memoryTypeIndex = desc->type,
    };

    if (desc->host != NULL)
        info.pNext = &pages;
    else if (desc->fd != NULL)
        info.pNext = &import_fd;
    else if (desc->exportable)
        info.pNext = &export_fd;
    if (desc->dedicated) {
        dedicated.pNext = info.pNext;
        info.pNext      = &dedicated;
    }
    if (device->vk.vkGetBufferDeviceAddress != NULL) {
        address.pNext = info.pNext;
        info.pNext    = &address;
    }
    block->allocated = size;
    VkResult result  = device->vk.vkAllocateMemory(device->handle, &info, NULL, &block->memory);
    if (result == VK_SUCCESS && desc->fd != NULL)
        *desc->fd = -1;
    return result;
}

static VkResult memory_map(struct vulkan_block *block, const struct vulkan_block_desc *desc)
{
    const struct trm_backend_device *device = block->device;
    void *host                              = desc->host;

    if (host == NULL && vulkan_type_is_mapped(&device->physical->memory, desc->type)) {
        VkResult result = device->vk.vkMapMemory(device->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &host);
        if (result < 0)
            return result;
    }
    block->whole.host = host;
    return VK_SUCCESS;
}

/* An import has the size of what is imported. */
static uint64_t allocation_size(const struct vulkan_block_desc *desc, uint64_t required)
{
    return desc->host != NULL || desc->fd != NULL ? desc->size : required;
}

/* ---- creating and destroying --------------------------------------------------------------- */

static VkResult fail(struct vulkan_block_failure *failure, VkResult result, const char *call)
{
    failure->result = result;
    failure->call   = call;
    return result;
}

VkResult vulkan_block_create(struct trm_backend_device *device, const struct vulkan_block_desc *desc,
                             struct vulkan_block **block, struct vulkan_block_failure *failure)
{
    const struct vulkan_device_functions *vk = &device->vk;
    VkMemoryRequirements required;
    VkResult result;

    struct vulkan_block *made = trm_util_allocate(device->instance->host, sizeof(*made));
    if (made == NULL)
        return fail(failure, VK_ERROR_OUT_OF_HOST_MEMORY, NULL);
    made->device     = device;
    made->type       = desc->type;
    made->size       = desc->size;
    made->exportable = desc->exportable;

    result = vulkan_block_buffer(device, desc->size, handle_type_of(desc), &made->whole.buffer);
    if (result < 0) {
        fail(failure, result, "vkCreateBuffer");
        goto release;
    }
    vk->vkGetBufferMemoryRequirements(device->handle, made->whole.buffer, &required);
    result = memory_allocate(made, desc, allocation_size(desc, required.size));
    if (result < 0) {
        fail(failure, result, "vkAllocateMemory");
        goto destroy_buffer;
    }
    result = vk->vkBindBufferMemory(device->handle, made->whole.buffer, made->memory, 0);
    if (result < 0) {
        fail(failure, result, "vkBindBufferMemory");
        goto free_memory;
    }
    result = memory_map(made, desc);
    if (result < 0) {
        fail(failure, result, "vkMapMemory");
        goto free_memory;
    }
    made->whole.device = device;
    made->whole.size   = desc->size;
    made->whole.block  = made;
    *block             = made;
    return VK_SUCCESS;

free_memory:
    vk->vkFreeMemory(device->handle, made->memory, NULL);
destroy_buffer:
    vk->vkDestroyBuffer(device->handle, made->whole.buffer, NULL);
release:
    trm_util_release(device->instance->host, made, sizeof(*made));
    return result;
}

/* vkFreeMemory also unmaps. */
void vulkan_block_destroy(struct vulkan_block *block)
{
    struct trm_backend_device *device = block->device;

    device->vk.vkDestroyBuffer(device->handle, block->whole.buffer, NULL);
    device->vk.vkFreeMemory(device->handle, block->memory, NULL);
    trm_util_release(device->instance->host, block, sizeof(*block));
}

VkDeviceMemory vulkan_memory_handle(const struct trm_backend_memory *memory)
{
    return memory->block->memory;
}

uint32_t vulkan_memory_type(const struct trm_backend_memory *memory)
{
    return memory->block->type;
}

/* ---- the budget ---------------------------------------------------------------------------- */

uint64_t vulkan_block_budget(const struct trm_backend_device *device, uint32_t memory_heap, uint64_t held)
{
    const struct vulkan_physical *physical           = device->physical;
    const struct vulkan_instance_functions *vk       = &device->instance->vk;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT,
    };
    VkPhysicalDeviceMemoryProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
        .pNext = &budget,
    };
    uint64_t most = physical->memory.memoryHeaps[memory_heap].size;

    if (physical->has.memory_budget) {
        vk->vkGetPhysicalDeviceMemoryProperties2(physical->handle, &properties);
        /* 0 means that the driver does not know. */
        if (budget.heapBudget[memory_heap] != 0) {
            most = budget.heapBudget[memory_heap];
            held = budget.heapUsage[memory_heap];
        }
    }
    return most > held ? most - held : 0;
}
