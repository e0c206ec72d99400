/* Trireme: writing for people: text that is safe on a terminal, colour, units, memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_OUTPUT_H
#define TRIREME_TOOLS_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum output_style {
    OUTPUT_PLAIN = 0,
    OUTPUT_BOLD,
    OUTPUT_GOOD,
    OUTPUT_BAD,
    OUTPUT_FAINT,
};

/* The escape sequence that begins a style (OUTPUT_PLAIN: ends it) on stdout; "" unless stdout is a terminal and NO_COLOR
 * is unset or empty (https://no-color.org). */
const char *output_style(enum output_style style);

/* Write text of somebody else's, such as a driver's name for a device: control characters become '?'. */
void output_text(FILE *file, const char *text);

/* Write text as a paragraph: lines of 80 columns at most where words allow it, each after `indent` spaces. */
void output_paragraph(FILE *file, int indent, const char *text);

/* "64 KiB", "7.8 GiB": with one decimal where it is not whole. */
void output_bytes(char *text, size_t capacity, uint64_t bytes);

/* Three significant digits and no exponent: "0.0123", "45.6", "12,345". */
void output_number(char *text, size_t capacity, double value);

/* Flush stdout and find out whether everything that was written has arrived. Returns 0, or -1 after having said why not on
 * stderr. Nothing may be written to stdout afterwards. */
int output_finish(void);

/* Memory for `count` things of `size` bytes, zeroed. Ends the program when there is none. */
void *output_allocate(size_t count, size_t size);

/* A copy of a string. Ends the program when there is no memory. */
char *output_copy(const char *text);

#endif
