/* vulkan backend: modules and kernels. SPIR-V as it is, but that every buffer is a storage buffer at set 0, binding = its
 * place among the kernel's parameters (shader.h); a pipeline for each kernel that is asked for.
 *
 * The core reflects the same parameters for all kernels of a module, and with them their group sizes, which the constants in
 * force may decide. So a module has one layout, and a kernel has one pipeline.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MODULE_MODULE_H
#define BACKENDS_VULKAN_MODULE_MODULE_H

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/spirv.h"

/* For large grids, where the kernel is one for several.h; made under the kernel's lock when the first large grid is launched, and as
 * they are once `known` is set.
 *
 * What is left over begins in the midst of a grid. That is not left to the kernel's own pipeline, though it could be: a driver was
 * seen (NVIDIA's 580) whose cache takes a pipeline that may not begin there for one that may. */
struct vulkan_coarsened_pipelines {
    _Atomic bool is_known;
    VkPipeline main; /* does device->coarsening.items groups in one; null: the kernel is of another kind */
    VkPipeline remainder; /* one, from any place on */
};

struct trm_backend_kernel {
    struct trm_backend_module *module;
    const struct trm_kernel_info *info; /* the core's reflection */
    VkDescriptorSetLayout set_layout;   /* the module's; null where there are no buffers */
    VkPipelineLayout layout;            /* the module's */
    bool pushes;                        /* set_layout is for push descriptors; else sets are allocated */
    bool writes_memory;
    uint32_t buffer_count;   /* descriptors 0 to buffer_count - 1, in the order of the buffer parameters */
    uint32_t constant_bytes; /* of push constants: a multiple of 4; parameters have `place` as their offset */
    const char *entry;       /* its name in the module */
    VkPipeline _Atomic pipeline;
    struct vulkan_coarsened_pipelines coarsened;
    pthread_mutex_t lock; /* for making them; taken under a stream's lock, and nothing is taken under it */
};

struct trm_backend_module {
    struct trm_backend_device *device;
    struct vulkan_shader shader;
    VkShaderModule handle;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkSpecializationInfo constants; /* points into what follows */
    VkSpecializationMapEntry *entries;
    uint64_t *values;
    uint32_t constant_count;
    uint32_t kernel_count;
    uint64_t size; /* bytes of this */
    struct trm_backend_kernel kernels[];
};

/* pipeline.c: code for the driver. */
int32_t vulkan_shader_module(struct trm_backend_device *device, const struct vulkan_shader *shader,
                             VkShaderModule *handle);

/* The pipeline for a group size, which is the kernel's own; made when it is first asked for, by one thread, and kept. Any thread. */
int32_t vulkan_kernel_pipeline(struct trm_backend_kernel *kernel, const uint32_t group_size[3],
                               VkPipeline *pipeline);

/* Likewise those for large grids: kernel->coarsened is filled in. */
int32_t vulkan_kernel_coarsen(struct trm_backend_kernel *kernel);

/* pipeline_cache.c: one for a device, kept on disk in the cache that the host lends, which trusts and checks its files. */
int32_t vulkan_pipeline_cache_open(struct trm_backend_device *device);
void vulkan_pipeline_cache_close(struct trm_backend_device *device); /* writes it where it has grown */

extern const struct trm_module_ops vulkan_module_ops;

#endif
