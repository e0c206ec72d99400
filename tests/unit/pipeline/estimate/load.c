/* When a device would end new work, and how much it does side by side.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"

#include "pipeline/estimate/estimate.h"
#include "tests/unit/runner.h"

#define PIECES 64u

START_TEST(work_on_an_idle_device_ends_after_its_own_time)
{
    struct pipeline_load load = {.work = 0};
    ck_assert_uint_eq(pipeline_load_predict(&load, 1000, 0, 50), 1050);
    ck_assert_uint_eq(pipeline_load_predict(&load, 1000, 1200, 50), 1250);
}
END_TEST

START_TEST(work_waits_for_what_the_device_has)
{
    struct pipeline_load load = {.work = 0};
    pipeline_load_begin(&load, 1000, 0, 300);
    ck_assert_uint_eq(pipeline_load_predict(&load, 1100, 0, 50), 1350);
    ck_assert_uint_eq(pipeline_load_predict(&load, 1100, 1400, 50), 1450);
    pipeline_load_begin(&load, 1100, 0, 50);
    ck_assert_uint_eq(load.drained_at, 1350);
}
END_TEST

START_TEST(work_that_ends_early_or_late_moves_what_is_behind_it)
{
    struct pipeline_load early = {.work = 0}, late = {.work = 0};
    pipeline_load_begin(&early, 1000, 0, 300);
    pipeline_load_begin(&early, 1000, 0, 100);
    late = early;
    pipeline_load_end(&early, 1200, 300);
    ck_assert_uint_eq(early.drained_at, 1300);
    pipeline_load_end(&late, 1500, 300);
    ck_assert_uint_eq(late.drained_at, 1600);
    pipeline_load_end(&late, 1600, 100);
    ck_assert_uint_eq(late.pieces, 0);
    ck_assert_uint_eq(pipeline_load_predict(&late, 2000, 0, 10), 2010);
}
END_TEST

START_TEST(a_device_still_has_pieces_that_are_overdue)
{
    struct pipeline_load load = {.work = 0};
    pipeline_load_begin(&load, 1000, 0, 300);
    pipeline_load_begin(&load, 1000, 0, 100);
    ck_assert_uint_eq(pipeline_load_drained(&load, 1300), 1400);
    ck_assert_uint_eq(pipeline_load_drained(&load, 5000), 5400);
    ck_assert_uint_eq(pipeline_load_predict(&load, 5000, 0, 50), 5450);
    pipeline_load_end(&load, 6000, 300);
    pipeline_load_end(&load, 6100, 100);
    ck_assert_uint_eq(pipeline_load_drained(&load, 7000), 7000);
}
END_TEST

/* `side` pieces of 100 ns at a time, which together take `took`. */
static void run(struct pipeline_load *load, uint32_t side, uint64_t took, bool one_by_one, double work)
{
    uint64_t now = 1000;
    for (uint32_t i = 0; i < PIECES; i += side) {
        for (uint32_t k = 0; k < side; k++)
            pipeline_load_begin(load, now, 0, work);
        for (uint32_t k = 1; k <= side; k++)
            pipeline_load_end(load, one_by_one ? now + took * k / side : now + took, work);
        now += took;
    }
}

START_TEST(a_device_that_works_off_pieces_one_by_one_has_the_width_one)
{
    struct pipeline_load load = {.work = 0};
    run(&load, 4, 400, true, 100);
    ck_assert_double_eq_tol(load.width, 1, 0.01);
}
END_TEST

START_TEST(a_device_that_runs_four_pieces_side_by_side_has_the_width_four)
{
    struct pipeline_load load = {.work = 0};
    run(&load, 4, 100, false, 100);
    ck_assert_double_eq_tol(load.width, 4, 0.01);
    for (uint32_t i = 0; i < 8; i++)
        pipeline_load_begin(&load, 90000, 0, 100);
    ck_assert_uint_eq(load.drained_at, 90200);
}
END_TEST

START_TEST(pieces_that_come_alone_or_are_of_unknown_length_tell_no_width)
{
    struct pipeline_load load = {.work = 0};
    run(&load, 1, 100, true, 100);
    ck_assert_double_eq(load.width, 0);
    run(&load, 4, 100, false, 0);
    ck_assert_double_eq(load.width, 0);
}
END_TEST

/* ---- pieces whose end is presumed ------------------------------------------------------------ */

START_TEST(what_is_presumed_counts_until_it_is_predicted_to_have_ended)
{
    struct pipeline_load load = {.work = 0};
    pipeline_load_presume(&load, 1000, 0, 300);
    pipeline_load_presume(&load, 1000, 0, 100);
    ck_assert_uint_eq(load.pieces, 0);
    ck_assert_uint_eq(pipeline_load_predict(&load, 1100, 0, 50), 1450);
    ck_assert_uint_eq(pipeline_load_predict(&load, 2000, 0, 50), 2050);
}
END_TEST

START_TEST(a_piece_that_ends_forgets_nothing_of_what_is_presumed_behind_it)
{
    struct pipeline_load load = {.work = 0};
    pipeline_load_begin(&load, 1000, 0, 100);
    pipeline_load_presume(&load, 1000, 0, 300);
    pipeline_load_put_right(&load, 1100, 1100);
    pipeline_load_end(&load, 1100, 100);
    ck_assert_uint_eq(load.drained_at, 1400);
}
END_TEST

START_TEST(what_is_presumed_behind_a_piece_is_as_late_or_early_as_that)
{
    struct pipeline_load late = {.work = 0}, early;
    pipeline_load_begin(&late, 1000, 0, 100);
    pipeline_load_presume(&late, 1000, 0, 300);
    early = late;
    pipeline_load_put_right(&late, 1250, 1100);
    pipeline_load_end(&late, 1250, 100);
    ck_assert_uint_eq(late.drained_at, 1550);
    pipeline_load_put_right(&early, 1060, 1100);
    pipeline_load_end(&early, 1060, 100);
    ck_assert_uint_eq(early.drained_at, 1360);
}
END_TEST

/* Pieces of 100 ns one behind another, each of which ends, until the width is not measured any more. */
static uint32_t run_turn(struct pipeline_load *load, uint64_t *now)
{
    uint32_t count = 0;
    for (; pipeline_load_is_measuring(load); count++) {
        pipeline_load_begin(load, *now, 0, 100);
        *now += 100;
        pipeline_load_end(load, *now, 100);
    }
    return count;
}

static uint32_t presume_until_measured(struct pipeline_load *load, uint64_t *now)
{
    uint32_t count = 0;
    for (; !pipeline_load_is_measuring(load); count++, *now += 100)
        pipeline_load_presume(load, *now, 0, 100);
    return count;
}

START_TEST(the_width_is_measured_in_turns_with_more_and_more_presumed_pieces_between_them)
{
    static const uint32_t expected[] = {64, 128, 256, 512, 1024, 1024};
    struct pipeline_load load        = {.work = 0};
    uint64_t now                     = 1000;
    ck_assert_uint_eq(run_turn(&load, &now), 16);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        ck_assert_uint_eq(presume_until_measured(&load, &now), expected[i]);
        ck_assert_uint_eq(run_turn(&load, &now), 32);
    }
}
END_TEST

START_TEST(a_width_that_has_changed_is_measured_again_soon)
{
    struct pipeline_load load = {.work = 0};
    uint64_t now              = 1000;
    run_turn(&load, &now);
    presume_until_measured(&load, &now);
    for (uint32_t i = 0; pipeline_load_is_measuring(&load); i++) {
        for (uint32_t k = 0; k < 4; k++)
            pipeline_load_begin(&load, now, 0, 100);
        now += 100;
        for (uint32_t k = 0; k < 4; k++)
            pipeline_load_end(&load, now, 100);
    }
    ck_assert_double_gt(load.width, 1);
    ck_assert_uint_eq(presume_until_measured(&load, &now), 64);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("load of a device");
    TCase *tests = tcase_create("load");
    tcase_add_test(tests, work_on_an_idle_device_ends_after_its_own_time);
    tcase_add_test(tests, work_waits_for_what_the_device_has);
    tcase_add_test(tests, work_that_ends_early_or_late_moves_what_is_behind_it);
    tcase_add_test(tests, a_device_still_has_pieces_that_are_overdue);
    tcase_add_test(tests, a_device_that_works_off_pieces_one_by_one_has_the_width_one);
    tcase_add_test(tests, a_device_that_runs_four_pieces_side_by_side_has_the_width_four);
    tcase_add_test(tests, pieces_that_come_alone_or_are_of_unknown_length_tell_no_width);
    tcase_add_test(tests, what_is_presumed_counts_until_it_is_predicted_to_have_ended);
    tcase_add_test(tests, a_piece_that_ends_forgets_nothing_of_what_is_presumed_behind_it);
    tcase_add_test(tests, what_is_presumed_behind_a_piece_is_as_late_or_early_as_that);
    tcase_add_test(tests, the_width_is_measured_in_turns_with_more_and_more_presumed_pieces_between_them);
    tcase_add_test(tests, a_width_that_has_changed_is_measured_again_soon);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
