/* Values that a loop hands from one to another in each round: the copies of phis in every order, with cycles
 * and without, many at once. Compiled, called, and compared.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "tests/unit/compiler/spirv/spirv_builder.h"
#include "tests/unit/compiler/translate/translated.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

enum {
    VALUES = 500,
    ROUNDS = 5,
};

/* What value k becomes in a round: value `from`, or that and value `plus` (VALUES: none). */
struct step {
    uint32_t from, plus;
};

static struct step rotate_down(uint32_t k)
{
    return (struct step){(k + 1) % VALUES, VALUES};
}

static struct step rotate_up(uint32_t k)
{
    return (struct step){(k + VALUES - 1) % VALUES, VALUES};
}

static struct step shift_up(uint32_t k) /* no cycle but that of the first */
{
    return (struct step){k != 0 ? k - 1 : 0, VALUES};
}

static struct step shift_down(uint32_t k)
{
    return (struct step){k + 1 < VALUES ? k + 1 : k, VALUES};
}

static struct step halve(uint32_t k) /* two read each of the lower half */
{
    return (struct step){k / 2, VALUES};
}

static struct step swap_pairs(uint32_t k)
{
    return (struct step){k ^ 1u, VALUES};
}

static struct step jump(uint32_t k)
{
    return (struct step){k * 7 % VALUES, VALUES};
}

static struct step sum(uint32_t k) /* of two others, beside copies of one */
{
    return (struct step){(k * 3 + 1) % VALUES, k % 3 != 0 ? (k + VALUES - 2) % VALUES : VALUES};
}

static struct step (*const rules[])(uint32_t k) = {rotate_down, rotate_up,  shift_up, shift_down,
                                                   halve,       swap_pairs, jump,     sum};

/* ---- the module */

static struct builder builder;

enum {
    HEADER = FIRST_FREE,
    TEST,
    BODY,
    CONTINUE,
    MERGE,
    ROUND,
    NEXT_ROUND,
    IS_LEFT,
    ROUNDS_ID,
    FIRST_NUMBER = 1000,                  /* constants k of U32 */
    FIRST_START  = FIRST_NUMBER + VALUES, /* constants k of F32 */
    FIRST_VALUE  = FIRST_START + VALUES,
    FIRST_SUM    = FIRST_VALUE + VALUES,
    FIRST_PLACE  = FIRST_SUM + VALUES,
    END          = FIRST_PLACE + VALUES,
};

static uint32_t source_of(struct step step, uint32_t k)
{
    return step.plus != VALUES ? FIRST_SUM + k : FIRST_VALUE + step.from;
}

static void add_constants(void)
{
    for (uint32_t k = 0; k < VALUES; k++) {
        union {
            float value;
            uint32_t bits;
        } start = {.value = (float)k};

        ADD(&builder, PART_TYPE, SpvOpConstant, U32, FIRST_NUMBER + k, k);
        ADD(&builder, PART_TYPE, SpvOpConstant, F32, FIRST_START + k, start.bits);
    }
    ADD(&builder, PART_TYPE, SpvOpConstant, U32, ROUNDS_ID, ROUNDS);
}

static void add_loop(struct step (*rule)(uint32_t k))
{
    CODE(&builder, SpvOpBranch, HEADER);
    CODE(&builder, SpvOpLabel, HEADER);
    CODE(&builder, SpvOpPhi, U32, ROUND, FIRST_NUMBER, MAIN_LABEL, NEXT_ROUND, CONTINUE);
    for (uint32_t k = 0; k < VALUES; k++)
        CODE(&builder, SpvOpPhi, F32, FIRST_VALUE + k, FIRST_START + k, MAIN_LABEL, source_of(rule(k), k),
             CONTINUE);
    CODE(&builder, SpvOpLoopMerge, MERGE, CONTINUE, 0);
    CODE(&builder, SpvOpBranch, TEST);
    CODE(&builder, SpvOpLabel, TEST);
    CODE(&builder, SpvOpULessThan, BOOL, IS_LEFT, ROUND, ROUNDS_ID);
    CODE(&builder, SpvOpBranchConditional, IS_LEFT, BODY, MERGE);
    CODE(&builder, SpvOpLabel, BODY);
    for (uint32_t k = 0; k < VALUES; k++)
        if (rule(k).plus != VALUES)
            CODE(&builder, SpvOpFAdd, F32, FIRST_SUM + k, FIRST_VALUE + rule(k).from,
                 FIRST_VALUE + rule(k).plus);
    CODE(&builder, SpvOpBranch, CONTINUE);
    CODE(&builder, SpvOpLabel, CONTINUE);
    CODE(&builder, SpvOpIAdd, U32, NEXT_ROUND, ROUND, U_1);
    CODE(&builder, SpvOpBranch, HEADER);
    CODE(&builder, SpvOpLabel, MERGE);
    for (uint32_t k = 0; k < VALUES; k++) {
        CODE(&builder, SpvOpAccessChain, P_ELEMENT, FIRST_PLACE + k, VALUE(P_BLOCK), FIRST_NUMBER,
             FIRST_NUMBER + k);
        CODE(&builder, SpvOpStore, FIRST_PLACE + k, FIRST_VALUE + k);
    }
}

static void write_module(struct step (*rule)(uint32_t k))
{
    uint32_t count;
    FILE *file;

    builder_begin(&builder);
    builder.next = END;
    add_constants();
    add_loop(rule);
    uint32_t *words = builder_words(&builder, &count);
    file            = fopen(folder_path("copies.spv"), "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(words, sizeof(*words), count, file), count);
    ck_assert_int_eq(fclose(file), 0);
    builder_end(&builder);
}

/* ---- the tests */

static void run_on_the_host(struct step (*rule)(uint32_t k), float values[VALUES])
{
    float before[VALUES];

    for (uint32_t k = 0; k < VALUES; k++)
        values[k] = (float)k;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        memcpy(before, values, sizeof(before));
        for (uint32_t k = 0; k < VALUES; k++) {
            struct step step = rule(k);

            values[k] = before[step.from] + (step.plus != VALUES ? before[step.plus] : 0);
        }
    }
}

START_TEST(values_go_round_in_any_order)
{
    struct translated kernel;
    float got[VALUES] = {0}, expected[VALUES];
    uint32_t number   = 0;
    struct {
        struct trm_cpu_buffer got, number;
    } block = {{got, sizeof(got)}, {&number, sizeof(number)}};

    write_module(rules[_i]);
    translated_open(&kernel, folder_path("copies.spv"), 0, NULL, 0);
    ck_assert_int_eq(translated_call(&kernel, 0, 1, 1, 1, 1, &block), 0);
    run_on_the_host(rules[_i], expected);
    for (uint32_t k = 0; k < VALUES; k++)
        ck_assert_msg(got[k] == expected[k], "value %u is %g instead of %g", k, (double)got[k],
                      (double)expected[k]);
    translated_close(&kernel);
}
END_TEST

START_TEST(cuda_has_the_same_assignments)
{
    struct translated kernel;
    uint32_t assigned = 0;

    write_module(rotate_down);
    ck_assert_int_eq(translated_text(&kernel, folder_path("copies.spv"), TRM_LANGUAGE_CUDA, 0, NULL, 0),
                     TRM_OK);
    for (const char *at = kernel.text.text; (at = strstr(at, " = next_")) != NULL; at++)
        assigned++;
    ck_assert_uint_eq(assigned, VALUES); /* a cycle needs them all at once */
    translated_close(&kernel);
    write_module(shift_up);
    ck_assert_int_eq(translated_text(&kernel, folder_path("copies.spv"), TRM_LANGUAGE_CUDA, 0, NULL, 0),
                     TRM_OK);
    ck_assert_ptr_null(strstr(kernel.text.text, "next_")); /* an order needs none */
    translated_close(&kernel);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated copies");
    TCase *tests = tcase_create("copies");

    tcase_add_checked_fixture(tests, folder_make, folder_remove);
    if (translated_can_compile())
        tcase_add_loop_test(tests, values_go_round_in_any_order, 0, sizeof(rules) / sizeof(rules[0]));
    tcase_add_test(tests, cuda_has_the_same_assignments);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
