/* Reports of groups. Limits that devices share: found where copies are slower together than alone, and
 * nowhere else. Shares and strategies of devices.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>

#include "base/base.h"
#include "pipeline/report/shared.h"
#include "tests/unit/pipeline/report/fixture.h"
#include "tests/unit/runner.h"

static struct pipeline_shared shared;
static char text[256];
static uint64_t bytes; /* of a copy */

static void begin(void)
{
    memset(&shared, 0, sizeof(shared));
    bytes = 55000;
}

static void copy(uint64_t token, uint32_t device, uint64_t from, uint64_t length)
{
    struct pipeline_token_times times = {.index = token, .device = device, .bytes_up = bytes};

    times.begin[TRM_STAGE_UPLOAD] = 1 + from;
    times.end[TRM_STAGE_UPLOAD]   = 1 + from + length;
    pipeline_shared_add(&shared, &times);
}

/* Devices copy by turns, so that each is alone, 1000 ns a copy: 55 GB/s. */
static void alone(uint64_t first, uint32_t count, uint32_t devices)
{
    for (uint64_t i = first; i < first + count; i++)
        copy(i, (uint32_t)(i % devices), i * 2000, 1000);
}

/* All devices copy all the time, `length` a copy. */
static void together(uint64_t first, uint32_t count, uint32_t devices, uint64_t length, uint64_t step)
{
    for (uint32_t i = 0; i < count; i++)
        copy(first + i * step, i % devices, first * 2000 + i / devices * length, length);
}

START_TEST(copies_that_are_slower_together_name_both_speeds)
{
    alone(0, 40, 2);
    together(40, 80, 2, 1500, 1);
    pipeline_shared_say(&shared, text, sizeof(text));
    ck_assert_str_eq(
        text, "both uploads together reach 73.33 GB/s, one alone 55.00: the host's memory is the limit");
}
END_TEST

START_TEST(copies_that_are_as_fast_together_as_alone_share_nothing)
{
    alone(0, 40, 2);
    together(40, 80, 2, 1050, 1);
    pipeline_shared_say(&shared, text, sizeof(text));
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(four_devices_are_counted)
{
    alone(0, 60, 4);
    together(60, 200, 4, 3000, 1);
    pipeline_shared_say(&shared, text, sizeof(text));
    ck_assert_ptr_nonnull(strstr(text, "the uploads of 4 devices together reach 73.33 GB/s"));
}
END_TEST

START_TEST(small_copies_say_nothing)
{
    bytes = 100;
    alone(0, 40, 2);
    together(40, 80, 2, 1500, 1);
    pipeline_shared_say(&shared, text, sizeof(text));
    ck_assert_str_eq(text, "");
}
END_TEST

/* Without one of the two there is nothing to compare. */
START_TEST(copies_that_are_always_together_or_always_alone_say_nothing)
{
    together(0, 80, 2, 1500, 1);
    pipeline_shared_say(&shared, text, sizeof(text));
    ck_assert_str_eq(text, "");
    begin();
    alone(0, 80, 2);
    pipeline_shared_say(&shared, text, sizeof(text));
    ck_assert_str_eq(text, "");
}
END_TEST

/* Tokens in between were not measured: their copies are not known. */
START_TEST(copies_whose_neighbours_were_not_measured_do_not_count)
{
    alone(0, 40, 2);
    together(40, 80, 2, 1500, 100);
    pipeline_shared_say(&shared, text, sizeof(text));
    ck_assert_str_eq(text, "");
}
END_TEST

static char page[1 << 13];

/* 119 and 81 of 200: rounded to the nearest both would be one more. */
START_TEST(shares_of_devices_add_up_to_100_percent)
{
    struct ideal ideal = {.depth = 3, .tokens = 300, .time = {100, 200, 400, 150, 50}};

    ideal.devices            = 2;
    struct trm_report report = ideal_report(&ideal);
    report.devices[0].tokens = 119;
    report.devices[1].tokens = 81;
    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_TEXT, page, sizeof(page), NULL), TRM_OK);
    ck_assert_msg(strstr(page, "119   60 %") != NULL, "%s", page);
    ck_assert_msg(strstr(page, "81   40 %") != NULL, "%s", page);
    report.devices[0].tokens = 199;
    report.devices[1].tokens = 1;
    ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_TEXT, page, sizeof(page), NULL), TRM_OK);
    ck_assert_msg(strstr(page, "199  100 %") != NULL, "%s", page);
    ck_assert_msg(strstr(page, " 1    0 %") != NULL, "%s", page);
}
END_TEST

START_TEST(the_reason_names_the_strategy_of_each_device_where_they_differ)
{
    struct ideal ideal   = {.depth = 3, .tokens = 300, .time = {100, 200, 400, 150, 50}};
    int32_t strategies[] = {TRM_STRATEGY_ZERO_COPY, TRM_STRATEGY_ROLE_STREAMS, TRM_STRATEGY_ZERO_COPY};
    static const int32_t equal[] = {TRM_STRATEGY_ZERO_COPY, TRM_STRATEGY_ZERO_COPY, TRM_STRATEGY_ZERO_COPY};

    ideal.devices            = 3;
    struct trm_report report = ideal_report(&ideal);
    pipeline_report_strategies(&report, equal);
    ck_assert_str_eq(report.reason, "it was asked for");
    pipeline_report_strategies(&report, strategies);
    ck_assert_str_eq(report.reason,
                     "zero-copy on cpu:0 and cpu:2, role streams on cpu:1; of cpu:0: it was asked for");
    memset(report.reason, 'x', sizeof(report.reason) - 1);
    pipeline_report_strategies(&report, strategies);
    ck_assert_uint_eq(strlen(report.reason), sizeof(report.reason) - 1);
}
END_TEST

static uint32_t count(const char *wanted)
{
    uint32_t found = 0;
    for (const char *at = page; (at = strstr(at, wanted)) != NULL; at++)
        found++;
    return found;
}

/* `loss` has a name before the sentence, and ends sooner in it than what the device has of its own. */
START_TEST(a_loss_is_told_once_where_its_sentence_is_cut)
{
    struct ideal ideal       = {.depth = 3, .tokens = 300, .time = {100, 200, 400, 150, 50}, .devices = 2};
    struct trm_report report = ideal_report(&ideal);
    char sentence[400];
    int named       = snprintf(sentence, sizeof(sentence), "The device cpu:1 is lost: ");
    uint32_t length = (uint32_t)named;

    report.devices[0].lost = report.devices[1].lost = 1;
    for (; length + 7 < sizeof(sentence); length += 7)
        snprintf(sentence + length, sizeof(sentence) - length, "why%03u ", length);
    for (int before = 0; before < 120; before++) {
        char named_so[600];
        snprintf(named_so, sizeof(named_so), "stage %0*d: %s", before, 0, sentence);
        base_text_copy(report.loss, 232, named_so);
        base_text_copy(report.device_loss[1], sizeof(report.device_loss[1]), sentence);
        snprintf(report.device_loss[0], sizeof(report.device_loss[0]), "The device cpu:0 is lost: so-it-is.");
        ck_assert_int_eq(trm_report_format(&report, TRM_REPORT_TEXT, page, sizeof(page), NULL), TRM_OK);
        ck_assert_uint_eq(count("why026"), 1);
        ck_assert_uint_eq(count("so-it-is"), 1);
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("shared limits");
    TCase *tests = tcase_create("shared limits");

    tcase_add_checked_fixture(tests, begin, NULL);
    tcase_add_test(tests, copies_that_are_slower_together_name_both_speeds);
    tcase_add_test(tests, copies_that_are_as_fast_together_as_alone_share_nothing);
    tcase_add_test(tests, four_devices_are_counted);
    tcase_add_test(tests, small_copies_say_nothing);
    tcase_add_test(tests, copies_that_are_always_together_or_always_alone_say_nothing);
    tcase_add_test(tests, copies_whose_neighbours_were_not_measured_do_not_count);
    suite_add_tcase(suite, tests);
    tests = tcase_create("groups");
    tcase_add_checked_fixture(tests, fixture_begin, fixture_end);
    tcase_add_test(tests, shares_of_devices_add_up_to_100_percent);
    tcase_add_test(tests, the_reason_names_the_strategy_of_each_device_where_they_differ);
    tcase_add_test(tests, a_loss_is_told_once_where_its_sentence_is_cut);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
