/* Kernels: finding them in a module and what is known of them.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "kernels.h"

static struct trm_kernel_info info_of(struct trm_kernel *used)
{
    struct trm_kernel_info info = {.struct_size = sizeof(info)};
    ck_ok(trm_kernel_describe(used, &info));
    return info;
}

static void check_parameter(const struct trm_parameter *parameter, const char *name, int32_t kind,
                            int32_t type)
{
    ck_assert_str_eq(parameter->name, name);
    ck_assert_int_eq(parameter->kind, kind);
    ck_assert_int_eq(parameter->type, type);
}

START_TEST(a_kernel_describes_its_parameters_in_order)
{
    if (kernels_missing())
        return;
    struct trm_kernel_info info = info_of(kernel("saxpy"));
    ck_assert_str_eq(info.name, "saxpy");
    ck_assert_uint_eq(info.parameter_count, 4);
    check_parameter(&info.parameters[0], "x", TRM_PARAMETER_BUFFER, TRM_TYPE_F32);
    check_parameter(&info.parameters[1], "y", TRM_PARAMETER_BUFFER, TRM_TYPE_F32);
    check_parameter(&info.parameters[2], "a", TRM_PARAMETER_SCALAR, TRM_TYPE_F32);
    check_parameter(&info.parameters[3], "n", TRM_PARAMETER_SCALAR, TRM_TYPE_U32);
    ck_assert_uint_eq(info.parameters[0].access, TRM_ACCESS_READ);
}
END_TEST

START_TEST(a_kernel_without_parameters_says_so)
{
    if (kernels_missing())
        return;
    struct trm_kernel_info info = info_of(kernel("count"));
    ck_assert_str_eq(info.name, "count");
    ck_assert_uint_eq(info.parameter_count, 0);
    ck_assert_uint_eq(info.shared_bytes, 0);
}
END_TEST

START_TEST(a_kernel_says_which_group_size_and_shared_memory_are_its_own)
{
    if (kernels_missing())
        return;
    struct trm_kernel_info own = info_of(kernel("fixed_shape"));
    ck_assert_uint_eq(own.group_size[0], 8);
    ck_assert_uint_eq(own.group_size[1], 4);
    ck_assert_uint_eq(own.group_size[2], 2);
    ck_assert_uint_eq(own.shared_bytes, 256);
}
END_TEST

START_TEST(a_kernel_may_leave_its_group_size_to_the_launch)
{
    if (functions_missing())
        return;
    struct trm_kernel_info free_size = info_of(kernel("shape"));
    for (int i = 0; i < 3; i++)
        ck_assert_uint_eq(free_size.group_size[i], 0);
    ck_assert_uint_eq(info_of(kernel("scratch")).shared_bytes, 128);
}
END_TEST

START_TEST(what_a_description_points_to_lives_as_long_as_the_kernel)
{
    if (kernels_missing())
        return;
    struct trm_module *module = load_kernels(the.device);
    struct trm_kernel *used   = NULL;
    ck_ok(trm_kernel_get(module, "affine", &used));
    struct trm_kernel_info info = info_of(used);
    trm_module_destroy(module);
    for (int i = 0; i < 50; i++)
        trm_module_destroy(load_kernels(the.device));
    ck_assert_str_eq(info.name, "affine");
    check_parameter(&info.parameters[2], "factor", TRM_PARAMETER_SCALAR, TRM_TYPE_U32);
    trm_kernel_destroy(used);
}
END_TEST

START_TEST(a_description_without_its_size_is_refused)
{
    if (kernels_missing())
        return;
    struct trm_kernel_info info = {.struct_size = 0};
    ck_status(trm_kernel_describe(kernel("affine"), &info), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_kernel_describe(kernel("affine"), NULL), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(a_kernel_that_a_module_has_not_is_not_found_by_its_name)
{
    static const char *const names[] = {"", "Affine", "affine ", "affin", "affine2", "no-such-kernel"};
    if (kernels_missing())
        return;
    struct trm_module *module = load_kernels(the.device);
    struct trm_kernel *found  = NULL;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        ck_status(trm_kernel_get(module, names[i], &found), TRM_ERROR_NOT_FOUND);
        ck_sentence_has(names[i]);
        ck_sentence_has("conformance"); /* the name of the module */
    }
    if (functions_there()) /* the portable module has but one kernel, which needs no name */
        ck_status(trm_kernel_get(module, NULL, &found), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(found);
    ck_ok(trm_kernel_get(module, "affine", &found));
    trm_kernel_destroy(found);
    trm_module_destroy(module);
}
END_TEST

START_TEST(a_kernel_of_a_very_long_name_is_not_found_either)
{
    char name[5000];
    if (kernels_missing())
        return;
    struct trm_module *module = load_kernels(the.device);
    struct trm_kernel *found  = NULL;
    memset(name, 'k', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    ck_status(trm_kernel_get(module, name, &found), TRM_ERROR_NOT_FOUND);
    trm_module_destroy(module);
}
END_TEST

START_TEST(the_same_kernel_asked_for_twice_ends_twice)
{
    if (kernels_missing())
        return;
    struct trm_module *module = load_kernels(the.device);
    struct trm_kernel *one = NULL, *other = NULL;
    ck_ok(trm_kernel_get(module, "affine", &one));
    ck_ok(trm_kernel_get(module, "affine", &other));
    ck_assert_ptr_ne(one, other);
    trm_kernel_destroy(one);
    ck_assert_str_eq(info_of(other).name, "affine");
    trm_kernel_destroy(other);
    trm_module_destroy(module);
}
END_TEST

START_TEST(a_destroyed_kernel_is_refused_by_every_function)
{
    if (kernels_missing())
        return;
    const uint32_t seven        = 7;
    uint32_t found              = 0;
    struct trm_module *module   = load_kernels(the.device);
    struct trm_buffer *buffer   = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(seven));
    struct trm_kernel *gone     = NULL;
    struct trm_kernel_info info = {.struct_size = sizeof(info)};
    put(the.stream, buffer, 0, &seven, sizeof(seven));
    ck_ok(trm_kernel_get(module, "affine", &gone));
    trm_kernel_destroy(gone);
    ck_status(trm_kernel_describe(gone, &info), TRM_ERROR_INVALID_HANDLE);
    ck_status(launch_affine_with(the.stream, gone, buffer, 1, 2, 0), TRM_ERROR_INVALID_HANDLE);
    ck_status(launch_affine_with(the.stream, NULL, buffer, 1, 2, 0), TRM_ERROR_INVALID_HANDLE);
    trm_kernel_destroy(gone);
    trm_kernel_destroy(NULL);
    get(the.stream, buffer, 0, &found, sizeof(found));
    ck_assert_uint_eq(found, seven);
    trm_buffer_destroy(buffer);
    trm_module_destroy(module);
}
END_TEST

START_TEST(the_usage_of_a_device_counts_its_kernels)
{
    if (kernels_missing())
        return;
    struct trm_device_usage usage = {.struct_size = sizeof(usage)};
    struct trm_module *module     = load_kernels(the.device);
    struct trm_kernel *kernels[7];
    for (int i = 0; i < 7; i++)
        ck_ok(trm_kernel_get(module, "affine", &kernels[i]));
    ck_ok(trm_device_get_usage(the.device, &usage));
    ck_assert_uint_eq(usage.kernels, 7);
    ck_assert_uint_eq(usage.modules, 1);
    for (int i = 0; i < 7; i++)
        trm_kernel_destroy(kernels[i]);
    ck_ok(trm_device_get_usage(the.device, &usage));
    ck_assert_uint_eq(usage.kernels, 0);
    trm_module_destroy(module);
}
END_TEST

void add_kernel(Suite *suite)
{
    TCase *group = group_make(suite, "kernel");
    CASE(group, a_kernel_describes_its_parameters_in_order);
    CASE(group, a_kernel_without_parameters_says_so);
    CASE(group, a_kernel_says_which_group_size_and_shared_memory_are_its_own);
    CASE(group, a_kernel_may_leave_its_group_size_to_the_launch);
    CASE(group, what_a_description_points_to_lives_as_long_as_the_kernel);
    CASE(group, a_description_without_its_size_is_refused);
    CASE(group, a_kernel_that_a_module_has_not_is_not_found_by_its_name);
    CASE(group, a_kernel_of_a_very_long_name_is_not_found_either);
    CASE(group, the_same_kernel_asked_for_twice_ends_twice);
    CASE(group, a_destroyed_kernel_is_refused_by_every_function);
    CASE(group, the_usage_of_a_device_counts_its_kernels);
}
