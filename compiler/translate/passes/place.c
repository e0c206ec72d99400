/* Decides where each value lives: written where it is used, declared where it is computed, or declared
 * further out because it is used outside of the braces in which it is computed.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"

#define INLINE_DEPTH_MOST 6

struct placer {
    struct body *body;
    uint32_t *scope; /* by id: 1 + number of the scope that computes it; 0: not visited */
    uint32_t *ops;   /* by id: 1 + number of the OPS that computes it */
    uint8_t *depth;  /* by id: how deep the expressions nest that are written inside its own */
    bool *is_open;   /* by number of a scope: its braces are still open */
    bool *is_group;  /* by id: computed outside of NODE_ITEMS, in a split body */
    uint32_t scope_count, scope_capacity;
    uint32_t current; /* the current scope */
    uint32_t items;   /* 1 inside of a NODE_ITEMS, else 0 */
};

/* ---- expressions ----------------------------------------------------------------------------- */

static bool is_scalar(const struct body *body, uint32_t id)
{
    enum spirv_type_kind kind = spirv_type_of(body->module, id)->kind;

    return kind == SPIRV_BOOL || kind == SPIRV_INT || kind == SPIRV_FLOAT;
}

/* Is it a scalar computed from scalars by one or two operators? */
static bool can_be_inline(const struct body *body, const struct spirv_instruction *op)
{
    if (op->result == 0 || !is_scalar(body, op->result))
        return false;
    if (op->opcode == SpvOpCompositeExtract)
        return op->operand_count == 2 && body->module->ids[op->operands[0]].kind == SPIRV_ID_VALUE &&
               spirv_type_of(body->module, op->operands[0])->kind == SPIRV_VECTOR;
    if (!operation_is_pure(body->module, op) || !operation_reads_once(op))
        return false;
    struct visit visit = visit_begin(body, op);
    for (uint32_t id; (id = visit_next(&visit)) != 0;)
        if (!is_scalar(body, id))
            return false;
    return true;
}

/* Does `op` write the value once where it uses it? */
static bool takes_inline(const struct body *body, const struct spirv_instruction *op)
{
    if (op->opcode == SpvOpLoad || op->opcode == SpvOpStore) {
        const struct access *access = body_access(body, op->operands[0]);
        enum spirv_type_kind kind   = spirv_type(body->module, access->type)->kind;
        return kind == SPIRV_INT || kind == SPIRV_FLOAT || kind == SPIRV_BOOL;
    }
    if (op->opcode == SpvOpCompositeConstruct)
        return spirv_type(body->module, op->type)->kind == SPIRV_VECTOR;
    return can_be_inline(body, op);
}

/* Writes a value inline if it has one use, which was found in or right behind the OPS that computes it.
 * Returns the depth that it adds. */
static uint32_t write_inline(struct placer *p, uint32_t id, uint32_t ops)
{
    struct value_info *value = &p->body->values[id];

    if (p->body->module->ids[id].kind != SPIRV_ID_VALUE || value->is_phi || value->uses != 1 ||
        value->place == PLACE_SPILLED || p->ops[id] != ops || p->depth[id] >= INLINE_DEPTH_MOST ||
        !can_be_inline(p->body, p->body->module->ids[id].as.instruction))
        return 0;
    value->place = PLACE_INLINE;
    return p->depth[id] + 1u;
}

/* ---- scopes ---------------------------------------------------------------------------------- */

/* Notes a use: the value's declaration must be visible from here. */
static void use(struct placer *p, uint32_t id)
{
    struct value_info *value = &p->body->values[id];

    if (p->body->module->ids[id].kind != SPIRV_ID_VALUE || value->place == PLACE_SPILLED || value->is_phi)
        return;
    if (p->scope[id] == 0 || !p->is_open[p->scope[id] - 1])
        value->place = p->is_group[id] ? PLACE_GROUP : PLACE_TOP;
}

static void define(struct placer *p, uint32_t id, uint32_t ops)
{
    struct value_info *value = &p->body->values[id];

    p->scope[id]    = p->current + 1;
    p->ops[id]      = ops;
    p->is_group[id] = p->body->is_split && p->items == 0;
    if (value->uses == 0 && value->place != PLACE_SPILLED)
        value->place = PLACE_NONE;
    else if (value->place == PLACE_NONE)
        value->place = PLACE_HERE;
}

static void define_phi(struct placer *p, uint32_t id)
{
    struct value_info *value = &p->body->values[id];

    if (value->place != PLACE_SPILLED)
        value->place = p->body->is_split && value->is_uniform ? PLACE_GROUP : PLACE_TOP;
}

static void begin_scope(struct placer *p)
{
    if (!base_arena_grow(p->body->arena, &p->is_open, p->scope_count, &p->scope_capacity, 1))
        return;
    p->current             = p->scope_count++;
    p->is_open[p->current] = true;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static void place_node(struct placer *p, const struct node *node, uint32_t ops);

static void place_ops(struct placer *p, const struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++) {
        const struct spirv_instruction *op = node->ops[i];
        bool takes                         = takes_inline(p->body, op);
        uint32_t depth                     = 0;
        struct visit visit                 = visit_begin(p->body, op);
        for (uint32_t id; (id = visit_next(&visit)) != 0;) {
            use(p, id);
            uint32_t more = takes ? write_inline(p, id, node->number + 1) : 0;
            depth         = more > depth ? more : depth;
        }
        if (op->result == 0)
            continue;
        define(p, op->result, node->number + 1);
        p->depth[op->result] = (uint8_t)depth;
    }
}

static void place_copies(struct placer *p, const struct node *node, uint32_t ops)
{
    for (uint32_t i = 0; i < node->copy_count; i++) {
        use(p, node->copies[i].source);
        write_inline(p, node->copies[i].source, ops);
        define_phi(p, node->copies[i].target);
    }
}

static void place_sequence(struct placer *p, const struct node *node)
{
    uint32_t ops = 0;

    for (uint32_t i = 0; i < node->child_count; i++) {
        const struct node *child = node->children[i];
        place_node(p, child, ops);
        ops = child->kind == NODE_OPS ? child->number + 1 : 0;
    }
}

/* Each part of a construct has braces of its own. */
static void place_parts(struct placer *p, const struct node *node)
{
    for (uint32_t i = 0; i < node_part_count(node) && !p->body->arena->failed; i++) {
        const struct node *part = node_part(node, i);
        uint32_t outer          = p->current;
        if (part == NULL)
            continue;
        begin_scope(p);
        place_node(p, part, 0);
        p->is_open[p->current] = false;
        p->current             = outer;
    }
}

/* `ops` is 1 + the number of the OPS right before the node, or 0. */
static void place_node(struct placer *p, const struct node *node, uint32_t ops)
{
    switch (node->kind) {
    case NODE_SEQUENCE:
        place_sequence(p, node);
        break;
    case NODE_OPS:
        place_ops(p, node);
        break;
    case NODE_COPIES:
        place_copies(p, node, ops);
        break;
    case NODE_IF:
    case NODE_SWITCH:
        use(p, node->condition);
        write_inline(p, node->condition, ops);
        place_parts(p, node);
        break;
    case NODE_ITEMS:
        p->items++;
        place_parts(p, node);
        p->items--;
        break;
    default:
        place_parts(p, node);
        break;
    }
}

int32_t translate_place(struct body *body)
{
    struct placer p = {.body = body};
    int32_t status  = translate_eliminate_dead_code(body);

    if (status != TRM_OK)
        return status;
    p.scope    = base_arena_allocate(body->arena, body->value_count, sizeof(*p.scope));
    p.ops      = base_arena_allocate(body->arena, body->value_count, sizeof(*p.ops));
    p.depth    = base_arena_allocate(body->arena, body->value_count, sizeof(*p.depth));
    p.is_group = base_arena_allocate(body->arena, body->value_count, sizeof(*p.is_group));
    if (p.scope == NULL || p.ops == NULL || p.depth == NULL || p.is_group == NULL)
        return body_status(body);
    begin_scope(&p);
    if (!body->arena->failed)
        place_node(&p, body->root, 0);
    for (uint32_t i = 0; i < body->local_count; i++)
        if (body->values[body->locals[i]].place != PLACE_SPILLED)
            body->values[body->locals[i]].place = PLACE_TOP;
    return body_status(body);
}
