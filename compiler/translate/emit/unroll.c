/* Loops with a small constant trip count. C compilers are told to unroll them, so that the loop over
 * work-items around them is an innermost loop; by themselves compilers stop at fewer rounds.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/emit/flow.h"

#define ROUNDS_MOST 64
#define INSTRUCTIONS_MOST 1024

/* Reads a constant 32-bit number; false for other values. */
static bool constant_of(const struct emit *emit, uint32_t id, int64_t *value)
{
    const struct spirv_constant *constant = spirv_constant(emit->module, id);
    const struct spirv_type *type         = spirv_type_of(emit->module, id);

    if (constant == NULL || type->kind != SPIRV_INT || type->width != 32)
        return false;
    *value = (int64_t)constant->bits;
    return true;
}

/* The value of a phi at a loop's end; 0: none. */
static uint32_t next_of(const struct node *node, uint32_t phi)
{
    for (uint32_t i = 0; i < node->copy_count; i++)
        if (node->copies[i].target == phi)
            return node->copies[i].source;
    for (uint32_t i = 0; i < node->child_count; i++) {
        uint32_t next = node->children[i] == NULL ? 0 : next_of(node->children[i], phi);
        if (next != 0)
            return next;
    }
    return 0;
}

static bool count(void *user, const struct node *ops, struct spirv_instruction *op)
{
    (void)ops;
    (void)op;
    return ++*(uint32_t *)user <= INSTRUCTIONS_MOST;
}

/* The initial value of a phi, from the copies before the loop in the same sequence; 0: none. */
static uint32_t initial_of(const struct node *loop, uint32_t phi)
{
    const struct node *sequence = loop->parent;

    if (sequence == NULL || sequence->kind != NODE_SEQUENCE)
        return 0;
    for (uint32_t i = 0; i < sequence->child_count && sequence->children[i] != loop; i++)
        if (sequence->children[i]->kind == NODE_COPIES) {
            uint32_t source = next_of(sequence->children[i], phi);
            if (source != 0)
                return source;
        }
    return 0;
}

bool flow_should_unroll(const struct emit *emit, const struct node *loop, const struct node *head)
{
    const struct emit_flow *flow = emit->flow;
    int64_t first, step, bound;
    uint32_t instructions = 0;

    if (head == NULL || head->condition >= flow->count || node_has(loop->children[0], NODE_LOOP))
        return false;
    const struct spirv_instruction *comparison = flow->definitions[head->condition];
    if (comparison == NULL ||
        (comparison->opcode != SpvOpULessThan && comparison->opcode != SpvOpSLessThan) ||
        !constant_of(emit, comparison->operands[1], &bound))
        return false;
    uint32_t phi = comparison->operands[0], start = initial_of(loop, phi), next = 0;
    for (uint32_t i = 0; i < loop->child_count && next == 0; i++)
        next = loop->children[i] == NULL ? 0 : next_of(loop->children[i], phi);
    if (start == 0 || next == 0 || next >= flow->count || !constant_of(emit, start, &first))
        return false;
    const struct spirv_instruction *sum = flow->definitions[next];
    if (sum == NULL || sum->opcode != SpvOpIAdd || sum->operands[0] != phi ||
        !constant_of(emit, sum->operands[1], &step) || step < 1)
        return false;
    int64_t rounds = (bound - first + step - 1) / step;
    return rounds > 0 && rounds <= ROUNDS_MOST && flow_visit(loop, count, &instructions) &&
           instructions * (uint64_t)rounds <= INSTRUCTIONS_MOST;
}
