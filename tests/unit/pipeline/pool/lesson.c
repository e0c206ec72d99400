/* What a pool learns from a notification.
 * SPDX-License-Identifier: MIT
 */
#include <check.h>
#include <string.h>

#include "pipeline/pool/team.h"
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
        ck_samples(&key, i, 29100);
    }
    ck_assert_uint_eq(pool.operation.samples, 0);
    watches[3].released = 30000;
    pipeline_pool_learn_locked(&pool, &watches[3], 30100);
    ck_samples(&key, 3 * PIPELINE_POOL_KNOWN + 1, 100);
}
END_TEST

/* A loan has taken so long, and its beginning and end are told at once, or not. */
static void learn(double took, double waited, bool is_at_once)
{
    uint64_t end        = pool.slots[0].last_end + (uint64_t)(waited + took);
    watches[0].released = end - (uint64_t)(waited + took);
    watches[0].begun_at = is_at_once ? end - 1 : end - (uint64_t)took;
    pipeline_pool_learn_locked(&pool, &watches[0], end);
    pool.slots[0].last_end = end;
}

/* From 0 to 1, the same each time. */
static double any(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24);
}

static double mean(void)
{
    return pipeline_task_model_find(&pool.models, &key)->time.mean;
}

START_TEST(bounds_do_not_draw_the_mean_of_better_samples_to_the_least_time)
{
    uint32_t state = 1;
    for (uint32_t i = 0; i < 16; i++)
        learn(80000 + 40000 * any(&state), 0, false);
    double before = mean();
    for (uint32_t i = 0; i < 1000; i++)
        learn(80000 + 40000 * any(&state), 0, true);
    ck_assert_double_eq_tol(before, 100000, 8000);
    ck_assert_double_eq(mean(), before);
}
END_TEST

START_TEST(a_bound_far_below_better_samples_counts_and_four_replace_them)
{
    for (uint32_t i = 0; i < 16; i++)
        learn(100000, 0, false);
    learn(20000, 0, true);
    ck_assert_double_lt(mean(), 100000);
    for (uint32_t i = 0; i < 3; i++)
        learn(20000, 0, true);
    ck_assert_double_eq(mean(), 20000);
}
END_TEST

START_TEST(the_waits_of_tasks_of_which_only_bounds_are_known_are_soon_forgotten)
{
    uint32_t state = 1;
    for (uint32_t i = 0; i < 64; i++)
        learn(10000, 1000000 * any(&state), true);
    ck_assert_double_ge(mean(), 10000);
    ck_assert_double_le(mean(), 110000); /* a sixteenth of the waits is shorter */
}
END_TEST

START_TEST(bounds_follow_times_that_become_longer)
{
    for (uint32_t i = 0; i < 100; i++)
        learn(10000, 0, true);
    for (uint32_t i = 0; i < 40; i++)
        learn(30000, 0, true);
    ck_assert_double_eq(mean(), 30000);
}
END_TEST

START_TEST(two_better_samples_replace_bounds)
{
    for (uint32_t i = 0; i < 100; i++)
        learn(10000, 500000, true);
    learn(3000, 0, false);
    ck_assert_double_eq(mean(), 510000);
    learn(10000, 0, false);
    ck_assert_double_eq(mean(), 10000);
}
END_TEST

START_TEST(a_loan_whose_beginning_is_still_to_be_notified_tells_nothing)
{
    watches[0].begun_at = UINT64_MAX;
    pipeline_pool_learn_locked(&pool, &watches[0], 1500);
    ck_samples(&key, 0, 0);
}
END_TEST

/* ---- loads ------------------------------------------------------------------------------------ */

/* A piece ends that was predicted for 500, while others are presumed to end at 2000. */
static uint64_t presumed_after(uint64_t now, bool is_predicted, bool is_good)
{
    set_up();
    pool.is_member           = true;
    pool.load                = (struct pipeline_load){.pieces = 1, .presumed = 1500, .presumed_until = 2000};
    watches[0].is_armed      = true;
    watches[0].is_predicted  = is_predicted;
    watches[0].predicted_end = 500;
    pipeline_pool_end_locked(&pool, &watches[0], now, is_good);
    return pool.load.presumed_until;
}

START_TEST(an_end_that_was_predicted_puts_right_what_is_presumed_behind_it)
{
    ck_assert_uint_eq(presumed_after(900, true, true), 2400);
    ck_assert_uint_eq(presumed_after(400, true, true), 1900);
}
END_TEST

START_TEST(an_end_that_was_not_predicted_or_a_failure_puts_nothing_right)
{
    ck_assert_uint_eq(presumed_after(900, false, true), 2000);
    ck_assert_uint_eq(presumed_after(900, true, false), 2000);
}
END_TEST

/* ---- copies ----------------------------------------------------------------------------------- */

/* What a copy of 64 bytes that was enqueued at 10,000 is learned to take. */
static uint64_t learn_copy(uint64_t begun_at, uint64_t ended_at)
{
    struct pipeline_pool_team *team = calloc(1, sizeof(*team) + 4 * sizeof(struct pipeline_transfer));
    struct pipeline_pool_copy copy  = {.to = 1, .bytes = 64, .enqueued_at = 10000, .begun_at = begun_at};
    team->count                     = 2;
    pipeline_pool_team_learn_locked(team, &copy, ended_at);
    uint64_t took = pipeline_transfer_predict(&team->transfers[1], 64);
    free(team);
    return took;
}

START_TEST(a_copy_takes_the_time_from_its_beginning_to_its_end)
{
    ck_assert_uint_eq(learn_copy(20000, 30000), 10000);
}
END_TEST

START_TEST(a_copy_whose_beginning_and_end_are_told_at_once_or_in_turn_takes_some_time)
{
    ck_assert_uint_eq(learn_copy(30000, 30000), 20000);
    ck_assert_uint_eq(learn_copy(29900, 30000), 20000);
    ck_assert_uint_eq(learn_copy(0, 30000), 20000);
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
    tcase_add_test(tests, bounds_do_not_draw_the_mean_of_better_samples_to_the_least_time);
    tcase_add_test(tests, a_bound_far_below_better_samples_counts_and_four_replace_them);
    tcase_add_test(tests, the_waits_of_tasks_of_which_only_bounds_are_known_are_soon_forgotten);
    tcase_add_test(tests, bounds_follow_times_that_become_longer);
    tcase_add_test(tests, two_better_samples_replace_bounds);
    tcase_add_test(tests, a_loan_whose_beginning_is_still_to_be_notified_tells_nothing);
    tcase_add_test(tests, an_end_that_was_predicted_puts_right_what_is_presumed_behind_it);
    tcase_add_test(tests, an_end_that_was_not_predicted_or_a_failure_puts_nothing_right);
    tcase_add_test(tests, a_copy_takes_the_time_from_its_beginning_to_its_end);
    tcase_add_test(tests, a_copy_whose_beginning_and_end_are_told_at_once_or_in_turn_takes_some_time);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
