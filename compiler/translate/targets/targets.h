/* The two languages: C for the cpu backend and CUDA C.
 *
 *     c_target.c      C: the text before and behind the kernels      cuda_target.c   CUDA C: the whole text
 *     c_kernel.c      a kernel as a function over a range of groups  cuda_coarsen.c  which kernels to coarsen
 *     c_items.c       loops over work-items                          cuda_items.c    threads that run neighbours in x
 *     c_merge.c       whether rows may run through groups            cuda_rows.c     threads that run neighbours in y
 *     c_memory.c      shared and spilled memory                      cuda_stages.c   bodies in stages
 *     c_builtin.c     built-in inputs                                common.c        what both share
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
