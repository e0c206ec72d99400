/* Compiling GLSL to SPIR-V with libshaderc, which is opened when it is first needed, or else with the program glslc.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_GLSL_GLSL_H
#define COMPILER_GLSL_GLSL_H

#include <trireme/shader.h>

#include "base/base.h"

/* What a library must be called to be taken for libshaderc, in the order in which they are tried; ends with NULL. */
extern const char *const core_glsl_libraries[];

/* Compile a compute shader. `name` is what messages call it when the options name no file. The bytes of the SPIR-V come out,
 * in the arena. All that the compiler says goes to `log`; the first lines of it are in the sentence.
 * Errors: INVALID_ARGUMENT for a text that does not compile; UNSUPPORTED without the library. */
int32_t core_glsl_compile(struct base_arena *arena, const struct base_log *log, const char *const *libraries,
                          const char *text, uint64_t length, const char *name,
                          const struct trm_glsl_options *options, const void **bytes, uint64_t *size);

#endif
