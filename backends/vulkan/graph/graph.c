/* vulkan backend: graphs, as command buffers that are submitted again and again.
 *
 * A graph has one command buffer for each queue family that it runs on. It is recorded at the first launch
 * there, and again after a node was replaced. It begins with a barrier against everything before it; the
 * stream's recorder treats it as an access to all memory, so that later work is ordered after it. Timestamps
 * are reset before each launch, by the host if no launch is in flight, else by a command.
 * SPDX-License-Identifier: MIT
 */
#include "graph.h"

#include <string.h>

#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/module/module.h"
#include "backends/vulkan/stream/stream.h"

struct node {
    int32_t kind; /* enum trm_graph_node_kind */
    union {
        struct trm_copy_2d_desc copy; /* one-dimensional copies have one row */
        struct trm_fill_desc fill;
        struct trm_launch_desc launch; /* its arguments are in `arguments` */
        struct trm_backend_stamp *stamp;
        struct trm_image_copy_desc image_copy;
        struct trm_image_transfer_desc image_transfer;
    };
    struct trm_launch_argument *arguments;
    uint64_t arguments_size; /* bytes, with the blocks that follow the arguments */
    /* A resident graph copies into this instead of memory of the program that the device does not reach, and
     * the host copies it there, to `lands_at`, when the launch has ended; NULL: nothing. */
    struct trm_backend_memory *landing;
    void *lands_at;
};

struct recording {
    VkCommandPool pool;
    VkCommandBuffer command;
    struct vulkan_descriptors descriptors;
    bool valid;
};

struct trm_backend_graph {
    struct trm_backend_device *device;
    struct trm_backend_memory *scratch; /* for its fills */
    uint64_t size;
    uint64_t bytes;   /* bytes that a launch copies and fills */
    bool computes;    /* it has launches, timestamps or copies of images, which may need a compute queue */
    bool is_resident; /* of a resident stream: see graph.h */
    uint32_t stamp_count;
    uint32_t landing_count;
    struct trm_backend_kernel *last_kernel;
    struct vulkan_timeline *last_on; /* timeline of the last launch; NULL: none yet */
    uint64_t last_value;
    /* One for each of device->queues.families; of a resident graph, one with and one without the barrier at
     * the front. */
    struct recording recordings[VULKAN_FAMILIES_MOST];
    uint32_t count;
    struct node nodes[];
};

/* ---- nodes ----------------------------------------------------------------------------------------- */

#define BLOCK_ALIGNMENT 8u
#define LANDING_ALIGNMENT 64u

/* Bytes that the argument's block takes behind the arguments; 0: it has none. */
static uint64_t block_size(const struct trm_launch_argument *argument)
{
    switch (argument->kind) {
    case TRM_PARAMETER_BLOCK:
    case TRM_PARAMETER_IMAGE:
    case TRM_PARAMETER_TEXTURE:
    case TRM_PARAMETER_SAMPLER:
    case TRM_PARAMETER_SAMPLED_IMAGE:
        return (argument->size + BLOCK_ALIGNMENT - 1) & ~(uint64_t)(BLOCK_ALIGNMENT - 1);
    default:
        return 0;
    }
}

static uint64_t blocks_size(const struct trm_launch_desc *desc)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < desc->argument_count; i++)
        size += block_size(&desc->arguments[i]);
    return size;
}

static int32_t init_launch(struct trm_backend_device *device, struct node *node,
                           const struct trm_launch_desc *desc)
{
    int32_t status = vulkan_launch_prepare(device, desc);
    if (status != TRM_OK)
        return status;
    node->launch         = *desc;
    node->arguments_size = desc->argument_count * sizeof(*desc->arguments) + blocks_size(desc);
    if (desc->argument_count == 0)
        return TRM_OK;
    node->arguments = trm_util_allocate(device->instance->host, node->arguments_size);
    if (node->arguments == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a graph");
    memcpy(node->arguments, desc->arguments, desc->argument_count * sizeof(*desc->arguments));
    unsigned char *block = (unsigned char *)(node->arguments + desc->argument_count);
    for (uint32_t i = 0; i < desc->argument_count; i++) {
        struct trm_launch_argument *argument = &node->arguments[i];
        if (block_size(argument) == 0)
            continue;
        memcpy(block, argument->block, argument->size);
        argument->block = block;
        block += block_size(argument);
    }
    node->launch.arguments = node->arguments;
    return TRM_OK;
}

/* Finds the memory of a host pointer. UNSUPPORTED if the device does not reach it. */
static int32_t resolve_host(struct trm_backend_device *device, struct trm_place *place, uint64_t pitch,
                            const struct trm_copy_2d_desc *desc)
{
    uint64_t offset;
    if (place->memory != NULL)
        return TRM_OK;
    place->memory =
        vulkan_heap_find_host(device->heap, place->host, (desc->height - 1) * pitch + desc->width, &offset);
    if (place->memory == NULL)
        return TRM_ERROR_UNSUPPORTED;
    place->offset = offset;
    return TRM_OK;
}

static int32_t init_rows(struct trm_backend_device *device, struct node *node,
                         const struct trm_copy_2d_desc *desc)
{
    struct trm_copy_2d_desc *copy = &node->copy;
    *copy                         = *desc;
    int32_t status                = resolve_host(device, &copy->destination, copy->destination_pitch, copy);
    return status != TRM_OK ? status : resolve_host(device, &copy->source, copy->source_pitch, copy);
}

static int32_t init_copy(struct trm_backend_device *device, struct node *node,
                         const struct trm_copy_desc *desc)
{
    const struct trm_copy_2d_desc rows = vulkan_copy_as_rows(desc);
    return init_rows(device, node, &rows);
}

/* UNSUPPORTED for memory of the host that the device does not reach, or whose texels it cannot copy. */
static int32_t init_image_copy(struct trm_backend_device *device, struct node *node,
                               const struct trm_image_copy_desc *desc)
{
    node->image_copy = *desc;
    vulkan_image_copy_find_host(device, &node->image_copy);
    return node->image_copy.place.memory != NULL ? TRM_OK : TRM_ERROR_UNSUPPORTED;
}

static void drop_node(const struct trm_backend_device *device, struct node *node)
{
    trm_util_release(device->instance->host, node->arguments, node->arguments_size);
    if (node->landing != NULL)
        vulkan_heap_free(node->landing);
    memset(node, 0, sizeof(*node));
}

/* `node` is zeroed. After a failure the caller still calls drop_node(). UNSUPPORTED is not explained: the
 * core then emulates the graph. */
static int32_t init_node(struct trm_backend_device *device, struct node *node,
                         const struct trm_graph_node *from)
{
    node->kind = from->kind;
    switch (from->kind) {
    case TRM_GRAPH_COPY:
        return init_copy(device, node, from->copy);
    case TRM_GRAPH_COPY_2D:
        return init_rows(device, node, from->copy_2d);
    case TRM_GRAPH_FILL:
        node->fill = *from->fill;
        return TRM_OK;
    case TRM_GRAPH_LAUNCH:
        return init_launch(device, node, from->launch);
    case TRM_GRAPH_STAMP:
        node->stamp = from->stamp;
        return TRM_OK;
    case TRM_GRAPH_IMAGE_COPY:
        return init_image_copy(device, node, from->image_copy);
    case TRM_GRAPH_IMAGE_TRANSFER:
        node->image_transfer = *from->image_transfer;
        return TRM_OK;
    default:
        return TRM_ERROR_UNSUPPORTED; /* a kind of a later minor version */
    }
}

/* Recomputes the fields that describe all nodes together. */
static void summarize(struct trm_backend_graph *graph)
{
    graph->bytes         = 0;
    graph->computes      = false;
    graph->stamp_count   = 0;
    graph->landing_count = 0;
    graph->last_kernel   = NULL;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct node *node = &graph->nodes[i];
        if (node->kind == TRM_GRAPH_COPY || node->kind == TRM_GRAPH_COPY_2D)
            graph->bytes += node->copy.width * node->copy.height;
        else if (node->kind == TRM_GRAPH_FILL)
            graph->bytes += node->fill.size;
        else if (node->kind == TRM_GRAPH_IMAGE_COPY)
            graph->bytes += vulkan_image_copy_extent(&node->image_copy);
        if (node->kind != TRM_GRAPH_COPY && node->kind != TRM_GRAPH_COPY_2D && node->kind != TRM_GRAPH_FILL)
            graph->computes = true;
        if (node->kind == TRM_GRAPH_LAUNCH)
            graph->last_kernel = node->launch.kernel;
        graph->stamp_count += node->kind == TRM_GRAPH_STAMP;
        graph->landing_count += node->landing != NULL;
    }
}

/* ---- recording ------------------------------------------------------------------------------------- */

static void unmake(struct trm_backend_device *device, struct recording *recording)
{
    vulkan_descriptors_fini(device, &recording->descriptors);
    if (recording->pool != VK_NULL_HANDLE)
        device->vk.vkDestroyCommandPool(device->handle, recording->pool, NULL);
    memset(recording, 0, sizeof(*recording));
}

static int32_t make_commands(struct trm_backend_device *device, struct recording *recording, uint32_t family)
{
    const VkCommandPoolCreateInfo pool = {
        .sType            = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = family,
    };
    VkResult result = device->vk.vkCreateCommandPool(device->handle, &pool, NULL, &recording->pool);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkCreateCommandPool");
    const VkCommandBufferAllocateInfo info = {
        .sType              = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool        = recording->pool,
        .level              = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    result = device->vk.vkAllocateCommandBuffers(device->handle, &info, &recording->command);
    if (result == VK_SUCCESS)
        return TRM_OK;
    unmake(device, recording);
    return vulkan_device_fail(device, result, "vkAllocateCommandBuffers");
}

/* No launch is in flight here: only update() leads to a new recording. */
static int32_t begin(struct trm_backend_device *device, struct recording *recording, uint32_t family)
{
    VkResult result;
    int32_t status = recording->pool == VK_NULL_HANDLE ? make_commands(device, recording, family) : TRM_OK;
    if (status != TRM_OK)
        return status;
    result = device->vk.vkResetCommandPool(device->handle, recording->pool, 0);
    if (result < 0)
        return vulkan_device_fail(device, result, "vkResetCommandPool");
    /* The launches, and so the size of the pool, may differ. */
    vulkan_descriptors_fini(device, &recording->descriptors);
    const VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
    };
    result = device->vk.vkBeginCommandBuffer(recording->command, &info);
    return result < 0 ? vulkan_device_fail(device, result, "vkBeginCommandBuffer") : TRM_OK;
}

static int32_t record_node(struct vulkan_recorder *recorder, const struct node *node, bool resets_stamps)
{
    const struct trm_copy_2d_desc *copy = &node->copy;
    switch (node->kind) {
    case TRM_GRAPH_FILL:
        return vulkan_record_fill(recorder, &node->fill);
    case TRM_GRAPH_LAUNCH:
        return vulkan_record_launch(recorder, &node->launch);
    case TRM_GRAPH_STAMP:
        if (resets_stamps)
            vulkan_stamp_renew(node->stamp, recorder);
        vulkan_stamp_take(recorder, node->stamp);
        return TRM_OK;
    case TRM_GRAPH_IMAGE_COPY:
        return vulkan_record_copy_image(recorder, &node->image_copy);
    case TRM_GRAPH_IMAGE_TRANSFER:
        return vulkan_record_transfer_image(recorder, &node->image_transfer);
    default:
        return vulkan_record_copy_2d(recorder, copy->destination.memory, copy->destination.offset,
                                     copy->destination_pitch, copy->source.memory, copy->source.offset,
                                     copy->source_pitch, copy->width, copy->height);
    }
}

static void count_descriptors(const struct trm_backend_graph *graph, struct vulkan_recorder *recorder)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i].kind != TRM_GRAPH_LAUNCH)
            continue;
        const struct trm_backend_module *module = graph->nodes[i].launch.kernel->module;
        recorder->pool_size.sets++;
        for (uint32_t type = 0; type < VULKAN_DESCRIPTOR_TYPES; type++)
            recorder->pool_size.counts[type] += module->counts[type];
    }
}

static int32_t record(struct trm_backend_graph *graph, struct recording *recording,
                      const struct vulkan_queue *queue, bool has_barrier)
{
    struct trm_backend_device *device = graph->device;
    struct vulkan_recorder recorder   = {
          .device      = device,
          .can_compute = queue->can_compute,
          .descriptors = &recording->descriptors,
          .scratch     = graph->scratch,
    };
    /* Of others the stream resets them. */
    bool resets_stamps = graph->is_resident && device->vk.vkResetQueryPool == NULL;
    int32_t status     = begin(device, recording, queue->family);
    if (status != TRM_OK)
        return status;
    count_descriptors(graph, &recorder);
    vulkan_record_begin(&recorder, recording->command);
    if (has_barrier)
        vulkan_record_barrier_all(&recorder);
    for (uint32_t i = 0; i < graph->count && status == TRM_OK; i++)
        status = record_node(&recorder, &graph->nodes[i], resets_stamps);
    vulkan_record_end(&recorder);
    graph->scratch  = recorder.scratch;
    VkResult result = device->vk.vkEndCommandBuffer(recording->command);
    if (status == VULKAN_RECORD_FULL)
        return trm_util_fail(device->instance->host, TRM_ERROR_OUT_OF_DEVICE_MEMORY, 0,
                             "The descriptors of a graph of %u operations do not fit in a descriptor pool.",
                             graph->count);
    if (status == TRM_OK && result < 0)
        status = vulkan_device_fail(device, result, "vkEndCommandBuffer");
    recording->valid = status == TRM_OK;
    return status;
}

/* ---- the table's functions ------------------------------------------------------------------------- */

void vulkan_graph_destroy(struct trm_backend_graph *graph)
{
    struct trm_backend_device *device = graph->device;
    for (uint32_t i = 0; i < VULKAN_FAMILIES_MOST; i++)
        unmake(device, &graph->recordings[i]);
    for (uint32_t i = 0; i < graph->count; i++)
        drop_node(device, &graph->nodes[i]);
    if (graph->scratch != NULL)
        vulkan_heap_free(graph->scratch);
    vulkan_timeline_release(graph->last_on);
    trm_util_release(device->instance->host, graph, graph->size);
}

static int32_t init_landing(struct trm_backend_device *device, struct node *node,
                            const struct trm_copy_desc *desc)
{
    struct trm_copy_desc copy = *desc;
    int32_t status =
        vulkan_heap_allocate(device->heap, TRM_MEMORY_PINNED, desc->size, LANDING_ALIGNMENT, &node->landing);
    if (status != TRM_OK)
        return status;
    copy.destination = (struct trm_place){.memory = node->landing};
    node->lands_at   = desc->destination.host;
    return init_copy(device, node, &copy);
}

/* The core does not emulate a resident graph, so that its user needs the reason. */
static int32_t init_node_of(const struct trm_backend_graph *graph, struct node *node,
                            const struct trm_graph_node *from)
{
    int32_t status = init_node(graph->device, node, from);
    if (status != TRM_ERROR_UNSUPPORTED || !graph->is_resident || from->kind == TRM_GRAPH_LAUNCH)
        return status;
    if (from->kind == TRM_GRAPH_COPY && from->copy->destination.memory == NULL)
        status = init_landing(graph->device, node, from->copy);
    if (status != TRM_ERROR_UNSUPPORTED)
        return status;
    return trm_util_fail(graph->device->instance->host, status, 0,
                         "A token of a resident stream copies from memory of the program that the device %s "
                         "does not reach, or does what graphs cannot.",
                         graph->device->physical->properties.deviceName);
}

static int32_t create(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                      uint32_t count, bool is_resident, struct trm_backend_graph **result)
{
    uint64_t size                   = sizeof(struct trm_backend_graph) + count * sizeof(struct node);
    struct trm_backend_graph *graph = trm_util_allocate(device->instance->host, size);
    int32_t status                  = TRM_OK;
    if (graph == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a graph");
    graph->device      = device;
    graph->size        = size;
    graph->is_resident = is_resident;
    for (; graph->count < count && status == TRM_OK; graph->count++)
        status = init_node_of(graph, &graph->nodes[graph->count], nodes[graph->count]);
    if (status != TRM_OK) {
        vulkan_graph_destroy(graph);
        return status;
    }
    summarize(graph);
    *result = graph;
    return TRM_OK;
}

static int32_t graph_create(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                            uint32_t count, struct trm_backend_graph **graph)
{
    return create(device, nodes, count, false, graph);
}

static void note_launch(struct trm_backend_graph *graph, struct vulkan_timeline *timeline, uint64_t value)
{
    if (graph->last_on != timeline) {
        vulkan_timeline_retain(timeline);
        vulkan_timeline_release(graph->last_on);
    }
    graph->last_on    = timeline;
    graph->last_value = value;
}

/* Whether the last launch is known to have ended. */
static bool is_idle(const struct trm_backend_graph *graph)
{
    uint64_t completed;
    return graph->last_on == NULL ||
           (vulkan_timeline_read(graph->last_on, graph->last_value, &completed) == TRM_OK &&
            completed >= graph->last_value);
}

/* Resets by a command if a launch may still be in flight, on whatever stream: this launch comes after it. */
static int32_t renew_stamps(struct trm_backend_stream *stream, uint64_t value,
                            const struct trm_backend_graph *graph)
{
    struct vulkan_batch *batch;
    if (graph->stamp_count == 0)
        return TRM_OK;
    bool by_host   = graph->device->vk.vkResetQueryPool != NULL && is_idle(graph);
    int32_t status = by_host ? TRM_OK : vulkan_stream_open(stream, value, &batch);
    for (uint32_t i = 0; i < graph->count && status == TRM_OK; i++)
        if (graph->nodes[i].kind == TRM_GRAPH_STAMP)
            vulkan_stamp_renew(graph->nodes[i].stamp, by_host ? NULL : &stream->recorder);
    return status;
}

static int32_t launch_locked(struct trm_backend_stream *stream, uint64_t value,
                             struct trm_backend_graph *graph)
{
    int32_t status = vulkan_stream_check(stream);
    if (status == TRM_OK && graph->computes)
        status = vulkan_stream_to_compute(stream);
    if (status != TRM_OK)
        return status;
    struct recording *recording = &graph->recordings[vulkan_family_index(graph->device, stream->queue)];
    if (!recording->valid)
        status = record(graph, recording, stream->queue, true);
    if (status == TRM_OK)
        status = renew_stamps(stream, value, graph);
    if (status == TRM_OK)
        status = vulkan_stream_add_commands(stream, value, recording->command, graph->last_kernel);
    if (status != TRM_OK)
        return status;
    vulkan_record_unknown_access(&stream->recorder);
    note_launch(graph, stream->timeline, value);
    return TRM_OK;
}

static int32_t graph_launch(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_graph *graph)
{
    vulkan_stream_lock(stream);
    int32_t status = launch_locked(stream, value, graph);
    vulkan_stream_unlock(stream);
    return status;
}

int32_t vulkan_graph_update(struct trm_backend_graph *graph, uint32_t index,
                            const struct trm_graph_node *node)
{
    struct node fresh = {0};
    int32_t status    = init_node_of(graph, &fresh, node);
    if (status != TRM_OK) {
        drop_node(graph->device, &fresh);
        return status;
    }
    drop_node(graph->device, &graph->nodes[index]);
    graph->nodes[index] = fresh;
    for (uint32_t i = 0; i < VULKAN_FAMILIES_MOST; i++)
        graph->recordings[i].valid = false;
    summarize(graph);
    return TRM_OK;
}

/* ---- graphs of resident streams ---------------------------------------------------------------------- */

int32_t vulkan_graph_create_resident(struct trm_backend_device *device,
                                     const struct trm_graph_node *const *nodes, uint32_t count,
                                     struct trm_backend_graph **graph)
{
    return create(device, nodes, count, true, graph);
}

bool vulkan_graph_has_stamps(const struct trm_backend_graph *graph)
{
    return graph->stamp_count != 0;
}

int32_t vulkan_graph_commands(struct trm_backend_graph *graph, const struct vulkan_queue *queue,
                              bool has_barrier, VkCommandBuffer *command)
{
    struct recording *recording = &graph->recordings[has_barrier ? 0 : 1];
    int32_t status              = recording->valid ? TRM_OK : record(graph, recording, queue, has_barrier);
    if (status != TRM_OK)
        return status;
    for (uint32_t i = 0; i < graph->count && graph->stamp_count != 0; i++)
        if (graph->nodes[i].kind == TRM_GRAPH_STAMP)
            vulkan_stamp_renew(graph->nodes[i].stamp, NULL);
    *command = recording->command;
    return TRM_OK;
}

bool vulkan_graph_lands(const struct trm_backend_graph *graph)
{
    return graph->landing_count != 0;
}

void vulkan_graph_land(const struct trm_backend_graph *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct node *node = &graph->nodes[i];
        if (node->landing != NULL)
            memcpy(node->lands_at, node->landing->host, node->copy.width);
    }
}

const struct trm_graph_ops vulkan_graph_ops = {
    .struct_size = sizeof(vulkan_graph_ops),
    .create      = graph_create,
    .destroy     = vulkan_graph_destroy,
    .launch      = graph_launch,
    .update      = vulkan_graph_update,
};
