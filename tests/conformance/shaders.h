/* The shaders of the cases: the SPIR-V of shaders/NAME.comp, compiled into the program.
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

/* The shader of that name, which must exist. */
struct shader_words shader_words(const char *name);

/* Whether the device under test takes no portable kernels, or lacks the compiler for them. If so, prints why,
 * as skip() does: the caller returns. */
bool shaders_missing(void);

/* A description of the module of a shader, under its name. */
struct trm_module_desc shader_desc(const char *name);

/* The kernel of a shader on the device under test, with constants; its module has no other handle. The caller
 * destroys it. */
struct trm_kernel *shader_kernel_with(const char *name, const struct trm_constant *constants, uint32_t count);
struct trm_kernel *shader_kernel(const char *name);

/* Loads and destroys a module. Returns the status of trm_module_load(). */
int32_t shader_load(const struct trm_module_desc *desc);

/* A kernel of a module that has no other handle; NULL names its only kernel. The caller destroys it. */
struct trm_kernel *shader_kernel_of(const struct trm_module_desc *desc, const char *name);

/* Launches a kernel over so many items, in groups of its own size. */
int32_t shader_launch(struct trm_kernel *kernel, uint64_t items, const struct trm_argument *arguments,
                      uint32_t count);

/* The kernel computes data[i] × factor + addend, of n numbers and no more. Destroys it. */
void shader_is_affine(struct trm_kernel *kernel);

#endif
