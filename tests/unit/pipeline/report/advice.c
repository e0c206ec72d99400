/* The advice: each sentence has a run that it is for.
 * SPDX-License-Identifier: MIT
 */
#include <check.h>

#include "tests/unit/pipeline/report/fixture.h"
#include "tests/unit/runner.h"

#define MS 1000000

static struct trm_report report;

/* For a host of so many processors, so that the advice does not depend on the machine of the test. */
static uint32_t processors = 8;

static void advises_again(const char *expected)
{
    core_report_advise(&report, processors, report.advice, sizeof(report.advice));
    ck_assert_str_eq(report.advice, expected);
}

static void advises(const struct ideal *ideal, const char *expected)
{
    report = ideal_report(ideal);
    advises_again(expected);
}

START_TEST(a_full_upload_can_only_be_made_smaller_or_its_link_faster)
{
    struct ideal ideal = {.depth = 3, .tokens = 60, .time = {MS, 4 * MS, 2 * MS, MS, MS}, .bytes_up = 1};

    advises(&ideal, "upload is the bound and the pipeline reaches 97 % of the possible rate: only smaller "
                    "data or a faster link "
                    "would help.");
}
END_TEST

START_TEST(a_full_download_likewise)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {MS, MS, 2 * MS, 4 * MS, MS}, .bytes_up = 1};

    advises(&ideal, "download is the bound and the pipeline reaches 99 % of the possible rate: only smaller "
                    "data or a faster link "
                    "would help.");
}
END_TEST

START_TEST(a_full_compute_names_the_kernel_that_takes_the_most)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {MS, MS, 4 * MS, MS, MS}};

    advises(&ideal, "compute is the bound and the pipeline reaches 99 % of the possible rate: only faster "
                    "kernels (sobel takes 75 % "
                    "of it) or a faster device would help.");
}
END_TEST

START_TEST(a_full_load_gets_as_many_workers_as_help)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {9 * MS, MS, 4 * MS, MS, MS}};

    advises(
        &ideal,
        "load holds it back (100 % busy): use 3 loader workers instead of 1 and depth 5 (predicted 2.2 x).");
    ideal.workers = 2;
    ideal.depth   = 5;
    advises(&ideal, "load holds it back (100 % busy): use 3 loader workers instead of 2 (predicted 1.1 x).");
}
END_TEST

START_TEST(more_workers_than_processors_are_only_for_a_load_that_waits)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .workers = 1, .time = {9 * MS, MS, MS, MS, MS}};

    processors = 2;
    advises(
        &ideal,
        "load holds it back (100 % busy): use 2 loader workers instead of 1 and depth 4 (predicted 2.0 x). "
        "If loading waits for a disk or network, use 11 loader workers instead of "
        "1 and depth 13 (predicted 8.8 x).");
    ideal.workers = 2;
    ideal.depth   = 4;
    advises(&ideal, "load holds it back (100 % busy): if loading waits for a disk or network, "
                    "use 11 loader workers instead of 2 and depth 13 (predicted 4.4 x).");
    processors = 16;
    advises(&ideal,
            "load holds it back (100 % busy): use 11 loader workers instead of 2 and depth 13 (predicted 4.4 "
            "x).");
    processors = 8;
}
END_TEST

START_TEST(a_program_that_serves_is_not_told_of_workers)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {9 * MS, MS, 4 * MS, MS, MS}};

    advises(&ideal,
            "load is the bound and the pipeline reaches 99 % of the possible rate: only a quicker load would "
            "help.");
}
END_TEST

START_TEST(load_and_sink_in_one_thread_are_told_to_part)
{
    struct ideal ideal = {.depth = 4, .tokens = 500, .time = {3 * MS, MS, 4 * MS, MS, 3 * MS}};

    /* A thread that does both takes 6 ms for a token. */
    report            = ideal_report(&ideal);
    report.one_thread = 1;
    report.elapsed_ns = 3 * UINT64_C(1000) * MS;
    report.efficiency = 0.66;
    advises_again(
        "load and sink take turns in one thread (100 % busy), which holds it back: give the source a worker, "
        "so that load and sink overlap (predicted 1.5 x).");
    /* Also where load is the longest stage, unless the sink is short. */
    ideal.time[TRM_STAGE_LOAD] = 5 * MS;
    report                     = ideal_report(&ideal);
    report.one_thread          = 1;
    report.elapsed_ns          = 4 * UINT64_C(1000) * MS;
    report.efficiency          = 0.62;
    advises_again("load and sink take turns in one thread (100 % busy), which holds it back: give the source "
                  "a worker, so that load and sink overlap (predicted 1.6 x).");
    ideal.time[TRM_STAGE_SINK] = MS / 10;
    report                     = ideal_report(&ideal);
    report.one_thread          = 1;
    advises_again("load holds it back (100 % busy): use 2 loader workers (predicted 1.3 x).");
}
END_TEST

START_TEST(a_full_sink_is_told_to_do_less)
{
    struct ideal ideal = {.depth = 4, .tokens = 500, .time = {MS, MS, 2 * MS, MS, 5 * MS}};

    advises(
        &ideal,
        "sink holds it back (100 % busy): let it do less for each token, or hand the work to threads of its "
        "own (predicted up to 2.5 x).");
}
END_TEST

START_TEST(too_few_slots_are_counted_and_more_are_predicted)
{
    struct ideal ideal = {.depth = 1, .tokens = 500, .time = {0, 2 * MS, 4 * MS, 2 * MS, 0}, .bytes_up = 1};

    advises(
        &ideal,
        "compute is idle for 50 % of the time, since tokens wait for free slots: raise the depth from 1 to "
        "2 (predicted 2.0 x).");
    ideal.depth                    = 2;
    ideal.time[TRM_STAGE_UPLOAD]   = 4 * MS;
    ideal.time[TRM_STAGE_DOWNLOAD] = 4 * MS;
    advises(
        &ideal,
        "upload is idle for 33 % of the time, since tokens wait for free slots: raise the depth from 2 to 3 "
        "(predicted 1.5 x).");
}
END_TEST

START_TEST(few_tokens_are_told_to_become_more)
{
    struct ideal ideal = {.depth = 3, .tokens = 3, .time = {MS, 2 * MS, 4 * MS, 2 * MS, MS}, .bytes_up = 1};

    advises(&ideal,
            "3 tokens are few: filling and emptying the pipeline is 33 % of the time; cut the data into more "
            "tokens to overlap better.");
}
END_TEST

START_TEST(filling_and_emptying_is_named_where_it_is_what_is_left)
{
    struct ideal ideal = {.depth = 6, .tokens = 10, .time = {MS, 2 * MS, 4 * MS, 2 * MS, MS}, .bytes_up = 1};

    advises(&ideal, "compute is busy for 87 % of the time, and the rest is mostly filling and emptying the "
                    "pipeline: more "
                    "tokens would hide that.");
}
END_TEST

START_TEST(tiny_tokens_are_told_to_grow)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {100, 200, 1000, 200, 100}};

    report            = ideal_report(&ideal);
    report.elapsed_ns = 500 * 3000;
    report.efficiency = 0.33;
    advises_again("Tokens are so small that handing them over costs more than the work (3.00 µs a token, of "
                  "which 1.00 µs "
                  "work): make them larger.");
}
END_TEST

START_TEST(a_server_without_requests_is_told_so)
{
    struct ideal ideal = {.depth = 1, .tokens = 100, .time = {MS, 0, 2 * MS, 0, MS}, .gap = 4 * MS};

    advises(&ideal,
            "A slot was free and nothing came for 50 % of the time: the pipeline could take more tokens "
            "(compute is busy for 25 %).");
}
END_TEST

START_TEST(a_run_is_not_told_that_it_could_take_more_tokens)
{
    struct ideal ideal = {.depth = 1, .tokens = 100, .time = {MS, 0, 2 * MS, 0, MS}, .gap = 4 * MS};

    report            = ideal_report(&ideal);
    report.one_thread = 1;
    core_report_complete(&report);
    ck_assert_msg(strstr(report.advice, "could take more") == NULL, "%s", report.advice);
    report.one_thread = 0;
    report.workers    = 1;
    core_report_complete(&report);
    ck_assert_msg(strstr(report.advice, "could take more") == NULL, "%s", report.advice);
}
END_TEST

START_TEST(a_busy_machine_is_blamed_where_threads_lost_their_processors)
{
    struct ideal ideal = {.depth = 3, .tokens = 100, .time = {MS, MS, 4 * MS, MS, MS}};

    report            = ideal_report(&ideal);
    report.one_thread = 1;
    report.elapsed_ns *= 10;
    report.efficiency /= 10;
    report.preempted = 3000;
    advises_again(
        "The stages account for only 10 % of the time: the threads of this program waited for a processor "
        "(taken off one 3000 times), which other programs, or too many threads of its own, wanted as well.");
    report.preempted = 5;
    advises_again(
        "The stages account for only 10 % of the time: something else kept the machine busy, or the threads "
        "that hand tokens on were late.");
    report.elapsed_ns /= 9;
    report.preempted = 3000;
    core_report_complete(&report);
    ck_assert_msg(strstr(report.advice, "account for") == NULL, "%s", report.advice);
}
END_TEST

START_TEST(pageable_copies_are_blamed_where_copies_are_the_longest)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {MS, 4 * MS, 2 * MS, MS, MS}, .bytes_up = 1};

    report                 = ideal_report(&ideal);
    report.pageable_copies = 500;
    advises_again("upload is the longest stage, and 500 copies were of pageable memory, which is slow and "
                  "overlaps badly: "
                  "fill token->data instead of pointing elsewhere.");
    report.critical = TRM_STAGE_COMPUTE;
    core_report_complete(&report);
    ck_assert_ptr_null(strstr(report.advice, "pageable"));
}
END_TEST

START_TEST(uneven_stages_are_named)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {2 * MS, MS, 4 * MS, MS, MS}};

    report                                      = ideal_report(&ideal);
    report.stages[TRM_STAGE_LOAD].most_ns       = 60 * MS;
    report.elapsed_ns                           = 500 * UINT64_C(5) * MS;
    report.efficiency                           = 0.8;
    report.stages[TRM_STAGE_COMPUTE].starved_ns = 500 * MS;
    advises_again("load takes from 2.00 ms to 60.0 ms for a token, so that other stages wait for it now and "
                  "then: a depth "
                  "above 3 would even that out.");
}
END_TEST

START_TEST(no_depth_is_advised_where_the_longest_stage_itself_is_uneven)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {2 * MS, MS, 4 * MS, MS, MS}};

    report                                      = ideal_report(&ideal);
    report.stages[TRM_STAGE_COMPUTE].least_ns   = MS / 2;
    report.stages[TRM_STAGE_COMPUTE].most_ns    = 656 * MS;
    report.elapsed_ns                           = 500 * UINT64_C(5) * MS;
    report.efficiency                           = 0.8;
    report.stages[TRM_STAGE_COMPUTE].starved_ns = 500 * MS;
    advises_again("compute is the longest stage and takes from 500 µs to 656 ms for a token: look at its "
                  "slow tokens in "
                  "a trace, since neither depth nor overlap makes up for them.");
}
END_TEST

START_TEST(stages_that_stand_in_each_others_way_are_told_of)
{
    struct ideal ideal = {.depth = 3, .tokens = 500, .time = {2 * MS, MS, 4 * MS, MS, MS}};

    report                                      = ideal_report(&ideal);
    report.elapsed_ns                           = 500 * UINT64_C(5) * MS;
    report.efficiency                           = 0.8;
    report.stages[TRM_STAGE_COMPUTE].blocked_ns = 500 * MS;
    advises_again("compute is the longest stage but busy for only 80 % of the time, and blocked for 20 %: "
                  "its tokens wait "
                  "for processors or threads that other stages use.");
    report.stages[TRM_STAGE_COMPUTE].blocked_ns = 0;
    report.stages[TRM_STAGE_COMPUTE].starved_ns = 500 * MS;
    advises_again("compute is the longest stage but busy for only 80 % of the time, and starved for 20 %: "
                  "tokens reach it "
                  "late, so look at the stages before it in a trace.");
}
END_TEST

START_TEST(nothing_measured_is_nothing_to_advise)
{
    memset(&report, 0, sizeof(report));
    report.critical = -1;
    advises_again("No token has come out yet, so there is nothing to advise.");
    report.tokens     = 5;
    report.elapsed_ns = 5;
    advises_again(
        "No times were taken: let the pipeline measure (TRM_MEASURE_SAMPLED) to be told what holds it back.");
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("advice");
    TCase *tests = tcase_create("advice");

    tcase_add_checked_fixture(tests, fixture_begin, fixture_end);
    tcase_add_test(tests, a_full_upload_can_only_be_made_smaller_or_its_link_faster);
    tcase_add_test(tests, a_full_download_likewise);
    tcase_add_test(tests, a_full_compute_names_the_kernel_that_takes_the_most);
    tcase_add_test(tests, a_full_load_gets_as_many_workers_as_help);
    tcase_add_test(tests, more_workers_than_processors_are_only_for_a_load_that_waits);
    tcase_add_test(tests, a_program_that_serves_is_not_told_of_workers);
    tcase_add_test(tests, load_and_sink_in_one_thread_are_told_to_part);
    tcase_add_test(tests, a_full_sink_is_told_to_do_less);
    tcase_add_test(tests, too_few_slots_are_counted_and_more_are_predicted);
    tcase_add_test(tests, few_tokens_are_told_to_become_more);
    tcase_add_test(tests, filling_and_emptying_is_named_where_it_is_what_is_left);
    tcase_add_test(tests, tiny_tokens_are_told_to_grow);
    tcase_add_test(tests, a_server_without_requests_is_told_so);
    tcase_add_test(tests, a_run_is_not_told_that_it_could_take_more_tokens);
    tcase_add_test(tests, a_busy_machine_is_blamed_where_threads_lost_their_processors);
    tcase_add_test(tests, pageable_copies_are_blamed_where_copies_are_the_longest);
    tcase_add_test(tests, uneven_stages_are_named);
    tcase_add_test(tests, no_depth_is_advised_where_the_longest_stage_itself_is_uneven);
    tcase_add_test(tests, stages_that_stand_in_each_others_way_are_told_of);
    tcase_add_test(tests, nothing_measured_is_nothing_to_advise);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
