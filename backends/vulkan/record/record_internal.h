/* vulkan backend: what the recorder's own files share.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_RECORD_RECORD_INTERNAL_H
#define BACKENDS_VULKAN_RECORD_RECORD_INTERNAL_H

#include "backends/vulkan/record/record.h"

/* In front of commands that make these accesses: the barrier, if one is needed. They are remembered. */
void vulkan_record_accesses(struct vulkan_recorder *recorder, const struct vulkan_access *accesses,
                            uint32_t count);

/* The bytes of a part of memory as an access, and whether the host will see what is written. */
struct vulkan_access vulkan_record_access(struct vulkan_recorder *recorder,
                                          const struct trm_backend_memory *memory, uint64_t offset,
                                          uint64_t size, uint32_t flags);

/* Bind a pipeline, if it is not bound. */
void vulkan_record_bind(struct vulkan_recorder *recorder, VkPipeline pipeline);

/* Descriptors that stand for empty spans need memory: a little that nobody else uses. Threads: any. */
int32_t vulkan_record_dummy(struct trm_backend_device *device, struct trm_backend_memory **dummy);

#endif
