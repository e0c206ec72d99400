/* Composing and decomposing vectors, arrays, structs and matrices.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

/* Writes a whole value for use inside the braces of another; a vector has braces of its own. */
static int32_t write_inner(struct emit *emit, uint32_t id)
{
    const struct spirv_type *type = spirv_type_of(emit->module, id);
    int32_t status                = TRM_OK;

    if (type->kind != SPIRV_VECTOR)
        return emit_value(emit, id, WHOLE);
    text_add(&emit->text, "{");
    for (uint32_t i = 0; i < type->count && status == TRM_OK; i++) {
        text_add(&emit->text, i == 0 ? "" : ", ");
        status = emit_value(emit, id, i);
    }
    text_add(&emit->text, "}");
    return status;
}

static int32_t construct(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    int32_t status = TRM_OK;

    if (spirv_type(emit->module, op->type)->kind == SPIRV_VECTOR) {
        for (uint32_t i = 0; i < op->operand_count; i++) {
            uint32_t count = emit_components(emit, emit->module->ids[op->operands[i]].type);
            if (component < count)
                return emit_operand(emit, op->operands[i], component);
            component -= count;
        }
        return emit_fail(emit, "it has too few constituents");
    }
    emit_open(emit, op->type);
    for (uint32_t i = 0; i < op->operand_count && status == TRM_OK; i++) {
        text_add(&emit->text, i == 0 ? "" : ", ");
        status = write_inner(emit, op->operands[i]);
    }
    emit_close(emit, op->type);
    return status;
}

/* Extracts from a constant: writes the part itself, as far as there are parts. */
static int32_t extract_constant(struct emit *emit, uint32_t id, const uint32_t *indices, uint32_t count,
                                uint32_t result, uint32_t component)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct spirv_constant *constant = spirv_constant(emit->module, id);
        if (constant->is_null || constant->part_count <= indices[i]) {
            const struct spirv_type *type = emit_scalar(emit, result);
            if (emit_components(emit, result) != 0) {
                emit_literal(emit, type, 0, false);
            } else {
                emit_open(emit, result);
                text_add(&emit->text, emit->language == TRM_LANGUAGE_C ? "0" : "");
                emit_close(emit, result);
            }
            return TRM_OK;
        }
        id = constant->parts[indices[i]];
    }
    return emit_operand(emit, id, component);
}

static int32_t extract(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    uint32_t type           = emit->module->ids[op->operands[0]].type;
    const uint32_t *indices = op->operands + 1;
    uint32_t count          = op->operand_count - 1u;
    int32_t status;

    if (spirv_constant(emit->module, op->operands[0]) != NULL)
        return extract_constant(emit, op->operands[0], indices, count, op->type, component);
    if (count == 0)
        return emit_operand(emit, op->operands[0], component);
    if (spirv_type(emit->module, type)->kind == SPIRV_VECTOR)
        return emit_value(emit, op->operands[0], indices[0]);
    status = emit_value(emit, op->operands[0], WHOLE);
    for (uint32_t i = 0; i < count; i++)
        type = emit_step(emit, type, indices[i]);
    if (component != WHOLE)
        text_add(&emit->text, "[%u]", component);
    return status;
}

static int32_t shuffle(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    uint32_t first = spirv_type_of(emit->module, op->operands[0])->count;
    uint32_t index = op->operands[2 + component];

    if (index == UINT32_MAX) {
        emit_literal(emit, emit_scalar(emit, op->type), 0, false);
        return TRM_OK;
    }
    return index < first ? emit_value(emit, op->operands[0], index)
                         : emit_value(emit, op->operands[1], index - first);
}

static int32_t extract_dynamic(struct emit *emit, const struct spirv_instruction *op)
{
    const struct spirv_type *scalar = spirv_type(emit->module, op->type);
    uint32_t count                  = spirv_type_of(emit->module, op->operands[0])->count;
    int32_t status;

    const char *check = NULL;

    status = emit_check_vector(emit, op->operands[0], op->operands[1], &check);
    emit_begin_checked(emit, check);
    if (scalar->kind == SPIRV_INT && scalar->width < 32)
        text_add(&emit->text, "(%s)", emit_type_name(emit, op->type));
    emit_part(emit, "pick%u_%s", count, emit_tag(scalar));
    text_add(&emit->text, "(");
    if (status == TRM_OK)
        status = emit_unsigned(emit, op->operands[1], WHOLE, true);
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_add(&emit->text, ", ");
        status = emit_value(emit, op->operands[0], i);
    }
    text_add(&emit->text, ")");
    emit_end_checked(emit, check, op->type);
    return status;
}

static int32_t insert_dynamic(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const char *check = NULL; /* with the first component */
    int32_t status    = TRM_OK;

    if (component == 0)
        status = emit_check_vector(emit, op->result, op->operands[2], &check);
    text_add(&emit->text, check == NULL ? "(" : "(%s && ", check);
    if (status == TRM_OK)
        status = emit_unsigned(emit, op->operands[2], WHOLE, true);
    text_add(&emit->text, " == %uu ? ", component);
    if (status == TRM_OK)
        status = emit_value(emit, op->operands[1], WHOLE);
    text_add(&emit->text, " : ");
    if (status == TRM_OK)
        status = emit_value(emit, op->operands[0], component);
    text_add(&emit->text, ")");
    return status;
}

/* In C the select of a narrow integer is an int, so it is cast back. */
static int32_t select(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct spirv_type *type         = emit_scalar(emit, op->type);
    const struct spirv_constant *constant = spirv_constant(emit->module, op->operands[0]);

    if (constant != NULL && constant->part_count == 0)
        return emit_pattern(emit, op, 0, component, constant->is_null || constant->bits == 0 ? "$2" : "$1");
    if (type->kind == SPIRV_INT && type->width < 32)
        return emit_pattern(emit, op, 0, component, "($t)($0 ? $1 : $2)");
    return emit_pattern(emit, op, 0, component, "($0 ? $1 : $2)");
}

int32_t emit_composite(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    switch (op->opcode) {
    case SpvOpCompositeConstruct:
        return construct(emit, op, component);
    case SpvOpCompositeExtract:
        return extract(emit, op, component);
    case SpvOpCompositeInsert: /* for a vector; the others are statements */
        return component == op->operands[2] ? emit_value(emit, op->operands[0], WHOLE)
                                            : emit_value(emit, op->operands[1], component);
    case SpvOpVectorShuffle:
        return shuffle(emit, op, component);
    case SpvOpVectorExtractDynamic:
        return extract_dynamic(emit, op);
    case SpvOpVectorInsertDynamic:
        return insert_dynamic(emit, op, component);
    default:
        return select(emit, op, component);
    }
}

/* ---- statements: a copy under another name is changed and then becomes the result */

static void begin_copy(struct emit *emit, const struct spirv_instruction *op)
{
    text_begin_line(&emit->text);
    text_add(&emit->text, "%s %s_new = ", emit_type_name(emit, op->type), emit_name(emit, op->result));
}

static void end_copy(struct emit *emit, const struct spirv_instruction *op)
{
    emit_begin(emit, op->result, WHOLE);
    text_add(&emit->text, "%s_new;\n", emit_name(emit, op->result));
    emit_assigned(emit, op->result);
}

static int32_t insert(struct emit *emit, const struct spirv_instruction *op)
{
    uint32_t count = emit_components(emit, emit->module->ids[op->operands[0]].type);
    int32_t status;

    begin_copy(emit, op);
    status = emit_value(emit, op->operands[1], WHOLE);
    text_add(&emit->text, ";\n");
    for (uint32_t c = 0; c < (count < 2 ? 1 : count) && status == TRM_OK; c++) {
        uint32_t type = op->type;
        text_begin_line(&emit->text);
        text_add(&emit->text, "%s_new", emit_name(emit, op->result));
        for (uint32_t i = 2; i < op->operand_count; i++)
            type = emit_step(emit, type, op->operands[i]);
        if (count > 1)
            text_add(&emit->text, "[%u]", c);
        text_add(&emit->text, " = ");
        status = emit_value(emit, op->operands[0], count > 1 ? c : WHOLE);
        text_add(&emit->text, ";\n");
    }
    end_copy(emit, op);
    return status;
}

/* Copies between types that differ only in their layout. The structs of values have no layout, so they differ
 * only in their names. */
static int32_t copy_logical(struct emit *emit, const struct spirv_instruction *op)
{
    int32_t status;

    begin_copy(emit, op);
    emit_zero(emit, op->type);
    text_add(&emit->text, ";\n");
    text_begin_line(&emit->text);
    text_add(&emit->text, "memcpy(&%s_new, &", emit_name(emit, op->result));
    status = emit_value(emit, op->operands[0], WHOLE);
    text_add(&emit->text, ", sizeof(%s_new));\n", emit_name(emit, op->result));
    end_copy(emit, op);
    return status;
}

int32_t emit_insert(struct emit *emit, const struct spirv_instruction *op)
{
    if (!emit_is_used(emit, op->result))
        return TRM_OK;
    return op->opcode == SpvOpCopyLogical ? copy_logical(emit, op) : insert(emit, op);
}
