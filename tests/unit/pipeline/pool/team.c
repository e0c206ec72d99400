/* Pools over groups: how many notifications they ask their backend for, and what they know without them.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/pipeline/pool/team_fixture.h"

#define DEVICES 2u
#define TASKS 3000u
#define CHUNK 50u /* of them, with models that know nothing of what this machine did meanwhile */

static void open_team(void)
{
    open_team_of(DEVICES, 0);
}

static uint32_t notifications(void)
{
    return atomic_load(&fake.calls[FAKE_CALL_NOTIFY]);
}

/* ---- tasks ---------------------------------------------------------------------------------- */

static void settle(uint32_t tasks)
{
    for (uint32_t device = 0; device < DEVICES; device++)
        fake_settle(member(device)->object.handle, tasks);
}

/* The pool knows how long each kernel takes: no time to speak of. The data is on the first device. */
static void learn(void)
{
    fake_let_run(&fake);
    for (uint32_t device = DEVICES; device-- > 0;)
        for (uint32_t i = 0; i < 64; i++) {
            OK(trm_point_wait(submit_on(work, 1u << device), TRM_FOREVER));
            OK(trm_point_wait(submit_on(change, 1u << device), TRM_FOREVER));
            OK(trm_point_wait(submit_on(look, 1u << device), TRM_FOREVER));
        }
    settle(TASKS);
    fake_hold_back(&fake);
}

/* All kinds of tasks are known on all devices. */
static void open_team_that_knows(void)
{
    open_team();
    learn();
}

static uint32_t watches_of(struct pipeline_stream_pool *pool)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pool->slot_count; i++)
        count += pool->slots[i].watches;
    return count;
}

/* The same tasks as often as it takes until one is not sampled. */
static bool is_presumed_soon(struct trm_group_kernel *kernel)
{
    uint32_t before = notifications(), i = 0;
    do {
        before = notifications();
        submit_on(kernel, 1);
    } while (notifications() != before && ++i < 3);
    return notifications() == before;
}

/* ---- counting ------------------------------------------------------------------------------- */

START_TEST(tasks_over_a_group_ask_for_few_notifications)
{
    open_team();
    fake_let_run(&fake);
    for (uint32_t i = 0; i < TASKS; i++) {
        submit_on(work, 0);
        if (i % CHUNK == 0)
            settle(0);
    }
    ck_assert_uint_le(notifications(), TASKS / 4);
    ck_assert_uint_ge(notifications(), TASKS / 64);
    close_team();
}
END_TEST

START_TEST(tasks_that_pass_data_on_ask_for_few_notifications)
{
    open_team_that_knows();
    fake_let_run(&fake);
    uint32_t before = notifications();
    for (uint32_t i = 0; i < TASKS; i++) {
        submit_on(i % 2 ? look : change, 1);
        if (i % CHUNK == 0)
            settle(TASKS);
    }
    ck_assert_uint_le(notifications() - before, TASKS / 16);
    close_team();
}
END_TEST

START_TEST(tasks_whose_data_is_copied_each_time_ask_for_few_notifications)
{
    open_team_that_knows();
    fake_let_run(&fake);
    uint32_t before = notifications();
    for (uint32_t i = 0; i < TASKS; i++) {
        submit_on(change, 1u << i % DEVICES);
        if (i % CHUNK == 0)
            settle(TASKS);
    }
    ck_assert_uint_le(notifications() - before, TASKS / 16);
    close_team();
}
END_TEST

START_TEST(each_end_is_told_while_the_width_of_a_device_is_measured)
{
    open_team_that_knows();
    member(0)->load.rest = 0;
    uint32_t before      = notifications();
    for (uint32_t i = 1; i <= 8; i++) {
        submit_on(work, 1);
        ck_assert_uint_ge(notifications(), before + i);
    }
    close_team();
}
END_TEST

static uint64_t made_at; /* when the last stream was made, which takes long */

static void make_slowly(enum fake_call call)
{
    if (call != FAKE_CALL_CREATE)
        return;
    for (uint64_t begun = base_now(); base_now() < begun + 5000000;)
        ;
    made_at = base_now();
}

START_TEST(the_time_of_a_task_does_not_contain_that_of_making_its_stream)
{
    open_team();
    fake_let_run(&fake);
    fake.hook              = make_slowly;
    struct trm_point point = submit_on(work, 1);
    uint64_t submitted_at  = base_now();
    OK(trm_point_wait(point, TRM_FOREVER));
    fake.hook = NULL;
    while (watches_of(member(0)) > 0)
        sched_yield();
    uint64_t most = base_now() - made_at, found = 0;
    ck_assert_uint_gt(submitted_at, made_at);
    for (uint32_t i = 0; i < PIPELINE_TASK_MODELS; i++) {
        const struct pipeline_task_model *model = &member(0)->models.table[i];
        if (model->time.samples == 0)
            continue;
        found++;
        ck_assert_double_le(model->time.mean, (double)most);
    }
    ck_assert_uint_eq(found, 1);
    close_team();
}
END_TEST

/* ---- what is not presumed ------------------------------------------------------------------- */

static int32_t change_cells(void *user, struct trm_stream *stream)
{
    (void)user;
    return fake_enqueue(stream);
}

static void submit_function(void)
{
    const struct trm_group_use use    = {.buffer = cells, .access = TRM_ACCESS_READ | TRM_ACCESS_WRITE};
    const struct trm_stream_task task = {
        .struct_size = sizeof(task), .enqueue = change_cells, .uses = &use, .use_count = 1, .devices = 1};
    struct trm_point point;
    OK(trm_stream_pool_submit(handle, &task, &point));
}

START_TEST(a_kernel_behind_data_of_a_function_is_watched)
{
    open_team_that_knows();
    submit_function();
    ck_assert(!is_presumed_soon(look));
    close_team();
}
END_TEST

START_TEST(a_kernel_that_replaces_what_an_unknown_task_reads_is_watched)
{
    open_team_that_knows();
    const struct trm_group_use use    = {.buffer = cells, .access = TRM_ACCESS_READ};
    const struct trm_stream_task task = {
        .struct_size = sizeof(task), .enqueue = change_cells, .uses = &use, .use_count = 1, .devices = 1};
    struct trm_point point;
    OK(trm_stream_pool_submit(handle, &task, &point));
    ck_assert(is_presumed_soon(look));
    ck_assert(!is_presumed_soon(change));
    close_team();
}
END_TEST

START_TEST(a_kernel_behind_data_that_is_there_is_presumed)
{
    open_team_that_knows();
    submit_function();
    fake_let_run(&fake);
    OK(trm_point_wait(submit_on(look, 1), TRM_FOREVER));
    fake_hold_back(&fake);
    ck_assert(is_presumed_soon(look));
    close_team();
}
END_TEST

/* A task on the first device behind a point of a stream that is lent there. */
START_TEST(a_kernel_of_a_group_behind_a_borrowed_stream_is_watched)
{
    struct trm_stream *lent;
    struct trm_point point, end;
    open_team_that_knows();
    struct trm_stream_pool *one = member(0)->object.handle;
    OK(trm_stream_pool_acquire(one, 0, TRM_FOREVER, &lent));
    OK(fake_enqueue(lent));
    OK(trm_stream_mark(lent, &point));
    const struct trm_stream_task task = {.struct_size = sizeof(task),
                                         .kernel      = trm_group_stage_kernel(work),
                                         .grid        = trm_grid_1d(1, 64),
                                         .after       = &point,
                                         .after_count = 1,
                                         .devices     = 1};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t before = notifications();
        OK(trm_stream_pool_submit(handle, &task, &end));
        ck_assert_uint_gt(notifications(), before);
    }
    OK(trm_stream_pool_release(one, lent));
    close_team();
}
END_TEST

START_TEST(a_child_process_cannot_submit_behind_presumed_tasks_and_its_parent_can)
{
    const struct trm_stream_task task = {.struct_size = sizeof(task), .enqueue = change_cells};
    struct trm_point point;
    int status;
    open_team_that_knows();
    ck_assert(is_presumed_soon(work));
    pid_t child = fork();
    if (child == 0)
        _exit(trm_stream_pool_submit(handle, &task, &point) == TRM_ERROR_FORKED ? 0 : 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    fake_let_run(&fake);
    OK(trm_point_wait(submit_on(work, 0), TRM_FOREVER));
    close_team();
}
END_TEST

/* ---- what goes wrong ------------------------------------------------------------------------ */

START_TEST(a_stream_of_a_group_that_fails_under_presumed_tasks_is_replaced)
{
    open_team_that_knows();
    ck_assert(is_presumed_soon(work));
    struct trm_point point = submit_on(work, 1);
    fake_fail(&fake, point.stream, TRM_ERROR_KERNEL, 5, "it failed");
    ck_assert_int_eq(trm_point_wait(point, TRM_FOREVER), TRM_ERROR_KERNEL);
    fake_let_run(&fake);
    for (uint32_t i = 0; i < 100; i++)
        OK(trm_point_wait(submit_on(work, 1), TRM_FOREVER));
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    OK(trm_stream_pool_get_stats(handle, &stats));
    ck_assert_uint_eq(stats.busy, 0);
    close_team();
}
END_TEST

START_TEST(tasks_go_to_another_device_when_one_is_lost_under_presumed_ones)
{
    open_team_that_knows();
    ck_assert(is_presumed_soon(work));
    struct trm_point point = submit_on(work, 1);
    fake_fail(&fake, point.stream, TRM_ERROR_DEVICE_LOST, 5, "it fell off the bus");
    ck_assert_int_eq(trm_point_wait(point, TRM_FOREVER), TRM_ERROR_DEVICE_LOST);
    fake_let_run(&fake);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t index;
        point = submit_on(work, 0);
        OK(trm_point_wait(point, TRM_FOREVER));
        OK(trm_group_pool_find(handle, point.stream, &index));
        ck_assert_uint_eq(index, 1);
    }
    close_team();
}
END_TEST

static int32_t make_pool(void *user, struct trm_stream *stream)
{
    struct trm_stream_pool *made;
    *(int32_t *)user = trm_group_pool_create(group, NULL, &made);
    return fake_enqueue(stream);
}

/* Of the second device, which is lost, there can be no pool; that of the first ends. */
START_TEST(a_pool_that_cannot_be_made_in_a_function_of_its_group_leaves_nothing_behind)
{
    struct trm_group_use use = {.access = TRM_ACCESS_READ};
    int32_t status           = TRM_OK;
    open_team();
    use.buffer             = cells;
    struct trm_point point = submit_on(work, 2);
    fake_fail(&fake, point.stream, TRM_ERROR_DEVICE_LOST, 5, "it fell off the bus");
    ck_assert_int_eq(trm_point_wait(point, TRM_FOREVER), TRM_ERROR_DEVICE_LOST);
    const struct trm_stream_task task = {
        .struct_size = sizeof(task), .enqueue = make_pool, .user = &status, .uses = &use, .use_count = 1};
    OK(trm_stream_pool_submit(handle, &task, &point));
    ck_assert_int_eq(status, TRM_ERROR_DEVICE_LOST);
    close_team();
}
END_TEST

static void *wait_for_idle(void *user)
{
    struct trm_stream *stream;
    struct pipeline_stream_pool *pool = user;
    OK(trm_stream_pool_acquire(pool->object.handle, TRM_STREAM_POOL_IDLE, TRM_FOREVER, &stream));
    OK(trm_stream_pool_release(pool->object.handle, stream));
    return NULL;
}

START_TEST(a_call_for_an_idle_stream_of_a_member_is_told_when_presumed_work_has_ended)
{
    pthread_t thread;
    open_team_of(DEVICES, 1);
    learn();
    struct pipeline_stream_pool *pool = member(0);
    ck_assert(is_presumed_soon(work));
    uint32_t before = notifications();
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_idle, pool), 0);
    while (notifications() == before)
        sched_yield();
    fake_let_run(&fake);
    pthread_join(thread, NULL);
    close_team();
}
END_TEST

START_TEST(a_pool_over_a_group_ends_with_presumed_tasks_in_flight)
{
    open_team_that_knows();
    for (uint32_t i = 0; i < 200; i++)
        submit_on(i % 3 ? work : change, 0);
    ck_assert_uint_lt(watches_of(member(0)) + watches_of(member(1)), 200);
    close_team();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool team");
    TCase *tests = tcase_create("team");

    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, tasks_over_a_group_ask_for_few_notifications);
    tcase_add_test(tests, tasks_that_pass_data_on_ask_for_few_notifications);
    tcase_add_test(tests, tasks_whose_data_is_copied_each_time_ask_for_few_notifications);
    tcase_add_test(tests, each_end_is_told_while_the_width_of_a_device_is_measured);
    tcase_add_test(tests, the_time_of_a_task_does_not_contain_that_of_making_its_stream);
    tcase_add_test(tests, a_kernel_behind_data_of_a_function_is_watched);
    tcase_add_test(tests, a_kernel_that_replaces_what_an_unknown_task_reads_is_watched);
    tcase_add_test(tests, a_kernel_behind_data_that_is_there_is_presumed);
    tcase_add_test(tests, a_kernel_of_a_group_behind_a_borrowed_stream_is_watched);
    tcase_add_test(tests, a_child_process_cannot_submit_behind_presumed_tasks_and_its_parent_can);
    tcase_add_test(tests, a_stream_of_a_group_that_fails_under_presumed_tasks_is_replaced);
    tcase_add_test(tests, tasks_go_to_another_device_when_one_is_lost_under_presumed_ones);
    tcase_add_test(tests, a_pool_that_cannot_be_made_in_a_function_of_its_group_leaves_nothing_behind);
    tcase_add_test(tests, a_call_for_an_idle_stream_of_a_member_is_told_when_presumed_work_has_ended);
    tcase_add_test(tests, a_pool_over_a_group_ends_with_presumed_tasks_in_flight);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
