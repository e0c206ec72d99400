/* Multisampled images as arrays.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <trireme/image.h>

#include "compiler/lower/lower.h"
#include "tests/unit/compiler/lower/lower_fixture.h"

enum {
    SAMPLES = 801,
    P_SAMPLES,
    SAMPLED_VARIABLE,
    LAYERS,
    MORE_LAYERS,
    PAIR,
    P_TEXEL_OF,
};

/* A multisampled image, its variable, and its value in IMAGE. */
static void add_samples(uint32_t layers, uint32_t sampled, uint32_t format)
{
    TYPE(SpvOpTypeImage, SAMPLES, U32, SpvDim2D, 0, layers, 1, sampled, format);
    add_variable(SAMPLES, P_SAMPLES, SAMPLED_VARIABLE, 9);
    load(SAMPLES, IMAGE, SAMPLED_VARIABLE);
}

START_TEST(a_module_without_multisampled_images_stays_as_it_is)
{
    uint32_t count, same;
    const uint32_t *words = builder_words(&builder, &count), *lowered = words;

    same = count;
    ck_assert_int_eq(lower_module(&builder.arena, &lowered, &same), TRM_OK);
    ck_assert_ptr_eq(lowered, words);
    ck_assert_uint_eq(same, count);
}
END_TEST

START_TEST(a_fetch_of_a_sample_becomes_one_of_a_layer_at_level_0)
{
    add_samples(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageFetch, U4, RESULT, IMAGE, VALUE(I2), SpvImageOperandsSampleMask, I_MINUS_1);
    const struct spirv_module *module = accept_lowered();

    const struct trm_parameter *parameter = parameter_at(module, 1, 9);
    ck_assert_int_eq(parameter->kind, TRM_PARAMETER_TEXTURE);
    ck_assert_uint_eq(parameter->size, TRM_IMAGE_2D_ARRAY);
    ck_assert_int_eq(parameter->type, TRM_TYPE_U32);

    const struct spirv_instruction *fetch = module->ids[RESULT].as.instruction;
    ck_assert_uint_eq(fetch->opcode, SpvOpImageFetch);
    ck_assert_uint_eq(fetch->operands[2], SpvImageOperandsLodMask);
    ck_assert_uint_eq(spirv_constant(module, fetch->operands[3])->bits, 0);
    const struct spirv_instruction *place = module->ids[fetch->operands[1]].as.instruction;
    ck_assert_uint_eq(place->opcode, SpvOpCompositeConstruct);
    ck_assert_uint_eq(place->operand_count, 3);
    ck_assert_uint_eq(place->operands[2], I_MINUS_1);
}
END_TEST

START_TEST(a_sample_of_another_sign_than_the_coordinate_is_taken_bit_by_bit)
{
    add_samples(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageFetch, U4, RESULT, IMAGE, VALUE(U3),
         SpvImageOperandsConstOffsetMask | SpvImageOperandsSampleMask, VALUE(I2), I_MINUS_1);
    const struct spirv_module *module     = accept_lowered();
    const struct spirv_instruction *fetch = module->ids[RESULT].as.instruction;
    const struct spirv_instruction *place = module->ids[fetch->operands[1]].as.instruction;

    ck_assert_uint_eq(module->ids[place->operands[2]].as.instruction->opcode, SpvOpBitcast);
    ck_assert_uint_eq(fetch->operands[2], SpvImageOperandsLodMask | SpvImageOperandsConstOffsetMask);
    ck_assert_uint_eq(fetch->operands[4], VALUE(I2));
}
END_TEST

START_TEST(stores_atomics_and_queries_are_those_of_an_array)
{
    CAPABILITY(StorageImageMultisample);
    CAPABILITY(ImageQuery);
    TYPE(SpvOpTypePointer, P_TEXEL_OF, SpvStorageClassImage, U32);
    add_samples(0, 2, SpvImageFormatR32ui);
    CODE(&builder, SpvOpImageRead, U4, RESULT, IMAGE, VALUE(I2), SpvImageOperandsSampleMask, U_1);
    CODE(&builder, SpvOpImageWrite, IMAGE, VALUE(I2), RESULT, SpvImageOperandsSampleMask, U_1);
    CODE(&builder, SpvOpImageTexelPointer, P_TEXEL_OF, OTHER, SAMPLED_VARIABLE, VALUE(U2), U_2);
    CODE(&builder, SpvOpAtomicIAdd, U32, EXTRA, OTHER, U_1, VALUE(U32), U_3);
    CODE(&builder, SpvOpImageQuerySize, I2, EXTRA_ONE, IMAGE);
    CODE(&builder, SpvOpImageQuerySamples, I32, EXTRA_TYPE, IMAGE);
    const struct spirv_module *module    = accept_lowered();
    const struct spirv_instruction *read = module->ids[RESULT].as.instruction;
    const struct spirv_instruction *size = module->ids[EXTRA_ONE].as.instruction;
    const struct spirv_instruction *many = module->ids[EXTRA_TYPE].as.instruction;

    ck_assert_uint_eq(read->operand_count, 2);
    ck_assert_uint_eq(size->opcode, SpvOpVectorShuffle);
    ck_assert_uint_eq(many->opcode, SpvOpCompositeExtract);
    ck_assert_uint_eq(many->operands[1], 2);
    for (uint32_t i = 0; i < module->capability_count; i++)
        ck_assert_uint_ne(module->capabilities[i], SpvCapabilityStorageImageMultisample);
}
END_TEST

START_TEST(the_array_is_another_type_than_one_that_is_there)
{
    TYPE(SpvOpTypeImage, LAYERS, U32, SpvDim2D, 0, 1, 0, 1, SpvImageFormatUnknown);
    add_samples(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageFetch, U4, RESULT, IMAGE, VALUE(I2), SpvImageOperandsSampleMask, U_1);
    uint32_t count;
    const uint32_t *words = lower(&count);

    ck_assert_uint_eq(find_type_word(words, count, LAYERS, 4), 0);
    ck_assert_uint_eq(find_type_word(words, count, SAMPLES, 4), 2);
    again();
    add_all();
    TYPE(SpvOpTypeImage, LAYERS, U32, SpvDim2D, 0, 1, 0, 1, SpvImageFormatUnknown);
    TYPE(SpvOpTypeImage, MORE_LAYERS, U32, SpvDim2D, 2, 1, 0, 1, SpvImageFormatUnknown);
    add_samples(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageFetch, U4, RESULT, IMAGE, VALUE(I2), SpvImageOperandsSampleMask, U_1);
    refuse_lowered("multisampled images are not supported");
}
END_TEST

START_TEST(what_multisampled_images_cannot_do_stays_and_is_refused)
{
    add_samples(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageFetch, U4, RESULT, IMAGE, VALUE(I2));
    refuse_lowered("multisampled images are not supported");
    afresh();
    add_samples(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageFetch, U4, RESULT, IMAGE, VALUE(I2),
         SpvImageOperandsLodMask | SpvImageOperandsSampleMask, U_1, U_1);
    refuse_lowered("multisampled images are not supported");
    afresh();
    CAPABILITY(ImageQuery);
    add_samples(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageQuerySizeLod, I2, RESULT, IMAGE, U_1);
    refuse_lowered("multisampled images are not supported");
    afresh();
    add_samples(0, 1, SpvImageFormatUnknown);
    TYPE(SpvOpTypeSampledImage, PAIR, SAMPLES);
    load(SAMPLER, OTHER, TAKEN);
    CODE(&builder, SpvOpSampledImage, PAIR, EXTRA, IMAGE, OTHER);
    CODE(&builder, SpvOpImageSampleExplicitLod, U4, RESULT, EXTRA, VALUE(V2), SpvImageOperandsLodMask, F_1);
    refuse_lowered("multisampled images are not supported");
    afresh();
    add_samples(1, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageFetch, U4, RESULT, IMAGE, VALUE(U3), SpvImageOperandsSampleMask, U_1);
    refuse_lowered("arrays of multisampled images are not supported");
}
END_TEST

START_TEST(damaged_words_are_left_to_the_reader)
{
    add_samples(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageFetch, U4, RESULT, IMAGE, VALUE(I2), SpvImageOperandsSampleMask, U_1);
    lower_damaged(SAMPLES);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("samples");
    TCase *all   = tcase_create("samples");

    tcase_add_checked_fixture(all, open_images, close_builder);
    tcase_add_test(all, a_module_without_multisampled_images_stays_as_it_is);
    tcase_add_test(all, a_fetch_of_a_sample_becomes_one_of_a_layer_at_level_0);
    tcase_add_test(all, a_sample_of_another_sign_than_the_coordinate_is_taken_bit_by_bit);
    tcase_add_test(all, stores_atomics_and_queries_are_those_of_an_array);
    tcase_add_test(all, the_array_is_another_type_than_one_that_is_there);
    tcase_add_test(all, what_multisampled_images_cannot_do_stays_and_is_refused);
    tcase_add_test(all, damaged_words_are_left_to_the_reader);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
