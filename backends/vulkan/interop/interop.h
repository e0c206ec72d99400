/* vulkan backend: the interop room: sharing with programs that use Vulkan themselves (interop.c): native
 * handles, shared memory, shared semaphores. Adopting a VkDevice is in the device room.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_INTEROP_INTEROP_H
#define BACKENDS_VULKAN_INTEROP_INTEROP_H

#include <trireme/backend.h>

extern const struct trm_interop_ops vulkan_interop_ops;

#endif
