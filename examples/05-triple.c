/* Triple buffering: upload of one batch, compute of the previous one and download of the one before that, at
 * the same time. The same run at depths 1, 2 and 3, and the report of the pipeline.
 *
 * New here: several kernels with scratch memory between them, strategies, the report.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    BATCH   = 1 << 17, /* floats of a token */
    BYTES   = BATCH * sizeof(float),
    BATCHES = 16
};

static struct trm_pipeline *make_pipeline(struct trm_device *device, struct trm_kernel *kernel,
                                          uint32_t depth)
{
    /* Scratch memory between two kernels, on the device; each slot has its own, as of all ports. */
    const struct trm_port ports[]      = {trm_port_input("x", BYTES), trm_port_scratch("between", BYTES),
                                          trm_port_output("y", BYTES)};
    const struct trm_argument first[]  = {trm_arg_port(0), trm_arg_port(1), trm_arg_f32(1.0f),
                                          trm_arg_f32(1.0f), trm_arg_port_elements(0, sizeof(float))};
    const struct trm_argument second[] = {trm_arg_port(1), trm_arg_port(2), trm_arg_f32(1.0f),
                                          trm_arg_f32(-1.0f), trm_arg_port_elements(0, sizeof(float))};
    const struct trm_stage stages[]    = {trm_stage_launch(kernel, first, 5, 0, sizeof(float)),
                                          trm_stage_launch(kernel, second, 5, 0, sizeof(float))};

    /* On the cpu, copies and kernels compete for the same cores, so overlap gains little; a device with copy
     * engines copies at no cost to its kernels.
     *
     * AUTO, the default, avoids copies if host and device share memory. This example keeps them to show the
     * overlap. */
    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .name        = "there and back",
                                           .ports       = ports,
                                           .port_count  = 3,
                                           .stages      = stages,
                                           .stage_count = 2,
                                           .depth       = depth,
                                           .strategy    = TRM_STRATEGY_ROLE_STREAMS};
    struct trm_pipeline *pipeline;

    must(trm_pipeline_create(device, &desc, &pipeline));
    return pipeline;
}

static int32_t make_batch(void *user, struct trm_token *token)
{
    float *x = token->data[0];

    (void)user;
    for (int i = 0; i < BATCH; i++)
        x[i] = (float)(token->index + (uint64_t)i % 7);
    return TRM_OK;
}

static int32_t check_batch(void *user, const struct trm_token *token)
{
    const float *y = token->data[2];

    (void)user;
    for (int i = 0; i < BATCH; i++)
        expect(y[i] == (float)(token->index + (uint64_t)i % 7), "plus 32, minus 32");
    return TRM_OK;
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_report report = {.struct_size = sizeof(report)};
    char text[8192];

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    struct trm_kernel *kernel = named_kernel(device, "fma_chain", NULL, 0);

    for (uint32_t depth = 1; depth <= 3; depth++) {
        struct trm_pipeline *pipeline = make_pipeline(device, kernel, depth);
        struct trm_source source      = trm_source_function(make_batch, NULL);
        struct trm_sink sink          = trm_sink_function(check_batch, NULL);

        source.count   = BATCHES;
        source.workers = 1; /* otherwise source and sink would share this thread */
        must(trm_pipeline_run(pipeline, &source, &sink));
        must(trm_pipeline_report(pipeline, &report));
        expect(report.tokens == BATCHES && report.depth == depth, "all batches came through");
        printf("depth %u: %.1f ms\n", depth, (double)report.elapsed_ns * 1e-6);
        trm_pipeline_destroy(pipeline);
    }

    /* The critical stage, and what would help. */
    must(trm_report_format(&report, TRM_REPORT_TEXT, text, sizeof(text), NULL));
    printf("\n%s", text);

    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
