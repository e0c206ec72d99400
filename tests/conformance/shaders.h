/* The shaders of the cases: SPIR-V that was made of shaders/NAME.comp, within the program.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_SHADERS_H
#define CONFORMANCE_SHADERS_H

#include "harness.h"

struct shader_words {
    const char *name;
    const uint32_t *words;
    uint64_t size; /* bytes */
};

/* The one of that name, which there is. */
struct shader_words shader_words(const char *name);

/* Whether the device under test takes portable kernels, and has what it needs to make code of them. Says why
 * not, as skip() does: the caller returns. */
bool shaders_missing(void);

/* A description of the module of a shader, under its name. */
struct trm_module_desc shader_desc(const char *name);

/* Its kernel on the device under test, with constants. The module has no handle any more. Destroyed by the
 * caller. */
struct trm_kernel *shader_kernel_with(const char *name, const struct trm_constant *constants, uint32_t count);
struct trm_kernel *shader_kernel(const char *name);

/* Load a module and let go of it; what trm_module_load() answered. */
int32_t shader_load(const struct trm_module_desc *desc);

/* A kernel of a module that has no handle any more; NULL: its only one. Destroyed by the caller. */
struct trm_kernel *shader_kernel_of(const struct trm_module_desc *desc, const char *name);

/* Launch a kernel over so many items, in groups of its own size. */
int32_t shader_launch(struct trm_kernel *kernel, uint64_t items, const struct trm_argument *arguments,
                      uint32_t count);

/* The kernel computes data[i] × factor + addend, of n numbers and no more. Destroys it. */
void shader_is_affine(struct trm_kernel *kernel);

#endif
