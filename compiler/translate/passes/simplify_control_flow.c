/* Simplifies control flow: removes jumps to where control goes anyway and scopes without a LEAVE, moves code
 * out of a scope that runs before anything can leave it, and turns jumps to the kernel's end into returns.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"

/* The jumps that reaching the end of the current sequence is equivalent to: those of this node and of all
 * nodes up from it. */
struct fall {
    const struct fall *up;
    const struct node *node; /* the end of this LOOP's body, this SWITCH or this SCOPE; NULL: of the kernel */
};

struct simplifier {
    struct body *body;
    bool *ends;          /* by number of a SCOPE: behind it is the end of the kernel */
    uint32_t *users;     /* by number of a construct: jumps to it */
    uint32_t *continues; /* by number of a LOOP: NODE_CONTINUE to it */
    uint32_t *seen;      /* by number of a construct: jumps to it that were visited so far */
    /* by number of a SCOPE: index of the first child of its sequence that can leave it */
    uint32_t *first;
};

/* ---- jumps ----------------------------------------------------------------------------------- */

static bool ends_kernel(const struct fall *fall)
{
    for (; fall != NULL; fall = fall->up)
        if (fall->node == NULL)
            return true;
    return false;
}

static bool is_fall(const struct node *jump, const struct fall *fall)
{
    if (!node_is_jump(jump) && jump->kind != NODE_RETURN)
        return false;
    for (; fall != NULL; fall = fall->up) {
        if (fall->node == NULL && jump->kind == NODE_RETURN)
            return true;
        if (fall->node == NULL || fall->node != jump->target)
            continue;
        /* at the end of a loop's body a CONTINUE is redundant, at that of the others the jump behind them */
        if ((fall->node->kind == NODE_LOOP) == (jump->kind == NODE_CONTINUE))
            return true;
    }
    return false;
}

/* Adapts a jump to a loop that turned out to run once, which is a scope now. */
static void simplify_jump(const struct simplifier *t, struct node *jump)
{
    if (jump->kind == NODE_CONTINUE && jump->target->kind == NODE_SCOPE)
        jump->target = jump->target->target;
    if (jump->target->kind == NODE_SCOPE)
        jump->kind = NODE_LEAVE;
    if (jump->kind == NODE_LEAVE && t->ends[jump->target->number]) {
        jump->kind   = NODE_RETURN;
        jump->target = NULL;
    }
}

static void remove_jumps(struct simplifier *t, struct node *node, const struct fall *fall);

static void remove_jumps_of_sequence(struct simplifier *t, struct node *node, const struct fall *fall)
{
    for (uint32_t i = 0; i < node->child_count; i++)
        if (node_is_jump(node->children[i]))
            simplify_jump(t, node->children[i]);
    while (node->child_count != 0 && is_fall(node->children[node->child_count - 1], fall))
        node->child_count--;
    for (uint32_t i = 0; i < node->child_count; i++)
        remove_jumps(t, node->children[i], i + 1 == node->child_count ? fall : NULL);
}

static void remove_jumps(struct simplifier *t, struct node *node, const struct fall *fall)
{
    struct fall inner = {.up = fall, .node = node};

    if (node == NULL)
        return;
    if (node_is_jump(node))
        t->users[node->target->number]++;
    if (node->kind == NODE_CONTINUE)
        t->continues[node->target->number]++;
    switch (node->kind) {
    case NODE_SEQUENCE:
        remove_jumps_of_sequence(t, node, fall);
        break;
    case NODE_SCOPE:
        t->ends[node->number] = ends_kernel(fall);
        remove_jumps(t, node->children[0], &inner);
        break;
    case NODE_LOOP:
        inner.up = NULL;
        remove_jumps(t, node->children[0], &inner);
        if (node->child_count > 1)
            remove_jumps(t, node->children[1], NULL);
        break;
    case NODE_SWITCH:
        for (uint32_t i = 0; i < node->case_count; i++)
            remove_jumps(t, node->cases[i].body, node->cases[i].falls_through ? NULL : &inner);
        break;
    default:
        for (uint32_t i = 0; i < node->child_count; i++)
            remove_jumps(t, node->children[i], fall);
        break;
    }
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static void rebuild(struct simplifier *t, struct node *node, struct node *owner);

/* Appends a node that is not empty; merges sequences and neighbouring OPS. */
static void append(struct simplifier *t, struct node *sequence, struct node *node)
{
    struct node *last = sequence->child_count == 0 ? NULL : sequence->children[sequence->child_count - 1];

    if (node_is_empty(node))
        return;
    if (node->kind == NODE_SEQUENCE) {
        for (uint32_t i = 0; i < node->child_count; i++)
            append(t, sequence, node->children[i]);
    } else if (node->kind == NODE_OPS && last != NULL && last->kind == NODE_OPS) {
        for (uint32_t i = 0; i < node->op_count; i++)
            node_add_op(t->body, last, node->ops[i]);
    } else {
        node_add(t->body, sequence, node);
    }
}

/* Appends a scope; the code that runs before anything can leave it goes before it. */
static void append_scope(struct simplifier *t, struct node *sequence, struct node *scope)
{
    struct node *inner = scope->children[0];
    uint32_t first     = t->users[scope->number] == 0 ? inner->child_count : t->first[scope->number];

    for (uint32_t i = 0; i < first; i++)
        append(t, sequence, inner->children[i]);
    for (uint32_t i = first; i < inner->child_count; i++)
        inner->children[i - first] = inner->children[i];
    inner->child_count -= first;
    if (inner->child_count != 0)
        append(t, sequence, scope);
}

static void rebuild_sequence(struct simplifier *t, struct node *node, const struct node *owner)
{
    struct node **children = node->children;
    uint32_t count         = node->child_count;
    bool is_found          = false;

    node->children    = NULL;
    node->child_count = node->child_capacity = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct node *child = children[i];
        uint32_t before    = node->child_count;
        rebuild(t, child, NULL);
        if (child->kind == NODE_SCOPE)
            append_scope(t, node, child);
        else if (child->kind != NODE_IF || !node_is_empty(child->children[0]) || child->children[1] != NULL)
            append(t, node, child);
        if (owner != NULL && !is_found && t->seen[owner->number] != 0) {
            is_found                = true;
            t->first[owner->number] = before;
        }
    }
}

/* If only the end of the body goes to the continue construct, appends that to the body. */
static void join_continue(struct simplifier *t, struct node *loop)
{
    if (t->continues[loop->number] == 0) {
        append(t, loop->children[0], loop->children[1]);
        loop->child_count = 1;
    } else if (node_is_empty(loop->children[1])) {
        loop->child_count = 1;
    }
}

static void rebuild(struct simplifier *t, struct node *node, struct node *owner)
{
    if (node == NULL)
        return;
    if (node_is_jump(node))
        t->seen[node->target->number]++;
    if (node->kind == NODE_SEQUENCE) {
        rebuild_sequence(t, node, owner);
        return;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        rebuild(t, node_part(node, i), node);
    if (node->kind == NODE_IF && node_is_empty(node->children[1]))
        node->children[1] = NULL;
    if (node->kind == NODE_LOOP && node->child_count > 1)
        join_continue(t, node);
    for (uint32_t i = 0; i < node->case_count; i++)
        if (node_is_empty(node->cases[i].body))
            node->cases[i].body = NULL;
}

/* ---- targets --------------------------------------------------------------------------------- */

/* The construct that a plain `break` or `continue` of C would target. */
static const struct node *plain_target(const struct node *jump)
{
    const struct node *node = jump->parent;

    while (node != NULL && node->kind != NODE_LOOP && node->kind != NODE_ITEMS &&
           !(node->kind == NODE_SWITCH && jump->kind == NODE_BREAK))
        node = node->parent;
    return node;
}

static void find_targets(struct node *node)
{
    node->is_targeted = false;
    if (node->kind == NODE_LEAVE || (node->kind == NODE_CONTINUE && node->target->child_count > 1) ||
        (node_is_jump(node) && plain_target(node) != node->target))
        node->target->is_targeted = true;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_targets(node_part(node, i));
}

int32_t translate_simplify_control_flow(struct body *body)
{
    const struct fall end = {.up = NULL, .node = NULL};
    struct simplifier t   = {.body = body};

    t.ends      = base_arena_allocate(body->arena, body->node_count, sizeof(*t.ends));
    t.users     = base_arena_allocate(body->arena, body->node_count, sizeof(*t.users));
    t.continues = base_arena_allocate(body->arena, body->node_count, sizeof(*t.continues));
    t.seen      = base_arena_allocate(body->arena, body->node_count, sizeof(*t.seen));
    t.first     = base_arena_allocate(body->arena, body->node_count, sizeof(*t.first));
    if (t.ends == NULL || t.users == NULL || t.continues == NULL || t.seen == NULL || t.first == NULL ||
        body->arena->failed)
        return body_status(body);
    remove_jumps(&t, body->root, &end);
    rebuild(&t, body->root, NULL);
    node_link(body->root);
    find_targets(body->root);
    body->has_barrier = body->root->has_barrier;
    return body_status(body);
}
