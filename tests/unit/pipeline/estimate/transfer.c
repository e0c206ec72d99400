/* How long transfers take, by their bytes.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"

#include "pipeline/estimate/estimate.h"
#include "tests/unit/runner.h"

START_TEST(a_transfer_that_is_not_known_counts_as_nothing)
{
    struct pipeline_transfer transfer = {.samples = 0};
    ck_assert_uint_eq(pipeline_transfer_predict(&transfer, 1000), 0);
}
END_TEST

START_TEST(the_second_sample_replaces_the_first)
{
    struct pipeline_transfer transfer = {.samples = 0};
    pipeline_transfer_add(&transfer, 1000, 90000);
    ck_assert_uint_eq(pipeline_transfer_predict(&transfer, 1000), 90000);
    pipeline_transfer_add(&transfer, 1000, 500);
    ck_assert_uint_eq(pipeline_transfer_predict(&transfer, 1000), 500);
}
END_TEST

START_TEST(samples_of_one_size_say_how_long_larger_ones_take)
{
    struct pipeline_transfer transfer = {.samples = 0};
    for (uint32_t i = 0; i < 4; i++)
        pipeline_transfer_add(&transfer, 1000, 500);
    ck_assert_uint_eq(pipeline_transfer_predict(&transfer, 4000), 2000);
    ck_assert_uint_eq(pipeline_transfer_predict(&transfer, 10), 500);
}
END_TEST

START_TEST(samples_of_several_sizes_tell_latency_and_rate)
{
    struct pipeline_transfer transfer = {.samples = 0};
    for (uint32_t i = 0; i < 20; i++)
        pipeline_transfer_add(&transfer, 1000 << i % 4, 200 + (1000 << i % 4) / 2);
    ck_assert_double_eq_tol((double)pipeline_transfer_predict(&transfer, 0), 200, 2);
    ck_assert_double_eq_tol((double)pipeline_transfer_predict(&transfer, 100000), 50200, 2);
}
END_TEST

START_TEST(a_change_is_followed)
{
    struct pipeline_transfer transfer = {.samples = 0};
    for (uint32_t i = 0; i < 100; i++)
        pipeline_transfer_add(&transfer, 1000, i < 50 ? 500 : 5000);
    ck_assert_uint_ge(pipeline_transfer_predict(&transfer, 1000), 4900);
}
END_TEST

START_TEST(of_bounds_the_least_one_counts_until_something_better_is_known)
{
    struct pipeline_transfer transfer = {.samples = 0};
    pipeline_transfer_add_bound(&transfer, 1000, 700);
    pipeline_transfer_add_bound(&transfer, 1000, 5000);
    ck_assert_uint_eq(pipeline_transfer_predict(&transfer, 1000), 5000);
    for (uint32_t i = 0; i < 64; i++)
        pipeline_transfer_add_bound(&transfer, 1000, i % 2 ? 90000 : 1000);
    ck_assert_uint_ge(pipeline_transfer_predict(&transfer, 1000), 1000);
    ck_assert_uint_le(pipeline_transfer_predict(&transfer, 1000), 1100);
    pipeline_transfer_add(&transfer, 1000, 600);
    pipeline_transfer_add(&transfer, 1000, 500);
    ck_assert_uint_eq(pipeline_transfer_predict(&transfer, 1000), 500);
}
END_TEST

START_TEST(bounds_beside_better_samples_count_if_they_are_far_below)
{
    struct pipeline_transfer transfer = {.samples = 0};
    for (uint32_t i = 0; i < 8; i++)
        pipeline_transfer_add(&transfer, 1000, 500);
    pipeline_transfer_add_bound(&transfer, 1000, 400);
    pipeline_transfer_add_bound(&transfer, 1000, 9000);
    ck_assert_uint_eq(pipeline_transfer_predict(&transfer, 1000), 500);
    pipeline_transfer_add_bound(&transfer, 1000, 100);
    ck_assert_uint_lt(pipeline_transfer_predict(&transfer, 1000), 500);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("transfers");
    TCase *tests = tcase_create("transfers");
    tcase_add_test(tests, a_transfer_that_is_not_known_counts_as_nothing);
    tcase_add_test(tests, the_second_sample_replaces_the_first);
    tcase_add_test(tests, samples_of_one_size_say_how_long_larger_ones_take);
    tcase_add_test(tests, samples_of_several_sizes_tell_latency_and_rate);
    tcase_add_test(tests, a_change_is_followed);
    tcase_add_test(tests, of_bounds_the_least_one_counts_until_something_better_is_known);
    tcase_add_test(tests, bounds_beside_better_samples_count_if_they_are_far_below);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
