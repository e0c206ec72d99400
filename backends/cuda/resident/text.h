/* cuda backend: the CUDA C around the kernels of a resident graph.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_RESIDENT_TEXT_H
#define CUDA_RESIDENT_TEXT_H

/* Before the kernels: what they call for their place in the grid. */
extern const char cuda_resident_begin[];
/* After them: a template that does a launch. It needs TRM_THREADS. */
extern const char cuda_resident_launch[];
/* The kernel that stays. It needs trm_run(record, arguments), which does the launch of a record. */
extern const char cuda_resident_end[];

#endif
