/* A plugin whose table of graphs is there and incomplete.
 * SPDX-License-Identifier: MIT
 */
#include "borrowed.h"

static int32_t graph_create(struct trm_backend_device *device, const struct trm_graph_node *const *nodes,
                            uint32_t count, struct trm_backend_graph **graph)
{
    (void)device;
    (void)nodes;
    (void)count;
    (void)graph;
    return TRM_ERROR_UNSUPPORTED;
}

static void graph_destroy(struct trm_backend_graph *graph)
{
    (void)graph;
}

static const struct trm_graph_ops graph = {
    .struct_size = sizeof(graph),
    .create      = graph_create,
    .destroy     = graph_destroy,
};

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    struct borrowed *bad = borrow(host, "half-a-graph");

    (void)min_minor;
    (void)max_minor;
    bad->backend.graph = &graph;
    return &bad->backend;
}
