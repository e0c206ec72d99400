/* Modules of native code for NVIDIA's devices: CUDA C, PTX and cubins. Devices that take none of them say so.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"

enum {
    N = 200
};

static const char text_of_scale[] = "extern \"C\" __global__ void scale(float *x, float by, unsigned count)\n"
                                    "{\n"
                                    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "    if (i < count)\n"
                                    "        x[i] *= by;\n"
                                    "}\n"
                                    "extern \"C\" __global__ void none() {}\n";

static const struct trm_parameter parameters[] = {
    {.name = "x", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32},
    {.name = "by", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32},
    {.name = "count", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

static const struct trm_kernel_info described = {
    .struct_size     = sizeof(described),
    .parameter_count = 3,
    .parameters      = parameters,
    .name            = "scale",
    .group_size      = {64, 1, 1},
};

static struct trm_module_desc text_desc(void)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_CUDA,
                                   .data        = text_of_scale,
                                   .size        = sizeof(text_of_scale),
                                   .name        = "native"};
    return desc;
}

/* Where the device takes no CUDA C, or there is no compiler of it, or the driver does not say what parameters
 * a kernel has, the case is skipped. */
static struct trm_kernel *load_scale(const struct trm_native_options *given)
{
    struct trm_module_desc desc = text_desc();
    struct trm_module *module   = NULL;
    struct trm_kernel *found    = NULL;
    if (trm_module_supported(the.device, TRM_MODULE_CUDA) != TRM_OK) {
        skip("the device takes no CUDA C");
        return NULL;
    }
    desc.native    = given;
    int32_t status = trm_module_load(the.device, &desc, &module);
    if (status == TRM_ERROR_UNSUPPORTED) {
        skip(trm_last_error().sentence);
        return NULL;
    }
    ck_ok(status);
    status = trm_kernel_get(module, "scale", &found);
    if (status == TRM_ERROR_UNSUPPORTED && given == NULL)
        skip(trm_last_error().sentence);
    else
        ck_ok(status);
    trm_module_destroy(module); /* the kernel keeps it */
    return found;
}

static struct trm_buffer *make_floats(void)
{
    struct trm_buffer *buffer = make_buffer(the.device, TRM_MEMORY_DEVICE, N * sizeof(float));
    float floats[N];
    for (int i = 0; i < N; i++)
        floats[i] = (float)i;
    put(the.stream, buffer, 0, floats, sizeof(floats));
    return buffer;
}

static int32_t launch_scale(struct trm_kernel *scale, struct trm_argument x, struct trm_argument by,
                            struct trm_argument count)
{
    const struct trm_argument arguments[] = {x, by, count};
    const struct trm_grid grid            = trm_grid_1d((N + 63) / 64, 64);
    return trm_launch(the.stream, scale, &grid, arguments, 3);
}

static void ck_scaled(struct trm_buffer *buffer, int count)
{
    float floats[N];
    get(the.stream, buffer, 0, floats, sizeof(floats));
    for (int i = 0; i < N; i++)
        ck_assert_float_eq(floats[i], (float)(i < count ? 3 * i : i));
}

/* ---- formats ---- */

START_TEST(a_device_that_takes_no_native_code_says_so_in_words)
{
    static const int32_t formats[]   = {TRM_MODULE_CUBIN, TRM_MODULE_PTX, TRM_MODULE_CUDA};
    static const char *const words[] = {"cubins", "PTX", "CUDA C"};
    for (size_t i = 0; i < 3; i++) {
        struct trm_module_desc desc = text_desc();
        struct trm_module *module   = NULL;
        int32_t status              = trm_module_supported(the.device, formats[i]);
        if (status == TRM_OK)
            continue;
        ck_status(status, TRM_ERROR_UNSUPPORTED);
        ck_sentence_has(words[i]);
        desc.format = formats[i];
        ck_status(trm_module_load(the.device, &desc, &module), TRM_ERROR_UNSUPPORTED);
        ck_sentence_has(words[i]);
        ck_assert_ptr_null(module);
    }
}
END_TEST

START_TEST(native_code_that_is_not_described_is_refused)
{
    static const char *const hollow[]  = {NULL};
    struct trm_parameter wrong         = {.kind = TRM_PARAMETER_BYTES};
    struct trm_kernel_info info        = described;
    struct trm_native_options given[5] = {
        {.struct_size = 4},
        {.struct_size = sizeof(given[0]), .kernel_count = 1},
        {.struct_size = sizeof(given[0]), .compiler_option_count = 1},
        {.struct_size = sizeof(given[0]), .compiler_option_count = 1, .compiler_options = hollow},
        {.struct_size = sizeof(given[0]), .kernel_count = 1, .kernels = &info},
    };
    struct trm_module_desc desc = text_desc();
    struct trm_module *module   = NULL;
    info.parameters             = &wrong; /* of no bytes */
    info.parameter_count        = 1;
    desc.size                   = 0;
    ck_refused(trm_module_load(the.device, &desc, &module));
    for (size_t i = 0; i < 5; i++) {
        desc        = text_desc();
        desc.native = &given[i];
        ck_refused(trm_module_load(the.device, &desc, &module));
    }
    ck_assert_ptr_null(module);
}
END_TEST

START_TEST(what_is_no_code_is_refused)
{
    struct trm_module *module = NULL;
    for (int32_t format = TRM_MODULE_CUBIN; format <= TRM_MODULE_PTX; format++) {
        static const char rubbish[] = "\177ELF, and nothing else that could be code of a device";
        struct trm_module_desc desc = text_desc();
        desc.format                 = format;
        desc.data                   = rubbish;
        desc.size                   = sizeof(rubbish);
        ck_refused(trm_module_load(the.device, &desc, &module));
        desc.data = "no code";
        desc.size = 8;
        ck_refused(trm_module_load(the.device, &desc, &module));
    }
    ck_assert_ptr_null(module);
}
END_TEST

START_TEST(text_that_does_not_compile_is_told_of_by_its_line)
{
    static const char text[]    = "extern \"C\" __global__ void f(int *x)\n{\n    *x = no_such_thing;\n}\n";
    struct trm_module_desc desc = text_desc();
    struct trm_module *module   = NULL;
    desc.data                   = text;
    desc.size                   = sizeof(text);
    int32_t status              = trm_module_load(the.device, &desc, &module);
    ck_assert_ptr_null(module);
    if (status == TRM_ERROR_UNSUPPORTED) {
        skip("the device takes no CUDA C, or there is no compiler of it");
        return;
    }
    ck_status(status, TRM_ERROR_BACKEND);
    ck_sentence_has("no_such_thing");
}
END_TEST

/* ---- arguments ---- */

START_TEST(a_kernel_of_cuda_c_does_what_it_says)
{
    struct trm_kernel *scale = load_scale(NULL);
    if (scale == NULL)
        return;
    struct trm_buffer *buffer = make_floats();
    ck_ok(launch_scale(scale, trm_arg_buffer(buffer), trm_arg_f32(3), trm_arg_u32(150)));
    ck_scaled(buffer, 150);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(scale);
}
END_TEST

START_TEST(without_a_description_arguments_are_held_to_their_sizes)
{
    struct trm_kernel *scale    = load_scale(NULL);
    struct trm_kernel_info info = {.struct_size = sizeof(info)};
    const float three           = 3;
    if (scale == NULL)
        return;
    ck_ok(trm_kernel_describe(scale, &info));
    ck_assert_uint_eq(info.parameter_count, 3);
    ck_assert_int_eq(info.parameters[0].kind, TRM_PARAMETER_BYTES);
    ck_assert_uint_eq(info.parameters[0].size, 8);
    ck_assert_uint_eq(info.parameters[2].size, 4);
    ck_assert_uint_eq(info.group_size[0], 0);
    struct trm_buffer *buffer = make_floats();
    struct trm_argument x = trm_arg_buffer(buffer), by = trm_arg_f32(3), count = trm_arg_u32(N);
    ck_status(launch_scale(scale, by, by, count), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("8 bytes");
    ck_status(launch_scale(scale, x, x, count), TRM_ERROR_TYPE_MISMATCH);
    ck_status(launch_scale(scale, x, by, trm_arg_u64(N)), TRM_ERROR_TYPE_MISMATCH);
    ck_status(launch_scale(scale, x, trm_arg_block(&three, 3), count), TRM_ERROR_TYPE_MISMATCH);
    ck_scaled(buffer, 0);
    ck_ok(launch_scale(scale, x, trm_arg_block(&three, 4), trm_arg_i32(N)));
    ck_scaled(buffer, N);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(scale);
}
END_TEST

START_TEST(a_described_kernel_is_one_like_any_other)
{
    const struct trm_native_options given = {
        .struct_size = sizeof(given), .kernel_count = 1, .kernels = &described};
    struct trm_kernel *scale = load_scale(&given);
    struct trm_grid grid;
    if (scale == NULL)
        return;
    struct trm_buffer *buffer       = make_floats();
    struct trm_argument arguments[] = {trm_arg_named("count", trm_arg_u32(N)),
                                       trm_arg_named("by", trm_arg_f32(3)),
                                       trm_arg_named("x", trm_arg_buffer(buffer))};
    ck_ok(trm_kernel_grid(scale, N, 1, 1, &grid));
    ck_assert_uint_eq(grid.groups[0], (N + 63) / 64);
    ck_ok(trm_launch(the.stream, scale, &grid, arguments, 3));
    ck_scaled(buffer, N);
    ck_status(launch_scale(scale, trm_arg_buffer(buffer), trm_arg_i32(3), trm_arg_u32(N)),
              TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("\"by\"");
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(scale);
}
END_TEST

START_TEST(a_description_that_is_not_true_is_refused)
{
    struct trm_kernel *known = load_scale(NULL);
    if (known == NULL)
        return;
    trm_kernel_destroy(known);
    struct trm_kernel_info info           = described;
    const struct trm_native_options given = {
        .struct_size = sizeof(given), .kernel_count = 1, .kernels = &info};
    struct trm_module_desc desc = text_desc();
    struct trm_module *module   = NULL;
    struct trm_kernel *scale    = NULL;
    info.parameter_count        = 2;
    desc.native                 = &given;
    ck_ok(trm_module_load(the.device, &desc, &module));
    ck_status(trm_kernel_get(module, "scale", &scale), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(scale);
    ck_ok(trm_kernel_get(module, "none", &scale)); /* nothing was said of it */
    trm_kernel_destroy(scale);
    trm_module_destroy(module);
}
END_TEST

/* ---- PTX, by hand ---- */

static const char ptx_of_scale[] = ".version 6.4\n"
                                   ".target sm_52\n"
                                   ".address_size 64\n"
                                   ".visible .entry scale(.param .u64 x, .param .f32 by, .param .u32 count)\n"
                                   "{\n"
                                   "    .reg .pred %p;\n"
                                   "    .reg .f32 %f<3>;\n"
                                   "    .reg .b32 %r<5>;\n"
                                   "    .reg .b64 %d<4>;\n"
                                   "    ld.param.u64 %d0, [x];\n"
                                   "    ld.param.f32 %f0, [by];\n"
                                   "    ld.param.u32 %r0, [count];\n"
                                   "    mov.u32 %r1, %ctaid.x;\n"
                                   "    mov.u32 %r2, %ntid.x;\n"
                                   "    mov.u32 %r3, %tid.x;\n"
                                   "    mad.lo.u32 %r4, %r1, %r2, %r3;\n"
                                   "    setp.ge.u32 %p, %r4, %r0;\n"
                                   "    @%p ret;\n"
                                   "    cvta.to.global.u64 %d1, %d0;\n"
                                   "    mul.wide.u32 %d2, %r4, 4;\n"
                                   "    add.u64 %d3, %d1, %d2;\n"
                                   "    ld.global.f32 %f1, [%d3];\n"
                                   "    mul.f32 %f2, %f1, %f0;\n"
                                   "    st.global.f32 [%d3], %f2;\n"
                                   "    ret;\n"
                                   "}\n";

START_TEST(ptx_is_compiled_by_the_driver)
{
    struct trm_module_desc desc = text_desc();
    struct trm_module *module   = NULL;
    struct trm_kernel *scale    = NULL;
    desc.format                 = TRM_MODULE_PTX;
    desc.data                   = ptx_of_scale;
    desc.size                   = strlen(ptx_of_scale); /* its zero need not be there */
    int32_t status              = trm_module_load(the.device, &desc, &module);
    if (status == TRM_ERROR_UNSUPPORTED) {
        skip("the device takes no PTX");
        return;
    }
    ck_ok(status);
    ck_ok(trm_kernel_get(module, NULL, &scale));
    struct trm_buffer *buffer = make_floats();
    ck_ok(launch_scale(scale, trm_arg_buffer(buffer), trm_arg_f32(3), trm_arg_u32(100)));
    ck_scaled(buffer, 100);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(scale);
    trm_module_destroy(module);
}
END_TEST

void add_native(Suite *suite)
{
    TCase *group = group_make(suite, "native");
    CASE(group, a_device_that_takes_no_native_code_says_so_in_words);
    CASE(group, native_code_that_is_not_described_is_refused);
    CASE(group, what_is_no_code_is_refused);
    CASE(group, text_that_does_not_compile_is_told_of_by_its_line);
    CASE(group, a_kernel_of_cuda_c_does_what_it_says);
    CASE(group, without_a_description_arguments_are_held_to_their_sizes);
    CASE(group, a_described_kernel_is_one_like_any_other);
    CASE(group, a_description_that_is_not_true_is_refused);
    CASE(group, ptx_is_compiled_by_the_driver);
}
