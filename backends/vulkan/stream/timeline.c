/* vulkan backend: timeline semaphores, and waiting for them.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/timeline.h"

#include <stdio.h>
#include <time.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/stream/retire.h"

/* A driver may lack memory to wait or signal for a moment, and there is no other way to do it. The call is
 * repeated so often; then the device counts as lost. */
#define REFUSALS_MOST 200u
#define REFUSAL_NS 1000000

/* Attempts to signal, without pauses. */
#define SIGNALS_MOST 3u

/* Polls between two readings of the clock. */
#define POLLS_PER_CLOCK_READ 8u

/* ---- creating and destroying ----------------------------------------------------------------------- */

int32_t vulkan_timeline_wrap(struct trm_backend_device *device, VkSemaphore semaphore,
                             struct vulkan_timeline **result)
{
    vulkan_timelines_collect(device);
    struct vulkan_timeline *timeline = trm_util_allocate(device->instance->host, sizeof(*timeline));
    if (timeline == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a timeline");
    timeline->device      = device;
    timeline->semaphore   = semaphore;
    timeline->is_external = true;
    atomic_init(&timeline->references, 1);
    atomic_init(&timeline->last, UINT64_MAX);
    *result = timeline;
    return TRM_OK;
}

int32_t vulkan_timeline_create(struct trm_backend_device *device, struct vulkan_timeline **timeline)
{
    VkSemaphore semaphore;
    VkSemaphoreTypeCreateInfo type = {
        .sType         = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    VkResult result            = device->vk.vkCreateSemaphore(device->handle, &info, NULL, &semaphore);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkCreateSemaphore");
    int32_t status = vulkan_timeline_wrap(device, semaphore, timeline);
    if (status != TRM_OK)
        device->vk.vkDestroySemaphore(device->handle, semaphore, NULL);
    else
        (*timeline)->is_external = false;
    return status;
}

void vulkan_timeline_retain(struct vulkan_timeline *timeline)
{
    atomic_fetch_add_explicit(&timeline->references, 1, memory_order_relaxed);
}

void vulkan_timeline_release(struct vulkan_timeline *timeline)
{
    if (timeline != NULL && atomic_fetch_sub_explicit(&timeline->references, 1, memory_order_acq_rel) == 1)
        vulkan_timeline_retire(timeline);
}

/* ---- the counter ----------------------------------------------------------------------------------- */

/* Notes that the counter has reached `value`. Reads `last` afterwards: it is written before the counter is
 * advanced. */
static uint64_t note(struct vulkan_timeline *timeline, uint64_t value)
{
    uint64_t last = atomic_load_explicit(&timeline->last, memory_order_acquire);
    if (value > last)
        value = last;
    uint64_t known = atomic_load_explicit(&timeline->completed, memory_order_acquire);
    while (known < value)
        if (atomic_compare_exchange_weak_explicit(&timeline->completed, &known, value, memory_order_acq_rel,
                                                  memory_order_acquire))
            return value;
    return known;
}

/* Asks whether `wanted` is reached, for drivers that lack the memory to read the counter. If that fails too,
 * the known value must do. */
static VkResult ask_for(struct vulkan_timeline *timeline, uint64_t wanted)
{
    struct trm_backend_device *device = timeline->device;
    VkSemaphoreWaitInfo info          = {
                 .sType          = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                 .semaphoreCount = 1,
                 .pSemaphores    = &timeline->semaphore,
                 .pValues        = &wanted,
    };
    return device->vk.vkWaitSemaphores(device->handle, &info, 0);
}

int32_t vulkan_timeline_read(struct vulkan_timeline *timeline, uint64_t wanted, uint64_t *completed)
{
    struct trm_backend_device *device = timeline->device;
    uint64_t seen                     = 0;
    *completed                        = atomic_load_explicit(&timeline->completed, memory_order_acquire);
    if (*completed >= wanted)
        return TRM_OK;
    VkResult result = device->vk.vkGetSemaphoreCounterValue(device->handle, timeline->semaphore, &seen);
    if (result != VK_SUCCESS && result != VK_ERROR_DEVICE_LOST) {
        result = ask_for(timeline, wanted);
        seen   = wanted;
    }
    if (result == VK_ERROR_DEVICE_LOST)
        return vulkan_device_fail(device, result, "vkGetSemaphoreCounterValue");
    if (result == VK_SUCCESS)
        *completed = note(timeline, seen);
    return TRM_OK;
}

int32_t vulkan_timeline_signal(struct vulkan_timeline *timeline, uint64_t value)
{
    struct trm_backend_device *device = timeline->device;
    VkSemaphoreSignalInfo info        = {
               .sType     = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
               .semaphore = timeline->semaphore,
               .value     = value,
    };
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t tries = 0; tries < SIGNALS_MOST && result < 0 && result != VK_ERROR_DEVICE_LOST; tries++)
        result = device->vk.vkSignalSemaphore(device->handle, &info);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkSignalSemaphore");
    note(timeline, value);
    atomic_store(&timeline->submitted, value);
    return TRM_OK;
}

void vulkan_timeline_break(struct vulkan_timeline *timeline, uint64_t last, int32_t status, int64_t native,
                           const char *sentence)
{
    if (atomic_load(&timeline->failure) != TRM_OK)
        return;
    snprintf(timeline->sentence, sizeof(timeline->sentence), "%s", sentence);
    timeline->native = native;
    atomic_store(&timeline->last, last);
    atomic_store(&timeline->failure, status);
}

/* ---- waiting --------------------------------------------------------------------------------------- */

/* TRM_OK, TIMEOUT if the value was not reached until `end`, or DEVICE_LOST. */
static int32_t poll_until(struct vulkan_timeline *timeline, uint64_t value, uint64_t end)
{
    uint64_t completed;
    do {
        for (uint32_t i = 0; i < POLLS_PER_CLOCK_READ; i++) {
            int32_t status = vulkan_timeline_read(timeline, value, &completed);
            if (status != TRM_OK || completed >= value)
                return status;
            trm_util_relax();
        }
    } while (trm_util_now() < end);
    return TRM_ERROR_TIMEOUT;
}

/* Pauses in place of a sleep that the driver had no memory for; TIMEOUT afterwards. */
static int32_t pause_for_memory(struct vulkan_timeline *timeline, uint64_t value, uint32_t *refusals)
{
    struct timespec pause = {.tv_sec = 0, .tv_nsec = REFUSAL_NS};
    if (++*refusals > REFUSALS_MOST)
        return vulkan_device_fail(timeline->device, VK_ERROR_DEVICE_LOST, "vkWaitSemaphores");
    nanosleep(&pause, NULL);
    return poll_until(timeline, value, 0);
}

int32_t vulkan_timeline_sleep(struct vulkan_timeline *timeline, uint64_t value, uint64_t timeout_ns)
{
    struct trm_backend_device *device = timeline->device;
    VkSemaphoreWaitInfo info          = {
                 .sType          = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                 .semaphoreCount = 1,
                 .pSemaphores    = &timeline->semaphore,
                 .pValues        = &value,
    };
    uint64_t deadline = trm_util_deadline(timeout_ns);
    uint32_t refusals = 0;
    int32_t status    = TRM_ERROR_TIMEOUT;
    do {
        VkResult result = device->vk.vkWaitSemaphores(device->handle, &info, trm_util_remaining(deadline));
        if (result == VK_SUCCESS) {
            note(timeline, value);
            return TRM_OK;
        }
        if (result == VK_ERROR_DEVICE_LOST)
            return vulkan_device_fail(device, result, "vkWaitSemaphores");
        if (result < 0)
            status = pause_for_memory(timeline, value, &refusals);
    } while (status == TRM_ERROR_TIMEOUT && trm_util_remaining(deadline) != 0);
    return status;
}

int32_t vulkan_timeline_wait(struct vulkan_timeline *timeline, uint64_t value, uint64_t timeout_ns)
{
    uint64_t spin_ns = timeline->device->spin_ns;
    uint64_t now     = trm_util_now();
    uint64_t poll_ns = timeout_ns < spin_ns ? timeout_ns : spin_ns;
    int32_t status   = poll_until(timeline, value, now + poll_ns);
    if (status != TRM_ERROR_TIMEOUT || timeout_ns == poll_ns)
        return status;
    return vulkan_timeline_sleep(timeline, value,
                                 timeout_ns == UINT64_MAX ? UINT64_MAX : timeout_ns - poll_ns);
}
