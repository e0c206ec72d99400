/* Compiles GLSL with the program glslc, the command line of shaderc. It also works on systems whose
 * libshaderc cannot be opened: the library of Debian 12 lacks symbols that only this program links.
 *
 * The program runs as base/program/program.h says: in a temporary folder, under limits. It gets the text and
 * all files that the text includes in that folder (glsl_gather.h), so includes are found as with the library.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_PROGRAM_H
#define COMPILER_GLSL_GLSL_PROGRAM_H

#include "base/base.h"
#include "compiler/glsl/glsl.h"

/* The path of the program, or NULL. Looks only in the folders of the system and not in PATH, since the user
 * of a set-user-ID program controls PATH. Skips a program that a user other than root and the current one
 * could replace. */
const char *glsl_program_find(void);

struct glsl_program_result {
    bool succeeded;      /* the program exited with 0 */
    int32_t signal;      /* the signal that killed it; 0: none */
    const char *message; /* what it wrote, with the names of the files; in the arena */
    const void *bytes;   /* the SPIR-V, in the arena */
    uint64_t size;
};

/* Runs the program and blocks until it has ended. A text that does not compile is no error here: see
 * `succeeded`. `file` is the name of the text in messages.
 * Errors: as base_program_open(), base_program_write() and base_program_run(). */
int32_t glsl_program_run(const struct glsl_source *source, const char *program, const char *file,
                         struct glsl_program_result *result);

#endif
