/* cuda backend: graphs, as chains of nodes that are added one by one, so that each can be replaced in
 * place.
 *
 * A graph pays where launching it costs the host less than the single operations. So for what the driver
 * has no node for, or would block on (copies of host memory that is not pinned), the answer is UNSUPPORTED
 * and the core enqueues the operations.
 * SPDX-License-Identifier: MIT
 */
#include "graph.h"

#include "backends/cuda/module/module.h"
#include "backends/cuda/profile/profile.h"
#include "backends/cuda/stream/stream.h"

struct node {
    int32_t kind; /* enum trm_graph_node_kind */
    CUgraphNode handle;
    const char *kernel; /* name, of a launch */
};

struct trm_backend_graph {
    struct trm_backend_device *device;
    uint64_t size; /* of the allocation */
    CUgraph graph; /* kept for its nodes, which name what is replaced in `exec` */
    CUgraphExec exec;
    const char *kernel; /* the last one, for the report of a loss */
    bool has_stamps;
    uint32_t count;
    struct node nodes[];
};

/* If the driver refuses a graph, the core does without it or creates it anew. Only the loss of the device
 * and the lack of memory are failures, and only failures are explained. */
static int32_t translate_result(struct trm_backend_device *device, CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS)
        return TRM_OK;
    if (cuda_is_sticky(result) || result == CUDA_ERROR_OUT_OF_MEMORY)
        return cuda_device_fail(device, result, call);
    return TRM_ERROR_UNSUPPORTED;
}

/* ---- what nodes can do ----------------------------------------------------------------------- */

static bool copy_is_reachable(struct trm_backend_device *device, const struct trm_copy_desc *desc)
{
    return cuda_place_is_reachable(device, &desc->destination, desc->size) &&
           cuda_place_is_reachable(device, &desc->source, desc->size);
}

static uint64_t rows_bytes(const struct trm_copy_2d_desc *desc, uint64_t pitch)
{
    return (desc->height - 1) * pitch + desc->width;
}

static bool rows_are_reachable(struct trm_backend_device *device, const struct trm_copy_2d_desc *desc)
{
    return cuda_place_is_reachable(device, &desc->destination, rows_bytes(desc, desc->destination_pitch)) &&
           cuda_place_is_reachable(device, &desc->source, rows_bytes(desc, desc->source_pitch));
}

/* A launch as a node; contains pointers into itself. */
struct kernel_node {
    struct cuda_launch launch;
    void *entries[CUDA_MAX_ARGUMENTS];
    CUDA_KERNEL_NODE_PARAMS params;
};

static int32_t build_kernel(struct trm_backend_device *device, const struct trm_launch_desc *desc,
                            struct kernel_node *node)
{
    struct cuda_launch *launch = &node->launch;
    if (desc->kernel->notes_faults)
        return TRM_ERROR_UNSUPPORTED; /* its faults are the stream's, which a node does not know */
    int32_t status = cuda_launch_build(device, desc, launch);
    if (status != TRM_OK)
        return status;
    node->params = cuda_launch_node(device, launch, node->entries);
    return TRM_OK;
}

/* ---- adding nodes ---------------------------------------------------------------------------- */

/* Where the next node goes. */
struct end {
    struct trm_backend_graph *graph;
    CUgraphNode *handle;
    const CUgraphNode *before; /* the node that it follows */
    size_t before_count;
};

static int32_t add_memcpy(const struct end *end, const CUDA_MEMCPY3D *copy)
{
    struct trm_backend_device *device = end->graph->device;
    return translate_result(device,
                            device->cuda->cuGraphAddMemcpyNode(end->handle, end->graph->graph, end->before,
                                                               end->before_count, copy, device->context),
                            "cuGraphAddMemcpyNode");
}

static int32_t add_copy(const struct end *end, const struct trm_copy_desc *desc)
{
    CUDA_MEMCPY3D copy;
    if (!copy_is_reachable(end->graph->device, desc))
        return TRM_ERROR_UNSUPPORTED;
    cuda_copy_node(desc, &copy);
    return add_memcpy(end, &copy);
}

static int32_t add_copy_2d(const struct end *end, const struct trm_copy_2d_desc *desc)
{
    CUDA_MEMCPY3D copy;
    if (!rows_are_reachable(end->graph->device, desc))
        return TRM_ERROR_UNSUPPORTED;
    return cuda_copy_2d_node(desc, &copy) ? add_memcpy(end, &copy) : TRM_ERROR_UNSUPPORTED;
}

static int32_t add_fill(const struct end *end, const struct trm_fill_desc *desc)
{
    struct trm_backend_device *device = end->graph->device;
    CUDA_MEMSET_NODE_PARAMS fill;
    if (!cuda_fill_node(desc, &fill))
        return TRM_ERROR_UNSUPPORTED;
    return translate_result(device,
                            device->cuda->cuGraphAddMemsetNode(end->handle, end->graph->graph, end->before,
                                                               end->before_count, &fill, device->context),
                            "cuGraphAddMemsetNode");
}

static int32_t add_launch(const struct end *end, const struct trm_launch_desc *desc)
{
    struct trm_backend_device *device = end->graph->device;
    struct kernel_node node;
    int32_t status = build_kernel(device, desc, &node);
    if (status != TRM_OK)
        return status;
    return translate_result(device,
                            device->cuda->cuGraphAddKernelNode(end->handle, end->graph->graph, end->before,
                                                               end->before_count, &node.params),
                            "cuGraphAddKernelNode");
}

static int32_t add_stamp(const struct end *end, const struct trm_backend_stamp *stamp)
{
    struct trm_backend_device *device = end->graph->device;
    return translate_result(device,
                            device->cuda->cuGraphAddEventRecordNode(end->handle, end->graph->graph,
                                                                    end->before, end->before_count,
                                                                    cuda_stamp_event(stamp)),
                            "cuGraphAddEventRecordNode");
}

static int32_t add_node(const struct end *end, const struct trm_graph_node *node)
{
    switch (node->kind) {
    case TRM_GRAPH_COPY:
        return add_copy(end, node->copy);
    case TRM_GRAPH_COPY_2D:
        return add_copy_2d(end, node->copy_2d);
    case TRM_GRAPH_FILL:
        return add_fill(end, node->fill);
    case TRM_GRAPH_LAUNCH:
        return add_launch(end, node->launch);
    case TRM_GRAPH_STAMP:
        return add_stamp(end, node->stamp);
    default:
        return TRM_ERROR_UNSUPPORTED; /* of a later minor */
    }
}

/* Collect what the launch needs to know of all nodes. */
static void collect(struct trm_backend_graph *graph)
{
    graph->kernel     = NULL;
    graph->has_stamps = false;
    for (uint32_t i = 0; i < graph->count; i++) {
        const struct node *node = &graph->nodes[i];
        graph->has_stamps |= node->kind == TRM_GRAPH_STAMP;
        if (node->kind == TRM_GRAPH_LAUNCH)
            graph->kernel = node->kernel;
    }
}

static void note_node(struct node *node, const struct trm_graph_node *from)
{
    node->kind = from->kind;
    if (from->kind == TRM_GRAPH_LAUNCH)
        node->kernel = from->launch->kernel->name;
}

static int32_t add_nodes(struct trm_backend_graph *graph, const struct trm_graph_node *const *nodes,
                         uint32_t count)
{
    CUresult result = graph->device->cuda->cuGraphCreate(&graph->graph, 0);
    int32_t status  = translate_result(graph->device, result, "cuGraphCreate");
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        const struct end end = {
            .graph        = graph,
            .handle       = &graph->nodes[i].handle,
            .before       = i != 0 ? &graph->nodes[i - 1].handle : NULL,
            .before_count = i != 0,
        };
        note_node(&graph->nodes[i], nodes[i]);
        status = add_node(&end, nodes[i]);
        graph->count++;
    }
    collect(graph);
    return status;
}

/* ---- creating -------------------------------------------------------------------------------- */

static bool has_graphs(const struct cuda_functions *cuda)
{
    return cuda->cuGraphAddKernelNode != NULL && cuda->cuGraphAddEventRecordNode != NULL &&
           cuda->cuGraphInstantiateWithFlags != NULL;
}

/* Bring the graph to the device now, so that its first launch need not. Where this fails, the launch does
 * it. */
static int32_t upload(struct trm_backend_graph *graph)
{
    struct trm_backend_device *device = graph->device;
    if (device->cuda->cuGraphUpload == NULL)
        return TRM_OK;
    CUresult result = device->cuda->cuGraphUpload(graph->exec, device->internal_stream);
    if (result == CUDA_SUCCESS)
        result = device->cuda->cuStreamSynchronize(device->internal_stream);
    return cuda_is_sticky(result) ? cuda_device_fail(device, result, "cuGraphUpload") : TRM_OK;
}

static int32_t instantiate(struct trm_backend_graph *graph)
{
    CUresult result = graph->device->cuda->cuGraphInstantiateWithFlags(&graph->exec, graph->graph, 0);
    int32_t status  = translate_result(graph->device, result, "cuGraphInstantiate");
    return status == TRM_OK ? upload(graph) : status;
}

/* Errors of the driver are ignored. With the context entered, unless that failed. */
static void free_graph(struct trm_backend_graph *graph)
{
    struct trm_backend_device *device = graph->device;
    if (graph->exec != NULL)
        (void)device->cuda->cuGraphExecDestroy(graph->exec);
    if (graph->graph != NULL)
        (void)device->cuda->cuGraphDestroy(graph->graph);
    trm_util_release(device->instance->host, graph, graph->size);
}

static int32_t create_graph(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                            uint32_t count, struct trm_backend_graph **result)
{
    uint64_t size                   = sizeof(struct trm_backend_graph) + count * sizeof(struct node);
    struct trm_backend_graph *graph = trm_util_allocate(device->instance->host, size);
    if (graph == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a graph");
    graph->device  = device;
    graph->size    = size;
    int32_t status = add_nodes(graph, nodes, count);
    if (status == TRM_OK)
        status = instantiate(graph);
    if (status != TRM_OK) {
        free_graph(graph);
        return status;
    }
    *result = graph;
    return TRM_OK;
}

static int32_t graph_create(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                            uint32_t count, struct trm_backend_graph **result)
{
    CUcontext previous;
    if (!has_graphs(device->cuda))
        return TRM_ERROR_UNSUPPORTED;
    int32_t status = cuda_device_check(device);
    if (status == TRM_OK)
        status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    status = create_graph(device, nodes, count, result);
    cuda_leave(device, previous);
    return status;
}

static void graph_destroy(struct trm_backend_graph *graph)
{
    struct trm_backend_device *device = graph->device;
    CUcontext previous;
    (void)cuda_enter(device, &previous);
    free_graph(graph);
    cuda_leave(device, previous);
}

/* ---- launching ------------------------------------------------------------------------------- */

static int32_t submit_graph(struct trm_backend_stream *stream, const void *what)
{
    const struct trm_backend_graph *graph = *(struct trm_backend_graph *const *)what;
    struct trm_backend_device *device     = stream->device;
    if (graph->has_stamps)
        cuda_stamps_about_to_record(device);
    if (graph->kernel != NULL)
        atomic_store_explicit(&stream->running, graph->kernel, memory_order_release);
    CUresult result = device->cuda->cuGraphLaunch(graph->exec, stream->handle);
    return result == CUDA_SUCCESS ? TRM_OK : cuda_job_failed(stream, result, "cuGraphLaunch");
}

static int32_t graph_launch(struct trm_backend_stream *stream, uint64_t value,
                            struct trm_backend_graph *graph)
{
    const struct cuda_job job = {submit_graph, &graph, sizeof(graph)};
    return cuda_stream_submit(stream, value, job);
}

/* ---- replacing nodes ------------------------------------------------------------------------- */

static CUresult replace_memcpy(const struct trm_backend_graph *graph, CUgraphNode node,
                               const CUDA_MEMCPY3D *copy)
{
    const struct cuda_functions *cuda = graph->device->cuda;
    if (cuda->cuGraphExecMemcpyNodeSetParams == NULL)
        return CUDA_ERROR_NOT_SUPPORTED;
    return cuda->cuGraphExecMemcpyNodeSetParams(graph->exec, node, copy, graph->device->context);
}

static CUresult replace_copy(const struct trm_backend_graph *graph, CUgraphNode node,
                             const struct trm_copy_desc *desc)
{
    CUDA_MEMCPY3D copy;
    if (!copy_is_reachable(graph->device, desc))
        return CUDA_ERROR_NOT_SUPPORTED;
    cuda_copy_node(desc, &copy);
    return replace_memcpy(graph, node, &copy);
}

static CUresult replace_copy_2d(const struct trm_backend_graph *graph, CUgraphNode node,
                                const struct trm_copy_2d_desc *desc)
{
    CUDA_MEMCPY3D copy;
    if (!rows_are_reachable(graph->device, desc))
        return CUDA_ERROR_NOT_SUPPORTED;
    return cuda_copy_2d_node(desc, &copy) ? replace_memcpy(graph, node, &copy) : CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult replace_fill(const struct trm_backend_graph *graph, CUgraphNode node,
                             const struct trm_fill_desc *desc)
{
    const struct cuda_functions *cuda = graph->device->cuda;
    CUDA_MEMSET_NODE_PARAMS fill;
    if (cuda->cuGraphExecMemsetNodeSetParams == NULL || !cuda_fill_node(desc, &fill))
        return CUDA_ERROR_NOT_SUPPORTED;
    return cuda->cuGraphExecMemsetNodeSetParams(graph->exec, node, &fill, graph->device->context);
}

static CUresult replace_stamp(const struct trm_backend_graph *graph, CUgraphNode node,
                              const struct trm_backend_stamp *stamp)
{
    const struct cuda_functions *cuda = graph->device->cuda;
    if (cuda->cuGraphExecEventRecordNodeSetEvent == NULL)
        return CUDA_ERROR_NOT_SUPPORTED;
    return cuda->cuGraphExecEventRecordNodeSetEvent(graph->exec, node, cuda_stamp_event(stamp));
}

static CUresult replace_launch(const struct trm_backend_graph *graph, CUgraphNode node,
                               const struct kernel_node *kernel)
{
    const struct cuda_functions *cuda = graph->device->cuda;
    if (cuda->cuGraphExecKernelNodeSetParams == NULL)
        return CUDA_ERROR_NOT_SUPPORTED;
    return cuda->cuGraphExecKernelNodeSetParams(graph->exec, node, &kernel->params);
}

/* Without a current context the driver has been seen to crash here. */
static int32_t replace_node(struct trm_backend_graph *graph, CUgraphNode handle,
                            const struct trm_graph_node *node)
{
    struct kernel_node kernel;
    CUcontext previous;
    CUresult result = CUDA_ERROR_NOT_SUPPORTED;
    int32_t status  = TRM_OK;
    if (node->kind == TRM_GRAPH_LAUNCH)
        status = build_kernel(graph->device, node->launch, &kernel);
    if (status == TRM_OK)
        status = cuda_enter(graph->device, &previous);
    if (status != TRM_OK)
        return status;
    if (node->kind == TRM_GRAPH_LAUNCH)
        result = replace_launch(graph, handle, &kernel);
    else if (node->kind == TRM_GRAPH_COPY)
        result = replace_copy(graph, handle, node->copy);
    else if (node->kind == TRM_GRAPH_COPY_2D)
        result = replace_copy_2d(graph, handle, node->copy_2d);
    else if (node->kind == TRM_GRAPH_FILL)
        result = replace_fill(graph, handle, node->fill);
    else if (node->kind == TRM_GRAPH_STAMP)
        result = replace_stamp(graph, handle, node->stamp);
    cuda_leave(graph->device, previous);
    return translate_result(graph->device, result, "cuGraphExec...NodeSetParams");
}

static int32_t graph_update(struct trm_backend_graph *graph, uint32_t index,
                            const struct trm_graph_node *from)
{
    struct node *node = &graph->nodes[index];
    int32_t status    = cuda_device_check(graph->device);
    if (status == TRM_OK)
        status = replace_node(graph, node->handle, from);
    if (status != TRM_OK)
        return status;
    note_node(node, from);
    collect(graph);
    return TRM_OK;
}

const struct trm_graph_ops cuda_graph_ops = {
    .struct_size = sizeof(cuda_graph_ops),
    .create      = graph_create,
    .destroy     = graph_destroy,
    .launch      = graph_launch,
    .update      = graph_update,
};
