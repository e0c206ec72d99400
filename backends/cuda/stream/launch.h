/* cuda backend: a launch as the driver takes it. For streams and graphs.
 *
 * module/module.h says how the arguments are laid out.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STREAM_LAUNCH_H
#define CUDA_STREAM_LAUNCH_H

#include "backends/cuda/driver/driver.h"

/* Arguments that take no more are known to be those of another launch by their bytes (replay.c), of which
 * those between arguments are 0. */
#define CUDA_REPLAY_BYTES 128u

/* May be copied: contains no pointers into itself. The arguments are laid out by kernel->offsets. */
struct cuda_launch {
    CUfunction function;
    const struct trm_backend_kernel *kernel;
    uint32_t groups[3], group_size[3];
    uint64_t reached;        /* follow bits of the other devices whose memory the arguments are in */
    uint32_t shared_bytes;   /* dynamic shared memory */
    uint32_t argument_bytes; /* how many of the following are used */
    _Alignas(16) uint8_t arguments[CUDA_ARGUMENT_BYTES]; /* last: a copy needs only the used bytes */
};

/* Errors: OUT_OF_RANGE where a group does not fit the kernel; INVALID_ARGUMENT where a buffer is not
 * aligned. */
int32_t cuda_launch_build(struct trm_backend_device *device, const struct trm_launch_desc *desc,
                          struct cuda_launch *launch);

/* The parameters of a graph node. They and what is written to `pointers`, which has room for
 * CUDA_MAX_ARGUMENTS, point into the launch. */
CUDA_KERNEL_NODE_PARAMS cuda_launch_node(const struct trm_backend_device *device,
                                         const struct cuda_launch *launch, void **pointers);

/* Submit, with the context entered where needed. */
CUresult cuda_launch_submit(struct trm_backend_device *device, CUstream stream,
                            const struct cuda_launch *launch);

#endif
