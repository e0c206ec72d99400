/* transpose, sgemm and gemm_f16 beside double precision.
 * SPDX-License-Identifier: MIT
 */
#include "tests/kernels/harness.h"

#include <stdbool.h>

/* ---- transpose ---- */

START_TEST(transpose_turns_rows_into_columns)
{
    static const uint32_t shapes[][2] = {{0, 5},   {5, 0},   {1, 1},   {1, 100}, {100, 1}, {17, 31},
                                         {31, 17}, {32, 32}, {33, 31}, {64, 96}, {640, 3}, {200, 257}};
    struct kernel *transpose          = kernel_open("transpose", NULL, 0);

    for (size_t s = 0; s < COUNT(shapes); s++) {
        uint32_t rows = shapes[s][0], columns = shapes[s][1];
        size_t bytes  = (size_t)rows * columns * 4;
        float *source = random_floats((size_t)rows * columns, -1, 1, s + 1), *target = allocate(bytes);
        RUN(transpose, groups_for(columns, 32), groups_for(rows, 32), 1, read_only("source", source, bytes),
            write_only("target", target, bytes), scalar_u32("rows", rows), scalar_u32("columns", columns));
        for (uint32_t row = 0; row < rows; row++) {
            for (uint32_t column = 0; column < columns; column++)
                expect_near("target", column * rows + row, target[column * rows + row],
                            source[row * columns + column], 0);
        }
        free(source);
        free(target);
    }
    kernel_close(transpose);
}
END_TEST

/* ---- sgemm ---- */

struct product {
    uint32_t m, n, k;
    float alpha, beta;
};

/* Each element is a sum of k products and a few more operations: off by at most (k + 3) half ULPs of the sum
 * of the magnitudes (N. Higham, "Accuracy and stability of numerical algorithms", 2002, 3.1), twice that
 * where nothing is fused. */
static void check_element(const struct product *shape, const float *a, const float *b, const float *before,
                          const float *c, uint32_t row, uint32_t column)
{
    double sum = 0, magnitude = 0;
    size_t at = (size_t)row * shape->n + column;

    for (uint32_t i = 0; i < shape->k; i++) {
        double term = (double)a[(size_t)row * shape->k + i] * b[(size_t)i * shape->n + column];
        sum += term;
        magnitude += fabs(term);
    }
    sum *= shape->alpha;
    magnitude *= fabs(shape->alpha);
    if (shape->beta != 0) {
        sum += (double)shape->beta * before[at];
        magnitude += fabs((double)shape->beta * before[at]);
    }
    expect_near("c", at, c[at], sum, (shape->k + 3) * ULP * magnitude);
}

static void check_product(struct kernel *sgemm, const struct product *shape)
{
    size_t size_a = (size_t)shape->m * shape->k, size_b = (size_t)shape->k * shape->n;
    size_t size_c = (size_t)shape->m * shape->n;
    float *a = random_floats(size_a, -1, 1, 1), *b = random_floats(size_b, -1, 1, 2);
    float *before = random_floats(size_c, -1, 1, 3), *c = allocate(size_c * 4);

    if (shape->beta == 0) {
        for (size_t i = 0; i < size_c; i++)
            before[i] = NAN; /* must not be looked at */
    }
    memcpy(c, before, size_c * 4);
    RUN(sgemm, groups_for(shape->n, 64), groups_for(shape->m, 64), 1, read_only("a", a, size_a * 4),
        read_only("b", b, size_b * 4), read_write("c", c, size_c * 4), scalar_u32("m", shape->m),
        scalar_u32("n", shape->n), scalar_u32("k", shape->k), scalar_f32("alpha", shape->alpha),
        scalar_f32("beta", shape->beta));
    for (uint32_t row = 0; row < shape->m; row++) {
        for (uint32_t column = 0; column < shape->n; column++)
            check_element(shape, a, b, before, c, row, column);
    }
    free(a);
    free(b);
    free(before);
    free(c);
}

START_TEST(sgemm_multiplies_matrices_of_any_shape)
{
    static const struct product shapes[] = {
        {0, 3, 2, 1, 0},    {3, 0, 2, 1, 0},       {1, 1, 1, 1, 0},      {2, 3, 7, 1, 0},
        {64, 64, 16, 1, 0}, {63, 65, 17, 1, 0},    {65, 63, 15, 1, 0},   {1, 100, 64, 1, 0},
        {100, 1, 64, 1, 0}, {128, 192, 256, 1, 0}, {17, 31, 1000, 1, 0}, {129, 70, 33, 1, 0},
    };
    struct kernel *sgemm = kernel_open("sgemm", NULL, 0);

    for (size_t s = 0; s < COUNT(shapes); s++)
        check_product(sgemm, &shapes[s]);
    kernel_close(sgemm);
}
END_TEST

/* Threads of the stand-in for CUDA's driver are slow, and so are programs under an emulator. */
static bool is_slow(void)
{
    return getenv("TRIREME_CUDA_DRIVER") != NULL || getenv("TEST_EMULATOR") != NULL;
}

START_TEST(sgemm_multiplies_matrices_that_fill_no_tile)
{
    const struct product odd  = {is_slow() ? 200 : 1000, is_slow() ? 277 : 777, is_slow() ? 113 : 513, 1, 0};
    const struct product even = {is_slow() ? 300 : 1100, is_slow() ? 516 : 2308, 20, 1, 0.5f};
    const struct product wide = {is_slow() ? 300 : 1100, is_slow() ? 515 : 2307, 9, 1, 0};
    struct kernel *sgemm      = kernel_open("sgemm", NULL, 0);

    check_product(sgemm, &odd);
    check_product(sgemm, &even);
    check_product(sgemm, &wide);
    kernel_close(sgemm);
}
END_TEST

START_TEST(sgemm_scales_the_product_and_adds_what_was_there)
{
    static const struct product shapes[] = {
        {65, 66, 67, 2, 1}, {65, 66, 67, -0.5f, 0.25f}, {10, 10, 10, 0, 3},
        {10, 10, 0, 1, 2},  {10, 10, 0, 1, 0},
    };
    struct kernel *sgemm = kernel_open("sgemm", NULL, 0);

    for (size_t s = 0; s < COUNT(shapes); s++)
        check_product(sgemm, &shapes[s]);
    kernel_close(sgemm);
}
END_TEST

/* ---- gemm_f16 ---- */

/* Halves as bits, and the same as floats. */
static uint16_t *random_halves(float *values, size_t count, uint64_t seed)
{
    float *random    = random_floats(count, -1, 1, seed);
    uint16_t *halves = allocate(count * 2);

    for (size_t i = 0; i < count; i++) {
        halves[i] = half_of((double)random[i]);
        values[i] = (float)half_value(halves[i]);
    }
    free(random);
    return halves;
}

/* Tensor cores may round partial sums down instead of to the nearest: an ULP of the magnitude for each
 * product. */
static void check_half_product(struct kernel *gemm, const struct product *shape)
{
    size_t size_a = (size_t)shape->m * shape->k, size_b = (size_t)shape->k * shape->n;
    size_t size_c = (size_t)shape->m * shape->n;
    float *a = allocate(size_a * 4), *b = allocate(size_b * 4);
    uint16_t *halves_a = random_halves(a, size_a, 1), *halves_b = random_halves(b, size_b, 2);
    float *before = random_floats(size_c, -1, 1, 3), *c = allocate(size_c * 4);

    for (size_t i = 0; i < size_c && shape->beta == 0; i++)
        before[i] = NAN; /* must not be looked at */
    memcpy(c, before, size_c * 4);
    RUN(gemm, groups_for(shape->n, 128), groups_for(shape->m, 128), 1, read_only("a", halves_a, size_a * 2),
        read_only("b", halves_b, size_b * 2), read_write("c", c, size_c * 4), scalar_u32("m", shape->m),
        scalar_u32("n", shape->n), scalar_u32("k", shape->k), scalar_f32("alpha", shape->alpha),
        scalar_f32("beta", shape->beta));
    for (uint32_t row = 0; row < shape->m; row++) {
        for (uint32_t column = 0; column < shape->n; column++)
            check_element(shape, a, b, before, c, row, column);
    }
    free(a);
    free(b);
    free(halves_a);
    free(halves_b);
    free(before);
    free(c);
}

START_TEST(gemm_f16_multiplies_matrices_of_any_shape)
{
    static const struct product shapes[] = {
        {0, 3, 2, 1, 0},
        {3, 0, 2, 1, 0},
        {1, 1, 1, 1, 0},
        {2, 3, 7, 1, 0},
        {128, 128, 32, 1, 0},
        {127, 129, 33, 1, 0},
        {129, 127, 31, 1, 0},
        {1, 100, 64, 1, 0},
        {100, 1, 64, 1, 0},
        {17, 31, 300, 1, 0},
        {128, 256, 64, 2, 0},
        /* rows that begin at multiples of 16 bytes, and edges */
        {8, 8, 8, 1, 0},
        {136, 264, 72, 1, 0},
        {130, 8, 136, 1, 0},
        {256, 512, 320, 1, 0},
    };
    struct kernel *gemm = kernel_open("gemm_f16", NULL, 0);

    for (size_t s = 0; s < COUNT(shapes); s++)
        check_half_product(gemm, &shapes[s]);
    kernel_close(gemm);
}
END_TEST

START_TEST(gemm_f16_multiplies_matrices_that_fill_no_tile)
{
    /* The stand-in exchanges words between threads for every instruction of a tensor core. */
    const struct product odd  = {is_slow() ? 200 : 1000, is_slow() ? 277 : 777, is_slow() ? 113 : 513, 1, 0};
    const struct product even = {is_slow() ? 136 : 1000, is_slow() ? 264 : 776, is_slow() ? 72 : 520, 1, 0};
    struct kernel *gemm       = kernel_open("gemm_f16", NULL, 0);

    check_half_product(gemm, &odd);
    check_half_product(gemm, &even);
    kernel_close(gemm);
}
END_TEST

START_TEST(gemm_f16_scales_the_product_and_adds_what_was_there)
{
    static const struct product shapes[] = {
        {128, 128, 67, 2, 1},    {65, 66, 67, -0.5f, 0.25f}, {10, 10, 10, 0, 3},
        {136, 264, 72, 2, 0.5f}, {10, 10, 0, 1, 2},          {10, 10, 0, 1, 0},
    };
    struct kernel *gemm = kernel_open("gemm_f16", NULL, 0);

    for (size_t s = 0; s < COUNT(shapes); s++)
        check_half_product(gemm, &shapes[s]);
    kernel_close(gemm);
}
END_TEST

int main(void)
{
    TCase *group = suite_group("linear");

    tcase_add_test(group, transpose_turns_rows_into_columns);
    tcase_add_test(group, sgemm_multiplies_matrices_of_any_shape);
    tcase_add_test(group, sgemm_multiplies_matrices_that_fill_no_tile);
    tcase_add_test(group, sgemm_scales_the_product_and_adds_what_was_there);
    tcase_add_test(group, gemm_f16_multiplies_matrices_of_any_shape);
    tcase_add_test(group, gemm_f16_multiplies_matrices_that_fill_no_tile);
    tcase_add_test(group, gemm_f16_scales_the_product_and_adds_what_was_there);
    return suite_run(group);
}
