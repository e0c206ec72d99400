/* Checks the types of subgroup operations.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/check.h"

/* A ballot is a vector of four 32-bit integers. */
static bool is_ballot(struct shape shape)
{
    return shape.kind == SPIRV_INT && shape.width == 32 && shape.count == 4;
}

/* The instructions of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote have no scope operand. */
static bool has_scope(uint32_t opcode)
{
    return opcode < SpvOpSubgroupBallotKHR || opcode == SpvOpGroupNonUniformRotateKHR;
}

static bool is_operation(uint32_t operation, bool has_cluster)
{
    return has_cluster ? operation == SpvGroupOperationClusteredReduce
                       : operation <= SpvGroupOperationExclusiveScan;
}

static bool is_cluster_size(const struct spirv_module *module, const struct spirv_instruction *instruction)
{
    if (!spirv_is_scalar(spirv_operand_shape(module, instruction, 3), SPIRV_INT))
        return false;
    uint64_t size = spirv_constant(module, instruction->operands[3])->bits;
    return size != 0 && (size & (size - 1)) == 0;
}

/* The operands are scope, operation, value and, optionally, cluster size ("cnvC" in the grammar). */
static bool is_reduction(const struct spirv_module *module, const struct spirv_instruction *instruction,
                         enum spirv_type_kind kind)
{
    struct shape result = spirv_shape(module, instruction->type);
    bool has_cluster    = instruction->operand_count > 3;

    if (result.kind != kind || !spirv_is_like(spirv_operand_shape(module, instruction, 2), result) ||
        !is_operation(instruction->operands[1], has_cluster))
        return false;
    return !has_cluster || is_cluster_size(module, instruction);
}

static bool fits(const struct spirv_module *module, enum spirv_rule rule,
                 const struct spirv_instruction *instruction)
{
    uint32_t first      = has_scope(instruction->opcode) ? 1 : 0;
    struct shape result = spirv_shape(module, instruction->type);
    struct shape value = {0}, other = {0};

    if (rule == RULE_GROUP_INT || rule == RULE_GROUP_FLOAT || rule == RULE_GROUP_BOOL)
        return is_reduction(module, instruction,
                            rule == RULE_GROUP_INT     ? SPIRV_INT
                            : rule == RULE_GROUP_FLOAT ? SPIRV_FLOAT
                                                       : SPIRV_BOOL);
    if (rule == RULE_GROUP_COUNT)
        return spirv_is_scalar(result, SPIRV_INT) && is_operation(instruction->operands[1], false) &&
               is_ballot(spirv_operand_shape(module, instruction, 2));
    if (instruction->operand_count > first)
        value = spirv_operand_shape(module, instruction, first);
    if (instruction->operand_count > first + 1)
        other = spirv_operand_shape(module, instruction, first + 1);
    switch (rule) {
    case RULE_GROUP_ELECT:
        return spirv_is_scalar(result, SPIRV_BOOL);
    case RULE_GROUP_VOTE:
        return spirv_is_scalar(result, SPIRV_BOOL) && spirv_is_scalar(value, SPIRV_BOOL);
    case RULE_GROUP_EQUAL:
        return spirv_is_scalar(result, SPIRV_BOOL) && value.kind != 0;
    case RULE_GROUP_FIRST:
        return spirv_is_like(value, result);
    case RULE_GROUP_BROADCAST:
    case RULE_GROUP_SHUFFLE:
        return spirv_is_like(value, result) && spirv_is_scalar(other, SPIRV_INT) &&
               (instruction->operand_count < 4 || is_cluster_size(module, instruction));
    case RULE_GROUP_BALLOT:
        return is_ballot(result) && spirv_is_scalar(value, SPIRV_BOOL);
    case RULE_GROUP_INVERSE:
        return spirv_is_scalar(result, SPIRV_BOOL) && is_ballot(value);
    case RULE_GROUP_EXTRACT_BIT:
        return spirv_is_scalar(result, SPIRV_BOOL) && is_ballot(value) && spirv_is_scalar(other, SPIRV_INT);
    default: /* RULE_GROUP_FIND */
        return spirv_is_scalar(result, SPIRV_INT) && is_ballot(value);
    }
}

int32_t spirv_check_group(struct spirv_reader *reader, enum spirv_rule rule,
                          const struct spirv_instruction *instruction)
{
    const struct spirv_module *module = reader->module;

    if (!fits(module, rule, instruction))
        return spirv_type_mismatch(reader);
    if (has_scope(instruction->opcode)) {
        if (!spirv_is_scalar(spirv_operand_shape(module, instruction, 0), SPIRV_INT))
            return spirv_type_mismatch(reader);
        if (spirv_constant(module, instruction->operands[0])->bits != SpvScopeSubgroup)
            return spirv_unsupported(reader,
                                     "group operations of another scope than Subgroup are not supported");
    }
    if (instruction->opcode == SpvOpGroupNonUniformQuadSwap &&
        spirv_constant(module, instruction->operands[2])->bits > 2)
        return spirv_invalid(reader, "a quad has no such direction");
    return TRM_OK;
}
