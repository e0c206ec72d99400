/* Checks of control flow: blocks, merges, loops, switches, phis and dominance.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/compiler/spirv/spirv_fixture.h"

#define NEW builder_id(&builder)
#define CONDITION VALUE(BOOL)

/* Labels of the blocks that the tests add. */
enum {
    L1 = 901,
    L2,
    L3,
    L4,
    L5,
    L6,
};

static void label(uint32_t id)
{
    CODE(&builder, SpvOpLabel, id);
}

static void go(uint32_t to)
{
    CODE(&builder, SpvOpBranch, to);
}

static void fork(uint32_t to, uint32_t other)
{
    CODE(&builder, SpvOpBranchConditional, CONDITION, to, other);
}

static void merge(uint32_t to)
{
    CODE(&builder, SpvOpSelectionMerge, to, SpvSelectionControlMaskNone);
}

static void loop_merge(uint32_t to, uint32_t continuing)
{
    CODE(&builder, SpvOpLoopMerge, to, continuing, SpvLoopControlMaskNone);
}

static void block(uint32_t id, uint32_t to)
{
    label(id);
    go(to);
}

/* ---- branches ------------------------------------------------------------------------------ */

START_TEST(branches_lead_to_blocks_of_their_function)
{
    go(L1);
    label(L1);
    builder_accept(&builder);
    again();
    go(VOID);
    label(L1);
    builder_refuse(&builder, INVALID, "not a block");
    again();
    go(MAIN_LABEL);
    label(L1);
    builder_refuse(&builder, INVALID, "the first block of its function");
    again();
    CODE0(&builder, SpvOpReturn);
    CODE0(&builder, SpvOpFunctionEnd);
    CODE(&builder, SpvOpFunction, VOID, NEW, SpvFunctionControlMaskNone, FUNCTION);
    label(L1);
    go(MAIN_LABEL);
    label(L2);
    builder_refuse(&builder, INVALID, "not a block of its function");
}
END_TEST

START_TEST(conditions_are_bools_and_selectors_integers)
{
    merge(L1);
    CODE(&builder, SpvOpBranchConditional, U_1, L1, L1);
    label(L1);
    builder_refuse(&builder, INVALID, "OpBranchConditional");
    again();
    merge(L1);
    CODE(&builder, SpvOpBranchConditional, CONDITION, L1, L1, 3);
    label(L1);
    builder_refuse(&builder, INVALID, "wrong number");
    again();
    merge(L1);
    CODE(&builder, SpvOpSwitch, F_1, L1);
    label(L1);
    builder_refuse(&builder, INVALID, "OpSwitch");
}
END_TEST

START_TEST(blocks_come_after_those_that_dominate_them)
{
    go(L2);
    label(L1);
    CODE0(&builder, SpvOpReturn);
    block(L2, L1);
    label(L3);
    builder_refuse(&builder, INVALID, "comes before");
}
END_TEST

START_TEST(an_if_has_two_branches_and_a_merge)
{
    merge(L3);
    fork(L1, L2);
    block(L1, L3);
    block(L2, L3);
    label(L3);
    struct spirv_module *module     = builder_accept(&builder);
    const struct spirv_block *first = module->functions[0]->blocks[0];
    ck_assert_uint_eq(first->merge, SpvOpSelectionMerge);
    ck_assert_uint_eq(first->merge_block, L3);
    ck_assert_uint_eq(first->instructions[first->count - 1].opcode, SpvOpBranchConditional);
    again();
    fork(L1, L2);
    block(L1, L3);
    block(L2, L3);
    label(L3);
    builder_refuse(&builder, INVALID, "has no merge");
}
END_TEST

START_TEST(a_merge_stands_right_before_a_branch)
{
    merge(L1);
    CODE(&builder, SpvOpIAdd, U32, NEW, U_1, U_1);
    fork(L1, L1);
    label(L1);
    builder_refuse(&builder, INVALID, "only branches");
    again();
    merge(L1);
    merge(L1);
    fork(L1, L1);
    label(L1);
    builder_refuse(&builder, INVALID, "only branches");
    again();
    merge(L1);
    go(L1);
    label(L1);
    builder_refuse(&builder, INVALID, "nothing to merge");
    again();
    merge(VOID);
    fork(L1, L1);
    label(L1);
    builder_refuse(&builder, INVALID, "cannot be the merge");
}
END_TEST

START_TEST(a_merge_is_of_one_header_that_dominates_it)
{
    merge(L4);
    fork(L1, L4);
    label(L1);
    merge(L4);
    fork(L2, L4);
    block(L2, L4);
    label(L4);
    builder_refuse(&builder, INVALID, "the merge of two");
    again();
    merge(L4);
    fork(L1, L2);
    label(L1);
    merge(L3);
    fork(L3, L4);
    block(L2, L3);
    block(L3, L4);
    label(L4);
    builder_refuse(&builder, INVALID, "past its header");
}
END_TEST

START_TEST(branches_do_not_lead_into_the_middle_of_an_if)
{
    merge(L5);
    fork(L1, L2);
    label(L1);
    merge(L4);
    fork(L3, L4);
    block(L2, L3);
    block(L3, L4);
    block(L4, L5);
    label(L5);
    builder_refuse(&builder, INVALID, "");
}
END_TEST

START_TEST(only_merges_have_several_predecessors)
{
    merge(L4);
    fork(L1, L2);
    block(L1, L3);
    block(L2, L3);
    block(L3, L4);
    label(L4);
    builder_refuse(&builder, UNSUPPORTED, "several predecessors");
}
END_TEST

/* ---- loops --------------------------------------------------------------------------------- */

/* A loop with header L1, body L2, continue target L3 and merge L4. */
static void add_loop(uint32_t body_to, uint32_t continue_to)
{
    go(L1);
    label(L1);
    loop_merge(L4, L3);
    fork(L2, L4);
    block(L2, body_to);
    block(L3, continue_to);
    label(L4);
}

START_TEST(a_loop_goes_back_from_its_continue_construct)
{
    add_loop(L3, L1);
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_uint_eq(module->functions[0]->blocks[1]->continue_block, L3);
    again();
    add_loop(L4, L1); /* breaks, so the continue target is unreachable */
    builder_accept(&builder);
    again();
    add_loop(L1, L1);
    builder_refuse(&builder, INVALID, "not structured");
    again();
    add_loop(L3, L2);
    builder_refuse(&builder, INVALID, "not structured");
}
END_TEST

START_TEST(a_block_may_be_its_own_loop)
{
    go(L1);
    label(L1);
    loop_merge(L2, L1);
    fork(L1, L2);
    label(L2);
    builder_accept(&builder);
    again();
    go(L1);
    label(L1);
    fork(L1, L2);
    label(L2);
    builder_refuse(&builder, INVALID, "not structured");
}
END_TEST

START_TEST(a_loop_has_one_back_edge)
{
    go(L1);
    label(L1);
    loop_merge(L4, L2);
    go(L2);
    label(L2);
    merge(L5);
    fork(L3, L5);
    block(L3, L1);
    block(L5, L1);
    label(L4);
    builder_refuse(&builder, INVALID, "not structured");
    again();
    go(L1);
    label(L1);
    loop_merge(L4, L2);
    go(L2);
    label(L2);
    fork(L3, L1);
    block(L3, L1);
    label(L4);
    builder_refuse(&builder, INVALID, "two back edges");
}
END_TEST

START_TEST(breaks_and_continues_are_of_the_innermost_loop)
{
    go(L1);
    label(L1);
    loop_merge(L6, L5);
    go(L2);
    label(L2);
    merge(L4);
    fork(L3, L4);
    block(L3, L6);
    block(L4, L5);
    block(L5, L1);
    label(L6);
    builder_accept(&builder);
    again();
    /* Breaks out of two loops at once. */
    go(L1);
    label(L1);
    loop_merge(L6, L5);
    go(L2);
    label(L2);
    loop_merge(L4, L3);
    fork(L3, L6);
    block(L3, L2);
    block(L4, L5);
    block(L5, L1);
    label(L6);
    builder_refuse(&builder, INVALID, "not structured");
}
END_TEST

START_TEST(a_loop_does_not_begin_with_a_switch)
{
    go(L1);
    label(L1);
    loop_merge(L4, L3);
    CODE(&builder, SpvOpSwitch, U_1, L4, 1, L3);
    block(L3, L1);
    label(L4);
    builder_refuse(&builder, INVALID, "heads a loop");
    again();
    go(L1);
    label(L1);
    loop_merge(L3, L3);
    fork(L3, L3);
    label(L3);
    builder_refuse(&builder, INVALID, "cannot be the continue target");
}
END_TEST

START_TEST(the_nesting_of_constructs_is_limited)
{
    for (uint32_t depth = SPIRV_NESTING_MOST; depth <= SPIRV_NESTING_MOST + 1; depth++) {
        again();
        for (uint32_t i = 0; i < depth; i++) {
            merge(3000 + i);
            fork(2000 + i, 3000 + i);
            label(2000 + i);
        }
        go(3000 + depth - 1);
        for (uint32_t i = depth; i-- > 1;)
            block(3000 + i, 3000 + i - 1);
        label(3000);
        builder.next = 6000;
        if (depth == SPIRV_NESTING_MOST)
            builder_accept(&builder);
        else
            builder_refuse(&builder, UNSUPPORTED, "nested deeper");
    }
}
END_TEST

/* ---- switches ------------------------------------------------------------------------------ */

/* A switch of cases L1 (1), L2 (2) and default L3, with merge L4. */
static void add_switch(uint32_t first_to, uint32_t second_to, uint32_t default_to)
{
    merge(L4);
    CODE(&builder, SpvOpSwitch, U_1, L3, 1, L1, 2, L2);
    block(L1, first_to);
    block(L2, second_to);
    block(L3, default_to);
    label(L4);
}

START_TEST(cases_end_or_fall_through_into_one_other)
{
    add_switch(L4, L4, L4);
    builder_accept(&builder);
    again();
    add_switch(L2, L3, L4);
    builder_accept(&builder);
    again();
    add_switch(L3, L3, L4);
    builder_refuse(&builder, INVALID, "not structured");
    again();
    add_switch(L2, L1, L4);
    builder_refuse(&builder, INVALID, "in a circle");
    again();
    add_switch(L1, L4, L4);
    builder_refuse(&builder, INVALID, "not structured");
}
END_TEST

START_TEST(a_switch_has_a_merge_and_each_literal_once)
{
    CODE(&builder, SpvOpSwitch, U_1, L1, 1, L1);
    label(L1);
    builder_refuse(&builder, INVALID, "no merge");
    again();
    merge(L4);
    CODE(&builder, SpvOpSwitch, U_1, L4, 1, L4, 1, L4);
    label(L4);
    builder_refuse(&builder, INVALID, "a case twice");
    again();
    merge(L4);
    CODE(&builder, SpvOpSwitch, U_1, L4, 1);
    label(L4);
    builder_refuse(&builder, INVALID, "literals");
}
END_TEST

START_TEST(a_break_of_a_switch_leaves_an_if_in_it)
{
    merge(L6);
    CODE(&builder, SpvOpSwitch, U_1, L6, 1, L1);
    label(L1);
    merge(L3);
    fork(L2, L3);
    block(L2, L6);
    block(L3, L6);
    label(L6);
    builder_accept(&builder);
}
END_TEST

/* ---- values -------------------------------------------------------------------------------- */

START_TEST(values_are_used_where_they_dominate)
{
    uint32_t value = NEW;

    merge(L2);
    fork(L1, L2);
    label(L1);
    CODE(&builder, SpvOpIAdd, U32, value, U_1, U_1);
    CODE(&builder, SpvOpIAdd, U32, NEW, value, value);
    go(L2);
    label(L2);
    builder_accept(&builder);
    again();
    merge(L2);
    fork(L1, L2);
    label(L1);
    CODE(&builder, SpvOpIAdd, U32, 950, U_1, U_1);
    go(L2);
    label(L2);
    CODE(&builder, SpvOpIAdd, U32, 951, 950, U_1);
    builder_refuse(&builder, INVALID, "does not dominate");
}
END_TEST

START_TEST(unreachable_blocks_may_use_any_earlier_value)
{
    go(L2);
    label(L1);
    CODE(&builder, SpvOpIAdd, U32, 950, U_1, U_1);
    go(L3);
    label(L2);
    CODE0(&builder, SpvOpReturn);
    label(L3);
    CODE(&builder, SpvOpIAdd, U32, 951, 950, U_1);
    builder_accept(&builder);
}
END_TEST

/* Adds an if with a phi of these operands in its merge. */
static void add_phi(uint32_t type, const uint32_t *operands, uint32_t count)
{
    uint32_t words[10] = {type, 960};

    merge(L3);
    fork(L1, L2);
    label(L1);
    CODE(&builder, SpvOpIAdd, U32, 950, U_1, U_1);
    go(L3);
    block(L2, L3);
    label(L3);
    for (uint32_t i = 0; i < count; i++)
        words[2 + i] = operands[i];
    builder_add(&builder, PART_CODE, SpvOpPhi, words, count + 2);
}

#define PHI(type, ...) \
    add_phi(type, (uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

START_TEST(a_phi_has_one_value_for_each_predecessor)
{
    PHI(U32, 950, L1, U_1, L2);
    builder_accept(&builder);
    again();
    PHI(U32, 950, L1);
    builder_refuse(&builder, INVALID, "1 values for 2 predecessors");
    again();
    PHI(U32, 950, L1, 950, L1);
    builder_refuse(&builder, INVALID, "named twice");
    again();
    PHI(U32, 950, L1, U_1, MAIN_LABEL);
    builder_refuse(&builder, INVALID, "not a predecessor");
    again();
    PHI(U32, 950, L1, U_1);
    builder_refuse(&builder, INVALID, "wrong number");
    again();
    CODE(&builder, SpvOpPhi, U32, NEW);
    builder_refuse(&builder, INVALID, "wrong number");
}
END_TEST

START_TEST(values_of_a_phi_dominate_the_predecessor_and_have_its_type)
{
    PHI(U32, 950, L2, U_1, L1);
    builder_refuse(&builder, INVALID, "on the way");
    again();
    PHI(F32, 950, L1, F_1, L2);
    builder_refuse(&builder, INVALID, "another type");
    again();
    PHI(U32, VOID, L1, U_1, L2);
    builder_refuse(&builder, INVALID, "not a value");
    again();
    PHI(P_F32, VALUE(P_F32), L1, VALUE(P_F32), L2);
    builder_refuse(&builder, INVALID, "storage class 7");
}
END_TEST

START_TEST(phis_stand_first_in_their_block)
{
    go(L1);
    label(L1);
    CODE(&builder, SpvOpIAdd, U32, NEW, U_1, U_1);
    CODE(&builder, SpvOpPhi, U32, NEW, U_1, MAIN_LABEL);
    builder_refuse(&builder, INVALID, "at the beginning");
}
END_TEST

START_TEST(a_phi_of_a_loop_takes_values_defined_later)
{
    go(L1);
    label(L1);
    CODE(&builder, SpvOpPhi, U32, 950, U_1, MAIN_LABEL, 951, L1);
    CODE(&builder, SpvOpIAdd, U32, 951, 950, U_1);
    loop_merge(L2, L1);
    fork(L1, L2);
    label(L2);
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_ptr_eq(module->ids[950].as.instruction, &module->functions[0]->blocks[1]->instructions[0]);
    ck_assert_uint_eq(module->ids[951].as.instruction->opcode, SpvOpIAdd);
}
END_TEST

START_TEST(variables_of_a_function_are_in_its_first_block)
{
    go(L1);
    label(L1);
    CODE(&builder, SpvOpVariable, P_F32, NEW, SpvStorageClassFunction);
    builder_refuse(&builder, INVALID, "first block");
}
END_TEST

/* Checking thousands of blocks takes little time and does not overflow the stack. */
START_TEST(long_functions_are_read_quickly)
{
    for (uint32_t i = 0; i < 3000; i++) {
        go(2000 + i);
        label(2000 + i);
    }
    builder.next                = 6000;
    struct spirv_module *module = builder_accept(&builder);
    ck_assert_uint_eq(module->functions[0]->block_count, 3001);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("SPIR-V: control flow");
    TCase *all   = tcase_create("control flow");

    tcase_add_checked_fixture(all, open_builder, close_builder);
    tcase_add_test(all, branches_lead_to_blocks_of_their_function);
    tcase_add_test(all, conditions_are_bools_and_selectors_integers);
    tcase_add_test(all, blocks_come_after_those_that_dominate_them);
    tcase_add_test(all, an_if_has_two_branches_and_a_merge);
    tcase_add_test(all, a_merge_stands_right_before_a_branch);
    tcase_add_test(all, a_merge_is_of_one_header_that_dominates_it);
    tcase_add_test(all, branches_do_not_lead_into_the_middle_of_an_if);
    tcase_add_test(all, only_merges_have_several_predecessors);
    tcase_add_test(all, a_loop_goes_back_from_its_continue_construct);
    tcase_add_test(all, a_block_may_be_its_own_loop);
    tcase_add_test(all, a_loop_has_one_back_edge);
    tcase_add_test(all, breaks_and_continues_are_of_the_innermost_loop);
    tcase_add_test(all, a_loop_does_not_begin_with_a_switch);
    tcase_add_test(all, the_nesting_of_constructs_is_limited);
    tcase_add_test(all, cases_end_or_fall_through_into_one_other);
    tcase_add_test(all, a_switch_has_a_merge_and_each_literal_once);
    tcase_add_test(all, a_break_of_a_switch_leaves_an_if_in_it);
    tcase_add_test(all, values_are_used_where_they_dominate);
    tcase_add_test(all, unreachable_blocks_may_use_any_earlier_value);
    tcase_add_test(all, a_phi_has_one_value_for_each_predecessor);
    tcase_add_test(all, values_of_a_phi_dominate_the_predecessor_and_have_its_type);
    tcase_add_test(all, phis_stand_first_in_their_block);
    tcase_add_test(all, a_phi_of_a_loop_takes_values_defined_later);
    tcase_add_test(all, variables_of_a_function_are_in_its_first_block);
    tcase_add_test(all, long_functions_are_read_quickly);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(make_suite)
