/* Pairs the sine and the cosine of one angle (CUDA): both need the angle within a quarter of a period, and
 * CUDA's sincosf() finds that once. NVCC does not merge the two calls: the way for large angles is a loop.
 *
 * Both are in one list of instructions without a load or a store between them, where targets/cuda_stages.c
 * may cut.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/passes.h"

/* How many instructions before a sine its cosine is looked for, so that a long list takes no long time. */
#define DISTANCE_MOST 64u

/* The sine or cosine of an angle of 32 bits whose value is used? */
static bool can_pair(const struct body *body, const struct spirv_instruction *op)
{
    if (op->opcode != SpvOpExtInst || body->values[op->result].place == PLACE_NONE ||
        (op->operands[1] != GLSLstd450Sin && op->operands[1] != GLSLstd450Cos))
        return false;
    const struct spirv_type *type = spirv_type(body->module, op->type);
    if (type->kind == SPIRV_VECTOR)
        type = spirv_type(body->module, type->element);
    return type->kind == SPIRV_FLOAT && type->width == 32;
}

/* A value that is written where it is used is declared where it is computed instead. */
static void join(struct body *body, uint32_t id, uint32_t first)
{
    struct value_info *value = &body->values[id];

    value->pair = first;
    if (value->place == PLACE_INLINE)
        value->place = PLACE_HERE;
}

static void pair_op(struct body *body, const struct node *node, uint32_t at)
{
    const struct spirv_instruction *op = node->ops[at];

    if (!can_pair(body, op))
        return;
    for (uint32_t i = at; i > 0 && at - i < DISTANCE_MOST; i--) {
        const struct spirv_instruction *other = node->ops[i - 1];
        if (other->opcode == SpvOpLoad || other->opcode == SpvOpStore)
            return;
        if (!can_pair(body, other) || other->operands[2] != op->operands[2] ||
            other->operands[1] == op->operands[1] || body->values[other->result].pair != 0)
            continue;
        join(body, other->result, other->result);
        join(body, op->result, other->result);
        return;
    }
}

static void pair_node(struct body *body, const struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++)
        pair_op(body, node, i);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            pair_node(body, node_part(node, i));
}

void translate_pair_sines(struct body *body)
{
    pair_node(body, body->root);
}
