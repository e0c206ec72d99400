/* Values in place of others, in the instructions below a node.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TREE_REPLACE_H
#define COMPILER_TRANSLATE_TREE_REPLACE_H

#include "compiler/translate/passes/passes.h"

/* Who replaces: `value` answers what stands for an id; itself where nothing does. */
struct replacer {
    struct body *body;
    uint32_t (*value)(struct replacer *replacer, uint32_t id);
};

/* The values that one instruction uses, those on the way of pointers too. */
void replace_operands(struct replacer *replacer, struct spirv_instruction *op);

/* All that is used below a node: operands, conditions, sources of copies. */
void replace_below(struct replacer *replacer, struct node *node);

#endif
