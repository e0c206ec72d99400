/* Pools over groups that get many tasks before the first has ended: where these run, what is copied.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/pool/team_fixture.h"

#define DEVICES 3u
#define TASKS 500u
#define ALL 0u

/* Tasks by which each device is measured, as <trireme/group_pool.h> promises. */
#define MEASURED 2u

static struct trm_group_buffer *others; /* of the size of the cells */

/* Nothing ends by itself, and no kind of task is known. */
static void open_flood(void)
{
    const struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = 64};
    open_team_of(DEVICES, 0);
    OK(trm_group_buffer_create(group, &desc, &others));
}

static void close_flood(void)
{
    fake_let_run(&fake);
    trm_group_buffer_destroy(others);
    close_team();
}

static uint64_t copies(void)
{
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    OK(trm_stream_pool_get_stats(handle, &stats));
    return stats.copies;
}

static uint64_t tasks_of(uint32_t device)
{
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    OK(trm_stream_pool_get_stats(member(device)->object.handle, &stats));
    return stats.tasks;
}

static int32_t enqueue(void *user, struct trm_stream *stream)
{
    (void)user;
    return fake_enqueue(stream);
}

/* Reads one buffer and overwrites the other. */
static void submit_from_to(struct trm_group_buffer *from, struct trm_group_buffer *to)
{
    const struct trm_group_use uses[] = {{.buffer = from, .access = TRM_ACCESS_READ},
                                         {.buffer = to, .access = TRM_ACCESS_WRITE}};
    const struct trm_stream_task task = {
        .struct_size = sizeof(task), .enqueue = enqueue, .uses = uses, .use_count = 2};
    struct trm_point point;
    OK(trm_stream_pool_submit(handle, &task, &point));
}

/* ---- what is copied ------------------------------------------------------------------------- */

START_TEST(a_flood_of_tasks_that_change_a_buffer_moves_it_once_to_each_device)
{
    open_flood();
    for (uint32_t i = 0; i < TASKS; i++)
        submit_on(change, ALL);
    ck_assert_uint_eq(copies(), DEVICES - 1);
    ck_assert_uint_eq(tasks_of(0), MEASURED);
    ck_assert_uint_eq(tasks_of(1), MEASURED);
    close_flood();
}
END_TEST

START_TEST(a_flood_of_tasks_to_and_fro_between_two_buffers_moves_them_once_to_each_device)
{
    open_flood();
    for (uint32_t i = 0; i < TASKS; i++)
        submit_from_to(i % 2 ? others : cells, i % 2 ? cells : others);
    ck_assert_uint_eq(copies(), DEVICES - 1);
    close_flood();
}
END_TEST

START_TEST(a_flood_of_tasks_for_some_devices_moves_its_data_once_to_each_of_these)
{
    open_flood();
    for (uint32_t i = 0; i < TASKS; i++)
        submit_on(change, 6);
    ck_assert_uint_eq(copies(), 1);
    ck_assert_uint_eq(tasks_of(0), 0);
    ck_assert_uint_eq(tasks_of(1), MEASURED);
    close_flood();
}
END_TEST

START_TEST(a_flood_of_tasks_for_one_device_copies_nothing_and_tells_nothing_of_the_others)
{
    open_flood();
    for (uint32_t i = 0; i < TASKS; i++)
        submit_on(change, 1);
    ck_assert_uint_eq(copies(), 0);
    for (uint32_t i = 0; i < MEASURED * (DEVICES - 1); i++)
        submit_on(change, ALL);
    ck_assert_uint_eq(copies(), DEVICES - 1);
    ck_assert_uint_eq(tasks_of(1), MEASURED);
    ck_assert_uint_eq(tasks_of(2), MEASURED);
    close_flood();
}
END_TEST

START_TEST(chains_of_a_flood_stay_on_different_devices)
{
    open_flood();
    for (uint32_t i = 0; i < TASKS; i++) {
        submit_with(change, cells, 3);
        submit_with(change, others, 3);
    }
    ck_assert_uint_eq(copies(), 0);
    ck_assert_uint_eq(tasks_of(0), TASKS);
    ck_assert_uint_eq(tasks_of(1), TASKS);
    close_flood();
}
END_TEST

START_TEST(a_flood_of_readers_of_a_buffer_that_is_on_one_device_stays_there)
{
    open_flood();
    OK(trm_group_buffer_changed(cells, 1));
    for (uint32_t i = 0; i < TASKS; i++)
        submit_on(look, 3);
    ck_assert_uint_eq(copies(), 1);
    close_flood();
}
END_TEST

START_TEST(a_flood_of_tasks_without_data_is_spread_over_the_devices)
{
    open_flood();
    for (uint32_t i = 0; i < DEVICES * TASKS; i++)
        submit_on(work, ALL);
    for (uint32_t device = 0; device < DEVICES; device++)
        ck_assert_uint_eq(tasks_of(device), TASKS);
    ck_assert_uint_eq(copies(), 0);
    close_flood();
}
END_TEST

/* ---- what is measured ----------------------------------------------------------------------- */

static void forget_times(struct pipeline_stream_pool *pool)
{
    base_lock_acquire(&pool->lock);
    for (uint32_t i = 0; i < PIPELINE_TASK_MODELS; i++)
        pool->models.table[i].time = (struct pipeline_model){.samples = 0};
    base_lock_release(&pool->lock);
}

/* As on a machine that is so busy that the ends of tasks are seen too late to learn from. */
START_TEST(a_device_whose_ends_tell_nothing_is_measured_more_and_more_seldom)
{
    open_flood();
    fake_let_run(&fake);
    for (uint32_t i = 0; i < 4 * TASKS; i++) {
        OK(trm_point_wait(submit_on(work, 3), TRM_FOREVER));
        fake_settle(member(0)->object.handle, 0);
        forget_times(member(1));
    }
    ck_assert_uint_gt(tasks_of(1), MEASURED);
    ck_assert_uint_lt(tasks_of(1), 4 * TASKS / 16);
    close_flood();
}
END_TEST

/* ---- data that is late ---------------------------------------------------------------------- */

/* All devices take a microsecond for a task, and the second has a chain of them. When all of these must have
 * ended by their prediction, none has, and the device's load tells how long they will take from then on. */
START_TEST(a_task_behind_data_that_is_late_stays_with_it)
{
    open_flood();
    fake_let_run(&fake);
    for (uint32_t device = 0; device < DEVICES; device++) {
        OK(trm_point_wait(submit_on(change, 1u << device), TRM_FOREVER));
        fake_settle(member(device)->object.handle, 1);
    }
    fake_hold_back(&fake);
    for (uint32_t i = 0; i < 4; i++)
        submit_on(change, 2);
    for (uint64_t begun = base_now(); base_now() < begun + 10000;)
        ;
    base_lock_acquire(&member(1)->lock);
    member(1)->load.drained_at = base_now() + UINT64_C(3600000000000);
    base_lock_release(&member(1)->lock);
    uint64_t before = tasks_of(1);
    submit_on(change, ALL);
    ck_assert_uint_eq(tasks_of(1), before + 1);
    close_flood();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool flood");
    TCase *tests = tcase_create("flood");

    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_flood_of_tasks_that_change_a_buffer_moves_it_once_to_each_device);
    tcase_add_test(tests, a_flood_of_tasks_to_and_fro_between_two_buffers_moves_them_once_to_each_device);
    tcase_add_test(tests, a_flood_of_tasks_for_some_devices_moves_its_data_once_to_each_of_these);
    tcase_add_test(tests, a_flood_of_tasks_for_one_device_copies_nothing_and_tells_nothing_of_the_others);
    tcase_add_test(tests, chains_of_a_flood_stay_on_different_devices);
    tcase_add_test(tests, a_flood_of_readers_of_a_buffer_that_is_on_one_device_stays_there);
    tcase_add_test(tests, a_flood_of_tasks_without_data_is_spread_over_the_devices);
    tcase_add_test(tests, a_device_whose_ends_tell_nothing_is_measured_more_and_more_seldom);
    tcase_add_test(tests, a_task_behind_data_that_is_late_stays_with_it);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
