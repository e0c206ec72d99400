/* vulkan backend: unrolls loops whose number of rounds only the launch knows.
 *
 * Not every driver does: of a loop around one multiply-add, NVIDIA's executes nine instructions for four
 * rounds, where NVCC's code needs nineteen for sixteen. So
 *
 *     for (i = first; i < n; i += step) body      becomes
 *
 *     for (i = first; i < limit; i += step) { body; i += step; body; i += step; … body }
 *     for (; i < n; i += step) body
 *
 * where `limit` is computed before the loop: n - (factor - 1) * step, or the lowest number where that wraps
 * around. While i < limit the comparison with n holds for all rounds of a turn, so both forms do the same
 * operations in the same order, for every n. Between a loop of 16 or 8 rounds in a turn and the rest comes
 * one of 4.
 *
 * The loop must be innermost, have one phi that grows by a constant and is compared in the header with a
 * bound that stays, no other way out, and instructions as those that coarsen.h takes. Loops between two
 * constants are left to the driver.
 *
 *     unroll.c        finds such loops
 *     unroll_write.c  writes the module
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_UNROLL_H
#define BACKENDS_VULKAN_SPIRV_UNROLL_H

#include <stdint.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/shader.h"

/* Replace the shader by one whose loops do `factor` rounds in a turn, 2 to VULKAN_UNROLL_MOST; or by one in
 * which the length of each body decides (VULKAN_UNROLL_AUTO). Without such loops it stays. Errors:
 * OUT_OF_HOST_MEMORY. */
int32_t vulkan_unroll(const struct trm_backend_instance *instance, struct vulkan_shader *shader,
                      uint32_t factor);

#endif
