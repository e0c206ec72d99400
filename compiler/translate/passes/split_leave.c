/* Work-items that leave a construct of the group one by one. A flag says of each that it is gone, and the
 * regions up to the construct's end skip those that are.
 *
 * A loop goes on for those that stay. When a region lets work-items leave a loop, those that come to its end
 * say so, and if none does, the group leaves the loop:
 *
 *     loop { ITEMS {…; if (c) break; …}; … }
 * becomes
 *     ITEMS {gone = false}
 *     loop { stays = false; ITEMS {if (!gone) {…; if (c) gone = true, else {…; stays = true}}}
 *            if (!stays) break; … }
 *
 * If work-items leave several loops, the group leaves the outermost one.
 *
 * Where other work-items skip the region too, such as those that wait for the next round, the round begins
 * with that question instead, in a region of its own.
 *
 * A loop to which no work-item comes might never end, since all skip what would end it. So the group asks
 * before one that stands where all may be gone, unless its rounds are counted by constants (split_waits.c).
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/split.h"

/* ---- flags ----------------------------------------------------------------------------------- */

struct node *split_copy(struct splitter *c, uint32_t target, uint32_t source)
{
    struct node *copies = node_new(c->body, NODE_COPIES);

    if (source == 0)
        return NULL;
    node_add_copy(c->body, copies, target, source);
    return copies;
}

struct node *split_flag(struct splitter *c, uint32_t target, uint64_t bits)
{
    return split_copy(c, target, body_constant(c->body, c->bool_type, bits));
}

uint32_t split_new_flag(struct splitter *c, const char *name, bool is_uniform)
{
    if (c->bool_type == 0)
        c->bool_type = body_bool_type(c->body);
    uint32_t id = c->bool_type == 0 ? 0 : body_new_id(c->body, c->bool_type);
    if (id == 0)
        return 0;
    c->body->values[id].is_phi     = true;
    c->body->values[id].is_uniform = is_uniform;
    c->body->module->ids[id].name  = name;
    return id;
}

/* An assignment by the group itself. */
static struct node *group_flag(struct splitter *c, uint32_t target, uint64_t bits)
{
    struct node *copies = split_flag(c, target, bits);

    if (copies != NULL)
        copies->is_uniform = true;
    return copies;
}

/* ---- gone ------------------------------------------------------------------------------------ */

static struct node *new_leave(struct splitter *c, struct node *scope)
{
    struct node *leave = node_new(c->body, NODE_LEAVE);

    if (leave != NULL)
        leave->target = scope;
    return leave;
}

static const struct divergent *divergent_of(const struct splitter *c, const struct node *jump)
{
    for (const struct divergent *divergent = c->divergent; divergent != NULL; divergent = divergent->up)
        if (divergent->target == jump->target && divergent->kind == jump->kind)
            return divergent;
    return NULL;
}

/* Replaces jumps that leave a divergent construct: they set its flag and go to the region's end. */
static void replace_jumps(struct splitter *c, struct node *node, struct node *scope)
{
    for (uint32_t i = 0; node->kind == NODE_SEQUENCE && i < node->child_count; i++) {
        struct node *child                = node->children[i];
        const struct divergent *divergent = node_is_jump(child) ? divergent_of(c, child) : NULL;
        if (divergent == NULL)
            continue;
        struct node *both = node_new(c->body, NODE_SEQUENCE);
        node_add(c->body, both, split_flag(c, divergent->gone, 1));
        node_add(c->body, both, new_leave(c, scope));
        if (both != NULL)
            node->children[i] = both;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            replace_jumps(c, node_part(node, i), scope);
}

/* Appends what makes the work-items that are gone leave the scope. */
static bool add_masks(struct splitter *c, const struct divergent *masks, struct node *inner,
                      struct node *scope)
{
    for (const struct divergent *divergent = masks; divergent != NULL; divergent = divergent->up) {
        struct node *node = node_new(c->body, NODE_IF), *yes = node_new(c->body, NODE_SEQUENCE);
        if (node == NULL || yes == NULL)
            return false;
        node->condition = divergent->gone;
        node_add(c->body, node, yes);
        node_add(c->body, node, NULL);
        node_add(c->body, yes, new_leave(c, scope));
        node_add(c->body, inner, node);
    }
    return true;
}

/* Appends for each round that the region leaves that the work-item stays. */
static void add_stays(struct splitter *c, struct node *sequence)
{
    for (struct round *round = c->round; round != NULL; round = round->up)
        if (round->is_left && !round->asks)
            node_add(c->body, sequence, split_flag(c, round->stays, 1));
}

struct node *split_wrap(struct splitter *c, struct node *region)
{
    struct node *scope = node_new(c->body, NODE_SCOPE), *inner = node_new(c->body, NODE_SEQUENCE);
    struct node *outer = node_new(c->body, NODE_SEQUENCE);

    if (c->divergent == NULL) {
        add_stays(c, region);
        return region;
    }
    if (scope == NULL || inner == NULL || outer == NULL || !add_masks(c, c->divergent, inner, scope))
        return region;
    replace_jumps(c, region, scope);
    for (uint32_t i = 0; i < region->child_count; i++)
        node_add(c->body, inner, region->children[i]);
    add_stays(c, inner);
    node_add(c->body, scope, inner);
    node_add(c->body, outer, scope);
    return outer;
}

/* ---- loops that are left --------------------------------------------------------------------- */

/* Notes that a jump out of a construct of that depth, or a return (0), leaves the rounds inside. */
static bool note_left(struct splitter *c, uint32_t depth)
{
    bool found = false;

    for (struct round *round = c->round; round != NULL; round = round->up) {
        if (round->loop->asks)
            continue; /* it asks by itself (converge.c) */
        if (depth > (round->masks == NULL ? 0 : round->masks->depth))
            break;
        round->is_left = found = true;
        round->asks |= c->divergent != round->masks;
        if (round->stays == 0)
            round->stays = split_new_flag(c, "stays", true);
    }
    return found;
}

static bool find_left(struct splitter *c, const struct node *node)
{
    const struct divergent *divergent = node_is_jump(node) ? divergent_of(c, node) : NULL;
    bool found                        = false;

    if (divergent != NULL || node->kind == NODE_RETURN)
        found = note_left(c, divergent == NULL ? 0 : divergent->depth);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            found |= find_left(c, node_part(node, i));
    return found;
}

/* The work-items that stay are the same in all rounds that the region leaves and that do not ask. So if none
 * does, the group leaves the outermost of their loops. */
static void keep_outermost(struct splitter *c)
{
    struct round *inner = NULL;

    for (struct round *round = c->round; round != NULL; round = round->up) {
        if (!round->is_left || round->asks)
            continue;
        if (inner != NULL)
            inner->is_left = false;
        inner = round;
    }
}

bool split_find_left(struct splitter *c, const struct node *region)
{
    for (struct round *round = c->round; round != NULL; round = round->up)
        round->is_left = false;
    if (!find_left(c, region))
        return false;
    keep_outermost(c);
    for (struct round *round = c->round; round != NULL; round = round->up)
        if (round->is_left && !round->asks)
            node_add(c->body, c->sequence, group_flag(c, round->stays, 0));
    return true;
}

/* The group leaves the round's loop if no work-item stays. */
static struct node *new_exit(struct splitter *c, const struct round *round)
{
    struct node *branch = node_new(c->body, NODE_IF), *stop = node_new(c->body, NODE_BREAK);
    struct node *yes = node_new(c->body, NODE_SEQUENCE), *no = node_new(c->body, NODE_SEQUENCE);

    if (branch == NULL || stop == NULL || yes == NULL || no == NULL)
        return NULL;
    branch->condition  = round->stays;
    branch->is_uniform = stop->is_uniform = true;
    stop->target                          = (struct node *)round->loop;
    node_add(c->body, no, stop);
    node_add(c->body, branch, yes);
    node_add(c->body, branch, no);
    return branch;
}

void split_leave_rounds(struct splitter *c)
{
    for (struct round *round = c->round; round != NULL; round = round->up)
        if (round->is_left && !round->asks)
            node_add(c->body, c->sequence, new_exit(c, round));
}

void split_ask(struct splitter *c, const struct round *round)
{
    struct node *items = node_new(c->body, NODE_ITEMS), *region = node_new(c->body, NODE_SEQUENCE);
    struct node *scope = node_new(c->body, NODE_SCOPE), *inner = node_new(c->body, NODE_SEQUENCE);
    struct node *body = round->loop->children[0], *stop = new_exit(c, round);
    struct node *clear = group_flag(c, round->stays, 0);

    if (items == NULL || region == NULL || scope == NULL || inner == NULL || stop == NULL || clear == NULL ||
        !add_masks(c, round->masks, inner, scope))
        return;
    node_add(c->body, inner, split_flag(c, round->stays, 1));
    node_add(c->body, scope, inner);
    node_add(c->body, region, scope);
    node_add(c->body, items, region);
    items->is_uniform = true;
    node_insert(c->body, body, stop);
    node_insert(c->body, body, items);
    node_insert(c->body, body, clear);
}

/* ---- loops to which none may come ------------------------------------------------------------ */

uint32_t split_expect(struct splitter *c, const struct node *loop)
{
    if ((c->divergent == NULL && !c->has_returned) || !c->waits[loop->number])
        return 0;
    uint32_t comes = split_new_flag(c, "comes", true);
    if (comes == 0)
        return 0;
    node_add(c->body, c->sequence, group_flag(c, comes, 0));
    node_add(c->body, c->region, split_flag(c, comes, 1));
    c->is_asking = true;
    return comes;
}

void split_append_loop(struct splitter *c, struct node *loop, uint32_t comes)
{
    struct node *branch = node_new(c->body, NODE_IF), *yes = node_new(c->body, NODE_SEQUENCE);
    struct node *no = node_new(c->body, NODE_SEQUENCE);

    if (comes == 0) {
        node_add(c->body, c->sequence, loop);
        return;
    }
    if (branch == NULL || yes == NULL || no == NULL)
        return;
    branch->condition  = comes;
    branch->is_uniform = true;
    node_add(c->body, yes, loop);
    node_add(c->body, branch, yes);
    node_add(c->body, branch, no);
    node_add(c->body, c->sequence, branch);
}
