/* The table of instructions.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/emit/op.h"

#include <trireme/status.h>

/* An instruction that is an expression. */
struct rule {
    uint16_t opcode;
    const char *pattern;
    emit_write_fn write; /* used when `pattern` is NULL */
};

/* By opcode, ascending. */
static const struct rule rules[] = {
    {SpvOpExtInst, NULL, emit_glsl},
    {SpvOpArrayLength, NULL, emit_array_length},
    {SpvOpVectorExtractDynamic, NULL, emit_composite},
    {SpvOpVectorInsertDynamic, NULL, emit_composite},
    {SpvOpVectorShuffle, NULL, emit_composite},
    {SpvOpCompositeConstruct, NULL, emit_composite},
    {SpvOpCompositeExtract, NULL, emit_composite},
    {SpvOpCompositeInsert, NULL, emit_composite},
    {SpvOpCopyObject, "$0", NULL},
    {SpvOpTranspose, NULL, emit_matrix},
    {SpvOpConvertFToU, NULL, emit_convert},
    {SpvOpConvertFToS, NULL, emit_convert},
    {SpvOpConvertSToF, NULL, emit_convert},
    {SpvOpConvertUToF, NULL, emit_convert},
    {SpvOpUConvert, NULL, emit_convert},
    {SpvOpSConvert, NULL, emit_convert},
    {SpvOpFConvert, NULL, emit_convert},
    {SpvOpQuantizeToF16, "@quantize($0)", NULL},
    {SpvOpConvertPtrToU, NULL, emit_pointer},
    {SpvOpBitcast, NULL, emit_bitcast},
    {SpvOpSNegate, "$r(0u - $u0)", NULL},
    {SpvOpFNegate, "(-$0)", NULL},
    {SpvOpIAdd, "$r($u0 + $u1)", NULL},
    {SpvOpFAdd, NULL, emit_float_exact},
    {SpvOpISub, "$r($u0 - $u1)", NULL},
    {SpvOpFSub, NULL, emit_float_exact},
    {SpvOpIMul, "$r($u0 * $u1)", NULL},
    {SpvOpFMul, NULL, emit_float_exact},
    {SpvOpUDiv, "$r@udiv$w0($U0, $U1)", NULL},
    {SpvOpSDiv, "$S@sdiv$w0($s0, $s1)", NULL},
    {SpvOpFDiv, "$r($0 / $1)", NULL},
    {SpvOpUMod, "$r@umod$w0($U0, $U1)", NULL},
    {SpvOpSRem, "$S@srem$w0($s0, $s1)", NULL},
    {SpvOpSMod, "$S@smod$w0($s0, $s1)", NULL},
    {SpvOpFRem, "$r(@frem_$n($0, $1))", NULL},
    {SpvOpFMod, "$r(@fmod_$n($0, $1))", NULL},
    {SpvOpVectorTimesScalar, NULL, emit_float_exact},
    {SpvOpMatrixTimesScalar, NULL, emit_matrix},
    {SpvOpVectorTimesMatrix, NULL, emit_matrix},
    {SpvOpMatrixTimesVector, NULL, emit_matrix},
    {SpvOpMatrixTimesMatrix, NULL, emit_matrix},
    {SpvOpOuterProduct, NULL, emit_matrix},
    {SpvOpDot, NULL, emit_dot},
    {SpvOpIAddCarry, NULL, emit_wide},
    {SpvOpISubBorrow, NULL, emit_wide},
    {SpvOpUMulExtended, NULL, emit_wide},
    {SpvOpSMulExtended, NULL, emit_wide},
    {SpvOpAny, NULL, emit_any_all},
    {SpvOpAll, NULL, emit_any_all},
    {SpvOpIsNan, "@isnan_$n0($0)", NULL},
    {SpvOpIsInf, "@isinf_$n0($0)", NULL},
    {SpvOpLogicalEqual, "($0 == $1)", NULL},
    {SpvOpLogicalNotEqual, "($0 != $1)", NULL},
    {SpvOpLogicalOr, "($0 | $1)", NULL},
    {SpvOpLogicalAnd, "($0 & $1)", NULL},
    {SpvOpLogicalNot, "(!$0)", NULL},
    {SpvOpSelect, NULL, emit_composite},
    {SpvOpIEqual, "($q0 == $q1)", NULL},
    {SpvOpINotEqual, "($q0 != $q1)", NULL},
    {SpvOpUGreaterThan, "($U0 > $U1)", NULL},
    {SpvOpSGreaterThan, "($s0 > $s1)", NULL},
    {SpvOpUGreaterThanEqual, "($U0 >= $U1)", NULL},
    {SpvOpSGreaterThanEqual, "($s0 >= $s1)", NULL},
    {SpvOpULessThan, "($U0 < $U1)", NULL},
    {SpvOpSLessThan, "($s0 < $s1)", NULL},
    {SpvOpULessThanEqual, "($U0 <= $U1)", NULL},
    {SpvOpSLessThanEqual, "($s0 <= $s1)", NULL},
    {SpvOpFOrdEqual, "($0 == $1)", NULL},
    {SpvOpFUnordEqual, "@uneq_$n0($0, $1)", NULL},
    {SpvOpFOrdNotEqual, "@ordne_$n0($0, $1)", NULL},
    {SpvOpFUnordNotEqual, "($0 != $1)", NULL},
    {SpvOpFOrdLessThan, "($0 < $1)", NULL},
    {SpvOpFUnordLessThan, "(!($0 >= $1))", NULL},
    {SpvOpFOrdGreaterThan, "($0 > $1)", NULL},
    {SpvOpFUnordGreaterThan, "(!($0 <= $1))", NULL},
    {SpvOpFOrdLessThanEqual, "($0 <= $1)", NULL},
    {SpvOpFUnordLessThanEqual, "(!($0 > $1))", NULL},
    {SpvOpFOrdGreaterThanEqual, "($0 >= $1)", NULL},
    {SpvOpFUnordGreaterThanEqual, "(!($0 < $1))", NULL},
    {SpvOpShiftRightLogical, "$r($U0 >> ($u1 & $h0))", NULL},
    {SpvOpShiftRightArithmetic, "$S($s0 >> ($u1 & $h0))", NULL},
    {SpvOpShiftLeftLogical, "$r($u0 << ($u1 & $h0))", NULL},
    {SpvOpBitwiseOr, "$r($u0 | $u1)", NULL},
    {SpvOpBitwiseXor, "$r($u0 ^ $u1)", NULL},
    {SpvOpBitwiseAnd, "$r($u0 & $u1)", NULL},
    {SpvOpNot, "$r(~$u0)", NULL},
    {SpvOpBitFieldInsert, "$r@bfi$w0($u0, $u1, $u2, $u3)", NULL},
    {SpvOpBitFieldSExtract, "$r@bfes$w0($u0, $u1, $u2)", NULL},
    {SpvOpBitFieldUExtract, "$r@bfeu$w0($u0, $u1, $u2)", NULL},
    {SpvOpBitReverse, "$r(@reverse$w0($u0) >> ($w0 - $b0))", NULL},
    {SpvOpBitCount, "$r@popcount$w0($U0)", NULL},
    {SpvOpGroupNonUniformElect, NULL, emit_subgroup},
    {SpvOpGroupNonUniformAll, NULL, emit_subgroup},
    {SpvOpGroupNonUniformAny, NULL, emit_subgroup},
    {SpvOpGroupNonUniformAllEqual, NULL, emit_subgroup},
    {SpvOpGroupNonUniformBroadcast, NULL, emit_subgroup},
    {SpvOpGroupNonUniformBroadcastFirst, NULL, emit_subgroup},
    {SpvOpGroupNonUniformBallot, NULL, emit_subgroup},
    {SpvOpGroupNonUniformInverseBallot, NULL, emit_subgroup},
    {SpvOpGroupNonUniformBallotBitExtract, NULL, emit_subgroup},
    {SpvOpGroupNonUniformBallotBitCount, NULL, emit_subgroup},
    {SpvOpGroupNonUniformBallotFindLSB, NULL, emit_subgroup},
    {SpvOpGroupNonUniformBallotFindMSB, NULL, emit_subgroup},
    {SpvOpGroupNonUniformShuffle, NULL, emit_subgroup},
    {SpvOpGroupNonUniformShuffleXor, NULL, emit_subgroup},
    {SpvOpGroupNonUniformShuffleUp, NULL, emit_subgroup},
    {SpvOpGroupNonUniformShuffleDown, NULL, emit_subgroup},
    {SpvOpGroupNonUniformIAdd, NULL, emit_subgroup},
    {SpvOpGroupNonUniformFAdd, NULL, emit_subgroup},
    {SpvOpGroupNonUniformIMul, NULL, emit_subgroup},
    {SpvOpGroupNonUniformFMul, NULL, emit_subgroup},
    {SpvOpGroupNonUniformSMin, NULL, emit_subgroup},
    {SpvOpGroupNonUniformUMin, NULL, emit_subgroup},
    {SpvOpGroupNonUniformFMin, NULL, emit_subgroup},
    {SpvOpGroupNonUniformSMax, NULL, emit_subgroup},
    {SpvOpGroupNonUniformUMax, NULL, emit_subgroup},
    {SpvOpGroupNonUniformFMax, NULL, emit_subgroup},
    {SpvOpGroupNonUniformBitwiseAnd, NULL, emit_subgroup},
    {SpvOpGroupNonUniformBitwiseOr, NULL, emit_subgroup},
    {SpvOpGroupNonUniformBitwiseXor, NULL, emit_subgroup},
    {SpvOpGroupNonUniformLogicalAnd, NULL, emit_subgroup},
    {SpvOpGroupNonUniformLogicalOr, NULL, emit_subgroup},
    {SpvOpGroupNonUniformLogicalXor, NULL, emit_subgroup},
    {SpvOpGroupNonUniformQuadBroadcast, NULL, emit_subgroup},
    {SpvOpGroupNonUniformQuadSwap, NULL, emit_subgroup},
    {SpvOpSubgroupBallotKHR, NULL, emit_subgroup},
    {SpvOpSubgroupFirstInvocationKHR, NULL, emit_subgroup},
    {SpvOpSubgroupAllKHR, NULL, emit_subgroup},
    {SpvOpSubgroupAnyKHR, NULL, emit_subgroup},
    {SpvOpSubgroupAllEqualKHR, NULL, emit_subgroup},
    {SpvOpGroupNonUniformRotateKHR, NULL, emit_subgroup},
    {SpvOpSubgroupReadInvocationKHR, NULL, emit_subgroup},
    {SpvOpSDot, NULL, emit_integer_dot},
    {SpvOpUDot, NULL, emit_integer_dot},
    {SpvOpSUDot, NULL, emit_integer_dot},
    {SpvOpSDotAccSat, NULL, emit_integer_dot},
    {SpvOpUDotAccSat, NULL, emit_integer_dot},
    {SpvOpSUDotAccSat, NULL, emit_integer_dot},
    {SpvOpExpectKHR, "$0", NULL},
    {SPIRV_OpFDot2MixAcc32VALVE, NULL, emit_mixed_dot},
    {SPIRV_OpFDot2MixAcc16VALVE, NULL, emit_mixed_dot},
};

static const struct rule *find_rule(uint16_t opcode)
{
    uint32_t low = 0, high = sizeof(rules) / sizeof(rules[0]);

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rules[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof(rules) / sizeof(rules[0]) && rules[low].opcode == opcode ? &rules[low] : NULL;
}

int32_t emit_expression(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct spirv_instruction *before = emit->at;
    const struct rule *rule                = find_rule(op->opcode);
    int32_t status;

    emit->at = op;
    if (rule == NULL)
        status = emit_fail(emit, "");
    else if (rule->pattern != NULL)
        status = emit_pattern(emit, op, 0, component, rule->pattern);
    else
        status = rule->write(emit, op, component);
    emit->at = before;
    return status;
}

emit_statement_fn emit_statement(const struct emit *emit, const struct spirv_instruction *op)
{
    if (operation_is_exchange(emit->module, op))
        return emit_exchange;
    switch (op->opcode) {
    case OPERATION_PUBLISH:
        return emit_publish;
    case OPERATION_RETRACT:
        return emit_retract;
    case OPERATION_ANY_LEFT:
        return emit_any_left;
    case SpvOpLoad:
        return emit_load;
    case SpvOpStore:
        return emit_store;
    case SpvOpCompositeInsert:
        return emit_components(emit, op->type) == 0 ? emit_insert : NULL;
    case SpvOpCopyLogical:
        return emit_insert;
    case SpvOpExtInst:
        switch (op->operands[1]) {
        case GLSLstd450Modf:
        case GLSLstd450Frexp:
        case GLSLstd450MatrixInverse:
            return emit_glsl_statement;
        case GLSLstd450Sin:
        case GLSLstd450Cos:
            return emit->body->values[op->result].pair != 0 ? emit_glsl_statement : NULL;
        default:
            return NULL;
        }
    case SpvOpImageSampleImplicitLod:
    case SpvOpImageSampleExplicitLod:
    case SpvOpImageSampleProjImplicitLod:
    case SpvOpImageSampleProjExplicitLod:
    case SpvOpImageSampleDrefImplicitLod:
    case SpvOpImageSampleDrefExplicitLod:
    case SpvOpImageSampleProjDrefImplicitLod:
    case SpvOpImageSampleProjDrefExplicitLod:
    case SpvOpImageDrefGather:
    case SpvOpImageFetch:
    case SpvOpImageGather:
    case SpvOpImageRead:
    case SpvOpImageWrite:
    case SpvOpImageQuerySizeLod:
    case SpvOpImageQuerySize:
    case SpvOpImageQueryLevels:
        return emit_image;
    case SpvOpMemoryBarrier:
        return emit_fence;
    case SpvOpControlBarrier:
        return emit_subgroup_barrier;
    case SpvOpAtomicLoad:
    case SpvOpAtomicStore:
    case SpvOpAtomicExchange:
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
    case SpvOpAtomicIIncrement:
    case SpvOpAtomicIDecrement:
    case SpvOpAtomicIAdd:
    case SpvOpAtomicISub:
    case SpvOpAtomicSMin:
    case SpvOpAtomicUMin:
    case SpvOpAtomicSMax:
    case SpvOpAtomicUMax:
    case SpvOpAtomicAnd:
    case SpvOpAtomicOr:
    case SpvOpAtomicXor:
    case SpvOpAtomicFAddEXT:
    case SpvOpAtomicFMinEXT:
    case SpvOpAtomicFMaxEXT:
        return emit_atomic;
    default:
        return NULL;
    }
}
