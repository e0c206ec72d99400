/* Compiling GLSL: options, messages, and systems without a compiler.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl.h"

#include <spirv/unified1/spirv.h>

#include "compiler/glsl/glsl_program.h"
#include "core/object/context.h"
#include "tests/unit/counting.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

static const char *const no_libraries[]    = {"libno-such-library.so.7", "libnor-this-one.so", NULL};
static const char *const wrong_libraries[] = {"libm.so.6", NULL};

static const char plain[] = "#version 450\n"
                            "layout(local_size_x = SIZE) in;\n"
                            "layout(std430, binding = 0) buffer Data { uint data[]; };\n"
                            "void main() { data[gl_GlobalInvocationID.x] = VALUE; }\n";

static struct trm_context *handle;
static struct counting counting;
static struct base_arena arena;
static char logged[8192];
static uint64_t seconds; /* the limit of time */

static void log_line(void *user, int32_t level, const char *message)
{
    size_t length = strlen(logged);
    (void)user;
    snprintf(logged + length, sizeof(logged) - length, "%d%s\n", level, message);
}

static void setup(void)
{
    struct trm_allocator allocator = counting_allocator(&counting);
    struct trm_context_desc desc   = {.struct_size = sizeof(desc),
                                      .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
                                      .log         = log_line,
                                      .allocator   = &allocator};
    seconds                        = 0;
    folder_make();
    ck_assert_int_eq(trm_context_create(&desc, &handle), TRM_OK);
    base_arena_init(&arena, &core_context_find(handle)->allocator);
}

static void teardown(void)
{
    base_arena_fini(&arena);
    trm_context_destroy(handle);
    counting_is_balanced(&counting);
    folder_remove();
}

static const uint32_t *words;
static uint64_t size;

static int32_t compile_with(const char *const *libraries, const char *text,
                            const struct trm_glsl_options *options)
{
    static char supervisor[PATH_MAX];
    const char *builddir = getenv("top_builddir");
    ck_assert_msg(builddir != NULL, "the environment variable top_builddir is not set: run by `make check`");
    snprintf(supervisor, sizeof(supervisor), "%s/base/program/supervise", builddir);
    struct base_program_rules rules = {.supervisor = supervisor, .seconds = seconds};
    struct glsl_source source       = {.arena     = &arena,
                                       .log       = &core_context_find(handle)->log,
                                       .libraries = libraries,
                                       .rules     = &rules,
                                       .text      = text,
                                       .length    = strlen(text),
                                       .name      = "text",
                                       .options   = options};
    const void *bytes               = NULL;
    int32_t status                  = glsl_compile(&source, &bytes, &size);
    words                           = bytes;
    return status;
}

static int32_t compile(const char *text, const struct trm_glsl_options *options)
{
    return compile_with(glsl_libraries, text, options);
}

/* True on systems without a GLSL compiler, where most tests are skipped. */
static bool is_missing(void)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};
    return compile("#version 450\nvoid main() {}\n", &options) == TRM_ERROR_UNSUPPORTED;
}

static void compiles(const char *text, const struct trm_glsl_options *options)
{
    ck_assert_msg(compile(text, options) == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert_uint_eq(words[0], SpvMagicNumber);
    ck_assert_uint_eq(words[1], 0x00010300);
}

static void says(const char *sentence)
{
    ck_assert_msg(strstr(trm_last_error().sentence, sentence) != NULL, "\"%s\" is not in: %s", sentence,
                  trm_last_error().sentence);
}

/* The number of instructions with this opcode. */
static int count_of(uint32_t opcode)
{
    int count = 0;
    for (uint64_t at = 5; at < size / 4; at += words[at] >> 16) {
        ck_assert_uint_ne(words[at] >> 16, 0);
        count += (words[at] & 0xffff) == opcode;
    }
    return count;
}

/* ---- without a compiler ---- */

START_TEST(without_a_library_the_sentence_says_what_to_install)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};
    ck_assert_int_eq(compile_with(no_libraries, plain, &options), TRM_ERROR_UNSUPPORTED);
    says("libshaderc");
    says("Debian");
    ck_assert_ptr_null(words);
}
END_TEST

START_TEST(a_library_that_lacks_a_function_is_not_used)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};
    ck_assert_int_eq(compile_with(wrong_libraries, plain, &options), TRM_ERROR_UNSUPPORTED);
    says("libm.so.6");
    says("shaderc_");
}
END_TEST

/* ---- limits ---- */

/* Macros that double forty times: a preprocessor takes hours. */
START_TEST(a_text_that_takes_for_ever_fails_with_the_setting)
{
    char text[2048]                 = "#version 450\n#define A0 1+\n";
    struct trm_glsl_options options = {.struct_size = sizeof(options)};
    if (glsl_program_find() == NULL)
        return;
    for (int i = 1; i <= 40; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "#define A%d A%d A%d\n", i, i - 1, i - 1);
    strcat(text, "void main() { uint a = A40 1; }\n");
    seconds = 1;
    ck_assert_int_eq(compile(text, &options), TRM_ERROR_TIMEOUT);
    says("compiler.time");
}
END_TEST

/* ---- options ---- */

START_TEST(definitions_have_a_value_or_none)
{
    const char *defines[]           = {"SIZE=32", "VALUE=gl_LocalInvocationID.x + 1", "EMPTY"};
    struct trm_glsl_options options = {.struct_size = sizeof(options), .defines = defines, .define_count = 2};
    if (is_missing())
        return;
    compiles(plain, &options);
    options.define_count = 3;
    compiles("#version 450\n#ifndef EMPTY\n#error not there\n#endif\nvoid main() {}\n", &options);
    options.define_count = 2;
    ck_assert_int_eq(
        compile("#version 450\n#ifndef EMPTY\n#error not there\n#endif\nvoid main() {}\n", &options),
        TRM_ERROR_INVALID_ARGUMENT);
    says("not there");
}
END_TEST

START_TEST(names_and_lines_are_kept_unless_they_are_not_wanted)
{
    const char *defines[]           = {"SIZE=32", "VALUE=7"};
    struct trm_glsl_options options = {
        .struct_size = sizeof(options), .defines = defines, .define_count = 2, .file = "some/where.comp"};
    if (is_missing())
        return;
    compiles(plain, &options);
    ck_assert_int_gt(count_of(SpvOpName), 0);
    ck_assert_int_gt(count_of(SpvOpLine), 0);
    options.flags = TRM_GLSL_NO_DEBUG;
    compiles(plain, &options);
    ck_assert_int_eq(count_of(SpvOpName), 0);
    ck_assert_int_eq(count_of(SpvOpLine), 0);
}
END_TEST

START_TEST(unoptimised_code_keeps_calls)
{
    static const char text[]        = "#version 450\n"
                                      "layout(std430, binding = 0) buffer Data { uint data[]; };\n"
                                      "uint twice(uint x) { return x * 2; }\n"
                                      "void main() { uint a = data[0]; uint b = twice(a); data[1] = b; }\n";
    struct trm_glsl_options options = {.struct_size = sizeof(options), .flags = TRM_GLSL_UNOPTIMIZED};
    if (is_missing())
        return;
    compiles(text, &options);
    ck_assert_int_eq(count_of(SpvOpFunctionCall), 1);
    options.flags = 0;
    compiles(text, &options);
    ck_assert_int_eq(count_of(SpvOpFunctionCall), 0);
}
END_TEST

/* ---- messages ---- */

START_TEST(an_error_has_its_file_and_line_and_the_log_has_them_all)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options), .file = "some/where.comp"};
    if (is_missing())
        return;
    ck_assert_int_eq(
        compile("#version 450\nvoid main() {\n  a = 1;\n  b = 2;\n  c = 3;\n  d = 4;\n}\n", &options),
        TRM_ERROR_INVALID_ARGUMENT);
    says("some/where.comp:3");
    ck_assert_ptr_null(strstr(trm_last_error().sentence, "\n"));
    ck_assert_ptr_nonnull(strstr(logged, "1some/where.comp:6"));
    options.file = NULL;
    ck_assert_int_eq(compile("#version 450\nvoid main() { a = 1; }\n", &options), TRM_ERROR_INVALID_ARGUMENT);
    says("text:2");
    ck_assert_ptr_null(strstr(trm_last_error().sentence, "#version"));
}
END_TEST

START_TEST(a_text_without_a_version_is_told_to_begin_with_one)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};
    if (is_missing())
        return;
    ck_assert_int_eq(compile("layout(local_size_x = 64) in;\nvoid main() {}\n", &options),
                     TRM_ERROR_INVALID_ARGUMENT);
    says("its first line has to be a #version, such as #version 450");
    ck_assert_ptr_null(strstr(trm_last_error().sentence, "error:")); /* the compiler's words are no help */
    ck_assert_int_eq(compile("int version = 1;\n", &options), TRM_ERROR_INVALID_ARGUMENT);
    says("its first line has to be a #version, such as #version 450");
    ck_assert_int_eq(compile("\n # version 450\nvoid main() { z = 1; }\n", &options),
                     TRM_ERROR_INVALID_ARGUMENT);
    says("error:");
}
END_TEST

START_TEST(an_error_in_an_included_file_has_that_files_name)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options), .file = folder_path("main.comp")};
    if (is_missing())
        return;
    folder_sub("below");
    folder_write("below/one.h", "#include \"two.h\"\n");
    folder_write("below/two.h", "uint wrong() { return nothing; }\n");
    ck_assert_int_eq(compile("#version 450\n#extension GL_GOOGLE_include_directive : enable\n"
                             "#include \"below/one.h\"\nvoid main() {}\n",
                             &options),
                     TRM_ERROR_INVALID_ARGUMENT);
    says("below/two.h:1");
    says("nothing");
}
END_TEST

START_TEST(the_error_names_a_missing_file)
{
    const char *includes[]          = {folder};
    struct trm_glsl_options options = {
        .struct_size = sizeof(options), .includes = includes, .include_count = 1};
    if (is_missing())
        return;
    ck_assert_int_eq(compile("#version 450\n#extension GL_GOOGLE_include_directive : enable\n"
                             "#include \"nowhere.h\"\nvoid main() {}\n",
                             &options),
                     TRM_ERROR_INVALID_ARGUMENT);
    says("nowhere.h");
    folder_write("nowhere.h", "\n");
    compiles("#version 450\n#extension GL_GOOGLE_include_directive : enable\n#include \"nowhere.h\"\nvoid "
             "main() {}\n",
             &options);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("GLSL");
    TCase *cases = tcase_create("GLSL");

    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, without_a_library_the_sentence_says_what_to_install);
    tcase_add_test(cases, a_library_that_lacks_a_function_is_not_used);
    tcase_add_test(cases, a_text_that_takes_for_ever_fails_with_the_setting);
    tcase_add_test(cases, definitions_have_a_value_or_none);
    tcase_add_test(cases, names_and_lines_are_kept_unless_they_are_not_wanted);
    tcase_add_test(cases, unoptimised_code_keeps_calls);
    tcase_add_test(cases, an_error_has_its_file_and_line_and_the_log_has_them_all);
    tcase_add_test(cases, a_text_without_a_version_is_told_to_begin_with_one);
    tcase_add_test(cases, an_error_in_an_included_file_has_that_files_name);
    tcase_add_test(cases, the_error_names_a_missing_file);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
