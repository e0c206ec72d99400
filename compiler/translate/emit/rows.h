/* Rows of work-items: the innermost loop of a NODE_ITEMS in C, along x.
 *
 * A kernel without barriers and shared memory, and to which it does not matter where one group ends and the next begins, is
 * `merged`: its rows run through as many groups as lie side by side, and the loop counts item_x, the x of
 * gl_GlobalInvocationID. In all other kernels a row is one group's and the loop counts local_x.
 *
 * SPIR-V computes with 32 bits, and a compiler cannot see that x[(uint32_t)(row * width + x - 1)] walks through memory,
 * because the index might wrap around. So an index that grows by a constant from item to item (a stream) is computed
 * exactly, with 32 bits, for the first item of the row, and is that plus a multiple of the counter, with 64 bits, in the
 * loop. It is the same number for every element that an array can have, unless the array has more than 2^31 elements (2^30
 * where the step is not 1) and the index wraps within one row.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_ROWS_H
#define COMPILER_TRANSLATE_EMIT_ROWS_H

#include "compiler/translate/emit/flow.h"

#define ROWS_STREAMS_MOST 64u
#define ROWS_STEP_MOST 8 /* elements; further apart there is nothing to gain */
#define ROWS_ITEMS_MOST (1u << 27)

struct row_stream {
    uint32_t id;
    uint32_t number; /* of its variable, at_3 */
    int64_t step;
    const char *base; /* how that begins */
};

struct emit_rows {
    uint8_t merged;
    uint8_t in_loop;    /* the body of the loop is being written */
    uint8_t at_first;   /* built-ins are those of the row's first item */
    uint8_t is_bounded; /* the row has bounds of its own: guard.c */
    uint8_t is_signed;  /* (merged) x is compared as a signed number */
    uint32_t budget;    /* of looking through expressions */
    uint32_t numbers;   /* that variables of this kernel have already */
    uint32_t stream_count;
    struct row_stream streams[ROWS_STREAMS_MOST];
    struct text bases; /* the lines before the loop */
};

/* How much a component of a 32-bit integer (or bool, which must be 0) grows from one item of a row to the next. 0 when that
 * is not known, or is not the same for all items, or the value cannot be computed before the loop. */
int32_t row_step(struct emit *emit, uint32_t id, uint32_t component, int64_t *step);

/* The value for the row's first item, as an expression of type uint32_t, of something that row_step() knows. */
void row_write(struct emit *emit, uint32_t id, uint32_t component);

/* Start looking: row_step() and row_write() look at no more than so many instructions. */
void row_start(struct emit *emit);

/* Is it x itself, as the loop counts it? */
int32_t row_is_counter(struct emit *emit, uint32_t id, uint32_t component);

/* ---- guard.c */

/* If what an item does begins with an `if` that decides whether it goes on, writes what that means for the row's `first` and `last`
 * to rows->bases. Answers the `if` when it says no more than that: it goes on where the condition is `holds`. */
const struct node *row_guard(struct emit *emit, const struct node *items, int32_t *holds);

#endif
