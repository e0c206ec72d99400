/* The translated text: structs, tables, signatures, names.
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

static void translate_to_name(const char *name, const char *file)
{
    struct translate_request request;
    struct translate_result result;

    translate_to(TRM_LANGUAGE_C, file);
    request      = kernel.request;
    request.name = name;
    ck_assert_int_eq(translate(&kernel.arena, &request, &result), TRM_OK);
    kernel.text = result;
}

/* Compares the text's structs, under other names, with those of the headers. */
static const char beside[] =
    "#define trm_cpu_buffer text_cpu_buffer\n"
    "#define trm_cpu_groups text_cpu_groups\n"
    "#define trm_cpu_fault text_cpu_fault\n"
    "#define trm_parameter text_parameter\n"
    "#define trm_cpu_kernel text_cpu_kernel\n"
    "#define trm_cpu_kernel_table text_cpu_kernel_table\n"
    "#define trm_image_words text_image_words\n"
    "#define trm_image_level text_image_level\n"
    "#define trm_image_layout text_image_layout\n"
    "#include \"text.c\"\n"
    "#undef trm_cpu_buffer\n"
    "#undef trm_cpu_groups\n"
    "#undef trm_cpu_fault\n"
    "#undef trm_parameter\n"
    "#undef trm_cpu_kernel\n"
    "#undef trm_cpu_kernel_table\n"
    "#undef trm_image_words\n"
    "#undef trm_image_level\n"
    "#undef trm_image_layout\n"
    "#include <trireme/cpu_kernel.h>\n"
    "#include <trireme/image_layout.h>\n"
    "#define SIZE(name) _Static_assert(sizeof(struct text_##name) == sizeof(struct trm_##name), #name)\n"
    "#define SAME(name, member) \\\n"
    "    _Static_assert(offsetof(struct text_##name, member) == offsetof(struct trm_##name, member) && \\\n"
    "                       sizeof(((struct text_##name *)0)->member) == sizeof(((struct trm_##name "
    "*)0)->member), \\\n"
    "                   #name \".\" #member)\n"
    "SIZE(cpu_buffer);\n"
    "SAME(cpu_buffer, data);\nSAME(cpu_buffer, size);\n"
    "SIZE(cpu_groups);\n"
    "SAME(cpu_groups, struct_size);\nSAME(cpu_groups, worker);\nSAME(cpu_groups, begin);\nSAME(cpu_groups, "
    "end);\n"
    "SAME(cpu_groups, groups);\nSAME(cpu_groups, group_size);\nSAME(cpu_groups, scratch);\n"
    "SAME(cpu_groups, scratch_bytes);\n"
    "#ifdef WITH_FAULT\n"
    "SIZE(cpu_fault);\n"
    "SAME(cpu_fault, struct_size);\nSAME(cpu_fault, reserved);\nSAME(cpu_fault, what);\n"
    "SAME(cpu_fault, where);\nSAME(cpu_fault, index);\nSAME(cpu_fault, size);\n"
    "#endif\n"
    "#ifdef WITH_IMAGES\n"
    "SIZE(image_words);\n"
    "SAME(image_words, data);\nSAME(image_words, state);\n"
    "SIZE(image_level);\n"
    "SAME(image_level, offset);\nSAME(image_level, row_pitch);\nSAME(image_level, slice_pitch);\n"
    "SAME(image_level, width);\nSAME(image_level, height);\nSAME(image_level, depth);\n"
    "SIZE(image_layout);\n"
    "SAME(image_layout, type);\nSAME(image_layout, format);\nSAME(image_layout, layers);\n"
    "SAME(image_layout, levels);\nSAME(image_layout, level);\n"
    "#endif\n"
    "SIZE(parameter);\n"
    "SAME(parameter, name);\nSAME(parameter, kind);\nSAME(parameter, type);\nSAME(parameter, access);\n"
    "SAME(parameter, components);\nSAME(parameter, size);\nSAME(parameter, stride);\nSAME(parameter, set);\n"
    "SAME(parameter, place);\n"
    "SIZE(cpu_kernel);\n"
    "SAME(cpu_kernel, name);\nSAME(cpu_kernel, function);\nSAME(cpu_kernel, parameters);\n"
    "SAME(cpu_kernel, parameter_count);\nSAME(cpu_kernel, group_size);\nSAME(cpu_kernel, shared_bytes);\n"
    "SAME(cpu_kernel, grain);\nSAME(cpu_kernel, scratch_bytes);\nSAME(cpu_kernel, reserved);\n"
    "SIZE(cpu_kernel_table);\n"
    "SAME(cpu_kernel_table, struct_size);\nSAME(cpu_kernel_table, kernel_size);\nSAME(cpu_kernel_table, "
    "count);\n"
    "SAME(cpu_kernel_table, reserved);\nSAME(cpu_kernel_table, kernels);\nSAME(cpu_kernel_table, digest);\n";

/* Only with bounds is there a struct for faults, and only with images there are structs for those. */
START_TEST(the_structs_in_the_text_are_those_of_the_headers)
{
    char command[3 * PATH_MAX];
    const char *compiler = getenv("CC");

    ck_assert_int_eq(translated_text(&kernel, translated_path(_i == 2 ? "ops_image.spv" : "flow/saxpy.spv"),
                                     TRM_LANGUAGE_C, _i == 1 ? TRM_TRANSLATE_BOUNDS : 0, NULL, 0),
                     TRM_OK);
    folder_make();
    folder_write_bytes("text.c", kernel.text.text, kernel.text.length);
    folder_write("beside.c", beside);
    snprintf(command, sizeof(command), "cd '%s' && %s -std=gnu11 -I'%s'%s -c beside.c -o beside.o", folder,
             compiler == NULL || compiler[0] == '\0' ? "cc" : compiler, translated_path("../../../include"),
             _i == 1   ? " -DWITH_FAULT"
             : _i == 2 ? " -DWITH_IMAGES"
                       : "");
    ck_assert_int_eq(system(command), 0);
    folder_remove();
    translated_close(&kernel);
}
END_TEST

START_TEST(the_table_says_what_the_module_is_and_takes)
{
    translated_open(&kernel, translated_path("flow/saxpy.spv"), 0, NULL, 0);
    const struct trm_cpu_kernel_table *table = kernel.table;
    ck_assert_uint_eq(table->struct_size, sizeof(*table));
    ck_assert_uint_eq(table->kernel_size, sizeof(table->kernels[0]));
    ck_assert_uint_eq(table->count, 1);
    ck_assert_ptr_nonnull(table->digest);
    for (uint32_t i = 0; i < 32; i++)
        ck_assert_uint_eq(table->digest[i], (uint8_t)(i * 7 + 1));
    const struct trm_cpu_kernel *row = table->kernels;
    ck_assert_str_eq(row->name, "shader");
    ck_assert_uint_eq(row->group_size[0], 64);
    ck_assert_uint_eq(row->group_size[1], 1);
    ck_assert_uint_eq(row->group_size[2], 1);
    ck_assert_uint_eq(row->shared_bytes, 0);
    ck_assert_uint_eq(row->scratch_bytes, 0);
    ck_assert_uint_eq(row->parameter_count, 4);
    ck_assert_str_eq(row->parameters[0].name, "x");
    ck_assert_int_eq(row->parameters[0].kind, TRM_PARAMETER_BUFFER);
    ck_assert_int_eq(row->parameters[0].type, TRM_TYPE_F32);
    ck_assert_uint_eq(row->parameters[0].access, TRM_ACCESS_READ);
    ck_assert_uint_eq(row->parameters[0].stride, 4);
    ck_assert_str_eq(row->parameters[1].name, "y");
    ck_assert_uint_eq(row->parameters[1].access, TRM_ACCESS_READ | TRM_ACCESS_WRITE);
    ck_assert_uint_eq(row->parameters[1].place, 1);
    ck_assert_str_eq(row->parameters[2].name, "a");
    ck_assert_int_eq(row->parameters[2].kind, TRM_PARAMETER_SCALAR);
    ck_assert_str_eq(row->parameters[3].name, "n");
    ck_assert_int_eq(row->parameters[3].type, TRM_TYPE_U32);
    ck_assert_uint_eq(row->parameters[3].place, 4);
    translated_close(&kernel);
}
END_TEST

START_TEST(the_table_says_how_much_memory_a_group_needs)
{
    translated_open(&kernel, translated_path("flow/sgemm.spv"), 0, NULL, 0);
    ck_assert_uint_eq(kernel.table->kernels[0].shared_bytes, 2 * 16 * 16 * sizeof(float));
    ck_assert_uint_eq(kernel.table->kernels[0].scratch_bytes, 16 * 16 * sizeof(float));
    translated_close(&kernel);
}
END_TEST

/* Another compiler, if there is one, accepts the text without warnings too. */
START_TEST(clang_takes_the_text_without_a_word)
{
    static const char *const files[] = {"flow/saxpy.spv", "flow/sgemm_plain.spv", "flow/flow.spv",
                                        "flow/flow_plain.spv", "flow/keeps.spv"};

    if (system("clang --version >/dev/null 2>&1") != 0)
        return;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        char command[2 * PATH_MAX];
        translate_to(TRM_LANGUAGE_C, files[i]);
        folder_make();
        folder_write_bytes("text.c", kernel.text.text, kernel.text.length);
        snprintf(command, sizeof(command),
                 "cd '%s' && clang -std=gnu11 -O3 -Wall -Wextra -Werror -c text.c -o text.o", folder);
        ck_assert_msg(system(command) == 0, "%s", files[i]);
        folder_remove();
        translated_close(&kernel);
    }
}
END_TEST

/* Whatever an entry point is called, its text compiles. Headers of C declare some of these names. */
START_TEST(a_kernel_may_have_any_name)
{
    static const char *const all[] = {"strdup",    "memccpy",   "ffsl", "NAN",     "NULL",  "int",   "main",
                                      "INT32_MAX", "TRM_ITEMS", "M_PI", "trm_row", "linux", "a b-c", "42"};
    char command[PATH_MAX + 600];
    size_t length        = 0;
    const char *compiler = getenv("CC");

    folder_make();
    length += (size_t)snprintf(command, sizeof(command),
                               "cd '%s' && %.100s -std=gnu11 -Wall -Wextra -Werror -fsyntax-only", folder,
                               compiler == NULL || compiler[0] == '\0' ? "cc" : compiler);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        char file[32];
        translate_to_name(all[i], "flow/saxpy.spv");
        ck_assert_ptr_nonnull(strstr(kernel.text.symbols[0], "_kernel"));
        snprintf(file, sizeof(file), "%zu.c", i);
        folder_write_bytes(file, kernel.text.text, kernel.text.length);
        length += (size_t)snprintf(command + length, sizeof(command) - length, " %s", file);
        translated_close(&kernel);
    }
    ck_assert_int_eq(system(command), 0);
    folder_remove();
}
END_TEST

/* Names of the shader begin with s_, which no macro and no function of the headers does. */
START_TEST(no_header_of_the_text_has_a_name_like_the_shaders)
{
    char command[PATH_MAX + 600];
    const char *compiler = getenv("CC");

    folder_make();
    translate_to(TRM_LANGUAGE_C, "flow/saxpy.spv");
    folder_write_bytes("text.c", kernel.text.text,
                       strstr(kernel.text.text, "struct trm_cpu_buffer") - kernel.text.text);
    snprintf(
        command, sizeof(command),
        "cd '%s' && { %.100s -std=gnu11 -march=native -E -dD text.c || exit 9; } | "
        "grep -E "
        "'(^|[^A-Za-z0-9_])(s_[A-Za-z]|v[0-9]+[^A-Za-z0-9_]|at_[0-9]|[A-Za-z0-9_]+_kernel[^A-Za-z0-9_])' | "
        "grep -v '^# '",
        folder, compiler == NULL || compiler[0] == '\0' ? "cc" : compiler);
    ck_assert_int_eq(WEXITSTATUS(system(command)), 1); /* grep found nothing */
    folder_remove();
    translated_close(&kernel);
}
END_TEST

/* ---- limits */

static void refuse_limit(const struct translate_request *like, const char *part)
{
    struct translate_request request = *like;
    struct translate_result result;

    ck_assert_int_eq(translate(&kernel.arena, &request, &result), TRM_ERROR_UNSUPPORTED);
    ck_assert_msg(strstr(trm_last_error().sentence, part) != NULL, "%s", trm_last_error().sentence);
}

START_TEST(a_limit_of_a_translation_is_named_with_its_setting)
{
    translate_to(TRM_LANGUAGE_C, "flow/saxpy.spv");
    struct translate_request request = kernel.request;
    request.instruction_limit        = 3;
    refuse_limit(&request, "more than 3 instructions");
    refuse_limit(&request, "kernel.instructions");
    request.instruction_limit = 0;
    request.text_limit        = 2000;
    refuse_limit(&request, "2000 bytes of C");
    kernel.arena.failed = false;
    refuse_limit(&request, "kernel.text");
    translated_close(&kernel);
}
END_TEST

/* ---- many ids */

/* The struct of spilled values, without the digits of names that contain ids. */
static void copy_kept(char *kept, size_t capacity, const struct translate_result *result)
{
    const char *from = strstr(result->text, "_kept {"), *end = from ? strstr(from, "};") : NULL;
    size_t length = 0;

    ck_assert_ptr_nonnull(end);
    for (; from < end && length + 1 < capacity; from++)
        if (*from < '0' || *from > '9')
            kept[length++] = *from;
    kept[length] = '\0';
}

START_TEST(what_is_spilled_does_not_depend_on_the_number_of_ids)
{
    char expected[512], kept[512];

    translate_to(TRM_LANGUAGE_C, "flow/spills_plain.spv");
    copy_kept(expected, sizeof(expected), &kernel.text);
    uint32_t *words = base_arena_allocate(&kernel.arena, kernel.request.word_count, sizeof(*words));
    ck_assert_ptr_nonnull(words);
    memcpy(words, kernel.request.words, kernel.request.word_count * sizeof(*words));
    kernel.request.words = words;
    for (uint32_t i = 0; i < 64; i++) {
        struct translate_result result;
        words[3]++; /* the bound of ids: the tables of the passes grow elsewhere */
        ck_assert_int_eq(translate(&kernel.arena, &kernel.request, &result), TRM_OK);
        copy_kept(kept, sizeof(kept), &result);
        ck_assert_str_eq(kept, expected);
    }
    translated_close(&kernel);
}
END_TEST

/* ---- what cannot be */

START_TEST(a_language_that_there_is_not_is_refused)
{
    ck_assert_int_eq(translated_text(&kernel, translated_path("flow/saxpy.spv"), 7, 0, NULL, 0),
                     TRM_ERROR_INVALID_ARGUMENT);
    translated_close(&kernel);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("translated text");
    TCase *tests = tcase_create("text");

    if (!translated_can_compile())
        return NULL;
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, the_structs_in_the_text_are_those_of_the_headers, 0, 3);
    suite_add_tcase(suite, tests);
    if (getenv("TEST_EMULATOR") != NULL) /* a text is the same on every processor */
        return suite;
    tcase_add_test(tests, the_table_says_what_the_module_is_and_takes);
    tcase_add_test(tests, the_table_says_how_much_memory_a_group_needs);
    tcase_add_test(tests, clang_takes_the_text_without_a_word);
    tcase_add_test(tests, a_kernel_may_have_any_name);
    tcase_add_test(tests, no_header_of_the_text_has_a_name_like_the_shaders);
    tcase_add_test(tests, a_limit_of_a_translation_is_named_with_its_setting);
    tcase_add_test(tests, what_is_spilled_does_not_depend_on_the_number_of_ids);
    tcase_add_test(tests, a_language_that_there_is_not_is_refused);
    return suite;
}

UNIT_SUITE(make_suite)
