/* Barriers to which only some work-items of a group come, with TRM_TRANSLATE_BARRIERS: they fail the launch
 * with how many come, and with the line of the barrier. Groups that come as a whole pass with their results.
 * SPDX-License-Identifier: MIT
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/compiler/translate/translated.h"
#include "tests/unit/runner.h"

enum {
    ITEMS = 64,
};

/* The numbers of tests/unit/shaders/bounds/barriers.comp. */
enum {
    THEN   = 0,
    OTHER  = 1, /* the side behind `else` */
    SWITCH = 2,
    BREAK  = 3,
    NESTED = 4,
    LATE   = 5, /* a condition behind an early return */
    CASES  = 6, /* a switch behind an early return */
    WAYS   = 7, /* a break on both sides of a branch */
};

struct arguments {
    _Alignas(16) struct trm_cpu_buffer x, y;
    uint32_t kind, n, limit;
};

static struct translated kernel;
static uint32_t x[ITEMS], y[ITEMS];

static void open_shader(int optimized)
{
    translated_open(&kernel, translated_path(optimized ? "bounds/barriers.spv" : "bounds/barriers_plain.spv"),
                    TRM_TRANSLATE_BOUNDS | TRM_TRANSLATE_BARRIERS, NULL, 0);
    for (uint32_t i = 0; i < ITEMS; i++)
        x[i] = i;
}

static int32_t call(uint32_t kind, uint32_t n, uint32_t limit)
{
    const struct arguments arguments = {
        .x = {x, sizeof(x)}, .y = {y, sizeof(y)}, .kind = kind, .n = n, .limit = limit};

    return translated_call(&kernel, 0, 1, 1, 1, 1, &arguments);
}

static void expect_whole(uint32_t kind, uint32_t n, uint32_t limit, uint32_t first)
{
    memset(y, 0, sizeof(y));
    ck_assert_msg(call(kind, n, limit) == 0, "kind %u with n %u and limit %u fails", kind, n, limit);
    ck_assert_uint_eq(y[0], first);
}

static void expect_some(uint32_t kind, uint32_t n, uint32_t limit, const char *what, uint32_t came,
                        const char *line)
{
    trm_cpu_fault_fn function = (trm_cpu_fault_fn)dlsym(kernel.object, "trm_cpu_fault_v1");
    char where[64];

    ck_assert_msg(call(kind, n, limit) == 1, "kind %u with n %u and limit %u passes", kind, n, limit);
    ck_assert_ptr_nonnull(function);
    const struct trm_cpu_fault *fault = function();
    ck_assert_str_eq(fault->what, what);
    ck_assert_int_eq(fault->index, came);
    ck_assert_uint_eq(fault->size, ITEMS);
    snprintf(where, sizeof(where), "barriers.comp:%s", line);
    ck_assert_msg(strstr(fault->where, where) != NULL, "the place is %s", fault->where);
}

START_TEST(those_that_take_a_branch_with_a_barrier_are_counted)
{
    open_shader(_i);
    expect_whole(THEN, 0, 64, 63);
    expect_whole(THEN, 0, 0, 0);
    expect_some(THEN, 0, 10, "branch", 10, "20");
    expect_some(THEN, 0, 63, "branch", 63, "20");
    translated_close(&kernel);
}
END_TEST

START_TEST(those_of_the_side_with_the_barrier_are_counted_also_behind_else)
{
    open_shader(_i);
    expect_whole(OTHER, 0, 64, 0);
    expect_whole(OTHER, 0, 0, 63);
    expect_some(OTHER, 0, 10, "branch", 54, "27");
    translated_close(&kernel);
}
END_TEST

START_TEST(those_that_take_each_case_of_a_switch_are_counted)
{
    open_shader(_i);
    expect_whole(SWITCH, 0, 1, 63);
    expect_some(SWITCH, 0, 2, "case", 32, "33");
    expect_some(SWITCH, 0, 64, "case", 1, "33");
    for (uint32_t i = 0; i < ITEMS; i++) /* different values of one case, and of none */
        x[i] = 64 * i + 1 + i % 2;
    expect_whole(SWITCH, 0, 64, 1);
    for (uint32_t i = 0; i < ITEMS; i++)
        x[i] = 64 * i + 3 + i % 2;
    expect_whole(SWITCH, 0, 64, 0);
    x[63] = 5;
    expect_some(SWITCH, 0, 64, "case", 1, "41");
    translated_close(&kernel);
}
END_TEST

START_TEST(those_that_leave_a_loop_with_a_barrier_are_counted)
{
    open_shader(_i);
    expect_whole(BREAK, 0, 100, 4 * 63);
    expect_some(BREAK, 0, 63, "loop", 1, "49");
    expect_some(BREAK, 0, 20, "loop", 43, "49");
    translated_close(&kernel);
}
END_TEST

START_TEST(those_that_have_not_left_a_loop_by_any_way_are_counted)
{
    open_shader(_i);
    expect_whole(WAYS, 64, 1, 1);
    expect_whole(WAYS, 64, 3, 2 * 63 + 3);
    expect_whole(WAYS, 0, 3, 4 * 63 + 4);
    expect_some(WAYS, 40, 2, "round", 24, "89");
    expect_some(WAYS, 20, 1, "round", 44, "89");
    translated_close(&kernel);
}
END_TEST

START_TEST(those_that_take_a_branch_within_a_branch_are_counted)
{
    open_shader(_i);
    expect_whole(NESTED, 64, 64, 2 * 63);
    expect_some(NESTED, 64, 17, "branch", 17, "56");
    expect_some(NESTED, 30, 64, "branch", 30, "56");
    translated_close(&kernel);
}
END_TEST

START_TEST(a_condition_is_only_that_of_those_that_have_not_returned)
{
    open_shader(_i);
    expect_whole(LATE, 64, 64, 0);
    expect_some(LATE, 40, 64, "barrier", 40, "65"); /* all that are left take the branch */
    expect_some(LATE, 40, 10, "branch", 10, "65");
    expect_whole(LATE, 40, 0, 0);
    expect_some(CASES, 40, 40, "barrier", 40, "73");
    expect_some(CASES, 40, 39, "case", 39, "73");
    expect_whole(CASES, 0, 1, 0);
    translated_close(&kernel);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated barriers");
    TCase *tests = tcase_create("barriers");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, those_that_take_a_branch_with_a_barrier_are_counted, 0, 2);
    tcase_add_loop_test(tests, those_of_the_side_with_the_barrier_are_counted_also_behind_else, 0, 2);
    tcase_add_loop_test(tests, those_that_take_each_case_of_a_switch_are_counted, 0, 2);
    tcase_add_loop_test(tests, those_that_leave_a_loop_with_a_barrier_are_counted, 0, 2);
    tcase_add_loop_test(tests, those_that_have_not_left_a_loop_by_any_way_are_counted, 0, 2);
    tcase_add_loop_test(tests, those_that_take_a_branch_within_a_branch_are_counted, 0, 2);
    tcase_add_loop_test(tests, a_condition_is_only_that_of_those_that_have_not_returned, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
