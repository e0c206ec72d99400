/* The suite "wild": what neural networks are made of, with references in double precision.
 * SPDX-License-Identifier: MIT
 */
#include "data.h"

/* ---- q4_matvec: sizes rows, columns ----------------------------------------------------------------- */

struct q4_block {
    uint16_t scale;
    uint16_t quads[8];
};

/* A scale of 16 bits between 1/64 and 1/32, and what it is worth. */
static uint16_t scale_bits(size_t block)
{
    return (uint16_t)(9 << 10 | (uint32_t)(block * 2654435761u >> 7 & 1023));
}

static double scale_value(uint16_t bits)
{
    return ldexp(1.0 + (bits & 1023) / 1024.0, (bits >> 10) - 15);
}

static void check_q4(const struct wild_work *work)
{
    const struct q4_block *blocks = work->arrays[0].data;
    const float *x = floats_of(work, 1), *y = floats_of(work, 2);
    size_t count = work->sizes[1] / 32;

    for (size_t row = 0; row < work->sizes[0]; row += stride_of(work->sizes[0], 512)) {
        double sum = 0;
        for (size_t b = 0; b < count; b++) {
            const struct q4_block *block = &blocks[row * count + b];
            for (size_t i = 0; i < 32; i++) {
                int weight = block->quads[i % 16 / 2] >> (i % 2 * 8 + i / 16 * 4) & 15;
                sum += scale_value(block->scale) * (weight - 8) * (double)x[b * 32 + i];
            }
        }
        compare(work, row, (double)y[row], sum, 1e-4);
    }
}

void wild_make_q4(struct wild_work *work, enum wild_size size)
{
    uint32_t rows = size == WILD_LARGE ? 32768 : size == WILD_USUAL ? 4096 : 64, columns = 4096;
    size_t count            = (size_t)rows * columns / 32;
    struct q4_block *blocks = add_array(work, count * sizeof(*blocks));

    for (size_t i = 0; i < count; i++) {
        blocks[i].scale = scale_bits(i);
        for (size_t j = 0; j < 8; j++)
            blocks[i].quads[j] = (uint16_t)((noise(i * 8 + j) + 1.0f) * 32767.0f);
    }
    add_noise(work, columns);
    add_output(work, rows * sizeof(float));
    work->unit       = "GB/s";
    work->amount     = (double)count * sizeof(*blocks);
    work->sizes[0]   = rows;
    work->sizes[1]   = columns;
    work->check      = check_q4;
    work->step_count = 1;
    work->steps[0]   = (struct wild_step){.kernel       = "q4_matvec",
                                          .items        = {rows * 64, 1, 1},
                                          .group        = {64, 1, 1},
                                          .arrays       = {0, 1, 2},
                                          .array_count  = 3,
                                          .numbers      = {whole(columns)},
                                          .number_count = 1};
}

/* ---- softmax and layer_norm: sizes rows, columns ----------------------------------------------------- */

#define SOFTMAX_SCALE 5.0f
#define NORM_EPSILON 1e-5f

static void check_softmax(const struct wild_work *work)
{
    size_t columns = work->sizes[1];

    for (size_t row = 0; row < work->sizes[0]; row += stride_of(work->sizes[0], 256)) {
        const float *x = floats_of(work, 0) + row * columns, *y = floats_of(work, 1) + row * columns;
        double most = -INFINITY, sum = 0;
        for (size_t c = 0; c < columns; c++)
            most = fmax(most, (double)SOFTMAX_SCALE * (double)x[c]);
        for (size_t c = 0; c < columns; c++)
            sum += exp((double)SOFTMAX_SCALE * (double)x[c] - most);
        for (size_t c = 0; c < columns; c++)
            compare(work, row * columns + c, (double)y[c] * 1e3,
                    exp((double)SOFTMAX_SCALE * (double)x[c] - most) / sum * 1e3, 2e-5);
    }
}

static void check_norm(const struct wild_work *work)
{
    size_t columns    = work->sizes[1];
    const float *gain = floats_of(work, 1), *bias = floats_of(work, 2);

    for (size_t row = 0; row < work->sizes[0]; row += stride_of(work->sizes[0], 256)) {
        const float *x = floats_of(work, 0) + row * columns, *y = floats_of(work, 3) + row * columns;
        double mean = 0, squares = 0;
        for (size_t c = 0; c < columns; c++)
            mean += (double)x[c] / (double)columns;
        for (size_t c = 0; c < columns; c++)
            squares += ((double)x[c] - mean) * ((double)x[c] - mean) / (double)columns;
        for (size_t c = 0; c < columns; c++)
            compare(work, row * columns + c, (double)y[c],
                    ((double)x[c] - mean) / sqrt(squares + (double)NORM_EPSILON) * (double)gain[c] +
                        (double)bias[c],
                    1e-5);
    }
}

static void set_rows(struct wild_work *work, enum wild_size size)
{
    work->sizes[0]   = size == WILD_LARGE ? 32768 : size == WILD_USUAL ? 2048 : 16;
    work->sizes[1]   = 1024;
    work->unit       = "GB/s";
    work->amount     = 8.0 * work->sizes[0] * work->sizes[1];
    work->step_count = 1;
}

void wild_make_softmax(struct wild_work *work, enum wild_size size)
{
    set_rows(work, size);
    uint32_t rows = work->sizes[0], columns = work->sizes[1];
    add_noise(work, (size_t)rows * columns);
    add_output(work, (size_t)rows * columns * sizeof(float));
    work->check    = check_softmax;
    work->steps[0] = (struct wild_step){.kernel       = "softmax",
                                        .items        = {rows * 256, 1, 1},
                                        .group        = {256, 1, 1},
                                        .arrays       = {0, 1},
                                        .array_count  = 2,
                                        .numbers      = {whole(columns), real(SOFTMAX_SCALE)},
                                        .number_count = 2};
}

void wild_make_norm(struct wild_work *work, enum wild_size size)
{
    set_rows(work, size);
    uint32_t rows = work->sizes[0], columns = work->sizes[1];
    add_noise(work, (size_t)rows * columns);
    add_noise(work, columns);
    add_noise(work, columns);
    add_output(work, (size_t)rows * columns * sizeof(float));
    work->check    = check_norm;
    work->steps[0] = (struct wild_step){.kernel       = "layer_norm",
                                        .items        = {rows * 256, 1, 1},
                                        .group        = {256, 1, 1},
                                        .arrays       = {0, 1, 2, 3},
                                        .array_count  = 4,
                                        .numbers      = {whole(columns), real(NORM_EPSILON)},
                                        .number_count = 2};
}

/* ---- im2col_gemm: sizes width and height, channels, filters ------------------------------------------ */

/* Pixel (x, y) of a channel, 0 outside of the image. */
static double pixel(const float *image, int64_t side, int64_t channel, int64_t x, int64_t y)
{
    return x < 0 || x >= side || y < 0 || y >= side ? 0.0 : (double)image[(channel * side + y) * side + x];
}

static void check_im2col(const struct wild_work *work)
{
    int64_t side = work->sizes[0], channels = work->sizes[1], pixels = side * side;
    const float *image = floats_of(work, 0), *weights = floats_of(work, 1), *got = floats_of(work, 3);
    size_t count = (size_t)pixels * work->sizes[2];

    for (size_t i = 0; i < count; i += stride_of(count, 4000)) {
        int64_t filter = (int64_t)i / pixels, x = (int64_t)i % pixels % side, y = (int64_t)i % pixels / side;
        double sum = 0;
        for (int64_t row = 0; row < channels * 9; row++)
            sum += (double)weights[filter * channels * 9 + row] *
                   pixel(image, side, row / 9, x + row % 3 - 1, y + row % 9 / 3 - 1);
        compare(work, i, (double)got[i], sum, 1e-4);
    }
}

void wild_make_im2col(struct wild_work *work, enum wild_size size)
{
    uint32_t side     = size == WILD_LARGE ? 112 : size == WILD_USUAL ? 56 : 12;
    uint32_t channels = size == WILD_LARGE ? 128 : size == WILD_USUAL ? 64 : 3;
    uint32_t filters = channels, pixels = side * side, rows = channels * 9;

    add_noise(work, (size_t)channels * pixels);
    add_noise(work, (size_t)filters * rows);
    add_output(work, (size_t)rows * pixels * sizeof(float));
    add_output(work, (size_t)filters * pixels * sizeof(float));
    work->unit       = "GFLOP/s";
    work->amount     = 2.0 * filters * rows * pixels;
    work->sizes[0]   = side;
    work->sizes[1]   = channels;
    work->sizes[2]   = filters;
    work->check      = check_im2col;
    work->step_count = 2;
    work->steps[0]   = (struct wild_step){.kernel       = "im2col",
                                          .items        = {round_up(pixels, 256), rows, 1},
                                          .group        = {256, 1, 1},
                                          .arrays       = {0, 2},
                                          .array_count  = 2,
                                          .numbers      = {whole(side), whole(side)},
                                          .number_count = 2};
    work->steps[1]   = (struct wild_step){.kernel       = "gemm",
                                          .items        = {round_up(pixels, 16), round_up(filters, 16), 1},
                                          .group        = {16, 16, 1},
                                          .arrays       = {1, 2, 3},
                                          .array_count  = 3,
                                          .numbers      = {whole(filters), whole(pixels), whole(rows)},
                                          .number_count = 3};
}

/* ---- rotary: sizes tokens, heads, values of a head ---------------------------------------------------- */

#define ROTARY_BASE 10000.0f

/* Positions are below 512, so that the angles, in floats, have four decimal places. */
static void check_rotary(const struct wild_work *work)
{
    uint32_t heads = work->sizes[1], size = work->sizes[2], half = size / 2;
    const float *x = floats_of(work, 0), *y = floats_of(work, 2);
    const int32_t *positions = work->arrays[1].data;
    size_t count             = (size_t)work->sizes[0] * heads * half;

    for (size_t pair = 0; pair < count; pair += stride_of(count, 100000)) {
        size_t i = pair % half, at = pair / half * size + i;
        double angle = positions[pair / half / heads] * pow((double)ROTARY_BASE, -2.0 * (double)i / size);
        double c = cos(angle), s = sin(angle), first = (double)x[at], second = (double)x[at + half];
        compare(work, at, (double)y[at], first * c - second * s, 2e-3);
        compare(work, at + half, (double)y[at + half], first * s + second * c, 2e-3);
    }
}

void wild_make_rotary(struct wild_work *work, enum wild_size size)
{
    uint32_t tokens = size == WILD_LARGE ? 4096 : size == WILD_USUAL ? 512 : 4, heads = 32, values = 128;
    size_t count = (size_t)tokens * heads * values;

    add_noise(work, count);
    int32_t *positions = add_array(work, tokens * sizeof(*positions));
    for (uint32_t i = 0; i < tokens; i++)
        positions[i] = (int32_t)(i % 512);
    add_output(work, count * sizeof(float));
    work->unit       = "GB/s";
    work->amount     = 8.0 * (double)count;
    work->sizes[0]   = tokens;
    work->sizes[1]   = heads;
    work->sizes[2]   = values;
    work->check      = check_rotary;
    work->step_count = 1;
    work->steps[0]   = (struct wild_step){.kernel       = "rotary",
                                          .items        = {values / 2, heads, tokens},
                                          .group        = {64, 1, 1},
                                          .arrays       = {0, 1, 2},
                                          .array_count  = 3,
                                          .numbers      = {whole(heads), whole(values), real(ROTARY_BASE)},
                                          .number_count = 3};
}

/* ---- depthwise: sizes width and height, channels ------------------------------------------------------ */

static void check_depthwise(const struct wild_work *work)
{
    int64_t side = work->sizes[0], pixels = side * side;
    const float *image = floats_of(work, 0), *weights = floats_of(work, 1), *bias = floats_of(work, 2);
    const float *got = floats_of(work, 3);
    size_t count     = (size_t)pixels * work->sizes[1];

    for (size_t i = 0; i < count; i += stride_of(count, 200000)) {
        int64_t channel = (int64_t)i / pixels, x = (int64_t)i % pixels % side, y = (int64_t)i % pixels / side;
        double sum = (double)bias[channel];
        for (int64_t place = 0; place < 9; place++)
            sum += (double)weights[channel * 9 + place] *
                   pixel(image, side, channel, x + place % 3 - 1, y + place / 3 - 1);
        compare(work, i, (double)got[i], fmin(fmax(sum, 0.0), 6.0), 1e-5);
    }
}

void wild_make_depthwise(struct wild_work *work, enum wild_size size)
{
    uint32_t side     = size == WILD_LARGE ? 512 : size == WILD_USUAL ? 224 : 33;
    uint32_t channels = size == WILD_LARGE ? 128 : size == WILD_USUAL ? 64 : 3, items = round_up(side, 16);
    size_t count = (size_t)side * side * channels;

    add_noise(work, count);
    add_noise(work, channels * 9);
    add_noise(work, channels);
    add_output(work, count * sizeof(float));
    work->unit       = "GB/s";
    work->amount     = 8.0 * (double)count;
    work->sizes[0]   = side;
    work->sizes[1]   = channels;
    work->check      = check_depthwise;
    work->step_count = 1;
    work->steps[0]   = (struct wild_step){.kernel       = "depthwise",
                                          .items        = {items, items, channels},
                                          .group        = {16, 16, 1},
                                          .arrays       = {0, 1, 2, 3},
                                          .array_count  = 4,
                                          .numbers      = {whole(side), whole(side)},
                                          .number_count = 2};
}
