/* Images and samplers: types, variables, instructions and reflection.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <trireme/image.h>

#include "tests/unit/compiler/spirv/image_fixture.h"

/* ---- types and variables */

START_TEST(images_samplers_and_texel_buffers_are_parameters)
{
    struct spirv_reflection reflection;

    CAPABILITY(SampledBuffer);
    add_image(EXTRA, I32, SpvDimBuffer, 0, 1, SpvImageFormatUnknown);
    add_variable(EXTRA, P_EXTRA, EXTRA_ONE, 5);
    NAME(&builder, BOTH, "picture");
    DECORATE(STORED, SpvDecorationNonReadable);
    ck_assert_int_eq(spirv_reflect(builder_accept(&builder), NULL, &reflection), TRM_OK);
    const struct trm_kernel_info *kernel = &reflection.kernels[0];
    const struct trm_parameter *p        = kernel->parameters + 2;
    ck_assert_uint_eq(kernel->parameter_count, 8);
    ck_assert_int_eq(p[0].kind, TRM_PARAMETER_IMAGE);
    ck_assert_int_eq(p[0].type, TRM_TYPE_F32);
    ck_assert_uint_eq(p[0].size, TRM_IMAGE_2D);
    ck_assert_uint_eq(p[0].stride, TRM_FORMAT_RGBA8_UNORM);
    ck_assert_uint_eq(p[0].access, TRM_ACCESS_WRITE);
    ck_assert_int_eq(p[1].kind, TRM_PARAMETER_TEXTURE);
    ck_assert_uint_eq(p[1].stride, TRM_FORMAT_NONE);
    ck_assert_uint_eq(p[1].access, TRM_ACCESS_READ);
    ck_assert_int_eq(p[2].kind, TRM_PARAMETER_SAMPLER);
    ck_assert_int_eq(p[2].type, TRM_TYPE_NONE);
    ck_assert_int_eq(p[3].kind, TRM_PARAMETER_SAMPLED_IMAGE);
    ck_assert_str_eq(p[3].name, "picture");
    ck_assert_uint_eq(p[3].set, 1);
    ck_assert_uint_eq(p[3].place, 3);
    ck_assert_int_eq(p[4].type, TRM_TYPE_U32);
    ck_assert_uint_eq(p[4].access, TRM_ACCESS_READ | TRM_ACCESS_WRITE);
    ck_assert_int_eq(p[5].kind, TRM_PARAMETER_TEXELS);
    ck_assert_uint_eq(p[5].size, TRM_IMAGE_BUFFER);
    ck_assert_int_eq(p[5].type, TRM_TYPE_I32);
}
END_TEST

START_TEST(an_image_and_a_buffer_of_one_binding_are_refused)
{
    struct spirv_reflection reflection;

    TYPE(SpvOpVariable, P_STORAGE, EXTRA_ONE, SpvStorageClassUniformConstant);
    DECORATE(EXTRA_ONE, SpvDecorationDescriptorSet, 0);
    DECORATE(EXTRA_ONE, SpvDecorationBinding, 0);
    ck_assert_int_eq(spirv_reflect(builder_accept(&builder), NULL, &reflection), UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "same set 0 and binding 0"));
}
END_TEST

START_TEST(other_kinds_of_images_are_refused_with_a_sentence)
{
    static const struct {
        uint32_t dimension, layers, samples, sampled;
        const char *sentence;
    } cases[] = {
        {SpvDimCube, 0, 1, 1, "multisampled images are not supported"},
        {SpvDim2D, 0, 1, 1, "multisampled images are not supported"},
        {SpvDimSubpassData, 0, 0, 2, "input attachments are not supported"},
        {SpvDimRect, 0, 0, 1, "of this dimension are not supported"},
        {SpvDim2D, 0, 0, 0, "both sampled and written are not supported"},
    };

    for (uint32_t i = 0; i < SPIRV_COUNT(cases); i++) {
        TYPE(SpvOpTypeImage, EXTRA, F32, cases[i].dimension, 0, cases[i].layers, cases[i].samples,
             cases[i].sampled, SpvImageFormatUnknown);
        builder_refuse(&builder, UNSUPPORTED, cases[i].sentence);
        afresh();
    }
    TYPE(SpvOpTypeImage, EXTRA, U32, SpvDim2D, 0, 0, 0, 2, SpvImageFormatR64ui);
    builder_refuse(&builder, UNSUPPORTED, "images of this format");
    afresh();
    TYPE(SpvOpTypeStruct, EXTRA, TEXTURE);
    builder_refuse(&builder, UNSUPPORTED, "structs with images or samplers are not supported");
    afresh();
    TYPE(SpvOpTypeArray, EXTRA, TEXTURE, U_3);
    TYPE(SpvOpTypePointer, P_EXTRA, SpvStorageClassUniformConstant, EXTRA);
    TYPE(SpvOpVariable, P_EXTRA, EXTRA_ONE, SpvStorageClassUniformConstant);
    builder_refuse(&builder, INVALID, "has no binding");
    afresh();
    TYPE(SpvOpTypeRuntimeArray, EXTRA, TEXTURE);
    TYPE(SpvOpTypePointer, P_EXTRA, SpvStorageClassUniformConstant, EXTRA);
    TYPE(SpvOpVariable, P_EXTRA, EXTRA_ONE, SpvStorageClassUniformConstant);
    builder_refuse(&builder, INVALID, "RuntimeDescriptorArray is not declared");
    afresh();
    TYPE(SpvOpTypeArray, EXTRA, TEXTURE, U_3);
    TYPE(SpvOpTypePointer, P_EXTRA, SpvStorageClassFunction, EXTRA);
    builder_refuse(&builder, UNSUPPORTED, "structs with images or samplers are not supported");
}
END_TEST

START_TEST(a_format_must_fit_the_texel_and_the_capabilities)
{
    add_image(EXTRA, U32, SpvDim2D, 0, 2, SpvImageFormatRgba8);
    builder_refuse(&builder, INVALID, "the format of the image");
    afresh();
    add_image(EXTRA, F32, SpvDim2D, 0, 2, SpvImageFormatRg16f);
    builder_refuse(&builder, INVALID, "StorageImageExtendedFormats");
    afresh();
    CAPABILITY(StorageImageExtendedFormats);
    add_image(EXTRA, F32, SpvDim2D, 0, 2, SpvImageFormatRg16f);
    builder_accept(&builder);
    afresh();
    add_image(EXTRA, F32, SpvDim1D, 0, 2, SpvImageFormatRgba8);
    builder_refuse(&builder, INVALID, "Image1D");
    afresh();
    add_image(EXTRA, F32, SpvDim3D, 1, 2, SpvImageFormatRgba8);
    builder_refuse(&builder, INVALID, "no layers");
    afresh();
    add_image(EXTRA, VOID, SpvDim2D, 0, 2, SpvImageFormatUnknown);
    builder_refuse(&builder, UNSUPPORTED, "texels of another type");
    afresh();
    TYPE(SpvOpTypeSampledImage, EXTRA, STORAGE);
    builder_refuse(&builder, INVALID, "not an image that can be sampled");
}
END_TEST

START_TEST(variables_hold_an_image_and_have_a_binding)
{
    TYPE(SpvOpVariable, P_STORAGE, EXTRA_ONE, SpvStorageClassUniformConstant);
    builder_refuse(&builder, INVALID, "has no binding");
    afresh();
    TYPE(SpvOpTypePointer, P_EXTRA, SpvStorageClassUniformConstant, U32);
    builder_refuse(&builder, UNSUPPORTED, "no image or sampler");
    afresh();
    TYPE(SpvOpTypePointer, P_EXTRA, SpvStorageClassPrivate, TEXTURE);
    builder_refuse(&builder, UNSUPPORTED, "structs with images or samplers are not supported");
    afresh();
    TYPE(SpvOpVariable, P_TEXEL, EXTRA_ONE, SpvStorageClassImage);
    builder_refuse(&builder, INVALID, "cannot point to a texel");
    afresh();
    TYPE(SpvOpUndef, TEXTURE, EXTRA_ONE);
    builder_refuse(&builder, UNSUPPORTED, "that are constants");
}
END_TEST

/* ---- values */

START_TEST(images_are_not_stored_selected_or_returned)
{
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpStore, LOOKED_UP, IMAGE);
    builder_refuse(&builder, INVALID, "only read");
    afresh();
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpSelect, TEXTURE, RESULT, TRUE_BOOL, IMAGE, IMAGE);
    builder_refuse(&builder, INVALID, "OpSelect");
    afresh();
    TYPE(SpvOpTypeFunction, EXTRA, TEXTURE);
    builder_refuse(&builder, UNSUPPORTED, "return images");
    afresh();
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpCompositeExtract, TEXTURE, RESULT, IMAGE);
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpCopyObject, TEXTURE, RESULT, IMAGE);
    builder_accept(&builder);
}
END_TEST

START_TEST(a_sampled_image_is_made_of_its_own_image_and_a_sampler)
{
    load(TEXTURE, IMAGE, LOOKED_UP);
    load(SAMPLER, OTHER, TAKEN);
    CODE(&builder, SpvOpSampledImage, SAMPLED, RESULT, IMAGE, OTHER);
    CODE(&builder, SpvOpImage, TEXTURE, EXTRA_ONE, RESULT);
    builder_accept(&builder);
    afresh(); /* glslang mixes types that differ in the depth alone */
    TYPE(SpvOpTypeImage, EXTRA, F32, SpvDim2D, 1, 0, 0, 1, SpvImageFormatUnknown);
    TYPE(SpvOpTypeSampledImage, EXTRA_ONE, EXTRA);
    load(TEXTURE, IMAGE, LOOKED_UP);
    load(SAMPLER, OTHER, TAKEN);
    CODE(&builder, SpvOpSampledImage, EXTRA_ONE, RESULT, IMAGE, OTHER);
    builder_accept(&builder);
    afresh();
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpSampledImage, SAMPLED, RESULT, IMAGE, IMAGE);
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImage, STORAGE, RESULT, IMAGE);
    builder_refuse(&builder, INVALID, "do not fit");
}
END_TEST

/* ---- sampling */

static void sample(uint32_t opcode, uint32_t type, uint32_t coordinate)
{
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, opcode, type, RESULT, IMAGE, coordinate, SpvImageOperandsLodMask, F_1);
}

START_TEST(samples_have_four_components_and_a_coordinate_of_floats)
{
    sample(SpvOpImageSampleExplicitLod, V4, VALUE(V2));
    builder_accept(&builder);
    afresh();
    sample(SpvOpImageSampleExplicitLod, V3, VALUE(V2));
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    sample(SpvOpImageSampleExplicitLod, V4, VALUE(F32));
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    sample(SpvOpImageSampleExplicitLod, V4, VALUE(I2));
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    sample(SpvOpImageSampleProjExplicitLod, V4, VALUE(V2));
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    sample(SpvOpImageSampleProjExplicitLod, V4, VALUE(V3));
    builder_accept(&builder);
    afresh();
    sample(SpvOpImageSampleImplicitLod, V4, VALUE(V2));
    builder_refuse(&builder, INVALID, "do not belong");
}
END_TEST

START_TEST(image_operands_have_the_types_that_they_need)
{
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageSampleExplicitLod, V4, RESULT, IMAGE, VALUE(V2),
         SpvImageOperandsGradMask | SpvImageOperandsConstOffsetMask, VALUE(V2), VALUE(V2), VALUE(I2));
    builder_accept(&builder);
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageSampleExplicitLod, V4, RESULT, IMAGE, VALUE(V2), SpvImageOperandsGradMask,
         VALUE(V2));
    builder_refuse(&builder, INVALID, "wrong number");
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageSampleExplicitLod, V4, RESULT, IMAGE, VALUE(V2), SpvImageOperandsGradMask, F_1,
         F_1);
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageSampleExplicitLod, V4, RESULT, IMAGE, VALUE(V2));
    builder_refuse(&builder, INVALID, "neither a level of detail nor gradients");
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageSampleExplicitLod, V4, RESULT, IMAGE, VALUE(V2),
         SpvImageOperandsLodMask | SpvImageOperandsOffsetMask, F_1, VALUE(I2));
    builder_refuse(&builder, INVALID, "ImageGatherExtended");
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageSampleImplicitLod, V4, RESULT, IMAGE, VALUE(V2), SpvImageOperandsBiasMask, F_1);
    builder_refuse(&builder, UNSUPPORTED, "a bias");
}
END_TEST

START_TEST(gathers_take_one_channel_of_images_of_two_dimensions)
{
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageGather, V4, RESULT, IMAGE, VALUE(V2), U_3);
    builder_accept(&builder);
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageGather, V4, RESULT, IMAGE, VALUE(V2), U_4);
    builder_refuse(&builder, INVALID, "not a constant from 0 to 3");
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageGather, V4, RESULT, IMAGE, VALUE(V2), F_1);
    builder_refuse(&builder, INVALID, "do not fit");
}
END_TEST

/* ---- single texels */

START_TEST(storage_images_are_read_and_written_by_integers)
{
    load(STORAGE, IMAGE, STORED);
    CODE(&builder, SpvOpImageRead, V4, RESULT, IMAGE, VALUE(I2));
    CODE(&builder, SpvOpImageWrite, IMAGE, VALUE(U2), RESULT);
    builder_accept(&builder);
    afresh();
    load(STORAGE, IMAGE, STORED);
    CODE(&builder, SpvOpImageRead, V4, RESULT, IMAGE, VALUE(V2));
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    load(STORAGE, IMAGE, STORED);
    CODE(&builder, SpvOpImageWrite, IMAGE, VALUE(I2), VALUE(U4));
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpImageRead, V4, RESULT, IMAGE, VALUE(I2));
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    DECORATE(STORED, SpvDecorationNonWritable);
    NAME(&builder, STORED, "source");
    load(STORAGE, IMAGE, STORED);
    CODE(&builder, SpvOpImageWrite, IMAGE, VALUE(I2), VALUE(V4));
    builder_refuse(&builder, INVALID, "the image \"source\" is only read");
}
END_TEST

START_TEST(images_without_a_format_need_a_capability)
{
    add_image(EXTRA, F32, SpvDim2D, 0, 2, SpvImageFormatUnknown);
    add_variable(EXTRA, P_EXTRA, EXTRA_ONE, 5);
    load(EXTRA, IMAGE, EXTRA_ONE);
    CODE(&builder, SpvOpImageRead, V4, RESULT, IMAGE, VALUE(I2));
    builder_refuse(&builder, INVALID, "StorageImageReadWithoutFormat");
    afresh();
    CAPABILITY(StorageImageReadWithoutFormat);
    add_image(EXTRA, F32, SpvDim2D, 0, 2, SpvImageFormatUnknown);
    add_variable(EXTRA, P_EXTRA, EXTRA_ONE, 5);
    load(EXTRA, IMAGE, EXTRA_ONE);
    CODE(&builder, SpvOpImageRead, V4, RESULT, IMAGE, VALUE(I2));
    builder_accept(&builder);
    afresh();
    add_image(EXTRA, F32, SpvDim2D, 0, 2, SpvImageFormatUnknown);
    add_variable(EXTRA, P_EXTRA, EXTRA_ONE, 5);
    load(EXTRA, IMAGE, EXTRA_ONE);
    CODE(&builder, SpvOpImageWrite, IMAGE, VALUE(I2), VALUE(V4));
    builder_refuse(&builder, INVALID, "StorageImageWriteWithoutFormat");
}
END_TEST

START_TEST(fetches_are_of_sampled_images_at_a_level)
{
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpImageFetch, V4, RESULT, IMAGE, VALUE(I2), SpvImageOperandsLodMask, U_1);
    builder_accept(&builder);
    afresh();
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpImageFetch, V4, RESULT, IMAGE, VALUE(I2), SpvImageOperandsLodMask, F_1);
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    load(STORAGE, IMAGE, STORED);
    CODE(&builder, SpvOpImageFetch, V4, RESULT, IMAGE, VALUE(I2));
    builder_refuse(&builder, INVALID, "do not fit");
}
END_TEST

START_TEST(queries_need_their_capability_and_give_integers)
{
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpImageQuerySizeLod, I2, RESULT, IMAGE, U_1);
    builder_refuse(&builder, INVALID, "ImageQuery");
    afresh();
    CAPABILITY(ImageQuery);
    load(TEXTURE, IMAGE, LOOKED_UP);
    load(STORAGE, OTHER, STORED);
    CODE(&builder, SpvOpImageQuerySizeLod, I2, RESULT, IMAGE, U_1);
    CODE(&builder, SpvOpImageQuerySize, I2, builder_id(&builder), OTHER);
    CODE(&builder, SpvOpImageQueryLevels, I32, builder_id(&builder), IMAGE);
    builder_accept(&builder);
    afresh();
    CAPABILITY(ImageQuery);
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpImageQuerySize, I2, RESULT, IMAGE);
    builder_refuse(&builder, INVALID, "are asked with a level of detail");
    afresh();
    CAPABILITY(ImageQuery);
    load(TEXTURE, IMAGE, LOOKED_UP);
    CODE(&builder, SpvOpImageQuerySizeLod, U3, RESULT, IMAGE, U_1);
    builder_refuse(&builder, INVALID, "do not fit");
}
END_TEST

/* ---- atomics */

START_TEST(only_atomics_reach_texels_through_pointers)
{
    CODE(&builder, SpvOpImageTexelPointer, P_TEXEL, RESULT, COUNTED, VALUE(I2), VALUE(U32));
    CODE(&builder, SpvOpAtomicIAdd, U32, builder_id(&builder), RESULT, U_1, VALUE(U32), U_2);
    builder_accept(&builder);
    afresh();
    CODE(&builder, SpvOpImageTexelPointer, P_TEXEL, RESULT, COUNTED, VALUE(I2), VALUE(U32));
    CODE(&builder, SpvOpLoad, U32, builder_id(&builder), RESULT);
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    CODE(&builder, SpvOpImageTexelPointer, P_TEXEL, RESULT, STORED, VALUE(I2), VALUE(U32));
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    CODE(&builder, SpvOpImageTexelPointer, P_TEXEL, RESULT, COUNTED, VALUE(I2), U_1);
    builder_refuse(&builder, INVALID, "the sample is not 0");
    afresh();
    DECORATE(COUNTED, SpvDecorationNonWritable);
    CODE(&builder, SpvOpImageTexelPointer, P_TEXEL, RESULT, COUNTED, VALUE(I2), VALUE(U32));
    CODE(&builder, SpvOpAtomicIAdd, U32, builder_id(&builder), RESULT, U_1, VALUE(U32), U_2);
    builder_refuse(&builder, INVALID, "only read");
}
END_TEST

static TCase *images_case(void)
{
    TCase *all = tcase_create("images");

    tcase_add_checked_fixture(all, open_images, close_builder);
    tcase_add_test(all, images_samplers_and_texel_buffers_are_parameters);
    tcase_add_test(all, an_image_and_a_buffer_of_one_binding_are_refused);
    tcase_add_test(all, other_kinds_of_images_are_refused_with_a_sentence);
    tcase_add_test(all, a_format_must_fit_the_texel_and_the_capabilities);
    tcase_add_test(all, variables_hold_an_image_and_have_a_binding);
    tcase_add_test(all, images_are_not_stored_selected_or_returned);
    tcase_add_test(all, a_sampled_image_is_made_of_its_own_image_and_a_sampler);
    tcase_add_test(all, samples_have_four_components_and_a_coordinate_of_floats);
    tcase_add_test(all, image_operands_have_the_types_that_they_need);
    tcase_add_test(all, gathers_take_one_channel_of_images_of_two_dimensions);
    tcase_add_test(all, storage_images_are_read_and_written_by_integers);
    tcase_add_test(all, images_without_a_format_need_a_capability);
    tcase_add_test(all, fetches_are_of_sampled_images_at_a_level);
    tcase_add_test(all, queries_need_their_capability_and_give_integers);
    tcase_add_test(all, only_atomics_reach_texels_through_pointers);
    return all;
}

static Suite *make_suite(void)
{
    Suite *suite = suite_create("images");

    suite_add_tcase(suite, images_case());
    return suite;
}

UNIT_SUITE(make_suite)
