/* Trireme: a table of text in aligned columns.
 * SPDX-License-Identifier: MIT
 */
#include "tools/output/table.h"

#include "tools/output/output.h"

#include <stdlib.h>
#include <string.h>

/* Columns on a terminal; a UTF-8 sequence takes one. */
static int text_width(const char *text)
{
    int width = 0;

    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

void table_init(struct table *table, uint32_t columns, uint32_t right)
{
    memset(table, 0, sizeof(*table));
    table->columns = columns;
    table->right   = right;
}

void table_fini(struct table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->cells[i]);
    free(table->cells);
}

void table_add(struct table *table, const char *text)
{
    if (table->count == table->capacity) {
        size_t capacity = table->capacity ? 2 * table->capacity : 64;
        char **cells    = output_allocate(capacity, sizeof(*cells));

        if (table->count > 0)
            memcpy(cells, table->cells, table->count * sizeof(*cells));
        free(table->cells);
        table->cells    = cells;
        table->capacity = capacity;
    }
    table->cells[table->count++] = output_copy(text);
}

static void measure_columns(const struct table *table, int widths[TABLE_COLUMNS])
{
    memset(widths, 0, TABLE_COLUMNS * sizeof(widths[0]));
    for (size_t i = 0; i < table->count; i++) {
        int width = text_width(table->cells[i]);

        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
}

static void print_row(const struct table *table, FILE *file, size_t first, const int *widths)
{
    for (uint32_t column = 0; column < table->columns && first + column < table->count; column++) {
        const char *text = table->cells[first + column];
        int padding      = widths[column] - text_width(text);
        bool is_last     = column + 1 == table->columns;

        if (table->right & (1u << column))
            fprintf(file, "%*s", padding, "");
        output_text(file, text);
        if (!(table->right & (1u << column)) && !is_last)
            fprintf(file, "%*s", padding, "");
        if (!is_last)
            fputs("  ", file);
    }
}

void table_print(const struct table *table, FILE *file, int indent, bool has_heading)
{
    int widths[TABLE_COLUMNS];

    measure_columns(table, widths);
    for (size_t first = 0; first < table->count; first += table->columns) {
        bool is_bold = has_heading && first == 0;

        fprintf(file, "%*s%s", indent, "", is_bold ? output_style(OUTPUT_BOLD) : "");
        print_row(table, file, first, widths);
        fprintf(file, "%s\n", is_bold ? output_style(OUTPUT_PLAIN) : "");
    }
}
