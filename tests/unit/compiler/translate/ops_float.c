/* Floats of all widths in translated shaders: exact where the language requires it, else within its
 * precision.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "tests/unit/compiler/translate/ops.h"
#include "tests/unit/runner.h"

enum {
    COUNT = 1024
};

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* The distance of `got` from `want` in units in the last place. */
static double ulps(float got, double want)
{
    int exponent;

    if (isnan(want))
        return isnan(got) ? 0 : HUGE_VAL;
    if (fabs(want) > 0x1.ffffffp+127)
        return fabsf(got) > 0x1.fffffcp+127f && !signbit(got) == !signbit(want) ? 0 : HUGE_VAL;
    if (isnan(got) || isinf(got))
        return HUGE_VAL;
    frexp(want, &exponent);
    return fabs((double)got - want) / ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
}

static void near_to(int number, float a, float b, float c, float got, double want, double most)
{
    ck_assert_msg(ulps(got, want) <= most, "%a, %a, %a: result %d is %a, not %a", (double)a, (double)b,
                  (double)c, number, (double)got, want);
}

/* A product and a sum, each rounded. */
static float separately(float a, float b, float c)
{
    volatile float product = a * b;

    return product + c;
}

static float clamped(float x, float low, float high)
{
    x = x < low ? low : x;
    return x > high ? high : x;
}

static void check_float(float a, float b, float c, const float *r)
{
    double x = a, y = b, z = c;
    int exponent = 0;
    double part  = frexp(x, &exponent), whole;
    double t     = (x + 3) / 6;

#define EXACT(number, value) near_to(number, a, b, c, r[number], (double)(float)(value), 0)
#define NEAR(number, value, most) near_to(number, a, b, c, r[number], value, most)
    EXACT(0, a + b);
    EXACT(1, a - b);
    EXACT(2, a * b);
    EXACT(3, separately(a, b, c));
    NEAR(4, x / y, 2.5);
    EXACT(5, -a);
    EXACT(6, fabsf(a));
    EXACT(7, (a > 0) - (a < 0));
    EXACT(8, floorf(a));
    EXACT(9, ceilf(a));
    EXACT(10, truncf(a));
    EXACT(11, rintf(a));
    EXACT(12, rintf(a));
    EXACT(13, a - floorf(a));
    EXACT(14, b < a ? b : a);
    EXACT(15, a < b ? b : a);
    EXACT(16, clamped(a, -2.5f, 2.5f));
    ck_assert(fabs(r[17] - (x * 0.75 + y * 0.25)) <= 1e-6 * (fabs(x) + fabs(y)));
    EXACT(18, c > 0 ? b : a);
    EXACT(19, b < a ? 0 : 1);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    ck_assert(fabs(r[20] - t * t * (3 - 2 * t)) <= 1e-6);
    if (fabs(x / y) < 1e6)
        ck_assert(fabs(r[21] - (x - y * floor(x / y))) <= 1e-6 * fabs(x) + 1e-6 * fabs(y) ||
                  fabs(fabs(r[21] - (x - y * floor(x / y))) - fabs(y)) <= 1e-6 * (fabs(x) + fabs(y)));
    NEAR(22, sqrt(fabs(x)), 1);
    NEAR(23, 1 / sqrt(fabs(x)), 2);
    ck_assert(fabs(r[24] - (x * y + z)) <= 1.3e-7 * (fabs(x * y) + fabs(x * y + z)));
    NEAR(25, x * 0.017453292519943295, 2);
    NEAR(26, x * 57.295779513082321, 2);
    EXACT(27, -a);
    EXACT(28, part);
    EXACT(29, exponent);
    EXACT(30, ldexp(x, (int)clamped(c, -20, 20)));
    EXACT(31, modf(x, &whole));
    EXACT(32, whole);
    EXACT(33, 1.0e-40f + a);
    EXACT(34, 16777217.0f * a);
    EXACT(35, a < b ? 1.0f / 3.0f : -0.1f);
}

static uint32_t compared(float a, float b)
{
    return (uint32_t)(a < b) | (uint32_t)(a <= b) << 1 | (uint32_t)(a > b) << 2 | (uint32_t)(a >= b) << 3 |
           (uint32_t)(a == b) << 4 | (uint32_t)(a != b) << 5 | (uint32_t)(isnan(a) != 0) << 6 |
           (uint32_t)(isinf(a) != 0) << 7 | (uint32_t)(!(a < b)) << 8 | (uint32_t)(!(a == b)) << 9 |
           (uint32_t)(!(a != b)) << 10;
}

START_TEST(operations_on_floats_are_rounded_as_the_language_says)
{
    static float operands[COUNT][4], results[COUNT][48];
    static uint32_t bits[COUNT];
    struct trm_cpu_buffer block[3] = {ops_buffer(operands, sizeof(operands)),
                                      ops_buffer(results, sizeof(results)), ops_buffer(bits, sizeof(bits))};
    uint64_t state                 = 521288629ull;

    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 4; k++)
            operands[i][k] =
                (float)((ops_uniform(&state) - 0.5) * ldexp(1, (int)(ops_random(&state) % 24) - 4));
    for (int i = 0; i < 64; i++) { /* halves, which are rounded to even, and equal pairs */
        operands[i][0] = (float)(i - 32) * 0.5f;
        operands[i][1] = i % 2 == 0 ? operands[i][0] : 1.5f;
    }
    operands[32][1] = 1.0f;
    ops_run("ops_float", _i, COUNT / 64, block);
    for (int i = 0; i < COUNT; i++) {
        check_float(operands[i][0], operands[i][1], operands[i][2], results[i]);
        ck_assert_uint_eq(bits[i], compared(operands[i][0], operands[i][1]));
    }
}
END_TEST

START_TEST(numbers_that_are_none_compare_as_such)
{
    static const float values[] = {0.0f, -0.0f,     INFINITY,   -INFINITY,      NAN,
                                   1.0f, 0x1p-149f, -0x1p-149f, 0x1.fffffep127f};
    enum {
        VALUES = sizeof(values) / sizeof(values[0]),
        PAIRS  = 128
    };
    static float operands[PAIRS][4], results[PAIRS][48];
    static uint32_t bits[PAIRS];
    struct trm_cpu_buffer block[3] = {ops_buffer(operands, sizeof(operands)),
                                      ops_buffer(results, sizeof(results)), ops_buffer(bits, sizeof(bits))};

    for (int i = 0; i < VALUES * VALUES; i++) {
        operands[i][0] = values[i / VALUES];
        operands[i][1] = values[i % VALUES];
    }
    ops_run("ops_float", _i, PAIRS / 64, block);
    for (int i = 0; i < VALUES * VALUES; i++) {
        float a = operands[i][0], b = operands[i][1];
        volatile float sum = a + b, product = a * b;
        ck_assert_uint_eq(bits[i], compared(a, b));
        near_to(0, a, b, 0, results[i][0], (double)sum, 0);
        near_to(2, a, b, 0, results[i][2], (double)product, 0);
        ck_assert_uint_eq(bits_of(results[i][27]), bits_of(a) ^ 0x80000000u);
        near_to(6, a, b, 0, results[i][6], (double)fabsf(a), 0);
    }
}
END_TEST

/* ---- functions */

struct function {
    const char *name;
    int number;
    double (*exact)(double);
    double low, high;
    int logarithmic; /* 1: arguments are spread by their size; 2: negative ones too */
    double most;     /* ULP */
};

static double inverse_root(double x)
{
    return 1 / sqrt(x);
}

static const struct function functions[] = {
    {"exp", 0, exp, -110, 95, 0, 3},         {"exp", 0, exp, 1e-20, 80, 2, 3},
    {"exp2", 1, exp2, -155, 135, 0, 3},      {"log", 2, log, 1e-45, 3e38, 1, 3},
    {"log", 2, log, 0.5, 2, 0, 3},           {"log2", 3, log2, 1e-45, 3e38, 1, 3},
    {"log2", 3, log2, 0.5, 2, 0, 3},         {"sin", 4, sin, -3.2, 3.2, 0, 4},
    {"sin", 4, sin, 1e-6, 1e6, 2, 4},        {"cos", 5, cos, -3.2, 3.2, 0, 4},
    {"cos", 5, cos, 1e-6, 1e6, 2, 4},        {"tan", 6, tan, -3.2, 3.2, 0, 5},
    {"tan", 6, tan, 1e-6, 1e6, 2, 5},        {"asin", 7, asin, -1, 1, 0, 4},
    {"asin", 7, asin, 1e-20, 1, 2, 4},       {"acos", 8, acos, -1, 1, 0, 4},
    {"atan", 9, atan, 1e-20, 1e20, 2, 4},    {"sinh", 10, sinh, 1e-20, 88, 2, 4},
    {"cosh", 11, cosh, -88, 88, 0, 4},       {"tanh", 12, tanh, 1e-20, 100, 2, 4},
    {"asinh", 13, asinh, 1e-30, 1e38, 2, 4}, {"acosh", 14, acosh, 1, 1e38, 1, 4},
    {"atanh", 15, atanh, 1e-30, 1, 2, 4},    {"inversesqrt", 18, inverse_root, 1e-37, 1e38, 1, 2},
};
enum {
    FUNCTIONS = sizeof(functions) / sizeof(functions[0]),
    ARGUMENTS = 1 << 18
};

static float argument(const struct function *function, uint64_t *state)
{
    double u = ops_uniform(state), low = function->low, high = function->high;
    double x = function->logarithmic ? exp(log(low) + u * (log(high) - log(low))) : low + u * (high - low);

    return (float)(function->logarithmic == 2 && (ops_random(state) & 1) ? -x : x);
}

static void open_function(struct translated *translated, int number)
{
    struct trm_constant which = {NULL, 0, TRM_TYPE_I32, (uint64_t)number};

    ops_open(translated, "ops_function.spv", 0, &which, 1);
}

START_TEST(functions_are_within_the_precision_that_is_promised)
{
    const struct function *function = &functions[_i];
    float *x = malloc(ARGUMENTS * sizeof(float)), *z = malloc(ARGUMENTS * sizeof(float));
    struct trm_cpu_buffer block[3] = {ops_buffer(x, ARGUMENTS * sizeof(float)), ops_buffer(x, 4),
                                      ops_buffer(z, ARGUMENTS * sizeof(float))};
    struct translated translated;
    uint64_t state = 123456789ull + (uint64_t)_i;

    for (int i = 0; i < ARGUMENTS; i++)
        x[i] = argument(function, &state);
    open_function(&translated, function->number);
    ck_assert_int_eq(translated_call(&translated, 0, ARGUMENTS / 64, 1, 1, 1, block), 0);
    /* No assertion for each value: Check writes each one down, which takes longer than everything else
     * here. */
    for (int i = 0; i < ARGUMENTS; i++)
        if (!(ulps(z[i], function->exact((double)x[i])) <= function->most))
            ck_abort_msg("%s(%a) is %a, not %a: %g ULP", function->name, (double)x[i], (double)z[i],
                         function->exact((double)x[i]), ulps(z[i], function->exact((double)x[i])));
    translated_close(&translated);
    free(x);
    free(z);
}
END_TEST

START_TEST(functions_of_two_arguments_are_within_the_precision_that_is_promised)
{
    float *x = malloc(ARGUMENTS * sizeof(float)), *y = malloc(ARGUMENTS * sizeof(float));
    float *z                       = malloc(ARGUMENTS * sizeof(float));
    struct trm_cpu_buffer block[3] = {ops_buffer(x, ARGUMENTS * sizeof(float)),
                                      ops_buffer(y, ARGUMENTS * sizeof(float)),
                                      ops_buffer(z, ARGUMENTS * sizeof(float))};
    struct translated translated;
    uint64_t state = 987654321ull;
    int is_power   = _i == 0;

    for (int i = 0; i < ARGUMENTS; i++) {
        x[i] = (float)exp(ops_uniform(&state) * 170 - 85);
        y[i] = (float)(is_power ? ops_uniform(&state) * 200 - 100 : exp(ops_uniform(&state) * 170 - 85));
        if (i % 2 != 0)
            x[i] = (float)(is_power ? ops_uniform(&state) * 3 : y[i] * (1 + ops_uniform(&state)));
        if (!is_power) {
            x[i] = i & 2 ? -x[i] : x[i];
            y[i] = i & 4 ? -y[i] : y[i];
        }
    }
    open_function(&translated, is_power ? 16 : 17);
    ck_assert_int_eq(translated_call(&translated, 0, ARGUMENTS / 64, 1, 1, 1, block), 0);
    for (int i = 0; i < ARGUMENTS; i++) {
        double want = is_power ? pow((double)x[i], (double)y[i]) : atan2((double)x[i], (double)y[i]);
        if (!(ulps(z[i], want) <= 4))
            ck_abort_msg("%a, %a: %a, not %a", (double)x[i], (double)y[i], (double)z[i], want);
    }
    translated_close(&translated);
    free(x);
    free(y);
    free(z);
}
END_TEST

/* Zeros, infinities and NaNs, where the language or convention defines the result. */
START_TEST(functions_have_the_right_ends)
{
    static const struct {
        int number;
        float x, z;
    } ends[] = {
        {0, -INFINITY, 0},
        {0, INFINITY, INFINITY},
        {0, 0, 1},
        {0, 200, INFINITY},
        {0, -200, 0},
        {1, -INFINITY, 0},
        {1, INFINITY, INFINITY},
        {1, -149, 0x1p-149f},
        {1, 127, 0x1p127f},
        {2, 0, -INFINITY},
        {2, INFINITY, INFINITY},
        {2, -1, NAN},
        {2, 1, 0},
        {3, 0, -INFINITY},
        {3, 0x1p-149f, -149},
        {3, 8, 3},
        {4, 0, 0},
        {4, INFINITY, NAN},
        {5, 0, 1},
        {5, INFINITY, NAN},
        {6, 0, 0},
        {7, 1, 1.57079637f},
        {7, 2, NAN},
        {8, 1, 0},
        {8, -1, 3.14159274f},
        {9, INFINITY, 1.57079637f},
        {9, -INFINITY, -1.57079637f},
        {10, INFINITY, INFINITY},
        {10, -INFINITY, -INFINITY},
        {11, -INFINITY, INFINITY},
        {12, INFINITY, 1},
        {12, -INFINITY, -1},
        {13, -INFINITY, -INFINITY},
        {14, 1, 0},
        {14, 0.5f, NAN},
        {15, 1, INFINITY},
        {15, 2, NAN},
        {18, 0, INFINITY},
        {18, INFINITY, 0},
    };
    enum {
        NUMBERS = 19
    };

    for (int number = 0; number < NUMBERS; number++) {
        float x[64]                    = {0}, z[64];
        struct trm_cpu_buffer block[3] = {ops_buffer(x, sizeof(x)), ops_buffer(x, sizeof(x)),
                                          ops_buffer(z, sizeof(z))};
        struct translated translated;
        unsigned count = 0;
        for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
            if (ends[i].number == number)
                x[count++] = ends[i].x;
        if (count == 0)
            continue;
        x[count] = NAN;
        open_function(&translated, number);
        ck_assert_int_eq(translated_call(&translated, 0, 1, 1, 1, 1, block), 0);
        ck_assert_msg(isnan(z[count]), "function %d of no number is %a", number, (double)z[count]);
        for (unsigned i = 0, k = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
            if (ends[i].number == number) {
                ck_assert_msg(isnan(ends[i].z) ? isnan(z[k]) : z[k] == ends[i].z, "function %d of %a is %a",
                              number, (double)x[k], (double)z[k]);
                k++;
            }
        translated_close(&translated);
    }
}
END_TEST

/* ---- halves */

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31  ? (mantissa != 0 ? (double)NAN : (double)INFINITY)
                   : exponent == 0 ? ldexp(mantissa, -24)
                                   : ldexp(1024 + mantissa, exponent - 25);

    return bits & 0x8000 ? -value : value;
}

/* The nearest half, found by its distance from its neighbours. */
static double to_half(double x)
{
    int exponent;

    if (isnan(x) || isinf(x))
        return x;
    frexp(x, &exponent);
    double step = ldexp(1, (exponent < -13 ? -13 : exponent) - 11), value = rint(x / step) * step;
    return fabs(value) > 65504 ? copysign((double)INFINITY, x) : value;
}

static void same_half(int number, double a, double b, uint16_t got, double want)
{
    double value = half_value(got);

    ck_assert_msg(isnan(want) ? isnan(value) : value == want, "%a, %a: result %d is %a, not %a", a, b, number,
                  value, want);
}

START_TEST(halves_are_rounded_after_every_operation)
{
    static uint16_t operands[COUNT][2], results[COUNT][24];
    static uint32_t words[COUNT];
    struct trm_cpu_buffer block[3] = {ops_buffer(operands, sizeof(operands)),
                                      ops_buffer(results, sizeof(results)), ops_buffer(words, sizeof(words))};
    uint64_t state                 = 5783321ull;

    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 2; k++)
            operands[i][k] = (uint16_t)ops_random(&state);
    ops_run("ops_half", _i, COUNT / 64, block);
    for (int i = 0; i < COUNT; i++) {
        double a = half_value(operands[i][0]), b = half_value(operands[i][1]);
        const uint16_t *r = results[i];
        same_half(0, a, b, r[0], to_half(a + b));
        same_half(1, a, b, r[1], to_half(a - b));
        same_half(2, a, b, r[2], to_half(a * b));
        same_half(3, a, b, r[3], to_half(a / b));
        same_half(4, a, b, r[4], -a);
        same_half(5, a, b, r[5], fabs(a));
        same_half(6, a, b, r[6], floor(a));
        if (!isnan(a) && !isnan(b)) {
            same_half(7, a, b, r[7], b < a ? b : a);
            same_half(8, a, b, r[8], a < b ? b : a);
            same_half(12, a, b, r[12], to_half(trunc(a < -1000 ? -1000 : a > 1000 ? 1000 : a)));
        }
        same_half(9, a, b, r[9], to_half(sqrt(fabs(a))));
        same_half(10, a, b, r[10], a < b ? a : to_half(0.1));
        same_half(11, a, b, r[11], to_half(a * 3));
        if (!isnan(a))
            ck_assert_uint_eq(r[13], operands[i][0] ^ 0x8000);
        same_half(14, a, b, r[14], to_half(to_half(to_half(a * b) + to_half(b * 1)) + to_half(a * 1)));
        same_half(15, a, b, r[15], b);
        same_half(16, a, b, r[16], to_half(a + b * 0.001));
        if (!isnan(a) && !isnan(b))
            ck_assert_uint_eq(words[i],
                              ((uint32_t)(a < b) | (uint32_t)(a == b) << 1 | (uint32_t)(isinf(a) != 0) << 3 |
                               ((uint32_t)operands[i][1] | (uint32_t)operands[i][0] << 16) << 4));
    }
}
END_TEST

/* ---- doubles */

START_TEST(doubles_keep_all_their_bits)
{
    static double operands[COUNT][2], results[COUNT][32];
    struct trm_cpu_buffer block[2] = {ops_buffer(operands, sizeof(operands)),
                                      ops_buffer(results, sizeof(results))};
    uint64_t state                 = 777777777ull;

    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < 2; k++)
            operands[i][k] = (ops_uniform(&state) - 0.5) * ldexp(1, (int)(ops_random(&state) % 40) - 4);
    ops_run("ops_double", _i, COUNT / 64, block);
    for (int i = 0; i < COUNT; i++) {
        double a = operands[i][0], b = operands[i][1], whole;
        const double *r = results[i];
        int exponent;
        double part   = frexp(a, &exponent);
        double want[] = {a + b,
                         a - b,
                         a * b,
                         a / b,
                         -a,
                         fabs(a),
                         (a > 0) - (a < 0),
                         floor(a),
                         ceil(a),
                         trunc(a),
                         rint(a),
                         a - floor(a),
                         fmin(a, b),
                         fmax(a, b),
                         fmin(fmax(a, -2.5), 2.5),
                         a * 0.75 + b * 0.25,
                         b < a ? 0 : 1,
                         a - b * floor(a / b),
                         sqrt(fabs(a)),
                         1 / sqrt(fabs(a)),
                         a * b + 1,
                         part,
                         exponent,
                         ldexp(a, 5),
                         modf(a, &whole),
                         trunc(a),
                         sqrt(a * a + b * b + 1),
                         -b / (a * a + b * b),
                         a < b ? 1 : 3,
                         trunc(a),
                         1.0 / 3.0,
                         2 * a * b};
        for (int k = 0; k < 32; k++) {
            double size =
                fabs(want[k]) + (k == 17 || k == 15 || k == 20 ? fabs(a) + fabs(b) + fabs(a * b) : 0);
            if (k != 17 || fabs(a / b) < 1e6)
                ck_assert_msg(fabs(r[k] - want[k]) <= 1e-15 * size ||
                                  (k == 17 && fabs(fabs(r[k] - want[k]) - fabs(b)) <= 1e-15 * size),
                              "%a, %a: result %d is %a, not %a", a, b, k, r[k], want[k]);
        }
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_ops_float");
    TCase *tests = tcase_create("floats");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, operations_on_floats_are_rounded_as_the_language_says, 0, ops_forms());
    tcase_add_loop_test(tests, numbers_that_are_none_compare_as_such, 0, ops_forms());
    tcase_add_loop_test(tests, functions_are_within_the_precision_that_is_promised, 0, FUNCTIONS);
    tcase_add_loop_test(tests, functions_of_two_arguments_are_within_the_precision_that_is_promised, 0, 2);
    tcase_add_test(tests, functions_have_the_right_ends);
    tcase_add_loop_test(tests, halves_are_rounded_after_every_operation, 0, ops_forms());
    tcase_add_loop_test(tests, doubles_keep_all_their_bits, 0, ops_forms());
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
