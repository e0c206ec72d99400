/* vulkan backend: the threads that wait for timelines.
 *
 * A watcher sleeps in the driver for the lowest watched value of one timeline; it cannot be woken there.
 * Watches of the same timeline with values that are not lower join it. Others get a thread of their own, or
 * wait for a free one when VULKAN_WATCHERS_MOST are running. An external timeline may never reach its value,
 * so a watcher that sleeps for one also sleeps for a timeline of its own, with which it can be woken.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_WATCHER_H
#define BACKENDS_VULKAN_STREAM_WATCHER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "backends/vulkan/stream/batch.h"
#include "backends/vulkan/stream/timeline.h"

#define VULKAN_WATCHERS_MOST 64u

struct vulkan_watcher;

struct vulkan_watchers {
    struct trm_backend_device *device;
    pthread_mutex_t lock; /* protects all below; no other lock is taken under it */
    struct vulkan_watcher *list[VULKAN_WATCHERS_MOST];
    uint32_t count;
    struct vulkan_watch *waiting; /* watches that wait for a free thread */
    bool ending;
};

void vulkan_watchers_init(struct vulkan_watchers *watchers, struct trm_backend_device *device);
/* Waits until all watches have been called. */
void vulkan_watchers_fini(struct vulkan_watchers *watchers);

/* Whether at least one thread is running; starts one if necessary. */
bool vulkan_watchers_start(struct vulkan_watchers *watchers);
void vulkan_watchers_add(struct vulkan_watchers *watchers, struct vulkan_watch *watch);
void vulkan_watchers_cancel(struct vulkan_watchers *watchers, struct vulkan_watch *watch);

/* Start a thread of the backend that blocks all signals. False: no memory. */
bool vulkan_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
