/* Trireme: the sum of gradients across devices, hidden behind a backward pass.
 *
 * The pass is a product of 1024 x 1024 matrices for each of 16 layers, on every device. Each gives a gradient
 * of 4 MiB, which is summed over the devices on streams of their own as soon as it is there. What the sums
 * add to the time of the pass, over the time that they take alone, is the part that is not hidden.
 * SPDX-License-Identifier: MIT
 */
#include "tools/bench/bench_team.h"

#include <stdlib.h>

enum {
    SIDE    = 1024,
    LAYERS  = 16,
    WARM_UP = 5, /* passes: the library tries its ways in the first calls */
};

#define LAYER_BYTES ((uint64_t)SIDE * SIDE * sizeof(float))

struct bench_backward {
    struct trm_group_kernel *product;
    struct trm_grid grid;
    struct trm_stream *sums[TRM_GROUP_DEVICES];
};

void bench_backward_end(struct bench_backward *backward, uint32_t devices)
{
    if (!backward)
        return;
    for (uint32_t d = 0; d < devices; d++)
        trm_stream_destroy(backward->sums[d]);
    trm_group_kernel_destroy(backward->product);
    free(backward);
}

/* ---- one pass ------------------------------------------------------------------------------------------ */

/* The layer's product on all devices: inputs are the matrices, outputs the gradients. */
static int32_t multiply(struct bench_team *team, uint32_t layer)
{
    struct bench_backward *backward = team->backward;
    int32_t status                  = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < team->devices; d++) {
        struct trm_span matrix   = trm_span_of(team->inputs[d], 0, LAYER_BYTES);
        struct trm_span gradient = trm_span_of(team->outputs[d], layer * LAYER_BYTES, LAYER_BYTES);
        const struct trm_argument arguments[] = {
            trm_arg_span(matrix), trm_arg_span(matrix), trm_arg_span(gradient), trm_arg_u32(SIDE),
            trm_arg_u32(SIDE),    trm_arg_u32(SIDE),    trm_arg_f32(1),         trm_arg_f32(0)};
        struct trm_kernel *kernel;
        status = trm_group_kernel_get(backward->product, d, &kernel);
        if (status == TRM_OK)
            status = trm_launch(team->streams[d], kernel, &backward->grid, arguments, 8);
    }
    return status;
}

/* Let the streams of the sums wait for what the devices' streams have so far, or the other way round. */
static int32_t follow(struct bench_team *team, struct trm_stream *const *followers,
                      struct trm_stream *const *leaders)
{
    int32_t status = TRM_OK;

    for (uint32_t d = 0; status == TRM_OK && d < team->devices; d++) {
        struct trm_point point;
        status = trm_stream_mark(leaders[d], &point);
        if (status == TRM_OK)
            status = trm_stream_wait(followers[d], point);
    }
    return status;
}

static int32_t sum(struct bench_team *team, uint32_t layer)
{
    struct trm_span gradients[TRM_GROUP_DEVICES];

    for (uint32_t d = 0; d < team->devices; d++)
        gradients[d] = trm_span_of(team->outputs[d], layer * LAYER_BYTES, LAYER_BYTES);
    return trm_all_reduce(team->collective, team->backward->sums, gradients, gradients, 1, TRM_TYPE_F32,
                          TRM_REDUCE_AVERAGE);
}

/* Nanoseconds of a pass with its products, its sums, or both. */
static int32_t run(struct bench_team *team, bool has_products, bool has_sums, double *time)
{
    int32_t status = bench_team_sync(team);
    uint64_t begin = bench_now();

    for (uint32_t layer = 0; status == TRM_OK && layer < LAYERS; layer++) {
        if (has_products)
            status = multiply(team, layer);
        if (status == TRM_OK && has_products && has_sums)
            status = follow(team, team->backward->sums, team->streams);
        if (status == TRM_OK && has_sums)
            status = sum(team, layer);
    }
    if (status == TRM_OK)
        status = follow(team, team->streams, team->backward->sums);
    if (status == TRM_OK)
        status = bench_team_sync(team);
    *time = (double)(bench_now() - begin);
    return status;
}

/* ---- the case ------------------------------------------------------------------------------------------ */

static int32_t open_backward(struct bench_team *team)
{
    struct bench_backward *backward = team->backward;
    struct trm_kernel *kernel;

    int32_t status = trm_group_kernel_named(team->group, "sgemm", NULL, 0, &backward->product);
    if (status == TRM_OK)
        status = trm_group_kernel_get(backward->product, 0, &kernel);
    if (status == TRM_OK)
        status = trm_kernel_grid(kernel, SIDE / 4, SIDE / 4, 1, &backward->grid);
    for (uint32_t d = 0; status == TRM_OK && d < team->devices; d++) {
        struct trm_device *device;
        status = trm_group_device(team->group, d, &device);
        if (status != TRM_OK)
            break;
        status = trm_stream_create(device, TRM_STREAM_COMPUTE, TRM_PRIORITY_HIGH, &backward->sums[d]);
        trm_device_destroy(device);
    }
    return status;
}

int32_t bench_backward_setup(struct bench *bench, const struct bench_case *test)
{
    double time;

    (void)test;
    int32_t status = bench_team_open(bench, 1, LAYERS * LAYER_BYTES);
    if (status != TRM_OK)
        return status;
    bench->team->backward = calloc(1, sizeof(*bench->team->backward));
    if (!bench->team->backward) {
        bench->complaint = "no host memory";
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    }
    status = open_backward(bench->team);
    for (uint32_t i = 0; status == TRM_OK && i < WARM_UP; i++)
        status = run(bench->team, false, true, &time);
    return status == TRM_OK ? run(bench->team, true, true, &time) : status;
}

/* The best of a few, each of which takes milliseconds. */
static int32_t best(struct bench *bench, bool has_products, bool has_sums, double *time)
{
    uint64_t passes = bench_scale(bench, 20);
    int32_t status  = TRM_OK;

    *time = 0;
    for (uint64_t i = 0; status == TRM_OK && i < passes; i++) {
        double one;
        status = run(bench->team, has_products, has_sums, &one);
        *time  = i == 0 || one < *time ? one : *time;
    }
    return status;
}

int32_t bench_backward_sample(struct bench *bench, const struct bench_case *test, double *value)
{
    double products = 0, sums = 0, both = 0;

    (void)test;
    int32_t status = best(bench, true, false, &products);
    if (status == TRM_OK)
        status = best(bench, false, true, &sums);
    if (status == TRM_OK)
        status = best(bench, true, true, &both);
    *value = status == TRM_OK ? 100 * (1 - (both - products) / sums) : 0;
    return status;
}
