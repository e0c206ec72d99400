/* Loads the code of a shader from what a program describes: SPIR-V, GLSL, or the name of a kernel.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "compiler/glsl/glsl.h"
#include "compiler/lower/lower.h"
#include "core/object/object.h"
#include "core/program/program.h"
#include "core/shader/kernel_path.h"
#include "core/shader/shader_code.h"

#define FILE_MAX ((uint64_t)256 << 20)
#define OPTIONS_MIN 40 /* bytes of struct trm_glsl_options in the first version */

static int32_t set_name(struct core_shader_code *code, const char *name, size_t length)
{
    code->name = base_arena_text(&code->arena, name, length);
    return code->name != NULL ? TRM_OK : base_fail_memory("making a shader");
}

static int32_t copy_words(struct core_shader_code *code, const void *bytes, uint64_t size)
{
    uint32_t *words;

    int32_t status = spirv_words(&code->arena, bytes, size, &words, &code->word_count);
    if (status == TRM_ERROR_OUT_OF_HOST_MEMORY)
        return status;
    if (status != TRM_OK)
        return base_fail(status, "shader \"%s\": %s", code->name, trm_last_error().sentence);
    code->words = words;
    status      = lower_module(&code->arena, &code->words, &code->word_count);
    if (status == TRM_ERROR_UNSUPPORTED)
        return base_fail(status, "shader \"%s\": %s", code->name, trm_last_error().sentence);
    return status;
}

/* ---- GLSL ---------------------------------------------------------------------------------- */

/* The name is "blur" for "shaders/blur.comp". */
static int32_t name_after_file(struct core_shader_code *code, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base  = slash != NULL ? slash + 1 : file;
    const char *dot   = strrchr(base, '.');
    size_t length     = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);

    return length != 0 ? set_name(code, base, length) : set_name(code, "main", 4);
}

static int32_t load_glsl(struct core_shader_code *code, const struct trm_shader_desc *desc)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};
    struct core_program_rules rules;
    const void *bytes;
    uint64_t size;
    int32_t status;

    if (desc->glsl != NULL && !core_struct_copy_in(&options, sizeof(options), desc->glsl, OPTIONS_MIN))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_glsl_options.struct_size is too small");
    if (desc->name != NULL)
        status = set_name(code, desc->name, strlen(desc->name));
    else if (options.file != NULL)
        status = name_after_file(code, options.file);
    else
        status = set_name(code, "main", 4);
    if (status != TRM_OK)
        return status;
    core_program_rules_init(code->context, &rules);
    const struct glsl_source source = {.arena     = &code->arena,
                                       .log       = &code->context->log,
                                       .libraries = glsl_libraries,
                                       .rules     = &rules.base,
                                       .text      = desc->data,
                                       .length    = desc->size,
                                       .name      = code->name,
                                       .options   = &options};
    status                          = glsl_compile(&source, &bytes, &size);
    return status == TRM_OK ? copy_words(code, bytes, size) : status;
}

/* ---- names --------------------------------------------------------------------------------- */

static int32_t read_kernel_file(struct core_shader_code *code, const char *path)
{
    const void *bytes;
    uint64_t size;

    int32_t error = base_read_file(&code->arena, path, FILE_MAX, &bytes, &size);
    if (error == ENOMEM)
        return base_fail_memory("reading a kernel's file");
    if (error != 0) {
        errno = error; /* for %m */
        return base_fail(TRM_ERROR_NOT_FOUND, "cannot read %s: %m", path);
    }
    return copy_words(code, bytes, size);
}

static int32_t load_named(struct core_shader_code *code, const struct trm_shader_desc *desc)
{
    const char *named = desc->data, *path;

    if (memchr(named, 0, desc->size) == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the name of a kernel has no terminating zero");
    int32_t status = core_kernel_path_find(code->context, &code->arena, named, &path);
    if (status != TRM_OK)
        return status;
    code->stem = base_arena_text(&code->arena, path, strlen(path) - strlen(".spv"));
    if (code->stem == NULL)
        return base_fail_memory("making a shader");
    const char *name = desc->name != NULL ? desc->name : named;
    status           = set_name(code, name, strlen(name));
    return status == TRM_OK ? read_kernel_file(code, path) : status;
}

/* ---- all formats --------------------------------------------------------------------------- */

static int32_t load_spirv(struct core_shader_code *code, const struct trm_shader_desc *desc)
{
    const char *name = desc->name != NULL ? desc->name : "main";

    int32_t status = set_name(code, name, strlen(name));
    return status == TRM_OK ? copy_words(code, desc->data, desc->size) : status;
}

int32_t core_shader_code_load(struct core_shader_code *code, const struct trm_shader_desc *desc)
{
    if (desc->data == NULL || desc->size == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_shader_desc: `data` is NULL or `size` is 0");
    if (desc->name != NULL && desc->name[0] == '\0')
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_shader_desc: `name` is empty");
    switch (desc->format) {
    case TRM_MODULE_SPIRV:
        return load_spirv(code, desc);
    case TRM_MODULE_GLSL:
        return load_glsl(code, desc);
    case TRM_MODULE_NAMED:
        return load_named(code, desc);
    default:
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_shader_desc: format %d is not a format of shaders",
                         (int)desc->format);
    }
}
