/* The suite "wild": bodies, sorting, transforms and images, with references in double precision.
 * SPDX-License-Identifier: MIT
 */
#include "data.h"

/* ---- n_body: size bodies ------------------------------------------------------------------------------ */

#define BODY_STEP 0.001f
#define BODY_SOFTENING 0.01f

static void check_bodies(const struct wild_work *work)
{
    const float *bodies = floats_of(work, 0), *speeds = floats_of(work, 1);
    const float *new_bodies = floats_of(work, 2), *new_speeds = floats_of(work, 3);
    size_t count = work->sizes[0];

    for (size_t i = 0; i < count; i += stride_of(count, 64)) {
        double force[3] = {0, 0, 0};
        for (size_t j = 0; j < count; j++) {
            double d[3], square = (double)BODY_SOFTENING;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)bodies[4 * j + k] - (double)bodies[4 * i + k];
                square += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++)
                force[k] += d[k] * (double)bodies[4 * j + 3] / (square * sqrt(square));
        }
        for (int k = 0; k < 3; k++) {
            double speed = (double)speeds[4 * i + k] + force[k] * (double)BODY_STEP;
            compare(work, 4 * i + k, (double)new_speeds[4 * i + k], speed, 1e-4);
            compare(work, 4 * i + k, (double)new_bodies[4 * i + k],
                    (double)bodies[4 * i + k] + speed * (double)BODY_STEP, 1e-4);
        }
    }
}

void wild_make_bodies(struct wild_work *work, enum wild_size size)
{
    uint32_t count = size == WILD_LARGE ? 65536 : size == WILD_USUAL ? 8192 : 512;
    float *bodies  = add_noise(work, (size_t)count * 4);

    for (size_t i = 0; i < count; i++)
        bodies[4 * i + 3] = bodies[4 * i + 3] * 0.5f + 1.0f;
    add_noise(work, (size_t)count * 4);
    add_output(work, (size_t)count * 16);
    add_output(work, (size_t)count * 16);
    work->unit       = "GFLOP/s";
    work->amount     = 20.0 * count * count; /* as this kernel's operations are counted everywhere */
    work->sizes[0]   = count;
    work->check      = check_bodies;
    work->step_count = 1;
    work->steps[0]   = (struct wild_step){.kernel       = "n_body",
                                          .items        = {count, 1, 1},
                                          .group        = {256, 1, 1},
                                          .arrays       = {0, 1, 2, 3},
                                          .array_count  = 4,
                                          .numbers      = {whole(count), real(BODY_STEP), real(BODY_SOFTENING)},
                                          .number_count = 3};
}

/* ---- argsort and fft: size rows, of 1024 ------------------------------------------------------------- */

enum {
    ROW = 1024
};

/* The columns of a row are a permutation whose values ascend. */
static void check_order(const struct wild_work *work)
{
    const int32_t *order = work->arrays[1].data;

    for (size_t row = 0; row < work->sizes[0]; row++) {
        const float *x = floats_of(work, 0) + row * ROW;
        bool seen[ROW] = {false};
        for (size_t i = 0; i < ROW; i++) {
            int32_t column = order[row * ROW + i];
            bool is_right  = column >= 0 && column < ROW && !seen[column] &&
                            (i == 0 || x[order[row * ROW + i - 1]] <= x[column]);
            if (!is_right) {
                fprintf(stderr, "%s: column %d is in place %zu of row %zu\n", work->name, (int)column, i,
                        row);
                exit(1);
            }
            seen[column] = true;
        }
    }
}

void wild_make_order(struct wild_work *work, enum wild_size size)
{
    uint32_t rows = size == WILD_LARGE ? 16384 : size == WILD_USUAL ? 512 : 4;

    add_noise(work, (size_t)rows * ROW);
    add_output(work, (size_t)rows * ROW * sizeof(int32_t));
    work->unit       = "M/s";
    work->amount     = 1e3 * rows * ROW;
    work->sizes[0]   = rows;
    work->check      = check_order;
    work->step_count = 1;
    work->steps[0]   = (struct wild_step){.kernel      = "argsort",
                                          .items       = {rows * ROW, 1, 1},
                                          .group       = {ROW, 1, 1},
                                          .arrays      = {0, 1},
                                          .array_count = 2};
}

/* By the definition: some numbers of some rows. */
static void check_fft(const struct wild_work *work)
{
    const double turn = 2 * acos(-1.0) / ROW;

    for (size_t row = 0; row < work->sizes[0]; row += stride_of(work->sizes[0], 32)) {
        const float *x = floats_of(work, 0) + row * ROW * 2, *y = floats_of(work, 1) + row * ROW * 2;
        for (size_t k = row % 5; k < ROW; k += 13) {
            double real_part = 0, imaginary = 0;
            for (size_t i = 0; i < ROW; i++) {
                double c = cos(turn * (double)(i * k % ROW)), s = -sin(turn * (double)(i * k % ROW));
                real_part += (double)x[2 * i] * c - (double)x[2 * i + 1] * s;
                imaginary += (double)x[2 * i] * s + (double)x[2 * i + 1] * c;
            }
            compare(work, (row * ROW + k) * 2, (double)y[2 * k], real_part, 1e-4);
            compare(work, (row * ROW + k) * 2 + 1, (double)y[2 * k + 1], imaginary, 1e-4);
        }
    }
}

void wild_make_fft(struct wild_work *work, enum wild_size size)
{
    uint32_t rows = size == WILD_LARGE ? 16384 : size == WILD_USUAL ? 1024 : 4;

    add_noise(work, (size_t)rows * ROW * 2);
    add_output(work, (size_t)rows * ROW * 8);
    work->unit       = "GFLOP/s";
    work->amount     = 5.0 * rows * ROW * 10; /* 5 n log2 n, as for every such transform */
    work->sizes[0]   = rows;
    work->check      = check_fft;
    work->step_count = 1;
    work->steps[0]   = (struct wild_step){.kernel      = "fft",
                                          .items       = {rows * ROW / 4, 1, 1},
                                          .group       = {ROW / 4, 1, 1},
                                          .arrays      = {0, 1},
                                          .array_count = 2};
}

/* ---- warp: size width and height ---------------------------------------------------------------------- */

#define WARP_COS 0.8f
#define WARP_SIN 0.45f

static double texel(const struct wild_work *work, int64_t x, int64_t y, size_t channel)
{
    int64_t side            = work->sizes[0];
    const uint8_t *channels = work->arrays[0].data;

    x = x < 0 ? 0 : x >= side ? side - 1 : x;
    y = y < 0 ? 0 : y >= side ? side - 1 : y;
    return channels[(y * side + x) * 4 + (int64_t)channel] / 255.0;
}

/* Hardware weighs neighbours by 8 bits; the image is smooth, so that this costs less than a step of a
 * channel. */
static void check_warp(const struct wild_work *work)
{
    size_t side = work->sizes[0], count = side * side;
    const uint8_t *got = work->arrays[1].data;

    for (size_t i = 0; i < count; i += stride_of(count, 100000)) {
        double dx    = (double)(i % side) + 0.5 - 0.5 * (double)side,
               dy    = (double)(i / side) + 0.5 - 0.5 * (double)side;
        double x     = (double)WARP_COS * dx - (double)WARP_SIN * dy + 0.5 * (double)side - 0.5;
        double y     = (double)WARP_SIN * dx + (double)WARP_COS * dy + 0.5 * (double)side - 0.5;
        int64_t left = (int64_t)floor(x), top = (int64_t)floor(y);
        double fx = x - floor(x), fy = y - floor(y);
        for (size_t channel = 0; channel < 4; channel++) {
            double above =
                texel(work, left, top, channel) * (1 - fx) + texel(work, left + 1, top, channel) * fx;
            double below =
                texel(work, left, top + 1, channel) * (1 - fx) + texel(work, left + 1, top + 1, channel) * fx;
            compare(work, 4 * i + channel, got[4 * i + channel] / 255.0, above * (1 - fy) + below * fy,
                    1.01 / 255);
        }
    }
}

void wild_make_warp(struct wild_work *work, enum wild_size size)
{
    uint32_t side     = size == WILD_LARGE ? 4096 : size == WILD_USUAL ? 1024 : 48;
    size_t bytes      = (size_t)side * side * 4;
    uint8_t *channels = add_array(work, bytes);
    double *wave      = measure_memory(round_up(side * 4 * sizeof(*wave), 4096));

    for (size_t i = 0; i < (size_t)side * 4; i++)
        wave[i] = sin(0.05 * (double)(i / 4) + (double)(i % 4));
    for (size_t y = 0; y < side; y++) {
        double row = 120 * cos(0.04 * (double)y);
        for (size_t i = 0; i < (size_t)side * 4; i++)
            channels[y * side * 4 + i] = (uint8_t)(127.5 + row * wave[i]);
    }
    free(wave);
    add_output(work, bytes);
    for (int i = 0; i < 2; i++)
        work->arrays[i].width = work->arrays[i].height = side;
    work->unit       = "GB/s";
    work->amount     = 2.0 * (double)bytes;
    work->sizes[0]   = side;
    work->check      = check_warp;
    work->step_count = 1;
    work->steps[0]   = (struct wild_step){.kernel      = "warp",
                                          .items       = {side, side, 1},
                                          .group       = {16, 16, 1},
                                          .arrays      = {0, 1},
                                          .array_count = 2,
                                          .numbers = {whole(side), whole(side), real(WARP_COS), real(WARP_SIN)},
                                          .number_count = 4};
}
