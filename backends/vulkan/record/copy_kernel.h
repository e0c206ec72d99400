/* vulkan backend: copies by a kernel.
 *
 * NVIDIA's driver lets all of a device's queues share one copy engine, so that uploads and downloads halve each other's rate,
 * and each switch between the engine and kernels in one command buffer costs 5 µs. A kernel that copies has neither fault,
 * and copies within the device at five times the rate. But small copies on a stream that does nothing else are over sooner by
 * the engine, and cost the host half. Other drivers copy by kernels on their own where that is good.
 *
 * The setting vulkan.copies says which way is taken. Auto is the engine but with that driver; there it is the kernel on every
 * queue that runs kernels. Streams for uploads and downloads begin on queues that have the engine alone, and leave them with
 * the first large copy: what has large batches has them again and again. They come back while the program's kernels are long
 * (pace.h).
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_RECORD_COPY_KERNEL_H
#define BACKENDS_VULKAN_RECORD_COPY_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

struct trm_backend_device;
struct trm_backend_memory;
struct vulkan_recorder;

/* A copy of so many bytes is large: what it takes is long beside what a submission costs, so that it matters that copies in both
 * directions go on at once. On an H200 batches of 4 MiB take 146 us by the engine and 178 by kernels, of 8 MiB 295 by both. */
#define VULKAN_LARGE_COPY (UINT64_C(8) << 20)

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
