/* Command pools and command buffers; checks that a family supports what is recorded.
 * SPDX-License-Identifier: MIT
 */
#include "shim.h"

#define TRANSFER_STAGES                                                   \
    (VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | \
     VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT | VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT)

VKAPI_ATTR VkResult VKAPI_CALL shim_vkCreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *info,
                                                        const VkAllocationCallbacks *allocator,
                                                        VkCommandPool *pool)
{
    VkCommandPoolCreateInfo changed = *info;
    VkResult result                 = shim_call(SHIM_vkCreateCommandPool);
    if (result != VK_SUCCESS)
        return result;
    if (shim_config.family_count > 0)
        changed.queueFamilyIndex = 0;
    result = shim_real.vkCreateCommandPool(device, &changed, allocator, pool);
    if (result == VK_SUCCESS)
        shim_made("VkCommandPool", SHIM_HANDLE(*pool), SHIM_HANDLE(device), info->queueFamilyIndex, 0);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkResetCommandPool(VkDevice device, VkCommandPool pool,
                                                       VkCommandPoolResetFlags flags)
{
    struct shim_record record;
    VkResult result = shim_call(SHIM_vkResetCommandPool);
    if (result != VK_SUCCESS)
        return result;
    if (shim_known("VkCommandPool", SHIM_HANDLE(pool), &record) && record.pending > 0)
        shim_breach("a VkCommandPool was reset while submitted work used it");
    return shim_real.vkResetCommandPool(device, pool, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkAllocateCommandBuffers(VkDevice device,
                                                             const VkCommandBufferAllocateInfo *info,
                                                             VkCommandBuffer *buffers)
{
    struct shim_record pool = {.first = 0};
    VkResult result         = shim_call(SHIM_vkAllocateCommandBuffers);
    if (result == VK_SUCCESS)
        result = shim_real.vkAllocateCommandBuffers(device, info, buffers);
    if (result != VK_SUCCESS)
        return result;
    if (!shim_known("VkCommandPool", SHIM_HANDLE(info->commandPool), &pool))
        shim_breach("command buffers were asked for of a pool that does not live");
    for (uint32_t i = 0; i < info->commandBufferCount; i++)
        shim_made("VkCommandBuffer", SHIM_HANDLE(buffers[i]), SHIM_HANDLE(info->commandPool), pool.first, 0);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL shim_vkFreeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count,
                                                     const VkCommandBuffer *buffers)
{
    (void)shim_call(SHIM_vkFreeCommandBuffers);
    for (uint32_t i = 0; i < count; i++)
        if (buffers[i])
            shim_ended("VkCommandBuffer", SHIM_HANDLE(buffers[i]), false);
    shim_real.vkFreeCommandBuffers(device, pool, count, buffers);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkBeginCommandBuffer(VkCommandBuffer buffer,
                                                         const VkCommandBufferBeginInfo *info)
{
    VkResult result = shim_call(SHIM_vkBeginCommandBuffer);
    return result != VK_SUCCESS ? result : shim_real.vkBeginCommandBuffer(buffer, info);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkEndCommandBuffer(VkCommandBuffer buffer)
{
    struct shim_record record;
    VkResult result = shim_call(SHIM_vkEndCommandBuffer);
    if (shim_known("VkCommandBuffer", SHIM_HANDLE(buffer), &record) && record.second != 0)
        shim_breach("results of queries are copied to memory without a barrier for the host");
    shim_set_second("VkCommandBuffer", SHIM_HANDLE(buffer), 0);
    return result != VK_SUCCESS ? result : shim_real.vkEndCommandBuffer(buffer);
}

/* ---- commands ---------------------------------------------------------------------------------- */

static const struct shim_family *family_of(VkCommandBuffer buffer)
{
    struct shim_record record;
    if (shim_config.family_count == 0)
        return NULL;
    if (!shim_known("VkCommandBuffer", SHIM_HANDLE(buffer), &record)) {
        shim_breach("a command was recorded into a command buffer that does not live");
        return NULL;
    }
    return record.first < shim_config.family_count ? &shim_config.families[record.first] : NULL;
}

static bool transfers_alone(VkCommandBuffer buffer)
{
    const struct shim_family *family = family_of(buffer);
    return family && !(family->flags & VK_QUEUE_COMPUTE_BIT);
}

/* Counts the command; a breach if the family runs no kernels. */
static void kernel_command(enum shim_function function, VkCommandBuffer buffer, const char *name)
{
    (void)shim_call(function);
    if (transfers_alone(buffer))
        shim_breach("%s was recorded for a family that has transfers alone", name);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdCopyBuffer(VkCommandBuffer buffer, VkBuffer source, VkBuffer destination,
                                                uint32_t count, const VkBufferCopy *regions)
{
    (void)shim_call(SHIM_vkCmdCopyBuffer);
    shim_real.vkCmdCopyBuffer(buffer, source, destination, count, regions);
}

/* Counts a copy between a buffer and an image. */
static void image_command(enum shim_function function, VkCommandBuffer buffer, uint32_t count,
                          const VkBufferImageCopy *regions)
{
    (void)shim_call(function);
    for (uint32_t i = 0; i < count && transfers_alone(buffer); i++)
        if (regions[i].bufferOffset % 4 != 0)
            shim_breach("a family with transfers alone copies texels at an odd place of a buffer");
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdCopyBufferToImage(VkCommandBuffer buffer, VkBuffer source, VkImage image,
                                                       VkImageLayout layout, uint32_t count,
                                                       const VkBufferImageCopy *regions)
{
    image_command(SHIM_vkCmdCopyBufferToImage, buffer, count, regions);
    shim_real.vkCmdCopyBufferToImage(buffer, source, image, layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdCopyImageToBuffer(VkCommandBuffer buffer, VkImage image,
                                                       VkImageLayout layout, VkBuffer destination,
                                                       uint32_t count, const VkBufferImageCopy *regions)
{
    image_command(SHIM_vkCmdCopyImageToBuffer, buffer, count, regions);
    shim_real.vkCmdCopyImageToBuffer(buffer, image, layout, destination, count, regions);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdCopyImage(VkCommandBuffer buffer, VkImage source,
                                               VkImageLayout source_layout, VkImage destination,
                                               VkImageLayout destination_layout, uint32_t count,
                                               const VkImageCopy *regions)
{
    (void)shim_call(SHIM_vkCmdCopyImage);
    shim_real.vkCmdCopyImage(buffer, source, source_layout, destination, destination_layout, count, regions);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdFillBuffer(VkCommandBuffer buffer, VkBuffer destination,
                                                VkDeviceSize offset, VkDeviceSize size, uint32_t data)
{
    (void)shim_call(SHIM_vkCmdFillBuffer);
    shim_real.vkCmdFillBuffer(buffer, destination, offset, size, data);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdUpdateBuffer(VkCommandBuffer buffer, VkBuffer destination,
                                                  VkDeviceSize offset, VkDeviceSize size, const void *data)
{
    (void)shim_call(SHIM_vkCmdUpdateBuffer);
    shim_real.vkCmdUpdateBuffer(buffer, destination, offset, size, data);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdPipelineBarrier(VkCommandBuffer buffer, VkPipelineStageFlags before,
                                                     VkPipelineStageFlags after, VkDependencyFlags flags,
                                                     uint32_t memory_count, const VkMemoryBarrier *memory,
                                                     uint32_t buffer_count,
                                                     const VkBufferMemoryBarrier *buffers,
                                                     uint32_t image_count, const VkImageMemoryBarrier *images)
{
    (void)shim_call(SHIM_vkCmdPipelineBarrier);
    if (transfers_alone(buffer) && (before | after) & ~(uint32_t)TRANSFER_STAGES)
        shim_breach("a barrier names a stage that a family with transfers alone has not");
    if ((before & VK_PIPELINE_STAGE_TRANSFER_BIT) != 0 && (after & VK_PIPELINE_STAGE_HOST_BIT) != 0)
        shim_set_second("VkCommandBuffer", SHIM_HANDLE(buffer), 0);
    shim_real.vkCmdPipelineBarrier(buffer, before, after, flags, memory_count, memory, buffer_count, buffers,
                                   image_count, images);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdBindPipeline(VkCommandBuffer buffer, VkPipelineBindPoint point,
                                                  VkPipeline pipeline)
{
    kernel_command(SHIM_vkCmdBindPipeline, buffer, "vkCmdBindPipeline");
    shim_real.vkCmdBindPipeline(buffer, point, pipeline);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdBindDescriptorSets(VkCommandBuffer buffer, VkPipelineBindPoint point,
                                                        VkPipelineLayout layout, uint32_t first,
                                                        uint32_t count, const VkDescriptorSet *sets,
                                                        uint32_t offset_count, const uint32_t *offsets)
{
    kernel_command(SHIM_vkCmdBindDescriptorSets, buffer, "vkCmdBindDescriptorSets");
    shim_real.vkCmdBindDescriptorSets(buffer, point, layout, first, count, sets, offset_count, offsets);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdPushDescriptorSetKHR(VkCommandBuffer buffer, VkPipelineBindPoint point,
                                                          VkPipelineLayout layout, uint32_t set,
                                                          uint32_t count, const VkWriteDescriptorSet *writes)
{
    kernel_command(SHIM_vkCmdPushDescriptorSetKHR, buffer, "vkCmdPushDescriptorSetKHR");
    shim_real.vkCmdPushDescriptorSetKHR(buffer, point, layout, set, count, writes);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdPushConstants(VkCommandBuffer buffer, VkPipelineLayout layout,
                                                   VkShaderStageFlags stages, uint32_t offset, uint32_t size,
                                                   const void *values)
{
    kernel_command(SHIM_vkCmdPushConstants, buffer, "vkCmdPushConstants");
    shim_real.vkCmdPushConstants(buffer, layout, stages, offset, size, values);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdDispatch(VkCommandBuffer buffer, uint32_t x, uint32_t y, uint32_t z)
{
    kernel_command(SHIM_vkCmdDispatch, buffer, "vkCmdDispatch");
    shim_real.vkCmdDispatch(buffer, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdDispatchBase(VkCommandBuffer buffer, uint32_t base_x, uint32_t base_y,
                                                  uint32_t base_z, uint32_t x, uint32_t y, uint32_t z)
{
    kernel_command(SHIM_vkCmdDispatchBase, buffer, "vkCmdDispatchBase");
    shim_real.vkCmdDispatchBase(buffer, base_x, base_y, base_z, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdResetQueryPool(VkCommandBuffer buffer, VkQueryPool pool, uint32_t first,
                                                    uint32_t count)
{
    kernel_command(SHIM_vkCmdResetQueryPool, buffer, "vkCmdResetQueryPool");
    shim_real.vkCmdResetQueryPool(buffer, pool, first, count);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdCopyQueryPoolResults(VkCommandBuffer buffer, VkQueryPool pool,
                                                          uint32_t first, uint32_t count, VkBuffer to,
                                                          VkDeviceSize offset, VkDeviceSize stride,
                                                          VkQueryResultFlags flags)
{
    kernel_command(SHIM_vkCmdCopyQueryPoolResults, buffer, "vkCmdCopyQueryPoolResults");
    shim_set_second("VkCommandBuffer", SHIM_HANDLE(buffer), 1);
    shim_real.vkCmdCopyQueryPoolResults(buffer, pool, first, count, to, offset, stride, flags);
}

VKAPI_ATTR void VKAPI_CALL shim_vkCmdWriteTimestamp(VkCommandBuffer buffer, VkPipelineStageFlagBits stage,
                                                    VkQueryPool pool, uint32_t query)
{
    const struct shim_family *family = family_of(buffer);
    (void)shim_call(SHIM_vkCmdWriteTimestamp);
    if (family && family->timestamp_bits == 0)
        shim_breach("a timestamp was recorded for a family that has none");
    shim_real.vkCmdWriteTimestamp(buffer, stage, pool, query);
}
