/* Compiling GLSL with the program glslc.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl_program.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "compiler/glsl/glsl_gather.h"
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
static struct base_program_rules rules;
static char supervisor[PATH_MAX];

static void setup(void)
{
    const char *builddir = getenv("top_builddir");
    ck_assert_msg(builddir != NULL, "the environment variable top_builddir is not set: run by `make check`");
    snprintf(supervisor, sizeof(supervisor), "%s/base/program/supervise", builddir);
    rules =
        (struct base_program_rules){.supervisor = supervisor, .seconds = 200, .memory = UINT64_C(1) << 31};
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
    const char *file          = options->file != NULL ? options->file : "some/where.comp";
    struct glsl_source source = {.arena   = &arena,
                                 .rules   = &rules,
                                 .text    = text,
                                 .length  = strlen(text),
                                 .name    = file,
                                 .options = options};
    return glsl_program_run(&source, program, file, &result);
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
    ck_assert(!spirv_has(GLSL_GATHERED));
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
    ck_assert_ptr_null(strstr(result.message, GLSL_GATHERED));
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

/* Compiles with the includes given, in a current folder that has a file of the same name. */
static void includes(const char *text, struct trm_glsl_options *options, bool is_found)
{
    ck_assert_int_eq(chdir(folder_path("current")), 0);
    ck_assert_int_eq(run(glslc(), text, options), TRM_OK);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_msg(result.succeeded == is_found, "%s", result.message);
}

START_TEST(the_current_folder_is_not_searched)
{
    static const char text[] = "#version 450\n#include \"size.glsl\"\nlayout(local_size_x = SIZE) in;\n"
                               "void main() {}\n";
    char named[PATH_MAX];
    const char *folders[]           = {named};
    struct trm_glsl_options options = {.struct_size = sizeof(options), .includes = folders};

    if (glslc() == NULL)
        return;
    snprintf(named, sizeof(named), "%s", folder_path("named"));
    folder_sub("current");
    folder_sub("named");
    folder_sub("beside");
    folder_write("current/size.glsl", "#error the current folder\n");
    includes(text, &options, false);
    ck_assert_ptr_nonnull(strstr(result.message, "size.glsl was not found"));
    ck_assert_ptr_nonnull(strstr(result.message, "some/where.comp:2:"));
    folder_write("named/size.glsl", "#define SIZE 4\n");
    options.include_count = 1;
    includes(text, &options, true);
    options.file = folder_path("beside/text.comp");
    includes(text, &options, true);
    folder_write("beside/size.glsl", "#error beside\n");
    includes(text, &options, false);
    ck_assert_ptr_nonnull(strstr(result.message, folder_path("beside/size.glsl:1:")));
    options.file = "text.comp"; /* its folder is the current one */
    includes(text, &options, false);
    ck_assert_ptr_nonnull(strstr(result.message, "the current folder"));
}
END_TEST

/* What is included must come to an end, whatever the files are. */
static void refuses(const char *text, const char *words)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options), .file = folder_path("text.comp")};

    ck_assert_msg(run(glslc(), text, &options) == TRM_OK, "%s", trm_last_error().sentence);
    ck_assert(!result.succeeded);
    ck_assert_msg(strstr(result.message, words) != NULL, "\"%s\" is not in: %s", words, result.message);
}

START_TEST(files_that_include_each_other_and_what_is_no_file_are_refused)
{
    if (glslc() == NULL)
        return;
    folder_write("itself.glsl", "#include \"itself.glsl\"\n");
    refuses("#version 450\n#include \"itself.glsl\"\nvoid main() {}\n", "includes are nested too deep");
    folder_write("text.comp", "#include \"text.comp\"\n");
    refuses("#version 450\n#include \"text.comp\"\nvoid main() {}\n", "includes are nested too deep");
    ck_assert_int_eq(mkfifo(folder_path("fifo.glsl"), 0600), 0);
    refuses("#version 450\n#include \"fifo.glsl\"\nvoid main() {}\n", "fifo.glsl is not a regular file");
    ck_assert_int_eq(symlink("/dev/zero", folder_path("zero.glsl")), 0);
    refuses("#version 450\n#include \"zero.glsl\"\nvoid main() {}\n", "zero.glsl is not a regular file");
    refuses("#version 450\n#include \"/dev/zero\"\nvoid main() {}\n", "/dev/zero is not a regular file");
    folder_sub("sub.glsl");
    refuses("#version 450\n#include \"sub.glsl\"\nvoid main() {}\n", "Is a directory");
    int big = open(folder_path("big.glsl"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ck_assert_int_eq(ftruncate(big, (16 << 20) + 1), 0);
    close(big);
    refuses("#version 450\n#include \"big.glsl\"\nvoid main() {}\n", "File too large");
}
END_TEST

START_TEST(files_that_include_each_other_with_guards_compile)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options), .file = folder_path("text.comp")};

    if (glslc() == NULL)
        return;
    folder_sub("sub");
    folder_write("one.glsl",
                 "#ifndef ONE\n#define ONE\n#include \"sub/two.glsl\"\n#include <three.glsl>\n#endif\n");
    folder_write("sub/two.glsl", "#ifndef TWO\n#define TWO 7\n#include \"../one.glsl\"\n#endif\n");
    folder_write("sub/three.glsl", "#define THREE 1\n");
    options.includes      = (const char *[]){folder_path("sub")};
    options.include_count = 1;
    ck_assert_int_eq(run(glslc(),
                         "#version 450\n#if 0\n#include \"none.glsl\"\n#endif\n"
                         "/* #include \"none.glsl\" */ // #include \"none.glsl\"\n"
                         "  # /* a */ include /* b */ \"one.glsl\" // c\n#inc\\\nlude \\\n\"one.glsl\"\n"
                         "layout(local_size_x = TWO + THREE) in;\nvoid main() {}\n",
                         &options),
                     TRM_OK);
    ck_assert_msg(result.succeeded, "%s", result.message);
    ck_assert(!spirv_has(GLSL_GATHERED));
}
END_TEST

START_TEST(many_includes_that_double_at_each_level_come_to_an_end)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options), .file = folder_path("text.comp")};

    if (glslc() == NULL)
        return;
    rules.seconds = 1;
    rules.memory  = 256u << 20;
    folder_write("twice.glsl", "#include \"twice.glsl\"\n#include \"twice.glsl\"\n");
    int32_t status = run(glslc(), "#version 450\n#include \"twice.glsl\"\nvoid main() {}\n", &options);
    if (status == TRM_OK)
        ck_assert(!result.succeeded);
    else
        ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "compiler."));
}
END_TEST

/* The memory that this takes grows with the text, not with its square. */
START_TEST(a_directive_of_very_many_lines_is_refused_at_its_line)
{
    static const char begin[] = "#version 450\n#include ", end[] = "\"missing\"\nvoid main() {}\n";
    enum {
        LINES = 40000
    };
    char *text = calloc(sizeof(begin) + sizeof(end) + 2 * LINES, 1), *at = text + strlen(begin);

    if (glslc() == NULL)
        return;
    memcpy(text, begin, strlen(begin));
    for (int i = 0; i < LINES; i++, at += 2)
        memcpy(at, "\\\n", 2);
    memcpy(at, end, strlen(end));
    refuses(text, "missing was not found");
    free(text);
}
END_TEST

START_TEST(a_program_that_does_not_end_fails_with_the_setting)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};
    const char *endless             = folder_path("endless");

    folder_write("endless", "#!/bin/sh\nwhile :; do sleep 1000; done\n");
    ck_assert_int_eq(chmod(endless, 0700), 0);
    rules.seconds = 1;
    ck_assert_int_eq(run(endless, good, &options), TRM_ERROR_TIMEOUT);
    ck_assert_ptr_nonnull(
        strstr(trm_last_error().sentence, "did not finish some/where.comp within 1 seconds"));
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "compiler.time"));
}
END_TEST

START_TEST(a_program_that_writes_nothing_is_named)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};
    const char *empty               = folder_path("empty");

    folder_write("empty", "#!/bin/sh\nexit 0\n");
    ck_assert_int_eq(chmod(empty, 0700), 0);
    ck_assert_int_eq(run(empty, good, &options), TRM_ERROR_BACKEND);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, empty));
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
    tcase_add_test(cases, the_current_folder_is_not_searched);
    tcase_add_test(cases, files_that_include_each_other_and_what_is_no_file_are_refused);
    tcase_add_test(cases, files_that_include_each_other_with_guards_compile);
    tcase_add_test(cases, many_includes_that_double_at_each_level_come_to_an_end);
    tcase_add_test(cases, a_directive_of_very_many_lines_is_refused_at_its_line);
    tcase_add_test(cases, a_program_that_does_not_end_fails_with_the_setting);
    tcase_add_test(cases, a_program_that_writes_nothing_is_named);
    tcase_add_test(cases, the_error_names_a_program_that_cannot_be_run);
    tcase_add_test(cases, a_crash_differs_from_a_refusal);
    tcase_add_test(cases, it_works_in_a_process_that_ignores_its_children);
    suite_add_tcase(suite, cases);
    return suite;
}

UNIT_SUITE(make_suite)
