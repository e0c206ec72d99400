/* Where values live: translate_place().
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <trireme/status.h>

#include "tests/unit/compiler/translate/passes/tree_expect.h"
#include "tests/unit/runner.h"

START_TEST(operations_used_once_are_inline_and_loads_are_not)
{
    expect("saxpy.spv", TREE_PLACED, false,
           "%1.here = Load gl_GlobalInvocationID[0]\n"
           "%2.here = Load p[1]\n"
           "%3.inline = UGreaterThanEqual %1 %2\n"
           "if %3\n"
           "    return\n"
           "%4.here = Load p[0]\n"
           "%5.here = Load buffer0[0][%1]\n"
           "%6.inline = FMul %4 %5\n"
           "%7.here = Load buffer1[0][%1]\n"
           "%8.inline = FAdd %7 %6\n"
           "Store buffer1[0][%1] %8\n");
}
END_TEST

START_TEST(values_used_outside_of_their_braces_are_declared_further_out)
{
    expect("loops.spv", TREE_PLACED, false,
           "%1.here = Load gl_GlobalInvocationID[0]\n"
           "copy i%2.top = 0, sum%3.top = 0\n"
           "loop!\n"
           "    %4.here = Load p[0]\n"
           "    %5.inline = SLessThan i%2 %4\n"
           "    if %5\n"
           "    else\n"
           "        break\n"
           "    copy k%6.top = i%2, sum%7.top = sum%3\n"
           "    loop!\n"
           "        %8.here = Load p[1]\n"
           "        %9.inline = SLessThan k%6 %8\n"
           "        if %9\n"
           "        else\n"
           "            copy sum%10.top = sum%7\n"
           "            break\n"
           "        %11.here = Load buffer0[0][k%6]\n"
           "        copy sum%12.top = sum%7, sum%13.top = sum%7\n"
           "        switch %11\n"
           "        case 0 falls\n"
           "            %14.inline = IAdd sum%7 1\n"
           "            copy sum%13.top = %14\n"
           "        case 1\n"
           "            %15.here = IAdd sum%13 2\n"
           "            %16.inline = SGreaterThan %15 100\n"
           "            if %16\n"
           "                copy sum%17.top = %15\n"
           "                break\n"
           "            %18.inline = IAdd %15 k%6\n"
           "            copy sum%17.top = %18\n"
           "        case 5 6\n"
           "            %19.inline = IEqual k%6 7\n"
           "            if %19\n"
           "                copy sum%20.top = sum%7\n"
           "                continue\n"
           "            %21.inline = ISub sum%7 3\n"
           "            copy sum%17.top = %21\n"
           "        case 8 falls\n"
           "            %22.inline = BitwiseXor sum%7 5\n"
           "            copy sum%12.top = %22\n"
           "        case default\n"
           "            %23.inline = IMul sum%12 2\n"
           "            copy sum%20.top = %23\n"
           "            continue\n"
           "        %24.inline = SLessThan sum%17 0\n"
           "        if %24\n"
           "            copy sum%10.top = sum%17\n"
           "            break\n"
           "        Store buffer0[0][%1] k%6\n"
           "        copy sum%20.top = sum%17\n"
           "    continuing\n"
           "        %25.inline = IAdd k%6 2\n"
           "        copy k%6.top = %25, sum%7.top = sum%20\n"
           "    %26.inline = IEqual sum%10 77\n"
           "    if %26\n"
           "        continue\n"
           "    %27.inline = IAdd %1 1\n"
           "    Store buffer0[0][%27] i%2\n"
           "continuing\n"
           "    %28.inline = IAdd i%2 1\n"
           "    copy i%2.top = %28, sum%3.top = sum%10\n"
           "Store buffer0[0][%1] sum%3\n");
}
END_TEST

START_TEST(counters_of_the_group_are_the_group_s_and_sums_of_items_are_spilled)
{
    expect("uniform_if.spv", TREE_PLACED, true,
           "%1.here = Load p[0]\n"
           "%2.here = IEqual %1 1\n"
           "items\n"
           "    %3.here = Load gl_GlobalInvocationID[0]\n"
           "    %4.spilled = Load buffer0[0][%3]\n"
           "if %2\n"
           "    items loads %4\n"
           "        %5.here = Load gl_LocalInvocationID[0]\n"
           "        Store tile[%5] %4\n"
           "    items\n"
           "        %6.here = Load gl_LocalInvocationID[0]\n"
           "        %7.inline = ISub 31 %6\n"
           "        %8.here = Load tile[%7]\n"
           "        copy v%9.spilled = %8\n"
           "else\n"
           "    items loads %4\n"
           "        copy v%9.spilled = %4\n"
           "items loads v%9\n"
           "    copy v%10.spilled = v%9\n"
           "copy i%11.group = 0\n"
           "loop\n"
           "    %12.here = Load p[1]\n"
           "    %13.inline = SLessThan i%11 %12\n"
           "    if %13\n"
           "    else\n"
           "        break\n"
           "    items loads v%10\n"
           "        %14.here = Load gl_LocalInvocationID[0]\n"
           "        Store tile[%14] v%10\n"
           "    %15.here = Load tile[i%11]\n"
           "    %16.inline = IEqual %15 3\n"
           "    if %16\n"
           "        break\n"
           "    %17.here = IAdd i%11 1\n"
           "    items loads v%10\n"
           "        %18.here = Load gl_LocalInvocationID[0]\n"
           "        %19.inline = BitwiseXor %18 1\n"
           "        %20.here = Load tile[%19]\n"
           "        %21.inline = IAdd v%10 %20\n"
           "        copy v%10.spilled = %21\n"
           "    copy i%11.group = %17\n"
           "items loads v%10\n"
           "    %22.here = Load gl_GlobalInvocationID[0]\n"
           "    Store buffer0[0][%22] v%10\n");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_place");
    TCase *tests = tcase_create("translate_place");

    tcase_add_test(tests, operations_used_once_are_inline_and_loads_are_not);
    tcase_add_test(tests, values_used_outside_of_their_braces_are_declared_further_out);
    tcase_add_test(tests, counters_of_the_group_are_the_group_s_and_sums_of_items_are_spilled);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
