/* Trireme: a table of text in aligned columns.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_OUTPUT_TABLE_H
#define TRIREME_TOOLS_OUTPUT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    TABLE_COLUMNS = 8
};

struct table {
    uint32_t columns;
    uint32_t right; /* bit c: column c is aligned to the right */
    size_t count;   /* of cells, row by row */
    size_t capacity;
    char **cells;
    int least[TABLE_COLUMNS]; /* widths that the columns have at least */
};

/* An empty table of 1 to TABLE_COLUMNS columns. */
void table_init(struct table *table, uint32_t columns, uint32_t right);
void table_fini(struct table *table);

/* Add the next cell, left to right and row after row. */
void table_add(struct table *table, const char *text);

/* Make a column at least as wide as this text, which may be in another table that is to be in line with this
 * one. */
void table_fit(struct table *table, uint32_t column, const char *text);

/* Print the table, each line after `indent` spaces. With `has_heading` the first row is in bold. */
void table_print(const struct table *table, FILE *file, int indent, bool has_heading);

#endif
