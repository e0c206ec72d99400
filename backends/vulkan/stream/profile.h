/* vulkan backend: timestamps, told in the host's time.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_PROFILE_H
#define BACKENDS_VULKAN_STREAM_PROFILE_H

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/record/record.h"

/* With the device. Where it has no timestamps, or they cannot be told in the host's time, `stamps` is NULL, and
 * stamp_create() answers UNSUPPORTED. */
int32_t vulkan_stamps_create(struct trm_backend_device *device, struct vulkan_stamps **stamps);
void vulkan_stamps_destroy(struct vulkan_stamps *stamps); /* NULL is fine */

/* Before the time is taken again: what was taken before is forgotten. By the host where `recorder` is NULL, which needs
 * vkResetQueryPool() and that nothing under way takes it; else by a command, on a queue that computes. That one is dear: an H200
 * does nothing else meanwhile, for some 7 us. */
void vulkan_stamp_renew(struct trm_backend_stamp *stamp, const struct vulkan_recorder *recorder);
/* The command that takes the time. */
void vulkan_stamp_take(const struct vulkan_recorder *recorder, const struct trm_backend_stamp *stamp);

#endif
