/* SPIR-V to C and CUDA C. translate() reads a module (compiler/spirv/), writes its types, and runs for each
 * kernel:
 *
 *     translate_flatten()                   inlines calls, resolves pointers
 *     translate_promote()                   mem2reg: variables become values
 *     translate_structure()                 blocks become a tree, without dead code
 *     translate_if_convert()                (CUDA) branches around loads become selects
 *     translate_bound_loops()               (CUDA) loops that count get a form whose rounds NVCC can count
 *     translate_lockstep()                  (C) loops that work-items run side by side
 *     translate_split_at_barriers()         (C) regions become loops over work-items
 *       translate_uniform()                   finds uniform values and nodes
 *       translate_simplify_control_flow()     removes redundant jumps and scopes
 *       translate_rematerialize()             computes cheap values again
 *       translate_eliminate_dead_code()       removes unused values
 *       translate_spill()                     finds what regions keep for one another
 *       translate_hoist_spills()              moves spills out of loops
 *     translate_place()                     where each value lives
 *     emit_target.kernel()                  writes the text
 *
 * Each pass is in the file of its name in passes/; passes/passes.h lists the steps of every pass. Last,
 * translate() writes the beginning of the text, with the functions that the kernels call (prelude/).
 *
 * The rooms, from the bottom up. Each may include those in parentheses, base and compiler/spirv, and of each
 * only the header with the room's name:
 *
 *     text/     text that grows, identifiers
 *     tree/     a kernel's body as a tree
 *     passes/   the passes on it (tree)
 *     prelude/  the functions that translated kernels call (text)
 *     emit/     a tree as text (tree, text, prelude)
 *     targets/  what differs between C and CUDA C (emit)
 *
 * Each call of translate() works in an arena of its own; any number of threads may translate at once.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TRANSLATE_H
#define COMPILER_TRANSLATE_TRANSLATE_H

#include "compiler/spirv/spirv.h"

struct translate_result {
    const char *text; /* in the arena */
    size_t length;
    const char *const *symbols; /* the function of each entry, in the order of the reflection's kernels */
    uint32_t symbol_count;
};

/* The limits of a translation, unless the request has others: a small module can become much code, and the
 * time that compilers take grows faster than the code. */
#define TRANSLATE_INSTRUCTIONS 50000u
#define TRANSLATE_TEXT ((uint64_t)8 << 20)

struct translate_request {
    const uint32_t *words;
    uint32_t word_count;
    const char *name; /* of the module: replaces the name of an entry called "main" */
    int32_t language; /* enum trm_language */
    uint32_t flags;   /* enum trm_translate_flag */
    const struct trm_constant *constants;
    uint32_t constant_count;
    const uint8_t *digest;      /* 32 bytes that the text carries along; NULL: none */
    uint32_t instruction_limit; /* of one kernel, once its calls are inlined; 0: TRANSLATE_INSTRUCTIONS */
    uint64_t text_limit;        /* bytes of the text; 0: TRANSLATE_TEXT */
};

/* Translates a module. Blocks: no. Errors: those of spirv_read() and spirv_check_fit(); UNSUPPORTED with the
 * instruction and its line, or with a limit and the setting that allows more; OUT_OF_HOST_MEMORY. */
int32_t translate(struct base_arena *arena, const struct translate_request *request,
                  struct translate_result *result);

#endif
