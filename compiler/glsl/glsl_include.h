/* Finds the files that GLSL includes: for libshaderc as callbacks, for glslc through glsl_gather.c.
 *
 * For #include "..." the folder of the including file comes first, then the folders of the options; a text
 * that is in no file has no folder, and neither has #include <...>. The current folder is not searched. Only
 * regular files are read. There are limits, so that files which include each other come to an end.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_INCLUDE_H
#define COMPILER_GLSL_GLSL_INCLUDE_H

#include "base/base.h"
#include "compiler/glsl/glsl.h"
#include "compiler/glsl/glsl_library.h"

/* The limits. */
#define GLSL_DEPTH_MOST 64 /* the depth of a file that the text itself includes is 1 */
#define GLSL_INCLUDES_MOST 65536u
#define GLSL_FILES_MOST 4096u               /* different ones */
#define GLSL_FILE_MOST ((uint64_t)16 << 20) /* bytes of a file */
#define GLSL_TOTAL_MOST \
    ((uint64_t)64 << 20) /* bytes of all includes; a file counts as often as it is included */

/* A file that has been read. */
struct glsl_file {
    struct glsl_file *next;
    const char *path;
    const char *content;
    uint64_t size;
    uint32_t *nodes; /* of glsl_gather.c: a number for each depth; NULL: none yet */
};

/* One search; the arena owns everything. */
struct glsl_includes {
    struct base_arena *arena;
    const char *const *folders;
    uint32_t folder_count;
    bool has_folder; /* the text is in a file */
    struct glsl_file *files;
    uint32_t file_count;
    uint32_t count; /* of includes so far */
    uint64_t total; /* bytes of all includes so far */
};

struct glsl_includes glsl_includes_of(const struct glsl_source *source);

/* Finds and reads the file for one #include.
 *
 * requesting   the path of the including file
 * depth        of the file to find
 * why          receives the reason if the result is NULL
 */
struct glsl_file *glsl_include_find(struct glsl_includes *includes, const char *requested, bool is_relative,
                                    const char *requesting, size_t depth, const char **why);

/* A glsl_include_fn and a glsl_include_release_fn; `user` is a struct glsl_includes. */
struct glsl_included *glsl_include(void *user, const char *requested, int type, const char *requesting,
                                   size_t depth);
void glsl_include_release(void *user, struct glsl_included *included);

#endif
