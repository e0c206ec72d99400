/* A training loop to lift into a program (training_loop.h): source, model step, metrics, checkpoints. A layer
 * of weights learns to tell three clouds of points apart; the training is broken off and goes on from a
 * checkpoint, and every loss equals that of a loop of plain launches.
 *
 * New here: training_loop.h; weights that are read and written back between runs.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"
#include "training_loop.h"

enum {
    BATCH    = 64, /* samples */
    FEATURES = 3,  /* x, y and a constant 1, whose weight is the bias */
    CLASSES  = 3,
    WEIGHTS  = FEATURES * CLASSES,
    BATCHES  = 90,
    SAVED_AT = 30, /* batches between checkpoints */
    BROKEN   = 60  /* the first training ends here */
};

enum {
    X,
    LABELS,
    LOSSES,
    W, /* weights and their velocities, shared by all batches */
    V,
    SCORES,
    SOFTMAX,
    SLOPES, /* of the loss by the scores */
    TURNED, /* x' */
    GRADIENT,
    PORTS
};

static const uint64_t elements[PORTS] = {
    [X]        = BATCH * FEATURES,
    [LABELS]   = BATCH,
    [LOSSES]   = BATCH,
    [W]        = WEIGHTS,
    [V]        = WEIGHTS,
    [SCORES]   = BATCH * CLASSES,
    [SOFTMAX]  = BATCH * CLASSES,
    [SLOPES]   = BATCH * CLASSES,
    [TURNED]   = FEATURES * BATCH,
    [GRADIENT] = WEIGHTS,
};

/* ---- the model: five kernels ------------------------------------------------------------------ */

enum {
    STEPS = 5
};

struct model {
    struct trm_device *device;
    struct trm_kernel *kernels[STEPS]; /* the product twice */
    struct trm_grid grids[STEPS];
    struct trm_argument arguments[STEPS][8];
    uint32_t counts[STEPS];
};

static void add(struct model *model, uint32_t step, struct trm_kernel *kernel, uint32_t groups,
                const struct trm_argument *arguments, uint32_t count)
{
    model->kernels[step] = kernel;
    model->grids[step]   = (struct trm_grid){.groups = {groups, 1, 1}};
    model->counts[step]  = count;
    memcpy(model->arguments[step], arguments, count * sizeof(*arguments));
}

static void make_model(struct model *model)
{
    struct trm_kernel *product          = named_kernel(model->device, "sgemm", NULL, 0);
    const struct trm_argument forward[] = {trm_arg_port(X),    trm_arg_port(W),      trm_arg_port(SCORES),
                                           trm_arg_u32(BATCH), trm_arg_u32(CLASSES), trm_arg_u32(FEATURES),
                                           trm_arg_f32(1.0f),  trm_arg_f32(0.0f)};
    const struct trm_argument loss[] = {trm_arg_port(SCORES),     trm_arg_port(LABELS), trm_arg_port(SOFTMAX),
                                        trm_arg_port(LOSSES),     trm_arg_port(SLOPES), trm_arg_u32(CLASSES),
                                        trm_arg_f32(1.0f / BATCH)};
    const struct trm_argument turn[] = {trm_arg_port(X), trm_arg_port(TURNED), trm_arg_u32(BATCH),
                                        trm_arg_u32(FEATURES)};
    const struct trm_argument back[] = {trm_arg_port(TURNED),  trm_arg_port(SLOPES), trm_arg_port(GRADIENT),
                                        trm_arg_u32(FEATURES), trm_arg_u32(CLASSES), trm_arg_u32(BATCH),
                                        trm_arg_f32(1.0f),     trm_arg_f32(0.0f)};
    const struct trm_argument step[] = {trm_arg_port(GRADIENT), trm_arg_port(W),   trm_arg_port(V),
                                        trm_arg_f32(0.5f),      trm_arg_f32(0.9f), trm_arg_f32(0.0f),
                                        trm_arg_u32(WEIGHTS)};

    add(model, 0, product, 1, forward, 8);
    add(model, 1, named_kernel(model->device, "softmax_cross_entropy", NULL, 0), BATCH, loss, 7);
    add(model, 2, named_kernel(model->device, "transpose", NULL, 0), 1, turn, 4);
    model->grids[2].groups[1] = BATCH / 32;
    add(model, 3, product, 1, back, 8);
    add(model, 4, named_kernel(model->device, "sgd", NULL, 0), 1, step, 7);
}

static void free_model(struct model *model)
{
    trm_kernel_destroy(model->kernels[0]);
    trm_kernel_destroy(model->kernels[1]);
    trm_kernel_destroy(model->kernels[2]);
    trm_kernel_destroy(model->kernels[4]);
}

/* ---- batches ---------------------------------------------------------------------------------- */

/* Three clouds of points, which overlap a little. */
static void fill(float *x, uint32_t *labels, uint64_t batch)
{
    static const float middles[CLASSES][2] = {{1.0f, 0.0f}, {-0.5f, 0.9f}, {-0.5f, -0.9f}};
    uint64_t state                         = batch + 1;

    for (uint32_t i = 0; i < BATCH; i++) {
        labels[i] = i % CLASSES;
        for (uint32_t axis = 0; axis < 2; axis++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            x[i * FEATURES + axis] =
                middles[labels[i]][axis] + (float)(state >> 40) / (float)(1 << 24) - 0.5f;
        }
        x[i * FEATURES + 2] = 1.0f;
    }
}

static struct trm_buffer *make_zeros(struct trm_device *device, uint64_t count, uint32_t flags)
{
    const struct trm_buffer_desc desc = {.struct_size = sizeof(desc),
                                         .kind        = TRM_MEMORY_DEVICE,
                                         .flags       = flags,
                                         .size        = count * sizeof(float)};
    struct trm_buffer *buffer;

    must(trm_buffer_create_from(device, &desc, &buffer));
    return buffer;
}

/* ---- by plain launches ------------------------------------------------------------------------ */

static void train_by_hand(struct model *model, struct trm_stream *stream, double *losses)
{
    static float x[BATCH * FEATURES], each[BATCH];
    static uint32_t labels[BATCH];
    struct trm_buffer *buffers[PORTS];
    struct trm_argument arguments[8];

    for (uint32_t port = 0; port < PORTS; port++)
        buffers[port] = make_zeros(model->device, elements[port], TRM_BUFFER_ZEROED);
    for (uint64_t batch = 0; batch < BATCHES; batch++) {
        fill(x, labels, batch);
        must(trm_upload(stream, trm_span_whole(buffers[X]), x));
        must(trm_upload(stream, trm_span_whole(buffers[LABELS]), labels));
        for (uint32_t step = 0; step < STEPS; step++) {
            for (uint32_t i = 0; i < model->counts[step]; i++) {
                arguments[i] = model->arguments[step][i];
                if (arguments[i].kind == TRM_ARGUMENT_PORT)
                    arguments[i] = trm_arg_buffer(buffers[arguments[i].value.port.index]);
            }
            must(trm_launch(stream, model->kernels[step], &model->grids[step], arguments,
                            model->counts[step]));
        }
        must(trm_download(stream, each, trm_span_whole(buffers[LOSSES])));
        must(trm_stream_sync(stream));
        double sum = 0.0;
        for (uint32_t i = 0; i < BATCH; i++)
            sum += (double)each[i];
        losses[batch] = sum / BATCH;
    }
    for (uint32_t port = 0; port < PORTS; port++)
        trm_buffer_destroy(buffers[port]);
}

/* ---- by the loop ------------------------------------------------------------------------------ */

struct training {
    double losses[BATCHES];
    float saved[2][WEIGHTS]; /* the last checkpoint: weights and velocities */
};

static int32_t load(void *user, struct trm_token *token)
{
    (void)user;
    fill(token->data[X], token->data[LABELS], token->index);
    return TRM_OK;
}

static int32_t note(void *user, uint64_t batch, double loss)
{
    struct training *training = user;

    training->losses[batch] = loss;
    if (batch % 15 == 0)
        printf("batch %3llu: loss %.4f\n", (unsigned long long)batch, loss);
    return TRM_OK;
}

static int32_t save(void *user, uint64_t batches, float *const *weights, const uint64_t *counts)
{
    struct training *training = user;

    for (uint32_t i = 0; i < 2; i++)
        memcpy(training->saved[i], weights[i], counts[i] * sizeof(float));
    printf("saved after %llu batches\n", (unsigned long long)batches);
    return TRM_OK;
}

static struct trm_pipeline *make_pipeline(struct model *model, struct trm_buffer *weights[2])
{
    struct trm_port ports[PORTS];
    struct trm_stage stages[STEPS];
    struct trm_pipeline *pipeline;

    for (uint32_t i = 0; i < PORTS; i++)
        ports[i] = trm_port_make(NULL, TRM_PORT_SCRATCH, elements[i] * sizeof(float));
    ports[X].kind = ports[LABELS].kind = TRM_PORT_INPUT;
    ports[LOSSES].kind                 = TRM_PORT_OUTPUT;
    ports[W]                           = trm_port_shared("weights", weights[0]);
    ports[V]                           = trm_port_shared("velocities", weights[1]);
    for (uint32_t i = 0; i < STEPS; i++) {
        stages[i]      = trm_stage_launch(model->kernels[i], model->arguments[i], model->counts[i], 0, 0);
        stages[i].grid = model->grids[i];
    }
    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .name        = "training",
                                           .ports       = ports,
                                           .port_count  = PORTS,
                                           .stages      = stages,
                                           .stage_count = STEPS,
                                           .depth       = 3};
    must(trm_pipeline_create(model->device, &desc, &pipeline));
    return pipeline;
}

/* From batch `first`, with the weights of the last checkpoint, until batch `end`. */
static void train(struct model *model, struct trm_stream *stream, struct training *training, uint64_t first,
                  uint64_t end)
{
    struct trm_buffer *weights[2];

    for (uint32_t i = 0; i < 2; i++) {
        weights[i] = make_zeros(model->device, WEIGHTS, 0);
        must(trm_upload(stream, trm_span_whole(weights[i]), training->saved[i]));
    }
    must(trm_stream_sync(stream));
    struct training_loop loop = {
        .model            = {make_pipeline(model, weights), LOSSES, 2, weights},
        .batches          = end,
        .load             = load,
        .metrics          = note,
        .checkpoint       = save,
        .checkpoint_every = SAVED_AT,
        .user             = training,
        .done             = first,
    };
    must(training_run(&loop, stream));
    trm_pipeline_destroy(loop.model.pipeline);
    for (uint32_t i = 0; i < 2; i++)
        trm_buffer_destroy(weights[i]);
}

int main(void)
{
    static struct training training;
    static double by_hand[BATCHES];
    struct model model = {0};
    struct trm_context *context;
    struct trm_stream *stream;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &model.device));
    must(trm_stream_create(model.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    make_model(&model);

    train(&model, stream, &training, 0, BROKEN);
    puts("broken off; going on from the last checkpoint");
    train(&model, stream, &training, BROKEN, BATCHES);
    train_by_hand(&model, stream, by_hand);

    expect(memcmp(training.losses, by_hand, sizeof(by_hand)) == 0,
           "every loss equals that of plain launches");
    expect(training.losses[BATCHES - 1] < 0.5 * training.losses[0], "the weights have learned something");
    printf("the loss falls from %.4f to %.4f, the same as by plain launches\n", training.losses[0],
           training.losses[BATCHES - 1]);

    free_model(&model);
    trm_stream_destroy(stream);
    trm_device_destroy(model.device);
    trm_context_destroy(context);
    return 0;
}
