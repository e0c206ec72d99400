/* Double buffering: while the device works on one batch, the program fills the next.
 *
 * New here: a source and a sink that are functions of the program, a loader thread, a depth of 2, the states
 * of the slots.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    BATCH   = 1 << 18, /* floats of a token */
    BYTES   = BATCH * sizeof(float),
    BATCHES = 16
};

/* Called for each token, in order. data[0] is memory of the slot, which is filled in place. */
static int32_t make_batch(void *user, struct trm_token *token)
{
    float *x = token->data[0];

    (void)user;
    if (token->index == BATCHES)
        return TRM_TOKEN_END;
    for (int i = 0; i < BATCH; i++)
        x[i] = (float)token->index;
    return TRM_OK;
}

/* Called with the results, in the same order, while further tokens are in flight. */
static int32_t check_batch(void *user, const struct trm_token *token)
{
    struct trm_pipeline *pipeline = user;
    const float *y                = token->data[1];
    struct trm_slot slots[2];
    uint32_t count;

    must(trm_pipeline_slots(pipeline, slots, 2, &count));
    if (token->index < 3)
        printf("batch %llu is here; slot 0 is %s, slot 1 is %s\n", (unsigned long long)token->index,
               trm_slot_state_name(slots[0].state), trm_slot_state_name(slots[1].state));
    for (int i = 0; i < BATCH; i++)
        if (y[i] != (float)token->index + 32.0f)
            return TRM_ERROR_INTERNAL; /* ends the run: "token 3, sink: …" */
    return TRM_OK;
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_pipeline *pipeline;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    struct trm_kernel *kernel = named_kernel(device, "fma_chain", NULL, 0);

    const struct trm_port ports[]         = {trm_port_input("x", BYTES), trm_port_output("y", BYTES)};
    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_f32(1.0f),
                                             trm_arg_f32(1.0f), trm_arg_port_elements(0, sizeof(float))};
    const struct trm_stage stages[]       = {trm_stage_launch(kernel, arguments, 5, 0, sizeof(float))};
    const struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                             .ports       = ports,
                                             .port_count  = 2,
                                             .stages      = stages,
                                             .stage_count = 1,
                                             .depth       = 2}; /* two slots, which overlap */
    must(trm_pipeline_create(device, &desc, &pipeline));

    struct trm_source source = trm_source_function(make_batch, NULL);
    struct trm_sink sink     = trm_sink_function(check_batch, pipeline);
    source.workers           = 1; /* a thread that fills batches, while this one checks results */
    must(trm_pipeline_run(pipeline, &source, &sink));
    printf("%d batches are right\n", BATCHES);

    trm_pipeline_destroy(pipeline);
    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
