/* copy_table for the cpu, with the interface of shaders/copy_table.comp: memcpy() of what a call's groups
 * have in each row.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>
#include <trireme/cpu_kernel.h>

#include "kernels/export.h"

#define ROW_WORDS 7u
#include "kernels/table_row.h"

struct arguments {
    struct trm_cpu_buffer table;
    uint32_t rows;
};

static int32_t copy_table(const struct trm_cpu_groups *groups, const void *block)
{
    const struct arguments *arguments = block;
    const uint32_t *table             = arguments->table.data;
    struct piece piece;

    for (struct walk walk = walk_from(groups, table, arguments->rows, ROW_WORDS);
         next_piece(&walk, &piece);) {
        uint64_t unit = piece.row[2], at = piece.begin * unit;
        memcpy(pointer_at(piece.row + 5) + at, pointer_at(piece.row + 3) + at,
               (piece.end - piece.begin) * unit);
    }
    return 0;
}

static const struct trm_parameter parameters[] = {
    {.name = "table", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32, .access = TRM_ACCESS_READ},
    {.name = "rows", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

EXPORT_KERNEL(.name = "copy_table", .function = copy_table, .group_size = {GROUP, 1, 1});
