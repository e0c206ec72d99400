/* cuda backend: a launch as the driver takes it. For streams and graphs.
 *
 * How the arguments are laid out stands in module.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_LAUNCH_H
#define CUDA_STREAM_LAUNCH_H

#include "backends/cuda/driver/driver.h"

/* Without pointers into itself: it may be copied. The bytes are laid out as kernel->offsets has it. */
struct cuda_launch {
    CUfunction function;
    const struct trm_backend_kernel *kernel;
    uint32_t groups[3], group_size[3];
    uint32_t shared_bytes;                               /* all that is not static */
    uint32_t argument_bytes;                             /* used of the following */
    _Alignas(16) uint8_t arguments[CUDA_ARGUMENT_BYTES]; /* last: only what is used need be copied */
};

/* Errors: OUT_OF_RANGE where a group does not fit the kernel. */
int32_t cuda_launch_build(struct trm_backend_device *device, const struct trm_launch_desc *desc,
                          struct cuda_launch *launch);

/* What kernelParams is for it; `pointers` has room for CUDA_MAX_ARGUMENTS. */
void cuda_launch_entries(const struct cuda_launch *launch, void **pointers);

/* Submit, with the context entered where needed. */
CUresult cuda_launch_submit(struct trm_backend_device *device, CUstream stream,
                            const struct cuda_launch *launch);

#endif
