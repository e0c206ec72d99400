/* Which strategy AUTO uses.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <stdbool.h>
#include <string.h>

#include "pipeline/pool/trial.h"
#include "tests/unit/runner.h"

static struct pipeline_pool_trial trial;
static uint64_t now;

static void set_up(void)
{
    memset(&trial, 0, sizeof(trial));
    now = 1000;
}

/* Runs tasks of 100 ns one after another, of which one by `strategy` takes 100 / `speed`. */
static void run(uint32_t tasks, int32_t strategy, double speed)
{
    for (uint32_t i = 0; i < tasks; i++) {
        bool is_it = pipeline_pool_trial_strategy(&trial) == strategy;
        pipeline_pool_trial_begin(&trial, now);
        now += (uint64_t)(100 / (is_it ? speed : 1));
        pipeline_pool_trial_add(&trial, 100, now);
        pipeline_pool_trial_end(&trial, now);
    }
}

/* Of so many tasks, those that ran by `strategy`. */
static uint32_t count(uint32_t tasks, int32_t strategy, double speed)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        found += pipeline_pool_trial_strategy(&trial) == strategy;
        run(1, strategy, speed);
    }
    return found;
}

START_TEST(it_begins_with_least_loaded)
{
    ck_assert_int_eq(pipeline_pool_trial_strategy(&trial), TRM_STREAM_LEAST_LOADED);
}
END_TEST

/* A turn that is not measured has 24 tasks. */
START_TEST(where_measuring_costs_much_the_others_have_no_turn_and_nothing_is_measured_for_long)
{
    pipeline_pool_trial_defer(&trial);
    for (uint32_t i = 0; i < 630 * 24; i++) {
        ck_assert(!pipeline_pool_trial_is_measuring(&trial));
        ck_assert_int_eq(pipeline_pool_trial_strategy(&trial), TRM_STREAM_LEAST_LOADED);
        pipeline_pool_trial_skip(&trial);
    }
    run(600, TRM_STREAM_ROUND_ROBIN, 1.3);
    ck_assert_uint_eq(count(1000, TRM_STREAM_ROUND_ROBIN, 1.3), 1000);
}
END_TEST

START_TEST(it_moves_to_what_is_faster)
{
    run(200, TRM_STREAM_ROUND_ROBIN, 1.3);
    ck_assert_uint_eq(count(1000, TRM_STREAM_ROUND_ROBIN, 1.3), 1000);
}
END_TEST

START_TEST(it_stays_where_another_one_is_hardly_faster)
{
    run(200, TRM_STREAM_LEAST_LOADED, 1.1);
    ck_assert_uint_eq(count(1000, TRM_STREAM_LEAST_LOADED, 1.1), 1000);
    set_up();
    run(200, TRM_STREAM_WORKLOAD, 1.01);
    ck_assert_uint_eq(count(1000, TRM_STREAM_WORKLOAD, 1.01), 0);
}
END_TEST

START_TEST(it_moves_to_round_robin_unless_another_one_is_measured_to_be_faster)
{
    run(200, TRM_STREAM_ROUND_ROBIN, 1.01);
    ck_assert_uint_eq(count(1000, TRM_STREAM_ROUND_ROBIN, 1.01), 1000);
    set_up();
    run(200, TRM_STREAM_ROUND_ROBIN, 1);
    ck_assert_int_eq(pipeline_pool_trial_strategy(&trial), TRM_STREAM_ROUND_ROBIN);
}
END_TEST

START_TEST(it_leaves_round_robin_for_what_is_much_faster)
{
    run(200, TRM_STREAM_ROUND_ROBIN, 1);
    ck_assert_int_eq(pipeline_pool_trial_strategy(&trial), TRM_STREAM_ROUND_ROBIN);
    run(20000, TRM_STREAM_WORKLOAD, 1.3);
    ck_assert_int_eq(pipeline_pool_trial_strategy(&trial), TRM_STREAM_WORKLOAD);
}
END_TEST

START_TEST(it_moves_again_when_another_one_becomes_faster)
{
    run(200, TRM_STREAM_ROUND_ROBIN, 1.3);
    run(20000, TRM_STREAM_ROUND_ROBIN, 0.7);
    ck_assert_int_eq(pipeline_pool_trial_strategy(&trial), TRM_STREAM_LEAST_LOADED);
}
END_TEST

START_TEST(others_are_tried_the_more_rarely_the_longer_the_best_stays)
{
    uint32_t first = count(20000, TRM_STREAM_ROUND_ROBIN, 0.5);
    ck_assert_uint_gt(first, 0);
    ck_assert_uint_lt(count(20000, TRM_STREAM_ROUND_ROBIN, 0.5), first);
}
END_TEST

START_TEST(time_without_work_is_not_counted)
{
    for (uint32_t i = 0; i < 400; i++) {
        now += pipeline_pool_trial_strategy(&trial) == TRM_STREAM_LEAST_LOADED ? 5000 : 0;
        run(1, TRM_STREAM_LEAST_LOADED, 1.2);
    }
    ck_assert_int_eq(pipeline_pool_trial_strategy(&trial), TRM_STREAM_LEAST_LOADED);
}
END_TEST

START_TEST(tasks_of_unknown_times_are_not_counted)
{
    for (uint32_t i = 0; i < 1000; i++)
        pipeline_pool_trial_add(&trial, 0, now);
    ck_assert_int_eq(pipeline_pool_trial_strategy(&trial), TRM_STREAM_LEAST_LOADED);
    ck_assert_uint_eq(trial.ended, 0);
}
END_TEST

/* Tasks that are not measured count, too, in the turns that are not. */
static uint32_t run_sparingly(uint32_t tasks)
{
    uint32_t measured = 0;
    for (uint32_t i = 0; i < tasks; i++) {
        bool is_measuring = pipeline_pool_trial_is_measuring(&trial);
        measured += is_measuring;
        if (is_measuring)
            run(1, TRM_STREAM_ROUND_ROBIN, 1.3);
        else
            pipeline_pool_trial_skip(&trial);
    }
    return measured;
}

START_TEST(few_turns_of_the_best_are_measured)
{
    ck_assert_uint_eq(run_sparingly(90), 90);
    run(200, TRM_STREAM_ROUND_ROBIN, 1.3);
    uint32_t measured = run_sparingly(20000);
    ck_assert_uint_gt(measured, 100);
    ck_assert_uint_lt(measured, 2000);
    ck_assert_int_eq(pipeline_pool_trial_strategy(&trial), TRM_STREAM_ROUND_ROBIN);
}
END_TEST

/* Also where the best one changes each time. */
START_TEST(where_measuring_costs_much_a_hundredth_is_measured)
{
    uint32_t measured = 0, tasks = 200000;
    pipeline_pool_trial_defer(&trial);
    for (uint32_t i = 0; i < tasks; i++) {
        bool is_measuring = pipeline_pool_trial_is_measuring(&trial);
        measured += is_measuring;
        if (is_measuring)
            run(1, i / 50000 % 2 ? TRM_STREAM_ROUND_ROBIN : TRM_STREAM_WORKLOAD, 1.3);
        else
            pipeline_pool_trial_skip(&trial);
    }
    ck_assert_uint_gt(measured, 0);
    ck_assert_uint_le(measured, tasks / 64);
}
END_TEST

START_TEST(a_task_that_is_skipped_does_not_end_a_turn_that_is_measured)
{
    ck_assert(pipeline_pool_trial_is_measuring(&trial));
    for (uint32_t i = 0; i < 1000; i++)
        pipeline_pool_trial_skip(&trial);
    ck_assert_uint_eq(trial.ended, 0);
    ck_assert_int_eq(pipeline_pool_trial_strategy(&trial), TRM_STREAM_LEAST_LOADED);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool trial");
    TCase *tests = tcase_create("trial");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, it_begins_with_least_loaded);
    tcase_add_test(tests,
                   where_measuring_costs_much_the_others_have_no_turn_and_nothing_is_measured_for_long);
    tcase_add_test(tests, it_moves_to_what_is_faster);
    tcase_add_test(tests, it_stays_where_another_one_is_hardly_faster);
    tcase_add_test(tests, it_moves_to_round_robin_unless_another_one_is_measured_to_be_faster);
    tcase_add_test(tests, it_leaves_round_robin_for_what_is_much_faster);
    tcase_add_test(tests, it_moves_again_when_another_one_becomes_faster);
    tcase_add_test(tests, others_are_tried_the_more_rarely_the_longer_the_best_stays);
    tcase_add_test(tests, time_without_work_is_not_counted);
    tcase_add_test(tests, tasks_of_unknown_times_are_not_counted);
    tcase_add_test(tests, few_turns_of_the_best_are_measured);
    tcase_add_test(tests, where_measuring_costs_much_a_hundredth_is_measured);
    tcase_add_test(tests, a_task_that_is_skipped_does_not_end_a_turn_that_is_measured);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
