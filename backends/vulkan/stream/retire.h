/* vulkan backend: when the semaphores of timelines are destroyed.
 *
 * Vulkan allows it once every submission that names a semaphore has ended. But where a driver has a thread
 * behind a queue, as Mesa 22's common code does, that thread publishes the end of a submission first and then
 * releases the semaphores for which the submission waited. A program that saw the end and destroyed one of
 * them crashed that thread.
 *
 * The thread takes submissions in their order. So a timeline without references is kept until each queue has
 * signalled a mark that was submitted after the timeline's last use. Marks are submitted for
 * VULKAN_RETIRED_MOST timelines at a time, and nothing waits for them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_RETIRE_H
#define BACKENDS_VULKAN_STREAM_RETIRE_H

#define VULKAN_RETIRED_MOST 16u

struct trm_backend_device;
struct vulkan_timeline;

/* Takes a timeline without references. Any thread, under any lock. */
void vulkan_timeline_retire(struct vulkan_timeline *timeline);

/* Destroys the timelines whose marks were passed, and submits marks for others. Any thread; the caller holds
 * no lock. */
void vulkan_timelines_collect(struct trm_backend_device *device);

/* Destroys all when the device is closed: nothing runs any more, and no timeline has references. */
void vulkan_timelines_fini(struct trm_backend_device *device);

#endif
