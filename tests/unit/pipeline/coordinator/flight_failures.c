/* Tasks whose end is presumed: what fails, and what other threads and processes do meanwhile.
 * SPDX-License-Identifier: MIT
 */
#include <sys/wait.h>

#include "tests/unit/pipeline/coordinator/flights.h"

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
    begin(OF_DEVICE);
    uint64_t id = submit_silent();
    fake_fail(&fake, stream_of(id), TRM_ERROR_DEVICE_LOST, 5, "it fell off the bus");
    ck_assert_int_eq(trm_coordinator_wait(coordinator, id, SOON), TRM_ERROR_DEVICE_LOST);
    end();
}
END_TEST

/* As where what it waited for has failed, and the backend cannot abandon it. */
static void fail_in_core_alone(uint64_t id)
{
    struct core_stream *stream = core_object_find(stream_of(id), CORE_STREAM);
    base_fail(TRM_ERROR_KERNEL, "another one failed");
    core_stream_fail_after(stream, 0, TRM_ERROR_KERNEL);
}

START_TEST(a_failed_task_is_not_settled_while_its_work_runs)
{
    begin(_i);
    uint64_t id = submit_silent();
    fail_in_core_alone(id);
    for (uint32_t i = 0; i < 100; i++)
        ck_assert_int_eq(trm_coordinator_poll(coordinator, id), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_coordinator_wait(coordinator, id, 1), TRM_ERROR_TIMEOUT);
    ck_assert_int_eq(trm_coordinator_poll(coordinator, id), TRM_ERROR_TIMEOUT);
    fake_let_run(&fake);
    ck_assert_int_eq(trm_coordinator_wait(coordinator, id, SOON), TRM_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(trm_last_error().sentence, "another one failed"));
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
    begin(OF_DEVICE);
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
    Suite *suite = suite_create("flights that fail");
    TCase *tests = tcase_create("flight failures");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_presumed_task_whose_stream_fails_has_failed, 0, WHOSE);
    tcase_add_loop_test(tests, a_failed_task_is_not_settled_while_its_work_runs, 0, WHOSE);
    tcase_add_test(tests, a_presumed_task_on_a_lost_device_has_failed);
    tcase_add_loop_test(tests, a_backend_that_notifies_of_nothing_any_more_is_waited_for, 0, WHOSE);
    tcase_add_loop_test(tests, a_coordinator_ends_with_presumed_tasks_in_flight, 0, WHOSE);
    tcase_add_test(tests, a_thread_finds_that_a_presumed_task_has_ended_while_the_service_thread_is_busy);
    tcase_add_loop_test(tests, a_child_process_cannot_look_at_presumed_tasks_and_its_parent_can, 0, WHOSE);
    tcase_add_loop_test(tests, coordinators_on_several_threads_share_a_pool, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
