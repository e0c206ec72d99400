/* vulkan backend: shared by the recorder's files.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_RECORD_RECORD_INTERNAL_H
#define BACKENDS_VULKAN_RECORD_RECORD_INTERNAL_H

#include "backends/vulkan/record/record.h"

/* Before commands with these accesses: record the barrier that they need, and remember them. */
void vulkan_record_accesses(struct vulkan_recorder *recorder, const struct vulkan_access *accesses,
                            uint32_t count);

/* Describe an access to a part of memory. Notes writes that the host can see. */
struct vulkan_access vulkan_record_access(struct vulkan_recorder *recorder,
                                          const struct trm_backend_memory *memory, uint64_t offset,
                                          uint64_t size, uint32_t flags);

/* copy_image.c: describe an access to `layers` layers, from `layer` of `level` on. The layers of the next
 * level follow those of a level. */
struct vulkan_access vulkan_record_image_access(const struct trm_backend_image *image, uint32_t level,
                                                uint32_t layer, uint32_t layers, uint32_t flags);

/* Bind a pipeline unless it is bound already. */
void vulkan_record_bind(struct vulkan_recorder *recorder, VkPipeline pipeline);

/* A little memory for descriptors of empty spans. Any thread. */
int32_t vulkan_record_dummy(struct trm_backend_device *device, struct trm_backend_memory **dummy);

#endif
