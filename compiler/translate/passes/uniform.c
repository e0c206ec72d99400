/* Finds the nodes at group level: those around a barrier, and those that a jump at group level leaves.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/uniform.h"

#define ROUNDS_MOST 8

/* ---- barriers -------------------------------------------------------------------------------- */

/* Marks what is inside of a group-level construct: its sequences, and in those the nodes with barriers, jumps
 * and returns. */
static void mark_inside(struct node *node);

static void mark_child(struct node *child)
{
    if (child->has_barrier || child->kind == NODE_RETURN ||
        (node_is_jump(child) && child->target->is_uniform)) {
        child->is_uniform = true;
        mark_inside(child);
    }
}

static void mark_inside(struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node); i++) {
        struct node *part = node_part(node, i);
        if (part == NULL)
            continue;
        if (node->kind == NODE_SEQUENCE) {
            mark_child(part);
        } else {
            part->is_uniform = true;
            mark_inside(part);
        }
    }
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static void find_jumps(struct analysis *a, struct node *node)
{
    if (node_is_jump(node) || node->kind == NODE_RETURN)
        if (base_arena_grow(a->body->arena, &a->jumps, a->jump_count, &a->jump_capacity, sizeof(*a->jumps)))
            a->jumps[a->jump_count++] = node;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_jumps(a, node_part(node, i));
}

/* Must the jump be at group level, and is it not yet? */
static bool is_pending(const struct body *body, const struct node *jump)
{
    if (jump->is_uniform)
        return false;
    return jump->kind == NODE_RETURN ? body->has_barrier : jump->target->is_uniform;
}

/* Is the path to the jump uniform, so that the group can take it? */
static bool is_known(const struct analysis *a, const struct node *jump)
{
    for (const struct node *node = jump->parent; !node->is_uniform; node = node->parent) {
        if (node->kind == NODE_SEQUENCE || node->kind == NODE_SCOPE)
            continue;
        if (node->kind != NODE_IF || a->varying[node->condition])
            return false;
    }
    return true;
}

/* Raises the path to a jump to group level. */
static void lift(struct node *jump)
{
    struct node *top = jump;

    while (!top->parent->is_uniform) {
        top             = top->parent;
        top->is_uniform = true;
    }
    jump->is_uniform = true;
    if (top != jump)
        mark_inside(top);
}

/* Raises jumps whose paths are uniform. False when there were none. */
static bool lift_known(struct analysis *a)
{
    bool found = false;

    for (uint32_t i = 0; i < a->jump_count; i++) {
        if (!is_pending(a->body, a->jumps[i]) || !is_known(a, a->jumps[i]))
            continue;
        lift(a->jumps[i]);
        found = true;
    }
    return found;
}

/* Raises the `break`s of loops with a barrier of the shader: all work-items reach the barrier or none
 * does, so all break or none does. */
static bool lift_breaks(struct analysis *a)
{
    bool found = false;

    for (uint32_t i = 0; i < a->jump_count; i++) {
        struct node *jump = a->jumps[i];
        if (jump->kind != NODE_BREAK || jump->target->kind != NODE_LOOP || !is_pending(a->body, jump) ||
            (jump->target->has_meeting && !jump->target->has_control))
            continue;
        lift(jump);
        found = true;
    }
    return found;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void set_uniform(const struct analysis *a)
{
    for (uint32_t id = 0; id < a->body->value_count && id < a->body->module->bound; id++)
        a->body->values[id].is_uniform = !a->varying[id];
}

int32_t translate_uniform(struct body *body)
{
    struct analysis a;
    int32_t status;

    body->root->is_uniform = true;
    mark_inside(body->root);
    if (!analysis_begin(&a, body))
        return body_status(body);
    find_jumps(&a, body->root);
    for (uint32_t round = 0;; round++) {
        status = analysis_find_varying(&a);
        if (status != TRM_OK)
            return status;
        if (round < ROUNDS_MOST && lift_known(&a))
            continue;
        if (round > 2 * ROUNDS_MOST || !lift_breaks(&a))
            break;
    }
    while (lift_breaks(&a)) {
    }
    set_uniform(&a);
    return TRM_OK;
}
