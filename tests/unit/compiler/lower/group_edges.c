/* Matrices of work-groups in modules that are damaged, made to take long, or unusual.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "compiler/lower/group.h"
#include "tests/unit/compiler/lower/lower_fixture.h"

#define PHYSICAL SpvStorageClassPhysicalStorageBuffer

enum {
    MATRIX = 801, /* 8 by 16 floats */
    LAYOUT,
    U_0,
    U_8,
    U_16,
    NOTHING, /* of MATRIX */
    SQUARE,  /* 8 by 8 floats */
    WIDE,    /* 16 by 8 floats */
    NO_WIDE,
    NO_SQUARE,
    ALIKE, /* a constant MATRIX */
    P_MATRIX,
    P_CODED, /* a physical pointer */
    PAIR,
    FUNCTION_TYPE,
    OTHER_FUNCTION,
    LAID,
    MADE,
    SHORT, /* a type behind all others */
    P_SHORT,
    SHORT_VARIABLE,
    SHORT_AT,
    WORDS, /* struct {WORDS_ARRAY} */
    WORDS_ARRAY,
    P_WORDS,
    WORDS_VARIABLE,
    WORDS_AT,
    DEBUG_SET,
    FIRST,
    SECOND,
    SPARE,
    SPARE_2,
    NESTED_FIRST = 900, /* and those that follow */
};

/* ---- modules */

static void add_matrix(void)
{
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, SPIRV_CapabilityCooperativeMatrixKHR);
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, 5430);
    TYPE(SpvOpConstant, U32, U_0, 0);
    TYPE(SpvOpConstant, U32, U_8, 8);
    TYPE(SpvOpConstant, U32, U_16, 16);
    TYPE(SPIRV_OpTypeCooperativeMatrixKHR, MATRIX, F32, U_2, U_8, U_16, U_2);
    TYPE(SpvOpConstantNull, MATRIX, NOTHING);
    TYPE(SpvOpTypePointer, P_MATRIX, SpvStorageClassFunction, MATRIX);
}

/* NOTHING times a matrix of zeros, which needs shared memory. */
static void add_product(void)
{
    TYPE(SPIRV_OpTypeCooperativeMatrixKHR, WIDE, F32, U_2, U_16, U_8, U_2);
    TYPE(SPIRV_OpTypeCooperativeMatrixKHR, SQUARE, F32, U_2, U_8, U_8, U_2);
    TYPE(SpvOpConstantNull, WIDE, NO_WIDE);
    TYPE(SpvOpConstantNull, SQUARE, NO_SQUARE);
    CODE(&builder, SPIRV_OpCooperativeMatrixMulAddKHR, SQUARE, MADE, NOTHING, NO_WIDE, NO_SQUARE);
}

static void end_main(void)
{
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
    builder.is_raw = true;
}

/* Loads through a function that decodes what `pointee` is. */
static void add_decode(uint32_t pointee)
{
    add_matrix();
    ADD(&builder, PART_CAPABILITY, SpvOpCapability, 5434);
    CAPABILITY(PhysicalStorageBufferAddresses);
    TYPE(SpvOpTypePointer, P_CODED, PHYSICAL, pointee);
    TYPE(SpvOpTypeArray, PAIR, U32, U_2);
    TYPE(SpvOpTypeFunction, FUNCTION_TYPE, F32, P_CODED, PAIR, PAIR);
    TYPE(GROUP_OP_TYPE_LAYOUT, LAYOUT, U_2, U_1);
    CODE(&builder, GROUP_OP_CREATE_LAYOUT, LAYOUT, LAID);
    CODE(&builder, GROUP_OP_LOAD_TENSOR, MATRIX, MADE, VALUE(P_ELEMENT), NOTHING, LAID, 0, 2, OTHER_FUNCTION);
    end_main();
    CODE(&builder, SpvOpFunction, F32, OTHER_FUNCTION, 0, FUNCTION_TYPE);
    CODE(&builder, SpvOpFunctionParameter, P_CODED, FIRST);
    CODE(&builder, SpvOpFunctionParameter, PAIR, SECOND);
    CODE(&builder, SpvOpFunctionParameter, PAIR, SPARE);
    CODE(&builder, SpvOpLabel, SPARE_2);
    CODE(&builder, SpvOpReturnValue, F_1);
    CODE0(&builder, SpvOpFunctionEnd);
}

/* A buffer of unsigned integers, which floats are loaded from. */
static void add_words(void)
{
    add_matrix();
    DECORATE(WORDS_ARRAY, SpvDecorationArrayStride, 4);
    DECORATE(WORDS, SpvDecorationBlock);
    ADD(&builder, PART_DECORATION, SpvOpMemberDecorate, WORDS, 0, SpvDecorationOffset, 0);
    ADD(&builder, PART_DECORATION, SpvOpMemberDecorate, WORDS, 1, SpvDecorationOffset, 16);
    bind(WORDS_VARIABLE, 3);
    TYPE(SpvOpTypeRuntimeArray, WORDS_ARRAY, U32);
    TYPE(SpvOpTypeStruct, WORDS, U4, WORDS_ARRAY);
    TYPE(SpvOpTypePointer, P_WORDS, SpvStorageClassStorageBuffer, WORDS);
    TYPE(SpvOpVariable, P_WORDS, WORDS_VARIABLE, SpvStorageClassStorageBuffer);
    CODE(&builder, SpvOpAccessChain, P_WORD, WORDS_AT, WORDS_VARIABLE, U_1, U_8);
    CODE(&builder, SPIRV_OpCooperativeMatrixLoadKHR, MATRIX, MADE, WORDS_AT, U_0, U_16);
}

/* ---- what becomes of them */

static bool has_matrix(const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 5; i < count; i += words[i] >> 16)
        if ((words[i] & 0xffff) == SPIRV_OpTypeCooperativeMatrixKHR)
            return true;
    return false;
}

static bool stays(void)
{
    uint32_t count;
    const uint32_t *words = lower(&count);

    return has_matrix(words, count);
}

/* Lowers the builder's words with others behind them. No word behind these may be read, which a sanitizer
 * sees. */
static bool stays_with(const uint32_t *last, uint32_t last_count, uint32_t bound)
{
    uint32_t count;
    const uint32_t *words = builder_words(&builder, &count);
    uint32_t *all         = malloc((count + last_count) * sizeof(*all));
    const uint32_t *after = all;

    ck_assert_ptr_nonnull(all);
    memcpy(all, words, count * sizeof(*all));
    memcpy(all + count, last, last_count * sizeof(*all));
    all[3] = bound;
    count += last_count;
    ck_assert_int_eq(lower_module(&builder.arena, &after, &count), TRM_OK);
    bool result = has_matrix(after, count);
    free(all);
    return result;
}

static uint32_t count_words(const uint32_t *words, uint32_t count, uint32_t opcode, uint32_t index,
                            uint32_t word)
{
    uint32_t found = 0;

    for (uint32_t i = 5; i < count; i += words[i] >> 16)
        found += (words[i] & 0xffff) == opcode && words[i] >> 16 > index && words[i + index] == word;
    return found;
}

/* ---- damaged modules */

START_TEST(types_that_share_members_are_not_looked_at_without_end)
{
    uint32_t members[101];

    builder.count[PART_CAPABILITY] = 0; /* a type is first, and no decoration is looked at */
    ADD(&builder, PART_CAPABILITY, SpvOpTypeSampler, SHORT);
    for (uint32_t depth = 0; depth < 14; depth++) {
        members[0] = NESTED_FIRST + depth;
        for (uint32_t i = 1; i < SPIRV_COUNT(members); i++)
            members[i] = depth == 0 ? F32 : NESTED_FIRST + depth - 1;
        builder_add(&builder, PART_TYPE, SpvOpTypeStruct, members, SPIRV_COUNT(members));
    }
    add_decode(NESTED_FIRST + 13);
    ck_assert(stays());
    again();
    ADD(&builder, PART_DECORATION, SpvOpMemberDecorate, UU, 1, SpvDecorationOffset, 4);
    add_decode(UU);
    ck_assert(!stays());
}
END_TEST

START_TEST(functions_without_an_end_are_not_looked_at_again_and_again)
{
    enum {
        FUNCTIONS = 300000
    };
    const uint32_t function[] = {
        5u << 16 | SpvOpFunction, VOID, 0, 0, FUNCTION, 2u << 16 | SpvOpLabel, MAIN_LABEL,
        1u << 16 | SpvOpNop};
    uint32_t length     = SPIRV_COUNT(function);
    uint32_t *functions = malloc((size_t)FUNCTIONS * sizeof(function));

    ck_assert_ptr_nonnull(functions);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        memcpy(functions + i * length, function, sizeof(function));
        functions[i * length + 2] = 1000 + i;
    }
    add_matrix();
    TYPE(SpvOpConstantComposite, MATRIX, ALIKE, F_1);
    ck_assert(!stays_with(functions, FUNCTIONS * length, 1000 + FUNCTIONS));
    free(functions);
}
END_TEST

static const uint32_t shorts[][4] = {{4u << 16 | SpvOpTypeInt, SHORT, 32, 0},
                                     {3u << 16 | SpvOpTypeFloat, SHORT, 32},
                                     {4u << 16 | SpvOpTypeVector, SHORT, F32, 4},
                                     {4u << 16 | SpvOpTypeArray, SHORT, F32, U_4},
                                     {3u << 16 | SpvOpTypeRuntimeArray, SHORT, F32, 0}};

/* The last instruction of the module with all its words, and with fewer. */
static bool short_stays(const uint32_t *whole, uint32_t length)
{
    uint32_t words[4];

    memcpy(words, whole, sizeof(words));
    words[0] = length << 16 | (whole[0] & 0xffff);
    return stays_with(words, length, 1000);
}

START_TEST(a_type_that_is_too_short_is_not_read_behind_the_module)
{
    const uint32_t *whole = shorts[_i];

    for (uint32_t length = 2; length <= whole[0] >> 16; length++) {
        again();
        DECORATE(SHORT, SpvDecorationArrayStride, 4);
        add_decode(SHORT);
        ck_assert_int_eq(short_stays(whole, length), length != whole[0] >> 16);
    }
    for (uint32_t length = 2; length <= whole[0] >> 16; length++) {
        bool is_array = (whole[0] & 0xffff) == SpvOpTypeArray || (whole[0] & 0xffff) == SpvOpTypeRuntimeArray;
        again();
        DECORATE(SHORT, SpvDecorationArrayStride, 4);
        add_matrix();
        TYPE(SpvOpTypePointer, P_SHORT, SpvStorageClassStorageBuffer, SHORT);
        TYPE(SpvOpVariable, P_SHORT, SHORT_VARIABLE, SpvStorageClassStorageBuffer);
        CODE(&builder, SpvOpAccessChain, P_ELEMENT, SHORT_AT, SHORT_VARIABLE, U_1);
        CODE(&builder, SPIRV_OpCooperativeMatrixLoadKHR, MATRIX, MADE, SHORT_AT, U_0, U_16);
        ck_assert_int_eq(short_stays(whole, length), !is_array || length != whole[0] >> 16);
        again(); /* an element of an element */
        DECORATE(SHORT, SpvDecorationArrayStride, 4);
        add_matrix();
        TYPE(SpvOpTypePointer, P_SHORT, SpvStorageClassStorageBuffer, SHORT);
        TYPE(SpvOpVariable, P_SHORT, SHORT_VARIABLE, SpvStorageClassStorageBuffer);
        CODE(&builder, SpvOpAccessChain, P_ELEMENT, SHORT_AT, SHORT_VARIABLE, U_1, U_1);
        CODE(&builder, SPIRV_OpCooperativeMatrixLoadKHR, MATRIX, MADE, SHORT_AT, U_0, U_16);
        ck_assert(short_stays(whole, length));
    }
}
END_TEST

START_TEST(an_entry_point_does_not_get_more_names_than_an_instruction_has_words)
{
    enum {
        LONG = 65535
    };
    uint32_t count, at = 5;

    add_matrix();
    add_product();
    const uint32_t *words = builder_words(&builder, &count);
    uint32_t *all         = base_arena_allocate(&builder.arena, count + LONG, sizeof(*all));
    while ((words[at] & 0xffff) != SpvOpEntryPoint)
        at += words[at] >> 16;
    uint32_t old = words[at] >> 16, behind = at + old;
    memcpy(all, words, behind * sizeof(*all));
    all[at] = (uint32_t)LONG << 16 | SpvOpEntryPoint;
    for (uint32_t i = old; i < LONG; i++)
        all[at + i] = VALUE(P_BLOCK);
    memcpy(all + at + LONG, words + behind, (count - behind) * sizeof(*all));
    count += LONG - old;
    words = all;
    ck_assert_int_eq(lower_module(&builder.arena, &words, &count), TRM_OK);
    ck_assert(has_matrix(words, count));
}
END_TEST

START_TEST(the_librarys_own_capabilities_are_not_for_programs)
{
    static const uint32_t capabilities[] = {SPIRV_CapabilityBufferAddresses, SPIRV_CapabilityMatrixSubgroups};

    for (uint32_t i = 0; i < SPIRV_COUNT(capabilities); i++) {
        uint32_t count;
        again();
        ADD(&builder, PART_CAPABILITY, SpvOpCapability, capabilities[i]);
        const uint32_t *words = builder_words(&builder, &count);
        ck_assert_int_eq(lower_module(&builder.arena, &words, &count), UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, i == 0
                                                                    ? "the capability Capability(65500) is "
                                                                      "not supported"
                                                                    : "Capability(65501)"));
    }
}
END_TEST

/* ---- shared memory */

/* Asserts that all accesses of shared memory, of which there are some, have these operands, and the barriers
 * these semantics. */
static void check_shared(const uint32_t *words, uint32_t count, uint32_t mask, uint32_t semantics)
{
    uint8_t *is_shared  = base_arena_allocate(&builder.arena, words[3], 1);
    uint32_t *constants = base_arena_allocate(&builder.arena, words[3], sizeof(*constants));
    uint32_t loads = 0, stores = 0, barriers = 0;

    for (uint32_t i = 5; i < count; i += words[i] >> 16) {
        const uint32_t *at = words + i;
        uint32_t opcode = at[0] & 0xffff, length = at[0] >> 16;
        if (opcode == SpvOpConstant)
            constants[at[2]] = at[3];
        if (opcode == SpvOpVariable && at[3] == SpvStorageClassWorkgroup)
            is_shared[at[2]] = 1;
        if (opcode == SpvOpAccessChain)
            is_shared[at[2]] = is_shared[at[3]];
        uint32_t used = opcode == SpvOpLoad ? 4 : 3;
        if ((opcode == SpvOpLoad && is_shared[at[3]]) || (opcode == SpvOpStore && is_shared[at[1]])) {
            ck_assert_uint_eq(length, used + (mask != 0));
            ck_assert(mask == 0 || at[used] == mask);
            loads += opcode == SpvOpLoad;
            stores += opcode == SpvOpStore;
        }
        if (opcode == SpvOpControlBarrier) {
            ck_assert_uint_eq(constants[at[3]], semantics);
            barriers++;
        }
    }
    ck_assert_uint_ne(loads, 0);
    ck_assert_uint_ne(stores, 0);
    ck_assert_uint_ne(barriers, 0);
}

START_TEST(shared_memory_is_not_private_in_vulkans_memory_model)
{
    const uint32_t order = SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask;

    for (uint32_t is_vulkan = 0; is_vulkan < 2; is_vulkan++)
        for (uint32_t is_turned = 0; is_turned < 2; is_turned++) {
            uint32_t count;
            again();
            if (is_vulkan) {
                CAPABILITY(VulkanMemoryModel);
                builder.count[PART_MODEL] = 0;
                ADD(&builder, PART_MODEL, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelVulkan);
            }
            add_matrix();
            TYPE(SPIRV_OpTypeCooperativeMatrixKHR, SPARE, F32, U_2, U_16, U_8, U_2);
            if (is_turned)
                CODE(&builder, GROUP_OP_TRANSPOSE, SPARE, MADE, NOTHING);
            else
                add_product();
            const uint32_t *words = lower(&count);
            ck_assert(!has_matrix(words, count));
            check_shared(words, count, is_vulkan ? SpvMemoryAccessNonPrivatePointerMask : 0,
                         !is_vulkan ? order
                                    : order | SpvMemorySemanticsMakeAvailableMask |
                                          SpvMemorySemanticsMakeVisibleMask);
        }
}
END_TEST

static void add_shared_block(void)
{
    CAPABILITY(WorkgroupMemoryExplicitLayoutKHR);
    TYPE(SpvOpTypePointer, SPARE, SpvStorageClassWorkgroup, BLOCK_U);
    TYPE(SpvOpVariable, SPARE, SPARE_2, SpvStorageClassWorkgroup);
    TYPE(SpvOpTypePointer, FIRST, SpvStorageClassWorkgroup, U32);
    CODE(&builder, SpvOpAccessChain, FIRST, SECOND, SPARE_2, VALUE(U32));
    CODE(&builder, SpvOpStore, SECOND, U_1);
}

START_TEST(products_stand_not_beside_shared_blocks)
{
    add_shared_block();
    add_matrix();
    add_product();
    refuse_lowered("is not supported");
    again();
    add_shared_block(); /* no shared memory is made */
    add_matrix();
    CODE(&builder, SpvOpFAdd, MATRIX, MADE, NOTHING, NOTHING);
    ck_assert(!accept_lowered()->has_matrices);
    again();
    CAPABILITY(WorkgroupMemoryExplicitLayoutKHR);
    add_matrix();
    add_product();
    ck_assert(!accept_lowered()->has_matrices);
}
END_TEST

START_TEST(shared_memory_has_arrays_without_a_stride)
{
    uint32_t count;

    add_matrix();
    TYPE(SpvOpTypeArray, PAIR, F32, U_16); /* as long as a row */
    DECORATE(PAIR, SpvDecorationArrayStride, 16);
    TYPE(SpvOpTypeFunction, FUNCTION_TYPE, F32, F32, F32);
    CODE(&builder, GROUP_OP_REDUCE, MATRIX, MADE, NOTHING, 1, OTHER_FUNCTION);
    end_main();
    CODE(&builder, SpvOpFunction, F32, OTHER_FUNCTION, 0, FUNCTION_TYPE);
    CODE(&builder, SpvOpFunctionParameter, F32, FIRST);
    CODE(&builder, SpvOpFunctionParameter, F32, SECOND);
    CODE(&builder, SpvOpLabel, SPARE_2);
    CODE(&builder, SpvOpReturnValue, FIRST);
    CODE0(&builder, SpvOpFunctionEnd);
    const uint32_t *words = lower(&count);
    ck_assert(!has_matrix(words, count));
    ck_assert_uint_eq(count_words(words, count, SpvOpTypeArray, 3, U_16),
                      2); /* PAIR, and that of the lines */
    ck_assert_uint_eq(count_words(words, count, SpvOpTypePointer, 3, PAIR), 0);
}
END_TEST

/* ---- variables */

static void add_variables(uint32_t between)
{
    const uint32_t set[] = {DEBUG_SET};

    builder_add_text(&builder, PART_EXTENSION, SpvOpExtension, NULL, 0, "SPV_KHR_non_semantic_info");
    builder_add_text(&builder, PART_IMPORT, SpvOpExtInstImport, set, 1, "NonSemantic.Shader.DebugInfo.100");
    add_matrix();
    TYPE(SpvOpConstantComposite, MATRIX, ALIKE, F_1);
    CODE(&builder, SpvOpFunctionCall, VOID, SPARE, OTHER_FUNCTION);
    end_main();
    CODE(&builder, SpvOpFunction, VOID, OTHER_FUNCTION, 0, FUNCTION);
    CODE(&builder, SpvOpLabel, SPARE_2);
    CODE(&builder, SpvOpVariable, P_MATRIX, FIRST, SpvStorageClassFunction, ALIKE);
    if (between == SpvOpExtInst)
        CODE(&builder, SpvOpExtInst, VOID, LAID, DEBUG_SET, 102);
    else
        CODE(&builder, SpvOpLoad, MATRIX, LAID, FIRST);
    CODE(&builder, SpvOpVariable, P_MATRIX, SECOND, SpvStorageClassFunction, ALIKE);
    CODE(&builder, SpvOpLoad, MATRIX, MADE, SECOND);
    CODE(&builder, SpvOpFNegate, MATRIX, SHORT, MADE);
    CODE(&builder, SpvOpStore, FIRST, SHORT);
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
}

START_TEST(debug_information_among_variables_does_not_lose_their_first_values)
{
    uint32_t count;

    add_variables(SpvOpExtInst);
    const uint32_t *words = lower(&count);
    ck_assert(!has_matrix(words, count));
    ck_assert_uint_eq(count_words(words, count, SpvOpStore, 1, FIRST), 2);
    ck_assert_uint_eq(count_words(words, count, SpvOpStore, 1, SECOND), 1);
    again();
    add_variables(SpvOpLoad);
    ck_assert(stays());
}
END_TEST

/* The views' members that are decorated so, beside the buffer's own. */
static uint32_t count_views(uint32_t kind)
{
    uint32_t count, own;
    const uint32_t *words = lower(&count);

    ck_assert(!has_matrix(words, count));
    own = 0;
    for (uint32_t i = 5; i < count; i += words[i] >> 16)
        own += (words[i] & 0xffff) == SpvOpMemberDecorate && words[i + 1] == WORDS && words[i + 3] == kind;
    return count_words(words, count, SpvOpMemberDecorate, 3, kind) - own;
}

START_TEST(a_view_is_decorated_as_the_members_of_its_buffer)
{
    static const uint32_t kinds[] = {SpvDecorationNonWritable, SpvDecorationNonReadable,
                                     SpvDecorationCoherent, SpvDecorationVolatile};

    for (uint32_t i = 0; i < SPIRV_COUNT(kinds); i++)
        for (uint32_t members = 0; members < 3; members++) {
            again();
            add_words();
            for (uint32_t k = 0; k < members; k++)
                ADD(&builder, PART_DECORATION, SpvOpMemberDecorate, WORDS, k, kinds[i]);
            ck_assert_uint_eq(count_views(kinds[i]), members > (i < 2 ? 1 : 0));
        }
}
END_TEST

START_TEST(groups_of_decorations_are_not_followed)
{
    add_words();
    DECORATE(SPARE, SpvDecorationNonWritable);
    ADD(&builder, PART_DECORATION, SpvOpDecorationGroup, SPARE);
    ADD(&builder, PART_DECORATION, SpvOpGroupDecorate, SPARE, WORDS_VARIABLE);
    ck_assert(stays());
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("group_edges");
    TCase *all   = tcase_create("group_edges");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, types_that_share_members_are_not_looked_at_without_end);
    tcase_add_test(all, functions_without_an_end_are_not_looked_at_again_and_again);
    tcase_add_loop_test(all, a_type_that_is_too_short_is_not_read_behind_the_module, 0,
                        (int)SPIRV_COUNT(shorts));
    tcase_add_test(all, an_entry_point_does_not_get_more_names_than_an_instruction_has_words);
    tcase_add_test(all, the_librarys_own_capabilities_are_not_for_programs);
    tcase_add_test(all, shared_memory_is_not_private_in_vulkans_memory_model);
    tcase_add_test(all, products_stand_not_beside_shared_blocks);
    tcase_add_test(all, shared_memory_has_arrays_without_a_stride);
    tcase_add_test(all, debug_information_among_variables_does_not_lose_their_first_values);
    tcase_add_test(all, a_view_is_decorated_as_the_members_of_its_buffer);
    tcase_add_test(all, groups_of_decorations_are_not_followed);
    tcase_set_timeout(all, 120);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
