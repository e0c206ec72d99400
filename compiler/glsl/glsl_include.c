/* Finds and reads the files that GLSL includes.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl_include.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/base.h"

/* Needs no memory, for when there is none. */
#define NO_MEMORY "out of memory for an included file"

struct glsl_includes glsl_includes_of(const struct glsl_source *source)
{
    return (struct glsl_includes){.arena        = source->arena,
                                  .folders      = source->options->includes,
                                  .folder_count = source->options->include_count,
                                  .has_folder   = source->options->file != NULL};
}

/* ---- reading -------------------------------------------------------------------------------- */

static struct glsl_file *refuse(const char *text, const char **why)
{
    *why = text != NULL ? text : NO_MEMORY;
    return NULL;
}

static struct glsl_file *refuse_file(struct glsl_includes *includes, const char *path, int32_t error,
                                     const char **why)
{
    if (error == EINVAL)
        return refuse(base_arena_format(includes->arena, "%s is not a regular file", path), why);
    errno = error; /* for %m */
    return refuse(base_arena_format(includes->arena, "%s cannot be read: %m", path), why);
}

/* Each file is read once, so that a file that is included often takes memory once. NULL with `*why` NULL:
 * there is no such file. */
static struct glsl_file *read_file(struct glsl_includes *includes, const char *path, const char **why)
{
    const void *content;
    uint64_t size;

    *why = NULL;
    if (path == NULL)
        return refuse(NULL, why);
    for (struct glsl_file *file = includes->files; file != NULL; file = file->next)
        if (strcmp(file->path, path) == 0)
            return file;
    if (includes->file_count == GLSL_FILES_MOST)
        return refuse(
            base_arena_format(includes->arena, "more than %u different files are included", GLSL_FILES_MOST),
            why);
    int32_t error = base_read_file(includes->arena, path, GLSL_FILE_MOST, &content, &size);
    if (error == ENOENT || error == ENOTDIR)
        return NULL;
    if (error != 0)
        return refuse_file(includes, path, error, why);
    struct glsl_file *file = base_arena_allocate(includes->arena, 1, sizeof(*file));
    if (file == NULL)
        return refuse(NULL, why);
    *file = (struct glsl_file){.next = includes->files, .path = path, .content = content, .size = size};
    includes->files = file;
    includes->file_count++;
    return file;
}

/* ---- finding -------------------------------------------------------------------------------- */

/* The path of a requested file in the folder of the requesting one. */
static const char *sibling_path(struct glsl_includes *includes, const char *requesting, const char *requested)
{
    const char *slash = strrchr(requesting, '/');

    if (slash == NULL)
        return base_arena_text(includes->arena, requested, strlen(requested));
    return base_arena_format(includes->arena, "%.*s/%s", (int)(slash - requesting), requesting, requested);
}

static struct glsl_file *search(struct glsl_includes *includes, const char *requested, bool is_sibling,
                                const char *requesting, const char **why)
{
    struct glsl_file *file = NULL;

    *why = NULL;
    if (requested[0] == '/') {
        file = read_file(includes, base_arena_text(includes->arena, requested, strlen(requested)), why);
    } else {
        if (is_sibling)
            file = read_file(includes, sibling_path(includes, requesting, requested), why);
        for (uint32_t i = 0; file == NULL && *why == NULL && i < includes->folder_count; i++)
            file = read_file(
                includes, base_arena_format(includes->arena, "%s/%s", includes->folders[i], requested), why);
    }
    if (file == NULL && *why == NULL)
        return refuse(base_arena_format(includes->arena, "%s was not found", requested), why);
    return file;
}

struct glsl_file *glsl_include_find(struct glsl_includes *includes, const char *requested, bool is_relative,
                                    const char *requesting, size_t depth, const char **why)
{
    if (depth > GLSL_DEPTH_MOST)
        return refuse("includes are nested too deep: files include each other", why);
    if (++includes->count > GLSL_INCLUDES_MOST)
        return refuse(
            base_arena_format(includes->arena, "there are more than %u includes", GLSL_INCLUDES_MOST), why);
    struct glsl_file *file =
        search(includes, requested, is_relative && (includes->has_folder || depth > 1), requesting, why);
    if (file == NULL)
        return NULL;
    includes->total += file->size;
    if (includes->total > GLSL_TOTAL_MOST)
        return refuse(base_arena_format(includes->arena,
                                        "the included files have more than %" PRIu64 " bytes",
                                        GLSL_TOTAL_MOST),
                      why);
    return file;
}

/* ---- for libshaderc ------------------------------------------------------------------------- */

static const struct glsl_included no_memory = {
    .source_name = "", .content = NO_MEMORY, .content_length = sizeof(NO_MEMORY) - 1};

struct glsl_included *glsl_include(void *user, const char *requested, int type, const char *requesting,
                                   size_t depth)
{
    struct glsl_includes *includes = user;
    const char *why;

    const struct glsl_file *file =
        glsl_include_find(includes, requested, type == GLSL_INCLUDE_RELATIVE, requesting, depth, &why);
    struct glsl_included *included = base_arena_allocate(includes->arena, 1, sizeof(*included));
    if (included == NULL)
        return (struct glsl_included *)&no_memory; /* the library only reads the result */
    included->source_name        = file != NULL ? file->path : "";
    included->source_name_length = strlen(included->source_name);
    included->content            = file != NULL ? file->content : why;
    included->content_length     = file != NULL ? file->size : strlen(why);
    return included;
}

/* Does nothing: the arena owns all results. */
void glsl_include_release(void *user, struct glsl_included *included)
{
    (void)user;
    (void)included;
}
