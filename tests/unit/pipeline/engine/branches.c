/* Branches: which lane each stage gets, what lanes wait for, and what else orders stages.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/engine/engine_internal.h"

#include "tests/check.h"
#include <string.h>
#include <trireme/trireme.h>

#include "core/object/context.h"
#include "tests/unit/runner.h"

#define BIT(number) (UINT64_C(1) << (number))

static struct trm_context *context;
static struct trm_port ports[8];
static struct pipeline_stage_plan plans[PIPELINE_STAGES_MOST];
static struct pipeline_device engine;
static struct pipeline pipeline;
static int kernel; /* stands for one */
static char name[] = "stage";

static void begin(void)
{
    ck_assert_int_eq(trm_context_create(NULL, &context), TRM_OK);
    memset(plans, 0, sizeof(plans));
    engine   = (struct pipeline_device){.plans = plans};
    pipeline = (struct pipeline){
        .object = {.context = core_context_find(context)}, .engine = &engine, .ports = ports};
}

static void end(void)
{
    pipeline_branches_fini(&pipeline);
    trm_context_destroy(context);
}

/* Adds a launch that reads and writes ports for certain. */
static void add(uint64_t after, uint64_t reads, uint64_t writes)
{
    plans[pipeline.desc.stage_count++] = (struct pipeline_stage_plan){.name          = name,
                                                                      .kernel        = (void *)&kernel,
                                                                      .after         = after,
                                                                      .reads         = reads,
                                                                      .writes        = writes,
                                                                      .surely_writes = writes};
}

static void plan(void)
{
    ck_assert_msg(pipeline_branches_plan(&pipeline) == TRM_OK, "%s", trm_last_error().sentence);
}

START_TEST(stages_in_a_row_have_one_lane_and_wait_for_nothing)
{
    add(0, BIT(0), BIT(1));
    add(BIT(0), BIT(1), BIT(2));
    add(BIT(1), BIT(2), BIT(3));
    plan();
    ck_assert_uint_eq(engine.lane_count, 1);
    ck_assert_uint_eq(engine.joins, 0);
    ck_assert_ptr_null(engine.launch_after);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert_uint_eq(plans[i].lane, 0);
        ck_assert_uint_eq(plans[i].waits, 0);
        ck_assert(!plans[i].is_awaited);
    }
    ck_assert_uint_eq(plans[2].before, BIT(0) | BIT(1));
}
END_TEST

START_TEST(a_fork_gets_a_lane_that_waits_where_it_begins_and_is_waited_for_where_it_joins)
{
    add(0, BIT(0), BIT(1));
    add(BIT(0), BIT(1), BIT(2));
    add(BIT(0), BIT(1), BIT(3));
    add(BIT(1) | BIT(2), BIT(2) | BIT(3), BIT(4));
    plan();
    ck_assert_uint_eq(engine.lane_count, 2);
    ck_assert_uint_eq(plans[1].lane, 0);
    ck_assert_uint_eq(plans[1].waits, 0);
    ck_assert_uint_eq(plans[2].lane, 1);
    ck_assert_uint_eq(plans[2].waits, BIT(0));
    ck_assert(!plans[2].is_forking);
    ck_assert_uint_eq(plans[3].lane, 0);
    ck_assert_uint_eq(plans[3].waits, BIT(2));
    ck_assert_uint_eq(engine.joins, 0);
    ck_assert(plans[0].is_awaited && !plans[1].is_awaited && plans[2].is_awaited && !plans[3].is_awaited);
    ck_assert_uint_eq(engine.launch_after[3], BIT(1) | BIT(2));
}
END_TEST

START_TEST(a_branch_that_joins_nothing_is_waited_for_at_the_end)
{
    add(0, BIT(0), BIT(1));
    add(0, BIT(0), BIT(2));
    add(BIT(1), BIT(2), BIT(3));
    plan();
    ck_assert_uint_eq(engine.lane_count, 2);
    ck_assert(plans[1].is_forking);
    ck_assert_uint_eq(plans[2].lane, 1);
    ck_assert_uint_eq(engine.joins, BIT(2));
    ck_assert(!plans[1].is_awaited && plans[2].is_awaited);
}
END_TEST

START_TEST(what_a_lane_has_waited_for_is_not_waited_for_again)
{
    add(0, BIT(0), BIT(1));
    add(BIT(0), BIT(1), BIT(2));
    add(BIT(0), BIT(1), BIT(3));          /* on lane 1, behind the first */
    add(BIT(0) | BIT(2), BIT(1), BIT(4)); /* the same lane knows that the first has ended */
    add(BIT(1) | BIT(2) | BIT(3), BIT(2), BIT(5));
    plan();
    ck_assert_uint_eq(plans[3].lane, 1);
    ck_assert_uint_eq(plans[3].waits, 0);
    ck_assert_uint_eq(plans[4].waits, BIT(3));
}
END_TEST

START_TEST(more_branches_than_lanes_share_them)
{
    for (uint32_t i = 0; i < PIPELINE_LANES_CHOSEN + 2; i++)
        add(0, BIT(0), BIT(i + 1));
    plan();
    ck_assert_uint_eq(engine.lane_count, PIPELINE_LANES_CHOSEN);
    ck_assert_uint_eq(plans[PIPELINE_LANES_CHOSEN].lane, 0);
    ck_assert_uint_eq(plans[PIPELINE_LANES_CHOSEN + 1].lane, 1);
    /* The report tells that the stage comes after the one before it on its lane. */
    ck_assert_uint_eq(engine.launch_after[PIPELINE_LANES_CHOSEN], BIT(0));
    ck_assert_uint_eq(engine.joins, BIT(2) | BIT(3) | BIT(PIPELINE_LANES_CHOSEN + 1));
}
END_TEST

START_TEST(stages_that_may_write_what_others_use_get_the_order_of_the_array)
{
    add(0, BIT(0) | BIT(1), BIT(0) | BIT(1));
    add(0, BIT(0) | BIT(2), BIT(0) | BIT(2));
    plans[0].surely_writes = 0; /* its kernel does not tell */
    plans[1].surely_writes = 0;
    plan();
    ck_assert_uint_eq(plans[1].before, BIT(0));
    ck_assert_uint_eq(engine.lane_count, 1);
}
END_TEST

START_TEST(stages_of_which_one_surely_writes_what_another_may_use_are_refused)
{
    add(0, BIT(0), BIT(1));
    add(0, BIT(1) | BIT(2), BIT(1) | BIT(2));
    plans[1].surely_writes = 0;
    ck_assert_int_eq(pipeline_branches_plan(&pipeline), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "port 1"));
}
END_TEST

START_TEST(host_stages_run_one_after_the_other)
{
    add(0, BIT(0), BIT(1));
    add(0, BIT(0), BIT(2));
    add(0, BIT(0), BIT(3));
    plans[0].kernel = plans[2].kernel = NULL;
    plan();
    ck_assert_uint_eq(plans[1].before, 0);
    ck_assert_uint_eq(plans[2].before, BIT(0));
    ck_assert_uint_eq(plans[2].lane, 0);
}
END_TEST

START_TEST(a_stage_of_another_priority_gets_a_lane_of_its_own)
{
    add(0, BIT(0), BIT(1));
    add(BIT(0), BIT(1), BIT(2));
    add(BIT(1), BIT(2), BIT(3));
    plans[0].priority = plans[1].priority = TRM_PRIORITY_HIGH;
    plan();
    ck_assert_uint_eq(engine.lane_count, 2);
    ck_assert(!engine.has_branches);
    ck_assert_int_eq(engine.priorities[0], TRM_PRIORITY_NORMAL);
    ck_assert_int_eq(engine.priorities[1], TRM_PRIORITY_HIGH);
    ck_assert_uint_eq(plans[0].lane, 1);
    ck_assert(plans[0].is_forking);
    ck_assert_uint_eq(plans[1].lane, 1);
    ck_assert_uint_eq(plans[2].lane, 0);
    ck_assert_uint_eq(plans[2].waits, BIT(1));
    ck_assert_uint_eq(engine.joins, 0);
}
END_TEST

START_TEST(more_priorities_than_lanes_share_them)
{
    for (uint32_t i = 0; i < PIPELINE_LANES_CHOSEN + 1; i++) {
        add(0, BIT(0), BIT(i + 1));
        plans[i].priority = TRM_PRIORITY_LOW;
    }
    plan();
    ck_assert_uint_eq(engine.lane_count, PIPELINE_LANES_CHOSEN);
    ck_assert_uint_eq(plans[PIPELINE_LANES_CHOSEN - 1].lane, 0);
    ck_assert_uint_eq(plans[PIPELINE_LANES_CHOSEN].lane, 1);
    ck_assert(engine.has_branches);
}
END_TEST

START_TEST(a_stage_that_prefers_a_stream_of_its_own_has_a_lane_to_itself)
{
    add(0, BIT(0), BIT(1));
    add(BIT(0), BIT(1), BIT(2));
    add(BIT(1), BIT(2), BIT(3));
    plans[1].prefers = TRM_STAGE_STREAM_OWN;
    plan();
    ck_assert_uint_eq(engine.lane_count, 2);
    ck_assert_uint_eq(engine.preferred_lanes, BIT(1));
    ck_assert_uint_eq(engine.given_lanes, 0);
    ck_assert(plans[0].lane == 0 && plans[1].lane == 1 && plans[2].lane == 0);
    ck_assert_uint_eq(plans[1].waits, BIT(0));
    ck_assert_uint_eq(plans[2].waits, BIT(1));
    ck_assert(plans[0].is_awaited && plans[1].is_awaited);
    ck_assert_uint_eq(engine.joins, 0);
    ck_assert(!engine.has_branches);
}
END_TEST

/* Four that the pipeline chooses, and eight that stages prefer. */
START_TEST(preferred_streams_take_no_lanes_from_branches)
{
    for (uint32_t i = 0; i < 16; i++) {
        add(0, BIT(0), BIT(1 + i));
        if (i % 2 != 0)
            plans[i].prefers = TRM_STAGE_STREAM_OWN;
    }
    plan();
    ck_assert_uint_eq(engine.lane_count, PIPELINE_LANES_MOST);
    ck_assert_int_eq(__builtin_popcount(engine.preferred_lanes), PIPELINE_LANES_PREFERRED);
    for (uint32_t i = 0; i < 16; i++)
        ck_assert_uint_eq(engine.preferred_lanes >> plans[i].lane & 1, i % 2);
    ck_assert_int_eq(__builtin_popcountll(engine.joins), PIPELINE_LANES_MOST - 1);
}
END_TEST

START_TEST(a_sorted_array_stays_as_it_is_and_another_one_is_sorted)
{
    static const uint64_t sorted[3] = {0, BIT(0), BIT(0)}, other[3] = {BIT(2), BIT(0), 0};
    struct trm_pipeline_desc desc = {.stage_count = 3, .after = sorted};
    uint32_t declared[PIPELINE_STAGES_MOST];

    pipeline_branches_sort(&desc, plans, declared);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert_uint_eq(declared[i], i);
    ck_assert_uint_eq(plans[2].after, BIT(0));
    memset(plans, 0, sizeof(plans));
    desc.after = other;
    pipeline_branches_sort(&desc, plans, declared);
    ck_assert_uint_eq(declared[0], 2);
    ck_assert_uint_eq(declared[1], 0);
    ck_assert_uint_eq(declared[2], 1);
    ck_assert_uint_eq(plans[0].after, 0);
    ck_assert_uint_eq(plans[1].after, BIT(0));
    ck_assert_uint_eq(plans[2].after, BIT(1));
}
END_TEST

START_TEST(as_many_stages_as_there_may_be_are_sorted)
{
    static uint64_t after[PIPELINE_STAGES_MOST];
    struct trm_stage stages[PIPELINE_STAGES_MOST] = {{.name = "first"}};
    struct trm_pipeline_desc desc = {.stage_count = PIPELINE_STAGES_MOST, .stages = stages, .after = after};
    uint32_t declared[PIPELINE_STAGES_MOST];

    for (uint32_t i = 0; i + 1 < PIPELINE_STAGES_MOST; i++)
        after[i] = BIT(i + 1); /* each after the next */
    after[PIPELINE_STAGES_MOST - 1] = 0;
    ck_assert_int_eq(pipeline_branches_check(&desc), TRM_OK);
    pipeline_branches_sort(&desc, plans, declared);
    ck_assert_uint_eq(declared[0], PIPELINE_STAGES_MOST - 1);
    after[PIPELINE_STAGES_MOST - 1] = BIT(0); /* a cycle of all, too long for a sentence */
    ck_assert_int_eq(pipeline_branches_check(&desc), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "\"first\" (stage 0) after"));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipelines: branches");
    TCase *tests = tcase_create("branches");

    tcase_add_checked_fixture(tests, begin, end);
    tcase_add_test(tests, stages_in_a_row_have_one_lane_and_wait_for_nothing);
    tcase_add_test(tests, a_fork_gets_a_lane_that_waits_where_it_begins_and_is_waited_for_where_it_joins);
    tcase_add_test(tests, a_branch_that_joins_nothing_is_waited_for_at_the_end);
    tcase_add_test(tests, what_a_lane_has_waited_for_is_not_waited_for_again);
    tcase_add_test(tests, more_branches_than_lanes_share_them);
    tcase_add_test(tests, stages_that_may_write_what_others_use_get_the_order_of_the_array);
    tcase_add_test(tests, stages_of_which_one_surely_writes_what_another_may_use_are_refused);
    tcase_add_test(tests, host_stages_run_one_after_the_other);
    tcase_add_test(tests, a_stage_of_another_priority_gets_a_lane_of_its_own);
    tcase_add_test(tests, more_priorities_than_lanes_share_them);
    tcase_add_test(tests, a_stage_that_prefers_a_stream_of_its_own_has_a_lane_to_itself);
    tcase_add_test(tests, preferred_streams_take_no_lanes_from_branches);
    tcase_add_test(tests, a_sorted_array_stays_as_it_is_and_another_one_is_sorted);
    tcase_add_test(tests, as_many_stages_as_there_may_be_are_sorted);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
