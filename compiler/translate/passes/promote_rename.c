/* The second half of promotion: walks down the dominator tree; loads become the current value and stores set
 * it.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/translate/passes/promote.h"

/* A current value to restore on the way up. */
struct undo {
    uint32_t variable;
    uint32_t value;
};

/* A block whose children in the dominator tree are being renamed. */
struct level {
    uint32_t block;
    uint32_t child;
    uint32_t undo_count; /* as it was before the block */
};

struct renamer {
    struct promoter *p;
    struct undo *undos;
    uint32_t undo_count, undo_capacity;
    struct level *levels;
    uint32_t level_count;
    struct spirv_block made; /* the block's new instructions */
};

static uint32_t replaced(const struct promoter *p, uint32_t id)
{
    return id < p->replacement_count && p->replacement[id] != 0 ? p->replacement[id] : id;
}

static void set_current(struct renamer *r, struct promoted *variable, uint32_t value)
{
    struct promoter *p = r->p;

    if (!base_arena_grow(p->body->arena, &r->undos, r->undo_count, &r->undo_capacity, sizeof(*r->undos)))
        return;
    r->undos[r->undo_count++] = (struct undo){
        .variable = (uint32_t)(variable - p->variables),
        .value    = variable->current,
    };
    variable->current = value;
}

/* The current value; zero where the shader reads before it writes. */
static uint32_t current_value(const struct renamer *r, struct promoted *variable)
{
    if (variable->current != 0)
        return variable->current;
    if (variable->zero == 0)
        variable->zero = body_zero(r->p->body, variable->type);
    return variable->zero;
}

static void begin_block(struct renamer *r, uint32_t count)
{
    r->made              = (struct spirv_block){0};
    r->made.instructions = base_arena_allocate(r->p->body->arena, count, sizeof(*r->made.instructions));
    r->made.capacity     = r->made.instructions == NULL ? 0 : count;
}

static void append(struct renamer *r, const struct spirv_instruction *op)
{
    struct spirv_block *made = &r->made;

    if (op != NULL && base_arena_grow(r->p->body->arena, &made->instructions, made->count, &made->capacity,
                                      sizeof(*made->instructions)))
        made->instructions[made->count++] = *op;
}

/* ---- components ------------------------------------------------------------------------------ */

/* The component that an index selects, when it is a constant in range; UINT32_MAX otherwise. */
static uint32_t constant_component(const struct promoter *p, const struct promoted *variable, uint32_t index)
{
    const struct spirv_constant *constant = spirv_constant(p->body->module, index);

    if (constant == NULL || constant->bits >= spirv_type(p->body->module, variable->type)->count)
        return UINT32_MAX;
    return (uint32_t)constant->bits;
}

static void read_component(struct renamer *r, struct promoted *variable, uint32_t index,
                           const struct spirv_instruction *load)
{
    uint32_t component           = constant_component(r->p, variable, index);
    struct spirv_instruction *op = body_instruction(
        r->p->body, component == UINT32_MAX ? SpvOpVectorExtractDynamic : SpvOpCompositeExtract, load->type,
        load->result, 2, load);

    if (op == NULL)
        return;
    op->operands[0] = current_value(r, variable);
    op->operands[1] = component == UINT32_MAX ? index : component;
    append(r, op);
}

static void write_component(struct renamer *r, struct promoted *variable, uint32_t index,
                            const struct spirv_instruction *store)
{
    struct body *body  = r->p->body;
    uint32_t component = constant_component(r->p, variable, index);
    bool is_constant   = component != UINT32_MAX;
    uint32_t result    = body_copy_id(body, variable->id);
    struct spirv_instruction *op =
        body_instruction(body, is_constant ? SpvOpCompositeInsert : SpvOpVectorInsertDynamic, variable->type,
                         result, 3, store);

    if (op == NULL || result == 0)
        return;
    body->module->ids[result].type    = variable->type;
    op->operands[is_constant ? 1 : 0] = current_value(r, variable);
    op->operands[is_constant ? 0 : 1] = store->operands[1];
    op->operands[2]                   = is_constant ? component : index;
    append(r, op);
    set_current(r, variable, result);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static void rename_load(struct renamer *r, struct promoted *variable, const struct spirv_instruction *op)
{
    const struct access *access = body_access(r->p->body, op->operands[0]);

    if (access->count != 0)
        read_component(r, variable, replaced(r->p, access->indices[0]), op);
    else
        r->p->replacement[op->result] = current_value(r, variable);
}

static void rename_store(struct renamer *r, struct promoted *variable, const struct spirv_instruction *op)
{
    const struct access *access = body_access(r->p->body, op->operands[0]);

    if (access->count != 0)
        write_component(r, variable, replaced(r->p, access->indices[0]), op);
    else
        set_current(r, variable, op->operands[1]);
}

static void rename_instruction(struct renamer *r, struct spirv_instruction *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (operand_is_value(op, i))
            op->operands[i] = replaced(r->p, op->operands[i]);
    struct promoted *variable =
        op->opcode == SpvOpLoad || op->opcode == SpvOpStore ? promote_variable(r->p, op->operands[0]) : NULL;
    if (variable == NULL)
        append(r, op);
    else if (op->opcode == SpvOpLoad)
        rename_load(r, variable, op);
    else
        rename_store(r, variable, op);
}

/* Adds the variables' current values to the phis of the block at the other end of an edge. */
static void fill_phis(struct renamer *r, uint32_t from, uint32_t to)
{
    for (struct phi *phi = r->p->phis[to]; phi != NULL; phi = phi->next) {
        uint32_t *operands = phi->op->operands + phi->op->operand_count;
        uint16_t capacity  = (uint16_t)(2 * (r->p->graph.pred_start[to + 1] - r->p->graph.pred_start[to]));
        if (phi->op->operand_count >= 2 && operands[-1] == from)
            continue; /* two branches from one block to another are one edge to a phi */
        if (phi->op->operand_count + 2 > capacity)
            continue;
        operands[0] = current_value(r, &r->p->variables[phi->variable]);
        operands[1] = from;
        phi->op->operand_count += 2;
    }
}

static void rename_block(struct renamer *r, uint32_t index)
{
    struct promoter *p        = r->p;
    struct spirv_block *block = p->body->function.blocks[index];

    begin_block(r, block->count);
    for (struct phi *phi = p->phis[index]; phi != NULL; phi = phi->next)
        set_current(r, &p->variables[phi->variable], phi->id);
    for (uint32_t i = 0; i < block->count; i++)
        if (block->instructions[i].opcode == SpvOpPhi)
            append(r, &block->instructions[i]);
        else
            rename_instruction(r, &block->instructions[i]);
    block->instructions = r->made.instructions;
    block->count        = r->made.count;
    block->capacity     = r->made.capacity;
    if (p->body->arena->failed)
        return;
    const struct spirv_instruction *terminator = block_terminator(block);
    for (uint32_t i = 0; i < branch_count(p->body->module, terminator); i++)
        fill_phis(r, index, terminator->operands[branch_operand(p->body->module, terminator, i)]);
}

static void enter(struct renamer *r, uint32_t block)
{
    r->levels[r->level_count++] = (struct level){
        .block      = block,
        .child      = r->p->graph.child_start[block],
        .undo_count = r->undo_count,
    };
    rename_block(r, block);
}

static void leave(struct renamer *r)
{
    const struct level *level = &r->levels[--r->level_count];

    while (r->undo_count > level->undo_count) {
        const struct undo *undo                 = &r->undos[--r->undo_count];
        r->p->variables[undo->variable].current = undo->value;
    }
}

/* ---- afterwards ------------------------------------------------------------------------------ */

/* Replaces removed loads in phis that existed before, which may use loads of later blocks, and in the indices
 * of pointers. */
static void replace_rest(const struct promoter *p)
{
    struct body *body = p->body;

    for (uint32_t i = 0; i < p->graph.order_count; i++) {
        const struct spirv_block *block = body->function.blocks[p->graph.order[i]];
        for (uint32_t k = 0; k < block->count && block->instructions[k].opcode == SpvOpPhi; k++)
            for (uint32_t at = 0; at < block->instructions[k].operand_count; at += 2)
                block->instructions[k].operands[at] = replaced(p, block->instructions[k].operands[at]);
    }
    for (uint32_t id = 0; id < body->module->bound && id < body->value_count; id++) {
        const struct access *access = &body->values[id].access;
        uint32_t *indices           = NULL;
        for (uint32_t i = 0; i < access->count; i++) {
            uint32_t index = replaced(p, access->indices[i]);
            if (index == access->indices[i])
                continue;
            if (indices == NULL) {
                indices = base_arena_allocate(body->arena, access->count, sizeof(*indices));
                if (indices == NULL)
                    return;
                memcpy(indices, access->indices, access->count * sizeof(*indices));
            }
            indices[i] = index;
        }
        if (indices != NULL)
            body->values[id].access.indices = indices;
    }
}

/* Puts the new phis, complete by now, at the beginning of their blocks. */
static void insert_phis(struct renamer *r)
{
    struct promoter *p = r->p;

    for (uint32_t i = 0; i < p->graph.order_count; i++) {
        uint32_t index            = p->graph.order[i];
        struct spirv_block *block = p->body->function.blocks[index];
        if (p->phis[index] == NULL)
            continue;
        uint32_t count = block->count;
        for (const struct phi *phi = p->phis[index]; phi != NULL; phi = phi->next)
            count++;
        begin_block(r, count);
        for (const struct phi *phi = p->phis[index]; phi != NULL; phi = phi->next)
            append(r, phi->op);
        for (uint32_t k = 0; k < block->count; k++)
            append(r, &block->instructions[k]);
        block->instructions = r->made.instructions;
        block->count        = r->made.count;
        block->capacity     = r->made.capacity;
    }
}

int32_t promote_rename(struct promoter *p)
{
    struct base_arena *arena = p->body->arena;
    struct renamer r         = {.p = p};

    p->replacement       = base_arena_allocate(arena, p->body->value_count, sizeof(uint32_t));
    p->replacement_count = p->body->value_count;
    r.levels             = base_arena_allocate(arena, p->graph.order_count, sizeof(*r.levels));
    if (p->replacement == NULL || r.levels == NULL)
        return body_status(p->body);
    enter(&r, 0);
    while (r.level_count != 0 && !arena->failed) {
        struct level *level = &r.levels[r.level_count - 1];
        if (level->child < p->graph.child_start[level->block + 1])
            enter(&r, p->graph.children[level->child++]);
        else
            leave(&r);
    }
    if (arena->failed)
        return body_status(p->body);
    replace_rest(p);
    insert_phis(&r);
    return body_status(p->body);
}
