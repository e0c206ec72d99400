/* The two languages: C for the cpu backend and CUDA C.
 *
 *     c_target.c      C: the text before and behind the kernels
 *     c_kernel.c      a kernel as a function over a range of groups
 *     c_items.c       loops over work-items
 *     c_merge.c       whether rows of work-items may run through groups
 *     c_memory.c      shared and spilled memory
 *     c_builtin.c     built-in inputs
 *     cuda_target.c   CUDA C: the whole text
 *     cuda_coarsen.c  thread coarsening: which kernels, how many work-items
 *     cuda_loops.c    thread coarsening: which kernels with loops
 *     cuda_items.c    kernels coarsened along x
 *     cuda_rows.c     kernels coarsened along y
 *     cuda_stages.c   bodies in stages
 *     common.c        shared by both
 *
 * Both are constant tables of functions.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TARGETS_TARGETS_H
#define COMPILER_TRANSLATE_TARGETS_TARGETS_H

#include "compiler/translate/emit/emit.h"

extern const struct emit_target target_c;
extern const struct emit_target target_cuda;

#endif
