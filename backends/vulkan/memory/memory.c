/* vulkan backend: the memory table, on top of the heap.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/memory/memory.h"

static int32_t memory_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                               struct trm_backend_memory **memory)
{
    int32_t status = vulkan_device_check(device);

    if (status != TRM_OK)
        return status;
    if (desc->kind == TRM_MEMORY_IMPORTED)
        return vulkan_heap_import_host(device->heap, desc->host_pointer, desc->size, memory);
    return vulkan_heap_allocate(device->heap, desc->kind, desc->size, desc->alignment, memory);
}

static int32_t memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    if (memory->host == NULL)
        return trm_util_fail(memory->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "The host cannot reach this memory of %s.",
                             memory->device->physical->properties.deviceName);
    *pointer = memory->host;
    return TRM_OK;
}

static int32_t memory_address(struct trm_backend_memory *memory, uint64_t offset, uint64_t size,
                              uint64_t *address)
{
    const struct trm_backend_device *device = memory->device;
    VkBufferDeviceAddressInfo info          = {
                 .sType  = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                 .buffer = memory->buffer,
    };

    (void)size;
    if (device->vk.vkGetBufferDeviceAddress == NULL)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "%s lacks the feature bufferDeviceAddress.",
                             device->physical->properties.deviceName);
    *address = device->vk.vkGetBufferDeviceAddress(device->handle, &info) + memory->base + offset;
    return TRM_OK;
}

const struct trm_memory_ops vulkan_memory_ops = {
    .struct_size  = sizeof(vulkan_memory_ops),
    .allocate     = memory_allocate,
    .free         = vulkan_heap_free,
    .host_pointer = memory_host_pointer,
    .address      = memory_address,
};
