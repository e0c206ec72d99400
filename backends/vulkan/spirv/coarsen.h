/* vulkan backend: thread coarsening: one invocation does the work of several.
 *
 * Kernels whose invocations read and write little cannot keep a large GPU's memory busy: too few bytes are in
 * flight (an H200 reaches 0.78 of its memory bandwidth with one float an invocation, and all of it with
 * four). So kernels without loops, with at most one early return, get a second version, in which one
 * invocation does the work of `items` invocations: those with the same local id in as many neighbouring
 * groups. Each instruction is repeated for all items before the next one, so that all loads are in flight
 * together; only the blocks of a selection run for one item after the other.
 *
 * A kernel is coarsened only if it cannot observe how its invocations are grouped: no calls, atomics,
 * barriers, workgroup memory or volatile accesses, no builtin except GlobalInvocationId, no unreachable
 * blocks.
 *
 *     coarsen.c        finds such kernels and lists their instructions
 *     coarsen_write.c  writes the coarsened code
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_COARSEN_H
#define BACKENDS_VULKAN_SPIRV_COARSEN_H

#include <stdint.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/shader.h"

/* Write a shader in which entry point `entry`, with groups of `group_size` in x, does the work of `items` (1
 * to VULKAN_COARSEN_MOST) invocations in each: a grid of n * items groups in x becomes one of n. `result` has
 * no words if the kernel cannot be coarsened. Errors: OUT_OF_HOST_MEMORY. */
int32_t vulkan_coarsen_create(const struct trm_backend_instance *instance, const struct vulkan_shader *shader,
                              uint32_t entry, uint32_t group_size, uint32_t items,
                              struct vulkan_shader *result);

#endif
