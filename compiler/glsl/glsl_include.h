/* Finds the files that GLSL includes, as callbacks of libshaderc.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_INCLUDE_H
#define COMPILER_GLSL_GLSL_INCLUDE_H

#include "base/base.h"
#include "compiler/glsl/glsl_library.h"

/* Where to look: for #include "..." first in the folder of the including file, then in `folders`. File
 * contents are allocated in the arena. */
struct glsl_includes {
    struct base_arena *arena;
    const char *const *folders;
    uint32_t count;
    bool has_folder; /* false: the text itself is not in a file, so its includes are in `folders` only */
};

/* A glsl_include_fn and a glsl_include_release_fn; `user` is a struct glsl_includes. */
struct glsl_included *glsl_include(void *user, const char *requested, int type, const char *requesting,
                                   size_t depth);
void glsl_include_release(void *user, struct glsl_included *included);

#endif
