/* SPIR-V to C and CUDA C.
 *
 *     spirv_read()            module, constants specialised                      compiler/spirv/
 *     translate_flatten()     all calls inlined; pointers resolved to paths      flatten.c, access.c
 *     translate_promote()     variables of functions become values               promote.c
 *     translate_structure()   blocks become a tree of structured nodes           structure.c
 *     translate_lockstep()    (C) loops that items run through side by side      lockstep.c
 *     translate_split_at_barriers()      (C) the tree is cut at barriers into item loops    uniform.c, divide.c
 *     translate_place()       where each value lives                             place.c
 *     emit_*                  text                                               emit*.c, target*.c
 *                             rows of work-items, their guards and indices       rows.h, guard.c, stream.c
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TRANSLATE_H
#define COMPILER_TRANSLATE_TRANSLATE_H

#include "compiler/spirv/spirv.h"

struct translate_result {
    const char *text; /* in the arena that was given */
    size_t length;
    const char *const *symbols; /* the function of each entry, in the order of the reflection's kernels */
    uint32_t symbol_count;
};

struct translate_request {
    const uint32_t *words;
    uint32_t word_count;
    const char *name; /* of the module: what an entry called "main" is called */
    int32_t language; /* enum trm_language */
    uint32_t flags;   /* enum trm_translate_flag */
    const struct trm_constant *constants;
    uint32_t constant_count;
    const uint8_t *digest; /* 32 bytes that the text carries along; NULL: none */
};

/* Errors: as of spirv_read(); UNSUPPORTED naming an instruction and its line; OUT_OF_HOST_MEMORY. */
int32_t translate(struct base_arena *arena, const struct translate_request *request,
                  struct translate_result *result);

#endif
