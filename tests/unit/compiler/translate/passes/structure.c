/* Blocks become a tree: translate_structure().
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <trireme/status.h>

#include "tests/unit/compiler/translate/passes/tree_expect.h"
#include "tests/unit/runner.h"

START_TEST(a_return_at_the_beginning_is_a_return)
{
    expect("saxpy.spv", TREE_STRUCTURED, false,
           "%1 = Load gl_GlobalInvocationID[0]\n"
           "%2 = Load p[1]\n"
           "%3 = UGreaterThanEqual %1 %2\n"
           "if %3\n"
           "    return\n"
           "%4 = Load p[0]\n"
           "%5 = Load buffer0[0][%1]\n"
           "%6 = FMul %4 %5\n"
           "%7 = Load buffer1[0][%1]\n"
           "%8 = FAdd %7 %6\n"
           "Store buffer1[0][%1] %8\n");
}
END_TEST

START_TEST(switches_fall_through_break_and_continue_the_loops_around_them)
{
    expect("loops.spv", TREE_STRUCTURED, false,
           "%1 = Load gl_GlobalInvocationID[0]\n"
           "copy i%2 = 0, sum%3 = 0\n"
           "loop!\n"
           "    %4 = Load p[0]\n"
           "    %5 = SLessThan i%2 %4\n"
           "    if %5\n"
           "    else\n"
           "        break\n"
           "    copy k%6 = i%2, sum%7 = sum%3\n"
           "    loop!\n"
           "        %8 = Load p[1]\n"
           "        %9 = SLessThan k%6 %8\n"
           "        if %9\n"
           "        else\n"
           "            copy sum%10 = sum%7\n"
           "            break\n"
           "        %11 = Load buffer0[0][k%6]\n"
           "        copy sum%12 = sum%7, sum%13 = sum%7\n"
           "        switch %11\n"
           "        case 0 falls\n"
           "            %14 = IAdd sum%7 1\n"
           "            copy sum%13 = %14\n"
           "        case 1\n"
           "            %15 = IAdd sum%13 2\n"
           "            %16 = SGreaterThan %15 100\n"
           "            if %16\n"
           "                copy sum%17 = %15\n"
           "                break\n"
           "            %18 = IAdd %15 k%6\n"
           "            copy sum%17 = %18\n"
           "        case 5 6\n"
           "            %19 = IEqual k%6 7\n"
           "            if %19\n"
           "                copy sum%20 = sum%7\n"
           "                continue\n"
           "            %21 = ISub sum%7 3\n"
           "            copy sum%17 = %21\n"
           "        case 8 falls\n"
           "            %22 = BitwiseXor sum%7 5\n"
           "            copy sum%12 = %22\n"
           "        case default\n"
           "            %23 = IMul sum%12 2\n"
           "            copy sum%20 = %23\n"
           "            continue\n"
           "        %24 = SLessThan sum%17 0\n"
           "        if %24\n"
           "            copy sum%10 = sum%17\n"
           "            break\n"
           "        Store buffer0[0][%1] k%6\n"
           "        copy sum%20 = sum%17\n"
           "    continuing\n"
           "        %25 = IAdd k%6 2\n"
           "        copy k%6 = %25, sum%7 = sum%20\n"
           "    %26 = IEqual sum%10 77\n"
           "    if %26\n"
           "        continue\n"
           "    %27 = IAdd %1 1\n"
           "    Store buffer0[0][%27] i%2\n"
           "continuing\n"
           "    %28 = IAdd i%2 1\n"
           "    copy i%2 = %28, sum%3 = sum%10\n"
           "Store buffer0[0][%1] sum%3\n");
}
END_TEST

START_TEST(the_optimizer_s_blocks_make_the_same_tree)
{
    expect("loops_optimized.spv", TREE_STRUCTURED, false,
           "%1 = Load id[0]\n"
           "copy %2 = 0, %3 = 0\n"
           "loop!\n"
           "    %4 = Load push[0]\n"
           "    %5 = SLessThan %3 %4\n"
           "    if %5\n"
           "    else\n"
           "        break\n"
           "    copy %6 = %2, %7 = %3\n"
           "    loop!\n"
           "        %8 = Load push[1]\n"
           "        %9 = SLessThan %7 %8\n"
           "        if %9\n"
           "        else\n"
           "            copy %10 = %6\n"
           "            break\n"
           "        %11 = Load buffer0[0][%7]\n"
           "        copy %12 = %6, %13 = %6\n"
           "        switch %11\n"
           "        case 0 falls\n"
           "            %14 = IAdd %6 1\n"
           "            copy %13 = %14\n"
           "        case 1\n"
           "            %15 = IAdd %13 2\n"
           "            %16 = SGreaterThan %15 100\n"
           "            if %16\n"
           "                copy %17 = %15\n"
           "                break\n"
           "            %18 = IAdd %15 %7\n"
           "            copy %17 = %18\n"
           "        case 5 6\n"
           "            %19 = IEqual %7 7\n"
           "            if %19\n"
           "                copy %20 = %6\n"
           "                continue\n"
           "            %21 = ISub %6 3\n"
           "            copy %17 = %21\n"
           "        case 8 falls\n"
           "            %22 = BitwiseXor %6 5\n"
           "            copy %12 = %22\n"
           "        case default\n"
           "            %23 = IMul %12 2\n"
           "            copy %20 = %23\n"
           "            continue\n"
           "        %24 = SLessThan %17 0\n"
           "        if %24\n"
           "            copy %10 = %17\n"
           "            break\n"
           "        Store buffer0[0][%1] %7\n"
           "        copy %20 = %17\n"
           "    continuing\n"
           "        %25 = IAdd %7 2\n"
           "        copy %6 = %20, %7 = %25\n"
           "    %26 = IEqual %10 77\n"
           "    if %26\n"
           "        continue\n"
           "    %27 = IAdd %1 1\n"
           "    Store buffer0[0][%27] %3\n"
           "continuing\n"
           "    %28 = IAdd %3 1\n"
           "    copy %2 = %10, %3 = %28\n"
           "Store buffer0[0][%1] %2\n");
}
END_TEST

START_TEST(a_loop_that_runs_once_is_a_scope_and_one_that_tests_at_its_end_breaks_there)
{
    expect("loop_once.spv", TREE_STRUCTURED, false,
           "%1 = Load gl_GlobalInvocationID[0]\n"
           "scope\n"
           "    %2 = Load buffer0[0][%1]\n"
           "    %3 = IEqual %2 0\n"
           "    if %3\n"
           "        leave\n"
           "    Store buffer0[0][%1] 1\n"
           "    %4 = IAdd %1 1\n"
           "    %5 = Load buffer0[0][%4]\n"
           "    %6 = IEqual %5 0\n"
           "    if %6\n"
           "        leave\n"
           "    %7 = IAdd %1 1\n"
           "    Store buffer0[0][%7] 2\n"
           "copy n%8 = 0\n"
           "loop\n"
           "    %9 = Bitcast n%8\n"
           "    %10 = IAdd %1 %9\n"
           "    %11 = Load buffer0[0][%10]\n"
           "    %12 = IAdd n%8 %11\n"
           "    %13 = SLessThan %12 10\n"
           "    if %13\n"
           "        copy n%8 = %12\n"
           "    else\n"
           "        break\n"
           "%14 = IAdd %1 2\n"
           "Store buffer0[0][%14] %12\n");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_structure");
    TCase *tests = tcase_create("translate_structure");

    tcase_add_test(tests, a_return_at_the_beginning_is_a_return);
    tcase_add_test(tests, switches_fall_through_break_and_continue_the_loops_around_them);
    tcase_add_test(tests, the_optimizer_s_blocks_make_the_same_tree);
    tcase_add_test(tests, a_loop_that_runs_once_is_a_scope_and_one_that_tests_at_its_end_breaks_there);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
