/* Work-items that leave loops with barriers one by one, or together by different ways, and switches in which
 * they differ beside a case with a barrier: translated to C, compiled, called, and compared. Checks of
 * barriers find nothing wrong.
 * SPDX-License-Identifier: MIT
 * / */
#include <string.h>

#include "tests/unit/compiler/translate/translated.h"
#include "tests/unit/runner.h"

enum {
    ITEMS = 32,
    COUNT = 4 * ITEMS,
};

/* The numbers of tests/unit/shaders/flow/leaves.comp. */
enum {
    ONE_BY_ONE = 0,
    RETURNING  = 1,
    ENDED      = 2,
    TWO_WAYS   = 3,
    CASES      = 4,
    COUNTED    = 5,
    NESTED     = 6,
    COUNTS     = 7,
    REST       = 8,
};

struct arguments {
    _Alignas(16) struct trm_cpu_buffer x, y;
    uint32_t kind, n;
};

static struct translated kernel;
static uint32_t x[COUNT], y[COUNT], v[COUNT];

/* Both forms of the shader, without and with checks of barriers. */
static void open_shader(int form)
{
    translated_open(&kernel, translated_path(form & 1 ? "flow/leaves_plain.spv" : "flow/leaves.spv"),
                    form & 2 ? TRM_TRANSLATE_BOUNDS | TRM_TRANSLATE_BARRIERS : 0, NULL, 0);
    for (uint32_t i = 0; i < COUNT; i++)
        v[i] = x[i] = (i + 1) * 2654435761u >> 7;
}

static void call(uint32_t kind, uint32_t n)
{
    const struct arguments arguments = {.x = {x, sizeof(x)}, .y = {y, sizeof(y)}, .kind = kind, .n = n};

    memset(y, 0xee, sizeof(y));
    ck_assert_int_eq(translated_call(&kernel, 0, COUNT / ITEMS, 1, 1, 2, &arguments), 0);
}

/* other() of the shader, for all work-items of all groups. */
static void add_others(void)
{
    uint32_t before[COUNT];

    memcpy(before, v, sizeof(v));
    for (uint32_t i = 0; i < COUNT; i++)
        v[i] += before[i / ITEMS * ITEMS + ITEMS - 1 - i % ITEMS];
}

static void expect_v(void)
{
    for (uint32_t i = 0; i < COUNT; i++)
        ck_assert_msg(y[i] == v[i], "work-item %u: %u, not %u", i, y[i], v[i]);
    translated_close(&kernel);
}

START_TEST(those_that_leave_a_loop_one_by_one_keep_what_they_had)
{
    open_shader(_i);
    call(ONE_BY_ONE, 11);
    add_others();
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t k = 0; k < x[i] % 8; k++)
            v[i] = v[i] * 5 + 1;
        v[i] = v[i] * 64 + x[i] % 8 + x[i] % 8 * 3 + 11;
    }
    expect_v();
}
END_TEST

START_TEST(a_loop_ends_when_all_have_returned)
{
    open_shader(_i);
    call(RETURNING, 4);
    for (uint32_t k = 0; k < 5; k++) {
        add_others();
        for (uint32_t i = 0; i < COUNT; i++)
            v[i] += i % 2 != 0 ? (k == 4 ? 1 : 0) : (k == 4 ? 0 : 3);
    }
    expect_v();
}
END_TEST

/* The groups 0 and 2 leave before the loop, which has so many rounds. */
static void expect_groups_to_leave(uint32_t kind, uint32_t rounds)
{
    for (uint32_t i = 0; i < COUNT; i++)
        v[i] = x[i] = i / ITEMS % 2 == 0 ? i % 100 : 1000 + i;
    call(kind, 1000);
    for (uint32_t k = 0; k < rounds; k++)
        add_others();
    for (uint32_t i = 0; i < COUNT; i++)
        if (i / ITEMS % 2 == 0)
            v[i] = 7;
    expect_v();
}

START_TEST(a_loop_to_which_none_comes_ends)
{
    open_shader(_i);
    expect_groups_to_leave(ENDED, 4);
}
END_TEST

START_TEST(those_that_go_another_way_do_not_return_with_the_others)
{
    open_shader(_i);
    call(TWO_WAYS, 10);
    add_others();
    for (uint32_t i = 0; i < COUNT; i++)
        v[i] = i % ITEMS < 10 ? v[i] * 2 : v[i] + 5;
    expect_v();
}
END_TEST

START_TEST(each_takes_its_own_case_where_none_takes_the_one_with_a_barrier)
{
    open_shader(_i);
    call(CASES, 1);
    for (uint32_t i = 0; i < COUNT; i++)
        v[i] = i % 2 == 0 ? v[i] + 1 : v[i] * 3;
    expect_v();
}
END_TEST

START_TEST(all_take_the_case_with_a_barrier_and_may_leave_it_alone)
{
    open_shader(_i);
    call(CASES, 9);
    add_others();
    for (uint32_t i = 0; i < COUNT; i++)
        v[i] *= i % ITEMS < 5 ? 1 : 3;
    expect_v();
}
END_TEST

START_TEST(those_that_break_in_the_last_round_do_not_take_the_others_along)
{
    open_shader(_i);
    call(COUNTED, 3);
    for (uint32_t k = 0; k < 4; k++) {
        add_others();
        for (uint32_t i = 0; i < COUNT; i++)
            if (k < 3 || i % 2 != 0)
                v[i] = v[i] * 3 + 1;
    }
    expect_v();
}
END_TEST

START_TEST(two_loops_end_when_all_have_returned_from_the_inner_one)
{
    open_shader(_i);
    call(NESTED, 6);
    for (uint32_t k = 0; k < 7; k++) {
        add_others();
        for (uint32_t i = 0; i < COUNT; i++) {
            v[i] += i % 2 != 0 ? (k == 6 ? 1 : 0) : (k == 6 ? 0 : 3);
            if (k == 3)
                v[i] ^= 5;
        }
    }
    expect_v();
}
END_TEST

START_TEST(a_loop_to_which_none_comes_has_no_count)
{
    open_shader(_i);
    expect_groups_to_leave(COUNTS, 3);
}
END_TEST

START_TEST(a_loop_to_which_none_comes_has_no_negative_count)
{
    open_shader(_i);
    call(REST, 2 * ITEMS);
    for (uint32_t k = 0; k < 2 * ITEMS; k++) {
        uint32_t before[COUNT];
        memcpy(before, v, sizeof(v));
        add_others();
        if (k >= ITEMS) /* the second group is done */
            memcpy(v + ITEMS, before + ITEMS, sizeof(v) / 4);
    }
    for (uint32_t i = 2 * ITEMS; i < COUNT; i++)
        v[i] = 7;
    expect_v();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated leaves");
    TCase *tests = tcase_create("leaves");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, those_that_leave_a_loop_one_by_one_keep_what_they_had, 0, 4);
    tcase_add_loop_test(tests, a_loop_ends_when_all_have_returned, 0, 4);
    tcase_add_loop_test(tests, a_loop_to_which_none_comes_ends, 0, 4);
    tcase_add_loop_test(tests, those_that_go_another_way_do_not_return_with_the_others, 0, 4);
    tcase_add_loop_test(tests, each_takes_its_own_case_where_none_takes_the_one_with_a_barrier, 0, 4);
    tcase_add_loop_test(tests, all_take_the_case_with_a_barrier_and_may_leave_it_alone, 0, 4);
    tcase_add_loop_test(tests, those_that_break_in_the_last_round_do_not_take_the_others_along, 0, 4);
    tcase_add_loop_test(tests, two_loops_end_when_all_have_returned_from_the_inner_one, 0, 4);
    tcase_add_loop_test(tests, a_loop_to_which_none_comes_has_no_count, 0, 4);
    tcase_add_loop_test(tests, a_loop_to_which_none_comes_has_no_negative_count, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
