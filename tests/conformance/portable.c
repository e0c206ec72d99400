/* Portable kernels: SPIR-V, names and shaders, and the constants in them.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "kernels.h"
#include "shaders.h"

#include <sys/stat.h>
#include <unistd.h>

/* ---- SPIR-V ---- */

START_TEST(a_device_takes_all_portable_formats_or_none)
{
    int32_t status = trm_module_supported(the.device, TRM_MODULE_SPIRV);
    for (int32_t format = TRM_MODULE_SPIRV; format <= TRM_MODULE_SHADER; format++)
        ck_status(trm_module_supported(the.device, format), status);
    struct trm_module_desc desc = shader_desc("affine");
    if (status != TRM_OK)
        ck_status(shader_load(&desc), TRM_ERROR_UNSUPPORTED);
}
END_TEST

START_TEST(a_module_of_spirv_runs)
{
    if (shaders_missing())
        return;
    shader_is_affine(shader_kernel("affine"));
}
END_TEST

START_TEST(spirv_of_the_other_byte_order_runs_too)
{
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("affine");
    uint32_t *turned            = malloc(desc.size);
    ck_assert_ptr_nonnull(turned);
    for (size_t i = 0; i < desc.size / 4; i++)
        turned[i] = __builtin_bswap32(((const uint32_t *)desc.data)[i]);
    desc.data                 = turned;
    struct trm_kernel *kernel = shader_kernel_of(&desc, NULL);
    free(turned);
    shader_is_affine(kernel);
}
END_TEST

START_TEST(spirv_need_not_be_aligned_and_is_copied)
{
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("affine");
    uint8_t *moved              = malloc(desc.size + 1);
    ck_assert_ptr_nonnull(moved);
    memcpy(moved + 1, desc.data, desc.size);
    desc.data                 = moved + 1;
    struct trm_kernel *kernel = shader_kernel_of(&desc, NULL);
    memset(moved, 0xFF, desc.size + 1);
    free(moved);
    shader_is_affine(kernel);
}
END_TEST

START_TEST(bytes_that_are_no_valid_module_are_refused_in_words)
{
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("affine");
    uint32_t *words             = malloc(desc.size);
    uint64_t size               = desc.size;
    ck_assert_ptr_nonnull(words);
    memcpy(words, desc.data, size);
    desc.data = words;
    for (desc.size = 0; desc.size < size; desc.size += desc.size < 80 ? 1 : 20)
        ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    desc.size = size;
    ck_ok(shader_load(&desc));
    words[0] ^= 1;
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    words[0] ^= 1;
    words[3] = 2; /* hardly any ids */
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    free(words);
}
END_TEST

START_TEST(a_barrier_is_kept_by_all_items_of_a_group)
{
    if (shaders_missing())
        return;
    uint32_t values[640];
    struct trm_kernel *kernel       = shader_kernel("reverse");
    struct trm_buffer *buffer       = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(values));
    struct trm_argument arguments[] = {trm_arg_buffer(buffer)};
    for (uint32_t i = 0; i < 640; i++)
        values[i] = i;
    put(the.stream, buffer, 0, values, sizeof(values));
    ck_ok(shader_launch(kernel, 640, arguments, 1));
    get(the.stream, buffer, 0, values, sizeof(values));
    for (uint32_t i = 0; i < 640; i++)
        ck_assert_uint_eq(values[i], i / 64 * 64 + 63 - i % 64);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
}
END_TEST

START_TEST(a_buffer_with_several_types_is_one_argument)
{
    if (shaders_missing())
        return;
    float x[256], y[64];
    struct trm_kernel *kernel       = shader_kernel("views");
    struct trm_buffer *from         = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(x));
    struct trm_buffer *to           = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(y));
    struct trm_argument arguments[] = {trm_arg_buffer(from), trm_arg_buffer(to)};
    for (uint32_t i = 0; i < 256; i++)
        x[i] = (float)i;
    put(the.stream, from, 0, x, sizeof(x));
    ck_ok(shader_launch(kernel, 64, arguments, 2));
    get(the.stream, to, 0, y, sizeof(y));
    for (uint32_t i = 0; i < 64; i++)
        ck_assert(y[i] == (float)(12 * i + 6));
    trm_buffer_destroy(to);
    trm_buffer_destroy(from);
    trm_kernel_destroy(kernel);
}
END_TEST

/* ---- what a shader says ---- */

static void is_parameter(const struct trm_parameter *parameter, const char *name, int32_t kind, int32_t type,
                         uint32_t place)
{
    ck_assert_str_eq(parameter->name, name);
    ck_assert_int_eq(parameter->kind, kind);
    ck_assert_int_eq(parameter->type, type);
    ck_assert_uint_eq(parameter->place, place);
}

START_TEST(a_kernel_describes_its_parameters_as_the_shader_has_them)
{
    if (shaders_missing())
        return;
    struct trm_kernel *kernel   = shader_kernel("mixed");
    struct trm_kernel_info info = {.struct_size = sizeof(info)};
    ck_ok(trm_kernel_describe(kernel, &info));
    ck_assert_str_eq(info.name, "mixed");
    ck_assert_uint_eq(info.group_size[0], 32);
    ck_assert_uint_eq(info.group_size[1], 1);
    ck_assert_uint_eq(info.group_size[2], 1);
    ck_assert_uint_eq(info.parameter_count, 7);
    is_parameter(&info.parameters[0], "x", TRM_PARAMETER_BUFFER, TRM_TYPE_F32, 0);
    ck_assert_uint_eq(info.parameters[0].access, TRM_ACCESS_READ);
    ck_assert_uint_eq(info.parameters[0].stride, 4);
    is_parameter(&info.parameters[1], "result", TRM_PARAMETER_BUFFER, TRM_TYPE_F32, 1);
    ck_assert_uint_eq(info.parameters[1].access, TRM_ACCESS_WRITE);
    is_parameter(&info.parameters[2], "weights", TRM_PARAMETER_BLOCK, TRM_TYPE_F32, 0);
    ck_assert_uint_eq(info.parameters[2].size, 16);
    ck_assert_uint_eq(info.parameters[2].components, 4);
    is_parameter(&info.parameters[3], "scale", TRM_PARAMETER_SCALAR, TRM_TYPE_F32, 16);
    is_parameter(&info.parameters[4], "shift", TRM_PARAMETER_SCALAR, TRM_TYPE_I32, 20);
    is_parameter(&info.parameters[5], "n", TRM_PARAMETER_SCALAR, TRM_TYPE_U32, 24);
    is_parameter(&info.parameters[6], "table", TRM_PARAMETER_BLOCK, TRM_TYPE_U32, 28);
    ck_assert_uint_eq(info.parameters[6].size, 16);
    trm_kernel_destroy(kernel);
}
END_TEST

START_TEST(the_only_kernel_of_a_module_needs_no_name_and_main_is_one_of_its_names)
{
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("affine");
    struct trm_module *module   = NULL;
    struct trm_kernel *kernel   = NULL;
    struct trm_kernel_info info = {.struct_size = sizeof(info)};
    desc.name                   = "mine";
    ck_ok(trm_module_load(the.device, &desc, &module));
    const char *const names[] = {NULL, "main", "mine"};
    for (int i = 0; i < 3; i++) {
        ck_ok(trm_kernel_get(module, names[i], &kernel));
        ck_ok(trm_kernel_describe(kernel, &info));
        ck_assert_str_eq(info.name, "mine");
        trm_kernel_destroy(kernel);
    }
    ck_status(trm_kernel_get(module, "affine", &kernel), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("mine");
    trm_module_destroy(module);
}
END_TEST

START_TEST(a_module_of_two_kernels_wants_to_know_which)
{
    if (shaders_missing())
        return;
    uint32_t number             = 20;
    struct trm_module_desc desc = shader_desc("two");
    struct trm_module *module   = NULL;
    struct trm_kernel *twice = NULL, *more = NULL, *none = NULL;
    struct trm_buffer *buffer       = make_buffer(the.device, TRM_MEMORY_DEVICE, 4);
    struct trm_argument arguments[] = {trm_arg_buffer(buffer)};
    ck_ok(trm_module_load(the.device, &desc, &module));
    ck_status(trm_kernel_get(module, NULL, &none), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("twice");
    ck_sentence_has("once_more");
    ck_status(trm_kernel_get(module, "main", &none), TRM_ERROR_NOT_FOUND);
    ck_ok(trm_kernel_get(module, "twice", &twice));
    ck_ok(trm_kernel_get(module, "once_more", &more));
    put(the.stream, buffer, 0, &number, 4);
    ck_ok(shader_launch(twice, 1, arguments, 1));
    ck_ok(shader_launch(more, 1, arguments, 1));
    ck_ok(shader_launch(twice, 1, arguments, 1));
    get(the.stream, buffer, 0, &number, 4);
    ck_assert_uint_eq(number, 82);
    trm_kernel_destroy(twice);
    trm_kernel_destroy(more);
    trm_module_destroy(module);
    trm_buffer_destroy(buffer);
}
END_TEST

START_TEST(a_grid_covers_as_many_items_as_are_asked_for)
{
    if (shaders_missing())
        return;
    struct trm_kernel *kernel = shader_kernel("affine");
    struct trm_grid grid;
    ck_ok(trm_kernel_grid(kernel, 64, 1, 1, &grid));
    ck_assert_uint_eq(grid.groups[0], 1);
    ck_ok(trm_kernel_grid(kernel, 65, 7, 2, &grid));
    ck_assert_uint_eq(grid.groups[0], 2);
    ck_assert_uint_eq(grid.groups[1], 7);
    ck_assert_uint_eq(grid.groups[2], 2);
    ck_ok(trm_kernel_grid(kernel, 65, 0, 2, &grid));
    ck_assert_uint_eq(grid.groups[0] | grid.groups[1] | grid.groups[2], 0);
    ck_ok(trm_kernel_grid(kernel, UINT32_MAX * 64ull, 1, 1, &grid));
    ck_assert_uint_eq(grid.groups[0], UINT32_MAX);
    ck_status(trm_kernel_grid(kernel, UINT32_MAX * 64ull + 1, 1, 1, &grid), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_kernel_grid(kernel, UINT64_MAX, 1, 1, &grid), TRM_ERROR_OUT_OF_RANGE);
    ck_status(trm_kernel_grid(kernel, 1, 1, 1, NULL), TRM_ERROR_INVALID_ARGUMENT);
    trm_kernel_destroy(kernel);
    ck_status(trm_kernel_grid(kernel, 1, 1, 1, &grid), TRM_ERROR_INVALID_HANDLE);
}
END_TEST

/* ---- constants ---- */

static void constants_give(const struct trm_constant *constants, uint32_t count, uint32_t width, float offset,
                           float factor)
{
    float values[100];
    struct trm_kernel *kernel       = shader_kernel_with("constants", constants, count);
    struct trm_buffer *buffer       = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(values));
    struct trm_argument arguments[] = {trm_arg_named("result", trm_arg_buffer(buffer))};
    ck_ok(shader_launch(kernel, 100, arguments, 1));
    get(the.stream, buffer, 0, values, sizeof(values));
    for (uint32_t i = 0; i < 100; i++)
        ck_assert_msg(values[i] == (float)(i / width) * factor + offset, "element %u is %g", i,
                      (double)values[i]);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
}

START_TEST(constants_that_are_not_given_have_their_defaults)
{
    if (shaders_missing())
        return;
    constants_give(NULL, 0, 4, -3, 0.5f);
}
END_TEST

START_TEST(constants_are_given_by_name_or_by_number)
{
    if (shaders_missing())
        return;
    struct trm_constant constants[] = {
        trm_constant_f32("factor", 2.0f),
        {.id = 1, .type = TRM_TYPE_U32, .bits = 7},
        trm_constant_i32("offset", -1),
    };
    constants_give(constants, 3, 7, -1, 2.0f);
    constants_give(constants, 1, 4, -3, 2.0f);
    constants[0] = trm_constant_u32("doubled", 1); /* of bool */
    constants_give(constants, 1, 4, -6, 1.0f);
}
END_TEST

START_TEST(a_constant_may_be_the_size_of_a_group)
{
    if (shaders_missing())
        return;
    struct trm_constant constant = {.id = 0, .type = TRM_TYPE_U32, .bits = 16};
    struct trm_kernel_info info  = {.struct_size = sizeof(info)};
    struct trm_kernel *kernel    = shader_kernel_with("constants", &constant, 1);
    ck_ok(trm_kernel_describe(kernel, &info));
    ck_assert_uint_eq(info.group_size[0], 16);
    trm_kernel_destroy(kernel);
    constants_give(&constant, 1, 4, -3, 0.5f);
}
END_TEST

static void one_id_gives(const struct trm_constant *constants, uint32_t count, const uint32_t expected[5])
{
    uint32_t found[64];
    struct trm_kernel *kernel       = shader_kernel_with("one_id", constants, count);
    struct trm_buffer *buffer       = make_buffer(the.device, TRM_MEMORY_DEVICE, sizeof(found));
    struct trm_argument arguments[] = {trm_arg_buffer(buffer)};
    ck_ok(shader_launch(kernel, 64, arguments, 1));
    get(the.stream, buffer, 0, found, sizeof(found));
    for (uint32_t i = 0; i < 64; i++)
        ck_assert_msg(found[i] == expected[i < 4 ? i : 4], "element %u is %u, not %u", i, found[i],
                      expected[i < 4 ? i : 4]);
    trm_buffer_destroy(buffer);
    trm_kernel_destroy(kernel);
}

/* The size of a group is the fifth. */
START_TEST(constants_behind_two_of_one_id_get_their_own_values)
{
    if (shaders_missing())
        return;
    struct trm_constant constants[] = {
        {.id = 0, .type = TRM_TYPE_U32, .bits = 32},
        trm_constant_u32("third", 3),
        trm_constant_u32("first", 1),
    };
    one_id_gives(NULL, 0, (const uint32_t[]){64, 10, 200, 3000, 1});
    one_id_gives(constants, 1, (const uint32_t[]){32, 10, 200, 3000, 32});
    one_id_gives(constants, 3, (const uint32_t[]){32, 1, 200, 3, 32});
    one_id_gives(constants + 1, 2, (const uint32_t[]){64, 1, 200, 3, 1});
    constants[0].bits = 64; /* the default of one, but not of the other */
    one_id_gives(constants, 2, (const uint32_t[]){64, 10, 200, 3, 64});
}
END_TEST

START_TEST(constants_that_a_shader_does_not_have_are_refused_by_name)
{
    if (shaders_missing())
        return;
    struct trm_module_desc desc  = shader_desc("constants");
    struct trm_constant constant = trm_constant_u32("height", 1);
    desc.constants               = &constant;
    desc.constant_count          = 1;
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("height");
    constant = (struct trm_constant){.id = 77, .type = TRM_TYPE_U32};
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("77");
    constant = trm_constant_f32("width", 1);
    ck_status(shader_load(&desc), TRM_ERROR_TYPE_MISMATCH);
    ck_sentence_has("width");
    desc.constants = NULL;
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

/* ---- shaders ---- */

static struct trm_shader *make_shader(const char *name)
{
    struct shader_words words   = shader_words(name);
    struct trm_shader_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_SPIRV,
                                   .data        = words.words,
                                   .size        = words.size,
                                   .name        = name};
    struct trm_shader *shader   = NULL;
    ck_ok(trm_shader_create(the.context, &desc, &shader));
    return shader;
}

START_TEST(a_shader_runs_and_may_be_destroyed_once_it_is_loaded)
{
    if (shaders_missing())
        return;
    struct trm_shader *shader   = make_shader("affine");
    struct trm_module_desc desc = {.struct_size = sizeof(desc), .format = TRM_MODULE_SHADER, .data = shader};
    struct trm_kernel *first = shader_kernel_of(&desc, "affine"), *second = NULL;
    desc.name = "other";
    second    = shader_kernel_of(&desc, "other");
    trm_shader_destroy(shader);
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_HANDLE);
    shader_is_affine(first);
    shader_is_affine(second);
}
END_TEST

START_TEST(a_shader_of_another_context_is_refused)
{
    if (shaders_missing())
        return;
    struct trm_context *mine = the.context, *other = open_context();
    the.context                 = other;
    struct trm_shader *shader   = make_shader("affine");
    the.context                 = mine;
    struct trm_module_desc desc = {.struct_size = sizeof(desc), .format = TRM_MODULE_SHADER, .data = shader};
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    trm_shader_destroy(shader);
    trm_context_destroy(other);
}
END_TEST

/* ---- names ---- */

static struct trm_kernel *kernel_named(const char *name)
{
    struct trm_kernel *kernel = NULL;
    ck_ok(trm_kernel_named(the.device, name, NULL, 0, &kernel));
    return kernel;
}

START_TEST(a_device_without_portable_kernels_has_none_of_that_name)
{
    struct trm_kernel *kernel = NULL;
    if (trm_module_supported(the.device, TRM_MODULE_NAMED) == TRM_OK) {
        skip("the device takes portable kernels");
        return;
    }
    ck_status(trm_kernel_named(the.device, "affine", NULL, 0, &kernel), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(kernel);
}
END_TEST

START_TEST(a_kernel_is_found_by_its_name)
{
    char folder[] = "/tmp/conformance-XXXXXX", file[64];
    if (shaders_missing())
        return;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof(file), "%s/named.spv", folder);
    struct shader_words words = shader_words("affine");
    FILE *opened              = fopen(file, "wb");
    ck_assert_ptr_nonnull(opened);
    ck_assert_uint_eq(fwrite(words.words, 1, words.size, opened), words.size);
    ck_assert_int_eq(fclose(opened), 0);

    struct trm_setting setting  = {"kernel.path", folder};
    struct world mine           = the;
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_NAMED, .data = "named", .size = 6};
    struct trm_constant unknown = trm_constant_u32("nothing_like_it", 1);
    struct trm_kernel *kernel   = NULL;
    ck_ok(context_with(&setting, 1, &the.context));
    the.device = open_device(the.context);
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &the.stream));
    shader_is_affine(shader_kernel_of(&desc, "named"));
    desc.name = "mine";
    shader_is_affine(shader_kernel_of(&desc, "mine"));
    shader_is_affine(kernel_named("named"));
    desc.data = "missing";
    desc.size = 8;
    ck_status(shader_load(&desc), TRM_ERROR_NOT_FOUND);
    ck_sentence_has(folder);
    ck_status(trm_kernel_named(the.device, "missing", NULL, 0, &kernel), TRM_ERROR_NOT_FOUND);
    ck_sentence_has("missing");
    ck_status(trm_kernel_named(the.device, "named", &unknown, 1, &kernel), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("nothing_like_it");
    ck_status(trm_kernel_named(the.device, NULL, NULL, 0, &kernel), TRM_ERROR_INVALID_ARGUMENT);
    ck_status(trm_kernel_named(the.device, "named", NULL, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_null(kernel);
    desc.size = 7; /* no zero in it */
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    desc.data = "named";
    desc.size = 6;
    ck_assert_int_eq(chmod(file, 0666), 0);
    ck_status(shader_load(&desc), TRM_ERROR_PERMISSION);
    trm_stream_destroy(the.stream);
    trm_device_destroy(the.device);
    trm_context_destroy(the.context);
    the = mine;
    unlink(file);
    rmdir(folder);
}
END_TEST

/* ---- building ---- */

START_TEST(what_is_built_beforehand_is_native_code)
{
    char path[] = "/tmp/conformance-XXXXXX";
    if (shaders_missing())
        return;
    struct trm_module_desc desc = shader_desc("affine");
    int file                    = mkstemp(path);
    struct stat facts;
    ck_assert_int_ge(file, 0);
    close(file);
    int32_t status = trm_module_build(the.device, &desc, TRM_BUILD_PORTABLE, path);
    if (status == TRM_ERROR_UNSUPPORTED) {
        skip("the device has no form for kernels that are built beforehand");
    } else {
        ck_ok(status);
        ck_assert_int_eq(stat(path, &facts), 0);
        ck_assert_int_gt(facts.st_size, 0);
        ck_status(trm_module_build(the.device, &desc, 0, "/nonexistent/folder/x"), TRM_ERROR_BACKEND);
        ck_status(trm_module_build(the.device, &desc, 0x100, path), TRM_ERROR_INVALID_ARGUMENT);
        ck_status(trm_module_build(the.device, &desc, 0, NULL), TRM_ERROR_INVALID_ARGUMENT);
    }
    unlink(path);
}
END_TEST

void add_portable(Suite *suite)
{
    TCase *group = group_make(suite, "portable kernels");
    CASE(group, a_device_takes_all_portable_formats_or_none);
    CASE(group, a_module_of_spirv_runs);
    CASE(group, spirv_of_the_other_byte_order_runs_too);
    CASE(group, spirv_need_not_be_aligned_and_is_copied);
    CASE(group, bytes_that_are_no_valid_module_are_refused_in_words);
    CASE(group, a_barrier_is_kept_by_all_items_of_a_group);
    CASE(group, a_buffer_with_several_types_is_one_argument);
    CASE(group, a_kernel_describes_its_parameters_as_the_shader_has_them);
    CASE(group, the_only_kernel_of_a_module_needs_no_name_and_main_is_one_of_its_names);
    CASE(group, a_module_of_two_kernels_wants_to_know_which);
    CASE(group, a_grid_covers_as_many_items_as_are_asked_for);
    CASE(group, constants_that_are_not_given_have_their_defaults);
    CASE(group, constants_are_given_by_name_or_by_number);
    CASE(group, a_constant_may_be_the_size_of_a_group);
    CASE(group, constants_behind_two_of_one_id_get_their_own_values);
    CASE(group, constants_that_a_shader_does_not_have_are_refused_by_name);
    CASE(group, a_shader_runs_and_may_be_destroyed_once_it_is_loaded);
    CASE(group, a_shader_of_another_context_is_refused);
    CASE(group, a_device_without_portable_kernels_has_none_of_that_name);
    CASE(group, a_kernel_is_found_by_its_name);
    CASE(group, what_is_built_beforehand_is_native_code);
}
