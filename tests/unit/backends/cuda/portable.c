/* Portable kernels of the cuda backend: what is compiled, what is cached, which files are used, and
 * failures.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "backends/cuda/stream/launch.h"
#include "tests/unit/backends/cuda/code.h"
#include "tests/unit/runner.h"

/* ---- portable kernels */

START_TEST(a_portable_kernel_is_compiled_once_where_there_is_a_cache)
{
    open_with("");
    cache_is_on      = true;
    uint64_t already = compiler->compilations();
    ck_assert_msg(load_portable() == TRM_OK, "%s", fake.sentence);
    ck_assert_uint_eq(compiler->compilations(), already + 1);
    scale_works();
    cuda_module_ops.unload(module);
    ck_assert_int_eq(load_portable(), TRM_OK);
    ck_assert_uint_eq(compiler->compilations(), already + 1);
    scale_works();
    cuda_module_ops.unload(module);
    cache_is_on = false;
    ck_assert_int_eq(load_portable(), TRM_OK);
    ck_assert_uint_eq(compiler->compilations(), already + 2);
}
END_TEST

START_TEST(code_that_the_driver_refuses_is_compiled_as_ptx)
{
    open_with("");
    uint64_t already = compiler->compilations();
    on_fault("cuModuleLoadDataEx", "CUDA_ERROR_NO_BINARY_FOR_GPU");
    ck_assert_msg(load_portable() == TRM_OK, "%s", fake.sentence);
    ck_assert_uint_eq(compiler->compilations(), already + 2);
    scale_works();
}
END_TEST

START_TEST(another_failure_of_the_driver_is_none_of_the_code)
{
    open_with("");
    uint64_t already = compiler->compilations();
    on_fault("cuModuleLoadDataEx", "CUDA_ERROR_OUT_OF_MEMORY");
    ck_assert_int_eq(load_portable(), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_says("cuModuleLoadDataEx");
    ck_assert_uint_eq(compiler->compilations(), already + 1);
}
END_TEST

/* Launches for one group, with a buffer that begins at `offset`. */
static int32_t launch_at(struct trm_backend_stream *stream, struct trm_backend_memory *memory,
                         uint64_t offset)
{
    struct trm_kernel_desc desc;
    const struct trm_launch_argument arguments[] = {
        {.kind = TRM_PARAMETER_BUFFER, .memory = memory, .offset = offset, .size = 256},
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32, .size = 4},
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32, .size = 4},
    };
    const struct trm_launch_desc launch = {
        .struct_size    = sizeof(launch),
        .argument_count = 3,
        .kernel         = kernel_named("scale", &desc),
        .arguments      = arguments,
        .groups         = {1, 1, 1},
        .group_size     = {64, 1, 1},
    };
    return cuda_stream_ops.launch(stream, 1, &launch);
}

START_TEST(a_buffer_of_vectors_begins_where_a_vector_may)
{
    open_with("");
    struct trm_backend_memory *memory = on_memory(TRM_MEMORY_DEVICE, 1024);
    struct trm_backend_stream *stream = on_stream();
    ck_assert_msg(load_portable_as(&of_vectors) == TRM_OK, "%s", fake.sentence);
    ck_assert_int_eq(launch_at(stream, memory, 8), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("Argument 0 \"x\" of kernel \"scale\" is not aligned to the 16 bytes");
    ck_assert_int_eq(launch_at(stream, memory, 16), TRM_OK);
    on_wait(stream, 1);
    cuda_stream_ops.destroy(stream);
    cuda_module_ops.unload(module);
    ck_assert_int_eq(load_portable(), TRM_OK); /* of floats */
    stream = on_stream();
    ck_assert_int_eq(launch_at(stream, memory, 8), TRM_OK);
    on_wait(stream, 1);
    cuda_stream_ops.destroy(stream);
    cuda_memory_ops.free(memory);
}
END_TEST

/* What `trireme kc` makes, with another last line. */
static void write_sibling(const char *line, bool is_whole)
{
    const struct cuda_text given = {
        .text = translated, .length = strlen(translated), .name = "test", .is_ours = true};
    struct cuda_code code = {0};
    char path[TRM_PATH_MOST];
    ck_assert_msg(cuda_compile(on.device, &given, false, &code) == TRM_OK, "%s", fake.sentence);
    snprintf(path, sizeof(path), "%s/scale.width=4.fatbin", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(code.bytes, 1, is_whole ? code.size : code.size / 2, file),
                      is_whole ? code.size : code.size / 2);
    fputs(line, file);
    fclose(file);
    cuda_code_release(on.device, &code);
}

static void sibling_is_used(const char *line)
{
    write_sibling(line, true);
    uint64_t already = compiler->compilations();
    fake.log[0]      = '\0';
    ck_assert_msg(load_portable() == TRM_OK, "%s", fake.sentence);
    ck_assert_uint_eq(compiler->compilations(), already);
    ck_assert_str_eq(fake.log, "");
    scale_works();
    cuda_module_ops.unload(module);
    module = NULL;
}

static void sibling_is_left(const char *line, bool is_whole, const char *why)
{
    write_sibling(line, is_whole);
    uint64_t already = compiler->compilations();
    fake.log[0]      = '\0';
    ck_assert_msg(load_portable() == TRM_OK, "%s", fake.sentence);
    ck_assert_uint_eq(compiler->compilations(), already + 1);
    ck_assert_msg(strstr(fake.log, why) != NULL, "\"%s\" is not in: %s", why, fake.log);
    scale_works();
    cuda_module_ops.unload(module);
    module = NULL;
}

START_TEST(code_that_lies_beside_a_kernel_is_used_where_it_is_of_that_kernel)
{
    open_with("");
    sibling_is_used("\n// trireme " DIGITS " scale\n");
    sibling_is_used(""); /* written by hand: the function has the kernel's name */
    sibling_is_left("\n// trireme ff0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f scale\n",
                    true, "another version");
    sibling_is_left("\n// trireme " DIGITS " other\n", true, "does not belong");
    sibling_is_left("\n// trireme " DIGITS "\n", true, "does not belong");
    sibling_is_left("\n// trireme " DIGITS " scale*x\n", true, "does not belong");
    sibling_is_left("\n// trireme by-hand scale:1024\n", true, "does not belong"); /* it is made for 64 */
    sibling_is_left("\n// trireme " DIGITS " scale\n", false, "damaged");
    trusted    = TRM_ERROR_PERMISSION;
    nvrtc_path = "libnvrtc-that-does-not-exist.so"; /* it is open already and is not looked for again */
    sibling_is_left("\n// trireme " DIGITS " scale\n", true, "other users may write to it");
    trusted = TRM_OK;
}
END_TEST

START_TEST(code_by_hand_is_launched_with_the_threads_and_the_shared_memory_that_it_asks_for)
{
    struct trm_kernel_desc desc;
    struct cuda_launch launch;
    open_with("");
    write_sibling("\n// trireme by-hand scale:32+1024\n", true);
    ck_assert_msg(load_portable() == TRM_OK, "%s", fake.sentence);
    struct trm_backend_memory *memory           = on_memory(TRM_MEMORY_DEVICE, 1024);
    const struct trm_launch_argument argument[] = {
        {.kind = TRM_PARAMETER_BUFFER, .memory = memory, .size = 256},
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32, .size = 4},
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32, .size = 4},
    };
    const struct trm_launch_desc asked = {
        .struct_size    = sizeof(asked),
        .argument_count = 3,
        .kernel         = kernel_named("scale", &desc),
        .arguments      = argument,
        .groups         = {7, 1, 1},
        .group_size     = {64, 1, 1},
    };
    ck_assert_uint_eq(desc.shared_bytes, 1024);
    ck_assert_int_eq(cuda_launch_build(on.device, &asked, &launch), TRM_OK);
    ck_assert_uint_eq(launch.groups[0], 7);
    ck_assert_uint_eq(launch.group_size[0], 32);
    ck_assert_uint_eq(launch.shared_bytes, 1024);
    cuda_memory_ops.free(memory);
}
END_TEST

START_TEST(code_for_other_devices_that_lies_beside_a_kernel_is_passed_over)
{
    open_with("");
    write_sibling("\n// trireme " DIGITS " scale\n", true);
    uint64_t already = compiler->compilations();
    on_fault("cuModuleLoadDataEx", "CUDA_ERROR_NO_BINARY_FOR_GPU");
    ck_assert_msg(load_portable() == TRM_OK, "%s", fake.sentence);
    ck_assert_uint_eq(compiler->compilations(), already + 1);
    ck_assert_ptr_nonnull(strstr(fake.log, "no code for this device"));
    scale_works();
}
END_TEST

/* ---- the line that says whose code it is */

static bool symbol_of(const char *line, uint32_t index, char symbol[CUDA_TRAILER_SYMBOL_BYTES],
                      struct cuda_launch_shape *shape)
{
    struct cuda_trailer trailer;
    cuda_trailer_read(line, strlen(line), &trailer);
    return trailer.is_present && cuda_trailer_symbol(&trailer, index, symbol, shape);
}

START_TEST(the_last_line_names_the_functions_and_how_many_items_their_threads_do)
{
    char symbol[CUDA_TRAILER_SYMBOL_BYTES];
    struct cuda_launch_shape shape;
    ck_assert(symbol_of("code\n// trireme " DIGITS " one two*16\n", 0, symbol, &shape));
    ck_assert_str_eq(symbol, "one");
    ck_assert_uint_eq(shape.coarsening, 0);
    ck_assert(symbol_of("code\n// trireme " DIGITS " one two*16\n", 1, symbol, &shape));
    ck_assert_str_eq(symbol, "two");
    ck_assert_uint_eq(shape.coarsening, 16);
    ck_assert(!symbol_of("code\n// trireme " DIGITS " one two*16\n", 2, symbol, &shape));
    ck_assert(!shape.is_choice);
    ck_assert(symbol_of("code\n// trireme by-hand three*4\n", 0, symbol, &shape));
    ck_assert_str_eq(symbol, "three");
    ck_assert_uint_eq(shape.coarsening, 4);
    ck_assert(symbol_of("code\n// trireme by-hand four/8\n", 0, symbol, &shape));
    ck_assert_str_eq(symbol, "four");
    ck_assert_uint_eq(shape.coarsening, 8);
    ck_assert(shape.is_choice);
    static const char *const wrong[] = {"",
                                        "\n",
                                        "code",
                                        "code\n// trireme " DIGITS " one\nmore\n",
                                        "// trireme " DIGITS,
                                        "// trireme 0123 one\n",
                                        "// trireme " DIGITS "\n",
                                        "// trireme \n",
                                        "// trireme by-han\n",
                                        "// trireme by-hand\n",
                                        "// trireme " DIGITS " \n",
                                        "// trireme " DIGITS " *4\n",
                                        "// trireme " DIGITS " one*\n",
                                        "// trireme " DIGITS " one*0\n",
                                        "// trireme " DIGITS " one/0\n",
                                        "// trireme " DIGITS " one/\n",
                                        "// trireme " DIGITS " one/4*4\n",
                                        "// trireme " DIGITS " /4\n",
                                        "// trireme " DIGITS " one*99999999999999\n"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        ck_assert_msg(!symbol_of(wrong[i], 0, symbol, &shape), "%s", wrong[i]);
}
END_TEST

START_TEST(the_last_line_gives_the_threads_and_the_shared_memory_of_blocks)
{
    char symbol[CUDA_TRAILER_SYMBOL_BYTES];
    struct cuda_launch_shape shape;
    ck_assert(symbol_of("code\n// trireme by-hand one:384+197632 two*4+16\n", 0, symbol, &shape));
    ck_assert_str_eq(symbol, "one");
    ck_assert_uint_eq(shape.coarsening, 0);
    ck_assert_uint_eq(shape.threads, 384);
    ck_assert_uint_eq(shape.shared_bytes, 197632);
    ck_assert(symbol_of("code\n// trireme by-hand one:384+197632 two*4+16\n", 1, symbol, &shape));
    ck_assert_str_eq(symbol, "two");
    ck_assert_uint_eq(shape.coarsening, 4);
    ck_assert_uint_eq(shape.threads, 0);
    ck_assert_uint_eq(shape.shared_bytes, 16);
    static const char *const wrong[] = {"one:",     "one:0",  "one:1025",       "one+", "one+0",  "one+16:32",
                                        "one:32*4", ":32+16", "one+9999999999", "+16",  "one:32x"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char line[64];
        snprintf(line, sizeof(line), "// trireme by-hand %s\n", wrong[i]);
        ck_assert_msg(!symbol_of(line, 0, symbol, &shape), "%s", wrong[i]);
    }
}
END_TEST

/* ---- how many items a thread computes */

/* The groups that are launched where so many are asked for, and the number that the code is told. */
static void ck_groups(bool is_choice, uint32_t y, uint32_t asked, uint32_t launched)
{
    const struct cuda_launch_shape shape = {.coarsening = 4, .is_choice = is_choice};
    struct trm_backend_memory *memory    = on_memory(TRM_MEMORY_DEVICE, 1024);
    struct trm_backend_module *made;
    struct cuda_launch launch;
    uint32_t told;
    ck_assert_int_eq(cuda_module_create(on.device, "scale", &made), TRM_OK);
    ck_assert_msg(cuda_kernel_translated(made, &described, &shape, NULL, NULL) == TRM_OK, "%s",
                  fake.sentence);
    const struct trm_launch_argument arguments[] = {
        {.kind = TRM_PARAMETER_BUFFER, .memory = memory, .size = 256},
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32, .size = 4},
        {.kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32, .size = 4},
    };
    const struct trm_launch_desc desc = {
        .struct_size    = sizeof(desc),
        .argument_count = 3,
        .kernel         = made->kernels,
        .arguments      = arguments,
        .groups         = {asked, y, 1},
        .group_size     = {64, 1, 1},
    };
    ck_assert_int_eq(cuda_launch_build(on.device, &desc, &launch), TRM_OK);
    memcpy(&told, launch.arguments + made->kernels->groups_offset, sizeof(told));
    ck_assert_uint_eq(launch.groups[0], launched);
    ck_assert_uint_eq(told, asked);
    cuda_module_destroy(made);
    cuda_memory_ops.free(memory);
}

/* Large: a device holds no more threads than that. */
START_TEST(threads_compute_several_items_where_the_grid_is_large_and_the_code_leaves_the_choice)
{
    static const char *const settings[] = {NULL, "auto", "always", "never"};
    char reason[CUDA_REASON_BYTES];
    struct trm_backend_instance *other;
    open_with("");
    fake.coarsen = settings[_i];
    ck_assert_msg(cuda_instance_create(&fake.host, &other, reason) == TRM_OK, "%s", reason);
    on.instance->coarsening = other->coarsening;
    cuda_instance_destroy(other);
    uint32_t large = 2048u * 4u * (uint32_t)on.device->physical->units / 64u;
    bool always = _i == 2, never = _i == 3;
    ck_groups(true, 1, large - 1, always ? (large + 2) / 4 : large - 1);
    ck_groups(true, 1, large + 1, never ? large + 1 : large / 4 + 1);
    ck_groups(true, 2, large / 2, never ? large / 2 : (large / 2 + 3) / 4);
    ck_groups(true, 1, 1, 1);
    /* Only x is divided: what is left over fills no group. */
    ck_groups(true, large / 4, 7, never ? 7 : 2);
    ck_groups(true, large / 4 - 1, 7, always ? 2 : 7);
    ck_groups(true, large, 3, always ? 1 : 3);
    ck_assert_int_eq(strstr(fake.log, "kernel 'scale' of module 'scale': threads compute 4 items") != NULL,
                     !never);
    fake.log[0] = '\0';
    ck_groups(false, 1, 5, 2); /* there is no choice */
    ck_assert_str_eq(fake.log, "");
}
END_TEST

/* ---- failures on the way */

static int32_t load_either(bool is_portable)
{
    return is_portable ? load_portable() : load_text(text_of_scale);
}

START_TEST(when_memory_runs_out_nothing_is_left)
{
    open_with("");
    for (int portable = 0; portable < 2; portable++) {
        int32_t status  = TRM_ERROR_OUT_OF_HOST_MEMORY;
        uint32_t failed = 0;
        ck_assert_int_eq(load_either(portable != 0), TRM_OK); /* what was created once stays */
        cuda_module_ops.unload(module);
        for (uint64_t nth = 1; nth < 100 && status != TRM_OK; nth++) {
            int64_t before = fake.bytes;
            module         = NULL;
            fake.calls     = 0;
            fake.refuse_at = nth;
            status         = load_either(portable != 0);
            fake.refuse_at = 0;
            if (status == TRM_OK)
                break;
            failed++;
            ck_assert_int_eq(status, TRM_ERROR_OUT_OF_HOST_MEMORY);
            ck_assert_int_eq(fake.bytes, before);
        }
        ck_assert_int_eq(status, TRM_OK);
        ck_assert_uint_ge(failed, 4);
        cuda_module_ops.unload(module);
        module = NULL;
    }
}
END_TEST

START_TEST(a_failure_of_any_call_of_the_driver_is_told_with_its_name)
{
    static const char *const calls[] = {"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetParamInfo",
                                        "cuFuncLoad",         "cuFuncGetAttribute",  "cuFuncSetAttribute"};
    open_with("");
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        on_fault(calls[i], "CUDA_ERROR_OUT_OF_MEMORY");
        ck_assert_int_eq(load_portable(), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
        ck_says(calls[i]);
        ck_assert_int_eq(load_portable(), TRM_OK);
        cuda_module_ops.unload(module);
        module = NULL;
    }
}
END_TEST

START_TEST(on_a_device_that_is_lost_nothing_is_loaded)
{
    open_with("");
    on_fault("cuModuleLoadDataEx", "CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_assert_int_eq(load_portable(), TRM_ERROR_DEVICE_LOST);
    uint64_t calls = on.control->calls("cuModuleLoadDataEx");
    ck_assert_int_eq(load_portable(), TRM_ERROR_DEVICE_LOST);
    ck_says("CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_assert_uint_eq(on.control->calls("cuModuleLoadDataEx"), calls);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("portable kernels of the cuda backend");
    TCase *tests = tcase_create("modules");
    tcase_add_checked_fixture(tests, NULL, tear_down);
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_portable_kernel_is_compiled_once_where_there_is_a_cache);
    tcase_add_test(tests, code_that_the_driver_refuses_is_compiled_as_ptx);
    tcase_add_test(tests, another_failure_of_the_driver_is_none_of_the_code);
    tcase_add_test(tests, a_buffer_of_vectors_begins_where_a_vector_may);
    tcase_add_test(tests, code_that_lies_beside_a_kernel_is_used_where_it_is_of_that_kernel);
    tcase_add_test(tests, code_by_hand_is_launched_with_the_threads_and_the_shared_memory_that_it_asks_for);
    tcase_add_test(tests, code_for_other_devices_that_lies_beside_a_kernel_is_passed_over);
    tcase_add_test(tests, the_last_line_names_the_functions_and_how_many_items_their_threads_do);
    tcase_add_test(tests, the_last_line_gives_the_threads_and_the_shared_memory_of_blocks);
    tcase_add_loop_test(
        tests, threads_compute_several_items_where_the_grid_is_large_and_the_code_leaves_the_choice, 0, 4);
    tcase_add_test(tests, when_memory_runs_out_nothing_is_left);
    tcase_add_test(tests, a_failure_of_any_call_of_the_driver_is_told_with_its_name);
    tcase_add_test(tests, on_a_device_that_is_lost_nothing_is_loaded);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
