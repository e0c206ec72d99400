/* How large a buffer between two irregular rates must be.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/estimate/buffer.h"

#include "tests/unit/runner.h"

static struct pipeline_buffer buffer_of(double put, double put_deviation, double take, double take_deviation)
{
    return (struct pipeline_buffer){.put   = {put, put_deviation * put_deviation, 100},
                                    .take  = {take, take_deviation * take_deviation, 100},
                                    .lanes = 1};
}

static void ck_near(double is, double wanted, double off)
{
    ck_assert_msg(is > wanted - off && is < wanted + off, "%g is not near %g", is, wanted);
}

START_TEST(mean_and_deviation_are_those_of_the_samples)
{
    struct pipeline_spread spread = {0, 0, 0};
    for (int i = 0; i < 50; i++) {
        pipeline_spread_add(&spread, 100);
        pipeline_spread_add(&spread, 300);
    }
    ck_near(spread.mean, 200, 1);
    ck_near(pipeline_spread_deviation(&spread), 100, 1);
    spread = (struct pipeline_spread){0, 0, 0};
    pipeline_spread_add(&spread, 5);
    ck_assert_double_eq(pipeline_spread_deviation(&spread), 0);
}
END_TEST

START_TEST(old_samples_are_forgotten)
{
    struct pipeline_spread spread = {0, 0, 0};
    for (int i = 0; i < 1000; i++)
        pipeline_spread_add(&spread, 10);
    for (int i = 0; i < 1000; i++)
        pipeline_spread_add(&spread, 20);
    ck_near(spread.mean, 20, 0.1);
}
END_TEST

START_TEST(regular_times_need_one_place)
{
    struct pipeline_buffer buffer = buffer_of(100, 0, 200, 0);
    ck_assert_uint_eq(pipeline_buffer_places(&buffer, 64), 1);
    ck_assert_double_eq(pipeline_buffer_waits(&buffer, 1), 0);
}
END_TEST

START_TEST(irregular_times_need_more_places_the_more_irregular_they_are)
{
    uint32_t last = 0;
    for (double deviation = 100; deviation <= 400; deviation += 100) {
        struct pipeline_buffer buffer = buffer_of(100, deviation, 130, 10);
        uint32_t places               = pipeline_buffer_places(&buffer, 10000);
        ck_assert_uint_gt(places, last);
        ck_assert(pipeline_buffer_waits(&buffer, places) <= 0.01);
        ck_assert(pipeline_buffer_waits(&buffer, places - 1) > 0.01);
        last = places;
    }
}
END_TEST

START_TEST(a_slow_source_is_waited_for_with_any_buffer)
{
    struct pipeline_buffer buffer = buffer_of(200, 50, 100, 10);
    ck_near(pipeline_buffer_waits(&buffer, 1000), 0.5, 0.001);
    ck_assert_uint_lt(pipeline_buffer_places(&buffer, 1000), 20);
    buffer = buffer_of(200, 0, 100, 0);
    ck_near(pipeline_buffer_waits(&buffer, 1), 0.5, 0.001);
}
END_TEST

/* Without drift the motion is at 0 for variance / (2 places) of the time. */
START_TEST(equal_rates_wait_less_with_every_place)
{
    struct pipeline_buffer buffer = buffer_of(100, 100, 100, 100);
    ck_near(pipeline_buffer_waits(&buffer, 10), 0.1, 0.001);
    ck_near(pipeline_buffer_waits(&buffer, 100), 0.01, 0.0001);
    ck_near(pipeline_buffer_places(&buffer, 10000), 100, 2);
}
END_TEST

/* Two barriers: a drift of one in ten, of exponential times. */
START_TEST(the_waits_are_those_of_the_formula)
{
    struct pipeline_buffer buffer = buffer_of(100, 100, 110, 110);
    /* in 0.01, out 0.00909: drift 0.000909, variance 0.01909; 2 * drift * 20 / variance = 1.9048 */
    ck_near(pipeline_buffer_waits(&buffer, 20), 0.1 / 5.7180, 0.0002);
}
END_TEST

/* A source that takes 100, each twentieth time 20000, before a device that takes 5700: with one place the
 * device waits for (20000 - 5700) / 20 a thing, which is 11 % of its time, and with more for less. */
START_TEST(rare_pauses_are_not_waited_for_more_than_they_last)
{
    struct pipeline_buffer buffer = buffer_of(1095, 4337, 5700, 600);
    for (uint32_t places = 1; places < 30; places++)
        ck_assert(pipeline_buffer_waits(&buffer, places) < 0.16);
    ck_assert(pipeline_buffer_waits(&buffer, 1) > 0.1);
    ck_assert_uint_gt(pipeline_buffer_places(&buffer, 64), 4);
}
END_TEST

START_TEST(lanes_add_up)
{
    struct pipeline_buffer buffer = buffer_of(400, 0, 100, 0);
    ck_near(pipeline_buffer_waits(&buffer, 8), 0.75, 0.001);
    buffer.lanes = 3;
    ck_near(pipeline_buffer_waits(&buffer, 8), 0.25, 0.001);
    buffer.lanes = 4;
    ck_near(pipeline_buffer_waits(&buffer, 8), 0, 0.001);
}
END_TEST

START_TEST(no_more_places_are_asked_for_than_there_may_be)
{
    struct pipeline_buffer buffer = buffer_of(100, 1000, 100, 1000);
    for (uint32_t most = 1; most < 100; most++)
        ck_assert_uint_eq(pipeline_buffer_places(&buffer, most), most);
}
END_TEST

START_TEST(nothing_is_said_of_what_is_not_known)
{
    struct pipeline_buffer buffer = {.lanes = 1};
    ck_assert_double_eq(pipeline_buffer_waits(&buffer, 1), 0);
    ck_assert_uint_eq(pipeline_buffer_places(&buffer, 10), 1);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline buffer");
    TCase *tests = tcase_create("buffer");

    tcase_add_test(tests, mean_and_deviation_are_those_of_the_samples);
    tcase_add_test(tests, old_samples_are_forgotten);
    tcase_add_test(tests, regular_times_need_one_place);
    tcase_add_test(tests, irregular_times_need_more_places_the_more_irregular_they_are);
    tcase_add_test(tests, a_slow_source_is_waited_for_with_any_buffer);
    tcase_add_test(tests, equal_rates_wait_less_with_every_place);
    tcase_add_test(tests, the_waits_are_those_of_the_formula);
    tcase_add_test(tests, rare_pauses_are_not_waited_for_more_than_they_last);
    tcase_add_test(tests, lanes_add_up);
    tcase_add_test(tests, no_more_places_are_asked_for_than_there_may_be);
    tcase_add_test(tests, nothing_is_said_of_what_is_not_known);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
