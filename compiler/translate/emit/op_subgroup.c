/* Subgroups: in C a work-item is a subgroup of its own, except beside cooperative matrices
 * (op_exchange.c); in CUDA a subgroup is a warp, of which the active threads take part (the prelude's sg_…
 * functions).
 * SPDX-License-Identifier: MIT
 */
#include <trireme/status.h>

#include "compiler/translate/emit/op.h"

#include <string.h>

static const struct emit_reduction reductions[] = {
    {SpvOpGroupNonUniformIAdd, "add", EMIT_ZERO},       {SpvOpGroupNonUniformFAdd, "add", EMIT_ZERO},
    {SpvOpGroupNonUniformIMul, "mul", EMIT_ONE},        {SpvOpGroupNonUniformFMul, "mul", EMIT_ONE},
    {SpvOpGroupNonUniformSMin, "min", EMIT_GREATEST},   {SpvOpGroupNonUniformUMin, "min", EMIT_GREATEST},
    {SpvOpGroupNonUniformFMin, "min", EMIT_GREATEST},   {SpvOpGroupNonUniformSMax, "max", EMIT_LEAST},
    {SpvOpGroupNonUniformUMax, "max", EMIT_LEAST},      {SpvOpGroupNonUniformFMax, "max", EMIT_LEAST},
    {SpvOpGroupNonUniformBitwiseAnd, "and", EMIT_ALL},  {SpvOpGroupNonUniformBitwiseOr, "or", EMIT_ZERO},
    {SpvOpGroupNonUniformBitwiseXor, "xor", EMIT_ZERO}, {SpvOpGroupNonUniformLogicalAnd, "and", EMIT_ONE},
    {SpvOpGroupNonUniformLogicalOr, "or", EMIT_ZERO},   {SpvOpGroupNonUniformLogicalXor, "xor", EMIT_ZERO},
};

const struct emit_reduction *emit_reduction_of(uint16_t opcode)
{
    for (size_t i = 0; i < sizeof(reductions) / sizeof(reductions[0]); i++)
        if (reductions[i].opcode == opcode)
            return &reductions[i];
    return NULL;
}

void emit_neutral(struct emit *emit, const struct spirv_instruction *op,
                  const struct emit_reduction *reduction)
{
    struct spirv_type scalar = *emit_scalar(emit, op->type);
    uint64_t all             = scalar.width >= 64 ? UINT64_MAX : ((uint64_t)1 << scalar.width) - 1;
    bool is_signed = op->opcode == SpvOpGroupNonUniformSMin || op->opcode == SpvOpGroupNonUniformSMax;
    uint64_t bits  = 0;

    if (scalar.kind == SPIRV_FLOAT) {
        uint64_t infinity = scalar.width == 64 ? 0x7ffull << 52 : scalar.width == 32 ? 0x7f800000u : 0x7c00u;
        uint64_t one      = scalar.width == 64 ? 0x3ffull << 52 : scalar.width == 32 ? 0x3f800000u : 0x3c00u;
        bits              = reduction->neutral == EMIT_ONE        ? one
                            : reduction->neutral == EMIT_GREATEST ? infinity
                            : reduction->neutral == EMIT_LEAST ? infinity | (uint64_t)1 << (scalar.width - 1)
                                                               : 0;
    } else if (reduction->neutral == EMIT_ONE) {
        bits = 1;
    } else if (reduction->neutral == EMIT_ALL) {
        bits = all;
    } else if (reduction->neutral == EMIT_GREATEST) {
        bits = is_signed ? all >> 1 : all;
    } else if (reduction->neutral == EMIT_LEAST) {
        bits = is_signed ? (all >> 1) + 1 : 0;
    }
    emit_literal(emit, &scalar, bits, false);
}

/* ---- C: the only one of its subgroup */

static int32_t write_single_ballot(struct emit *emit, const struct spirv_instruction *op, uint32_t value,
                                   uint32_t component)
{
    if (component != 0) {
        emit_literal(emit, emit_scalar(emit, op->type), 0, false);
        return TRM_OK;
    }
    text_add(&emit->text, "(uint32_t)");
    return emit_value(emit, value, WHOLE);
}

/* Writes the first bit of a ballot. */
static int32_t write_first_bit(struct emit *emit, uint32_t id, const char *type)
{
    int32_t status;

    text_add(&emit->text, "(%s)(", type);
    status = emit_value(emit, id, 0);
    text_add(&emit->text, " & 1)");
    return status;
}

/* Writes the first component of a ballot between two texts. */
static int32_t write_ballot(struct emit *emit, uint32_t id, const char *before, const char *after)
{
    text_add(&emit->text, "%s", before);
    int32_t status = emit_value(emit, id, 0);
    text_add(&emit->text, "%s", after);
    return status;
}

static int32_t write_bit(struct emit *emit, const struct spirv_instruction *op)
{
    int32_t status = write_ballot(emit, op->operands[1], "(int)(", " >> (");

    if (status == TRM_OK)
        status = emit_unsigned(emit, op->operands[2], WHOLE, false);
    text_add(&emit->text, " & 31) & 1)");
    return status;
}

/* Operations that need only the number of the work-item in its subgroup: those on ballots. */
static int32_t write_local(struct emit *emit, const struct spirv_instruction *op)
{
    static const char *const masks[] = {")", " & ((2u << item % 32) - 1u))", " & ((1u << item % 32) - 1u))"};

    if (op->opcode != SpvOpGroupNonUniformElect && op->opcode != SpvOpGroupNonUniformInverseBallot)
        emit_need(emit, "popcount32");
    switch (op->opcode) {
    case SpvOpGroupNonUniformElect:
        text_add(&emit->text, "trm_leader");
        return TRM_OK;
    case SpvOpGroupNonUniformInverseBallot:
        return write_ballot(emit, op->operands[1], "(int)(", " >> item % 32 & 1)");
    case SpvOpGroupNonUniformBallotBitExtract:
        return write_bit(emit, op);
    case SpvOpGroupNonUniformBallotBitCount:
        if (op->operands[1] >= sizeof(masks) / sizeof(masks[0]))
            return emit_fail(emit, "the group operation is unknown");
        text_add(&emit->text, "(%s)", emit_type_name(emit, op->type));
        return write_ballot(emit, op->operands[2], "trm_popcount32(", masks[op->operands[1]]);
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        text_add(&emit->text, "(%s)", emit_type_name(emit, op->type));
        emit_part(emit, "%s", op->opcode == SpvOpGroupNonUniformBallotFindLSB ? "lsb32" : "umsb32");
        return write_ballot(emit, op->operands[1], "(", ")");
    default:
        return emit_fail(emit, "");
    }
}

static int32_t write_single(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct emit_reduction *reduction = emit_reduction_of(op->opcode);
    const char *type                       = emit_type_name(emit, op->type);

    if (emit->module->has_leaders)
        return write_local(emit, op);
    if (reduction != NULL) {
        if (op->operands[1] == SpvGroupOperationExclusiveScan) {
            emit_neutral(emit, op, reduction);
            return TRM_OK;
        }
        return emit_operand(emit, op->operands[2], component);
    }
    switch (op->opcode) {
    case SpvOpGroupNonUniformElect:
        text_add(&emit->text, "1");
        return TRM_OK;
    case SpvOpGroupNonUniformAllEqual:
    case SpvOpSubgroupAllEqualKHR:
        text_add(&emit->text, "1");
        return TRM_OK;
    case SpvOpGroupNonUniformBallot:
        return write_single_ballot(emit, op, op->operands[1], component);
    case SpvOpSubgroupBallotKHR:
        return write_single_ballot(emit, op, op->operands[0], component);
    case SpvOpGroupNonUniformInverseBallot:
        return write_first_bit(emit, op->operands[1], "int");
    case SpvOpGroupNonUniformBallotBitExtract:
        return write_bit(emit, op);
    case SpvOpGroupNonUniformBallotBitCount:
        if (op->operands[1] != SpvGroupOperationExclusiveScan)
            return write_first_bit(emit, op->operands[2], type);
        text_add(&emit->text, "0");
        return TRM_OK;
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        text_add(&emit->text, "0");
        return TRM_OK;
    case SpvOpSubgroupAllKHR:
    case SpvOpSubgroupAnyKHR:
    case SpvOpSubgroupFirstInvocationKHR:
    case SpvOpSubgroupReadInvocationKHR:
        return emit_operand(emit, op->operands[0], component);
    default: /* shuffles and broadcasts: the only work-item of the subgroup gets its own value */
        return emit_operand(emit, op->operands[1], component);
    }
}

/* ---- CUDA: a warp */

/* Writes a value as a type that warps exchange: of 32 or 64 bits. */
static int32_t write_exchanged(struct emit *emit, uint32_t id, uint32_t component)
{
    const struct spirv_type *scalar = emit_scalar_of(emit, id);

    if (scalar->kind == SPIRV_INT && scalar->width == 64)
        text_add(&emit->text, scalar->is_signed ? "(long long)" : "(unsigned long long)");
    else if (scalar->kind == SPIRV_INT && scalar->width < 32)
        text_add(&emit->text, scalar->is_signed ? "(int)" : "(unsigned int)");
    return emit_operand(emit, id, component);
}

static int32_t exchange(struct emit *emit, const struct spirv_instruction *op, uint32_t component,
                        const char *part, uint32_t value, uint32_t other)
{
    int32_t status;

    text_add(&emit->text, "(%s)", emit_type_name(emit, op->type));
    emit_part(emit, "%s", part);
    text_add(&emit->text, "(");
    status = write_exchanged(emit, value, component);
    if (other != 0 && status == TRM_OK) {
        text_add(&emit->text, ", ");
        status = emit_unsigned(emit, other, WHOLE, false);
    }
    text_add(&emit->text, ")");
    return status;
}

static int32_t reduce(struct emit *emit, const struct spirv_instruction *op, uint32_t component,
                      const struct emit_reduction *reduction)
{
    static const char *const parts[] = {"sg_reduce", "sg_inclusive", "sg_exclusive", "sg_clustered"};
    const struct spirv_type *scalar  = emit_scalar(emit, op->type);
    uint32_t kind                    = op->operands[1];
    bool as_signed = op->opcode == SpvOpGroupNonUniformSMin || op->opcode == SpvOpGroupNonUniformSMax;
    int32_t status;

    if (kind >= sizeof(parts) / sizeof(parts[0]))
        return emit_fail(emit, "the group operation is unknown");
    emit_round(emit, scalar);
    text_add(&emit->text, scalar->kind == SPIRV_INT ? "(%s)(" : "(", emit_type_name(emit, op->type));
    emit_part(emit, "%s", parts[kind]);
    text_add(&emit->text, "(");
    if (scalar->kind == SPIRV_INT && scalar->width == 64)
        text_add(&emit->text, as_signed ? "(long long)" : "(unsigned long long)");
    else if (scalar->kind == SPIRV_INT)
        text_add(&emit->text, as_signed ? "(int)" : "(unsigned int)");
    status = as_signed                   ? emit_signed(emit, op->operands[2], component)
             : scalar->kind == SPIRV_INT ? emit_unsigned(emit, op->operands[2], component, true)
                                         : emit_operand(emit, op->operands[2], component);
    text_add(&emit->text, ", ");
    emit_part(emit, "sg_%s", reduction->name);
    text_add(&emit->text, "()");
    if (kind == SpvGroupOperationExclusiveScan) {
        text_add(&emit->text, ", ");
        if (scalar->kind == SPIRV_INT)
            text_add(&emit->text, scalar->width == 64 ? (as_signed ? "(long long)" : "(unsigned long long)")
                                                      : (as_signed ? "(int)" : "(unsigned int)"));
        emit_neutral(emit, op, reduction);
    }
    if (kind == SpvGroupOperationClusteredReduce && status == TRM_OK) {
        text_add(&emit->text, ", ");
        status = emit_unsigned(emit, op->operands[3], WHOLE, false);
    }
    text_add(&emit->text, "))");
    return status;
}

/* Writes whether all components are equal. */
static int32_t all_equal(struct emit *emit, uint32_t value)
{
    uint32_t count = emit_components(emit, emit->module->ids[value].type);
    int32_t status = TRM_OK;

    text_add(&emit->text, "(");
    for (uint32_t i = 0; i < count && status == TRM_OK; i++) {
        text_add(&emit->text, i == 0 ? "" : " & ");
        emit_part(emit, "sg_all_equal");
        text_add(&emit->text, "(");
        status = write_exchanged(emit, value, i);
        text_add(&emit->text, ")");
    }
    text_add(&emit->text, ")");
    return status;
}

/* Writes a call with a predicate, or with the first component of a ballot. */
static int32_t call(struct emit *emit, const struct spirv_instruction *op, const char *part, uint32_t value,
                    uint32_t other)
{
    const struct spirv_type *type = spirv_type_of(emit->module, value);
    int32_t status;

    if (spirv_type(emit->module, op->type)->kind == SPIRV_INT)
        text_add(&emit->text, "(%s)", emit_type_name(emit, op->type));
    emit_part(emit, "%s", part);
    text_add(&emit->text, "(");
    status = emit_value(emit, value, type->kind == SPIRV_VECTOR ? 0 : WHOLE);
    if (other != 0 && status == TRM_OK) {
        text_add(&emit->text, ", ");
        status = emit_unsigned(emit, other, WHOLE, false);
    }
    text_add(&emit->text, ")");
    return status;
}

static int32_t ballot(struct emit *emit, const struct spirv_instruction *op, uint32_t value,
                      uint32_t component)
{
    int32_t status;

    if (component != 0) {
        emit_literal(emit, emit_scalar(emit, op->type), 0, false);
        return TRM_OK;
    }
    emit_part(emit, "sg_ballot");
    text_add(&emit->text, "(");
    status = emit_value(emit, value, WHOLE);
    text_add(&emit->text, ")");
    return status;
}

static int32_t bit_count(struct emit *emit, const struct spirv_instruction *op)
{
    static const char *const parts[] = {"sg_count", "sg_count_inclusive", "sg_count_exclusive"};

    if (op->operands[1] >= sizeof(parts) / sizeof(parts[0]))
        return emit_fail(emit, "the group operation is unknown");
    return call(emit, op, parts[op->operands[1]], op->operands[2], 0);
}

/* A rotation, of the warp or within clusters, as a shuffle. */
static int32_t rotate(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const uint32_t *o = op->operands;
    uint32_t size     = op->operand_count > 3 ? (uint32_t)spirv_constant(emit->module, o[3])->bits : 32u;
    int32_t status;

    text_add(&emit->text, "(%s)", emit_type_name(emit, op->type));
    emit_part(emit, "sg_rotate");
    text_add(&emit->text, "(");
    status = write_exchanged(emit, o[1], component);
    text_add(&emit->text, ", ");
    if (status == TRM_OK)
        status = emit_unsigned(emit, o[2], WHOLE, false);
    text_add(&emit->text, ", %uu)", size < 32 ? size : 32u);
    return status;
}

static int32_t write_warp(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    const struct emit_reduction *reduction = emit_reduction_of(op->opcode);
    const uint32_t *o                      = op->operands;

    if (reduction != NULL)
        return reduce(emit, op, component, reduction);
    switch (op->opcode) {
    case SpvOpGroupNonUniformElect:
        emit_part(emit, "sg_elect");
        text_add(&emit->text, "()");
        return TRM_OK;
    case SpvOpGroupNonUniformAll:
        return call(emit, op, "sg_all", o[1], 0);
    case SpvOpGroupNonUniformAny:
        return call(emit, op, "sg_any", o[1], 0);
    case SpvOpSubgroupAllKHR:
        return call(emit, op, "sg_all", o[0], 0);
    case SpvOpSubgroupAnyKHR:
        return call(emit, op, "sg_any", o[0], 0);
    case SpvOpGroupNonUniformAllEqual:
        return all_equal(emit, o[1]);
    case SpvOpSubgroupAllEqualKHR:
        return all_equal(emit, o[0]);
    case SpvOpGroupNonUniformBallot:
        return ballot(emit, op, o[1], component);
    case SpvOpSubgroupBallotKHR:
        return ballot(emit, op, o[0], component);
    case SpvOpGroupNonUniformInverseBallot:
        return call(emit, op, "sg_inverse_ballot", o[1], 0);
    case SpvOpGroupNonUniformBallotBitExtract:
        return call(emit, op, "sg_bit", o[1], o[2]);
    case SpvOpGroupNonUniformBallotBitCount:
        return bit_count(emit, op);
    case SpvOpGroupNonUniformBallotFindLSB:
        return call(emit, op, "sg_lsb", o[1], 0);
    case SpvOpGroupNonUniformBallotFindMSB:
        return call(emit, op, "sg_msb", o[1], 0);
    case SpvOpGroupNonUniformBroadcast:
    case SpvOpGroupNonUniformShuffle:
        return exchange(emit, op, component, "sg_shuffle", o[1], o[2]);
    case SpvOpSubgroupReadInvocationKHR:
        return exchange(emit, op, component, "sg_shuffle", o[0], o[1]);
    case SpvOpGroupNonUniformBroadcastFirst:
        return exchange(emit, op, component, "sg_first", o[1], 0);
    case SpvOpSubgroupFirstInvocationKHR:
        return exchange(emit, op, component, "sg_first", o[0], 0);
    case SpvOpGroupNonUniformShuffleXor:
        return exchange(emit, op, component, "sg_shuffle_xor", o[1], o[2]);
    case SpvOpGroupNonUniformShuffleUp:
        return exchange(emit, op, component, "sg_shuffle_up", o[1], o[2]);
    case SpvOpGroupNonUniformShuffleDown:
        return exchange(emit, op, component, "sg_shuffle_down", o[1], o[2]);
    case SpvOpGroupNonUniformQuadBroadcast:
        return exchange(emit, op, component, "sg_quad", o[1], o[2]);
    case SpvOpGroupNonUniformQuadSwap:
        return exchange(emit, op, component, "sg_quad_swap", o[1], o[2]);
    case SpvOpGroupNonUniformRotateKHR:
        return rotate(emit, op, component);
    default:
        return emit_fail(emit, "");
    }
}

int32_t emit_subgroup(struct emit *emit, const struct spirv_instruction *op, uint32_t component)
{
    return emit->language == TRM_LANGUAGE_C ? write_single(emit, op, component)
                                            : write_warp(emit, op, component);
}
