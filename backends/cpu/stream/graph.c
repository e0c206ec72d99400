/* cpu backend: making graphs, and changing what is in them.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/graph.h"

#include "backends/cpu/stream/launch.h"

#define WEIGH_EVERY 16u /* launches, after which the costs of kernels are looked up again */

/* One allocation: operations, then the blocks of their arguments. */
struct trm_backend_graph {
    struct trm_backend_instance *instance;
    uint64_t size; /* of the allocation */
    uint32_t count;
    uint32_t launches;     /* the owner's: says when to weigh */
    _Atomic uint32_t cost; /* of all operations; CPU_COST_UNKNOWN while a kernel's is not known */
    struct cpu_op ops[];
};

/* ---- cost */

static void weigh(struct trm_backend_graph *graph)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        struct cpu_op *op = &graph->ops[i];
        if (op->kind == CPU_OP_LAUNCH)
            op->cost = cpu_launch_cost(op->launch.kernel, op);
        if (__builtin_add_overflow(total, op->cost, &total))
            total = CPU_COST_UNKNOWN;
    }
    atomic_store_explicit(&graph->cost, total, memory_order_relaxed);
}

uint32_t cpu_graph_cost(const struct trm_backend_graph *graph)
{
    return atomic_load_explicit(&graph->cost, memory_order_relaxed);
}

struct cpu_op *cpu_graph_enter(struct trm_backend_graph *graph)
{
    if (graph->launches++ % WEIGH_EVERY == 0 || cpu_graph_cost(graph) == CPU_COST_UNKNOWN)
        weigh(graph);
    return graph->ops;
}

/* ---- operations */

/* Room for the arguments of a launch, so that each block begins on a line. */
static uint64_t block_room(const struct trm_graph_node *node)
{
    if (node->kind != TRM_GRAPH_LAUNCH)
        return 0;
    return (node->launch->kernel->block_size + CPU_LINE - 1) & ~(uint64_t)(CPU_LINE - 1);
}

static void encode(struct cpu_op *op, const struct trm_graph_node *node, uint8_t *block)
{
    switch (node->kind) {
    case TRM_GRAPH_COPY:
        op->cost = cpu_encode_copy(op, node->copy);
        return;
    case TRM_GRAPH_COPY_2D:
        op->cost = cpu_encode_copy_2d(op, node->copy_2d);
        return;
    case TRM_GRAPH_FILL:
        op->cost = cpu_encode_fill(op, node->fill);
        return;
    case TRM_GRAPH_LAUNCH:
        op->cost = cpu_encode_launch(op, node->launch, block);
        return;
    default:
        op->cost = cpu_encode_stamp(op, node->stamp);
    }
}

/* ---- the table */

static int32_t graph_create(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                            uint32_t count, struct trm_backend_graph **result)
{
    struct trm_backend_instance *instance = device->instance;
    uint64_t head = sizeof(struct trm_backend_graph) + count * sizeof(struct cpu_op), blocks = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (nodes[i]->kind < TRM_GRAPH_COPY || nodes[i]->kind > TRM_GRAPH_STAMP)
            return TRM_ERROR_UNSUPPORTED; /* of a later minor */
        blocks += block_room(nodes[i]);
    }
    struct trm_backend_graph *graph = cpu_allocate(instance, head + blocks);
    if (graph == NULL)
        return trm_util_fail_host_memory(instance->host, "a graph");
    graph->instance = instance;
    graph->size     = head + blocks;
    graph->count    = count;
    graph->launches = 0;
    uint8_t *block  = (uint8_t *)graph + head;
    for (uint32_t i = 0; i < count; i++) {
        struct cpu_op *op = &graph->ops[i];
        op->value         = 0;
        op->slots         = 1;
        op->heap          = false;
        op->last          = i == count - 1;
        encode(op, nodes[i], block);
        block += block_room(nodes[i]);
    }
    weigh(graph);
    *result = graph;
    return TRM_OK;
}

static void graph_destroy(struct trm_backend_graph *graph)
{
    trm_util_release(graph->instance->host, graph, graph->size);
}

/* Another kernel may need more room for its arguments: then the graph is made anew. */
static int32_t graph_update(struct trm_backend_graph *graph, uint32_t index,
                            const struct trm_graph_node *node)
{
    struct cpu_op *op = &graph->ops[index];
    uint8_t *block    = NULL;
    if (node->kind == TRM_GRAPH_LAUNCH) {
        if (node->launch->kernel->block_size > op->launch.kernel->block_size)
            return TRM_ERROR_UNSUPPORTED;
        block = op->launch.block;
    }
    encode(op, node, block);
    weigh(graph);
    return TRM_OK;
}

const struct trm_graph_ops cpu_graph_ops = {
    .struct_size = sizeof(cpu_graph_ops),
    .create      = graph_create,
    .destroy     = graph_destroy,
    .launch      = cpu_enqueue_graph,
    .update      = graph_update,
};
