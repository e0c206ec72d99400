/* vulkan backend: the module room: modules, kernels and their pipelines.
 *
 *     module.c          the module table
 *     binding.c         the descriptors of a module: their types, their layout, the device's limits
 *     pipeline.c        pipelines, created on demand and kept with the kernel
 *     pipeline_cache.c  the device's VkPipelineCache, stored on disk
 *
 * The SPIR-V is the program's, except that every buffer becomes a storage buffer, and that all buffers,
 * images, samplers and texel buffers are in set 0, with their index among those parameters as binding
 * (spirv/shader.h). The core reflects the same parameters for all kernels of a module, and their group sizes
 * with the specialization constants applied. So a module has one layout, and a kernel one pipeline.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_MODULE_MODULE_H
#define BACKENDS_VULKAN_MODULE_MODULE_H

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/spirv.h"

/* Pipelines of a coarsened kernel (spirv/coarsen.h). Created under the kernel's lock at the first launch of a
 * large grid; constant once `is_known` is set.
 *
 * The remainder begins in the middle of a grid. It has a pipeline of its own although the kernel's pipeline
 * could have VK_PIPELINE_CREATE_DISPATCH_BASE_BIT too: the cache of NVIDIA's driver 580 confuses a pipeline
 * that lacks the flag with one that has it. */
struct vulkan_coarsened_pipelines {
    _Atomic bool is_known;
    VkPipeline main;      /* runs device->coarsening.items groups in one; null: cannot be coarsened */
    VkPipeline remainder; /* runs single groups from any base */
};

/* Types of descriptors are numbers below this, from VK_DESCRIPTOR_TYPE_SAMPLER on. */
#define VULKAN_DESCRIPTOR_TYPES (VK_DESCRIPTOR_TYPE_STORAGE_BUFFER + 1)

/* A descriptor: an element of an array, or all of a binding. */
struct vulkan_place {
    VkDescriptorType type;
    uint32_t binding, element;
};

struct trm_backend_kernel {
    struct trm_backend_module *module;
    const struct trm_kernel_info *info; /* reflected by the core */
    VkDescriptorSetLayout set_layout;   /* the module's; null without descriptors */
    VkPipelineLayout layout;            /* the module's */
    /* Set_layout is for push descriptors; else descriptor sets are allocated. */
    bool pushes;
    bool writes_memory;
    bool has_addresses;        /* it may reach any memory */
    uint32_t descriptor_count; /* the module's, in the order of the parameters */
    /* Bytes of push constants, a multiple of 4; `place` of a parameter is its offset. */
    uint32_t constant_bytes;
    const char *entry; /* name of the entry point */
    VkPipeline _Atomic pipeline;
    struct vulkan_coarsened_pipelines coarsened;
    pthread_mutex_t lock; /* held while pipelines are created */
};

struct trm_backend_module {
    struct trm_backend_device *device;
    struct vulkan_shader shader;
    VkShaderModule handle;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    struct vulkan_place *places; /* of its descriptors */
    uint32_t descriptor_count;
    uint32_t counts[VULKAN_DESCRIPTOR_TYPES]; /* of its descriptors, by type */
    VkSpecializationInfo constants;           /* points to the two arrays below */
    VkSpecializationMapEntry *entries;
    uint64_t *values;
    uint32_t constant_count;
    uint32_t kernel_count;
    uint64_t size; /* bytes of this struct */
    struct trm_backend_kernel kernels[];
};

/* binding.c: whether the device has so many descriptors of each type. An explained error if not. */
int32_t vulkan_bindings_check(const struct trm_backend_device *device,
                              const struct trm_module_source *source);

/* binding.c: find the module's descriptors, from the parameters of its kernels. */
int32_t vulkan_bindings_find(struct trm_backend_module *module, const struct trm_kernel_info *info);
void vulkan_bindings_release(struct trm_backend_module *module);

/* binding.c: create the layout of the descriptor set. `pushes`: for push descriptors. */
int32_t vulkan_bindings_layout(struct trm_backend_module *module, bool pushes);

/* pipeline.c: create a VkShaderModule. */
int32_t vulkan_shader_module(struct trm_backend_device *device, const struct vulkan_shader *shader,
                             VkShaderModule *handle);

/* The kernel's pipeline; created by the first caller. `group_size` must be the kernel's. Any thread. */
int32_t vulkan_kernel_pipeline(struct trm_backend_kernel *kernel, const uint32_t group_size[3],
                               VkPipeline *pipeline);

/* Create the coarsened pipelines, if they are not known yet. Any thread. */
int32_t vulkan_kernel_coarsen(struct trm_backend_kernel *kernel);

/* pipeline_cache.c: open the device's cache, from disk if possible. The host checks the file's owner and
 * contents. */
int32_t vulkan_pipeline_cache_open(struct trm_backend_device *device);
void vulkan_pipeline_cache_close(struct trm_backend_device *device); /* stores it if it has grown */

extern const struct trm_module_ops vulkan_module_ops;

#endif
