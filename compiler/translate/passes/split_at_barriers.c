/* Splits the body at barriers: the regions between them become loops over the work-items of the group, and
 * uniform values are computed once, before those loops.
 *
 * A work-item may leave a construct with barriers alone, for example an inlined function that returns early
 * after its last barrier. It is marked as gone then, and the regions up to the construct's end check for
 * that (split_leave.c).
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/split.h"
#include "compiler/translate/passes/uniform.h"

#define TIMES_MOST 4 /* that switches are looked for, before all with a barrier are taken apart */

static void split_parts(struct splitter *c, struct node *node);

/* ---- the group's operations ------------------------------------------------------------------ */

/* Moves uniform operations out of a region. */
static void hoist(struct splitter *c, struct node *node, struct node *ops)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < node->op_count; i++) {
        struct spirv_instruction *op = node->ops[i];
        if (op->result != 0 && c->body->values[op->result].is_uniform)
            node_add_op(c->body, ops, op);
        else
            node->ops[kept++] = op;
    }
    node->op_count = kept;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            hoist(c, node_part(node, i), ops);
}

/* Removes what hoisting left empty. */
static void prune(struct node *node)
{
    uint32_t kept = 0;

    if (node == NULL)
        return;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        prune(node_part(node, i));
    for (uint32_t i = 0; node->kind == NODE_SEQUENCE && i < node->child_count; i++) {
        struct node *child = node->children[i];
        if (node_is_empty(child) || (child->kind == NODE_IF && node_is_empty(child->children[0]) &&
                                     node_is_empty(child->children[1])))
            continue;
        node->children[kept++] = child;
    }
    if (node->kind == NODE_SEQUENCE)
        node->child_count = kept;
    if (node->kind == NODE_IF && node_is_empty(node->children[1]))
        node->children[1] = NULL;
    if (node->kind == NODE_LOOP && node->child_count > 1 && node_is_empty(node->children[1]))
        node->child_count = 1;
    for (uint32_t i = 0; i < node->case_count; i++)
        if (node_is_empty(node->cases[i].body))
            node->cases[i].body = NULL;
}

/* ---- regions --------------------------------------------------------------------------------- */

/* Does the region consist of copies that use no uniform values? */
static bool is_copying(const struct splitter *c, const struct node *region)
{
    for (uint32_t i = 0; i < region->child_count; i++) {
        const struct node *child = region->children[i];
        if (child->kind != NODE_COPIES)
            return false;
        for (uint32_t k = 0; k < child->copy_count; k++)
            if (c->body->module->ids[child->copies[k].source].kind == SPIRV_ID_VALUE &&
                c->body->values[child->copies[k].source].is_uniform)
                return false;
    }
    return true;
}

/* The region that runs right before, with only uniform values computed in between; NULL when there is
 * none. */
static struct node *region_before(const struct splitter *c)
{
    for (uint32_t i = c->sequence->child_count; i-- > 0;) {
        struct node *child = c->sequence->children[i];
        if (child->kind == NODE_ITEMS)
            return child->child_count == 0 ? NULL : child;
        if (child->kind != NODE_OPS && child->kind != NODE_COPIES)
            return NULL;
    }
    return NULL;
}

/* Ends the current region. A region of copies touches no memory: it need not wait for a barrier and joins the
 * region before, so that its sources need not be spilled. */
static void flush(struct splitter *c)
{
    struct node *ops = node_new(c->body, NODE_OPS), *items = node_new(c->body, NODE_ITEMS);

    if (ops == NULL || items == NULL || c->region == NULL)
        return;
    hoist(c, c->region, ops);
    prune(c->region);
    if (ops->op_count != 0)
        node_add(c->body, c->sequence, ops);
    bool is_plain       = c->divergent == NULL && !c->is_asking;
    struct node *before = is_plain && is_copying(c, c->region) ? region_before(c) : NULL;
    if (before != NULL) {
        for (uint32_t i = 0; i < c->region->child_count; i++)
            node_add(c->body, before->children[0], c->region->children[i]);
    } else if (c->region->child_count != 0) {
        bool leaves = c->round != NULL && split_find_left(c, c->region);
        node_add(c->body, items, split_wrap(c, c->region));
        items->is_uniform = true;
        node_add(c->body, c->sequence, items);
        if (leaves)
            split_leave_rounds(c);
    }
    c->is_asking = false;
    c->region    = node_new(c->body, NODE_SEQUENCE);
}

/* Copies to phis of the work-items stay in the region; copies to uniform phis go behind it. */
static void split_copies(struct splitter *c, struct node *node)
{
    struct node *group = node_new(c->body, NODE_COPIES);
    uint32_t kept      = 0;

    if (group == NULL)
        return;
    group->copies = base_arena_allocate(c->body->arena, node->copy_count, sizeof(*group->copies));
    if (group->copies == NULL)
        return;
    for (uint32_t i = 0; i < node->copy_count; i++)
        if (c->body->values[node->copies[i].target].is_uniform)
            group->copies[group->copy_count++] = node->copies[i];
        else
            node->copies[kept++] = node->copies[i];
    node->copy_count = kept;
    if (kept != 0)
        node_add(c->body, c->region, node);
    if (group->copy_count == 0)
        return;
    flush(c);
    group->is_uniform = true;
    node_add(c->body, c->sequence, group);
}

static void add_to_region(struct splitter *c, struct node *node)
{
    c->has_returned |= node_has(node, NODE_RETURN);
    node_add(c->body, c->region, node);
}

static void split_sequence(struct splitter *c, struct node *node)
{
    struct splitter outer  = *c;
    struct node **children = node->children;
    uint32_t count         = node->child_count;

    node->children    = NULL;
    node->child_count = node->child_capacity = 0;
    c->sequence                              = node;
    c->region                                = node_new(c->body, NODE_SEQUENCE);
    if (c->divergent != NULL && c->divergent->kind == NODE_CONTINUE &&
        c->divergent->target->children[0] == node) {
        const struct divergent *divergent = c->divergent;
        node_add(c->body, c->region, split_flag(c, divergent->gone, 0));
        c->divergent = divergent->up; /* work-items that left in the last round are back */
        flush(c);
        c->divergent = divergent;
    }
    for (uint32_t i = 0; i < count && c->region != NULL; i++) {
        struct node *child = children[i];
        if (child->kind == NODE_COPIES)
            split_copies(c, child);
        else if (child->is_uniform)
            split_parts(c, child);
        else
            add_to_region(c, child);
    }
    flush(c);
    c->sequence = outer.sequence;
    c->region   = outer.region;
}

/* ---- the group's nodes ----------------------------------------------------------------------- */

static void split_part(struct splitter *c, struct node *part)
{
    if (part != NULL && part->kind == NODE_SEQUENCE)
        split_sequence(c, part);
}

/* Lets work-items leave a construct one by one, once `c->divergent` is this. */
static void begin_divergent(struct splitter *c, struct divergent *divergent, const struct node *node,
                            enum node_kind kind)
{
    *divergent       = (struct divergent){.up = c->divergent, .target = node, .kind = kind};
    divergent->depth = 1 + (c->divergent == NULL ? 0 : c->divergent->depth);
    divergent->gone  = split_new_flag(c, "gone", false);
    if (kind != NODE_CONTINUE)
        node_add(c->body, c->region, split_flag(c, divergent->gone, 0));
}

/* Splits a SWITCH or a SCOPE with a jump behind it. */
static void split_divergent(struct splitter *c, struct node *node)
{
    struct divergent divergent;

    begin_divergent(c, &divergent, node, node->kind == NODE_SWITCH ? NODE_BREAK : NODE_LEAVE);
    flush(c);
    c->divergent = &divergent;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        split_part(c, node_part(node, i));
    c->divergent = divergent.up;
}

static void split_loop(struct splitter *c, struct node *node)
{
    struct round round            = {.up = c->round, .loop = node};
    const struct divergent *outer = c->divergent;
    struct divergent behind, again;
    uint8_t left   = c->left[node->number];
    uint32_t comes = split_expect(c, node);

    if (left & LEFT_BEHIND)
        begin_divergent(c, &behind, node, NODE_BREAK);
    flush(c);
    if (left & LEFT_BEHIND)
        c->divergent = &behind;
    round.masks = c->divergent;
    c->round    = &round;
    if (left & LEFT_ROUND) {
        begin_divergent(c, &again, node, NODE_CONTINUE);
        c->divergent = &again;
    }
    split_part(c, node->children[0]);
    c->divergent = round.masks;
    if (node->child_count > 1)
        split_part(c, node->children[1]);
    if (round.asks)
        split_ask(c, &round);
    c->round     = round.up;
    c->divergent = outer;
    split_append_loop(c, node, comes);
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* Replaces a condition of a group-level node that the group cannot compute: each work-item assigns it, all to
 * the same value, because either all of them reach a barrier or none does. */
static void tell_condition(struct splitter *c, struct node *node)
{
    uint32_t id = node->condition;

    if (node->kind != NODE_IF || c->body->values[id].is_uniform ||
        c->body->module->ids[id].kind != SPIRV_ID_VALUE)
        return;
    split_count_ways(c, node);
    uint32_t told = body_copy_id(c->body, id);
    if (told == 0)
        return;
    c->body->values[told].is_phi     = true;
    c->body->values[told].is_uniform = true;
    node_add(c->body, c->region, split_copy(c, told, id));
    node->condition = told;
}

static void split_parts(struct splitter *c, struct node *node)
{
    tell_condition(c, node);
    if (c->body->checks_barriers && node->kind == NODE_BARRIER && node->at != NULL)
        split_count_barrier(c, node);
    if (node->has_meeting && c->divergent != NULL)
        c->body->has_absent = true;
    if (node->kind == NODE_LOOP) {
        split_loop(c, node);
        return;
    }
    if (c->left[node->number] != 0) {
        split_divergent(c, node);
    } else {
        flush(c);
        for (uint32_t i = 0; i < node_part_count(node); i++)
            split_part(c, node_part(node, i));
    }
    if (node->kind != NODE_BARRIER)
        node_add(c->body, c->sequence, node);
}

/* ---- the pass -------------------------------------------------------------------------------- */

static void find_divergent(struct splitter *c, const struct node *node)
{
    if (node_is_jump(node) && !node->is_uniform && node->target->is_uniform)
        c->left[node->target->number] |= node->kind == NODE_CONTINUE ? LEFT_ROUND : LEFT_BEHIND;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_divergent(c, node_part(node, i));
}

/* Does a work-item return although more code follows? `more`: code follows behind the node. */
static bool returns_early(const struct node *node, bool is_inside, bool more)
{
    if (node->kind == NODE_RETURN)
        return is_inside && more;
    is_inside |= node->kind == NODE_ITEMS;
    for (uint32_t i = 0; i < node_part_count(node); i++) {
        const struct node *part = node_part(node, i);
        bool follows            = !is_inside && (node->kind == NODE_LOOP ||
                                      (node->kind == NODE_SEQUENCE && i + 1 < node->child_count) ||
                                      node->kind == NODE_SWITCH);
        if (part != NULL && returns_early(part, is_inside, more || follows))
            return true;
    }
    return false;
}

/* Finds the nodes at group level, in a tree in which conditions around barriers are those of the group. */
static int32_t find_groups(struct body *body)
{
    bool found = true;

    for (uint32_t times = 0; found; times++) {
        int32_t status = translate_converge(body);
        if (status == TRM_OK)
            status = translate_separate_cases(body, times >= TIMES_MOST, &found);
        if (status != TRM_OK)
            return status;
        if (found)
            uniform_forget(body->root);
    }
    return TRM_OK;
}

int32_t translate_split_at_barriers(struct body *body)
{
    struct splitter c = {.body = body};
    bool has_meeting  = body->root->has_meeting;
    int32_t status    = find_groups(body);

    if (status != TRM_OK)
        return status;
    c.left = base_arena_allocate(body->arena, body->node_count, sizeof(*c.left));
    if (c.left == NULL || !split_find_waits(&c))
        return body_status(body);
    if (body->checks_barriers)
        split_note_barriers(body->root);
    find_divergent(&c, body->root);
    split_sequence(&c, body->root);
    if (body->arena->failed)
        return body_status(body);
    body->is_split      = true;
    body->returns_early = returns_early(body->root, false, false);
    body->has_absent |= has_meeting && body->returns_early;
    node_link(body->root);
    status = translate_simplify_control_flow(body);
    if (status == TRM_OK)
        status = translate_rematerialize(body);
    if (status == TRM_OK)
        status = translate_eliminate_dead_code(body);
    return status == TRM_OK ? translate_spill(body) : status;
}
