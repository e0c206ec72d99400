/* Conversions and bit casts in translated shaders.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>

#include "tests/unit/compiler/translate/ops.h"
#include "tests/unit/runner.h"

enum {
    COUNT   = 1024,
    RESULTS = 32
};

static uint64_t bits_of_float(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static uint64_t bits_of_double(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

/* The bits of the nearest half; ties go to the even one. */
static uint64_t half_bits(double x)
{
    uint64_t sign = signbit(x) ? 0x8000 : 0;
    double size   = fabs(x);
    int exponent;

    if (isnan(x))
        return sign | 0x7e00;
    frexp(size, &exponent);
    double step = ldexp(1, (exponent < -13 ? -13 : exponent) - 11), units = rint(size / step);
    if (units * step > 65504)
        return sign | 0x7c00;
    if (size == 0 || exponent < -13)
        return sign | (uint64_t)units;
    return sign | (((uint64_t)(exponent + 14) << 10) + (uint64_t)units - 1024);
}

/* A number out of range becomes the nearest number of the type. */
static uint64_t saturated(double x, int bits, int is_signed)
{
    double most = ldexp(1, is_signed ? bits - 1 : bits), least = is_signed ? -most : 0;

    if (isnan(x) || x <= least)
        return is_signed ? (uint64_t)-1 << (bits - 1) : 0;
    if (x >= most)
        return is_signed    ? ((uint64_t)1 << (bits - 1)) - 1
               : bits == 64 ? UINT64_MAX
                            : ((uint64_t)1 << bits) - 1;
    return is_signed ? (uint64_t)(int64_t)x : (uint64_t)x;
}

static void expect(double a, const uint32_t *w, uint64_t *out)
{
    volatile float b = (float)a;
    uint64_t q       = (uint64_t)w[1] << 32 | w[0];

    *out++ = bits_of_float(b);
    *out++ = bits_of_double((double)b);
    *out++ = saturated((double)b, 32, 1);
    *out++ = saturated((double)b, 32, 0);
    *out++ = saturated((double)b, 64, 1);
    *out++ = saturated((double)b, 64, 0);
    *out++ = saturated(a, 32, 1);
    *out++ = saturated(a, 32, 0);
    *out++ = saturated(a, 64, 1);
    *out++ = saturated(a, 64, 0);
    *out++ = saturated((double)b, 16, 1);
    *out++ = saturated((double)b, 16, 0);
    *out++ = saturated((double)b, 8, 1);
    *out++ = saturated((double)b, 8, 0);
    *out++ = half_bits((double)b);
    *out++ = half_bits(a);
    *out++ = q;
    *out++ = bits_of_float((float)(int64_t)q);
    *out++ = bits_of_float((float)q);
    *out++ = bits_of_double((double)(int64_t)q);
    *out++ = bits_of_double((double)q);
    *out++ = bits_of_float((float)(int32_t)w[0]);
    *out++ = bits_of_float((float)w[0]);
    *out++ = bits_of_double((double)(int32_t)w[1]);
    *out++ = half_bits((double)(int32_t)w[0]);
    *out++ = (q & 0xffff) ^ (q >> 48) << 16;
    *out++ = (w[0] >> 8 & 255) | (uint64_t)(w[0] >> 24) << 8;
    *out++ = (w[1] & 0xffff) | (uint64_t)(w[0] >> 16) << 16;
    *out++ = (w[0] & 1) + (uint64_t)(b != 0);
    *out++ = q;
    *out++ = bits_of_double(a) >> 32;
    *out++ = (uint32_t)(int16_t)w[0];
}

START_TEST(numbers_are_converted_exactly)
{
    static double operands[COUNT];
    static uint64_t results[COUNT][RESULTS];
    static uint32_t words[COUNT][2];
    struct trm_cpu_buffer block[3] = {ops_buffer(operands, sizeof(operands)),
                                      ops_buffer(results, sizeof(results)), ops_buffer(words, sizeof(words))};
    static const double edges[]    = {0,
                                      -0.0,
                                      0.5,
                                      -0.5,
                                      1,
                                      -1,
                                      127.9,
                                      128,
                                      -128.9,
                                      -129,
                                      255.5,
                                      256,
                                      32767.5,
                                      32768,
                                      -32769,
                                      65519.99,
                                      65520,
                                      65536,
                                      2147483647,
                                      2147483648.0,
                                      -2147483648.0,
                                      -2147483649.0,
                                      4294967295.0,
                                      4294967296.0,
                                      9223372036854775807.0,
                                      -9.3e18,
                                      1.8446744073709552e19,
                                      1e30,
                                      -1e30,
                                      1e300,
                                      5.9604644775390625e-8,
                                      2.98023223876953125e-8,
                                      2.9802322387695313e-8,
                                      6.103515625e-5,
                                      6.1005353927612305e-05,
                                      1.00048828125,
                                      1.00048828125000022,
                                      1e-40};
    uint64_t state                 = 1442695040888963407ull;

    for (int i = 0; i < COUNT; i++) {
        double size = ldexp(1, (int)(ops_random(&state) % 90) - 24);
        operands[i] =
            i < (int)(sizeof(edges) / sizeof(edges[0])) ? edges[i] : (ops_uniform(&state) - 0.5) * size;
        words[i][0] = (uint32_t)ops_random(&state) >> (ops_random(&state) & 31);
        words[i][1] = (uint32_t)ops_random(&state) >> (ops_random(&state) & 31);
    }
    operands[COUNT - 1] = (double)INFINITY;
    operands[COUNT - 2] = -(double)INFINITY;
    ops_run("ops_convert", _i, COUNT / 64, block);
    for (int i = 0; i < COUNT; i++) {
        uint64_t want[RESULTS];
        expect(operands[i], words[i], want);
        for (int k = 0; k < RESULTS; k++)
            ck_assert_msg(results[i][k] == want[k], "%a, %#x, %#x: result %d is %#llx, not %#llx",
                          operands[i], words[i][0], words[i][1], k, (unsigned long long)results[i][k],
                          (unsigned long long)want[k]);
    }
}
END_TEST

START_TEST(what_is_no_number_is_converted_to_something)
{
    static double operands[64];
    static uint64_t results[64][RESULTS];
    static uint32_t words[64][2];
    struct trm_cpu_buffer block[3] = {ops_buffer(operands, sizeof(operands)),
                                      ops_buffer(results, sizeof(results)), ops_buffer(words, sizeof(words))};

    for (int i = 0; i < 64; i++)
        operands[i] = (double)NAN;
    ops_run("ops_convert", _i, 1, block);
    ck_assert((results[5][0] & 0x7fffffff) > 0x7f800000);
    ck_assert((results[5][1] & INT64_MAX) > 0x7ffull << 52);
    ck_assert_uint_gt(results[5][14] & 0x7fff, 0x7c00);
    ck_assert_uint_gt(results[5][15] & 0x7fff, 0x7c00);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_ops_convert");
    TCase *tests = tcase_create("conversions");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, numbers_are_converted_exactly, 0, ops_forms());
    tcase_add_loop_test(tests, what_is_no_number_is_converted_to_something, 0, ops_forms());
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
