/* The proxy: the optional table graph.
 * SPDX-License-Identifier: MIT
 */
#include "proxy.h"

struct trm_backend_graph {
    struct trm_backend_device *device;
    struct trm_backend_graph *target;
    uint32_t count;
};

/* A node for the target, with room for all that it points to. */
struct proxy_node {
    struct trm_graph_node node;
    union {
        struct trm_copy_desc copy;
        struct trm_copy_2d_desc copy_2d;
        struct trm_fill_desc fill;
        struct trm_launch_desc launch;
    };
};

/* ---- nodes ------------------------------------------------------------------------------------------ */

static void proxy_check_node(const struct trm_graph_node *node)
{
    const int32_t kinds[] = {
        [TRM_GRAPH_COPY] = node->copy != NULL,   [TRM_GRAPH_COPY_2D] = node->copy_2d != NULL,
        [TRM_GRAPH_FILL] = node->fill != NULL,   [TRM_GRAPH_LAUNCH] = node->launch != NULL,
        [TRM_GRAPH_STAMP] = node->stamp != NULL,
    };
    int32_t set = 0;

    for (int32_t kind = TRM_GRAPH_COPY; kind <= TRM_GRAPH_STAMP; kind++)
        set += kinds[kind];
    if (node->kind < TRM_GRAPH_COPY || node->kind > TRM_GRAPH_STAMP)
        proxy_breach("A node of a graph is of no kind.");
    else if (set != 1 || !kinds[node->kind])
        proxy_breach("A node of a graph does not point to what it is, and that alone.");
}

static uint32_t proxy_arguments_of(const struct trm_graph_node *node)
{
    return node->launch != NULL ? node->launch->argument_count : 0;
}

/* `arguments` has room for those of a launch. */
static void proxy_translate_node(const struct trm_backend_device *device, const struct trm_graph_node *node,
                                 struct trm_launch_argument *arguments, struct proxy_node *theirs)
{
    proxy_check_node(node);
    theirs->node = *node;
    if (node->copy != NULL) {
        proxy_translate_copy(device, node->copy, &theirs->copy);
        theirs->node.copy = &theirs->copy;
    } else if (node->copy_2d != NULL) {
        proxy_translate_copy_2d(device, node->copy_2d, &theirs->copy_2d);
        theirs->node.copy_2d = &theirs->copy_2d;
    } else if (node->fill != NULL) {
        proxy_translate_fill(node->fill, &theirs->fill);
        theirs->node.fill = &theirs->fill;
    } else if (node->launch != NULL) {
        proxy_translate_launch(node->launch, arguments, &theirs->launch);
        theirs->node.launch = &theirs->launch;
    } else {
        theirs->node.stamp = node->stamp->target;
    }
}

/* ---- the slots -------------------------------------------------------------------------------------- */

/* Everything that is handed to the target, in one piece. */
static int32_t proxy_graph_forward(struct trm_backend_graph *graph, const struct trm_graph_node *const *nodes,
                                   uint32_t count)
{
    const struct trm_host *host = graph->device->instance->host;
    uint64_t arguments          = 0, bytes;
    int32_t status;

    for (uint32_t i = 0; i < count; i++)
        arguments += proxy_arguments_of(nodes[i]);
    bytes = count * (sizeof(struct proxy_node) + sizeof(struct trm_graph_node *)) +
            arguments * sizeof(struct trm_launch_argument);
    struct proxy_node *theirs = proxy_new(host, bytes);
    if (theirs == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    struct trm_launch_argument *argument   = (void *)(theirs + count);
    const struct trm_graph_node **pointers = (void *)(argument + arguments);
    for (uint32_t i = 0; i < count; i++) {
        proxy_translate_node(graph->device, nodes[i], argument, &theirs[i]);
        pointers[i] = &theirs[i].node;
        argument += proxy_arguments_of(nodes[i]);
    }
    status = proxy_target.graph.create(graph->device->target, pointers, count, &graph->target);
    host->release(host->context, theirs, bytes);
    return status;
}

static int32_t proxy_graph_create(struct trm_backend_device *device,
                                  const struct trm_graph_node *const *nodes, uint32_t count,
                                  struct trm_backend_graph **graph)
{
    const struct trm_host *host = device->instance->host;
    struct trm_backend_graph *made;
    int32_t status = proxy_begin(host, PROXY_GRAPH_CREATE, NULL);

    if (status != TRM_OK)
        return status;
    if (count == 0)
        proxy_breach("A graph of nothing is made.");
    made = proxy_new(host, sizeof(*made));
    if (made == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    made->device = device;
    made->count  = count;
    status       = proxy_graph_forward(made, nodes, count);
    if (status != TRM_OK) {
        host->release(host->context, made, sizeof(*made));
        return status;
    }
    atomic_fetch_add(&device->children, 1);
    proxy_created(PROXY_GRAPH);
    *graph = made;
    return TRM_OK;
}

static void proxy_graph_destroy(struct trm_backend_graph *graph)
{
    struct trm_backend_device *device = graph->device;
    const struct trm_host *host       = device->instance->host;

    (void)proxy_begin(NULL, PROXY_GRAPH_DESTROY, NULL);
    proxy_target.graph.destroy(graph->target);
    proxy_destroyed(PROXY_GRAPH);
    host->release(host->context, graph, sizeof(*graph));
    atomic_fetch_sub(&device->children, 1);
}

static int32_t proxy_graph_launch(struct trm_backend_stream *stream, uint64_t value,
                                  struct trm_backend_graph *graph)
{
    struct proxy_turn turn = proxy_stream_enter(stream, value, PROXY_GRAPH_LAUNCH);

    if (graph->device != stream->device)
        proxy_breach("A graph is launched on another device.");
    if (turn.forward)
        turn.status = proxy_target.graph.launch(stream->target, value, graph->target);
    return proxy_stream_leave(stream, value, turn);
}

static int32_t proxy_graph_update(struct trm_backend_graph *graph, uint32_t index,
                                  const struct trm_graph_node *node)
{
    const struct trm_host *host = graph->device->instance->host;
    uint64_t bytes              = (proxy_arguments_of(node) + 1) * sizeof(struct trm_launch_argument);
    struct trm_launch_argument *arguments;
    struct proxy_node theirs;
    int32_t status = proxy_begin(host, PROXY_GRAPH_UPDATE, NULL);

    if (status != TRM_OK)
        return status;
    if (index >= graph->count)
        proxy_breach("A node is updated that is not there.");
    arguments = proxy_new(host, bytes);
    if (arguments == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    proxy_translate_node(graph->device, node, arguments, &theirs);
    status = proxy_target.graph.update(graph->target, index, &theirs.node);
    host->release(host->context, arguments, bytes);
    return status;
}

static struct trm_graph_ops proxy_graph_ops;

const struct trm_graph_ops *proxy_graph_table(const char *without)
{
    const struct trm_graph_ops ops = {
        .struct_size = sizeof(ops),
        .create      = proxy_graph_create,
        .destroy     = proxy_graph_destroy,
        .launch      = proxy_graph_launch,
        .update      = proxy_graph_update,
    };

    if (proxy_list_has(without, "graph"))
        return NULL;
    proxy_graph_ops = ops;
    if (proxy_target.graph.update == NULL || proxy_list_has(without, "graph_update"))
        proxy_graph_ops.update = NULL;
    return &proxy_graph_ops;
}
