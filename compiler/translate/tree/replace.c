/* Replaces values by others.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/tree/tree.h"

#include <string.h>

/* The same pointer with replaced indices. */
static uint32_t replace_pointer(struct replacer *replacer, uint32_t pointer)
{
    struct body *body    = replacer->body;
    struct access access = *body_access(body, pointer);
    uint32_t *indices    = NULL;

    for (uint32_t i = 0; i < access.count; i++) {
        uint32_t index = replacer->value(replacer, access.indices[i]);
        if (index == access.indices[i])
            continue;
        if (indices == NULL) {
            indices = base_arena_allocate(body->arena, access.count, sizeof(*indices));
            if (indices == NULL)
                return pointer;
            memcpy(indices, access.indices, access.count * sizeof(*indices));
        }
        indices[i] = index;
    }
    if (indices == NULL)
        return pointer;
    uint32_t copy = access_copy(body, pointer, indices);
    return copy == 0 ? pointer : copy;
}

void replace_operands(struct replacer *replacer, struct spirv_instruction *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!operand_is_value(op, i))
            continue;
        if (body_access(replacer->body, op->operands[i])->variable != 0)
            op->operands[i] = replace_pointer(replacer, op->operands[i]);
        else if (replacer->body->module->ids[op->operands[i]].kind == SPIRV_ID_VALUE)
            op->operands[i] = replacer->value(replacer, op->operands[i]);
    }
}

void replace_below(struct replacer *replacer, struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++)
        replace_operands(replacer, node->ops[i]);
    for (uint32_t i = 0; i < node->copy_count; i++)
        node->copies[i].source = replacer->value(replacer, node->copies[i].source);
    if (node->kind == NODE_IF || node->kind == NODE_SWITCH)
        node->condition = replacer->value(replacer, node->condition);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            replace_below(replacer, node_part(node, i));
}
