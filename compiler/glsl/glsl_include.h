/* #include in GLSL: the files that a text asks for.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_INCLUDE_H
#define COMPILER_GLSL_GLSL_INCLUDE_H

#include "base/base.h"
#include "compiler/glsl/glsl_library.h"

/* Where they are looked for: beside the file that asks, for #include "...", and then in the folders. What is read is in the
 * arena, and goes with it. */
struct glsl_includes {
    struct base_arena *arena;
    const char *const *folders;
    uint32_t count;
    bool has_folder; /* the text came from a file; false: "..." is looked up in `folders` alone */
};

/* Of type glsl_include_fn and glsl_include_release_fn; `user` is a struct glsl_includes. */
struct glsl_included *core_glsl_include(void *user, const char *requested, int type, const char *requesting,
                                        size_t depth);
void core_glsl_include_release(void *user, struct glsl_included *included);

#endif
