/* Makes ids, constants and instructions for passes.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "compiler/translate/tree/tree.h"

bool body_grow(struct body *body)
{
    uint32_t bound = body->module->bound;

    if (bound <= body->value_count)
        return true;
    uint32_t count            = bound + bound / 2 + 64;
    struct value_info *values = base_arena_allocate(body->arena, count, sizeof(*values));
    if (values == NULL)
        return false;
    if (body->value_count != 0)
        memcpy(values, body->values, body->value_count * sizeof(*values));
    body->values      = values;
    body->value_count = count;
    return true;
}

uint32_t body_new_id(struct body *body, uint32_t type)
{
    uint32_t id = spirv_new_id(body->module, type);

    if (id == 0 || !body_grow(body)) {
        body->arena->failed = 1;
        return 0;
    }
    struct spirv_id *info = &body->module->ids[id];
    info->kind            = SPIRV_ID_VALUE;
    info->type            = type;
    if (info->name == NULL)
        info->name = "";
    return id;
}

uint32_t body_copy_id(struct body *body, uint32_t id)
{
    uint32_t copy = body_new_id(body, body->module->ids[id].type);

    if (copy == 0)
        return 0;
    struct spirv_id *info       = &body->module->ids[copy];
    const struct spirv_id *from = &body->module->ids[id];
    info->name                  = from->name;
    info->no_contraction        = from->no_contraction;
    info->relaxed               = from->relaxed;
    return copy;
}

struct spirv_instruction *body_definition(const struct body *body, uint32_t id)
{
    const struct spirv_id *info = &body->module->ids[id];

    return info->kind == SPIRV_ID_VALUE && !body->values[id].is_phi ? info->as.instruction : NULL;
}

static uint32_t new_constant(struct body *body, uint32_t type, uint64_t bits, bool is_null)
{
    struct spirv_constant *constant = base_arena_allocate(body->arena, 1, sizeof(*constant));
    uint32_t id                     = constant == NULL ? 0 : body_new_id(body, type);

    if (id == 0)
        return 0;
    *constant                  = (struct spirv_constant){.type = type, .bits = bits, .is_null = is_null};
    body->module->ids[id].kind = SPIRV_ID_CONSTANT;
    body->module->ids[id].as.constant = constant;
    return id;
}

uint32_t body_constant(struct body *body, uint32_t type, uint64_t bits)
{
    return new_constant(body, type, bits, false);
}

uint32_t body_zero(struct body *body, uint32_t type)
{
    return new_constant(body, type, 0, true);
}

int32_t body_status(const struct body *body)
{
    return body->arena->failed ? base_arena_fail(body->arena, "translating a kernel") : TRM_OK;
}

int32_t body_refuse(const struct body *body, const struct spirv_instruction *op, const char *reason)
{
    char name[32], place[256];

    if (op == NULL)
        return base_fail(TRM_ERROR_UNSUPPORTED, "kernel \"%s\" %s", body->entry->name, reason);
    const char *where = spirv_source_location(body->module, op, place);
    return base_fail(TRM_ERROR_UNSUPPORTED, "%s %s%s%s%s", spirv_opcode_name(op->opcode, name), reason,
                     where[0] != '\0' ? " (" : "", where, where[0] != '\0' ? ")" : "");
}

struct spirv_instruction *body_instruction(struct body *body, uint32_t opcode, uint32_t type, uint32_t result,
                                           uint32_t operand_count, const struct spirv_instruction *like)
{
    struct spirv_instruction *op = base_arena_allocate(body->arena, 1, sizeof(*op));

    if (op == NULL)
        return NULL;
    op->operands = base_arena_allocate(body->arena, operand_count, sizeof(uint32_t));
    if (op->operands == NULL)
        return NULL;
    op->opcode        = (uint16_t)opcode;
    op->operand_count = (uint16_t)operand_count;
    op->type          = type;
    op->result        = result;
    op->file          = like == NULL ? 0 : like->file;
    op->line          = like == NULL ? 0 : like->line;
    return op;
}
