/* Shaders translated to C, compiled and called, with no device in between.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_COMPILER_TRANSLATE_TRANSLATED_H
#define TESTS_UNIT_COMPILER_TRANSLATE_TRANSLATED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <trireme/cpu_kernel.h>
#include <trireme/trireme.h>

#include "compiler/translate/translate.h"

struct translated {
    struct base_arena arena;
    struct translate_request request; /* of translated_text(), for another translation */
    struct translate_result text;
    char folder[PATH_MAX];
    void *object; /* of dlopen() */
    const struct trm_cpu_kernel_table *table;
};

/* Is there a C compiler ($CC, else cc)? Without one there is nothing to test. */
bool translated_can_compile(void);

/* A file of the source tree, below tests/unit/shaders ($top_srcdir, else the folder that the test was built
 * with). */
const char *translated_path(const char *name);

/* Translates a SPIR-V file to a language; returns the status of translate(). translated_close() ends it
 * either way. */
int32_t translated_text(struct translated *translated, const char *path, int32_t language, uint32_t flags,
                        const struct trm_constant *constants, uint32_t constant_count);

/* Translates to C, compiles with all warnings as errors, and opens the result. Fails the test if any of this
 * fails. */
void translated_open(struct translated *translated, const char *path, uint32_t flags,
                     const struct trm_constant *constants, uint32_t constant_count);

/* Compiles the text again; `options` come before the file, and may be "". */
void translated_compile(struct translated *translated, const char *options);

/* Whether the compiler is clang, whose options differ. */
bool translated_is_by_clang(void);

/* Calls a kernel for a launch of so many groups, in `pieces` ranges one after the other, with scratch memory
 * filled with garbage. Returns the kernel's result. */
int32_t translated_call(const struct translated *translated, uint32_t kernel, uint32_t x, uint32_t y,
                        uint32_t z, uint32_t pieces, const void *block);

void translated_close(struct translated *translated);

#endif
