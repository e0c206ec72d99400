/* Finds the jumps that the group takes as a whole. The others stay jumps of work-items: those that take them
 * are masked up to the end of the construct that they leave (split_at_barriers.c).
 *
 * A jump is the group's
 *   - if the way to it is uniform, perhaps just because the group takes the jump as a whole, or
 *   - if it is the only `break` of a loop by which work-items may differ, and a barrier of the shader follows
 *     before the group can leave the loop by another way: all work-items reach the barrier or none does, so
 *     all break or none does, and one tells the others;
 * and if no work-item can already have left a construct that the jump leaves too: it would be taken along.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/uniform.h"

#define NOWHERE UINT32_MAX
#define TIMES_MOST 8 /* that lifting the jumps between nodes of the group is tried again */

/* ---- the table ------------------------------------------------------------------------------- */

static void find_jumps(struct analysis *a, struct node *node, uint32_t *position)
{
    struct jump_table *t = &a->table[node->number];

    t->from       = (*position)++;
    t->first_jump = a->jump_count;
    if (node_is_jump(node) || node->kind == NODE_RETURN)
        if (base_arena_grow(a->body->arena, &a->jumps, a->jump_count, &a->jump_capacity, sizeof(*a->jumps)))
            a->jumps[a->jump_count++] = node;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_jumps(a, node_part(node, i), position);
    t->to        = *position - 1;
    t->jumps_end = a->jump_count;
}

bool jumps_find(struct analysis *a)
{
    uint32_t position = 0;

    a->table = base_arena_allocate(a->body->arena, a->body->node_count, sizeof(*a->table));
    if (a->table == NULL)
        return false;
    find_jumps(a, a->body->root, &position);
    return !a->body->arena->failed;
}

static void keep_first(uint32_t *first, uint32_t position)
{
    if (position < *first)
        *first = position;
}

static bool leaves(const struct node *jump, const struct node *around)
{
    return jump->target != around || jump->kind != NODE_CONTINUE;
}

static void count_jump(struct analysis *a, const struct node *jump)
{
    struct jump_table *target = jump->target == NULL ? NULL : &a->table[jump->target->number];
    uint32_t position         = a->table[jump->number].from;
    bool is_known             = jump->is_uniform && !a->table[jump->number].is_told;

    if (target != NULL && !jump->is_uniform)
        keep_first(jump->kind == NODE_CONTINUE ? &target->next : &target->out, position);
    if (target != NULL && jump->kind == NODE_CONTINUE)
        keep_first(&target->round, position);
    for (const struct node *node = jump->parent; node != NULL; node = node->parent) {
        struct jump_table *t = &a->table[node->number];
        keep_first(&t->any, position);
        t->exits += !is_known && leaves(jump, node);
        if (node == jump->target)
            break;
    }
}

/* Counts the jumps again, after some were lifted. */
static void count_jumps(struct analysis *a)
{
    for (uint32_t i = 0; i < a->body->node_count; i++) {
        struct jump_table *t = &a->table[i];
        t->out = t->next = t->round = t->any = NOWHERE;
        t->exits                             = 0;
    }
    for (uint32_t i = 0; i < a->jump_count; i++)
        count_jump(a, a->jumps[i]);
}

/* ---- which jumps ----------------------------------------------------------------------------- */

/* Must the jump be masked or at group level, and is it not yet at group level? */
static bool is_pending(const struct body *body, const struct node *jump)
{
    if (jump->is_uniform)
        return false;
    return jump->kind == NODE_RETURN ? body->has_barrier : jump->target->is_uniform;
}

/* May work-items have left a construct that the jump leaves too, for another place? */
static bool is_blocked(const struct analysis *a, const struct node *jump)
{
    uint32_t position       = a->table[jump->number].from;
    const struct node *from = jump;
    bool is_again = false; /* in a later round of an inner loop, what follows the jump came before it */

    for (const struct node *node = jump->parent; node != NULL; from = node, node = node->parent) {
        const struct jump_table *t = &a->table[node->number];
        bool is_target             = node == jump->target;
        bool is_loop               = node->kind == NODE_LOOP;
        if (!is_target && t->out != NOWHERE && (is_again || is_loop || t->out < position))
            return true;
        /* in the continue construct, those that went there are back */
        if (is_loop && leaves(jump, node) && t->next != NOWHERE && (is_again || t->next < position) &&
            (node->child_count < 2 || from != node->children[1]))
            return true;
        if (is_target)
            return false;
        is_again |= is_loop;
    }
    return false;
}

/* Are the conditions on the way to the jump uniform? That of `decides` does not matter: an IF, or the jump
 * where all do. */
static bool is_known(const struct analysis *a, const struct node *jump, const struct node *decides)
{
    for (const struct node *node = jump->parent; !node->is_uniform; node = node->parent) {
        if (node->kind == NODE_SEQUENCE || node->kind == NODE_SCOPE || node == decides)
            continue;
        if (node->kind != NODE_IF || a->varying[node->condition])
            return false;
    }
    return true;
}

/* Do all work-items that enter the node, and that leave no construct before, reach a barrier of the shader
 * that stands between these positions? */
static bool has_sure_barrier(const struct analysis *a, const struct node *node, uint32_t after,
                             uint32_t before)
{
    const struct jump_table *t = node == NULL ? NULL : &a->table[node->number];

    if (node == NULL || !node->has_control)
        return false;
    switch (node->kind) {
    case NODE_BARRIER:
        return t->from > after && t->from < before;
    case NODE_SEQUENCE:
        for (uint32_t i = 0; i < node->child_count; i++)
            if (has_sure_barrier(a, node->children[i], after, before))
                return true;
        return false;
    case NODE_IF:
        return has_sure_barrier(a, node->children[0], after, before) && node->child_count > 1 &&
               has_sure_barrier(a, node->children[1], after, before);
    case NODE_LOOP:
    case NODE_SCOPE:
        return has_sure_barrier(a, node->children[0], after, t->any < before ? t->any : before);
    default:
        return false;
    }
}

/* The same for a round of a loop. */
static bool has_sure_barrier_in_round(const struct analysis *a, const struct node *loop, uint32_t after,
                                      uint32_t before)
{
    uint32_t round = a->table[loop->number].round;

    return has_sure_barrier(a, loop->children[0], after, round < before ? round : before) ||
           (loop->child_count > 1 && has_sure_barrier(a, loop->children[1], after, before));
}

/* Where the text behind this position leaves the loop, by a jump of the group too; NOWHERE: it does not. */
static uint32_t next_exit(const struct analysis *a, const struct node *loop, uint32_t after)
{
    const struct jump_table *t = &a->table[loop->number];

    for (uint32_t i = t->first_jump; i < t->jumps_end; i++) {
        const struct node *jump = a->jumps[i], *target = jump->target;
        uint32_t position = a->table[jump->number].from;
        bool is_outside   = target == NULL || a->table[target->number].from < t->from;
        if (position > after && (is_outside || (target == loop && leaves(jump, loop))))
            return position;
    }
    return NOWHERE;
}

/* Does each round of the loop have a barrier behind the jump, before the group can leave the loop by another
 * way? Behind the text's end comes its beginning, in the next round. */
static bool is_before_barrier(const struct analysis *a, const struct node *jump)
{
    const struct node *loop = jump->target;
    uint32_t position = a->table[jump->number].from, begin = a->table[loop->number].from;
    uint32_t next = next_exit(a, loop, position), first = next_exit(a, loop, begin);

    if (next != NOWHERE)
        return has_sure_barrier_in_round(a, loop, position, next);
    if (first == position) /* there is no other way */
        return has_sure_barrier_in_round(a, loop, begin, NOWHERE);
    return has_sure_barrier_in_round(a, loop, position, NOWHERE) ||
           has_sure_barrier_in_round(a, loop, begin, first);
}

/* Is it the only `break` of a loop with barriers by which work-items may differ? */
static bool is_only_break(const struct analysis *a, const struct node *jump)
{
    const struct node *loop = jump->target, *decides = jump->parent->parent;

    return jump->kind == NODE_BREAK && loop->kind == NODE_LOOP && loop->has_control &&
           a->table[loop->number].exits == 1 && decides != NULL && decides->kind == NODE_IF &&
           is_known(a, jump, decides) && !is_blocked(a, jump);
}

/* Do all work-items of a group that come to the jump's condition go the same way? */
static bool is_shared(const struct analysis *a, const struct node *jump)
{
    return is_only_break(a, jump) && is_before_barrier(a, jump);
}

/* ---- lifting --------------------------------------------------------------------------------- */

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
        uniform_mark_inside(top);
}

void jumps_lift_plain(struct analysis *a)
{
    bool found = true;

    for (uint32_t times = 0; found && times < TIMES_MOST; times++) {
        found = false;
        count_jumps(a);
        for (uint32_t i = 0; i < a->jump_count; i++) {
            struct node *jump = a->jumps[i];
            if (!is_pending(a->body, jump) || !jump->parent->is_uniform || is_blocked(a, jump))
                continue;
            jump->is_uniform = true;
            found            = true;
        }
    }
}

bool jumps_lift_known(struct analysis *a)
{
    bool found = false;

    for (uint32_t i = 0; i < a->jump_count; i++) {
        struct node *jump = a->jumps[i];
        if (!is_pending(a->body, jump) || !is_known(a, jump, jump) || is_blocked(a, jump))
            continue;
        lift(jump);
        found = true;
    }
    return found;
}

bool jumps_lift_shared(struct analysis *a)
{
    bool found = false;

    for (uint32_t i = 0; i < a->jump_count; i++) {
        struct node *jump = a->jumps[i];
        if (!is_pending(a->body, jump) || !is_shared(a, jump))
            continue;
        lift(jump);
        a->table[jump->number].is_told = true;
        found                          = true;
    }
    return found;
}

/* ---- assuming -------------------------------------------------------------------------------- */

bool jumps_assume(struct analysis *a)
{
    bool found = false;

    for (uint32_t i = 0; i < a->jump_count; i++)
        if (is_pending(a->body, a->jumps[i]) && is_only_break(a, a->jumps[i]))
            found = a->table[a->jumps[i]->number].is_assumed = true;
    return found;
}

bool jumps_drop_assumed(struct analysis *a, bool all)
{
    bool found = false;

    for (uint32_t i = 0; i < a->jump_count; i++) {
        struct jump_table *t = &a->table[a->jumps[i]->number];
        if (!t->is_assumed || (!all && is_known(a, a->jumps[i], a->jumps[i])))
            continue;
        t->is_assumed = false;
        found         = true;
    }
    return found;
}

bool jumps_lift_assumed(struct analysis *a)
{
    bool found = false;

    for (uint32_t i = 0; i < a->jump_count; i++) {
        struct jump_table *t = &a->table[a->jumps[i]->number];
        if (!t->is_assumed)
            continue;
        lift(a->jumps[i]);
        t->is_assumed = false;
        found         = true;
    }
    return found;
}

/* ---- loops that work-items leave one by one -------------------------------------------------- */

bool jumps_find_left(struct analysis *a)
{
    bool found = false;

    for (uint32_t i = 0; i < a->jump_count; i++) {
        const struct node *jump = a->jumps[i];
        if (jump->kind == NODE_RETURN || !is_pending(a->body, jump))
            continue;
        for (const struct node *node = jump->parent; node != NULL; node = node->parent) {
            if (node->kind == NODE_LOOP && node->is_uniform && node->has_control && leaves(jump, node))
                found = a->table[node->number].is_left = true;
            if (node == jump->target)
                break;
        }
    }
    return found;
}
