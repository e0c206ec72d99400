/* vulkan backend: the stream room: streams, their batches and threads, staging copies, timestamps.
 *
 *     stream_object.h    the stream, its states, and why nothing hangs
 *     stream.c           the stream table; creating and destroying
 *     open_batch.c       the open batch, and operations other than commands
 *     enqueue.c          copies, fills and launches (enqueue_image.c: copies of images, the image table)
 *     submit.c           deferred to in flight: submission
 *     progress.c         in flight to spare: ended batches, host copies
 *     wait.c             query and wait
 *     notify.c           notifications, waiting for any of several streams
 *     stream_failure.c   streams that fail or are abandoned
 *     device_loss.c      the loss of the device
 *     batch.c            a part of a stream that is submitted at once
 *     timeline.c         timeline semaphores (retire.c: when they are destroyed)
 *     service.c          the device's threads (watcher.c: those that wait for timelines)
 *     staging.c          small copies from and to plain host memory (staging_image.c: those of images;
 *                        staging_job.c: large ones)
 *     kernel_timing.c    whether kernels or the copy engine shall copy
 *     profile.c          the profile table: timestamps
 *
 * Any thread may wait, query, notify, flush and open gates; one thread at a time enqueues on a stream.
 * driver/driver.h has the order of locks.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_STREAM_H
#define BACKENDS_VULKAN_STREAM_STREAM_H

#include "backends/vulkan/stream/profile.h"
#include "backends/vulkan/stream/retire.h"
#include "backends/vulkan/stream/service.h"
#include "backends/vulkan/stream/staging.h"
#include "backends/vulkan/stream/stream_object.h"
#include "backends/vulkan/stream/timeline.h"

extern const struct trm_stream_ops vulkan_stream_ops;
extern const struct trm_profile_ops vulkan_profile_ops;
extern const struct trm_image_ops vulkan_image_ops;

#endif
