/* cuda backend: long copies between device memory and memory of the program that the device does not reach.
 *
 * The driver takes such a copy through pinned memory of its own, with one thread and one piece at a time. Here several threads
 * do, piece by piece, each with two pinned slots: while the device copies one, the thread copies the other. The pieces do
 * not overlap, so the order in which the stream gets them is of no matter.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MEMORY_PAGEABLE_H
#define CUDA_MEMORY_PAGEABLE_H

#include "backends/cuda/driver/driver.h"

/* From here on it is worth it. */
#define CUDA_PAGEABLE_MIN_BYTES (UINT64_C(4) << 20)

/* The caller waits: until the memory has been read, or has been written. False: nothing was done, for want of memory or because
 * another such copy is under way; the driver's own way is as good then. Else *result says how it went. */
bool cuda_pageable_upload(struct trm_backend_device *device, CUstream stream, CUdeviceptr to,
                          const void *from, uint64_t size, CUresult *result);
bool cuda_pageable_download(struct trm_backend_device *device, CUstream stream, void *to, CUdeviceptr from,
                            uint64_t size, CUresult *result);

void cuda_pageable_close(struct trm_backend_device *device);

#endif
