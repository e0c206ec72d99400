/* Training: a small network learns to classify points on the three arms of a spiral. Each batch passes the
 * forward, loss and backward kernels and a step of gradient descent, while the next batches are loaded.
 *
 *     hidden = relu(x W1)      scores = hidden W2      loss = cross entropy of softmax(scores) and the labels
 *     W2 -= rate * hidden' (softmax - label)         W1 -= rate * x' ((softmax - label) W2' where hidden > 0)
 *
 * New here: a shared port that kernels change (the weights), so that batches are computed in order; fourteen
 * stages.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <math.h>

enum {
    BATCH    = 96, /* samples */
    FEATURES = 3,  /* x, y and a constant 1, whose weight is the bias */
    HIDDEN   = 64,
    CLASSES  = 3,
    BATCHES  = 400
};

/* The ports: inputs, outputs, shared by all batches, and scratch. */
enum {
    X,
    LABELS,
    LOSSES,
    W1,
    W2,
    V1, /* velocities of the weights */
    V2,
    PRODUCT, /* x W1, before relu */
    HIDDEN_LAYER,
    SCORES,
    SOFTMAX,
    SCORES_GRADIENT,
    HIDDEN_TURNED, /* hidden', W2', x' */
    W2_TURNED,
    X_TURNED,
    HIDDEN_GRADIENT,
    SLOPE,            /* of relu: 1 where hidden > 0 */
    PRODUCT_GRADIENT, /* the gradient of hidden times the slope */
    W1_GRADIENT,
    W2_GRADIENT,
    PORTS
};

static const uint64_t elements[PORTS] = {
    [X]                = BATCH * FEATURES,
    [LABELS]           = BATCH,
    [LOSSES]           = BATCH,
    [W1]               = FEATURES * HIDDEN,
    [W2]               = HIDDEN * CLASSES,
    [V1]               = FEATURES * HIDDEN,
    [V2]               = HIDDEN * CLASSES,
    [PRODUCT]          = BATCH * HIDDEN,
    [HIDDEN_LAYER]     = BATCH * HIDDEN,
    [SCORES]           = BATCH * CLASSES,
    [SOFTMAX]          = BATCH * CLASSES,
    [SCORES_GRADIENT]  = BATCH * CLASSES,
    [HIDDEN_TURNED]    = HIDDEN * BATCH,
    [W2_TURNED]        = CLASSES * HIDDEN,
    [X_TURNED]         = FEATURES * BATCH,
    [HIDDEN_GRADIENT]  = BATCH * HIDDEN,
    [SLOPE]            = BATCH * HIDDEN,
    [PRODUCT_GRADIENT] = BATCH * HIDDEN,
    [W1_GRADIENT]      = FEATURES * HIDDEN,
    [W2_GRADIENT]      = HIDDEN * CLASSES,
};

/* The list of stages under construction. */
struct network {
    struct trm_device *device;
    struct trm_kernel *sgemm, *turn, *relu, *sign, *multiply, *loss, *sgd;
    struct trm_stage stages[16];
    struct trm_argument arguments[16][8];
    uint32_t count;
};

static void add_stage(struct network *network, const char *name, struct trm_kernel *kernel,
                      const struct trm_argument *arguments, uint32_t count, uint32_t groups_x,
                      uint32_t groups_y)
{
    struct trm_argument *own = network->arguments[network->count];
    struct trm_stage *stage  = &network->stages[network->count++];

    memcpy(own, arguments, count * sizeof(*own));
    *stage      = trm_stage_launch(kernel, own, count, 0, 0);
    stage->name = name;
    stage->grid = (struct trm_grid){.groups = {groups_x, groups_y, 1}};
}

/* c (m x n) = a (m x k) b (k x n) */
static void add_product(struct network *network, const char *name, uint32_t a, uint32_t b, uint32_t c,
                        uint32_t m, uint32_t n, uint32_t k)
{
    const struct trm_argument arguments[] = {trm_arg_port(a),   trm_arg_port(b),  trm_arg_port(c),
                                             trm_arg_u32(m),    trm_arg_u32(n),   trm_arg_u32(k),
                                             trm_arg_f32(1.0f), trm_arg_f32(0.0f)};
    add_stage(network, name, network->sgemm, arguments, 8, (n + 63) / 64, (m + 63) / 64);
}

static void add_turned(struct network *network, const char *name, uint32_t from, uint32_t to, uint32_t rows,
                       uint32_t columns)
{
    const struct trm_argument arguments[] = {trm_arg_port(from), trm_arg_port(to), trm_arg_u32(rows),
                                             trm_arg_u32(columns)};
    add_stage(network, name, network->turn, arguments, 4, (columns + 31) / 32, (rows + 31) / 32);
}

static void add_unary(struct network *network, const char *name, struct trm_kernel *kernel, uint32_t from,
                      uint32_t to)
{
    const struct trm_argument arguments[] = {trm_arg_port(from), trm_arg_port(to),
                                             trm_arg_u32((uint32_t)elements[to])};
    add_stage(network, name, kernel, arguments, 3, ((uint32_t)elements[to] + 255) / 256, 1);
}

static void add_step(struct network *network, const char *name, uint32_t gradient, uint32_t weights,
                     uint32_t velocity)
{
    const struct trm_argument arguments[] = {trm_arg_port(gradient),
                                             trm_arg_port(weights),
                                             trm_arg_port(velocity),
                                             trm_arg_f32(0.05f),
                                             trm_arg_f32(0.9f),
                                             trm_arg_f32(0.0f),
                                             trm_arg_u32((uint32_t)elements[weights])};
    add_stage(network, name, network->sgd, arguments, 7, ((uint32_t)elements[weights] + 255) / 256, 1);
}

static void add_forward(struct network *network)
{
    const struct trm_argument arguments[] = {
        trm_arg_port(SCORES),          trm_arg_port(LABELS), trm_arg_port(SOFTMAX),    trm_arg_port(LOSSES),
        trm_arg_port(SCORES_GRADIENT), trm_arg_u32(CLASSES), trm_arg_f32(1.0f / BATCH)};

    add_product(network, "x W1", X, W1, PRODUCT, BATCH, HIDDEN, FEATURES);
    add_unary(network, "relu", network->relu, PRODUCT, HIDDEN_LAYER);
    add_product(network, "hidden W2", HIDDEN_LAYER, W2, SCORES, BATCH, CLASSES, HIDDEN);
    add_stage(network, "loss", network->loss, arguments, 7, BATCH, 1);
}

static void add_backward(struct network *network)
{
    const struct trm_argument arguments[] = {trm_arg_port(HIDDEN_GRADIENT), trm_arg_port(SLOPE),
                                             trm_arg_port(PRODUCT_GRADIENT), trm_arg_u32(BATCH * HIDDEN)};

    add_turned(network, "hidden'", HIDDEN_LAYER, HIDDEN_TURNED, BATCH, HIDDEN);
    add_product(network, "gradient of W2", HIDDEN_TURNED, SCORES_GRADIENT, W2_GRADIENT, HIDDEN, CLASSES,
                BATCH);
    add_turned(network, "W2'", W2, W2_TURNED, HIDDEN, CLASSES);
    add_product(network, "gradient of hidden", SCORES_GRADIENT, W2_TURNED, HIDDEN_GRADIENT, BATCH, HIDDEN,
                CLASSES);
    add_unary(network, "slope of relu", network->sign, HIDDEN_LAYER, SLOPE);
    add_stage(network, "through relu", network->multiply, arguments, 4, (BATCH * HIDDEN + 255) / 256, 1);
    add_turned(network, "x'", X, X_TURNED, BATCH, FEATURES);
    add_product(network, "gradient of W1", X_TURNED, PRODUCT_GRADIENT, W1_GRADIENT, FEATURES, HIDDEN, BATCH);
    add_step(network, "step of W1", W1_GRADIENT, W1, V1);
    add_step(network, "step of W2", W2_GRADIENT, W2, V2);
}

static void load_kernels(struct network *network)
{
    const struct trm_constant relu     = trm_constant_u32("operation", 10),
                              sign     = trm_constant_u32("operation", 18),
                              multiply = trm_constant_u32("operation", 2);

    network->sgemm    = named_kernel(network->device, "sgemm", NULL, 0);
    network->turn     = named_kernel(network->device, "transpose", NULL, 0);
    network->relu     = named_kernel(network->device, "unary", &relu, 1);
    network->sign     = named_kernel(network->device, "unary", &sign, 1);
    network->multiply = named_kernel(network->device, "binary", &multiply, 1);
    network->loss     = named_kernel(network->device, "softmax_cross_entropy", NULL, 0);
    network->sgd      = named_kernel(network->device, "sgd", NULL, 0);
}

static void free_kernels(struct network *network)
{
    struct trm_kernel *kernels[] = {network->sgemm,    network->turn, network->relu, network->sign,
                                    network->multiply, network->loss, network->sgd};

    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
        trm_kernel_destroy(kernels[i]);
}

/* Pseudo-random, from 0 to 1: the high bits of a linear congruential generator (D. Knuth's MMIX). */
static float chance(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(*state >> 40) / (float)(1 << 24);
}

/* A batch: points on the three arms, and the arm of each. */
static int32_t load_batch(void *user, struct trm_token *token)
{
    float *x         = token->data[X];
    uint32_t *labels = token->data[LABELS];
    uint64_t state   = token->index + 1;

    (void)user;
    for (uint32_t i = 0; i < BATCH; i++) {
        float radius = chance(&state), noise = 0.2f * (chance(&state) - 0.5f);
        labels[i]   = i % CLASSES;
        float angle = 4.0f * radius + noise + 2.0943951f * (float)labels[i]; /* a third of a circle apart */
        x[i * FEATURES]     = radius * cosf(angle);
        x[i * FEATURES + 1] = radius * sinf(angle);
        x[i * FEATURES + 2] = 1.0f;
    }
    return TRM_OK;
}

struct progress {
    double first, last; /* mean loss of the first and the last hundred batches */
};

static int32_t note_loss(void *user, const struct trm_token *token)
{
    struct progress *progress = user;
    const float *losses       = token->data[LOSSES];
    double mean               = 0.0;

    for (uint32_t i = 0; i < BATCH; i++)
        mean += (double)losses[i] / BATCH;
    if (token->index < 100)
        progress->first += mean / 100;
    if (token->index >= BATCHES - 100)
        progress->last += mean / 100;
    if (token->index % 100 == 0)
        printf("batch %4llu: loss %.3f\n", (unsigned long long)token->index, mean);
    return TRM_OK;
}

/* Weights start as small random numbers, velocities as zeros. */
static struct trm_buffer *make_shared(struct trm_device *device, uint64_t count, float scale)
{
    static float values[HIDDEN * (FEATURES + CLASSES)];
    struct trm_buffer_desc desc = {.struct_size = sizeof(desc),
                                   .kind        = TRM_MEMORY_DEVICE,
                                   .size        = count * sizeof(float),
                                   .data        = values};
    struct trm_buffer *buffer;
    uint64_t state = count;

    for (uint64_t i = 0; i < count; i++)
        values[i] = scale * (chance(&state) - 0.5f);
    must(trm_buffer_create_from(device, &desc, &buffer));
    return buffer;
}

static struct trm_pipeline *make_pipeline(struct network *network)
{
    struct trm_port ports[PORTS];
    struct trm_pipeline *pipeline;

    for (uint32_t i = 0; i < PORTS; i++)
        ports[i] = trm_port_make(NULL, TRM_PORT_SCRATCH, elements[i] * sizeof(float));
    ports[X].kind = ports[LABELS].kind = TRM_PORT_INPUT;
    ports[LOSSES].kind                 = TRM_PORT_OUTPUT;
    for (uint32_t i = W1; i <= V2; i++)
        ports[i] = trm_port_shared(NULL, make_shared(network->device, elements[i], i <= W2 ? 0.8f : 0.0f));
    add_forward(network);
    add_backward(network);

    const struct trm_pipeline_desc desc = {.struct_size = sizeof(desc),
                                           .name        = "training",
                                           .ports       = ports,
                                           .port_count  = PORTS,
                                           .stages      = network->stages,
                                           .stage_count = network->count,
                                           .depth       = 3};
    must(trm_pipeline_create(network->device, &desc, &pipeline));
    for (uint32_t i = W1; i <= V2; i++)
        trm_buffer_destroy(ports[i].buffer); /* the pipeline keeps a reference */
    return pipeline;
}

int main(void)
{
    struct network network   = {0};
    struct progress progress = {0.0, 0.0};
    struct trm_context *context;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &network.device));
    load_kernels(&network);
    struct trm_pipeline *pipeline = make_pipeline(&network);

    struct trm_source source = trm_source_function(load_batch, NULL);
    struct trm_sink sink     = trm_sink_function(note_loss, &progress);
    source.workers           = 1; /* loads batches while others are computed */
    source.count             = BATCHES;
    must(trm_pipeline_run(pipeline, &source, &sink));

    printf("the loss falls from %.3f to %.3f\n", progress.first, progress.last);
    expect(progress.last < 0.5 * progress.first && progress.last < 0.4, "the network has learned something");

    trm_pipeline_destroy(pipeline);
    free_kernels(&network);
    trm_device_destroy(network.device);
    trm_context_destroy(context);
    return 0;
}
