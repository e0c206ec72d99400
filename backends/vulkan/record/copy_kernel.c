/* vulkan backend: copies with a kernel, copy.comp.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/record/copy_kernel.h"

#include "backends/vulkan/record/record_internal.h"

#include "backends/vulkan/memory/memory.h"

#define GROUP_ITEMS 256u
#define GROUP_PIECE (4 * GROUP_ITEMS) /* elements that a group copies in one step: see copy.comp */

/* Most groups of a copy. Between host and device the bus is the limit, and so few groups saturate it, in one
 * direction and in both at once, and leave the rest of the device free (measured on an H200; posted writes
 * over the bus need fewer than reads). Copies within the device use all of it. */
#define UPLOAD_GROUPS 32u
#define DOWNLOAD_GROUPS 8u
#define DEVICE_GROUPS_OF_A_UNIT 16u

#define WORD_BYTES sizeof(uint32_t)
#define VECTOR_BYTES (4 * WORD_BYTES)

enum variant {
    BY_VECTORS,
    BY_WORDS,
    VARIANTS,
};

struct vulkan_copy_kernel {
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipelines[VARIANTS];
};

struct copy_constants {
    uint32_t source, destination, count, tail;
};

static const uint32_t copy_words[] = {
#include "backends/vulkan/record/copy.inc"
};

static bool device_can(const struct trm_backend_device *device)
{
    const VkPhysicalDeviceLimits *limits = &device->physical->properties.limits;
    return device->copies_by_kernel && device->vk.vkCmdPushDescriptorSetKHR != NULL &&
           device->physical->max_push_descriptors >= 2 &&
           limits->maxComputeWorkGroupInvocations >= GROUP_ITEMS &&
           limits->maxComputeWorkGroupSize[0] >= GROUP_ITEMS;
}

/* ---- creation -------------------------------------------------------------------------------------- */

static int32_t make_layouts(struct trm_backend_device *device, struct vulkan_copy_kernel *kernel)
{
    VkDescriptorSetLayoutBinding bindings[2];
    for (uint32_t i = 0; i < 2; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding         = i,
            .descriptorType  = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags      = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    const VkDescriptorSetLayoutCreateInfo set = {
        .sType        = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .flags        = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
        .bindingCount = 2,
        .pBindings    = bindings,
    };
    VkResult result = device->vk.vkCreateDescriptorSetLayout(device->handle, &set, NULL, &kernel->set_layout);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkCreateDescriptorSetLayout");
    const VkPushConstantRange range       = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(struct copy_constants)};
    const VkPipelineLayoutCreateInfo info = {
        .sType                  = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount         = 1,
        .pSetLayouts            = &kernel->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges    = &range,
    };
    result = device->vk.vkCreatePipelineLayout(device->handle, &info, NULL, &kernel->layout);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreatePipelineLayout") : TRM_OK;
}

static int32_t make_pipelines(struct trm_backend_device *device, struct vulkan_copy_kernel *kernel,
                              VkShaderModule module)
{
    const VkBool32 by_words[VARIANTS]    = {[BY_VECTORS] = VK_FALSE, [BY_WORDS] = VK_TRUE};
    const VkSpecializationMapEntry entry = {0, 0, sizeof(VkBool32)};
    VkSpecializationInfo constants[VARIANTS];
    VkComputePipelineCreateInfo infos[VARIANTS];
    for (uint32_t i = 0; i < VARIANTS; i++) {
        constants[i] = (VkSpecializationInfo){1, &entry, sizeof(by_words[i]), &by_words[i]};
        infos[i]     = (VkComputePipelineCreateInfo){
                .sType  = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                .layout = kernel->layout,
                .stage  = {.sType               = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                           .stage               = VK_SHADER_STAGE_COMPUTE_BIT,
                           .module              = module,
                           .pName               = "main",
                           .pSpecializationInfo = &constants[i]},
        };
    }
    VkResult result = device->vk.vkCreateComputePipelines(device->handle, device->pipeline_cache, VARIANTS,
                                                          infos, NULL, kernel->pipelines);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreateComputePipelines") : TRM_OK;
}

static void unmake(struct trm_backend_device *device, struct vulkan_copy_kernel *kernel)
{
    for (uint32_t i = 0; i < VARIANTS; i++)
        device->vk.vkDestroyPipeline(device->handle, kernel->pipelines[i], NULL);
    device->vk.vkDestroyPipelineLayout(device->handle, kernel->layout, NULL);
    device->vk.vkDestroyDescriptorSetLayout(device->handle, kernel->set_layout, NULL);
    trm_util_release(device->instance->host, kernel, sizeof(*kernel));
}

static int32_t make(struct trm_backend_device *device, struct vulkan_copy_kernel **out)
{
    struct vulkan_copy_kernel *kernel = trm_util_allocate(device->instance->host, sizeof(*kernel));
    VkShaderModule module             = VK_NULL_HANDLE;
    if (kernel == NULL)
        return trm_util_fail_host_memory(device->instance->host, "the copy kernel");
    const VkShaderModuleCreateInfo info = {
        .sType    = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = sizeof(copy_words),
        .pCode    = copy_words,
    };
    VkResult result = device->vk.vkCreateShaderModule(device->handle, &info, NULL, &module);
    int32_t status  = result < 0 ? vulkan_device_fail(device, result, "vkCreateShaderModule")
                                 : make_layouts(device, kernel);
    if (status == TRM_OK)
        status = make_pipelines(device, kernel, module);
    if (result >= 0)
        device->vk.vkDestroyShaderModule(device->handle, module, NULL);
    if (status != TRM_OK) {
        unmake(device, kernel);
        return status;
    }
    *out = kernel;
    return TRM_OK;
}

static int32_t need_kernel(struct trm_backend_device *device, const struct vulkan_copy_kernel **out)
{
    struct vulkan_copy_kernel *kernel = atomic_load_explicit(&device->copy_kernel, memory_order_acquire);
    int32_t status                    = TRM_OK;
    if (kernel == NULL) {
        pthread_mutex_lock(&device->lazy_lock);
        kernel = atomic_load_explicit(&device->copy_kernel, memory_order_relaxed);
        if (kernel == NULL)
            status = make(device, &kernel);
        if (status == TRM_OK)
            atomic_store_explicit(&device->copy_kernel, kernel, memory_order_release);
        pthread_mutex_unlock(&device->lazy_lock);
    }
    *out = kernel;
    return status;
}

int32_t vulkan_copy_kernel_prepare(struct trm_backend_device *device)
{
    const struct vulkan_copy_kernel *kernel;
    return device_can(device) ? need_kernel(device, &kernel) : TRM_OK;
}

void vulkan_copy_kernel_fini(struct trm_backend_device *device)
{
    struct vulkan_copy_kernel *kernel = atomic_load_explicit(&device->copy_kernel, memory_order_relaxed);
    if (kernel != NULL)
        unmake(device, kernel);
}

/* ---- recording ------------------------------------------------------------------------------------- */

bool vulkan_copies_by_kernel(const struct vulkan_recorder *recorder,
                             const struct trm_backend_memory *destination, uint64_t to,
                             const struct trm_backend_memory *source, uint64_t from, uint64_t size)
{
    return recorder->can_compute && size >= WORD_BYTES &&
           ((destination->base + to) | (source->base + from)) % WORD_BYTES == 0 &&
           device_can(recorder->device);
}

static uint32_t groups_of(const struct trm_backend_device *device,
                          const struct trm_backend_memory *destination,
                          const struct trm_backend_memory *source, uint64_t elements)
{
    uint64_t most = (uint64_t)device->physical->units * DEVICE_GROUPS_OF_A_UNIT;
    uint64_t all  = (elements + GROUP_PIECE - 1) / GROUP_PIECE;
    if (source->kind != TRM_MEMORY_DEVICE)
        most = UPLOAD_GROUPS;
    else if (destination->kind != TRM_MEMORY_DEVICE)
        most = DOWNLOAD_GROUPS;
    if (all > most)
        all = most;
    return all == 0 ? 1 : (uint32_t)all;
}

/* Descriptor offsets must be aligned (to at most 256 bytes). Returns how far the descriptor begins before the
 * address. */
static uint64_t bytes_past(const struct trm_backend_device *device, uint64_t address)
{
    return address & (device->physical->properties.limits.minStorageBufferOffsetAlignment - 1);
}

/* Returns the index of the element at the offset in the descriptor. */
static uint32_t bind(const struct trm_backend_device *device, const struct trm_backend_memory *memory,
                     uint64_t offset, uint64_t size, uint64_t element, VkDescriptorBufferInfo *info)
{
    uint64_t past = bytes_past(device, memory->base + offset);
    info->buffer  = memory->buffer;
    info->offset  = memory->base + offset - past;
    info->range   = past + size;
    return (uint32_t)(past / element);
}

struct part {
    const struct trm_backend_memory *destination, *source;
    uint64_t to, from, size;
};

/* Covers all bytes that the descriptors reach: validation layers cannot tell that the kernel skips the first
 * ones. */
static void order_part(struct vulkan_recorder *recorder, const struct part *part)
{
    uint64_t past_from                     = bytes_past(recorder->device, part->source->base + part->from);
    uint64_t past_to                       = bytes_past(recorder->device, part->destination->base + part->to);
    const struct vulkan_access accesses[2] = {
        vulkan_record_access(recorder, part->source, part->from - past_from, part->size + past_from,
                             VULKAN_READ | VULKAN_KERNEL),
        vulkan_record_access(recorder, part->destination, part->to - past_to, part->size + past_to,
                             VULKAN_WRITE | VULKAN_KERNEL),
    };
    vulkan_record_accesses(recorder, accesses, 2);
}

static void copy_part(struct vulkan_recorder *recorder, const struct vulkan_copy_kernel *kernel,
                      const struct part *part, uint64_t element)
{
    struct trm_backend_device *device = recorder->device;
    VkDescriptorBufferInfo infos[2];
    VkWriteDescriptorSet writes[2];
    struct copy_constants constants = {
        .source      = bind(device, part->source, part->from, part->size, element, &infos[0]),
        .destination = bind(device, part->destination, part->to, part->size, element, &infos[1]),
        .count       = (uint32_t)(part->size / element),
        .tail        = (uint32_t)(part->size % element / WORD_BYTES),
    };
    for (uint32_t i = 0; i < 2; i++)
        writes[i] = (VkWriteDescriptorSet){
            .sType           = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstBinding      = i,
            .descriptorCount = 1,
            .descriptorType  = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo     = &infos[i],
        };
    order_part(recorder, part);
    device->vk.vkCmdPushDescriptorSetKHR(recorder->command, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0,
                                         2, writes);
    device->vk.vkCmdPushConstants(recorder->command, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                  sizeof(constants), &constants);
    device->vk.vkCmdDispatch(recorder->command,
                             groups_of(device, part->destination, part->source, constants.count), 1, 1);
}

/* Bytes that one descriptor reaches, for any alignment. */
static uint64_t largest_part(const struct trm_backend_device *device)
{
    const VkPhysicalDeviceLimits *limits = &device->physical->properties.limits;
    return (limits->maxStorageBufferRange - limits->minStorageBufferOffsetAlignment) & ~UINT64_C(255);
}

int32_t vulkan_record_copy_kernel(struct vulkan_recorder *recorder,
                                  const struct trm_backend_memory *destination, uint64_t to,
                                  const struct trm_backend_memory *source, uint64_t from, uint64_t size)
{
    const struct vulkan_copy_kernel *kernel;
    struct part part = {destination, source, to, from, 0};
    uint64_t most    = largest_part(recorder->device);
    bool by_vectors  = ((destination->base + to) | (source->base + from)) % VECTOR_BYTES == 0;
    int32_t status   = need_kernel(recorder->device, &kernel);
    if (status != TRM_OK)
        return status;
    vulkan_record_bind(recorder, kernel->pipelines[by_vectors ? BY_VECTORS : BY_WORDS]);
    recorder->pushed.layout = VK_NULL_HANDLE;
    for (; size != 0; size -= part.size) {
        part.size = size < most ? size : most;
        copy_part(recorder, kernel, &part, by_vectors ? VECTOR_BYTES : WORD_BYTES);
        part.to += part.size;
        part.from += part.size;
    }
    return TRM_OK;
}
