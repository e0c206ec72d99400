/* The control flow graph of a function and its dominator tree.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_VALIDATE_H
#define COMPILER_SPIRV_VALIDATE_H

#include "compiler/spirv/reader.h"

#define FLOW_NONE UINT32_MAX

/* The arrays are indexed by block, in the order of the function, unless noted. */
struct flow {
    struct spirv_reader *reader;
    struct spirv_function *function;
    uint32_t count;
    uint32_t *successor_first; /* [count + 1], into successors */
    uint32_t *successors;      /* of each block without repetition, in the order of its terminator */
    uint32_t *predecessor_first;
    uint32_t *predecessors;
    uint32_t *order; /* [reachable_count], blocks in depth-first order */
    uint32_t reachable_count;
    uint32_t *dominator;   /* the immediate dominator; FLOW_NONE for the first and for unreachable blocks */
    uint32_t *enter, *end; /* preorder numbers in the dominator tree; a block dominates [enter, end) */
    uint32_t *tree_order;  /* [reachable_count], blocks in the order of `enter` */
};

/* Each returns TRM_OK, or an error that names the block. */
int32_t spirv_flow_build(struct flow *flow, struct spirv_reader *reader, struct spirv_function *function);
int32_t spirv_flow_dominators(struct flow *flow); /* validate_dominators.c */
int32_t spirv_flow_structure(struct flow *flow);  /* validate_structure.c */

static inline bool flow_is_reachable(const struct flow *flow, uint32_t block)
{
    return flow->end[block] != 0;
}

/* Whether `above` dominates `below`. Both must be reachable; a block dominates itself. */
static inline bool flow_dominates(const struct flow *flow, uint32_t above, uint32_t below)
{
    return flow->enter[above] <= flow->enter[below] && flow->enter[below] < flow->end[above];
}

static inline const struct spirv_instruction *flow_terminator(const struct flow *flow, uint32_t block)
{
    const struct spirv_block *node = flow->function->blocks[block];

    return &node->instructions[node->count - 1];
}

/* The index of the block with this label; FLOW_NONE if the function has no such label. */
static inline uint32_t flow_block(const struct flow *flow, uint32_t label)
{
    const struct spirv_reader *reader = flow->reader;

    if (label == 0 || label >= reader->bound || reader->module->ids[label].kind != SPIRV_ID_BLOCK ||
        reader->definitions[label].function != reader->module->function_count + 1)
        return FLOW_NONE;
    return reader->module->ids[label].as.block->index;
}

#endif
