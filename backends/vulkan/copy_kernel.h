/* vulkan backend: copies by a kernel.
 *
 * NVIDIA's driver lets all of a device's queues share one copy engine, so that uploads and downloads halve each other's rate,
 * and each switch between the engine and kernels in one command buffer costs 5 µs. A kernel that copies has neither fault,
 * and copies within the device at five times the rate. Other drivers copy by kernels on their own where that is good. The
 * setting vulkan.copies says which way is taken; auto is the kernel with that driver only.
 * SPDX-License-Identifier: MIT
 */
#ifndef VULKAN_COPY_KERNEL_H
#define VULKAN_COPY_KERNEL_H

#include "record.h"

/* Can all of it but the last one to three bytes be copied by the kernel on the recorder's queue? */
bool vulkan_copies_by_kernel(const struct vulkan_recorder *recorder,
                             const struct trm_backend_memory *destination, uint64_t to,
                             const struct trm_backend_memory *source, uint64_t from, uint64_t size);

/* The commands, with their barriers. `size` is a multiple of 4. */
int32_t vulkan_record_copy_kernel(struct vulkan_recorder *recorder,
                                  const struct trm_backend_memory *destination, uint64_t to,
                                  const struct trm_backend_memory *source, uint64_t from, uint64_t size);

/* Make it now, where the device copies by it: later copies allocate nothing. */
int32_t vulkan_copy_kernel_prepare(struct trm_backend_device *device);

/* With the device; fine where there is none. */
void vulkan_copy_kernel_fini(struct trm_backend_device *device);

#endif
