/* vulkan backend: records launches.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "backends/vulkan/module/module.h"
#include "backends/vulkan/record/arguments.h"
#include "backends/vulkan/record/record_internal.h"

/* ---- limits ---------------------------------------------------------------------------------------- */

int32_t vulkan_launch_check(struct trm_backend_device *device, const struct trm_launch_desc *desc)
{
    if (desc->shared_bytes != 0)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "A launch of %s asks for %" PRIu32
                             " bytes of shared memory, but Vulkan kernels have to declare all shared memory.",
                             desc->kernel->info->name, desc->shared_bytes);
    if (desc->kernel->constant_bytes > VULKAN_CONSTANT_BYTES_MOST)
        return trm_util_fail(device->instance->host, TRM_ERROR_UNSUPPORTED, 0,
                             "Kernel %s has %" PRIu32 " bytes of push constants; at most %u are supported.",
                             desc->kernel->info->name, desc->kernel->constant_bytes,
                             VULKAN_CONSTANT_BYTES_MOST);
    return vulkan_arguments_check(device, desc);
}

/* ---- descriptors ----------------------------------------------------------------------------------- */

static bool is_texels(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

/* Elements of arrays follow each other in one write, but for those of texel buffers, which are smaller. */
_Static_assert(sizeof(union vulkan_descriptor) == sizeof(VkDescriptorBufferInfo) &&
                   sizeof(union vulkan_descriptor) == sizeof(VkDescriptorImageInfo),
               "an array of descriptors is an array of what the driver reads");

/* The driver reads the member that the type needs. Returns the number of writes. */
static uint32_t describe(const struct trm_backend_kernel *kernel, const struct vulkan_arguments *arguments,
                         VkDescriptorSet set, VkWriteDescriptorSet *writes)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < arguments->descriptor_count; i++) {
        const union vulkan_descriptor *descriptor = &arguments->descriptors[i];
        const struct vulkan_place *place          = &kernel->module->places[i];
        bool is_buffer                            = place->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        if (count != 0 && place->element != 0 && !is_texels(place->type)) {
            writes[count - 1].descriptorCount++;
            continue;
        }
        writes[count++] = (VkWriteDescriptorSet){
            .sType            = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet           = set,
            .dstBinding       = place->binding,
            .dstArrayElement  = place->element,
            .descriptorCount  = 1,
            .descriptorType   = place->type,
            .pBufferInfo      = is_buffer ? &descriptor->buffer : NULL,
            .pTexelBufferView = is_texels(place->type) ? &descriptor->texels : NULL,
            .pImageInfo       = is_buffer || is_texels(place->type) ? NULL : &descriptor->image,
        };
    }
    return count;
}

/* A different layout invalidates what was pushed. */
static void use_layout(struct vulkan_recorder *recorder, VkPipelineLayout layout)
{
    struct vulkan_pushed *pushed = &recorder->pushed;
    if (pushed->layout == layout)
        return;
    pushed->layout = layout;
    pushed->count  = 0;
    pushed->bytes  = 0;
}

static bool has_descriptors(const struct vulkan_pushed *pushed, const struct vulkan_arguments *arguments)
{
    return pushed->count == arguments->descriptor_count &&
           memcmp(pushed->descriptors, arguments->descriptors,
                  pushed->count * sizeof(pushed->descriptors[0])) == 0;
}

static void push_descriptors(struct vulkan_recorder *recorder, const struct trm_backend_kernel *kernel,
                             const struct vulkan_arguments *arguments)
{
    struct vulkan_pushed *pushed = &recorder->pushed;
    uint32_t count               = arguments->descriptor_count;
    VkWriteDescriptorSet writes[VULKAN_MAX_ARGUMENTS];
    if (has_descriptors(pushed, arguments))
        return;
    uint32_t written = describe(kernel, arguments, VK_NULL_HANDLE, writes);
    recorder->device->vk.vkCmdPushDescriptorSetKHR(recorder->command, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                   kernel->layout, 0, written, writes);
    pushed->count = count <= VULKAN_PUSHED_DESCRIPTORS ? count : 0;
    memcpy(pushed->descriptors, arguments->descriptors, pushed->count * sizeof(pushed->descriptors[0]));
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
                     const struct vulkan_arguments *arguments, VkDescriptorSet set)
{
    struct trm_backend_device *device = recorder->device;
    VkWriteDescriptorSet writes[VULKAN_MAX_ARGUMENTS];
    uint32_t written = describe(kernel, arguments, set, writes);
    device->vk.vkUpdateDescriptorSets(device->handle, written, writes, 0, NULL);
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

static void bind(struct vulkan_recorder *recorder, const struct trm_backend_kernel *kernel,
                 const struct vulkan_arguments *arguments, VkDescriptorSet set)
{
    use_layout(recorder, kernel->layout);
    if (arguments->descriptor_count != 0) {
        if (kernel->pushes)
            push_descriptors(recorder, kernel, arguments);
        else
            bind_set(recorder, kernel, arguments, set);
    }
    if (kernel->constant_bytes != 0)
        push_constants(recorder, kernel, arguments->constants);
}

int32_t vulkan_record_launch(struct vulkan_recorder *recorder, const struct trm_launch_desc *desc)
{
    struct trm_backend_device *device = recorder->device;
    struct trm_backend_kernel *kernel = desc->kernel;
    VkDescriptorSet set               = VK_NULL_HANDLE;
    uint32_t views                    = recorder->descriptors->view_count;
    struct dispatch_plan plan;
    struct vulkan_arguments arguments;
    int32_t status = vulkan_launch_check(device, desc);
    if (status == TRM_OK)
        status = plan_dispatch(device, desc, &plan);
    if (status == TRM_OK)
        status = vulkan_arguments_take(recorder, desc, &arguments);
    if (status == TRM_OK && !kernel->pushes && arguments.descriptor_count != 0)
        status = vulkan_descriptors_set(device, recorder->descriptors, &recorder->pool_size, kernel, &set);
    if (status != TRM_OK) {
        vulkan_descriptors_keep_views(device, recorder->descriptors, views);
        return status;
    }
    if (kernel->has_addresses)
        vulkan_record_barrier_all(recorder);
    vulkan_record_accesses(recorder, arguments.accesses, arguments.access_count);
    bind(recorder, kernel, &arguments, set);
    dispatch(recorder, desc->groups, &plan);
    if (kernel->has_addresses) {
        vulkan_record_unknown_access(recorder);
        recorder->host_written |= VULKAN_KERNEL;
    }
    return TRM_OK;
}
