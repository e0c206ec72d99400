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

static Suite *make_suite(void)
{
    Suite *suite = suite_create("transfers");
    TCase *tests = tcase_create("transfers");
    tcase_add_test(tests, a_transfer_that_is_not_known_counts_as_nothing);
    tcase_add_test(tests, the_second_sample_replaces_the_first);
    tcase_add_test(tests, samples_of_one_size_say_how_long_larger_ones_take);
    tcase_add_test(tests, samples_of_several_sizes_tell_latency_and_rate);
    tcase_add_test(tests, a_change_is_followed);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
