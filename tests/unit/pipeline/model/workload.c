/* Workloads of a pool's tasks, and which of them hinder each other.
 * SPDX-License-Identifier: MIT
 */
#include "tests/check.h"
#include <string.h>

#include "pipeline/model/workload.h"
#include "tests/unit/runner.h"

#define FOUND TRM_STREAM_WORKLOAD_FOUND
#define COMPUTE TRM_STREAM_WORKLOAD_COMPUTE
#define MEMORY TRM_STREAM_WORKLOAD_MEMORY
#define MIXED TRM_STREAM_WORKLOAD_MIXED

static struct pipeline_task_workloads workloads;

static void set_up(void)
{
    memset(&workloads, 0, sizeof(workloads));
}

/* Tasks of one workload that take 1000 ns alone, beside one stream of another. */
static void run(uint32_t tasks, int32_t workload, int32_t beside, double took)
{
    const struct pipeline_task_company company = {.workloads = 1u << beside, .streams = 2};
    for (uint32_t i = 0; i < tasks; i++)
        pipeline_task_workload_add(&workloads, workload, 4000, &company, took, 1000);
}

START_TEST(a_workload_is_found_from_bytes_and_time)
{
    run(1, FOUND, COMPUTE, 1000); /* 4 bytes a nanosecond */
    ck_assert_int_eq(pipeline_task_workload_of(&workloads, FOUND, 4000, 1000), MEMORY);
    ck_assert_int_eq(pipeline_task_workload_of(&workloads, FOUND, 4000, 1900), MEMORY);
    ck_assert_int_eq(pipeline_task_workload_of(&workloads, FOUND, 4000, 4000), MIXED);
    ck_assert_int_eq(pipeline_task_workload_of(&workloads, FOUND, 4000, 9000), COMPUTE);
}
END_TEST

/* 2 bytes a nanosecond: half of before. */
static void run_slower(uint32_t tasks)
{
    const struct pipeline_task_company company = {.workloads = 0, .streams = 1};
    for (uint32_t i = 0; i < tasks; i++)
        pipeline_task_workload_add(&workloads, FOUND, 4000, &company, 2000, 2000);
}

START_TEST(the_fastest_task_is_that_of_late)
{
    run(1, FOUND, COMPUTE, 1000);
    run_slower(255);
    ck_assert_double_eq(workloads.best_rate, 4);
    run_slower(256);
    ck_assert_double_eq(workloads.best_rate, 3);
    run_slower(4 * 256);
    ck_assert_double_le(workloads.best_rate, 2.1);
    run(1, FOUND, COMPUTE, 1000);
    ck_assert_double_eq(workloads.best_rate, 4);
}
END_TEST

START_TEST(tasks_that_are_bound_by_compute_do_not_make_others_the_fastest)
{
    const struct pipeline_task_company company = {.workloads = 0, .streams = 1};
    run(1, FOUND, COMPUTE, 1000);
    for (uint32_t i = 0; i < 2000; i++)
        pipeline_task_workload_add(&workloads, FOUND, 40, &company, 1000, 1000);
    ck_assert_double_eq(workloads.best_rate, 4);
}
END_TEST

START_TEST(a_workload_is_mixed_until_bytes_and_time_are_known)
{
    ck_assert_int_eq(pipeline_task_workload_of(&workloads, FOUND, 4000, 1000), MIXED);
    run(1, FOUND, COMPUTE, 1000);
    ck_assert_int_eq(pipeline_task_workload_of(&workloads, FOUND, 0, 1000), MIXED);
    ck_assert_int_eq(pipeline_task_workload_of(&workloads, FOUND, 4000, 0), MIXED);
}
END_TEST

START_TEST(a_workload_that_is_given_stays)
{
    run(1, FOUND, COMPUTE, 1000);
    ck_assert_int_eq(pipeline_task_workload_of(&workloads, COMPUTE, 4000, 1000), COMPUTE);
}
END_TEST

START_TEST(workloads_that_share_the_device_do_not_hinder_each_other)
{
    run(100, MEMORY, COMPUTE, 2000);
    run(100, COMPUTE, MEMORY, 1200);
    ck_assert_uint_eq(workloads.hindering[MEMORY], 0);
    ck_assert_uint_eq(workloads.hindering[COMPUTE], 0);
}
END_TEST

START_TEST(workloads_that_take_longer_than_one_after_the_other_hinder_each_other)
{
    run(100, MEMORY, COMPUTE, 2000);
    run(100, MEMORY, MEMORY, 2600);
    run(100, COMPUTE, COMPUTE, 2000);
    ck_assert_uint_eq(workloads.hindering[MEMORY], 1u << MEMORY);
    ck_assert_uint_eq(workloads.hindering[COMPUTE], 0);
}
END_TEST

START_TEST(a_workload_that_is_faster_alone_hinders_itself)
{
    const struct pipeline_task_company none = {.streams = 1};
    run(100, MEMORY, MEMORY, 2600);
    ck_assert_uint_eq(workloads.hindering[MEMORY], 0);
    for (uint32_t i = 0; i < 100; i++)
        pipeline_task_workload_add(&workloads, MEMORY, 4000, &none, 1000, 1000);
    ck_assert_uint_eq(workloads.hindering[MEMORY], 1u << MEMORY);
}
END_TEST

START_TEST(a_busy_machine_makes_no_workloads_hinder_each_other)
{
    run(100, MEMORY, COMPUTE, 9000);
    run(100, COMPUTE, MEMORY, 9000);
    run(100, MEMORY, MEMORY, 9000);
    ck_assert_uint_eq(workloads.hindering[MEMORY], 0);
}
END_TEST

START_TEST(a_few_samples_are_no_finding)
{
    run(100, MEMORY, COMPUTE, 2000);
    run(3, MEMORY, MEMORY, 9000);
    ck_assert_uint_eq(workloads.hindering[MEMORY], 0);
}
END_TEST

START_TEST(a_finding_that_was_heeded_for_long_is_forgotten)
{
    uint32_t heeded = 0;
    run(100, MEMORY, COMPUTE, 2000);
    run(100, MEMORY, MEMORY, 2600);
    while (workloads.hindering[MEMORY] != 0) {
        pipeline_task_workload_heed(&workloads, MEMORY, MEMORY);
        heeded++;
    }
    ck_assert_uint_gt(heeded, 100);
    run(100, MEMORY, MEMORY, 2600);
    ck_assert_uint_ne(workloads.hindering[MEMORY], 0);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool workloads");
    TCase *tests = tcase_create("workload");

    tcase_add_checked_fixture(tests, set_up, NULL);
    tcase_add_test(tests, a_workload_is_found_from_bytes_and_time);
    tcase_add_test(tests, the_fastest_task_is_that_of_late);
    tcase_add_test(tests, tasks_that_are_bound_by_compute_do_not_make_others_the_fastest);
    tcase_add_test(tests, a_workload_is_mixed_until_bytes_and_time_are_known);
    tcase_add_test(tests, a_workload_that_is_given_stays);
    tcase_add_test(tests, workloads_that_share_the_device_do_not_hinder_each_other);
    tcase_add_test(tests, workloads_that_take_longer_than_one_after_the_other_hinder_each_other);
    tcase_add_test(tests, a_workload_that_is_faster_alone_hinders_itself);
    tcase_add_test(tests, a_busy_machine_makes_no_workloads_hinder_each_other);
    tcase_add_test(tests, a_few_samples_are_no_finding);
    tcase_add_test(tests, a_finding_that_was_heeded_for_long_is_forgotten);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
