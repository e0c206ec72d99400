/* Splitting at barriers: translate_split_at_barriers().
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <trireme/status.h>

#include "tests/unit/compiler/translate/passes/tree_expect.h"
#include "tests/unit/runner.h"

START_TEST(without_a_barrier_all_is_one_region_behind_what_the_group_computes)
{
    expect("saxpy.spv", TREE_SPLIT, true,
           "%1 = Load p[1]\n"
           "%2 = Load p[0]\n"
           "items\n"
           "    %3 = Load gl_GlobalInvocationID[0]\n"
           "    %4 = UGreaterThanEqual %3 %1\n"
           "    if %4\n"
           "        return\n"
           "    %5 = Load buffer0[0][%3]\n"
           "    %6 = FMul %2 %5\n"
           "    %7 = Load buffer1[0][%3]\n"
           "    %8 = FAdd %7 %6\n"
           "    Store buffer1[0][%3] %8\n");
}
END_TEST

START_TEST(a_loop_around_barriers_is_the_group_s_and_so_is_its_counter)
{
    /* Unoptimized: s is a variable of the function. The local id is loaded again, not spilled. */
    expect("reduce.spv", TREE_SPLIT, true,
           "%1 = Load p[0]\n"
           "items\n"
           "    %2 = Load gl_LocalInvocationID[0]\n"
           "    %3 = Load gl_GlobalInvocationID[0]\n"
           "    %4 = ULessThan %3 %1\n"
           "    if %4\n"
           "        %5 = Load buffer0[0][%3]\n"
           "        copy %6 = %5\n"
           "    else\n"
           "        copy %6 = 0\n"
           "    Store sums[%2] %6\n"
           "copy s%7 = 128\n"
           "loop\n"
           "    %8 = UGreaterThan s%7 0\n"
           "    if %8\n"
           "    else\n"
           "        break\n"
           "    items\n"
           "        %9 = Load gl_LocalInvocationID[0]\n"
           "        %10 = ULessThan %9 s%7\n"
           "        if %10\n"
           "            %11 = IAdd %9 s%7\n"
           "            %12 = Load sums[%11]\n"
           "            %13 = Load sums[%9]\n"
           "            %14 = FAdd %13 %12\n"
           "            Store sums[%9] %14\n"
           "    %15 = ShiftRightLogical s%7 1\n"
           "    copy s%7 = %15\n"
           "%16 = Load gl_WorkGroupID[0]\n"
           "%17 = Load sums[0]\n"
           "items\n"
           "    %18 = Load gl_LocalInvocationID[0]\n"
           "    %19 = IEqual %18 0\n"
           "    if %19\n"
           "        Store buffer1[0][%16] %17\n");
}
END_TEST

START_TEST(what_is_the_same_for_all_decides_for_the_group)
{
    expect("uniform_if.spv", TREE_SPLIT, true,
           "%1 = Load p[0]\n"
           "%2 = IEqual %1 1\n"
           "items\n"
           "    %3 = Load gl_GlobalInvocationID[0]\n"
           "    %4 = Load buffer0[0][%3]\n"
           "if %2\n"
           "    items loads %4\n"
           "        %5 = Load gl_LocalInvocationID[0]\n"
           "        Store tile[%5] %4\n"
           "    items\n"
           "        %6 = Load gl_LocalInvocationID[0]\n"
           "        %7 = ISub 31 %6\n"
           "        %8 = Load tile[%7]\n"
           "        copy v%9 = %8\n"
           "else\n"
           "    items loads %4\n"
           "        copy v%9 = %4\n"
           "items loads v%9\n"
           "    copy v%10 = v%9\n"
           "copy i%11 = 0\n"
           "loop\n"
           "    %12 = Load p[1]\n"
           "    %13 = SLessThan i%11 %12\n"
           "    if %13\n"
           "    else\n"
           "        break\n"
           "    items loads v%10\n"
           "        %14 = Load gl_LocalInvocationID[0]\n"
           "        Store tile[%14] v%10\n"
           "    %15 = Load tile[i%11]\n"
           "    %16 = IEqual %15 3\n"
           "    if %16\n"
           "        break\n"
           "    %17 = IAdd i%11 1\n"
           "    items loads v%10\n"
           "        %18 = Load gl_LocalInvocationID[0]\n"
           "        %19 = BitwiseXor %18 1\n"
           "        %20 = Load tile[%19]\n"
           "        %21 = IAdd v%10 %20\n"
           "        copy v%10 = %21\n"
           "    copy i%11 = %17\n"
           "items loads v%10\n"
           "    %22 = Load gl_GlobalInvocationID[0]\n"
           "    Store buffer0[0][%22] v%10\n");
}
END_TEST

START_TEST(what_may_differ_but_decides_about_a_barrier_is_spilled)
{
    expect("kept_condition.spv", TREE_SPLIT, true,
           "items\n"
           "    %1 = Load gl_GlobalInvocationID[0]\n"
           "    %2 = Load buffer0[0][%1]\n"
           "    copy rounds%3 = %2\n"
           "loop\n"
           "    items loads rounds%3\n"
           "        %4 = Load gl_LocalInvocationID[0]\n"
           "        Store tile[%4] rounds%3\n"
           "    items loads rounds%3\n"
           "        %5 = SLessThan rounds%3 3\n"
           "        copy %6 = %5\n"
           "    if %6\n"
           "        break\n"
           "    %7 = Load tile[0]\n"
           "    items loads rounds%3\n"
           "        %8 = ISub rounds%3 %7\n"
           "        copy rounds%3 = %8\n"
           "items loads rounds%3\n"
           "    %9 = Load gl_GlobalInvocationID[0]\n"
           "    Store buffer0[0][%9] rounds%3\n");
}
END_TEST

START_TEST(items_leave_a_loop_by_different_ways_and_it_ends_when_none_is_left)
{
    expect("left_one_by_one.spv", TREE_SPLIT, true,
           "items\n"
           "    %1 = Load gl_LocalInvocationID[0]\n"
           "    %2 = Load buffer0[0][%1]\n"
           "    copy k%3 = 0, v%4 = %2\n"
           "    copy gone%5 = false\n"
           "loop\n"
           "    copy stays%6 = false\n"
           "    items loads gone%5, v%4, k%3\n"
           "        %7 = Load gl_LocalInvocationID[0]\n"
           "        scope\n"
           "            if gone%5\n"
           "                leave\n"
           "            %8 = SGreaterThan v%4 5\n"
           "            if %8\n"
           "                %9 = IAdd v%4 2\n"
           "                %10 = Load buffer0[0][32]\n"
           "                %11 = IEqual %10 k%3\n"
           "                if %11\n"
           "                    copy v%12 = %9\n"
           "                    copy gone%5 = true\n"
           "                    leave\n"
           "                copy v%13 = %9\n"
           "            else\n"
           "                %14 = Load buffer0[0][32]\n"
           "                %15 = IEqual %14 k%3\n"
           "                if %15\n"
           "                    copy v%12 = v%4\n"
           "                    copy gone%5 = true\n"
           "                    leave\n"
           "                copy v%13 = v%4\n"
           "            Store tile[%7] v%13\n"
           "            copy stays%6 = true\n"
           "    if stays%6\n"
           "    else\n"
           "        break\n"
           "    items loads gone%5, k%3\n"
           "        %16 = Load gl_LocalInvocationID[0]\n"
           "        scope\n"
           "            if gone%5\n"
           "                leave\n"
           "            %17 = BitwiseXor %16 1\n"
           "            %18 = Load tile[%17]\n"
           "            %19 = IAdd k%3 1\n"
           "            copy k%3 = %19, v%4 = %18\n"
           "items loads v%12, k%3\n"
           "    %20 = Load gl_LocalInvocationID[0]\n"
           "    %21 = IAdd v%12 k%3\n"
           "    Store buffer0[0][%20] %21\n");
}
END_TEST

START_TEST(cases_with_a_barrier_leave_a_switch_in_which_items_differ)
{
    expect("separated.spv", TREE_SPLIT, true,
           "items\n"
           "    %1 = Load gl_LocalInvocationID[0]\n"
           "    %2 = Load buffer0[0][%1]\n"
           "copy v%3 = 0\n"
           "items loads %2\n"
           "    copy in_case%4 = false\n"
           "    copy in_case%5 = false\n"
           "    switch %2\n"
           "    case default\n"
           "        copy v%6 = 0\n"
           "    case 0\n"
           "        copy v%6 = 7\n"
           "    case 1\n"
           "        copy in_case%4 = true\n"
           "    case 2\n"
           "        copy in_case%5 = true\n"
           "    copy in_case%7 = in_case%4\n"
           "if in_case%7\n"
           "    items\n"
           "        %8 = Load gl_LocalInvocationID[0]\n"
           "        Store tile[%8] 8\n"
           "        copy in_case%5 = true\n"
           "    %9 = Load tile[0]\n"
           "    copy v%3 = %9\n"
           "%10 = IAdd v%3 9\n"
           "items loads in_case%5, v%6\n"
           "    %11 = Load gl_LocalInvocationID[0]\n"
           "    if in_case%5\n"
           "        copy v%6 = %10\n"
           "    Store buffer0[0][%11] v%6\n");
}
END_TEST

START_TEST(items_that_return_before_a_barrier_are_gone_for_later_regions)
{
    expect("return_before_barrier.spv", TREE_SPLIT, true,
           "%1 = Load p[0]\n"
           "items\n"
           "    %2 = Load gl_GlobalInvocationID[0]\n"
           "    %3 = UGreaterThanEqual %2 %1\n"
           "    if %3\n"
           "        return\n"
           "    %4 = Load buffer0[0][%2]\n"
           "    %5 = Load gl_LocalInvocationID[0]\n"
           "    Store tile[%5] %4\n"
           "items loads %4\n"
           "    %6 = Load gl_GlobalInvocationID[0]\n"
           "    %7 = Load gl_LocalInvocationID[0]\n"
           "    %8 = ISub 63 %7\n"
           "    %9 = Load tile[%8]\n"
           "    %10 = IAdd %9 %4\n"
           "    Store buffer0[0][%6] %10\n");
}
END_TEST

START_TEST(items_that_leave_a_function_alone_skip_the_rest_of_it)
{
    expect("gone.spv", TREE_SPLIT, true,
           "items\n"
           "    %1 = Load gl_GlobalInvocationID[0]\n"
           "    %2 = Load buffer0[0][%1]\n"
           "    %3 = Load gl_LocalInvocationID[0]\n"
           "    Store tile[%3] %2\n"
           "items loads %2\n"
           "    %4 = SGreaterThan %2 5\n"
           "    copy gone%5 = false\n"
           "%6 = Load p[0]\n"
           "%7 = IEqual %6 1\n"
           "items loads gone%5, %4\n"
           "    scope\n"
           "        if gone%5\n"
           "            leave\n"
           "        if %4\n"
           "            copy %8 = 0\n"
           "            copy gone%5 = true\n"
           "if %7\n"
           "    %9 = Load tile[0]\n"
           "    items loads gone%5, %2\n"
           "        scope\n"
           "            if gone%5\n"
           "                leave\n"
           "            %10 = IAdd %2 %9\n"
           "            copy param%11 = %10\n"
           "else\n"
           "    items loads gone%5, %2\n"
           "        scope\n"
           "            if gone%5\n"
           "                leave\n"
           "            copy param%11 = %2\n"
           "items loads gone%5, param%11\n"
           "    scope\n"
           "        if gone%5\n"
           "            leave\n"
           "        copy %8 = param%11\n"
           "items loads %8\n"
           "    %12 = Load gl_GlobalInvocationID[0]\n"
           "    %13 = IAdd %8 1\n"
           "    Store buffer0[0][%12] %13\n");
}
END_TEST

START_TEST(a_value_assigned_in_a_loop_is_spilled_once_behind_the_loop)
{
    expect("kept_in_loop.spv", TREE_SPLIT, true,
           "items\n"
           "    %1 = Load gl_LocalInvocationID[0]\n"
           "    %2 = Load gl_GlobalInvocationID[0]\n"
           "    %3 = Load buffer0[0][%2]\n"
           "    Store tile[%1] %3\n"
           "items loads %3\n"
           "    copy i%4 = 0, sum%5 = %3\n"
           "    loop\n"
           "        %6 = SLessThan i%4 sum%5\n"
           "        if %6\n"
           "        else\n"
           "            break\n"
           "        %7 = BitwiseAnd i%4 31\n"
           "        %8 = Load tile[%7]\n"
           "        %9 = IAdd sum%5 %8\n"
           "        %10 = IAdd i%4 1\n"
           "        copy i%4 = %10, sum%5 = %9\n"
           "    copy sum%11 = sum%5\n"
           "items loads sum%11\n"
           "    %12 = Load gl_LocalInvocationID[0]\n"
           "    %13 = IMul sum%11 2\n"
           "    Store tile[%12] %13\n"
           "items loads sum%11\n"
           "    %14 = Load gl_LocalInvocationID[0]\n"
           "    %15 = Load gl_GlobalInvocationID[0]\n"
           "    %16 = ISub 31 %14\n"
           "    %17 = Load tile[%16]\n"
           "    %18 = IAdd sum%11 %17\n"
           "    Store buffer0[0][%15] %18\n");
}
END_TEST

START_TEST(arrays_that_two_regions_use_are_spilled)
{
    expect("arrays.spv", TREE_SPLIT, true,
           "items\n"
           "    Store counts constant\n"
           "    %1 = Load gl_LocalInvocationID[0]\n"
           "    %2 = BitwiseAnd %1 3\n"
           "    %3 = Load buffer0[0][%1]\n"
           "    Store other[%2] %3\n"
           "    %4 = BitwiseAnd %1 3\n"
           "    %5 = IAdd %1 1\n"
           "    %6 = BitwiseAnd %5 3\n"
           "    %7 = Load other[%6]\n"
           "    Store own[%4] %7\n"
           "    %8 = Load own[0]\n"
           "    Store tile[%1] %8\n"
           "items\n"
           "    %9 = Load gl_LocalInvocationID[0]\n"
           "    %10 = BitwiseAnd %9 1\n"
           "    %11 = BitwiseAnd %9 3\n"
           "    %12 = Load own[%11]\n"
           "    %13 = Load counts[%10][1]\n"
           "    %14 = IAdd %13 %12\n"
           "    Store counts[%10][1] %14\n"
           "    %15 = ISub 63 %9\n"
           "    %16 = Load tile[%15]\n"
           "    %17 = Load counts[0][1]\n"
           "    %18 = IAdd %16 %17\n"
           "    Store buffer0[0][%9] %18\n");
}
END_TEST

START_TEST(only_a_return_that_others_go_on_after_is_early)
{
    struct base_arena arena;

    ck_assert(!expect_body("saxpy.spv", &arena)->returns_early);
    base_arena_fini(&arena);
    ck_assert(expect_body("return_before_barrier.spv", &arena)->returns_early);
    base_arena_fini(&arena);
}
END_TEST

START_TEST(arrays_that_one_region_uses_are_not_spilled)
{
    struct base_arena arena;
    const struct body *body = expect_body("arrays.spv", &arena);
    uint32_t spilled = 0, own = 0;

    for (uint32_t i = 0; i < body->local_count; i++) {
        spilled += body->values[body->locals[i]].place == PLACE_SPILLED;
        own += body->values[body->locals[i]].place == PLACE_TOP;
    }
    ck_assert_uint_eq(spilled, 2);
    ck_assert_uint_eq(own, 1);
    base_arena_fini(&arena);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_split_at_barriers");
    TCase *tests = tcase_create("translate_split_at_barriers");

    tcase_add_test(tests, without_a_barrier_all_is_one_region_behind_what_the_group_computes);
    tcase_add_test(tests, a_loop_around_barriers_is_the_group_s_and_so_is_its_counter);
    tcase_add_test(tests, what_is_the_same_for_all_decides_for_the_group);
    tcase_add_test(tests, what_may_differ_but_decides_about_a_barrier_is_spilled);
    tcase_add_test(tests, items_leave_a_loop_by_different_ways_and_it_ends_when_none_is_left);
    tcase_add_test(tests, cases_with_a_barrier_leave_a_switch_in_which_items_differ);
    tcase_add_test(tests, items_that_return_before_a_barrier_are_gone_for_later_regions);
    tcase_add_test(tests, items_that_leave_a_function_alone_skip_the_rest_of_it);
    tcase_add_test(tests, a_value_assigned_in_a_loop_is_spilled_once_behind_the_loop);
    tcase_add_test(tests, arrays_that_two_regions_use_are_spilled);
    tcase_add_test(tests, only_a_return_that_others_go_on_after_is_early);
    tcase_add_test(tests, arrays_that_one_region_uses_are_not_spilled);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
