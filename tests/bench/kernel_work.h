/* The work of the suite "kernel": the same for Trireme and all peers.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TESTS_BENCH_KERNEL_WORK_H
#define TRIREME_TESTS_BENCH_KERNEL_WORK_H

#include <stddef.h>

#include "measure.h"

enum {
    SAXPY_COUNT = 32 << 20, /* y += 1.5 x: 12 bytes each */
    IMAGE_SIDE  = 4096,     /* mean of 3 × 3, floats: 8 bytes each */
    SUM_COUNT   = 64 << 20, /* 4 bytes each */
    FMA_COUNT   = 4 << 20,  /* FMA_STEPS fused multiply-adds each, in place */
    FMA_STEPS   = 32,
    GEMM_SIDE   = 1024, /* 2 × side³ operations */
};

#define SAXPY_FACTOR 1.5f
#define FMA_FACTOR 0.9990234375f
#define FMA_TERM 0.0009765625f

/* Floats between 0 and 1, in memory that is there. */
static inline float *work_floats(size_t count)
{
    float *floats = measure_memory(count * sizeof(float));

    for (size_t i = 0; i < count; i++)
        floats[i] = (float)(i * 2654435761u % 1024) / 1024;
    return floats;
}

/* Numbers whose sum is exact. */
static inline float *work_eighths(size_t count)
{
    float *floats = measure_memory(count * sizeof(float));

    for (size_t i = 0; i < count; i++)
        floats[i] = (float)(i % 8) / 8;
    return floats;
}

static inline double work_rate(double work, uint64_t begin)
{
    return work / (double)(measure_now() - begin);
}

#define SAXPY_BYTES (12.0 * SAXPY_COUNT)
#define BLUR_BYTES (8.0 * IMAGE_SIDE * IMAGE_SIDE)
#define SUM_BYTES (4.0 * SUM_COUNT)
#define FMA_WORK (2.0 * FMA_STEPS * FMA_COUNT)
#define GEMM_WORK (2.0 * GEMM_SIDE * GEMM_SIDE * GEMM_SIDE)
#define SUM_RESULT (SUM_COUNT / 8 * 3.5)

/* Ends the program when a result is wrong: a fast wrong answer is no figure. */
static inline void work_check(const char *what, double got, double wanted)
{
    double difference = got > wanted ? got - wanted : wanted - got;

    if (!(difference <= 1e-3 * wanted))
        measure_fail(what);
}

/* One element of the products and means, in double precision. */
static inline double work_gemm_element(const float *a, const float *b, size_t row, size_t column)
{
    double sum = 0;

    for (size_t k = 0; k < GEMM_SIDE; k++)
        sum += (double)a[row * GEMM_SIDE + k] * (double)b[k * GEMM_SIDE + column];
    return sum;
}

static inline double work_blur_element(const float *image, size_t row, size_t column)
{
    double sum = 0;

    for (size_t y = row - 1; y <= row + 1; y++)
        for (size_t x = column - 1; x <= column + 1; x++)
            sum += (double)image[y * IMAGE_SIDE + x];
    return sum / 9;
}

#endif
