/* Loops whose heads compare a number ahead of their counter: translate_bound_loops().
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"

#include "tests/unit/compiler/translate/passes/tree_expect.h"
#include "tests/unit/runner.h"

/* Three loops stay: one whose step is no power of two, one with another way out, and one whose counter may
 * begin where the sum wraps around. */
START_TEST(counters_are_compared_with_a_limit_that_is_known_before_the_loop)
{
    expect("bound_loops.spv", TREE_BOUND, false,
           "%1 = Load buffer0[0][0]\n"
           "copy i%2 = 0, sum%3 = %1\n"
           "%4 = Load push[0]\n"
           "%5 = IAdd %4 4294967293\n"
           "%6 = ULessThan %4 4\n"
           "%7 = Select %6 0 %5\n"
           "loop\n"
           "    %8 = IAdd i%2 4\n"
           "    %9 = Load push[0]\n"
           "    %10 = ULessThanEqual %8 %9\n"
           "    %11 = ULessThan i%2 %7\n"
           "    if %11\n"
           "    else\n"
           "        break\n"
           "    %12 = IMul sum%3 5\n"
           "    %13 = IAdd i%2 4\n"
           "    copy i%2 = %13, sum%3 = %12\n"
           "copy k%14 = 1, sum%15 = sum%3\n"
           "%16 = Load push[1]\n"
           "%17 = IAdd %16 1\n"
           "loop\n"
           "    %18 = Load push[1]\n"
           "    %19 = SLessThanEqual k%14 %18\n"
           "    %20 = SLessThan k%14 %17\n"
           "    if %20\n"
           "    else\n"
           "        break\n"
           "    %21 = IAdd sum%15 7\n"
           "    %22 = IAdd k%14 1\n"
           "    copy k%14 = %22, sum%15 = %21\n"
           "copy k%23 = 0, sum%24 = sum%15\n"
           "loop\n"
           "    %25 = IAdd k%23 3\n"
           "    %26 = Load push[0]\n"
           "    %27 = ULessThan %25 %26\n"
           "    if %27\n"
           "    else\n"
           "        break\n"
           "    %28 = IMul sum%24 3\n"
           "    %29 = IAdd k%23 3\n"
           "    copy k%23 = %29, sum%24 = %28\n"
           "copy k%30 = 0, sum%31 = sum%24\n"
           "loop\n"
           "    %32 = IAdd k%30 2\n"
           "    %33 = Load push[0]\n"
           "    %34 = ULessThan %32 %33\n"
           "    if %34\n"
           "    else\n"
           "        copy sum%35 = sum%31\n"
           "        break\n"
           "    %36 = IAdd sum%31 9\n"
           "    %37 = IEqual %36 0\n"
           "    if %37\n"
           "        copy sum%35 = %36\n"
           "        break\n"
           "    %38 = IAdd k%30 2\n"
           "    copy k%30 = %38, sum%31 = %36\n"
           "copy k%39 = sum%35, sum%40 = sum%35\n"
           "loop\n"
           "    %41 = IAdd k%39 2\n"
           "    %42 = Load push[0]\n"
           "    %43 = ULessThan %41 %42\n"
           "    if %43\n"
           "    else\n"
           "        break\n"
           "    %44 = IMul sum%40 11\n"
           "    %45 = IAdd k%39 2\n"
           "    copy k%39 = %45, sum%40 = %44\n"
           "%46 = IAdd sum%40 i%2\n"
           "Store buffer0[0][0] %46\n");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_bound_loops");
    TCase *tests = tcase_create("translate_bound_loops");

    tcase_add_test(tests, counters_are_compared_with_a_limit_that_is_known_before_the_loop);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
