/* Checks of barriers: counts the work-items that come to a barrier, and which way they go at a condition of
 * the group, whose promise is that all work-items that decide about it go the same way.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/split.h"

void split_note_barriers(struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node); i++) {
        struct node *part = node_part(node, i);
        if (part == NULL)
            continue;
        split_note_barriers(part);
        if (node->at == NULL)
            node->at = part->at;
    }
}

/* The first jump of the group inside of a node that leaves a loop, or NULL. */
static const struct node *break_in(const struct node *node)
{
    const struct node *found =
        node->kind == NODE_BREAK && node->is_uniform && node->target->kind == NODE_LOOP ? node : NULL;

    for (uint32_t i = 0; i < node_part_count(node) && found == NULL; i++)
        if (node_part(node, i) != NULL)
            found = break_in(node_part(node, i));
    return found;
}

/* The barrier for whose sake all work-items or none run a part of the group's code: one inside, else that of
 * a loop that the part leaves (*leaves). NULL: there is none. */
static const struct spirv_instruction *barrier_of(const struct node *part, bool *leaves)
{
    const struct node *jump = part == NULL || part->at != NULL ? NULL : break_in(part);

    *leaves = jump != NULL;
    if (part == NULL)
        return NULL;
    return jump != NULL ? jump->target->at : part->at;
}

/* Counts the work-items that come here. `what` is a fault where these are some, but not all, of `among`
 * (NULL: of the group); without a `what` they are what others are among. */
static const struct node *add_arrive(struct splitter *c, struct node *sequence,
                                     const struct spirv_instruction *at, const char *what,
                                     const struct node *among)
{
    struct node *arrive = node_new(c->body, NODE_ARRIVE);

    if (arrive == NULL)
        return NULL;
    arrive->at    = at;
    arrive->what  = what;
    arrive->among = among;
    node_add(c->body, sequence, arrive);
    return arrive;
}

/* Counts those of the work-items that decide about an IF that take the side with the barrier. */
static void count_sides(struct splitter *c, const struct node *node)
{
    struct node *check = node_new(c->body, NODE_IF);
    bool is_counted    = false;

    if (check == NULL)
        return;
    const struct node *among = add_arrive(c, c->region, NULL, NULL, NULL);
    check->condition         = node->condition;
    for (uint32_t i = 0; i < 2; i++) {
        struct node *side = node_new(c->body, NODE_SEQUENCE);
        bool leaves;
        const struct spirv_instruction *at = barrier_of(node_part(node, i), &leaves);
        if (at != NULL && !is_counted)
            add_arrive(c, side, at, leaves ? "loop" : node->is_case ? "case" : "branch", among);
        is_counted |= at != NULL;
        node_add(c->body, check, side);
    }
    node_add(c->body, c->region, check);
}

void split_count_barrier(struct splitter *c, const struct node *barrier)
{
    const char *what = "barrier";

    for (const struct divergent *divergent = c->divergent; divergent != NULL; divergent = divergent->up)
        if (divergent->target->kind == NODE_LOOP && divergent->kind == NODE_BREAK)
            what = "round";
    add_arrive(c, c->region, barrier->at, what, NULL);
}

void split_count_ways(struct splitter *c, const struct node *node)
{
    bool leaves;

    if (c->body->checks_barriers && barrier_of(node, &leaves) != NULL)
        count_sides(c, node);
}
