/* Trireme: output: text that is safe on a terminal, colour, units; tables; JSON; the first failure; memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_OUTPUT_OUTPUT_H
#define TRIREME_TOOLS_OUTPUT_OUTPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/output/fault.h"
#include "tools/output/json.h"
#include "tools/output/table.h"

enum output_style {
    OUTPUT_PLAIN = 0,
    OUTPUT_BOLD,
    OUTPUT_GOOD,
    OUTPUT_BAD,
    OUTPUT_FAINT,
};

/* The escape sequence that begins a style (OUTPUT_PLAIN: ends it) on stdout; "" unless stdout is a terminal
 * and NO_COLOR is unset or empty (https://no-color.org). */
const char *output_style(enum output_style style);

/* Write untrusted text, such as a driver's name for a device: control characters become '?', and so does each
 * byte that is no UTF-8. */
void output_text(FILE *file, const char *text);

/* Write a line of a longer text, which ends with '\0' or a newline; tabs stay. */
void output_line(FILE *file, const char *text, size_t length);

/* Write text as a paragraph: lines of 80 columns at most where words allow it, each after `indent` spaces. */
void output_paragraph(FILE *file, int indent, const char *text);

/* "64 KiB", "7.8 GiB": with one decimal unless it is a whole number. */
void output_bytes(char *text, size_t capacity, uint64_t bytes);

/* Three significant digits and no exponent: "0.0123", "45.6", "12,345". */
void output_number(char *text, size_t capacity, double value);

/* Flush and close stdout. Returns 0, or prints the failure to stderr and returns -1. Nothing may be written
 * to stdout afterwards. */
int output_finish(void);

/* Zeroed memory for `count` elements of `size` bytes. Ends the program if there is none. */
void *output_allocate(size_t count, size_t size);

/* A copy of a string. Ends the program if there is no memory. */
char *output_copy(const char *text);

#endif
