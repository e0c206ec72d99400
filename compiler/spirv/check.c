/* Checks the types of an instruction by its rule.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/check.h"

int32_t spirv_check_types(struct spirv_reader *reader, const struct spirv_grammar *grammar,
                          const struct spirv_instruction *instruction)
{
    enum spirv_rule rule = grammar->rule;

    if (rule == RULE_NONE)
        return TRM_OK;
    int32_t status = reader->module->has_matrices ? spirv_check_matrices(reader, rule, instruction) : TRM_OK;
    if (status != TRM_OK)
        return status;
    if (rule <= RULE_ASSUME)
        return spirv_check_arithmetic(reader, rule, instruction);
    if (rule <= RULE_COPY_LOGICAL)
        return spirv_check_composite(reader, rule, instruction);
    if (rule <= RULE_BARRIER)
        return spirv_check_memory(reader, rule, instruction);
    if (rule <= RULE_GROUP_BOOL)
        return spirv_check_group(reader, rule, instruction);
    if (rule <= RULE_TEXEL_POINTER)
        return spirv_check_image(reader, rule, instruction);
    if (rule <= RULE_MATRIX_LENGTH)
        return spirv_check_matrix(reader, rule, instruction);
    if (rule == RULE_EXTENDED)
        return spirv_check_extended(reader, instruction);
    return spirv_check_branch(reader, rule, instruction);
}

struct shape spirv_shape(const struct spirv_module *module, uint32_t type_id)
{
    const struct spirv_type *type = spirv_type(module, type_id);
    struct shape shape            = {.type = type_id, .count = 1};

    if (type->kind == SPIRV_VECTOR) {
        shape.count = type->count;
        type        = spirv_type(module, type->element);
    } else if (type->kind == SPIRV_COOPERATIVE) {
        /* as many components as no vector has: the same for matrices of one shape and use */
        shape.count = 1u << 30 | type->matrix->use << 20 | type->matrix->rows << 10 | type->matrix->columns;
        type        = spirv_type(module, type->element);
    }
    if (type->kind == SPIRV_BOOL || type->kind == SPIRV_INT || type->kind == SPIRV_FLOAT) {
        shape.kind      = type->kind;
        shape.width     = type->width;
        shape.is_signed = type->is_signed;
    }
    return shape;
}

bool spirv_operands_are_like(const struct spirv_module *module, const struct spirv_instruction *instruction,
                             struct shape shape, uint32_t from)
{
    for (uint32_t i = from; i < instruction->operand_count; i++)
        if (!spirv_is_like(spirv_operand_shape(module, instruction, i), shape))
            return false;
    return true;
}

int32_t spirv_type_mismatch(const struct spirv_reader *reader)
{
    return spirv_invalid(reader, "the types of the operands do not fit together");
}
