/* Checks of types, variables and the explicit layouts of buffers.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/spirv/spirv_fixture.h"

#define TYPE(opcode, ...) ADD(&builder, PART_TYPE, opcode, __VA_ARGS__)
#define DECORATE(...) ADD(&builder, PART_DECORATION, SpvOpDecorate, __VA_ARGS__)
#define MEMBER(...) ADD(&builder, PART_DECORATION, SpvOpMemberDecorate, __VA_ARGS__)

enum {
    S = 901,
    P,
    V,
    T,
    INNER,
};

/* ---- types --------------------------------------------------------------------------------- */

START_TEST(numbers_of_other_widths_need_a_capability)
{
    TYPE(SpvOpTypeInt, T, 8, 0);
    builder_refuse(&builder, INVALID, "integers of 8 bits");
    again();
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityStorageBuffer8BitAccess);
    TYPE(SpvOpTypeInt, T, 8, 0);
    ck_assert_uint_eq(spirv_type(builder_accept(&builder), T)->size, 1);
    again();
    TYPE(SpvOpTypeFloat, T, 16);
    builder_refuse(&builder, INVALID, "floats of 16 bits");
    again();
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityFloat64);
    TYPE(SpvOpTypeFloat, T, 64);
    ck_assert_uint_eq(spirv_type(builder_accept(&builder), T)->width, 64);
    again();
    TYPE(SpvOpTypeInt, T, 24, 0);
    builder_refuse(&builder, UNSUPPORTED, "24 bits");
    again();
    TYPE(SpvOpTypeInt, T, 32, 2);
    builder_refuse(&builder, INVALID, "signedness");
}
END_TEST

START_TEST(vectors_have_two_to_four_numbers)
{
    TYPE(SpvOpTypeVector, T, U32, 5);
    builder_refuse(&builder, UNSUPPORTED, "5 components");
    again();
    TYPE(SpvOpTypeVector, T, V2, 2);
    builder_refuse(&builder, INVALID, "cannot be the component");
    again();
    TYPE(SpvOpTypeMatrix, T, U2, 2);
    builder_refuse(&builder, INVALID, "cannot be the component");
}
END_TEST

START_TEST(types_are_made_of_types_that_were_defined_before)
{
    TYPE(SpvOpTypeStruct, T, T);
    builder_refuse(&builder, INVALID, "not a type defined before");
    again();
    TYPE(SpvOpTypeStruct, T, VOID);
    builder_refuse(&builder, INVALID, "cannot be in memory");
    again();
    TYPE(SpvOpTypeStruct, T, P_F32);
    builder_refuse(&builder, UNSUPPORTED, "pointers in arrays");
    again();
    TYPE(SpvOpTypePipe, T, 0);
    builder_refuse(&builder, UNSUPPORTED, "OpTypePipe");
}
END_TEST

START_TEST(the_nesting_of_types_is_limited)
{
    for (uint32_t i = 0; i < SPIRV_DEPTH_MOST; i++)
        TYPE(SpvOpTypeStruct, 1100 + i, i == 0 ? (uint32_t)U32 : 1099 + i);
    builder.next = 1200;
    builder_refuse(&builder, UNSUPPORTED, "nested deeper");
    again();
    for (uint32_t i = 0; i + 1 < SPIRV_DEPTH_MOST; i++)
        TYPE(SpvOpTypeStruct, 1100 + i, i == 0 ? (uint32_t)U32 : 1099 + i);
    builder.next = 1200;
    builder_accept(&builder);
}
END_TEST

START_TEST(types_are_not_larger_than_memory)
{
    TYPE(SpvOpConstant, U32, 950, 1u << 28);
    TYPE(SpvOpTypeArray, T, U32, 950);
    ck_assert_uint_eq(spirv_type(builder_accept(&builder), T)->size, 1u << 30);
    again();
    TYPE(SpvOpConstant, U32, 950, (1u << 28) + 1);
    TYPE(SpvOpTypeArray, T, U32, 950);
    builder_refuse(&builder, UNSUPPORTED, "more than");
    again();
    for (uint32_t i = 0; i < 31; i++)
        i == 0 ? TYPE(SpvOpTypeStruct, 1100) : TYPE(SpvOpTypeStruct, 1100 + i, 1099 + i, 1099 + i);
    builder.next = 1200;
    builder_accept(&builder);
    again();
    for (uint32_t i = 0; i < 31; i++)
        i == 0 ? TYPE(SpvOpTypeStruct, 1100) : TYPE(SpvOpTypeStruct, 1100 + i, 1099 + i, 1099 + i, 1099 + i);
    builder.next = 1200;
    builder_refuse(&builder, UNSUPPORTED, "more than");
}
END_TEST

START_TEST(arrays_have_a_length)
{
    TYPE(SpvOpTypeArray, T, U32, VALUE(U32));
    builder_refuse(&builder, INVALID, "not positive");
    again();
    TYPE(SpvOpTypeArray, T, U32, I_MINUS_1);
    builder_refuse(&builder, INVALID, "not positive");
    again();
    TYPE(SpvOpTypeArray, T, U32, F_1);
    builder_refuse(&builder, INVALID, "not an integer");
    again();
    TYPE(SpvOpTypeArray, T, U32, U32);
    builder_refuse(&builder, INVALID, "not a constant");
}
END_TEST

START_TEST(a_member_without_size_is_the_last_of_a_block)
{
    TYPE(SpvOpTypeStruct, T, RUNTIME, U32);
    builder_refuse(&builder, INVALID, "not the last");
    again();
    TYPE(SpvOpTypeStruct, T, U32, BLOCK);
    builder_refuse(&builder, INVALID, "not the last");
    again();
    TYPE(SpvOpTypeArray, T, RUNTIME, U_2);
    builder_refuse(&builder, INVALID, "have no size");
    again();
    TYPE(SpvOpTypePointer, P, SpvStorageClassPrivate, BLOCK);
    TYPE(SpvOpVariable, P, V, SpvStorageClassPrivate);
    builder_refuse(&builder, INVALID, "has no size");
    again();
    TYPE(SpvOpConstantNull, BLOCK, V);
    builder_refuse(&builder, INVALID, "no values of this type");
    again();
    TYPE(SpvOpTypeFunction, T, VOID, BLOCK);
    builder_refuse(&builder, INVALID, "parameter or result");
}
END_TEST

/* ---- layouts ------------------------------------------------------------------------------- */

/* Adds a buffer of a block S with these members. */
static void add_buffer(const uint32_t *types, uint32_t count)
{
    uint32_t words[10] = {S};

    for (uint32_t i = 0; i < count; i++)
        words[1 + i] = types[i];
    DECORATE(S, SpvDecorationBlock);
    builder_add(&builder, PART_TYPE, SpvOpTypeStruct, words, count + 1);
    TYPE(SpvOpTypePointer, P, SpvStorageClassStorageBuffer, S);
    TYPE(SpvOpVariable, P, V, SpvStorageClassStorageBuffer);
    DECORATE(V, SpvDecorationDescriptorSet, 0);
    DECORATE(V, SpvDecorationBinding, 9);
}

#define BUFFER(...) \
    add_buffer((uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

START_TEST(members_of_buffers_have_offsets)
{
    MEMBER(S, 0, SpvDecorationOffset, 16);
    MEMBER(S, 1, SpvDecorationOffset, 4);
    BUFFER(V3, F32);
    const struct spirv_type *type = spirv_type(builder_accept(&builder), S);
    ck_assert_uint_eq(type->size, 28);
    ck_assert_uint_eq(type->members[0].offset, 16);
    again();
    MEMBER(S, 0, SpvDecorationOffset, 0);
    BUFFER(V3, F32);
    builder_refuse(&builder, INVALID, "has no Offset");
    again();
    MEMBER(S, 0, SpvDecorationOffset, 2);
    BUFFER(F32);
    builder_refuse(&builder, INVALID, "not aligned");
    again();
    MEMBER(S, 2, SpvDecorationOffset, 0);
    BUFFER(F32);
    builder_refuse(&builder, INVALID, "member 2");
    again();
    MEMBER(S, 0, SpvDecorationOffset, 1u << 31);
    BUFFER(F32);
    builder_refuse(&builder, UNSUPPORTED, "an offset or stride");
}
END_TEST

START_TEST(members_do_not_overlap)
{
    MEMBER(S, 0, SpvDecorationOffset, 0);
    MEMBER(S, 1, SpvDecorationOffset, 8);
    BUFFER(V3, F32);
    builder_refuse(&builder, INVALID, "overlap");
    again();
    MEMBER(S, 0, SpvDecorationOffset, 4);
    MEMBER(S, 1, SpvDecorationOffset, 0);
    BUFFER(U32, RUNTIME);
    builder_refuse(&builder, INVALID, "overlap");
    again();
    MEMBER(S, 0, SpvDecorationOffset, 0);
    MEMBER(S, 1, SpvDecorationOffset, 12);
    BUFFER(V3, RUNTIME);
    builder_accept(&builder);
}
END_TEST

START_TEST(arrays_in_buffers_have_strides)
{
    MEMBER(S, 0, SpvDecorationOffset, 0);
    BUFFER(FLOATS);
    builder_refuse(&builder, INVALID, "has no ArrayStride");
    for (uint32_t stride = 0; stride <= 16; stride += 2) {
        again();
        DECORATE(T, SpvDecorationArrayStride, stride);
        TYPE(SpvOpTypeArray, T, V2, U_4);
        MEMBER(S, 0, SpvDecorationOffset, 0);
        BUFFER(T);
        if (stride >= 8 && stride % 4 == 0)
            ck_assert_uint_eq(spirv_type(builder_accept(&builder), S)->size, 3 * stride + 8);
        else
            builder_refuse(&builder, INVALID, "ArrayStride");
    }
}
END_TEST

START_TEST(matrices_in_buffers_have_strides)
{
    MEMBER(S, 0, SpvDecorationOffset, 0);
    BUFFER(M2X3);
    builder_refuse(&builder, INVALID, "has no MatrixStride");
    again();
    MEMBER(S, 0, SpvDecorationOffset, 0);
    MEMBER(S, 0, SpvDecorationMatrixStride, 8);
    BUFFER(M2X3);
    builder_refuse(&builder, INVALID, "MatrixStride 8");
    again();
    MEMBER(S, 0, SpvDecorationOffset, 0);
    MEMBER(S, 0, SpvDecorationMatrixStride, 16);
    BUFFER(M2X3);
    ck_assert_uint_eq(spirv_type(builder_accept(&builder), S)->size, 28);
    again();
    MEMBER(S, 0, SpvDecorationOffset, 0);
    MEMBER(S, 0, SpvDecorationMatrixStride, 8);
    MEMBER(S, 0, SpvDecorationRowMajor);
    BUFFER(M2X3);
    const struct spirv_type *type = spirv_type(builder_accept(&builder), S);
    ck_assert_uint_eq(type->size, 24);
    ck_assert_uint_eq(type->members[0].row_major, 1);
}
END_TEST

START_TEST(structs_in_buffers_are_laid_out_too)
{
    TYPE(SpvOpTypeStruct, INNER, U32, U32);
    MEMBER(INNER, 0, SpvDecorationOffset, 0);
    MEMBER(S, 0, SpvDecorationOffset, 0);
    BUFFER(INNER);
    builder_refuse(&builder, INVALID, "member 1 of struct 905");
    again();
    MEMBER(S, 0, SpvDecorationOffset, 0);
    BUFFER(BOOL);
    builder_refuse(&builder, INVALID, "cannot be in a buffer");
    again();
    MEMBER(S, 0, SpvDecorationOffset, 0);
    BUFFER(BOOL2);
    builder_refuse(&builder, INVALID, "a bool cannot be in a buffer");
}
END_TEST

/* ---- variables ----------------------------------------------------------------------------- */

START_TEST(buffers_are_blocks_with_a_binding)
{
    TYPE(SpvOpTypePointer, P, SpvStorageClassStorageBuffer, BLOCK);
    TYPE(SpvOpVariable, P, V, SpvStorageClassStorageBuffer);
    NAME(&builder, V, "samples");
    builder_refuse(&builder, INVALID, "\"samples\" has no binding");
    again();
    TYPE(SpvOpTypePointer, P, SpvStorageClassStorageBuffer, UU);
    TYPE(SpvOpVariable, P, V, SpvStorageClassStorageBuffer);
    builder_refuse(&builder, INVALID, "is not a block");
    again();
    TYPE(SpvOpTypeArray, T, BLOCK_U, U_2);
    TYPE(SpvOpTypePointer, P, SpvStorageClassStorageBuffer, T);
    TYPE(SpvOpVariable, P, V, SpvStorageClassStorageBuffer);
    NAME(&builder, V, "many");
    builder_refuse(&builder, INVALID, "\"many\" has no binding");
    again();
    TYPE(SpvOpTypeRuntimeArray, T, BLOCK_U);
    TYPE(SpvOpTypePointer, P, SpvStorageClassStorageBuffer, T);
    TYPE(SpvOpVariable, P, V, SpvStorageClassStorageBuffer);
    NAME(&builder, V, "many");
    builder_refuse(&builder, INVALID, "RuntimeDescriptorArray is not declared");
    again();
    TYPE(SpvOpTypePointer, P, SpvStorageClassUniform, BLOCK);
    TYPE(SpvOpVariable, P, V, SpvStorageClassUniform);
    builder_refuse(&builder, INVALID, "has no size");
}
END_TEST

START_TEST(inputs_are_built_in)
{
    TYPE(SpvOpTypePointer, P, SpvStorageClassInput, U3);
    TYPE(SpvOpVariable, P, V, SpvStorageClassInput);
    DECORATE(V, SpvDecorationBuiltIn, SpvBuiltInGlobalInvocationId);
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_int_eq(module->ids[V].as.variable->builtin, SpvBuiltInGlobalInvocationId);
    again();
    TYPE(SpvOpTypePointer, P, SpvStorageClassInput, U3);
    TYPE(SpvOpVariable, P, V, SpvStorageClassInput);
    builder_refuse(&builder, INVALID, "not a built-in");
    again();
    TYPE(SpvOpTypePointer, P, SpvStorageClassInput, U3);
    TYPE(SpvOpVariable, P, V, SpvStorageClassInput);
    DECORATE(V, SpvDecorationBuiltIn, SpvBuiltInSubgroupSize);
    builder_refuse(&builder, INVALID, "not a scalar");
    again();
    TYPE(SpvOpTypePointer, P, SpvStorageClassInput, U32);
    TYPE(SpvOpVariable, P, V, SpvStorageClassInput);
    DECORATE(V, SpvDecorationBuiltIn, SpvBuiltInVertexIndex);
    builder_refuse(&builder, UNSUPPORTED, "built-in 42");
    again();
    TYPE(SpvOpTypePointer, P, SpvStorageClassOutput, U32);
    builder_refuse(&builder, UNSUPPORTED, "storage class 3");
}
END_TEST

START_TEST(variables_are_where_their_storage_is)
{
    TYPE(SpvOpVariable, P_F32, V, SpvStorageClassFunction);
    builder_refuse(&builder, INVALID, "in the wrong place");
    again();
    CODE(&builder, SpvOpVariable, P_BLOCK_U, V, SpvStorageClassStorageBuffer);
    builder_refuse(&builder, INVALID, "in the wrong place");
    again();
    CODE(&builder, SpvOpVariable, P_F32, V, SpvStorageClassPrivate);
    builder_refuse(&builder, INVALID, "not a pointer to storage class");
}
END_TEST

START_TEST(initializers_are_constants_of_the_variables_type)
{
    CODE(&builder, SpvOpVariable, P_F32, V, SpvStorageClassFunction, F_1);
    ck_assert_uint_eq(builder_accept(&builder)->ids[V].as.variable->initializer, F_1);
    again();
    CODE(&builder, SpvOpVariable, P_F32, V, SpvStorageClassFunction, U_1);
    builder_refuse(&builder, INVALID, "another type");
    again();
    TYPE(SpvOpTypePointer, P, SpvStorageClassWorkgroup, F32);
    TYPE(SpvOpVariable, P, V, SpvStorageClassWorkgroup, F_1);
    builder_refuse(&builder, INVALID, "not null");
    again();
    TYPE(SpvOpTypePointer, P, SpvStorageClassWorkgroup, F32);
    TYPE(SpvOpVariable, P, V, SpvStorageClassWorkgroup, VALUE(F32));
    builder_accept(&builder);
}
END_TEST

/* ---- decorations --------------------------------------------------------------------------- */

START_TEST(unknown_decorations_are_refused)
{
    DECORATE(V, SpvDecorationPassthroughNV);
    builder_refuse(&builder, UNSUPPORTED, "decoration 5250");
    again();
    ADD(&builder, PART_DECORATION, SpvOpDecorateId, VALUE(P_BLOCK), SpvDecorationCounterBuffer,
        VALUE(P_BLOCK_U));
    builder_accept(&builder);
    again();
    DECORATE(V, SpvDecorationCounterBuffer);
    builder_refuse(&builder, INVALID, "takes 1 words");
    again();
    DECORATE(U_1, SpvDecorationRelaxedPrecision);
    ck_assert_uint_eq(builder_accept(&builder)->ids[U_1].relaxed, 1);
    again();
    DECORATE(V, SpvDecorationBinding);
    builder_refuse(&builder, INVALID, "takes 1 words");
    again();
    DECORATE(V, SpvDecorationFPRoundingMode, SpvFPRoundingModeRTZ);
    builder_refuse(&builder, UNSUPPORTED, "rounding mode");
    again();
}
END_TEST

START_TEST(groups_give_their_decorations_to_targets)
{
    enum {
        GROUP = 990
    };

    DECORATE(GROUP, SpvDecorationRelaxedPrecision);
    ADD(&builder, PART_DECORATION, SpvOpDecorationGroup, GROUP);
    ADD(&builder, PART_DECORATION, SpvOpGroupDecorate, GROUP, U_1, U_2);
    ck_assert_uint_eq(builder_accept(&builder)->ids[U_1].relaxed, 1);
    ck_assert_uint_eq(builder_accept(&builder)->ids[U_2].relaxed, 1);
    ck_assert_uint_eq(builder_accept(&builder)->ids[U_3].relaxed, 0);
    again();
    ADD(&builder, PART_DECORATION, SpvOpGroupDecorate, GROUP, U_1);
    builder_refuse(&builder, INVALID, "not a group");
    again();
    ADD(&builder, PART_DECORATION, SpvOpDecorationGroup, GROUP);
    ADD(&builder, PART_DECORATION, SpvOpGroupDecorate, GROUP, GROUP);
    builder_refuse(&builder, INVALID, "no valid target");
    again();
    ADD(&builder, PART_DECORATION, SpvOpDecorationGroup, GROUP);
    ADD(&builder, PART_DECORATION, SpvOpGroupMemberDecorate, GROUP, U_1);
    builder_refuse(&builder, INVALID, "wrong length");
}
END_TEST

START_TEST(variables_have_their_decorations)
{
    DECORATE(VALUE(P_BLOCK), SpvDecorationRestrict);
    DECORATE(VALUE(P_BLOCK), SpvDecorationVolatile);
    MEMBER(BLOCK, 0, SpvDecorationCoherent);
    struct spirv_module *module           = builder_accept(&builder);
    const struct spirv_variable *variable = module->ids[VALUE(P_BLOCK)].as.variable;
    ck_assert_uint_eq(variable->is_restrict, 1);
    ck_assert_uint_eq(variable->is_volatile, 1);
    ck_assert_uint_eq(variable->is_coherent, 1);
    ck_assert_uint_eq(module->ids[VALUE(P_BLOCK_U)].as.variable->is_coherent, 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: types and layouts");
    TCase *all   = tcase_create("types and layouts");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, numbers_of_other_widths_need_a_capability);
    tcase_add_test(all, vectors_have_two_to_four_numbers);
    tcase_add_test(all, types_are_made_of_types_that_were_defined_before);
    tcase_add_test(all, the_nesting_of_types_is_limited);
    tcase_add_test(all, types_are_not_larger_than_memory);
    tcase_add_test(all, arrays_have_a_length);
    tcase_add_test(all, a_member_without_size_is_the_last_of_a_block);
    tcase_add_test(all, members_of_buffers_have_offsets);
    tcase_add_test(all, members_do_not_overlap);
    tcase_add_test(all, arrays_in_buffers_have_strides);
    tcase_add_test(all, matrices_in_buffers_have_strides);
    tcase_add_test(all, structs_in_buffers_are_laid_out_too);
    tcase_add_test(all, buffers_are_blocks_with_a_binding);
    tcase_add_test(all, inputs_are_built_in);
    tcase_add_test(all, variables_are_where_their_storage_is);
    tcase_add_test(all, initializers_are_constants_of_the_variables_type);
    tcase_add_test(all, unknown_decorations_are_refused);
    tcase_add_test(all, groups_give_their_decorations_to_targets);
    tcase_add_test(all, variables_have_their_decorations);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
