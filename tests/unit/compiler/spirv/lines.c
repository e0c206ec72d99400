/* The lines of instructions.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/spirv/spirv_fixture.h"

/* Labels of the blocks that the tests add. */
enum {
    L1 = 901,
    L2,
    L3,
    L4,
};

/* Asserts the line of the first and of the last instruction of a block. */
static void expect_lines(const struct spirv_module *module, uint32_t id, uint32_t first, uint32_t last)
{
    const struct spirv_block *found = module->ids[id].as.block;

    ck_assert_uint_eq(found->instructions[0].line, first);
    ck_assert_uint_eq(found->instructions[found->count - 1].line, last);
    ck_assert_str_eq(module->ids[found->instructions[0].file].text, "blur.comp");
}

/* As of `y[i] = c ? a : b;`: the compiler names no line in the block that follows the branches. */
START_TEST(instructions_without_a_line_have_that_of_the_block_above)
{
    uint32_t file = builder_id(&builder);

    builder_add_text(&builder, PART_STRING, SpvOpString, &file, 1, "blur.comp");
    CODE(&builder, SpvOpLine, file, 9, 0);
    CODE(&builder, SpvOpSelectionMerge, L3, SpvSelectionControlMaskNone);
    CODE(&builder, SpvOpBranchConditional, VALUE(BOOL), L1, L2);
    CODE(&builder, SpvOpLabel, L1);
    CODE(&builder, SpvOpLine, file, 10, 0);
    CODE(&builder, SpvOpBranch, L3);
    CODE(&builder, SpvOpLabel, L2);
    CODE(&builder, SpvOpBranch, L3);
    CODE(&builder, SpvOpLabel, L3);
    CODE(&builder, SpvOpIAdd, U32, builder_id(&builder), U_1, U_1);
    CODE(&builder, SpvOpLine, file, 12, 0);
    CODE(&builder, SpvOpBranch, L4);
    CODE(&builder, SpvOpLabel, L4);
    CODE0(&builder, SpvOpNoLine);
    CODE(&builder, SpvOpIAdd, U32, builder_id(&builder), U_1, U_1);
    const struct spirv_module *module = builder_accept(&builder);
    expect_lines(module, L1, 10, 10);
    expect_lines(module, L2, 9, 9);
    expect_lines(module, L3, 9, 12);
    expect_lines(module, L4, 12, 12);
}
END_TEST

START_TEST(instructions_without_a_line_have_that_of_the_one_before)
{
    uint32_t file = builder_id(&builder);

    builder_add_text(&builder, PART_STRING, SpvOpString, &file, 1, "blur.comp");
    CODE(&builder, SpvOpBranch, L1);
    CODE(&builder, SpvOpLabel, L1);
    CODE(&builder, SpvOpLine, file, 9, 0);
    CODE(&builder, SpvOpIAdd, U32, builder_id(&builder), U_1, U_1);
    CODE0(&builder, SpvOpNoLine);
    CODE(&builder, SpvOpIAdd, U32, builder_id(&builder), U_1, U_1);
    CODE(&builder, SpvOpBranch, L2);
    CODE(&builder, SpvOpLabel, L2);
    const struct spirv_module *module = builder_accept(&builder);
    expect_lines(module, L1, 9, 9);
    expect_lines(module, L2, 9, 9);
    ck_assert_uint_eq(module->ids[L1].as.block->instructions[1].line, 9);
}
END_TEST

START_TEST(the_line_of_a_function_is_that_of_a_block_without_any)
{
    uint32_t file = builder_id(&builder);

    builder_add_text(&builder, PART_STRING, SpvOpString, &file, 1, "blur.comp");
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
    CODE(&builder, SpvOpLine, file, 6, 0);
    CODE(&builder, SpvOpFunction, VOID, builder_id(&builder), SpvFunctionControlMaskNone, FUNCTION);
    CODE(&builder, SpvOpLabel, L1);
    CODE0(&builder, SpvOpNoLine);
    CODE(&builder, SpvOpBranch, L2);
    CODE(&builder, SpvOpLabel, L2);
    const struct spirv_module *module = builder_accept(&builder);
    expect_lines(module, L1, 6, 6);
    expect_lines(module, L2, 6, 6);
}
END_TEST

START_TEST(without_lines_instructions_have_none)
{
    const struct spirv_module *module;
    uint32_t file;

    CODE(&builder, SpvOpBranch, L1);
    CODE(&builder, SpvOpLabel, L1);
    module = builder_accept(&builder);
    ck_assert_uint_eq(module->ids[L1].as.block->instructions[0].line, 0);
    again();
    file = builder_id(&builder);
    builder_add_text(&builder, PART_STRING, SpvOpString, &file, 1, "blur.comp");
    CODE(&builder, SpvOpBranch, L1);
    CODE(&builder, SpvOpLabel, L1);
    CODE(&builder, SpvOpLine, file, 7, 0); /* comes too late for the block before */
    CODE(&builder, SpvOpBranch, L2);
    CODE(&builder, SpvOpLabel, L2);
    module = builder_accept(&builder);
    ck_assert_uint_eq(module->functions[0]->blocks[0]->instructions[0].line, 0);
    expect_lines(module, L2, 7, 7);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: lines");
    TCase *all   = tcase_create("lines");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, instructions_without_a_line_have_that_of_the_block_above);
    tcase_add_test(all, instructions_without_a_line_have_that_of_the_one_before);
    tcase_add_test(all, the_line_of_a_function_is_that_of_a_block_without_any);
    tcase_add_test(all, without_lines_instructions_have_none);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
