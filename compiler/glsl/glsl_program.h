/* Compiles GLSL with the program glslc, the command line of shaderc. It also works on systems whose
 * libshaderc cannot be opened: the library of Debian 12 lacks symbols that only this program links.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_PROGRAM_H
#define COMPILER_GLSL_GLSL_PROGRAM_H

#include <trireme/shader.h>

#include "base/base.h"

/* The path of the program, or NULL. Looks only in the folders of the system and not in PATH, since the user
 * of a set-user-ID program controls PATH. Skips a program that a user other than root and the current one
 * could replace. */
const char *glsl_program_find(void);

struct glsl_program_result {
    bool succeeded;      /* the program exited with 0 */
    int32_t signal;      /* the signal that killed it; 0: none */
    const char *message; /* standard error, with `file` in place of <stdin>; in the arena */
    const void *bytes;   /* the SPIR-V, in the arena */
    uint64_t size;
};

/* Runs the program and blocks until it has exited. A text that does not compile is no error here: see
 * `succeeded`.
 * Errors: OUT_OF_HOST_MEMORY; UNSUPPORTED if the program cannot be run. */
int32_t glsl_program_run(struct base_arena *arena, const char *program, const char *text, uint64_t length,
                         const char *file, const struct trm_glsl_options *options,
                         struct glsl_program_result *result);

#endif
