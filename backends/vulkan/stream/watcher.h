/* vulkan backend: the threads that sleep for timelines.
 *
 * A watching thread sleeps in the driver, where it cannot be woken by us: it sleeps for the lowest number of one timeline.
 * Further watches of that timeline wait with it where their numbers are not lower; others get a thread of their own, and
 * wait for one to come free where there are as many as there may be. Timelines from outside may never come to their
 * number; a thread that sleeps for one can be hurried, since it sleeps for a timeline of its own beside.
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
    pthread_mutex_t lock; /* all below; taken under any other lock */
    struct vulkan_watcher *list[VULKAN_WATCHERS_MOST];
    uint32_t count;
    struct vulkan_watch *waiting; /* for a thread to come free */
    bool ending;
};

void vulkan_watchers_init(struct vulkan_watchers *watchers, struct trm_backend_device *device);
/* Waits until all watches have been called. */
void vulkan_watchers_fini(struct vulkan_watchers *watchers);

/* There is a thread. False: it could not be started. */
bool vulkan_watchers_start(struct vulkan_watchers *watchers);
void vulkan_watchers_add(struct vulkan_watchers *watchers, struct vulkan_watch *watch);
void vulkan_watchers_cancel(struct vulkan_watchers *watchers, struct vulkan_watch *watch);

/* A thread of the backend's own, which takes no signals. False: there is no memory. */
bool vulkan_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

#endif
