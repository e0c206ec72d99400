/* The parts of the prelude: functions that translated kernels call. Their text is in prelude/, cut into parts by
 * lines of marks; prelude.awk makes a table of it when the library is built.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PRELUDE_PRELUDE_H
#define COMPILER_TRANSLATE_PRELUDE_PRELUDE_H

#include "compiler/translate/emit/emit.h"

/* A part, in the order in which they must stand in a text. A part uses no part behind it. */
struct emit_part {
    const char *name;  /* without trm_ */
    uint32_t language; /* enum trm_language; 0: both */
    const char *text;
};

extern const struct emit_part emit_parts[];
extern const uint32_t emit_part_count;

/* The parts' numbers in the order of their names and then languages. */
extern const uint16_t emit_part_order[];

/* Says that a part is needed. Errors: an unknown name is a fault of the translator; it is noted and emit_prelude()
 * makes the text one that no compiler takes. */
void emit_need_part(struct emit *emit, const char *name);

#endif
