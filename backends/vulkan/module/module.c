/* vulkan backend: the module table.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/module/module.h"

#include <string.h>

#include "backends/vulkan/spirv/spirv.h"

static int32_t module_supports(struct trm_backend_device *device, int32_t format)
{
    if (format == TRM_MODULE_SPIRV)
        return TRM_OK;
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "Vulkan devices cannot load modules of format %d.", format);
}

/* ---- what a module needs ------------- */

static uint32_t constant_bytes(const struct trm_kernel_info *info)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const struct trm_parameter *parameter = &info->parameters[i];
        if (!trm_util_has_descriptor(parameter) && !vulkan_is_count(parameter) &&
            parameter->place + parameter->size > bytes)
            bytes = parameter->place + parameter->size;
    }
    return (bytes + 3) / 4 * 4;
}

static bool writes_memory(const struct trm_kernel_info *info)
{
    for (uint32_t i = 0; i < info->parameter_count; i++)
        if (trm_util_has_descriptor(&info->parameters[i]) &&
            info->parameters[i].kind != TRM_PARAMETER_SAMPLER &&
            info->parameters[i].access != TRM_ACCESS_READ)
            return true;
    return false;
}

static int32_t check_limits(const struct trm_backend_device *device, const struct trm_module_source *source)
{
    const VkPhysicalDeviceLimits *limits = &device->physical->properties.limits;
    uint32_t bytes                       = constant_bytes(&source->kernels[0]);
    if (bytes > limits->maxPushConstantsSize)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "Module '%.100s' has %u bytes of push constants; device %s supports %u.",
                             source->name, bytes, device->physical->properties.deviceName,
                             limits->maxPushConstantsSize);
    return vulkan_bindings_check(device, source);
}

/* ---- loading; after a failure module_unload() undoes the completed steps --------------- */

static int32_t make_handle(struct trm_backend_module *module, const struct trm_module_source *source)
{
    struct trm_backend_device *device = module->device;
    int32_t status                    = vulkan_shader_create(device->instance, source, &module->shader);
    if (status == TRM_OK && device->unroll > 1)
        status = vulkan_unroll(device->instance, &module->shader, device->unroll);
    if (status != TRM_OK)
        return status;
    return vulkan_shader_module(device, &module->shader, &module->handle);
}

static int32_t make_layout(struct trm_backend_module *module, uint32_t bytes)
{
    struct trm_backend_device *device = module->device;
    VkPushConstantRange range         = {.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT, .size = bytes};
    VkPipelineLayoutCreateInfo create = {
        .sType                  = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount         = module->set_layout != VK_NULL_HANDLE,
        .pSetLayouts            = &module->set_layout,
        .pushConstantRangeCount = bytes != 0,
        .pPushConstantRanges    = &range,
    };
    VkResult result = device->vk.vkCreatePipelineLayout(device->handle, &create, NULL, &module->layout);
    return result == VK_SUCCESS ? TRM_OK : vulkan_device_fail(device, result, "vkCreatePipelineLayout");
}

/* Each value has eight bytes; Vulkan reads the low ones (little-endian). */
static int32_t make_constants(struct trm_backend_module *module, const struct trm_module_source *source)
{
    const struct trm_backend_instance *instance = module->device->instance;
    uint64_t count                              = source->constant_count;
    if (count == 0)
        return TRM_OK;
    module->constant_count = source->constant_count;
    module->entries        = trm_util_allocate(instance->host, count * sizeof(*module->entries));
    module->values         = trm_util_allocate(instance->host, count * sizeof(*module->values));
    if (module->entries == NULL || module->values == NULL)
        return trm_util_fail_host_memory(instance->host, "the constants of a module");
    for (uint32_t i = 0; i < source->constant_count; i++) {
        module->values[i]  = source->constants[i].bits;
        module->entries[i] = (VkSpecializationMapEntry){
            .constantID = source->constants[i].id,
            .offset     = i * (uint32_t)sizeof(*module->values),
            .size       = trm_util_type_size(source->constants[i].type),
        };
    }
    module->constants = (VkSpecializationInfo){
        .mapEntryCount = module->constant_count,
        .pMapEntries   = module->entries,
        .dataSize      = count * sizeof(*module->values),
        .pData         = module->values,
    };
    return TRM_OK;
}

static int32_t make_kernels(struct trm_backend_module *module, const struct trm_module_source *source,
                            bool pushes)
{
    const struct trm_kernel_info *infos = source->kernels;
    for (uint32_t i = 0; i < source->kernel_count; i++) {
        struct trm_backend_kernel *kernel = &module->kernels[i];
        kernel->module                    = module;
        kernel->info                      = &infos[i];
        kernel->set_layout                = module->set_layout;
        kernel->layout                    = module->layout;
        kernel->pushes                    = pushes;
        kernel->has_addresses             = vulkan_shader_has_addresses(&module->shader);
        kernel->writes_memory             = kernel->has_addresses || writes_memory(&infos[i]);
        kernel->descriptor_count          = module->descriptor_count;
        kernel->constant_bytes            = constant_bytes(&infos[i]);
        kernel->entry                     = vulkan_shader_entry(&module->shader, i);
        if (pthread_mutex_init(&kernel->lock, NULL) != 0)
            return trm_util_fail_host_memory(module->device->instance->host, "a kernel");
        module->kernel_count = i + 1;
    }
    return TRM_OK;
}

/* ---- the table's functions -- */

static void module_unload(struct trm_backend_module *module)
{
    struct trm_backend_device *device           = module->device;
    const struct trm_backend_instance *instance = device->instance;
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        device->vk.vkDestroyPipeline(device->handle, atomic_load(&module->kernels[i].pipeline), NULL);
        device->vk.vkDestroyPipeline(device->handle, module->kernels[i].coarsened.main, NULL);
        device->vk.vkDestroyPipeline(device->handle, module->kernels[i].coarsened.remainder, NULL);
        pthread_mutex_destroy(&module->kernels[i].lock);
    }
    device->vk.vkDestroyPipelineLayout(device->handle, module->layout, NULL);
    device->vk.vkDestroyDescriptorSetLayout(device->handle, module->set_layout, NULL);
    device->vk.vkDestroyShaderModule(device->handle, module->handle, NULL);
    vulkan_shader_release(instance, &module->shader);
    vulkan_bindings_release(module);
    trm_util_release(instance->host, module->entries, module->constant_count * sizeof(*module->entries));
    trm_util_release(instance->host, module->values, module->constant_count * sizeof(*module->values));
    trm_util_release(instance->host, module, module->size);
}

static int32_t module_make(struct trm_backend_module *module, const struct trm_module_source *source)
{
    const struct trm_kernel_info *first    = &source->kernels[0];
    const struct vulkan_physical *physical = module->device->physical;
    int32_t status                         = make_handle(module, source);
    if (status == TRM_OK)
        status = vulkan_bindings_find(module, first);
    bool pushes = module->device->vk.vkCmdPushDescriptorSetKHR != NULL &&
                  module->descriptor_count <= physical->max_push_descriptors;
    if (status == TRM_OK)
        status = vulkan_bindings_layout(module, pushes);
    if (status == TRM_OK)
        status = make_layout(module, constant_bytes(first));
    if (status == TRM_OK)
        status = make_constants(module, source);
    if (status == TRM_OK)
        status = make_kernels(module, source, pushes);
    return status;
}

static int32_t module_load(struct trm_backend_device *device, const struct trm_module_source *source,
                           struct trm_backend_module **module)
{
    int32_t status = module_supports(device, source->format);
    if (status == TRM_OK)
        status = vulkan_capabilities_check(device, source);
    if (status == TRM_OK)
        status = check_limits(device, source);
    if (status == TRM_OK)
        status = vulkan_device_check(device);
    if (status != TRM_OK)
        return status;
    uint64_t size = sizeof(struct trm_backend_module) +
                    (uint64_t)source->kernel_count * sizeof(struct trm_backend_kernel);
    struct trm_backend_module *made = trm_util_allocate(device->instance->host, size);
    if (made == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a module");
    made->device = device;
    made->size   = size;
    status       = module_make(made, source);
    if (status != TRM_OK) {
        module_unload(made);
        return status;
    }
    *module = made;
    return TRM_OK;
}

/* Whether the device can run the kernel. If not, the launch fails with an explanation from the core. */
static bool fits(const struct trm_backend_kernel *kernel)
{
    const VkPhysicalDeviceLimits *limits = &kernel->module->device->physical->properties.limits;
    const uint32_t *size                 = kernel->info->group_size;
    for (uint32_t i = 0; i < 3; i++)
        if (size[i] > limits->maxComputeWorkGroupSize[i])
            return false;
    return (uint64_t)size[0] * size[1] * size[2] <= limits->maxComputeWorkGroupInvocations &&
           kernel->info->shared_bytes <= limits->maxComputeSharedMemorySize;
}

/* Creates the pipeline here, so that the first launch does not wait for the driver's compiler. */
static int32_t module_kernel(struct trm_backend_module *module, const char *name,
                             struct trm_backend_kernel **result, struct trm_kernel_desc *desc)
{
    struct trm_backend_kernel *kernel = NULL;
    VkPipeline pipeline;
    for (uint32_t i = 0; i < module->kernel_count && kernel == NULL; i++)
        if (strcmp(module->kernels[i].info->name, name) == 0)
            kernel = &module->kernels[i];
    if (kernel == NULL)
        return trm_util_fail(module->device->instance->host, TRM_ERROR_NOT_FOUND, 0,
                             "The module has no kernel '%.100s'.", name);
    if (fits(kernel)) {
        int32_t status = vulkan_kernel_pipeline(kernel, kernel->info->group_size, &pipeline);
        if (status != TRM_OK)
            return status;
    }
    desc->parameter_count = kernel->info->parameter_count;
    desc->parameters      = kernel->info->parameters;
    desc->shared_bytes    = kernel->info->shared_bytes;
    memcpy(desc->group_size, kernel->info->group_size, sizeof(desc->group_size));
    *result = kernel;
    return TRM_OK;
}

static const char *module_kernel_name(struct trm_backend_module *module, uint32_t index)
{
    return index < module->kernel_count ? module->kernels[index].info->name : NULL;
}

const struct trm_module_ops vulkan_module_ops = {
    .struct_size = sizeof(vulkan_module_ops),
    .supports    = module_supports,
    .load        = module_load,
    .unload      = module_unload,
    .kernel      = module_kernel,
    .kernel_name = module_kernel_name,
};
