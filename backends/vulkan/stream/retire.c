/* vulkan backend: destroying timelines.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/retire.h"

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/stream/timeline.h"

/* How long the close of an application's device waits for its last marks. Our own devices are idle then. */
#define LAST_MARKS_NS 1000000000u

static void destroy_all(struct trm_backend_device *device, struct vulkan_timeline *first)
{
    while (first != NULL) {
        struct vulkan_timeline *timeline = first;
        first                            = timeline->next_retired;
        device->vk.vkDestroySemaphore(device->handle, timeline->semaphore, NULL);
        trm_util_release(device->instance->host, timeline, sizeof(*timeline));
    }
}

void vulkan_timeline_retire(struct vulkan_timeline *timeline)
{
    struct vulkan_retired *retired = &timeline->device->retired;
    timeline->next_retired         = atomic_load(&retired->fresh);
    while (!atomic_compare_exchange_weak(&retired->fresh, &timeline->next_retired, timeline)) {
    }
    atomic_fetch_add(&retired->fresh_count, 1);
}

/* ---- marks --------------------------------------------------------------------------------------- */

static uint32_t queue_count(const struct trm_backend_device *device)
{
    return device->queues.compute_count + device->queues.transfer_count;
}

static struct vulkan_queue *queue_at(struct trm_backend_device *device, uint32_t index)
{
    uint32_t computing = device->queues.compute_count;
    return index < computing ? &device->queues.compute[index] : &device->queues.transfer[index - computing];
}

static bool make_mark(const struct trm_backend_device *device, struct vulkan_queue *queue)
{
    VkSemaphoreTypeCreateInfo type = {
        .sType         = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    if (queue->mark == VK_NULL_HANDLE &&
        device->vk.vkCreateSemaphore(device->handle, &info, NULL, &queue->mark) != VK_SUCCESS)
        queue->mark = VK_NULL_HANDLE;
    return queue->mark != VK_NULL_HANDLE;
}

static bool mark_queue(struct trm_backend_device *device, struct vulkan_queue *queue)
{
    uint64_t value = queue->marks + 1;
    if (!atomic_load(&queue->used))
        return true;
    if (!make_mark(device, queue))
        return false;
    VkTimelineSemaphoreSubmitInfo values = {
        .sType                     = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues    = &value,
    };
    VkSubmitInfo info = {
        .sType                = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext                = &values,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores    = &queue->mark,
    };
    if (vulkan_queue_send(device, queue, 1, &info) < 0)
        return false;
    queue->marks = value;
    return true;
}

/* Whether each queue will pass a new mark. */
static bool mark_all(struct trm_backend_device *device)
{
    bool are_marked = true;
    for (uint32_t i = 0; are_marked && i < queue_count(device); i++)
        are_marked = mark_queue(device, queue_at(device, i));
    return are_marked;
}

static bool has_passed(struct trm_backend_device *device, const struct vulkan_queue *queue, uint64_t limit_ns)
{
    VkSemaphoreWaitInfo info = {
        .sType          = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
        .semaphoreCount = 1,
        .pSemaphores    = &queue->mark,
        .pValues        = &queue->marks,
    };
    return queue->marks == 0 || device->vk.vkWaitSemaphores(device->handle, &info, limit_ns) == VK_SUCCESS;
}

static bool have_passed(struct trm_backend_device *device, uint64_t limit_ns)
{
    bool have = true;
    for (uint32_t i = 0; have && i < queue_count(device); i++)
        have = has_passed(device, queue_at(device, i), limit_ns);
    return have;
}

/* ---- destroying ---------------------------------------------------------------------------------- */

/* The fresh ones were last used before the marks are submitted. */
static void mark_fresh(struct trm_backend_device *device)
{
    struct vulkan_retired *retired = &device->retired;
    struct vulkan_timeline *fresh  = atomic_exchange(&retired->fresh, NULL);
    atomic_store(&retired->fresh_count, 0);
    retired->marked = fresh;
    if (mark_all(device))
        return;
    retired->marked = NULL;
    while (fresh != NULL) {
        struct vulkan_timeline *timeline = fresh;
        fresh                            = timeline->next_retired;
        vulkan_timeline_retire(timeline);
    }
}

void vulkan_timelines_collect(struct trm_backend_device *device)
{
    struct vulkan_retired *retired = &device->retired;
    if (atomic_load(&retired->fresh_count) < VULKAN_RETIRED_MOST ||
        atomic_exchange(&retired->is_collecting, true))
        return;
    if (retired->marked != NULL && have_passed(device, 0)) {
        destroy_all(device, retired->marked);
        retired->marked = NULL;
    }
    if (retired->marked == NULL)
        mark_fresh(device);
    atomic_store(&retired->is_collecting, false);
}

/* The wait is repeated once, because the driver may lack memory for a moment. */
static void wait_for_marks(struct trm_backend_device *device)
{
    if (atomic_load(&device->retired.fresh) != NULL)
        (void)mark_all(device);
    if (!have_passed(device, LAST_MARKS_NS))
        (void)have_passed(device, LAST_MARKS_NS);
}

void vulkan_timelines_fini(struct trm_backend_device *device)
{
    if (device->borrowed)
        wait_for_marks(device);
    destroy_all(device, device->retired.marked);
    destroy_all(device, atomic_exchange(&device->retired.fresh, NULL));
    for (uint32_t i = 0; i < queue_count(device); i++)
        if (queue_at(device, i)->mark != VK_NULL_HANDLE)
            device->vk.vkDestroySemaphore(device->handle, queue_at(device, i)->mark, NULL);
}
