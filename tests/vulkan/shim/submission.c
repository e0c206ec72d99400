/* Copies of submissions, and checks whether they are allowed.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "queue.h"

/* Stages that a queue without kernels supports. */
#define TRANSFER_STAGES                                                   \
    (VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT | \
     VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT | VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT)

static const VkTimelineSemaphoreSubmitInfo *values_of(const VkSubmitInfo *info)
{
    const VkBaseInStructure *each = info->pNext;
    while (each && each->sType != VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO) {
        shim_breach("a submission has a structure that the shim does not know: %d", (int)each->sType);
        each = each->pNext;
    }
    return (const VkTimelineSemaphoreSubmitInfo *)each;
}

void shim_submission_check(const struct shim_queue *queue, const VkSubmitInfo *info)
{
    VkQueueFlags flags = shim_family_flags(queue->family);
    struct shim_record record;
    for (uint32_t i = 0; i < info->commandBufferCount; i++) {
        if (!shim_known("VkCommandBuffer", SHIM_HANDLE(info->pCommandBuffers[i]), &record))
            shim_breach("a command buffer was submitted that does not live");
        else if (record.first != queue->family)
            shim_breach("a command buffer of family %u was submitted to family %u", (unsigned)record.first,
                        queue->family);
    }
    for (uint32_t i = 0; i < info->waitSemaphoreCount; i++)
        if (!(flags & VK_QUEUE_COMPUTE_BIT) && info->pWaitDstStageMask[i] & ~(uint32_t)TRANSFER_STAGES)
            shim_breach("a queue for transfers was to wait in a stage that it has not");
}

static void *copy(const void *from, uint32_t count, size_t size, bool *failed)
{
    void *to = NULL;
    if (!from || count == 0)
        return NULL;
    to = malloc(count * size);
    if (to)
        memcpy(to, from, count * size);
    else
        *failed = true;
    return to;
}

static void note_use(const VkSubmitInfo *info, int change)
{
    struct shim_record record;
    for (uint32_t i = 0; i < info->waitSemaphoreCount; i++)
        shim_pending("VkSemaphore", SHIM_HANDLE(info->pWaitSemaphores[i]), change);
    for (uint32_t i = 0; i < info->signalSemaphoreCount; i++)
        shim_pending("VkSemaphore", SHIM_HANDLE(info->pSignalSemaphores[i]), change);
    for (uint32_t i = 0; i < info->commandBufferCount; i++)
        if (shim_known("VkCommandBuffer", SHIM_HANDLE(info->pCommandBuffers[i]), &record))
            shim_pending("VkCommandPool", record.parent, change);
}

void shim_submission_release(struct shim_submission *submission)
{
    free((void *)submission->info.pWaitSemaphores);
    free((void *)submission->info.pWaitDstStageMask);
    free((void *)submission->info.pCommandBuffers);
    free((void *)submission->info.pSignalSemaphores);
    free((void *)submission->values.pWaitSemaphoreValues);
    free((void *)submission->values.pSignalSemaphoreValues);
    free(submission);
}

struct shim_submission *shim_submission_make(const VkSubmitInfo *info, VkFence fence)
{
    const VkTimelineSemaphoreSubmitInfo *values = values_of(info);
    struct shim_submission *made                = calloc(1, sizeof(*made));
    bool failed                                 = false;
    if (!made)
        return NULL;
    made->fence      = fence;
    made->info       = *info;
    made->info.pNext = NULL;
    made->info.pWaitSemaphores =
        copy(info->pWaitSemaphores, info->waitSemaphoreCount, sizeof(VkSemaphore), &failed);
    made->info.pWaitDstStageMask =
        copy(info->pWaitDstStageMask, info->waitSemaphoreCount, sizeof(VkPipelineStageFlags), &failed);
    made->info.pCommandBuffers =
        copy(info->pCommandBuffers, info->commandBufferCount, sizeof(VkCommandBuffer), &failed);
    made->info.pSignalSemaphores =
        copy(info->pSignalSemaphores, info->signalSemaphoreCount, sizeof(VkSemaphore), &failed);
    if (!values && info->waitSemaphoreCount + info->signalSemaphoreCount > 0)
        shim_breach("a submission has semaphores that are no timelines");
    if (values) {
        made->values       = *values;
        made->values.pNext = NULL;
        made->info.pNext   = &made->values;
        made->values.pWaitSemaphoreValues =
            copy(values->pWaitSemaphoreValues, values->waitSemaphoreValueCount, sizeof(uint64_t), &failed);
        made->values.pSignalSemaphoreValues = copy(
            values->pSignalSemaphoreValues, values->signalSemaphoreValueCount, sizeof(uint64_t), &failed);
    }
    if (failed) {
        shim_submission_release(made);
        return NULL;
    }
    note_use(&made->info, 1);
    return made;
}

void shim_submission_unuse(struct shim_submission *submission)
{
    note_use(&submission->info, -1);
}
