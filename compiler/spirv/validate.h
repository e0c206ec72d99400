/* The blocks of a function as a graph, and who dominates whom.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_SPIRV_VALIDATE_H
#define COMPILER_SPIRV_VALIDATE_H

#include "compiler/spirv/reader.h"

#define FLOW_NONE UINT32_MAX

/* All by the index of a block in its function. */
struct flow {
    struct spirv_reader *reader;
    struct spirv_function *function;
    uint32_t count;
    uint32_t *successor_first; /* [count + 1], into successors */
    uint32_t *successors;      /* of one block each once, in the order of its terminator */
    uint32_t *predecessor_first;
    uint32_t *predecessors;
    uint32_t *order; /* blocks that can be reached, as a walk in depth finds them */
    uint32_t reachable_count;
    uint32_t *dominator;   /* the nearest; FLOW_NONE of the first and of what cannot be reached */
    uint32_t *enter, *end; /* numbers of a walk of the dominators' tree: [enter, end) are those dominated */
    uint32_t *tree_order;  /* blocks in the order of `enter` */
};

/* Each answers TRM_OK or says what is wrong. */
int32_t spirv_flow_build(struct flow *flow, struct spirv_reader *reader, struct spirv_function *function);
int32_t spirv_flow_dominators(struct flow *flow); /* validate_dominators.c */
int32_t spirv_flow_structure(struct flow *flow);  /* validate_structure.c */

static inline bool flow_is_reachable(const struct flow *flow, uint32_t block)
{
    return flow->end[block] != 0;
}

/* Of blocks that can be reached; a block dominates itself. */
static inline bool flow_dominates(const struct flow *flow, uint32_t above, uint32_t below)
{
    return flow->enter[above] <= flow->enter[below] && flow->enter[below] < flow->end[above];
}

static inline const struct spirv_instruction *flow_terminator(const struct flow *flow, uint32_t block)
{
    const struct spirv_block *node = flow->function->blocks[block];

    return &node->instructions[node->count - 1];
}

/* The index of a label of the function; FLOW_NONE where it is none. */
static inline uint32_t flow_block(const struct flow *flow, uint32_t label)
{
    const struct spirv_reader *reader = flow->reader;

    if (label == 0 || label >= reader->bound || reader->module->ids[label].kind != SPIRV_ID_BLOCK ||
        reader->definitions[label].function != reader->module->function_count + 1)
        return FLOW_NONE;
    return reader->module->ids[label].as.block->index;
}

#endif
