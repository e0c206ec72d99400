/* cuda backend: the CUDA C around the kernels of a resident graph.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_RESIDENT_TEXT_H
#define CUDA_RESIDENT_TEXT_H

/* Before the kernels: what they call for their place in the grid. */
extern const char cuda_resident_begin[];
/* After them: the kernel that stays. It needs TRM_THREADS, and trm_run(kernel, arguments). */
extern const char cuda_resident_end[];

#endif
