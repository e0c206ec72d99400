/* The prelude: functions that translated kernels call. Their text is in the .inc files of this folder, cut
 * into parts by lines of marks (base.inc says how); prelude.awk makes the table of parts when the library is
 * built. A translation notes the parts that it needs, and writes those and the parts that they need
 * (prelude.c).
 *
 * The table is constant. A struct prelude belongs to one translation.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PRELUDE_PRELUDE_H
#define COMPILER_TRANSLATE_PRELUDE_PRELUDE_H

#include <trireme/shader.h>

#include "compiler/translate/text/text.h"

/* Parts stand in the table in the order in which they must stand in a text: a part uses only parts before
 * it. */
struct prelude_part {
    const char *name;  /* without trm_ */
    uint32_t language; /* enum trm_language; 0: both */
    const char *text;
};

extern const struct prelude_part prelude_parts[];
extern const uint32_t prelude_part_count;

/* The parts' indices, sorted by name and then by language. */
extern const uint16_t prelude_part_order[];

/* What one translation needs. */
struct prelude {
    uint32_t language;   /* enum trm_language */
    uint64_t needed[16]; /* bits by index of a part */
};

/* Notes that a part is needed. 0 when the language has no part of that name. */
bool prelude_need(struct prelude *prelude, const char *name);

/* Appends the needed parts, and those that they need, to a text. */
void prelude_write(struct prelude *prelude, struct text *text);

#endif
