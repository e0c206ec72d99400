/* vulkan backend: imported and exported memory: pages of the program, opaque file descriptors.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "backends/vulkan/memory/heap_internal.h"

/* Creates a block for one owner and explains failures. */
static int32_t make_block(struct vulkan_heap *heap, const struct vulkan_block_desc *desc,
                          struct vulkan_block **block)
{
    struct vulkan_block_failure failure;

    if (vulkan_heap_make_block(heap, desc, block, &failure) == VK_SUCCESS)
        return TRM_OK;
    if (failure.result == VK_ERROR_INVALID_EXTERNAL_HANDLE)
        return trm_util_fail(heap->device->instance->host, TRM_ERROR_UNSUPPORTED, failure.result,
                             "%s cannot import this memory: %s() returned %s.",
                             heap->device->physical->properties.deviceName, failure.call,
                             vulkan_result_name(failure.result));
    return vulkan_heap_fail(heap, desc->size, &failure);
}

static int32_t list_block(struct vulkan_heap *heap, struct vulkan_block *block)
{
    if (vulkan_host_ranges_add(&heap->host_ranges, &block->whole))
        return TRM_OK;
    vulkan_heap_drop_block(heap, block);
    return trm_util_fail_host_memory(heap->device->instance->host, "imported memory");
}

/* ---- host pages ---------------------------------------------------------------------------- */

static int32_t fail_import(const struct vulkan_heap *heap, const char *why)
{
    return trm_util_fail(heap->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "%s cannot import this host memory: %s.",
                         heap->device->physical->properties.deviceName, why);
}

/* Memory types that these pages and our buffers have in common. */
static int32_t page_types(struct vulkan_heap *heap, void *pages, uint32_t *bits)
{
    struct trm_backend_device *device = heap->device;
    const VkExternalMemoryHandleTypeFlagBits host_allocation =
        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT;
    VkMemoryHostPointerPropertiesEXT properties = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
    };

    VkResult result =
        device->vk.vkGetMemoryHostPointerPropertiesEXT(device->handle, host_allocation, pages, &properties);
    if (result == VK_ERROR_INVALID_EXTERNAL_HANDLE)
        return fail_import(heap, "its driver rejects these pages");
    if (result < 0)
        return vulkan_device_fail(device, result, "vkGetMemoryHostPointerPropertiesEXT");
    *bits = properties.memoryTypeBits & heap->type_bits;
    return TRM_OK;
}

int32_t vulkan_heap_import_host(struct vulkan_heap *heap, void *pointer, uint64_t size,
                                struct trm_backend_memory **memory)
{
    struct trm_backend_device *device = heap->device;
    uint64_t page                     = device->physical->import_alignment;
    struct vulkan_type_choice choice;
    struct vulkan_block *block;
    uint32_t bits = 0;

    if (page == 0 || device->vk.vkGetMemoryHostPointerPropertiesEXT == NULL)
        return fail_import(heap, "it lacks VK_EXT_external_memory_host");
    uintptr_t begin = (uintptr_t)pointer & ~(page - 1);
    uint64_t lead   = (uintptr_t)pointer - begin;
    if (lead % heap->buffer_grain != 0)
        return fail_import(heap, "its address is not aligned for buffers");
    struct vulkan_block_desc desc = {
        .host = (unsigned char *)pointer - lead,
        .size = (lead + size + page - 1) & ~(page - 1),
    };

    int32_t status = page_types(heap, desc.host, &bits);
    if (status != TRM_OK)
        return status;
    vulkan_types_choose(&device->physical->memory, bits, TRM_MEMORY_IMPORTED, false, &choice);
    if (choice.count == 0)
        return fail_import(heap, "no memory type of buffers fits it");
    desc.type = choice.types[0];
    status    = make_block(heap, &desc, &block);
    if (status != TRM_OK)
        return status;
    block->whole.kind = TRM_MEMORY_IMPORTED;
    block->whole.base = lead;
    block->whole.size = size;
    block->whole.host = pointer;
    status            = list_block(heap, block);
    if (status == TRM_OK)
        *memory = &block->whole;
    return status;
}

/* ---- file descriptors ---------------------------------------------------------------------- */

static int32_t fail_fd(const struct vulkan_heap *heap)
{
    return trm_util_fail(heap->device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "%s lacks VK_KHR_external_memory_fd, which sharing memory needs.",
                         heap->device->physical->properties.deviceName);
}

/* Fills in the memory type that suits device memory best, and whether the memory must be dedicated. */
static int32_t external_desc(struct vulkan_heap *heap, uint64_t size, VkExternalMemoryFeatureFlagBits needed,
                             struct vulkan_block_desc *desc)
{
    const VkExternalMemoryHandleTypeFlagBits opaque_fd = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    struct trm_backend_device *device                  = heap->device;
    VkExternalBufferProperties properties   = {.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    VkPhysicalDeviceExternalBufferInfo info = {
        .sType      = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage      = vulkan_block_usage(device),
        .handleType = opaque_fd,
    };
    struct vulkan_type_choice choice;
    VkMemoryRequirements required;
    VkBuffer buffer;

    device->instance->vk.vkGetPhysicalDeviceExternalBufferProperties(device->physical->handle, &info,
                                                                     &properties);
    VkExternalMemoryFeatureFlags features = properties.externalMemoryProperties.externalMemoryFeatures;
    if (device->vk.vkGetMemoryFdKHR == NULL || !(features & needed))
        return fail_fd(heap);
    VkResult result = vulkan_block_buffer(device, size, opaque_fd, &buffer);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkCreateBuffer");
    device->vk.vkGetBufferMemoryRequirements(device->handle, buffer, &required);
    device->vk.vkDestroyBuffer(device->handle, buffer, NULL);
    vulkan_types_choose(&device->physical->memory, required.memoryTypeBits, TRM_MEMORY_DEVICE,
                        device->physical->unified, &choice);
    if (choice.count == 0)
        return fail_fd(heap);
    desc->type      = choice.types[0];
    desc->size      = size;
    desc->dedicated = features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
    return TRM_OK;
}

static int32_t make_external(struct vulkan_heap *heap, const struct vulkan_block_desc *desc,
                             struct trm_backend_memory **memory)
{
    struct vulkan_block *block;

    int32_t status = make_block(heap, desc, &block);
    if (status != TRM_OK)
        return status;
    block->whole.kind = TRM_MEMORY_DEVICE;
    status            = list_block(heap, block);
    if (status != TRM_OK)
        return status;
    pthread_mutex_lock(&heap->lock);
    heap->used += block->size;
    pthread_mutex_unlock(&heap->lock);
    *memory = &block->whole;
    return TRM_OK;
}

int32_t vulkan_heap_allocate_exportable(struct vulkan_heap *heap, uint64_t size,
                                        struct trm_backend_memory **memory)
{
    struct vulkan_block_desc desc = {.exportable = true};

    int32_t status = external_desc(heap, size, VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT, &desc);
    return status == TRM_OK ? make_external(heap, &desc, memory) : status;
}

int32_t vulkan_heap_export_fd(struct trm_backend_memory *memory, int *fd, uint64_t *size)
{
    struct trm_backend_device *device = memory->device;
    const struct vulkan_block *block  = memory->block;
    VkMemoryGetFdInfoKHR info         = {
                .sType      = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
                .memory     = block->memory,
                .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
    };

    if (!block->exportable)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "This memory cannot be exported: it was not created as exportable.");
    VkResult result = device->vk.vkGetMemoryFdKHR(device->handle, &info, fd);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkGetMemoryFdKHR");
    *size = block->allocated;
    return TRM_OK;
}

/* The driver gets a duplicate, so that the caller's descriptor is closed only when nothing can fail any
 * more. */
int32_t vulkan_heap_import_fd(struct vulkan_heap *heap, int fd, uint64_t size,
                              struct trm_backend_memory **memory)
{
    int copy                      = -1;
    struct vulkan_block_desc desc = {.fd = &copy};

    int32_t status = external_desc(heap, size, VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT, &desc);
    if (status != TRM_OK)
        return status;
    copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return trm_util_fail(heap->device->instance->host, TRM_ERROR_INVALID_ARGUMENT, errno,
                             "The file descriptor %d cannot be duplicated: %s.", fd, strerror(errno));
    status = make_external(heap, &desc, memory);
    if (copy >= 0)
        close(copy);
    if (status == TRM_OK)
        close(fd);
    return status;
}
