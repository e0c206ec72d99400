/* Operations of subgroups in which values are exchanged have barriers around them, to which all work-items of the
 * group must come (C, beside cooperative matrices). But only those of a subgroup, or some of them, need to come to the
 * operation itself. So an
 *
 *     if (c) { …; operation; … } else { … }
 * becomes
 *     scope { if (!c) { …; leave } …; operation; … }
 *
 * and split_at_barriers.c notes which work-items have left the scope. It turns back into an `if` of the group where the
 * condition is uniform.
 *
 * Barriers of the shader need none of this: all work-items come to them or none does.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"

/* ---- making scopes --------------------------------------------------------------------------- */

/* Must the IF become a scope? *side: the part with the operation. */
static bool is_conditional(const struct node *node, uint32_t *side)
{
    if (node->kind != NODE_IF || !node->has_meeting || node->has_control || node->child_count == 0)
        return false;
    bool yes = node->children[0] != NULL && node->children[0]->has_meeting;
    bool no  = node->child_count > 1 && node->children[1] != NULL && node->children[1]->has_meeting;
    *side    = yes ? 0 : 1;
    return yes != no;
}

static struct node *make_scope(struct body *body, struct node *node, uint32_t side)
{
    struct node *scope = node_new(body, NODE_SCOPE), *inner = node_new(body, NODE_SEQUENCE);
    struct node *skip = node_new(body, NODE_SEQUENCE), *leave = node_new(body, NODE_LEAVE);
    struct node *branch = node_new(body, NODE_IF);

    if (scope == NULL || inner == NULL || skip == NULL || leave == NULL || branch == NULL)
        return node;
    leave->target     = scope;
    branch->condition = node->condition;
    struct node *rest = side == 0 && node->child_count < 2 ? NULL : node->children[1 - side];
    if (rest != NULL)
        node_add(body, skip, rest);
    node_add(body, skip, leave);
    struct node *none = node_new(body, NODE_SEQUENCE);
    node_add(body, branch, side == 0 ? none : skip);
    node_add(body, branch, side == 0 ? skip : none);
    node_add(body, inner, branch);
    node_add(body, inner, node->children[side]);
    node_add(body, scope, inner);
    return scope;
}

static void make_scopes(struct body *body, struct node *node)
{
    uint32_t side;

    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            make_scopes(body, node_part(node, i));
    for (uint32_t i = 0; node->kind == NODE_SEQUENCE && i < node->child_count; i++)
        if (is_conditional(node->children[i], &side))
            node->children[i] = make_scope(body, node->children[i], side);
}

int32_t translate_converge(struct body *body)
{
    if (!body->root->has_meeting)
        return TRM_OK;
    make_scopes(body, body->root);
    return translate_simplify_control_flow(body);
}

/* ---- checking -------------------------------------------------------------------------------- */

/* The first operation in the node in which values are exchanged. */
static const struct spirv_instruction *find_exchange(const struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL && node_part(node, i)->has_meeting)
            return find_exchange(node_part(node, i));
    return node->exchange;
}

/* Do work-items break out of the loop one by one? */
static bool breaks_divergently(const struct node *node, const struct node *loop)
{
    if (node->kind == NODE_BREAK && node->target == loop)
        return !node->is_uniform;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL && breaks_divergently(node_part(node, i), loop))
            return true;
    return false;
}

static int32_t check(const struct body *body, const struct node *node)
{
    bool has_condition = node->kind == NODE_IF || node->kind == NODE_SWITCH;
    int32_t status     = TRM_OK;

    if (!node->has_meeting)
        return TRM_OK;
    if (!node->has_control && has_condition && !body->values[node->condition].is_uniform &&
        body->module->ids[node->condition].kind == SPIRV_ID_VALUE)
        return body_refuse(
            body, find_exchange(node),
            "beside cooperative matrices stands on both sides of an if, or in a switch, where the "
            "work-items of a group go different ways");
    if (!node->has_control && node->kind == NODE_LOOP && breaks_divergently(node, node))
        return body_refuse(
            body, find_exchange(node),
            "beside cooperative matrices stands in a loop which the work-items of a group do not all "
            "leave together");
    for (uint32_t i = 0; i < node_part_count(node) && status == TRM_OK; i++)
        if (node_part(node, i) != NULL)
            status = check(body, node_part(node, i));
    return status;
}

int32_t translate_check_converged(struct body *body)
{
    return check(body, body->root);
}
