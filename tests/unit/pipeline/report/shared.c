/* Limits that devices share: found where copies are slower together than alone, and nowhere else.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>

#include "pipeline/report/shared.h"
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
    return suite;
}

UNIT_SUITE(make_suite)
