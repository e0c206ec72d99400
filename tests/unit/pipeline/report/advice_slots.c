/* Advice about slots: only as many as the measured run tells something of.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/report/advice.h"

/* 20 slots were advised for such a run, which then took twice as long. */
START_TEST(a_short_run_does_not_get_more_slots_than_it_can_use_again)
{
    static struct pipeline_stage_times recent[39];
    struct ideal ideal = {.depth = 3, .tokens = 39, .workers = 1, .time = {2 * MS, 0, 2 * MS, 0, 0}};

    facts.recent       = recent;
    facts.recent_count = 39;
    facts.source_flags = TRM_END_SERIAL;
    for (uint32_t i = 0; i < 39; i++)
        recent[i] = (struct pipeline_stage_times){{i % 13 < 12 ? MS / 2 : 20 * MS, 0, 2 * MS, 0, 0}};
    report                                = ideal_report(&ideal);
    report.elapsed_ns                     = 120 * MS;
    report.stages[TRM_STAGE_LOAD].most_ns = 20 * MS;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_msg(report.advised.depth <= 4, "%s", report.advice);
    /* Of a longer run each slot gets eight tokens, and the next run tells whether more would help. */
    report.tokens *= 100;
    report.elapsed_ns *= 100;
    for (uint32_t i = 0; i < TRM_STAGES; i++) {
        report.stages[i].tokens *= 100;
        report.stages[i].busy_ns *= 100;
    }
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_DEPTH);
    ck_assert_uint_gt(report.advised.depth, 4);
    ck_assert_uint_le(report.advised.depth, 7);
}
END_TEST

START_TEST(slots_that_the_pipeline_itself_has_found_useless_are_not_advised)
{
    struct ideal ideal = {.depth = 2, .tokens = 500, .time = {0, 4 * MS, 4 * MS, 4 * MS, 0}, .bytes_up = 1};

    report              = ideal_report(&ideal);
    report.slots_in_use = 2;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_DEPTH);
    report.slots_in_use = 1;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_msg(report.advised.depth == 2, "%s", report.advice);
}
END_TEST

START_TEST(what_it_takes_to_fill_a_slot_is_part_of_the_promise)
{
    struct ideal ideal = {.depth = 1, .tokens = 16, .time = {0, 2 * MS, 4 * MS, 2 * MS, 0}, .bytes_up = 1};

    advises(&ideal, "compute is idle for 50 % of the time, since tokens wait for free slots: raise the depth "
                    "from 1 to 2 (predicted 1.88 x).");
    facts.slot_ns = 40 * MS;
    advises_again("compute is idle for 50 % of the time, since tokens wait for free slots: raise the depth "
                  "from 1 to 2 (predicted 1.19 x).");
    facts.slot_ns = 60 * MS;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_msg(report.advised.kind != TRM_ADVICE_DEPTH, "%s", report.advice);
}
END_TEST

/* The first token of each slot loads for 5 ms, later ones for 1 ms, and the first of all for 100 ms. */
START_TEST(the_first_tokens_of_slots_tell_what_a_slot_costs)
{
    struct pipeline_measure *measure = make_measure(3, 0);
    uint64_t at                      = 0;

    for (uint64_t i = 0; i < 12; i++) {
        uint64_t load                 = i == 0 ? 100 * MS : i < 3 ? 5 * MS : MS;
        uint64_t times[TRM_STAGES][2] = {
            {at + 1, at + 1 + load}, {0, 0}, {at + 1 + load, at + 1 + load + MS}, {0, 0}, {0, 0}};
        struct pipeline_token_times token = make_token(i, (uint32_t)(i % 3), times);

        pipeline_measure_token(measure, &token);
        at += load + MS;
        ck_assert_uint_eq(pipeline_measure_slot_ns(measure), i < 3 ? 0 : 4 * MS);
    }
    pipeline_measure_reset(measure);
    ck_assert_uint_eq(pipeline_measure_slot_ns(measure), 0);
    pipeline_measure_destroy(measure);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("advice about slots");
    TCase *tests = tcase_create("slots");

    tcase_add_checked_fixture(tests, advice_setup, fixture_end);
    tcase_add_test(tests, a_short_run_does_not_get_more_slots_than_it_can_use_again);
    tcase_add_test(tests, slots_that_the_pipeline_itself_has_found_useless_are_not_advised);
    tcase_add_test(tests, what_it_takes_to_fill_a_slot_is_part_of_the_promise);
    tcase_add_test(tests, the_first_tokens_of_slots_tell_what_a_slot_costs);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
