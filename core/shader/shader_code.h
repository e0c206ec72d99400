/* Portable code: a SPIR-V module with constants in force, and what it says of itself. Shaders and modules
 * both hold one.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SHADER_PORTABLE_H
#define CORE_SHADER_PORTABLE_H

#include <trireme/backend.h>

#include "base/base.h"
#include "compiler/spirv/spirv.h"
#include "core/object/object.h"

/* All that it points to is in its arena. */
struct core_portable {
    struct core_context *context;
    struct base_arena arena;
    const uint32_t *words; /* not specialised */
    uint32_t word_count;
    const char *name;    /* what an entry called "main" is called */
    const char *stem;    /* of a file that was found by its name: its path without ".spv"; else NULL */
    const char *variant; /* as in struct trm_module_source */
    struct spirv_module *module;
    struct spirv_reflection reflection;
    struct trm_constant *constants; /* those that differ from their defaults, by id, in that order */
    uint32_t constant_count;
    uint8_t digest[BASE_SHA256_BYTES];
};

void core_portable_init(struct core_portable *portable, struct core_context *context);
void core_portable_fini(struct core_portable *portable);

/* Get the words, name and stem of what a program describes (core/shader/shader_load.c). Formats: SPIRV,
 * GLSL, NAMED. Errors: as of trm_shader_create(). */
int32_t core_portable_find(struct core_portable *portable, const struct trm_shader_desc *desc);

/* The same of another one, which may go afterwards. name: NULL for the other's. */
int32_t core_portable_copy(struct core_portable *portable, const struct core_portable *other,
                           const char *name);

/* Once words and name are there: check and reflect, with these constants. Errors: as of spirv_read(). */
int32_t core_portable_read(struct core_portable *portable, const struct trm_constant *constants,
                           uint32_t constant_count);

/* The source of a module for a backend. */
void core_portable_source(const struct core_portable *portable, struct trm_module_source *source);

#endif
