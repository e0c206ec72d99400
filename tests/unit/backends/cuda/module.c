/* Modules of the cuda backend: cubin, PTX and CUDA C.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cuda/code.h"
#include "tests/unit/runner.h"

/* ---- CUDA C */

START_TEST(a_kernel_of_cuda_c_has_the_parameters_that_the_driver_tells_of)
{
    static const uint32_t sizes[] = {8, 4, 4};
    struct trm_kernel_desc desc;
    open_with("");
    ck_assert_msg(load_text(text_of_scale) == TRM_OK, "%s", fake.sentence);
    kernel_named("scale", &desc);
    ck_assert_uint_eq(desc.parameter_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_int_eq(desc.parameters[i].kind, TRM_PARAMETER_BYTES);
        ck_assert_uint_eq(desc.parameters[i].size, sizes[i]);
    }
    ck_assert_uint_eq(desc.group_size[0], 0);
    scale_works();
}
END_TEST

START_TEST(the_kernels_of_a_module_are_told_by_name)
{
    struct trm_backend_kernel *kernel = NULL;
    struct trm_kernel_desc desc       = {.struct_size = sizeof(desc)};
    open_with("");
    ck_assert_int_eq(load_text(text_of_scale), TRM_OK);
    ck_assert_str_eq(cuda_module_ops.kernel_name(module, 0), "scale");
    ck_assert_ptr_null(cuda_module_ops.kernel_name(module, 1));
    ck_assert_int_eq(cuda_module_ops.kernel(module, "skale", &kernel, &desc), TRM_ERROR_NOT_FOUND);
    ck_assert_ptr_null(kernel);
}
END_TEST

START_TEST(a_described_kernel_is_as_it_is_described)
{
    const struct trm_native_options options = {
        .struct_size = sizeof(options), .kernel_count = 1, .kernels = &described};
    struct trm_kernel_desc desc;
    open_with("");
    ck_assert_msg(load_with(TRM_MODULE_CUDA, text_of_scale, sizeof(text_of_scale), &options) == TRM_OK, "%s",
                  fake.sentence);
    kernel_named("scale", &desc);
    ck_assert_str_eq(desc.parameters[1].name, "by");
    ck_assert_ptr_ne(desc.parameters, parameters); /* the program may release its own copy */
    ck_assert_int_eq(desc.parameters[0].kind, TRM_PARAMETER_BUFFER);
    ck_assert_uint_eq(desc.group_size[0], 64);
    scale_works();
}
END_TEST

START_TEST(a_description_is_held_against_what_the_driver_says)
{
    struct trm_parameter wrong[3];
    struct trm_kernel_info info       = described;
    struct trm_backend_kernel *kernel = NULL;
    struct trm_kernel_desc desc       = {.struct_size = sizeof(desc)};
    struct trm_native_options options = {.struct_size = sizeof(options), .kernel_count = 1, .kernels = &info};
    memcpy(wrong, parameters, sizeof(wrong));
    wrong[1].type   = TRM_TYPE_F64;
    info.parameters = wrong;
    open_with("");
    ck_assert_int_eq(load_with(TRM_MODULE_CUDA, text_of_scale, sizeof(text_of_scale), &options), TRM_OK);
    ck_assert_int_eq(cuda_module_ops.kernel(module, "scale", &kernel, &desc), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("Parameter 1 of kernel 'scale' of module 'test' has 4 bytes, but is described with 8");
    cuda_module_ops.unload(module);
    info.parameter_count = 2;
    ck_assert_int_eq(load_with(TRM_MODULE_CUDA, text_of_scale, sizeof(text_of_scale), &options), TRM_OK);
    ck_assert_int_eq(cuda_module_ops.kernel(module, "scale", &kernel, &desc), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("has 3 parameters, but 2 are described");
}
END_TEST

START_TEST(with_a_driver_that_does_not_tell_parameters_they_are_described)
{
    const struct trm_native_options options = {
        .struct_size = sizeof(options), .kernel_count = 1, .kernels = &described};
    struct trm_backend_kernel *kernel = NULL;
    struct trm_kernel_desc desc       = {.struct_size = sizeof(desc)};
    open_with("missing=cuFuncGetParamInfo");
    ck_assert_int_eq(load_text(text_of_scale), TRM_OK);
    ck_assert_int_eq(cuda_module_ops.kernel(module, "scale", &kernel, &desc), TRM_ERROR_UNSUPPORTED);
    ck_says("struct trm_native_options");
    cuda_module_ops.unload(module);
    ck_assert_int_eq(load_with(TRM_MODULE_CUDA, text_of_scale, sizeof(text_of_scale), &options), TRM_OK);
    scale_works();
}
END_TEST

START_TEST(what_does_not_compile_is_told_in_the_compilers_words)
{
    open_with("");
    ck_assert_int_eq(load_text("extern \"C\" __global__ void f(int *x) { *x = nothing_like_it; }\n"),
                     TRM_ERROR_BACKEND);
    ck_says("Module 'test' does not compile");
    ck_says("nothing_like_it");
    ck_assert(fake.log[0] != '\0');
}
END_TEST

START_TEST(options_reach_the_compiler)
{
    static const char *const words[]        = {"-DBY=by"};
    const struct trm_native_options options = {
        .struct_size = sizeof(options), .compiler_options = words, .compiler_option_count = 1};
    static const char text[] =
        "extern \"C\" __global__ void scale(float *x, float by, unsigned count)\n"
        "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) x[i] *= BY; }\n";
    open_with("");
    ck_assert_int_eq(load_text(text), TRM_ERROR_BACKEND);
    ck_assert_msg(load_with(TRM_MODULE_CUDA, text, sizeof(text), &options) == TRM_OK, "%s", fake.sentence);
    scale_works();
}
END_TEST

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(what_an_option_includes_is_compiled_each_time)
{
    static const char text[] =
        "extern \"C\" __global__ void scale(float *x, float by, unsigned count)\n"
        "{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) x[i] *= BY; }\n";
    char path[TRM_PATH_MOST], option[TRM_PATH_MOST + 16];
    const char *const words[]               = {option};
    const struct trm_native_options options = {
        .struct_size = sizeof(options), .compiler_options = words, .compiler_option_count = 1};
    open_with("");
    cache_is_on = true;
    snprintf(path, sizeof(path), "%s/begin.h", folder);
    snprintf(option, sizeof(option), "--pre-include=%s", path);
    write_file(path, "#define BY by\n");
    ck_assert_msg(load_with(TRM_MODULE_CUDA, text, sizeof(text), &options) == TRM_OK, "%s", fake.sentence);
    scale_works();
    cuda_module_ops.unload(module);
    module = NULL;
    write_file(path, "#define BY unheard_of\n");
    ck_assert_int_eq(load_with(TRM_MODULE_CUDA, text, sizeof(text), &options), TRM_ERROR_BACKEND);
    ck_says("unheard_of");
    ck_assert_int_eq(unlink(path), 0);
}
END_TEST

START_TEST(without_nvrtc_what_was_tried_is_told)
{
    open_with("");
    nvrtc_path = "libnvrtc-that-does-not-exist.so";
    ck_assert_int_eq(load_text(text_of_scale), TRM_ERROR_UNSUPPORTED);
    ck_says("cuda.nvrtc");
    ck_says("libnvrtc-that-does-not-exist.so");
    nvrtc_path = "/nowhere/libnvrtc.so";
    ck_assert_int_eq(load_text(text_of_scale), TRM_ERROR_UNSUPPORTED);
    ck_says("/nowhere/libnvrtc.so: there is no such file");
    nvrtc_path = CUDA_STANDIN_PATH;
    trusted    = TRM_ERROR_PERMISSION;
    ck_assert_int_eq(load_text(text_of_scale), TRM_ERROR_PERMISSION);
    trusted = TRM_OK;
    ck_assert_int_eq(load_text(text_of_scale), TRM_ERROR_UNSUPPORTED);
    ck_says("is not a usable NVRTC");
    nvrtc_path = NVRTC_STANDIN_PATH;
    ck_assert_int_eq(load_text(text_of_scale), TRM_OK);
}
END_TEST

START_TEST(a_device_older_than_all_that_the_compiler_knows_is_told_of)
{
    open_with("capability=5.2");
    ck_assert_int_eq(load_text(text_of_scale), TRM_ERROR_UNSUPPORTED);
    ck_says("sm_52");
}
END_TEST

/* The compiler does not know the device's generation, so the driver gets PTX of an earlier one. */
START_TEST(for_a_device_newer_than_the_compiler_there_is_ptx)
{
    open_with("capability=13.0");
    ck_assert_msg(load_text(text_of_scale) == TRM_OK, "%s", fake.sentence);
    scale_works();
}
END_TEST

/* ---- images */

START_TEST(an_image_that_is_cut_off_is_not_given_to_the_driver)
{
    struct cuda_code code        = {0};
    const struct cuda_text given = {.text = text_of_scale, .length = strlen(text_of_scale), .name = "test"};
    open_with("");
    ck_assert_msg(cuda_compile(on.device, &given, false, &code) == TRM_OK, "%s", fake.sentence);
    uint64_t calls = on.control->calls("cuModuleLoadDataEx");
    ck_assert(cuda_image_is_whole(code.bytes, code.size));
    for (uint64_t size = 4; size < code.size; size += code.size / 7) {
        ck_assert(!cuda_image_is_whole(code.bytes, size));
        ck_assert_int_eq(load_with(TRM_MODULE_CUBIN, code.bytes, size, NULL), TRM_ERROR_INVALID_ARGUMENT);
    }
    ck_assert_uint_eq(on.control->calls("cuModuleLoadDataEx"), calls);
    ck_assert_int_eq(load_with(TRM_MODULE_CUBIN, code.bytes, code.size, NULL), TRM_OK);
    cuda_code_release(on.device, &code);
    scale_works();
}
END_TEST

START_TEST(a_fat_binary_tells_how_long_it_is)
{
    uint8_t bytes[32] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0, 16};
    ck_assert(cuda_image_is_whole(bytes, 32));
    ck_assert(!cuda_image_is_whole(bytes, 31));
    ck_assert(!cuda_image_is_whole(bytes, 8));
    bytes[6] = 15; /* shorter than its own header */
    ck_assert(!cuda_image_is_whole(bytes, 32));
}
END_TEST

START_TEST(code_for_another_device_is_refused_with_its_name)
{
    open_with("");
    ck_assert_int_eq(load_with(TRM_MODULE_PTX, ".version 8.0\n", 13, NULL), TRM_ERROR_UNSUPPORTED);
    ck_says("Module 'test' has no code for device");
    ck_says("sm_90");
    ck_assert_int_eq(load_with(TRM_MODULE_PTX, "rubbish", 7, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("is not valid");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("native modules of the cuda backend");
    TCase *tests = tcase_create("modules");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_kernel_of_cuda_c_has_the_parameters_that_the_driver_tells_of);
    tcase_add_test(tests, the_kernels_of_a_module_are_told_by_name);
    tcase_add_test(tests, a_described_kernel_is_as_it_is_described);
    tcase_add_test(tests, a_description_is_held_against_what_the_driver_says);
    tcase_add_test(tests, with_a_driver_that_does_not_tell_parameters_they_are_described);
    tcase_add_test(tests, what_does_not_compile_is_told_in_the_compilers_words);
    tcase_add_test(tests, options_reach_the_compiler);
    tcase_add_test(tests, what_an_option_includes_is_compiled_each_time);
    tcase_add_test(tests, without_nvrtc_what_was_tried_is_told);
    tcase_add_test(tests, a_device_older_than_all_that_the_compiler_knows_is_told_of);
    tcase_add_test(tests, for_a_device_newer_than_the_compiler_there_is_ptx);
    tcase_add_test(tests, an_image_that_is_cut_off_is_not_given_to_the_driver);
    tcase_add_test(tests, a_fat_binary_tells_how_long_it_is);
    tcase_add_test(tests, code_for_another_device_is_refused_with_its_name);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
