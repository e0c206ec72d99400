/* Matrices of work-groups as arrays.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include "compiler/lower/group.h"
#include "tests/unit/compiler/lower/lower_fixture.h"

#define WORK_ITEMS 8u /* of the builder's modules */

enum {
    MATRIX = 801, /* 8 by 16 floats */
    LAYOUT,
    VIEW,
    U_0,
    U_8,
    U_16,
    U_2000,
    NO,
    NOTHING, /* of MATRIX */
    ROWS,    /* a constant that a program sets */
    FLOAT_2,
    ALIKE, /* a constant matrix */
    MADE,
    TURNED,
};

static void add_constants(void)
{
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SPIRV_CapabilityCooperativeMatrixKHR);
    TYPE(SpvOpConstant, U32, U_8, 8);
    TYPE(SpvOpConstant, U32, U_16, 16);
    TYPE(SpvOpConstant, U32, U_2000, 2000);
    TYPE(SpvOpConstantFalse, BOOL, NO);
}

static void add_matrix(uint32_t scope, uint32_t rows)
{
    add_constants();
    if (rows == ROWS) {
        TYPE(SpvOpSpecConstant, U32, ROWS, 8);
        DECORATE(ROWS, SpvDecorationSpecId, 7);
    }
    TYPE(SPIRV_OpTypeCooperativeMatrixKHR, MATRIX, F32, scope, rows, U_16, U_2);
    TYPE(SpvOpConstantNull, MATRIX, NOTHING);
}

static const struct spirv_type *made_type(const struct spirv_module *module, uint32_t id)
{
    return spirv_type(module, module->ids[id].type);
}

START_TEST(a_matrix_is_an_array_of_what_a_work_item_has)
{
    add_matrix(U_2, U_8);
    CODE(&builder, SpvOpFAdd, MATRIX, MADE, NOTHING, NOTHING);
    const struct spirv_module *module = accept_lowered();

    ck_assert_uint_eq(spirv_type(module, MATRIX)->kind, SPIRV_ARRAY);
    ck_assert_uint_eq(spirv_type(module, MATRIX)->count, 8 * 16 / WORK_ITEMS);
    ck_assert_uint_eq(spirv_type(module, MATRIX)->element, F32);
    ck_assert_uint_eq(made_type(module, MADE)->id, MATRIX);
    ck_assert_uint_eq(module->ids[MADE].as.instruction->opcode, SpvOpFunctionCall);
    ck_assert(!module->has_matrices);
}
END_TEST

START_TEST(its_size_may_be_set)
{
    static const uint32_t rows[]     = {8, 9, 1024, 0, 1025, 4000000000u};
    static const uint32_t elements[] = {16, 18, 2048, 0, 0, 0};

    for (uint32_t i = 0; i < SPIRV_COUNT(rows); i++) {
        struct trm_constant constant = {NULL, 7, TRM_TYPE_U32, rows[i]};
        struct spirv_module *module  = NULL;
        uint32_t count;
        again();
        add_matrix(U_2, ROWS);
        CODE(&builder, SpvOpFNegate, MATRIX, MADE, NOTHING);
        const uint32_t *words = lower(&count);
        ck_assert_int_eq(spirv_read(&builder.arena, words, count, &constant, 1, &module), TRM_OK);
        ck_assert_int_eq(spirv_check_fit(module) == TRM_OK, elements[i] != 0);
        if (elements[i] != 0)
            ck_assert_uint_eq(spirv_type(module, MATRIX)->count, elements[i]);
    }
}
END_TEST

START_TEST(layouts_and_views_are_structs)
{
    add_matrix(U_2, U_8);
    TYPE(GROUP_OP_TYPE_LAYOUT, LAYOUT, U_2, U_1);
    TYPE(SpvOpConstant, U32, U_0, 0);
    TYPE(GROUP_OP_TYPE_VIEW, VIEW, U_2, NO, U_1, U_0);
    CODE(&builder, GROUP_OP_CREATE_LAYOUT, LAYOUT, MADE);
    CODE(&builder, GROUP_OP_SET_DIMENSION, LAYOUT, OTHER, MADE, U_8, U_16);
    CODE(&builder, GROUP_OP_CREATE_VIEW, VIEW, RESULT);
    const struct spirv_module *module = accept_lowered();

    ck_assert_uint_eq(spirv_type(module, LAYOUT)->kind, SPIRV_STRUCT);
    ck_assert_uint_eq(spirv_type(module, LAYOUT)->count, 11);
    ck_assert_uint_eq(spirv_type(module, VIEW)->count, 8);
    ck_assert_uint_eq(made_type(module, OTHER)->id, LAYOUT);
    /* the rows are the last dimension apart, and the spans are the dimensions */
    const uint32_t *members = module->ids[OTHER].as.instruction->operands;
    ck_assert_uint_eq(module->ids[members[4]].as.instruction->opcode, SpvOpIMul);
    ck_assert_uint_eq(spirv_constant(module, members[5])->bits, 1);
    ck_assert_uint_eq(members[3], U_16);
    ck_assert_uint_eq(members[8], U_8);
    ck_assert_uint_eq(members[9], U_16);
}
END_TEST

START_TEST(a_constant_matrix_is_made_in_each_function_that_uses_it)
{
    add_matrix(U_2, U_8);
    TYPE(SpvOpConstant, F32, FLOAT_2, 0x40000000);
    TYPE(SpvOpConstantComposite, MATRIX, ALIKE, FLOAT_2);
    CODE(&builder, SpvOpFMul, MATRIX, MADE, ALIKE, ALIKE);
    const struct spirv_module *module         = accept_lowered();
    const struct spirv_instruction *operation = module->ids[MADE].as.instruction;

    ck_assert_uint_eq(operation->opcode, SpvOpFunctionCall);
    ck_assert_uint_ne(operation->operands[1], ALIKE);
    ck_assert_uint_eq(operation->operands[1], operation->operands[2]);
    ck_assert_uint_eq(module->ids[operation->operands[1]].as.instruction->operands[1], FLOAT_2);
}
END_TEST

START_TEST(operations_of_subgroups_stand_beside_32_work_items)
{
    CAPABILITY(GroupNonUniform);
    add_matrix(U_2, U_8);
    ck_assert(accept_lowered()->has_matrices);
}
END_TEST

START_TEST(what_cannot_be_an_array_stays_and_is_refused)
{
    add_matrix(U_2, U_2000);
    refuse_lowered("cooperative matrices of a work-group");
    again();
    add_matrix(U_2, U_8); /* no operation on matrices */
    CODE(&builder, SpvOpExtInst, MATRIX, MADE, GLSL, 4, NOTHING);
    refuse_lowered("cooperative matrices of a work-group");
    again();
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, 5430);
    add_constants();
    TYPE(SpvOpConstant, U32, EXTRA, 3);
    TYPE(SPIRV_OpTypeCooperativeMatrixKHR, MATRIX, F32, EXTRA, U_8, U_16, U_2);
    refuse_lowered("the capability CooperativeMatrixReductionsNV is not supported");
    again();
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, 5433);
    add_matrix(U_2, U_8);
    TYPE(GROUP_OP_TYPE_VIEW, VIEW, U_2, NO, U_1, U_1); /* no order of the dimensions */
    refuse_lowered("the capability CooperativeMatrixTensorAddressingNV is not supported");
    again();
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, 5430);
    add_matrix(U_2, U_8);
    CODE(&builder, GROUP_OP_REDUCE, MATRIX, MADE, NOTHING, 1, MATRIX); /* no function */
    refuse_lowered("the capability CooperativeMatrixReductionsNV is not supported");
}
END_TEST

/* ---- whole modules */

static uint32_t *read_module(const char *name, uint32_t *count)
{
    char path[4096];
    const char *top = getenv("top_srcdir");

#ifdef TOP_SRCDIR
    if (top == NULL)
        top = TOP_SRCDIR;
#endif
    snprintf(path, sizeof(path), "%s/tests/differential/shaders/%s.spv", top == NULL ? "." : top, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    uint32_t *words = base_arena_allocate(&builder.arena, BUILDER_WORDS, sizeof(*words));
    *count          = (uint32_t)fread(words, sizeof(*words), BUILDER_WORDS, file);
    fclose(file);
    ck_assert_uint_gt(*count, 100);
    return words;
}

static const char *const modules[] = {"coop_nv2_product",  "coop_nv2_integers", "coop_nv2_reduce",
                                      "coop_nv2_elements", "coop_nv2_tensor",   "coop_nv2_decode"};

START_TEST(whole_modules_have_no_matrices_any_more)
{
    uint32_t count;
    const uint32_t *words       = read_module(modules[_i], &count);
    struct spirv_module *module = NULL;

    ck_assert_int_eq(lower_module(&builder.arena, &words, &count), TRM_OK);
    ck_assert_msg(spirv_read(&builder.arena, words, count, NULL, 0, &module) == TRM_OK, "%s",
                  trm_last_error().sentence);
    ck_assert(!module->has_matrices);
    ck_assert_int_eq(module->takes_addresses, strcmp(modules[_i], "coop_nv2_decode") == 0);
}
END_TEST

/* The arena of each module goes with it. */
START_TEST(damaged_words_end_in_a_module_or_in_none)
{
    static const uint32_t values[] = {0, 1, 0xffffffffu, 0x10000u, 7, 24};
    uint32_t count;
    uint32_t *words = read_module(modules[_i], &count);

    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t k = 0; k < SPIRV_COUNT(values); k++) {
            const uint32_t *lowered = words;
            uint32_t length = count, kept = words[i];
            struct spirv_module *module = NULL;
            struct base_arena arena;
            base_arena_init(&arena, &base_system_allocator);
            words[i] = values[k];
            if (lower_module(&arena, &lowered, &length) == TRM_OK)
                spirv_read(&arena, lowered, length, NULL, 0, &module);
            words[i] = kept;
            base_arena_fini(&arena);
        }
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("group");
    TCase *all   = tcase_create("group");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, a_matrix_is_an_array_of_what_a_work_item_has);
    tcase_add_test(all, its_size_may_be_set);
    tcase_add_test(all, layouts_and_views_are_structs);
    tcase_add_test(all, a_constant_matrix_is_made_in_each_function_that_uses_it);
    tcase_add_test(all, operations_of_subgroups_stand_beside_32_work_items);
    tcase_add_test(all, what_cannot_be_an_array_stays_and_is_refused);
    tcase_add_loop_test(all, whole_modules_have_no_matrices_any_more, 0, (int)SPIRV_COUNT(modules));
    tcase_add_loop_test(all, damaged_words_end_in_a_module_or_in_none, 0, (int)SPIRV_COUNT(modules));
    tcase_set_timeout(all, 120);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
