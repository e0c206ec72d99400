/* What times of earlier work predict.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"

#include "pipeline/estimate/estimate.h"
#include "tests/unit/runner.h"

/* Piece `number`, which the device got at `begin` and which took `took` until `end`. */
static void add(struct pipeline_estimate *estimate, uint64_t number, uint64_t begin, uint64_t end,
                uint64_t took)
{
    const struct pipeline_sample sample = {.number = number, .begin = begin, .end = end, .took = took};
    pipeline_estimate_add(estimate, &sample);
}

static void add_coarse(struct pipeline_estimate *estimate, uint64_t number, uint64_t took)
{
    const struct pipeline_sample sample = {
        .number = number, .begin = 0, .end = took, .took = took, .is_coarse = true};
    pipeline_estimate_add(estimate, &sample);
}

START_TEST(nothing_is_known_before_the_first_sample)
{
    struct pipeline_estimate estimate = {.samples = 0};
    ck_assert(!pipeline_estimate_is_known(&estimate));
    add(&estimate, 0, 0, 100, 100);
    ck_assert(pipeline_estimate_is_known(&estimate));
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 0), 100);
}
END_TEST

START_TEST(the_first_sample_is_replaced_by_the_second)
{
    struct pipeline_estimate estimate = {.samples = 0};
    add(&estimate, 0, 0, 90000, 90000); /* with what happens only once */
    add(&estimate, 1, 100000, 100100, 100);
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 0), 100);
}
END_TEST

/* A device that overlaps stages ends a piece every 40, of which each takes 100. */
START_TEST(pieces_that_follow_directly_tell_the_period)
{
    struct pipeline_estimate estimate = {.samples = 0};
    for (uint64_t i = 0; i < 5; i++)
        add(&estimate, i, i * 10, 100 + i * 40, 100);
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 0), 100);
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 3), 100 + 3 * 40);
}
END_TEST

START_TEST(neither_idle_time_nor_a_gap_in_the_samples_is_a_period)
{
    struct pipeline_estimate estimate = {.samples = 0};
    add(&estimate, 0, 0, 100, 100);
    add(&estimate, 1, 5000, 5100, 100); /* the device was idle */
    add(&estimate, 3, 5050, 9000, 100); /* piece 2 was not measured */
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 2), 100 + 2 * 100);
}
END_TEST

START_TEST(the_estimate_follows_a_device_that_becomes_slower)
{
    struct pipeline_estimate estimate = {.samples = 0};
    for (uint64_t i = 0; i < 20; i++)
        add(&estimate, i, i * 1000, i * 1000 + 100, 100);
    for (uint64_t i = 20; i < 80; i++)
        add(&estimate, i, i * 1000, i * 1000 + 500, 500);
    ck_assert_uint_ge(pipeline_estimate_ahead(&estimate, 0), 498);
    ck_assert_uint_le(pipeline_estimate_ahead(&estimate, 0), 500);
}
END_TEST

/* As when the host was stopped while the second piece was on the device. */
START_TEST(an_early_sample_that_is_far_shorter_replaces_those_before_it)
{
    struct pipeline_estimate estimate = {.samples = 0};
    add(&estimate, 0, 0, 100, 100);
    add(&estimate, 1, 1000, 71000, 70000);
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 0), 70000);
    add(&estimate, 2, 80000, 80100, 100);
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 0), 100);
    add(&estimate, 3, 90000, 90050, 50);
    ck_assert_uint_gt(pipeline_estimate_ahead(&estimate, 0), 50); /* as usual */
    for (uint64_t i = 4; i < 20; i++)
        add(&estimate, i, i * 100000, i * 100000 + 1000, 1000);
    add(&estimate, 20, 3000000, 3000100, 100);
    ck_assert_uint_gt(pipeline_estimate_ahead(&estimate, 0), 500); /* a late one is one among many */
}
END_TEST

/* As when another program had the processor. */
START_TEST(a_late_sample_that_is_far_longer_counts_as_four_times_the_average)
{
    struct pipeline_estimate estimate = {.samples = 0};
    for (uint64_t i = 0; i < 20; i++)
        add(&estimate, i, i * 1000, i * 1000 + 100, 100);
    add(&estimate, 20, 20000, 20000 + 50000, 50000);
    ck_assert_uint_gt(pipeline_estimate_ahead(&estimate, 0), 100);
    ck_assert_uint_lt(pipeline_estimate_ahead(&estimate, 0), 200);
}
END_TEST

START_TEST(a_doubted_estimate_is_replaced_by_the_next_sample)
{
    struct pipeline_estimate estimate = {.samples = 0};
    for (uint64_t i = 0; i < 20; i++)
        add(&estimate, i, i * 10, 100 + i * 40, 100);
    pipeline_estimate_doubt(&estimate);
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 1), 100 + 40); /* until then it holds */
    add(&estimate, 20, 100000, 100300, 300);
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 1), 300 + 300);
    pipeline_estimate_doubt(&estimate);
    add(&estimate, 21, 200000, 209000, 9000); /* however long it takes */
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 0), 9000);
}
END_TEST

START_TEST(there_is_more_hope_while_a_device_warms_up)
{
    struct pipeline_estimate estimate = {.samples = 0};
    add(&estimate, 0, 0, 800, 800);
    ck_assert_double_eq(pipeline_estimate_hope(&estimate), 200);
    add(&estimate, 1, 1000, 1400, 400);
    ck_assert_double_eq(pipeline_estimate_hope(&estimate), 200);
    for (uint64_t i = 2; i < 20; i++)
        add(&estimate, i, i * 1000, i * 1000 + 400, 400);
    ck_assert_double_eq(pipeline_estimate_hope(&estimate), 400);
    pipeline_estimate_doubt(&estimate);
    add(&estimate, 20, 20000, 20400, 400);
    ck_assert_double_eq(pipeline_estimate_hope(&estimate), 200);
}
END_TEST

START_TEST(coarse_samples_count_until_there_are_others)
{
    struct pipeline_estimate estimate = {.samples = 0};
    add_coarse(&estimate, 0, 7000);
    add_coarse(&estimate, 1, 5000);
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 0), 5000);
    add(&estimate, 2, 10000, 10100, 100);
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 0), 100);
    add_coarse(&estimate, 3, 8000);
    ck_assert_uint_eq(pipeline_estimate_ahead(&estimate, 0), 100);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline estimate");
    TCase *tests = tcase_create("estimate");

    tcase_add_test(tests, nothing_is_known_before_the_first_sample);
    tcase_add_test(tests, the_first_sample_is_replaced_by_the_second);
    tcase_add_test(tests, pieces_that_follow_directly_tell_the_period);
    tcase_add_test(tests, neither_idle_time_nor_a_gap_in_the_samples_is_a_period);
    tcase_add_test(tests, the_estimate_follows_a_device_that_becomes_slower);
    tcase_add_test(tests, an_early_sample_that_is_far_shorter_replaces_those_before_it);
    tcase_add_test(tests, a_late_sample_that_is_far_longer_counts_as_four_times_the_average);
    tcase_add_test(tests, a_doubted_estimate_is_replaced_by_the_next_sample);
    tcase_add_test(tests, there_is_more_hope_while_a_device_warms_up);
    tcase_add_test(tests, coarse_samples_count_until_there_are_others);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
