/* Queues and their threads.
 * SPDX-License-Identifier: MIT
 */
#include "queue.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long the shim waits for semaphores before it checks for the loss of the device. */
#define LOOK_NS UINT64_C(20000000)

VkQueueFlags shim_family_flags(uint32_t family)
{
    if (shim_config.family_count == 0)
        return ~(VkQueueFlags)0;
    return family < shim_config.family_count ? shim_config.families[family].flags : 0;
}

VkResult shim_wait(struct shim_device *device, PFN_vkWaitSemaphores wait, const VkSemaphoreWaitInfo *info,
                   uint64_t timeout)
{
    for (;;) {
        uint64_t slice  = timeout < LOOK_NS ? timeout : LOOK_NS;
        VkResult result = wait(device->handle, info, slice);
        if (shim_device_is_losing(device))
            return VK_ERROR_DEVICE_LOST;
        if (result != VK_TIMEOUT || slice == timeout)
            return result;
        timeout -= timeout == UINT64_MAX ? 0 : slice;
    }
}

/* ---- the thread of a queue --------------------------------------------------------------------- */

static void dawdle(struct shim_queue *queue)
{
    if (shim_config.delay_us == 0)
        return;
    queue->random ^= queue->random << 13;
    queue->random ^= queue->random >> 17;
    queue->random ^= queue->random << 5;
    struct timespec time = {0, (long)(queue->random % shim_config.delay_us) * 1000};
    nanosleep(&time, NULL);
}

static VkResult wait_for_semaphores(struct shim_queue *queue, const struct shim_submission *submission)
{
    VkSemaphoreWaitInfo info = {
        .sType          = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = submission->info.waitSemaphoreCount,
        .pSemaphores    = submission->info.pWaitSemaphores,
        .pValues        = submission->values.pWaitSemaphoreValues,
    };
    if (info.semaphoreCount == 0)
        return VK_SUCCESS;
    return shim_wait(queue->device, queue->device->wait, &info, UINT64_MAX);
}

/* Runs the submission on the real device; returns when it has ended. */
static VkResult carry_out(struct shim_queue *queue, const struct shim_submission *submission)
{
    struct shim_device *device = queue->device;
    VkSubmitInfo info          = {
                 .sType              = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                 .commandBufferCount = submission->info.commandBufferCount,
                 .pCommandBuffers    = submission->info.pCommandBuffers,
    };
    pthread_mutex_lock(&device->submit_lock);
    VkResult result = shim_real.vkQueueSubmit(queue->real, 1, &info, submission->fence);
    if (result == VK_SUCCESS)
        result = shim_real.vkQueueWaitIdle(queue->real);
    pthread_mutex_unlock(&device->submit_lock);
    return result;
}

static void raise_signals(struct shim_device *device, const struct shim_submission *submission)
{
    for (uint32_t i = 0; i < submission->info.signalSemaphoreCount; i++) {
        VkSemaphoreSignalInfo info = {
            .sType     = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
            .semaphore = submission->info.pSignalSemaphores[i],
            .value     = submission->values.pSignalSemaphoreValues[i],
        };
        if (device->raise(device->handle, &info) != VK_SUCCESS)
            shim_breach("the device behind raised no semaphore");
    }
}

/* Ends the submission. It is no longer in use when its signals are visible. */
static void run(struct shim_queue *queue, struct shim_submission *submission)
{
    struct shim_device *device = queue->device;
    dawdle(queue);
    bool ready = wait_for_semaphores(queue, submission) == VK_SUCCESS && shim_device_enter(device);
    if (ready && carry_out(queue, submission) != VK_SUCCESS)
        shim_breach("the device behind took no more work");
    shim_submission_unuse(submission);
    pthread_mutex_lock(&device->lock);
    queue->executing = false;
    pthread_mutex_unlock(&device->lock);
    if (ready) {
        raise_signals(device, submission);
        shim_device_leave(device);
    }
    shim_submission_release(submission);
}

static void *queue_main(void *argument)
{
    struct shim_queue *queue   = argument;
    struct shim_device *device = queue->device;
    pthread_mutex_lock(&device->lock);
    while (!queue->ending || queue->first) {
        struct shim_submission *submission = queue->first;
        if (!submission) {
            pthread_cond_wait(&device->changed, &device->lock);
            continue;
        }
        queue->first = submission->next;
        queue->busy = queue->executing = true;
        pthread_mutex_unlock(&device->lock);
        run(queue, submission);
        pthread_mutex_lock(&device->lock);
        queue->busy = false;
        pthread_cond_broadcast(&device->changed);
    }
    pthread_mutex_unlock(&device->lock);
    return NULL;
}

/* The caller holds the device's lock. */
static VkResult start(struct shim_queue *queue)
{
    if (!queue->started && pthread_create(&queue->thread, NULL, queue_main, queue) != 0)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    queue->started = true;
    return VK_SUCCESS;
}

void shim_queues_drain(struct shim_device *device)
{
    pthread_mutex_lock(&device->lock);
    for (struct shim_queue *queue = device->queues; queue; queue = queue->next)
        while (queue->first || queue->busy)
            pthread_cond_wait(&device->changed, &device->lock);
    pthread_mutex_unlock(&device->lock);
}

void shim_queues_end(struct shim_device *device)
{
    pthread_mutex_lock(&device->lock);
    for (struct shim_queue *queue = device->queues; queue; queue = queue->next) {
        if (!device->lost && (queue->first || queue->executing))
            shim_breach("a device was destroyed while it had work to do");
        queue->ending = true;
    }
    pthread_cond_broadcast(&device->changed);
    pthread_mutex_unlock(&device->lock);
    while (device->queues) {
        struct shim_queue *queue = device->queues;
        device->queues           = queue->next;
        if (queue->started)
            pthread_join(queue->thread, NULL);
        free(queue);
    }
}

/* ---- functions --------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL shim_vkGetDeviceQueue(VkDevice handle, uint32_t family, uint32_t index,
                                                 VkQueue *answer)
{
    (void)shim_call(SHIM_vkGetDeviceQueue);
    struct shim_device *device = shim_device_of(handle);
    struct shim_queue *queue;
    pthread_mutex_lock(&device->lock);
    for (queue = device->queues; queue; queue = queue->next)
        if (queue->family == family && queue->index == index)
            break;
    if (!queue && (queue = calloc(1, sizeof(*queue))) != NULL) {
        queue->device   = device;
        queue->family   = family;
        queue->index    = index;
        queue->threaded = device->real_queue != NULL;
        queue->real     = device->real_queue;
        queue->random   = 2463534242u + 7919u * family + index;
        if (!queue->threaded)
            shim_real.vkGetDeviceQueue(handle, family, index, &queue->real);
        queue->next    = device->queues;
        device->queues = queue;
    }
    pthread_mutex_unlock(&device->lock);
    *answer = (VkQueue)(void *)queue;
}

/* Enqueues all submissions, or none. */
static VkResult enqueue_all(struct shim_queue *queue, uint32_t count, const VkSubmitInfo *submits,
                            VkFence fence)
{
    struct shim_submission *first = NULL, *last = NULL;
    struct shim_device *device = queue->device;
    VkResult result            = VK_SUCCESS;
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        struct shim_submission *made =
            shim_submission_make(&submits[i], i + 1 == count ? fence : VK_NULL_HANDLE);
        result = made ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
        if (made && last)
            last->next = made;
        else if (made)
            first = made;
        last = made ? made : last;
    }
    pthread_mutex_lock(&device->lock);
    if (result == VK_SUCCESS && device->losing)
        result = VK_ERROR_DEVICE_LOST;
    if (result == VK_SUCCESS)
        result = start(queue);
    if (result == VK_SUCCESS && first) {
        if (queue->first)
            queue->last->next = first;
        else
            queue->first = first;
        queue->last = last;
        first       = NULL;
        pthread_cond_broadcast(&device->changed);
    }
    pthread_mutex_unlock(&device->lock);
    while (first) {
        struct shim_submission *next = first->next;
        shim_submission_unuse(first);
        shim_submission_release(first);
        first = next;
    }
    return result;
}

static VkResult submit_now(struct shim_queue *queue, uint32_t count, const VkSubmitInfo *submits,
                           VkFence fence)
{
    if (!shim_device_enter(queue->device))
        return VK_ERROR_DEVICE_LOST;
    VkResult result = shim_real.vkQueueSubmit(queue->real, count, submits, fence);
    shim_device_leave(queue->device);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkQueueSubmit(VkQueue handle, uint32_t count, const VkSubmitInfo *submits,
                                                  VkFence fence)
{
    struct shim_queue *queue = (struct shim_queue *)(void *)handle;
    VkResult result          = shim_call_device(SHIM_vkQueueSubmit, queue->device);
    if (result != VK_SUCCESS)
        return result;
    if (atomic_fetch_add(&queue->users, 1) != 0)
        shim_breach("two threads used a queue at once");
    for (uint32_t i = 0; i < count; i++)
        shim_submission_check(queue, &submits[i]);
    result = queue->threaded ? enqueue_all(queue, count, submits, fence)
                             : submit_now(queue, count, submits, fence);
    atomic_fetch_sub(&queue->users, 1);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkQueueWaitIdle(VkQueue handle)
{
    struct shim_queue *queue   = (struct shim_queue *)(void *)handle;
    struct shim_device *device = queue->device;
    VkResult result            = shim_call_device(SHIM_vkQueueWaitIdle, device);
    if (result != VK_SUCCESS)
        return result;
    pthread_mutex_lock(&device->lock);
    while (queue->first || queue->busy)
        pthread_cond_wait(&device->changed, &device->lock);
    pthread_mutex_unlock(&device->lock);
    if (!shim_device_enter(device))
        return VK_ERROR_DEVICE_LOST;
    pthread_mutex_lock(&device->submit_lock);
    result = shim_real.vkQueueWaitIdle(queue->real);
    pthread_mutex_unlock(&device->submit_lock);
    shim_device_leave(device);
    return result;
}
