/* Finds and reads the files that GLSL includes.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/glsl/glsl_include.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"

#define DEPTH_MOST 64 /* stops files that include each other */
#define FILE_MOST ((uint64_t)16 << 20)

/* Needs no memory, for when there is none. */
#define NO_MEMORY "out of memory for an included file"

static const struct glsl_included no_memory = {
    .source_name = "", .content = NO_MEMORY, .content_length = sizeof(NO_MEMORY) - 1};

/* The library only reads the result, so the cast is safe. */
static struct glsl_included *without_memory(void)
{
    return (struct glsl_included *)&no_memory;
}

static struct glsl_included *answer(struct glsl_includes *includes, const char *name, const char *content,
                                    uint64_t length)
{
    struct glsl_included *included = base_arena_allocate(includes->arena, 1, sizeof(*included));

    if (included == NULL || name == NULL || content == NULL)
        return without_memory();
    included->source_name        = name;
    included->source_name_length = strlen(name);
    included->content            = content;
    included->content_length     = length;
    return included;
}

static struct glsl_included *refuse(struct glsl_includes *includes, const char *why)
{
    return answer(includes, "", why, why != NULL ? strlen(why) : 0);
}

static struct glsl_included *refuse_file(struct glsl_includes *includes, const char *path, int32_t error)
{
    errno = error; /* for %m */
    return refuse(includes, base_arena_format(includes->arena, "%s cannot be read: %m", path));
}

static struct glsl_included *try_path(struct glsl_includes *includes, const char *path)
{
    const void *content;
    uint64_t size;

    if (path == NULL)
        return without_memory();
    int32_t error = base_read_file(includes->arena, path, FILE_MOST, &content, &size);
    if (error == ENOENT || error == ENOTDIR)
        return NULL;
    if (error != 0)
        return refuse_file(includes, path, error);
    return answer(includes, path, content, size);
}

/* The path of a requested file in the folder of the requesting one. */
static const char *sibling_path(struct glsl_includes *includes, const char *requesting, const char *requested)
{
    const char *slash = strrchr(requesting, '/');

    if (slash == NULL)
        return base_arena_text(includes->arena, requested, strlen(requested));
    return base_arena_format(includes->arena, "%.*s/%s", (int)(slash - requesting), requesting, requested);
}

struct glsl_included *glsl_include(void *user, const char *requested, int type, const char *requesting,
                                   size_t depth)
{
    struct glsl_includes *includes = user;
    struct glsl_included *found    = NULL;

    if (depth > DEPTH_MOST)
        return refuse(includes, "includes are nested too deep: files include each other");
    if (requested[0] == '/')
        found = try_path(includes, base_arena_text(includes->arena, requested, strlen(requested)));
    else if (type == GLSL_INCLUDE_RELATIVE && (includes->has_folder || depth > 1))
        found = try_path(includes, sibling_path(includes, requesting, requested));
    for (uint32_t i = 0; found == NULL && requested[0] != '/' && i < includes->count; i++)
        found =
            try_path(includes, base_arena_format(includes->arena, "%s/%s", includes->folders[i], requested));
    if (found != NULL)
        return found;
    return refuse(includes, base_arena_format(includes->arena, "%s was not found", requested));
}

/* Does nothing: the arena owns all results. */
void glsl_include_release(void *user, struct glsl_included *included)
{
    (void)user;
    (void)included;
}
