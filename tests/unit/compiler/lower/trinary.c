/* The least, the greatest and the middle of three values.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/lower/lower_fixture.h"

enum {
    SET = 801,
    THIRD, /* a constant */
};

enum {
    FMIN3 = 1,
    UMIN3 = 2,
    SMAX3 = 6,
    FMID3 = 7,
};

static void add_set(void)
{
    static const char name[] = "SPV_AMD_shader_trinary_minmax";

    builder_add_text(&builder, PART_EXTENSION, SpvOpExtension, NULL, 0, name);
    builder_add_text(&builder, PART_IMPORT, SpvOpExtInstImport, (const uint32_t[]){SET}, 1, name);
    TYPE(SpvOpConstant, F32, THIRD, 0x40000000);
}

/* The instruction of GLSL.std.450 that an id comes from. */
static const uint32_t *operands_of(const struct spirv_module *module, uint32_t id, uint32_t instruction)
{
    const struct spirv_instruction *found = module->ids[id].as.instruction;

    ck_assert_uint_eq(found->opcode, SpvOpExtInst);
    ck_assert_uint_eq(found->operands[0], SET);
    ck_assert_uint_eq(found->operands[1], instruction);
    return found->operands + 2;
}

START_TEST(the_least_of_three_is_that_of_the_third_and_of_the_least_of_two)
{
    add_set();
    CODE(&builder, SpvOpExtInst, F32, RESULT, SET, FMIN3, F_1, VALUE(F32), THIRD);
    CODE(&builder, SpvOpExtInst, I32, OTHER, SET, SMAX3, VALUE(I32), VALUE(I32), VALUE(I32));
    CODE(&builder, SpvOpExtInst, U32, EXTRA, SET, UMIN3, U_1, U_2, U_3);
    const struct spirv_module *module = accept_lowered();

    const uint32_t *last = operands_of(module, RESULT, GLSLstd450FMin);
    ck_assert_uint_eq(last[1], THIRD);
    const uint32_t *first = operands_of(module, last[0], GLSLstd450FMin);
    ck_assert_uint_eq(first[0], F_1);
    ck_assert_uint_eq(first[1], VALUE(F32));
    operands_of(module, operands_of(module, OTHER, GLSLstd450SMax)[0], GLSLstd450SMax);
    operands_of(module, operands_of(module, EXTRA, GLSLstd450UMin)[0], GLSLstd450UMin);
}
END_TEST

START_TEST(the_middle_is_the_greater_of_the_least_and_of_the_third_below_the_greatest)
{
    add_set();
    CODE(&builder, SpvOpExtInst, F32, RESULT, SET, FMID3, F_1, VALUE(F32), THIRD);
    const struct spirv_module *module = accept_lowered();

    const uint32_t *last  = operands_of(module, RESULT, GLSLstd450FMax);
    const uint32_t *below = operands_of(module, last[1], GLSLstd450FMin);
    ck_assert_uint_eq(operands_of(module, last[0], GLSLstd450FMin)[0], F_1);
    ck_assert_uint_eq(operands_of(module, below[0], GLSLstd450FMax)[1], VALUE(F32));
    ck_assert_uint_eq(below[1], THIRD);
}
END_TEST

START_TEST(instructions_that_the_set_does_not_have_are_refused_with_it)
{
    static const uint32_t wrong[] = {0, 10, 0xffffffffu};

    for (uint32_t i = 0; i < SPIRV_COUNT(wrong); i++) {
        add_set();
        CODE(&builder, SpvOpExtInst, F32, RESULT, SET, FMIN3, F_1, F_1, THIRD);
        CODE(&builder, SpvOpExtInst, F32, OTHER, SET, wrong[i], F_1, F_1, THIRD);
        refuse_lowered("SPV_AMD_shader_trinary_minmax is not supported");
        again();
    }
    add_set();
    CODE(&builder, SpvOpExtInst, F32, RESULT, SET, FMIN3, F_1, THIRD);
    refuse_lowered("SPV_AMD_shader_trinary_minmax is not supported");
}
END_TEST

START_TEST(damaged_words_of_the_set_are_left_to_the_reader)
{
    add_set();
    CODE(&builder, SpvOpExtInst, F32, RESULT, SET, FMID3, F_1, VALUE(F32), THIRD);
    lower_damaged(SET);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("trinary");
    TCase *all   = tcase_create("trinary");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, the_least_of_three_is_that_of_the_third_and_of_the_least_of_two);
    tcase_add_test(all, the_middle_is_the_greater_of_the_least_and_of_the_third_below_the_greatest);
    tcase_add_test(all, instructions_that_the_set_does_not_have_are_refused_with_it);
    tcase_add_test(all, damaged_words_of_the_set_are_left_to_the_reader);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
