/* Finds the nodes at group level: those around a barrier, and those that a jump at group level leaves
 * (uniform_jumps.c).
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/uniform.h"

#define ROUNDS_MOST 8
#define ATTEMPTS_MOST 8
#define ASSUMED_MOST 4 /* times that values are found for jumps that are assumed */

/* ---- barriers -------------------------------------------------------------------------------- */

void uniform_mark_inside(struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node); i++) {
        struct node *part = node_part(node, i);
        if (part == NULL || (node->kind == NODE_SEQUENCE && !part->has_barrier))
            continue;
        part->is_uniform = true;
        uniform_mark_inside(part);
    }
}

void uniform_forget(struct node *node)
{
    node->is_uniform = false;
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            uniform_forget(node_part(node, i));
}

/* ---- values behind loops --------------------------------------------------------------------- */

/* A work-item that has left a loop keeps the values of the round in which it did, while the others go on. So
 * these values are not the group's, even if they are the same for all that are in the loop. */
struct keeper {
    struct analysis *a;
    uint32_t *loop; /* by id: 1 + number of the innermost such loop that makes it; 0: none */
    bool found;     /* a value that counted as uniform */
};

static bool is_inside(const struct keeper *k, const struct node *node, uint32_t loop)
{
    const struct jump_table *t = &k->a->table[loop];
    uint32_t position          = k->a->table[node->number].from;

    return position >= t->from && position <= t->to;
}

static void make(struct keeper *k, uint32_t id, const struct node *loop)
{
    if (loop != NULL && (k->loop[id] == 0 || is_inside(k, loop, k->loop[id] - 1)))
        k->loop[id] = loop->number + 1;
}

static void find_made(struct keeper *k, const struct node *node, const struct node *loop)
{
    if (node->kind == NODE_LOOP && k->a->table[node->number].is_left)
        loop = node;
    for (uint32_t i = 0; i < node->op_count; i++)
        if (node->ops[i]->result != 0)
            make(k, node->ops[i]->result, loop);
    for (uint32_t i = 0; i < node->copy_count; i++)
        make(k, node->copies[i].target, loop);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_made(k, node_part(node, i), loop);
}

static void use(struct keeper *k, const struct node *node, uint32_t id)
{
    if (k->loop[id] == 0 || is_inside(k, node, k->loop[id] - 1))
        return;
    k->found |= !k->a->varying[id];
    k->a->kept[id] = true;
}

static void find_used(struct keeper *k, const struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++) {
        struct visit visit = visit_begin(k->a->body, node->ops[i]);
        for (uint32_t id; (id = visit_next(&visit)) != 0;)
            use(k, node, id);
    }
    for (uint32_t i = 0; i < node->copy_count; i++)
        use(k, node, node->copies[i].source);
    if (node->kind == NODE_IF || node->kind == NODE_SWITCH)
        use(k, node, node->condition);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_used(k, node_part(node, i));
}

/* Finds the values to keep. True when some of them counted as uniform. */
static bool find_kept(struct analysis *a)
{
    struct keeper k = {.a = a};

    if (!jumps_find_left(a))
        return false;
    k.loop = base_arena_allocate(a->body->arena, a->body->value_count, sizeof(*k.loop));
    if (k.loop == NULL)
        return false;
    find_made(&k, a->body->root, NULL);
    find_used(&k, a->body->root);
    return k.found;
}

/* ---- the pass -------------------------------------------------------------------------------- */

/* Assumes that the group takes some jumps, and lifts those for whose conditions that holds then. Otherwise
 * the values are again those without any that are assumed. */
static int32_t lift_assumed(struct analysis *a, bool *found)
{
    int32_t status = TRM_OK;
    bool again     = jumps_assume(a);

    for (uint32_t times = 1; again && status == TRM_OK; times++) {
        status = analysis_find_varying(a);
        again  = jumps_drop_assumed(a, times == ASSUMED_MOST);
    }
    *found = jumps_lift_assumed(a);
    return status;
}

/* Finds the nodes at group level for the values to keep that are known. `lifts`: jumps may depend on
 * values. */
static int32_t find_nodes(struct analysis *a, bool lifts)
{
    a->body->root->is_uniform = true;
    uniform_mark_inside(a->body->root);
    for (uint32_t i = 0; i < a->jump_count; i++)
        a->table[a->jumps[i]->number].is_told = false;
    for (uint32_t round = 0;; round++) {
        jumps_lift_plain(a);
        int32_t status = analysis_find_varying(a);
        if (status != TRM_OK || !lifts || round > 2 * ROUNDS_MOST)
            return status;
        if (round < ROUNDS_MOST && jumps_lift_known(a))
            continue;
        bool found = jumps_lift_shared(a);
        if (!found)
            status = lift_assumed(a, &found);
        if (status != TRM_OK || !found)
            return status;
    }
}

static void set_values(const struct analysis *a)
{
    for (uint32_t id = 0; id < a->body->value_count && id < a->body->module->bound; id++) {
        a->body->values[id].is_uniform = !a->varying[id];
        a->body->values[id].is_kept    = a->kept[id];
    }
}

int32_t translate_uniform(struct body *body)
{
    struct analysis a;

    if (!analysis_begin(&a, body) || !jumps_find(&a))
        return body_status(body);
    for (uint32_t attempt = 0;; attempt++) {
        int32_t status = find_nodes(&a, attempt < ATTEMPTS_MOST);
        if (status != TRM_OK)
            return status;
        if (!find_kept(&a))
            break;
        uniform_forget(body->root);
    }
    set_values(&a);
    return body_status(body);
}
