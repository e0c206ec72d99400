/* cuda backend: long copies between device memory and host memory that is not pinned.
 *
 * The driver stages such a copy through pinned memory with one thread, one piece at a time. Here several
 * threads do so, each with two pinned slots: while the device copies one, the thread copies the other. The
 * pieces do not overlap, so the order in which the stream gets them does not matter.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MEMORY_PAGEABLE_H
#define CUDA_MEMORY_PAGEABLE_H

#include "backends/cuda/driver/driver.h"

/* Shorter copies are left to the driver. */
#define CUDA_PAGEABLE_MIN_BYTES (UINT64_C(4) << 20)

/* Copy, and block until the host memory has been read or written. False: nothing was done, because there
 * is no memory or another copy in this direction is in progress; the caller then copies by the driver.
 * Else *result is the outcome. */
bool cuda_pageable_upload(struct trm_backend_device *device, CUstream stream, CUdeviceptr to,
                          const void *from, uint64_t size, CUresult *result);
bool cuda_pageable_download(struct trm_backend_device *device, CUstream stream, void *to, CUdeviceptr from,
                            uint64_t size, CUresult *result);

void cuda_pageable_close(struct trm_backend_device *device);

#endif
