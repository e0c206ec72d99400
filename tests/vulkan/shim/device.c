/* Devices: creating them on top of the real one, losing them, destroying them.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "queue.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct shim_device *devices;

void shim_devices_lock(void)
{
    pthread_mutex_lock(&mutex);
}

void shim_devices_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

struct shim_device *shim_device_of(VkDevice handle)
{
    pthread_mutex_lock(&mutex);
    struct shim_device *device = devices;
    while (device && device->handle != handle)
        device = device->next;
    pthread_mutex_unlock(&mutex);
    if (!device) {
        shim_breach("a device was used that does not live");
        abort();
    }
    return device;
}

/* ---- losing ------------------------------------------------------------------------------------ */

bool shim_device_is_lost(struct shim_device *device)
{
    pthread_mutex_lock(&device->lock);
    while (device->losing && !device->lost)
        pthread_cond_wait(&device->changed, &device->lock);
    bool lost = device->lost;
    pthread_mutex_unlock(&device->lock);
    return lost;
}

bool shim_device_is_losing(struct shim_device *device)
{
    pthread_mutex_lock(&device->lock);
    bool losing = device->losing;
    pthread_mutex_unlock(&device->lock);
    return losing;
}

bool shim_device_enter(struct shim_device *device)
{
    pthread_mutex_lock(&device->lock);
    bool losing = device->losing;
    device->inside += !losing;
    pthread_mutex_unlock(&device->lock);
    return !losing;
}

void shim_device_leave(struct shim_device *device)
{
    pthread_mutex_lock(&device->lock);
    device->inside--;
    pthread_cond_broadcast(&device->changed);
    pthread_mutex_unlock(&device->lock);
}

void shim_device_lose(struct shim_device *device)
{
    if (!device->real_queue)
        shim_breach("only a device whose families of queues are made up can be lost");
    pthread_mutex_lock(&device->lock);
    device->losing = true;
    pthread_cond_broadcast(&device->changed);
    while (device->inside > 0)
        pthread_cond_wait(&device->changed, &device->lock);
    pthread_mutex_unlock(&device->lock);
    shim_queues_drain(device);
    pthread_mutex_lock(&device->lock);
    device->lost = true;
    pthread_cond_broadcast(&device->changed);
    pthread_mutex_unlock(&device->lock);
}

/* ---- making ------------------------------------------------------------------------------------ */

static VkResult check_extensions(const VkDeviceCreateInfo *info)
{
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        if (shim_hides(info->ppEnabledExtensionNames[i])) {
            shim_breach("%s was enabled, which the device has not", info->ppEnabledExtensionNames[i]);
            return VK_ERROR_EXTENSION_NOT_PRESENT;
        }
    }
    return VK_SUCCESS;
}

/* With configured families, the real device has one queue of its first family. */
static VkResult check_queues(const VkDeviceCreateInfo *info)
{
    for (uint32_t i = 0; i < info->queueCreateInfoCount; i++) {
        const VkDeviceQueueCreateInfo *queue = &info->pQueueCreateInfos[i];
        if (queue->queueFamilyIndex >= shim_config.family_count ||
            queue->queueCount > shim_config.families[queue->queueFamilyIndex].queues) {
            shim_breach("queues were asked for that the device has not");
            return VK_ERROR_INITIALIZATION_FAILED;
        }
    }
    return VK_SUCCESS;
}

static VkResult create_real(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                            const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    float priority                = 1;
    VkDeviceCreateInfo changed    = *info;
    VkDeviceQueueCreateInfo queue = {
        .sType            = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount       = 1,
        .pQueuePriorities = &priority,
    };
    VkResult result = check_extensions(info);
    if (result == VK_SUCCESS && shim_config.family_count > 0) {
        changed.queueCreateInfoCount = 1;
        changed.pQueueCreateInfos    = &queue;
        result                       = check_queues(info);
    }
    return result != VK_SUCCESS ? result : shim_real.vkCreateDevice(physical, &changed, allocator, handle);
}

/* A function under its core name, or as the extension that it was. */
static PFN_vkVoidFunction own_or_khr(VkDevice handle, const char *name, const char *name_khr)
{
    PFN_vkVoidFunction found = shim_real.vkGetDeviceProcAddr(handle, name);
    return found ? found : shim_real.vkGetDeviceProcAddr(handle, name_khr);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkCreateDevice(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    VkResult result = shim_call(SHIM_vkCreateDevice);
    if (result == VK_SUCCESS)
        result = shim_forked();
    if (result != VK_SUCCESS)
        return result;
    struct shim_device *device = calloc(1, sizeof(*device));
    if (!device)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    result = create_real(physical, info, allocator, &device->handle);
    if (result != VK_SUCCESS) {
        free(device);
        return result;
    }
    device->physical     = physical;
    device->family_count = info->queueCreateInfoCount;
    pthread_mutex_init(&device->submit_lock, NULL);
    pthread_mutex_init(&device->lock, NULL);
    pthread_cond_init(&device->changed, NULL);
    device->wait =
        (PFN_vkWaitSemaphores)own_or_khr(device->handle, "vkWaitSemaphores", "vkWaitSemaphoresKHR");
    device->raise =
        (PFN_vkSignalSemaphore)own_or_khr(device->handle, "vkSignalSemaphore", "vkSignalSemaphoreKHR");
    if (shim_config.family_count > 0)
        shim_real.vkGetDeviceQueue(device->handle, 0, 0, &device->real_queue);
    pthread_mutex_lock(&mutex);
    device->next = devices;
    devices      = device;
    pthread_mutex_unlock(&mutex);
    shim_made("VkDevice", SHIM_HANDLE(device->handle), 0, 0, 0);
    *handle = device->handle;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL shim_vkDestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    (void)shim_call(SHIM_vkDestroyDevice);
    if (!handle)
        return;
    struct shim_device *device = shim_device_of(handle);
    shim_queues_end(device);
    shim_ended("VkDevice", SHIM_HANDLE(handle), false);
    pthread_mutex_lock(&mutex);
    struct shim_device **link = &devices;
    while (*link != device)
        link = &(*link)->next;
    *link = device->next;
    pthread_mutex_unlock(&mutex);
    shim_real.vkDestroyDevice(handle, allocator);
    pthread_mutex_destroy(&device->submit_lock);
    pthread_mutex_destroy(&device->lock);
    pthread_cond_destroy(&device->changed);
    free(device);
}

VKAPI_ATTR VkResult VKAPI_CALL shim_vkDeviceWaitIdle(VkDevice handle)
{
    struct shim_device *device = shim_device_of(handle);
    VkResult result            = shim_call_device(SHIM_vkDeviceWaitIdle, device);
    if (result != VK_SUCCESS)
        return result;
    shim_queues_drain(device);
    if (!shim_device_enter(device))
        return VK_ERROR_DEVICE_LOST;
    pthread_mutex_lock(&device->submit_lock);
    result = shim_real.vkDeviceWaitIdle(handle);
    pthread_mutex_unlock(&device->submit_lock);
    shim_device_leave(device);
    return result;
}
