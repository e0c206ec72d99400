/* Cube maps, and images that are compared with a depth.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <trireme/image.h>

#include "tests/unit/compiler/spirv/image_fixture.h"

/* ---- cube maps */

static void add_cube(uint32_t layers, uint32_t sampled, uint32_t format)
{
    add_image(EXTRA, F32, SpvDimCube, layers, sampled, format);
    if (sampled == 1)
        TYPE(SpvOpTypeSampledImage, EXTRA_TYPE, EXTRA);
    else
        TYPE(SpvOpTypePointer, P_TEXEL_F, SpvStorageClassImage, F32);
    add_variable(sampled == 1 ? EXTRA_TYPE : EXTRA, P_EXTRA, EXTRA_ONE, 5);
    load(sampled == 1 ? EXTRA_TYPE : EXTRA, IMAGE, EXTRA_ONE);
}

START_TEST(cube_maps_are_sampled_by_a_direction)
{
    struct spirv_reflection reflection;

    add_cube(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageSampleExplicitLod, V4, RESULT, IMAGE, VALUE(V3), SpvImageOperandsLodMask, F_1);
    CODE(&builder, SpvOpImageGather, V4, builder_id(&builder), IMAGE, VALUE(V3), U_3);
    ck_assert_int_eq(spirv_reflect(builder_accept(&builder), NULL, &reflection), TRM_OK);
    ck_assert_uint_eq(reflection.kernels[0].parameters[7].size, TRM_IMAGE_CUBE);
    afresh();
    add_cube(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageSampleExplicitLod, V4, RESULT, IMAGE, VALUE(V2), SpvImageOperandsLodMask, F_1);
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    add_cube(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageSampleExplicitLod, V4, RESULT, IMAGE, VALUE(V3),
         SpvImageOperandsLodMask | SpvImageOperandsConstOffsetMask, F_1, VALUE(U3));
    builder_refuse(&builder, INVALID, "a cube map has no offsets");
    afresh();
    add_cube(0, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageSampleProjExplicitLod, V4, RESULT, IMAGE, VALUE(V4), SpvImageOperandsLodMask,
         F_1);
    builder_refuse(&builder, INVALID, "cannot be projected");
}
END_TEST

START_TEST(arrays_of_cube_maps_need_their_capability)
{
    CAPABILITY(SampledCubeArray);
    add_cube(1, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageSampleExplicitLod, V4, RESULT, IMAGE, VALUE(V4), SpvImageOperandsLodMask, F_1);
    builder_accept(&builder);
    afresh();
    CAPABILITY(SampledCubeArray);
    add_cube(1, 1, SpvImageFormatUnknown);
    CODE(&builder, SpvOpImageSampleExplicitLod, V4, RESULT, IMAGE, VALUE(V3), SpvImageOperandsLodMask, F_1);
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    add_cube(1, 1, SpvImageFormatUnknown);
    builder_refuse(&builder, INVALID, "SampledCubeArray is not declared");
    afresh();
    add_cube(1, 2, SpvImageFormatRgba8);
    builder_refuse(&builder, INVALID, "ImageCubeArray is not declared");
}
END_TEST

START_TEST(faces_of_stored_cube_maps_are_layers)
{
    CAPABILITY(ImageCubeArray);
    CAPABILITY(ImageQuery);
    add_cube(1, 2, SpvImageFormatR32f);
    CODE(&builder, SpvOpImageRead, V4, RESULT, IMAGE, VALUE(U3));
    CODE(&builder, SpvOpImageQuerySize, U3, builder_id(&builder), IMAGE);
    CODE(&builder, SpvOpImageTexelPointer, P_TEXEL_F, builder_id(&builder), EXTRA_ONE, VALUE(U3), VALUE(U32));
    builder_accept(&builder);
    afresh();
    add_cube(0, 2, SpvImageFormatR32f);
    CODE(&builder, SpvOpImageRead, V4, RESULT, IMAGE, VALUE(I2));
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    CAPABILITY(ImageQuery);
    add_cube(0, 2, SpvImageFormatR32f);
    CODE(&builder, SpvOpImageQuerySize, U3, RESULT, IMAGE);
    builder_refuse(&builder, INVALID, "do not fit");
}
END_TEST

/* ---- depths */

START_TEST(comparing_with_a_depth_gives_one_float)
{
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageSampleDrefExplicitLod, F32, RESULT, IMAGE, VALUE(V2), F_1,
         SpvImageOperandsLodMask, F_1);
    CODE(&builder, SpvOpImageSampleProjDrefExplicitLod, F32, builder_id(&builder), IMAGE, VALUE(V3), F_1,
         SpvImageOperandsLodMask, F_1);
    CODE(&builder, SpvOpImageDrefGather, V4, builder_id(&builder), IMAGE, VALUE(V2), F_1);
    builder_accept(&builder);
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageSampleDrefExplicitLod, V4, RESULT, IMAGE, VALUE(V2), F_1,
         SpvImageOperandsLodMask, F_1);
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageSampleDrefExplicitLod, F32, RESULT, IMAGE, VALUE(V2), VALUE(V2),
         SpvImageOperandsLodMask, F_1);
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageDrefGather, F32, RESULT, IMAGE, VALUE(V2), F_1);
    builder_refuse(&builder, INVALID, "do not fit");
    afresh();
    load(SAMPLED, IMAGE, BOTH);
    CODE(&builder, SpvOpImageDrefGather, V4, RESULT, IMAGE, VALUE(V2), U_1);
    builder_refuse(&builder, INVALID, "do not fit");
}
END_TEST

START_TEST(an_image_of_depths_is_a_parameter_that_is_compared)
{
    struct spirv_reflection reflection;

    TYPE(SpvOpTypeImage, EXTRA, F32, SpvDim2D, 1, 0, 0, 1, SpvImageFormatUnknown);
    TYPE(SpvOpTypeSampledImage, EXTRA_TYPE, EXTRA);
    add_variable(EXTRA_TYPE, P_EXTRA, EXTRA_ONE, 5);
    ck_assert_int_eq(spirv_reflect(builder_accept(&builder), NULL, &reflection), TRM_OK);
    const struct trm_parameter *p = reflection.kernels[0].parameters + 2;
    ck_assert_uint_eq(p[3].components, 0); /* BOTH */
    ck_assert_uint_eq(p[5].components, 1);
}
END_TEST

START_TEST(depths_are_floats_of_images_that_are_not_3d)
{
    add_image(EXTRA, F32, SpvDim3D, 0, 1, SpvImageFormatUnknown);
    TYPE(SpvOpTypeSampledImage, EXTRA_TYPE, EXTRA);
    add_variable(EXTRA_TYPE, P_EXTRA, EXTRA_ONE, 5);
    load(EXTRA_TYPE, IMAGE, EXTRA_ONE);
    CODE(&builder, SpvOpImageSampleDrefExplicitLod, F32, RESULT, IMAGE, VALUE(V3), F_1,
         SpvImageOperandsLodMask, F_1);
    builder_refuse(&builder, INVALID, "a 3D image cannot be compared");
    afresh();
    add_image(EXTRA, U32, SpvDim2D, 0, 1, SpvImageFormatUnknown);
    TYPE(SpvOpTypeSampledImage, EXTRA_TYPE, EXTRA);
    add_variable(EXTRA_TYPE, P_EXTRA, EXTRA_ONE, 5);
    load(EXTRA_TYPE, IMAGE, EXTRA_ONE);
    CODE(&builder, SpvOpImageSampleDrefExplicitLod, F32, RESULT, IMAGE, VALUE(V2), F_1,
         SpvImageOperandsLodMask, F_1);
    builder_refuse(&builder, INVALID, "do not fit");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("image kinds");
    TCase *all   = tcase_create("image kinds");

    tcase_add_checked_fixture(all, open_images, close_builder);
    tcase_add_test(all, cube_maps_are_sampled_by_a_direction);
    tcase_add_test(all, arrays_of_cube_maps_need_their_capability);
    tcase_add_test(all, faces_of_stored_cube_maps_are_layers);
    tcase_add_test(all, comparing_with_a_depth_gives_one_float);
    tcase_add_test(all, an_image_of_depths_is_a_parameter_that_is_compared);
    tcase_add_test(all, depths_are_floats_of_images_that_are_not_3d);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
