/* vulkan backend: several invocations in one.
 *
 * A kernel whose invocations read little and write little leaves a large GPU waiting for memory: each of its units has too few bytes
 * under way (an H200 has 0.78 of what its memory can do with one float an invocation, and all of it with four). So kernels without
 * loops, which may leave at one place on the way, are made a second time: an invocation does the work of `items`, those of the same
 * number in as many neighbouring groups. It does each instruction for all of them before the next, so that all loads are under
 * way at once; only what is behind a branch, up to where its ways meet again, is done for one after the other.
 *
 * Which invocations are done together, and in which order, no kernel can tell that has nothing to tell it by. Others stay as they are:
 * those with calls, atomic operations, barriers, memory of the group, what is volatile, or another place in the grid than
 * GlobalInvocationId; and those with blocks that no way leads to.
 *
 *     several.c        which kernels are of that kind, and their instructions in order
 *     several_write.c  the new words
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_COARSEN_H
#define BACKENDS_VULKAN_SPIRV_COARSEN_H

#include <stdint.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/shader.h"

/* The words of a shader in which entry point number `entry`, whose groups are `group_size` wide, does the work of `items` of its
 * invocations in each, 1 to VULKAN_COARSEN_MOST. As many groups in x are then one: a grid of n * items groups is launched as one of n.
 * `result` has no words where the kernel is not of that kind. Errors: OUT_OF_HOST_MEMORY. */
int32_t vulkan_coarsen_create(const struct trm_backend_instance *instance, const struct vulkan_shader *shader,
                              uint32_t entry, uint32_t group_size, uint32_t items,
                              struct vulkan_shader *result);

#endif
