/* The suite "gpu" as one writes it by hand in Vulkan, with the least that works: one queue, a command buffer
 * for each slot that is recorded once, one timeline semaphore. Where the device's memory is the host's,
 * kernels work in it and nothing is copied. GPU_SPIRV names the compiled shader gpu_chain.
 * TRIREME_TEST_VULKAN_DEVICE is a part of the name of the device.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "gpu_work.h"

static const char who[] = "vulkan_by_hand";

static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static uint32_t family;
static VkCommandPool pool;
static VkSemaphore timeline;
static uint64_t last; /* the highest value that was submitted */
static VkDescriptorSetLayout set_layout;
static VkPipelineLayout layout;
static VkPipeline pipeline;
static PFN_vkCmdPushDescriptorSetKHR push_descriptors;

static void must(VkResult result)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "Vulkan answers %d\n", (int)result);
    exit(1);
}

/* ---- the device ------------------------------------------------------------------------------------- */

static void choose(VkInstance instance)
{
    const char *wanted = getenv("TRIREME_TEST_VULKAN_DEVICE");
    VkPhysicalDevice all[16];
    VkPhysicalDeviceProperties properties;
    VkQueueFamilyProperties families[16];
    uint32_t count = 16, family_count = 16;

    must(vkEnumeratePhysicalDevices(instance, &count, all));
    for (uint32_t i = 0; i < count && !physical; i++) {
        vkGetPhysicalDeviceProperties(all[i], &properties);
        if (!wanted || strstr(properties.deviceName, wanted))
            physical = all[i];
    }
    if (!physical)
        measure_fail("there is no such Vulkan device");
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &family_count, families);
    while (family < family_count && !(families[family].queueFlags & VK_QUEUE_COMPUTE_BIT))
        family++;
    if (family == family_count)
        measure_fail("the Vulkan device has no queue for compute");
}

static void open_device(void)
{
    const char *extension  = VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME;
    const float priority   = 1.0f;
    VkApplicationInfo info = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo create               = {.sType            = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                 .pApplicationInfo = &info};
    VkPhysicalDeviceVulkan12Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, .timelineSemaphore = VK_TRUE};
    VkDeviceQueueCreateInfo queues = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo make = {.sType                   = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .pNext                   = &features,
                               .queueCreateInfoCount    = 1,
                               .pQueueCreateInfos       = &queues,
                               .enabledExtensionCount   = 1,
                               .ppEnabledExtensionNames = &extension};
    VkInstance instance;

    must(vkCreateInstance(&create, NULL, &instance));
    choose(instance);
    queues.queueFamilyIndex = family;
    must(vkCreateDevice(physical, &make, NULL, &device));
    vkGetDeviceQueue(device, family, 0, &queue);
    push_descriptors =
        (PFN_vkCmdPushDescriptorSetKHR)(void *)vkGetDeviceProcAddr(device, "vkCmdPushDescriptorSetKHR");

    VkCommandPoolCreateInfo pools    = {.sType            = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                        .flags            = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                        .queueFamilyIndex = family};
    VkSemaphoreTypeCreateInfo type   = {.sType         = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    VkSemaphoreCreateInfo semaphores = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    must(vkCreateCommandPool(device, &pools, NULL, &pool));
    must(vkCreateSemaphore(device, &semaphores, NULL, &timeline));
}

static void load_kernel(void)
{
    static uint32_t words[65536];
    const char *path = getenv("GPU_SPIRV");
    FILE *file       = path ? fopen(path, "rb") : NULL;

    if (!file)
        measure_fail("GPU_SPIRV does not name a file");
    VkShaderModuleCreateInfo code            = {.sType    = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                                .codeSize = fread(words, 1, sizeof(words), file),
                                                .pCode    = words};
    VkDescriptorSetLayoutBinding bindings[2] = {
        {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL},
        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
    VkDescriptorSetLayoutCreateInfo sets = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                            .flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR,
                                            .bindingCount = 2,
                                            .pBindings    = bindings};
    VkPushConstantRange range            = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
    VkPipelineLayoutCreateInfo layouts   = {.sType          = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                            .setLayoutCount = 1,
                                            .pSetLayouts    = &set_layout,
                                            .pushConstantRangeCount = 1,
                                            .pPushConstantRanges    = &range};
    VkShaderModule shader;

    fclose(file);
    must(vkCreateShaderModule(device, &code, NULL, &shader));
    must(vkCreateDescriptorSetLayout(device, &sets, NULL, &set_layout));
    must(vkCreatePipelineLayout(device, &layouts, NULL, &layout));
    VkComputePipelineCreateInfo create = {
        .sType  = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage  = {.sType  = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                   .stage  = VK_SHADER_STAGE_COMPUTE_BIT,
                   .module = shader,
                   .pName  = "main"},
        .layout = layout};
    must(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &create, NULL, &pipeline));
    vkDestroyShaderModule(device, shader, NULL);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

struct memory {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *host; /* NULL where it is not the host's */
};

/* The first type with all of these flags; -1 when there is none. */
static int find_type(uint32_t allowed, VkMemoryPropertyFlags flags)
{
    VkPhysicalDeviceMemoryProperties properties;

    vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    for (uint32_t i = 0; i < properties.memoryTypeCount; i++) {
        if ((allowed >> i & 1) && (properties.memoryTypes[i].propertyFlags & flags) == flags)
            return (int)i;
    }
    return -1;
}

static struct memory make_memory(size_t bytes, VkMemoryPropertyFlags flags)
{
    struct memory made = {0};
    VkMemoryRequirements needs;
    VkBufferCreateInfo create = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                 .size  = bytes,
                                 .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                          VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                          VK_BUFFER_USAGE_TRANSFER_DST_BIT};

    must(vkCreateBuffer(device, &create, NULL, &made.buffer));
    vkGetBufferMemoryRequirements(device, made.buffer, &needs);
    int type = find_type(needs.memoryTypeBits, flags);
    if (type < 0)
        measure_fail("the Vulkan device has no such memory");
    VkMemoryAllocateInfo allocate = {.sType           = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize  = needs.size,
                                     .memoryTypeIndex = (uint32_t)type};
    must(vkAllocateMemory(device, &allocate, NULL, &made.memory));
    must(vkBindBufferMemory(device, made.buffer, made.memory, 0));
    if (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)
        must(vkMapMemory(device, made.memory, 0, VK_WHOLE_SIZE, 0, &made.host));
    return made;
}

static void end_memory(struct memory *memory)
{
    vkDestroyBuffer(device, memory->buffer, NULL);
    vkFreeMemory(device, memory->memory, NULL);
}

/* ---- commands --------------------------------------------------------------------------------------- */

static VkCommandBuffer begin_commands(void)
{
    VkCommandBufferAllocateInfo allocate = {.sType       = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .level       = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    VkCommandBufferBeginInfo begin       = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkCommandBuffer commands;

    must(vkAllocateCommandBuffers(device, &allocate, &commands));
    must(vkBeginCommandBuffer(commands, &begin));
    return commands;
}

static void dispatch(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t vectors, uint32_t links,
                     uint32_t groups)
{
    VkDescriptorBufferInfo infos[2] = {{from, 0, VK_WHOLE_SIZE}, {to, 0, VK_WHOLE_SIZE}};
    VkWriteDescriptorSet writes     = {.sType           = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                       .descriptorCount = 2,
                                       .descriptorType  = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                       .pBufferInfo     = infos};
    uint32_t scalars[2]             = {vectors, links};

    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    push_descriptors(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &writes);
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, scalars);
    vkCmdDispatch(commands, groups, 1, 1);
}

static void barrier(VkCommandBuffer commands)
{
    VkMemoryBarrier all = {.sType         = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                           .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                           .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, NULL,
                         0, NULL);
}

/* Between two launches of a chain, of which the second reads what the first has written to `buffer`. */
enum between {
    BETWEEN_KERNELS, /* from shader to shader, all memory: the least that is right and simple */
    BETWEEN_BUFFER,  /* the same for one buffer */
    BETWEEN_ALL,     /* from everything to everything */
    BETWEEN_NOTHING, /* wrong; what the launches take by themselves */
    BETWEENS
};

static const char *const between_names[] = {"kernels", "buffer", "all", "nothing"};

static void order(VkCommandBuffer commands, enum between between, VkBuffer buffer)
{
    VkMemoryBarrier memory        = {.sType         = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT};
    VkBufferMemoryBarrier buffers = {.sType               = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
                                     .srcAccessMask       = memory.srcAccessMask,
                                     .dstAccessMask       = memory.dstAccessMask,
                                     .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                     .buffer              = buffer,
                                     .size                = VK_WHOLE_SIZE};

    if (between == BETWEEN_ALL)
        barrier(commands);
    else if (between != BETWEEN_NOTHING)
        vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                             VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, between == BETWEEN_KERNELS, &memory,
                             between == BETWEEN_BUFFER, &buffers, 0, NULL);
}

static uint64_t submit(VkCommandBuffer commands)
{
    uint64_t value                          = ++last;
    VkTimelineSemaphoreSubmitInfo timelines = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                               .signalSemaphoreValueCount = 1,
                                               .pSignalSemaphoreValues    = &value};
    VkSubmitInfo info                       = {.sType                = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                               .pNext                = &timelines,
                                               .commandBufferCount   = 1,
                                               .pCommandBuffers      = &commands,
                                               .signalSemaphoreCount = 1,
                                               .pSignalSemaphores    = &timeline};

    must(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE));
    return value;
}

static void wait_for(uint64_t value)
{
    VkSemaphoreWaitInfo info = {.sType          = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores    = &timeline,
                                .pValues        = &value};

    must(vkWaitSemaphores(device, &info, UINT64_MAX));
}

/* ---- pipelines -------------------------------------------------------------------------------------- */

enum {
    DEPTH = 3
};

struct slot {
    struct memory in, out, from, to, links[2];
    VkCommandBuffer commands;
    uint64_t done; /* 0: never used */
};

struct flow {
    const struct gpu_batch *batch;
    enum between between;
    int unified;
    struct slot slots[DEPTH];
};

#define HOSTS                                                                     \
    (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | \
     VK_MEMORY_PROPERTY_HOST_CACHED_BIT)

static void copy(VkCommandBuffer commands, VkBuffer from, VkBuffer to, size_t bytes)
{
    VkBufferCopy region = {0, 0, bytes};

    vkCmdCopyBuffer(commands, from, to, 1, &region);
}

/* The launches of a batch, which depend on each other. */
static void work(const struct flow *flow, struct slot *slot, VkBuffer from, VkBuffer to)
{
    uint32_t vectors = (uint32_t)(flow->batch->bytes / 16), groups = (vectors + GPU_GROUP - 1) / GPU_GROUP;
    unsigned count = flow->batch->launches;

    for (unsigned i = 0; i < count; i++) {
        VkBuffer next = i + 1 == count ? to : slot->links[i % 2].buffer;
        dispatch(slot->commands, from, next, vectors, flow->batch->links, groups);
        if (i + 1 < count)
            order(slot->commands, flow->between, next);
        from = next;
    }
}

static void open_slot(struct flow *flow, struct slot *slot)
{
    size_t bytes = flow->batch->bytes;

    slot->done     = 0;
    slot->in       = make_memory(bytes, HOSTS);
    slot->out      = make_memory(bytes, HOSTS);
    slot->commands = begin_commands();
    gpu_fill(slot->in.host, bytes / sizeof(float));
    for (int i = 0; i < 2; i++)
        slot->links[i] = make_memory(bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (flow->unified) {
        work(flow, slot, slot->in.buffer, slot->out.buffer);
    } else {
        slot->from = make_memory(bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
        slot->to   = make_memory(bytes, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
        copy(slot->commands, slot->in.buffer, slot->from.buffer, bytes);
        barrier(slot->commands);
        work(flow, slot, slot->from.buffer, slot->to.buffer);
        barrier(slot->commands);
        copy(slot->commands, slot->to.buffer, slot->out.buffer, bytes);
    }
    barrier(slot->commands);
    must(vkEndCommandBuffer(slot->commands));
}

static void close_slot(struct flow *flow, struct slot *slot)
{
    end_memory(&slot->in);
    end_memory(&slot->out);
    end_memory(&slot->links[0]);
    end_memory(&slot->links[1]);
    if (!flow->unified) {
        end_memory(&slot->from);
        end_memory(&slot->to);
    }
    vkFreeCommandBuffers(device, pool, 1, &slot->commands);
}

static void run_flow(struct flow *flow)
{
    for (unsigned token = 0; token < flow->batch->tokens; token++) {
        struct slot *slot = &flow->slots[token % DEPTH];
        if (slot->done)
            wait_for(slot->done);
        slot->done = submit(slot->commands);
    }
    wait_for(last);
}

static double sample_flow(const void *what)
{
    struct flow *flow = (struct flow *)(uintptr_t)what;
    uint64_t begin    = measure_now();

    run_flow(flow);
    return gpu_each(begin, flow->batch->tokens);
}

static void measure_flow(const struct gpu_batch *batch, enum between between, const char *way)
{
    struct flow flow = {.batch = batch, .between = between};
    char name[64];

    flow.unified = find_type(~0u, HOSTS | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) >= 0;
    for (int i = 0; i < DEPTH; i++)
        open_slot(&flow, &flow.slots[i]);
    run_flow(&flow);
    if (between != BETWEEN_NOTHING)
        gpu_check(batch, flow.slots[1].out.host);
    snprintf(name, sizeof(name), "%s_depth%d_%s", batch->name, DEPTH, way);
    gpu_flow(name, who, sample_flow, &flow, batch);
    for (int i = 0; i < DEPTH; i++)
        close_slot(&flow, &flow.slots[i]);
}

static void measure_chains(void)
{
    for (int i = 0; i < GPU_CHAINS; i++)
        for (int between = 0; between < BETWEENS; between++)
            measure_flow(&gpu_chains[i], (enum between)between, between_names[between]);
}

/* ---- launches --------------------------------------------------------------------------------------- */

static double sample_launch(const void *what)
{
    const struct memory *small = what;
    VkCommandBuffer commands;
    uint64_t begin = measure_now(), value;

    commands = begin_commands();
    for (int i = 0; i < GPU_LAUNCHES; i++) {
        dispatch(commands, small[0].buffer, small[1].buffer, 0, 0, 1);
        barrier(commands);
    }
    must(vkEndCommandBuffer(commands));
    value       = submit(commands);
    double each = gpu_each(begin, GPU_LAUNCHES);
    wait_for(value);
    vkFreeCommandBuffers(device, pool, 1, &commands);
    return each;
}

static double sample_trip(const void *what)
{
    const struct memory *small = what;
    VkCommandBuffer commands   = begin_commands();

    must(vkEndCommandBuffer(commands));
    uint64_t begin = measure_now();
    for (int i = 0; i < GPU_TRIPS; i++) {
        VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        must(vkBeginCommandBuffer(commands, &info));
        dispatch(commands, small[0].buffer, small[1].buffer, 0, 0, 1);
        must(vkEndCommandBuffer(commands));
        wait_for(submit(commands));
    }
    double each = gpu_each(begin, GPU_TRIPS);
    vkFreeCommandBuffers(device, pool, 1, &commands);
    return each;
}

static void measure_calls(void)
{
    struct memory small[2] = {make_memory(4096, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
                              make_memory(4096, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT)};

    gpu_spent("launch_issue", who, sample_launch, small);
    gpu_figure("launch_roundtrip", who, "us", sample_trip, small);
    end_memory(&small[0]);
    end_memory(&small[1]);
}

/* Arguments: none, "small" for devices that are no GPU, or "chains" for those alone. */
int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    size_t most      = gpu_most_bytes(word);

    open_device();
    load_kernel();
    if (word[0] != 'c') {
        measure_calls();
        for (int i = 0; i < GPU_BATCHES; i++) {
            if (gpu_batches[i].bytes <= most)
                measure_flow(&gpu_batches[i], BETWEEN_KERNELS, "one queue");
        }
    }
    if (gpu_wants_chains(word))
        measure_chains();
    return 0;
}
