/* cuda backend: what a profiler (Nsight) shows beside the work of the device, by NVTX.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_PROFILE_RANGE_H
#define CUDA_PROFILE_RANGE_H

#include "backends/cuda/driver/objects.h"

/* TRM_RANGE_EXTENSION while a profiler looks on; else NULL. */
const void *cuda_get_extension(const char *name, uint32_t version);

#endif
