/* Checks the types of arithmetic, comparisons and conversions.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/check.h"

/* All operands have this kind and number of components. */
static bool all_of(const struct spirv_module *module, const struct spirv_instruction *instruction,
                   enum spirv_type_kind kind, uint32_t count)
{
    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        struct shape shape = spirv_operand_shape(module, instruction, i);
        if (shape.kind != kind || shape.count != count)
            return false;
    }
    return true;
}

static bool is_bit_field(const struct spirv_module *module, const struct spirv_instruction *instruction,
                         struct shape result)
{
    uint32_t wide = instruction->operand_count - 2;

    for (uint32_t i = 0; i < instruction->operand_count; i++) {
        struct shape shape = spirv_operand_shape(module, instruction, i);
        if (i < wide ? !spirv_is_like(shape, result) : !spirv_is_scalar(shape, SPIRV_INT))
            return false;
    }
    return result.kind == SPIRV_INT;
}

/* OpSelect chooses vectors by component or as a whole, other composites only as a whole. */
static bool is_select(const struct spirv_module *module, const struct spirv_instruction *instruction,
                      struct shape result)
{
    struct shape condition = spirv_operand_shape(module, instruction, 0);

    if (condition.kind != SPIRV_BOOL || (condition.count != 1 && condition.count != result.count))
        return false;
    if (condition.count != 1 && result.kind == 0)
        return false;
    if (spirv_is_opaque(spirv_type(module, result.type)))
        return false;
    return module->ids[instruction->operands[1]].type == result.type &&
           module->ids[instruction->operands[2]].type == result.type;
}

static bool is_bitcast(struct shape result, struct shape operand)
{
    return (result.kind == SPIRV_INT || result.kind == SPIRV_FLOAT) &&
           (operand.kind == SPIRV_INT || operand.kind == SPIRV_FLOAT) &&
           result.width * result.count == operand.width * operand.count;
}

/* A physical pointer has 64 bits: OpBitcast makes another one of it, or one of these integers, and back. */
static bool is_address_cast(const struct spirv_module *module, const struct spirv_type *to,
                            const struct spirv_type *from)
{
    struct shape shape = spirv_shape(module, spirv_is_address(to) ? from->id : to->id);

    if (spirv_is_address(to) && spirv_is_address(from))
        return true;
    return (spirv_is_address(to) || spirv_is_address(from)) && shape.kind == SPIRV_INT &&
           shape.width * shape.count == 64;
}

/* The result is a struct of low and high word, or of result and carry. */
static bool is_wide(const struct spirv_module *module, const struct spirv_instruction *instruction)
{
    const struct spirv_type *type = spirv_type(module, instruction->type);

    if (type->kind != SPIRV_STRUCT || type->count != 2 || type->members[0].type != type->members[1].type)
        return false;
    struct shape part = spirv_shape(module, type->members[0].type);
    return part.kind == SPIRV_INT && spirv_operands_are_like(module, instruction, part, 0);
}

/* The operands are vectors of integers, or 32-bit scalars that pack four bytes. */
static bool is_dot(const struct spirv_module *module, const struct spirv_instruction *instruction,
                   struct shape result, bool has_accumulator)
{
    struct shape a  = spirv_operand_shape(module, instruction, 0);
    struct shape b  = spirv_operand_shape(module, instruction, 1);
    uint32_t format = has_accumulator ? 3 : 2;
    bool is_there   = instruction->operand_count > format;

    if (!spirv_is_scalar(result, SPIRV_INT) || a.kind != SPIRV_INT || !spirv_is_like(a, b))
        return false;
    if (has_accumulator && module->ids[instruction->operands[2]].type != result.type)
        return false;
    if (a.count == 1)
        return a.width == 32 && result.width >= 8 && is_there &&
               instruction->operands[format] == SpvPackedVectorFormatPackedVectorFormat4x8Bit;
    return result.width >= a.width && !is_there;
}

/* Two vectors of two halves, and an accumulator of the result's type: a float or a half. */
static bool is_mixed_dot(const struct spirv_module *module, const struct spirv_instruction *instruction,
                         struct shape result)
{
    struct shape a = spirv_operand_shape(module, instruction, 0);
    uint32_t width = instruction->opcode == SPIRV_OpFDot2MixAcc32VALVE ? 32 : 16;

    return spirv_is_scalar(result, SPIRV_FLOAT) && result.width == width && a.kind == SPIRV_FLOAT &&
           a.width == 16 && a.count == 2 && spirv_is_like(a, spirv_operand_shape(module, instruction, 1)) &&
           module->ids[instruction->operands[2]].type == instruction->type;
}

/* Signedness may differ between the operands and the result. */
static bool fits(const struct spirv_module *module, enum spirv_rule rule,
                 const struct spirv_instruction *instruction)
{
    struct shape result = spirv_shape(module, instruction->type);
    struct shape first  = spirv_operand_shape(module, instruction, 0);

    switch (rule) {
    case RULE_INT:
        return result.kind == SPIRV_INT && spirv_operands_are_like(module, instruction, result, 0);
    case RULE_FLOAT:
        return result.kind == SPIRV_FLOAT && spirv_operands_are_like(module, instruction, result, 0);
    case RULE_BOOL:
        return result.kind == SPIRV_BOOL && spirv_operands_are_like(module, instruction, result, 0);
    case RULE_SHIFT:
        return spirv_is_like(first, result) && all_of(module, instruction, SPIRV_INT, result.count);
    case RULE_BIT_COUNT:
        return result.kind == SPIRV_INT && all_of(module, instruction, SPIRV_INT, result.count);
    case RULE_BIT_FIELD:
        return is_bit_field(module, instruction, result);
    case RULE_COMPARE_INT:
        return result.kind == SPIRV_BOOL && all_of(module, instruction, SPIRV_INT, result.count) &&
               spirv_operands_are_like(module, instruction, first, 1);
    case RULE_COMPARE_FLOAT:
    case RULE_TEST_FLOAT:
        return result.kind == SPIRV_BOOL && all_of(module, instruction, SPIRV_FLOAT, result.count) &&
               spirv_operands_are_like(module, instruction, first, 1);
    case RULE_ANY:
        return spirv_is_scalar(result, SPIRV_BOOL) && first.kind == SPIRV_BOOL && first.count > 1;
    case RULE_SELECT:
        return is_select(module, instruction, result);
    case RULE_FLOAT_TO_INT:
        return result.kind == SPIRV_INT && first.kind == SPIRV_FLOAT && first.count == result.count;
    case RULE_INT_TO_FLOAT:
        return result.kind == SPIRV_FLOAT && first.kind == SPIRV_INT && first.count == result.count;
    case RULE_INT_TO_INT:
        return result.kind == SPIRV_INT && first.kind == SPIRV_INT && first.count == result.count;
    case RULE_FLOAT_TO_FLOAT:
        return result.kind == SPIRV_FLOAT && first.kind == SPIRV_FLOAT && first.count == result.count;
    case RULE_QUANTIZE:
        return result.kind == SPIRV_FLOAT && result.width == 32 && spirv_is_like(first, result);
    case RULE_BITCAST:
        return is_bitcast(result, first) || is_address_cast(module, spirv_type(module, instruction->type),
                                                            spirv_type_of(module, instruction->operands[0]));
    case RULE_TO_ADDRESS:
        return spirv_is_address(spirv_type(module, instruction->type)) && spirv_is_scalar(first, SPIRV_INT);
    case RULE_FROM_ADDRESS:
        return spirv_is_scalar(result, SPIRV_INT) &&
               spirv_is_address(spirv_type_of(module, instruction->operands[0]));
    case RULE_WIDE_INT:
        return is_wide(module, instruction);
    case RULE_MIXED_DOT:
        return is_mixed_dot(module, instruction, result);
    case RULE_EXPECT:
        return (result.kind == SPIRV_INT || result.kind == SPIRV_BOOL) && first.type == result.type &&
               spirv_operand_shape(module, instruction, 1).type == result.type;
    default:
        return is_dot(module, instruction, result, rule == RULE_DOT_ADD);
    }
}

/* The address of what a pointer into a buffer points to, which compiler/lower takes. */
static bool is_buffer_address(const struct spirv_reader *reader, enum spirv_rule rule,
                              const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;
    struct shape result               = spirv_shape(module, instruction->type);

    if (rule != RULE_FROM_ADDRESS || !spirv_has_capability(reader, SPIRV_CapabilityBufferAddresses))
        return false;
    const struct spirv_type *type = spirv_type_of(module, instruction->operands[0]);
    return spirv_is_scalar(result, SPIRV_INT) && type->kind == SPIRV_POINTER &&
           type->storage == SpvStorageClassStorageBuffer;
}

int32_t spirv_check_arithmetic(struct spirv_reader *reader, enum spirv_rule rule,
                               const struct spirv_instruction *instruction)
{
    const struct spirv_type *type = spirv_type(reader->module, instruction->type);

    if (rule == RULE_ASSUME)
        return spirv_is_scalar(spirv_operand_shape(reader->module, instruction, 0), SPIRV_BOOL)
                   ? TRM_OK
                   : spirv_type_mismatch(reader);
    if (!fits(reader->module, rule, instruction) && !is_buffer_address(reader, rule, instruction))
        return spirv_type_mismatch(reader);
    return rule == RULE_SELECT && type->kind == SPIRV_POINTER
               ? spirv_check_variable_pointer(reader, type, TRM_ERROR_INVALID_ARGUMENT)
               : TRM_OK;
}
