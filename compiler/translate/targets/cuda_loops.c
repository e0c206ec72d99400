/* CUDA C: kernels with loops that may be coarsened (cuda_coarsen.c).
 *
 * A thread that runs several work-items runs their loops one after the other. That is no slower than as many
 * threads as long as all work-items do the same rounds: otherwise a warp, which waits for the longest, waits
 * more often. So whatever decides how often a loop runs must depend on constants and push constants alone.
 * And the loads of all work-items must be in flight together, so a loop uses no buffer.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/targets/cuda_target.h"

/* What differs between work-items where a value does: another value, or the way that they go. */
struct use {
    uint32_t value;            /* 0: none */
    const struct node *branch; /* NULL: none */
    uint32_t next;             /* of the same value: 1 + index; 0: the end */
};

struct loops {
    const struct emit *emit;
    bool *varies;   /* by id: may differ between work-items */
    bool *diverges; /* by number of a node: work-items that are neighbours may go different ways there */
    uint32_t *uses; /* by id: 1 + index of its first use */
    struct use *list;
    uint32_t use_count, use_capacity;
    uint32_t *work; /* values that vary, whose uses have not been looked at */
    uint32_t work_count;
};

static void set_varying(struct loops *loops, uint32_t id)
{
    if (loops->varies[id])
        return;
    loops->varies[id]                = true;
    loops->work[loops->work_count++] = id;
}

static uint32_t storage_of(const struct emit *emit, const struct spirv_instruction *op)
{
    const struct access *access = body_access(emit->body, op->operands[0]);

    return access != NULL && access->variable != 0 ? emit->module->ids[access->variable].as.variable->storage
                                                   : UINT32_MAX;
}

/* Does the result differ between work-items also where the operands do not? */
static bool varies_itself(const struct loops *loops, const struct spirv_instruction *op)
{
    return op->opcode == SpvOpLoad ? storage_of(loops->emit, op) != SpvStorageClassPushConstant
                                   : !operation_is_pure(loops->emit->module, op);
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

static void add_use(struct loops *loops, uint32_t id, uint32_t value, const struct node *branch)
{
    struct base_arena *arena = loops->emit->arena;

    if (!base_arena_grow(arena, &loops->list, loops->use_count, &loops->use_capacity, sizeof(*loops->list)))
        return;
    loops->list[loops->use_count++] = (struct use){value, branch, loops->uses[id]};
    loops->uses[id]                 = loops->use_count;
}

/* Notes all uses, and the values that vary by themselves. */
static void find_uses(struct loops *loops, const struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++) {
        struct visit visit = visit_begin(loops->emit->body, node->ops[i]);
        uint32_t result    = node->ops[i]->result;
        if (result != 0 && varies_itself(loops, node->ops[i]))
            set_varying(loops, result);
        for (uint32_t id; result != 0 && (id = visit_next(&visit)) != 0;)
            add_use(loops, id, result, NULL);
    }
    for (uint32_t i = 0; i < node->copy_count; i++)
        add_use(loops, node->copies[i].source, node->copies[i].target, NULL);
    if (is_branch(node) && !is_last(loops, node))
        add_use(loops, node->condition, 0, node);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_uses(loops, node_part(node, i));
}

/* What is assigned there depends on the way that a work-item went. Each node is marked once. */
static void diverge(struct loops *loops, const struct node *node)
{
    if (loops->diverges[node->number])
        return;
    loops->diverges[node->number] = true;
    for (uint32_t i = 0; i < node->copy_count; i++)
        set_varying(loops, node->copies[i].target);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            diverge(loops, node_part(node, i));
}

/* Looks at each use once. */
static void spread(struct loops *loops)
{
    while (loops->work_count != 0) {
        uint32_t id = loops->work[--loops->work_count];
        for (uint32_t at = loops->uses[id]; at != 0; at = loops->list[at - 1].next) {
            const struct use *use = &loops->list[at - 1];
            if (use->value != 0)
                set_varying(loops, use->value);
            if (use->branch != NULL)
                diverge(loops, use->branch);
        }
    }
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
    if (node->kind == NODE_LOOP && !is_inside) {
        if (!flow_visit(node, uses_no_buffer, (void *)(uintptr_t)loops->emit))
            return false;
        is_inside = true;
    }
    if (is_inside && is_branch(node) && loops->varies[node->condition])
        return !leaves(node);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL && !is_even(loops, node_part(node, i), is_inside))
            return false;
    return true;
}

static bool make_tables(struct loops *loops)
{
    struct base_arena *arena = loops->emit->arena;
    uint32_t values          = loops->emit->body->value_count;

    loops->varies   = base_arena_allocate(arena, values, sizeof(*loops->varies));
    loops->uses     = base_arena_allocate(arena, values, sizeof(*loops->uses));
    loops->work     = base_arena_allocate(arena, values, sizeof(*loops->work));
    loops->diverges = base_arena_allocate(arena, loops->emit->body->node_count, sizeof(*loops->diverges));
    return loops->varies != NULL && loops->uses != NULL && loops->work != NULL && loops->diverges != NULL;
}

bool target_cuda_loops_are_even(const struct emit *emit)
{
    struct loops loops = {.emit = emit};

    if (!make_tables(&loops))
        return false;
    find_uses(&loops, emit->body->root);
    spread(&loops);
    return !emit->arena->failed && is_even(&loops, emit->body->root, false);
}
