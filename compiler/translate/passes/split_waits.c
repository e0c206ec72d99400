/* Loops of the group that might not end, or only after very many rounds, where no work-item comes to them:
 * all but those whose ends are decided by constants, and by how these compare with push constants. What
 * others would have written may be missing there, also before the loop, and `n - first` may be negative just
 * because a group has nothing to do.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/split.h"

#define TIMES_MOST 8 /* that the values are looked at; then all loops count */

struct waits {
    const struct body *body;
    bool *is_pushed; /* by id: a push constant */
    bool *is_given;  /* by id: depends on memory, on the launch or on work-items in another way */
    bool *loops;     /* by number of a LOOP: a condition of the group inside depends on such a value */
    bool found;      /* one more of them */
};

static void set(struct waits *w, bool *flag)
{
    w->found |= !*flag;
    *flag = true;
}

static bool is_push_constant(const struct body *body, const struct spirv_instruction *op)
{
    if (op->opcode != SpvOpLoad)
        return false;
    const struct spirv_variable *variable = body_variable(body, body_access(body, op->operands[0])->variable);
    return variable != NULL && variable->storage == SpvStorageClassPushConstant;
}

static bool is_given(const struct waits *w, const struct spirv_instruction *op)
{
    bool is_order = op->opcode >= SpvOpUGreaterThan && op->opcode <= SpvOpSLessThanEqual;

    if (!w->body->values[op->result].is_uniform)
        return true;
    if (op->opcode == OPERATION_ANY_LEFT)
        return false; /* none is left where none comes */
    if (!operation_is_safe(w->body->module, op) && !w->is_pushed[op->result])
        return true;
    struct visit visit = visit_begin(w->body, op);
    for (uint32_t id; (id = visit_next(&visit)) != 0;)
        if (w->is_given[id] || (w->is_pushed[id] && !is_order))
            return true;
    return false;
}

static void walk_op(struct waits *w, const struct spirv_instruction *op)
{
    if (op->result == 0)
        return;
    if (is_push_constant(w->body, op))
        set(w, &w->is_pushed[op->result]);
    if (is_given(w, op))
        set(w, &w->is_given[op->result]);
}

static void walk_copy(struct waits *w, struct node_copy copy, bool is_under)
{
    if (w->is_pushed[copy.source])
        set(w, &w->is_pushed[copy.target]);
    if (is_under || w->is_given[copy.source] || !w->body->values[copy.target].is_uniform)
        set(w, &w->is_given[copy.target]);
}

/* Does a condition of the group decide at this node? */
static bool decides(const struct waits *w, const struct node *node)
{
    return (node->kind == NODE_IF || node->kind == NODE_SWITCH) && node->is_uniform &&
           (w->is_given[node->condition] || w->is_pushed[node->condition]);
}

/* Walks a node. `is_under`: such values decide whether it runs. Returns whether they decide inside. */
static bool walk(struct waits *w, const struct node *node, bool is_under)
{
    bool decided = decides(w, node);

    is_under |= decided || (node->kind == NODE_LOOP && w->loops[node->number]);
    for (uint32_t i = 0; i < node->op_count; i++)
        walk_op(w, node->ops[i]);
    for (uint32_t i = 0; i < node->copy_count; i++)
        walk_copy(w, node->copies[i], is_under);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            decided |= walk(w, node_part(node, i), is_under);
    if (decided && node->kind == NODE_LOOP)
        set(w, &w->loops[node->number]);
    return decided;
}

bool split_find_waits(struct splitter *c)
{
    struct base_arena *arena = c->body->arena;
    struct waits w           = {.body = c->body, .found = true};

    w.is_pushed = base_arena_allocate(arena, c->body->value_count, sizeof(*w.is_pushed));
    w.is_given  = base_arena_allocate(arena, c->body->value_count, sizeof(*w.is_given));
    w.loops     = base_arena_allocate(arena, c->body->node_count, sizeof(*w.loops));
    if (w.is_pushed == NULL || w.is_given == NULL || w.loops == NULL)
        return false;
    for (uint32_t times = 0; w.found && times < TIMES_MOST; times++) {
        w.found = false;
        walk(&w, c->body->root, false);
    }
    for (uint32_t i = 0; w.found && i < c->body->node_count; i++)
        w.loops[i] = true;
    c->waits = w.loops;
    return true;
}
