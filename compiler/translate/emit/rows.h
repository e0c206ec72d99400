/* Rows of work-items: the innermost loop of a NODE_ITEMS in C, along x.
 *
 * A kernel without barriers and shared memory, whose result does not depend on where one group ends and the
 * next begins, is `merged`: its rows run through all groups that lie side by side, and the loop counts
 * item_x, the x of gl_GlobalInvocationID. In all other kernels a row belongs to one group and the loop counts
 * local_x.
 *
 * SPIR-V computes with 32 bits, and a compiler cannot see that x[(uint32_t)(row * width + x - 1)] walks
 * through memory, because the index might wrap around. So an index that grows by a constant from work-item to
 * work-item (a row index) is computed exactly, with 32 bits, for the first work-item of the row; in the loop
 * it is that number plus a multiple of the counter, with 64 bits. Both are the same number for every element
 * that an array can have, unless the array has more than 2^31 elements (2^30 when the step is not 1) and the
 * index wraps within one row.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_ROWS_H
#define COMPILER_TRANSLATE_EMIT_ROWS_H

#include "compiler/translate/emit/flow.h"

#define ROWS_INDICES_MOST 64u
#define ROWS_STEP_MOST 8 /* elements; with wider steps vectorising does not pay */
#define ROWS_ITEMS_MOST (1u << 27)

/* An index that grows by `step` from work-item to work-item. */
struct row_index {
    uint32_t id, component;
    uint32_t number; /* of its variable, at_3 */
    int64_t step;
    const char *base; /* the expression that initialises the variable */
};

struct emit_rows {
    bool is_merged;
    bool in_loop;     /* the body of the loop is being written */
    bool at_first;    /* built-ins are those of the row's first work-item */
    bool is_bounded;  /* the row has bounds of its own (row_guard.c) */
    bool is_signed;   /* (merged) x is compared as a signed number */
    uint32_t budget;  /* instructions that row_step() and row_write() may still look at */
    uint32_t numbers; /* variables of this kernel that have a number */
    uint32_t index_count;
    struct row_index indices[ROWS_INDICES_MOST];
    struct text bases; /* the lines before the loop */
};

/* By how much a component of a 32-bit integer grows from one work-item of a row to the next; for a bool,
 * which must not change, 0. Returns 0 when that is unknown or differs between work-items, or when the value
 * cannot be computed before the loop. */
bool row_step(struct emit *emit, uint32_t id, uint32_t component, int64_t *step);

/* Writes the value for the row's first work-item, of something that row_step() knows, as an expression of
 * type uint32_t. */
void row_write(struct emit *emit, uint32_t id, uint32_t component);

/* Resets the budget of row_step() and row_write(). */
void row_start(struct emit *emit);

/* Is it the loop's counter itself? */
bool row_is_counter(struct emit *emit, uint32_t id, uint32_t component);

/* If a work-item's code begins with an `if` that decides whether it continues, writes the consequences for
 * the row's `first` and `last` to rows->bases. Returns the `if` when the bounds replace it completely: the
 * work-item continues where the condition is `holds` (row_guard.c). */
const struct node *row_hoist_guard(struct emit *emit, const struct node *items, bool *holds);

#endif
