/* The table of instructions, and the walk over their operands.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/spirv/grammar.h"

/* Entries of values, statements, terminators, and values that need a capability. Opcodes that are not in the
 * table are unsupported. */
#define VALUE(operands, rule)                \
    {                                        \
        true, true, rule, false, operands, 0 \
    }
#define STATEMENT(operands, rule)              \
    {                                          \
        false, false, rule, false, operands, 0 \
    }
#define END(operands, rule)                   \
    {                                         \
        false, false, rule, true, operands, 0 \
    }
#define GROUP(operands, rule, needs)                            \
    {                                                           \
        true, true, rule, false, operands, SpvCapability##needs \
    }
#define NEWER(operands, rule, needs)                               \
    {                                                              \
        true, true, rule, false, operands, SPIRV_Capability##needs \
    }

#define MATRIX_STORE(operands, needs)                           \
    {                                                           \
        false, false, RULE_MATRIX_STORE, false, operands, needs \
    }
#define HINT(operands, rule, needs)                               \
    {                                                             \
        false, false, rule, false, operands, SpvCapability##needs \
    }

static const struct spirv_grammar core[] = {
    [SpvOpFunctionCall] = VALUE("fv*", RULE_CALL),
    [SpvOpExtInst]      = VALUE("xnv*", RULE_EXTENDED),

    [SpvOpVariable]            = VALUE("nV", RULE_VARIABLE),
    [SpvOpLoad]                = VALUE("vm", RULE_LOAD),
    [SpvOpStore]               = STATEMENT("vvm", RULE_STORE),
    [SpvOpCopyMemory]          = STATEMENT("vvmm", RULE_COPY_MEMORY),
    [SpvOpAccessChain]         = VALUE("vv*", RULE_CHAIN),
    [SpvOpInBoundsAccessChain] = VALUE("vv*", RULE_CHAIN),
    [SpvOpPtrAccessChain]      = VALUE("vvv*", RULE_POINTER_CHAIN),
    [SpvOpPtrEqual]            = VALUE("vv", RULE_POINTER_COMPARE),
    [SpvOpPtrNotEqual]         = VALUE("vv", RULE_POINTER_COMPARE),
    [SpvOpPtrDiff]             = VALUE("vv", RULE_POINTER_COMPARE),
    [SpvOpArrayLength]         = VALUE("vn", RULE_LENGTH),

    [SpvOpVectorExtractDynamic] = VALUE("vv", RULE_EXTRACT_DYNAMIC),
    [SpvOpVectorInsertDynamic]  = VALUE("vvv", RULE_INSERT_DYNAMIC),
    [SpvOpVectorShuffle]        = VALUE("vvn*", RULE_SHUFFLE),
    [SpvOpCompositeConstruct]   = VALUE("v*", RULE_CONSTRUCT),
    [SpvOpCompositeExtract]     = VALUE("vn*", RULE_EXTRACT),
    [SpvOpCompositeInsert]      = VALUE("vvn*", RULE_INSERT),
    [SpvOpCopyObject]           = VALUE("v", RULE_COPY),
    [SpvOpCopyLogical]          = VALUE("v", RULE_COPY_LOGICAL),
    [SpvOpTranspose]            = VALUE("v", RULE_TRANSPOSE),

    [SpvOpSampledImage]                   = VALUE("vv", RULE_SAMPLED_IMAGE),
    [SpvOpImageSampleImplicitLod]         = VALUE("vvi", RULE_SAMPLE),
    [SpvOpImageSampleExplicitLod]         = VALUE("vvi", RULE_SAMPLE),
    [SpvOpImageSampleDrefImplicitLod]     = VALUE("vvvi", RULE_COMPARE_DEPTH),
    [SpvOpImageSampleDrefExplicitLod]     = VALUE("vvvi", RULE_COMPARE_DEPTH),
    [SpvOpImageSampleProjImplicitLod]     = VALUE("vvi", RULE_SAMPLE),
    [SpvOpImageSampleProjExplicitLod]     = VALUE("vvi", RULE_SAMPLE),
    [SpvOpImageSampleProjDrefImplicitLod] = VALUE("vvvi", RULE_COMPARE_DEPTH),
    [SpvOpImageSampleProjDrefExplicitLod] = VALUE("vvvi", RULE_COMPARE_DEPTH),
    [SpvOpImageFetch]                     = VALUE("vvi", RULE_FETCH),
    [SpvOpImageGather]                    = VALUE("vvvi", RULE_GATHER),
    [SpvOpImageDrefGather]                = VALUE("vvvi", RULE_GATHER_DEPTH),
    [SpvOpImageRead]                      = VALUE("vvi", RULE_READ_TEXEL),
    [SpvOpImageWrite]                     = STATEMENT("vvvi", RULE_WRITE_TEXEL),
    [SpvOpImage]                          = VALUE("v", RULE_IMAGE),
    [SpvOpImageQuerySizeLod]              = GROUP("vv", RULE_IMAGE_SIZE, ImageQuery),
    [SpvOpImageQuerySize]                 = GROUP("v", RULE_IMAGE_SIZE, ImageQuery),
    [SpvOpImageQueryLevels]               = GROUP("v", RULE_IMAGE_LEVELS, ImageQuery),
    [SpvOpImageTexelPointer]              = VALUE("vvv", RULE_TEXEL_POINTER),

    [SpvOpConvertFToU]   = VALUE("v", RULE_FLOAT_TO_INT),
    [SpvOpConvertFToS]   = VALUE("v", RULE_FLOAT_TO_INT),
    [SpvOpConvertSToF]   = VALUE("v", RULE_INT_TO_FLOAT),
    [SpvOpConvertUToF]   = VALUE("v", RULE_INT_TO_FLOAT),
    [SpvOpUConvert]      = VALUE("v", RULE_INT_TO_INT),
    [SpvOpSConvert]      = VALUE("v", RULE_INT_TO_INT),
    [SpvOpFConvert]      = VALUE("v", RULE_FLOAT_TO_FLOAT),
    [SpvOpQuantizeToF16] = VALUE("v", RULE_QUANTIZE),
    [SpvOpConvertPtrToU] = GROUP("v", RULE_FROM_ADDRESS, PhysicalStorageBufferAddresses),
    [SpvOpConvertUToPtr] = GROUP("v", RULE_TO_ADDRESS, PhysicalStorageBufferAddresses),
    [SpvOpBitcast]       = VALUE("v", RULE_BITCAST),

    [SpvOpSNegate]           = VALUE("v", RULE_INT),
    [SpvOpFNegate]           = VALUE("v", RULE_FLOAT),
    [SpvOpIAdd]              = VALUE("vv", RULE_INT),
    [SpvOpFAdd]              = VALUE("vv", RULE_FLOAT),
    [SpvOpISub]              = VALUE("vv", RULE_INT),
    [SpvOpFSub]              = VALUE("vv", RULE_FLOAT),
    [SpvOpIMul]              = VALUE("vv", RULE_INT),
    [SpvOpFMul]              = VALUE("vv", RULE_FLOAT),
    [SpvOpUDiv]              = VALUE("vv", RULE_INT),
    [SpvOpSDiv]              = VALUE("vv", RULE_INT),
    [SpvOpFDiv]              = VALUE("vv", RULE_FLOAT),
    [SpvOpUMod]              = VALUE("vv", RULE_INT),
    [SpvOpSRem]              = VALUE("vv", RULE_INT),
    [SpvOpSMod]              = VALUE("vv", RULE_INT),
    [SpvOpFRem]              = VALUE("vv", RULE_FLOAT),
    [SpvOpFMod]              = VALUE("vv", RULE_FLOAT),
    [SpvOpVectorTimesScalar] = VALUE("vv", RULE_VECTOR_SCALAR),
    [SpvOpMatrixTimesScalar] = VALUE("vv", RULE_MATRIX_SCALAR),
    [SpvOpVectorTimesMatrix] = VALUE("vv", RULE_VECTOR_MATRIX),
    [SpvOpMatrixTimesVector] = VALUE("vv", RULE_MATRIX_VECTOR),
    [SpvOpMatrixTimesMatrix] = VALUE("vv", RULE_MATRIX_MATRIX),
    [SpvOpOuterProduct]      = VALUE("vv", RULE_OUTER),
    [SpvOpDot]               = VALUE("vv", RULE_FLOAT_DOT),
    [SpvOpIAddCarry]         = VALUE("vv", RULE_WIDE_INT),
    [SpvOpISubBorrow]        = VALUE("vv", RULE_WIDE_INT),
    [SpvOpUMulExtended]      = VALUE("vv", RULE_WIDE_INT),
    [SpvOpSMulExtended]      = VALUE("vv", RULE_WIDE_INT),

    [SpvOpAny]                    = VALUE("v", RULE_ANY),
    [SpvOpAll]                    = VALUE("v", RULE_ANY),
    [SpvOpIsNan]                  = VALUE("v", RULE_TEST_FLOAT),
    [SpvOpIsInf]                  = VALUE("v", RULE_TEST_FLOAT),
    [SpvOpLogicalEqual]           = VALUE("vv", RULE_BOOL),
    [SpvOpLogicalNotEqual]        = VALUE("vv", RULE_BOOL),
    [SpvOpLogicalOr]              = VALUE("vv", RULE_BOOL),
    [SpvOpLogicalAnd]             = VALUE("vv", RULE_BOOL),
    [SpvOpLogicalNot]             = VALUE("v", RULE_BOOL),
    [SpvOpSelect]                 = VALUE("vvv", RULE_SELECT),
    [SpvOpIEqual]                 = VALUE("vv", RULE_COMPARE_INT),
    [SpvOpINotEqual]              = VALUE("vv", RULE_COMPARE_INT),
    [SpvOpUGreaterThan]           = VALUE("vv", RULE_COMPARE_INT),
    [SpvOpSGreaterThan]           = VALUE("vv", RULE_COMPARE_INT),
    [SpvOpUGreaterThanEqual]      = VALUE("vv", RULE_COMPARE_INT),
    [SpvOpSGreaterThanEqual]      = VALUE("vv", RULE_COMPARE_INT),
    [SpvOpULessThan]              = VALUE("vv", RULE_COMPARE_INT),
    [SpvOpSLessThan]              = VALUE("vv", RULE_COMPARE_INT),
    [SpvOpULessThanEqual]         = VALUE("vv", RULE_COMPARE_INT),
    [SpvOpSLessThanEqual]         = VALUE("vv", RULE_COMPARE_INT),
    [SpvOpFOrdEqual]              = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFUnordEqual]            = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFOrdNotEqual]           = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFUnordNotEqual]         = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFOrdLessThan]           = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFUnordLessThan]         = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFOrdGreaterThan]        = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFUnordGreaterThan]      = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFOrdLessThanEqual]      = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFUnordLessThanEqual]    = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFOrdGreaterThanEqual]   = VALUE("vv", RULE_COMPARE_FLOAT),
    [SpvOpFUnordGreaterThanEqual] = VALUE("vv", RULE_COMPARE_FLOAT),

    [SpvOpShiftRightLogical]    = VALUE("vv", RULE_SHIFT),
    [SpvOpShiftRightArithmetic] = VALUE("vv", RULE_SHIFT),
    [SpvOpShiftLeftLogical]     = VALUE("vv", RULE_SHIFT),
    [SpvOpBitwiseOr]            = VALUE("vv", RULE_INT),
    [SpvOpBitwiseXor]           = VALUE("vv", RULE_INT),
    [SpvOpBitwiseAnd]           = VALUE("vv", RULE_INT),
    [SpvOpNot]                  = VALUE("v", RULE_INT),
    [SpvOpBitFieldInsert]       = VALUE("vvvv", RULE_BIT_FIELD),
    [SpvOpBitFieldSExtract]     = VALUE("vvv", RULE_BIT_FIELD),
    [SpvOpBitFieldUExtract]     = VALUE("vvv", RULE_BIT_FIELD),
    [SpvOpBitReverse]           = VALUE("v", RULE_INT),
    [SpvOpBitCount]             = VALUE("v", RULE_BIT_COUNT),

    [SpvOpControlBarrier]        = STATEMENT("ccc", RULE_BARRIER),
    [SpvOpMemoryBarrier]         = STATEMENT("cc", RULE_BARRIER),
    [SpvOpAtomicLoad]            = VALUE("vcc", RULE_ATOMIC_LOAD),
    [SpvOpAtomicStore]           = STATEMENT("vccv", RULE_ATOMIC_STORE),
    [SpvOpAtomicExchange]        = VALUE("vccv", RULE_ATOMIC_EXCHANGE),
    [SpvOpAtomicCompareExchange] = VALUE("vcccvv", RULE_ATOMIC_COMPARE),
    [SpvOpAtomicIIncrement]      = VALUE("vcc", RULE_ATOMIC_INT),
    [SpvOpAtomicIDecrement]      = VALUE("vcc", RULE_ATOMIC_INT),
    [SpvOpAtomicIAdd]            = VALUE("vccv", RULE_ATOMIC_INT),
    [SpvOpAtomicISub]            = VALUE("vccv", RULE_ATOMIC_INT),
    [SpvOpAtomicSMin]            = VALUE("vccv", RULE_ATOMIC_INT),
    [SpvOpAtomicUMin]            = VALUE("vccv", RULE_ATOMIC_INT),
    [SpvOpAtomicSMax]            = VALUE("vccv", RULE_ATOMIC_INT),
    [SpvOpAtomicUMax]            = VALUE("vccv", RULE_ATOMIC_INT),
    [SpvOpAtomicAnd]             = VALUE("vccv", RULE_ATOMIC_INT),
    [SpvOpAtomicOr]              = VALUE("vccv", RULE_ATOMIC_INT),
    [SpvOpAtomicXor]             = VALUE("vccv", RULE_ATOMIC_INT),

    [SpvOpPhi]               = VALUE("p", RULE_PHI),
    [SpvOpBranch]            = END("l", RULE_BRANCH),
    [SpvOpBranchConditional] = END("vlln*", RULE_CONDITIONAL),
    [SpvOpSwitch]            = END("vls", RULE_SWITCH),
    [SpvOpReturn]            = END("", RULE_RETURN),
    [SpvOpReturnValue]       = END("v", RULE_RETURN_VALUE),
    [SpvOpUnreachable]       = END("", RULE_NONE),

    [SpvOpGroupNonUniformElect]            = GROUP("c", RULE_GROUP_ELECT, GroupNonUniform),
    [SpvOpGroupNonUniformAll]              = GROUP("cv", RULE_GROUP_VOTE, GroupNonUniformVote),
    [SpvOpGroupNonUniformAny]              = GROUP("cv", RULE_GROUP_VOTE, GroupNonUniformVote),
    [SpvOpGroupNonUniformAllEqual]         = GROUP("cv", RULE_GROUP_EQUAL, GroupNonUniformVote),
    [SpvOpGroupNonUniformBroadcast]        = GROUP("cvv", RULE_GROUP_BROADCAST, GroupNonUniformBallot),
    [SpvOpGroupNonUniformBroadcastFirst]   = GROUP("cv", RULE_GROUP_FIRST, GroupNonUniformBallot),
    [SpvOpGroupNonUniformBallot]           = GROUP("cv", RULE_GROUP_BALLOT, GroupNonUniformBallot),
    [SpvOpGroupNonUniformInverseBallot]    = GROUP("cv", RULE_GROUP_INVERSE, GroupNonUniformBallot),
    [SpvOpGroupNonUniformBallotBitExtract] = GROUP("cvv", RULE_GROUP_EXTRACT_BIT, GroupNonUniformBallot),
    [SpvOpGroupNonUniformBallotBitCount]   = GROUP("cnv", RULE_GROUP_COUNT, GroupNonUniformBallot),
    [SpvOpGroupNonUniformBallotFindLSB]    = GROUP("cv", RULE_GROUP_FIND, GroupNonUniformBallot),
    [SpvOpGroupNonUniformBallotFindMSB]    = GROUP("cv", RULE_GROUP_FIND, GroupNonUniformBallot),
    [SpvOpGroupNonUniformShuffle]          = GROUP("cvv", RULE_GROUP_SHUFFLE, GroupNonUniformShuffle),
    [SpvOpGroupNonUniformShuffleXor]       = GROUP("cvv", RULE_GROUP_SHUFFLE, GroupNonUniformShuffle),
    [SpvOpGroupNonUniformShuffleUp]        = GROUP("cvv", RULE_GROUP_SHUFFLE, GroupNonUniformShuffleRelative),
    [SpvOpGroupNonUniformShuffleDown]      = GROUP("cvv", RULE_GROUP_SHUFFLE, GroupNonUniformShuffleRelative),
    [SpvOpGroupNonUniformIAdd]             = GROUP("cnvC", RULE_GROUP_INT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformFAdd]             = GROUP("cnvC", RULE_GROUP_FLOAT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformIMul]             = GROUP("cnvC", RULE_GROUP_INT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformFMul]             = GROUP("cnvC", RULE_GROUP_FLOAT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformSMin]             = GROUP("cnvC", RULE_GROUP_INT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformUMin]             = GROUP("cnvC", RULE_GROUP_INT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformFMin]             = GROUP("cnvC", RULE_GROUP_FLOAT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformSMax]             = GROUP("cnvC", RULE_GROUP_INT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformUMax]             = GROUP("cnvC", RULE_GROUP_INT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformFMax]             = GROUP("cnvC", RULE_GROUP_FLOAT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformBitwiseAnd]       = GROUP("cnvC", RULE_GROUP_INT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformBitwiseOr]        = GROUP("cnvC", RULE_GROUP_INT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformBitwiseXor]       = GROUP("cnvC", RULE_GROUP_INT, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformLogicalAnd]       = GROUP("cnvC", RULE_GROUP_BOOL, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformLogicalOr]        = GROUP("cnvC", RULE_GROUP_BOOL, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformLogicalXor]       = GROUP("cnvC", RULE_GROUP_BOOL, GroupNonUniformArithmetic),
    [SpvOpGroupNonUniformQuadBroadcast]    = GROUP("cvv", RULE_GROUP_SHUFFLE, GroupNonUniformQuad),
    [SpvOpGroupNonUniformQuadSwap]         = GROUP("cvc", RULE_GROUP_SHUFFLE, GroupNonUniformQuad),
};

/* Instructions of extensions, whose opcodes are sparse. */
static const struct {
    uint32_t opcode;
    struct spirv_grammar grammar;
} extensions[] = {
    {SpvOpSubgroupBallotKHR, GROUP("v", RULE_GROUP_BALLOT, SubgroupBallotKHR)},
    {SpvOpSubgroupFirstInvocationKHR, GROUP("v", RULE_GROUP_FIRST, SubgroupBallotKHR)},
    {SpvOpSubgroupAllKHR, GROUP("v", RULE_GROUP_VOTE, SubgroupVoteKHR)},
    {SpvOpSubgroupAnyKHR, GROUP("v", RULE_GROUP_VOTE, SubgroupVoteKHR)},
    {SpvOpSubgroupAllEqualKHR, GROUP("v", RULE_GROUP_VOTE, SubgroupVoteKHR)},
    {SpvOpGroupNonUniformRotateKHR, GROUP("cvvC", RULE_GROUP_SHUFFLE, GroupNonUniformRotateKHR)},
    {SpvOpSubgroupReadInvocationKHR, GROUP("vv", RULE_GROUP_SHUFFLE, SubgroupBallotKHR)},
    {SpvOpSDot, GROUP("vvN", RULE_DOT, DotProduct)},
    {SpvOpUDot, GROUP("vvN", RULE_DOT, DotProduct)},
    {SpvOpSUDot, GROUP("vvN", RULE_DOT, DotProduct)},
    {SpvOpSDotAccSat, GROUP("vvvN", RULE_DOT_ADD, DotProduct)},
    {SpvOpUDotAccSat, GROUP("vvvN", RULE_DOT_ADD, DotProduct)},
    {SpvOpSUDotAccSat, GROUP("vvvN", RULE_DOT_ADD, DotProduct)},
    {SpvOpCooperativeMatrixLoadNV, GROUP("vvcm", RULE_MATRIX_LOAD, CooperativeMatrixNV)},
    {SpvOpCooperativeMatrixStoreNV, MATRIX_STORE("vvvcm", SpvCapabilityCooperativeMatrixNV)},
    {SpvOpCooperativeMatrixMulAddNV, GROUP("vvv", RULE_MATRIX_MUL_ADD, CooperativeMatrixNV)},
    {SpvOpCooperativeMatrixLengthNV, GROUP("t", RULE_MATRIX_LENGTH, CooperativeMatrixNV)},
    {SPIRV_OpCooperativeMatrixLoadKHR, NEWER("vcVm", RULE_MATRIX_LOAD, CooperativeMatrixKHR)},
    {SPIRV_OpCooperativeMatrixStoreKHR, MATRIX_STORE("vvcVm", SPIRV_CapabilityCooperativeMatrixKHR)},
    {SPIRV_OpCooperativeMatrixMulAddKHR, NEWER("vvvN", RULE_MATRIX_MUL_ADD, CooperativeMatrixKHR)},
    {SPIRV_OpCooperativeMatrixLengthKHR, NEWER("t", RULE_MATRIX_LENGTH, CooperativeMatrixKHR)},
    {SPIRV_OpFDot2MixAcc32VALVE, NEWER("vvv", RULE_MIXED_DOT, DotProductFloat16AccFloat32VALVE)},
    {SPIRV_OpFDot2MixAcc16VALVE, NEWER("vvv", RULE_MIXED_DOT, DotProductFloat16AccFloat16VALVE)},
    {SpvOpAssumeTrueKHR, HINT("v", RULE_ASSUME, ExpectAssumeKHR)},
    {SpvOpExpectKHR, GROUP("vv", RULE_EXPECT, ExpectAssumeKHR)},
    {SpvOpAtomicFMinEXT, VALUE("vccv", RULE_ATOMIC_FLOAT)},
    {SpvOpAtomicFMaxEXT, VALUE("vccv", RULE_ATOMIC_FLOAT)},
    {SpvOpAtomicFAddEXT, VALUE("vccv", RULE_ATOMIC_FLOAT)},
};

const struct spirv_grammar *spirv_grammar(uint32_t opcode)
{
    if (opcode < SPIRV_COUNT(core))
        return core[opcode].operands != NULL ? &core[opcode] : NULL;
    for (uint32_t i = 0; i < SPIRV_COUNT(extensions); i++)
        if (extensions[i].opcode == opcode)
            return &extensions[i].grammar;
    return NULL;
}

bool spirv_has_type(uint32_t opcode)
{
    const struct spirv_grammar *grammar = spirv_grammar(opcode);

    return grammar != NULL && grammar->has_type && grammar->has_result;
}

void spirv_walk_begin(struct spirv_operand_walk *walk, const struct spirv_grammar *grammar,
                      const uint32_t *operands, uint32_t count)
{
    *walk = (struct spirv_operand_walk){.next = grammar->operands, .operands = operands, .count = count};
}

/* A mask comes first; then each bit that takes a parameter has one, in the order of the bits. */
static char next_memory(struct spirv_operand_walk *walk)
{
    static const struct {
        uint32_t bit;
        char letter;
    } bits[] = {
        {SpvMemoryAccessAlignedMask, 'n'},
        {SpvMemoryAccessMakePointerAvailableMask, 'c'},
        {SpvMemoryAccessMakePointerVisibleMask, 'c'},
    };

    for (uint32_t i = 0; i < SPIRV_COUNT(bits); i++) {
        if ((walk->memory & bits[i].bit) == 0)
            continue;
        walk->memory &= ~bits[i].bit;
        return bits[i].letter;
    }
    return 0;
}

#define MEMORY_PARAMETERS                                                   \
    (SpvMemoryAccessAlignedMask | SpvMemoryAccessMakePointerAvailableMask | \
     SpvMemoryAccessMakePointerVisibleMask)

/* A mask comes first; then each bit that takes ids has them, in the order of the bits. */
static uint32_t count_image_ids(uint32_t mask)
{
    uint32_t count = (mask & SpvImageOperandsGradMask) != 0; /* it takes two */

    for (uint32_t bit = SpvImageOperandsBiasMask; bit <= SpvImageOperandsMakeTexelVisibleMask; bit <<= 1)
        count += (mask & bit) != 0;
    return count + ((mask & SpvImageOperandsOffsetsMask) != 0);
}

char spirv_walk_next(struct spirv_operand_walk *walk)
{
    bool is_there = walk->index < walk->count;
    char letter   = *walk->next;

    if (walk->memory != 0) {
        letter = is_there ? next_memory(walk) : '!';
        walk->index++;
        return letter;
    }
    if (walk->image != 0) {
        walk->image--;
        walk->index++;
        return is_there ? 'v' : '!';
    }
    if (!is_there)
        return letter == 0 || letter == 'i' || letter == 'C' || letter == 'V' || letter == 'N' ||
                       letter == 'm' || letter == 's' || letter == 'p' || walk->next[1] == '*'
                   ? 0
                   : '!';
    uint32_t index = walk->index++;
    switch (letter) {
    case 0:
        return '!';
    case 's':
        return 's';
    case 'p':
        return index % 2 == 0 ? 'v' : 'l';
    case 'm':
        walk->next++;
        walk->memory = walk->operands[index] & MEMORY_PARAMETERS;
        return 'n';
    case 'i':
        walk->next++;
        walk->image = count_image_ids(walk->operands[index]);
        return 'n';
    case 'C':
    case 'V':
    case 'N':
        walk->next++;
        return (char)(letter - 'A' + 'a');
    default:
        if (walk->next[1] != '*')
            walk->next++;
        return letter;
    }
}

/* Whether all remaining operands have the current letter. */
static bool repeats(const struct spirv_operand_walk *walk)
{
    return walk->memory == 0 && walk->image == 0 && *walk->next != 0 && walk->next[1] == '*';
}

bool spirv_operand_is_id(const struct spirv_instruction *instruction, uint32_t index)
{
    const struct spirv_grammar *grammar = spirv_grammar(instruction->opcode);
    struct spirv_operand_walk walk;
    char letter = 0;

    if (grammar == NULL || index >= instruction->operand_count)
        return false;
    if (grammar->rule == RULE_PHI)
        return true;
    if (grammar->rule == RULE_SWITCH)
        return index < 2;
    spirv_walk_begin(&walk, grammar, instruction->operands, instruction->operand_count);
    for (uint32_t i = 0; i <= index; i++) {
        if (repeats(&walk))
            return *walk.next != 'n';
        letter = spirv_walk_next(&walk);
    }
    return letter != 'n' && letter != '!' && letter != 0;
}

uint32_t spirv_image_mask(const struct spirv_instruction *instruction)
{
    switch (spirv_grammar(instruction->opcode)->rule) {
    case RULE_SAMPLE:
    case RULE_FETCH:
    case RULE_READ_TEXEL:
        return 2;
    case RULE_GATHER:
    case RULE_COMPARE_DEPTH:
    case RULE_GATHER_DEPTH:
    case RULE_WRITE_TEXEL:
        return 3;
    default:
        return instruction->operand_count;
    }
}

struct spirv_image_operands spirv_image_operands(const struct spirv_instruction *instruction)
{
    struct spirv_image_operands result = {.mask = 0};
    uint32_t at                        = spirv_image_mask(instruction);

    if (at >= instruction->operand_count)
        return result;
    result.mask = instruction->operands[at++];
    for (uint32_t bit = SpvImageOperandsBiasMask; bit <= SpvImageOperandsConstOffsetsMask; bit <<= 1) {
        if ((result.mask & bit) == 0)
            continue;
        uint32_t id = instruction->operands[at++];
        switch (bit) {
        case SpvImageOperandsLodMask:
            result.lod = id;
            break;
        case SpvImageOperandsGradMask:
            result.grad_x = id;
            result.grad_y = instruction->operands[at++];
            break;
        case SpvImageOperandsConstOffsetMask:
        case SpvImageOperandsOffsetMask:
            result.offset = id;
            break;
        case SpvImageOperandsConstOffsetsMask:
            result.offsets = id;
            break;
        default:
            break;
        }
    }
    return result;
}
