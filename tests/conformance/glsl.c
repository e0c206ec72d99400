/* Portable kernels as text: GLSL.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"
#include "shaders.h"

#include <sys/stat.h>
#include <unistd.h>

static const char doubling[] = "#version 450\n"
                               "layout(local_size_x = 64) in;\n"
                               "layout(std430, binding = 0) buffer Data { uint data[]; };\n"
                               "layout(push_constant) uniform A { uint n, factor, addend; };\n"
                               "void main() {\n"
                               "    uint i = gl_GlobalInvocationID.x;\n"
                               "    if (i < n) data[i] = data[i] * factor + ADDEND;\n"
                               "}\n";

static struct trm_module_desc glsl_desc(const char *text, const struct trm_glsl_options *given)
{
    return (struct trm_module_desc){.struct_size = sizeof(struct trm_module_desc),
                                    .format      = TRM_MODULE_GLSL,
                                    .data        = text,
                                    .size        = strlen(text),
                                    .glsl        = given};
}

/* The compiler for GLSL is optional: without it loading gives UNSUPPORTED. */
static bool glsl_missing(void)
{
    static const char nothing[] = "#version 450\nlayout(local_size_x = 1) in; void main() {}\n";
    struct trm_module_desc desc = glsl_desc(nothing, NULL);
    if (shaders_missing())
        return true;
    int32_t status = shader_load(&desc);
    if (status == TRM_ERROR_UNSUPPORTED) {
        skip(trm_last_error().sentence);
        return true;
    }
    ck_ok(status);
    return false;
}

START_TEST(a_text_of_glsl_runs)
{
    if (glsl_missing())
        return;
    const char *defines[]         = {"ADDEND=addend"};
    struct trm_glsl_options given = {
        .struct_size = sizeof(given), .defines = defines, .define_count = 1, .file = "dir/doubling.comp"};
    struct trm_module_desc desc = glsl_desc(doubling, &given);
    shader_is_affine(shader_kernel_of(&desc, "doubling"));
    given.flags = TRM_GLSL_UNOPTIMIZED;
    shader_is_affine(shader_kernel_of(&desc, "main"));
    given.file = NULL;
    shader_is_affine(shader_kernel_of(&desc, "main"));
}
END_TEST

START_TEST(what_does_not_compile_is_refused_with_file_and_line)
{
    if (glsl_missing())
        return;
    struct trm_glsl_options given = {.struct_size = sizeof(given), .file = "dir/doubling.comp"};
    struct trm_module_desc desc   = glsl_desc(doubling, &given);
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("dir/doubling.comp:7");
    ck_sentence_has("ADDEND");
    ck_assert(log_has(TRM_LOG_ERROR, "dir/doubling.comp:7"));
}
END_TEST

START_TEST(files_are_included_from_beside_the_text_and_from_folders)
{
    char folder[] = "/tmp/conformance-XXXXXX", file[64], beside[64], below[64];
    if (glsl_missing())
        return;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof(file), "%s/text.comp", folder);
    snprintf(beside, sizeof(beside), "%s/beside.h", folder);
    snprintf(below, sizeof(below), "%s/below", folder);
    ck_assert_int_eq(mkdir(below, 0755), 0);
    FILE *header = fopen(beside, "w");
    ck_assert_ptr_nonnull(header);
    fputs("#include \"deep.h\"\n", header);
    fclose(header);
    strcat(below, "/deep.h");
    header = fopen(below, "w");
    ck_assert_ptr_nonnull(header);
    fputs("#define ADDEND addend\n", header);
    fclose(header);
    *strrchr(below, '/') = '\0';

    char text[sizeof(doubling) + 100];
    snprintf(text, sizeof(text),
             "%.*s#extension GL_GOOGLE_include_directive : enable\n#include \"beside.h\"\n%s", 13, doubling,
             doubling + 13);
    const char *includes[]        = {"/nonexistent", below};
    struct trm_glsl_options given = {
        .struct_size = sizeof(given), .includes = includes, .include_count = 2, .file = file};
    struct trm_module_desc desc = glsl_desc(text, &given);
    shader_is_affine(shader_kernel_of(&desc, NULL));
    given.include_count = 1;
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    ck_sentence_has("deep.h");

    snprintf(text, sizeof(text), "rm -r %s", folder);
    ck_assert_int_eq(system(text), 0);
}
END_TEST

START_TEST(options_of_glsl_that_cannot_be_are_refused)
{
    if (glsl_missing())
        return;
    const char *nameless[]        = {"=1"};
    struct trm_glsl_options given = {.struct_size = sizeof(given), .define_count = 1};
    struct trm_module_desc desc   = glsl_desc(doubling, &given);
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    given.defines = nameless;
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
    given.define_count = 0;
    given.struct_size  = 4;
    ck_status(shader_load(&desc), TRM_ERROR_INVALID_ARGUMENT);
}
END_TEST

void add_glsl(Suite *suite)
{
    TCase *group = group_make(suite, "GLSL");
    CASE(group, a_text_of_glsl_runs);
    CASE(group, what_does_not_compile_is_refused_with_file_and_line);
    CASE(group, files_are_included_from_beside_the_text_and_from_folders);
    CASE(group, options_of_glsl_that_cannot_be_are_refused);
}
