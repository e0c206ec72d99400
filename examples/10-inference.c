/* A server: one thread accepts requests, another sends the answers, and the device works on several at a
 * time.
 *
 * New here: acquire, submit, next and release instead of run; time-outs; weights that all tokens share.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <pthread.h>

enum {
    INPUTS   = 64, /* features of a sample */
    OUTPUTS  = 10,
    SAMPLES  = 32, /* of a request at most */
    REQUESTS = 200
};

static float weights[INPUTS][OUTPUTS];

/* y = x W, with one row for each sample of the request. Called for each token to make arguments and grid. */
static int32_t shape(void *user, const struct trm_token *token, struct trm_grid *grid,
                     struct trm_argument *arguments)
{
    uint32_t samples = (uint32_t)(token->size[0] / (INPUTS * sizeof(float)));

    (void)user;
    arguments[3].value.u32 = samples;
    grid->groups[0]        = (OUTPUTS + 63) / 64;
    grid->groups[1]        = (samples + 63) / 64;
    grid->groups[2]        = 1;
    return TRM_OK;
}

static struct trm_pipeline *make_server(struct trm_device *device, struct trm_kernel *sgemm,
                                        struct trm_buffer *shared)
{
    struct trm_port ports[] = {
        trm_port_input("samples", SAMPLES * INPUTS * sizeof(float)),
        trm_port_shared("weights", shared),
        trm_port_follows(trm_port_output("scores", SAMPLES * OUTPUTS * sizeof(float)), 0),
    };
    ports[1].flags = TRM_PORT_READ_ONLY;

    const struct trm_argument arguments[] = {trm_arg_port(0),   trm_arg_port(1),      trm_arg_port(2),
                                             trm_arg_u32(0),    trm_arg_u32(OUTPUTS), trm_arg_u32(INPUTS),
                                             trm_arg_f32(1.0f), trm_arg_f32(0.0f)};
    struct trm_stage score                = trm_stage_launch(sgemm, arguments, 8, 0, 0);
    score.shape                           = shape;

    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .name        = "inference",
                                           .ports       = ports,
                                           .port_count  = 3,
                                           .stages      = &score,
                                           .stage_count = 1,
                                           .depth       = 4};
    struct trm_pipeline *pipeline;

    must(trm_pipeline_create(device, &desc, &pipeline));
    return pipeline;
}

/* The thread that answers. It waits for the next result with a time-out of a second, as a server with other
 * duties would. */
static void *answer(void *argument)
{
    struct trm_pipeline *pipeline = argument;
    struct trm_token *token;
    uint64_t answered = 0;

    while (answered < REQUESTS) {
        int32_t status = trm_pipeline_next(pipeline, UINT64_C(1000000000), &token);
        if (status == TRM_ERROR_TIMEOUT)
            continue;
        must(status);
        /* Sample s has a single 1, at feature s % INPUTS: its scores are that row of the weights. */
        const float *scores = token->data[2];
        uint64_t samples    = token->size[2] / (OUTPUTS * sizeof(float));
        expect(samples == 1 + token->index % SAMPLES, "an answer for each sample");
        for (uint64_t s = 0; s < samples; s++)
            for (int o = 0; o < OUTPUTS; o++)
                expect(scores[s * OUTPUTS + (uint64_t)o] == weights[s % INPUTS][o], "the right row");
        must(trm_pipeline_release(pipeline, token));
        answered++;
    }
    return NULL;
}

/* A request: some samples, each with a single 1. */
static void fill(struct trm_token *token)
{
    float *x         = token->data[0];
    uint64_t samples = 1 + token->index % SAMPLES;

    for (uint64_t s = 0; s < samples; s++)
        for (uint64_t i = 0; i < INPUTS; i++)
            x[s * INPUTS + i] = i == s % INPUTS ? 1.0f : 0.0f;
    token->size[0] = samples * INPUTS * sizeof(float);
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_buffer *shared;
    struct trm_token *token;
    pthread_t thread;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    struct trm_kernel *sgemm = named_kernel(device, "sgemm", NULL, 0);

    for (int i = 0; i < INPUTS; i++)
        for (int o = 0; o < OUTPUTS; o++)
            weights[i][o] = (float)(i * OUTPUTS + o) / 8.0f;
    const struct trm_buffer_desc desc = {
        .struct_size = sizeof(desc), .kind = TRM_MEMORY_DEVICE, .size = sizeof(weights), .data = weights};
    must(trm_buffer_create_from(device, &desc, &shared));
    struct trm_pipeline *pipeline = make_server(device, sgemm, shared);

    expect(pthread_create(&thread, NULL, answer, pipeline) == 0, "a second thread");
    for (int i = 0; i < REQUESTS; i++) {
        must(trm_pipeline_acquire(pipeline, TRM_FOREVER, &token)); /* waits while all slots are in use */
        fill(token);
        must(trm_pipeline_submit(pipeline, token));
    }
    pthread_join(thread, NULL);
    printf("%d requests are answered\n", REQUESTS);

    trm_pipeline_destroy(pipeline);
    trm_buffer_destroy(shared);
    trm_kernel_destroy(sgemm);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
