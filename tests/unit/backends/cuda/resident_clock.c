/* The device's clock beside the host's, by tokens of kernels that stay: near the truth, and a token within
 * its submission and its end.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/resident/clock.h"

#include "tests/check.h"
#include <string.h>

#include "tests/unit/runner.h"

#define MICROSECOND UINT64_C(1000)
#define SECOND UINT64_C(1000000000)
#define BEGIN (UINT64_C(86400) * SECOND) /* the host has been up for a day */

/* The device's clock is so much ahead of the host's. */
static const int64_t distances[] = {1700000000 * (int64_t)1000000000, 0, -3600 * (int64_t)1000000000};

static struct {
    struct cuda_resident_clock clock;
    int64_t distance;
} the;

static uint64_t device_of(uint64_t host)
{
    return host + (uint64_t)the.distance;
}

static uint64_t convert(uint64_t host)
{
    return cuda_resident_clock_convert(&the.clock, device_of(host));
}

/* A token that is submitted at `at` and runs for 2 µs, `before` after that and `after` before it is seen. */
static void note(uint64_t at, uint64_t before, uint64_t after)
{
    uint64_t begin = at + before, end = begin + 2 * MICROSECOND, seen = end + after;
    cuda_resident_clock_note(&the.clock, at, seen, device_of(begin), device_of(end));
    ck_assert_uint_ge(convert(begin), at);
    ck_assert_uint_le(convert(end), seen);
    ck_assert_uint_eq(convert(end) - convert(begin), 2 * MICROSECOND);
}

static uint64_t error_at(uint64_t host)
{
    uint64_t told = convert(host);
    return told > host ? told - host : host - told;
}

static void start(int64_t distance)
{
    memset(&the, 0, sizeof(the));
    the.distance = distance;
}

START_TEST(one_token_tells_the_distance_to_half_of_its_ways)
{
    start(distances[_i]);
    note(BEGIN, 3 * MICROSECOND, MICROSECOND);
    ck_assert_uint_le(error_at(BEGIN), 2 * MICROSECOND);
}
END_TEST

START_TEST(a_token_that_was_seen_late_does_not_disturb_what_is_known)
{
    start(distances[_i]);
    note(BEGIN, MICROSECOND, MICROSECOND);
    note(BEGIN + 100 * MICROSECOND, MICROSECOND, 5000 * MICROSECOND);
    note(BEGIN + 9000 * MICROSECOND, 7000 * MICROSECOND, MICROSECOND);
    ck_assert_uint_le(error_at(BEGIN), 2 * MICROSECOND);
}
END_TEST

/* 20 ppm, which a token shows that is on quick ways. */
START_TEST(a_clock_that_drifts_is_followed)
{
    start(distances[_i]);
    for (uint32_t i = 0; i < 100; i++) {
        note(BEGIN + i * SECOND, MICROSECOND, MICROSECOND);
        the.distance += 20 * (int64_t)MICROSECOND;
    }
    the.distance -= 20 * (int64_t)MICROSECOND;
    ck_assert_uint_le(error_at(BEGIN + 99 * SECOND), MICROSECOND);
}
END_TEST

START_TEST(a_clock_that_jumps_starts_anew)
{
    start(distances[_i]);
    note(BEGIN, MICROSECOND, MICROSECOND);
    the.distance += 3600 * (int64_t)SECOND;
    note(BEGIN + 100 * MICROSECOND, MICROSECOND, MICROSECOND);
    ck_assert_uint_le(error_at(BEGIN), MICROSECOND);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("resident clock");
    TCase *group = tcase_create("resident clock");
    int count    = (int)(sizeof(distances) / sizeof(distances[0]));
    tcase_add_loop_test(group, one_token_tells_the_distance_to_half_of_its_ways, 0, count);
    tcase_add_loop_test(group, a_token_that_was_seen_late_does_not_disturb_what_is_known, 0, count);
    tcase_add_loop_test(group, a_clock_that_drifts_is_followed, 0, count);
    tcase_add_loop_test(group, a_clock_that_jumps_starts_anew, 0, count);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(make_suite)
