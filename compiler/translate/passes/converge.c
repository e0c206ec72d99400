/* Operations of subgroups in which values are exchanged have barriers around them, to which all work-items
 * of the group must come (C, beside cooperative matrices). But only some of them need to come to the
 * operation itself. So an
 *
 *     if (c) { …; operation; … } else { … }
 * becomes
 *     scope { if (!c) { …; leave } …; operation; … }
 *
 * and split_at_barriers.c notes which work-items have left the scope. It turns back into an `if` of the
 * group where the condition is uniform. A loop that the work-items leave one by one runs until all have
 * left:
 *
 *     loop { …; if (c) break; operation; … }
 * becomes
 *     left = false; loop { scope { if (left) leave; …; if (c) { left = true; leave } operation; … }
 *                          if (all have left) break }
 *
 * Barriers of the shader need none of this: all work-items come to them or none does.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/passes/uniform.h"

static bool is_conditional(const struct node *node)
{
    return node->has_meeting && !node->has_control;
}

static bool has_meeting(const struct node *node, uint32_t part)
{
    return part < node->child_count && node->children[part] != NULL && node->children[part]->has_meeting;
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* A scope that runs one side of an IF. The work-items that take the other side run `rest`, which may be
 * NULL, and leave. */
static struct node *make_scope(struct body *body, const struct node *node, uint32_t side, struct node *rest)
{
    struct node *scope = node_new(body, NODE_SCOPE), *inner = node_new(body, NODE_SEQUENCE);
    struct node *skip = node_new(body, NODE_SEQUENCE), *leave = node_new(body, NODE_LEAVE);
    struct node *branch = node_new(body, NODE_IF), *none = node_new(body, NODE_SEQUENCE);

    if (scope == NULL || inner == NULL || skip == NULL || leave == NULL || branch == NULL)
        return NULL;
    leave->target     = scope;
    branch->condition = node->condition;
    node_add(body, skip, rest);
    node_add(body, skip, leave);
    node_add(body, branch, side == 0 ? none : skip);
    node_add(body, branch, side == 0 ? skip : none);
    node_add(body, inner, branch);
    node_add(body, inner, node->children[side]);
    node_add(body, scope, inner);
    return scope;
}

/* Turns conditions with operations on one side into scopes. */
static void make_scopes(struct body *body, struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            make_scopes(body, node_part(node, i));
    for (uint32_t i = 0; node->kind == NODE_SEQUENCE && i < node->child_count; i++) {
        struct node *child = node->children[i];
        if (child->kind != NODE_IF || !is_conditional(child) ||
            has_meeting(child, 0) == has_meeting(child, 1))
            continue;
        uint32_t side      = has_meeting(child, 0) ? 0 : 1;
        struct node *rest  = 1 - side < child->child_count ? child->children[1 - side] : NULL;
        struct node *scope = make_scope(body, child, side, rest);
        if (scope != NULL)
            node->children[i] = scope;
    }
}

static bool is_varying(const struct body *body, uint32_t id)
{
    return body->module->ids[id].kind == SPIRV_ID_VALUE && !body->values[id].is_uniform;
}

/* Marks what the work-items compute that are in the node: those that have left it keep what they had. */
static void mark_divergent(struct body *body, const struct node *node, bool with_ops)
{
    for (uint32_t i = 0; i < node->copy_count; i++)
        body->values[node->copies[i].target].is_divergent = true;
    for (uint32_t i = 0; i < node->op_count && with_ops; i++)
        if (node->ops[i]->result != 0 && node->ops[i]->opcode != OPERATION_ANY_LEFT)
            body->values[node->ops[i]->result].is_divergent = true;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            mark_divergent(body, node_part(node, i), with_ops);
}

/* Operations on both sides: a scope for each. */
static struct node *separate(struct body *body, struct node *node)
{
    struct node *both = node_new(body, NODE_SEQUENCE);

    mark_divergent(body, node, false);
    node_add(body, both, make_scope(body, node, 0, NULL));
    node_add(body, both, make_scope(body, node, 1, NULL));
    return both;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool is_inside(const struct node *node, const struct node *loop)
{
    while (node != NULL && node != loop)
        node = node->parent;
    return node == loop;
}

/* Do work-items leave the loop one by one? */
static bool leaves(const struct node *node, const struct node *loop)
{
    if (!node->is_uniform && node->kind == NODE_RETURN)
        return true;
    if (!node->is_uniform && node_is_jump(node) &&
        (node->target == loop ? node->kind == NODE_BREAK : !is_inside(node->target, loop)))
        return true;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL && leaves(node_part(node, i), loop))
            return true;
    return false;
}

/* The scopes of a loop that runs until all work-items have left it. */
struct rounds {
    struct body *body;
    const struct node *loop;
    struct node *round; /* SCOPE: the loop's body and its continue construct */
    struct node *first; /* SCOPE: the loop's body */
    uint32_t has_left;
    uint32_t bool_type;
};

static struct node *set_left(const struct rounds *r, uint64_t bits)
{
    struct node *copies = node_new(r->body, NODE_COPIES);
    uint32_t source     = body_constant(r->body, r->bool_type, bits);

    if (copies != NULL && source != 0)
        node_add_copy(r->body, copies, r->has_left, source);
    return copies;
}

/* The jumps to the loop leave its scopes. */
static void redirect(const struct rounds *r, struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            redirect(r, node_part(node, i));
    for (uint32_t i = 0; node->kind == NODE_SEQUENCE && i < node->child_count; i++) {
        struct node *child = node->children[i];
        if (!node_is_jump(child) || child->target != r->loop)
            continue;
        struct node *both  = node_new(r->body, NODE_SEQUENCE);
        struct node *leave = node_new(r->body, NODE_LEAVE);
        if (both == NULL || leave == NULL)
            return;
        leave->target = child->kind == NODE_BREAK ? r->round : r->first;
        if (child->kind == NODE_BREAK)
            node_add(r->body, both, set_left(r, 1));
        node_add(r->body, both, leave);
        node->children[i] = both;
    }
}

static struct spirv_instruction *append_op(const struct rounds *r, struct node *ops, uint32_t opcode,
                                           uint32_t result, uint32_t operand)
{
    struct spirv_instruction *op =
        body_instruction(r->body, opcode, result == 0 ? 0 : r->bool_type, result, operand == 0 ? 0 : 1, NULL);

    if (op == NULL)
        return NULL;
    if (operand != 0)
        op->operands[0] = operand;
    if (result != 0)
        r->body->module->ids[result].as.instruction = op;
    node_add_op(r->body, ops, op);
    return op;
}

/* Appends the question whether any work-item is left. */
static void ask(const struct rounds *r, struct node *sequence, const struct spirv_instruction *exchange)
{
    struct body *body  = r->body;
    struct node *begin = node_new(body, NODE_OPS), *end = node_new(body, NODE_OPS);
    struct node *barrier = node_new(body, NODE_BARRIER), *leave = node_new(body, NODE_BREAK);
    struct node *branch = node_new(body, NODE_IF), *yes = node_new(body, NODE_SEQUENCE);
    struct node *no    = node_new(body, NODE_SEQUENCE);
    uint32_t published = body_new_id(body, r->bool_type), any = body_new_id(body, r->bool_type);

    if (begin == NULL || end == NULL || barrier == NULL || leave == NULL || branch == NULL ||
        published == 0 || any == 0)
        return;
    body->module->ids[published].name = "published";
    body->module->ids[any].name       = "any_left";
    append_op(r, begin, OPERATION_PUBLISH, published, r->has_left);
    append_op(r, end, OPERATION_ANY_LEFT, any, published);
    append_op(r, end, OPERATION_RETRACT, 0, 0);
    barrier->exchange = exchange;
    branch->condition = any;
    leave->target     = (struct node *)r->loop;
    node_add(body, no, leave);
    node_add(body, branch, yes);
    node_add(body, branch, no);
    node_add(body, sequence, begin);
    node_add(body, sequence, barrier);
    node_add(body, sequence, end);
    node_add(body, sequence, branch);
}

/* An operation in the node in which values are exchanged. */
static const struct spirv_instruction *find_exchange(const struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL && node_part(node, i)->has_meeting)
            return find_exchange(node_part(node, i));
    return node->exchange;
}

/* Returns what stands in place of the loop. */
static struct node *make_rounds(struct body *body, struct node *loop)
{
    struct rounds r   = {.body = body, .loop = loop, .bool_type = body_bool_type(body)};
    struct node *both = node_new(body, NODE_SEQUENCE), *rest = node_new(body, NODE_SEQUENCE);
    struct node *all = node_new(body, NODE_SEQUENCE), *once = node_new(body, NODE_SEQUENCE);

    r.has_left = body_new_id(body, r.bool_type);
    r.round    = node_new(body, NODE_SCOPE);
    r.first    = node_new(body, NODE_SCOPE);
    if (both == NULL || rest == NULL || all == NULL || once == NULL || r.has_left == 0 || r.round == NULL ||
        r.first == NULL)
        return loop;
    mark_divergent(body, loop, true);
    body->values[r.has_left].is_phi       = true;
    body->values[r.has_left].is_divergent = true;
    body->module->ids[r.has_left].name    = "has_left";
    body->has_absent                      = true;
    for (uint32_t i = 0; i < loop->child_count; i++)
        if (loop->children[i] != NULL)
            redirect(&r, loop->children[i]);
    struct node *leave = node_new(body, NODE_LEAVE), *yes = node_new(body, NODE_SEQUENCE);
    struct node *branch = node_new(body, NODE_IF);
    if (leave == NULL || yes == NULL || branch == NULL)
        return loop;
    leave->target     = r.round;
    branch->condition = r.has_left;
    node_add(body, yes, leave);
    node_add(body, branch, yes);
    node_add(body, branch, node_new(body, NODE_SEQUENCE));
    node_add(body, once, branch);
    node_add(body, r.first, loop->children[0]);
    node_add(body, once, r.first);
    if (loop->child_count > 1)
        node_add(body, once, loop->children[1]);
    node_add(body, r.round, once);
    node_add(body, all, r.round);
    ask(&r, all, find_exchange(loop));
    loop->children[0] = all;
    loop->child_count = 1;
    loop->asks        = true;
    node_add(body, both, set_left(&r, 0));
    node_add(body, both, loop);
    return both;
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* Rewrites constructs that turned out to be divergent; *found: there were some. */
static int32_t rewrite(struct body *body, struct node *node, bool *found)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < node_part_count(node) && status == TRM_OK; i++)
        if (node_part(node, i) != NULL && node_part(node, i)->has_meeting)
            status = rewrite(body, node_part(node, i), found);
    if (status == TRM_OK && node->kind == NODE_SWITCH && is_conditional(node) &&
        is_varying(body, node->condition))
        return body_refuse(
            body, find_exchange(node),
            "stands beside cooperative matrices in a switch whose cases not all work-items of a "
            "group take together");
    for (uint32_t i = 0; node->kind == NODE_SEQUENCE && i < node->child_count; i++) {
        struct node *child = node->children[i];
        if (!is_conditional(child))
            continue;
        if (child->kind == NODE_IF && is_varying(body, child->condition))
            node->children[i] = separate(body, child);
        else if (child->kind == NODE_LOOP && !child->asks && leaves(child, child))
            node->children[i] = make_rounds(body, child);
        *found |= node->children[i] != child;
    }
    return status;
}

int32_t translate_converge(struct body *body)
{
    int32_t status = TRM_OK;
    bool found     = body->root->has_meeting;

    if (!found)
        return translate_uniform(body);
    make_scopes(body, body->root);
    while (status == TRM_OK && found) {
        found  = false;
        status = translate_simplify_control_flow(body);
        uniform_forget(body->root);
        if (status == TRM_OK)
            status = translate_uniform(body);
        if (status == TRM_OK)
            status = rewrite(body, body->root, &found);
    }
    return status == TRM_OK ? body_status(body) : status;
}
