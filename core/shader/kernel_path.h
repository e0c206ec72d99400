/* Kernels that are found by their names.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SHADER_KERNEL_PATH_H
#define CORE_SHADER_KERNEL_PATH_H

#include <trireme/shader.h>

#include "base/base.h"

struct core_context;

/* The path of NAME.spv, in the arena: in the first of the folders that has it. It is judged as a plugin is:
 * nobody else may write it. Errors: INVALID_ARGUMENT for what is no name; NOT_FOUND naming the folders;
 * PERMISSION. */
int32_t core_kernel_path_find(struct core_context *context, struct base_arena *arena, const char *name,
                              const char **path);

/* As trm_shader_list(). */
int32_t core_kernel_path_list(struct core_context *context, trm_shader_visit_fn visit, void *user);

#endif
