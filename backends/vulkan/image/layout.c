/* vulkan backend: the one change of an image's layout, when it is created; and those of an image of the
 * application's, when it comes and when it goes.
 *
 * The change cannot be left to the first command that uses the image: two streams may use different parts of
 * it at once, and a graph would change the layout again at each launch, which discards the texels. So the
 * thread that creates the image submits the change and waits for it.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/image/layout.h"

struct vulkan_layouts {
    struct trm_backend_device *device;
    pthread_mutex_t lock; /* held during a change */
    struct vulkan_queue *queue;
    VkCommandPool pool;
    VkCommandBuffer command;
    VkSemaphore semaphore; /* a timeline */
    uint64_t value;        /* that it was last told to reach */
};

int32_t vulkan_layouts_create(struct trm_backend_device *device, struct vulkan_layouts **result)
{
    struct vulkan_layouts *layouts = trm_util_allocate(device->instance->host, sizeof(*layouts));
    if (layouts == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a device");
    layouts->device = device;
    if (pthread_mutex_init(&layouts->lock, NULL) != 0) {
        trm_util_release(device->instance->host, layouts, sizeof(*layouts));
        return trm_util_fail_host_memory(device->instance->host, "a device");
    }
    *result = layouts;
    return TRM_OK;
}

void vulkan_layouts_destroy(struct vulkan_layouts *layouts)
{
    if (layouts == NULL)
        return;
    struct trm_backend_device *device = layouts->device;
    if (layouts->semaphore != VK_NULL_HANDLE)
        device->vk.vkDestroySemaphore(device->handle, layouts->semaphore, NULL);
    if (layouts->pool != VK_NULL_HANDLE)
        device->vk.vkDestroyCommandPool(device->handle, layouts->pool, NULL);
    pthread_mutex_destroy(&layouts->lock);
    trm_util_release(device->instance->host, layouts, sizeof(*layouts));
}

/* ---- the driver's objects -------------------------------------------------------------------------- */

static int32_t make_semaphore(struct vulkan_layouts *layouts)
{
    struct trm_backend_device *device    = layouts->device;
    const VkSemaphoreTypeCreateInfo type = {
        .sType         = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkResult result = device->vk.vkCreateSemaphore(device->handle, &info, NULL, &layouts->semaphore);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreateSemaphore") : TRM_OK;
}

static int32_t make_pool(struct vulkan_layouts *layouts)
{
    struct trm_backend_device *device = layouts->device;
    layouts->queue = vulkan_queue_choose(device, TRM_STREAM_UPLOAD, TRM_PRIORITY_NORMAL, false);
    const VkCommandPoolCreateInfo info = {
        .sType            = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags            = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = layouts->queue->family,
    };
    VkResult result = device->vk.vkCreateCommandPool(device->handle, &info, NULL, &layouts->pool);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreateCommandPool") : TRM_OK;
}

static int32_t make_command(struct vulkan_layouts *layouts)
{
    struct trm_backend_device *device      = layouts->device;
    const VkCommandBufferAllocateInfo info = {
        .sType              = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool        = layouts->pool,
        .level              = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkResult result = device->vk.vkAllocateCommandBuffers(device->handle, &info, &layouts->command);
    return result < 0 ? vulkan_device_fail(device, result, "vkAllocateCommandBuffers") : TRM_OK;
}

/* A later call goes on where one failed. */
static int32_t make_objects(struct vulkan_layouts *layouts)
{
    int32_t status = layouts->semaphore == VK_NULL_HANDLE ? make_semaphore(layouts) : TRM_OK;
    if (status == TRM_OK && layouts->pool == VK_NULL_HANDLE)
        status = make_pool(layouts);
    if (status == TRM_OK && layouts->command == NULL)
        status = make_command(layouts);
    return status;
}

/* ---- a change -------------------------------------------------------------------------------------- */

/* In other layouts the program has used the image, or will: the semaphore of the submission has made writes
 * available, and the program orders its own accesses. */
static bool ours(VkImageLayout layout)
{
    return layout == VK_IMAGE_LAYOUT_GENERAL;
}

static int32_t record(struct vulkan_layouts *layouts, VkImage image, VkImageLayout from, VkImageLayout to)
{
    struct trm_backend_device *device    = layouts->device;
    const VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    const VkImageMemoryBarrier barrier = {
        .sType               = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask       = ours(from) ? VK_ACCESS_TRANSFER_WRITE_BIT : 0,
        .dstAccessMask       = ours(to) ? VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT : 0,
        .oldLayout           = from,
        .newLayout           = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image               = image,
        .subresourceRange    = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT,
                                .levelCount = VK_REMAINING_MIP_LEVELS,
                                .layerCount = VK_REMAINING_ARRAY_LAYERS},
    };
    VkResult result = device->vk.vkResetCommandPool(device->handle, layouts->pool, 0);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkResetCommandPool");
    result = device->vk.vkBeginCommandBuffer(layouts->command, &begin);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkBeginCommandBuffer");
    device->vk.vkCmdPipelineBarrier(layouts->command, VK_PIPELINE_STAGE_TRANSFER_BIT,
                                    VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
    result = device->vk.vkEndCommandBuffer(layouts->command);
    return result < 0 ? vulkan_device_fail(device, result, "vkEndCommandBuffer") : TRM_OK;
}

static int32_t submit(struct vulkan_layouts *layouts)
{
    const uint64_t value                       = layouts->value + 1;
    const VkTimelineSemaphoreSubmitInfo values = {
        .sType                     = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues    = &value,
    };
    const VkSubmitInfo info = {
        .sType                = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext                = &values,
        .commandBufferCount   = 1,
        .pCommandBuffers      = &layouts->command,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores    = &layouts->semaphore,
    };
    int32_t status = vulkan_queue_submit(layouts->device, layouts->queue, 1, &info);
    if (status == TRM_OK)
        layouts->value = value;
    return status;
}

/* The driver may lack memory to wait for a moment, but the commands are in flight: it is asked again. */
static int32_t wait_for_value(struct vulkan_layouts *layouts)
{
    struct trm_backend_device *device = layouts->device;
    const VkSemaphoreWaitInfo info    = {
           .sType          = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
           .semaphoreCount = 1,
           .pSemaphores    = &layouts->semaphore,
           .pValues        = &layouts->value,
    };
    VkResult result;
    uint64_t seen = 0;
    do {
        result = device->vk.vkWaitSemaphores(device->handle, &info, UINT64_MAX);
        if (result == VK_SUCCESS)
            return TRM_OK;
        if (result != VK_ERROR_DEVICE_LOST)
            result = device->vk.vkGetSemaphoreCounterValue(device->handle, layouts->semaphore, &seen);
    } while (result != VK_ERROR_DEVICE_LOST && !vulkan_device_is_lost(device) && seen < layouts->value);
    if (seen >= layouts->value)
        return TRM_OK;
    return vulkan_device_fail(device, VK_ERROR_DEVICE_LOST, "vkWaitSemaphores");
}

int32_t vulkan_layout_change(struct vulkan_layouts *layouts, VkImage image, VkImageLayout from,
                             VkImageLayout to)
{
    pthread_mutex_lock(&layouts->lock);
    int32_t status = make_objects(layouts);
    if (status == TRM_OK)
        status = record(layouts, image, from, to);
    if (status == TRM_OK)
        status = submit(layouts);
    if (status == TRM_OK)
        status = wait_for_value(layouts);
    pthread_mutex_unlock(&layouts->lock);
    return status;
}
