/* The advice about the host: a busy machine, pageable memory, functions of the program.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/report/advice.h"

START_TEST(a_busy_machine_is_blamed_where_threads_lost_their_processors)
{
    struct ideal ideal = {.depth = 3, .tokens = 100, .time = {MS, MS, 4 * MS, MS, MS}};

    report            = ideal_report(&ideal);
    report.one_thread = 1;
    report.elapsed_ns *= 3;
    report.efficiency /= 3;
    report.preempted = 3000;
    advises_again(
        "The machine was busy: the threads of this program waited for a processor (preempted 3000 times), so "
        "the stages account for only 33 % of the time. On an idle machine it would be 3.0 times as fast "
        "(predicted).");
    ck_assert_double_eq_tol(report.advised.gain, 3, 0.1);
    /* Nothing is as fast as stages that were handed on at no cost. */
    report.elapsed_ns *= 10;
    advises_again(
        "The machine was busy: the threads of this program waited for a processor (preempted 3000 times), so "
        "the stages account for only 3 % of the time. On an idle machine it would be much faster.");
    ck_assert_double_eq(report.advised.gain, 4);
    report.preempted = 5;
    advises_again(
        "The stages account for only 3 % of the time: something else kept the machine busy, or the threads "
        "that hand tokens on were late. Without that it would be much faster.");
    report.elapsed_ns /= 27;
    report.preempted = 3000;
    pipeline_report_complete(&report, NULL);
    ck_assert_msg(strstr(report.advice, "account for") == NULL, "%s", report.advice);
}
END_TEST

/* A setting and "run again" would contradict each other, and so would the two kinds. */
START_TEST(a_busy_machine_is_the_only_advice_on_times_that_it_has_disturbed)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {9 * MS, MS, 4 * MS, MS, MS}};

    report           = ideal_report(&ideal);
    report.preempted = report.elapsed_ns / MS / 10;
    advises_again("The machine was busy (100 preemptions a second), so these times, of which load is the "
                  "longest, do not tell what a change would gain: run again on an idle one.");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_MACHINE);
    ck_assert_int_eq(report.advised.stage, -1);
    ck_assert_uint_eq(report.advised.workers, 1);
    ck_assert_uint_eq(report.advised.depth, 3);
    ck_assert_double_eq(report.advised.gain, 1);
    /* An idle machine preempts now and then. */
    report.preempted = report.elapsed_ns / MS / 60;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_WORKERS);
    ck_assert_ptr_null(strstr(report.advice, "busy ("));
}
END_TEST

/* Other programs lengthen what runs on processors. */
START_TEST(a_busy_machine_does_not_hide_the_limit_of_a_device_of_its_own)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {MS, MS, 4 * MS, MS, MS}};

    report           = ideal_report(&ideal);
    report.preempted = report.elapsed_ns / MS / 10;
    advises_again("compute is the bound and the pipeline reaches 99.8 % of the possible rate: only faster "
                  "kernels (sobel takes 75 % of it) or a faster device would help.");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_BOUND);
    report.processors = 1;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_MACHINE);
}
END_TEST

/* Its own threads preempt each other on an idle machine too. */
START_TEST(a_program_that_fills_all_processors_is_not_told_of_a_busy_machine)
{
    struct ideal ideal = {.depth = 1, .tokens = 500, .time = {0, 2 * MS, 4 * MS, 2 * MS, 0}, .bytes_up = 1};

    report              = ideal_report(&ideal);
    report.preempted    = report.elapsed_ns / MS;
    report.processor_ns = report.elapsed_ns / 100 * 79 * processors;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_MACHINE);
    report.processor_ns = report.elapsed_ns / 100 * 81 * processors;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_DEPTH);
    ck_assert_double_le(report.advised.gain, 1.24);
}
END_TEST

START_TEST(pageable_copies_are_named_where_pinned_ones_tell_the_gain)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {MS, 4 * MS, 2 * MS, MS, MS}, .bytes_up = 1};
    struct pipeline_copies *up   = &facts.rates.copies[PIPELINE_COPIES_UP],
                           *down = &facts.rates.copies[PIPELINE_COPIES_DOWN];

    report       = ideal_report(&ideal);
    up->pageable = (struct pipeline_rate){500 * 1000, UINT64_C(500) * 4 * MS};
    down->pinned = (struct pipeline_rate){500 * 2000, UINT64_C(500) * 2 * MS};
    advises_again("upload takes 4.00 ms for a token from pageable memory: fill token->data, which is pinned, "
                  "instead of pointing it elsewhere, and it takes 1.00 ms, as this run's copies of pinned "
                  "memory do (predicted 2.00 x).");
    ck_assert_int_eq(report.advised.kind, TRM_ADVICE_STAGE);
    ck_assert_int_eq(report.advised.stage, TRM_STAGE_UPLOAD);
    ck_assert_uint_eq(report.advised.stage_ns, MS);
    /* Pinned copies of the same direction tell more. */
    up->pinned = (struct pipeline_rate){500 * 1000, UINT64_C(500) * 3 * MS};
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_nonnull(strstr(report.advice, "and it takes 3.43 ms"));
    /* Pinned memory that is no faster, and none that was measured. */
    up->pinned.time = UINT64_C(500) * 4 * MS;
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "pageable"));
    up->pinned = down->pinned = (struct pipeline_rate){0, 0};
    pipeline_report_advise(&report, &facts, processors);
    ck_assert_ptr_null(strstr(report.advice, "pageable"));
}
END_TEST

START_TEST(pageable_results_are_named_likewise)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {MS, MS, 2 * MS, 4 * MS, MS}, .bytes_up = 1};

    report = ideal_report(&ideal);
    facts.rates.copies[PIPELINE_COPIES_DOWN].pageable =
        (struct pipeline_rate){500 * 1000, UINT64_C(500) * 4 * MS};
    facts.rates.copies[PIPELINE_COPIES_UP].pinned =
        (struct pipeline_rate){500 * 1000, UINT64_C(500) * 1 * MS};
    advises_again("download takes 4.00 ms for a token to pageable memory: read token->data, which is pinned, "
                  "in a sink function, and it takes 1.00 ms, as this run's copies of pinned memory do "
                  "(predicted 2.00 x).");
}
END_TEST

/* Host stages run on the host: neither another kernel nor another device helps. */
START_TEST(a_full_compute_names_the_function_of_the_program_that_takes_the_most)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {MS, MS, 4 * MS, MS, MS}};

    facts.host_stages = 2;
    advises(&ideal,
            "compute is the bound and the pipeline reaches 99.8 % of the possible rate: only a faster "
            "function of the program for stage sobel, which takes 75 % of compute, would help.");
    facts.host_stages = 1;
    advises(&ideal, "compute is the bound and the pipeline reaches 99.8 % of the possible rate: only faster "
                    "kernels (sobel takes 75 % of it) or a faster device would help.");
}
END_TEST

enum {
    UNEVEN_TOKENS = 640
};

static uint64_t uneven_load(uint64_t token)
{
    return token % 16 == 7 ? 16 * MS : 3 * MS / 10;
}

/* The times of tokens of which all were measured, or of samples that had three slow ones instead of eight. */
static uint64_t recent_load(uint64_t number, bool is_sampled)
{
    if (is_sampled)
        return uneven_load(number == 16 || number == 66 || number == 113 ? 7 : 0);
    return uneven_load(number);
}

/* How long the tokens of uneven_load() take where load is all there is: tokens leave their slots in order. */
static uint64_t time_of_uneven(uint32_t workers, uint32_t depth)
{
    uint64_t left[UNEVEN_TOKENS] = {0}, free_at[64] = {0};

    for (uint64_t i = 0; i < UNEVEN_TOKENS; i++) {
        uint32_t worker = 0;
        for (uint32_t w = 1; w < workers; w++)
            if (free_at[w] < free_at[worker])
                worker = w;
        uint64_t begin  = i >= depth && left[i - depth] > free_at[worker] ? left[i - depth] : free_at[worker];
        free_at[worker] = begin + uneven_load(i);
        left[i]         = i > 0 && left[i - 1] > free_at[worker] ? left[i - 1] : free_at[worker];
    }
    return left[UNEVEN_TOKENS - 1];
}

START_TEST(workers_of_an_uneven_load_are_promised_what_its_slow_tokens_leave)
{
    static struct pipeline_stage_times recent[PIPELINE_RECENT_TOKENS];
    struct ideal ideal = {
        .depth = 3, .tokens = UNEVEN_TOKENS, .workers = 1, .time = {MS * 41 / 32, 0, MS / 50, 0, 0}};

    processors         = 2;
    facts.recent       = recent;
    facts.recent_count = PIPELINE_RECENT_TOKENS;
    for (uint64_t i = 0; i < PIPELINE_RECENT_TOKENS; i++)
        recent[i] = (struct pipeline_stage_times){{recent_load(i, _i == 1), 0, MS / 50, 0, 0}};
    /* The advice is followed until there is none. */
    for (uint32_t turn = 0; turn < 8; turn++) {
        double before = (double)time_of_uneven(ideal.workers, ideal.depth);

        report                                 = ideal_report(&ideal);
        report.stages[TRM_STAGE_LOAD].least_ns = 3 * MS / 10;
        report.stages[TRM_STAGE_LOAD].most_ns  = 16 * MS;
        report.load_waiting_ns                 = report.stages[TRM_STAGE_LOAD].busy_ns / 100 * 95;
        report.elapsed_ns                      = (uint64_t)before;
        report.measured                        = _i == 0 ? UNEVEN_TOKENS : PIPELINE_RECENT_TOKENS;
        pipeline_report_advise(&report, &facts, processors);
        if (report.advised.kind != TRM_ADVICE_WORKERS && report.advised.kind != TRM_ADVICE_DEPTH)
            break;
        ideal.workers = report.advised.workers;
        ideal.depth   = report.advised.depth;
        double came   = before / (double)time_of_uneven(ideal.workers, ideal.depth);
        ck_assert_msg(report.advised.gain < came * 1.1 && report.advised.gain > came * 0.85, "%s came %.2f x",
                      report.advice, came);
    }
    ck_assert_uint_gt(ideal.workers, 1);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("advice about the host");
    TCase *tests = tcase_create("advice about the host");

    tcase_add_checked_fixture(tests, advice_setup, fixture_end);
    tcase_add_test(tests, a_busy_machine_is_blamed_where_threads_lost_their_processors);
    tcase_add_test(tests, a_busy_machine_is_the_only_advice_on_times_that_it_has_disturbed);
    tcase_add_test(tests, a_busy_machine_does_not_hide_the_limit_of_a_device_of_its_own);
    tcase_add_test(tests, a_program_that_fills_all_processors_is_not_told_of_a_busy_machine);
    tcase_add_test(tests, pageable_copies_are_named_where_pinned_ones_tell_the_gain);
    tcase_add_test(tests, pageable_results_are_named_likewise);
    tcase_add_test(tests, a_full_compute_names_the_function_of_the_program_that_takes_the_most);
    tcase_add_loop_test(tests, workers_of_an_uneven_load_are_promised_what_its_slow_tokens_leave, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
