/* The suite "pipeline" with oneTBB's parallel_pipeline: three filters that each take batches in order, and as
 * many batches under way as there are buffers.
 * SPDX-License-Identifier: MIT
 */
#include <tbb/parallel_pipeline.h>

#include "pipeline_work.h"

static void pass(struct flow *flow, int depth)
{
    int next = 0;

    tbb::parallel_pipeline(
        (size_t)depth,
        tbb::make_filter<void,
                         int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control &control) -> int {
            if (next >= flow->tokens) {
                control.stop();
                return 0;
            }
            memcpy(flow->slot[next % depth], flow->in[next % FLOW_RING], flow->bytes);
            return next++;
        }) & tbb::make_filter<int, int>(tbb::filter_mode::serial_in_order, [&](int i) {
            flow_in_place(flow->slot[i % depth], flow->count, flow->links);
            return i;
        }) & tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order, [&](int i) {
            memcpy(flow->out[i % FLOW_RING], flow->slot[i % depth], flow->bytes);
        }));
}

static void pass_sequential(struct flow *flow)
{
    pass(flow, 1);
}

static void pass_triple(struct flow *flow)
{
    pass(flow, FLOW_SLOTS);
}

FLOW_SAMPLES(sequential, pass_sequential);
FLOW_SAMPLES(triple, pass_triple);

static int open_tbb(void)
{
    return 0;
}

static void first_kernel(void)
{
    triple_small_1();
}

static void close_tbb(void)
{
    flow_close_all();
}

static const struct measure_case cases[] = {
    FLOW_CASES(sequential, "copies_sequential"),
    FLOW_CASES(triple, "copies_triple"),
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        "tbb", open_tbb, first_kernel, close_tbb, cases, sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
