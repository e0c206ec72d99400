/* vulkan backend: timestamps in host time.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_STREAM_PROFILE_H
#define BACKENDS_VULKAN_STREAM_PROFILE_H

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/record/record.h"

/* Create the device's part. `stamps` is NULL if the device has no timestamps, or none that can be converted
 * to host time; stamp_create() then returns UNSUPPORTED. */
int32_t vulkan_stamps_create(struct trm_backend_device *device, struct vulkan_stamps **stamps);
void vulkan_stamps_destroy(struct vulkan_stamps *stamps); /* NULL is fine */

/* Reset a stamp before it is recorded again. With `recorder` NULL the host resets it, which needs
 * vkResetQueryPool() and that no use of the stamp is in flight; else a command does, on a compute queue. The
 * command is expensive: it idles an H200 for some 7 us. Without vkResetQueryPool() the host only forgets the
 * stamp's time, and a command of the graph that is about to be launched resets it. */
void vulkan_stamp_renew(struct trm_backend_stamp *stamp, const struct vulkan_recorder *recorder);
/* Record the command that writes the timestamp. The host reads it behind vulkan_record_end(). */
void vulkan_stamp_take(struct vulkan_recorder *recorder, const struct trm_backend_stamp *stamp);

#endif
