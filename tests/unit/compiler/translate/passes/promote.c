/* Variables become values: translate_promote(), as the tree shows it.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <trireme/status.h>

#include "tests/unit/compiler/translate/passes/tree_expect.h"
#include "tests/unit/runner.h"

START_TEST(variables_that_are_exchanged_in_a_loop_are_copied_at_once)
{
    expect("swap.spv", TREE_STRUCTURED, false,
           "%1 = Load gl_GlobalInvocationID[0]\n"
           "%2 = Load buffer0[0][%1]\n"
           "%3 = IAdd %1 1\n"
           "%4 = Load buffer0[0][%3]\n"
           "copy i%5 = 0, b%6 = %4, a%7 = %2\n"
           "loop\n"
           "    %8 = SLessThan i%5 10\n"
           "    if %8\n"
           "    else\n"
           "        break\n"
           "    %9 = Load buffer0[0][i%5]\n"
           "    %10 = IEqual %9 3\n"
           "    if %10\n"
           "        %11 = IAdd b%6 1\n"
           "        copy b%12 = %11, a%13 = a%7\n"
           "    else\n"
           "        copy b%12 = a%7, a%13 = b%6\n"
           "    %14 = IAdd i%5 1\n"
           "    copy i%5 = %14, b%6 = b%12, a%7 = a%13\n"
           "%15 = ISub a%7 b%6\n"
           "Store buffer0[0][%1] %15\n");
}
END_TEST

START_TEST(components_of_vectors_are_inserted_and_extracted)
{
    expect("components.spv", TREE_STRUCTURED, false,
           "%1 = Load gl_GlobalInvocationID[0]\n"
           "%2 = Load buffer0[0][%1][1]\n"
           "v%3 = CompositeInsert %2 null 0\n"
           "%4 = Load buffer0[0][%1]\n"
           "%5 = CompositeExtract %4 0\n"
           "v%6 = CompositeInsert %5 v%3 2\n"
           "%7 = CompositeExtract %4 1\n"
           "v%8 = CompositeInsert %7 v%6 3\n"
           "%9 = Load p[0]\n"
           "v%10 = VectorInsertDynamic v%8 2 %9\n"
           "%11 = Load p[0]\n"
           "%12 = IAdd %11 1\n"
           "%13 = VectorExtractDynamic v%10 %12\n"
           "%14 = VectorTimesScalar v%10 %13\n"
           "Store buffer0[0][%1] %14\n");
}
END_TEST

START_TEST(an_array_that_holds_one_constant_is_a_table_and_not_stored_to)
{
    expect("table.spv", TREE_STRUCTURED, false,
           "%1 = Load gl_GlobalInvocationID\n"
           "%2 = VectorShuffle %1 %1 0 1\n"
           "%3 = Load p[0]\n"
           "%4 = Load p[1]\n"
           "%5 = CompositeConstruct %3 %4\n"
           "%6 = UGreaterThanEqual %2 %5\n"
           "%7 = Any %6\n"
           "if %7\n"
           "    return\n"
           "copy k%8 = 0, v%9 = constant, sum%10 = 0\n"
           "loop\n"
           "    %11 = SLessThan k%8 9\n"
           "    if %11\n"
           "    else\n"
           "        break\n"
           "    %12 = Load indexable[k%8]\n"
           "    %13 = Load gl_GlobalInvocationID[1]\n"
           "    %14 = Load p[0]\n"
           "    %15 = IMul %13 %14\n"
           "    %16 = Load gl_GlobalInvocationID[0]\n"
           "    %17 = IAdd %15 %16\n"
           "    %18 = Bitcast k%8\n"
           "    %19 = IAdd %17 %18\n"
           "    %20 = Load buffer0[0][%19]\n"
           "    %21 = FMul %12 %20\n"
           "    %22 = FAdd sum%10 %21\n"
           "    %23 = BitwiseAnd k%8 3\n"
           "    v%24 = VectorInsertDynamic v%9 %22 %23\n"
           "    %25 = IAdd k%8 1\n"
           "    copy k%8 = %25, v%9 = v%24, sum%10 = %22\n"
           "%26 = VectorShuffle v%9 v%9 2 3\n"
           "%27 = VectorShuffle v%9 v%9 0 1\n"
           "%28 = FAdd %27 %26\n"
           "%29 = CompositeExtract %28 0\n"
           "v%30 = CompositeInsert %29 v%9 0\n"
           "%31 = CompositeExtract %28 1\n"
           "v%32 = CompositeInsert %31 v%30 1\n"
           "%33 = Load gl_GlobalInvocationID[1]\n"
           "%34 = Load p[0]\n"
           "%35 = IMul %33 %34\n"
           "%36 = Load gl_GlobalInvocationID[0]\n"
           "%37 = IAdd %35 %36\n"
           "%38 = CompositeExtract v%30 0\n"
           "%39 = CompositeExtract v%32 1\n"
           "%40 = FMul %38 %39\n"
           "%41 = FAdd sum%10 %40\n"
           "Store buffer0[0][%37] %41\n");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translate_promote");
    TCase *tests = tcase_create("translate_promote");

    tcase_add_test(tests, variables_that_are_exchanged_in_a_loop_are_copied_at_once);
    tcase_add_test(tests, components_of_vectors_are_inserted_and_extracted);
    tcase_add_test(tests, an_array_that_holds_one_constant_is_a_table_and_not_stored_to);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
