/* Compiles GLSL to SPIR-V with the program glslc, or with libshaderc in this process.
 *
 * Only another process can be ended, so where there are limits (the settings compiler.*) the program comes
 * first, and the library serves where the program is not installed: then the text itself decides how long it
 * takes, and only what it includes is limited (glsl_include.h). Without limits the library comes first, as it
 * is quicker.
 *
 *   glsl.c                checks the options, chooses between library and program, reports messages
 *   glsl_library.c        opens libshaderc
 *   glsl_include.c        finds included files
 *   glsl_program.c        finds and runs glslc
 *   glsl_gather.c         writes the text and the files that it includes into the folder of glslc
 *   glsl_scan.c           finds #include in a text
 *
 * Each call opens the library and creates a compiler of its own, so calls share no state and need no lock. No
 * code here starts a thread. Any thread may call; the call blocks until the compiler has finished.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_H
#define COMPILER_GLSL_GLSL_H

#include <trireme/shader.h>

#include "base/base.h"
#include "base/program/program.h"

/* The file names of libshaderc in the order in which to try them, with NULL at the end. */
extern const char *const glsl_libraries[];

/* What to compile, and how. */
struct glsl_source {
    struct base_arena *arena; /* for the SPIR-V, among others */
    const struct base_log *log;
    const char *const *libraries;           /* glsl_libraries; tests name others, then glslc is not run */
    const struct base_program_rules *rules; /* for glslc */
    const char *text;
    uint64_t length;
    const char *name; /* of the text in messages, if the options name no file */
    const struct trm_glsl_options *options;
};

/* Compiles a compute shader to SPIR-V. Writes all messages of the compiler to the log, and the first lines to
 * the error.
 * Errors: INVALID_ARGUMENT for invalid options or a text that does not compile; UNSUPPORTED without library
 * and program; BACKEND if glslc crashes or exceeds a limit, TIMEOUT if that limit is the time;
 * OUT_OF_HOST_MEMORY. */
int32_t glsl_compile(const struct glsl_source *source, const void **bytes, uint64_t *size);

#endif
