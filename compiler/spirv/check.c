/* Checks the types of an instruction by its rule, those of branches, returns and phis here.
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

/* ---- branches ------------------------------------------------------------------------------ */

static int32_t check_switch(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    struct shape selector = spirv_operand_shape(reader->module, instruction, 0);

    if (!spirv_is_scalar(selector, SPIRV_INT))
        return spirv_type_mismatch(reader);
    if ((instruction->operand_count - 2) % (selector.width == 64 ? 3 : 2) != 0)
        return spirv_invalid(reader, "the literals do not have the width of the selector");
    return TRM_OK;
}

static int32_t check_return(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;
    bool is_void                      = spirv_type(module, reader->function->result)->kind == SPIRV_VOID;

    if (instruction->opcode == SpvOpReturn)
        return is_void ? TRM_OK : spirv_invalid(reader, "the function must return a value");
    if (is_void || module->ids[instruction->operands[0]].type != reader->function->result)
        return spirv_invalid(reader, "the value is of another type than the function's result");
    return TRM_OK;
}

/* spirv_check_flow() checks the operands at the end of the function, since they may be defined later. */
static int32_t check_phi(struct spirv_reader *reader, const struct spirv_instruction *instruction)
{
    const struct spirv_type *type = spirv_type(reader->module, instruction->type);

    if (type->kind == SPIRV_POINTER)
        return spirv_check_variable_pointer(reader, type, TRM_ERROR_INVALID_ARGUMENT);
    if (spirv_is_opaque(spirv_descriptor(reader->module, type)))
        return spirv_unsupported(reader, "images that depend on control flow are not supported");
    if (type->kind == SPIRV_VOID || type->kind == SPIRV_FUNCTION || type->is_unsized)
        return spirv_invalid(reader, "there are no values of this type");
    return TRM_OK;
}

int32_t spirv_check_branch(struct spirv_reader *reader, enum spirv_rule rule,
                           const struct spirv_instruction *instruction)
{
    switch (rule) {
    case RULE_CONDITIONAL:
        if (!spirv_is_scalar(spirv_operand_shape(reader->module, instruction, 0), SPIRV_BOOL))
            return spirv_type_mismatch(reader);
        return instruction->operand_count == 3 || instruction->operand_count == 5
                   ? TRM_OK
                   : spirv_invalid(reader, "the instruction has the wrong number of operands");
    case RULE_SWITCH:
        return check_switch(reader, instruction);
    case RULE_RETURN:
    case RULE_RETURN_VALUE:
        return check_return(reader, instruction);
    case RULE_PHI:
        return check_phi(reader, instruction);
    default:
        return TRM_OK;
    }
}
