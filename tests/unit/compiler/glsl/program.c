/* Compiling GLSL with the program glslc.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl_program.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "core/object/context.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

static const char good[] = "#version 450\n"
                           "layout(local_size_x = 8) in;\n"
                           "layout(std430, binding = 0) buffer X { uint x[]; };\n"
                           "void main() { x[gl_GlobalInvocationID.x] = VALUE; }\n";

static struct trm_context *handle;
static struct base_arena arena;
static struct glsl_program_result result;

static void setup(void)
{
    folder_make();
    ck_assert_int_eq(trm_context_create(NULL, &handle), TRM_OK);
    base_arena_init(&arena, &core_context_find(handle)->allocator);
    memset(&result, 0, sizeof(result));
}

static void teardown(void)
{
    base_arena_fini(&arena);
    trm_context_destroy(handle);
    folder_remove();
}

static int32_t run(const char *program, const char *text, const struct trm_glsl_options *options)
{
    return glsl_program_run(&arena, program, text, strlen(text), "some/where.comp", options, &result);
}

/* Whether the SPIR-V contains a text. */
static bool spirv_has(const char *text)
{
    return memmem(result.bytes, result.size, text, strlen(text)) != NULL;
}

static const char *glslc(void)
{
    return glsl_program_find();
}

START_TEST(the_spirv_has_the_name_of_the_file)
{
    const char *defines[]           = {"VALUE=gl_NumWorkGroups.y"};
    struct trm_glsl_options options = {.struct_size = sizeof(options), .defines = defines, .define_count = 1};

    if (glslc() == NULL)
        return;
    ck_assert_int_eq(run(glslc(), good, &options), TRM_OK);
    ck_assert_msg(result.succeeded, "%s", result.message);
    ck_assert_str_eq(result.message, "");
    ck_assert_uint_eq(*(const uint32_t *)result.bytes, 0x07230203);
    ck_assert_uint_eq(result.size % 4, 0);
    ck_assert(spirv_has("some/where.comp"));
    ck_assert(!spirv_has("<stdin>"));
}
END_TEST

START_TEST(without_debug_information_there_is_no_name)
{
    const char *defines[]           = {"VALUE=1"};
    struct trm_glsl_options options = {
        .struct_size = sizeof(options), .flags = TRM_GLSL_NO_DEBUG, .defines = defines, .define_count = 1};

    if (glslc() == NULL)
        return;
    ck_assert_int_eq(run(glslc(), good, &options), TRM_OK);
    ck_assert(result.succeeded);
    ck_assert(!spirv_has("where.comp"));
}
END_TEST

START_TEST(a_message_has_the_file_and_the_line)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};

    if (glslc() == NULL)
        return;
    ck_assert_int_eq(run(glslc(), good, &options), TRM_OK);
    ck_assert(!result.succeeded);
    ck_assert_ptr_nonnull(strstr(result.message, "some/where.comp:4: "));
    ck_assert_ptr_null(strstr(result.message, "<stdin>"));
}
END_TEST

START_TEST(files_are_included_from_the_folder_of_the_text_and_from_those_named)
{
    static const char text[]        = "#version 450\n#include \"one.glsl\"\n#include \"other.glsl\"\n"
                                      "layout(local_size_x = ONE + OTHER) in;\nvoid main() {}\n";
    struct trm_glsl_options options = {.struct_size = sizeof(options), .include_count = 1};
    const char *folders[]           = {folder_path("below")};

    if (glslc() == NULL)
        return;
    folder_sub("below");
    folder_write("one.glsl", "#define ONE 1\n");
    folder_write("below/other.glsl", "#define OTHER 2\n");
    options.includes = folders;
    options.file     = folder_path("text.comp");
    ck_assert_int_eq(run(glslc(), text, &options), TRM_OK);
    ck_assert_msg(result.succeeded, "%s", result.message);

    options.include_count = 0;
    ck_assert_int_eq(run(glslc(), text, &options), TRM_OK);
    ck_assert(!result.succeeded);
    ck_assert_ptr_nonnull(strstr(result.message, "other.glsl"));
}
END_TEST

START_TEST(the_error_names_a_program_that_cannot_be_run)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};

    ck_assert_int_eq(run("/no/such/program", good, &options), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "/no/such/program"));
}
END_TEST

START_TEST(a_crash_differs_from_a_refusal)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};
    const char *crashes = folder_path("crashes"), *refuses = folder_path("refuses");

    folder_write("crashes", "#!/bin/sh\nkill -SEGV $$\n");
    folder_write("refuses", "#!/bin/sh\nexit 1\n");
    ck_assert_int_eq(chmod(crashes, 0700), 0);
    ck_assert_int_eq(chmod(refuses, 0700), 0);
    ck_assert_int_eq(run(crashes, good, &options), TRM_OK);
    ck_assert(!result.succeeded);
    ck_assert_int_eq(result.signal, SIGSEGV);
    ck_assert_int_eq(run(refuses, good, &options), TRM_OK);
    ck_assert(!result.succeeded);
    ck_assert_int_eq(result.signal, 0);
}
END_TEST

START_TEST(it_works_in_a_process_that_ignores_its_children)
{
    const char *defines[]           = {"VALUE=1"};
    struct trm_glsl_options options = {.struct_size = sizeof(options), .defines = defines, .define_count = 1};

    if (glslc() == NULL)
        return;
    signal(SIGCHLD, SIG_IGN);
    ck_assert_int_eq(run(glslc(), good, &options), TRM_OK);
    ck_assert(result.succeeded);
    ck_assert_uint_gt(result.size, 20);
    options.define_count = 0;
    ck_assert_int_eq(run(glslc(), good, &options), TRM_OK);
    ck_assert(!result.succeeded);
    signal(SIGCHLD, SIG_DFL);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("glsl_program");
    TCase *cases = tcase_create("glsl_program");

    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, the_spirv_has_the_name_of_the_file);
    tcase_add_test(cases, without_debug_information_there_is_no_name);
    tcase_add_test(cases, a_message_has_the_file_and_the_line);
    tcase_add_test(cases, files_are_included_from_the_folder_of_the_text_and_from_those_named);
    tcase_add_test(cases, the_error_names_a_program_that_cannot_be_run);
    tcase_add_test(cases, a_crash_differs_from_a_refusal);
    tcase_add_test(cases, it_works_in_a_process_that_ignores_its_children);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
