/* How many slots are in use at once, after the trial of it.
 * SPDX-License-Identifier: MIT
 */
#include "check_fixture.h"
#include "tests/unit/runner.h"

static struct trm_pipeline *handle;
static struct pipeline *pipeline;
static struct pipeline_slots_in_use *in_use;

/* On the device that shares the host's memory, so that the library chooses the number. */
static void open_pipeline(uint32_t depth)
{
    stages[0].kernel = foreign;
    desc.port_count  = 2;
    desc.stage_count = 1;
    desc.depth       = depth;
    ck_assert_int_eq(trm_pipeline_create(other.device, &desc, &handle), TRM_OK);
    pipeline = core_object_find(handle, CORE_PIPELINE);
    ck_assert_ptr_nonnull(pipeline);
    in_use = &pipeline->engine->slots_in_use;
    ck_assert(in_use->may_try);
}

/* A trial is over that found `ns` for each token with two of three slots. */
static void end_trial(uint64_t ns)
{
    pipeline_depth_trial_begin(&in_use->trial, 3, 1, 1);
    in_use->has_begun     = true;
    in_use->trial.way     = 1;
    in_use->trial.ns[0]   = 2 * ns;
    in_use->trial.ns[1]   = ns;
    in_use->trial.is_over = true;
}

START_TEST(what_the_trial_found_stays_while_tokens_are_as_fast)
{
    open_pipeline(3);
    end_trial(UINT64_C(1000000000)); /* a second each */
    for (uint32_t i = 0; i < 10000; i++)
        ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline), 2);
    ck_assert(!pipeline_slots_are_tried(pipeline));
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(numbers_of_slots_are_tried_again_where_tokens_are_slower)
{
    open_pipeline(3);
    end_trial(1); /* none is as fast */
    while (!pipeline_slots_are_tried(pipeline))
        pipeline_engine_slots_in_use(pipeline);
    ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline), 0); /* the turn of all slots */
    /* Each trial says what is found in place of the one before; runs that are too short change nothing. */
    for (uint32_t trial = 0; trial < 2; trial++) {
        in_use->trial.last = 2;
        pipeline_depth_trial_again(&in_use->trial, 3);
        for (uint32_t run = 0; run < 100; run++)
            pipeline_slots_trial_interrupt(pipeline);
        ck_assert(!pipeline_slots_are_tried(pipeline));
        const char *said = strstr(pipeline->reason, "; 2 of 3 slots in use");
        ck_assert_ptr_nonnull(said);
        ck_assert_ptr_null(strstr(said + 1, "; 2 of 3 slots in use"));
    }
    trm_pipeline_destroy(handle);
}
END_TEST

/* A look at the tokens that have ended since long ago. Returns whether a slot is wanted. */
static bool look(uint32_t tokens)
{
    struct pipeline_tuning *tuning = &pipeline->engine->tuning;

    tuning->tokens       = tokens;
    tuning->look_at      = 0;
    tuning->window_begin = 1;
    tuning->is_growing   = false;
    return pipeline_engine_wants_slot(pipeline);
}

static void end_no_trial(void)
{
    pipeline_depth_trial_begin(&in_use->trial, 1, 1, 1);
    in_use->has_begun = true;
}

START_TEST(a_slot_that_was_added_and_brought_nothing_at_three_looks_rests)
{
    open_pipeline(0);
    struct pipeline_tuning *tuning = &pipeline->engine->tuning;
    uint32_t depth                 = atomic_load(&pipeline->depth);
    end_no_trial();
    tuning->rate = 1e9; /* of earlier tokens, in a nanosecond */
    ck_assert(!look(100) && !look(100));
    ck_assert(!tuning->is_settled);
    ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline), 0);
    ck_assert(!look(100));
    ck_assert(tuning->is_settled);
    ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline), depth - 1);
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(a_slot_that_has_brought_something_is_not_judged_again)
{
    open_pipeline(0);
    struct pipeline_tuning *tuning = &pipeline->engine->tuning;
    end_no_trial();
    tuning->rate = 1e-30;
    look(100);
    ck_assert(tuning->rate == 0);
    for (int i = 0; i < 10; i++)
        look(1); /* much slower */
    ck_assert(!tuning->is_settled);
    ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline), 0);
    trm_pipeline_destroy(handle);
}
END_TEST

/* Where no stage waits: on a device with memory of its own alone, and once. */
START_TEST(a_small_slot_is_added_once_without_a_stage_that_waits)
{
    stages[0].kernel = saxpy;
    desc.port_count  = 2;
    desc.stage_count = 1;
    desc.depth       = 0;
    desc.strategy    = TRM_STRATEGY_SLOT_STREAMS;
    ck_assert_int_eq(trm_pipeline_create(store.device, &desc, &handle), TRM_OK);
    pipeline = core_object_find(handle, CORE_PIPELINE);
    ck_assert_ptr_nonnull(pipeline);
    in_use = &pipeline->engine->slots_in_use;
    end_no_trial();
    ck_assert(look(100));
    pipeline->engine->tuning.rate = 1e-30; /* it has brought much */
    ck_assert(!look(100) && !look(100));
    pipeline->engine->tuning.has_probed = false;
    pipeline->engine->slot_bytes        = UINT64_C(64) << 20;
    ck_assert(!look(100));
    trm_pipeline_destroy(handle);
    desc.strategy = TRM_STRATEGY_AUTO;
    open_pipeline(0);
    end_no_trial();
    ck_assert(!look(100));
    trm_pipeline_destroy(handle);
}
END_TEST

START_TEST(all_slots_are_in_use_where_none_was_added)
{
    open_pipeline(0);
    end_no_trial();
    look(100);
    ck_assert_uint_eq(pipeline_engine_slots_in_use(pipeline), 0);
    trm_pipeline_destroy(handle);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipelines: slots in use");
    TCase *tests = tcase_create("slots");

    tcase_add_checked_fixture(tests, open_stores, close_stores);
    tcase_add_test(tests, what_the_trial_found_stays_while_tokens_are_as_fast);
    tcase_add_test(tests, numbers_of_slots_are_tried_again_where_tokens_are_slower);
    tcase_add_test(tests, a_slot_that_was_added_and_brought_nothing_at_three_looks_rests);
    tcase_add_test(tests, a_slot_that_has_brought_something_is_not_judged_again);
    tcase_add_test(tests, a_small_slot_is_added_once_without_a_stage_that_waits);
    tcase_add_test(tests, all_slots_are_in_use_where_none_was_added);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
