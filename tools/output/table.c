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

void table_fit(struct table *table, uint32_t column, const char *text)
{
    int width = text_width(text);

    if (width > table->least[column])
        table->least[column] = width;
}

static void measure_columns(const struct table *table, int widths[TABLE_COLUMNS])
{
    memcpy(widths, table->least, sizeof(table->least));
    for (size_t i = 0; i < table->count; i++) {
        int width = text_width(table->cells[i]);

        if (width > widths[i % table->columns])
            widths[i % table->columns] = width;
    }
}

/* The columns of a row without empty ones at its end. */
static uint32_t used_columns(const struct table *table, size_t first)
{
    size_t rest    = table->count - first;
    uint32_t count = rest < table->columns ? (uint32_t)rest : table->columns;

    while (count > 0 && table->cells[first + count - 1][0] == '\0')
        count--;
    return count;
}

static void print_row(const struct table *table, FILE *file, size_t first, const int *widths)
{
    uint32_t used = used_columns(table, first);

    for (uint32_t column = 0; column < used; column++) {
        const char *text = table->cells[first + column];
        int padding      = widths[column] - text_width(text);
        bool is_last     = column + 1 == used;

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
