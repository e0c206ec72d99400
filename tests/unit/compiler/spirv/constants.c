/* Reading, specialising and folding constants.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/spirv/half.h"
#include "tests/unit/compiler/spirv/spirv_fixture.h"

#define CONSTANT(opcode, ...) ADD(&builder, PART_TYPE, opcode, __VA_ARGS__)

/* The specialisation constants that the tests declare. */
enum {
    WIDTH = 901, /* U32, 3 */
    SCALE,       /* F32, 1 */
    IS_ON,       /* BOOL, true */
    RESULT = 910,
};

static void spec(uint32_t id, uint32_t number, const char *name)
{
    ADD(&builder, PART_DECORATION, SpvOpDecorate, id, SpvDecorationSpecId, number);
    NAME(&builder, id, name);
}

static void add_specs(void)
{
    spec(WIDTH, 5, "width");
    spec(SCALE, 2, "scale");
    spec(IS_ON, 9, "is_on");
    CONSTANT(SpvOpSpecConstant, U32, WIDTH, 3);
    CONSTANT(SpvOpSpecConstant, F32, SCALE, 0x3f800000);
    CONSTANT(SpvOpSpecConstantTrue, BOOL, IS_ON);
}

static uint64_t bits(const struct spirv_module *module, uint32_t id)
{
    const struct spirv_constant *constant = spirv_constant(module, id);

    ck_assert_ptr_nonnull(constant);
    return constant->bits;
}

static struct spirv_module *read_with(struct trm_constant constant)
{
    struct spirv_module *module;
    int32_t status = builder_read(&builder, &constant, 1, &module);

    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    return module;
}

static void refuse_with(struct trm_constant constant, int32_t status, const char *part)
{
    struct spirv_module *module;

    ck_assert_int_eq(builder_read(&builder, &constant, 1, &module), status);
    ck_assert_msg(strstr(trm_last_error().sentence, part) != NULL, "%s", trm_last_error().sentence);
}

/* ---- values -------------------------------------------------------------------------------- */

START_TEST(numbers_are_extended_as_their_type_says)
{
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityInt64);
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityInt8);
    CONSTANT(SpvOpTypeInt, 920, 64, 1);
    CONSTANT(SpvOpTypeInt, 921, 8, 1);
    CONSTANT(SpvOpTypeInt, 922, 8, 0);
    CONSTANT(SpvOpConstant, 920, 930, 1, 2);
    CONSTANT(SpvOpConstant, 921, 931, 0xff);
    CONSTANT(SpvOpConstant, 922, 932, 0xffffffff);
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_uint_eq(bits(module, 930), 0x200000001u);
    ck_assert_uint_eq(bits(module, 931), UINT64_MAX);
    ck_assert_uint_eq(bits(module, 932), 0xff);
    ck_assert_uint_eq(bits(module, I_MINUS_1), UINT64_MAX);
    ck_assert_uint_eq(bits(module, F_1), 0x3f800000);
    ck_assert_uint_eq(bits(module, TRUE_BOOL), 1);
    ck_assert_uint_eq(spirv_constant(module, VALUE(V4))->is_null, 1);
}
END_TEST

START_TEST(numbers_have_the_words_of_their_width)
{
    CONSTANT(SpvOpConstant, U32, 930, 1, 2);
    builder_refuse(&builder, INVALID, "a number of 32 bits");
    again();
    CONSTANT(SpvOpConstant, V2, 930, 1);
    builder_refuse(&builder, INVALID, "not a number");
    again();
    CONSTANT(SpvOpConstantTrue, U32, 930);
    builder_refuse(&builder, INVALID, "not bool");
}
END_TEST

START_TEST(composites_have_a_part_of_each_type)
{
    CONSTANT(SpvOpConstantComposite, FI, 930, F_1, I_MINUS_1);
    CONSTANT(SpvOpConstantComposite, FLOATS, 931, F_1, F_1, F_1, VALUE(F32));
    CONSTANT(SpvOpConstantComposite, NESTED, 932, 931, VALUE(V4));
    const struct spirv_constant *constant = spirv_constant(builder_accept(&builder), 932);
    ck_assert_uint_eq(constant->part_count, 2);
    ck_assert_uint_eq(constant->parts[0], 931);
    ck_assert_uint_eq(constant->is_spec, 0);
    again();
    CONSTANT(SpvOpConstantComposite, FI, 930, I_MINUS_1, F_1);
    builder_refuse(&builder, INVALID, "part 0 does not have the type");
    again();
    CONSTANT(SpvOpConstantComposite, FI, 930, F_1);
    builder_refuse(&builder, INVALID, "1 parts");
    again();
    CONSTANT(SpvOpConstantComposite, U32, 930, U_1);
    builder_refuse(&builder, INVALID, "not a composite");
}
END_TEST

/* A few words can describe a constant of exponential size, since composites can share parts. */
START_TEST(the_size_of_composites_is_limited)
{
    CONSTANT(SpvOpConstant, U32, 920, 2);
    for (uint32_t i = 0; i < 20; i++)
        CONSTANT(SpvOpTypeStruct, 1100 + i, i == 0 ? (uint32_t)U32 : 1099 + i,
                 i == 0 ? (uint32_t)U32 : 1099 + i);
    for (uint32_t i = 0; i < 20; i++)
        CONSTANT(SpvOpConstantComposite, 1100 + i, 1200 + i, i == 0 ? (uint32_t)U_1 : 1199 + i,
                 i == 0 ? (uint32_t)U_1 : 1199 + i);
    builder.next                = 1300;
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_uint_eq(spirv_constant(module, 1219)->weight, 1u << 20);
    again();
    for (uint32_t i = 0; i < 21; i++)
        CONSTANT(SpvOpTypeStruct, 1100 + i, i == 0 ? (uint32_t)U32 : 1099 + i,
                 i == 0 ? (uint32_t)U32 : 1099 + i);
    for (uint32_t i = 0; i < 21; i++)
        CONSTANT(SpvOpConstantComposite, 1100 + i, 1200 + i, i == 0 ? (uint32_t)U_1 : 1199 + i,
                 i == 0 ? (uint32_t)U_1 : 1199 + i);
    builder.next = 1300;
    builder_refuse(&builder, UNSUPPORTED, "a constant of more than");
}
END_TEST

/* ---- specialisation ------------------------------------------------------------------------ */

START_TEST(constants_with_a_spec_id_are_sorted_by_it)
{
    add_specs();
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_uint_eq(module->constant_count, 3);
    ck_assert_uint_eq(module->constants[0], SCALE);
    ck_assert_uint_eq(module->constants[1], WIDTH);
    ck_assert_uint_eq(module->constants[2], IS_ON);
    ck_assert_uint_eq(bits(module, WIDTH), 3);
    ck_assert_uint_eq(spirv_constant(module, WIDTH)->is_spec, 1);
}
END_TEST

START_TEST(constants_are_given_by_name_or_number)
{
    struct trm_constant by_number = trm_constant_u32(NULL, 8);

    add_specs();
    ck_assert_uint_eq(bits(read_with(trm_constant_u32("width", 7)), WIDTH), 7);
    by_number.id = 5;
    ck_assert_uint_eq(bits(read_with(by_number), WIDTH), 8);
    ck_assert_uint_eq(bits(read_with(trm_constant_f32("scale", 2)), SCALE), 0x40000000);
    ck_assert_uint_eq(bits(read_with(trm_constant_u32("is_on", 0)), IS_ON), 0);
    ck_assert_uint_eq(spirv_constant(read_with(trm_constant_u32("is_on", 0)), IS_ON)->default_bits, 1);
}
END_TEST

START_TEST(the_error_names_a_constant_that_the_module_lacks)
{
    struct trm_constant by_number = trm_constant_u32(NULL, 8);

    add_specs();
    refuse_with(trm_constant_u32("height", 1), INVALID, "height");
    by_number.id = 77;
    refuse_with(by_number, INVALID, "no specialisation constant 77; there are: width, ");
}
END_TEST

START_TEST(a_constant_is_given_once_by_name_or_number)
{
    struct trm_constant twice[] = {trm_constant_u32("width", 1), trm_constant_u32(NULL, 2)};
    struct spirv_module *module;

    add_specs();
    twice[1].id = 5;
    ck_assert_int_eq(builder_read(&builder, twice, 2, &module), INVALID);
    ck_assert_str_eq(trm_last_error().sentence, "specialisation constant 5 is given twice");
    twice[1].id   = 9;
    twice[1].bits = 1;
    ck_assert_int_eq(builder_read(&builder, twice, 2, &module), TRM_OK);
}
END_TEST

START_TEST(constants_are_given_as_their_type)
{
    add_specs();
    refuse_with(trm_constant_f32("width", 1), TRM_ERROR_TYPE_MISMATCH,
                "constant width is u32 but was given as f32");
    refuse_with(trm_constant_i32("width", 1), TRM_ERROR_TYPE_MISMATCH, "given as i32");
    refuse_with(trm_constant_u32("is_on", 2), INVALID, "is a bool but was given as 2");
}
END_TEST

/* glslc declares each constant of the work-group size twice, once without a name. */
START_TEST(constants_with_the_same_number_have_the_same_value)
{
    add_specs();
    ADD(&builder, PART_DECORATION, SpvOpDecorate, 940, SpvDecorationSpecId, 5);
    CONSTANT(SpvOpSpecConstant, U32, 940, 3);
    struct spirv_module *module = read_with(trm_constant_u32("width", 12));
    ck_assert_uint_eq(bits(module, WIDTH), 12);
    ck_assert_uint_eq(bits(module, 940), 12);
}
END_TEST

START_TEST(only_specialisable_scalars_have_a_spec_id)
{
    ADD(&builder, PART_DECORATION, SpvOpDecorate, U_1, SpvDecorationSpecId, 1);
    builder_refuse(&builder, INVALID, "cannot be specialised");
}
END_TEST

START_TEST(arrays_are_as_long_as_the_constant_says)
{
    add_specs();
    CONSTANT(SpvOpTypeArray, 950, F32, WIDTH);
    ck_assert_uint_eq(spirv_type(builder_accept(&builder), 950)->count, 3);
    ck_assert_uint_eq(spirv_type(read_with(trm_constant_u32("width", 100)), 950)->count, 100);
}
END_TEST

/* ---- operations ---------------------------------------------------------------------------- */

struct sum {
    uint32_t opcode;
    uint32_t type;
    uint32_t operands[3];
    uint32_t count;
    uint64_t bits;
};

#define A 960 /* I32 -7 */
#define C 961 /* I32 3 */
#define D 962 /* U32 0x80000001 */
#define Z VALUE(U32)

static const struct sum sums[] = {
    {SpvOpIAdd, I32, {A, C}, 2, (uint64_t)-4},
    {SpvOpIAdd, U32, {D, D}, 2, 2},
    {SpvOpISub, U32, {Z, U_1}, 2, 0xffffffff},
    {SpvOpIMul, I32, {A, C}, 2, (uint64_t)-21},
    {SpvOpUDiv, U32, {D, U_2}, 2, 0x40000000},
    {SpvOpUDiv, U32, {D, Z}, 2, 0},
    {SpvOpSDiv, I32, {A, C}, 2, (uint64_t)-2},
    {SpvOpSRem, I32, {A, C}, 2, (uint64_t)-1},
    {SpvOpSMod, I32, {A, C}, 2, 2},
    {SpvOpUMod, U32, {D, U_2}, 2, 1},
    {SpvOpSDiv, I32, {963, I_MINUS_1}, 2, (uint64_t)INT32_MIN},
    {SpvOpSRem, I32, {963, I_MINUS_1}, 2, 0},
    {SpvOpSDiv, I32, {A, VALUE(I32)}, 2, 0},
    {SpvOpSNegate, I32, {A}, 1, 7},
    {SpvOpNot, U32, {U_1}, 1, 0xfffffffe},
    {SpvOpBitwiseAnd, U32, {D, U_3}, 2, 1},
    {SpvOpBitwiseOr, U32, {U_1, U_2}, 2, 3},
    {SpvOpBitwiseXor, U32, {U_1, U_3}, 2, 2},
    {SpvOpShiftLeftLogical, U32, {D, U_1}, 2, 2},
    {SpvOpShiftRightLogical, U32, {D, U_1}, 2, 0x40000000},
    {SpvOpShiftRightArithmetic, I32, {A, U_1}, 2, (uint64_t)-4},
    {SpvOpShiftLeftLogical, U32, {U_1, D}, 2, 0},
    {SpvOpIEqual, BOOL, {U_1, U_2}, 2, 0},
    {SpvOpINotEqual, BOOL, {U_1, U_2}, 2, 1},
    {SpvOpULessThan, BOOL, {U_1, D}, 2, 1},
    {SpvOpULessThanEqual, BOOL, {D, D}, 2, 1},
    {SpvOpUGreaterThan, BOOL, {U_1, D}, 2, 0},
    {SpvOpUGreaterThanEqual, BOOL, {D, U_1}, 2, 1},
    {SpvOpSLessThan, BOOL, {A, C}, 2, 1},
    {SpvOpSLessThanEqual, BOOL, {C, A}, 2, 0},
    {SpvOpSGreaterThan, BOOL, {A, D}, 2, 1},
    {SpvOpSGreaterThanEqual, BOOL, {A, A}, 2, 1},
    {SpvOpLogicalAnd, BOOL, {TRUE_BOOL, VALUE(BOOL)}, 2, 0},
    {SpvOpLogicalOr, BOOL, {TRUE_BOOL, VALUE(BOOL)}, 2, 1},
    {SpvOpLogicalEqual, BOOL, {VALUE(BOOL), VALUE(BOOL)}, 2, 1},
    {SpvOpLogicalNotEqual, BOOL, {TRUE_BOOL, VALUE(BOOL)}, 2, 1},
    {SpvOpLogicalNot, BOOL, {TRUE_BOOL}, 1, 0},
    {SpvOpSelect, U32, {TRUE_BOOL, U_3, U_4}, 3, 3},
    {SpvOpSelect, U32, {VALUE(BOOL), U_3, U_4}, 3, 4},
    {SpvOpQuantizeToF16, F32, {964}, 1, 0x3f800000},
    {SpvOpUConvert, 967, {D}, 1, 0x80000001},
    {SpvOpSConvert, 967, {A}, 1, (uint64_t)-7},
    {SpvOpSConvert, 968, {D}, 1, 1},
    {SpvOpFConvert, 966, {F_1}, 1, 0x3ff0000000000000},
    {SpvOpFConvert, 965, {F_1}, 1, 0x3c00},
    {SpvOpCompositeExtract, U32, {969, 1}, 2, 2},
    {SpvOpCompositeExtract, U32, {VALUE(U2), 1}, 2, 0},
};

static void add_operands(void)
{
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityInt64);
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityInt16);
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityFloat64);
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityFloat16);
    CONSTANT(SpvOpConstant, I32, A, (uint32_t)-7);
    CONSTANT(SpvOpConstant, I32, C, 3);
    CONSTANT(SpvOpConstant, U32, D, 0x80000001);
    CONSTANT(SpvOpConstant, I32, 963, 0x80000000);
    CONSTANT(SpvOpConstant, F32, 964, 0x3f800100);
    CONSTANT(SpvOpTypeFloat, 965, 16);
    CONSTANT(SpvOpTypeFloat, 966, 64);
    CONSTANT(SpvOpTypeInt, 967, 64, 1);
    CONSTANT(SpvOpTypeInt, 968, 16, 1);
    CONSTANT(SpvOpConstantComposite, U2, 969, U_1, U_2);
}

START_TEST(operations_on_constants_are_done_when_they_are_read)
{
    for (uint32_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        uint32_t words[6] = {sums[i].type, RESULT, sums[i].opcode};
        again();
        add_operands();
        memcpy(words + 3, sums[i].operands, sizeof(sums[i].operands));
        builder_add(&builder, PART_TYPE, SpvOpSpecConstantOp, words, 3 + sums[i].count);
        struct spirv_module *module = builder_accept(&builder);
        ck_assert_msg(bits(module, RESULT) == sums[i].bits, "operation %u: %llx", i,
                      (unsigned long long)bits(module, RESULT));
    }
}
END_TEST

/* The bits of part `index` of a composite constant. */
static uint64_t part(const struct spirv_module *module, uint32_t id, uint32_t index)
{
    const struct spirv_constant *constant = spirv_constant(module, id);

    ck_assert_ptr_nonnull(constant->parts);
    ck_assert_uint_lt(index, constant->part_count);
    return bits(module, constant->parts[index]);
}

START_TEST(operations_on_vectors_are_done_by_component)
{
    add_operands();
    CONSTANT(SpvOpSpecConstantOp, U2, RESULT, SpvOpIAdd, 969, 969);
    CONSTANT(SpvOpSpecConstantOp, BOOL2, RESULT + 1, SpvOpUGreaterThan, 969, VALUE(U2));
    CONSTANT(SpvOpSpecConstantOp, U2, RESULT + 2, SpvOpSelect, RESULT + 1, 969, VALUE(U2));
    CONSTANT(SpvOpSpecConstantOp, U3, RESULT + 3, SpvOpVectorShuffle, 969, VALUE(U2), 1, 3, 0);
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_uint_eq(part(module, RESULT, 0), 2);
    ck_assert_uint_eq(part(module, RESULT, 1), 4);
    ck_assert_uint_eq(part(module, RESULT + 2, 1), 2);
    ck_assert_uint_eq(part(module, RESULT + 3, 0), 2);
    ck_assert_uint_eq(part(module, RESULT + 3, 1), 0);
    ck_assert_uint_eq(part(module, RESULT + 3, 2), 1);
}
END_TEST

START_TEST(parts_are_put_into_constants)
{
    add_operands();
    CONSTANT(SpvOpSpecConstantOp, NESTED, RESULT, SpvOpCompositeInsert, F_1, VALUE(NESTED), 0, 2);
    CONSTANT(SpvOpSpecConstantOp, F32, RESULT + 1, SpvOpCompositeExtract, RESULT, 0, 2);
    CONSTANT(SpvOpSpecConstantOp, F32, RESULT + 2, SpvOpCompositeExtract, RESULT, 0, 1);
    CONSTANT(SpvOpSpecConstantOp, V4, RESULT + 3, SpvOpCompositeExtract, RESULT, 1);
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_uint_eq(bits(module, RESULT + 1), 0x3f800000);
    ck_assert_uint_eq(bits(module, RESULT + 2), 0);
    ck_assert_uint_eq(spirv_constant(module, RESULT + 3)->is_null, 1);
    ck_assert_uint_eq(spirv_constant(module, VALUE(NESTED))->is_null, 1);
}
END_TEST

START_TEST(parts_are_not_put_into_very_large_constants)
{
    CONSTANT(SpvOpConstant, U32, 950, 257);
    CONSTANT(SpvOpTypeArray, 951, F32, 950);
    CONSTANT(SpvOpConstantNull, 951, 952);
    CONSTANT(SpvOpSpecConstantOp, 951, RESULT, SpvOpCompositeInsert, F_1, 952, 7);
    builder_refuse(&builder, UNSUPPORTED, "more than 256 parts");
}
END_TEST

START_TEST(operations_use_the_specialised_constants)
{
    add_specs();
    CONSTANT(SpvOpSpecConstantOp, U32, RESULT, SpvOpIMul, WIDTH, U_4);
    CONSTANT(SpvOpTypeArray, RESULT + 1, F32, RESULT);
    ck_assert_uint_eq(spirv_type(builder_accept(&builder), RESULT + 1)->count, 12);
    ck_assert_uint_eq(spirv_type(read_with(trm_constant_u32("width", 10)), RESULT + 1)->count, 40);
}
END_TEST

START_TEST(the_error_names_an_operation_that_constants_lack)
{
    CONSTANT(SpvOpSpecConstantOp, F32, RESULT, SpvOpFAdd, F_1, F_1);
    builder_refuse(&builder, UNSUPPORTED, "OpFAdd of constants");
    again();
    CONSTANT(SpvOpSpecConstantOp, F32, RESULT, SpvOpLoad, F_1);
    builder_refuse(&builder, UNSUPPORTED, "OpLoad of constants");
    again();
    CONSTANT(SpvOpSpecConstantOp, U32, RESULT, SpvOpIAdd, U_1);
    builder_refuse(&builder, INVALID, "1 operands");
    again();
    CONSTANT(SpvOpSpecConstantOp, U32, RESULT, SpvOpIAdd, U_1, F_1);
    builder_refuse(&builder, INVALID, "do not fit");
    again();
    CONSTANT(SpvOpSpecConstantOp, U32, RESULT, SpvOpCompositeExtract, VALUE(U2), 2);
    builder_refuse(&builder, INVALID, "do not fit");
}
END_TEST

/* ---- halves -------------------------------------------------------------------------------- */

START_TEST(every_half_has_a_value_that_gives_it_back)
{
    for (uint32_t i = 0; i <= UINT16_MAX; i++) {
        double value = spirv_half_value((uint16_t)i);
        if ((i & 0x7c00) == 0x7c00 && (i & 0x3ff) != 0)
            ck_assert(isnan(value));
        else
            ck_assert_uint_eq(spirv_half_bits(value), i);
    }
}
END_TEST

START_TEST(halves_are_the_nearest_ties_to_even)
{
    ck_assert_uint_eq(spirv_half_bits(65504), 0x7bff);
    ck_assert_uint_eq(spirv_half_bits(65519.996), 0x7bff);
    ck_assert_uint_eq(spirv_half_bits(65520), 0x7c00);
    ck_assert_uint_eq(spirv_half_bits(1e300), 0x7c00);
    ck_assert_uint_eq(spirv_half_bits(-1e300), 0xfc00);
    ck_assert_uint_eq(spirv_half_bits(1 + 1.0 / 2048), 0x3c00);
    ck_assert_uint_eq(spirv_half_bits(1 + 3.0 / 2048), 0x3c02);
    ck_assert_uint_eq(spirv_half_bits(5.960464477539063e-8), 1);
    ck_assert_uint_eq(spirv_half_bits(2.98e-8), 0);
    ck_assert_uint_eq(spirv_half_bits(3e-8), 1);
    ck_assert(spirv_half_quantize(6e-8) == 0);
    ck_assert(spirv_half_quantize(0.333) == spirv_half_value(0x3554));
}
END_TEST

/* ---- sizes ---------------------------------------------------------------------------------- */

enum {
    LENGTH = 920, /* U32, 0 */
    ARRAY,
    GROUP, /* the size of work-groups */
};

static void check_unfit(const struct spirv_module *module, int32_t status, const char *part)
{
    ck_assert_int_eq(spirv_check_fit(module), status);
    ck_assert_msg(strstr(trm_last_error().sentence, part) != NULL, "%s", trm_last_error().sentence);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "length"));
}

START_TEST(a_length_of_0_waits_for_other_constants)
{
    spec(LENGTH, 0, "length");
    CONSTANT(SpvOpSpecConstant, U32, LENGTH, 0);
    CONSTANT(SpvOpTypeArray, ARRAY, F32, LENGTH);
    struct spirv_module *module = builder_accept(&builder);
    check_unfit(module, INVALID, "the length of an array is 0");
    module = read_with(trm_constant_u32("length", 4));
    ck_assert_int_eq(spirv_check_fit(module), TRM_OK);
    ck_assert_uint_eq(spirv_type(module, ARRAY)->count, 4);
    check_unfit(read_with(trm_constant_u32("length", UINT32_MAX)), UNSUPPORTED, "elements");
    check_unfit(read_with(trm_constant_u32("length", 1u << 29)), UNSUPPORTED, "bytes");
}
END_TEST

START_TEST(a_work_group_of_0_items_waits_for_other_constants)
{
    spec(LENGTH, 0, "length");
    ADD(&builder, PART_DECORATION, SpvOpDecorate, GROUP, SpvDecorationBuiltIn, SpvBuiltInWorkgroupSize);
    CONSTANT(SpvOpSpecConstant, U32, LENGTH, 0);
    CONSTANT(SpvOpSpecConstantComposite, U3, GROUP, LENGTH, U_2, U_1);
    check_unfit(builder_accept(&builder), INVALID, "the work-groups of \"main\" is 0");
    struct spirv_module *module = read_with(trm_constant_u32("length", 8));
    ck_assert_int_eq(spirv_check_fit(module), TRM_OK);
    ck_assert_uint_eq(module->entries[0].local_size[0], 8);
    check_unfit(read_with(trm_constant_u32("length", 1u << 20)), UNSUPPORTED, "work-items");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: constants");
    TCase *all   = tcase_create("constants");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, numbers_are_extended_as_their_type_says);
    tcase_add_test(all, numbers_have_the_words_of_their_width);
    tcase_add_test(all, composites_have_a_part_of_each_type);
    tcase_add_test(all, the_size_of_composites_is_limited);
    tcase_add_test(all, constants_with_a_spec_id_are_sorted_by_it);
    tcase_add_test(all, constants_are_given_by_name_or_number);
    tcase_add_test(all, the_error_names_a_constant_that_the_module_lacks);
    tcase_add_test(all, a_constant_is_given_once_by_name_or_number);
    tcase_add_test(all, constants_are_given_as_their_type);
    tcase_add_test(all, constants_with_the_same_number_have_the_same_value);
    tcase_add_test(all, only_specialisable_scalars_have_a_spec_id);
    tcase_add_test(all, arrays_are_as_long_as_the_constant_says);
    tcase_add_test(all, operations_on_constants_are_done_when_they_are_read);
    tcase_add_test(all, operations_on_vectors_are_done_by_component);
    tcase_add_test(all, parts_are_put_into_constants);
    tcase_add_test(all, parts_are_not_put_into_very_large_constants);
    tcase_add_test(all, operations_use_the_specialised_constants);
    tcase_add_test(all, the_error_names_an_operation_that_constants_lack);
    tcase_add_test(all, every_half_has_a_value_that_gives_it_back);
    tcase_add_test(all, halves_are_the_nearest_ties_to_even);
    tcase_add_test(all, a_length_of_0_waits_for_other_constants);
    tcase_add_test(all, a_work_group_of_0_items_waits_for_other_constants);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
