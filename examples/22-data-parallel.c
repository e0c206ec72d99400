/* Training on several devices: the network of 09-training, where each device computes a part of every batch,
 * and the gradients are summed across the devices. All of them then take the same step, so their weights stay
 * equal.
 *
 * A layer's gradient is summed on a second stream of each device while the first one goes on with the layer
 * below:
 *
 *     compute    forward | gradient of W2 | gradient of W1 |  (waits)  | steps
 *     sums                                | sum of W2      | sum of W1 |
 *
 * The devices are those of TRIREME_DEVICES ("cuda:0,cuda:1"); without it, the processor as two devices.
 *
 * New here: groups of devices, trm_all_reduce().
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

#include <math.h>

enum {
    BATCH    = 96, /* samples, on all devices together */
    FEATURES = 3,
    HIDDEN   = 64,
    CLASSES  = 3,
    BATCHES  = 120
};

/* The buffers of each device. */
enum {
    X,
    LABELS,
    LOSSES,
    W1,
    W2,
    V1, /* velocities of the weights */
    V2,
    PRODUCT,
    HIDDEN_LAYER,
    SCORES,
    SOFTMAX,
    SCORES_GRADIENT,
    HIDDEN_TURNED,
    W2_TURNED,
    X_TURNED,
    HIDDEN_GRADIENT,
    SLOPE,
    PRODUCT_GRADIENT,
    W1_GRADIENT,
    W2_GRADIENT,
    BUFFERS
};

static const uint64_t elements[BUFFERS] = {
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

enum {
    SGEMM,
    TURN,
    RELU,
    SIGN,
    MULTIPLY,
    LOSS,
    SGD,
    KERNELS
};

/* All batches, in host memory. */
static float samples[BATCHES][BATCH * FEATURES];
static uint32_t labels[BATCHES][BATCH];

struct training {
    uint32_t devices;
    uint32_t share; /* samples of a batch for each device */
    struct trm_group *group;
    struct trm_collective *collective;
    struct trm_stream *compute[TRM_GROUP_DEVICES], *sums[TRM_GROUP_DEVICES];
    struct trm_group_kernel *kernels[KERNELS];
    struct trm_group_buffer *buffers[BUFFERS];
};

/* ---- kernels on one device ------------------------------------------------------------------ */

static struct trm_span span_of(const struct training *training, uint32_t device, uint32_t buffer)
{
    struct trm_buffer *one;

    must(trm_group_buffer_get(training->buffers[buffer], device, &one));
    return trm_span_whole(one);
}

static struct trm_argument buffer_of(const struct training *training, uint32_t device, uint32_t buffer)
{
    return trm_arg_span(span_of(training, device, buffer));
}

static void launch(const struct training *training, uint32_t device, uint32_t number,
                   const struct trm_argument *arguments, uint32_t count, uint32_t groups_x, uint32_t groups_y)
{
    const struct trm_grid grid = {.groups = {groups_x, groups_y, 1}};
    struct trm_kernel *kernel;

    must(trm_group_kernel_get(training->kernels[number], device, &kernel));
    must(trm_launch(training->compute[device], kernel, &grid, arguments, count));
}

/* c (m x n) = a (m x k) b (k x n) */
static void product(const struct training *training, uint32_t device, uint32_t a, uint32_t b, uint32_t c,
                    uint32_t m, uint32_t n, uint32_t k)
{
    const struct trm_argument arguments[] = {buffer_of(training, device, a),
                                             buffer_of(training, device, b),
                                             buffer_of(training, device, c),
                                             trm_arg_u32(m),
                                             trm_arg_u32(n),
                                             trm_arg_u32(k),
                                             trm_arg_f32(1.0f),
                                             trm_arg_f32(0.0f)};
    launch(training, device, SGEMM, arguments, 8, (n + 63) / 64, (m + 63) / 64);
}

static void turn(const struct training *training, uint32_t device, uint32_t from, uint32_t to, uint32_t rows,
                 uint32_t columns)
{
    const struct trm_argument arguments[] = {buffer_of(training, device, from),
                                             buffer_of(training, device, to), trm_arg_u32(rows),
                                             trm_arg_u32(columns)};
    launch(training, device, TURN, arguments, 4, (columns + 31) / 32, (rows + 31) / 32);
}

static void unary(const struct training *training, uint32_t device, uint32_t kernel, uint32_t from,
                  uint32_t to)
{
    uint32_t count                        = training->share * HIDDEN;
    const struct trm_argument arguments[] = {buffer_of(training, device, from),
                                             buffer_of(training, device, to), trm_arg_u32(count)};
    launch(training, device, kernel, arguments, 3, (count + 255) / 256, 1);
}

static void step(const struct training *training, uint32_t device, uint32_t gradient, uint32_t weights,
                 uint32_t velocity)
{
    uint32_t count                        = (uint32_t)elements[weights];
    const struct trm_argument arguments[] = {buffer_of(training, device, gradient),
                                             buffer_of(training, device, weights),
                                             buffer_of(training, device, velocity),
                                             trm_arg_f32(0.05f),
                                             trm_arg_f32(0.9f),
                                             trm_arg_f32(0.0f),
                                             trm_arg_u32(count)};
    launch(training, device, SGD, arguments, 7, (count + 255) / 256, 1);
}

/* ---- a batch -------------------------------------------------------------------------------- */

/* The device's part of a batch, as far as the gradient of W2. The gradients of all devices are parts of one
 * sum over the batch, so each divides by the size of the batch. */
static void forward(const struct training *training, uint32_t device, uint32_t batch)
{
    uint32_t share = training->share, first = device * share;
    struct trm_span x = span_of(training, device, X), classes = span_of(training, device, LABELS);
    const struct trm_argument arguments[] = {buffer_of(training, device, SCORES),
                                             buffer_of(training, device, LABELS),
                                             buffer_of(training, device, SOFTMAX),
                                             buffer_of(training, device, LOSSES),
                                             buffer_of(training, device, SCORES_GRADIENT),
                                             trm_arg_u32(CLASSES),
                                             trm_arg_f32(1.0f / BATCH)};

    x.length       = share * FEATURES * sizeof(float);
    classes.length = share * sizeof(uint32_t);
    must(trm_upload(training->compute[device], x, &samples[batch][first * FEATURES]));
    must(trm_upload(training->compute[device], classes, &labels[batch][first]));
    product(training, device, X, W1, PRODUCT, share, HIDDEN, FEATURES);
    unary(training, device, RELU, PRODUCT, HIDDEN_LAYER);
    product(training, device, HIDDEN_LAYER, W2, SCORES, share, CLASSES, HIDDEN);
    launch(training, device, LOSS, arguments, 7, share, 1);
    turn(training, device, HIDDEN_LAYER, HIDDEN_TURNED, share, HIDDEN);
    product(training, device, HIDDEN_TURNED, SCORES_GRADIENT, W2_GRADIENT, HIDDEN, CLASSES, share);
}

static void backward(const struct training *training, uint32_t device)
{
    uint32_t share                        = training->share;
    const struct trm_argument arguments[] = {
        buffer_of(training, device, HIDDEN_GRADIENT), buffer_of(training, device, SLOPE),
        buffer_of(training, device, PRODUCT_GRADIENT), trm_arg_u32(share * HIDDEN)};

    turn(training, device, W2, W2_TURNED, HIDDEN, CLASSES);
    product(training, device, SCORES_GRADIENT, W2_TURNED, HIDDEN_GRADIENT, share, HIDDEN, CLASSES);
    unary(training, device, SIGN, HIDDEN_LAYER, SLOPE);
    launch(training, device, MULTIPLY, arguments, 4, (share * HIDDEN + 255) / 256, 1);
    turn(training, device, X, X_TURNED, share, FEATURES);
    product(training, device, X_TURNED, PRODUCT_GRADIENT, W1_GRADIENT, FEATURES, HIDDEN, share);
}

/* Lets one stream of each device wait for the other. */
static void follow(const struct training *training, struct trm_stream *const *later,
                   struct trm_stream *const *earlier)
{
    struct trm_point point;

    for (uint32_t d = 0; d < training->devices; d++) {
        must(trm_stream_mark(earlier[d], &point));
        must(trm_stream_wait(later[d], point));
    }
}

/* Sums a gradient across the devices, behind what is enqueued now. */
static void sum(const struct training *training, uint32_t gradient)
{
    struct trm_span spans[TRM_GROUP_DEVICES];

    for (uint32_t d = 0; d < training->devices; d++)
        spans[d] = span_of(training, d, gradient);
    follow(training, training->sums, training->compute);
    must(trm_all_reduce(training->collective, training->sums, spans, spans, 1, TRM_TYPE_F32, TRM_REDUCE_SUM));
}

static void train_batch(const struct training *training, uint32_t batch, float *losses)
{
    for (uint32_t d = 0; d < training->devices; d++)
        forward(training, d, batch);
    sum(training, W2_GRADIENT);
    for (uint32_t d = 0; d < training->devices; d++)
        backward(training, d); /* while the sum is under way */
    sum(training, W1_GRADIENT);
    follow(training, training->compute, training->sums);
    for (uint32_t d = 0; d < training->devices; d++) {
        struct trm_span loss = span_of(training, d, LOSSES);
        loss.length          = training->share * sizeof(float);
        step(training, d, W1_GRADIENT, W1, V1);
        step(training, d, W2_GRADIENT, W2, V2);
        must(trm_download(training->compute[d], losses + (size_t)d * training->share, loss));
    }
}

/* ---- a training ----------------------------------------------------------------------------- */

/* Pseudo-random, from 0 to 1: the high bits of a linear congruential generator (D. Knuth's MMIX). */
static float chance(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(*state >> 40) / (float)(1 << 24);
}

static void make_batches(void)
{
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        uint64_t state = batch + 1;
        for (uint32_t i = 0; i < BATCH; i++) {
            float *x     = &samples[batch][i * FEATURES];
            float radius = chance(&state), noise = 0.2f * (chance(&state) - 0.5f);
            labels[batch][i] = i % CLASSES;
            float angle      = 4.0f * radius + noise + 2.0943951f * (float)labels[batch][i];
            x[0]             = radius * cosf(angle);
            x[1]             = radius * sinf(angle);
            x[2]             = 1.0f;
        }
    }
}

static void load_kernels(struct training *training)
{
    static const char *const names[KERNELS] = {
        "sgemm", "transpose", "unary", "unary", "binary", "softmax_cross_entropy", "sgd"};
    const struct trm_constant operations[KERNELS] = {[RELU]     = trm_constant_u32("operation", 10),
                                                     [SIGN]     = trm_constant_u32("operation", 18),
                                                     [MULTIPLY] = trm_constant_u32("operation", 2)};

    for (uint32_t i = 0; i < KERNELS; i++) {
        bool has_operation = i == RELU || i == SIGN || i == MULTIPLY;
        int32_t status     = trm_group_kernel_named(training->group, names[i], &operations[i],
                                                has_operation ? 1 : 0, &training->kernels[i]);
        if (status == TRM_ERROR_UNSUPPORTED) {
            puts(trm_last_error().sentence);
            exit(77);
        }
        must(status);
    }
}

/* Weights start as small random numbers, the same on all devices; everything else as zeros. */
static void make_buffers(struct training *training)
{
    static float values[BATCH * HIDDEN];

    for (uint32_t i = 0; i < BUFFERS; i++) {
        uint64_t state = elements[i];
        for (uint64_t k = 0; k < elements[i]; k++)
            values[k] = i == W1 || i == W2 ? 0.8f * (chance(&state) - 0.5f) : 0.0f;
        const struct trm_buffer_desc desc = {.struct_size = sizeof(desc),
                                             .kind        = TRM_MEMORY_DEVICE,
                                             .size        = elements[i] * sizeof(float),
                                             .data        = values};
        must(trm_group_buffer_create(training->group, &desc, &training->buffers[i]));
    }
}

static void open_streams(struct training *training)
{
    for (uint32_t d = 0; d < training->devices; d++) {
        struct trm_device *device;
        must(trm_group_device(training->group, d, &device));
        must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_NORMAL, &training->compute[d]));
        must(trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_HIGH, &training->sums[d]));
        trm_device_destroy(device);
    }
}

/* Trains on a group of devices; gets the loss of each sample of each batch. */
static void train(struct trm_group *group, float losses[BATCHES][BATCH])
{
    struct training training = {.group = group};

    must(trm_group_size(group, &training.devices));
    training.share = BATCH / training.devices;
    must(trm_collective_create(group, TRM_COLLECTIVE_DETERMINISTIC, &training.collective));
    load_kernels(&training);
    make_buffers(&training);
    open_streams(&training);
    for (uint32_t batch = 0; batch < BATCHES; batch++)
        train_batch(&training, batch, losses[batch]);
    for (uint32_t d = 0; d < training.devices; d++) {
        must(trm_stream_sync(training.compute[d]));
        trm_stream_destroy(training.compute[d]);
        trm_stream_destroy(training.sums[d]);
    }
    for (uint32_t i = 0; i < KERNELS; i++)
        trm_group_kernel_destroy(training.kernels[i]);
    for (uint32_t i = 0; i < BUFFERS; i++)
        trm_group_buffer_destroy(training.buffers[i]);
    trm_collective_destroy(training.collective);
}

/* ---- the program ---------------------------------------------------------------------------- */

/* The devices of the settings; if that is one, the processor as two devices, where it can be had. */
static void open_group(struct trm_context **context, struct trm_group **group)
{
    const struct trm_setting settings[]   = {{"cpu.devices", "2"}};
    const struct trm_context_desc divided = {
        .struct_size = sizeof(divided), .settings = settings, .setting_count = 1};
    struct trm_context *other;
    struct trm_group *both;
    uint32_t count;

    must(trm_context_create(NULL, context));
    must(trm_group_create(*context, NULL, group));
    must(trm_group_size(*group, &count));
    if (count > 1)
        return;
    must(trm_context_create(&divided, &other));
    if (trm_group_create(other, "cpu:*", &both) != TRM_OK) {
        trm_context_destroy(other);
        return;
    }
    trm_group_destroy(*group);
    trm_context_destroy(*context);
    *context = other;
    *group   = both;
}

/* A group of the first device of another one. */
static struct trm_group *first_of(struct trm_context *context, struct trm_group *group)
{
    struct trm_device_summary summary = {.struct_size = sizeof(summary)};
    char name[256];
    struct trm_device *device;
    struct trm_group *alone;
    uint32_t count;

    must(trm_group_device(group, 0, &device));
    must(trm_device_get_info(device, TRM_DEVICE_NAME, name, sizeof(name), NULL));
    must(trm_device_count(context, &count));
    for (uint32_t i = 0; i < count; i++) {
        must(trm_device_describe(context, i, &summary));
        if (strcmp(summary.name, name) == 0)
            break;
    }
    must(trm_group_create(context, summary.id, &alone));
    trm_device_destroy(device);
    return alone;
}

static double mean_of(const float *losses)
{
    double sum_of_all = 0;

    for (uint32_t i = 0; i < BATCH; i++)
        sum_of_all += (double)losses[i] / BATCH;
    return sum_of_all;
}

int main(void)
{
    static float together[BATCHES][BATCH], again[BATCHES][BATCH], alone[BATCHES][BATCH];
    struct trm_context *context;
    struct trm_group *group;
    uint32_t count;
    double apart = 0;

    open_group(&context, &group);
    must(trm_group_size(group, &count));
    if (BATCH % count != 0) {
        printf("%u samples are not divided among %u devices without rest\n", (unsigned)BATCH,
               (unsigned)count);
        return 77;
    }
    make_batches();
    train(group, together);
    train(group, again);
    struct trm_group *one = first_of(context, group);
    train(one, alone);
    for (uint32_t batch = 0; batch < BATCHES; batch++) {
        double difference = fabs(mean_of(together[batch]) - mean_of(alone[batch]));
        apart             = difference > apart ? difference : apart;
    }
    printf("on %u devices the loss falls from %.3f to %.3f; on one it differs by at most %.1e\n",
           (unsigned)count, mean_of(together[0]), mean_of(together[BATCHES - 1]), apart);
    expect(memcmp(together, again, sizeof(together)) == 0, "two trainings give the same bits");
    expect(apart < 1e-5, "the losses are those of one device");
    expect(mean_of(together[BATCHES - 1]) < 0.7 * mean_of(together[0]), "the network learns");

    trm_group_destroy(one);
    trm_group_destroy(group);
    trm_context_destroy(context);
    return 0;
}
