/* Condition variables: no thread sleeps on when what it waits for has come.
 * SPDX-License-Identifier: MIT
 */
#include "base/futex.h"

#include <pthread.h>

#include "base/biased_lock.h"
#include "tests/unit/runner.h"

#define THREADS 4u
#define ROUNDS 20000u

static struct base_biased_lock lock;
/* Guarded by the lock. */
static struct base_condition released;
static bool is_taken;
static uint32_t waiters, rounds, inside;

static void setup(void)
{
    base_biased_lock_init(&lock);
    is_taken = false;
    waiters = rounds = inside = 0;
}

static void teardown(void)
{
    base_biased_lock_fini(&lock);
}

static void take(void)
{
    while (is_taken) {
        waiters++;
        ck_assert(base_biased_lock_wait(&lock, &released, BASE_NEVER));
        waiters--;
    }
    is_taken = true;
    ck_assert_uint_eq(++inside, 1);
}

static void release(void)
{
    inside--;
    rounds++;
    is_taken = false;
    if (waiters > 0)
        base_condition_signal(&released);
}

static void *take_turns(void *nothing)
{
    for (uint32_t i = 0; i < ROUNDS; i++) {
        base_biased_lock_acquire(&lock);
        take();
        base_biased_lock_release(&lock);
        base_biased_lock_acquire(&lock);
        release();
        base_biased_lock_release(&lock);
    }
    return nothing;
}

/* A signal that wakes nothing leaves all asleep in the end. */
START_TEST(a_signal_wakes_one_of_those_that_wait)
{
    pthread_t threads[THREADS];

    for (uint32_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, take_turns, NULL), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_uint_eq(rounds, THREADS * ROUNDS);
}
END_TEST

static void *wait_for_release(void *nothing)
{
    base_biased_lock_acquire(&lock);
    waiters++;
    while (is_taken)
        ck_assert(base_biased_lock_wait(&lock, &released, BASE_NEVER));
    base_biased_lock_release(&lock);
    return nothing;
}

START_TEST(a_broadcast_wakes_all)
{
    pthread_t threads[THREADS];
    bool all_wait;

    is_taken = true;
    for (uint32_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, wait_for_release, NULL), 0);
    do {
        base_biased_lock_acquire(&lock);
        all_wait = waiters == THREADS;
        if (all_wait) {
            is_taken = false;
            base_condition_broadcast(&released);
        }
        base_biased_lock_release(&lock);
    } while (!all_wait);
    for (uint32_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
}
END_TEST

START_TEST(a_change_before_the_sleep_ends_it_at_once)
{
    uint32_t changes = base_condition_changes(&released);
    base_condition_signal(&released);
    ck_assert(base_condition_sleep(&released, changes, BASE_NEVER));
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("condition");
    TCase *all   = tcase_create("conditions");
    tcase_add_checked_fixture(all, setup, teardown);
    tcase_add_test(all, a_signal_wakes_one_of_those_that_wait);
    tcase_add_test(all, a_broadcast_wakes_all);
    tcase_add_test(all, a_change_before_the_sleep_ends_it_at_once);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(suite)
