/* vulkan backend: timelines. One timeline semaphore a stream; what a stream's numbers are, its counter shows.
 *
 * The counter reaches a number exactly when the operation of that number is complete in the sense of backend.h, what the
 * host has to do for it included (copies out of staging memory). So whoever waits, on the device or on the host, waits for
 * the same thing. Only when a stream has failed, and nothing of it runs any more, its counter is moved on to the last number,
 * so that others who wait for it on a device of their own are not left hanging; `last` says where the truth ends.
 *
 * It outlives its stream: whoever is to wait for it holds a reference.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_TIMELINE_H
#define BACKENDS_VULKAN_STREAM_TIMELINE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/driver/driver.h"

struct trm_backend_device;

struct vulkan_timeline {
    struct trm_backend_device *device;
    VkSemaphore semaphore;
    _Atomic uint32_t references;
    bool
        is_external; /* a semaphore of others: nobody tells what has been submitted, it is only known what was reached */
    /* The highest number whose signal is in a queue, with nothing in front of it that the host has to do, or was done by the
     * host. A submission that waits for a higher one is held back: queues may be shared, and what waits in front of what it
     * waits for hangs. */
    _Atomic uint64_t submitted;
    _Atomic uint64_t completed; /* the counter as last seen; only grows */
    _Atomic uint64_t last;      /* no number beyond it will ever be complete; UINT64_MAX while all is well */
    /* TRM_OK, or why nothing beyond `last` will be. Set before what was submitted has run to its end: see
     * vulkan_stream_failure(). The two below were written before. */
    _Atomic int32_t failure;
    int64_t native;
    char sentence[256];
};

int32_t vulkan_timeline_create(struct trm_backend_device *device, struct vulkan_timeline **timeline);
/* Around a semaphore of others, which is destroyed with it. On a failure the semaphore stays the caller's. */
int32_t vulkan_timeline_wrap(struct trm_backend_device *device, VkSemaphore semaphore,
                             struct vulkan_timeline **timeline);
void vulkan_timeline_retain(struct vulkan_timeline *timeline);
void vulkan_timeline_release(struct vulkan_timeline *timeline); /* NULL is fine */
/* When the device is closed: it is idle, and all timelines are gone. */
void vulkan_timelines_fini(struct trm_backend_device *device);

/* The counter, with what is remembered of it; no call of the driver where `wanted` is known to be reached.
 * Errors: DEVICE_LOST. */
int32_t vulkan_timeline_read(struct vulkan_timeline *timeline, uint64_t wanted, uint64_t *completed);

/* Wait until the counter is at least `value`: looks for device->spin_ns, then sleeps in the driver. The signal must have
 * been submitted. Errors: TIMEOUT (not explained), DEVICE_LOST. */
int32_t vulkan_timeline_wait(struct vulkan_timeline *timeline, uint64_t value, uint64_t timeout_ns);
/* The same without looking first. */
int32_t vulkan_timeline_sleep(struct vulkan_timeline *timeline, uint64_t value, uint64_t timeout_ns);

/* By the host. `value` is higher than all before, and nothing that would signal it is in a queue. */
int32_t vulkan_timeline_signal(struct vulkan_timeline *timeline, uint64_t value);

/* Its stream has failed: nothing beyond `last` will be. The first to come says why. */
void vulkan_timeline_break(struct vulkan_timeline *timeline, uint64_t last, int32_t status, int64_t native,
                           const char *sentence);

#endif
