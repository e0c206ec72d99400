/* vulkan backend: copies with a kernel.
 *
 * With NVIDIA's driver all queues share one copy engine, so that uploads and downloads halve each other's
 * rate, and each switch between the engine and kernels in a command buffer costs 5 µs. A copy kernel avoids
 * both, and copies within the device at five times the rate. But small copies on a stream without other work
 * finish sooner with the engine, and cost the host half. Other drivers copy with kernels on their own where
 * that helps.
 *
 * The setting vulkan.copies chooses. Auto means the engine, except with NVIDIA's driver: there queues that
 * run kernels copy with the kernel. Upload and download streams begin on queues with the engine alone and
 * move to a compute queue with the first large copy, since large copies tend to repeat. They move back while
 * the program's kernels are long (stream/kernel_timing.h).
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_RECORD_COPY_KERNEL_H
#define BACKENDS_VULKAN_RECORD_COPY_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

struct trm_backend_device;
struct trm_backend_memory;
struct vulkan_recorder;

/* Copies of at least so many bytes are large: they take long compared with a submission, so that copying in
 * both directions at once pays. On an H200 batches of 4 MiB take 146 us with the engine and 178 us with
 * kernels; of 8 MiB 295 us with both. */
#define VULKAN_LARGE_COPY (UINT64_C(8) << 20)

/* Whether the kernel can copy all but the last one to three bytes on the recorder's queue. */
bool vulkan_copies_by_kernel(const struct vulkan_recorder *recorder,
                             const struct trm_backend_memory *destination, uint64_t to,
                             const struct trm_backend_memory *source, uint64_t from, uint64_t size);

/* Record the commands and their barriers. `size` is a multiple of 4. */
int32_t vulkan_record_copy_kernel(struct vulkan_recorder *recorder,
                                  const struct trm_backend_memory *destination, uint64_t to,
                                  const struct trm_backend_memory *source, uint64_t from, uint64_t size);

/* Create the kernel now, if the device uses it, so that later copies allocate nothing. */
int32_t vulkan_copy_kernel_prepare(struct trm_backend_device *device);

/* Destroy the kernel with the device; fine if it was never created. */
void vulkan_copy_kernel_fini(struct trm_backend_device *device);

#endif
