/* Splits the body at barriers: the regions between them become loops over the work-items of the group, and
 * uniform values are computed once, before those loops.
 *
 * A work-item may leave a construct with barriers alone, for example an inlined function that returns early
 * after its last barrier. It is marked as gone then, and the regions up to the construct's end check for
 * that.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"

/* A construct of the group that work-items leave divergently. */
struct divergent {
    const struct divergent *up;
    const struct node *target;
    enum node_kind kind; /* of the jumps that leave it */
    uint32_t gone;       /* the flag of the work-items that left */
};

struct splitter {
    struct body *body;
    bool *is_divergent; /* by number of a node: work-items leave it divergently */
    uint32_t divergent_count;
    uint32_t bool_type;
    const struct divergent *divergent; /* the innermost */
    struct node *sequence;             /* nodes at group level are appended here */
    struct node *region;               /* SEQUENCE: the nodes since the last barrier */
};

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

/* ---- leaving --------------------------------------------------------------------------------- */

static struct node *new_copy(struct splitter *c, uint32_t target, uint32_t source)
{
    struct node *copies = node_new(c->body, NODE_COPIES);

    if (source == 0)
        return NULL;
    node_add_copy(c->body, copies, target, source);
    return copies;
}

static struct node *new_flag(struct splitter *c, uint32_t target, uint64_t bits)
{
    return new_copy(c, target, body_constant(c->body, c->bool_type, bits));
}

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
        node_add(c->body, both, new_flag(c, divergent->gone, 1));
        node_add(c->body, both, new_leave(c, scope));
        if (both != NULL)
            node->children[i] = both;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            replace_jumps(c, node_part(node, i), scope);
}

/* Wraps a region so that work-items that are gone skip it. */
static struct node *skip_gone(struct splitter *c, struct node *region)
{
    struct node *scope = node_new(c->body, NODE_SCOPE), *inner = node_new(c->body, NODE_SEQUENCE);
    struct node *outer = node_new(c->body, NODE_SEQUENCE);

    if (scope == NULL || inner == NULL || outer == NULL)
        return region;
    for (const struct divergent *divergent = c->divergent; divergent != NULL; divergent = divergent->up) {
        struct node *node = node_new(c->body, NODE_IF), *yes = node_new(c->body, NODE_SEQUENCE);
        if (node == NULL || yes == NULL)
            return region;
        node->condition = divergent->gone;
        node_add(c->body, node, yes);
        node_add(c->body, node, NULL);
        node_add(c->body, yes, new_leave(c, scope));
        node_add(c->body, inner, node);
    }
    replace_jumps(c, region, scope);
    for (uint32_t i = 0; i < region->child_count; i++)
        node_add(c->body, inner, region->children[i]);
    node_add(c->body, scope, inner);
    node_add(c->body, outer, scope);
    return outer;
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
    struct node *before = is_copying(c, c->region) && c->divergent == NULL ? region_before(c) : NULL;
    if (before != NULL) {
        for (uint32_t i = 0; i < c->region->child_count; i++)
            node_add(c->body, before->children[0], c->region->children[i]);
    } else if (c->region->child_count != 0) {
        node_add(c->body, items, c->divergent == NULL ? c->region : skip_gone(c, c->region));
        items->is_uniform = true;
        node_add(c->body, c->sequence, items);
    }
    c->region = node_new(c->body, NODE_SEQUENCE);
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
        node_add(c->body, c->region, new_flag(c, divergent->gone, 0));
        c->divergent = divergent->up; /* work-items that left in the last round are back */
        flush(c);
        c->divergent = divergent;
    }
    for (uint32_t i = 0; i < count && c->region != NULL; i++) {
        struct node *child = children[i];
        if (child->kind == NODE_COPIES)
            split_copies(c, child);
        else if (!child->is_uniform)
            node_add(c->body, c->region, child);
        else
            split_parts(c, child);
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

/* Splits a construct that work-items leave divergently: a loop's body with `continue`, the others with a jump
 * behind them. */
static void split_divergent(struct splitter *c, struct node *node, enum node_kind kind)
{
    struct divergent divergent = {.up = c->divergent, .target = node, .kind = kind};

    divergent.gone = body_new_id(c->body, c->bool_type);
    if (divergent.gone == 0)
        return;
    c->body->values[divergent.gone].is_phi    = true;
    c->body->module->ids[divergent.gone].name = "gone";
    if (kind != NODE_CONTINUE)
        node_add(c->body, c->region, new_flag(c, divergent.gone, 0));
    flush(c);
    c->divergent = &divergent;
    if (kind == NODE_CONTINUE)
        split_part(c, node->children[0]);
    for (uint32_t i = 0; kind != NODE_CONTINUE && i < node_part_count(node); i++)
        split_part(c, node_part(node, i));
    c->divergent = divergent.up;
    if (kind == NODE_CONTINUE && node->child_count > 1)
        split_part(c, node->children[1]);
}

/* ---- checks of barriers ---------------------------------------------------------------------- */

/* Notes for each node the first barrier of the shader inside, which is lost once the node is split. */
static void note_barriers(struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node); i++) {
        struct node *part = node_part(node, i);
        if (part == NULL)
            continue;
        note_barriers(part);
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
            add_arrive(c, side, at, leaves ? "loop" : "branch", among);
        is_counted |= at != NULL;
        node_add(c->body, check, side);
    }
    node_add(c->body, c->region, check);
}

/* Appends a case that counts those that take it. */
static void count_case(struct splitter *c, struct node *check, const struct node_case *taken,
                       const struct spirv_instruction *at, const char *what, const struct node *among)
{
    struct node *body      = node_new(c->body, NODE_SEQUENCE);
    struct node_case *copy = &check->cases[check->case_count++];

    *copy               = *taken;
    copy->falls_through = false;
    copy->body          = body;
    add_arrive(c, body, at, what, among);
}

/* Counts those of the work-items that decide about a SWITCH that take each of its cases; the fault is that of
 * a case with a barrier, if there is one. */
static void count_cases(struct splitter *c, const struct node *node)
{
    struct node *check = node_new(c->body, NODE_SWITCH);
    bool leaves;
    const struct spirv_instruction *any = barrier_of(node, &leaves);

    if (check == NULL)
        return;
    check->condition = node->condition;
    check->cases     = base_arena_allocate(c->body->arena, node->case_count, sizeof(*check->cases));
    if (check->cases == NULL)
        return;
    const struct node *among = add_arrive(c, c->region, NULL, NULL, NULL);
    for (uint32_t with = 2; with-- > 0;)
        for (uint32_t i = 0; i < node->case_count; i++) {
            const struct spirv_instruction *at = barrier_of(node->cases[i].body, &leaves);
            if ((at != NULL) == (with != 0))
                count_case(c, check, &node->cases[i], at != NULL ? at : any, leaves ? "loop" : "case", among);
        }
    node_add(c->body, c->region, check);
}

/* Counts which way the work-items go at a condition of the group: the promise is that all who decide about it
 * go the same way. */
static void count_ways(struct splitter *c, const struct node *node)
{
    bool leaves;

    if (!c->body->checks_barriers || barrier_of(node, &leaves) == NULL)
        return;
    if (node->kind == NODE_IF)
        count_sides(c, node);
    else
        count_cases(c, node);
}

/* Replaces a condition of a group-level node that the group cannot compute: each work-item assigns it, all to
 * the same value, because either all of them reach a barrier or none does. */
static void tell_condition(struct splitter *c, struct node *node)
{
    uint32_t id = node->condition;

    if ((node->kind != NODE_IF && node->kind != NODE_SWITCH) || c->body->values[id].is_uniform ||
        c->body->module->ids[id].kind != SPIRV_ID_VALUE)
        return;
    count_ways(c, node);
    uint32_t told = body_copy_id(c->body, id);
    if (told == 0)
        return;
    c->body->values[told].is_phi     = true;
    c->body->values[told].is_uniform = true;
    node_add(c->body, c->region, new_copy(c, told, id));
    node->condition = told;
}

static void split_parts(struct splitter *c, struct node *node)
{
    enum node_kind kinds[] = {
        [NODE_LOOP] = NODE_CONTINUE, [NODE_SWITCH] = NODE_BREAK, [NODE_SCOPE] = NODE_LEAVE};

    tell_condition(c, node);
    if (c->body->checks_barriers && node->kind == NODE_BARRIER && node->at != NULL)
        add_arrive(c, c->region, node->at, "barrier", NULL);
    if (node->has_meeting && c->divergent != NULL)
        c->body->has_absent = true;
    if (c->is_divergent[node->number]) {
        split_divergent(c, node, kinds[node->kind]);
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
    if (node_is_jump(node) && !node->is_uniform && node->target->is_uniform) {
        c->is_divergent[node->target->number] = true;
        c->divergent_count++;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_divergent(c, node_part(node, i));
}

/* Does a work-item return although more code follows? `more`: code follows behind the node. */
static bool returns_early(const struct node *node, bool is_inside, bool more)
{
    if (node->kind == NODE_RETURN)
        return is_inside && more;
    if (node->kind == NODE_ITEMS)
        return returns_early(node->children[0], true, more);
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

int32_t translate_split_at_barriers(struct body *body)
{
    struct splitter c = {.body = body};
    bool has_meeting  = body->root->has_meeting;
    int32_t status    = translate_converge(body);

    if (status != TRM_OK)
        return status;
    c.is_divergent = base_arena_allocate(body->arena, body->node_count, sizeof(*c.is_divergent));
    c.bool_type    = body_bool_type(body);
    if (c.is_divergent == NULL)
        return body_status(body);
    if (body->checks_barriers)
        note_barriers(body->root);
    find_divergent(&c, body->root);
    if (c.divergent_count != 0 && c.bool_type == 0)
        return body_refuse(body, NULL, "has work-items that leave a switch before a barrier in it");
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
