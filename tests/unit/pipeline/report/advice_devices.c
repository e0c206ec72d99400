/* Advice about the devices of a group: one that holds up the others is to be left out.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/report/advice.h"

enum {
    ELAPSED = 67400, /* microseconds */
    TOKENS  = 40,
};

/* The slow device had one token, to be measured with, and the other one did nothing meanwhile. */
static void make_report(void)
{
    struct ideal ideal = {.depth   = 3,
                          .tokens  = TOKENS,
                          .workers = 1,
                          .time    = {MS / 10, 0, 3 * MS / 2, 0, MS / 10},
                          .devices = 2};

    report            = ideal_report(&ideal);
    report.elapsed_ns = ELAPSED * UINT64_C(1000);
    report.efficiency = 0.8;
    report.devices[0] = (struct trm_device_report){
        .device = "cpu:0", .depth = 3, .tokens = TOKENS - 1, .busy_ns = 17 * MS, .latency_ns = MS / 2};
    report.devices[1] = (struct trm_device_report){
        .device = "vulkan:0", .depth = 3, .tokens = 1, .busy_ns = 45 * MS, .latency_ns = 45 * MS};
    report.device_stage_ns[0][TRM_STAGE_COMPUTE] = MS / 2;
    report.device_stage_ns[1][TRM_STAGE_COMPUTE] = 45 * MS;
}

static void is_kept(void)
{
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_msg(report.advised.kind != TRM_ADVICE_DEVICE && report.advised.left_out == 0, "%s",
                  report.advice);
}

START_TEST(a_device_that_the_others_wait_for_is_to_be_left_out)
{
    make_report();
    advises_again(
        "vulkan:0 takes 45.0 ms for a token where another device takes 500 \302\265s, and the others "
        "wait for its 1 token, 67 % of the time: leave it out of the group (predicted 3.0 x).");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_DEVICE);
    ck_assert_uint_eq(report.advised.left_out, 2);
    ck_assert_double_eq_tol(report.advised.gain, 67.4 / 22.4, 0.01);
    facts.words = (struct pipeline_report_words){
        .are_given = true, .token = "frame", .tokens = "frames", .devices = "--devices"};
    report.devices[1].tokens = 2;
    advises_again(
        "vulkan:0 takes 45.0 ms for a frame where another device takes 500 \302\265s, and the others "
        "wait for its 2 frames, 67 % of the time: leave it out of --devices (predicted 3.0 x).");
    /* Periods that are longer than tokens contain the wait for the slow device. */
    report.devices[0].period_ns = 4 * MS;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_double_eq_tol(report.advised.gain, 67.4 / 22.4, 0.01);
    report.devices[0].period_ns = 0;
    /* No more is promised than the others can do, and than load and sink take. */
    report.devices[0].latency_ns = MS;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_double_eq_tol(report.advised.gain, 67.4 / 40, 0.01);
    report.stages[TRM_STAGE_SINK].busy_ns = 60 * MS;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_double_eq_tol(report.advised.gain, 67.4 / 60, 0.01);
}
END_TEST

START_TEST(a_device_that_costs_nothing_is_not_to_be_left_out)
{
    /* The others went on meanwhile. */
    make_report();
    report.devices[0].busy_ns = 66 * MS;
    is_kept();
    /* It is as fast. */
    make_report();
    report.devices[0].latency_ns = 30 * MS;
    is_kept();
    /* There is no other one, or none that is known. */
    make_report();
    report.devices[0].lost = 1;
    is_kept();
    make_report();
    report.devices[0].latency_ns = 0;
    is_kept();
    make_report();
    report.devices[1].lost = 1;
    is_kept();
    /* A long run is not held up by one token. */
    make_report();
    report.elapsed_ns *= 100;
    report.tokens *= 100;
    is_kept();
}
END_TEST

START_TEST(a_program_that_cannot_leave_devices_out_is_not_told_to)
{
    make_report();
    facts.words = (struct pipeline_report_words){.are_given = true};
    is_kept();
    facts.words = (struct pipeline_report_words){.are_given = false};
    /* The program submits tokens itself. */
    report.workers = 0;
    is_kept();
    make_report();
    report.spread_tokens = TOKENS;
    is_kept();
}
END_TEST

static char *text_of(int32_t format)
{
    static char text[16384];

    ck_assert_int_eq(trm_report_format(&report, format, text, sizeof(text), NULL), TRM_OK);
    return text;
}

START_TEST(the_report_says_what_a_slow_device_cost_and_how_long_each_takes)
{
    make_report();
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_nonnull(strstr(text_of(TRM_REPORT_TEXT), "  too slow: holds the others up\n"));
    ck_assert_ptr_nonnull(
        strstr(text_of(TRM_REPORT_TEXT),
               "  compute takes for a token 500 \302\265s on cpu:0, 45.0 ms on vulkan:0\n"));
    ck_assert_ptr_nonnull(strstr(text_of(TRM_REPORT_JSON), "\"compute_seconds\": 0.045000000"));
    ck_assert_ptr_nonnull(strstr(text_of(TRM_REPORT_JSON), "\"left_out\": \"vulkan:0\""));
    ck_assert_ptr_nonnull(strstr(text_of(TRM_REPORT_JSON), "\"kind\": \"device\""));
    /* Devices that are alike have one mean. */
    report.device_stage_ns[1][TRM_STAGE_COMPUTE] = MS / 2;
    report.devices[1].latency_ns                 = MS / 2;
    report.devices[1].tokens                     = 20;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(text_of(TRM_REPORT_TEXT), "too slow"));
    ck_assert_ptr_null(strstr(text_of(TRM_REPORT_TEXT), "compute takes for"));
    ck_assert_ptr_nonnull(strstr(text_of(TRM_REPORT_JSON), "\"left_out\": null"));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("advice about devices");
    TCase *tests = tcase_create("devices");

    tcase_add_checked_fixture(tests, advice_setup, fixture_end);
    tcase_add_test(tests, a_device_that_the_others_wait_for_is_to_be_left_out);
    tcase_add_test(tests, a_device_that_costs_nothing_is_not_to_be_left_out);
    tcase_add_test(tests, a_program_that_cannot_leave_devices_out_is_not_told_to);
    tcase_add_test(tests, the_report_says_what_a_slow_device_cost_and_how_long_each_takes);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
