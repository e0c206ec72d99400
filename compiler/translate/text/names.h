/* Identifiers of a translation: readable and unique (names.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TEXT_NAMES_H
#define COMPILER_TRANSLATE_TEXT_NAMES_H

#include <stdbool.h>

#include "base/base.h"

struct names {
    struct base_arena *arena;
    const char **by_id; /* [count] identifiers of SPIR-V ids, made on first use; NULL: not yet */
    uint32_t count;
    const char **set; /* every identifier that is taken: open addressing, a power of two */
    uint32_t set_count, set_size;
};

/* NULL without memory. */
struct names *names_create(struct base_arena *arena);

/* Takes an identifier. 0 when it is taken already. */
bool names_take(struct names *names, const char *identifier);

/* `text` with characters that cannot stand in an identifier replaced; "" when nothing is left. In the
 * arena. */
const char *names_clean(struct base_arena *arena, const char *text);

/* Takes the identifier of a kernel's function. */
const char *names_symbol(struct names *names, const char *name);

/* Makes room in `by_id` for ids up to this one. 0 without memory. */
bool names_reserve(struct names *names, uint32_t id);

/* Takes an identifier for an id: `given` alone when `is_local` and the word is free, else with the id behind
 * it. `given` may be NULL. */
const char *names_make(struct names *names, uint32_t id, const char *given, bool is_local);

#endif
