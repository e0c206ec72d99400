/* Kernels, in PTX, that make a GPU fail. The stand-in runs no PTX and makes the same faults by itself.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_ILLEGAL_H
#define CUDA_ILLEGAL_H

#include <stdint.h>
#include <trireme/trireme.h>

#define ILLEGAL_KERNEL "stray"

enum illegal_deed {
    ILLEGAL_NOTHING,   /* no kernel can cause it */
    ILLEGAL_ADDRESS,   /* writes where there is no memory */
    ILLEGAL_ALIGNMENT, /* writes four bytes at an odd address */
    ILLEGAL_TRAP,
    ILLEGAL_ASSERT,
    ILLEGAL_JUMP, /* calls an address without code */
};

/* The source of the kernel "stray" that does it. */
int32_t illegal_load(struct trm_device *device, enum illegal_deed deed, struct trm_kernel **kernel);
int32_t illegal_launch(struct trm_stream *stream, struct trm_kernel *kernel, struct trm_buffer *buffer);

#endif
