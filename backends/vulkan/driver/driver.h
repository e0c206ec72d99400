/* vulkan backend: the driver room: Vulkan's functions, instances, physical devices, queues and failures.
 *
 *     objects.h         struct trm_backend_instance and struct trm_backend_device; VkResult to status
 *     failure.c         the translation of VkResults, and the loss of a device
 *     functions.h       the functions of Vulkan that the backend uses
 *     fault.h           VK_EXT_device_fault, for older headers
 *     loader.c          libvulkan, opened at run time, and the tables of functions
 *     fork_check.c      whether the drivers still work in a forked child
 *     instance.c        a VkInstance, the settings, and the physical devices
 *     instance_cache.c  one VkInstance that outlives its user
 *     validation.c      messages of the Khronos validation layer
 *     physical.c        which physical devices are usable (features.c and properties.c: what they can do)
 *     queue.c           queue families, queues, and submission
 *
 * Lock order, for all rooms of the backend. A thread that holds a lock takes only locks of later lines.
 *
 *     trm_backend_stream.lock                  one stream at a time; recursive, for the report of a loss
 *     trm_backend_kernel.lock, vulkan_stager.making, trm_backend_device.lazy_lock, vulkan_layouts.lock
 *     vulkan_line.lock
 *     vulkan_stamps.lock
 *     vulkan_heap.lock, vulkan_host_ranges.lock, vulkan_stager.lock, vulkan_queue.lock,
 *         trm_backend_device.stall_lock and streams_lock, vulkan_service.lock, vulkan_watchers.lock
 *                                              under these no other lock is taken
 *
 * The one exception: the report of a loss holds streams_lock and tries (never waits for) the locks of
 * streams. Of the host's functions only allocate(), release(), log() and fail() are called under a lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_DRIVER_H
#define BACKENDS_VULKAN_DRIVER_DRIVER_H

#include "backends/vulkan/driver/fork_check.h"
#include "backends/vulkan/driver/instance.h"
#include "backends/vulkan/driver/instance_cache.h"
#include "backends/vulkan/driver/objects.h"

#endif
