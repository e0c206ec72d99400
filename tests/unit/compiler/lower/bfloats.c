/* bfloat16 as the integer of its bits.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/lower/lower_fixture.h"

enum {
    BFLOAT = 801,
    BFLOATS, /* a vector of two */
    NUMBER,  /* a constant */
    SHORT,
    UNSIGNED_SHORT,
    DOUBLE,
};

#define BFLOAT_CAPABILITY 5116

static void add_bfloat(void)
{
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, BFLOAT_CAPABILITY);
    builder_add_text(&builder, PART_EXTENSION, SpvOpExtension, NULL, 0, "SPV_KHR_bfloat16");
    TYPE(SpvOpTypeFloat, BFLOAT, 16, 0);
    TYPE(SpvOpTypeVector, BFLOATS, BFLOAT, 2);
    TYPE(SpvOpConstant, BFLOAT, NUMBER, 0xbfa0);
}

START_TEST(a_bfloat_becomes_an_integer_and_its_conversions_shifts)
{
    add_bfloat();
    CODE(&builder, SpvOpFConvert, F32, RESULT, NUMBER);
    CODE(&builder, SpvOpFConvert, BFLOAT, OTHER, RESULT);
    const struct spirv_module *module = accept_lowered();
    const struct spirv_type *type     = spirv_type(module, BFLOAT);

    ck_assert_uint_eq(type->kind, SPIRV_INT);
    ck_assert_uint_eq(type->width, 16);
    ck_assert(!type->is_signed);
    ck_assert_uint_eq(spirv_constant(module, NUMBER)->bits, 0xbfa0);
    ck_assert_uint_eq(module->ids[RESULT].as.instruction->opcode, SpvOpBitcast);
    ck_assert_uint_eq(module->ids[OTHER].as.instruction->opcode, SpvOpUConvert);
}
END_TEST

START_TEST(it_is_signed_beside_unsigned_integers_of_16_bits)
{
    add_bfloat();
    CAPABILITY(Int16);
    TYPE(SpvOpTypeInt, UNSIGNED_SHORT, 16, 0);
    CODE(&builder, SpvOpBitcast, UNSIGNED_SHORT, RESULT, NUMBER);
    CODE(&builder, SpvOpFConvert, BFLOAT, OTHER, F_1);
    const struct spirv_module *module = accept_lowered();

    ck_assert(spirv_type(module, BFLOAT)->is_signed);
    ck_assert_uint_eq(spirv_constant(module, NUMBER)->bits, 0xffffffffffffbfa0u);
    ck_assert_uint_eq(module->ids[OTHER].as.instruction->opcode, SpvOpSConvert);
}
END_TEST

START_TEST(what_cannot_be_done_with_integers_stays_and_is_refused)
{
    add_bfloat();
    CODE(&builder, SpvOpFAdd, BFLOAT, RESULT, NUMBER, NUMBER);
    refuse_lowered("the capability BFloat16TypeKHR is not supported");
    again();
    add_bfloat();
    CODE(&builder, SpvOpConvertFToS, I32, RESULT, NUMBER);
    refuse_lowered("the capability BFloat16TypeKHR is not supported");
    again();
    add_bfloat();
    CAPABILITY(Float64);
    TYPE(SpvOpTypeFloat, DOUBLE, 64);
    TYPE(SpvOpConstantNull, DOUBLE, EXTRA);
    CODE(&builder, SpvOpFConvert, BFLOAT, RESULT, EXTRA);
    refuse_lowered("the capability BFloat16TypeKHR is not supported");
    again();
    add_bfloat();
    CAPABILITY(Int16);
    TYPE(SpvOpTypeInt, SHORT, 16, 1);
    TYPE(SpvOpTypeInt, UNSIGNED_SHORT, 16, 0);
    refuse_lowered("the capability BFloat16TypeKHR is not supported");
}
END_TEST

/* Each one would become two. */
START_TEST(capabilities_that_are_there_many_times_take_no_more_room)
{
    add_bfloat();
    for (uint32_t i = 0; i < 4000; i++)
        ADD(&builder, PART_CAPABILITY, SpvOpCapability, BFLOAT_CAPABILITY);
    CODE(&builder, SpvOpFConvert, F32, RESULT, NUMBER);
    const struct spirv_module *module = accept_lowered();

    ck_assert_uint_eq(spirv_type(module, BFLOAT)->kind, SPIRV_INT);
    uint32_t count, given;
    lower(&count);
    builder_words(&builder, &given);
    ck_assert_uint_lt(count, given);
}
END_TEST

START_TEST(damaged_words_are_left_to_the_reader)
{
    add_bfloat();
    CODE(&builder, SpvOpFConvert, F32, RESULT, NUMBER);
    CODE(&builder, SpvOpFConvert, BFLOAT, OTHER, RESULT);
    lower_damaged(BFLOAT);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("bfloats");
    TCase *all   = tcase_create("bfloats");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, a_bfloat_becomes_an_integer_and_its_conversions_shifts);
    tcase_add_test(all, it_is_signed_beside_unsigned_integers_of_16_bits);
    tcase_add_test(all, what_cannot_be_done_with_integers_stays_and_is_refused);
    tcase_add_test(all, capabilities_that_are_there_many_times_take_no_more_room);
    tcase_add_test(all, damaged_words_are_left_to_the_reader);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
