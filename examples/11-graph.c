/* A graph: a sequence of operations that is recorded once and then replayed, which is cheaper than enqueueing
 * each.
 *
 * New here: a stream that records, an instance, updating one of its operations.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    COUNT   = 1 << 12,
    REPLAYS = 10
};

int main(void)
{
    static float x[COUNT], y[COUNT];
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream, *recorder;
    struct trm_buffer *from, *to;
    struct trm_graph *graph;
    struct trm_graph_exec *exec;
    struct trm_grid grid;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(x), &from));
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, sizeof(y), &to));
    struct trm_kernel *kernel = named_kernel(device, "fma_chain", NULL, 0);
    must(trm_kernel_grid(kernel, COUNT, 1, 1, &grid));

    /* This stream records operations instead of running them. */
    struct trm_argument arguments[] = {trm_arg_buffer(from), trm_arg_buffer(to), trm_arg_f32(1.0f),
                                       trm_arg_f32(1.0f), trm_arg_u32(COUNT)};
    must(trm_graph_create(device, &graph));
    must(trm_graph_record(graph, &recorder));
    must(trm_upload(recorder, trm_span_whole(from), x));     /* node 0 */
    must(trm_launch(recorder, kernel, &grid, arguments, 5)); /* node 1 */
    must(trm_download(recorder, y, trm_span_whole(to)));     /* node 2 */
    must(trm_graph_instantiate(graph, &exec));
    trm_graph_destroy(graph); /* the instance does not need it */

    /* Each replay uploads the present contents of x. */
    for (int replay = 0; replay < REPLAYS; replay++) {
        for (int i = 0; i < COUNT; i++)
            x[i] = (float)(i + replay);
        must(trm_graph_launch(exec, stream));
        must(trm_stream_sync(stream));
        expect(y[COUNT - 1] == (float)(COUNT - 1 + replay + 32), "plus 32");
    }

    /* Change the arguments of one operation. */
    arguments[3] = trm_arg_f32(2.0f);
    must(trm_graph_update_launch(exec, 1, &grid, arguments, 5));
    must(trm_graph_launch(exec, stream));
    must(trm_stream_sync(stream));
    expect(y[0] == x[0] + 64.0f, "plus 64");
    printf("replayed %d times, and once more with another argument\n", REPLAYS);

    trm_graph_exec_destroy(exec);
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(to);
    trm_buffer_destroy(from);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
