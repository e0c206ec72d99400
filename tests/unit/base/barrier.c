/* Memory barriers of which one side pays for both: of two threads that write and then read, one at least sees
 * what the other has written.
 * SPDX-License-Identifier: MIT
 */
#include "base/barrier.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/unit/runner.h"

/* Where both sides run at once, a barrier that is missing shows in one of the first rounds. So there are
 * fewer where the machine is so busy that the sides take turns: so often the heavy side gives its processor
 * up. */
#define ROUNDS 1000u
#define YIELDS 1000u
#define SPINS 1000u /* before it does */

/* Each in a line of its own. The light side counts and looks for the round all the time, so the stores of
 * several counts are on their way while it looks ahead. */
static _Alignas(128) _Atomic uint64_t light; /* the count; every number once */
static _Alignas(128) _Atomic uint32_t heavy; /* the round; UINT32_MAX: no more */
static _Alignas(128) _Atomic uint32_t seen;  /* the last round that the light side has seen */
static _Atomic uint64_t seen_at;             /* the first count that saw it */
static uint32_t yields;

static void *light_side(void *nothing)
{
    uint32_t last = 0;

    for (uint64_t count = 1; last != UINT32_MAX; count++) {
        atomic_store_explicit(&light, count, memory_order_relaxed);
        base_barrier_light();
        uint32_t round = atomic_load_explicit(&heavy, memory_order_relaxed);
        if (round == last)
            continue;
        last = round;
        atomic_store_explicit(&seen_at, count, memory_order_relaxed);
        atomic_store(&seen, round);
    }
    return nothing;
}

static void wait_a_moment(uint32_t *spins)
{
    if (++*spins % SPINS != 0)
        return;
    yields++;
    sched_yield();
}

/* Until the light side has counted on, so that it runs on another processor now. */
static void wait_for_light(void)
{
    uint64_t before = atomic_load(&light);

    for (uint32_t spins = 0; atomic_load_explicit(&light, memory_order_relaxed) == before;)
        wait_a_moment(&spins);
}

static void wait_until_seen(uint32_t round)
{
    for (uint32_t spins = 0; atomic_load(&seen) != round;)
        wait_a_moment(&spins);
}

/* The count that the heavy side sees after it has written. */
static uint64_t heavy_side(uint32_t round)
{
    atomic_store_explicit(&heavy, round, memory_order_relaxed);
    base_barrier_heavy();
    return atomic_load_explicit(&light, memory_order_relaxed);
}

/* Else the kernel may leave both on one processor for a while. */
static void pin(pthread_t thread, const cpu_set_t *all, int number)
{
    cpu_set_t one;
    int cpu = 0;

    CPU_ZERO(&one);
    while (!CPU_ISSET(cpu, all) || number-- > 0)
        cpu++;
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(thread, sizeof(one), &one);
}

/* Each count that did not see the round must be one that the heavy side saw. */
START_TEST(one_side_at_least_sees_the_other)
{
    pthread_t thread;
    cpu_set_t all;
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    if (!base_barrier_is_supported())
        return;
    ck_assert_int_eq(pthread_create(&thread, NULL, light_side, NULL), 0);
    bool is_known = sched_getaffinity(0, sizeof(all), &all) == 0 && CPU_COUNT(&all) > 1;
    for (int i = 0; is_known && i < 2; i++)
        pin(i == 0 ? thread : pthread_self(), &all, i);
    for (uint32_t round = 1; round <= ROUNDS && yields < YIELDS; round++) {
        wait_for_light();
        uint64_t count = heavy_side(round);
        wait_until_seen(round);
        ck_assert_uint_ge(count + 1, atomic_load_explicit(&seen_at, memory_order_relaxed));
    }
    atomic_store(&heavy, UINT32_MAX);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    if (is_known)
        pthread_setaffinity_np(pthread_self(), sizeof(all), &all);
}
END_TEST

START_TEST(a_barrier_that_is_supported_stays_so)
{
    bool is_supported = base_barrier_is_supported();
    for (unsigned i = 0; i < 3; i++) {
        base_barrier_heavy();
        ck_assert(!is_supported || base_barrier_is_supported());
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *suite = suite_create("barrier");
    TCase *all   = tcase_create("barriers");
    tcase_add_test(all, one_side_at_least_sees_the_other);
    tcase_add_test(all, a_barrier_that_is_supported_stays_so);
    suite_add_tcase(suite, all);
    return suite;
}

UNIT_SUITE(suite)
