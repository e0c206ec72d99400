/* Plain C loops on all cores: what the compiler makes of them with OpenMP, -O3 and all that this processor
 * has.
 * SPDX-License-Identifier: MIT
 */
#include <omp.h>
#include <stdlib.h>

#include "kernel_work.h"

static float *x, *y; /* of saxpy, and for the fused multiply-adds */
static float *image, *blurred;
static float *numbers;

/* ---- the loops -------------------------------------------------------------------------------------- */

static void saxpy(void)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < SAXPY_COUNT; i++)
        y[i] = SAXPY_FACTOR * x[i] + y[i];
}

static __attribute__((noinline)) void blur_row(float *restrict to, const float *restrict from)
{
    enum {
        w = IMAGE_SIDE
    };

    for (int i = 1; i < w - 1; i++)
        to[i] = (from[i - w - 1] + from[i - w] + from[i - w + 1] + from[i - 1] + from[i] + from[i + 1] +
                 from[i + w - 1] + from[i + w] + from[i + w + 1]) *
                (1.0f / 9.0f);
}

static void blur(void)
{
#pragma omp parallel for schedule(static)
    for (size_t row = 1; row < IMAGE_SIDE - 1; row++)
        blur_row(blurred + row * IMAGE_SIDE, image + row * IMAGE_SIDE);
}

static double sum(void)
{
    float total = 0;

#pragma omp parallel for simd schedule(static) reduction(+ : total)
    for (size_t i = 0; i < SUM_COUNT; i++)
        total += numbers[i];
    return (double)total;
}

static __attribute__((noinline)) void fma_row(float *v, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        float value = v[i];
#pragma GCC unroll 32
        for (int step = 0; step < FMA_STEPS; step++)
            value = value * FMA_FACTOR + FMA_TERM;
        v[i] = value;
    }
}

static void fma_all(void)
{
#pragma omp parallel for schedule(static)
    for (size_t part = 0; part < 64; part++)
        fma_row(x + part * (FMA_COUNT / 64), FMA_COUNT / 64);
}

/* ---- the figures ------------------------------------------------------------------------------------ */

static double sample_saxpy(void)
{
    uint64_t begin = measure_now();

    saxpy();
    return work_rate(SAXPY_BYTES, begin);
}

static double sample_blur(void)
{
    uint64_t begin = measure_now();

    blur();
    double rate = work_rate(BLUR_BYTES, begin);
    work_check("OpenMP: the mean is wrong", (double)blurred[77 * IMAGE_SIDE + 99],
               work_blur_element(image, 77, 99));
    return rate;
}

static double sample_sum(void)
{
    uint64_t begin = measure_now();
    double total   = sum();
    double rate    = work_rate(SUM_BYTES, begin);

    work_check("OpenMP: the sum is wrong", total, SUM_RESULT);
    return rate;
}

static double sample_fma(void)
{
    uint64_t begin = measure_now();

    fma_all();
    return work_rate(FMA_WORK, begin);
}

static int open_loops(void)
{
    x       = work_floats(SAXPY_COUNT);
    y       = work_floats(SAXPY_COUNT);
    image   = work_floats((size_t)IMAGE_SIDE * IMAGE_SIDE);
    blurred = work_floats((size_t)IMAGE_SIDE * IMAGE_SIDE);
    numbers = work_eighths(SUM_COUNT);
    return 0;
}

static void close_loops(void)
{
    free(x);
    free(y);
    free(image);
    free(blurred);
    free(numbers);
}

static const struct measure_case cases[] = {
    {"kernel", "saxpy", "GB/s", sample_saxpy},
    {"kernel", "blur", "GB/s", sample_blur},
    {"kernel", "sum", "GB/s", sample_sum},
    {"kernel", "fma_32", "GFLOP/s", sample_fma},
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "openmp",
        .open         = open_loops,
        .first_kernel = fma_all,
        .close        = close_loops,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
