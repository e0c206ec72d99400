/* Tasks on streams of a pool: how many notifications they ask for, and who learns of an end that is presumed.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/coordinator/coordinator.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/fake_group.h"
#include "tests/unit/runner.h"

#define OK(call) ck_assert_int_eq((call), TRM_OK)

#define STREAMS 8u
#define TASKS 2000u
#define CHUNK 50u /* of them, with models that know nothing of what this machine did meanwhile */
#define SOON UINT64_C(20000000000)

static struct fake fake;
static struct trm_group *group; /* NULL: the pool is of a single device */
static struct trm_stream_pool *pool;
static struct trm_module *module;
static struct trm_kernel *kernel;
static struct trm_group_kernel *group_kernel;
static struct trm_coordinator *coordinator, *other;
static uint64_t last_id;
static uint32_t devices;      /* on which the next tasks may run */
static _Atomic uint32_t runs; /* of functions of tasks */

/* ---- a coordinator over a pool ---------------------------------------------------------------- */

static struct trm_coordinator *coordinate(void)
{
    struct trm_coordinator *made;
    const struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .pool = pool};
    OK(trm_coordinator_create(fake.device, &desc, &made));
    return made;
}

static void open_single(void)
{
    const struct trm_stream_pool_desc wish = {.struct_size = sizeof(wish), .most = STREAMS};
    OK(trm_module_load(fake_open(&fake), &fake_kernels_desc, &module));
    OK(trm_kernel_get(module, "work", &kernel));
    OK(trm_stream_pool_create(fake.device, &wish, &pool));
}

static void open_group(void)
{
    const struct trm_stream_pool_desc wish = {.struct_size = sizeof(wish), .most = STREAMS};
    group                                  = fake_group(&fake, 2);
    OK(trm_group_kernel_load(group, &fake_kernels_desc, "work", &group_kernel));
    kernel = trm_group_stage_kernel(group_kernel);
    OK(trm_group_pool_create(group, &wish, &pool));
}

static uint64_t add_to(struct trm_coordinator *to, int32_t kind, uint64_t after, trm_callback_fn function)
{
    const struct trm_task task = {.struct_size = sizeof(task),
                                  .kind        = kind,
                                  .id          = ++last_id,
                                  .after       = &after,
                                  .after_count = after != 0,
                                  .kernel      = kernel,
                                  .grid        = trm_grid_1d(1, 64),
                                  .devices     = devices,
                                  .host        = kind == TRM_TASK_HOST ? function : NULL,
                                  .done        = kind == TRM_TASK_HOST ? NULL : function};
    OK(trm_coordinator_add(to, &task));
    return last_id;
}

static uint64_t add(uint64_t after)
{
    return add_to(coordinator, TRM_TASK_COMPUTE, after, NULL);
}

static void submit(void)
{
    OK(trm_coordinator_submit(coordinator));
}

static uint64_t submit_one(uint64_t after)
{
    uint64_t id = add(after);
    submit();
    return id;
}

static void settle(void)
{
    struct trm_stream_pool *one = pool;
    for (uint32_t i = 0; i < (group != NULL ? 2 : 1); i++) {
        if (group != NULL)
            OK(trm_group_pool_get(pool, i, &one));
        fake_settle(one, 100 * TASKS);
    }
}

/* The pool knows how long the kernel takes: no time to speak of. */
static void learn(void)
{
    fake_let_run(&fake);
    for (uint32_t i = 0; i < 200; i++) {
        devices = group != NULL ? 1u << i % 2 : 0;
        OK(trm_coordinator_wait(coordinator, submit_one(0), SOON));
    }
    devices = 0;
    settle();
    OK(trm_coordinator_forget(coordinator));
    pthread_mutex_lock(&fake.lock);
    fake.running = 0;
    pthread_mutex_unlock(&fake.lock);
}

static void begin(bool is_group)
{
    fake_init_unkept(&fake);
    if (is_group)
        open_group();
    else
        open_single();
    coordinator = coordinate();
    learn();
}

static void end(void)
{
    fake_let_run(&fake);
    trm_coordinator_destroy(other);
    trm_coordinator_destroy(coordinator);
    trm_stream_pool_destroy(pool);
    if (group != NULL) {
        trm_group_kernel_destroy(group_kernel);
        trm_group_destroy(group);
        fake.device = NULL;
    } else {
        trm_kernel_destroy(kernel);
        trm_module_destroy(module);
    }
    other = NULL;
    group = NULL;
    atomic_store(&runs, 0);
    fake_fini(&fake);
}

static uint32_t notifications(void)
{
    return atomic_load(&fake.calls[FAKE_CALL_NOTIFY]);
}

static struct pipeline_coordinator *inside(void)
{
    return pipeline_coordinator_find(coordinator);
}

static uint32_t silent(void)
{
    base_lock_acquire(&inside()->lock);
    uint32_t count = inside()->silent;
    base_lock_release(&inside()->lock);
    return count;
}

/* A task that runs, and whose end nothing tells of. Every 64th is sampled. */
static uint64_t submit_silent(void)
{
    uint32_t before = silent();
    uint64_t id     = 0;
    for (uint32_t i = 0; i < 3 && silent() == before; i++)
        id = submit_one(0);
    ck_assert_uint_eq(silent(), before + 1);
    return id;
}

/* ---- counting ------------------------------------------------------------------------------- */

START_TEST(a_flood_of_tasks_asks_for_few_notifications)
{
    begin(_i);
    fake_let_run(&fake);
    uint32_t before = notifications();
    for (uint32_t i = 0; i < TASKS; i += CHUNK) {
        for (uint32_t k = 0; k < CHUNK; k++)
            add(0);
        settle();
        submit();
        OK(trm_coordinator_wait_all(coordinator, SOON));
    }
    ck_assert_uint_le(notifications() - before, TASKS / 20);
    end();
}
END_TEST

START_TEST(tasks_that_come_one_by_one_ask_for_few_notifications)
{
    begin(_i);
    fake_let_run(&fake);
    uint32_t before = notifications();
    for (uint32_t i = 0; i < TASKS; i++) {
        submit_one(0);
        if (i % CHUNK == 0)
            settle();
    }
    OK(trm_coordinator_wait_all(coordinator, SOON));
    ck_assert_uint_le(notifications() - before, TASKS / 20);
    end();
}
END_TEST

START_TEST(a_chain_of_tasks_asks_for_few_notifications)
{
    begin(_i);
    fake_let_run(&fake);
    uint32_t before = notifications();
    uint64_t id     = 0;
    for (uint32_t i = 0; i < TASKS; i += CHUNK) {
        for (uint32_t k = 0; k < CHUNK; k++)
            id = add(id);
        settle();
        submit();
        OK(trm_coordinator_wait(coordinator, id, SOON));
    }
    ck_assert_uint_le(notifications() - before, TASKS / 8);
    end();
}
END_TEST

START_TEST(tasks_that_are_not_known_are_notified_of_once_each)
{
    fake_init_unkept(&fake);
    open_single();
    coordinator = coordinate();
    for (uint32_t i = 0; i < 4; i++)
        add(0);
    submit();
    ck_assert_uint_eq(silent(), 0);
    ck_assert_uint_eq(notifications(), 4);
    end();
}
END_TEST

/* ---- who learns of an end -------------------------------------------------------------------- */

START_TEST(polling_finds_that_a_presumed_task_has_ended)
{
    begin(_i);
    uint64_t id = submit_silent();
    ck_assert_int_eq(trm_coordinator_poll(coordinator, id), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_coordinator_wait(coordinator, id, 0), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_coordinator_wait_all(coordinator, 0), TRM_ERROR_TIMEOUT);
    uint32_t before = notifications();
    fake_let_run(&fake);
    /* Until the service thread has seen a task that was sampled. */
    while (trm_coordinator_poll(coordinator, id) == TRM_ERROR_TIMEOUT ||
           trm_coordinator_wait_all(coordinator, 0) == TRM_ERROR_TIMEOUT)
        sched_yield();
    OK(trm_coordinator_poll(coordinator, id));
    ck_assert_uint_eq(notifications(), before);
    end();
}
END_TEST

static void *wait_for(void *user)
{
    OK(trm_coordinator_wait(coordinator, *(uint64_t *)user, TRM_FOREVER));
    return NULL;
}

static void *wait_for_all(void *user)
{
    (void)user;
    OK(trm_coordinator_wait_all(coordinator, TRM_FOREVER));
    return NULL;
}

static void await_notification(uint32_t before)
{
    while (notifications() == before)
        sched_yield();
}

START_TEST(a_thread_that_waits_for_a_presumed_task_is_told)
{
    pthread_t thread;
    begin(_i);
    uint64_t id     = submit_silent();
    uint32_t before = notifications();
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for, &id), 0);
    await_notification(before);
    fake_let_run(&fake);
    pthread_join(thread, NULL);
    ck_assert_uint_eq(notifications(), before + 1);
    end();
}
END_TEST

START_TEST(a_thread_that_waits_for_all_is_told)
{
    pthread_t thread;
    begin(_i);
    submit_silent();
    submit_silent();
    submit_silent();
    uint32_t before = notifications();
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_all, NULL), 0);
    await_notification(before);
    fake_let_run(&fake);
    pthread_join(thread, NULL);
    end();
}
END_TEST

START_TEST(a_thread_that_waits_is_told_of_tasks_that_are_submitted_meanwhile)
{
    pthread_t thread;
    begin(_i);
    submit_silent();
    uint32_t before = notifications();
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_all, NULL), 0);
    await_notification(before);
    submit_one(0);
    submit_one(0);
    fake_let_run(&fake);
    pthread_join(thread, NULL);
    end();
}
END_TEST

static void count_run(void *user, int32_t status)
{
    (void)user;
    ck_assert_int_eq(status, TRM_OK);
    atomic_fetch_add(&runs, 1);
}

static void await_runs(uint32_t count)
{
    while (atomic_load(&runs) < count)
        sched_yield();
}

/* Nothing waits, and nothing else happens. */
START_TEST(the_callback_of_a_task_is_called_when_it_has_ended)
{
    begin(_i);
    add_to(coordinator, TRM_TASK_COMPUTE, 0, count_run);
    submit();
    fake_let_run(&fake);
    await_runs(1);
    end();
}
END_TEST

START_TEST(a_host_task_runs_when_the_task_before_it_has_ended)
{
    begin(_i);
    add_to(coordinator, TRM_TASK_HOST, add(0), count_run);
    submit();
    fake_let_run(&fake);
    await_runs(1);
    end();
}
END_TEST

START_TEST(a_host_task_that_is_submitted_after_a_presumed_one_runs)
{
    begin(_i);
    uint64_t id = submit_silent();
    add_to(coordinator, TRM_TASK_HOST, id, count_run);
    submit();
    fake_let_run(&fake);
    await_runs(1);
    end();
}
END_TEST

START_TEST(tasks_beyond_the_streams_of_the_pool_run_though_no_thread_waits)
{
    begin(_i);
    for (uint32_t i = 0; i < 6 * STREAMS; i++)
        add(0);
    add_to(coordinator, TRM_TASK_COMPUTE, 0, count_run);
    submit();
    fake_let_run(&fake);
    await_runs(1);
    OK(trm_coordinator_wait_all(coordinator, SOON));
    end();
}
END_TEST

/* ---- others who use the pool ------------------------------------------------------------------ */

static void *borrow(void *user)
{
    struct trm_stream *stream;
    uint32_t flags = *(uint32_t *)user;
    OK(trm_stream_pool_acquire(pool, flags, TRM_FOREVER, &stream));
    OK(trm_stream_pool_release(pool, stream));
    return NULL;
}

static void fill_the_pool(void)
{
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    do {
        submit_one(0);
        base_lock_acquire(&inside()->lock);
        stats.lent = inside()->flights;
        base_lock_release(&inside()->lock);
    } while (stats.lent < STREAMS);
    ck_assert_uint_gt(silent(), 0);
}

/* No other thread looks at the coordinator. */
START_TEST(a_thread_that_borrows_a_stream_gets_one_that_a_presumed_task_had)
{
    pthread_t thread;
    uint32_t flags = _i ? TRM_STREAM_POOL_IDLE : 0;
    begin(false);
    fill_the_pool();
    uint32_t before = notifications();
    ck_assert_int_eq(pthread_create(&thread, NULL, borrow, &flags), 0);
    await_notification(before);
    fake_let_run(&fake);
    pthread_join(thread, NULL);
    end();
}
END_TEST

START_TEST(a_task_of_another_coordinator_gets_a_stream_that_a_presumed_task_had)
{
    begin(false);
    other = coordinate();
    fill_the_pool();
    add_to(other, TRM_TASK_COMPUTE, 0, count_run);
    OK(trm_coordinator_submit(other));
    fake_let_run(&fake);
    await_runs(1);
    end();
}
END_TEST

START_TEST(what_a_presumed_task_had_goes_back_where_the_other_coordinator_finds_it_ended)
{
    begin(false);
    other = coordinate();
    fill_the_pool();
    fake_let_run(&fake);
    add_to(other, TRM_TASK_COMPUTE, 0, count_run);
    OK(trm_coordinator_submit(other));
    await_runs(1);
    end();
}
END_TEST

START_TEST(statistics_make_a_coordinator_give_streams_back_that_have_ended)
{
    struct trm_stream_pool_stats stats = {.struct_size = sizeof(stats)};
    begin(_i);
    submit_silent();
    fake_let_run(&fake);
    do {
        OK(trm_stream_pool_get_stats(pool, &stats));
        sched_yield();
    } while (stats.lent > 0);
    end();
}
END_TEST

/* ---- failures --------------------------------------------------------------------------------- */

static struct trm_stream *stream_of(uint64_t id)
{
    base_lock_acquire(&inside()->lock);
    const struct pipeline_task *task = pipeline_task_find_locked(inside(), id);
    struct trm_stream *stream        = task->work->lane->stream->object.handle;
    base_lock_release(&inside()->lock);
    return stream;
}

START_TEST(a_presumed_task_whose_stream_fails_has_failed)
{
    begin(_i);
    uint64_t id = submit_silent(), after;
    ck_assert_int_eq(trm_coordinator_poll(coordinator, id), TRM_ERROR_TIMEOUT);
    after = add(id);
    fake_fail(&fake, stream_of(id), TRM_ERROR_KERNEL, 5, "it failed");
    while (trm_coordinator_poll(coordinator, id) == TRM_ERROR_TIMEOUT)
        sched_yield();
    ck_assert_int_eq(trm_coordinator_poll(coordinator, id), TRM_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "it failed"));
    submit();
    ck_assert_int_eq(trm_coordinator_wait(coordinator, after, SOON), TRM_ERROR_KERNEL);
    fake_let_run(&fake);
    OK(trm_coordinator_wait(coordinator, submit_one(0), SOON));
    end();
}
END_TEST

START_TEST(a_presumed_task_on_a_lost_device_has_failed)
{
    begin(false);
    uint64_t id = submit_silent();
    fake_fail(&fake, stream_of(id), TRM_ERROR_DEVICE_LOST, 5, "it fell off the bus");
    ck_assert_int_eq(trm_coordinator_wait(coordinator, id, SOON), TRM_ERROR_DEVICE_LOST);
    end();
}
END_TEST

START_TEST(a_backend_that_notifies_of_nothing_any_more_is_waited_for)
{
    begin(_i);
    uint64_t id = submit_silent();
    fake_let_run(&fake);
    atomic_store(&fake.fail_next[FAKE_CALL_NOTIFY], TRM_ERROR_OUT_OF_HOST_MEMORY);
    OK(trm_coordinator_wait(coordinator, id, SOON));
    for (uint32_t i = 0; i < 200; i++) {
        atomic_store(&fake.fail_next[FAKE_CALL_NOTIFY], TRM_ERROR_OUT_OF_HOST_MEMORY);
        submit_one(0);
    }
    OK(trm_coordinator_wait_all(coordinator, SOON));
    end();
}
END_TEST

START_TEST(a_coordinator_ends_with_presumed_tasks_in_flight)
{
    begin(_i);
    for (uint32_t i = 0; i < 3 * STREAMS; i++)
        add(i % 3 ? last_id : 0);
    submit();
    ck_assert_uint_gt(silent(), 0);
    end();
}
END_TEST

/* ---- the rest of the program -------------------------------------------------------------------- */

static atomic_int is_blocked, may_return;

/* A callback that takes long, without the library knowing that it waits. */
static void block(void *user, int32_t status)
{
    (void)user;
    (void)status;
    atomic_store(&is_blocked, 1);
    while (!atomic_load(&may_return))
        sched_yield();
}

START_TEST(a_thread_finds_that_a_presumed_task_has_ended_while_the_service_thread_is_busy)
{
    struct trm_stream *calling;
    begin(false);
    uint64_t id = submit_silent();
    OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &calling));
    OK(trm_stream_callback(calling, block, NULL));
    fake_let_run(&fake);
    OK(trm_stream_flush(calling));
    while (!atomic_load(&is_blocked))
        sched_yield();
    OK(trm_coordinator_wait(coordinator, id, SOON));
    atomic_store(&may_return, 1);
    trm_stream_destroy(calling);
    end();
}
END_TEST

START_TEST(a_child_process_cannot_look_at_presumed_tasks_and_its_parent_can)
{
    int status;
    begin(_i);
    uint64_t id = submit_silent();
    pid_t child = fork();
    if (child == 0) {
        bool is_refused = trm_coordinator_poll(coordinator, id) == TRM_ERROR_FORKED &&
                          trm_coordinator_wait_all(coordinator, TRM_FOREVER) == TRM_ERROR_FORKED &&
                          trm_coordinator_forget(coordinator) == TRM_ERROR_FORKED;
        trm_coordinator_destroy(coordinator);
        _exit(is_refused ? 0 : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    fake_let_run(&fake);
    OK(trm_coordinator_wait(coordinator, id, SOON));
    end();
}
END_TEST

/* ---- many threads ------------------------------------------------------------------------------ */

static void *churn(void *user)
{
    struct trm_coordinator *mine = coordinate();
    (void)user;
    for (uint64_t round = 1; round <= 60; round++) {
        for (uint64_t i = 1; i <= 20; i++) {
            const uint64_t after       = i - 1;
            const struct trm_task task = {.struct_size = sizeof(task),
                                          .kind        = TRM_TASK_COMPUTE,
                                          .id          = i,
                                          .after       = &after,
                                          .after_count = i % 4 == 0,
                                          .kernel      = kernel,
                                          .grid        = trm_grid_1d(1, 64)};
            OK(trm_coordinator_add(mine, &task));
        }
        OK(trm_coordinator_submit(mine));
        if (round % 2 == 0)
            OK(trm_coordinator_wait(mine, 1 + round % 20, TRM_FOREVER));
        OK(trm_coordinator_wait_all(mine, TRM_FOREVER));
        OK(trm_coordinator_forget(mine));
    }
    trm_coordinator_destroy(mine);
    return NULL;
}

START_TEST(coordinators_on_several_threads_share_a_pool)
{
    pthread_t threads[4];
    begin(_i);
    fake_let_run(&fake);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, churn, NULL), 0);
    for (uint32_t i = 0; i < 200 && !_i; i++) {
        struct trm_stream *stream;
        OK(trm_stream_pool_acquire(pool, i % 2 ? TRM_STREAM_POOL_IDLE : 0, TRM_FOREVER, &stream));
        OK(fake_enqueue(stream));
        OK(trm_stream_pool_release(pool, stream));
    }
    for (uint32_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    end();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("flights");
    TCase *tests = tcase_create("flight");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_flood_of_tasks_asks_for_few_notifications, 0, 2);
    tcase_add_loop_test(tests, tasks_that_come_one_by_one_ask_for_few_notifications, 0, 2);
    tcase_add_loop_test(tests, a_chain_of_tasks_asks_for_few_notifications, 0, 2);
    tcase_add_test(tests, tasks_that_are_not_known_are_notified_of_once_each);
    tcase_add_loop_test(tests, polling_finds_that_a_presumed_task_has_ended, 0, 2);
    tcase_add_loop_test(tests, a_thread_that_waits_for_a_presumed_task_is_told, 0, 2);
    tcase_add_loop_test(tests, a_thread_that_waits_for_all_is_told, 0, 2);
    tcase_add_loop_test(tests, a_thread_that_waits_is_told_of_tasks_that_are_submitted_meanwhile, 0, 2);
    tcase_add_loop_test(tests, the_callback_of_a_task_is_called_when_it_has_ended, 0, 2);
    tcase_add_loop_test(tests, a_host_task_runs_when_the_task_before_it_has_ended, 0, 2);
    tcase_add_loop_test(tests, a_host_task_that_is_submitted_after_a_presumed_one_runs, 0, 2);
    tcase_add_loop_test(tests, tasks_beyond_the_streams_of_the_pool_run_though_no_thread_waits, 0, 2);
    tcase_add_loop_test(tests, a_thread_that_borrows_a_stream_gets_one_that_a_presumed_task_had, 0, 2);
    tcase_add_test(tests, a_task_of_another_coordinator_gets_a_stream_that_a_presumed_task_had);
    tcase_add_test(tests, what_a_presumed_task_had_goes_back_where_the_other_coordinator_finds_it_ended);
    tcase_add_loop_test(tests, statistics_make_a_coordinator_give_streams_back_that_have_ended, 0, 2);
    tcase_add_loop_test(tests, a_presumed_task_whose_stream_fails_has_failed, 0, 2);
    tcase_add_test(tests, a_presumed_task_on_a_lost_device_has_failed);
    tcase_add_loop_test(tests, a_backend_that_notifies_of_nothing_any_more_is_waited_for, 0, 2);
    tcase_add_loop_test(tests, a_coordinator_ends_with_presumed_tasks_in_flight, 0, 2);
    tcase_add_test(tests, a_thread_finds_that_a_presumed_task_has_ended_while_the_service_thread_is_busy);
    tcase_add_loop_test(tests, a_child_process_cannot_look_at_presumed_tasks_and_its_parent_can, 0, 2);
    tcase_add_loop_test(tests, coordinators_on_several_threads_share_a_pool, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
