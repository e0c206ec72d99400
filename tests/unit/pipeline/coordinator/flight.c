/* Tasks on streams of a pool: how many notifications they ask for, and who learns of an end that is presumed.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/pipeline/coordinator/flights.h"

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

/* A priority has a pool of its own, and copies have none. */
START_TEST(a_coordinator_makes_its_own_pools_when_kernels_need_them)
{
    struct trm_buffer *buffer;
    fake_init_unkept(&fake);
    load_single();
    OK(trm_buffer_create(fake.device, TRM_MEMORY_DEVICE, 64, &buffer));
    coordinator = coordinate();
    fake_let_run(&fake);
    const struct trm_task upload = {.struct_size = sizeof(upload),
                                    .kind        = TRM_TASK_UPLOAD,
                                    .id          = ++last_id,
                                    .destination = trm_span_of(buffer, 0, sizeof(last_id)),
                                    .host_source = &last_id};
    OK(trm_coordinator_add(coordinator, &upload));
    submit();
    OK(trm_coordinator_wait_all(coordinator, SOON));
    for (int32_t role = 0; role < PIPELINE_TASK_ROLES; role++)
        for (int32_t priority = 0; priority < PIPELINE_TASK_PRIORITIES; priority++)
            ck_assert_ptr_null(inside()->classes[role][priority].pool);
    OK(trm_coordinator_wait(coordinator, submit_one(0), SOON));
    ck_assert_ptr_null(inside()->classes[1][0].pool);
    ck_assert_ptr_nonnull(inside()->classes[1][1].pool);
    trm_buffer_destroy(buffer);
    end();
}
END_TEST

START_TEST(its_own_pools_are_not_counted_as_pools_of_the_program)
{
    begin(OWN);
    struct core_device *device = inside()->device;
    ck_assert_ptr_nonnull(inside()->classes[1][1].pool);
    ck_assert_uint_eq(atomic_load(&device->live[CORE_STREAM_POOL]), 0);
    trm_coordinator_destroy(coordinator);
    ck_assert_uint_eq(atomic_load(&device->live[CORE_STREAM_POOL]), 0);
    coordinator = NULL;
    end();
}
END_TEST

START_TEST(on_the_hosts_own_processors_a_coordinator_has_streams_and_no_pools)
{
    fake_init_unkept(&fake);
    fake.kind = TRM_DEVICE_CPU;
    load_single();
    coordinator = coordinate();
    fake_let_run(&fake);
    OK(trm_coordinator_wait(coordinator, submit_one(0), SOON));
    ck_assert_ptr_null(inside()->classes[1][1].pool);
    ck_assert(!inside()->classes[1][1].has_pool);
    end();
}
END_TEST

/* Two lanes for each of so many streams are more than a pool may have. */
START_TEST(a_coordinator_of_very_many_streams_has_no_pool)
{
    const struct trm_coordinator_desc desc = {.struct_size = sizeof(desc), .compute_streams = 64};
    fake_init_unkept(&fake);
    load_single();
    OK(trm_coordinator_create(fake.device, &desc, &coordinator));
    fake_let_run(&fake);
    for (uint32_t i = 0; i < 200; i++)
        submit_one(0);
    OK(trm_coordinator_wait_all(coordinator, SOON));
    ck_assert_ptr_null(inside()->classes[1][1].pool);
    ck_assert_uint_eq(inside()->classes[1][1].count, 128);
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
    begin(OF_DEVICE);
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
    begin(OF_DEVICE);
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
    begin(OF_DEVICE);
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
        OK(trm_stream_pool_get_stats(pool_in_use(), &stats));
        sched_yield();
    } while (stats.lent > 0);
    end();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("flights");
    TCase *tests = tcase_create("flight");

    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_flood_of_tasks_asks_for_few_notifications, 0, WHOSE);
    tcase_add_loop_test(tests, tasks_that_come_one_by_one_ask_for_few_notifications, 0, WHOSE);
    tcase_add_loop_test(tests, a_chain_of_tasks_asks_for_few_notifications, 0, WHOSE);
    tcase_add_test(tests, tasks_that_are_not_known_are_notified_of_once_each);
    tcase_add_test(tests, a_coordinator_makes_its_own_pools_when_kernels_need_them);
    tcase_add_test(tests, its_own_pools_are_not_counted_as_pools_of_the_program);
    tcase_add_test(tests, on_the_hosts_own_processors_a_coordinator_has_streams_and_no_pools);
    tcase_add_test(tests, a_coordinator_of_very_many_streams_has_no_pool);
    tcase_add_loop_test(tests, polling_finds_that_a_presumed_task_has_ended, 0, WHOSE);
    tcase_add_loop_test(tests, a_thread_that_waits_for_a_presumed_task_is_told, 0, WHOSE);
    tcase_add_loop_test(tests, a_thread_that_waits_for_all_is_told, 0, WHOSE);
    tcase_add_loop_test(tests, a_thread_that_waits_is_told_of_tasks_that_are_submitted_meanwhile, 0, WHOSE);
    tcase_add_loop_test(tests, the_callback_of_a_task_is_called_when_it_has_ended, 0, WHOSE);
    tcase_add_loop_test(tests, a_host_task_runs_when_the_task_before_it_has_ended, 0, WHOSE);
    tcase_add_loop_test(tests, a_host_task_that_is_submitted_after_a_presumed_one_runs, 0, WHOSE);
    tcase_add_loop_test(tests, tasks_beyond_the_streams_of_the_pool_run_though_no_thread_waits, 0, WHOSE);
    tcase_add_loop_test(tests, a_thread_that_borrows_a_stream_gets_one_that_a_presumed_task_had, 0, 2);
    tcase_add_test(tests, a_task_of_another_coordinator_gets_a_stream_that_a_presumed_task_had);
    tcase_add_test(tests, what_a_presumed_task_had_goes_back_where_the_other_coordinator_finds_it_ended);
    tcase_add_loop_test(tests, statistics_make_a_coordinator_give_streams_back_that_have_ended, 0, WHOSE);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
