/* Compiling GLSL with the program `glslc`, which is shaderc with a command line. Some systems have it where the library
 * cannot be opened: that of Debian 12 lacks symbols which only this program brings along.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_PROGRAM_H
#define COMPILER_GLSL_GLSL_PROGRAM_H

#include <trireme/shader.h>

#include "base/base.h"

/* The path of the program, or NULL. It is looked for in the system's folders alone, not in PATH: the library does not
 * take code from where a set-user-ID program's user points. */
const char *core_glsl_program_find(void);

struct glsl_program_result {
    bool succeeded;      /* the program exited with 0 */
    int32_t signal;      /* that ended it: it crashed; else 0 */
    const char *message; /* what it said, with `file` as the text's name; all of this is in the arena */
    const void *bytes;   /* of the SPIR-V */
    uint64_t size;
};

/* Blocks until it has ended. Errors: OUT_OF_HOST_MEMORY; UNSUPPORTED when it cannot be run. */
int32_t core_glsl_program_run(struct base_arena *arena, const char *program, const char *text,
                              uint64_t length, const char *file, const struct trm_glsl_options *options,
                              struct glsl_program_result *result);

#endif
