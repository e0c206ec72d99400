/* vulkan backend: timestamps, told in the host's time.
 * SPDX-License-Identifier: MIT
 */
#ifndef VULKAN_PROFILE_H
#define VULKAN_PROFILE_H

#include "record.h"
#include "vulkan.h"

/* With the device. Where it has no timestamps, or they cannot be told in the host's time, `stamps` is NULL, and
 * stamp_create() answers UNSUPPORTED. */
int32_t vulkan_stamps_create(struct trm_backend_device *device, struct vulkan_stamps **stamps);
void vulkan_stamps_destroy(struct vulkan_stamps *stamps); /* NULL is fine */

/* For graphs: the commands that reset the stamp and take the time, on a queue that computes. */
void vulkan_stamp_commands(struct vulkan_recorder *recorder, struct trm_backend_stamp *stamp);
/* They are about to run again: the time that was read before is forgotten. */
void vulkan_stamp_renew(struct trm_backend_stamp *stamp);

#endif
