/* vulkan backend: chooses queue families and queues, and submits.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/driver/queue.h"

#include <string.h>

#include "backends/vulkan/driver/objects.h"

#define NO_FAMILY UINT32_MAX

/* Streams that share a queue wait for each other even if their work is independent. More queues make opening
 * a device slower (0.02 s each with some drivers), and most devices have no more. */
#define COMPUTE_QUEUES 8u
#define TRANSFER_QUEUES 2u
#define SLOT_QUEUES 2u /* queues that pipeline slots share where the first queue is separate */

_Static_assert(COMPUTE_QUEUES <= VULKAN_QUEUES_MOST && TRANSFER_QUEUES <= VULKAN_QUEUES_MOST,
               "room for them");

/* ---- the plan ----------------------------------------------------------------------------------- */

/* Prefers a compute family without graphics: its queues run beside the desktop's work. */
static uint32_t find_compute_family(const struct vulkan_physical *physical)
{
    uint32_t found = NO_FAMILY;
    for (uint32_t i = 0; i < physical->family_count; i++) {
        const VkQueueFamilyProperties *family = &physical->families[i];
        if ((family->queueFlags & VK_QUEUE_COMPUTE_BIT) == 0 || family->queueCount == 0)
            continue;
        if ((family->queueFlags & VK_QUEUE_GRAPHICS_BIT) == 0)
            return i;
        if (found == NO_FAMILY)
            found = i;
    }
    return found;
}

/* A family with transfers alone belongs to copy engines. Video families can copy too, but are left for
 * video. */
static uint32_t find_transfer_family(const struct vulkan_physical *physical)
{
    const VkQueueFlags ours = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT | VK_QUEUE_PROTECTED_BIT;
    for (uint32_t i = 0; i < physical->family_count; i++) {
        const VkQueueFamilyProperties *family = &physical->families[i];
        if ((family->queueFlags & VK_QUEUE_TRANSFER_BIT) != 0 && (family->queueFlags & ~ours) == 0 &&
            family->queueCount != 0)
            return i;
    }
    return NO_FAMILY;
}

/* The last queue has high priority, the one before it low. Two queues are normal and high; one is normal.
 * Where kernels copy, uploads, downloads and kernels need three normal queues before one gets high
 * priority. */
static int32_t compute_priority(const struct vulkan_physical *physical, uint32_t index, uint32_t count)
{
    if (index == count - 1 && count >= (physical->copies_by_kernel ? 4 : 2))
        return TRM_PRIORITY_HIGH;
    if (index == count - 2 && count >= 3 && !physical->copies_by_kernel)
        return TRM_PRIORITY_LOW;
    return TRM_PRIORITY_NORMAL;
}

static float priority_number(int32_t priority)
{
    if (priority == TRM_PRIORITY_NORMAL)
        return 0.5f;
    return priority == TRM_PRIORITY_HIGH ? 1.0f : 0.0f;
}

static void plan_family(const struct vulkan_physical *physical, uint32_t family, bool computes,
                        struct vulkan_queue_plan *plan)
{
    uint32_t place = plan->info_count++;
    uint32_t most  = computes ? COMPUTE_QUEUES : TRANSFER_QUEUES;
    uint32_t count =
        physical->families[family].queueCount < most ? physical->families[family].queueCount : most;
    for (uint32_t i = 0; i < count; i++)
        plan->priorities[place][i] =
            priority_number(computes ? compute_priority(physical, i, count) : TRM_PRIORITY_NORMAL);
    plan->infos[place] = (VkDeviceQueueCreateInfo){.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                                   .queueFamilyIndex = family,
                                                   .queueCount       = count,
                                                   .pQueuePriorities = plan->priorities[place]};
}

void vulkan_queues_plan(const struct vulkan_physical *physical, struct vulkan_queue_plan *plan)
{
    uint32_t compute  = find_compute_family(physical);
    uint32_t transfer = find_transfer_family(physical);
    memset(plan, 0, sizeof(*plan));
    if (compute != NO_FAMILY)
        plan_family(physical, compute, true, plan);
    if (transfer != NO_FAMILY && (!physical->copies_by_kernel || physical->copies_small_by_engine))
        plan_family(physical, transfer, false, plan);
}

/* ---- the queues of a device --------------------------------------------------------------------- */

void vulkan_queue_init(struct trm_backend_device *device, struct vulkan_queue *queue, uint32_t family,
                       uint32_t index, int32_t priority)
{
    const VkQueueFamilyProperties *properties = &device->physical->families[family];
    queue->family                             = family;
    queue->index                              = index;
    queue->timestamp_bits                     = properties->timestampValidBits;
    queue->priority                           = priority;
    queue->can_compute                        = (properties->queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
    atomic_init(&queue->streams, 0);
    pthread_mutex_init(&queue->lock, NULL);
    device->vk.vkGetDeviceQueue(device->handle, family, index, &queue->handle);
}

int32_t vulkan_queues_init(struct trm_backend_device *device, const struct vulkan_queue_plan *plan)
{
    struct vulkan_queues *queues = &device->queues;
    for (uint32_t i = 0; i < plan->info_count; i++) {
        const VkDeviceQueueCreateInfo *info = &plan->infos[i];
        const VkQueueFlags flags            = device->physical->families[info->queueFamilyIndex].queueFlags;
        bool computes                       = (flags & VK_QUEUE_COMPUTE_BIT) != 0;
        struct vulkan_queue *list           = computes ? queues->compute : queues->transfer;
        uint32_t *count                     = computes ? &queues->compute_count : &queues->transfer_count;
        for (uint32_t k = 0; k < info->queueCount; k++)
            vulkan_queue_init(device, &list[(*count)++], info->queueFamilyIndex, k,
                              computes ? compute_priority(device->physical, k, info->queueCount)
                                       : TRM_PRIORITY_NORMAL);
        queues->families[queues->family_count++] = info->queueFamilyIndex;
    }
    return TRM_OK;
}

void vulkan_queues_fini(struct trm_backend_device *device)
{
    struct vulkan_queues *queues = &device->queues;
    for (uint32_t i = 0; i < queues->compute_count; i++)
        pthread_mutex_destroy(&queues->compute[i].lock);
    for (uint32_t i = 0; i < queues->transfer_count; i++)
        pthread_mutex_destroy(&queues->transfer[i].lock);
    queues->compute_count = queues->transfer_count = 0;
}

/* ---- a stream's queue --------------------------------------------------------------------------- */

/* Distance from the wanted priority first, then the number of streams. */
static uint64_t distance(const struct vulkan_queue *queue, int32_t priority)
{
    int32_t apart    = queue->priority > priority ? queue->priority - priority : priority - queue->priority;
    uint32_t streams = atomic_load_explicit(&queue->streams, memory_order_relaxed);
    return ((uint64_t)apart << 32) + streams;
}

/* Among equally near queues, the first from `begin` on. */
static struct vulkan_queue *find_nearest(struct vulkan_queue *queues, uint32_t count, uint32_t begin,
                                         int32_t priority)
{
    struct vulkan_queue *nearest = &queues[begin];
    for (uint32_t i = 1; i < count; i++) {
        struct vulkan_queue *queue = &queues[(begin + i) % count];
        if (distance(queue, priority) < distance(nearest, priority))
            nearest = queue;
    }
    return nearest;
}

/* Uploads use the first transfer queue and downloads the second, so that copies in one direction never queue
 * behind copies in the other. Where kernels copy, all streams share the compute queues as evenly as possible.
 *
 * NVIDIA's driver handles the first queue separately and serves the others one at a time. On the first and
 * one other queue the slots of a pipeline take 7.4 us a token of 4 KiB and 8.5 us of 64 KiB (H200); on two of
 * the others 9.6 and 10.5, on one queue 10 and 11, on three 11.4 and 12.4. So slots share these two queues,
 * and other streams avoid them where there are enough queues. Kernels of streams that share a queue do not
 * overlap. */
struct vulkan_queue *vulkan_queue_choose(struct trm_backend_device *device, int32_t role, int32_t priority,
                                         bool computes)
{
    struct vulkan_queues *queues = &device->queues;
    uint32_t count               = queues->compute_count;
    bool is_copying              = role == TRM_STREAM_UPLOAD || role == TRM_STREAM_DOWNLOAD;
    bool is_paired               = device->physical->has_separate_first_queue && count > SLOT_QUEUES;
    uint32_t direction           = role == TRM_STREAM_DOWNLOAD ? 1 : 0;
    if (is_copying && queues->transfer_count != 0 && !computes)
        return &queues->transfer[direction % queues->transfer_count];
    if (is_copying && count >= 3)
        return find_nearest(queues->compute, count, count - 3 + direction, priority);
    if (is_paired && role == TRM_STREAM_SLOT && priority == TRM_PRIORITY_NORMAL)
        return find_nearest(queues->compute, SLOT_QUEUES, 1, priority);
    return find_nearest(queues->compute, count, is_paired ? SLOT_QUEUES : 0, priority);
}

struct vulkan_queue *vulkan_queue_retain(struct vulkan_queue *queue)
{
    atomic_fetch_add_explicit(&queue->streams, 1, memory_order_relaxed);
    return queue;
}

void vulkan_queue_release(struct vulkan_queue *queue)
{
    atomic_fetch_sub_explicit(&queue->streams, 1, memory_order_relaxed);
}

static void lock_queue(struct vulkan_queues *queues, struct vulkan_queue *queue)
{
    if (queues->external_lock != NULL)
        queues->external_lock(queues->external_user, queue->family, queue->index);
    else
        pthread_mutex_lock(&queue->lock);
}

static void unlock_queue(struct vulkan_queues *queues, struct vulkan_queue *queue)
{
    if (queues->external_lock != NULL)
        queues->external_unlock(queues->external_user, queue->family, queue->index);
    else
        pthread_mutex_unlock(&queue->lock);
}

/* Layers and some drivers start a thread at the first use of a queue, or whenever they need one. */
static VkResult submit_without_signals(struct trm_backend_device *device, const struct vulkan_queue *queue,
                                       uint32_t count, const VkSubmitInfo *submits)
{
    sigset_t before;
    trm_util_signals_block(&before);
    VkResult result = device->vk.vkQueueSubmit(queue->handle, count, submits, VK_NULL_HANDLE);
    trm_util_signals_restore(&before);
    return result;
}

VkResult vulkan_queue_send(struct trm_backend_device *device, struct vulkan_queue *queue, uint32_t count,
                           const VkSubmitInfo *submits)
{
    VkResult result;
    lock_queue(&device->queues, queue);
    if (queue->used && device->instance->messenger == VK_NULL_HANDLE)
        result = device->vk.vkQueueSubmit(queue->handle, count, submits, VK_NULL_HANDLE);
    else
        result = submit_without_signals(device, queue, count, submits);
    queue->used = true;
    unlock_queue(&device->queues, queue);
    return result;
}

int32_t vulkan_queue_submit(struct trm_backend_device *device, struct vulkan_queue *queue, uint32_t count,
                            const VkSubmitInfo *submits)
{
    VkResult result = vulkan_queue_send(device, queue, count, submits);
    return result < 0 ? vulkan_device_fail(device, result, "vkQueueSubmit") : TRM_OK;
}
