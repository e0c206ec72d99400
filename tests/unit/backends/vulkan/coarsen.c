/* Tests of thread coarsening: which kernels are coarsened, and how. tests/vulkan/coarsen.c and
 * tests/differential test on devices that coarsened kernels compute the same.
 * SPDX-License-Identifier: MIT
 */
#include <spirv/unified1/spirv.h>

#include "backends/vulkan/spirv/coarsen.h"
#include "backends/vulkan/spirv/words.h"
#include "tests/unit/backends/vulkan/fake.h"
#include "tests/unit/runner.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define OP(name, length) ((length) << 16 | SpvOp##name)
#define TEXT(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define WORDS_MOST 2048u
#define ITEMS 3u
#define GROUP 64u

enum {
    MAIN = 1,
    PLACE,    /* GlobalInvocationId */
    LOCAL,    /* LocalInvocationId */
    SHARED,   /* workgroup memory */
    DATA,     /* a storage buffer */
    VOID,     /* types */
    FUNCTION, /* void() */
    NUMBER,   /* uint */
    VECTOR,   /* uvec3 */
    PLACES,   /* pointers to VECTOR and NUMBER, Input */
    PLACE_X,
    NUMBERS, /* a runtime array, a block with it, a pointer to the block and one to an element */
    BLOCK,
    BLOCKS,
    ELEMENT,
    OF_GROUP, /* a pointer to a number in workgroup memory */
    BOOL,
    ZERO, /* constants */
    ONE,
    ENTRY, /* labels */
    WAY,
    OUT,
    OTHER,
    MERGE,
    AGAIN,
    AT, /* results: the pointer to x, x, the condition */
    X,
    LEAVES,
    PLACE_IN, /* the pointer to a number, its old and its new value */
    OLD,
    NEW,
    MORE,
    CHOSEN,
    LAST, /* a label, and the result of OpPhi there */
    FINAL,
    BOUND
};

/* clang-format off */
static const uint32_t globals[] = {
    SpvMagicNumber, 0x00010300, 0, BOUND, 0,
    OP(Capability, 2), SpvCapabilityShader,
    OP(MemoryModel, 3), 0, 1,
    OP(EntryPoint, 6), SpvExecutionModelGLCompute, MAIN, TEXT('m', 'a', 'i', 'n'), 0, PLACE,
    OP(Name, 4), MAIN, TEXT('m', 'a', 'i', 'n'), 0,
    OP(Decorate, 4), PLACE, SpvDecorationBuiltIn, SpvBuiltInGlobalInvocationId,
    OP(Decorate, 4), LOCAL, SpvDecorationBuiltIn, SpvBuiltInLocalInvocationId,
    OP(Decorate, 3), NEW, SpvDecorationNoContraction,
    OP(TypeVoid, 2), VOID,
    OP(TypeFunction, 3), FUNCTION, VOID,
    OP(TypeInt, 4), NUMBER, 32, 0,
    OP(TypeVector, 4), VECTOR, NUMBER, 3,
    OP(TypePointer, 4), PLACES, SpvStorageClassInput, VECTOR,
    OP(TypePointer, 4), PLACE_X, SpvStorageClassInput, NUMBER,
    OP(TypeRuntimeArray, 3), NUMBERS, NUMBER,
    OP(TypeStruct, 3), BLOCK, NUMBERS,
    OP(TypePointer, 4), BLOCKS, SpvStorageClassStorageBuffer, BLOCK,
    OP(TypePointer, 4), ELEMENT, SpvStorageClassStorageBuffer, NUMBER,
    OP(TypePointer, 4), OF_GROUP, SpvStorageClassWorkgroup, NUMBER,
    OP(TypeBool, 2), BOOL,
    OP(Constant, 4), NUMBER, ZERO, 0,
    OP(Constant, 4), NUMBER, ONE, 1,
    OP(Variable, 4), PLACES, PLACE, SpvStorageClassInput,
    OP(Variable, 4), PLACES, LOCAL, SpvStorageClassInput,
    OP(Variable, 4), OF_GROUP, SHARED, SpvStorageClassWorkgroup,
    OP(Variable, 4), BLOCKS, DATA, SpvStorageClassStorageBuffer,
    OP(Function, 5), VOID, MAIN, 0, FUNCTION,
    OP(Label, 2), ENTRY,
};

/* x = GlobalInvocationId.x; if (x == 1) return; */
static const uint32_t beginning[] = {
    OP(AccessChain, 5), PLACE_X, AT, PLACE, ZERO,
    OP(Load, 4), NUMBER, X, AT,
    OP(IEqual, 5), BOOL, LEAVES, X, ONE,
    OP(SelectionMerge, 3), WAY, 0,
    OP(BranchConditional, 4), LEAVES, OUT, WAY,
    OP(Label, 2), OUT,
    OP(Return, 1),
    OP(Label, 2), WAY,
};

/* data[x] += 1; */
static const uint32_t work[] = {
    OP(AccessChain, 6), ELEMENT, PLACE_IN, DATA, ZERO, X,
    OP(Load, 4), NUMBER, OLD, PLACE_IN,
    OP(IAdd, 5), NUMBER, NEW, OLD, ONE,
    OP(Store, 3), PLACE_IN, NEW,
};

static const uint32_t ending[] = {OP(Return, 1), OP(FunctionEnd, 1)};

/* Empty code before the work. */
static const uint32_t nothing[] = {OP(Nop, 1)};
static const uint32_t barrier[] = {OP(ControlBarrier, 4), ONE, ONE, ZERO};
static const uint32_t atomic[]  = {
    OP(AccessChain, 6), ELEMENT, CHOSEN, DATA, ZERO, ZERO,
    OP(AtomicIAdd, 7), NUMBER, MORE, CHOSEN, ONE, ZERO, ONE,
};
static const uint32_t call[]     = {OP(FunctionCall, 4), VOID, MORE, MAIN};
static const uint32_t of_group[] = {OP(Load, 4), NUMBER, MORE, SHARED};
static const uint32_t local[]    = {OP(Load, 4), VECTOR, MORE, LOCAL};
static const uint32_t changing[] = {
    OP(AccessChain, 6), ELEMENT, CHOSEN, DATA, ZERO, ZERO,
    OP(Load, 5), NUMBER, MORE, CHOSEN, SpvMemoryAccessVolatileMask,
};
static const uint32_t any_place[] = {
    OP(AccessChain, 5), PLACE_X, CHOSEN, PLACE, X,
    OP(Load, 4), NUMBER, MORE, CHOSEN,
};
static const uint32_t whole_place[] = {OP(AccessChain, 4), PLACES, CHOSEN, PLACE, OP(Nop, 1)};
static const uint32_t unreachable[] = {
    OP(Branch, 2), OTHER,
    OP(Label, 2), MERGE,
    OP(Branch, 2), OTHER,
    OP(Label, 2), OTHER,
    OP(Nop, 1),
};
static const uint32_t leaves_again[] = {
    OP(SelectionMerge, 3), OTHER, 0,
    OP(BranchConditional, 4), LEAVES, MERGE, OTHER,
    OP(Label, 2), MERGE,
    OP(Return, 1),
    OP(Label, 2), OTHER,
};
static const uint32_t loop[] = {
    OP(Branch, 2), AGAIN,
    OP(Label, 2), AGAIN,
    OP(LoopMerge, 4), MERGE, OTHER, 0,
    OP(BranchConditional, 4), LEAVES, MERGE, OTHER,
    OP(Label, 2), OTHER,
    OP(Branch, 2), AGAIN,
    OP(Label, 2), MERGE,
};
static const uint32_t choice[] = {
    OP(SelectionMerge, 3), MERGE, 0,
    OP(BranchConditional, 4), LEAVES, OTHER, MERGE,
    OP(Label, 2), OTHER,
    OP(IAdd, 5), NUMBER, MORE, X, ONE,
    OP(Branch, 2), MERGE,
    OP(Label, 2), MERGE,
    OP(Phi, 7), NUMBER, CHOSEN, X, WAY, MORE, OTHER,
};
/* Two selections, the second in the merge block of the first, with OpSwitch. */
static const uint32_t choices[] = {
    OP(SelectionMerge, 3), MERGE, 0,
    OP(BranchConditional, 4), LEAVES, OTHER, MERGE,
    OP(Label, 2), OTHER,
    OP(Branch, 2), MERGE,
    OP(Label, 2), MERGE,
    OP(Phi, 7), NUMBER, CHOSEN, X, WAY, ONE, OTHER,
    OP(SelectionMerge, 3), LAST, 0,
    OP(Switch, 5), CHOSEN, LAST, 7, AGAIN,
    OP(Label, 2), AGAIN,
    OP(IAdd, 5), NUMBER, MORE, X, ONE,
    OP(Branch, 2), LAST,
    OP(Label, 2), LAST,
    OP(Phi, 7), NUMBER, FINAL, CHOSEN, MERGE, MORE, AGAIN,
};
/* clang-format on */

static uint32_t words[WORDS_MOST];

static uint64_t append(uint64_t at, const uint32_t *from, uint64_t count)
{
    ck_assert_uint_le(at + count, WORDS_MOST);
    memcpy(words + at, from, count * sizeof(uint32_t));
    return at + count;
}

static struct vulkan_shader shader_with(const uint32_t *middle, uint64_t count)
{
    uint64_t end = append(0, globals, COUNT(globals));
    end          = append(end, beginning, COUNT(beginning));
    end          = append(end, middle, count);
    end          = append(end, work, COUNT(work));
    end          = append(end, ending, COUNT(ending));
    return (struct vulkan_shader){words, end, WORDS_MOST};
}

#define SHADER_WITH(middle) shader_with(middle, COUNT(middle))

static struct vulkan_shader coarsening_of(struct vulkan_shader shader, uint32_t items)
{
    struct vulkan_shader result;
    ck_assert_int_eq(vulkan_coarsen_create(&fake.instance, &shader, 0, GROUP, items, &result), TRM_OK);
    ck_assert_uint_le(result.count, result.capacity);
    return result;
}

/* Number of instructions with the opcode. */
static uint32_t count_of(const struct vulkan_shader *shader, uint32_t opcode)
{
    uint32_t count = 0;
    for (uint64_t i = VULKAN_HEADER_WORDS; i < shader->count; i += vulkan_length(shader->words + i))
        count += vulkan_opcode(shader->words + i) == opcode;
    return count;
}

/* Checks that each result has an id of its own, below the bound. */
static void check_ids(const struct vulkan_shader *shader)
{
    static bool seen[BOUND * 2 * VULKAN_COARSEN_MOST + 256];
    uint32_t bound = shader->words[VULKAN_HEADER_BOUND];
    ck_assert_uint_le(bound, COUNT(seen));
    memset(seen, 0, sizeof(seen));
    for (uint64_t i = VULKAN_HEADER_WORDS; i < shader->count; i += vulkan_length(shader->words + i)) {
        const uint32_t *at = shader->words + i;
        uint32_t id = vulkan_opcode(at) == SpvOpLabel ? at[1] : vulkan_opcode(at) == SpvOpIAdd ? at[2] : 0;
        ck_assert_uint_lt(id, bound);
        ck_assert(id == 0 || !seen[id]);
        seen[id] = true;
    }
}

/* ---- coarsened kernels ----------- */

START_TEST(each_item_has_two_copies_of_its_instructions)
{
    for (uint32_t items = 1; items <= VULKAN_COARSEN_MOST; items++) {
        struct vulkan_shader several = coarsening_of(SHADER_WITH(nothing), items);
        ck_assert_ptr_nonnull(several.words);
        ck_assert_uint_eq(count_of(&several, SpvOpStore), 2 * items);
        ck_assert_uint_eq(count_of(&several, SpvOpIEqual), items);
        ck_assert_uint_eq(count_of(&several, SpvOpReturn), 1);
        ck_assert_uint_eq(count_of(&several, SpvOpName), 0);
        check_ids(&several);
        vulkan_shader_release(&fake.instance, &several);
    }
    ck_assert_int_eq(fake.bytes, 0);
}
END_TEST

START_TEST(decorations_are_repeated_for_each_copy)
{
    struct vulkan_shader several = coarsening_of(SHADER_WITH(nothing), ITEMS);
    uint32_t count               = 0;
    for (uint64_t i = VULKAN_HEADER_WORDS; i < several.count; i += vulkan_length(several.words + i)) {
        const uint32_t *at = several.words + i;
        if (vulkan_opcode(at) != SpvOpDecorate || at[2] != SpvDecorationNoContraction)
            continue;
        ck_assert_uint_eq(at[1], NEW + count * BOUND);
        count++;
    }
    ck_assert_uint_eq(count, 2 * ITEMS);
    vulkan_shader_release(&fake.instance, &several);
}
END_TEST

START_TEST(the_entry_point_lists_the_local_id)
{
    struct vulkan_shader several = coarsening_of(SHADER_WITH(nothing), ITEMS);
    for (uint64_t i = VULKAN_HEADER_WORDS; i < several.count; i += vulkan_length(several.words + i)) {
        const uint32_t *at = several.words + i;
        if (vulkan_opcode(at) != SpvOpEntryPoint)
            continue;
        ck_assert_uint_eq(vulkan_length(at), 7);
        ck_assert_uint_eq(at[5], PLACE);
        ck_assert_uint_eq(at[6], LOCAL);
    }
    ck_assert_uint_eq(count_of(&several, SpvOpEntryPoint), 1);
    vulkan_shader_release(&fake.instance, &several);
}
END_TEST

START_TEST(each_item_has_its_own_selection)
{
    struct vulkan_shader several = coarsening_of(SHADER_WITH(choice), ITEMS);
    ck_assert_ptr_nonnull(several.words);
    ck_assert_uint_eq(count_of(&several, SpvOpPhi), 2 * ITEMS);
    check_ids(&several);
    vulkan_shader_release(&fake.instance, &several);
}
END_TEST

/* Each OpPhi must name the predecessor block of its own copy. */
START_TEST(consecutive_selections_name_their_predecessors)
{
    struct vulkan_shader several = coarsening_of(SHADER_WITH(choices), ITEMS);
    uint32_t label = 0, before = 0, count = 0;
    ck_assert_ptr_nonnull(several.words);
    for (uint64_t i = VULKAN_HEADER_WORDS; i < several.count; i += vulkan_length(several.words + i)) {
        const uint32_t *at = several.words + i;
        if (vulkan_opcode(at) == SpvOpSelectionMerge)
            before = label;
        if (vulkan_opcode(at) == SpvOpLabel)
            label = at[1];
        if (vulkan_opcode(at) != SpvOpPhi)
            continue;
        ck_assert_uint_eq(at[4], before);
        count++;
    }
    ck_assert_uint_eq(count, 4 * ITEMS);
    check_ids(&several);
    vulkan_shader_release(&fake.instance, &several);
}
END_TEST

/* ---- kernels that cannot be coarsened -- */

static void check_as_it_is(struct vulkan_shader shader, const char *what)
{
    struct vulkan_shader several = coarsening_of(shader, ITEMS);
    ck_assert_msg(several.words == NULL, "a kernel with %s was taken", what);
    ck_assert_int_eq(fake.bytes, 0);
}

START_TEST(kernels_that_could_observe_it_are_not_coarsened)
{
    check_as_it_is(SHADER_WITH(barrier), "a barrier");
    check_as_it_is(SHADER_WITH(atomic), "an atomic operation");
    check_as_it_is(SHADER_WITH(call), "a call");
    check_as_it_is(SHADER_WITH(of_group), "memory of the group");
    check_as_it_is(SHADER_WITH(local), "LocalInvocationId");
    check_as_it_is(SHADER_WITH(changing), "a volatile access");
    check_as_it_is(SHADER_WITH(any_place), "a component of its place that is not known");
    check_as_it_is(SHADER_WITH(whole_place), "a pointer to all of its place");
    check_as_it_is(SHADER_WITH(unreachable), "a block that no way leads to");
    check_as_it_is(SHADER_WITH(leaves_again), "two places where it leaves");
    check_as_it_is(SHADER_WITH(loop), "a loop");
}
END_TEST

START_TEST(long_kernels_are_not_coarsened)
{
    static const uint32_t sum[] = {OP(IAdd, 5), NUMBER, MORE, X, ONE};
    uint32_t sums[256 * COUNT(sum)];
    for (uint32_t i = 0; i < COUNT(sums); i++)
        sums[i] = sum[i % COUNT(sum)];
    check_as_it_is(SHADER_WITH(sums), "more to do than there is to wait for");
    struct vulkan_shader several = coarsening_of(shader_with(sums, COUNT(sums) / 2), ITEMS);
    ck_assert_ptr_nonnull(several.words);
    vulkan_shader_release(&fake.instance, &several);
}
END_TEST

START_TEST(a_missing_entry_point_is_not_coarsened)
{
    struct vulkan_shader shader = SHADER_WITH(nothing), result;
    ck_assert_int_eq(vulkan_coarsen_create(&fake.instance, &shader, 1, GROUP, ITEMS, &result), TRM_OK);
    ck_assert_ptr_null(result.words);
    ck_assert_int_eq(fake.bytes, 0);
}
END_TEST

START_TEST(without_memory_nothing_leaks)
{
    struct vulkan_shader shader = SHADER_WITH(nothing), result;
    int32_t status              = TRM_ERROR_OUT_OF_HOST_MEMORY;
    uint64_t refused            = 0;
    while (status != TRM_OK) {
        fake.calls     = 0;
        fake.refuse_at = ++refused;
        status         = vulkan_coarsen_create(&fake.instance, &shader, 0, GROUP, ITEMS, &result);
        ck_assert_int_eq(status, refused <= 3 ? TRM_ERROR_OUT_OF_HOST_MEMORY : TRM_OK);
        vulkan_shader_release(&fake.instance, &result);
        ck_assert_int_eq(fake.bytes, 0);
    }
    ck_assert_uint_eq(refused, 4);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("vulkan: coarsening");
    TCase *made = tcase_create("made"), *left = tcase_create("left alone");
    tcase_add_checked_fixture(made, fake_setup, fake_teardown);
    tcase_add_checked_fixture(left, fake_setup, fake_teardown);
    tcase_add_test(made, each_item_has_two_copies_of_its_instructions);
    tcase_add_test(made, decorations_are_repeated_for_each_copy);
    tcase_add_test(made, the_entry_point_lists_the_local_id);
    tcase_add_test(made, each_item_has_its_own_selection);
    tcase_add_test(made, consecutive_selections_name_their_predecessors);
    tcase_add_test(left, kernels_that_could_observe_it_are_not_coarsened);
    tcase_add_test(left, long_kernels_are_not_coarsened);
    tcase_add_test(left, a_missing_entry_point_is_not_coarsened);
    tcase_add_test(left, without_memory_nothing_leaks);
    suite_add_tcase(suite, made);
    suite_add_tcase(suite, left);
    return suite;
}

UNIT_SUITE(make_suite)
