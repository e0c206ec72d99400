/* Text that grows, and the identifiers in it.
 *
 *     text.c    struct text: appending, lines, indentation
 *     names.c   identifiers that are taken; the identifier of an id
 *
 * All memory comes from the translation's arena. One translation is one thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TEXT_TEXT_H
#define COMPILER_TRANSLATE_TEXT_TEXT_H

#include "base/base.h"
#include "compiler/translate/text/names.h"

/* How long texts may be: a small module can ask for a very long one. */
struct text_limit {
    size_t bytes;
    bool is_exceeded;
};

struct text {
    struct base_arena *arena; /* its `failed` is set when memory runs out, and at the limit */
    struct text_limit *limit;
    char *bytes; /* zero-terminated; NULL until something is written */
    size_t length, capacity;
    uint32_t indent; /* levels of four spaces, for text_line() */
};

void text_init(struct text *text, struct base_arena *arena, struct text_limit *limit);

/* Append to the text. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const char *bytes, size_t length);

/* Begins a line: ends the last one if it is open, then indents. */
void text_begin_line(struct text *text);

/* Appends a whole line with indentation and newline. A '{' at its end indents the lines after it;
 * text_close() ends that. */
void text_line(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_close(struct text *text, const char *line);

#endif
