/* Tests of the vulkan backend's modules, kernels and pipelines, on a device that only counts.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <spirv/unified1/spirv.h>

#include "tests/unit/backends/vulkan/fake.h"
#include "tests/unit/runner.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OP(name, length) ((length) << 16 | SpvOp##name)
#define TEXT(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define BUFFERS_MOST 20u
#define THREADS 4u

/* clang-format off */
static const uint32_t words[] = {
    SpvMagicNumber, 0x00010300, 0, 16, 0,
    OP(Capability, 2), SpvCapabilityShader,
    OP(EntryPoint, 5), SpvExecutionModelGLCompute, 1, TEXT('m', 'a', 'i', 'n'), 0,
    OP(EntryPoint, 5), SpvExecutionModelGLCompute, 2, TEXT('m', 'o', 'r', 'e'), 0,
};
/* clang-format on */

static const struct trm_constant constants[] = {
    {.id = 3, .type = TRM_TYPE_U32, .bits = 7},
    {.id = 5, .type = TRM_TYPE_F64, .bits = UINT64_C(0x4008000000000000)},
    {.id = 9, .type = TRM_TYPE_I16, .bits = 0xfffe},
    {.id = 11, .type = TRM_TYPE_U8, .bits = 0xab},
};

/* ---- a module with so many buffers and bytes of push constants ---- */

static struct trm_parameter parameters[BUFFERS_MOST + 1];
static struct trm_kernel_info kernels[2];

static struct trm_module_source source_of(uint32_t buffers, uint32_t push_bytes)
{
    for (uint32_t i = 0; i < buffers; i++)
        parameters[i] =
            (struct trm_parameter){.kind = TRM_PARAMETER_BUFFER, .access = TRM_ACCESS_READ, .place = i};
    parameters[buffers] = (struct trm_parameter){.kind = TRM_PARAMETER_BLOCK, .size = push_bytes};
    for (uint32_t i = 0; i < COUNT(kernels); i++)
        kernels[i] = (struct trm_kernel_info){.name            = i == 0 ? "first" : "second",
                                              .parameters      = parameters,
                                              .parameter_count = buffers + (push_bytes != 0),
                                              .group_size      = {64, 2, 1}};
    return (struct trm_module_source){.format       = TRM_MODULE_SPIRV,
                                      .data         = words,
                                      .size         = sizeof(words),
                                      .name         = "module",
                                      .kernels      = kernels,
                                      .kernel_count = COUNT(kernels)};
}

static struct trm_backend_module *load(const struct trm_module_source *source)
{
    struct trm_backend_module *module = NULL;
    ck_assert_int_eq(vulkan_module_ops.load(&fake.device, source, &module), TRM_OK);
    return module;
}

static struct trm_backend_kernel *kernel_of(struct trm_backend_module *module, const char *name)
{
    struct trm_kernel_desc desc       = {.struct_size = sizeof(desc)};
    struct trm_backend_kernel *kernel = NULL;
    ck_assert_int_eq(vulkan_module_ops.kernel(module, name, &kernel, &desc), TRM_OK);
    ck_assert_ptr_eq(desc.parameters, kernel->info->parameters);
    ck_assert_uint_eq(desc.group_size[0], kernel->info->group_size[0]);
    return kernel;
}

/* ---- loading */

START_TEST(only_spirv_is_supported)
{
    struct trm_module_source source   = source_of(1, 0);
    struct trm_backend_module *module = NULL;
    ck_assert_int_eq(vulkan_module_ops.supports(&fake.device, TRM_MODULE_SPIRV), TRM_OK);
    ck_assert_int_eq(vulkan_module_ops.supports(&fake.device, TRM_MODULE_FUNCTIONS), TRM_ERROR_UNSUPPORTED);
    source.format = TRM_MODULE_SHARED_OBJECT;
    ck_assert_int_eq(vulkan_module_ops.load(&fake.device, &source, &module), TRM_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(a_module_has_one_layout_for_all_its_kernels)
{
    struct trm_module_source source   = source_of(3, 6);
    struct trm_backend_module *module = load(&source);
    struct trm_backend_kernel *first = kernel_of(module, "first"), *second = kernel_of(module, "second");
    ck_assert_uint_eq(fake.bindings, 3);
    ck_assert_uint_eq(fake.push_bytes, 8);
    ck_assert_uint_eq(first->descriptor_count, 3);
    ck_assert_uint_eq(first->constant_bytes, 8);
    ck_assert_ptr_eq((void *)first->layout, (void *)second->layout);
    ck_assert(!first->writes_memory);
    ck_assert_str_eq(vulkan_module_ops.kernel_name(module, 1), "second");
    ck_assert_ptr_null(vulkan_module_ops.kernel_name(module, 2));
    vulkan_module_ops.unload(module);
}
END_TEST

START_TEST(a_buffer_that_is_not_only_read_makes_a_kernel_that_writes)
{
    struct trm_module_source source   = source_of(2, 0);
    parameters[1].access              = 0;
    struct trm_backend_module *module = load(&source);
    ck_assert(kernel_of(module, "first")->writes_memory);
    vulkan_module_ops.unload(module);
}
END_TEST

START_TEST(descriptors_are_pushed_if_the_device_supports_as_many)
{
    struct trm_module_source source   = source_of(8, 0);
    struct trm_backend_module *module = load(&source);
    ck_assert(kernel_of(module, "first")->pushes);
    ck_assert_uint_eq(fake.flags, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
    vulkan_module_ops.unload(module);

    source = source_of(9, 0);
    module = load(&source);
    ck_assert(!kernel_of(module, "first")->pushes);
    ck_assert_uint_eq(fake.flags, 0);
    vulkan_module_ops.unload(module);

    fake.device.vk.vkCmdPushDescriptorSetKHR = NULL; /* as on an adopted device without the extension */
    source                                   = source_of(1, 0);
    module                                   = load(&source);
    ck_assert(!kernel_of(module, "first")->pushes);
    ck_assert_uint_eq(fake.flags, 0);
    vulkan_module_ops.unload(module);
}
END_TEST

START_TEST(a_kernel_without_arguments_needs_no_descriptors)
{
    struct trm_module_source source   = source_of(0, 0);
    struct trm_backend_module *module = load(&source);
    struct trm_backend_kernel *kernel = kernel_of(module, "first");
    ck_assert(kernel->set_layout == VK_NULL_HANDLE);
    ck_assert_uint_eq(kernel->descriptor_count, 0);
    ck_assert_uint_eq(fake.push_bytes, 0);
    vulkan_module_ops.unload(module);
}
END_TEST

START_TEST(too_many_buffers_or_push_constants_are_refused_with_the_numbers)
{
    struct trm_module_source source   = source_of(17, 0);
    struct trm_backend_module *module = NULL;
    ck_assert_int_eq(vulkan_module_ops.load(&fake.device, &source, &module), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "17 buffers"));
    source = source_of(1, 132);
    ck_assert_int_eq(vulkan_module_ops.load(&fake.device, &source, &module), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "132 bytes"));
    source = source_of(16, 128);
    module = load(&source);
    vulkan_module_ops.unload(module);
}
END_TEST

START_TEST(a_missing_kernel_is_named)
{
    struct trm_module_source source   = source_of(1, 0);
    struct trm_backend_module *module = load(&source);
    struct trm_kernel_desc desc       = {.struct_size = sizeof(desc)};
    struct trm_backend_kernel *kernel = NULL;
    ck_assert_int_eq(vulkan_module_ops.kernel(module, "third", &kernel, &desc), TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "'third'"));
    vulkan_module_ops.unload(module);
}
END_TEST

/* ---- pipelines */

START_TEST(constants_come_with_the_width_of_their_type)
{
    static const uint32_t widths[]    = {4, 8, 2, 1};
    struct trm_module_source source   = source_of(1, 0);
    source.constants                  = constants;
    source.constant_count             = COUNT(constants);
    struct trm_backend_module *module = load(&source);
    kernel_of(module, "first");
    ck_assert_uint_eq(fake.constant_count, COUNT(constants));
    for (uint32_t i = 0; i < COUNT(constants); i++) {
        ck_assert_uint_eq(fake.constants[i].constantID, constants[i].id);
        ck_assert_uint_eq(fake.constants[i].size, widths[i]);
        ck_assert_uint_eq(fake.values[i], constants[i].bits);
    }
    vulkan_module_ops.unload(module);
}
END_TEST

START_TEST(a_kernel_is_made_of_its_own_entry_point_and_kept)
{
    struct trm_module_source source   = source_of(1, 0);
    struct trm_backend_module *module = load(&source);
    VkPipeline one, other;
    struct trm_backend_kernel *kernel = kernel_of(module, "second");
    ck_assert_str_eq(fake.entry, "more");
    ck_assert_uint_eq(fake.constant_count, 0);
    ck_assert_int_eq(vulkan_kernel_pipeline(kernel, kernel->info->group_size, &one), TRM_OK);
    ck_assert_int_eq(vulkan_kernel_pipeline(kernel, kernel->info->group_size, &other), TRM_OK);
    ck_assert(one == other);
    ck_assert_uint_eq(atomic_load(&fake.made), 1);
    kernel_of(module, "first");
    ck_assert_str_eq(fake.entry, "main");
    vulkan_module_ops.unload(module);
}
END_TEST

START_TEST(groups_of_another_size_than_the_kernels_own_are_refused)
{
    static const uint32_t size[3]     = {32, 2, 1};
    struct trm_module_source source   = source_of(1, 0);
    struct trm_backend_module *module = load(&source);
    VkPipeline pipeline;
    ck_assert_int_eq(vulkan_kernel_pipeline(kernel_of(module, "first"), size, &pipeline),
                     TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "64 x 2 x 1"));
    vulkan_module_ops.unload(module);
}
END_TEST

START_TEST(a_kernel_whose_groups_are_too_large_for_the_device_is_not_given_to_the_driver)
{
    struct trm_module_source source   = source_of(1, 0);
    kernels[0].group_size[0]          = 512;
    kernels[1].shared_bytes           = 65536;
    struct trm_backend_module *module = load(&source);
    kernel_of(module, "first");
    kernel_of(module, "second");
    ck_assert_uint_eq(atomic_load(&fake.made), 0);
    vulkan_module_ops.unload(module);
}
END_TEST

static void *ask(void *user)
{
    struct trm_backend_kernel *kernel = user;
    VkPipeline pipeline               = VK_NULL_HANDLE;
    int32_t status                    = vulkan_kernel_pipeline(kernel, kernel->info->group_size, &pipeline);
    return status == TRM_OK ? (void *)(uintptr_t)pipeline : NULL;
}

START_TEST(threads_that_ask_at_once_get_one_pipeline)
{
    struct trm_module_source source   = source_of(1, 0);
    struct trm_backend_module *module = load(&source);
    pthread_t threads[THREADS];
    void *pipelines[THREADS];
    fake.dawdle_us = 20000;
    for (uint32_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask, &module->kernels[0]), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], &pipelines[i]);
    for (uint32_t i = 0; i < THREADS; i++) {
        ck_assert_ptr_nonnull(pipelines[i]);
        ck_assert_ptr_eq(pipelines[i], pipelines[0]);
    }
    ck_assert_uint_eq(atomic_load(&fake.made), 1);
    vulkan_module_ops.unload(module);
}
END_TEST

START_TEST(a_pipeline_that_could_not_be_made_is_tried_again)
{
    struct trm_module_source source   = source_of(1, 0);
    struct trm_backend_module *module = load(&source);
    struct trm_kernel_desc desc       = {.struct_size = sizeof(desc)};
    struct trm_backend_kernel *kernel = NULL;
    fake.refuse_at                    = atomic_load(&fake.calls) + 1;
    ck_assert_int_eq(vulkan_module_ops.kernel(module, "first", &kernel, &desc), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_assert_ptr_nonnull(strstr(fake.sentence, "'first'"));
    kernel_of(module, "first");
    vulkan_module_ops.unload(module);
}
END_TEST

START_TEST(whatever_is_refused_while_a_module_is_loaded_leaves_nothing_behind)
{
    struct trm_module_source source = source_of(3, 16);
    source.constants                = constants;
    source.constant_count           = COUNT(constants);
    uint32_t failures               = 0;
    for (uint64_t at = 1;; at++) {
        struct trm_backend_module *module = NULL;
        atomic_store(&fake.calls, 0);
        fake.refuse_at = at;
        fake.status    = TRM_OK;
        int32_t status = vulkan_module_ops.load(&fake.device, &source, &module);
        if (status == TRM_OK) {
            vulkan_module_ops.unload(module);
            break;
        }
        failures++;
        ck_assert_int_eq(status, TRM_ERROR_OUT_OF_HOST_MEMORY);
        ck_assert_int_eq(fake.status, status);
        ck_assert_int_eq(fake.bytes, 0);
        ck_assert_int_eq(atomic_load(&fake.alive), 0);
    }
    ck_assert_uint_eq(failures, 10); /* seven allocations of the host, three Vulkan objects */
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("vulkan modules");
    TCase *group = tcase_create("modules");
    suite_add_tcase(suite, group);
    tcase_add_checked_fixture(group, fake_setup, fake_teardown);
    tcase_add_test(group, only_spirv_is_supported);
    tcase_add_test(group, a_module_has_one_layout_for_all_its_kernels);
    tcase_add_test(group, a_buffer_that_is_not_only_read_makes_a_kernel_that_writes);
    tcase_add_test(group, descriptors_are_pushed_if_the_device_supports_as_many);
    tcase_add_test(group, a_kernel_without_arguments_needs_no_descriptors);
    tcase_add_test(group, too_many_buffers_or_push_constants_are_refused_with_the_numbers);
    tcase_add_test(group, a_missing_kernel_is_named);
    tcase_add_test(group, constants_come_with_the_width_of_their_type);
    tcase_add_test(group, a_kernel_is_made_of_its_own_entry_point_and_kept);
    tcase_add_test(group, groups_of_another_size_than_the_kernels_own_are_refused);
    tcase_add_test(group, a_kernel_whose_groups_are_too_large_for_the_device_is_not_given_to_the_driver);
    tcase_add_test(group, threads_that_ask_at_once_get_one_pipeline);
    tcase_add_test(group, a_pipeline_that_could_not_be_made_is_tried_again);
    tcase_add_test(group, whatever_is_refused_while_a_module_is_loaded_leaves_nothing_behind);
    return suite;
}

UNIT_SUITE(make_suite)
