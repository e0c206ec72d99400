/* Bindings of their own for variables that share one.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/image.h>

#include "tests/unit/compiler/lower/lower_fixture.h"

enum {
    SECOND = 801,
    THIRD,
    FOURTH,
    ARRAY,
    P_ARRAY,
    OTHER_ARRAY,
    P_OTHER_ARRAY,
};

static void place(uint32_t pointer, uint32_t variable, uint32_t storage, uint32_t set, uint32_t binding)
{
    TYPE(SpvOpVariable, pointer, variable, storage);
    DECORATE(variable, SpvDecorationDescriptorSet, set);
    DECORATE(variable, SpvDecorationBinding, binding);
}

/* Set 1 has the bindings 0 to 4. */
START_TEST(those_behind_the_first_get_the_numbers_after_the_last_of_the_set)
{
    place(P_TEXTURE, SECOND, SpvStorageClassUniformConstant, 1, 0);
    place(P_SAMPLER, THIRD, SpvStorageClassUniformConstant, 1, 0);
    place(P_TEXTURE, FOURTH, SpvStorageClassUniformConstant, 1, 1);
    const struct spirv_module *module = accept_lowered();

    ck_assert_int_eq(parameter_at(module, 1, 0)->kind, TRM_PARAMETER_IMAGE);
    ck_assert_int_eq(parameter_at(module, 1, 1)->kind, TRM_PARAMETER_TEXTURE);
    ck_assert_int_eq(parameter_at(module, 1, 5)->kind, TRM_PARAMETER_TEXTURE);
    ck_assert_int_eq(parameter_at(module, 1, 6)->kind, TRM_PARAMETER_SAMPLER);
    ck_assert_int_eq(parameter_at(module, 1, 7)->kind, TRM_PARAMETER_TEXTURE);
}
END_TEST

/* Set 0 has the buffers of the builder at 0 and 1. */
START_TEST(a_buffer_and_an_image_of_one_binding_are_two_parameters)
{
    place(P_TEXTURE, SECOND, SpvStorageClassUniformConstant, 0, 0);
    const struct spirv_module *module = accept_lowered();

    ck_assert_int_eq(parameter_at(module, 0, 0)->kind, TRM_PARAMETER_BUFFER);
    ck_assert_int_eq(parameter_at(module, 0, 2)->kind, TRM_PARAMETER_TEXTURE);
}
END_TEST

START_TEST(buffers_of_one_binding_stay_views_of_one)
{
    place(P_BLOCK_U, SECOND, SpvStorageClassStorageBuffer, 0, 0);
    place(P_BLOCK, THIRD, SpvStorageClassStorageBuffer, 0, 0);
    uint32_t count;
    const uint32_t *words = lower(&count);
    const uint32_t *given = builder_words(&builder, &count);

    ck_assert_int_eq(memcmp(words, given, count * sizeof(*words)), 0);
    struct spirv_reflection reflection;
    ck_assert_int_eq(spirv_reflect(accept_lowered(), NULL, &reflection), TRM_OK);
    ck_assert_uint_eq(reflection.view_count, 2);
}
END_TEST

START_TEST(arrays_of_buffers_are_views_of_arrays_of_as_many)
{
    TYPE(SpvOpTypeArray, ARRAY, BLOCK_U, U_3);
    TYPE(SpvOpTypePointer, P_ARRAY, SpvStorageClassStorageBuffer, ARRAY);
    TYPE(SpvOpTypeArray, OTHER_ARRAY, BLOCK_U, U_2);
    TYPE(SpvOpTypePointer, P_OTHER_ARRAY, SpvStorageClassStorageBuffer, OTHER_ARRAY);
    place(P_ARRAY, SECOND, SpvStorageClassStorageBuffer, 0, 0);
    place(P_OTHER_ARRAY, THIRD, SpvStorageClassStorageBuffer, 0, 0);
    place(P_ARRAY, FOURTH, SpvStorageClassStorageBuffer, 0, 0);
    struct spirv_reflection reflection;
    const struct spirv_module *module = accept_lowered();

    ck_assert_int_eq(spirv_reflect(module, NULL, &reflection), TRM_OK);
    ck_assert_uint_eq(reflection.view_count, 1);
    ck_assert_int_eq(parameter_at(module, 0, 0)->kind, TRM_PARAMETER_BUFFER);
    ck_assert_uint_eq(trm_parameter_count(parameter_at(module, 0, 2)), 3);
    ck_assert_uint_eq(trm_parameter_count(parameter_at(module, 0, 3)), 2);
}
END_TEST

/* Then there is no number left, and the module stays. */
START_TEST(a_set_that_ends_with_the_greatest_number_stays)
{
    place(P_TEXTURE, SECOND, SpvStorageClassUniformConstant, 0, 0);
    place(P_TEXTURE, THIRD, SpvStorageClassUniformConstant, 0, UINT32_MAX);
    uint32_t count, same;
    const uint32_t *words = lower(&count);
    const uint32_t *given = builder_words(&builder, &same);

    ck_assert_uint_eq(count, same);
    ck_assert_int_eq(memcmp(words, given, count * sizeof(*words)), 0);
}
END_TEST

START_TEST(an_array_of_itself_ends)
{
    TYPE(SpvOpTypeArray, ARRAY, ARRAY, U_3);
    TYPE(SpvOpTypePointer, P_ARRAY, SpvStorageClassStorageBuffer, ARRAY);
    TYPE(SpvOpTypeArray, OTHER_ARRAY, OTHER_ARRAY, U_3);
    TYPE(SpvOpTypePointer, P_OTHER_ARRAY, SpvStorageClassStorageBuffer, OTHER_ARRAY);
    place(P_ARRAY, SECOND, SpvStorageClassStorageBuffer, 0, 0);
    place(P_OTHER_ARRAY, THIRD, SpvStorageClassStorageBuffer, 0, 0);
    uint32_t count;

    ck_assert_ptr_nonnull(lower(&count));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("bindings");
    TCase *all   = tcase_create("bindings");

    tcase_add_checked_fixture(all, open_images, close_builder);
    tcase_add_test(all, those_behind_the_first_get_the_numbers_after_the_last_of_the_set);
    tcase_add_test(all, a_buffer_and_an_image_of_one_binding_are_two_parameters);
    tcase_add_test(all, buffers_of_one_binding_stay_views_of_one);
    tcase_add_test(all, arrays_of_buffers_are_views_of_arrays_of_as_many);
    tcase_add_test(all, a_set_that_ends_with_the_greatest_number_stays);
    tcase_add_test(all, an_array_of_itself_ends);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
