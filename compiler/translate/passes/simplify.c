/* Small simplifications that help the passes after them.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"

#define STEPS_MOST 16u

/* ---- components ------------------------------------------------------------------------------ */

/* Redirects an extract to the vector that its component comes from: through shuffles, and inserts of other
 * components. */
static void see_through(const struct body *body, struct spirv_instruction *op)
{
    for (uint32_t step = 0; step < STEPS_MOST; step++) {
        const struct spirv_instruction *from = body_definition(body, op->operands[0]);
        if (from == NULL || spirv_type(body->module, from->type)->kind != SPIRV_VECTOR)
            return;
        if (from->opcode == SpvOpCompositeInsert && from->operands[2] != op->operands[1]) {
            op->operands[0] = from->operands[1];
        } else if (from->opcode == SpvOpVectorShuffle) {
            uint32_t first     = spirv_type_of(body->module, from->operands[0])->count;
            uint32_t component = from->operands[2 + op->operands[1]];
            if (component == UINT32_MAX)
                return;
            op->operands[0] = from->operands[component < first ? 0 : 1];
            op->operands[1] = component < first ? component : component - first;
        } else {
            return;
        }
    }
}

void simplify_extract(struct body *body, struct spirv_instruction *op)
{
    if (op->opcode != SpvOpCompositeExtract || op->operand_count != 2)
        return;
    see_through(body, op);
    const struct spirv_instruction *load = body_definition(body, op->operands[0]);
    if (load == NULL || load->opcode != SpvOpLoad)
        return;
    struct access access                  = *body_access(body, load->operands[0]);
    const struct spirv_variable *variable = body_variable(body, access.variable);
    if (variable == NULL || variable->storage != SpvStorageClassInput || access.count != 0 ||
        spirv_type(body->module, access.type)->kind != SPIRV_VECTOR ||
        spirv_type(body->module, op->type)->kind != SPIRV_INT)
        return;
    uint32_t *index  = base_arena_allocate(body->arena, 1, sizeof(*index));
    uint32_t pointer = body_new_id(body, body->module->ids[load->operands[0]].type);
    if (index == NULL || pointer == 0)
        return;
    *index                       = body_constant(body, op->type, op->operands[1]);
    body->values[pointer].access = (struct access){
        .variable = access.variable,
        .count    = 1,
        .indices  = index,
        .type     = op->type,
    };
    op->opcode        = SpvOpLoad;
    op->operands[0]   = pointer;
    op->operand_count = 1;
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct table_search {
    struct body *body;
    uint32_t *stores; /* by id of a variable: stores to it; UINT32_MAX: it is no table */
    uint32_t *value;  /* by id of a variable: the constant that is stored */
};

static void note_access(struct table_search *t, const struct spirv_instruction *op, uint32_t operand)
{
    const struct access *access = body_access(t->body, op->operands[operand]);
    uint32_t variable           = access->variable;

    if (op->opcode == SpvOpStore && operand == 0 && variable != 0 &&
        spirv_holds_matrix(t->body->module, spirv_type(t->body->module, access->type)))
        t->stores[variable] = UINT32_MAX; /* no table has such a type */
    if (variable == 0 || t->stores[variable] == UINT32_MAX || (op->opcode == SpvOpLoad && operand == 0))
        return;
    if (op->opcode == SpvOpStore && operand == 0 && access->count == 0 && t->stores[variable] == 0 &&
        spirv_constant(t->body->module, op->operands[1]) != NULL) {
        t->stores[variable] = 1;
        t->value[variable]  = op->operands[1];
    } else {
        t->stores[variable] = UINT32_MAX;
    }
}

/* Is the instruction the store that initialises a table? */
static bool is_table_store(const struct table_search *t, const struct spirv_instruction *op)
{
    if (op->opcode != SpvOpStore)
        return false;
    const struct spirv_variable *variable =
        body_variable(t->body, body_access(t->body, op->operands[0])->variable);
    return variable != NULL && variable->storage == SpvStorageClassFunction && variable->initializer != 0;
}

/* A variable of the kernel is a table if it is stored to once, whole, with a constant: it has that value from
 * the beginning (a read before the store would be undefined) and is never written. */
void simplify_tables(struct body *body)
{
    struct table_search t           = {.body = body};
    struct spirv_function *function = &body->function;

    t.stores = base_arena_allocate(body->arena, body->value_count, sizeof(*t.stores));
    t.value  = base_arena_allocate(body->arena, body->value_count, sizeof(*t.value));
    if (t.stores == NULL || t.value == NULL)
        return;
    for (uint32_t i = 0; i < function->block_count; i++)
        for (uint32_t k = 0; k < function->blocks[i]->count; k++) {
            const struct spirv_instruction *op = &function->blocks[i]->instructions[k];
            for (uint32_t at = 0; at < op->operand_count; at++)
                if (operand_is_value(op, at))
                    note_access(&t, op, at);
        }
    for (uint32_t i = 0; i < body->local_count; i++) {
        struct spirv_variable *variable = body->module->ids[body->locals[i]].as.variable;
        if (t.stores[body->locals[i]] != 1)
            continue;
        variable->initializer  = t.value[body->locals[i]];
        variable->non_writable = 1;
    }
    for (uint32_t i = 0; i < function->block_count; i++) {
        struct spirv_block *block = function->blocks[i];
        uint32_t kept             = 0;
        for (uint32_t k = 0; k < block->count; k++)
            if (!is_table_store(&t, &block->instructions[k]))
                block->instructions[kept++] = block->instructions[k];
        block->count = kept;
    }
}
