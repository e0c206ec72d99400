/* vulkan backend: the device room: opens, closes, describes and adopts devices.
 *
 *     device.c          the device table; opening and closing
 *     info.c            get_info()
 *     adopt.c           an application's own VkDevice (adopt_features.c: the features that it has enabled)
 *
 * The steps below are shared by devices of our own and adopted ones.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DEVICE_DEVICE_H
#define BACKENDS_VULKAN_DEVICE_DEVICE_H

#include "backends/vulkan/device/adopt.h"
#include "backends/vulkan/driver/driver.h"

/* Create a device without a handle. */
int32_t vulkan_device_allocate(struct trm_backend_instance *instance, const struct vulkan_physical *physical,
                               struct trm_backend_device **device);

/* Look up the device's functions, with functions of the instance that it belongs to. `handle` is set and was
 * created with `features`; functions of disabled features stay NULL. */
int32_t vulkan_device_load(struct trm_backend_device *device, const struct vulkan_instance_functions *theirs,
                           const struct vulkan_features *features);

/* Create memory, threads and caches, once handle, functions and queues are set. */
int32_t vulkan_device_start(struct trm_backend_device *device);

/* Undo the steps that were taken. Destroys the handle unless it is borrowed. */
void vulkan_device_close(struct trm_backend_device *device);

/* info.c: a slot of the device table. */
int32_t vulkan_device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                               void *value, uint64_t capacity, uint64_t *needed);

/* info.c: the physical device with this index; NULL, explained, if there is none. */
const struct vulkan_physical *vulkan_find_physical(const struct trm_backend_instance *instance,
                                                   uint32_t index);

extern const struct trm_device_ops vulkan_device_ops;

#endif
