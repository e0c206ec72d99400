/* Separates the cases of a switch that have a barrier of the shader from the others, where work-items differ
 * in what they select: all of them take a case with a barrier or none does, but each takes its own of the
 * others.
 *
 *     switch (s) { case 0: a; break; case 1: b; barrier; case 2: c; break; }
 * becomes
 *     in_1 = in_2 = false
 *     switch (s) { case 0: a; break; case 1: in_1 = true; break; case 2: in_2 = true; break; }
 *     scope { if (in_1) { b; barrier; in_2 = true } if (in_2) { c } }
 *
 * so that the conditions around the barrier are those of cases that all take or none. Cases that fall into
 * one with a barrier, or that one with a barrier falls into, are separated with it.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"

struct separator {
    struct body *body;
    bool all; /* also where the selector is uniform */
    bool found;
};

static bool must_separate(const struct separator *s, const struct node *node)
{
    const struct body *body = s->body;

    return node->kind == NODE_SWITCH && node->has_control &&
           body->module->ids[node->condition].kind == SPIRV_ID_VALUE &&
           (s->all || !body->values[node->condition].is_uniform);
}

static struct node *new_flag(const struct separator *s, uint32_t flag, uint64_t bits)
{
    struct node *copies = node_new(s->body, NODE_COPIES);
    uint32_t source     = body_constant(s->body, body_bool_type(s->body), bits);

    if (source != 0)
        node_add_copy(s->body, copies, flag, source);
    return copies;
}

/* Makes the jumps behind a switch leave a scope. */
static void redirect(struct node *node, const struct node *from, struct node *to)
{
    if (node->kind == NODE_BREAK && node->target == from) {
        node->kind   = NODE_LEAVE;
        node->target = to;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            redirect(node_part(node, i), from, to);
}

/* How many cases from this one on fall into each other. */
static uint32_t chain_at(const struct node *node, uint32_t first)
{
    uint32_t end = first;

    while (end + 1 < node->case_count && node->cases[end].falls_through)
        end++;
    return end + 1 - first;
}

static bool has_control(const struct node *node, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        if (node->cases[i].body != NULL && node->cases[i].body->has_control)
            return true;
    return false;
}

/* Appends to `inner` what the case does if its flag is set, and makes the case set it. Returns the branch,
 * for the one that falls into the next case. */
static struct node *separate_case(const struct separator *s, struct node_case *one, struct node *before,
                                  struct node *inner)
{
    struct node *branch = node_new(s->body, NODE_IF), *no = node_new(s->body, NODE_SEQUENCE);
    struct node *body   = one->body != NULL ? one->body : node_new(s->body, NODE_SEQUENCE);
    struct node *chosen = node_new(s->body, NODE_SEQUENCE);
    uint32_t bool_type  = body_bool_type(s->body);
    uint32_t flag       = bool_type == 0 ? 0 : body_new_id(s->body, bool_type);

    if (branch == NULL || no == NULL || body == NULL || chosen == NULL || flag == 0)
        return NULL;
    s->body->values[flag].is_phi    = true;
    s->body->module->ids[flag].name = "in_case";
    node_add(s->body, before, new_flag(s, flag, 0));
    node_add(s->body, chosen, new_flag(s, flag, 1));
    one->body          = chosen;
    one->falls_through = false;
    branch->condition  = flag;
    branch->is_case    = true;
    node_add(s->body, branch, body);
    node_add(s->body, branch, no);
    node_add(s->body, inner, branch);
    return branch;
}

static void separate_chain(const struct separator *s, struct node *node, uint32_t first, uint32_t count,
                           struct node *before, struct node *inner)
{
    struct node *last = NULL;

    for (uint32_t i = first; i < first + count; i++) {
        struct node *branch = separate_case(s, &node->cases[i], before, inner);
        if (branch == NULL)
            return;
        if (last != NULL)
            node_add(s->body, last->children[0], new_flag(s, branch->condition, 1));
        last = branch;
    }
}

/* Returns what stands in place of the switch. */
static struct node *separate(struct separator *s, struct node *node)
{
    struct node *both = node_new(s->body, NODE_SEQUENCE), *scope = node_new(s->body, NODE_SCOPE);
    struct node *inner = node_new(s->body, NODE_SEQUENCE);

    if (both == NULL || scope == NULL || inner == NULL)
        return node;
    for (uint32_t i = 0, count; i < node->case_count; i += count) {
        count = chain_at(node, i);
        if (!has_control(node, i, count))
            continue;
        for (uint32_t k = i; k < i + count; k++)
            if (node->cases[k].body != NULL)
                redirect(node->cases[k].body, node, scope);
        separate_chain(s, node, i, count, both, inner);
    }
    node_add(s->body, both, node);
    node_add(s->body, scope, inner);
    node_add(s->body, both, scope);
    s->found = true;
    return both;
}

static void walk(struct separator *s, struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL && node_part(node, i)->has_control)
            walk(s, node_part(node, i));
    for (uint32_t i = 0; node->kind == NODE_SEQUENCE && i < node->child_count; i++)
        if (must_separate(s, node->children[i]))
            node->children[i] = separate(s, node->children[i]);
}

int32_t translate_separate_cases(struct body *body, bool all, bool *found)
{
    struct separator s = {.body = body, .all = all};

    if (body->root->has_control)
        walk(&s, body->root);
    *found = s.found;
    if (!s.found || body->arena->failed)
        return body_status(body);
    return translate_simplify_control_flow(body);
}
