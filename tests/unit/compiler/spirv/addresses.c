/* Physical pointers: what modules with them need, and what becomes of their types.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/type.h>

#include "tests/unit/compiler/spirv/spirv_fixture.h"

#define TYPE(opcode, ...) ADD(&builder, PART_TYPE, opcode, __VA_ARGS__)
#define CAPABILITY(name) ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapability##name)
#define DECORATE(...) ADD(&builder, PART_DECORATION, SpvOpDecorate, __VA_ARGS__)
#define MEMBER(...) ADD(&builder, PART_DECORATION, SpvOpMemberDecorate, __VA_ARGS__)
#define PHYSICAL SpvStorageClassPhysicalStorageBuffer

enum {
    NODE = 901, /* struct {F32 value; P_NODE next} */
    P_NODE,
    P_NEXT, /* to a P_NODE in memory */
    P_VALUE,
    PUSH, /* struct {P_NODE head; U32 count} */
    P_PUSH,
    PUSHED,
    P_HEAD,
    HEAD,
    HEAD_AT,
    NEXT_AT,
    NEXT,
    VALUE_AT,
    LOADED,
    U64,
    NUMBER,
    MADE,
    OTHER,
};

static void set_model(uint32_t addressing)
{
    builder.count[PART_MODEL] = 0;
    ADD(&builder, PART_MODEL, SpvOpMemoryModel, addressing, SpvMemoryModelGLSL450);
}

static void allow(void)
{
    CAPABILITY(PhysicalStorageBufferAddresses);
    set_model(SpvAddressingModelPhysicalStorageBuffer64);
}

static void add_node(void)
{
    MEMBER(NODE, 0, SpvDecorationOffset, 0);
    MEMBER(NODE, 1, SpvDecorationOffset, 8);
    DECORATE(NODE, SpvDecorationBlock);
    TYPE(SpvOpTypeForwardPointer, P_NODE, PHYSICAL);
    TYPE(SpvOpTypeStruct, NODE, F32, P_NODE);
    TYPE(SpvOpTypePointer, P_NODE, PHYSICAL, NODE);
}

/* Loads head->next->value. */
static void add_walk(void)
{
    MEMBER(PUSH, 0, SpvDecorationOffset, 0);
    MEMBER(PUSH, 1, SpvDecorationOffset, 8);
    DECORATE(PUSH, SpvDecorationBlock);
    TYPE(SpvOpTypeStruct, PUSH, P_NODE, U32);
    TYPE(SpvOpTypePointer, P_PUSH, SpvStorageClassPushConstant, PUSH);
    TYPE(SpvOpVariable, P_PUSH, PUSHED, SpvStorageClassPushConstant);
    TYPE(SpvOpTypePointer, P_HEAD, SpvStorageClassPushConstant, P_NODE);
    TYPE(SpvOpTypePointer, P_NEXT, PHYSICAL, P_NODE);
    TYPE(SpvOpTypePointer, P_VALUE, PHYSICAL, F32);
    CODE(&builder, SpvOpAccessChain, P_HEAD, HEAD_AT, PUSHED, VALUE(U32));
    CODE(&builder, SpvOpLoad, P_NODE, HEAD, HEAD_AT);
    CODE(&builder, SpvOpAccessChain, P_NEXT, NEXT_AT, HEAD, U_1);
    CODE(&builder, SpvOpLoad, P_NODE, NEXT, NEXT_AT, SpvMemoryAccessAlignedMask, 8);
    CODE(&builder, SpvOpAccessChain, P_VALUE, VALUE_AT, NEXT, VALUE(U32));
    CODE(&builder, SpvOpLoad, F32, LOADED, VALUE_AT, SpvMemoryAccessAlignedMask, 8);
}

START_TEST(an_address_in_memory_is_a_number_of_64_bits)
{
    struct spirv_reflection reflection;

    allow();
    add_node();
    add_walk();
    const struct spirv_module *module = builder_accept(&builder);
    const struct spirv_type *node     = spirv_type(module, NODE);
    ck_assert_uint_eq(node->members[1].type, module->address_type);
    ck_assert_uint_eq(node->size, 16);
    ck_assert_uint_eq(spirv_type(module, P_NEXT)->element, module->address_type);
    ck_assert_uint_eq(spirv_type(module, module->address_type)->width, 64);
    ck_assert_int_eq(spirv_type_of(module, NEXT)->kind, SPIRV_POINTER);
    ck_assert_int_eq(spirv_reflect(module, NULL, &reflection), TRM_OK);
    const struct trm_parameter *head = &reflection.kernels[0].parameters[2];
    ck_assert_int_eq(head->kind, TRM_PARAMETER_SCALAR);
    ck_assert_int_eq(head->type, TRM_TYPE_U64);
    ck_assert_uint_eq(head->size, 8);
    ck_assert_uint_eq(head->place, 0);
}
END_TEST

START_TEST(modules_without_addresses_have_no_such_type)
{
    ck_assert_uint_eq(builder_accept(&builder)->address_type, 0);
}
END_TEST

START_TEST(addresses_need_their_capability_and_addressing_model)
{
    set_model(SpvAddressingModelPhysicalStorageBuffer64);
    builder_refuse(&builder, INVALID, "PhysicalStorageBufferAddresses");
    again();
    CAPABILITY(PhysicalStorageBufferAddresses);
    add_node();
    builder_refuse(&builder, INVALID, "addressing model");
    again();
    set_model(SpvAddressingModelPhysical64);
    builder_refuse(&builder, UNSUPPORTED, "addressing model 2");
}
END_TEST

START_TEST(announced_types_are_defined)
{
    allow();
    TYPE(SpvOpTypeForwardPointer, P_NODE, PHYSICAL);
    builder_refuse(&builder, INVALID, "announced");
    again();
    allow();
    TYPE(SpvOpTypeForwardPointer, P_NODE, PHYSICAL);
    TYPE(SpvOpTypeStruct, P_NODE, F32);
    builder_refuse(&builder, INVALID, "defined twice");
    again();
    allow();
    TYPE(SpvOpTypeForwardPointer, P_NODE, PHYSICAL);
    TYPE(SpvOpTypePointer, P_HEAD, SpvStorageClassFunction, P_NODE);
    TYPE(SpvOpTypeFunction, OTHER, VOID, P_NODE);
    builder_refuse(&builder, INVALID, "not a type defined before");
    again();
    allow();
    TYPE(SpvOpTypeForwardPointer, P_NODE, SpvStorageClassFunction);
    builder_refuse(&builder, UNSUPPORTED, "storage class 7");
}
END_TEST

START_TEST(what_an_address_points_to_has_a_layout)
{
    allow();
    TYPE(SpvOpTypeStruct, NODE, F32, U32);
    TYPE(SpvOpTypePointer, P_NODE, PHYSICAL, NODE);
    builder_refuse(&builder, INVALID, "no Offset");
    again();
    allow();
    TYPE(SpvOpTypePointer, P_NODE, PHYSICAL, BOOL);
    builder_refuse(&builder, INVALID, "cannot be in a buffer");
    again();
    allow();
    MEMBER(NODE, 0, SpvDecorationOffset, 0);
    MEMBER(NODE, 1, SpvDecorationOffset, 4);
    TYPE(SpvOpTypeForwardPointer, P_NODE, PHYSICAL);
    TYPE(SpvOpTypeStruct, NODE, F32, P_NODE);
    TYPE(SpvOpTypePointer, P_NODE, PHYSICAL, NODE);
    builder_refuse(&builder, INVALID, "Offset 4");
    again();
    allow();
    add_node();
    TYPE(SpvOpVariable, P_NODE, OTHER, PHYSICAL);
    builder_refuse(&builder, INVALID, "variable");
}
END_TEST

static void add_conversions(void)
{
    allow();
    CAPABILITY(Int64);
    TYPE(SpvOpTypeInt, U64, 64, 0);
    add_node();
    add_walk();
}

START_TEST(addresses_convert_to_numbers_and_back)
{
    add_conversions();
    CODE(&builder, SpvOpConvertPtrToU, U64, NUMBER, NEXT);
    CODE(&builder, SpvOpConvertUToPtr, P_NODE, MADE, NUMBER);
    CODE(&builder, SpvOpBitcast, U2, OTHER, MADE);
    CODE(&builder, SpvOpBitcast, P_VALUE, OTHER + 1, OTHER);
    CODE(&builder, SpvOpBitcast, P_NODE, OTHER + 2, OTHER + 1);
    builder_accept(&builder);
}
END_TEST

static const struct wrong {
    uint32_t opcode, type, operand;
} wrongs[] = {
    {SpvOpConvertPtrToU, F32, NEXT},
    {SpvOpConvertPtrToU, U64, VALUE(U32)},
    {SpvOpConvertUToPtr, P_NODE, LOADED},
    {SpvOpConvertUToPtr, P_HEAD, VALUE(U32)},
    {SpvOpBitcast, U32, NEXT},
    {SpvOpBitcast, P_NODE, VALUE(U32)},
    {SpvOpBitcast, V2, NEXT},
    {SpvOpBitcast, P_HEAD, NEXT},
};

START_TEST(other_conversions_are_invalid)
{
    add_conversions();
    CODE(&builder, wrongs[_i].opcode, wrongs[_i].type, NUMBER, wrongs[_i].operand);
    builder_refuse(&builder, INVALID, "");
}
END_TEST

START_TEST(conversions_need_the_capability)
{
    CODE(&builder, SpvOpConvertUToPtr, P_WORD, NUMBER, VALUE(U32));
    builder_refuse(&builder, INVALID, "PhysicalStorageBufferAddresses");
}
END_TEST

START_TEST(an_array_behind_an_address_has_no_length)
{
    allow();
    TYPE(SpvOpTypePointer, P_NODE, PHYSICAL, BLOCK);
    TYPE(SpvOpConstantNull, P_NODE, HEAD);
    CODE(&builder, SpvOpArrayLength, U32, NUMBER, HEAD, 0);
    builder_refuse(&builder, INVALID, "no length");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: physical pointers");
    TCase *all   = tcase_create("all");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, an_address_in_memory_is_a_number_of_64_bits);
    tcase_add_test(all, modules_without_addresses_have_no_such_type);
    tcase_add_test(all, addresses_need_their_capability_and_addressing_model);
    tcase_add_test(all, announced_types_are_defined);
    tcase_add_test(all, what_an_address_points_to_has_a_layout);
    tcase_add_test(all, addresses_convert_to_numbers_and_back);
    tcase_add_loop_test(all, other_conversions_are_invalid, 0, sizeof(wrongs) / sizeof(wrongs[0]));
    tcase_add_test(all, conversions_need_the_capability);
    tcase_add_test(all, an_array_behind_an_address_has_no_length);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
