/* Variable pointers and shared blocks with explicit layout: what the capabilities allow, and forms that are
 * not valid.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/spirv/spirv_fixture.h"

#define TYPE(opcode, ...) ADD(&builder, PART_TYPE, opcode, __VA_ARGS__)
#define CAPABILITY(name) ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapability##name)
#define DECORATE(...) ADD(&builder, PART_DECORATION, SpvOpDecorate, __VA_ARGS__)
#define MEMBER(...) ADD(&builder, PART_DECORATION, SpvOpMemberDecorate, __VA_ARGS__)

enum {
    ELEMENT = 901, /* a pointer to the first float of the buffer */
    CHOSEN,
    VALUE_READ,
    HOLDER, /* a type: a pointer to a pointer */
    VARIABLE,
    SHARED,
    P_SHARED,
    IN_SHARED,
    P_IN_SHARED,
    A,
    B,
    P_A,
    P_B,
};

/* ---- variable pointers */

static void point(void)
{
    CODE(&builder, SpvOpAccessChain, P_ELEMENT, ELEMENT, VALUE(P_BLOCK), VALUE(U32), VALUE(U32));
}

static void add_select(void)
{
    point();
    CODE(&builder, SpvOpSelect, P_ELEMENT, CHOSEN, TRUE_BOOL, ELEMENT, ELEMENT);
    CODE(&builder, SpvOpLoad, F32, VALUE_READ, CHOSEN);
}

static void add_null(void)
{
    TYPE(SpvOpConstantNull, P_ELEMENT, CHOSEN);
}

static void add_holder(void)
{
    TYPE(SpvOpTypePointer, HOLDER, SpvStorageClassPrivate, P_ELEMENT);
    TYPE(SpvOpVariable, HOLDER, VARIABLE, SpvStorageClassPrivate);
    CODE(&builder, SpvOpLoad, P_ELEMENT, CHOSEN, VARIABLE);
    CODE(&builder, SpvOpStore, VARIABLE, CHOSEN);
}

static void add_chain(void)
{
    DECORATE(P_ELEMENT, SpvDecorationArrayStride, 4);
    point();
    CODE(&builder, SpvOpPtrAccessChain, P_ELEMENT, CHOSEN, ELEMENT, U_2);
}

static void add_equal(void)
{
    point();
    CODE(&builder, SpvOpPtrEqual, BOOL, CHOSEN, ELEMENT, ELEMENT);
}

static void add_function_type(void)
{
    TYPE(SpvOpTypeFunction, HOLDER, P_ELEMENT);
}

static const struct form {
    void (*add)(void);
    int32_t refusal;
} forms[] = {
    {add_select, INVALID},   {add_chain, INVALID},      {add_equal, INVALID},
    {add_null, UNSUPPORTED}, {add_holder, UNSUPPORTED}, {add_function_type, UNSUPPORTED},
};

START_TEST(variable_pointers_need_a_capability)
{
    forms[_i].add();
    builder_refuse(&builder, forms[_i].refusal, "VariablePointers");
    again();
    CAPABILITY(VariablePointersStorageBuffer);
    forms[_i].add();
    builder_accept(&builder);
    again();
    CAPABILITY(VariablePointers);
    forms[_i].add();
    builder_accept(&builder);
}
END_TEST

static void select_shared(void)
{
    TYPE(SpvOpTypePointer, P_SHARED, SpvStorageClassWorkgroup, F32);
    TYPE(SpvOpVariable, P_SHARED, SHARED, SpvStorageClassWorkgroup);
    CODE(&builder, SpvOpSelect, P_SHARED, CHOSEN, TRUE_BOOL, SHARED, SHARED);
}

START_TEST(pointers_to_shared_memory_need_the_wider_capability)
{
    CAPABILITY(VariablePointersStorageBuffer);
    select_shared();
    builder_refuse(&builder, INVALID, "storage class 4");
    again();
    CAPABILITY(VariablePointers);
    select_shared();
    builder_accept(&builder);
}
END_TEST

START_TEST(pointers_to_variables_of_a_function_are_never_values)
{
    CAPABILITY(VariablePointers);
    CODE(&builder, SpvOpVariable, P_F32, VARIABLE, SpvStorageClassFunction);
    CODE(&builder, SpvOpSelect, P_F32, CHOSEN, TRUE_BOOL, VARIABLE, VARIABLE);
    builder_refuse(&builder, INVALID, "storage class 7");
}
END_TEST

START_TEST(a_step_through_an_array_needs_its_stride_and_an_integer)
{
    CAPABILITY(VariablePointers);
    point();
    CODE(&builder, SpvOpPtrAccessChain, P_ELEMENT, CHOSEN, ELEMENT, U_2);
    builder_refuse(&builder, INVALID, "ArrayStride");
    again();
    CAPABILITY(VariablePointers);
    DECORATE(P_ELEMENT, SpvDecorationArrayStride, 4);
    point();
    CODE(&builder, SpvOpPtrAccessChain, P_ELEMENT, CHOSEN, ELEMENT, F_1);
    builder_refuse(&builder, INVALID, "not an integer");
    again();
    CAPABILITY(VariablePointers);
    DECORATE(P_ELEMENT, SpvDecorationArrayStride, 4);
    point();
    CODE(&builder, SpvOpPtrAccessChain, P_WORD, CHOSEN, ELEMENT, U_2);
    builder_refuse(&builder, INVALID, "do not fit");
}
END_TEST

START_TEST(a_difference_takes_the_stride_of_the_arrays_of_such_elements)
{
    CAPABILITY(VariablePointers);
    point();
    CODE(&builder, SpvOpPtrDiff, I32, CHOSEN, ELEMENT, ELEMENT);
    builder_accept(&builder);
    again();
    CAPABILITY(VariablePointers);
    DECORATE(HOLDER, SpvDecorationArrayStride, 16);
    TYPE(SpvOpTypeRuntimeArray, HOLDER, F32);
    point();
    CODE(&builder, SpvOpPtrDiff, I32, CHOSEN, ELEMENT, ELEMENT);
    builder_refuse(&builder, UNSUPPORTED, "ArrayStride");
}
END_TEST

START_TEST(pointers_are_in_variables_of_functions_and_work_items_alone)
{
    CAPABILITY(VariablePointers);
    TYPE(SpvOpTypePointer, HOLDER, SpvStorageClassWorkgroup, P_ELEMENT);
    builder_refuse(&builder, UNSUPPORTED, "storage class 4");
    again();
    CAPABILITY(VariablePointers);
    TYPE(SpvOpTypeStruct, HOLDER, P_ELEMENT);
    builder_refuse(&builder, UNSUPPORTED, "arrays and structs");
}
END_TEST

/* ---- shared blocks */

static void add_block(uint32_t type, uint32_t pointer, uint32_t variable, uint32_t element, uint32_t offset)
{
    DECORATE(type, SpvDecorationBlock);
    MEMBER(type, 0, SpvDecorationOffset, offset);
    TYPE(SpvOpTypeStruct, type, element);
    TYPE(SpvOpTypePointer, pointer, SpvStorageClassWorkgroup, type);
    TYPE(SpvOpVariable, pointer, variable, SpvStorageClassWorkgroup);
}

START_TEST(a_shared_block_needs_a_capability_and_offsets)
{
    add_block(SHARED, P_SHARED, A, F32, 0);
    builder_refuse(&builder, INVALID, "WorkgroupMemoryExplicitLayoutKHR");
    again();
    CAPABILITY(WorkgroupMemoryExplicitLayoutKHR);
    add_block(SHARED, P_SHARED, A, F32, 2);
    builder_refuse(&builder, INVALID, "not aligned");
    again();
    CAPABILITY(WorkgroupMemoryExplicitLayoutKHR);
    add_block(SHARED, P_SHARED, A, F32, 4);
    ck_assert(builder_accept(&builder)->ids[A].as.variable->is_shared_block);
}
END_TEST

static void add_two(bool are_aliased)
{
    CAPABILITY(WorkgroupMemoryExplicitLayoutKHR);
    add_block(SHARED, P_SHARED, A, F32, 16);
    add_block(IN_SHARED, P_IN_SHARED, B, V4, 16);
    if (are_aliased)
        DECORATE(A, SpvDecorationAliased);
    if (are_aliased)
        DECORATE(B, SpvDecorationAliased);
}

START_TEST(shared_blocks_are_the_same_memory)
{
    struct spirv_reflection reflection;

    add_two(true);
    const struct spirv_module *module = builder_accept(&builder);
    ck_assert_uint_eq(module->ids[A].as.variable->view_of, A);
    ck_assert_uint_eq(module->ids[B].as.variable->view_of, A);
    ck_assert(module->ids[B].as.variable->has_views && module->ids[B].as.variable->is_written);
    ck_assert_uint_eq(spirv_shared_block_size(module), 32);
    ck_assert_int_eq(spirv_reflect(module, NULL, &reflection), TRM_OK);
    ck_assert_uint_eq(reflection.kernels[0].shared_bytes, 32);
    ck_assert_uint_eq(reflection.view_count, 0);
}
END_TEST

START_TEST(shared_blocks_are_aliased_and_alone)
{
    add_two(false);
    builder_refuse(&builder, INVALID, "Aliased");
    again();
    CAPABILITY(WorkgroupMemoryExplicitLayoutKHR);
    add_block(SHARED, P_SHARED, A, F32, 0);
    TYPE(SpvOpTypePointer, P_B, SpvStorageClassWorkgroup, F32);
    TYPE(SpvOpVariable, P_B, B, SpvStorageClassWorkgroup);
    builder_refuse(&builder, INVALID, "others are not");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: variable pointers and shared blocks");
    TCase *all   = tcase_create("all");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_loop_test(all, variable_pointers_need_a_capability, 0, sizeof(forms) / sizeof(forms[0]));
    tcase_add_test(all, pointers_to_shared_memory_need_the_wider_capability);
    tcase_add_test(all, pointers_to_variables_of_a_function_are_never_values);
    tcase_add_test(all, a_step_through_an_array_needs_its_stride_and_an_integer);
    tcase_add_test(all, a_difference_takes_the_stride_of_the_arrays_of_such_elements);
    tcase_add_test(all, pointers_are_in_variables_of_functions_and_work_items_alone);
    tcase_add_test(all, a_shared_block_needs_a_capability_and_offsets);
    tcase_add_test(all, shared_blocks_are_the_same_memory);
    tcase_add_test(all, shared_blocks_are_aliased_and_alone);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
