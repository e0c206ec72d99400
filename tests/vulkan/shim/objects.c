/* Objects that belong to a device, and calls on them.
 * SPDX-License-Identifier: MIT
 */
#include "shim.h"

/* vkCreate…(device, info, allocator, object), with an entry in the ledger, and the matching destroy
 * function. */
#define SHIM_OBJECT(kind, name)                                                                       \
    VKAPI_ATTR VkResult VKAPI_CALL shim_vkCreate##name(VkDevice device, const kind##CreateInfo *info, \
                                                       const VkAllocationCallbacks *allocator,        \
                                                       kind object[])                                 \
    {                                                                                                 \
        VkResult result = shim_call(SHIM_vkCreate##name);                                             \
        if (result == VK_SUCCESS)                                                                     \
            result = shim_real.vkCreate##name(device, info, allocator, object);                       \
        if (result == VK_SUCCESS)                                                                     \
            shim_made(#kind, SHIM_HANDLE(*object), SHIM_HANDLE(device), 0, 0);                        \
        return result;                                                                                \
    }                                                                                                 \
    SHIM_DESTROYER(kind, name, false)

#define SHIM_DESTROYER(kind, name, with_children)                                           \
    VKAPI_ATTR void VKAPI_CALL shim_vkDestroy##name(VkDevice device, kind object,           \
                                                    const VkAllocationCallbacks *allocator) \
    {                                                                                       \
        (void)shim_call(SHIM_vkDestroy##name);                                              \
        if (!object)                                                                        \
            return;                                                                         \
        shim_ended(#kind, SHIM_HANDLE(object), with_children);                              \
        shim_real.vkDestroy##name(device, object, allocator);                               \
    }

/* A function that is only counted and made to fail. */
#define SHIM_PLAIN(name, parameters, arguments)                          \
    VKAPI_ATTR VkResult VKAPI_CALL shim_##name parameters                \
    {                                                                    \
        VkResult result = shim_call(SHIM_##name);                        \
        return result != VK_SUCCESS ? result : shim_real.name arguments; \
    }

#define SHIM_VOID(name, parameters, arguments)        \
    VKAPI_ATTR void VKAPI_CALL shim_##name parameters \
    {                                                 \
        (void)shim_call(SHIM_##name);                 \
        shim_real.name arguments;                     \
    }

SHIM_OBJECT(VkSemaphore, Semaphore)
SHIM_OBJECT(VkFence, Fence)
SHIM_OBJECT(VkShaderModule, ShaderModule)
SHIM_OBJECT(VkDescriptorSetLayout, DescriptorSetLayout)
SHIM_OBJECT(VkDescriptorPool, DescriptorPool)
SHIM_OBJECT(VkPipelineLayout, PipelineLayout)
SHIM_OBJECT(VkPipelineCache, PipelineCache)
SHIM_OBJECT(VkQueryPool, QueryPool)
SHIM_OBJECT(VkBufferView, BufferView)
SHIM_OBJECT(VkImageView, ImageView)
SHIM_OBJECT(VkSampler, Sampler)
SHIM_DESTROYER(VkBuffer, Buffer, false)
SHIM_DESTROYER(VkImage, Image, false)
SHIM_DESTROYER(VkPipeline, Pipeline, false)
SHIM_DESTROYER(VkCommandPool, CommandPool, true)

SHIM_PLAIN(vkBindBufferMemory, (VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset),
           (device, buffer, memory, offset))
SHIM_PLAIN(vkBindImageMemory, (VkDevice device, VkImage image, VkDeviceMemory memory, VkDeviceSize offset),
           (device, image, memory, offset))
SHIM_PLAIN(vkResetDescriptorPool, (VkDevice device, VkDescriptorPool pool, VkDescriptorPoolResetFlags flags),
           (device, pool, flags))
SHIM_PLAIN(vkAllocateDescriptorSets,
           (VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *sets),
           (device, info, sets))
SHIM_PLAIN(vkGetPipelineCacheData, (VkDevice device, VkPipelineCache cache, size_t *size, void *data),
           (device, cache, size, data))
SHIM_PLAIN(vkGetCalibratedTimestampsEXT,
           (VkDevice device, uint32_t count, const VkCalibratedTimestampInfoEXT *infos, uint64_t *times,
            uint64_t *deviation),
           (device, count, infos, times, deviation))
SHIM_PLAIN(vkGetDeviceFaultInfoEXT,
           (VkDevice device, VkDeviceFaultCountsEXT *counts, VkDeviceFaultInfoEXT *info),
           (device, counts, info))
SHIM_PLAIN(vkGetMemoryFdKHR, (VkDevice device, const VkMemoryGetFdInfoKHR *info, int *fd), (device, info, fd))
SHIM_PLAIN(vkGetSemaphoreFdKHR, (VkDevice device, const VkSemaphoreGetFdInfoKHR *info, int *fd),
           (device, info, fd))
SHIM_PLAIN(vkImportSemaphoreFdKHR, (VkDevice device, const VkImportSemaphoreFdInfoKHR *info), (device, info))
SHIM_PLAIN(vkWaitForFences,
           (VkDevice device, uint32_t count, const VkFence *fences, VkBool32 all, uint64_t timeout),
           (device, count, fences, all, timeout))
SHIM_PLAIN(vkResetFences, (VkDevice device, uint32_t count, const VkFence *fences), (device, count, fences))

SHIM_VOID(vkUpdateDescriptorSets,
          (VkDevice device, uint32_t writes, const VkWriteDescriptorSet *write, uint32_t copies,
           const VkCopyDescriptorSet *copy),
          (device, writes, write, copies, copy))
SHIM_VOID(vkResetQueryPool, (VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count),
          (device, pool, first, count))
SHIM_VOID(vkResetQueryPoolEXT, (VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count),
          (device, pool, first, count))

VKAPI_ATTR VkDeviceAddress VKAPI_CALL shim_vkGetBufferDeviceAddress(VkDevice device,
                                                                    const VkBufferDeviceAddressInfo *info)
{
    (void)shim_call(SHIM_vkGetBufferDeviceAddress);
    return shim_real.vkGetBufferDeviceAddress(device, info);
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL shim_vkGetBufferDeviceAddressKHR(VkDevice device,
                                                                       const VkBufferDeviceAddressInfo *info)
{
    (void)shim_call(SHIM_vkGetBufferDeviceAddressKHR);
    return shim_real.vkGetBufferDeviceAddressKHR(device, info);
}

/* ---- buffers, pipelines, queries --------------------------------------------------------------- */

/* The real device has one family, even if several are configured. */
VKAPI_ATTR VkResult VKAPI_CALL shim_vkCreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkBuffer *buffer)
{
    VkBufferCreateInfo changed = *info;
    VkResult result            = shim_call(SHIM_vkCreateBuffer);
    if (result != VK_SUCCESS)
        return result;
    if (shim_config.family_count > 0) {
        if (info->sharingMode == VK_SHARING_MODE_EXCLUSIVE && shim_device_of(device)->family_count > 1)
            shim_breach("a buffer of a device with several families belongs to one of them");
        changed.sharingMode           = VK_SHARING_MODE_EXCLUSIVE;
        changed.queueFamilyIndexCount = 0;
        changed.pQueueFamilyIndices   = NULL;
    }
    result = shim_real.vkCreateBuffer(device, &changed, allocator, buffer);
    if (result == VK_SUCCESS)
        shim_made("VkBuffer", SHIM_HANDLE(*buffer), SHIM_HANDLE(device), info->size, 0);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkCreateImage(VkDevice device, const VkImageCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkImage *image)
{
    VkImageCreateInfo changed = *info;
    VkResult result           = shim_call(SHIM_vkCreateImage);
    if (result != VK_SUCCESS)
        return result;
    if (shim_config.family_count > 0) {
        if (info->sharingMode == VK_SHARING_MODE_EXCLUSIVE && shim_device_of(device)->family_count > 1)
            shim_breach("an image of a device with several families belongs to one of them");
        changed.sharingMode           = VK_SHARING_MODE_EXCLUSIVE;
        changed.queueFamilyIndexCount = 0;
        changed.pQueueFamilyIndices   = NULL;
    }
    result = shim_real.vkCreateImage(device, &changed, allocator, image);
    if (result == VK_SUCCESS)
        shim_made("VkImage", SHIM_HANDLE(*image), SHIM_HANDLE(device), 0, 0);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkCreateComputePipelines(VkDevice device, VkPipelineCache cache,
                                                             uint32_t count,
                                                             const VkComputePipelineCreateInfo *infos,
                                                             const VkAllocationCallbacks *allocator,
                                                             VkPipeline *pipelines)
{
    VkResult result = shim_call(SHIM_vkCreateComputePipelines);
    if (result != VK_SUCCESS) {
        for (uint32_t i = 0; i < count; i++)
            pipelines[i] = VK_NULL_HANDLE;
        return result;
    }
    result = shim_real.vkCreateComputePipelines(device, cache, count, infos, allocator, pipelines);
    for (uint32_t i = 0; i < count; i++)
        if (pipelines[i])
            shim_made("VkPipeline", SHIM_HANDLE(pipelines[i]), SHIM_HANDLE(device), 0, 0);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkGetQueryPoolResults(VkDevice device, VkQueryPool pool, uint32_t first,
                                                          uint32_t count, size_t size, void *data,
                                                          VkDeviceSize stride, VkQueryResultFlags flags)
{
    VkResult result = shim_call_device(SHIM_vkGetQueryPoolResults, shim_device_of(device));
    return result != VK_SUCCESS
               ? result
               : shim_real.vkGetQueryPoolResults(device, pool, first, count, size, data, stride, flags);
}

/* ---- semaphores -------------------------------------------------------------------------------- */

static VkResult get_value(enum shim_function function, PFN_vkGetSemaphoreCounterValue real, VkDevice handle,
                          VkSemaphore semaphore, uint64_t *value)
{
    struct shim_device *device = shim_device_of(handle);
    VkResult result            = shim_call_device(function, device);
    if (result != VK_SUCCESS)
        return result;
    return real(handle, semaphore, value);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkGetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore,
                                                               uint64_t *value)
{
    return get_value(SHIM_vkGetSemaphoreCounterValue, shim_real.vkGetSemaphoreCounterValue, device, semaphore,
                     value);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkGetSemaphoreCounterValueKHR(VkDevice device, VkSemaphore semaphore,
                                                                  uint64_t *value)
{
    return get_value(SHIM_vkGetSemaphoreCounterValueKHR, shim_real.vkGetSemaphoreCounterValueKHR, device,
                     semaphore, value);
}

static VkResult wait_for(enum shim_function function, PFN_vkWaitSemaphores real, VkDevice handle,
                         const VkSemaphoreWaitInfo *info, uint64_t timeout)
{
    struct shim_device *device = shim_device_of(handle);
    VkResult result            = shim_call_device(function, device);
    if (result != VK_SUCCESS)
        return result;
    result = shim_wait(device, real, info, timeout);
    return shim_device_is_lost(device) ? VK_ERROR_DEVICE_LOST : result;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkWaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                     uint64_t timeout)
{
    return wait_for(SHIM_vkWaitSemaphores, shim_real.vkWaitSemaphores, device, info, timeout);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkWaitSemaphoresKHR(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                        uint64_t timeout)
{
    return wait_for(SHIM_vkWaitSemaphoresKHR, shim_real.vkWaitSemaphoresKHR, device, info, timeout);
}

/* A signal may start work. On a lost device it has no effect. */
static VkResult signal(enum shim_function function, PFN_vkSignalSemaphore real, VkDevice handle,
                       const VkSemaphoreSignalInfo *info)
{
    struct shim_device *device = shim_device_of(handle);
    VkResult result            = shim_call(function);
    if (result != VK_SUCCESS || !shim_device_enter(device))
        return result;
    result = real(handle, info);
    shim_device_leave(device);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkSignalSemaphore(VkDevice device, const VkSemaphoreSignalInfo *info)
{
    return signal(SHIM_vkSignalSemaphore, shim_real.vkSignalSemaphore, device, info);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkSignalSemaphoreKHR(VkDevice device, const VkSemaphoreSignalInfo *info)
{
    return signal(SHIM_vkSignalSemaphoreKHR, shim_real.vkSignalSemaphoreKHR, device, info);
}
