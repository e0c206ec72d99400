/* Trireme: the suite `pipeline`: the cost of replaying a recorded graph.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_flow.h"

enum {
    REPLAYS = 50000,
    BATCH   = 50, /* replays between two waits */
};

static const struct bench_flow_kind small = {
    .bytes = 256, .links = 1, .depth = 1, .strategy = TRM_STRATEGY_SLOT_STREAMS, .by_hand = true};

int32_t bench_graph_setup(struct bench *bench, const struct bench_case *test)
{
    (void)test;
    return bench_flow_begin(bench, &small, &bench->flow);
}

/* Records the three operations of a batch. */
static int32_t record(struct bench *bench, struct trm_graph_exec **exec)
{
    struct bench_hand_slot recorded = bench->flow->slots[0];
    struct trm_graph *graph;
    int32_t status = trm_graph_create(bench->device, &graph);

    if (status != TRM_OK)
        return status;
    status = trm_graph_record(graph, &recorded.stream);
    if (status == TRM_OK)
        status = bench_hand_put(bench->flow, &recorded);
    if (status == TRM_OK)
        status = trm_graph_instantiate(graph, exec);
    trm_graph_destroy(graph);
    return status;
}

/* Replays `exec`; NULL: enqueues the operations one by one. */
static int32_t repeat(struct bench *bench, struct trm_graph_exec *exec, double *value)
{
    struct bench_hand_slot *slot = &bench->flow->slots[0];
    uint64_t batches = bench_scale(bench, REPLAYS / BATCH), begin = bench_now();
    int32_t status = TRM_OK;

    for (uint64_t batch = 0; batch < batches && status == TRM_OK; batch++) {
        for (int i = 0; i < BATCH && status == TRM_OK; i++)
            status = exec ? trm_graph_launch(exec, slot->stream) : bench_hand_put(bench->flow, slot);
        if (status == TRM_OK)
            status = trm_stream_sync(slot->stream);
    }
    *value = (double)(bench_now() - begin) / (double)(batches * BATCH);
    return status;
}

/* argument: 1: by hand. */
int32_t bench_graph_sample(struct bench *bench, const struct bench_case *test, double *value)
{
    struct trm_graph_exec *exec = NULL;
    int32_t status              = test->argument ? TRM_OK : record(bench, &exec);

    if (status == TRM_OK)
        status = repeat(bench, exec, value);
    trm_graph_exec_destroy(exec);
    if (status == TRM_OK)
        bench_flow_look(bench->flow, bench->flow->slots[0].floats[1]);
    if (status == TRM_OK && !bench_flow_is_right(bench->flow)) {
        bench->complaint = "a replay came out wrong";
        return TRM_ERROR_INTERNAL;
    }
    return status;
}
