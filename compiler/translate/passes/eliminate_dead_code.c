/* Removes dead code: values that lead to no effect, also through loops, and variables that are only written.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/passes/steps.h"

/* The copies into a phi, as a list by target. */
struct copy_link {
    uint32_t source;
    uint32_t next; /* 1 + index; 0: the end */
};

struct marker {
    struct body *body;
    bool *is_needed;  /* by id */
    bool *is_read;    /* by id of a variable of the function */
    uint32_t *copies; /* by id of a phi: 1 + index of its first link; 0: none */
    struct copy_link *links;
    uint32_t link_count, link_capacity;
    uint32_t *work;
    uint32_t work_count;
};

static bool is_local(const struct marker *m, uint32_t variable)
{
    const struct spirv_variable *info = body_variable(m->body, variable);

    return info != NULL && info->storage == SpvStorageClassFunction;
}

static uint32_t written_variable(const struct marker *m, const struct spirv_instruction *op)
{
    return op->opcode == SpvOpStore ? body_access(m->body, op->operands[0])->variable : 0;
}

/* ---- what is needed -------------------------------------------------------------------------- */

static void need(struct marker *m, uint32_t id)
{
    if (m->is_needed[id] || m->body->module->ids[id].kind != SPIRV_ID_VALUE)
        return;
    m->is_needed[id]         = true;
    m->work[m->work_count++] = id;
}

static void need_operands(struct marker *m, const struct spirv_instruction *op)
{
    struct visit visit = visit_begin(m->body, op);

    for (uint32_t id; (id = visit_next(&visit)) != 0;)
        need(m, id);
}

/* Notes the variables that are read, and all copies. */
static void survey(struct marker *m, const struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++) {
        const struct spirv_instruction *op = node->ops[i];
        for (uint32_t k = op->opcode == SpvOpStore ? 1 : 0; k < op->operand_count; k++)
            if (operand_is_value(op, k) && body_access(m->body, op->operands[k])->variable != 0)
                m->is_read[body_access(m->body, op->operands[k])->variable] = true;
    }
    for (uint32_t i = 0; i < node->copy_count; i++) {
        if (!base_arena_grow(m->body->arena, &m->links, m->link_count, &m->link_capacity, sizeof(*m->links)))
            return;
        uint32_t target           = node->copies[i].target;
        m->links[m->link_count++] = (struct copy_link){node->copies[i].source, m->copies[target]};
        m->copies[target]         = m->link_count;
    }
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            survey(m, node_part(node, i));
}

static bool has_effect(const struct marker *m, const struct spirv_instruction *op)
{
    uint32_t variable = written_variable(m, op);

    if (variable != 0 && is_local(m, variable))
        return m->is_read[variable];
    return operation_has_effect(m->body, op);
}

static void find_roots(struct marker *m, const struct node *node)
{
    for (uint32_t i = 0; i < node->op_count; i++) {
        if (!has_effect(m, node->ops[i]))
            continue;
        if (node->ops[i]->result != 0)
            need(m, node->ops[i]->result);
        else
            need_operands(m, node->ops[i]);
    }
    if (node->kind == NODE_IF || node->kind == NODE_SWITCH)
        need(m, node->condition);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            find_roots(m, node_part(node, i));
}

static void spread(struct marker *m)
{
    while (m->work_count != 0) {
        uint32_t id = m->work[--m->work_count];
        for (uint32_t link = m->copies[id]; link != 0; link = m->links[link - 1].next)
            need(m, m->links[link - 1].source);
        if (!m->body->values[id].is_phi && m->body->module->ids[id].as.instruction != NULL)
            need_operands(m, m->body->module->ids[id].as.instruction);
    }
}

/* ---- what goes ------------------------------------------------------------------------------- */

static void count(struct marker *m, uint32_t id)
{
    m->body->values[id].uses++;
}

static void sweep(struct marker *m, struct node *node)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < node->op_count; i++) {
        struct spirv_instruction *op = node->ops[i];
        if (op->result != 0 ? !m->is_needed[op->result] : !has_effect(m, op))
            continue;
        node->ops[kept++]  = op;
        struct visit visit = visit_begin(m->body, op);
        for (uint32_t id; (id = visit_next(&visit)) != 0;)
            count(m, id);
        for (uint32_t k = 0; k < op->operand_count; k++)
            if (operand_is_value(op, k) && body_access(m->body, op->operands[k])->variable != 0)
                count(m, body_access(m->body, op->operands[k])->variable);
    }
    node->op_count = kept;
    kept           = 0;
    for (uint32_t i = 0; i < node->copy_count; i++)
        if (m->is_needed[node->copies[i].target]) {
            count(m, node->copies[i].source);
            node->copies[kept++] = node->copies[i];
        }
    node->copy_count = kept;
    if (node->kind == NODE_IF || node->kind == NODE_SWITCH)
        count(m, node->condition);
    for (uint32_t i = 0; i < node_part_count(node); i++)
        if (node_part(node, i) != NULL)
            sweep(m, node_part(node, i));
}

static void drop_locals(struct body *body)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < body->local_count; i++)
        if (body->values[body->locals[i]].uses != 0)
            body->locals[kept++] = body->locals[i];
    body->local_count = kept;
}

int32_t translate_eliminate_dead_code(struct body *body)
{
    struct marker m = {.body = body};

    m.is_needed = base_arena_allocate(body->arena, body->value_count, sizeof(*m.is_needed));
    m.is_read   = base_arena_allocate(body->arena, body->value_count, sizeof(*m.is_read));
    m.copies    = base_arena_allocate(body->arena, body->value_count, sizeof(*m.copies));
    m.work      = base_arena_allocate(body->arena, body->value_count, sizeof(*m.work));
    if (m.is_needed == NULL || m.is_read == NULL || m.copies == NULL || m.work == NULL)
        return body_status(body);
    for (uint32_t i = 0; i < body->value_count; i++)
        body->values[i].uses = 0;
    survey(&m, body->root);
    if (body->arena->failed)
        return body_status(body);
    find_roots(&m, body->root);
    spread(&m);
    sweep(&m, body->root);
    drop_locals(body);
    return body_status(body);
}
