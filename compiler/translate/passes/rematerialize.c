/* Rematerialization: values that are cheap to compute from the work-item's ids and from uniform values are
 * computed again in each region that uses them. That is faster than to spill them for all work-items, and
 * compilers can see through them.
 *
 * An operand that is a phi of the group may change later, but not between a value made of it and that value's
 * uses: the phi's block dominates both, and control that reaches the phi again reaches the value again. Only
 * behind a loop that work-items leave one by one it may: the group has gone on without those that left.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/translate/passes/steps.h"

#define COST_MOST 8  /* operations for one value */
#define DEPTH_MOST 8 /* of operands */

struct rematerializer {
    struct replacer replacer; /* first: replace.c is given a pointer to it */
    struct body *body;
    uint32_t count;   /* of ids that the tables cover: newer ones are not rematerialized */
    uint32_t *home;   /* by id: 1 + number of the NODE_ITEMS that computes it; 0: the group or none */
    uint8_t *cost;    /* by id: 1 + operations; more than COST_MOST: too expensive; 0: unknown */
    uint32_t *clone;  /* by id: its copy in the region of `cloned` */
    uint32_t *cloned; /* by id: the region to which `clone` belongs */
    uint32_t items;   /* the current region */
    struct node *ops; /* clones are added here */
};

/* ---- what can be recomputed ------------------------------------------------------------------ */

static void find_homes(struct rematerializer *r, const struct node *node, uint32_t items)
{
    if (node->kind == NODE_ITEMS)
        items = node->number + 1;
    for (uint32_t i = 0; i < node->op_count; i++)
        if (node->ops[i]->result != 0)
            r->home[node->ops[i]->result] = items;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_homes(r, node_part(node, i), items);
}

static bool is_cheap(const struct rematerializer *r, const struct spirv_instruction *op)
{
    if (op->opcode != SpvOpLoad)
        return operation_is_cheap(r->body->module, op);
    const struct access *access           = body_access(r->body, op->operands[0]);
    const struct spirv_variable *variable = body_variable(r->body, access->variable);
    return variable != NULL && variable->storage == SpvStorageClassInput && !access_may_fail(r->body, access);
}

/* The number of operations that compute a value again; COST_MOST + 1 when that is impossible or more. */
static uint32_t cost_of(struct rematerializer *r, uint32_t id, uint32_t depth)
{
    const struct spirv_id *info = &r->body->module->ids[id];

    if (info->kind != SPIRV_ID_VALUE || r->body->values[id].is_uniform)
        return 0;
    if (id >= r->count || r->home[id] == 0 || r->body->values[id].is_phi || r->body->values[id].is_kept ||
        depth == DEPTH_MOST)
        return COST_MOST + 1;
    if (r->cost[id] != 0)
        return r->cost[id] - 1u;
    uint32_t cost = is_cheap(r, info->as.instruction) ? 1 : COST_MOST + 1;
    if (cost <= COST_MOST) {
        struct visit visit = visit_begin(r->body, info->as.instruction);
        for (uint32_t operand; cost <= COST_MOST && (operand = visit_next(&visit)) != 0;)
            cost += cost_of(r, operand, depth + 1);
    }
    if (cost > COST_MOST)
        cost = COST_MOST + 1;
    r->cost[id] = (uint8_t)(cost + 1);
    return cost;
}

/* ---- clones ---------------------------------------------------------------------------------- */

static uint32_t make_clone(struct rematerializer *r, uint32_t id)
{
    const struct spirv_instruction *from = r->body->module->ids[id].as.instruction;
    uint32_t copy                        = body_copy_id(r->body, id);
    struct spirv_instruction *op =
        body_instruction(r->body, from->opcode, from->type, copy, from->operand_count, from);

    if (copy == 0 || op == NULL)
        return id;
    memcpy(op->operands, from->operands, from->operand_count * sizeof(uint32_t));
    r->body->module->ids[copy].as.instruction = op;
    replace_operands(&r->replacer, op);
    node_add_op(r->body, r->ops, op);
    return copy;
}

/* The value that stands for `id` in the current region. */
static uint32_t value_here(struct replacer *replacer, uint32_t id)
{
    struct rematerializer *r = (struct rematerializer *)replacer;

    if (id >= r->count || r->home[id] == 0 || r->home[id] == r->items || cost_of(r, id, 0) > COST_MOST)
        return id;
    if (r->cloned[id] != r->items) {
        r->clone[id]  = make_clone(r, id);
        r->cloned[id] = r->items;
    }
    return r->clone[id];
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void walk(struct rematerializer *r, struct node *node)
{
    if (node->kind == NODE_ITEMS) {
        r->items = node->number + 1;
        r->ops   = node_new(r->body, NODE_OPS);
        if (r->ops == NULL)
            return;
        replace_below(&r->replacer, node->children[0]);
        if (r->ops->op_count != 0)
            node_insert(r->body, node->children[0], r->ops);
        return;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            walk(r, node_part(node, i));
}

int32_t translate_rematerialize(struct body *body)
{
    struct rematerializer r = {
        .replacer = {.body = body, .value = value_here},
        .body     = body,
        .count    = body->value_count,
    };

    r.home   = base_arena_allocate(body->arena, r.count, sizeof(*r.home));
    r.cost   = base_arena_allocate(body->arena, r.count, sizeof(*r.cost));
    r.clone  = base_arena_allocate(body->arena, r.count, sizeof(*r.clone));
    r.cloned = base_arena_allocate(body->arena, r.count, sizeof(*r.cloned));
    if (r.home == NULL || r.cost == NULL || r.clone == NULL || r.cloned == NULL)
        return body_status(body);
    find_homes(&r, body->root, 0);
    walk(&r, body->root);
    return body_status(body);
}
