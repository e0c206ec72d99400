/* Properties of instructions, and the labels of branches.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/tree/tree.h"

static bool is_between(uint32_t opcode, uint32_t first, uint32_t last)
{
    return opcode >= first && opcode <= last;
}

static bool is_atomic(uint32_t opcode)
{
    return is_between(opcode, SpvOpAtomicLoad, SpvOpAtomicXor) || opcode == SpvOpAtomicFlagTestAndSet ||
           opcode == SpvOpAtomicFlagClear || opcode == SpvOpAtomicFAddEXT || opcode == SpvOpAtomicFMinEXT ||
           opcode == SpvOpAtomicFMaxEXT;
}

/* The instruction's number in GLSL.std.450; 0 when it is none of that set. */
static uint32_t extended(const struct spirv_module *module, const struct spirv_instruction *op)
{
    if (op->opcode != SpvOpExtInst || op->operand_count < 2 ||
        module->ids[op->operands[0]].set != SPIRV_SET_GLSL)
        return 0;
    return op->operands[1];
}

static bool is_pure_extended(uint32_t number)
{
    return number != 0 && number != GLSLstd450Modf && number != GLSLstd450Frexp &&
           !is_between(number, GLSLstd450InterpolateAtCentroid, GLSLstd450InterpolateAtOffset);
}

/* Reads of images that no work-item writes, and questions about them. */
static bool is_sampling(uint32_t opcode)
{
    return is_between(opcode, SpvOpImageSampleImplicitLod, SpvOpImageDrefGather) ||
           is_between(opcode, SpvOpImageQuerySizeLod, SpvOpImageQueryLevels);
}

/* A product of cooperative matrices. */
static bool is_product(uint32_t opcode)
{
    return opcode == SpvOpCooperativeMatrixMulAddNV || opcode == SPIRV_OpCooperativeMatrixMulAddKHR;
}

bool operation_is_pure(const struct spirv_module *module, const struct spirv_instruction *op)
{
    uint32_t opcode = op->opcode;

    if (op->result == 0)
        return false;
    if (opcode == SpvOpExtInst)
        return is_pure_extended(extended(module, op));
    return is_between(opcode, SpvOpVectorExtractDynamic, SpvOpTranspose) ||
           is_between(opcode, SpvOpConvertFToU, SpvOpConvertPtrToU) || opcode == SpvOpBitcast ||
           is_between(opcode, SpvOpSNegate, SpvOpSMulExtended) ||
           is_between(opcode, SpvOpAny, SpvOpBitCount) ||
           is_between(opcode, SpvOpSDotKHR, SpvOpSUDotAccSatKHR) || opcode == SpvOpArrayLength ||
           is_between(opcode, SPIRV_OpFDot2MixAcc32VALVE, SPIRV_OpFDot2MixAcc16VALVE) || is_product(opcode) ||
           opcode == SpvOpCopyLogical || opcode == SpvOpExpectKHR || is_sampling(opcode);
}

static bool is_division(uint32_t opcode)
{
    return opcode == SpvOpUDiv || opcode == SpvOpSDiv || opcode == SpvOpUMod || opcode == SpvOpSMod ||
           opcode == SpvOpSRem;
}

/* Is the divisor a constant other than 0 and -1? The smallest number divided by -1 traps too. */
static bool divides_by_constant(const struct spirv_module *module, const struct spirv_instruction *op)
{
    const struct spirv_constant *divisor = spirv_constant(module, op->operands[1]);

    return divisor != NULL && divisor->part_count == 0 && !divisor->is_null && divisor->bits != 0 &&
           divisor->bits + 1 != 0 && divisor->bits != UINT32_MAX;
}

/* Is it a question about an element of an array of buffers or images? There may be no such element. */
static bool is_of_element(const struct spirv_module *module, const struct spirv_instruction *op)
{
    return (op->opcode == SpvOpArrayLength ||
            is_between(op->opcode, SpvOpImageQuerySizeLod, SpvOpImageQueryLevels)) &&
           module->ids[op->operands[0]].kind != SPIRV_ID_VARIABLE;
}

bool operation_is_safe(const struct spirv_module *module, const struct spirv_instruction *op)
{
    if (!operation_is_pure(module, op) || is_product(op->opcode) || is_of_element(module, op))
        return false;
    if (is_division(op->opcode))
        return divides_by_constant(module, op);
    if (is_between(op->opcode, SpvOpImageSampleImplicitLod, SpvOpImageDrefGather))
        return false; /* it costs too much */
    return op->opcode != SpvOpVectorExtractDynamic && op->opcode != SpvOpVectorInsertDynamic;
}

static bool is_cheap_opcode(uint32_t opcode)
{
    return is_between(opcode, SpvOpVectorShuffle, SpvOpCompositeInsert) ||
           is_between(opcode, SpvOpConvertFToU, SpvOpFConvert) || opcode == SpvOpBitcast ||
           is_between(opcode, SpvOpSNegate, SpvOpFMul) ||
           is_between(opcode, SpvOpLogicalEqual, SpvOpFUnordGreaterThanEqual) ||
           is_between(opcode, SpvOpShiftRightLogical, SpvOpNot);
}

bool operation_is_cheap(const struct spirv_module *module, const struct spirv_instruction *op)
{
    if (!operation_is_safe(module, op) || spirv_type(module, op->type)->kind == SPIRV_COOPERATIVE)
        return false;
    if (op->opcode == SpvOpUDiv || op->opcode == SpvOpUMod)
        return true;
    return is_cheap_opcode(op->opcode);
}

bool operation_is_volatile(const struct body *body, const struct spirv_instruction *op)
{
    const struct spirv_variable *variable = body_variable(body, body_access(body, op->operands[0])->variable);

    if (op->operand_count > 1 && (op->operands[1] & SpvMemoryAccessVolatileMask) != 0)
        return true;
    return variable != NULL && variable->is_volatile;
}

bool operation_has_effect(const struct body *body, const struct spirv_instruction *op)
{
    if (op->result == 0 || is_atomic(op->opcode))
        return true;
    if (op->opcode == SpvOpLoad)
        return operation_is_volatile(body, op);
    if (op->opcode == SpvOpExtInst)
        return !is_pure_extended(extended(body->module, op));
    return op->opcode == SpvOpFunctionCall || op->opcode == SpvOpImageWrite;
}

bool operation_reads_once(const struct spirv_instruction *op)
{
    uint32_t opcode = op->opcode;

    if (is_division(opcode) || opcode == SpvOpFMod || opcode == SpvOpFRem)
        return false;
    return is_between(opcode, SpvOpConvertFToU, SpvOpFConvert) || opcode == SpvOpBitcast ||
           is_between(opcode, SpvOpSNegate, SpvOpFDiv) ||
           is_between(opcode, SpvOpLogicalEqual, SpvOpSelect) ||
           is_between(opcode, SpvOpIEqual, SpvOpSLessThanEqual) || opcode == SpvOpFOrdEqual ||
           opcode == SpvOpFUnordNotEqual || opcode == SpvOpFOrdLessThan || opcode == SpvOpFOrdGreaterThan ||
           opcode == SpvOpFOrdLessThanEqual || opcode == SpvOpFOrdGreaterThanEqual ||
           is_between(opcode, SpvOpShiftRightLogical, SpvOpNot);
}

/* Operations whose operands are all ids. */
static bool has_only_ids(uint32_t opcode)
{
    return is_between(opcode, SpvOpSNegate, SpvOpSMulExtended) ||
           is_between(opcode, SpvOpAny, SpvOpBitCount) ||
           is_between(opcode, SpvOpConvertFToU, SpvOpBitcast) || opcode == SpvOpCompositeConstruct ||
           opcode == SpvOpVectorExtractDynamic || opcode == SpvOpVectorInsertDynamic;
}

/* The common opcodes are decided here, because spirv_operand_is_id() walks the grammar's table operand by
 * operand. */
bool operand_is_value(const struct spirv_instruction *op, uint32_t index)
{
    if (has_only_ids(op->opcode))
        return true;
    switch (op->opcode) {
    case SpvOpBranch:
        return false;
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpLoad:
    case SpvOpCompositeExtract:
    case SpvOpArrayLength:
    case SpvOpConvertPtrToU:
    case OPERATION_PUBLISH:
    case OPERATION_ANY_LEFT:
        return index == 0;
    case SpvOpStore:
    case SpvOpCompositeInsert:
    case SpvOpVectorShuffle:
        return index < 2;
    case SpvOpExtInst:
        return index != 1;
    case SpvOpPhi:
        return index % 2 == 0;
    default:
        return spirv_operand_is_id(op, index);
    }
}

/* Operations on a ballot need only the number of the work-item. So does OpGroupNonUniformElect. */
static bool is_local(uint32_t opcode)
{
    return opcode == SpvOpGroupNonUniformElect ||
           is_between(opcode, SpvOpGroupNonUniformInverseBallot, SpvOpGroupNonUniformBallotFindMSB);
}

static bool is_reduction(uint32_t opcode)
{
    return is_between(opcode, SpvOpGroupNonUniformIAdd, SpvOpGroupNonUniformLogicalXor);
}

bool operation_is_exchange(const struct spirv_module *module, const struct spirv_instruction *op)
{
    uint32_t opcode = op->opcode;

    if (!module->has_leaders || is_local(opcode))
        return false;
    return is_between(opcode, SpvOpGroupNonUniformElect, SpvOpGroupNonUniformQuadSwap) ||
           is_between(opcode, SpvOpSubgroupBallotKHR, SpvOpSubgroupFirstInvocationKHR) ||
           is_between(opcode, SpvOpSubgroupAllKHR, SpvOpSubgroupReadInvocationKHR);
}

bool operation_is_agreed(const struct spirv_instruction *op)
{
    switch (op->opcode) {
    case SpvOpGroupNonUniformAll:
    case SpvOpGroupNonUniformAny:
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpGroupNonUniformBroadcastFirst:
    case SpvOpGroupNonUniformBallot:
    case SpvOpSubgroupBallotKHR:
    case SpvOpSubgroupFirstInvocationKHR:
    case SpvOpSubgroupAllKHR:
    case SpvOpSubgroupAnyKHR:
    case SpvOpSubgroupAllEqualKHR:
        return true;
    default:
        return is_reduction(op->opcode) && op->operands[1] == SpvGroupOperationReduce;
    }
}

uint32_t operation_exchanged(const struct spirv_instruction *op)
{
    if (is_reduction(op->opcode))
        return 2; /* behind the scope and the group operation */
    return is_between(op->opcode, SpvOpGroupNonUniformElect, SpvOpGroupNonUniformQuadSwap) ||
                   op->opcode == SpvOpGroupNonUniformRotateKHR
               ? 1 /* behind the scope */
               : 0;
}

bool operation_is_barrier(const struct spirv_module *module, const struct spirv_instruction *op)
{
    if (op->opcode == OPERATION_MEET)
        return true;
    if (op->opcode != SpvOpControlBarrier)
        return false;
    const struct spirv_constant *scope = spirv_constant(module, op->operands[0]);
    return scope == NULL || (scope->bits == SpvScopeSubgroup && module->has_leaders) ||
           (scope->bits != SpvScopeSubgroup && scope->bits != SpvScopeInvocation);
}

uint32_t branch_literal_words(const struct spirv_module *module, const struct spirv_instruction *terminator)
{
    const struct spirv_type *type = spirv_type_of(module, terminator->operands[0]);

    return type->width > 32 ? 2 : 1;
}

uint32_t branch_count(const struct spirv_module *module, const struct spirv_instruction *terminator)
{
    switch (terminator->opcode) {
    case SpvOpBranch:
        return 1;
    case SpvOpBranchConditional:
        return 2;
    case SpvOpSwitch:
        return 1 + (terminator->operand_count - 2) / (branch_literal_words(module, terminator) + 1);
    default:
        return 0;
    }
}

uint32_t branch_operand(const struct spirv_module *module, const struct spirv_instruction *terminator,
                        uint32_t index)
{
    if (terminator->opcode == SpvOpBranch)
        return 0;
    if (terminator->opcode == SpvOpBranchConditional)
        return 1 + index;
    return 1 + index * (branch_literal_words(module, terminator) + 1);
}
