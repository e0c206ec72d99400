/* What the cases about graphs share.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_GRAPHS_H
#define CONFORMANCE_GRAPHS_H

#include "harness.h"

/* A graph of the device under test, and the stream that records into it. */
static inline struct trm_graph *make_graph(struct trm_stream **recording)
{
    struct trm_graph *graph = NULL;
    ck_ok(trm_graph_create(the.device, &graph));
    ck_assert_ptr_nonnull(graph);
    ck_ok(trm_graph_record(graph, recording));
    return graph;
}

static inline struct trm_graph_exec *instantiate(struct trm_graph *graph)
{
    struct trm_graph_exec *exec = NULL;
    ck_ok(trm_graph_instantiate(graph, &exec));
    ck_assert_ptr_nonnull(exec);
    return exec;
}

static inline uint32_t nodes_of(struct trm_graph *graph)
{
    uint32_t count = UINT32_MAX;
    ck_ok(trm_graph_node_count(graph, &count));
    return count;
}

/* Launch it and wait. */
static inline void run_graph(struct trm_graph_exec *exec, struct trm_stream *stream)
{
    ck_ok(trm_graph_launch(exec, stream));
    ck_ok(trm_stream_sync(stream));
}

#endif
