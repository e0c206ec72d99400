/* The portable code of a shader: a SPIR-V module, its specialization constants and its reflection. Shaders
 * and modules both hold one.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SHADER_SHADER_CODE_H
#define CORE_SHADER_SHADER_CODE_H

#include <trireme/backend.h>

#include "base/base.h"
#include "compiler/spirv/spirv.h"
#include "core/object/object.h"

/* All pointers point into its arena. */
struct core_shader_code {
    struct core_context *context;
    struct base_arena arena;
    const uint32_t *words; /* not specialized */
    uint32_t word_count;
    const char *name;    /* the name of an entry point "main" */
    const char *stem;    /* the path, without ".spv", of a kernel that was found by name; else NULL */
    const char *variant; /* as in struct trm_module_source */
    struct spirv_module *module;
    struct spirv_reflection reflection;
    const struct trm_kernel_info
        *flat;                      /* its kernels with the parameters that backends get (spirv_flatten()) */
    struct trm_constant *constants; /* those that differ from their defaults, sorted by id */
    uint32_t constant_count;
    uint8_t digest[BASE_SHA256_BYTES];
};

void core_shader_code_init(struct core_shader_code *code, struct core_context *context);
void core_shader_code_fini(struct core_shader_code *code);

/* Gets words, name and stem from a description (shader_load.c). Formats: SPIRV, GLSL, NAMED. Errors: as
 * trm_shader_create(). */
int32_t core_shader_code_load(struct core_shader_code *code, const struct trm_shader_desc *desc);

/* Copies words, name and stem of another one, which may be freed afterwards. `name` NULL keeps the name. */
int32_t core_shader_code_copy(struct core_shader_code *code, const struct core_shader_code *other,
                              const char *name);

/* Checks and reflects loaded or copied code, with these constants. Errors: as spirv_read(). */
int32_t core_shader_code_read(struct core_shader_code *code, const struct trm_constant *constants,
                              uint32_t constant_count);

/* Checks that code can be made with the constants that it was read with. Errors: as spirv_check_fit(). */
int32_t core_shader_code_check(const struct core_shader_code *code);

/* Has a kernel an array of buffers, images or samplers? */
bool core_shader_code_has_arrays(const struct core_shader_code *code);

/* Fills the source of a module for a backend; it points into `code`. */
void core_shader_code_source(const struct core_shader_code *code, struct trm_module_source *source);

#endif
