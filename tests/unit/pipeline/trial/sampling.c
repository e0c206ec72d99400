/* Which tokens of a pipeline are measured. An interval of 0 has always passed, the longest never.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <stdlib.h>

#include "pipeline/trial/sampling.h"
#include "tests/unit/runner.h"

#define STRETCH 6
#define ALWAYS 0
#define NEVER UINT64_MAX

/* Bit i: the i-th token of a run is measured. */
static uint64_t measured(struct pipeline_sampling *sampling, uint32_t tokens, uint64_t each_ns)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < tokens; i++)
        bits |= (uint64_t)pipeline_sampling_next(sampling, STRETCH, each_ns, 0) << i;
    return bits;
}

START_TEST(a_run_of_unknown_length_is_measured_from_its_first_token)
{
    struct pipeline_sampling sampling = {.expected = 0};
    ck_assert_uint_eq(measured(&sampling, 24, NEVER), 0xfff);
    pipeline_sampling_begin(&sampling, 0);
    ck_assert_uint_eq(measured(&sampling, 24, NEVER), 0xfff);
}
END_TEST

START_TEST(a_run_that_is_too_short_for_more_is_measured_while_it_fills)
{
    struct pipeline_sampling sampling;
    pipeline_sampling_begin(&sampling, 2 * STRETCH - 1);
    ck_assert_uint_eq(measured(&sampling, 2 * STRETCH - 1, NEVER), 0x7ff);
}
END_TEST

START_TEST(a_longer_run_is_measured_when_it_is_in_flow)
{
    struct pipeline_sampling sampling;
    pipeline_sampling_begin(&sampling, 2 * STRETCH);
    ck_assert_uint_eq(measured(&sampling, 24, NEVER), 0xfc0);
}
END_TEST

START_TEST(stretches_follow_when_it_is_time)
{
    struct pipeline_sampling sampling;
    pipeline_sampling_begin(&sampling, 1000);
    ck_assert_uint_eq(measured(&sampling, 18, NEVER), 0xfc0);
    ck_assert_uint_eq(measured(&sampling, 6, ALWAYS), 0x3f);
    ck_assert_uint_eq(measured(&sampling, 6, NEVER), 0);
}
END_TEST

/* A missed stretch does not have to be waited for. */
START_TEST(what_would_be_disturbed_is_not_measured_and_the_next_stretch_is)
{
    struct pipeline_sampling sampling;
    pipeline_sampling_begin(&sampling, 1000);
    for (uint32_t i = 0; i < 3 * STRETCH; i++)
        ck_assert_int_eq(pipeline_sampling_next(&sampling, STRETCH, NEVER, 1), 0);
    ck_assert_uint_eq(measured(&sampling, 24, NEVER), 0x3f);

    pipeline_sampling_begin(&sampling, 0);
    ck_assert_uint_eq(measured(&sampling, 3, NEVER), 0x7);
    ck_assert_int_eq(pipeline_sampling_next(&sampling, STRETCH, NEVER, 1), 0);
    ck_assert_uint_eq(measured(&sampling, 2, NEVER), 0x3);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline_sampling");
    TCase *tcase = tcase_create("sampling");

    tcase_add_test(tcase, a_run_of_unknown_length_is_measured_from_its_first_token);
    tcase_add_test(tcase, a_run_that_is_too_short_for_more_is_measured_while_it_fills);
    tcase_add_test(tcase, a_longer_run_is_measured_when_it_is_in_flow);
    tcase_add_test(tcase, stretches_follow_when_it_is_time);
    tcase_add_test(tcase, what_would_be_disturbed_is_not_measured_and_the_next_stretch_is);
    suite_add_tcase(suite, tcase);
    return suite;
}

UNIT_SUITE(make_suite)
