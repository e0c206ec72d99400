/* Loops that count.
 *
 * C compilers are told to unroll those with a small constant trip count, so that the loop over work-items
 * around them is an innermost loop; by themselves compilers stop at fewer rounds.
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

/* A loop that a number leaves when it is no longer below a bound, and grows by a constant in each turn. */
struct counting {
    uint32_t phi, bound; /* ids */
    int64_t step;
};

static bool find_counting(const struct emit *emit, const struct node *loop, const struct node *head,
                          struct counting *found)
{
    const struct emit_flow *flow = emit->flow;

    if (head == NULL || head->condition >= flow->count)
        return false;
    const struct spirv_instruction *comparison = flow->definitions[head->condition];
    if (comparison == NULL || (comparison->opcode != SpvOpULessThan && comparison->opcode != SpvOpSLessThan))
        return false;
    uint32_t next = 0;
    found->phi    = comparison->operands[0];
    found->bound  = comparison->operands[1];
    for (uint32_t i = 0; i < loop->child_count && next == 0; i++)
        next = loop->children[i] == NULL ? 0 : next_of(loop->children[i], found->phi);
    if (next == 0 || next >= flow->count)
        return false;
    const struct spirv_instruction *sum = flow->definitions[next];
    return sum != NULL && sum->opcode == SpvOpIAdd && sum->operands[0] == found->phi &&
           constant_of(emit, sum->operands[1], &found->step) && found->step >= 1;
}

bool flow_should_unroll(const struct emit *emit, const struct node *loop, const struct node *head)
{
    struct counting counting;
    int64_t first, bound;
    uint32_t instructions = 0;

    if (!find_counting(emit, loop, head, &counting) || node_has(loop->children[0], NODE_LOOP) ||
        !constant_of(emit, counting.bound, &bound))
        return false;
    uint32_t start = initial_of(loop, counting.phi);
    if (start == 0 || !constant_of(emit, start, &first))
        return false;
    int64_t rounds = (bound - first + counting.step - 1) / counting.step;
    return rounds > 0 && rounds <= ROUNDS_MOST && flow_visit(loop, count, &instructions) &&
           instructions * (uint64_t)rounds <= INSTRUCTIONS_MOST;
}

/* ---- loops that end --------------------------------------------------------------------------- */

/* A value that a loop must not change. */
struct fixed {
    const struct emit *emit;
    uint32_t id;
};

static bool is_argument(const struct emit *emit, const struct spirv_instruction *op)
{
    const struct access *access = op->opcode == SpvOpLoad ? body_access(emit->body, op->operands[0]) : NULL;

    return access != NULL && access->variable != 0 &&
           emit->module->ids[access->variable].as.variable->storage == SpvStorageClassPushConstant;
}

static bool keeps(void *user, const struct node *ops, struct spirv_instruction *op)
{
    const struct fixed *fixed = user;

    (void)ops;
    return op->result != fixed->id || is_argument(fixed->emit, op);
}

/* The IF at the beginning of a loop's body that leaves the loop unless its condition holds; NULL: there is
 * none. */
static const struct node *first_exit(const struct node *loop)
{
    const struct node *body = loop->children[0];

    for (uint32_t i = 0; body != NULL && body->kind == NODE_SEQUENCE && i < body->child_count; i++) {
        const struct node *child = body->children[i];
        if (flow_is_empty(child) || child->kind == NODE_OPS)
            continue;
        bool is_exit = child->kind == NODE_IF && child->child_count > 1 &&
                       flow_is_empty(child->children[0]) && flow_is_break_of(child->children[1], loop);
        return is_exit ? child : NULL;
    }
    return NULL;
}

bool flow_surely_ends(const struct emit *emit, const struct node *loop)
{
    struct counting counting;

    /* Larger steps may pass over the bound and wrap around. */
    if (!find_counting(emit, loop, first_exit(loop), &counting) || counting.step != 1)
        return false;
    struct fixed bound = {.emit = emit, .id = counting.bound};
    return flow_visit(loop, keeps, &bound) && next_of(loop, counting.bound) == 0;
}
