/* Cooperative matrices and dot products of halves: what is read, and forms that are refused.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/spirv/spirv_fixture.h"

#define TYPE(opcode, ...) ADD(&builder, PART_TYPE, opcode, __VA_ARGS__)
#define CAPABILITY(number) ADD(&builder, PART_CAPABILITY, SpvOpCapability, number)

enum {
    HALF = 901,
    HALF2,
    U_0,
    U_8,
    U_16,
    U_300,
    A,
    B,
    C,
    NULL_A,
    NULL_B,
    NULL_C,
    ELEMENT,
    RESULT,
    P_SHARED,
    HOLDER,
};

static void begin_module(bool is_khr)
{
    CAPABILITY(SpvCapabilityFloat16);
    CAPABILITY(is_khr ? (uint32_t)SPIRV_CapabilityCooperativeMatrixKHR
                      : (uint32_t)SpvCapabilityCooperativeMatrixNV);
    CAPABILITY(SPIRV_CapabilityDotProductFloat16AccFloat32VALVE);
    TYPE(SpvOpTypeFloat, HALF, 16);
    TYPE(SpvOpTypeVector, HALF2, HALF, 2);
    TYPE(SpvOpConstant, U32, U_0, 0);
    TYPE(SpvOpConstant, U32, U_8, 8);
    TYPE(SpvOpConstant, U32, U_16, 16);
    TYPE(SpvOpConstant, U32, U_300, 300);
}

static void matrix(uint32_t id, uint32_t component, uint32_t rows, uint32_t columns)
{
    TYPE(SpvOpTypeCooperativeMatrixNV, id, component, U_3, rows, columns);
}

static void khr_matrix(uint32_t id, uint32_t component, uint32_t rows, uint32_t columns, uint32_t use)
{
    TYPE(SPIRV_OpTypeCooperativeMatrixKHR, id, component, U_3, rows, columns, use);
}

static void add_nulls(void)
{
    TYPE(SpvOpConstantNull, A, NULL_A);
    TYPE(SpvOpConstantNull, B, NULL_B);
    TYPE(SpvOpConstantNull, C, NULL_C);
}

static void begin_matrices(void)
{
    begin_module(false);
    matrix(A, HALF, U_16, U_16);
    matrix(B, HALF, U_16, U_8);
    matrix(C, F32, U_16, U_8);
    add_nulls();
}

START_TEST(matrices_are_read)
{
    begin_matrices();
    CODE(&builder, SpvOpCooperativeMatrixMulAddNV, C, RESULT, NULL_A, NULL_B, NULL_C);
    CODE(&builder, SpvOpCooperativeMatrixLengthNV, U32, ELEMENT, C);
    const struct spirv_module *module = builder_accept(&builder);

    ck_assert(module->has_matrices);
    ck_assert_int_eq(spirv_type(module, A)->kind, SPIRV_COOPERATIVE);
    ck_assert_uint_eq(spirv_type(module, A)->matrix->rows, 16);
    ck_assert_uint_eq(spirv_type(module, B)->matrix->columns, 8);
    ck_assert_uint_eq(spirv_type(module, B)->matrix->use, SPIRV_MatrixAnyUse);
    ck_assert_uint_eq(spirv_type(module, A)->count, 8);
    ck_assert_uint_eq(spirv_type(module, C)->count, 4);
}
END_TEST

START_TEST(matrices_with_uses_are_read)
{
    begin_module(true);
    khr_matrix(A, HALF, U_16, U_16, U_0);
    khr_matrix(B, HALF, U_16, U_8, U_1);
    khr_matrix(C, F32, U_16, U_8, U_2);
    add_nulls();
    CODE(&builder, SPIRV_OpCooperativeMatrixMulAddKHR, C, RESULT, NULL_A, NULL_B, NULL_C);
    const struct spirv_module *module = builder_accept(&builder);

    ck_assert_uint_eq(spirv_type(module, B)->matrix->use, SPIRV_MatrixBKHR);
}
END_TEST

START_TEST(a_matrix_of_another_scope_is_refused)
{
    begin_module(false);
    TYPE(SpvOpTypeCooperativeMatrixNV, A, HALF, U_2, U_16, U_16);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "scope 2");
}
END_TEST

START_TEST(a_matrix_that_is_too_large_is_refused)
{
    begin_module(false);
    matrix(A, HALF, U_16, U_300);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "300 columns");
}
END_TEST

START_TEST(a_matrix_without_rows_is_refused)
{
    begin_module(false);
    matrix(A, HALF, U_0, U_16);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "0 rows");
}
END_TEST

START_TEST(a_matrix_of_vectors_is_refused)
{
    begin_module(false);
    matrix(A, V4, U_16, U_16);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "component of a cooperative matrix");
}
END_TEST

START_TEST(a_matrix_whose_rows_are_no_constant_is_refused)
{
    begin_module(false);
    matrix(A, HALF, F32, U_16);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "is not a constant");
}
END_TEST

START_TEST(a_matrix_without_the_capability_is_refused)
{
    CAPABILITY(SpvCapabilityFloat16);
    TYPE(SpvOpTypeFloat, HALF, 16);
    TYPE(SpvOpConstant, U32, U_16, 16);
    matrix(A, HALF, U_16, U_16);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "CooperativeMatrixNV is not declared");
}
END_TEST

START_TEST(an_unknown_use_is_refused)
{
    begin_module(true);
    khr_matrix(A, HALF, U_16, U_16, U_3);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "the use of a cooperative matrix is 3");
}
END_TEST

START_TEST(a_product_of_shapes_that_do_not_fit_is_refused)
{
    begin_matrices();
    CODE(&builder, SpvOpCooperativeMatrixMulAddNV, C, RESULT, NULL_B, NULL_B, NULL_C);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "16 by 8 times one of 16 by 8");
    again();
    begin_matrices();
    CODE(&builder, SpvOpCooperativeMatrixMulAddNV, A, RESULT, NULL_A, NULL_B, NULL_A);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "is not one of 16 by 16");
}
END_TEST

START_TEST(a_product_of_wrong_uses_is_refused)
{
    begin_module(true);
    khr_matrix(A, HALF, U_16, U_16, U_0);
    khr_matrix(B, HALF, U_16, U_8, U_0);
    khr_matrix(C, F32, U_16, U_8, U_2);
    add_nulls();
    CODE(&builder, SPIRV_OpCooperativeMatrixMulAddKHR, C, RESULT, NULL_A, NULL_B, NULL_C);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "A, B and accumulator");
}
END_TEST

START_TEST(a_product_of_scalars_is_refused)
{
    begin_matrices();
    CODE(&builder, SpvOpCooperativeMatrixMulAddNV, C, RESULT, F_1, NULL_B, NULL_C);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "do not fit");
}
END_TEST

START_TEST(a_length_of_another_type_is_refused)
{
    begin_matrices();
    CODE(&builder, SpvOpCooperativeMatrixLengthNV, U32, ELEMENT, V4);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "do not fit");
}
END_TEST

START_TEST(a_layout_that_is_unknown_is_refused)
{
    begin_module(true);
    khr_matrix(C, F32, U_16, U_8, U_2);
    CODE(&builder, SpvOpAccessChain, P_ELEMENT, ELEMENT, VALUE(P_BLOCK), VALUE(U32), VALUE(U32));
    CODE(&builder, SPIRV_OpCooperativeMatrixLoadKHR, C, RESULT, ELEMENT, U_4, U_8);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "layout 4");
}
END_TEST

START_TEST(a_matrix_in_memory_without_a_stride_is_refused)
{
    begin_module(true);
    khr_matrix(C, F32, U_16, U_8, U_2);
    CODE(&builder, SpvOpAccessChain, P_ELEMENT, ELEMENT, VALUE(P_BLOCK), VALUE(U32), VALUE(U32));
    CODE(&builder, SPIRV_OpCooperativeMatrixLoadKHR, C, RESULT, ELEMENT, U_0);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "without a stride");
}
END_TEST

START_TEST(a_matrix_in_shared_memory_is_refused)
{
    begin_matrices();
    TYPE(SpvOpTypePointer, P_SHARED, SpvStorageClassWorkgroup, A);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "storage class 4");
}
END_TEST

START_TEST(a_struct_with_a_matrix_is_refused)
{
    begin_matrices();
    TYPE(SpvOpTypeStruct, HOLDER, F32, A);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "structs with cooperative matrices");
}
END_TEST

START_TEST(an_instruction_that_takes_no_matrices_is_refused)
{
    begin_matrices();
    CODE(&builder, SpvOpFOrdLessThan, BOOL, RESULT, NULL_A, NULL_A);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "cooperative matrices in this instruction");
}
END_TEST

START_TEST(matrices_of_two_shapes_are_not_added)
{
    begin_matrices();
    CODE(&builder, SpvOpFAdd, A, RESULT, NULL_A, NULL_B);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "do not fit");
}
END_TEST

START_TEST(a_dot_product_of_halves_adds_to_a_float)
{
    begin_module(false);
    TYPE(SpvOpConstantNull, HALF2, NULL_A);
    CODE(&builder, SPIRV_OpFDot2MixAcc32VALVE, F32, RESULT, NULL_A, NULL_A, F_1);
    builder_accept(&builder);
}
END_TEST

START_TEST(a_dot_product_of_floats_does_not_add_to_a_float)
{
    begin_module(false);
    CODE(&builder, SPIRV_OpFDot2MixAcc32VALVE, F32, RESULT, VALUE(V2), VALUE(V2), F_1);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "do not fit");
}
END_TEST

START_TEST(a_dot_product_that_adds_to_a_half_needs_a_capability_of_its_own)
{
    begin_module(false);
    TYPE(SpvOpConstantNull, HALF2, NULL_A);
    TYPE(SpvOpConstantNull, HALF, NULL_B);
    CODE(&builder, SPIRV_OpFDot2MixAcc16VALVE, HALF, RESULT, NULL_A, NULL_A, NULL_B);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "DotProductFloat16AccFloat16VALVE is not declared");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: cooperative matrices");
    TCase *all   = tcase_create("all");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, matrices_are_read);
    tcase_add_test(all, matrices_with_uses_are_read);
    tcase_add_test(all, a_matrix_of_another_scope_is_refused);
    tcase_add_test(all, a_matrix_that_is_too_large_is_refused);
    tcase_add_test(all, a_matrix_without_rows_is_refused);
    tcase_add_test(all, a_matrix_of_vectors_is_refused);
    tcase_add_test(all, a_matrix_whose_rows_are_no_constant_is_refused);
    tcase_add_test(all, a_matrix_without_the_capability_is_refused);
    tcase_add_test(all, an_unknown_use_is_refused);
    tcase_add_test(all, a_product_of_shapes_that_do_not_fit_is_refused);
    tcase_add_test(all, a_product_of_wrong_uses_is_refused);
    tcase_add_test(all, a_product_of_scalars_is_refused);
    tcase_add_test(all, a_length_of_another_type_is_refused);
    tcase_add_test(all, a_layout_that_is_unknown_is_refused);
    tcase_add_test(all, a_matrix_in_memory_without_a_stride_is_refused);
    tcase_add_test(all, a_matrix_in_shared_memory_is_refused);
    tcase_add_test(all, a_struct_with_a_matrix_is_refused);
    tcase_add_test(all, an_instruction_that_takes_no_matrices_is_refused);
    tcase_add_test(all, matrices_of_two_shapes_are_not_added);
    tcase_add_test(all, a_dot_product_of_halves_adds_to_a_float);
    tcase_add_test(all, a_dot_product_of_floats_does_not_add_to_a_float);
    tcase_add_test(all, a_dot_product_that_adds_to_a_half_needs_a_capability_of_its_own);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
