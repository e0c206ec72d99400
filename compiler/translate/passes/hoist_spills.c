/* Hoists spills out of loops. A spilled value that a region assigns in a loop gets a local copy for the
 * duration of the region: loaded at its beginning and stored once at its end, not in each round.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"

struct hoister {
    struct replacer replacer; /* first: replace.c is given a pointer to it */
    uint32_t count;           /* of ids that the tables cover */
    uint32_t *local;          /* by id of a spilled phi: its local copy in the region of `stamp` */
    uint32_t *stamp;          /* by id: the number of that region */
    uint32_t *touched;        /* by id: the last region in which it was used or certainly assigned */
    uint32_t *assigned;       /* by id: the last region that assigns it before any use */
    uint32_t items;
    struct node *begin, *end; /* COPIES */
};

static uint32_t local_value(struct replacer *replacer, uint32_t id)
{
    const struct hoister *l = (const struct hoister *)replacer;

    return id < l->count && l->stamp[id] == l->items ? l->local[id] : id;
}

/* ---- what is assigned first ------------------------------------------------------------------- */

static void touch(struct hoister *l, uint32_t id, bool is_assigned)
{
    if (id >= l->count || l->touched[id] == l->items)
        return;
    l->touched[id] = l->items;
    if (is_assigned)
        l->assigned[id] = l->items;
}

/* `is_sure`: the node runs whenever the region runs to its end. */
static void find_first(struct hoister *l, const struct node *node, bool is_sure)
{
    for (uint32_t i = 0; i < node->op_count; i++) {
        struct visit visit = visit_begin(l->replacer.body, node->ops[i]);
        for (uint32_t id; (id = visit_next(&visit)) != 0;)
            touch(l, id, false);
    }
    for (uint32_t i = 0; i < node->copy_count; i++)
        touch(l, node->copies[i].source, false);
    for (uint32_t i = 0; is_sure && i < node->copy_count; i++)
        touch(l, node->copies[i].target, true);
    if (node->kind == NODE_IF || node->kind == NODE_SWITCH)
        touch(l, node->condition, false);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_first(l, node_part(node, i), is_sure && node->kind == NODE_SEQUENCE);
}

/* ---- copies ----------------------------------------------------------------------------------- */

static void make_local(struct hoister *l, uint32_t id)
{
    struct body *body = l->replacer.body;

    if (id >= l->count || l->stamp[id] == l->items || body->values[id].place != PLACE_SPILLED)
        return;
    uint32_t local = body_copy_id(body, id);
    if (local == 0)
        return;
    body->values[local].is_phi = true;
    l->local[id]               = local;
    l->stamp[id]               = l->items;
    if (l->assigned[id] != l->items)
        node_add_copy(body, l->begin, local, id);
    node_add_copy(body, l->end, id, local);
}

static void find_assigned(struct hoister *l, const struct node *node, bool is_loop)
{
    for (uint32_t i = 0; is_loop && i < node->copy_count; i++)
        make_local(l, node->copies[i].target);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_assigned(l, node_part(node, i), is_loop || node->kind == NODE_LOOP);
}

static void replace_targets(struct hoister *l, struct node *node)
{
    for (uint32_t i = 0; i < node->copy_count; i++)
        node->copies[i].target = local_value(&l->replacer, node->copies[i].target);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            replace_targets(l, node_part(node, i));
}

static void hoist_from(struct hoister *l, struct node *items)
{
    struct body *body     = l->replacer.body;
    struct node *sequence = items->children[0];

    l->items = items->number + 1;
    l->begin = node_new(body, NODE_COPIES);
    l->end   = node_new(body, NODE_COPIES);
    if (l->begin == NULL || l->end == NULL)
        return;
    find_first(l, sequence, true);
    find_assigned(l, sequence, false);
    if (l->end->copy_count == 0)
        return;
    replace_below(&l->replacer, sequence);
    replace_targets(l, sequence);
    if (l->begin->copy_count != 0)
        node_insert(body, sequence, l->begin);
    node_add(body, sequence, l->end);
    l->end->parent = sequence;
}

static void walk(struct hoister *l, struct node *node)
{
    if (node->kind == NODE_ITEMS) {
        hoist_from(l, node);
        return;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            walk(l, node_part(node, i));
}

int32_t translate_hoist_spills(struct body *body)
{
    struct hoister l = {.replacer = {.body = body, .value = local_value}, .count = body->value_count};

    l.local    = base_arena_allocate(body->arena, l.count, sizeof(*l.local));
    l.stamp    = base_arena_allocate(body->arena, l.count, sizeof(*l.stamp));
    l.touched  = base_arena_allocate(body->arena, l.count, sizeof(*l.touched));
    l.assigned = base_arena_allocate(body->arena, l.count, sizeof(*l.assigned));
    if (l.local == NULL || l.stamp == NULL || l.touched == NULL || l.assigned == NULL)
        return body_status(body);
    walk(&l, body->root);
    return body_status(body);
}
