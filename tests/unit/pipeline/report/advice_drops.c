/* The advice about tokens that a pipeline leaves out.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/report/advice.h"

START_TEST(a_pipeline_that_drops_results_has_a_slow_sink)
{
    struct ideal ideal = {.depth = 3, .tokens = 100, .time = {MS, MS, 2 * MS, MS, 8 * MS}};

    report             = ideal_report(&ideal);
    report.dropped     = 300;
    facts.source_flags = TRM_END_PACED; /* whose waiting says nothing */
    advises_again(
        "75 % of the tokens were dropped for newer ones, as the pipeline is told to: they come faster than "
        "their results are taken. No setting makes those that are left fresher.");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_BOUND);
    ck_assert_int_eq(report.advised.stage, TRM_STAGE_SINK);
    ck_assert_double_eq(report.advised.gain, 1);
    report.dropped = 4;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "dropped"));
}
END_TEST

START_TEST(where_nothing_can_be_dropped_the_advice_says_so)
{
    struct ideal ideal = {.depth = 1, .workers = 1, .tokens = 100, .time = {MS, MS, 2 * MS, MS, 8 * MS}};

    facts.may_drop = true;
    advises(
        &ideal,
        "With 1 slot none of the tokens can be dropped, though the pipeline is told to drop some: each waits "
        "until the one before it was taken. Use 3 slots.");
    ck_assert_double_eq(report.advised.gain, 1);
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_DEPTH);
    ck_assert_uint_eq(report.advised.workers, 1);
    ck_assert_uint_eq(report.advised.depth, 3);
    ideal.workers     = 0;
    report            = ideal_report(&ideal);
    report.one_thread = 1;
    advises_again(
        "With 1 slot none of the tokens can be dropped, though the pipeline is told to drop some: each waits "
        "until the one before it was taken. Use 3 slots and 1 loader worker.");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_WORKERS);
    ck_assert_uint_eq(report.advised.workers, 1);
    ck_assert_uint_eq(report.advised.depth, 3);
    ideal.depth       = 3;
    report            = ideal_report(&ideal);
    report.one_thread = 1;
    advises_again("Load and sink take turns in one thread, so tokens wait for the sink instead of being "
                  "dropped, as the pipeline is told to. Use 1 loader worker.");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_WORKERS);
    ck_assert_uint_eq(report.advised.workers, 1);
    ck_assert_uint_eq(report.advised.depth, 3);
}
END_TEST

START_TEST(where_no_token_had_to_be_dropped_the_advice_is_another)
{
    struct ideal ideal = {.depth = 3, .workers = 1, .tokens = 100, .time = {MS, MS, 2 * MS, MS, 8 * MS}};

    facts.may_drop = true;
    report         = ideal_report(&ideal);
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "dropped"));
    /* The sink is quick. */
    ideal.workers              = 0;
    ideal.time[TRM_STAGE_SINK] = MS;
    report                     = ideal_report(&ideal);
    report.one_thread          = 1;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "dropped"));
    /* A program that submits tokens itself drops one where its time runs out. */
    ideal.depth = 1;
    report      = ideal_report(&ideal);
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "dropped"));
    /* The pipeline is not told to. */
    facts.may_drop = false;
    ideal.workers  = 1;
    report         = ideal_report(&ideal);
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "dropped"));
}
END_TEST

START_TEST(a_device_that_is_too_slow_for_all_tokens_is_named)
{
    struct ideal ideal = {.depth = 3, .tokens = 100, .time = {MS, MS, 8 * MS, MS, MS}};

    report         = ideal_report(&ideal);
    report.dropped = 100;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_nonnull(strstr(report.advice, "faster than the device computes"));
    ck_assert_int_eq(report.advised.stage, TRM_STAGE_COMPUTE);
}
END_TEST

START_TEST(deadlines_that_pass_before_tokens_run_are_named)
{
    struct ideal ideal = {.depth = 3, .tokens = 100, .time = {MS, MS, 8 * MS, MS, MS}};

    report         = ideal_report(&ideal);
    report.dropped = report.expired = 25;
    advises_again(
        "20 % of the tokens were past their deadline before they could run, and were left out: later "
        "deadlines or fewer tokens would help, no setting.");
    report         = (struct trm_report){.struct_size = sizeof(report), .critical = -1};
    report.dropped = report.expired = 7;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_nonnull(strstr(report.advice, "100 % of the tokens were past their deadline"));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("advice about drops");
    TCase *tests = tcase_create("advice about drops");

    tcase_add_checked_fixture(tests, advice_setup, fixture_end);
    tcase_add_test(tests, a_pipeline_that_drops_results_has_a_slow_sink);
    tcase_add_test(tests, where_nothing_can_be_dropped_the_advice_says_so);
    tcase_add_test(tests, where_no_token_had_to_be_dropped_the_advice_is_another);
    tcase_add_test(tests, a_device_that_is_too_slow_for_all_tokens_is_named);
    tcase_add_test(tests, deadlines_that_pass_before_tokens_run_are_named);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
