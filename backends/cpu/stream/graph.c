/* cpu backend: creating and updating graphs.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/stream/graph.h"

#include "backends/cpu/stream/launch.h"

#define ESTIMATE_EVERY 16u /* launches after which the costs of the kernels are looked up again */

/* One allocation: the operations, then their argument blocks. */
struct trm_backend_graph {
    struct trm_backend_instance *instance;
    uint64_t size; /* of the allocation */
    uint32_t count;
    uint32_t launches;     /* owner: tells when to estimate again */
    _Atomic uint32_t cost; /* of all operations; CPU_COST_UNKNOWN while the cost of a kernel is */
    struct cpu_op ops[];
};

/* ---- cost */

static void estimate_cost(struct trm_backend_graph *graph)
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

struct cpu_op *cpu_graph_begin(struct trm_backend_graph *graph)
{
    if (graph->launches++ % ESTIMATE_EVERY == 0 || cpu_graph_cost(graph) == CPU_COST_UNKNOWN)
        estimate_cost(graph);
    return graph->ops;
}

/* ---- operations */

/* Bytes for the arguments of a launch. Each block begins on a cache line. */
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
            return TRM_ERROR_UNSUPPORTED; /* a kind of a later minor */
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
        struct cpu_op *op  = &graph->ops[i];
        op->value          = 0;
        op->slots          = 1;
        op->has_heap_block = false;
        op->is_last        = i == count - 1;
        encode(op, nodes[i], block);
        block += block_room(nodes[i]);
    }
    estimate_cost(graph);
    *result = graph;
    return TRM_OK;
}

static void graph_destroy(struct trm_backend_graph *graph)
{
    trm_util_release(graph->instance->host, graph, graph->size);
}

/* UNSUPPORTED where another kernel needs more room for its arguments: the core then makes a new graph. */
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
    estimate_cost(graph);
    return TRM_OK;
}

const struct trm_graph_ops cpu_graph_ops = {
    .struct_size = sizeof(cpu_graph_ops),
    .create      = graph_create,
    .destroy     = graph_destroy,
    .launch      = cpu_enqueue_graph,
    .update      = graph_update,
};
