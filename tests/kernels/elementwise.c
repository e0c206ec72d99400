/* fill, axpy, fma_chain, binary and unary beside double precision.
 *
 * How near: addition, subtraction and multiplication are rounded once; what a device may make of the rest is
 * what Vulkan allows it ("Precision of core SPIR-V instructions" and "… of GLSL.std.450 instructions" in its
 * specification).
 * SPDX-License-Identifier: MIT
 */
#include "tests/kernels/harness.h"

#define GROUP 256

/* ---- fill, axpy, fma_chain ---- */

START_TEST(fill_sets_every_element_and_nothing_behind_them)
{
    struct kernel *fill = kernel_open("fill", NULL, 0);

    for (size_t s = 0; s < COUNT(sizes); s++) {
        size_t n      = sizes[s];
        float *target = allocate(n * 4);
        RUN(fill, groups_for(n, GROUP), 1, 1, write_only("target", target, n * 4), scalar_f32("value", -2.5f),
            scalar_u32("count", (uint32_t)n));
        for (size_t i = 0; i < n; i++)
            expect_near("target", i, target[i], -2.5, 0);
        free(target);
    }
    kernel_close(fill);
}
END_TEST

/* x, y and what a * x + y may be off by: two roundings where it is not fused. */
static void check_axpy(struct kernel *axpy, size_t n, uint32_t groups, float a)
{
    float *x = random_floats(n, -100, 100, 1), *y = random_floats(n, -100, 100, 2);
    float *result = allocate(n * 4);

    memcpy(result, y, n * 4);
    RUN(axpy, groups, 1, 1, read_only("x", x, n * 4), read_write("y", result, n * 4), scalar_f32("a", a),
        scalar_u32("count", (uint32_t)n));
    for (size_t i = 0; i < n; i++) {
        double product = (double)a * x[i], expected = product + y[i];
        expect_near("y", i, result[i], expected, 0.5 * ULP * (fabs(product) + fabs(expected)));
    }
    free(x);
    free(y);
    free(result);
}

START_TEST(axpy_adds_a_multiple_of_x_to_y)
{
    struct kernel *axpy = kernel_open("axpy", NULL, 0);

    for (size_t s = 0; s < COUNT(sizes); s++)
        check_axpy(axpy, sizes[s], groups_for(sizes[s], GROUP), 1.7f);
    check_axpy(axpy, 1000, 4, 0);
    check_axpy(axpy, 1000, 40, -3); /* more groups than there is work for */
    kernel_close(axpy);
}
END_TEST

START_TEST(axpy_with_another_group_size_gives_the_same)
{
    static const uint32_t groups[] = {1, 7, 64, 128};

    for (size_t g = 0; g < COUNT(groups); g++) {
        struct constant size = {NULL, groups[g]};
        struct kernel *axpy  = kernel_open("axpy", &size, 1);
        check_axpy(axpy, 257, groups_for(257, groups[g]), 1.7f);
        kernel_close(axpy);
    }
}
END_TEST

/* With |a| < 1 an error shrinks from link to link; each adds two roundings of what is at most 4 here. */
static void check_fma_chain(struct kernel *chain, uint32_t links, size_t n)
{
    const float a = -0.75f, b = 0.5f;
    float *source = random_floats(n, -2, 2, 3), *target = allocate(n * 4);

    RUN(chain, groups_for(n, GROUP), 1, 1, read_only("source", source, n * 4),
        write_only("target", target, n * 4), scalar_f32("a", a), scalar_f32("b", b),
        scalar_u32("count", (uint32_t)n));
    for (size_t i = 0; i < n; i++) {
        double expected = source[i];
        for (uint32_t link = 0; link < links; link++)
            expected = a * expected + b;
        expect_near("target", i, target[i], expected, links == 0 ? 0 : 4 * (2 * 0.5 * ULP) * 4);
    }
    free(source);
    free(target);
}

START_TEST(fma_chain_repeats_its_step_as_often_as_it_is_told)
{
    static const uint32_t links[] = {0, 1, 2, 32, 100};

    for (size_t l = 0; l < COUNT(links); l++) {
        struct constant constant = {"links", links[l]};
        struct kernel *chain     = kernel_open("fma_chain", &constant, links[l] == 32 ? 0 : 1);
        for (size_t s = 0; s < COUNT(sizes); s++)
            check_fma_chain(chain, links[l], sizes[s]);
        kernel_close(chain);
    }
}
END_TEST

/* ---- binary ---- */

struct binary_case {
    double (*reference)(double a, double b);
    double low_a, high_a, low_b, high_b;
    double absolute;  /* tolerance */
    double ulps;      /* of the result */
    double ulps_each; /* of the result, times the magnitude of b */
    int exact_edges;  /* edges[] is defined for it */
};

static double add(double a, double b)
{
    return a + b;
}

static double subtract(double a, double b)
{
    return a - b;
}

static double multiply(double a, double b)
{
    return a * b;
}

static double divide(double a, double b)
{
    return a / b;
}

static double modulo(double a, double b)
{
    return a - b * floor(a / b);
}

static double equal(double a, double b)
{
    return a == b;
}

static double less(double a, double b)
{
    return a < b;
}

static double greater(double a, double b)
{
    return a > b;
}

/* By `operation`. Power: exp2(b * log2(a)), of log2(a) up to 10 here: 3 ULP of it become 3 * |b| * 10 * ln 2
 * of the result, and exp2's own are 3 + 2 * |b| * 10. Modulo: integers, so that a / b is never just beside an
 * integer by an error of the division alone. */
static const struct binary_case binary_cases[] = {
    {add, -100, 100, -100, 100, 0, 0.5, 0, 1},
    {subtract, -100, 100, -100, 100, 0, 0.5, 0, 1},
    {multiply, -100, 100, -100, 100, 0, 0.5, 0, 1},
    {divide, -100, 100, 0.1, 100, 0, 2.5, 0, 0},
    {fmin, -100, 100, -100, 100, 0, 0, 0, 0},
    {fmax, -100, 100, -100, 100, 0, 0, 0, 0},
    {pow, 0.001, 1000, -4, 4, 0, 8, 45, 0},
    {atan2, -10, 10, -10, 10, 0, 4096, 0, 0},
    {modulo, -1000, 1000, 0.5, 17, 0, 0, 0, 0},
    {equal, -2, 2, -2, 2, 0, 0, 0, 1},
    {less, -2, 2, -2, 2, 0, 0, 0, 1},
    {greater, -2, 2, -2, 2, 0, 0, 0, 1},
};

enum {
    BINARY_MODULO = 8,
    BINARY_EQUAL  = 9
};

/* What the operations are defined for that the random numbers do not have. Only sums and the like that are
 * exact. */
static const float edges[][2] = {
    {0, 0},     {0, 5},  {-5, 0},          {INFINITY, 1},         {1, -INFINITY}, {0x1p127f, 1},
    {-0.0f, 0}, {3, -3}, {16777216, -0.5}, {0x1p-100f, 0x1p-20f}, {1, 1},         {-1, 1},
};

/* Modulo wants integers, or multiples of a half, and comparisons want some that are equal. */
static void make_binary_inputs(uint32_t operation, size_t n, float *a, float *b)
{
    const struct binary_case *test = &binary_cases[operation];
    struct generator generator     = {operation + 77};

    for (size_t i = 0; i < n; i++) {
        a[i] = random_f32(&generator, test->low_a, test->high_a);
        b[i] = random_f32(&generator, test->low_b, test->high_b);
        if (operation == BINARY_MODULO) {
            a[i] = truncf(a[i]);
            b[i] = i % 2 ? 0.5f : truncf(b[i]) + 1;
        } else if (operation >= BINARY_EQUAL) {
            a[i] = roundf(a[i]);
            b[i] = roundf(b[i]);
        }
        if (test->exact_edges && i < COUNT(edges)) {
            a[i] = edges[i][0];
            b[i] = edges[i][1];
        }
    }
}

static void check_binary(struct kernel *binary, uint32_t operation, size_t n)
{
    const struct binary_case *test = &binary_cases[operation];
    float *a = allocate(n * 4), *b = allocate(n * 4), *result = allocate(n * 4);

    make_binary_inputs(operation, n, a, b);
    RUN(binary, groups_for(n, GROUP), 1, 1, read_only("a", a, n * 4), read_only("b", b, n * 4),
        write_only("result", result, n * 4), scalar_u32("count", (uint32_t)n));
    for (size_t i = 0; i < n; i++) {
        double expected = test->reference(a[i], b[i]);
        double tolerance =
            test->absolute + (test->ulps + test->ulps_each * fabs(b[i])) * ULP * fabs(expected);
        expect_near("result", i, result[i], expected, tolerance);
    }
    free(a);
    free(b);
    free(result);
}

START_TEST(binary_does_what_its_operation_says)
{
    uint32_t operation       = (uint32_t)_i;
    struct constant constant = {"operation", operation};
    struct kernel *binary    = kernel_open("binary", &constant, 1);

    for (size_t s = 0; s < COUNT(sizes); s++)
        check_binary(binary, operation, sizes[s]);
    kernel_close(binary);
}
END_TEST

/* ---- unary ---- */

struct unary_case {
    double (*reference)(double x);
    double low, high;
    double absolute;  /* tolerance */
    double ulps;      /* of the result */
    double ulps_each; /* of the result, times the magnitude of x */
    int edges;        /* enum edge: which of edge_values[] it is defined for */
};

enum edge {
    EDGE_NONE     = 0,
    EDGE_ZEROS    = 3,  /* as many of edge_values: zeros and a small number */
    EDGE_INFINITE = 9,  /* and great ones, halves and infinities */
    EDGE_ALL      = 10, /* and NaN */
};

static const float edge_values[] = {0,    -0.0f, 0x1p-126f, 8388609,   -16777216,
                                    2.5f, -2.5f, INFINITY,  -INFINITY, NAN};

static double negate(double x)
{
    return -x;
}

static double inverse_sqrt(double x)
{
    return 1 / sqrt(x);
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

static double relu(double x)
{
    return x > 0 ? x : 0;
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double reciprocal(double x)
{
    return 1 / x;
}

static double square(double x)
{
    return x * x;
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

static double silu(double x)
{
    return x * sigmoid(x);
}

/* By `operation`. sqrt is 1 / inversesqrt: 2 + 2.5. log: 3 ULP, 2^-21 near 1. sin, cos: 2^-11 from -pi to pi,
 * and tan, their quotient, 2^-11 (1 / cos + sin / cos^2) < 2^-8 from -1 to 1. tanh of exponentials: near 0
 * their absolute error counts. sigmoid: one exponential, one sum, one division. gelu: half of x times the
 * error of tanh(y), y up to 4 where it counts. */
static const struct unary_case unary_cases[] = {
    {negate, -100, 100, 0, 0, 0, EDGE_ALL},
    {fabs, -100, 100, 0, 0, 0, EDGE_ALL},
    {sqrt, 0, 1000, 0, 4.5, 0, EDGE_NONE},
    {inverse_sqrt, 0.001, 1000, 0, 2, 0, EDGE_NONE},
    {exp, -20, 20, 0, 3, 2, EDGE_NONE},
    {log, 0.001, 1000, 0x1p-21, 3, 0, EDGE_NONE},
    {sin, -3.14, 3.14, 0x1p-11, 0, 0, EDGE_NONE},
    {cos, -3.14, 3.14, 0x1p-11, 0, 0, EDGE_NONE},
    {tanh, -15, 15, 0x1p-20, 12, 4, EDGE_NONE},
    {sigmoid, -15, 15, 0, 8, 2, EDGE_NONE},
    {relu, -100, 100, 0, 0, 0, EDGE_INFINITE},
    {gelu, -10, 10, 0x1p-16, 4, 0, EDGE_NONE},
    {floor, -100, 100, 0, 0, 0, EDGE_INFINITE},
    {ceil, -100, 100, 0, 0, 0, EDGE_INFINITE},
    {nearbyint, -100, 100, 0, 0, 0, EDGE_INFINITE},
    {trunc, -100, 100, 0, 0, 0, EDGE_INFINITE},
    {reciprocal, 0.001, 1000, 0, 2.5, 0, EDGE_NONE},
    {square, -100, 100, 0, 0.5, 0, EDGE_NONE},
    {sign, -1, 1, 0, 0, 0, EDGE_INFINITE},
    {silu, -15, 15, 0, 9, 2, EDGE_NONE},
    {exp2, -20, 20, 0, 3, 2, EDGE_NONE},
    {log2, 0.001, 1000, 0x1p-21, 3, 0, EDGE_NONE},
    {tan, -1, 1, 0x1p-8, 0, 0, EDGE_NONE},
};

static void check_unary(struct kernel *unary, uint32_t operation, size_t n)
{
    const struct unary_case *test = &unary_cases[operation];
    float *x = random_floats(n, test->low, test->high, operation + 5), *result = allocate(n * 4);

    for (size_t i = 0; i < n && i < (size_t)test->edges; i++)
        x[i] = edge_values[i];
    RUN(unary, groups_for(n, GROUP), 1, 1, read_only("x", x, n * 4), write_only("result", result, n * 4),
        scalar_u32("count", (uint32_t)n));
    for (size_t i = 0; i < n; i++) {
        double expected = test->reference(x[i]);
        double relative =
            isinf(expected) ? 0 : (test->ulps + test->ulps_each * fabs(x[i])) * ULP * fabs(expected);
        expect_near("result", i, result[i], expected, test->absolute + relative);
    }
    free(x);
    free(result);
}

START_TEST(unary_does_what_its_operation_says)
{
    uint32_t operation       = (uint32_t)_i;
    struct constant constant = {"operation", operation};
    struct kernel *unary     = kernel_open("unary", &constant, 1);

    for (size_t s = 0; s < COUNT(sizes); s++)
        check_unary(unary, operation, sizes[s]);
    kernel_close(unary);
}
END_TEST

/* Where exponentials overflow on the way, the result still is what it should be. */
START_TEST(unary_saturates_where_its_exponentials_overflow)
{
    static const struct {
        uint32_t operation;
        float x;
        double expected;
    } cases[] = {
        {8, 200, 1}, {8, -200, -1}, {9, 200, 1}, {9, -200, 0}, {11, 200, 200}, {11, -200, 0}, {19, 200, 200},
    };

    for (size_t c = 0; c < COUNT(cases); c++) {
        struct constant constant = {"operation", cases[c].operation};
        struct kernel *unary     = kernel_open("unary", &constant, 1);
        float x                  = cases[c].x, result;
        RUN(unary, 1, 1, 1, read_only("x", &x, 4), write_only("result", &result, 4), scalar_u32("count", 1));
        expect_near("result", c, result, cases[c].expected, 9 * ULP * fabs(cases[c].expected));
        kernel_close(unary);
    }
}
END_TEST

int main(void)
{
    TCase *group = suite_group("elementwise");

    tcase_add_test(group, fill_sets_every_element_and_nothing_behind_them);
    tcase_add_test(group, axpy_adds_a_multiple_of_x_to_y);
    tcase_add_test(group, axpy_with_another_group_size_gives_the_same);
    tcase_add_test(group, fma_chain_repeats_its_step_as_often_as_it_is_told);
    tcase_add_loop_test(group, binary_does_what_its_operation_says, 0, COUNT(binary_cases));
    tcase_add_loop_test(group, unary_does_what_its_operation_says, 0, COUNT(unary_cases));
    tcase_add_test(group, unary_saturates_where_its_exponentials_overflow);
    return suite_run(group);
}
