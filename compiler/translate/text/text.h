/* Text that grows: what the translator writes.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TEXT_TEXT_H
#define COMPILER_TRANSLATE_TEXT_TEXT_H

#include "base/base.h"

/* A text larger than this is refused rather than made: a small module can ask for a very large one. */
#define TEXT_MOST ((size_t)64 << 20)

struct text {
    struct base_arena *arena; /* `failed` is set there when there was no memory */
    char *bytes;              /* always ends with a zero, once something was written */
    size_t length, capacity;
    uint32_t indent; /* levels of four spaces, for text_line() */
};

void text_init(struct text *text, struct base_arena *arena);

/* Append. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const char *bytes, size_t length);

/* Begin a line: a line's end if the last one is open, and the indentation. */
void text_begin_line(struct text *text);

/* A whole line, with its indentation and end. A '{' at its end makes what follows deeper; text_close() ends that. */
void text_line(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_close(struct text *text, const char *line);

#endif
