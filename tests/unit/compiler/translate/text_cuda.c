/* Texts of CUDA C: signatures, and which kernels are coarsened.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/compiler/translate/translated.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

static struct translated kernel;

static void translate_to(int32_t language, const char *file)
{
    int32_t status = translated_text(&kernel, translated_path(file), language, 0, NULL, 0);

    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
}

START_TEST(a_cuda_kernel_has_restricted_pointers_and_its_scalars_by_value)
{
    translate_to(TRM_LANGUAGE_CUDA, "flow/saxpy.spv");
    const char *text = kernel.text.text;
    ck_assert_ptr_nonnull(
        strstr(text, "extern \"C\" __global__ void __launch_bounds__(64) shader_kernel("
                     "const float *__restrict__ s_x, float *__restrict__ s_y, "
                     "const struct shader_kernel_arguments arguments, const uint32_t trm_groups)\n"));
    ck_assert_ptr_nonnull(
        strstr(text, "struct shader_kernel_arguments {\n    float s_a;\n    uint32_t s_n;\n};\n"));
    ck_assert_ptr_nonnull(strstr(text, "        return;\n"));
    ck_assert_str_eq(kernel.text.symbols[0], "shader_kernel");
    translated_close(&kernel);
}
END_TEST

/* Another kernel calls them, again and again, and memory changes meanwhile. */
START_TEST(a_cuda_kernel_becomes_a_function_whose_pointers_are_not_restricted)
{
    ck_assert_int_eq(translated_text(&kernel, translated_path("flow/saxpy.spv"), TRM_LANGUAGE_CUDA,
                                     TRM_TRANSLATE_FUNCTIONS, NULL, 0),
                     TRM_OK);
    const char *text = kernel.text.text;
    ck_assert_ptr_nonnull(
        strstr(text, "static __device__ __forceinline__ void shader_kernel("
                     "const float *s_x, float *s_y, "
                     "const struct shader_kernel_arguments arguments, const uint32_t trm_groups)\n"));
    ck_assert_ptr_null(strstr(text, "__global__"));
    ck_assert_ptr_null(strstr(text, "__restrict__"));
    translated_close(&kernel);
}
END_TEST

/* The last line's word of flow/rounds, behind the digest. */
static void ck_word_is(const char *file, uint32_t kind, uint32_t flags, const char *end)
{
    const struct trm_constant constant = {NULL, 0, TRM_TYPE_U32, kind};
    static const uint8_t digest[32];

    translated_close(&kernel);
    ck_assert_int_eq(translated_text(&kernel, translated_path(file), TRM_LANGUAGE_CUDA, flags, &constant, 1),
                     TRM_OK);
    kernel.request.digest = digest;
    ck_assert_int_eq(translate(&kernel.arena, &kernel.request, &kernel.text), TRM_OK);
    const char *word = strrchr(kernel.text.text, ' ');
    ck_assert_msg(word != NULL && strcmp(word + 1, end) == 0, "%s, kind %u: %s", file, kind, word);
}

/* Loops that use no buffer and run equally often for all items. */
START_TEST(a_cuda_kernel_with_even_loops_leaves_it_to_the_launch_how_many_items_a_thread_runs)
{
    static const char *const files[] = {"flow/rounds.spv", "flow/rounds_plain.spv"};

    translate_to(TRM_LANGUAGE_CUDA, files[0]);
    for (size_t i = 0; i < 2; i++)
        for (uint32_t kind = 0; kind <= 12; kind++) {
            ck_word_is(files[i], kind, 0, kind < 4 ? "shader_kernel/4\n" : "shader_kernel\n");
            ck_assert_int_eq(strstr(kernel.text.text, " shader_kernel_coarsened(") != NULL, kind < 4);
            ck_assert_ptr_nonnull(strstr(kernel.text.text, " shader_kernel("));
            ck_assert_int_eq(strstr(kernel.text.text, "trm_groups") != NULL, kind < 4);
        }
    ck_word_is("flow/rounds_inside.spv", 0, 0, "shader_kernel/4\n"); /* of a question */
    ck_word_is(files[0], 0, TRM_TRANSLATE_BOUNDS, "shader_kernel\n");
    ck_word_is(files[0], 0, TRM_TRANSLATE_FUNCTIONS, "shader_kernel\n");
    translated_close(&kernel);
}
END_TEST

/* How often a turn of a loop of flow/lockstep is told. */
static uint32_t count_turns(const char *file, uint32_t kind)
{
    const struct trm_constant constant = {NULL, 0, TRM_TYPE_U32, kind};
    uint32_t count                     = 0;
    ck_assert_int_eq(translated_text(&kernel, translated_path(file), TRM_LANGUAGE_CUDA,
                                     TRM_TRANSLATE_FUNCTIONS, &constant, 1),
                     TRM_OK);
    for (const char *at = kernel.text.text; (at = strstr(at, "TRM_TURN(++")) != NULL; at++)
        count++;
    translated_close(&kernel);
    return count;
}

/* Such a kernel that hangs would occupy the device for ever. */
START_TEST(a_function_of_cuda_tells_the_turns_of_loops_that_might_not_end)
{
    static const char *const files[] = {"flow/lockstep.spv", "flow/lockstep_plain.spv"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        ck_assert_uint_eq(count_turns(files[i], 0), 1); /* by a step that is no constant */
        ck_assert_uint_eq(count_turns(files[i], 2),
                          1); /* by 32: it may pass over the bound and wrap around */
        ck_assert_uint_eq(count_turns(files[i], 5), 0); /* one by one up to an argument */
        ck_assert_uint_eq(count_turns(files[i], 6), 1); /* do … while */
    }
}
END_TEST

START_TEST(a_thread_of_cuda_does_several_items_that_have_nothing_to_do_with_each_other)
{
    translate_to(TRM_LANGUAGE_CUDA, "flow/saxpy.spv");
    const char *text = kernel.text.text;
    ck_assert_ptr_nonnull(strstr(text, "const uint32_t first = (blockIdx.x * 64u + threadIdx.x) * 4u;\n"));
    ck_assert_ptr_nonnull(
        strstr(text, "if (blockIdx.x * 4u + threadIdx.x / 16u >= trm_groups)\n        return;\n"));
    ck_assert_ptr_nonnull(strstr(text, "if (first + 3u < arguments.s_n && "));
    ck_assert_ptr_nonnull(strstr(text, "shader_kernel_stage1("));
    translated_close(&kernel);
}
END_TEST

START_TEST(a_thread_of_cuda_does_items_below_one_another_where_groups_have_rows)
{
    translate_to(TRM_LANGUAGE_CUDA, "flow/selects.spv");
    const char *text = kernel.text.text;
    ck_assert_ptr_nonnull(strstr(text, "const uint32_t trm_item = blockIdx.x * 64u + trm_index % 64u;\n"));
    ck_assert_ptr_nonnull(strstr(text, "const uint32_t first = blockIdx.y * 4u + trm_index / 64u * 4u;\n"));
    ck_assert_ptr_nonnull(strstr(text, "if (trm_item / 16u >= trm_groups)\n        return;\n"));
    ck_assert_ptr_nonnull(strstr(text, "int whole = first + 3u < arguments.s_height;\n"));
    ck_assert_ptr_nonnull(strstr(text, "shader_kernel_leaves("));
    ck_assert_ptr_nonnull(strstr(text, "shader_kernel_stage1("));
    translated_close(&kernel);
}
END_TEST

/* With textures for all images that it samples, and without. */
START_TEST(a_thread_of_cuda_does_two_items_of_images_one_behind_the_other)
{
    translate_to(TRM_LANGUAGE_CUDA, "flow/texels.spv");
    const char *kernels[] = {strstr(kernel.text.text, " shader_kernel("),
                             strstr(kernel.text.text, " shader_kernel_textures(")};
    for (int i = 0; i < 2; i++) {
        ck_assert_ptr_nonnull(kernels[i]);
        const char *opened = strstr(kernels[i], "trm_texels_of_image(trm_words_1)");
        const char *loop   = strstr(kernels[i], "for (uint32_t i = 0; i < 2u; i++)\n");
        ck_assert(opened != NULL && loop != NULL && opened < loop);
        ck_assert_ptr_nonnull(strstr(loop, "}(first + i);\n"));
    }
    ck_assert_ptr_nonnull(strstr(kernel.text.text, " shader_kernel*2\n"));
    translated_close(&kernel);
}
END_TEST

/* The guard may admit work-items by any condition; their loads stay before their computations. */
START_TEST(a_thread_of_cuda_does_items_below_one_another_that_are_inside_of_a_question)
{
    static const char *const files[] = {"flow/inside.spv", "flow/inside_plain.spv"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        translate_to(TRM_LANGUAGE_CUDA, files[i]);
        const char *stage = strstr(kernel.text.text, "shader_kernel_stage1("),
                   *next  = strstr(stage, "shader_kernel_stage2(");
        const char *held  = strstr(stage, "asm volatile(\"\" ::\"f\"(");
        ck_assert_ptr_nonnull(strstr(kernel.text.text, "    return !v"));
        ck_assert(held != NULL && held < next);
        ck_assert_ptr_nonnull(strstr(next, "sqrtf("));
        translated_close(&kernel);
    }
}
END_TEST

START_TEST(cuda_computes_the_sine_and_the_cosine_of_one_angle_at_once)
{
    translate_to(TRM_LANGUAGE_CUDA, "flow/sines.spv");
    const char *pair   = strstr(kernel.text.text, "= trm_sincos_f32("),
               *stages = strstr(kernel.text.text, "_kept {");
    ck_assert(pair != NULL && pair < stages);
    pair = strstr(pair + 1, "= trm_sincos_f32(");
    ck_assert(pair == NULL || pair > stages);
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "trm_sin_f32("));
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "trm_cos_f32("));
    translated_close(&kernel);
}
END_TEST

/* A stage goes on behind a scope that a work-item leaves, and keeps what it made. */
START_TEST(a_stage_of_cuda_does_not_return_where_a_function_returned_early)
{
    static const char *const files[] = {"flow/early.spv", "flow/early_plain.spv"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        translate_to(TRM_LANGUAGE_CUDA, files[i]);
        const char *stage = strstr(kernel.text.text, "shader_kernel_stage1(");
        const char *end   = stage == NULL ? NULL : strstr(stage, "__global__"),
                   *jump  = strstr(stage, "return;");
        ck_assert_ptr_nonnull(end);
        ck_assert_msg(jump == NULL || jump > end, "%s", kernel.text.text);
        translated_close(&kernel);
    }
}
END_TEST

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;

    while ((text = strstr(text, part)) != NULL) {
        text += strlen(part);
        count++;
    }
    return count;
}

/* The function of one work-item has one branch around a load: that from the buffer that may be written. */
START_TEST(cuda_loads_from_a_chosen_place_where_nothing_writes)
{
    static const char *const files[] = {"flow/neighbours.spv", "flow/neighbours_plain.spv"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        translate_to(TRM_LANGUAGE_CUDA, files[i]);
        const char *begin = strstr(kernel.text.text, "shader_kernel_item("), *end = strstr(begin, "\n}\n");
        char *item = strndup(begin, (size_t)(end - begin));
        ck_assert_uint_eq(count_of(item, "] = "), 1); /* the store */
        ck_assert_uint_eq(count_of(item, "        const float "), 1);
        free(item);
        translated_close(&kernel);
    }
}
END_TEST

START_TEST(a_thread_of_cuda_does_one_item_where_there_are_barriers_or_loops)
{
    static const char *const files[] = {"flow/sgemm.spv", "flow/sgemm_plain.spv", "flow/keeps.spv",
                                        "flow/flow.spv"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        translate_to(TRM_LANGUAGE_CUDA, files[i]);
        ck_assert_msg(strstr(kernel.text.text, "trm_groups") == NULL, "%s", files[i]);
        ck_assert_msg(strstr(kernel.text.text, "threadIdx.x") != NULL, "%s", files[i]);
        translated_close(&kernel);
    }
}
END_TEST

START_TEST(a_cuda_kernel_shares_memory_and_waits_at_barriers)
{
    translate_to(TRM_LANGUAGE_CUDA, "flow/sgemm.spv");
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "__shared__ struct "));
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "__syncthreads();"));
    ck_assert_ptr_nonnull(strstr(kernel.text.text, "__launch_bounds__(256)"));
    translated_close(&kernel);
    translate_to(TRM_LANGUAGE_CUDA, "flow/saxpy.spv");
    ck_assert_ptr_null(strstr(kernel.text.text, "__shared__"));
    ck_assert_ptr_null(strstr(kernel.text.text, "__syncthreads"));
    translated_close(&kernel);
}
END_TEST

START_TEST(nvcc_takes_the_text_without_a_word)
{
    static const char *const files[] = {
        "flow/saxpy.spv", "flow/sgemm_plain.spv", "flow/flow.spv",   "flow/flow_plain.spv",
        "flow/keeps.spv", "flow/groups.spv",      "flow/inside.spv", "flow/neighbours_plain.spv",
        "flow/texels.spv"};

    if (system("nvcc --version >/dev/null 2>&1") != 0)
        return;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char command[2 * PATH_MAX];
        translate_to(TRM_LANGUAGE_CUDA, files[i]);
        folder_make();
        folder_write_bytes("text.cu", kernel.text.text, kernel.text.length);
        snprintf(command, sizeof(command),
                 "cd '%s' && nvcc --ptx -arch=sm_90 -Werror all-warnings text.cu -o text.ptx >nvcc.log 2>&1 "
                 "</dev/null && "
                 "test ! -s nvcc.log",
                 folder);
        ck_assert_msg(system(command) == 0, "%s", files[i]);
        folder_remove();
        translated_close(&kernel);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated text of CUDA");
    TCase *tests = tcase_create("texts");

    if (getenv("TEST_EMULATOR") != NULL) /* a text is the same on every processor */
        return NULL;
    tcase_set_timeout(tests, 240);
    suite_add_tcase(suite, tests);
    tcase_add_test(tests, a_cuda_kernel_has_restricted_pointers_and_its_scalars_by_value);
    tcase_add_test(tests, a_cuda_kernel_becomes_a_function_whose_pointers_are_not_restricted);
    tcase_add_test(tests, a_cuda_kernel_with_even_loops_leaves_it_to_the_launch_how_many_items_a_thread_runs);
    tcase_add_test(tests, a_function_of_cuda_tells_the_turns_of_loops_that_might_not_end);
    tcase_add_test(tests, a_thread_of_cuda_does_several_items_that_have_nothing_to_do_with_each_other);
    tcase_add_test(tests, a_thread_of_cuda_does_items_below_one_another_where_groups_have_rows);
    tcase_add_test(tests, a_thread_of_cuda_does_two_items_of_images_one_behind_the_other);
    tcase_add_test(tests, a_thread_of_cuda_does_items_below_one_another_that_are_inside_of_a_question);
    tcase_add_test(tests, cuda_computes_the_sine_and_the_cosine_of_one_angle_at_once);
    tcase_add_test(tests, a_stage_of_cuda_does_not_return_where_a_function_returned_early);
    tcase_add_test(tests, cuda_loads_from_a_chosen_place_where_nothing_writes);
    tcase_add_test(tests, a_thread_of_cuda_does_one_item_where_there_are_barriers_or_loops);
    tcase_add_test(tests, a_cuda_kernel_shares_memory_and_waits_at_barriers);
    tcase_add_test(tests, nvcc_takes_the_text_without_a_word);
    return suite;
}

UNIT_SUITE(make_suite)
