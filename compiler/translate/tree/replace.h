/* Replaces values by others in the instructions below a node (replace.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TREE_REPLACE_H
#define COMPILER_TRANSLATE_TREE_REPLACE_H

#include "compiler/translate/tree/body.h"

/* `value` returns the replacement of an id, or the id itself. A pass embeds this struct as its first
 * member. */
struct replacer {
    struct body *body;
    uint32_t (*value)(struct replacer *replacer, uint32_t id);
};

/* Replaces the values that one instruction uses, the indices of its pointers too. */
void replace_operands(struct replacer *replacer, struct spirv_instruction *op);

/* Replaces all uses below a node: operands, conditions, sources of copies. */
void replace_below(struct replacer *replacer, struct node *node);

#endif
