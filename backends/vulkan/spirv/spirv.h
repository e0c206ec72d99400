/* vulkan backend: the spirv room: what the backend does with SPIR-V before the driver gets it.
 *
 *     shader.c      rewrites buffers and drops what only tools read
 *     capability.c  checks what a module needs of the device
 *     coarsen.c     thread coarsening: analysis (coarsen_write.c: output)
 *     unroll.c      unrolls loops of unknown length: analysis (unroll_write.c: output)
 *     words.h       reading instructions
 *
 * All functions work on their arguments alone; any thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_SPIRV_H
#define BACKENDS_VULKAN_SPIRV_SPIRV_H

#include "backends/vulkan/spirv/coarsen.h"
#include "backends/vulkan/spirv/shader.h"
#include "backends/vulkan/spirv/unroll.h"

#endif
