/* Conversions of numbers and of bits.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

/* Converts a float to an integer: out of range it becomes the nearest number, a NaN any number. */
static int32_t from_float(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct spirv_type *to = emit_scalar(emit, op->type);
    bool is_signed              = op->opcode == SpvOpConvertFToS;
    int32_t status;

    if (to->is_signed != is_signed || to->width < 32)
        text_add(&emit->text, "(%s)", emit_type_name(emit, to->id));
    emit_part(emit, "%s_to_%c%u", emit_tag(emit_scalar_of(emit, op->operands[0])), is_signed ? 'i' : 'u',
              to->width);
    text_add(&emit->text, "(");
    status = emit_operand(emit, op->operands[0], component);
    text_add(&emit->text, ")");
    return status;
}

static int32_t to_float(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct spirv_type *to = emit_scalar(emit, op->type);
    int32_t status;

    emit_round(emit, to);
    text_add(&emit->text, "((%s)", emit_type_name(emit, to->id));
    status = op->opcode == SpvOpConvertSToF ? emit_signed(emit, op->operands[0], component)
                                            : emit_unsigned(emit, op->operands[0], component, true);
    text_add(&emit->text, ")");
    return status;
}

static int32_t float_to_float(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct spirv_type *to   = emit_scalar(emit, op->type);
    const struct spirv_type *from = emit_scalar_of(emit, op->operands[0]);
    int32_t status;

    if (to->width == 16 && from->width == 64)
        emit_part(emit, "half_of_f64");
    else if (to->width == 16)
        emit_part(emit, "half");
    else if (to->width == 64 || from->width == 64)
        text_add(&emit->text, "(%s)", emit_type_name(emit, to->id));
    text_add(&emit->text, "(");
    status = emit_operand(emit, op->operands[0], component);
    text_add(&emit->text, ")");
    return status;
}

int32_t emit_convert(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    switch (op->opcode) {
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
        return from_float(emit, op, component);
    case SpvOpConvertSToF:
    case SpvOpConvertUToF:
        return to_float(emit, op, component);
    case SpvOpUConvert:
        return emit_pattern(emit, op, 0, component, "($t)$U0");
    case SpvOpSConvert:
        return emit_pattern(emit, op, 0, component, "($t)$s0");
    default:
        return float_to_float(emit, op, component);
    }
}

/* ---- bit casts */

/* Writes the bits of a component as an unsigned integer of its width. */
static int32_t write_bits(struct emit *emit, uint32_t id, uint32_t component)
{
    const struct spirv_type *type = emit_scalar_of(emit, id);
    int32_t status;

    if (type->kind != SPIRV_FLOAT)
        return emit_unsigned(emit, id, component, true);
    emit_part(emit, type->width == 64 ? "f64_bits" : type->width == 32 ? "f32_bits" : "half_bits");
    text_add(&emit->text, "(");
    status = emit_operand(emit, id, component);
    text_add(&emit->text, ")");
    return status;
}

/* Writes the conversion from bits to a scalar; the bits follow in parentheses. */
static void write_of_bits(struct emit *emit, const struct spirv_type *type)
{
    if (type->kind == SPIRV_FLOAT)
        emit_part(emit, type->width == 64 ? "f64_of" : type->width == 32 ? "f32_of" : "half_of");
    else
        text_add(&emit->text, "(%s)", emit_type_name(emit, type->id));
}

/* Joins several narrow components into one wide component; the first is the lowest. */
static int32_t join(struct emit *emit, uint32_t id, uint32_t first, uint32_t count, uint32_t from,
                    uint32_t to)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_add(&emit->text, "%s((uint%u_t)", i == 0 ? "" : " | ", to);
        status = write_bits(emit, id, first + i);
        text_add(&emit->text, " << %u)", from * i);
    }
    return status;
}

int32_t emit_bitcast(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct spirv_type *to   = emit_scalar(emit, op->type);
    const struct spirv_type *from = emit_scalar_of(emit, op->operands[0]);
    uint32_t index                = component == WHOLE ? 0 : component;
    int32_t status;

    if ((to->kind != SPIRV_INT && to->kind != SPIRV_FLOAT) ||
        (from->kind != SPIRV_INT && from->kind != SPIRV_FLOAT))
        return emit_fail(emit, "an operand is not a number");
    if (to->kind == SPIRV_INT && from->kind == SPIRV_INT && to->width == from->width)
        return emit_pattern(emit, op, 0, component, to->is_signed ? "$s0" : "$U0");
    write_of_bits(emit, to);
    text_add(&emit->text, "(");
    if (to->width == from->width) {
        status = write_bits(emit, op->operands[0], component);
    } else if (to->width > from->width) {
        uint32_t count = to->width / from->width;
        status =
            join(emit, op->operands[0], index * count, count, from->width, to->width < 32 ? 32 : to->width);
    } else {
        uint32_t count = from->width / to->width;
        text_add(&emit->text, "(uint%u_t)(", to->width);
        status = write_bits(emit, op->operands[0], index / count);
        text_add(&emit->text, " >> %u)", index % count * to->width);
    }
    text_add(&emit->text, ")");
    return status;
}
