/* A kernel beside other stages, with copies of memory and of pointers (shaders/flow/stages.spvasm).
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "tests/unit/compiler/translate/translated.h"
#include "tests/unit/runner.h"

enum {
    RECORDS = 12,
};

START_TEST(a_kernel_beside_other_stages_copies_matrices_and_arrays)
{
    static const int place[8] = {0, 2, 1, 3, 4, 5, 6, 7}; /* by columns to by rows */
    struct translated kernel;
    float from[RECORDS][8], to[RECORDS][8];
    struct {
        struct trm_cpu_buffer from, to;
    } block = {{from, sizeof(from)}, {to, sizeof(to)}};

    for (int i = 0; i < RECORDS * 8; i++)
        from[i / 8][i % 8] = (float)(i + 1);
    memset(to, 0, sizeof(to));
    translated_open(&kernel, translated_path("flow/stages.spv"), 0, NULL, 0);
    ck_assert_uint_eq(kernel.table->count, 1);
    ck_assert_str_eq(kernel.table->kernels[0].name, "copies");
    ck_assert_uint_eq(kernel.table->kernels[0].parameter_count, 2);
    ck_assert_int_eq(translated_call(&kernel, 0, RECORDS / 4, 1, 1, 2, &block), 0);
    for (int i = 0; i < RECORDS; i++)
        for (int k = 0; k < 8; k++)
            ck_assert_msg(to[i][place[k]] == from[i][k], "record %d, number %d", i, k);
    translated_close(&kernel);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated stages");
    TCase *tests = tcase_create("stages");

    if (!translated_can_compile())
        return NULL;
    tcase_add_test(tests, a_kernel_beside_other_stages_copies_matrices_and_arrays);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
