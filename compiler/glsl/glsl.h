/* Compiles GLSL to SPIR-V with libshaderc or, if that cannot be opened, with the program glslc.
 *
 *   glsl.c                checks the options, chooses between library and program, reports messages
 *   glsl_library.c        opens libshaderc
 *   glsl_include.c        finds included files for libshaderc
 *   glsl_program.c        finds and runs glslc
 *
 * Each call opens the library and creates a compiler of its own, so calls share no state and need no lock. No
 * code here starts a thread. Any thread may call; the call blocks until the compiler has finished.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_H
#define COMPILER_GLSL_GLSL_H

#include <trireme/shader.h>

#include "base/base.h"

/* The file names of libshaderc in the order in which to try them, with NULL at the end. */
extern const char *const glsl_libraries[];

/* Compiles a compute shader to SPIR-V, which is allocated in the arena. Messages use `name` for the text if
 * the options name no file. Writes all messages of the compiler to `log`, and the first lines to the error.
 * Runs glslc only if `libraries` is glsl_libraries, so that tests can do without it.
 * Errors: INVALID_ARGUMENT for invalid options or a text that does not compile; UNSUPPORTED without library
 * and program; BACKEND if glslc crashes; OUT_OF_HOST_MEMORY. */
int32_t glsl_compile(struct base_arena *arena, const struct base_log *log, const char *const *libraries,
                     const char *text, uint64_t length, const char *name,
                     const struct trm_glsl_options *options, const void **bytes, uint64_t *size);

#endif
