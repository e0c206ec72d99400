/* vulkan backend: timelines. Each stream has one timeline semaphore, whose counter shows the number of the
 * last complete operation.
 *
 * The counter reaches a number exactly when that operation is complete as backend.h defines it, including
 * what the host has to do (copies out of staging memory). So device and host wait for the same thing. The
 * exception is a stream that has failed and of which nothing runs any more: its counter is advanced to the
 * last number, so that waits on other devices end; `last` is the last value that is really complete.
 *
 * A timeline can outlive its stream: whatever waits for it holds a reference.
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
    struct vulkan_timeline *next_retired; /* retire.c */
    /* A semaphore of others: only values that were reached are known, not what was submitted. */
    bool is_external;
    /* The highest value whose signal was submitted with no host copy in front of it, or was signalled by the
     * host. A submission that waits for a higher value is deferred: on a shared queue it could block the very
     * work that it waits for. */
    _Atomic uint64_t submitted;
    _Atomic uint64_t completed; /* the counter as last seen; only grows */
    _Atomic uint64_t last;      /* nothing after this will be complete; UINT64_MAX while the stream works */
    /* TRM_OK, or why nothing after `last` will be complete. Set before the submitted work has ended: see
     * vulkan_stream_failure(). The two fields below are written before it. */
    _Atomic int32_t failure;
    int64_t native;
    char sentence[256];
};

int32_t vulkan_timeline_create(struct trm_backend_device *device, struct vulkan_timeline **timeline);
/* Create a timeline for an external semaphore, which it then owns. On a failure the caller keeps the
 * semaphore. */
int32_t vulkan_timeline_wrap(struct trm_backend_device *device, VkSemaphore semaphore,
                             struct vulkan_timeline **timeline);
void vulkan_timeline_retain(struct vulkan_timeline *timeline);
void vulkan_timeline_release(struct vulkan_timeline *timeline); /* NULL is fine */

/* Read the counter; calls the driver only if `wanted` is not known to be reached. Errors: DEVICE_LOST. */
int32_t vulkan_timeline_read(struct vulkan_timeline *timeline, uint64_t wanted, uint64_t *completed);

/* Wait until the counter is at least `value`: polls for device->spin_ns, then sleeps in the driver. The
 * signal must have been submitted. Errors: TIMEOUT (not explained), DEVICE_LOST. */
int32_t vulkan_timeline_wait(struct vulkan_timeline *timeline, uint64_t value, uint64_t timeout_ns);
/* The same without polling. */
int32_t vulkan_timeline_sleep(struct vulkan_timeline *timeline, uint64_t value, uint64_t timeout_ns);

/* Signal from the host. `value` is higher than all before, and no queue has a signal for it. */
int32_t vulkan_timeline_signal(struct vulkan_timeline *timeline, uint64_t value);

/* Record that the stream has failed and nothing after `last` will be complete. Only the first call has an
 * effect. */
void vulkan_timeline_break(struct vulkan_timeline *timeline, uint64_t last, int32_t status, int64_t native,
                           const char *sentence);

#endif
