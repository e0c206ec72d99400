/* Compiles GLSL with the library or the program, and reports messages.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl.h"

#include <inttypes.h>
#include <string.h>

#include "compiler/glsl/glsl_include.h"
#include "compiler/glsl/glsl_library.h"
#include "compiler/glsl/glsl_program.h"

#define LINES_MOST 3      /* lines of compiler messages in an error */
#define MESSAGE_MOST 1600 /* bytes of these lines */

/* ---- options ------------------------------------------------------------------------------- */

static int32_t check_options(const struct trm_glsl_options *options)
{
    if ((options->define_count != 0 && options->defines == NULL) ||
        (options->include_count != 0 && options->includes == NULL))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the GLSL options count definitions or folders but the array is NULL");
    for (uint32_t i = 0; i < options->define_count; i++)
        if (options->defines[i] == NULL || options->defines[i][0] == '\0' || options->defines[i][0] == '=')
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "definition %" PRIu32 " of the GLSL options has no name", i);
    for (uint32_t i = 0; i < options->include_count; i++)
        if (options->includes[i] == NULL || options->includes[i][0] == '\0')
            return base_fail(TRM_ERROR_INVALID_ARGUMENT, "folder %" PRIu32 " of the GLSL options is empty",
                             i);
    return TRM_OK;
}

static void add_definition(const struct glsl_library *library, struct shaderc_compile_options *made,
                           const char *text)
{
    size_t name       = strcspn(text, "=");
    const char *value = text[name] == '=' ? text + name + 1 : "";

    library->options_add_macro(made, text, name, value, strlen(value));
}

/* Vulkan 1.1 and SPIR-V 1.3 are the first versions with subgroups, and all later drivers accept them. Without
 * debug information the optimiser strips names, and programs pass arguments by name. */
static void set_options(const struct glsl_library *library, struct shaderc_compile_options *made,
                        const struct trm_glsl_options *options, struct glsl_includes *includes)
{
    library->options_target(made, GLSL_TARGET_VULKAN, GLSL_VULKAN_1_1);
    library->options_target_spirv(made, GLSL_SPIRV_1_3);
    if (!(options->flags & TRM_GLSL_UNOPTIMIZED))
        library->options_optimize(made, GLSL_OPTIMIZE_SPEED);
    if (!(options->flags & TRM_GLSL_NO_DEBUG))
        library->options_debug_info(made);
    if (library->options_preserve_bindings != NULL)
        library->options_preserve_bindings(made, true);
    for (uint32_t i = 0; i < options->define_count; i++)
        add_definition(library, made, options->defines[i]);
    library->options_includes(made, glsl_include, glsl_include_release, includes);
}

/* ---- messages ------------------------------------------------------------------------------ */

static void log_lines(const struct base_log *log, int32_t level, const char *message)
{
    if (!base_log_is_on(log, level))
        return;
    while (*message != '\0') {
        size_t length = strcspn(message, "\n");
        if (length != 0)
            base_log_write(log, level, __FILE__, "%.*s", (int)length, message);
        message += length + (message[length] == '\n');
    }
}

/* Joins the first lines into one, with "; " between them. */
static void join_lines(char joined[MESSAGE_MOST], const char *message)
{
    size_t used = 0;

    for (int line = 0; line < LINES_MOST && *message != '\0'; line++) {
        size_t length = strcspn(message, "\n"), room = MESSAGE_MOST - 3 - used;
        if (used != 0 && length != 0) {
            memcpy(joined + used, "; ", 2);
            used += 2;
        }
        length = length < room ? length : room;
        memcpy(joined + used, message, length);
        used += length;
        message += strcspn(message, "\n");
        message += *message == '\n';
        if (used >= MESSAGE_MOST - 3)
            break;
    }
    joined[used] = '\0';
}

/* Of a text without a #version, compilers report that they cannot read their own declarations, so their words
 * go to the log alone. */
static bool lacks_version(const struct glsl_source *source)
{
    const char *text = source->text, *end = text + source->length;

    for (const char *at = text; (at = memchr(at, '#', (size_t)(end - at))) != NULL;) {
        do
            at++;
        while (at < end && (*at == ' ' || *at == '\t'));
        if (end - at >= 7 && memcmp(at, "version", 7) == 0)
            return false;
    }
    return true;
}

static int32_t fail_compilation(const struct glsl_source *source, const char *file, const char *message)
{
    char joined[MESSAGE_MOST];

    log_lines(source->log, TRM_LOG_ERROR, message);
    if (lacks_version(source))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s does not compile: its first line has to be a #version, such as #version 450",
                         file);
    join_lines(joined, message);
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s does not compile: %s", file,
                     joined[0] != '\0' ? joined : "the compiler gave no message");
}

static int32_t copy_result(const struct glsl_source *source, const struct glsl_library *library,
                           const struct shaderc_compilation_result *result, const char *file,
                           const void **bytes, uint64_t *size)
{
    const char *message = library->result_message(result);

    if (library->result_status(result) != GLSL_STATUS_SUCCESS)
        return fail_compilation(source, file, message);
    log_lines(source->log, TRM_LOG_WARNING, message);
    size_t length = library->result_length(result);
    void *copy    = base_arena_allocate(source->arena, length, 1);
    if (copy == NULL)
        return base_fail_memory("compiling GLSL");
    memcpy(copy, library->result_bytes(result), length);
    *bytes = copy;
    *size  = length;
    return TRM_OK;
}

/* ---- compiling ----------------------------------------------------------------------------- */

static int32_t compile_with(const struct glsl_source *source, const struct glsl_library *library,
                            struct shaderc_compiler *compiler, const char *file, const void **bytes,
                            uint64_t *size)
{
    struct glsl_includes includes = glsl_includes_of(source);
    int32_t status                = TRM_ERROR_OUT_OF_HOST_MEMORY;

    struct shaderc_compile_options *made = library->options_initialize();
    if (made == NULL)
        return base_fail_memory("compiling GLSL");
    set_options(library, made, source->options, &includes);
    struct shaderc_compilation_result *result =
        library->compile(compiler, source->text, source->length, GLSL_KIND_COMPUTE, file, "main", made);
    if (result != NULL)
        status = copy_result(source, library, result, file, bytes, size);
    else
        base_fail_memory("compiling GLSL");
    library->result_release(result);
    library->options_release(made);
    return status;
}

static bool has_limits(const struct base_program_rules *rules)
{
    return rules->seconds != 0 || rules->memory != 0 || rules->output != 0;
}

static int32_t compile_by_program(const struct glsl_source *source, const char *program, const char *file,
                                  const void **bytes, uint64_t *size)
{
    struct glsl_program_result result;
    int32_t status = glsl_program_run(source, program, file, &result);

    if (status != TRM_OK)
        return status;
    if (result.signal != 0)
        return base_fail(TRM_ERROR_BACKEND, "%s crashed with signal %" PRId32 " while compiling %s", program,
                         result.signal, file);
    if (!result.succeeded)
        return fail_compilation(source, file, result.message);
    log_lines(source->log, TRM_LOG_WARNING, result.message);
    *bytes = result.bytes;
    *size  = result.size;
    return TRM_OK;
}

static int32_t compile_by_library(const struct glsl_source *source, const struct glsl_library *library,
                                  const char *file, const void **bytes, uint64_t *size)
{
    if (has_limits(source->rules) && base_log_is_on(source->log, TRM_LOG_WARNING))
        base_log_write(source->log, TRM_LOG_WARNING, __FILE__,
                       "libshaderc compiles %s in this process, where the settings compiler.* do not hold; "
                       "they hold for glslc, which is not installed",
                       file);
    struct shaderc_compiler *compiler = library->compiler_initialize();
    if (compiler == NULL)
        return base_fail_memory("compiling GLSL");
    int32_t status = compile_with(source, library, compiler, file, bytes, size);
    library->compiler_release(compiler);
    return status;
}

int32_t glsl_compile(const struct glsl_source *source, const void **bytes, uint64_t *size)
{
    struct glsl_library library;
    const char *file    = source->options->file != NULL ? source->options->file : source->name;
    const char *program = source->libraries == glsl_libraries ? glsl_program_find() : NULL;

    int32_t status = check_options(source->options);
    if (status != TRM_OK)
        return status;
    if (program != NULL && has_limits(source->rules))
        return compile_by_program(source, program, file, bytes, size);
    status = glsl_library_open(source->libraries, &library);
    if (status == TRM_ERROR_UNSUPPORTED && program != NULL)
        return compile_by_program(source, program, file, bytes, size);
    if (status != TRM_OK)
        return status;
    status = compile_by_library(source, &library, file, bytes, size);
    glsl_library_close(&library);
    return status;
}
