/* Operations of subgroups that not all work-items come to: translate_converge().
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <trireme/status.h>

#include "tests/unit/compiler/translate/passes/tree_expect.h"
#include "tests/unit/runner.h"

START_TEST(a_uniform_condition_around_an_operation_stays_the_group_s)
{
    expect("converge_uniform.spv", TREE_SPLIT, true,
           "%1 = Load push[0]\n"
           "%2 = UGreaterThan %1 7\n"
           "items\n"
           "    %3 = Load gl_LocalInvocationID[0]\n"
           "    %4 = Load buffer0[0][%3]\n"
           "scope\n"
           "    if %2\n"
           "    else\n"
           "        items loads %4\n"
           "            copy x%5 = %4\n"
           "        leave\n"
           "    items loads %4\n"
           "        published%6 = Publish %4\n"
           "    items loads published%6\n"
           "        %7 = GroupNonUniformIAdd 3 0 published%6\n"
           "    items loads %7\n"
           "        Retract\n"
           "        copy x%5 = %7\n"
           "items loads x%5\n"
           "    %8 = Load gl_LocalInvocationID[0]\n"
           "    Store buffer0[0][%8] x%5\n");
}
END_TEST

START_TEST(a_loop_runs_until_all_work_items_have_left_it)
{
    expect("converge_loop.spv", TREE_SPLIT, true,
           "items\n"
           "    %1 = Load gl_LocalInvocationID[0]\n"
           "    %2 = Load buffer0[0][%1]\n"
           "    copy x%3 = %2\n"
           "    copy has_left%4 = false\n"
           "loop\n"
           "    items\n"
           "        copy gone%5 = false\n"
           "    items loads gone%5, has_left%4, x%3\n"
           "        scope\n"
           "            if gone%5\n"
           "                leave\n"
           "            if has_left%4\n"
           "                copy gone%5 = true\n"
           "                leave\n"
           "            %6 = UGreaterThan x%3 9\n"
           "            if %6\n"
           "            else\n"
           "                copy has_left%4 = true\n"
           "                copy gone%5 = true\n"
           "                leave\n"
           "            published%7 = Publish x%3\n"
           "    items loads gone%5, published%7\n"
           "        scope\n"
           "            if gone%5\n"
           "                leave\n"
           "            %8 = GroupNonUniformUMin 3 0 published%7\n"
           "    items loads gone%5, x%3, %8\n"
           "        scope\n"
           "            if gone%5\n"
           "                leave\n"
           "            Retract\n"
           "            %9 = ISub x%3 %8\n"
           "            copy x%3 = %9\n"
           "    items loads has_left%4\n"
           "        published%10 = Publish has_left%4\n"
           "    any_left%11 = AnyLeft published%10\n"
           "    items\n"
           "        Retract\n"
           "    if any_left%11\n"
           "    else\n"
           "        break\n"
           "items loads x%3\n"
           "    %12 = Load gl_LocalInvocationID[0]\n"
           "    Store buffer0[0][%12] x%3\n");
}
END_TEST

START_TEST(each_side_of_a_condition_becomes_a_scope)
{
    expect("converge_sides.spv", TREE_SPLIT, true,
           "items\n"
           "    %1 = Load gl_LocalInvocationID[0]\n"
           "    %2 = Load buffer0[0][%1]\n"
           "    %3 = UGreaterThan %2 9\n"
           "    copy gone%4 = false\n"
           "items loads gone%4, %3, %2\n"
           "    scope\n"
           "        if gone%4\n"
           "            leave\n"
           "        if %3\n"
           "        else\n"
           "            copy gone%4 = true\n"
           "            leave\n"
           "        published%5 = Publish %2\n"
           "items loads gone%4, published%5\n"
           "    scope\n"
           "        if gone%4\n"
           "            leave\n"
           "        %6 = GroupNonUniformUMin 3 0 published%5\n"
           "items loads gone%4, %6\n"
           "    scope\n"
           "        if gone%4\n"
           "            leave\n"
           "        Retract\n"
           "        copy x%7 = %6\n"
           "items\n"
           "    copy gone%8 = false\n"
           "items loads gone%8, %3, %2\n"
           "    scope\n"
           "        if gone%8\n"
           "            leave\n"
           "        if %3\n"
           "            copy gone%8 = true\n"
           "            leave\n"
           "        published%9 = Publish %2\n"
           "items loads gone%8, published%9\n"
           "    scope\n"
           "        if gone%8\n"
           "            leave\n"
           "        %10 = GroupNonUniformUMax 3 0 published%9\n"
           "items loads gone%8, %10\n"
           "    scope\n"
           "        if gone%8\n"
           "            leave\n"
           "        Retract\n"
           "        copy x%7 = %10\n"
           "items loads x%7\n"
           "    %11 = Load gl_LocalInvocationID[0]\n"
           "    Store buffer0[0][%11] x%7\n");
}
END_TEST

START_TEST(an_operation_in_a_divergent_switch_is_refused)
{
    expect_refused("converge_switch.spv", TRM_ERROR_UNSUPPORTED,
                   "OpGroupNonUniformUMin stands beside cooperative matrices in a switch whose cases not all "
                   "work-items of a group take together");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_converge");
    TCase *tests = tcase_create("converge");

    tcase_add_test(tests, a_uniform_condition_around_an_operation_stays_the_group_s);
    tcase_add_test(tests, a_loop_runs_until_all_work_items_have_left_it);
    tcase_add_test(tests, each_side_of_a_condition_becomes_a_scope);
    tcase_add_test(tests, an_operation_in_a_divergent_switch_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
