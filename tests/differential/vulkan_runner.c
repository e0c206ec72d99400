/* One dispatch at a time, in memory that the host sees: made for comparing, not for speed.
 * SPDX-License-Identifier: MIT
 */
#include "tests/differential/vulkan_runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/differential/vulkan_device.h"

#define SETS_MOST 8u
#define BUFFERS_MOST 32u
#define CONSTANTS_MOST 64u
#define TIMEOUT_NS 60000000000u /* a software device may be slow, but one that hangs must end */

struct vulkan_runner {
    struct runner base;
    struct vulkan_device device;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
};

/* What one run makes; all zero where it was not made yet. */
struct work {
    struct vulkan_runner *runner;
    const struct run_request *request;
    VkBuffer buffers[BUFFERS_MOST];
    VkDeviceMemory memories[BUFFERS_MOST];
    void *mapped[BUFFERS_MOST];
    uint32_t set_count;
    VkDescriptorSetLayout set_layouts[SETS_MOST];
    VkDescriptorPool descriptors;
    VkDescriptorSet sets[SETS_MOST];
    VkPipelineLayout layout;
    VkShaderModule module;
    VkPipeline pipeline;
};

/* Answers whether it worked, and notes which call did not. */
static int check(struct work *work, VkResult result, const char *call)
{
    if (result == VK_SUCCESS)
        return 1;
    runner_say(&work->runner->base, RUN_FAILED, "%s failed with VkResult %d", call, (int)result);
    return 0;
}

static VkDescriptorType descriptor_type(const struct run_buffer *buffer)
{
    return buffer->uniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

static uint32_t memory_type(const struct vulkan_device *device, uint32_t allowed)
{
    const VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
        if ((allowed & (1u << i)) && (device->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return i;
    }
    return 0; /* Vulkan promises that a type with both is allowed for every buffer */
}

static int make_buffer(struct work *work, uint32_t index)
{
    const struct run_buffer *buffer    = &work->request->buffers[index];
    const struct vulkan_device *device = &work->runner->device;
    const struct vulkan_functions *vk  = &device->vk;
    VkBufferUsageFlags usage =
        buffer->uniform ? VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    if (work->request->address_count != 0)
        usage |= VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateFlagsInfo flags = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkBufferCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size  = (buffer->size + 3) / 4 * 4,
        .usage = usage,
    };
    if (!check(work, vk->vkCreateBuffer(device->device, &create, NULL, &work->buffers[index]),
               "vkCreateBuffer"))
        return 0;
    VkMemoryRequirements needs;
    vk->vkGetBufferMemoryRequirements(device->device, work->buffers[index], &needs);
    VkMemoryAllocateInfo allocate = {
        .sType           = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext           = work->request->address_count != 0 ? &flags : NULL,
        .allocationSize  = needs.size,
        .memoryTypeIndex = memory_type(device, needs.memoryTypeBits),
    };
    if (!check(work, vk->vkAllocateMemory(device->device, &allocate, NULL, &work->memories[index]),
               "vkAllocateMemory") ||
        !check(work, vk->vkBindBufferMemory(device->device, work->buffers[index], work->memories[index], 0),
               "vkBindBufferMemory") ||
        !check(
            work,
            vk->vkMapMemory(device->device, work->memories[index], 0, VK_WHOLE_SIZE, 0, &work->mapped[index]),
            "vkMapMemory"))
        return 0;
    return 1;
}

/* Writes the addresses that the shader needs, and then the buffers. */
static int write_buffers(struct work *work)
{
    const struct vulkan_device *device = &work->runner->device;
    const struct run_request *request  = work->request;
    uint64_t addresses[BUFFERS_MOST]   = {0};
    for (uint32_t i = 0; i < request->buffer_count && request->address_count != 0; i++) {
        VkBufferDeviceAddressInfo info = {
            .sType  = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
            .buffer = work->buffers[i],
        };
        addresses[i] = device->vk.vkGetBufferDeviceAddress(device->device, &info);
    }
    run_place_addresses(request, addresses);
    for (uint32_t i = 0; i < request->buffer_count; i++)
        memcpy(work->mapped[i], request->buffers[i].bytes, request->buffers[i].size);
    return 1;
}

/* The number of a buffer among those of its binding: the element of an array. */
static uint32_t element_of(const struct run_request *request, uint32_t index)
{
    uint32_t element = 0;
    for (uint32_t i = 0; i < index; i++)
        element += request->buffers[i].set == request->buffers[index].set &&
                   request->buffers[i].binding == request->buffers[index].binding;
    return element;
}

static int make_set_layout(struct work *work, uint32_t set)
{
    const struct run_request *request = work->request;
    VkDescriptorSetLayoutBinding bindings[BUFFERS_MOST];
    uint32_t count = 0;
    for (uint32_t i = 0; i < request->buffer_count; i++) {
        if (request->buffers[i].set != set)
            continue;
        if (element_of(request, i) != 0) {
            for (uint32_t k = 0; k < count; k++)
                bindings[k].descriptorCount += bindings[k].binding == request->buffers[i].binding;
            continue;
        }
        bindings[count++] = (VkDescriptorSetLayoutBinding){
            .binding         = request->buffers[i].binding,
            .descriptorType  = descriptor_type(&request->buffers[i]),
            .descriptorCount = 1,
            .stageFlags      = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    }
    VkDescriptorSetLayoutCreateInfo create = {
        .sType        = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = count,
        .pBindings    = bindings,
    };
    const struct vulkan_device *device = &work->runner->device;
    return check(
        work, device->vk.vkCreateDescriptorSetLayout(device->device, &create, NULL, &work->set_layouts[set]),
        "vkCreateDescriptorSetLayout");
}

static int make_sets(struct work *work)
{
    const struct vulkan_device *device = &work->runner->device;
    VkDescriptorPoolSize sizes[]       = {
              {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS_MOST},
              {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, BUFFERS_MOST},
    };
    VkDescriptorPoolCreateInfo pool = {
        .sType         = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets       = SETS_MOST,
        .poolSizeCount = 2,
        .pPoolSizes    = sizes,
    };
    if (!check(work, device->vk.vkCreateDescriptorPool(device->device, &pool, NULL, &work->descriptors),
               "vkCreateDescriptorPool"))
        return 0;
    VkDescriptorSetAllocateInfo allocate = {
        .sType              = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool     = work->descriptors,
        .descriptorSetCount = work->set_count,
        .pSetLayouts        = work->set_layouts,
    };
    if (!check(work, device->vk.vkAllocateDescriptorSets(device->device, &allocate, work->sets),
               "vkAllocateDescriptorSets"))
        return 0;
    for (uint32_t i = 0; i < work->request->buffer_count; i++) {
        const struct run_buffer *buffer = &work->request->buffers[i];
        VkDescriptorBufferInfo whole    = {work->buffers[i], 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write      = {
                 .sType           = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                 .dstSet          = work->sets[buffer->set],
                 .dstBinding      = buffer->binding,
                 .dstArrayElement = element_of(work->request, i),
                 .descriptorCount = 1,
                 .descriptorType  = descriptor_type(buffer),
                 .pBufferInfo     = &whole,
        };
        device->vk.vkUpdateDescriptorSets(device->device, 1, &write, 0, NULL);
    }
    return 1;
}

static int make_layout(struct work *work)
{
    const struct run_request *request = work->request;
    work->set_count                   = 0;
    for (uint32_t i = 0; i < request->buffer_count; i++) {
        if (request->buffers[i].set >= work->set_count)
            work->set_count = request->buffers[i].set + 1;
    }
    for (uint32_t set = 0; set < work->set_count; set++) {
        if (!make_set_layout(work, set))
            return 0;
    }
    if (work->set_count && !make_sets(work))
        return 0;
    VkPushConstantRange push          = {VK_SHADER_STAGE_COMPUTE_BIT, 0, (request->push_size + 3) / 4 * 4};
    VkPipelineLayoutCreateInfo create = {
        .sType                  = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount         = work->set_count,
        .pSetLayouts            = work->set_layouts,
        .pushConstantRangeCount = request->push_size ? 1 : 0,
        .pPushConstantRanges    = &push,
    };
    const struct vulkan_device *device = &work->runner->device;
    return check(work, device->vk.vkCreatePipelineLayout(device->device, &create, NULL, &work->layout),
                 "vkCreatePipelineLayout");
}

/* DIFFERENTIAL_PLAIN=yes asks the driver not to optimize (driver-cases). */
static VkPipelineCreateFlags pipeline_flags(void)
{
    return getenv("DIFFERENTIAL_PLAIN") ? VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT : 0;
}

static int make_pipeline(struct work *work)
{
    const struct run_request *request  = work->request;
    const struct vulkan_device *device = &work->runner->device;
    VkShaderModuleCreateInfo module    = {
           .sType    = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
           .codeSize = request->word_count * sizeof(uint32_t),
           .pCode    = request->words,
    };
    if (!check(work, device->vk.vkCreateShaderModule(device->device, &module, NULL, &work->module),
               "vkCreateShaderModule"))
        return 0;
    VkSpecializationMapEntry entries[CONSTANTS_MOST];
    uint64_t values[CONSTANTS_MOST];
    for (uint32_t i = 0; i < request->constant_count; i++) {
        entries[i] = (VkSpecializationMapEntry){
            .constantID = request->constants[i].id,
            .offset     = i * (uint32_t)sizeof(values[0]),
            .size       = request->constants[i].size,
        };
        memcpy(&values[i], &request->constants[i].bits, sizeof(values[i]));
    }
    VkSpecializationInfo constants = {
        .mapEntryCount = request->constant_count,
        .pMapEntries   = entries,
        .dataSize      = request->constant_count * sizeof(values[0]),
        .pData         = values,
    };
    VkComputePipelineCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = pipeline_flags(),
        .stage =
            {
                .sType               = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage               = VK_SHADER_STAGE_COMPUTE_BIT,
                .module              = work->module,
                .pName               = request->entry ? request->entry : "main",
                .pSpecializationInfo = request->constant_count ? &constants : NULL,
            },
        .layout = work->layout,
    };
    return check(work,
                 device->vk.vkCreateComputePipelines(device->device, VK_NULL_HANDLE, 1, &create, NULL,
                                                     &work->pipeline),
                 "vkCreateComputePipelines");
}

/* What the shader wrote has to be made visible to the host. */
static void record_commands(const struct work *work)
{
    const struct run_request *request = work->request;
    const struct vulkan_functions *vk = &work->runner->device.vk;
    VkCommandBuffer commands          = work->runner->commands;
    vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, work->pipeline);
    if (work->set_count)
        vk->vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, work->layout, 0,
                                    work->set_count, work->sets, 0, NULL);
    if (request->push_size) {
        unsigned char push[256] = {0};
        memcpy(push, request->push, request->push_size);
        vk->vkCmdPushConstants(commands, work->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               (request->push_size + 3) / 4 * 4, push);
    }
    vk->vkCmdDispatch(commands, request->groups[0], request->groups[1], request->groups[2]);
    VkMemoryBarrier barrier = {
        .sType         = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT,
    };
    vk->vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1,
                             &barrier, 0, NULL, 0, NULL);
}

static int submit(struct work *work)
{
    struct vulkan_runner *runner      = work->runner;
    const struct vulkan_functions *vk = &runner->device.vk;
    VkDevice device                   = runner->device.device;
    VkCommandBufferBeginInfo begin    = {
           .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
           .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    if (!check(work, vk->vkResetCommandPool(device, runner->pool, 0), "vkResetCommandPool") ||
        !check(work, vk->vkBeginCommandBuffer(runner->commands, &begin), "vkBeginCommandBuffer"))
        return 0;
    record_commands(work);
    if (!check(work, vk->vkEndCommandBuffer(runner->commands), "vkEndCommandBuffer") ||
        !check(work, vk->vkResetFences(device, 1, &runner->fence), "vkResetFences"))
        return 0;
    VkSubmitInfo info = {
        .sType              = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers    = &runner->commands,
    };
    return check(work, vk->vkQueueSubmit(runner->device.queue, 1, &info, runner->fence), "vkQueueSubmit") &&
           check(work, vk->vkWaitForFences(device, 1, &runner->fence, VK_TRUE, TIMEOUT_NS),
                 "vkWaitForFences");
}

static void clean_up(struct work *work)
{
    const struct vulkan_functions *vk = &work->runner->device.vk;
    VkDevice device                   = work->runner->device.device;
    vk->vkDestroyPipeline(device, work->pipeline, NULL);
    vk->vkDestroyShaderModule(device, work->module, NULL);
    vk->vkDestroyPipelineLayout(device, work->layout, NULL);
    vk->vkDestroyDescriptorPool(device, work->descriptors, NULL);
    for (uint32_t i = 0; i < work->set_count; i++)
        vk->vkDestroyDescriptorSetLayout(device, work->set_layouts[i], NULL);
    for (uint32_t i = 0; i < work->request->buffer_count; i++) {
        vk->vkDestroyBuffer(device, work->buffers[i], NULL);
        vk->vkFreeMemory(device, work->memories[i], NULL);
    }
}

static enum run_status refuse(struct vulkan_runner *runner, const struct run_request *request)
{
    const VkPhysicalDeviceLimits *limits = &runner->device.properties.limits;
    const char *missing = vulkan_device_lacks(&runner->device, request->words, request->word_count);
    if (missing)
        return runner_say(&runner->base, RUN_UNSUPPORTED, "the Vulkan device lacks %s", missing);
    if (run_has_images(request))
        return runner_say(&runner->base, RUN_UNSUPPORTED,
                          "images are compared with Trireme's own Vulkan only");
    if (request->push_size > 256 || request->push_size > limits->maxPushConstantsSize)
        return runner_say(&runner->base, RUN_UNSUPPORTED, "%u bytes of push constants are too many",
                          request->push_size);
    if (request->buffer_count > BUFFERS_MOST || request->constant_count > CONSTANTS_MOST)
        return runner_say(&runner->base, RUN_FAILED, "too many buffers or constants for this runner");
    for (uint32_t i = 0; i < request->buffer_count; i++) {
        if (request->buffers[i].set >= SETS_MOST || request->buffers[i].size == 0)
            return runner_say(&runner->base, RUN_FAILED, "buffer %u has no size, or too high a set", i);
    }
    return RUN_DONE;
}

static enum run_status vulkan_run(struct runner *base, const struct run_request *request)
{
    struct vulkan_runner *runner = (struct vulkan_runner *)base;
    struct work work             = {.runner = runner, .request = request};
    enum run_status status       = refuse(runner, request);
    if (status != RUN_DONE)
        return status;
    runner->device.complaints[0] = '\0';
    if (request->address_count != 0 && !runner->device.features.vulkan12.bufferDeviceAddress)
        return runner_say(base, RUN_UNSUPPORTED, "the Vulkan device has no addresses");
    int worked = 1;
    for (uint32_t i = 0; i < request->buffer_count && worked; i++)
        worked = make_buffer(&work, i);
    worked = worked && write_buffers(&work) && make_layout(&work) && make_pipeline(&work);
    /* what the layers complain about may well crash the driver */
    worked = worked && (runner->device.complaints[0] || submit(&work));
    if (worked && !runner->device.complaints[0]) {
        for (uint32_t i = 0; i < request->buffer_count; i++)
            memcpy(request->buffers[i].bytes, work.mapped[i], request->buffers[i].size);
    }
    /* Work that did not end in time is not touched again: the runner is of no more use, and the test is
     * over. */
    if (worked)
        clean_up(&work);
    if (runner->device.complaints[0])
        return runner_say(base, RUN_FAILED, "the validation layer says: %s", runner->device.complaints);
    return worked ? RUN_DONE : RUN_FAILED;
}

static void vulkan_close(struct runner *base)
{
    struct vulkan_runner *runner = (struct vulkan_runner *)base;
    runner->device.vk.vkDestroyFence(runner->device.device, runner->fence, NULL);
    runner->device.vk.vkDestroyCommandPool(runner->device.device, runner->pool, NULL);
    vulkan_device_fini(&runner->device);
    free(runner);
}

static int make_commands(struct vulkan_runner *runner)
{
    const struct vulkan_device *device = &runner->device;
    VkCommandPoolCreateInfo pool       = {
              .sType            = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
              .queueFamilyIndex = device->family,
    };
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    if (device->vk.vkCreateCommandPool(device->device, &pool, NULL, &runner->pool) != VK_SUCCESS)
        return 0;
    VkCommandBufferAllocateInfo allocate = {
        .sType              = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool        = runner->pool,
        .level              = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    return device->vk.vkAllocateCommandBuffers(device->device, &allocate, &runner->commands) == VK_SUCCESS &&
           device->vk.vkCreateFence(device->device, &fence, NULL, &runner->fence) == VK_SUCCESS;
}

struct runner *vulkan_runner_open(char *reason, size_t capacity)
{
    struct vulkan_runner *runner = calloc(1, sizeof(*runner));
    if (!runner) {
        snprintf(reason, capacity, "no memory");
        return NULL;
    }
    if (!vulkan_device_init(&runner->device, reason, capacity)) {
        free(runner);
        return NULL;
    }
    runner->base.name  = "vulkan";
    runner->base.run   = vulkan_run;
    runner->base.close = vulkan_close;
    snprintf(runner->base.device, sizeof(runner->base.device), "%s", runner->device.properties.deviceName);
    if (!make_commands(runner)) {
        snprintf(reason, capacity, "the Vulkan device gives no command buffers");
        vulkan_close(&runner->base);
        return NULL;
    }
    return &runner->base;
}
