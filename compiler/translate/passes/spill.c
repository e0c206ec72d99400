/* Spilling: finds what must be kept for each work-item from one region to another: values of one that others
 * use, and variables that more than one accesses.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"

struct spiller {
    struct body *body;
    uint32_t *home;  /* by id: 1 + number of the first NODE_ITEMS that uses it; 0: none so far */
    uint32_t *maker; /* by id of an operation's result: 1 + number of the NODE_ITEMS that computes it */
    /* by id: the last NODE_ITEMS that lists it in its loads, or assigns it before any use */
    uint32_t *loaded;
    uint32_t items; /* 1 + number of the current region; 0: group level */
    uint32_t loops; /* how many loops of the group are around */
    uint32_t spilled_capacity;
};

static bool is_own(const struct spiller *k, uint32_t id)
{
    return k->body->module->ids[id].kind == SPIRV_ID_VALUE && !k->body->values[id].is_uniform;
}

static void spill(struct spiller *k, uint32_t id)
{
    struct body *body = k->body;

    if (body->values[id].place == PLACE_SPILLED)
        return;
    body->values[id].place = PLACE_SPILLED;
    if (base_arena_grow(body->arena, &body->spilled, body->spilled_count, &k->spilled_capacity,
                        sizeof(*body->spilled)))
        body->spilled[body->spilled_count++] = id;
}

/* Notes that the current region makes or uses a value or a variable. */
static void touch(struct spiller *k, uint32_t id)
{
    if (k->home[id] == 0)
        k->home[id] = k->items;
    if (k->items == 0 || k->home[id] != k->items)
        spill(k, id);
}

static void touch_variable(struct spiller *k, uint32_t id)
{
    const struct spirv_variable *variable = body_variable(k->body, id);

    if (variable == NULL || variable->storage != SpvStorageClassFunction || variable->initializer != 0)
        return; /* tables are the same everywhere */
    touch(k, id);
    if (k->loops != 0)
        spill(k, id); /* it may hold a value from the last round */
}

static void use(struct spiller *k, uint32_t id)
{
    if (is_own(k, id))
        touch(k, id);
}

static void find_spilled(struct spiller *k, const struct node *node)
{
    uint32_t items = k->items;

    if (node->kind == NODE_ITEMS)
        k->items = node->number + 1;
    k->loops += node->kind == NODE_LOOP && k->items == 0;
    for (uint32_t i = 0; i < node->op_count; i++) {
        const struct spirv_instruction *op = node->ops[i];
        struct visit visit                 = visit_begin(k->body, op);
        for (uint32_t id; (id = visit_next(&visit)) != 0;)
            use(k, id);
        for (uint32_t at = 0; at < op->operand_count; at++)
            if (operand_is_value(op, at) && body_access(k->body, op->operands[at])->variable != 0)
                touch_variable(k, body_access(k->body, op->operands[at])->variable);
        if (op->result == 0)
            continue;
        use(k, op->result);
        k->maker[op->result] = k->items;
    }
    for (uint32_t i = 0; i < node->copy_count; i++) {
        use(k, node->copies[i].source);
        use(k, node->copies[i].target);
    }
    if (node->kind == NODE_IF || node->kind == NODE_SWITCH)
        use(k, node->condition);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_spilled(k, node_part(node, i));
    k->loops -= node->kind == NODE_LOOP && k->items == 0;
    k->items = items;
}

/* ---- loads ----------------------------------------------------------------------------------- */

static void load(struct spiller *k, struct node *items, uint32_t *capacity, uint32_t id)
{
    if (k->body->values[id].place != PLACE_SPILLED || k->loaded[id] == k->items || k->maker[id] == k->items ||
        k->body->module->ids[id].kind != SPIRV_ID_VALUE)
        return;
    k->loaded[id] = k->items;
    if (base_arena_grow(k->body->arena, &items->loads, items->load_count, capacity, sizeof(*items->loads)))
        items->loads[items->load_count++] = id;
}

/* `is_sure`: the node runs whenever the region runs to its end. */
static void find_loads(struct spiller *k, const struct node *node, struct node *items, uint32_t *capacity,
                       bool is_sure)
{
    for (uint32_t i = 0; i < node->op_count; i++) {
        struct visit visit = visit_begin(k->body, node->ops[i]);
        for (uint32_t id; (id = visit_next(&visit)) != 0;)
            load(k, items, capacity, id);
    }
    for (uint32_t i = 0; i < node->copy_count; i++)
        load(k, items, capacity, node->copies[i].source);
    for (uint32_t i = 0; is_sure && i < node->copy_count; i++)
        k->loaded[node->copies[i].target] = k->items;
    if (node->kind == NODE_IF || node->kind == NODE_SWITCH)
        load(k, items, capacity, node->condition);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_loads(k, node_part(node, i), items, capacity, is_sure && node->kind == NODE_SEQUENCE);
}

static void walk(struct spiller *k, struct node *node)
{
    if (node->kind == NODE_ITEMS) {
        uint32_t capacity = 0;
        k->items          = node->number + 1;
        find_loads(k, node->children[0], node, &capacity, true);
        return;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            walk(k, node_part(node, i));
}

int32_t translate_spill(struct body *body)
{
    struct spiller k = {.body = body};

    k.home  = base_arena_allocate(body->arena, body->value_count, sizeof(*k.home));
    k.maker = base_arena_allocate(body->arena, body->value_count, sizeof(*k.maker));
    if (k.home == NULL || k.maker == NULL)
        return body_status(body);
    find_spilled(&k, body->root);
    int32_t status = translate_hoist_spills(body); /* makes new ids */
    if (status != TRM_OK)
        return status;
    k.loaded = base_arena_allocate(body->arena, body->value_count, sizeof(*k.loaded));
    if (k.loaded == NULL)
        return body_status(body);
    walk(&k, body->root);
    return body_status(body);
}
