/* The graph of a kernel's blocks: edges, order and dominators, of the blocks that can be reached.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_DOMINATORS_H
#define COMPILER_TRANSLATE_PASSES_DOMINATORS_H

#include "compiler/translate/passes/steps.h"

struct graph {
    uint32_t count; /* blocks of the function */
    uint32_t
        *order; /* [order_count] those that can be reached, the first is the entry, in reverse postorder */
    uint32_t order_count;
    uint32_t *position;  /* [count] in `order`; NO_BLOCK for what cannot be reached */
    uint32_t *dominator; /* [count] the immediate one; NO_BLOCK for the entry */
    /* Lists, as the start of each block's part in one array: those of block b end where those of b + 1 start. */
    uint32_t *pred_start, *preds;     /* ascending, an edge of each kind once for each branch */
    uint32_t *child_start, *children; /* of the tree of dominators */
};

/* 0 without memory. */
bool graph_make(const struct body *body, struct graph *graph);

/* Lists of the blocks where dominance ends (Cytron et al. 1991), as above. Answers 0 where they would take more than
 * `most` entries, or without memory. */
bool graph_frontiers(const struct body *body, const struct graph *graph, uint32_t most, uint32_t **start,
                     uint32_t **frontiers);

#endif
