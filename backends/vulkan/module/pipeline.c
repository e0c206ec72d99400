/* vulkan backend: creates pipelines.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include "backends/vulkan/module/module.h"
#include "backends/vulkan/spirv/spirv.h"

static int32_t make_pipeline(const struct trm_backend_kernel *kernel, VkShaderModule code,
                             VkPipelineCreateFlags flags, VkPipeline *pipeline)
{
    struct trm_backend_module *module  = kernel->module;
    struct trm_backend_device *device  = module->device;
    VkComputePipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = flags,
        .stage =
            {
                .sType               = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage               = VK_SHADER_STAGE_COMPUTE_BIT,
                .module              = code,
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

int32_t vulkan_shader_module(struct trm_backend_device *device, const struct vulkan_shader *shader,
                             VkShaderModule *handle)
{
    VkShaderModuleCreateInfo create = {
        .sType    = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = shader->count * sizeof(uint32_t),
        .pCode    = shader->words,
    };
    VkResult result = device->vk.vkCreateShaderModule(device->handle, &create, NULL, handle);
    return result == VK_SUCCESS ? TRM_OK : vulkan_device_fail(device, result, "vkCreateShaderModule");
}

/* The core launches a kernel only with its own group size. */
static int32_t check_size(const struct trm_backend_kernel *kernel, const uint32_t size[3])
{
    const uint32_t *own = kernel->info->group_size;
    if (size[0] == own[0] && size[1] == own[1] && size[2] == own[2])
        return TRM_OK;
    return trm_util_fail(kernel->module->device->instance->host, TRM_ERROR_INVALID_ARGUMENT, 0,
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
            status = make_pipeline(kernel, kernel->module->handle, 0, &made);
        if (status == TRM_OK)
            atomic_store_explicit(&kernel->pipeline, made, memory_order_release);
        pthread_mutex_unlock(&kernel->lock);
    }
    if (status == TRM_OK)
        *pipeline = made;
    return status;
}

/* ---- coarsened kernels ------------------------------------------------------------------------------ */

/* `pipeline` stays null if the kernel cannot be coarsened. */
static int32_t make_for(struct trm_backend_kernel *kernel, uint32_t items, VkPipelineCreateFlags flags,
                        VkPipeline *pipeline)
{
    struct trm_backend_module *module = kernel->module;
    struct trm_backend_device *device = module->device;
    struct vulkan_shader shader;
    VkShaderModule code;
    int32_t status =
        vulkan_coarsen_create(device->instance, &module->shader, (uint32_t)(kernel - module->kernels),
                              kernel->info->group_size[0], items, &shader);
    if (status != TRM_OK || shader.words == NULL)
        return status;
    status = vulkan_shader_module(device, &shader, &code);
    vulkan_shader_release(device->instance, &shader);
    if (status != TRM_OK)
        return status;
    status = make_pipeline(kernel, code, flags, pipeline);
    device->vk.vkDestroyShaderModule(device->handle, code, NULL);
    return status;
}

static bool may_do_without(int32_t status)
{
    return status != TRM_ERROR_DEVICE_LOST && status != TRM_ERROR_OUT_OF_HOST_MEMORY &&
           status != TRM_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* Creates both pipelines or none. If the driver rejects the coarsened code, the kernel runs uncoarsened. */
static int32_t make_coarsened(struct trm_backend_kernel *kernel)
{
    struct trm_backend_device *device            = kernel->module->device;
    struct vulkan_coarsened_pipelines *coarsened = &kernel->coarsened;
    int32_t status = make_for(kernel, device->coarsening.items, 0, &coarsened->main);
    if (status == TRM_OK && coarsened->main != VK_NULL_HANDLE)
        status = make_for(kernel, 1, VK_PIPELINE_CREATE_DISPATCH_BASE_BIT, &coarsened->remainder);
    if (status != TRM_OK) {
        device->vk.vkDestroyPipeline(device->handle, coarsened->main, NULL);
        coarsened->main = VK_NULL_HANDLE;
        if (!may_do_without(status))
            return status;
    }
    atomic_store_explicit(&coarsened->is_known, true, memory_order_release);
    return TRM_OK;
}

int32_t vulkan_kernel_coarsen(struct trm_backend_kernel *kernel)
{
    int32_t status = TRM_OK;
    if (atomic_load_explicit(&kernel->coarsened.is_known, memory_order_acquire))
        return TRM_OK;
    pthread_mutex_lock(&kernel->lock);
    if (!atomic_load_explicit(&kernel->coarsened.is_known, memory_order_acquire))
        status = make_coarsened(kernel);
    pthread_mutex_unlock(&kernel->lock);
    return status;
}
