/* vulkan backend: what a command buffer's descriptors need as long as it may run: a pool for descriptor sets,
 * and views of texel buffers.
 *
 * Views of texel buffers belong to the command buffer, since each launch names its own range of memory.
 * Launches of one command buffer that name the same range share one.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_RECORD_DESCRIPTORS_H
#define BACKENDS_VULKAN_RECORD_DESCRIPTORS_H

#include <stdint.h>

#include "backends/vulkan/driver/driver.h"

struct trm_backend_kernel;

struct vulkan_texel_view {
    VkBuffer buffer;
    VkFormat format;
    uint64_t offset, size; /* bytes */
    VkBufferView view;
};

struct vulkan_descriptors {
    VkDescriptorPool pool; /* without push descriptors; made when first needed */
    struct vulkan_texel_view *views;
    uint32_t view_count, view_capacity;
};

/* Size of a pool: sets, and descriptors by type (VkDescriptorType). `sets` 0: default for a batch. */
struct vulkan_pool_size {
    uint32_t sets;
    uint32_t counts[VK_DESCRIPTOR_TYPE_STORAGE_BUFFER + 1];
};

/* Get a descriptor set for the kernel. VULKAN_RECORD_FULL: the pool has no room for it. */
int32_t vulkan_descriptors_set(struct trm_backend_device *device, struct vulkan_descriptors *descriptors,
                               const struct vulkan_pool_size *size, const struct trm_backend_kernel *kernel,
                               VkDescriptorSet *set);

/* Get a view of a texel buffer. `wanted->view` is not read. */
int32_t vulkan_descriptors_view(struct trm_backend_device *device, struct vulkan_descriptors *descriptors,
                                const struct vulkan_texel_view *wanted, VkBufferView *view);

/* Destroy all views but the first `count`. No commands that use the others are in flight. */
void vulkan_descriptors_keep_views(struct trm_backend_device *device, struct vulkan_descriptors *descriptors,
                                   uint32_t count);

/* Destroy everything. No commands that use it are in flight. */
void vulkan_descriptors_fini(struct trm_backend_device *device, struct vulkan_descriptors *descriptors);

#endif
