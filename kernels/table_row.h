/* The rows that a call of a kernel with a table of spans has to do with (shaders/common/table_row.glsl).
 * Groups that follow each other in one row are done together.
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>
#include <stdint.h>

#define GROUP 256u

struct walk {
    const uint32_t *table;
    uint32_t rows, words; /* of the table; of a row */
    uint32_t row;         /* of `group` */
    uint64_t group, end;  /* what is left */
};

/* Elements of one row. */
struct piece {
    const uint32_t *row;
    uint64_t begin, end;
};

static uint64_t first_group(const struct walk *walk, uint32_t row)
{
    return walk->table[(uint64_t)row * walk->words];
}

static struct walk walk_from(const struct trm_cpu_groups *groups, const uint32_t *table, uint32_t rows,
                             uint32_t words)
{
    struct walk walk = {
        .table = table, .rows = rows, .words = words, .group = groups->begin, .end = groups->end};
    uint32_t high = rows;

    while (high - walk.row > 1) {
        uint32_t middle = walk.row + (high - walk.row) / 2;
        if (first_group(&walk, middle) <= walk.group)
            walk.row = middle;
        else
            high = middle;
    }
    return walk;
}

/* False when there is nothing left. */
static bool next_piece(struct walk *walk, struct piece *piece)
{
    if (walk->group >= walk->end)
        return false;
    uint64_t first = first_group(walk, walk->row);
    uint64_t next  = walk->row + 1 < walk->rows ? first_group(walk, walk->row + 1) : walk->end;
    uint64_t end   = next < walk->end ? next : walk->end;
    uint64_t count = walk->table[(uint64_t)walk->row * walk->words + 1];

    piece->row   = walk->table + (uint64_t)walk->row * walk->words;
    piece->begin = (walk->group - first) * GROUP;
    piece->end   = (end - first) * GROUP < count ? (end - first) * GROUP : count;
    piece->begin = piece->begin < piece->end ? piece->begin : piece->end;
    walk->group  = end;
    walk->row++;
    return true;
}

static unsigned char *pointer_at(const uint32_t *words)
{
    return (unsigned char *)(uintptr_t)(words[0] | (uint64_t)words[1] << 32);
}
