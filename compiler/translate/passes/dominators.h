/* The control-flow graph of a kernel's reachable blocks: edges, reverse postorder, dominators.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_PASSES_DOMINATORS_H
#define COMPILER_TRANSLATE_PASSES_DOMINATORS_H

#include "compiler/translate/passes/steps.h"

struct graph {
    uint32_t count;  /* blocks of the function */
    uint32_t *order; /* [order_count] reachable blocks in reverse postorder; the first is the entry */
    uint32_t order_count;
    uint32_t *position;  /* [count] in `order`; NO_BLOCK for unreachable blocks */
    uint32_t *dominator; /* [count] the immediate dominator; NO_BLOCK for the entry */
    /* Lists, each a part of one array: the list of block b begins at start[b] and ends where that of b + 1
     * begins. */
    uint32_t *pred_start, *preds;     /* ascending; a block occurs once for each of its branches here */
    uint32_t *child_start, *children; /* of the dominator tree */
};

/* False without memory. */
bool graph_make(const struct body *body, struct graph *graph);

/* Dominance frontiers (Cytron et al. 1991) as lists like those above. False when they would take more than
 * `most` entries, or without memory. */
bool graph_frontiers(const struct body *body, const struct graph *graph, uint32_t most, uint32_t **start,
                     uint32_t **frontiers);

#endif
