/* Portable code: from what a program describes to the words of a module.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "compiler/glsl/glsl.h"
#include "core/object/object.h"
#include "core/shader/kernel_path.h"
#include "core/shader/shader_code.h"

#define FILE_MOST ((uint64_t)256 << 20)
#define OPTIONS_MIN 40 /* bytes of struct trm_glsl_options in the first version */

static int32_t set_name(struct core_portable *portable, const char *name, size_t length)
{
    portable->name = base_arena_text(&portable->arena, name, length);
    return portable->name != NULL ? TRM_OK : base_fail_memory("making a shader");
}

static int32_t take_words(struct core_portable *portable, const void *bytes, uint64_t size)
{
    uint32_t *words;

    int32_t status = spirv_words(&portable->arena, bytes, size, &words, &portable->word_count);
    if (status == TRM_ERROR_OUT_OF_HOST_MEMORY)
        return status;
    if (status != TRM_OK)
        return base_fail(status, "shader \"%s\": %s", portable->name, trm_last_error().sentence);
    portable->words = words;
    return TRM_OK;
}

/* ---- GLSL ---------------------------------------------------------------------------------- */

/* "blur" of "shaders/blur.comp". */
static int32_t name_after_file(struct core_portable *portable, const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *base  = slash != NULL ? slash + 1 : file;
    const char *dot   = strrchr(base, '.');
    size_t length     = dot != NULL && dot != base ? (size_t)(dot - base) : strlen(base);

    return length != 0 ? set_name(portable, base, length) : set_name(portable, "main", 4);
}

static int32_t find_glsl(struct core_portable *portable, const struct trm_shader_desc *desc)
{
    struct trm_glsl_options options = {.struct_size = sizeof(options)};
    const void *bytes;
    uint64_t size;
    int32_t status;

    if (desc->glsl != NULL && !core_struct_copy_in(&options, sizeof(options), desc->glsl, OPTIONS_MIN))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the options of GLSL lack their struct_size");
    if (desc->name != NULL)
        status = set_name(portable, desc->name, strlen(desc->name));
    else if (options.file != NULL)
        status = name_after_file(portable, options.file);
    else
        status = set_name(portable, "main", 4);
    if (status == TRM_OK)
        status = core_glsl_compile(&portable->arena, &portable->context->log, core_glsl_libraries, desc->data,
                                   desc->size, portable->name, &options, &bytes, &size);
    return status == TRM_OK ? take_words(portable, bytes, size) : status;
}

/* ---- names --------------------------------------------------------------------------------- */

static int32_t read_named(struct core_portable *portable, const char *path)
{
    const void *bytes;
    uint64_t size;

    int32_t error = base_read_file(&portable->arena, path, FILE_MOST, &bytes, &size);
    if (error == ENOMEM)
        return base_fail_memory("reading a kernel's file");
    if (error != 0) {
        errno = error; /* for %m */
        return base_fail(TRM_ERROR_NOT_FOUND, "%s cannot be read: %m", path);
    }
    return take_words(portable, bytes, size);
}

static int32_t find_named(struct core_portable *portable, const struct trm_shader_desc *desc)
{
    const char *named = desc->data, *path;

    if (memchr(named, 0, desc->size) == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the name of a kernel has no terminating zero");
    int32_t status = core_kernel_path_find(portable->context, &portable->arena, named, &path);
    if (status != TRM_OK)
        return status;
    portable->stem = base_arena_text(&portable->arena, path, strlen(path) - strlen(".spv"));
    if (portable->stem == NULL)
        return base_fail_memory("making a shader");
    const char *name = desc->name != NULL ? desc->name : named;
    status           = set_name(portable, name, strlen(name));
    return status == TRM_OK ? read_named(portable, path) : status;
}

/* ---- all formats --------------------------------------------------------------------------- */

static int32_t find_spirv(struct core_portable *portable, const struct trm_shader_desc *desc)
{
    const char *name = desc->name != NULL ? desc->name : "main";

    int32_t status = set_name(portable, name, strlen(name));
    return status == TRM_OK ? take_words(portable, desc->data, desc->size) : status;
}

int32_t core_portable_find(struct core_portable *portable, const struct trm_shader_desc *desc)
{
    if (desc->data == NULL || desc->size == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the description of a shader has no data");
    if (desc->name != NULL && desc->name[0] == '\0')
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the name of a shader is empty");
    switch (desc->format) {
    case TRM_MODULE_SPIRV:
        return find_spirv(portable, desc);
    case TRM_MODULE_GLSL:
        return find_glsl(portable, desc);
    case TRM_MODULE_NAMED:
        return find_named(portable, desc);
    default:
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "format %d is none that shaders are made of",
                         (int)desc->format);
    }
}
