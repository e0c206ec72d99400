/* Mem2reg: turns variables of the kernel into values, if they are only loaded and stored whole, or by
 * component of a vector. The usual construction (Cytron et al., "Efficiently computing static single
 * assignment form", 1991), pruned: phis only where the variable is live.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/promote.h"

/* Steps that all variables together may take; later ones stay variables. It keeps the pass near linear
 * time. */
#define STEPS_MOST (1u << 25)

/* ---- which variables ------------------------------------------------------------------------- */

static bool is_candidate(const struct body *body, uint32_t id)
{
    switch (spirv_type(body->module, body_access(body, id)->type)->kind) {
    case SPIRV_BOOL:
    case SPIRV_INT:
    case SPIRV_FLOAT:
    case SPIRV_VECTOR:
    case SPIRV_MATRIX:
    case SPIRV_STRUCT:
    case SPIRV_COOPERATIVE:
        return true;
    default:
        return false;
    }
}

static bool find_candidates(struct promoter *p)
{
    struct body *body = p->body;

    p->slot      = base_arena_allocate(body->arena, body->value_count, sizeof(*p->slot));
    p->variables = base_arena_allocate(body->arena, body->local_count, sizeof(*p->variables));
    if (p->slot == NULL || p->variables == NULL)
        return false;
    p->slot_count = body->value_count;
    for (uint32_t i = 0; i < body->local_count; i++) {
        uint32_t id = body->locals[i];
        if (!is_candidate(body, id))
            continue;
        struct promoted *variable = &p->variables[p->variable_count++];
        *variable                 = (struct promoted){.id = id, .type = body_access(body, id)->type};
        variable->is_vector       = spirv_type(body->module, variable->type)->kind == SPIRV_VECTOR;
        variable->last_read = variable->last_write = NO_BLOCK;
        p->slot[id]                                = p->variable_count;
    }
    return true;
}

struct promoted *promote_variable(const struct promoter *p, uint32_t pointer)
{
    uint32_t id = body_access(p->body, pointer)->variable;

    if (id == 0 || id >= p->slot_count || p->slot[id] == 0)
        return NULL;
    struct promoted *variable = &p->variables[p->slot[id] - 1];
    return variable->is_excluded ? NULL : variable;
}

/* Excludes a variable that is used by anything but a load or store of the whole or of a component. */
static void check_instruction(const struct promoter *p, const struct spirv_instruction *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!operand_is_value(op, i))
            continue;
        struct promoted *variable = promote_variable(p, op->operands[i]);
        if (variable == NULL)
            continue;
        uint32_t depth = body_access(p->body, op->operands[i])->count;
        if (i != 0 || (op->opcode != SpvOpLoad && op->opcode != SpvOpStore) ||
            depth > (variable->is_vector ? 1u : 0u))
            variable->is_excluded = true;
    }
}

/* ---- where they are read and written --------------------------------------------------------- */

static void note_block(const struct promoter *p, struct block_list **list, uint32_t block)
{
    struct block_list *entry = base_arena_allocate(p->body->arena, 1, sizeof(*entry));

    if (entry == NULL)
        return;
    *entry = (struct block_list){.block = block, .next = *list};
    *list  = entry;
}

static void note_accesses(const struct promoter *p, uint32_t block)
{
    const struct spirv_block *from = p->body->function.blocks[block];

    for (uint32_t i = 0; i < from->count; i++) {
        const struct spirv_instruction *op = &from->instructions[i];
        if (op->opcode != SpvOpLoad && op->opcode != SpvOpStore)
            continue;
        struct promoted *variable = promote_variable(p, op->operands[0]);
        if (variable == NULL)
            continue;
        bool is_part = body_access(p->body, op->operands[0])->count != 0;
        if ((op->opcode == SpvOpLoad || is_part) && variable->last_write != block &&
            variable->last_read != block) {
            variable->last_read = block;
            note_block(p, &variable->reads, block);
        }
        if (op->opcode == SpvOpStore && variable->last_write != block) {
            variable->last_write = block;
            note_block(p, &variable->writes, block);
        }
    }
}

/* ---- phis ------------------------------------------------------------------------------------ */

static uint32_t pred_count(const struct promoter *p, uint32_t block)
{
    return p->graph.pred_start[block + 1] - p->graph.pred_start[block];
}

/* Marks the blocks at whose beginning the variable is live: `live` has its number there. False when it takes
 * too many steps. */
static bool find_live(struct promoter *p, const struct promoted *variable, uint32_t number)
{
    uint32_t count = 0;

    for (const struct block_list *write = variable->writes; write != NULL; write = write->next)
        p->writes[write->block] = number;
    for (const struct block_list *read = variable->reads; read != NULL; read = read->next) {
        p->live[read->block] = number;
        p->work[count++]     = read->block;
    }
    while (count != 0) {
        uint32_t block = p->work[--count];
        if (pred_count(p, block) > UINT16_MAX / 2)
            return false;
        for (uint32_t i = p->graph.pred_start[block]; i < p->graph.pred_start[block + 1]; i++) {
            uint32_t pred = p->graph.preds[i];
            if (p->steps++ > STEPS_MOST)
                return false;
            if (p->writes[pred] == number || p->live[pred] == number)
                continue;
            p->live[pred]    = number;
            p->work[count++] = pred;
        }
    }
    return true;
}

static void add_phi(struct promoter *p, uint32_t variable, uint32_t block)
{
    struct phi *phi = base_arena_allocate(p->body->arena, 1, sizeof(*phi));
    uint32_t id     = body_copy_id(p->body, p->variables[variable].id);

    if (phi == NULL || id == 0)
        return;
    p->body->module->ids[id].type = p->variables[variable].type;
    phi->variable                 = variable;
    phi->id                       = id;
    phi->op =
        body_instruction(p->body, SpvOpPhi, p->variables[variable].type, id, 2 * pred_count(p, block), NULL);
    if (phi->op == NULL)
        return;
    phi->op->operand_count = 0;
    phi->next              = p->phis[block];
    p->phis[block]         = phi;
}

/* False when it takes too many steps; then no phi is placed. */
static bool place_phis(struct promoter *p, uint32_t index)
{
    const struct promoted *variable = &p->variables[index];
    uint32_t number = index + 1, count = 0, join_count = 0;

    if (!find_live(p, variable, number))
        return false;
    for (const struct block_list *write = variable->writes; write != NULL; write = write->next)
        p->work[count++] = write->block;
    while (count != 0) {
        uint32_t block = p->work[--count];
        for (uint32_t i = p->frontier_start[block]; i < p->frontier_start[block + 1]; i++) {
            uint32_t join = p->frontiers[i];
            if (p->steps++ > STEPS_MOST)
                return false;
            if (p->placed[join] == number || p->live[join] != number)
                continue;
            p->placed[join]        = number;
            p->joins[join_count++] = join;
            if (p->writes[join] != number)
                p->work[count++] = join;
        }
    }
    for (uint32_t i = 0; i < join_count; i++)
        add_phi(p, index, p->joins[i]);
    return true;
}

/* ---- the pass -------------------------------------------------------------------------------- */

static bool make_tables(struct promoter *p)
{
    struct base_arena *arena = p->body->arena;
    uint32_t count           = p->graph.count;

    p->phis   = base_arena_allocate(arena, count, sizeof(struct phi *));
    p->live   = base_arena_allocate(arena, count, sizeof(uint32_t));
    p->writes = base_arena_allocate(arena, count, sizeof(uint32_t));
    p->placed = base_arena_allocate(arena, count, sizeof(uint32_t));
    p->work   = base_arena_allocate(arena, count, sizeof(uint32_t));
    p->joins  = base_arena_allocate(arena, count, sizeof(uint32_t));
    return p->phis != NULL && p->live != NULL && p->writes != NULL && p->placed != NULL && p->work != NULL &&
           p->joins != NULL;
}

static void drop_locals(struct promoter *p)
{
    struct body *body = p->body;
    uint32_t count    = 0;

    for (uint32_t i = 0; i < body->local_count; i++)
        if (promote_variable(p, body->locals[i]) == NULL)
            body->locals[count++] = body->locals[i];
    body->local_count = count;
}

int32_t translate_promote(struct body *body)
{
    struct promoter p = {.body = body};

    if (!graph_make(body, &p.graph) || !find_candidates(&p) || !make_tables(&p))
        return body_status(body);
    uint32_t most = p.graph.count > STEPS_MOST / 16 ? STEPS_MOST : 16 * p.graph.count + 65536;
    if (!graph_frontiers(body, &p.graph, most, &p.frontier_start, &p.frontiers))
        return body_status(body); /* all stay variables: slower code, but correct */
    for (uint32_t i = 0; i < p.graph.order_count; i++) {
        const struct spirv_block *block = body->function.blocks[p.graph.order[i]];
        for (uint32_t k = 0; k < block->count; k++)
            check_instruction(&p, &block->instructions[k]);
    }
    for (uint32_t i = 0; i < p.graph.order_count; i++)
        note_accesses(&p, p.graph.order[i]);
    for (uint32_t i = 0; i < p.variable_count; i++)
        if (!p.variables[i].is_excluded && !place_phis(&p, i))
            p.variables[i].is_excluded = true;
    if (body->arena->failed)
        return body_status(body);
    int32_t status = promote_rename(&p);
    drop_locals(&p);
    simplify_tables(body);
    return status == TRM_OK ? body_status(body) : status;
}
