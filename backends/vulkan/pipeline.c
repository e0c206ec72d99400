/* vulkan backend: pipelines.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "module.h"

static int32_t make_pipeline(struct trm_backend_kernel *kernel, VkPipeline *pipeline)
{
    struct trm_backend_module *module  = kernel->module;
    struct trm_backend_device *device  = module->device;
    VkComputePipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage =
            {
                .sType               = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage               = VK_SHADER_STAGE_COMPUTE_BIT,
                .module              = module->handle,
                .pName               = kernel->entry,
                .pSpecializationInfo = module->constant_count != 0 ? &module->constants : NULL,
            },
        .layout = kernel->layout,
    };
    char call[160];
    VkResult result = device->vk.vkCreateComputePipelines(device->handle, device->pipeline_cache, 1, &create,
                                                          NULL, pipeline);
    if (result == VK_SUCCESS)
        return TRM_OK;
    snprintf(call, sizeof(call), "vkCreateComputePipelines of kernel '%.100s'", kernel->info->name);
    return vulkan_device_fail(device, result, call);
}

/* The core launches kernels that have a size in groups of that size alone. */
static int32_t check_size(const struct trm_backend_kernel *kernel, const uint32_t size[3])
{
    const uint32_t *own = kernel->info->group_size;
    if (size[0] == own[0] && size[1] == own[1] && size[2] == own[2])
        return TRM_OK;
    return vulkan_fail(kernel->module->device->instance, TRM_ERROR_INVALID_ARGUMENT, 0,
                       "Kernel '%.100s' has groups of %u x %u x %u, not %u x %u x %u.", kernel->info->name,
                       own[0], own[1], own[2], size[0], size[1], size[2]);
}

int32_t vulkan_kernel_pipeline(struct trm_backend_kernel *kernel, const uint32_t group_size[3],
                               VkPipeline *pipeline)
{
    int32_t status = check_size(kernel, group_size);
    if (status != TRM_OK)
        return status;
    VkPipeline made = atomic_load_explicit(&kernel->pipeline, memory_order_acquire);
    if (made == VK_NULL_HANDLE) {
        pthread_mutex_lock(&kernel->lock);
        made = atomic_load_explicit(&kernel->pipeline, memory_order_acquire);
        if (made == VK_NULL_HANDLE)
            status = make_pipeline(kernel, &made);
        if (status == TRM_OK)
            atomic_store_explicit(&kernel->pipeline, made, memory_order_release);
        pthread_mutex_unlock(&kernel->lock);
    }
    if (status == TRM_OK)
        *pipeline = made;
    return status;
}
