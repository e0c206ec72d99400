/* A fake Vulkan driver for tests of streams: timeline semaphores, and queues that advance only when a test
 * says so. It checks that work in a queue waits only for values whose signal was submitted, and that
 * semaphores only rise. Calls can be made to fail.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_BACKENDS_VULKAN_DRIVER_H
#define TESTS_UNIT_BACKENDS_VULKAN_DRIVER_H

#include "tests/check.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/vulkan/stream/stream.h"

#define DRIVER_BATCHES 512
#define DRIVER_PLACES 16
#define DRIVER_QUEUES 2

struct driver_semaphore {
    uint64_t counter, promised; /* now; once all submitted work has run */
};

struct driver_batch {
    struct driver_semaphore *waits[DRIVER_PLACES], *signals[DRIVER_PLACES];
    uint64_t wait_values[DRIVER_PLACES], signal_values[DRIVER_PLACES];
    uint32_t wait_count, signal_count, commands;
};

struct driver_queue {
    struct driver_batch batches[DRIVER_BATCHES];
    uint32_t submitted, run;
};

static struct {
    struct trm_host host;
    struct vulkan_physical physical;
    struct trm_backend_instance instance;
    struct trm_backend_device device;
    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t changed;
    struct driver_queue queues[DRIVER_QUEUES];
    uint32_t submissions;       /* successful calls of vkQueueSubmit() */
    uint32_t objects, commands; /* alive; command buffers that were begun and not ended */
    const char *failing;        /* the function that shall fail */
    uint32_t failing_at;        /* at which of its next calls (1: the next), once */
    VkResult failure;
    char breach[160]; /* the first one */
    int64_t bytes;    /* of host memory, not released */
    int32_t status;   /* of the last failure, with its sentence; of any thread */
    int64_t native;
    char sentence[512];
} driver;

/* ---- the host -------------------------------------------------------------------------------------- */

static inline void *driver_allocate(void *context, uint64_t size, uint64_t alignment)
{
    void *memory = NULL;
    (void)context;
    if (posix_memalign(&memory, alignment, size) != 0)
        return NULL;
    __atomic_fetch_add(&driver.bytes, (int64_t)size, __ATOMIC_RELAXED);
    return memory;
}

static inline void driver_release(void *context, void *memory, uint64_t size)
{
    (void)context;
    if (memory != NULL)
        __atomic_fetch_sub(&driver.bytes, (int64_t)size, __ATOMIC_RELAXED);
    free(memory);
}

static inline void driver_log(void *context, int32_t level, const char *message)
{
    (void)context, (void)level, (void)message;
}

static inline int32_t driver_fail(void *context, int32_t status, int64_t native, const char *sentence)
{
    (void)context;
    pthread_mutex_lock(&driver.lock);
    driver.status = status;
    driver.native = native;
    snprintf(driver.sentence, sizeof(driver.sentence), "%s", sentence);
    pthread_mutex_unlock(&driver.lock);
    return status;
}

/* ---- failures, and breaches of Vulkan's rules ------------------------------------------------------- */

/* The caller holds the lock. */
static inline VkResult driver_answer(const char *function)
{
    if (driver.failing == NULL || strcmp(driver.failing, function) != 0 || --driver.failing_at != 0)
        return VK_SUCCESS;
    driver.failing = NULL;
    return driver.failure;
}

static inline void driver_arm(const char *function, uint32_t at, VkResult failure)
{
    pthread_mutex_lock(&driver.lock);
    driver.failing    = function;
    driver.failing_at = at;
    driver.failure    = failure;
    pthread_mutex_unlock(&driver.lock);
}

static inline void driver_breach(const char *sentence)
{
    if (driver.breach[0] == '\0')
        snprintf(driver.breach, sizeof(driver.breach), "%s", sentence);
}

/* ---- semaphores ------------------------------------------------------------------------------------ */

static inline VKAPI_ATTR VkResult VKAPI_CALL driver_create_semaphore(VkDevice device,
                                                                     const VkSemaphoreCreateInfo *info,
                                                                     const VkAllocationCallbacks *callbacks,
                                                                     VkSemaphore *made)
{
    (void)device, (void)info, (void)callbacks;
    pthread_mutex_lock(&driver.lock);
    VkResult result = driver_answer("vkCreateSemaphore");
    if (result == VK_SUCCESS) {
        *made = (VkSemaphore)(uintptr_t)calloc(1, sizeof(struct driver_semaphore));
        driver.objects++;
    }
    pthread_mutex_unlock(&driver.lock);
    return result;
}

static inline VKAPI_ATTR void VKAPI_CALL driver_destroy_semaphore(VkDevice device, VkSemaphore semaphore,
                                                                  const VkAllocationCallbacks *callbacks)
{
    (void)device, (void)callbacks;
    pthread_mutex_lock(&driver.lock);
    driver.objects--;
    free((void *)(uintptr_t)semaphore);
    pthread_mutex_unlock(&driver.lock);
}

static inline struct driver_semaphore *driver_semaphore(VkSemaphore semaphore)
{
    return (struct driver_semaphore *)(uintptr_t)semaphore;
}

static inline VKAPI_ATTR VkResult VKAPI_CALL driver_counter(VkDevice device, VkSemaphore semaphore,
                                                            uint64_t *value)
{
    (void)device;
    pthread_mutex_lock(&driver.lock);
    VkResult result = driver_answer("vkGetSemaphoreCounterValue");
    if (result == VK_SUCCESS)
        *value = driver_semaphore(semaphore)->counter;
    pthread_mutex_unlock(&driver.lock);
    return result;
}

static inline bool driver_waits(const VkSemaphoreWaitInfo *info)
{
    uint32_t reached = 0;
    for (uint32_t i = 0; i < info->semaphoreCount; i++)
        reached += driver_semaphore(info->pSemaphores[i])->counter >= info->pValues[i] ? 1 : 0;
    return (info->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0 ? reached == 0 : reached < info->semaphoreCount;
}

static inline VKAPI_ATTR VkResult VKAPI_CALL driver_wait(VkDevice device, const VkSemaphoreWaitInfo *info,
                                                         uint64_t timeout)
{
    struct timespec until;
    int late = 0;
    (void)device;
    clock_gettime(CLOCK_REALTIME, &until);
    uint64_t seconds = timeout / 1000000000u < 100000 ? timeout / 1000000000u : 100000;
    uint64_t rest    = (uint64_t)until.tv_nsec + timeout % 1000000000u;
    until.tv_sec += (time_t)(seconds + rest / 1000000000u);
    until.tv_nsec = (long)(rest % 1000000000u);
    pthread_mutex_lock(&driver.lock);
    VkResult result = driver_answer("vkWaitSemaphores");
    while (result == VK_SUCCESS && late == 0 && driver_waits(info))
        late = pthread_cond_timedwait(&driver.changed, &driver.lock, &until);
    if (result == VK_SUCCESS && driver_waits(info))
        result = VK_TIMEOUT;
    pthread_mutex_unlock(&driver.lock);
    return result;
}

static inline VKAPI_ATTR VkResult VKAPI_CALL driver_signal(VkDevice device, const VkSemaphoreSignalInfo *info)
{
    struct driver_semaphore *semaphore = driver_semaphore(info->semaphore);
    (void)device;
    pthread_mutex_lock(&driver.lock);
    VkResult result = driver_answer("vkSignalSemaphore");
    if (result == VK_SUCCESS) {
        if (info->value <= semaphore->counter || semaphore->promised > semaphore->counter)
            driver_breach("the host signals what a queue will, or what is reached");
        semaphore->counter = semaphore->promised = info->value;
        pthread_cond_broadcast(&driver.changed);
    }
    pthread_mutex_unlock(&driver.lock);
    return result;
}

/* ---- commands, which do nothing --------------------------------------------------------------------- */

static inline VKAPI_ATTR VkResult VKAPI_CALL driver_create_pool(VkDevice device,
                                                                const VkCommandPoolCreateInfo *info,
                                                                const VkAllocationCallbacks *callbacks,
                                                                VkCommandPool *made)
{
    (void)device, (void)info, (void)callbacks;
    pthread_mutex_lock(&driver.lock);
    VkResult result = driver_answer("vkCreateCommandPool");
    if (result == VK_SUCCESS) {
        *made = (VkCommandPool)(uintptr_t)1;
        driver.objects++;
    }
    pthread_mutex_unlock(&driver.lock);
    return result;
}

static inline VKAPI_ATTR void VKAPI_CALL driver_destroy_pool(VkDevice device, VkCommandPool pool,
                                                             const VkAllocationCallbacks *callbacks)
{
    (void)device, (void)pool, (void)callbacks;
    pthread_mutex_lock(&driver.lock);
    driver.objects--;
    pthread_mutex_unlock(&driver.lock);
}

static inline VkResult driver_say(const char *function)
{
    pthread_mutex_lock(&driver.lock);
    VkResult result = driver_answer(function);
    pthread_mutex_unlock(&driver.lock);
    return result;
}

static inline VKAPI_ATTR VkResult VKAPI_CALL driver_reset_pool(VkDevice device, VkCommandPool pool,
                                                               VkCommandPoolResetFlags flags)
{
    (void)device, (void)pool, (void)flags;
    return driver_say("vkResetCommandPool");
}

static inline VKAPI_ATTR VkResult VKAPI_CALL driver_commands(VkDevice device,
                                                             const VkCommandBufferAllocateInfo *info,
                                                             VkCommandBuffer *made)
{
    (void)device, (void)info;
    *made = (VkCommandBuffer)(uintptr_t)1;
    return driver_say("vkAllocateCommandBuffers");
}

static inline VKAPI_ATTR VkResult VKAPI_CALL driver_begin(VkCommandBuffer command,
                                                          const VkCommandBufferBeginInfo *info)
{
    (void)command, (void)info;
    return driver_say("vkBeginCommandBuffer");
}

static inline VKAPI_ATTR VkResult VKAPI_CALL driver_end(VkCommandBuffer command)
{
    (void)command;
    return driver_say("vkEndCommandBuffer");
}

/* ---- queues ---------------------------------------------------------------------------------------- */

static inline void driver_take_waits(struct driver_batch *batch, const VkSubmitInfo *info,
                                     const VkTimelineSemaphoreSubmitInfo *values)
{
    batch->wait_count = info->waitSemaphoreCount;
    ck_assert_uint_le(batch->wait_count, DRIVER_PLACES);
    for (uint32_t i = 0; i < batch->wait_count; i++) {
        batch->waits[i]       = driver_semaphore(info->pWaitSemaphores[i]);
        batch->wait_values[i] = values->pWaitSemaphoreValues[i];
        if (batch->waits[i]->promised < batch->wait_values[i])
            driver_breach("a queue waits for a value whose signal was not submitted");
    }
}

static inline void driver_take_signals(struct driver_batch *batch, const VkSubmitInfo *info,
                                       const VkTimelineSemaphoreSubmitInfo *values)
{
    batch->signal_count = info->signalSemaphoreCount;
    ck_assert_uint_le(batch->signal_count, DRIVER_PLACES);
    for (uint32_t i = 0; i < batch->signal_count; i++) {
        batch->signals[i]       = driver_semaphore(info->pSignalSemaphores[i]);
        batch->signal_values[i] = values->pSignalSemaphoreValues[i];
        if (batch->signals[i]->promised >= batch->signal_values[i])
            driver_breach("a semaphore is to be signalled with a number that is not higher");
        batch->signals[i]->promised = batch->signal_values[i];
    }
}

static inline VKAPI_ATTR VkResult VKAPI_CALL driver_submit(VkQueue handle, uint32_t count,
                                                           const VkSubmitInfo *infos, VkFence fence)
{
    struct driver_queue *queue = (struct driver_queue *)(void *)handle;
    (void)fence;
    pthread_mutex_lock(&driver.lock);
    VkResult result = driver_answer("vkQueueSubmit");
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        struct driver_batch *batch = &queue->batches[queue->submitted++];
        ck_assert_uint_le(queue->submitted, DRIVER_BATCHES);
        driver_take_waits(batch, &infos[i], infos[i].pNext);
        driver_take_signals(batch, &infos[i], infos[i].pNext);
        batch->commands = infos[i].commandBufferCount;
    }
    driver.submissions += result == VK_SUCCESS ? 1 : 0;
    pthread_mutex_unlock(&driver.lock);
    return result;
}

static inline bool driver_may_run(const struct driver_batch *batch)
{
    for (uint32_t i = 0; i < batch->wait_count; i++)
        if (batch->waits[i]->counter < batch->wait_values[i])
            return false;
    return true;
}

/* Runs at most so many batches of a queue, as far as it can. Returns how many it ran. */
static inline uint32_t driver_run(uint32_t which, uint32_t most)
{
    struct driver_queue *queue = &driver.queues[which];
    uint32_t count             = 0;
    pthread_mutex_lock(&driver.lock);
    for (; count < most && queue->run < queue->submitted; count++) {
        struct driver_batch *batch = &queue->batches[queue->run];
        if (!driver_may_run(batch))
            break;
        for (uint32_t i = 0; i < batch->signal_count; i++)
            batch->signals[i]->counter = batch->signal_values[i];
        queue->run++;
    }
    pthread_cond_broadcast(&driver.changed);
    pthread_mutex_unlock(&driver.lock);
    return count;
}

static inline uint32_t driver_submitted(uint32_t which)
{
    pthread_mutex_lock(&driver.lock);
    uint32_t submitted = driver.queues[which].submitted;
    pthread_mutex_unlock(&driver.lock);
    return submitted;
}

/* ---- the device: one compute queue, one transfer queue ---------------------------------------------- */

static inline void driver_queue_init(struct vulkan_queue *queue, uint32_t which, bool can_compute)
{
    queue->handle      = (VkQueue)(void *)&driver.queues[which];
    queue->family      = which;
    queue->can_compute = can_compute;
    queue->used        = true;
    pthread_mutex_init(&queue->lock, NULL);
}

static inline void driver_setup(void)
{
    struct trm_backend_device *device  = &driver.device;
    struct vulkan_device_functions *vk = &device->vk;
    memset(&driver, 0, sizeof(driver));
    pthread_mutex_init(&driver.lock, NULL);
    pthread_cond_init(&driver.changed, NULL);
    driver.host = (struct trm_host){
        .struct_size = sizeof(driver.host),
        .allocate    = driver_allocate,
        .release     = driver_release,
        .log         = driver_log,
        .fail        = driver_fail,
    };
    driver.instance.host           = &driver.host;
    device->instance               = &driver.instance;
    device->physical               = &driver.physical;
    vk->vkCreateSemaphore          = driver_create_semaphore;
    vk->vkDestroySemaphore         = driver_destroy_semaphore;
    vk->vkGetSemaphoreCounterValue = driver_counter;
    vk->vkWaitSemaphores           = driver_wait;
    vk->vkSignalSemaphore          = driver_signal;
    vk->vkCreateCommandPool        = driver_create_pool;
    vk->vkDestroyCommandPool       = driver_destroy_pool;
    vk->vkResetCommandPool         = driver_reset_pool;
    vk->vkAllocateCommandBuffers   = driver_commands;
    vk->vkBeginCommandBuffer       = driver_begin;
    vk->vkEndCommandBuffer         = driver_end;
    vk->vkQueueSubmit              = driver_submit;
    pthread_mutex_init(&device->stall_lock, NULL);
    pthread_mutex_init(&device->streams_lock, NULL);
    driver_queue_init(&device->queues.compute[0], 0, true);
    driver_queue_init(&device->queues.transfer[0], 1, false);
    device->queues.compute_count = device->queues.transfer_count = 1;
    ck_assert_int_eq(vulkan_service_create(device, &device->service), TRM_OK);
}

/* After each test: all streams are destroyed, nothing leaks, and no rule was broken. */
static inline void driver_teardown(void)
{
    struct trm_backend_device *device = &driver.device;
    vulkan_service_destroy(device->service);
    vulkan_timelines_fini(device);
    ck_assert_str_eq(driver.breach, "");
    ck_assert_ptr_null(device->streams);
    ck_assert_int_eq(driver.bytes, 0);
    ck_assert_uint_eq(driver.objects, 0);
}

#endif
