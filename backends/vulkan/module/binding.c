/* vulkan backend: the descriptors of a module.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/module/module.h"

/* ---- types ----------------------------------------------------------------------------------------- */

static VkDescriptorType type_of(const struct trm_parameter *parameter, const struct vulkan_shader *shader,
                                uint32_t binding)
{
    switch (parameter->kind) {
    case TRM_PARAMETER_IMAGE:
        return VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
    case TRM_PARAMETER_TEXTURE:
        return VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    case TRM_PARAMETER_SAMPLER:
        return VK_DESCRIPTOR_TYPE_SAMPLER;
    case TRM_PARAMETER_SAMPLED_IMAGE:
        return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    case TRM_PARAMETER_TEXELS:
        return vulkan_shader_stores_texels(shader, binding) ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
                                                            : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
    default:
        return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    }
}

static uint32_t count_descriptors(const struct trm_kernel_info *info)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->parameter_count; i++)
        count += trm_util_has_descriptor(&info->parameters[i]);
    return count;
}

int32_t vulkan_bindings_find(struct trm_backend_module *module, const struct trm_kernel_info *info)
{
    const struct trm_host *host = module->device->instance->host;
    struct vulkan_place *place;
    module->descriptor_count = count_descriptors(info);
    if (module->descriptor_count == 0)
        return TRM_OK;
    module->places = trm_util_allocate(host, module->descriptor_count * sizeof(*module->places));
    if (module->places == NULL)
        return trm_util_fail_host_memory(host, "the descriptors of a module");
    place = module->places;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        if (!trm_util_has_descriptor(&info->parameters[i]))
            continue;
        bool is_first = place == module->places;
        if (trm_util_is_next_element(info, i)) {
            *place = place[-1];
            place->element++;
        } else {
            place->binding = is_first ? 0 : place[-1].binding + 1;
            place->element = 0;
            place->type    = type_of(&info->parameters[i], &module->shader, place->binding);
        }
        module->counts[place->type]++;
        place++;
    }
    return TRM_OK;
}

void vulkan_bindings_release(struct trm_backend_module *module)
{
    trm_util_release(module->device->instance->host, module->places,
                     module->descriptor_count * sizeof(*module->places));
}

/* ---- limits ---------------------------------------------------------------------------------------- */

static uint32_t count_kind(const struct trm_kernel_info *info, int32_t kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < info->parameter_count; i++)
        count += info->parameters[i].kind == kind;
    return count;
}

static int32_t check_limit(const struct trm_backend_device *device, const struct trm_module_source *source,
                           uint32_t count, uint32_t most, const char *what)
{
    if (count <= most)
        return TRM_OK;
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "Module '%.100s' has %u %s; device %s supports %u.", source->name, count, what,
                         device->physical->properties.deviceName, most);
}

/* A texel buffer counts as an image, and a sampled image with its sampler as both. */
int32_t vulkan_bindings_check(const struct trm_backend_device *device, const struct trm_module_source *source)
{
    const VkPhysicalDeviceLimits *limits = &device->physical->properties.limits;
    const struct trm_kernel_info *info   = &source->kernels[0];
    uint32_t combined                    = count_kind(info, TRM_PARAMETER_SAMPLED_IMAGE);
    uint32_t texels                      = count_kind(info, TRM_PARAMETER_TEXELS);
    const struct {
        uint32_t count, most;
        const char *what;
    } rows[] = {
        {count_kind(info, TRM_PARAMETER_BUFFER), limits->maxPerStageDescriptorStorageBuffers, "buffers"},
        {count_kind(info, TRM_PARAMETER_IMAGE) + texels, limits->maxPerStageDescriptorStorageImages,
         "storage images"},
        {count_kind(info, TRM_PARAMETER_TEXTURE) + combined + texels,
         limits->maxPerStageDescriptorSampledImages, "sampled images"},
        {count_kind(info, TRM_PARAMETER_SAMPLER) + combined, limits->maxPerStageDescriptorSamplers,
         "samplers"},
        {count_descriptors(info), limits->maxPerStageResources, "buffers, images and samplers"},
        {count_descriptors(info), VULKAN_MAX_ARGUMENTS, "buffers, images and samplers"},
    };
    int32_t status = TRM_OK;
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && status == TRM_OK; i++)
        status = check_limit(device, source, rows[i].count, rows[i].most, rows[i].what);
    return status;
}

/* ---- the layout ------------------------------------------------------------------------------------ */

int32_t vulkan_bindings_layout(struct trm_backend_module *module, bool pushes)
{
    struct trm_backend_device *device = module->device;
    uint32_t count                    = module->descriptor_count;
    uint64_t size                     = count * sizeof(VkDescriptorSetLayoutBinding);
    if (count == 0)
        return TRM_OK;
    VkDescriptorSetLayoutBinding *bindings = trm_util_allocate(device->instance->host, size);
    if (bindings == NULL)
        return trm_util_fail_host_memory(device->instance->host, "the descriptors of a module");
    for (uint32_t i = 0; i < count; i++) /* the last element of an array has its number */
        bindings[module->places[i].binding] = (VkDescriptorSetLayoutBinding){
            .binding         = module->places[i].binding,
            .descriptorType  = module->places[i].type,
            .descriptorCount = module->places[i].element + 1,
            .stageFlags      = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    VkDescriptorSetLayoutCreateInfo create = {
        .sType        = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags        = pushes ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR : 0,
        .bindingCount = module->places[count - 1].binding + 1,
        .pBindings    = bindings,
    };
    VkResult result =
        device->vk.vkCreateDescriptorSetLayout(device->handle, &create, NULL, &module->set_layout);
    trm_util_release(device->instance->host, bindings, size);
    return result == VK_SUCCESS ? TRM_OK : vulkan_device_fail(device, result, "vkCreateDescriptorSetLayout");
}
