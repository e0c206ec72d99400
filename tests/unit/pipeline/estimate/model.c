/* Means and spreads of times, and what they forget.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"

#include "pipeline/estimate/estimate.h"
#include "tests/unit/runner.h"

static void add_times(struct pipeline_model *model, uint32_t times, double took)
{
    for (uint32_t i = 0; i < times; i++)
        pipeline_model_add(model, took);
}

START_TEST(a_model_is_known_from_its_first_sample_which_the_second_replaces)
{
    struct pipeline_model model = {.samples = 0};
    ck_assert(!pipeline_model_is_known(&model));
    pipeline_model_add(&model, 90000);
    ck_assert(pipeline_model_is_known(&model));
    ck_assert_double_eq(model.mean, 90000);
    pipeline_model_add(&model, 100);
    ck_assert_double_eq(model.mean, 100);
    ck_assert_uint_eq(model.samples, 2);
}
END_TEST

START_TEST(the_spread_is_the_mean_distance_of_samples)
{
    struct pipeline_model steady = {.samples = 0}, varied = {.samples = 0};
    for (uint32_t i = 0; i < 100; i++) {
        pipeline_model_add(&steady, 1000);
        pipeline_model_add(&varied, i % 2 == 0 ? 900 : 1100);
    }
    ck_assert_double_eq(steady.mean, 1000);
    ck_assert_double_eq(steady.spread, 0);
    ck_assert_double_eq_tol(varied.mean, 1000, 30);
    ck_assert_double_eq_tol(varied.spread, 100, 20);
}
END_TEST

START_TEST(one_outlier_changes_little)
{
    struct pipeline_model model = {.samples = 0};
    add_times(&model, 20, 1000);
    pipeline_model_add(&model, 1000000);
    ck_assert_double_le(model.mean, 1100);
    pipeline_model_add(&model, 1);
    ck_assert_double_ge(model.mean, 900);
    add_times(&model, 40, 1000);
    ck_assert_double_eq_tol(model.mean, 1000, 10);
}
END_TEST

START_TEST(a_lasting_change_is_learned_after_four_samples)
{
    struct pipeline_model model = {.samples = 0};
    add_times(&model, 20, 1000);
    add_times(&model, 3, 5000);
    ck_assert_double_le(model.mean, 3000);
    pipeline_model_add(&model, 5000);
    ck_assert_double_eq(model.mean, 5000);
    ck_assert_uint_eq(model.samples, 4);
    add_times(&model, 4, 100);
    ck_assert_double_eq(model.mean, 100);
}
END_TEST

START_TEST(outliers_on_both_sides_are_no_change)
{
    struct pipeline_model model = {.samples = 0};
    add_times(&model, 20, 1000);
    for (uint32_t i = 0; i < 40; i++) {
        pipeline_model_add(&model, i % 2 == 0 ? 4000 : 1);
        ck_assert_uint_eq(model.samples, 21 + i);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline model");
    TCase *tests = tcase_create("model");

    tcase_add_test(tests, a_model_is_known_from_its_first_sample_which_the_second_replaces);
    tcase_add_test(tests, the_spread_is_the_mean_distance_of_samples);
    tcase_add_test(tests, one_outlier_changes_little);
    tcase_add_test(tests, a_lasting_change_is_learned_after_four_samples);
    tcase_add_test(tests, outliers_on_both_sides_are_no_change);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
