/* CUDA C: kernels with loops that may be coarsened (cuda_coarsen.c).
 *
 * A thread that runs several work-items runs their loops one after the other. That is no slower than as many
 * threads as long as all work-items do the same rounds: otherwise a warp, which waits for the longest, waits
 * more often. So whatever decides how often a loop runs must depend on constants and push constants alone.
 * And the loads of all work-items must be in flight together, so a loop uses no buffer.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/targets/cuda_target.h"

struct loops {
    const struct emit *emit;
    bool *varies; /* by id: may differ between work-items */
    bool has_changed;
};

static void set_varying(struct loops *loops, uint32_t id)
{
    loops->has_changed |= !loops->varies[id];
    loops->varies[id] = true;
}

static uint32_t storage_of(const struct emit *emit, const struct spirv_instruction *op)
{
    const struct access *access = body_access(emit->body, op->operands[0]);

    return access != NULL && access->variable != 0 ? emit->module->ids[access->variable].as.variable->storage
                                                   : UINT32_MAX;
}

static bool may_vary(const struct loops *loops, const struct spirv_instruction *op)
{
    struct visit visit = visit_begin(loops->emit->body, op);

    if (op->opcode == SpvOpLoad ? storage_of(loops->emit, op) != SpvStorageClassPushConstant
                                : !operation_is_pure(loops->emit->module, op))
        return true;
    for (uint32_t id; (id = visit_next(&visit)) != 0;)
        if (loops->varies[id])
            return true;
    return false;
}

static bool is_branch(const struct node *node)
{
    return node->kind == NODE_IF || node->kind == NODE_SWITCH;
}

/* Is it `if (…) …` as the last child of the body? Its work-items meet no others behind it. */
static bool is_last(const struct loops *loops, const struct node *node)
{
    const struct node *root = loops->emit->body->root;

    return node == root->children[root->child_count - 1] && node->kind == NODE_IF &&
           node->children[1] == NULL;
}

/* is_divergent: work-items that are neighbours may go different ways here. */
static void spread(struct loops *loops, const struct node *node, bool is_divergent)
{
    is_divergent |= is_branch(node) && loops->varies[node->condition] && !is_last(loops, node);
    for (uint32_t i = 0; i < node->op_count; i++)
        if (node->ops[i]->result != 0 && may_vary(loops, node->ops[i]))
            set_varying(loops, node->ops[i]->result);
    for (uint32_t i = 0; i < node->copy_count; i++)
        if (is_divergent || loops->varies[node->copies[i].source])
            set_varying(loops, node->copies[i].target);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            spread(loops, node_part(node, i), is_divergent);
}

static bool leaves(const struct node *node)
{
    return node_has(node, NODE_BREAK) || node_has(node, NODE_CONTINUE) || node_has(node, NODE_LEAVE) ||
           node_has(node, NODE_RETURN);
}

static bool uses_no_buffer(void *user, const struct node *ops, struct spirv_instruction *op)
{
    uint32_t storage = op->opcode == SpvOpLoad || op->opcode == SpvOpStore ? storage_of(user, op)
                                                                           : SpvStorageClassPushConstant;

    (void)ops;
    return storage != SpvStorageClassStorageBuffer && storage != SpvStorageClassUniform &&
           storage != UINT32_MAX;
}

static bool is_even(const struct loops *loops, const struct node *node, bool is_inside)
{
    if (node->kind == NODE_LOOP) {
        if (!flow_visit(node, uses_no_buffer, (void *)(uintptr_t)loops->emit))
            return false;
        is_inside = true;
    }
    if (is_inside && is_branch(node) && loops->varies[node->condition] && leaves(node))
        return false;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL && !is_even(loops, node_part(node, i), is_inside))
            return false;
    return true;
}

bool target_cuda_loops_are_even(const struct emit *emit)
{
    struct loops loops = {.emit = emit, .has_changed = true};

    loops.varies = base_arena_allocate(emit->arena, emit->body->value_count, sizeof(*loops.varies));
    if (loops.varies == NULL)
        return false;
    while (loops.has_changed) {
        loops.has_changed = false;
        spread(&loops, emit->body->root, false);
    }
    return is_even(&loops, emit->body->root, false);
}
