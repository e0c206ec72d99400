/* The types that each instruction accepts. Each row is one instruction that the reader accepts or refuses.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/spirv/spirv_builder.h"
#include "tests/unit/runner.h"

struct row {
    uint32_t opcode;
    uint32_t type;
    uint32_t operands[8];
    uint32_t count;
    bool fits;
};

/* Instructions with a result. */
#define GOOD(opcode, type, ...)                                                         \
    {                                                                                   \
        SpvOp##opcode, type, {__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4, true \
    }
#define BAD(opcode, type, ...)                                                           \
    {                                                                                    \
        SpvOp##opcode, type, {__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4, false \
    }

#define B VALUE(BOOL)
#define B2 VALUE(BOOL2)
#define U VALUE(U32)
#define I VALUE(I32)
#define F VALUE(F32)

static const struct row arithmetic[] = {
    GOOD(IAdd, U32, U, I),
    GOOD(IAdd, U2, VALUE(U2), VALUE(I2)),
    BAD(IAdd, U32, U, F),
    BAD(IAdd, U2, VALUE(U2), U),
    BAD(IAdd, F32, F, F),
    GOOD(SNegate, I32, I),
    BAD(SNegate, I32, VALUE(I2)),
    GOOD(FMul, V2, VALUE(V2), VALUE(V2)),
    BAD(FMul, V2, VALUE(V2), F),
    BAD(FMul, M2, VALUE(M2), VALUE(M2)),
    GOOD(LogicalAnd, BOOL2, B2, B2),
    BAD(LogicalAnd, BOOL, B, U),
    BAD(LogicalNot, BOOL, B2),
    GOOD(ShiftLeftLogical, U2, VALUE(U2), VALUE(I2)),
    BAD(ShiftLeftLogical, U2, VALUE(U2), U),
    BAD(ShiftLeftLogical, F32, F, U),
    GOOD(BitCount, I32, U),
    BAD(BitCount, U2, U),
    GOOD(BitFieldInsert, U2, VALUE(U2), VALUE(U2), U, I),
    BAD(BitFieldInsert, U2, VALUE(U2), VALUE(U2), U, VALUE(U2)),
    GOOD(BitFieldUExtract, U32, U, U, U),
    BAD(BitFieldUExtract, U32, F, U, U),
    GOOD(IEqual, BOOL2, VALUE(U2), VALUE(I2)),
    BAD(IEqual, BOOL, VALUE(U2), VALUE(U2)),
    BAD(IEqual, BOOL, F, F),
    GOOD(FOrdLessThan, BOOL, F, F),
    BAD(FOrdLessThan, U32, F, F),
    GOOD(IsNan, BOOL, F),
    BAD(IsNan, BOOL, U),
    GOOD(Any, BOOL, B2),
    BAD(Any, BOOL, B),
    GOOD(Select, V2, B2, VALUE(V2), VALUE(V2)),
    GOOD(Select, V2, B, VALUE(V2), VALUE(V2)),
    GOOD(Select, FLOATS, B, VALUE(FLOATS), VALUE(FLOATS)),
    BAD(Select, V3, B2, VALUE(V3), VALUE(V3)),
    BAD(Select, U32, B, U, I),
    BAD(Select, U32, U, U, U),
    BAD(Select, P_F32, B, VALUE(P_F32), VALUE(P_F32)),
    GOOD(ConvertFToU, U2, VALUE(V2)),
    BAD(ConvertFToU, U2, VALUE(V3)),
    BAD(ConvertFToU, U32, U),
    GOOD(ConvertSToF, F32, I),
    BAD(ConvertSToF, F32, F),
    GOOD(UConvert, I32, U),
    BAD(UConvert, I32, F),
    GOOD(FConvert, F32, F),
    BAD(FConvert, U32, F),
    GOOD(QuantizeToF16, V2, VALUE(V2)),
    BAD(QuantizeToF16, V2, F),
    GOOD(Bitcast, U32, F),
    BAD(Bitcast, U2, F),
    BAD(Bitcast, BOOL, F),
    BAD(Bitcast, U32, B),
    GOOD(IAddCarry, UU, U, U),
    BAD(IAddCarry, FF, U, U),
    BAD(IAddCarry, UU, VALUE(U2), VALUE(U2)),
    BAD(IAddCarry, U32, U, U),
};

static const struct row composites[] = {
    GOOD(VectorTimesScalar, V2, VALUE(V2), F),
    BAD(VectorTimesScalar, V2, VALUE(V3), F),
    BAD(VectorTimesScalar, U2, VALUE(U2), U),
    GOOD(MatrixTimesScalar, M2, VALUE(M2), F),
    BAD(MatrixTimesScalar, M2, VALUE(M2), U),
    GOOD(VectorTimesMatrix, V2, VALUE(V3), VALUE(M2X3)),
    BAD(VectorTimesMatrix, V2, VALUE(V2), VALUE(M2X3)),
    BAD(VectorTimesMatrix, V3, VALUE(V3), VALUE(M2X3)),
    GOOD(MatrixTimesVector, V3, VALUE(M2X3), VALUE(V2)),
    BAD(MatrixTimesVector, V3, VALUE(M2X3), VALUE(V3)),
    GOOD(MatrixTimesMatrix, M2, VALUE(M3X2), VALUE(M2X3)),
    BAD(MatrixTimesMatrix, M2, VALUE(M2X3), VALUE(M3X2)),
    GOOD(OuterProduct, M2X3, VALUE(V3), VALUE(V2)),
    BAD(OuterProduct, M2X3, VALUE(V2), VALUE(V3)),
    GOOD(Dot, F32, VALUE(V2), VALUE(V2)),
    BAD(Dot, F32, VALUE(V2), VALUE(V3)),
    BAD(Dot, U32, VALUE(U2), VALUE(U2)),
    GOOD(Transpose, M3X2, VALUE(M2X3)),
    BAD(Transpose, M2X3, VALUE(M2X3)),
    GOOD(VectorExtractDynamic, F32, VALUE(V2), I),
    BAD(VectorExtractDynamic, F32, VALUE(V2), F),
    BAD(VectorExtractDynamic, F32, VALUE(FLOATS), I),
    GOOD(VectorInsertDynamic, V2, VALUE(V2), F, U),
    BAD(VectorInsertDynamic, V2, VALUE(V2), U, U),
    GOOD(VectorShuffle, V4, VALUE(V2), VALUE(V3), 0, 4, UINT32_MAX, 1),
    BAD(VectorShuffle, V4, VALUE(V2), VALUE(V3), 0, 5, 1, 1),
    BAD(VectorShuffle, V4, VALUE(V2), VALUE(V3), 0, 1, 1),
    BAD(VectorShuffle, V2, VALUE(V2), VALUE(U2), 0, 1),
    GOOD(CompositeConstruct, V4, VALUE(V2), F, F),
    BAD(CompositeConstruct, V4, VALUE(V2), F),
    BAD(CompositeConstruct, V4, VALUE(V2), F, U),
    GOOD(CompositeConstruct, FI, F, I),
    BAD(CompositeConstruct, FI, I, F),
    BAD(CompositeConstruct, FI, F),
    BAD(CompositeConstruct, U32, U),
    GOOD(CompositeExtract, F32, VALUE(NESTED), 1, 3),
    GOOD(CompositeExtract, V2, VALUE(M2), 1),
    BAD(CompositeExtract, F32, VALUE(NESTED), 1, 4),
    BAD(CompositeExtract, F32, VALUE(NESTED), 1, 3, 0),
    BAD(CompositeExtract, U32, VALUE(NESTED), 1, 3),
    GOOD(CompositeInsert, NESTED, F, VALUE(NESTED), 0, 3),
    BAD(CompositeInsert, NESTED, F, VALUE(NESTED), 0, 4),
    BAD(CompositeInsert, NESTED, U, VALUE(NESTED), 0, 3),
    GOOD(CopyObject, NESTED, VALUE(NESTED)),
    GOOD(CopyObject, P_BLOCK, VALUE(P_BLOCK)),
    BAD(CopyObject, P_F32, VALUE(P_ELEMENT)),
    BAD(CopyObject, V2, VALUE(V3)),
    GOOD(CopyLogical, FF, VALUE(FF)),
    BAD(CopyLogical, FF, VALUE(UU)),
};

static const struct row memory[] = {
    GOOD(Load, F32, VALUE(P_F32)),
    GOOD(Load, F32, VALUE(P_F32), SpvMemoryAccessAlignedMask, 4),
    BAD(Load, F32, VALUE(P_F32), SpvMemoryAccessAlignedMask),
    BAD(Load, F32, VALUE(P_F32), SpvMemoryAccessMaskNone, 4),
    BAD(Load, U32, VALUE(P_F32)),
    BAD(Load, F32, F),
    BAD(Load, BLOCK, VALUE(P_BLOCK)),
    GOOD(AccessChain, P_F32, VALUE(P_V4), U_3),
    BAD(AccessChain, P_F32, VALUE(P_V4), U_4),
    BAD(AccessChain, P_F32, VALUE(P_V4), I_MINUS_1),
    GOOD(AccessChain, P_F32, VALUE(P_NESTED), VALUE(U32), U_4), /* indices of arrays are not checked */
    BAD(AccessChain, P_F32, VALUE(P_NESTED), U_2, U_1),
    BAD(AccessChain, P_F32, VALUE(P_NESTED), U_1),
    BAD(AccessChain, P_F32, VALUE(P_NESTED), VALUE(U32), F_1),
    BAD(AccessChain, P_F32, VALUE(P_BLOCK), VALUE(U32), U_1),
    BAD(AccessChain, P_U32, VALUE(P_V4), U_1),
    GOOD(ArrayLength, U32, VALUE(P_BLOCK), 0),
    BAD(ArrayLength, U32, VALUE(P_BLOCK), 1),
    BAD(ArrayLength, U32, VALUE(P_BLOCK_U), 0),
    BAD(ArrayLength, F32, VALUE(P_BLOCK), 0),
    GOOD(AtomicLoad, U32, VALUE(P_WORD), U_1, U),
    BAD(AtomicLoad, F32, VALUE(P_WORD), U_1, U),
    GOOD(AtomicIAdd, U32, VALUE(P_WORD), U_1, U, U_2),
    BAD(AtomicIAdd, U32, VALUE(P_WORD), U_1, U, F_1),
    BAD(AtomicIAdd, U32, VALUE(P_WORD), F_1, U, U_2),
    BAD(AtomicIAdd, F32, VALUE(P_ELEMENT), U_1, U, F_1),
    GOOD(AtomicIIncrement, U32, VALUE(P_WORD), U_1, U),
    BAD(AtomicIIncrement, U32, VALUE(P_WORD), U_1),
    GOOD(AtomicExchange, F32, VALUE(P_ELEMENT), U_1, U, F_1),
    GOOD(AtomicCompareExchange, U32, VALUE(P_WORD), U_1, U, U, U_2, U_3),
    BAD(AtomicCompareExchange, F32, VALUE(P_ELEMENT), U_1, U, U, F_1, F_1),
};

#define GLSL_GOOD(name, type, ...) GOOD(ExtInst, type, GLSL, GLSLstd450##name, __VA_ARGS__)
#define GLSL_BAD(name, type, ...) BAD(ExtInst, type, GLSL, GLSLstd450##name, __VA_ARGS__)

static const struct row extended[] = {
    GLSL_GOOD(Sqrt, V2, VALUE(V2)),
    GLSL_BAD(Sqrt, V2, F),
    GLSL_BAD(Sqrt, U32, U),
    GLSL_BAD(Sqrt, F32, F, F),
    GLSL_GOOD(SMax, I32, I, U),
    GLSL_BAD(SMax, I32, I, F),
    GLSL_GOOD(FClamp, F32, F, F, F),
    GLSL_BAD(FClamp, F32, F, F),
    GLSL_GOOD(Ldexp, V2, VALUE(V2), VALUE(I2)),
    GLSL_BAD(Ldexp, V2, VALUE(V2), I),
    GLSL_GOOD(Frexp, F32, F, VALUE(P_I32)),
    GLSL_BAD(Frexp, F32, F, VALUE(P_F32)),
    GLSL_BAD(Frexp, F32, F, I),
    GLSL_GOOD(FrexpStruct, FI, F),
    GLSL_BAD(FrexpStruct, FF, F),
    GLSL_GOOD(Modf, F32, F, VALUE(P_F32)),
    GLSL_BAD(Modf, F32, F, VALUE(P_U32)),
    GLSL_GOOD(ModfStruct, FF, F),
    GLSL_BAD(ModfStruct, UU, F),
    GLSL_GOOD(Determinant, F32, VALUE(M2)),
    GLSL_BAD(Determinant, F32, VALUE(M2X3)),
    GLSL_GOOD(MatrixInverse, M2, VALUE(M2)),
    GLSL_BAD(MatrixInverse, M2, VALUE(V2)),
    GLSL_GOOD(PackHalf2x16, U32, VALUE(V2)),
    GLSL_BAD(PackHalf2x16, U32, VALUE(V4)),
    GLSL_GOOD(PackUnorm4x8, U32, VALUE(V4)),
    GLSL_BAD(PackUnorm4x8, F32, VALUE(V4)),
    GLSL_GOOD(UnpackSnorm2x16, V2, U),
    GLSL_BAD(UnpackSnorm2x16, V4, U),
    GLSL_GOOD(UnpackUnorm4x8, V4, U),
    GLSL_BAD(UnpackUnorm4x8, V4, F),
    GLSL_GOOD(Length, F32, VALUE(V3)),
    GLSL_BAD(Length, V3, VALUE(V3)),
    GLSL_GOOD(Distance, F32, VALUE(V3), VALUE(V3)),
    GLSL_BAD(Distance, F32, VALUE(V3), VALUE(V2)),
    GLSL_GOOD(Cross, V3, VALUE(V3), VALUE(V3)),
    GLSL_BAD(Cross, V2, VALUE(V2), VALUE(V2)),
    GLSL_GOOD(Refract, V3, VALUE(V3), VALUE(V3), F),
    GLSL_BAD(Refract, V3, VALUE(V3), VALUE(V3), VALUE(V3)),
};

static const struct row groups[] = {
    GOOD(GroupNonUniformElect, BOOL, U_3),
    BAD(GroupNonUniformElect, U32, U_3),
    GOOD(GroupNonUniformAll, BOOL, U_3, B),
    BAD(GroupNonUniformAll, BOOL, U_3, U),
    GOOD(GroupNonUniformAllEqual, BOOL, U_3, VALUE(V2)),
    BAD(GroupNonUniformAllEqual, BOOL, U_3, VALUE(M2)),
    GOOD(GroupNonUniformBroadcast, V2, U_3, VALUE(V2), U),
    BAD(GroupNonUniformBroadcast, V2, U_3, VALUE(V3), U),
    GOOD(GroupNonUniformBroadcastFirst, F32, U_3, F),
    BAD(GroupNonUniformBroadcastFirst, F32, U_3, U),
    GOOD(GroupNonUniformBallot, U4, U_3, B),
    BAD(GroupNonUniformBallot, U3, U_3, B),
    GOOD(GroupNonUniformInverseBallot, BOOL, U_3, VALUE(U4)),
    BAD(GroupNonUniformInverseBallot, BOOL, U_3, U),
    GOOD(GroupNonUniformBallotBitExtract, BOOL, U_3, VALUE(U4), U),
    BAD(GroupNonUniformBallotBitExtract, BOOL, U_3, VALUE(U4), F),
    GOOD(GroupNonUniformBallotBitCount, U32, U_3, SpvGroupOperationExclusiveScan, VALUE(U4)),
    BAD(GroupNonUniformBallotBitCount, U32, U_3, SpvGroupOperationClusteredReduce, VALUE(U4)),
    GOOD(GroupNonUniformBallotFindLSB, U32, U_3, VALUE(U4)),
    BAD(GroupNonUniformBallotFindLSB, F32, U_3, VALUE(U4)),
    GOOD(GroupNonUniformShuffle, U2, U_3, VALUE(U2), U),
    BAD(GroupNonUniformShuffle, U2, U_3, VALUE(U2), VALUE(U2)),
    GOOD(GroupNonUniformIAdd, U32, U_3, SpvGroupOperationReduce, U),
    BAD(GroupNonUniformIAdd, U32, U_3, SpvGroupOperationReduce, F),
    BAD(GroupNonUniformIAdd, F32, U_3, SpvGroupOperationReduce, F),
    GOOD(GroupNonUniformFAdd, V2, U_3, SpvGroupOperationInclusiveScan, VALUE(V2)),
    GOOD(GroupNonUniformFAdd, V2, U_3, SpvGroupOperationClusteredReduce, VALUE(V2), U_4),
    BAD(GroupNonUniformFAdd, V2, U_3, SpvGroupOperationClusteredReduce, VALUE(V2), U_3),
    BAD(GroupNonUniformFAdd, V2, U_3, SpvGroupOperationClusteredReduce, VALUE(V2)),
    GOOD(GroupNonUniformLogicalAnd, BOOL, U_3, SpvGroupOperationReduce, B),
    BAD(GroupNonUniformLogicalAnd, U32, U_3, SpvGroupOperationReduce, U),
    GOOD(GroupNonUniformQuadSwap, F32, U_3, F, U_2),
    GOOD(GroupNonUniformRotateKHR, V2, U_3, VALUE(V2), U),
    GOOD(GroupNonUniformRotateKHR, V2, U_3, VALUE(V2), U, U_4),
    BAD(GroupNonUniformRotateKHR, V2, U_3, VALUE(V2), U, U_3),
    BAD(GroupNonUniformRotateKHR, U32, U_3, VALUE(V2), U),
    BAD(GroupNonUniformQuadSwap, F32, U_3, F, U_3),
    BAD(GroupNonUniformAll, BOOL, B, B),
};

static void check_rows(const struct row *rows, uint32_t count, const uint32_t *capabilities,
                       uint32_t capability_count)
{
    static struct builder builder;

    for (uint32_t i = 0; i < count; i++) {
        struct spirv_module *module;
        uint32_t words[10] = {rows[i].type, 0};
        char name[32];
        builder_begin(&builder);
        for (uint32_t c = 0; c < capability_count; c++)
            ADD(&builder, PART_CAPABILITY, SpvOpCapability, capabilities[c]);
        words[1] = builder_id(&builder);
        for (uint32_t o = 0; o < rows[i].count; o++)
            words[2 + o] = rows[i].operands[o];
        builder_add(&builder, PART_CODE, rows[i].opcode, words, rows[i].count + 2);
        int32_t status = builder_read(&builder, NULL, 0, &module);
        ck_assert_msg(status == (rows[i].fits ? TRM_OK : TRM_ERROR_INVALID_ARGUMENT), "row %u, %s: %s (%s)",
                      i, spirv_opcode_name(rows[i].opcode, name), trm_status_name(status),
                      status != TRM_OK ? trm_last_error().sentence : "");
        builder_end(&builder);
    }
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]), NULL, 0)

START_TEST(arithmetic_takes_operands_that_are_like_its_result)
{
    CHECK_ROWS(arithmetic);
}
END_TEST

START_TEST(composites_are_taken_apart_and_put_together_by_their_types)
{
    CHECK_ROWS(composites);
}
END_TEST

START_TEST(memory_has_the_type_of_its_pointer)
{
    CHECK_ROWS(memory);
}
END_TEST

START_TEST(instructions_of_glsl_check_their_operands)
{
    CHECK_ROWS(extended);
}
END_TEST

START_TEST(group_operations_take_scalars_vectors_and_ballots)
{
    static const uint32_t capabilities[] = {
        SpvCapabilityGroupNonUniform,           SpvCapabilityGroupNonUniformVote,
        SpvCapabilityGroupNonUniformBallot,     SpvCapabilityGroupNonUniformShuffle,
        SpvCapabilityGroupNonUniformArithmetic, SpvCapabilityGroupNonUniformQuad,
        SpvCapabilityGroupNonUniformRotateKHR,
    };

    check_rows(groups, sizeof(groups) / sizeof(groups[0]), capabilities,
               sizeof(capabilities) / sizeof(capabilities[0]));
}
END_TEST

static struct builder builder;

static void open_builder(void)
{
    builder_begin(&builder);
}

static void close_builder(void)
{
    builder_end(&builder);
}

START_TEST(a_store_has_the_type_of_its_pointer)
{
    CODE(&builder, SpvOpStore, VALUE(P_F32), F_1);
    builder_accept(&builder);
    builder_end(&builder);
    builder_begin(&builder);
    CODE(&builder, SpvOpStore, VALUE(P_F32), U_1);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "OpStore");
}
END_TEST

START_TEST(copies_of_memory_are_of_one_type)
{
    CODE(&builder, SpvOpCopyMemory, VALUE(P_F32), VALUE(P_ELEMENT));
    builder_accept(&builder);
    builder_end(&builder);
    builder_begin(&builder);
    CODE(&builder, SpvOpCopyMemory, VALUE(P_F32), VALUE(P_WORD));
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "OpCopyMemory");
}
END_TEST

START_TEST(a_buffer_that_is_only_read_is_not_written)
{
    ADD(&builder, PART_DECORATION, SpvOpDecorate, VALUE(P_BLOCK), SpvDecorationNonWritable);
    CODE(&builder, SpvOpLoad, F32, builder_id(&builder), VALUE(P_ELEMENT));
    builder_accept(&builder);
    builder_end(&builder);
    builder_begin(&builder);
    ADD(&builder, PART_DECORATION, SpvOpDecorate, VALUE(P_BLOCK), SpvDecorationNonWritable);
    CODE(&builder, SpvOpStore, VALUE(P_ELEMENT), F_1);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "only read");
}
END_TEST

START_TEST(atomics_are_on_shared_memory)
{
    CODE(&builder, SpvOpAtomicIAdd, U32, builder_id(&builder), VALUE(P_U32), U_1, U, U_2);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "atomics in storage class");
}
END_TEST

START_TEST(atomics_of_floats_need_their_capability)
{
    CODE(&builder, SpvOpAtomicFAddEXT, F32, builder_id(&builder), VALUE(P_ELEMENT), U_1, U, F_1);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "AtomicFloat32AddEXT");
    builder_end(&builder);
    builder_begin(&builder);
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityAtomicFloat32AddEXT);
    CODE(&builder, SpvOpAtomicFAddEXT, F32, builder_id(&builder), VALUE(P_ELEMENT), U_1, U, F_1);
    builder_accept(&builder);
}
END_TEST

START_TEST(group_operations_need_their_capability_and_the_scope_of_a_subgroup)
{
    CODE(&builder, SpvOpGroupNonUniformElect, BOOL, builder_id(&builder), U_3);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "GroupNonUniform");
    builder_end(&builder);
    builder_begin(&builder);
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SpvCapabilityGroupNonUniform);
    CODE(&builder, SpvOpGroupNonUniformElect, BOOL, builder_id(&builder), U_2);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "another scope");
}
END_TEST

START_TEST(barriers_are_of_a_work_group_or_a_subgroup)
{
    CODE(&builder, SpvOpControlBarrier, U_2, U_2, U);
    ck_assert_uint_eq(builder_accept(&builder)->functions[0]->has_barrier, 1);
    builder_end(&builder);
    builder_begin(&builder);
    CODE(&builder, SpvOpControlBarrier, U_1, U_1, U);
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "barriers of scope 1");
    builder_end(&builder);
    builder_begin(&builder);
    CODE(&builder, SpvOpMemoryBarrier, U_1, F_1);
    builder_refuse(&builder, TRM_ERROR_INVALID_ARGUMENT, "OpMemoryBarrier");
}
END_TEST

START_TEST(the_error_names_an_unknown_instruction)
{
    CODE(&builder, SpvOpEmitStreamVertex, VALUE(U32));
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "OpEmitStreamVertex");
    builder_end(&builder);
    builder_begin(&builder);
    CODE(&builder, SpvOpExtInst, F32, builder_id(&builder), GLSL, GLSLstd450InterpolateAtCentroid,
         VALUE(F32));
    builder_refuse(&builder, TRM_ERROR_UNSUPPORTED, "GLSL.std.450");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: types of instructions");
    TCase *rows  = tcase_create("rows");
    TCase *one   = tcase_create("one by one");

    tcase_add_test(rows, arithmetic_takes_operands_that_are_like_its_result);
    tcase_add_test(rows, composites_are_taken_apart_and_put_together_by_their_types);
    tcase_add_test(rows, memory_has_the_type_of_its_pointer);
    tcase_add_test(rows, instructions_of_glsl_check_their_operands);
    tcase_add_test(rows, group_operations_take_scalars_vectors_and_ballots);
    suite_add_tcase(suite, rows);
    tcase_add_checked_fixture(one, open_builder, close_builder);
    tcase_add_test(one, a_store_has_the_type_of_its_pointer);
    tcase_add_test(one, copies_of_memory_are_of_one_type);
    tcase_add_test(one, a_buffer_that_is_only_read_is_not_written);
    tcase_add_test(one, atomics_are_on_shared_memory);
    tcase_add_test(one, atomics_of_floats_need_their_capability);
    tcase_add_test(one, group_operations_need_their_capability_and_the_scope_of_a_subgroup);
    tcase_add_test(one, barriers_are_of_a_work_group_or_a_subgroup);
    tcase_add_test(one, the_error_names_an_unknown_instruction);
    suite_add_tcase(suite, one);
    return suite;
}

UNIT_SUITE(make_suite)
