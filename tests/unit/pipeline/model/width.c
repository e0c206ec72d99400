/* When the width of a device is measured again, and which measurement counts.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/model/stored.h"
#include "tests/unit/runner.h"

#define MINUTE (UINT64_C(60) * 1000000000)
#define START (UINT64_C(1000000) * MINUTE)

START_TEST(what_was_never_measured_is_due)
{
    const struct pipeline_stored_width width = {.streams = 0};
    ck_assert(pipeline_stored_width_is_due(&width, START));
}
END_TEST

START_TEST(the_most_of_all_measurements_counts)
{
    struct pipeline_stored_width width = {.streams = 0};
    pipeline_stored_width_add(&width, 3, false, START);
    ck_assert_uint_eq(width.streams, 3);
    pipeline_stored_width_add(&width, 16, true, START + MINUTE);
    pipeline_stored_width_add(&width, 2, true, START + 3 * MINUTE);
    ck_assert_uint_eq(width.streams, 16);
    ck_assert_uint_eq(width.made, 3);
    ck_assert_uint_eq(width.steady, 2);
    ck_assert(width.measured == START + 3 * MINUTE);
}
END_TEST

START_TEST(the_time_to_the_next_measurement_doubles)
{
    struct pipeline_stored_width width = {.streams = 0};
    uint64_t now                       = START;
    for (uint32_t i = 0; i < 8; i++) {
        pipeline_stored_width_add(&width, 3, false, now);
        ck_assert(!pipeline_stored_width_is_due(&width, now + (MINUTE << i) - 1));
        now += MINUTE << i;
        ck_assert(pipeline_stored_width_is_due(&width, now));
    }
}
END_TEST

START_TEST(three_undisturbed_measurements_settle_it)
{
    struct pipeline_stored_width width = {.streams = 0};
    pipeline_stored_width_add(&width, 3, false, START);
    for (uint32_t i = 0; i < 3; i++) {
        ck_assert(pipeline_stored_width_is_due(&width, START + 1000 * MINUTE));
        pipeline_stored_width_add(&width, 3, true, START);
    }
    ck_assert(!pipeline_stored_width_is_due(&width, 2 * START));
}
END_TEST

START_TEST(twelve_measurements_are_enough)
{
    struct pipeline_stored_width width = {.streams = 0};
    for (uint32_t i = 0; i < 12; i++) {
        ck_assert(pipeline_stored_width_is_due(&width, 2 * START));
        pipeline_stored_width_add(&width, 3, false, START);
    }
    ck_assert(!pipeline_stored_width_is_due(&width, 2 * START));
}
END_TEST

START_TEST(after_a_clock_was_put_back_it_is_due)
{
    struct pipeline_stored_width width = {.streams = 0};
    pipeline_stored_width_add(&width, 3, true, START);
    ck_assert(pipeline_stored_width_is_due(&width, START - MINUTE));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline model widths");
    TCase *tests = tcase_create("width");

    tcase_add_test(tests, what_was_never_measured_is_due);
    tcase_add_test(tests, the_most_of_all_measurements_counts);
    tcase_add_test(tests, the_time_to_the_next_measurement_doubles);
    tcase_add_test(tests, three_undisturbed_measurements_settle_it);
    tcase_add_test(tests, twelve_measurements_are_enough);
    tcase_add_test(tests, after_a_clock_was_put_back_it_is_due);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
