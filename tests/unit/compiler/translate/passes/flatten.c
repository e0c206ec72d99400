/* Calls inlined, pointers resolved: translate_flatten(), as the tree shows it.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <trireme/status.h>

#include "tests/unit/compiler/translate/passes/tree_expect.h"
#include "tests/unit/runner.h"

START_TEST(functions_that_return_early_become_scopes_that_are_left)
{
    expect("early.spv", TREE_STRUCTURED, false,
           "%1 = Load gl_GlobalInvocationID[0]\n"
           "%2 = Bitcast %1\n"
           "%3 = IEqual %2 3\n"
           "scope\n"
           "    if %3\n"
           "        copy param%4 = 5, %5 = 1\n"
           "        leave\n"
           "    %6 = SLessThan %2 0\n"
           "    scope\n"
           "        if %6\n"
           "            %7 = SNegate %2\n"
           "            copy %8 = %7\n"
           "            leave\n"
           "        copy i%9 = 0\n"
           "        loop\n"
           "            %10 = SLessThan i%9 %2\n"
           "            if %10\n"
           "            else\n"
           "                break\n"
           "            %11 = Load buffer0[0][i%9]\n"
           "            %12 = IEqual %11 %2\n"
           "            if %12\n"
           "                copy %8 = i%9\n"
           "                leave\n"
           "            %13 = Load buffer0[0][i%9]\n"
           "            %14 = SGreaterThan %13 %2\n"
           "            if %14\n"
           "                break\n"
           "            %15 = IAdd i%9 1\n"
           "            copy i%9 = %15\n"
           "        %16 = IMul %2 2\n"
           "        copy %8 = %16\n"
           "    %17 = IAdd %2 1\n"
           "    %18 = SLessThan %17 0\n"
           "    scope\n"
           "        if %18\n"
           "            %19 = SNegate %17\n"
           "            copy %20 = %19\n"
           "            leave\n"
           "        copy i%21 = 0\n"
           "        loop\n"
           "            %22 = SLessThan i%21 %17\n"
           "            if %22\n"
           "            else\n"
           "                break\n"
           "            %23 = Load buffer0[0][i%21]\n"
           "            %24 = IEqual %23 %17\n"
           "            if %24\n"
           "                copy %20 = i%21\n"
           "                leave\n"
           "            %25 = Load buffer0[0][i%21]\n"
           "            %26 = SGreaterThan %25 %17\n"
           "            if %26\n"
           "                break\n"
           "            %27 = IAdd i%21 1\n"
           "            copy i%21 = %27\n"
           "        %28 = IMul %17 2\n"
           "        copy %20 = %28\n"
           "    %29 = IAdd %8 %20\n"
           "    %30 = IAdd 2 %29\n"
           "    %31 = SGreaterThan %29 10\n"
           "    if %31\n"
           "        copy param%4 = %30, %5 = 7\n"
           "        leave\n"
           "    copy param%4 = %30, %5 = %29\n"
           "%32 = IAdd %5 param%4\n"
           "Store buffer0[0][%1] %32\n");
}
END_TEST

START_TEST(returns_that_the_optimizer_turned_into_breaks_are_breaks)
{
    expect("early_optimized.spv", TREE_STRUCTURED, false,
           "%1 = Load id[0]\n"
           "%2 = Bitcast %1\n"
           "%3 = IEqual %2 3\n"
           "scope\n"
           "    if %3\n"
           "        copy %4 = 5, %5 = 1\n"
           "        leave\n"
           "    %6 = SLessThan %2 0\n"
           "    scope\n"
           "        if %6\n"
           "            %7 = SNegate %2\n"
           "            copy %8 = %7\n"
           "            leave\n"
           "        copy %9 = 0\n"
           "        loop\n"
           "            %10 = SLessThan %9 %2\n"
           "            if %10\n"
           "            else\n"
           "                copy %11 = 0, %12 = false\n"
           "                break\n"
           "            %13 = Load buffer0[0][%9]\n"
           "            %14 = IEqual %13 %2\n"
           "            if %14\n"
           "                copy %11 = %9, %12 = true\n"
           "                break\n"
           "            %15 = Load buffer0[0][%9]\n"
           "            %16 = SGreaterThan %15 %2\n"
           "            if %16\n"
           "                copy %11 = 0, %12 = false\n"
           "                break\n"
           "            %17 = IAdd %9 1\n"
           "            copy %9 = %17\n"
           "        if %12\n"
           "            copy %8 = %11\n"
           "            leave\n"
           "        %18 = IMul %2 2\n"
           "        copy %8 = %18\n"
           "    %19 = IAdd %2 1\n"
           "    %20 = SLessThan %19 0\n"
           "    scope\n"
           "        if %20\n"
           "            %21 = ISub -1 %2\n"
           "            copy %22 = %21\n"
           "            leave\n"
           "        copy %23 = 0\n"
           "        loop\n"
           "            %24 = SLessThan %23 %19\n"
           "            if %24\n"
           "            else\n"
           "                copy %25 = 0, %26 = false\n"
           "                break\n"
           "            %27 = Load buffer0[0][%23]\n"
           "            %28 = IEqual %27 %19\n"
           "            if %28\n"
           "                copy %25 = %23, %26 = true\n"
           "                break\n"
           "            %29 = Load buffer0[0][%23]\n"
           "            %30 = SGreaterThan %29 %19\n"
           "            if %30\n"
           "                copy %25 = 0, %26 = false\n"
           "                break\n"
           "            %31 = IAdd %23 1\n"
           "            copy %23 = %31\n"
           "        if %26\n"
           "            copy %22 = %25\n"
           "            leave\n"
           "        %32 = IMul %19 2\n"
           "        copy %22 = %32\n"
           "    %33 = IAdd %8 %22\n"
           "    %34 = IAdd 2 %33\n"
           "    %35 = SGreaterThan %33 10\n"
           "    if %35\n"
           "        copy %4 = %34, %5 = 7\n"
           "        leave\n"
           "    copy %4 = %34, %5 = %33\n"
           "%36 = IAdd %5 %4\n"
           "Store buffer0[0][%1] %36\n");
}
END_TEST

START_TEST(private_variables_belong_to_the_kernel_and_are_initialized_at_its_beginning)
{
    expect("arrays.spv", TREE_STRUCTURED, false,
           "Store counts constant\n"
           "%1 = Load gl_LocalInvocationID[0]\n"
           "%2 = BitwiseAnd %1 3\n"
           "%3 = Load buffer0[0][%1]\n"
           "Store other[%2] %3\n"
           "%4 = BitwiseAnd %1 3\n"
           "%5 = IAdd %1 1\n"
           "%6 = BitwiseAnd %5 3\n"
           "%7 = Load other[%6]\n"
           "Store own[%4] %7\n"
           "%8 = Load own[0]\n"
           "Store tile[%1] %8\n"
           "barrier\n"
           "%9 = BitwiseAnd %1 1\n"
           "%10 = BitwiseAnd %1 3\n"
           "%11 = Load own[%10]\n"
           "%12 = Load counts[%9][1]\n"
           "%13 = IAdd %12 %11\n"
           "Store counts[%9][1] %13\n"
           "%14 = ISub 63 %1\n"
           "%15 = Load tile[%14]\n"
           "%16 = Load counts[0][1]\n"
           "%17 = IAdd %15 %16\n"
           "Store buffer0[0][%1] %17\n");
}
END_TEST

START_TEST(calls_that_inline_to_too_many_instructions_are_refused)
{
    expect_refused("many_calls.spv", TRM_ERROR_UNSUPPORTED, "more than 50000 instructions");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_flatten");
    TCase *tests = tcase_create("translate_flatten");

    tcase_add_test(tests, functions_that_return_early_become_scopes_that_are_left);
    tcase_add_test(tests, returns_that_the_optimizer_turned_into_breaks_are_breaks);
    tcase_add_test(tests, private_variables_belong_to_the_kernel_and_are_initialized_at_its_beginning);
    tcase_add_test(tests, calls_that_inline_to_too_many_instructions_are_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
