/* vulkan backend: opening and closing devices, in steps that interop.c takes too for an application's own device.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DEVICE_DEVICE_H
#define BACKENDS_VULKAN_DEVICE_DEVICE_H

#include "backends/vulkan/device/adopt.h"
#include "backends/vulkan/driver/driver.h"

/* A device without a handle. */
int32_t vulkan_device_allocate(struct trm_backend_instance *instance, const struct vulkan_physical *physical,
                               struct trm_backend_device **device);

/* Look up its functions, by those of the instance that it was made in. handle is set, and was made with `features`: functions of
 * those that are off are NULL. */
int32_t vulkan_device_load(struct trm_backend_device *device, const struct vulkan_instance_functions *theirs,
                           const struct vulkan_features *features);

/* The rest, once handle, functions and queues are there: memory, threads, caches. */
int32_t vulkan_device_start(struct trm_backend_device *device);

/* Undo whatever of the above has been done. The handle is destroyed unless it is borrowed. */
void vulkan_device_close(struct trm_backend_device *device);

/* info.c: a slot of the table. */
int32_t vulkan_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                               void *value, uint64_t capacity, uint64_t *needed);

/* info.c: the physical device of a number; NULL, explained, when there is none. */
const struct vulkan_physical *vulkan_find_physical(const struct trm_backend_instance *instance,
                                                   uint32_t index);

extern const struct trm_device_ops vulkan_device_ops;

#endif
