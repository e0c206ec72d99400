/* Compiles GLSL with the program glslc.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl_program.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "compiler/glsl/glsl_gather.h"
#include "compiler/glsl/glsl_include.h"

#define SPIRV_MOST ((uint64_t)256 << 20)
#define SPIRV_NAME "module.spv"

const char *glsl_program_find(void)
{
    static const char *const paths[] = {"/usr/local/bin/glslc", "/usr/bin/glslc", "/bin/glslc"};

    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
        if (access(paths[i], X_OK) == 0 && base_file_permissions_check(paths[i]) == TRM_OK)
            return paths[i];
    return NULL;
}

/* ---- the command line ----------------------------------------------------------------------- */

static const char **make_arguments(struct base_arena *arena, const char *program,
                                   const struct trm_glsl_options *options)
{
    const char **arguments = base_arena_allocate(arena, 16 + (size_t)options->define_count, sizeof(char *));
    size_t count           = 0;

    if (arguments == NULL)
        return NULL;
    arguments[count++] = program;
    arguments[count++] = "-fshader-stage=compute";
    arguments[count++] = "--target-env=vulkan1.1";
    arguments[count++] = "--target-spv=spv1.3";
    arguments[count++] = options->flags & TRM_GLSL_UNOPTIMIZED ? "-O0" : "-O";
    if (!(options->flags & TRM_GLSL_NO_DEBUG))
        arguments[count++] = "-g";
    for (uint32_t i = 0; i < options->define_count; i++)
        arguments[count++] = base_arena_format(arena, "-D%s", options->defines[i]);
    arguments[count++] = "-o";
    arguments[count++] = SPIRV_NAME;
    arguments[count]   = GLSL_GATHERED_FIRST;
    return arena->failed ? NULL : arguments;
}

/* ---- names in the SPIR-V -------------------------------------------------------------------- */

enum {
    OP_SOURCE_CONTINUED = 2,
    OP_SOURCE           = 3,
    OP_STRING           = 7,
    WORDS_MOST          = 0xffff /* of one instruction */
};

/* The word of an instruction at which its text begins; 0: it has none. */
static uint32_t text_begin(uint32_t opcode, uint32_t length)
{
    uint32_t begin = opcode == OP_STRING             ? 2
                     : opcode == OP_SOURCE_CONTINUED ? 1
                     : opcode == OP_SOURCE           ? 4
                                                     : 0;
    return begin < length ? begin : 0;
}

/* Copies an instruction, with the names of files in its text. Returns the words written; 0 without memory. */
static uint32_t copy_renamed(struct base_arena *arena, const struct glsl_nodes *nodes, const uint32_t *words,
                             uint32_t length, uint32_t *to)
{
    uint32_t begin   = text_begin(words[0] & 0xffff, length);
    const char *text = (const char *)(words + begin), *renamed = text;

    if (begin != 0 && memchr(text, 0, (size_t)(length - begin) * 4) != NULL)
        renamed = glsl_gather_rename(arena, nodes, text);
    if (renamed == NULL)
        return 0;
    size_t longer = begin + strlen(renamed) / 4 + 1;
    if (renamed == text || longer > WORDS_MOST) {
        memcpy(to, words, (size_t)length * 4);
        return length;
    }
    memcpy(to, words, (size_t)begin * 4);
    to[longer - 1] = 0;
    memcpy(to + begin, renamed, strlen(renamed));
    to[0] = (uint32_t)longer << 16 | (words[0] & 0xffff);
    return (uint32_t)longer;
}

/* The room that the renamed text of an instruction may need, in words. */
static size_t room_for(struct base_arena *arena, const struct glsl_nodes *nodes, const uint32_t *words,
                       uint32_t length)
{
    uint32_t begin = text_begin(words[0] & 0xffff, length);
    if (begin == 0 || memchr(words + begin, 0, (size_t)(length - begin) * 4) == NULL)
        return length;
    const char *renamed = glsl_gather_rename(arena, nodes, (const char *)(words + begin));
    size_t longer       = renamed != NULL ? begin + strlen(renamed) / 4 + 1 : 0;
    return longer > length ? longer : length;
}

/* The number of words behind `at` that its instruction has; 0 if it is not valid, which spirv_read()
 * reports. */
static uint32_t length_at(const uint32_t *words, size_t count, size_t at)
{
    uint32_t length = words[at] >> 16;
    return length > count - at ? 0 : length;
}

/* Puts the names of the files into the SPIR-V. */
static int32_t rename_module(struct base_arena *arena, const struct glsl_nodes *nodes,
                             struct glsl_program_result *result)
{
    const uint32_t *words = result->bytes;
    size_t count = result->size / 4, room = 5, used = 5;

    for (size_t at = 5; at < count; at += length_at(words, count, at)) {
        if (length_at(words, count, at) == 0)
            return TRM_OK;
        room += room_for(arena, nodes, words + at, length_at(words, count, at));
    }
    if (count < 5)
        return TRM_OK;
    uint32_t *renamed = base_arena_allocate(arena, room, sizeof(*renamed));
    if (renamed == NULL)
        return base_fail_memory("compiling GLSL");
    memcpy(renamed, words, 5 * sizeof(*words));
    for (size_t at = 5; at < count; at += length_at(words, count, at)) {
        uint32_t length = copy_renamed(arena, nodes, words + at, length_at(words, count, at), renamed + used);
        if (length == 0)
            return base_fail_memory("compiling GLSL");
        used += length;
    }
    result->bytes = renamed;
    result->size  = used * 4;
    return TRM_OK;
}

/* ---- running it ----------------------------------------------------------------------------- */

static int32_t read_spirv(struct base_program *program, const struct glsl_nodes *nodes,
                          struct glsl_program_result *result)
{
    const char *path = base_program_file(program, SPIRV_NAME);
    if (path == NULL)
        return base_fail_memory("compiling GLSL");
    int32_t error = base_read_file(program->arena, path, SPIRV_MOST, &result->bytes, &result->size);
    errno         = error; /* for %m */
    if (error == ENOMEM)
        return base_fail_memory("compiling GLSL");
    if (error != 0)
        return base_fail(TRM_ERROR_BACKEND, "the output of %s cannot be read: %m", program->path);
    return rename_module(program->arena, nodes, result);
}

static int32_t run(struct base_program *program, const struct glsl_source *source, const char *file,
                   struct glsl_program_result *result)
{
    struct glsl_includes includes = glsl_includes_of(source);
    struct glsl_nodes nodes       = {.count = 0};

    int32_t status = glsl_gather(program, &includes, source->text, source->length, file, &nodes);
    if (status == TRM_OK)
        status = base_program_run(program, file);
    if (status != TRM_OK)
        return status;
    result->signal    = program->signal;
    result->succeeded = program->signal == 0 && program->exit_status == 0;
    result->message   = glsl_gather_rename(source->arena, &nodes, program->messages);
    if (result->message == NULL)
        return base_fail_memory("compiling GLSL");
    return result->succeeded ? read_spirv(program, &nodes, result) : TRM_OK;
}

int32_t glsl_program_run(const struct glsl_source *source, const char *path, const char *file,
                         struct glsl_program_result *result)
{
    struct base_program program;

    const char **arguments = make_arguments(source->arena, path, source->options);
    if (arguments == NULL)
        return base_fail_memory("compiling GLSL");
    int32_t status = base_program_open(&program, source->arena, source->rules, arguments);
    if (status != TRM_OK)
        return status;
    status = run(&program, source, file, result);
    base_program_close(&program);
    return status;
}
