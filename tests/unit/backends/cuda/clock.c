/* Device time converted to host time: one rising function, near the truth, however badly it is measured.
 *
 * A made-up device has a clock of another rate and reports it in floats of milliseconds, as the driver
 * does.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/profile/clock.h"

#include "tests/check.h"
#include <string.h>

#include "tests/unit/runner.h"

#define MILLISECOND UINT64_C(1000000)
#define SECOND (1000 * MILLISECOND)
#define BEGIN (UINT64_C(86400) * SECOND) /* the host has been up for a day */

static struct {
    struct cuda_clock clock;
    double rate;                         /* device nanoseconds per host nanosecond */
    uint64_t bases[CUDA_CLOCK_SEGMENTS]; /* true host times, by number */
    uint32_t random;
} made_up;

static uint32_t any_below(uint32_t limit)
{
    made_up.random = made_up.random * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)made_up.random * limit >> 32);
}

static void set_up(void)
{
    memset(&made_up, 0, sizeof(made_up));
    made_up.rate   = 1;
    made_up.random = 1;
}

/* As cuEventElapsedTime() reports it. */
static double elapsed(uint64_t from, uint64_t to)
{
    double exact = (double)(int64_t)(to - from) * made_up.rate;
    return (double)(float)(exact / 1e6) * 1e6;
}

/* A base at the true host time `at`, measured `error` too late and claimed to be known within `width`. */
static void add_base(uint64_t at, int64_t error, uint64_t width)
{
    struct cuda_clock *clock                = &made_up.clock;
    const struct cuda_clock_interval moment = {
        .earliest = at + (uint64_t)error - width / 2,
        .guess    = at + (uint64_t)error,
        .latest   = at + (uint64_t)error + width / 2,
    };
    double since = 0;
    if (clock->count != 0)
        since = elapsed(made_up.bases[(clock->count - 1) % CUDA_CLOCK_SEGMENTS], at);
    cuda_clock_add(clock, since, &moment, 250e6);
    made_up.bases[(clock->count - 1) % CUDA_CLOCK_SEGMENTS] = at;
}

static uint64_t tell(uint64_t at)
{
    struct cuda_clock *clock = &made_up.clock;
    uint64_t number          = clock->count;
    double behind            = -1;
    while (behind < 0 && number > cuda_clock_oldest(clock)) {
        number--;
        behind = elapsed(made_up.bases[number % CUDA_CLOCK_SEGMENTS], at);
    }
    return cuda_clock_convert(clock, number, behind);
}

static void is_near(uint64_t told, uint64_t truth, uint64_t error)
{
    uint64_t distance = told > truth ? told - truth : truth - told;
    ck_assert_msg(distance <= error, "told %lld ns beside the truth, %llu are allowed",
                  (long long)(told - truth), (unsigned long long)error);
}

/* ---- one base */

START_TEST(a_moment_is_as_far_from_its_base_as_the_device_says)
{
    add_base(BEGIN, 0, 200);
    is_near(tell(BEGIN), BEGIN, 1);
    is_near(tell(BEGIN + 12345), BEGIN + 12345, 1);
    is_near(tell(BEGIN + 7 * MILLISECOND), BEGIN + 7 * MILLISECOND, 2);
}
END_TEST

START_TEST(moments_before_the_first_base_are_told)
{
    add_base(BEGIN, 0, 200);
    is_near(tell(BEGIN - 40000), BEGIN - 40000, 1);
    ck_assert_uint_lt(tell(BEGIN - 40000), tell(BEGIN - 39000));
}
END_TEST

START_TEST(a_first_base_that_nothing_was_told_of_gives_way_to_one_that_is_known_better)
{
    add_base(BEGIN, 30000, 80000);
    add_base(BEGIN + MILLISECOND, 0, 200);
    ck_assert_uint_eq(made_up.clock.count, 1);
    is_near(tell(BEGIN + 1000), BEGIN + 1000, 1);
}
END_TEST

START_TEST(a_first_base_that_something_was_told_of_stays)
{
    add_base(BEGIN, 30000, 80000);
    uint64_t told = tell(BEGIN + 1000);
    add_base(BEGIN + MILLISECOND, 0, 200);
    ck_assert_uint_eq(made_up.clock.count, 2);
    ck_assert_uint_eq(tell(BEGIN + 1000), told);
}
END_TEST

/* ---- several */

START_TEST(what_was_told_once_is_told_again_after_other_bases)
{
    uint64_t told[50];
    add_base(BEGIN, 3000, 4000);
    for (uint32_t i = 0; i < 50; i++) {
        uint64_t at = BEGIN + i * 100 * MILLISECOND;
        told[i]     = tell(at + 1);
        add_base(at + 99 * MILLISECOND, (int64_t)any_below(4000) - 2000, 4000);
    }
    for (uint32_t i = 0; i < 50; i++)
        ck_assert_uint_eq(tell(BEGIN + i * 100 * MILLISECOND + 1), told[i]);
}
END_TEST

START_TEST(an_error_of_the_first_base_is_worked_off)
{
    add_base(BEGIN, 10000, 20000);
    is_near(tell(BEGIN + 1000), BEGIN + 11000, 10);
    for (uint32_t i = 1; i <= 4; i++) {
        add_base(BEGIN + i * 250 * MILLISECOND, 0, 200);
        tell(BEGIN + i * 250 * MILLISECOND + 1000);
    }
    is_near(tell(BEGIN + 1001 * MILLISECOND), BEGIN + 1001 * MILLISECOND, 200);
}
END_TEST

START_TEST(moments_between_two_bases_are_told_by_both)
{
    made_up.rate = 1.00005; /* 50 us in a second */
    add_base(BEGIN, 0, 200);
    tell(BEGIN + 1000);
    add_base(BEGIN + SECOND, 0, 200);
    is_near(tell(BEGIN + 500 * MILLISECOND), BEGIN + 500 * MILLISECOND, 100);
    is_near(tell(BEGIN + 999 * MILLISECOND), BEGIN + 999 * MILLISECOND, 100);
}
END_TEST

START_TEST(the_drift_of_the_clocks_is_learnt)
{
    made_up.rate = 0.99998;
    for (uint32_t i = 0; i < 10; i++) {
        add_base(BEGIN + i * 250 * MILLISECOND, 0, 200);
        tell(BEGIN + i * 250 * MILLISECOND + 100);
    }
    is_near(tell(BEGIN + 10 * 250 * MILLISECOND), BEGIN + 10 * 250 * MILLISECOND, 200);
}
END_TEST

START_TEST(a_base_that_is_known_badly_does_not_disturb_what_is_known)
{
    add_base(BEGIN, 0, 200);
    tell(BEGIN + 1000);
    add_base(BEGIN + 250 * MILLISECOND, 0, 200);
    tell(BEGIN + 250 * MILLISECOND + 1000);
    /* measured 0.4 ms too late, but the interval includes the truth */
    add_base(BEGIN + 500 * MILLISECOND, 400000, 1000000);
    is_near(tell(BEGIN + 500 * MILLISECOND + 1000), BEGIN + 500 * MILLISECOND + 1000, 300);
}
END_TEST

START_TEST(a_base_that_is_known_badly_sets_bounds)
{
    add_base(BEGIN, 0, 200);
    tell(BEGIN + 1000);
    add_base(BEGIN + 250 * MILLISECOND, 600000, 1000000); /* at least 0.1 ms later */
    tell(BEGIN + 250 * MILLISECOND);
    add_base(BEGIN + 500 * MILLISECOND, 100000, 1000);
    is_near(tell(BEGIN + 500 * MILLISECOND), BEGIN + 500 * MILLISECOND + 100000, 1000);
}
END_TEST

START_TEST(a_base_among_what_was_told_changes_nothing)
{
    add_base(BEGIN, 0, 200);
    uint64_t before = tell(BEGIN + 3000), behind = tell(BEGIN + 9000);
    add_base(BEGIN + 5000, 2500, 200);
    ck_assert_uint_eq(tell(BEGIN + 3000), before);
    is_near(tell(BEGIN + 9000), behind, 1);
    ck_assert_uint_gt(tell(BEGIN + 9100), behind);
}
END_TEST

START_TEST(a_computer_that_slept_leaves_no_time_that_runs_backwards)
{
    add_base(BEGIN, 0, 200);
    uint64_t before = tell(BEGIN + 1000);
    add_base(BEGIN + SECOND, 3600 * (int64_t)SECOND, 200); /* the host's clock jumps an hour ahead */
    uint64_t amid = tell(BEGIN + SECOND + 1000);
    add_base(BEGIN + 2 * SECOND, -3600 * (int64_t)SECOND, 200); /* and an hour back */
    uint64_t behind = tell(BEGIN + 2 * SECOND + 1000);
    ck_assert_uint_gt(amid, before);
    ck_assert_uint_gt(behind, amid);
}
END_TEST

START_TEST(of_many_bases_the_newest_are_kept)
{
    for (uint64_t i = 0; i < 5 * CUDA_CLOCK_SEGMENTS; i++) {
        add_base(BEGIN + i * 250 * MILLISECOND, 0, 200);
        tell(BEGIN + i * 250 * MILLISECOND + 10);
    }
    ck_assert_uint_eq(made_up.clock.count, 5 * CUDA_CLOCK_SEGMENTS);
    ck_assert_uint_eq(cuda_clock_oldest(&made_up.clock), 4 * CUDA_CLOCK_SEGMENTS + 1);
    uint64_t last = BEGIN + (5 * CUDA_CLOCK_SEGMENTS - 1) * 250 * MILLISECOND;
    is_near(tell(last - 10 * SECOND), last - 10 * SECOND, 100);
    is_near(tell(last), last, 100);
}
END_TEST

/* Bases are measured with errors of microseconds, some with one of a tenth of a millisecond and a width to
 * match. Times are converted in order, between bases at random distances. */
START_TEST(time_never_runs_backwards)
{
    uint64_t at = BEGIN, told = 0;
    made_up.rate = 1.00002;
    add_base(at, 1500, 3000);
    for (uint32_t i = 0; i < 20000; i++) {
        at += any_below(3) != 0 ? any_below(2000) : any_below(40 * MILLISECOND);
        if (any_below(20) == 0) {
            bool badly = any_below(5) == 0;
            add_base(at, (int64_t)any_below(3000) - 1500, badly ? 200000 : 4000);
            at += any_below(50);
        }
        uint64_t now = tell(at);
        ck_assert_msg(now >= told, "moment %u is %llu ns before the one before it", i,
                      (unsigned long long)(told - now));
        is_near(now, at, 8000);
        told = now;
    }
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("clock");
    TCase *one = tcase_create("one base"), *several = tcase_create("several bases");
    tcase_add_checked_fixture(one, set_up, NULL);
    tcase_add_test(one, a_moment_is_as_far_from_its_base_as_the_device_says);
    tcase_add_test(one, moments_before_the_first_base_are_told);
    tcase_add_test(one, a_first_base_that_nothing_was_told_of_gives_way_to_one_that_is_known_better);
    tcase_add_test(one, a_first_base_that_something_was_told_of_stays);
    suite_add_tcase(suite, one);
    tcase_add_checked_fixture(several, set_up, NULL);
    tcase_add_test(several, what_was_told_once_is_told_again_after_other_bases);
    tcase_add_test(several, an_error_of_the_first_base_is_worked_off);
    tcase_add_test(several, moments_between_two_bases_are_told_by_both);
    tcase_add_test(several, the_drift_of_the_clocks_is_learnt);
    tcase_add_test(several, a_base_that_is_known_badly_does_not_disturb_what_is_known);
    tcase_add_test(several, a_base_that_is_known_badly_sets_bounds);
    tcase_add_test(several, a_base_among_what_was_told_changes_nothing);
    tcase_add_test(several, a_computer_that_slept_leaves_no_time_that_runs_backwards);
    tcase_add_test(several, of_many_bases_the_newest_are_kept);
    tcase_add_test(several, time_never_runs_backwards);
    suite_add_tcase(suite, several);
    return suite;
}

UNIT_SUITE(make_suite)
