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

/* Of a pipeline that gives only its latest result: while the program does not take it, newer ones replace
 * it. */
START_TEST(a_sink_whose_results_were_dropped_was_blocked)
{
    struct pipeline_measure *measure = make_measure(3, 0);
    uint64_t first[TRM_STAGES][2]    = {{1, 2}, {0, 0}, {2, 10}, {0, 0}, {10, 20}};
    uint64_t dropped[TRM_STAGES][2]  = {{11, 12}, {0, 0}, {12, 30}, {0, 0}, {0, 0}};
    uint64_t other[TRM_STAGES][2]    = {{31, 32}, {0, 0}, {32, 40}, {0, 0}, {0, 0}};
    uint64_t last[TRM_STAGES][2]     = {{51, 52}, {0, 0}, {52, 60}, {0, 0}, {100, 110}};
    uint64_t next[TRM_STAGES][2]     = {{111, 112}, {0, 0}, {112, 130}, {0, 0}, {150, 151}};
    struct pipeline_token_times token;

    token = make_token(0, 0, first);
    pipeline_measure_token(measure, &token);
    token        = make_token(1, 1, dropped);
    token.status = PIPELINE_TOKEN_DROPPED;
    pipeline_measure_token(measure, &token);
    token        = make_token(2, 2, other);
    token.status = PIPELINE_TOKEN_DROPPED;
    pipeline_measure_token(measure, &token);
    token = make_token(3, 0, last);
    pipeline_measure_token(measure, &token);
    token = make_token(4, 1, next);
    pipeline_measure_token(measure, &token);
    struct trm_report got = measure_report(measure, 3);
    /* Starved from 20 to 30, when the first one that was dropped was ready, and from 110 to 130. */
    ck_assert_uint_eq(got.stages[TRM_STAGE_SINK].busy_ns, 21);
    ck_assert_uint_eq(got.stages[TRM_STAGE_SINK].starved_ns, 30);
    ck_assert_uint_eq(got.stages[TRM_STAGE_SINK].blocked_ns, 90);
    pipeline_measure_destroy(measure);
}
END_TEST

/* Tokens come every 2 ms, and the program takes one every 9 ms, which it then releases at once. */
static struct trm_report report_of_slow_program(void)
{
    struct ideal ideal     = {.depth = 4, .tokens = 100, .time = {MS / 100, 0, MS / 50, 0, MS / 100}};
    struct trm_report slow = ideal_report(&ideal);

    slow.elapsed_ns                        = 900 * MS;
    slow.efficiency                        = (double)slow.bound_ns / (double)slow.elapsed_ns;
    slow.stages[TRM_STAGE_SINK].blocked_ns = slow.elapsed_ns - slow.stages[TRM_STAGE_SINK].busy_ns;
    slow.stages[TRM_STAGE_LOAD].blocked_ns = slow.elapsed_ns - slow.stages[TRM_STAGE_LOAD].busy_ns;
    slow.stages[TRM_STAGE_LOAD].starved_ns = 0;
    return slow;
}

START_TEST(a_program_that_takes_results_late_has_them_dropped)
{
    report         = report_of_slow_program();
    report.dropped = 300;
    advises_again("75 % of the tokens were dropped for newer ones, as the pipeline is told to: results wait "
                  "for the program, which takes one every 9.00 ms. No setting makes those that are left "
                  "fresher.");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_BOUND);
    ck_assert_int_eq(report.advised.stage, TRM_STAGE_SINK);
    /* A function of the program's takes them, which is called as soon as there is a result. */
    report.workers = 1;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "wait for the program"));
    facts.is_started = true;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_nonnull(strstr(report.advice, "wait for the program"));
}
END_TEST

/* How far a run is from what the stages could do says nothing where the program sets the pace. */
START_TEST(a_report_compares_nothing_with_the_pace_of_the_program)
{
    static char text[1 << 14];

    report = report_of_slow_program();
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_TEXT, text, sizeof(text), NULL), TRM_OK);
    ck_assert_ptr_nonnull(strstr(text, " for compute alone; the program sets the pace\n"));
    ck_assert_ptr_nonnull(strstr(text, " from these stage times\n"));
    ck_assert_ptr_null(strstr(text, "possible rate"));
    report.advised = (struct trm_advice){.kind = TRM_ADVICE_MORE, .stage = TRM_STAGE_LOAD, .gain = 9};
    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_TEXT, text, sizeof(text), NULL), TRM_OK);
    ck_assert_ptr_nonnull(strstr(text, " for compute alone; the program sets the pace\n"));
    report.advised.kind = TRM_ADVICE_SIZE;
    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_TEXT, text, sizeof(text), NULL), TRM_OK);
    ck_assert_ptr_nonnull(strstr(text, " of the possible rate\n"));
    ck_assert_ptr_nonnull(strstr(text, " times as long\n"));
}
END_TEST

START_TEST(results_that_wait_for_the_program_are_no_fault_of_the_machine)
{
    report           = report_of_slow_program();
    report.preempted = 1000;
    advises_again("Results wait for the program for 100 % of the time: it takes one every 9.00 ms, and the "
                  "pipeline is quicker (compute is busy for 0 %). Only taking them sooner would help.");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_BOUND);
    ck_assert_int_eq(report.advised.stage, TRM_STAGE_SINK);
    ck_assert_double_eq(report.advised.gain, 1);
    /* It fills the next token meanwhile. */
    report.stages[TRM_STAGE_LOAD].busy_ns = report.elapsed_ns / 10 * 9;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "wait for the program"));
    /* Nothing is ready for it. */
    report                                   = report_of_slow_program();
    report.stages[TRM_STAGE_SINK].starved_ns = report.stages[TRM_STAGE_SINK].blocked_ns;
    report.stages[TRM_STAGE_SINK].blocked_ns = 0;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "wait for the program"));
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
    tcase_add_test(tests, a_sink_whose_results_were_dropped_was_blocked);
    tcase_add_test(tests, a_program_that_takes_results_late_has_them_dropped);
    tcase_add_test(tests, a_report_compares_nothing_with_the_pace_of_the_program);
    tcase_add_test(tests, results_that_wait_for_the_program_are_no_fault_of_the_machine);
    tcase_add_test(tests, deadlines_that_pass_before_tokens_run_are_named);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
