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

/* The word of the id that an instruction defines; 0: none that matters here. */
uint32_t lower_result_word(uint32_t opcode);

/* Does the instruction stand before all types? */
bool lower_is_preamble(uint32_t opcode);

/* The words that a pass writes, with room for all of them. */
struct lower_writer {
    uint32_t *words;
    uint32_t count;
    uint32_t bound; /* ids of the new module */
};

static inline uint32_t lower_fresh_id(struct lower_writer *writer)
{
    return writer->bound++;
}

void lower_put_words(struct lower_writer *writer, const uint32_t *words, uint32_t count);
void lower_put(struct lower_writer *writer, uint32_t opcode, const uint32_t *operands, uint32_t count);

/* Writes an instruction: LOWER_PUT(writer, SpvOpBitcast, type, id, value). */
#define LOWER_PUT(writer, opcode, ...)                             \
    lower_put((writer), (opcode), (const uint32_t[]){__VA_ARGS__}, \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

/* The passes. They leave a module alone that they cannot follow, and set arena->failed without memory. */
void lower_samples(struct base_arena *arena, const uint32_t **words, uint32_t *count);
void lower_group(struct base_arena *arena, const uint32_t **words, uint32_t *count);
void lower_bfloats(struct base_arena *arena, const uint32_t **words, uint32_t *count);
void lower_trinary(struct base_arena *arena, const uint32_t **words, uint32_t *count);
void lower_bindings(struct base_arena *arena, const uint32_t **words, uint32_t count);

#endif
