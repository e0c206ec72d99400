/* vulkan backend: records launches.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/module/module.h"
#include "backends/vulkan/record/record_internal.h"

#define CONSTANT_BYTES_MOST 1024u

/* Size of a batch's descriptor pool; any single launch fits in a new one. */
#define SETS_OF_A_POOL 256u
#define BUFFERS_OF_A_POOL 2048u

/* ---- limits ---------------------------------------------------------------------------------------- */

static int32_t refuse_span(const struct trm_backend_device *device, const struct trm_launch_desc *desc,
                           uint32_t index)
{
    const struct trm_kernel_info *info = desc->kernel->info;
    return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                         "Buffer %s of kernel %s is a span of %" PRIu64
                         " bytes, but shaders of this device reach only %" PRIu32 " bytes of a buffer.",
                         info->parameters[index].name, info->name, desc->arguments[index].size,
                         device->physical->properties.limits.maxStorageBufferRange);
}

int32_t vulkan_launch_check(struct trm_backend_device *device, const struct trm_launch_desc *desc)
{
    uint64_t most = device->physical->properties.limits.maxStorageBufferRange;
    if (desc->shared_bytes != 0)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "A launch of %s asks for %" PRIu32
                             " bytes of shared memory, but Vulkan kernels have to declare all shared memory.",
                             desc->kernel->info->name, desc->shared_bytes);
    for (uint32_t i = 0; i < desc->argument_count; i++)
        if (desc->arguments[i].kind == TRM_PARAMETER_BUFFER && desc->arguments[i].size > most)
            return refuse_span(device, desc, i);
    if (desc->kernel->constant_bytes > CONSTANT_BYTES_MOST)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "Kernel %s has %" PRIu32 " bytes of push constants; at most %u are supported.",
                             desc->kernel->info->name, desc->kernel->constant_bytes, CONSTANT_BYTES_MOST);
    return TRM_OK;
}

/* ---- arguments ------------------------------------------------------------------------------------- */

static uint32_t access_flags(uint32_t access)
{
    uint32_t flags = VULKAN_KERNEL;
    if (access == 0 || (access & TRM_ACCESS_READ) != 0)
        flags |= VULKAN_READ;
    if (access == 0 || (access & TRM_ACCESS_WRITE) != 0)
        flags |= VULKAN_WRITE;
    return flags;
}

/* Uses a null descriptor if the device has them. Otherwise one byte of dummy memory: the shader sees no
 * elements, unless elements are bytes. */
static int32_t empty_span(struct trm_backend_device *device, const struct trm_parameter *parameter,
                          VkDescriptorBufferInfo *info)
{
    struct trm_backend_memory *dummy;
    if (device->physical->features.robustness2.nullDescriptor) {
        *info = (VkDescriptorBufferInfo){.range = VK_WHOLE_SIZE};
        return TRM_OK;
    }
    if (parameter->stride == 1)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "Buffer %s is an empty span of bytes, and the device has no null descriptors.",
                             parameter->name);
    int32_t status = vulkan_record_dummy(device, &dummy);
    if (status != TRM_OK)
        return status;
    info->buffer = dummy->buffer;
    info->offset = dummy->base;
    info->range  = 1;
    return TRM_OK;
}

struct arguments {
    uint32_t buffer_count, access_count;
    VkDescriptorBufferInfo infos[VULKAN_MAX_ARGUMENTS];
    struct vulkan_access accesses[VULKAN_MAX_ARGUMENTS];
    unsigned char constants[CONSTANT_BYTES_MOST];
};

/* The core checks offsets in memory; imported memory can begin at any address. */
static int32_t check_alignment(const struct trm_backend_device *device, const VkDescriptorBufferInfo *info,
                               const struct trm_parameter *parameter)
{
    uint64_t alignment = device->physical->properties.limits.minStorageBufferOffsetAlignment;
    if ((info->offset & (alignment - 1)) == 0)
        return TRM_OK;
    return trm_util_fail(
        device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
        "Buffer %s begins in imported memory at an address that is not a multiple of %" PRIu64
        ", which shaders of this device need.",
        parameter->name, alignment);
}

static int32_t take_buffer(struct vulkan_recorder *recorder, const struct trm_launch_argument *argument,
                           const struct trm_parameter *parameter, struct arguments *arguments)
{
    VkDescriptorBufferInfo *info = &arguments->infos[arguments->buffer_count++];
    if (argument->memory == NULL || argument->size == 0)
        return empty_span(recorder->device, parameter, info);
    info->buffer                                   = argument->memory->buffer;
    info->offset                                   = argument->memory->base + argument->offset;
    info->range                                    = argument->size;
    arguments->accesses[arguments->access_count++] = vulkan_record_access(
        recorder, argument->memory, argument->offset, argument->size, access_flags(parameter->access));
    return check_alignment(recorder->device, info, parameter);
}

/* Records no commands. */
static int32_t take_arguments(struct vulkan_recorder *recorder, const struct trm_launch_desc *desc,
                              struct arguments *arguments)
{
    const struct trm_kernel_info *info = desc->kernel->info;
    int32_t status                     = TRM_OK;
    arguments->buffer_count            = 0;
    arguments->access_count            = 0;
    memset(arguments->constants, 0, desc->kernel->constant_bytes);
    for (uint32_t i = 0; i < desc->argument_count && status == TRM_OK; i++) {
        const struct trm_launch_argument *argument = &desc->arguments[i];
        const struct trm_parameter *parameter      = &info->parameters[i];
        if (argument->kind == TRM_PARAMETER_BUFFER)
            status = take_buffer(recorder, argument, parameter, arguments);
        else if (argument->kind == TRM_PARAMETER_SCALAR)
            memcpy(arguments->constants + parameter->place, &argument->scalar, argument->size);
        else
            memcpy(arguments->constants + parameter->place, argument->block, argument->size);
    }
    return status;
}

/* ---- descriptors ----------------------------------------------------------------------------------- */

static void describe(const struct arguments *arguments, VkDescriptorSet set, VkWriteDescriptorSet *writes)
{
    for (uint32_t i = 0; i < arguments->buffer_count; i++)
        writes[i] = (VkWriteDescriptorSet){
            .sType           = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet          = set,
            .dstBinding      = i,
            .descriptorCount = 1,
            .descriptorType  = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo     = &arguments->infos[i],
        };
}

static int32_t need_pool(struct vulkan_recorder *recorder)
{
    struct trm_backend_device *device = recorder->device;
    bool given                        = recorder->pool_sets != 0;
    if (*recorder->descriptors != VK_NULL_HANDLE)
        return TRM_OK;
    const VkDescriptorPoolSize size = {
        .type            = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .descriptorCount = given ? recorder->pool_buffers : BUFFERS_OF_A_POOL,
    };
    const VkDescriptorPoolCreateInfo info = {
        .sType         = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets       = given ? recorder->pool_sets : SETS_OF_A_POOL,
        .poolSizeCount = 1,
        .pPoolSizes    = &size,
    };
    VkResult result = device->vk.vkCreateDescriptorPool(device->handle, &info, NULL, recorder->descriptors);
    return result < 0 ? vulkan_device_fail(device, result, "vkCreateDescriptorPool") : TRM_OK;
}

static int32_t make_set(struct vulkan_recorder *recorder, const struct trm_backend_kernel *kernel,
                        VkDescriptorSet *set)
{
    struct trm_backend_device *device = recorder->device;
    int32_t status                    = need_pool(recorder);
    if (status != TRM_OK)
        return status;
    const VkDescriptorSetAllocateInfo info = {
        .sType              = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool     = *recorder->descriptors,
        .descriptorSetCount = 1,
        .pSetLayouts        = &kernel->set_layout,
    };
    VkResult result = device->vk.vkAllocateDescriptorSets(device->handle, &info, set);
    if (result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL)
        return VULKAN_RECORD_FULL;
    return result < 0 ? vulkan_device_fail(device, result, "vkAllocateDescriptorSets") : TRM_OK;
}

/* A different layout invalidates what was pushed. */
static void use_layout(struct vulkan_recorder *recorder, VkPipelineLayout layout)
{
    struct vulkan_pushed *pushed = &recorder->pushed;
    if (pushed->layout == layout)
        return;
    pushed->layout       = layout;
    pushed->buffer_count = 0;
    pushed->bytes        = 0;
}

static bool have_buffers(const struct vulkan_pushed *pushed, const struct arguments *arguments)
{
    return pushed->buffer_count == arguments->buffer_count &&
           memcmp(pushed->infos, arguments->infos, arguments->buffer_count * sizeof(pushed->infos[0])) == 0;
}

static void push_buffers(struct vulkan_recorder *recorder, const struct trm_backend_kernel *kernel,
                         const struct arguments *arguments)
{
    struct vulkan_pushed *pushed = &recorder->pushed;
    uint32_t count               = arguments->buffer_count;
    VkWriteDescriptorSet writes[VULKAN_MAX_ARGUMENTS];
    if (have_buffers(pushed, arguments))
        return;
    describe(arguments, VK_NULL_HANDLE, writes);
    recorder->device->vk.vkCmdPushDescriptorSetKHR(recorder->command, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                   kernel->layout, 0, count, writes);
    pushed->buffer_count = count <= VULKAN_PUSHED_BUFFERS ? count : 0;
    memcpy(pushed->infos, arguments->infos, pushed->buffer_count * sizeof(pushed->infos[0]));
}

static void push_constants(struct vulkan_recorder *recorder, const struct trm_backend_kernel *kernel,
                           const unsigned char *constants)
{
    struct vulkan_pushed *pushed = &recorder->pushed;
    uint32_t bytes               = kernel->constant_bytes;
    if (bytes == pushed->bytes && memcmp(pushed->constants, constants, bytes) == 0)
        return;
    recorder->device->vk.vkCmdPushConstants(recorder->command, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                            bytes, constants);
    pushed->bytes = bytes <= VULKAN_PUSHED_BYTES ? bytes : 0;
    memcpy(pushed->constants, constants, pushed->bytes);
}

static void bind_set(struct vulkan_recorder *recorder, const struct trm_backend_kernel *kernel,
                     const struct arguments *arguments, VkDescriptorSet set)
{
    struct trm_backend_device *device = recorder->device;
    VkWriteDescriptorSet writes[VULKAN_MAX_ARGUMENTS];
    describe(arguments, set, writes);
    device->vk.vkUpdateDescriptorSets(device->handle, arguments->buffer_count, writes, 0, NULL);
    device->vk.vkCmdBindDescriptorSets(recorder->command, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0,
                                       1, &set, 0, NULL);
}

/* ---- launching ------------------------------------------------------------------------------------- */

static uint64_t volume(const uint32_t size[3])
{
    return (uint64_t)size[0] * size[1] * size[2];
}

static bool is_coarsened(const struct trm_backend_device *device, const struct trm_launch_desc *desc)
{
    return device->coarsening.items > 1 && desc->groups[0] >= device->coarsening.items &&
           volume(desc->groups) >= device->coarsening.least / volume(desc->group_size);
}

/* The pipelines that run a grid. */
struct dispatch_plan {
    VkPipeline pipeline; /* runs single groups: all, or the remainder if `coarsened` is not null */
    VkPipeline coarsened;
};

static int32_t plan_dispatch(const struct trm_backend_device *device, const struct trm_launch_desc *desc,
                             struct dispatch_plan *plan)
{
    struct trm_backend_kernel *kernel = desc->kernel;
    int32_t status                    = vulkan_kernel_pipeline(kernel, desc->group_size, &plan->pipeline);
    plan->coarsened                   = VK_NULL_HANDLE;
    if (status != TRM_OK || !is_coarsened(device, desc))
        return status;
    status = vulkan_kernel_coarsen(kernel);
    if (status == TRM_OK && kernel->coarsened.main != VK_NULL_HANDLE) {
        plan->coarsened = kernel->coarsened.main;
        plan->pipeline  = kernel->coarsened.remainder;
    }
    return status;
}

int32_t vulkan_launch_prepare(struct trm_backend_device *device, const struct trm_launch_desc *desc)
{
    struct dispatch_plan plan;
    int32_t status = vulkan_launch_check(device, desc);
    return status == TRM_OK ? plan_dispatch(device, desc, &plan) : status;
}

static void dispatch(struct vulkan_recorder *recorder, const uint32_t groups[3],
                     const struct dispatch_plan *plan)
{
    const struct trm_backend_device *device = recorder->device;
    uint32_t items                          = device->coarsening.items;
    if (plan->coarsened == VK_NULL_HANDLE) {
        vulkan_record_bind(recorder, plan->pipeline);
        device->vk.vkCmdDispatch(recorder->command, groups[0], groups[1], groups[2]);
        return;
    }
    uint32_t rest = groups[0] % items;
    vulkan_record_bind(recorder, plan->coarsened);
    device->vk.vkCmdDispatch(recorder->command, groups[0] / items, groups[1], groups[2]);
    if (rest == 0)
        return;
    vulkan_record_bind(recorder, plan->pipeline);
    device->vk.vkCmdDispatchBase(recorder->command, groups[0] - rest, 0, 0, rest, groups[1], groups[2]);
}

int32_t vulkan_record_launch(struct vulkan_recorder *recorder, const struct trm_launch_desc *desc)
{
    struct trm_backend_device *device = recorder->device;
    struct trm_backend_kernel *kernel = desc->kernel;
    VkDescriptorSet set               = VK_NULL_HANDLE;
    struct dispatch_plan plan;
    struct arguments arguments;
    int32_t status = vulkan_launch_check(device, desc);
    if (status == TRM_OK)
        status = plan_dispatch(device, desc, &plan);
    if (status == TRM_OK)
        status = take_arguments(recorder, desc, &arguments);
    bool pushes = kernel->pushes;
    if (status == TRM_OK && !pushes && arguments.buffer_count != 0)
        status = make_set(recorder, kernel, &set);
    if (status != TRM_OK)
        return status;
    vulkan_record_accesses(recorder, arguments.accesses, arguments.access_count);
    use_layout(recorder, kernel->layout);
    if (arguments.buffer_count != 0) {
        if (pushes)
            push_buffers(recorder, kernel, &arguments);
        else
            bind_set(recorder, kernel, &arguments, set);
    }
    if (kernel->constant_bytes != 0)
        push_constants(recorder, kernel, arguments.constants);
    dispatch(recorder, desc->groups, &plan);
    return TRM_OK;
}
