/* The simplest pipeline: an input array and an output array, processed in batches one after the other.
 *
 * New here: ports, stages, a source and a sink in memory, trm_pipeline_run().
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    COUNT = 1 << 20, /* floats of the whole array */
    BATCH = 1 << 16, /* floats of a token */
    BYTES = BATCH * sizeof(float)
};

static float x[COUNT], y[COUNT];

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_pipeline *pipeline;
    struct trm_report report = {.struct_size = sizeof(report)};

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    struct trm_kernel *kernel = named_kernel(device, "fma_chain", NULL, 0); /* 32 times a x + b */

    /* The buffers of a token: an input that is uploaded and an output that is downloaded. */
    const struct trm_port ports[] = {trm_port_input("x", BYTES), trm_port_output("y", BYTES)};

    /* One stage: a launch with a work-item for every float. Arguments name ports by their index. */
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_f32(1.0f),
                                             trm_arg_f32(1.0f), trm_arg_port_elements(0, sizeof(float))};
    const struct trm_stage stages[]       = {trm_stage_launch(kernel, arguments, 5, 0, sizeof(float))};

    /* One slot: a token is uploaded after the previous one has been downloaded. */
    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .ports       = ports,
                                           .port_count  = 2,
                                           .stages      = stages,
                                           .stage_count = 1,
                                           .depth       = 1};
    must(trm_pipeline_create(device, &desc, &pipeline));

    for (int i = 0; i < COUNT; i++)
        x[i] = (float)(i % 1000);
    struct trm_source source = trm_source_memory(x, sizeof(x));
    struct trm_sink sink     = trm_sink_memory(y, sizeof(y));
    must(trm_pipeline_run(pipeline, &source, &sink));

    for (int i = 0; i < COUNT; i++)
        expect(y[i] == x[i] + 32.0f, "every float has been through the kernel");
    must(trm_pipeline_report(pipeline, &report));
    expect(report.tokens == COUNT / BATCH, "the array makes sixteen tokens");
    printf("%d floats in %llu batches: %.3f ms\n", COUNT, (unsigned long long)report.tokens,
           (double)report.elapsed_ns * 1e-6);

    trm_pipeline_destroy(pipeline);
    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
