/* Finds kernels by name in the folders for kernels.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SHADER_KERNEL_PATH_H
#define CORE_SHADER_KERNEL_PATH_H

#include <trireme/shader.h>

#include "base/base.h"

struct core_context;

/* The path, in the arena, of NAME.spv in the first folder that has it. Its permissions are checked as a
 * plugin's are. Errors: INVALID_ARGUMENT for an invalid name; NOT_FOUND, with the folders; PERMISSION. */
int32_t core_kernel_path_find(struct core_context *context, struct base_arena *arena, const char *name,
                              const char **path);

/* The path of NAME.matrix.spv beside the file at `path`: the kernel's form for devices with cooperative
 * matrices, with the same interface. NULL when there is none, or when it may not be used. */
const char *core_kernel_path_matrix(struct base_arena *arena, const char *path);

/* As trm_shader_list(). */
int32_t core_kernel_path_list(struct core_context *context, trm_shader_visit_fn visit, void *user);

#endif
