/* Functions of tasks of one group that use another group, on two threads at once. Each has the lock of its
 * own group's data meanwhile.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/coordinator.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "tests/unit/fake_group.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)
#define SOON UINT64_C(20000000000)

struct side {
    struct trm_group *group;
    struct trm_stream_pool *pool;
    struct trm_group_buffer *cells;
    struct trm_group_kernel *change;
    struct trm_coordinator *coordinator;
    struct side *other;
    int32_t (*use)(struct side *other); /* what the function of its task does */
    int32_t status;                     /* of that */
    pthread_t thread;
};

static struct fake fake;
static struct side sides[2];
static _Atomic uint32_t inside; /* threads that are in the function of a task */

static void open_side(struct side *side)
{
    const struct trm_buffer_desc desc = {.struct_size = sizeof(desc), .size = 64};
    side->group                       = fake_group(&fake, 2);
    OK(trm_group_kernel_load(side->group, &fake_kernels_desc, "change", &side->change));
    OK(trm_group_buffer_create(side->group, &desc, &side->cells));
    OK(trm_group_pool_create(side->group, NULL, &side->pool));
    const struct trm_coordinator_desc wish = {.struct_size = sizeof(wish), .pool = side->pool};
    struct trm_device *device;
    OK(trm_group_device(side->group, 0, &device));
    OK(trm_coordinator_create(device, &wish, &side->coordinator));
    trm_device_destroy(device);
    side->other = &sides[side == &sides[0]];
}

static void close_side(struct side *side)
{
    trm_coordinator_destroy(side->coordinator);
    trm_stream_pool_destroy(side->pool);
    trm_group_kernel_destroy(side->change);
    trm_group_buffer_destroy(side->cells);
    trm_group_destroy(side->group);
}

static void set_up(void)
{
    fake_init_unkept(&fake);
    atomic_store(&inside, 0);
    for (uint32_t i = 0; i < 2; i++)
        open_side(&sides[i]);
    fake_let_run(&fake);
}

static void tear_down(void)
{
    for (uint32_t i = 0; i < 2; i++)
        close_side(&sides[i]);
    fake.device = NULL;
    fake_fini(&fake);
}

/* ---- what functions do -------------------------------------------------------------------------- */

static int32_t change_cells(void *user, struct trm_stream *stream)
{
    (void)user;
    return fake_enqueue(stream);
}

static struct trm_stream_task task_of(const struct trm_group_use *use, trm_stream_task_fn function,
                                      void *user)
{
    return (struct trm_stream_task){.struct_size = sizeof(struct trm_stream_task),
                                    .enqueue     = function,
                                    .user        = user,
                                    .uses        = use,
                                    .use_count   = 1};
}

static int32_t submit_to_pool(struct side *side, trm_stream_task_fn function, void *user)
{
    const struct trm_group_use use    = {.buffer = side->cells, .access = TRM_ACCESS_READ | TRM_ACCESS_WRITE};
    const struct trm_stream_task task = task_of(&use, function, user);
    struct trm_point point;
    return trm_stream_pool_submit(side->pool, &task, &point);
}

static int32_t submit_task(struct side *side)
{
    return submit_to_pool(side, change_cells, NULL);
}

static int32_t read_cells(struct side *side)
{
    uint32_t cell;
    return trm_group_buffer_read(side->cells, 0, &cell, sizeof(cell));
}

static int32_t close_pool(struct side *side)
{
    trm_coordinator_destroy(side->coordinator);
    return trm_last_error().status;
}

static int32_t submit_to_coordinator(struct side *side)
{
    const struct trm_argument cells = trm_arg_buffer(trm_group_port_buffer(side->cells));
    const struct trm_task task      = {.struct_size    = sizeof(task),
                                       .kind           = TRM_TASK_COMPUTE,
                                       .id             = 1,
                                       .kernel         = trm_group_stage_kernel(side->change),
                                       .grid           = trm_grid_1d(1, 64),
                                       .arguments      = &cells,
                                       .argument_count = 1};
    OK(trm_coordinator_add(side->coordinator, &task));
    OK(trm_coordinator_submit(side->coordinator));
    int32_t status = trm_coordinator_poll(side->coordinator, 1);
    return status == TRM_ERROR_TIMEOUT ? TRM_OK : status;
}

static int32_t wait_for_coordinator(struct side *side)
{
    OK(submit_to_coordinator(side));
    return trm_coordinator_wait(side->coordinator, 1, SOON);
}

static int32_t wait_for_all(struct side *side)
{
    OK(submit_to_coordinator(side));
    return trm_coordinator_wait_all(side->coordinator, SOON);
}

/* ---- both at once --------------------------------------------------------------------------------- */

static int32_t use_other(void *user, struct trm_stream *stream)
{
    struct side *side = user;
    atomic_fetch_add(&inside, 1);
    while (atomic_load(&inside) < 2)
        sched_yield();
    side->status = side->use(side->other);
    return fake_enqueue(stream);
}

static void *run_side(void *user)
{
    struct side *side = user;
    OK(submit_to_pool(side, use_other, side));
    return NULL;
}

static void run_both(int32_t (*use)(struct side *other))
{
    for (uint32_t i = 0; i < 2; i++)
        sides[i].use = use;
    for (uint32_t i = 0; i < 2; i++)
        ck_assert_int_eq(pthread_create(&sides[i].thread, NULL, run_side, &sides[i]), 0);
    for (uint32_t i = 0; i < 2; i++)
        pthread_join(sides[i].thread, NULL);
}

START_TEST(functions_that_submit_to_coordinators_of_each_others_groups_leave_the_tasks_to_another_thread)
{
    run_both(submit_to_coordinator);
    for (uint32_t i = 0; i < 2; i++) {
        OK(sides[i].status);
        OK(trm_coordinator_wait(sides[i].coordinator, 1, SOON));
    }
}
END_TEST

/* The one that comes last is told, and once it has gone the other one goes on. */
static void ck_one_fails(int32_t (*use)(struct side *other))
{
    run_both(use);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert(sides[i].status == TRM_OK || sides[i].status == TRM_ERROR_DEADLOCK);
        refused += sides[i].status == TRM_ERROR_DEADLOCK;
    }
    ck_assert_uint_eq(refused, 1);
    for (uint32_t i = 0; i < 2; i++)
        OK(submit_task(&sides[i]));
}

START_TEST(of_two_functions_that_submit_to_each_others_groups_one_fails)
{
    ck_one_fails(submit_task);
}
END_TEST

START_TEST(of_two_functions_that_read_buffers_of_each_others_groups_one_fails)
{
    ck_one_fails(read_cells);
}
END_TEST

START_TEST(of_two_functions_that_wait_for_tasks_of_each_others_groups_one_fails)
{
    ck_one_fails(_i == 0 ? wait_for_coordinator : wait_for_all);
    for (uint32_t i = 0; i < 2; i++)
        OK(trm_coordinator_wait(sides[i].coordinator, 1, SOON));
}
END_TEST

/* ---- one alone -------------------------------------------------------------------------------------- */

START_TEST(a_function_may_use_another_group_that_does_not_use_its_own)
{
    int32_t (*const uses[])(struct side *) = {submit_task, read_cells, wait_for_coordinator, close_pool};
    atomic_store(&inside, 1);
    sides[0].use = uses[_i];
    OK(submit_to_pool(&sides[0], use_other, &sides[0]));
    OK(sides[0].status);
    if (uses[_i] == close_pool)
        sides[1].coordinator = NULL;
    OK(submit_task(&sides[0]));
    OK(submit_task(&sides[1]));
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline coordinator two_groups");
    TCase *tests = tcase_create("two_groups");

    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_set_timeout(tests, 60);
    tcase_add_test(
        tests, functions_that_submit_to_coordinators_of_each_others_groups_leave_the_tasks_to_another_thread);
    tcase_add_test(tests, of_two_functions_that_submit_to_each_others_groups_one_fails);
    tcase_add_test(tests, of_two_functions_that_read_buffers_of_each_others_groups_one_fails);
    tcase_add_loop_test(tests, of_two_functions_that_wait_for_tasks_of_each_others_groups_one_fails, 0, 2);
    tcase_add_loop_test(tests, a_function_may_use_another_group_that_does_not_use_its_own, 0, 4);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
