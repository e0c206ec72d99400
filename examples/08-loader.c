/* A data loader: four threads prepare batches while the device works; the batches still arrive in order.
 *
 * New here: workers, batches of different sizes, user data of a token.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <math.h>

enum {
    BATCH   = 1 << 14, /* floats of a token at most */
    BYTES   = BATCH * sizeof(float),
    BATCHES = 40,
    WORKERS = 4
};

/* Every fifth batch is only partly filled. */
static uint32_t batch_count(uint64_t index)
{
    return index % 5 == 4 ? BATCH / 3 : BATCH;
}

/* Called by four threads at once, each with a different token. Slow work (decoding, augmenting, reading from
 * a disk) belongs here: it runs several batches ahead of the device. */
static int32_t decode(void *user, struct trm_token *token)
{
    uint32_t *labels = user;
    float *x         = token->data[0];
    uint32_t count   = batch_count(token->index);

    for (uint32_t i = 0; i < count; i++)
        x[i] = floorf(100.0f * sinf((float)i + (float)token->index));
    token->size[0] = count * sizeof(float); /* only this much is uploaded, and downloaded */
    token->user    = &labels[token->index]; /* the sink receives it */
    return TRM_OK;
}

struct tally {
    uint64_t next; /* the expected index */
    double sum;
};

static int32_t add_up(void *user, const struct trm_token *token)
{
    struct tally *tally   = user;
    const uint32_t *label = token->user;
    const float *y        = token->data[1];

    expect(token->index == tally->next++, "batches arrive in order");
    expect(*label == 1000 + token->index, "with what belongs to them");
    expect(token->size[1] == batch_count(token->index) * sizeof(float), "and as full as they were");
    for (uint32_t i = 0; i < batch_count(token->index); i++)
        tally->sum += y[i];
    return TRM_OK;
}

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_pipeline *pipeline;
    struct tally tally = {0, 0.0};
    uint32_t labels[BATCHES];
    double expected = 0.0;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    struct trm_kernel *kernel = named_kernel(device, "fma_chain", NULL, 0);

    /* The output has the size of the input, port 0. */
    const struct trm_port ports[] = {trm_port_input("x", BYTES),
                                     trm_port_follows(trm_port_output("y", BYTES), 0)};

    const struct trm_argument arguments[] = {trm_arg_port(0), trm_arg_port(1), trm_arg_f32(1.0f),
                                             trm_arg_f32(1.0f), trm_arg_port_elements(0, sizeof(float))};
    const struct trm_stage stages[]       = {trm_stage_launch(kernel, arguments, 5, 0, sizeof(float))};
    const struct trm_pipeline_desc desc   = {.struct_size = sizeof(desc),
                                             .ports       = ports,
                                             .port_count  = 2,
                                             .stages      = stages,
                                             .stage_count = 1,
                                             .depth       = WORKERS +
                                                      3}; /* one for each worker, and three on the device */
    must(trm_pipeline_create(device, &desc, &pipeline));

    for (uint32_t i = 0; i < BATCHES; i++)
        labels[i] = 1000 + i;
    struct trm_source source = trm_source_function(decode, labels);
    struct trm_sink sink     = trm_sink_function(add_up, &tally);
    source.workers           = WORKERS;
    source.count             = BATCHES;
    must(trm_pipeline_run(pipeline, &source, &sink));

    for (uint64_t batch = 0; batch < BATCHES; batch++)
        for (uint32_t i = 0; i < batch_count(batch); i++)
            expected += floorf(100.0f * sinf((float)i + (float)batch)) + 32.0f;
    expect(tally.next == BATCHES && tally.sum == expected, "nothing is lost");
    printf("%d batches by %d threads, in order, the sum is %.0f\n", BATCHES, WORKERS, tally.sum);

    trm_pipeline_destroy(pipeline);
    trm_kernel_destroy(kernel);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
