/* Calls that make sure what a pool does not know: they rely on no other thread, and take no stream away.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sched.h>

#include "tests/unit/pipeline/pool/fixture.h"

/* ---- a service thread that is busy ------------------------------------------------------------ */

static struct trm_stream *calling;
static atomic_int is_blocked, may_return;

/* A callback of the program that takes long, without the library knowing that it waits. */
static void block(void *user, int32_t status)
{
    (void)user;
    (void)status;
    atomic_store(&is_blocked, 1);
    while (!atomic_load(&may_return))
        sched_yield();
}

static void block_service(void)
{
    OK(trm_stream_create(fake.device, TRM_STREAM_ANY, 0, &calling));
    OK(trm_stream_callback(calling, block, NULL));
    fake_run(&fake, calling, UINT64_MAX);
    OK(trm_stream_flush(calling));
    while (!atomic_load(&is_blocked))
        sched_yield();
}

static void free_service(void)
{
    atomic_store(&may_return, 1);
    trm_stream_destroy(calling);
}

/* Loans of one stream, the last of which waits for no notification of its own, while the service can arm
 * nothing. */
static void lend_with_a_rest(void)
{
    open_pool(1);
    while (pool->slots[0].last == NULL || pool->slots[0].last->is_armed)
        lend_once();
    block_service();
}

static void run_all(void)
{
    fake_run(&fake, pool->slots[0].stream->object.handle, UINT64_MAX);
}

static void *wait_for_idle(void *user)
{
    (void)user;
    acquire_idle(TRM_FOREVER, TRM_OK);
    return NULL;
}

START_TEST(a_call_that_waits_for_an_idle_stream_asks_for_the_rest_itself)
{
    lend_with_a_rest();
    uint32_t before = notifications();
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, wait_for_idle, NULL), 0);
    while (notifications() == before)
        sched_yield();
    run_all();
    pthread_join(thread, NULL);
    ck_assert_uint_eq(notifications(), before + 1);
    free_service();
    close_pool();
}
END_TEST

START_TEST(a_call_for_an_idle_stream_finds_the_rest_ended)
{
    lend_with_a_rest();
    uint32_t before = notifications();
    run_all();
    ck_assert_uint_eq(pool->slots[0].watches, 1);
    acquire_idle(0, TRM_OK);
    ck_assert_uint_eq(notifications(), before);
    free_service();
    close_pool();
}
END_TEST

START_TEST(a_loan_that_is_given_back_while_a_thread_waits_is_told_of)
{
    lend_with_a_rest();
    uint32_t before = notifications();
    pool->sleepers++;
    lend_once();
    pool->sleepers--;
    ck_assert_uint_eq(notifications(), before + 1);
    free_service();
    close_pool();
}
END_TEST

static uint32_t watches(void)
{
    base_lock_acquire(&pool->lock);
    uint32_t count = pool->slots[0].watches;
    base_lock_release(&pool->lock);
    return count;
}

/* When the service comes to the last loan, that has ended at some time before. */
START_TEST(nothing_is_learned_from_work_that_ended_before_it_was_asked_for)
{
    lend_with_a_rest();
    run_all();
    uint64_t samples = pool->samples;
    ck_assert_uint_gt(samples, 0);
    free_service();
    while (watches() > 0)
        sched_yield();
    ck_assert_uint_eq(pool->samples, samples);
    close_pool();
}
END_TEST

/* ---- what happens meanwhile --------------------------------------------------------------------- */

static struct trm_stream_task known;
static uint32_t hooked;

/* One task that is known to be short, whose end is presumed. */
static void submit_known(void)
{
    open_pool(1);
    known = known_kernel(1000);
    submit(&known);
    ck_assert_uint_eq(pool->slots[0].watches, 0);
}

/* As another thread could submit, while a call of this thread makes sure. */
static void submit_another(enum fake_call call)
{
    static bool is_inside;
    if (is_inside || hooked == 1000 || (call != FAKE_CALL_QUERY && call != FAKE_CALL_NOTIFY))
        return;
    is_inside = true;
    hooked++;
    submit(&known);
    is_inside = false;
}

START_TEST(a_call_for_an_idle_stream_does_not_chase_after_tasks_that_are_submitted_meanwhile)
{
    submit_known();
    fake.hook = submit_another;
    acquire_idle(0, TRM_ERROR_TIMEOUT);
    fake.hook = NULL;
    ck_assert_uint_ge(hooked, 1);
    ck_assert_uint_le(hooked, 4);
    ck_assert_uint_eq(pool->sleepers, 0);
    close_pool();
}
END_TEST

static void borrow(enum fake_call call)
{
    struct trm_stream *stream;
    if (call != FAKE_CALL_QUERY && call != FAKE_CALL_NOTIFY)
        return;
    hooked++;
    OK(trm_stream_pool_acquire(handle, 0, 0, &stream));
    OK(trm_stream_pool_release(handle, stream));
    ck_notes(pool);
}

START_TEST(statistics_take_no_stream_from_a_call_that_does_not_wait)
{
    submit_known();
    fake.hook = borrow;
    stats();
    fake.hook = NULL;
    ck_assert_uint_eq(hooked, 2);
    close_pool();
}
END_TEST

static atomic_int is_over;

static void *ask(void *user)
{
    (void)user;
    while (!atomic_load(&is_over))
        stats();
    return NULL;
}

START_TEST(statistics_on_another_thread_take_no_stream_either)
{
    struct trm_stream *stream;
    pthread_t thread;
    open_pool(1);
    struct trm_stream_task task = known_kernel(1000);
    ck_assert_int_eq(pthread_create(&thread, NULL, ask, NULL), 0);
    for (uint32_t i = 0; i < 3000; i++) {
        submit(&task);
        OK(trm_stream_pool_acquire(handle, 0, 0, &stream));
        OK(trm_stream_pool_release(handle, stream));
        ck_notes(pool);
    }
    atomic_store(&is_over, 1);
    pthread_join(thread, NULL);
    close_pool();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("pipeline pool settle");
    TCase *tests = tcase_create("settle");

    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_call_that_waits_for_an_idle_stream_asks_for_the_rest_itself);
    tcase_add_test(tests, a_call_for_an_idle_stream_finds_the_rest_ended);
    tcase_add_test(tests, a_loan_that_is_given_back_while_a_thread_waits_is_told_of);
    tcase_add_test(tests, nothing_is_learned_from_work_that_ended_before_it_was_asked_for);
    tcase_add_test(tests, a_call_for_an_idle_stream_does_not_chase_after_tasks_that_are_submitted_meanwhile);
    tcase_add_test(tests, statistics_take_no_stream_from_a_call_that_does_not_wait);
    tcase_add_test(tests, statistics_on_another_thread_take_no_stream_either);
    suite_add_tcase(suite, tests);
    return suite;
}

UNIT_SUITE(make_suite)
