/* Trireme: the work of the suite `pipeline` as a program would write it without a pipeline: each slot has a
 * stream and a set of buffers, and the program waits for a slot before it uses it again.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_flow.h"

static int32_t make_slot(struct bench *bench, struct bench_flow *flow, struct bench_hand_slot *slot)
{
    uint64_t bytes = flow->kind->bytes;
    int32_t status = trm_stream_create(bench->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &slot->stream);

    for (int i = 0; i < 2 && status == TRM_OK; i++) {
        void *pointer = NULL;

        status = trm_buffer_create(bench->device, TRM_MEMORY_DEVICE, bytes, &slot->device[i]);
        if (status == TRM_OK)
            status = trm_buffer_create(bench->device, TRM_MEMORY_PINNED, bytes, &slot->host[i]);
        if (status == TRM_OK)
            status = trm_buffer_host_pointer(slot->host[i], &pointer);
        slot->floats[i] = pointer;
    }
    if (status == TRM_OK)
        bench_flow_fill(slot->floats[0], bytes / sizeof(float));
    return status;
}

int32_t bench_hand_begin(struct bench *bench, struct bench_flow *flow)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < flow->kind->depth && status == TRM_OK; i++)
        status = make_slot(bench, flow, &flow->slots[i]);
    return status;
}

void bench_hand_end(struct bench_flow *flow)
{
    for (int i = 0; i < BENCH_DEPTH_MOST; i++) {
        struct bench_hand_slot *slot = &flow->slots[i];

        trm_stream_destroy(slot->stream);
        for (int k = 0; k < 2; k++) {
            trm_buffer_destroy(slot->device[k]);
            trm_buffer_destroy(slot->host[k]);
        }
    }
}

static int32_t launch(const struct bench_flow *flow, const struct bench_hand_slot *slot)
{
    uint32_t count                        = (uint32_t)(flow->kind->bytes / sizeof(float));
    const struct trm_argument arguments[] = {
        trm_arg_buffer(slot->device[0]),
        trm_arg_buffer(slot->device[1]),
        trm_arg_f32(BENCH_FLOW_FACTOR),
        trm_arg_f32(BENCH_FLOW_TERM),
        trm_arg_u32(count),
    };
    struct trm_grid grid;
    int32_t status = trm_kernel_grid(flow->kernel, count, 1, 1, &grid);

    return status == TRM_OK ? trm_launch(slot->stream, flow->kernel, &grid, arguments,
                                         sizeof(arguments) / sizeof(arguments[0]))
                            : status;
}

int32_t bench_hand_put(const struct bench_flow *flow, const struct bench_hand_slot *slot)
{
    int32_t status = trm_copy(slot->stream, trm_span_whole(slot->device[0]), trm_span_whole(slot->host[0]));

    if (status == TRM_OK)
        status = launch(flow, slot);
    if (status == TRM_OK)
        status = trm_copy(slot->stream, trm_span_whole(slot->host[1]), trm_span_whole(slot->device[1]));
    return status;
}

static int32_t enqueue(const struct bench_flow *flow, struct bench_hand_slot *slot)
{
    int32_t status = bench_hand_put(flow, slot);

    if (status == TRM_OK)
        status = trm_stream_mark(slot->stream, &slot->end);
    if (status == TRM_OK && flow->kind->depth > 1)
        status = trm_stream_flush(slot->stream);
    return status;
}

static int32_t finish(struct bench_flow *flow, struct bench_hand_slot *slot, bool look)
{
    int32_t status = trm_point_wait(slot->end, TRM_FOREVER);

    if (status == TRM_OK && look)
        bench_flow_look(flow, slot->floats[1]);
    return status;
}

int32_t bench_hand_run(struct bench_flow *flow, uint64_t tokens)
{
    uint32_t depth = flow->kind->depth;
    int32_t status = TRM_OK;

    for (uint64_t i = 0; i < tokens + depth && status == TRM_OK; i++) {
        struct bench_hand_slot *slot = &flow->slots[i % depth];

        if (i >= depth && i - depth < tokens)
            status = finish(flow, slot, i - depth == 1);
        if (i < tokens && status == TRM_OK)
            status = enqueue(flow, slot);
    }
    return status;
}
