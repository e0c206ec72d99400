/* The identifiers of a translation: readable, and each one's own.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TEXT_NAMES_H
#define COMPILER_TRANSLATE_TEXT_NAMES_H

#include "compiler/translate/emit/emit.h"

struct emit_names {
    struct base_arena *arena;
    const char **by_id; /* [count] */
    uint32_t count;
    const char **set; /* every identifier that is taken: open addressing, a power of two */
    uint32_t set_count, set_size;
};

/* NULL without memory. */
struct emit_names *names_create(struct base_arena *arena);

/* Is this identifier taken? Takes it where it is not. */
int32_t names_take(struct emit_names *names, const char *identifier);

/* `text` with what cannot stand in an identifier replaced; "" when nothing is left of it. In the arena. */
const char *names_clean(struct base_arena *arena, const char *text);

/* The function of a kernel: its name, with something behind it where that is taken. Takes it. */
const char *names_symbol(struct emit_names *names, const char *name);

/* Words that mean something to C, C++, CUDA or their headers; ends with NULL. */
extern const char *const names_reserved[];

#endif
