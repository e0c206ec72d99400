/* Reports of groups as text and JSON: what each device did, and joins of shared ports.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/report/format.h"
#include "tests/unit/runner.h"

START_TEST(a_launch_on_a_device_of_its_own_choice_names_it)
{
    struct trm_report report = ideal_report(&usual);

    report.device_count     = 2;
    report.launch_device[1] = 2;
    snprintf(report.devices[1].device, sizeof(report.devices[1].device), "cuda:1");
    text_has(&report, "  compute    blur 25 %, sobel on cuda:1 75 %\n");
    format_report(&report, TRM_REPORT_JSON);
    has("{\"name\": \"sobel\", \"busy_seconds\": 0.900000000, \"device\": \"cuda:1\"}");
    report.launch_device[1] = 3; /* the program wrote it; there is no such device */
    text_has(&report, "  compute    blur 25 %, sobel 75 %\n");
}
END_TEST

START_TEST(a_device_without_tokens_is_too_slow_or_not_needed)
{
    struct trm_report report = ideal_report(&usual);
    report.device_count      = 2;
    report.devices[0]        = (struct trm_device_report){"cuda:0", .tokens = 998, .latency_ns = 20000};
    report.devices[1]        = (struct trm_device_report){"cuda:1", .tokens = 2, .latency_ns = 21000};
    text_has(&report, "not needed: another one keeps up\n");
    report.devices[1].latency_ns = 90000;
    text_has(&report, "too slow: the others finish first\n");
    report.slots_in_use = 1;
    text_has(&report, "one slot is in use at a time\n");
}
END_TEST

START_TEST(a_device_that_works_on_the_tokens_of_others_is_told_from_one_without_work)
{
    struct trm_report report = ideal_report(&usual);
    report.device_count      = 2;
    report.devices[0]        = (struct trm_device_report){"cpu:0", .tokens = 998, .latency_ns = 20000};
    report.spread_tokens     = 700;
    text_has(&report, "works on the others' tokens\n\n  all devices worked at once on each of 700 tokens\n");
    format_report(&report, TRM_REPORT_JSON);
    has("\"spread_tokens\": 700,");
    report.spread_tokens = 1; /* which tried whether it is faster */
    text_has(&report, "         -          -\n\n  all devices worked at once on each of 1 token\n");
}
END_TEST

START_TEST(joins_have_a_line_with_their_number_and_time)
{
    struct trm_report report = ideal_report(&usual);
    format_report(&report, TRM_REPORT_TEXT);
    lacks("joins");
    report.joins = 12;
    text_has(&report, "  joins      12 of shared ports\n");
    report.join_ns = report.elapsed_ns / 4;
    text_has(&report, "  joins      12 of shared ports: 25.1 ms each, 25 % of the time\n");
    format_report(&report, TRM_REPORT_JSON);
    has("\"joins\": 12,\n  \"join_seconds\": 0.301250000,");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("report format of groups");
    TCase *tests = tcase_create("report format of groups");

    tcase_add_checked_fixture(tests, fixture_begin, fixture_end);
    tcase_add_test(tests, a_launch_on_a_device_of_its_own_choice_names_it);
    tcase_add_test(tests, a_device_without_tokens_is_too_slow_or_not_needed);
    tcase_add_test(tests, a_device_that_works_on_the_tokens_of_others_is_told_from_one_without_work);
    tcase_add_test(tests, joins_have_a_line_with_their_number_and_time);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
