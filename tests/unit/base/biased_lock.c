/* Mutexes that favour a thread: one thread at a time holds the lock, whichever thread is favoured.
 * SPDX-License-Identifier: MIT
 */
#include "base/biased_lock.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/runner.h"

#define ROUNDS 100000u
#define VISITS 200u

static struct base_biased_lock lock;
static uint64_t counter; /* guarded by the lock */
static bool is_told;     /* the same */
static struct base_condition told;

static void setup(void)
{
    /* Where a test before has made a thread, base_barrier_is_supported() does not register. */
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    base_biased_lock_init(&lock);
    counter = 0;
    is_told = false;
}

static void teardown(void)
{
    base_biased_lock_fini(&lock);
}

/* A kernel without membarrier() favours no thread; the rest of the test then says nothing. */
static bool favour(void)
{
    if (!base_barrier_is_supported())
        return false;
    base_biased_lock_acquire(&lock);
    base_biased_lock_favour(&lock);
    base_biased_lock_release(&lock);
    ck_assert(base_biased_lock_favours_me(&lock));
    return true;
}

static void unfavour(void)
{
    base_biased_lock_acquire(&lock);
    base_biased_lock_unfavour(&lock);
    ck_assert(!base_biased_lock_favours_me(&lock));
    base_biased_lock_release(&lock);
}

static pthread_t start(void *(*function)(void *))
{
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, function, NULL), 0);
    return thread;
}

/* Not one atomic step, so that two threads inside at once lose some. */
static void count(void)
{
    base_biased_lock_acquire(&lock);
    uint64_t before                = counter;
    *(volatile uint64_t *)&counter = before + 1;
    base_biased_lock_release(&lock);
}

static void *count_often(void *nothing)
{
    for (uint32_t i = 0; i < VISITS; i++) {
        count();
        sched_yield();
    }
    return nothing;
}

START_TEST(one_thread_at_a_time_holds_it_whether_or_not_one_is_favoured)
{
    bool can_favour = favour();
    pthread_t one = start(count_often), other = start(count_often);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        count();
        if (!can_favour || i % 64 != 0 || base_biased_lock_favours_me(&lock))
            continue;
        base_biased_lock_acquire(&lock);
        base_biased_lock_favour(&lock);
        base_biased_lock_release(&lock);
    }
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    unfavour();
    ck_assert_uint_eq(counter, ROUNDS + 2 * VISITS);
}
END_TEST

static void *tell(void *nothing)
{
    base_biased_lock_acquire(&lock);
    is_told = true;
    base_condition_signal(&told);
    base_biased_lock_release(&lock);
    return nothing;
}

START_TEST(another_thread_waits_until_the_favoured_one_is_outside)
{
    if (!favour())
        return;
    base_biased_lock_acquire(&lock);
    pthread_t thread = start(tell);
    while (atomic_load(&lock.is_wanted) == 0)
        sched_yield();
    ck_assert(!is_told);
    base_biased_lock_release(&lock);
    pthread_join(thread, NULL);
    ck_assert(!base_biased_lock_favours_me(&lock));
    base_biased_lock_acquire(&lock);
    ck_assert(is_told);
    base_biased_lock_release(&lock);
}
END_TEST

START_TEST(a_favoured_thread_that_sleeps_lets_others_in)
{
    favour();
    base_biased_lock_acquire(&lock);
    pthread_t thread = start(tell);
    while (!is_told)
        ck_assert(base_biased_lock_wait(&lock, &told, BASE_NEVER));
    base_biased_lock_release(&lock);
    pthread_join(thread, NULL);
    ck_assert(!base_biased_lock_favours_me(&lock));
}
END_TEST

START_TEST(a_sleep_ends_at_its_deadline)
{
    favour();
    base_biased_lock_acquire(&lock);
    ck_assert(!base_biased_lock_wait(&lock, &told, 0));
    base_biased_lock_release(&lock);
}
END_TEST

static void *try_it(void *result)
{
    bool *has_it = result;
    *has_it      = base_biased_lock_try_acquire(&lock);
    if (*has_it)
        base_biased_lock_release(&lock);
    return NULL;
}

static bool can_another_take_it(void)
{
    bool has_it = false;
    pthread_t thread;
    ck_assert_int_eq(pthread_create(&thread, NULL, try_it, &has_it), 0);
    pthread_join(thread, NULL);
    return has_it;
}

START_TEST(a_try_neither_waits_nor_takes_it_from_the_favoured_thread)
{
    ck_assert(can_another_take_it());
    base_biased_lock_acquire(&lock);
    ck_assert(!can_another_take_it());
    base_biased_lock_release(&lock);
    if (!favour())
        return;
    ck_assert(!can_another_take_it());
    ck_assert(base_biased_lock_favours_me(&lock));
    ck_assert(base_biased_lock_try_acquire(&lock));
    base_biased_lock_release(&lock);
    unfavour();
    ck_assert(can_another_take_it());
}
END_TEST

START_TEST(a_thread_that_is_waited_for_gives_way_when_it_ends_the_bias)
{
    if (!favour())
        return;
    base_biased_lock_acquire(&lock);
    pthread_t thread = start(tell);
    while (atomic_load(&lock.is_wanted) == 0)
        sched_yield();
    ck_assert(!base_biased_lock_unfavour(&lock));
    ck_assert(is_told);
    base_biased_lock_release(&lock);
    pthread_join(thread, NULL);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite  = suite_create("biased lock");
    TCase *biased = tcase_create("biased lock");
    tcase_add_checked_fixture(biased, setup, teardown);
    tcase_add_test(biased, one_thread_at_a_time_holds_it_whether_or_not_one_is_favoured);
    tcase_add_test(biased, another_thread_waits_until_the_favoured_one_is_outside);
    tcase_add_test(biased, a_favoured_thread_that_sleeps_lets_others_in);
    tcase_add_test(biased, a_sleep_ends_at_its_deadline);
    tcase_add_test(biased, a_try_neither_waits_nor_takes_it_from_the_favoured_thread);
    tcase_add_test(biased, a_thread_that_is_waited_for_gives_way_when_it_ends_the_bias);
    suite_add_tcase(suite, biased);
    return suite;
}

UNIT_SUITE(make_suite)
