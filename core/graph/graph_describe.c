/* Graphs: the nodes of an instance as a backend takes them.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/graph/graph.h"

static struct trm_backend_stamp *backend_timestamp_of(const struct core_graph_exec *exec, uint32_t index)
{
    uint32_t i = 0;

    while (exec->timestamps[i].node != index)
        i++;
    return core_timestamp_backend(exec->timestamps[i].timestamp);
}

/* What the kernel of a resident graph's launch was loaded from. `source` is storage of the caller. */
static const struct trm_module_source *source_of(const struct core_graph_exec *exec,
                                                 const struct core_node *node,
                                                 struct trm_module_source *source)
{
    if (!exec->is_resident || node->kernel == NULL || !core_kernel_source(node->kernel, source))
        return NULL;
    return source;
}

void core_exec_describe(const struct core_graph_exec *exec, uint32_t index, struct trm_graph_node *theirs,
                        struct trm_module_source *source)
{
    const struct core_node *node = exec->nodes[index];

    memset(theirs, 0, sizeof(*theirs));
    theirs->struct_size = sizeof(*theirs);
    switch (node->kind) {
    case CORE_NODE_COPY_2D:
        theirs->kind    = TRM_GRAPH_COPY_2D;
        theirs->copy_2d = &node->copy_2d;
        return;
    case CORE_NODE_FILL:
        theirs->kind = TRM_GRAPH_FILL;
        theirs->fill = &node->fill;
        return;
    case CORE_NODE_LAUNCH:
        theirs->kind   = TRM_GRAPH_LAUNCH;
        theirs->launch = &node->launch;
        theirs->source = source_of(exec, node, source);
        return;
    case CORE_NODE_TIMESTAMP:
        theirs->kind  = TRM_GRAPH_STAMP;
        theirs->stamp = backend_timestamp_of(exec, index);
        return;
    case CORE_NODE_IMAGE_COPY:
        theirs->kind       = TRM_GRAPH_IMAGE_COPY;
        theirs->image_copy = &node->image_copy;
        return;
    case CORE_NODE_IMAGE_TRANSFER:
        theirs->kind           = TRM_GRAPH_IMAGE_TRANSFER;
        theirs->image_transfer = &node->image_transfer;
        return;
    default:
        theirs->kind = TRM_GRAPH_COPY;
        theirs->copy = &node->copy;
    }
}

int32_t core_exec_describe_all(const struct core_graph_exec *exec, struct core_described *described)
{
    uint64_t each =
        sizeof(struct trm_graph_node) + sizeof(struct trm_module_source) + sizeof(struct trm_graph_node *);

    described->size  = exec->count * each;
    described->count = 0;
    described->nodes = core_allocate(exec->device->object.context, described->size);
    if (described->nodes == NULL)
        return base_fail_memory("creating an instance of a graph");
    described->sources  = (struct trm_module_source *)(void *)(described->nodes + exec->count);
    described->pointers = (const struct trm_graph_node **)(void *)(described->sources + exec->count);
    for (uint32_t i = 0; i < exec->count; i++) {
        if (exec->nodes[i]->is_empty)
            continue;
        core_exec_describe(exec, i, &described->nodes[described->count],
                           &described->sources[described->count]);
        described->pointers[described->count] = &described->nodes[described->count];
        described->count++;
    }
    return TRM_OK;
}
