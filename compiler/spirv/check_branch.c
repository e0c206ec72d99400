/* Checks the types of branches, returns and phis.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/check.h"

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
