/* What a pool learns from a notification.
 * SPDX-License-Identifier: MIT
 */
#include <check.h>
#include <string.h>

#include "pipeline/pool/pool.h"
#include "tests/unit/runner.h"

#define WATCHES 4u

static struct pipeline_stream_pool pool;
static struct pipeline_pool_watch watches[WATCHES];
static const struct pipeline_task_key key   = {.what = 0x1000, .size = 8};
static const struct pipeline_task_key other = {.what = 0x2000, .size = 8};

/* A slot whose work has ended at 1000, with four loans of one kind and of two operations each, which were
 * given back at 100, 200, 300 and 400. */
static void set_up(void)
{
    struct pipeline_pool_slot *slot = &pool.slots[0];
    memset(&pool, 0, sizeof(pool));
    memset(watches, 0, sizeof(watches));
    pool.strategy   = TRM_STREAM_LEAST_LOADED;
    pool.slot_count = 1;
    slot->last_end  = 1000;
    slot->first     = &watches[0];
    slot->last      = &watches[WATCHES - 1];
    for (uint32_t i = 0; i < WATCHES; i++) {
        watches[i] = (struct pipeline_pool_watch){.pool = &pool, .slot = slot, .key = key, .operations = 2};
        watches[i].released = 100 * (i + 1);
        watches[i].next     = i + 1 < WATCHES ? &watches[i + 1] : NULL;
    }
}

static void ck_samples(const struct pipeline_task_key *of, uint64_t samples, double mean)
{
    const struct pipeline_task_model *model = pipeline_task_model_find(&pool.models, of);
    ck_assert_uint_eq(model != NULL ? model->time.samples : 0, samples);
    if (model != NULL)
        ck_assert_double_eq(model->time.mean, mean);
}

START_TEST(a_loan_takes_the_time_from_the_end_of_the_one_before)
{
    pipeline_pool_learn_locked(&pool, &watches[0], 1500);
    ck_samples(&key, 1, 500);
    ck_assert_uint_eq(pipeline_estimate_ahead(&pool.operation, 0), 250);
}
END_TEST

START_TEST(a_loan_that_was_given_back_later_takes_the_time_from_there)
{
    watches[0].released = 1400;
    pipeline_pool_learn_locked(&pool, &watches[0], 1500);
    ck_samples(&key, 1, 100);
}
END_TEST

START_TEST(loans_of_one_kind_that_end_together_take_equal_shares)
{
    pipeline_pool_learn_locked(&pool, &watches[3], 3000);
    ck_samples(&key, 1, 500);
    ck_assert_uint_eq(pipeline_estimate_ahead(&pool.operation, 0), 250);
}
END_TEST

START_TEST(loans_of_several_kinds_that_end_together_tell_of_operations_only)
{
    watches[1].key = other;
    pipeline_pool_learn_locked(&pool, &watches[3], 3000);
    ck_samples(&key, 0, 0);
    ck_samples(&other, 0, 0);
    ck_assert_uint_eq(pipeline_estimate_ahead(&pool.operation, 0), 250);
}
END_TEST

START_TEST(loans_between_which_the_stream_may_have_been_idle_tell_nothing)
{
    watches[3].released = 1001;
    pipeline_pool_learn_locked(&pool, &watches[3], 3000);
    ck_samples(&key, 0, 0);
    ck_assert_uint_eq(pool.operation.samples, 0);
}
END_TEST

START_TEST(a_loan_whose_beginning_is_not_known_tells_nothing)
{
    watches[0].is_vague = true;
    pipeline_pool_learn_locked(&pool, &watches[0], 1500);
    ck_samples(&key, 0, 0);
    pipeline_pool_learn_locked(&pool, &watches[3], 3000);
    ck_samples(&key, 0, 0);
    ck_assert_uint_eq(pool.operation.samples, 0);
}
END_TEST

START_TEST(a_loan_whose_beginning_was_notified_tells_of_itself_alone)
{
    watches[1].key      = other;
    watches[3].is_vague = true;
    watches[3].begun_at = 20000;
    pipeline_pool_learn_locked(&pool, &watches[3], 30000);
    ck_samples(&key, 1, 10000);
    ck_samples(&other, 0, 0);
    ck_assert_uint_eq(pipeline_estimate_ahead(&pool.operation, 0), 5000);
}
END_TEST

START_TEST(a_loan_whose_beginning_and_end_are_told_at_once_has_taken_less_than_since_the_one_before)
{
    watches[3].begun_at = 30000;
    for (uint32_t i = 1; i <= 3 * PIPELINE_POOL_KNOWN; i++) {
        pipeline_pool_learn_locked(&pool, &watches[3], 30100);
        ck_samples(&key, i < PIPELINE_POOL_KNOWN ? i : PIPELINE_POOL_KNOWN, 29100);
    }
    ck_assert_uint_eq(pool.operation.samples, 0);
    watches[3].released = 30000;
    pipeline_pool_learn_locked(&pool, &watches[3], 30100);
    const struct pipeline_task_model *model = pipeline_task_model_find(&pool.models, &key);
    ck_assert_uint_eq(model->time.samples, PIPELINE_POOL_KNOWN + 1);
    ck_assert_double_lt(model->time.mean, 29100);
}
END_TEST

START_TEST(a_loan_whose_beginning_is_still_to_be_notified_tells_nothing)
{
    watches[0].begun_at = UINT64_MAX;
    pipeline_pool_learn_locked(&pool, &watches[0], 1500);
    ck_samples(&key, 0, 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool lesson");
    TCase *tests = tcase_create("lesson");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, a_loan_takes_the_time_from_the_end_of_the_one_before);
    tcase_add_test(tests, a_loan_that_was_given_back_later_takes_the_time_from_there);
    tcase_add_test(tests, loans_of_one_kind_that_end_together_take_equal_shares);
    tcase_add_test(tests, loans_of_several_kinds_that_end_together_tell_of_operations_only);
    tcase_add_test(tests, loans_between_which_the_stream_may_have_been_idle_tell_nothing);
    tcase_add_test(tests, a_loan_whose_beginning_is_not_known_tells_nothing);
    tcase_add_test(tests, a_loan_whose_beginning_was_notified_tells_of_itself_alone);
    tcase_add_test(tests,
                   a_loan_whose_beginning_and_end_are_told_at_once_has_taken_less_than_since_the_one_before);
    tcase_add_test(tests, a_loan_whose_beginning_is_still_to_be_notified_tells_nothing);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
