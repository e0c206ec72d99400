/* Loops that the work-items of a group run in lockstep, in translated C.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/compiler/translate/translated.h"
#include "tests/unit/runner.h"

enum {
    KINDS  = 7,
    GROUPS = 3,
    ITEMS  = 32 * GROUPS,
    COUNT  = 2048
};

static struct translated kernel;
static uint32_t x[COUNT + 64], y[COUNT + ITEMS], expected[COUNT + ITEMS];

static _Alignas(16) struct {
    struct trm_cpu_buffer x, y;
    uint32_t n, begin;
    int32_t low;
} arguments;

/* The value that a work-item of shaders/flow/lockstep.comp puts into sums[]. */
static uint32_t sum_of(int kind, uint32_t item)
{
    uint32_t l = item % 32, sum = 0, last = 0, n = arguments.n;

    switch (kind) {
    case 0:
        for (uint32_t i = item; i < n; i += ITEMS)
            sum += x[i];
        break;
    case 1:
        for (int32_t i = (int32_t)l + arguments.low; i <= (int32_t)n; i += 32) {
            if (i >= 0 && (i & 3) != 1)
                sum = sum * 3 + x[i];
            last = (uint32_t)i;
        }
        break;
    case 2:
        for (uint32_t k = 0; n > 100 && k < n; k += 32)
            sum += x[k + l] * (k + 1);
        break;
    case 3:
        for (uint32_t i = arguments.begin + 2 * item; n > i; i += 2 * ITEMS) {
            uint32_t swap = sum;
            sum           = last + x[i];
            last          = swap + x[i + 1];
        }
        break;
    case 4:
        for (uint32_t i = l; i < n; i += 32) {
            expected[i]++;
            sum += x[i];
        }
        for (uint32_t k = 0; k < 3; k++)
            sum = sum * 5 + x[k * 32 + l];
        break;
    case 5:
        for (uint32_t k = 0; k < n; k++) {
            int32_t row = (int32_t)(k + arguments.begin) - 3;
            sum         = sum * 3 + x[(row < 0 ? 0 : row > 40 ? 40 : row) * 32 + (int32_t)l];
        }
        break;
    default:
        for (uint32_t i = l; i == l || i < n; i += 32)
            sum += x[i];
        break;
    }
    return sum * 7 + last;
}

static void try_loop(int kind)
{
    memset(y, 0, sizeof(y));
    memset(expected, 0, sizeof(expected));
    for (uint32_t item = 0; item < ITEMS; item++)
        expected[COUNT + (item ^ 1)] = sum_of(kind, item);
    ck_assert_int_eq(translated_call(&kernel, 0, GROUPS, 1, 1, 2, &arguments), 0);
    ck_assert_msg(memcmp(y, expected, sizeof(y)) == 0, "kind %d, n %u, begin %u, low %d", kind, arguments.n,
                  arguments.begin, arguments.low);
}

static void try_file(const char *file, int kind)
{
    static const uint32_t counts[] = {0, 1, 31, 32, 33, 95, 96, 97, 101, 1000, 1984};
    static const int32_t lows[]    = {0, -40, 7, -1, 500};
    struct trm_constant constant   = trm_constant_u32("kind", (uint32_t)kind);

    translated_open(&kernel, translated_path(file), 0, &constant, 1);
    arguments.x.data = x;
    arguments.x.size = sizeof(x);
    arguments.y.data = y;
    arguments.y.size = sizeof(y);
    for (uint32_t i = 0; i < COUNT; i++)
        x[i] = i * 2654435761u >> 7;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        arguments.n     = counts[i];
        arguments.begin = (uint32_t)(i * 5 % 13);
        arguments.low   = lows[i % 5];
        try_loop(kind);
    }
    translated_close(&kernel);
}

START_TEST(loops_in_step_do_what_each_items_own_would_do)
{
    try_file("flow/lockstep.spv", _i);
    try_file("flow/lockstep_plain.spv", _i);
}
END_TEST

START_TEST(a_loop_with_a_bound_of_its_own_for_each_item_is_split)
{
    struct trm_constant constant = trm_constant_u32("kind", 0);

    ck_assert_int_eq(
        translated_text(&kernel, translated_path("flow/lockstep.spv"), TRM_LANGUAGE_C, 0, &constant, 1),
        TRM_OK);
    ck_assert_ptr_nonnull(strstr(kernel.text.text, " + 31u)"));
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "kept->"));
    translated_close(&kernel);
}
END_TEST

START_TEST(a_loop_through_rows_that_are_kept_within_bounds_is_the_groups)
{
    struct trm_constant constant = trm_constant_u32("kind", 5);

    ck_assert_int_eq(
        translated_text(&kernel, translated_path("flow/lockstep.spv"), TRM_LANGUAGE_C, 0, &constant, 1),
        TRM_OK);
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "kept->"));
    ck_assert_ptr_nonnull(strstr(kernel.text.text, " + local_x)]"));
    translated_close(&kernel);
}
END_TEST

START_TEST(a_loop_through_shared_memory_stays_the_items_own)
{
    ck_assert_int_eq(translated_text(&kernel, translated_path("flow/sgemm.spv"), TRM_LANGUAGE_C, 0, NULL, 0),
                     TRM_OK);
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "< 16u) {"));
    translated_close(&kernel);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated lockstep");
    TCase *tests = tcase_create("lockstep");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, loops_in_step_do_what_each_items_own_would_do, 0, KINDS);
    tcase_add_test(tests, a_loop_with_a_bound_of_its_own_for_each_item_is_split);
    tcase_add_test(tests, a_loop_through_rows_that_are_kept_within_bounds_is_the_groups);
    tcase_add_test(tests, a_loop_through_shared_memory_stays_the_items_own);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
