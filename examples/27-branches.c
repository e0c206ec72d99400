/* Branches within a token: two kernels that need the same input, but not each other, run at the same time,
 * and a third one joins what they made.
 *
 *           ┌─ double ─┐
 *     x ────┤          ├─ join ──── y
 *           └─ shift ──┘
 *
 * New here: which stages run after which, branches in a report, and a prediction with and without overlap.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    BATCH   = 1 << 14, /* floats of a token */
    BYTES   = BATCH * sizeof(float),
    BATCHES = 24
};

enum ports {
    X,
    DOUBLED,
    SHIFTED,
    Y,
    PORTS
};

enum stages {
    DOUBLE,
    SHIFT,
    JOIN,
    STAGES
};

/* Bit j of after[i]: stage i begins when stage j has ended. The first two begin with the token. */
static const uint64_t after[STAGES] = {[JOIN] = 1u << DOUBLE | 1u << SHIFT};

static struct trm_pipeline *make_pipeline(struct trm_device *device, struct trm_kernel *chain,
                                          struct trm_kernel *add)
{
    const struct trm_port ports[PORTS] = {
        [X]       = trm_port_input("x", BYTES),
        [DOUBLED] = trm_port_scratch("doubled", BYTES),
        [SHIFTED] = trm_port_scratch("shifted", BYTES),
        [Y]       = trm_port_output("y", BYTES),
    };
    const struct trm_argument doubling[] = {trm_arg_port(X), trm_arg_port(DOUBLED), trm_arg_f32(2.0f),
                                            trm_arg_f32(0.0f), trm_arg_port_elements(X, sizeof(float))};
    const struct trm_argument shifting[] = {trm_arg_port(X), trm_arg_port(SHIFTED), trm_arg_f32(1.0f),
                                            trm_arg_f32(5.0f), trm_arg_port_elements(X, sizeof(float))};
    const struct trm_argument joining[]  = {trm_arg_port(DOUBLED), trm_arg_port(SHIFTED), trm_arg_port(Y),
                                            trm_arg_port_elements(X, sizeof(float))};
    struct trm_stage stages[STAGES]      = {
             [DOUBLE] = trm_stage_launch(chain, doubling, 5, X, sizeof(float)),
             [SHIFT]  = trm_stage_launch(chain, shifting, 5, X, sizeof(float)),
             [JOIN]   = trm_stage_launch(add, joining, 4, X, sizeof(float)),
    };
    stages[DOUBLE].name = "double";
    stages[SHIFT].name  = "shift";
    stages[JOIN].name   = "join";

    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .name        = "branches",
                                           .ports       = ports,
                                           .port_count  = PORTS,
                                           .stages      = stages,
                                           .stage_count = STAGES,
                                           .depth       = 2,
                                           .strategy    = TRM_STRATEGY_SLOT_STREAMS,
                                           .measure     = TRM_MEASURE_ALL,
                                           .after       = after};
    struct trm_pipeline *pipeline;

    must(trm_pipeline_create(device, &desc, &pipeline));
    return pipeline;
}

static int32_t make_batch(void *user, struct trm_token *token)
{
    float *x = token->data[X];

    (void)user;
    for (int i = 0; i < BATCH; i++)
        x[i] = (float)(token->index + (uint64_t)i % 7);
    return TRM_OK;
}

static int32_t check_batch(void *user, const struct trm_token *token)
{
    const float *y = token->data[Y];

    (void)user;
    for (int i = 0; i < BATCH; i++) {
        float x = (float)(token->index + (uint64_t)i % 7);
        expect(y[i] == 2 * x + x + 5, "both branches are joined");
    }
    return TRM_OK;
}

/* How long the run would take at `branches` stages of a token at once. */
static double predict(const struct trm_report *report, uint32_t branches)
{
    struct trm_prediction_desc desc  = {.struct_size = sizeof(desc)};
    struct trm_prediction prediction = {.struct_size = sizeof(prediction)};

    must(trm_report_prediction(report, &desc));
    desc.branches = branches;
    must(trm_predict(&desc, &prediction));
    return (double)prediction.elapsed_ns * 1e-6;
}

int main(void)
{
    const struct trm_constant once = trm_constant_u32("links", 1);
    struct trm_source source       = trm_source_function(make_batch, NULL);
    struct trm_sink sink           = trm_sink_function(check_batch, NULL);
    struct trm_report report       = {.struct_size = sizeof(report)};
    struct trm_context *context;
    struct trm_device *device;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    struct trm_kernel *chain      = named_kernel(device, "fma_chain", &once, 1);
    struct trm_kernel *add        = named_kernel(device, "binary", NULL, 0);
    struct trm_pipeline *pipeline = make_pipeline(device, chain, add);

    source.count = BATCHES;
    must(trm_pipeline_run(pipeline, &source, &sink));
    must(trm_pipeline_report(pipeline, &report));
    expect(report.tokens == BATCHES && report.branches == 2, "two stages can run at once");
    for (uint32_t i = 0; i < report.launch_count; i++)
        printf("%-8s %6.1f us%s\n", report.launches[i].name,
               (double)report.launches[i].busy_ns * 1e-3 / BATCHES,
               report.path >> i & 1 ? "  on the longest path" : "");
    printf("predicted: %.2f ms, with the stages of a token one after the other %.2f ms\n",
           predict(&report, 2), predict(&report, 1));

    trm_pipeline_destroy(pipeline);
    trm_kernel_destroy(add);
    trm_kernel_destroy(chain);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
