/* Conversions from and to bfloat16, which a module has as integers once it is lowered (compiler/lower).
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/translate/ops.h"
#include "tests/unit/runner.h"

#define COUNT 256

struct conversion {
    uint32_t bits; /* of a float */
    uint16_t want;
};

/* Ties go to the even neighbour, what is too large becomes infinite, and NaN stays NaN, also where its upper
 * bits are those of an infinity. */
static const struct conversion conversions[] = {
    {0x3f800000, 0x3f80}, {0x3f807fff, 0x3f80}, {0x3f808000, 0x3f80}, {0x3f808001, 0x3f81},
    {0x3f818000, 0x3f82}, {0xbf818000, 0xbf82}, {0x3f817fff, 0x3f81}, {0x00000000, 0x0000},
    {0x80000000, 0x8000}, {0x00008000, 0x0000}, {0x00018000, 0x0002}, {0x7f7fffff, 0x7f80},
    {0x7f7f7fff, 0x7f7f}, {0xff7f8000, 0xff80}, {0x7f800000, 0x7f80}, {0xff800000, 0xff80},
    {0x7f800001, 0x7fc0}, {0xffc00000, 0x7fc0}, {0x7fffffff, 0x7fc0}, {0x7fa12345, 0x7fc0},
};

#define CONVERSIONS (sizeof(conversions) / sizeof(conversions[0]))

static uint16_t halves[COUNT], rounded[COUNT], vectors[COUNT][4], pairs[COUNT][2], twos[COUNT][2];
static uint32_t given[COUNT], widened[COUNT];

static void run(void)
{
    struct trm_cpu_buffer block[] = {
        ops_buffer(halves, sizeof(halves)),   ops_buffer(given, sizeof(given)),
        ops_buffer(widened, sizeof(widened)), ops_buffer(rounded, sizeof(rounded)),
        ops_buffer(vectors, sizeof(vectors)), ops_buffer(pairs, sizeof(pairs)),
        ops_buffer(twos, sizeof(twos)),
    };
    struct translated translated;

    ops_open(&translated, "../../differential/shaders/bfloats.spv", 0, NULL, 0);
    ck_assert_int_eq(translated_call(&translated, 0, COUNT / 64, 1, 1, 2, block), 0);
    translated_close(&translated);
}

START_TEST(floats_are_rounded_to_the_nearest_bfloat)
{
    for (uint32_t i = 0; i < COUNT; i++)
        given[i] = conversions[i % CONVERSIONS].bits;
    run();
    for (uint32_t i = 0; i < COUNT; i++)
        ck_assert_msg(rounded[i] == conversions[i % CONVERSIONS].want, "%#x is rounded to %#x, not %#x",
                      given[i], rounded[i], conversions[i % CONVERSIONS].want);
}
END_TEST

START_TEST(a_bfloat_is_the_upper_half_of_a_float)
{
    for (uint32_t i = 0; i < COUNT; i++)
        halves[i] = (uint16_t)(i * 257 + 31);
    run();
    for (uint32_t i = 0; i < COUNT; i++)
        ck_assert_uint_eq(widened[i], (uint32_t)halves[i] << 16);
}
END_TEST

/* -1.25 and 3e5, which the shader writes to every fifth pair. */
START_TEST(constants_keep_their_bits)
{
    run();
    for (uint32_t i = 0; i < COUNT; i += 5) {
        ck_assert_uint_eq(twos[i][0], 0xbfa0);
        ck_assert_uint_eq(twos[i][1], 0x4892);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_ops_bfloat");
    TCase *tests = tcase_create("bfloat16");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, floats_are_rounded_to_the_nearest_bfloat);
    tcase_add_test(tests, a_bfloat_is_the_upper_half_of_a_float);
    tcase_add_test(tests, constants_keep_their_bits);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
