/* The words of a module that is lowered, and where its ids are defined.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_LOWER_MODULE_H
#define COMPILER_LOWER_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "compiler/spirv/spirv.h"

#define LOWER_HEADER_WORDS 5u

struct lower_words {
    struct base_arena *arena;
    const uint32_t *words;
    uint32_t count, bound;
    uint32_t functions;   /* where the first OpFunction is; `count` without one */
    uint32_t *defined_at; /* by id: the word of the instruction that defines it; 0: none that matters here */
};

static inline uint32_t lower_opcode(const uint32_t *at)
{
    return at[0] & 0xffff;
}

static inline uint32_t lower_length(const uint32_t *at)
{
    return at[0] >> 16;
}

/* Finds the definitions. False without memory, and when the words make no module. */
bool lower_scan(struct lower_words *module, struct base_arena *arena, const uint32_t *words, uint32_t count);

/* The instruction that defines an id, if it has this opcode and at least so many words; else NULL. */
const uint32_t *lower_definition(const struct lower_words *module, uint32_t id, uint32_t opcode,
                                 uint32_t words);

/* The type of a value, constant, variable or parameter; 0: none. */
uint32_t lower_type_of(const struct lower_words *module, uint32_t id);

/* The passes. They leave a module alone that they cannot follow, and set arena->failed without memory. */
void lower_samples(struct base_arena *arena, const uint32_t **words, uint32_t *count);
void lower_bindings(struct base_arena *arena, const uint32_t **words, uint32_t count);

#endif
